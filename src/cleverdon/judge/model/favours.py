"""Which systems a model favours: scores by its judgments beyond what people's lead one to expect.

Like is compared with like. One judge errs more often than a majority does, and errors make systems
look more alike than they are: held against a majority, any single judge would seem to favour the
weakest system. So a model is held against each person alone, and the mean over people is taken.

A model that errs more often than a person, or less, or is kinder, still shrinks or stretches all
differences. So a straight line, the model's scores by a person's, is fitted through the other
systems, and what counts is how far a system lies off that line. It takes four systems at least; of
fewer, changes are compared as they are, and more or fewer errors cannot be told from a favour.

A system that is favoured would bend the line, so that the others seem to be disfavoured. So systems
are told one at a time, the clearest first, and each that is told is taken out of the line before
the rest is looked at again. In the end, each that was told has to stand off the line of those that
were not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from cleverdon.aggregate import average
from cleverdon.arrays import Floats
from cleverdon.compare import Interval, PValue, Sample, corrected, intervals, samples
from cleverdon.compare.resampling import RESAMPLES
from cleverdon.compare.student import t_statistic
from cleverdon.compare.tests import p_values
from cleverdon.errors import OptionError
from cleverdon.judge.model.sides import Sides
from cleverdon.measures.base import Measure

LEAST = 4
"""From how many systems on a line is fitted: two lie on one whatever they are, and of three it
could not be said which is off."""
_FLAT = 1e-12
"""Scores whose squares spread no further are the same."""
_AT_ONCE = 100
"""So many resamples are drawn at a time."""


_Key = tuple[int, int]
"""A measure and a system, by their places."""


@dataclass(frozen=True)
class Favour:
    """What a model's judgments do to one system's score."""

    system: str
    measure: Measure
    people: float  # the score by one person's judgments, the mean over people
    model: float
    beyond: float  # how far the model's score is above what people's lead one to expect
    interval: Interval
    p: PValue | None  # None where too few are left to compare with, and of two for that which loses
    corrected: float  # for all systems and measures; NaN where there is no p

    @property
    def change(self) -> float:
        return self.model - self.people


@dataclass(frozen=True)
class Line:
    """What a model's scores are expected to be: a straight line by people's."""

    measure: Measure
    systems: tuple[str, ...]  # of which it is made: those that are not favoured
    slope: float  # below 1 differences between systems shrink; 1 where none was fitted
    fitted: bool
    interval: Interval  # of the slope; NaN where fewer than `LEAST` systems are left in the line

    @property
    def told(self) -> bool:
        """Whether the slope can be told from 1."""
        return self.interval.low > 1 or self.interval.high < 1


@dataclass(frozen=True, eq=False)
class _Table:
    """Merits by one measure, systems x topics: the higher, the better."""

    measure: Measure
    systems: tuple[str, ...]
    people: Floats
    model: Floats
    averages: Floats  # systems x 2: as the measure has it, by people's judgments and the model's

    @property
    def least(self) -> int:
        """How many systems there are to be, for one to be told."""
        return LEAST if len(self.systems) >= LEAST else 2

    def line(self, of: Sequence[int]) -> tuple[float, Floats, float]:
        """The slope; people's scores less their mean; and the squares of these, added up."""
        means = self.people[list(of)].mean(axis=1)
        x = means - means.mean()
        spread = float(x @ x)
        if len(of) < LEAST - 1 or spread <= _FLAT:
            return 1.0, np.zeros_like(x), 1.0
        return float(x @ self.model[list(of)].mean(axis=1)) / spread, x, spread

    def beyond(self, system: int, left: Sequence[int]) -> Floats:
        """Topic by topic: how far a system is above the line through the others that are left."""
        others = [other for other in left if other != system]
        slope, x, spread = self.line(others)
        off = self.people[system].mean() - self.people[others].mean()
        weights = 1 / len(others) + off * x / spread
        above = self.model - slope * self.people
        found: Floats = above[system] - weights @ above[others]
        return found


def favours(
    by_person: Sequence[Sides], *, level: float = 0.05, confidence: float = 0.95, seed: int = 0
) -> tuple[tuple[Favour, ...], tuple[Line, ...]]:
    """Every system by every measure, and the lines; `by_person` has each person and the model."""
    of_person = [samples(sides.others) for sides in by_person]
    of_model = [samples(sides.judge) for sides in by_person]
    tables = [
        _table([each[m] for each in of_person], [each[m] for each in of_model])
        for m in range(len(of_person[0]))
    ]
    told = _Telling(tables, level, seed)
    found: list[Favour] = []
    for m, table in enumerate(tables):
        rows = np.array([told.beyond(m, s) for s in range(len(table.systems))])
        ends = intervals(rows, confidence=confidence, seed=seed)
        found += [
            Favour(
                system=system,
                measure=table.measure,
                people=float(table.averages[s, 0]),
                model=float(table.averages[s, 1]),
                beyond=float(rows[s].mean()),
                interval=ends[s],
                p=told.p.get((m, s)),
                corrected=told.corrected.get((m, s), np.nan),
            )
            for s, system in enumerate(table.systems)
        ]
    lines = (
        _line(table, told.left[m], confidence=confidence, seed=seed)
        for m, table in enumerate(tables)
    )
    return tuple(found), tuple(lines)


def _line(table: _Table, left: Sequence[int], *, confidence: float, seed: int) -> Line:
    slope, _, _ = table.line(left)
    fitted = len(table.systems) >= LEAST
    named = tuple(table.systems[at] for at in left)
    ends = nan, nan
    if len(left) >= LEAST and table.people.shape[1] > 1:
        ends = _ends(table.people[left], table.model[left], confidence, seed)
    interval = Interval(*ends, confidence, "percentile")
    return Line(table.measure, named, slope if fitted else 1.0, fitted, interval)


def _ends(people: Floats, model: Floats, confidence: float, seed: int) -> tuple[float, float]:
    """A bootstrap interval over topics, of the slope: the shares as they are.

    Where systems hardly differ, slopes vary wildly, and these shares tell too little rather than
    too much: in simulations of such systems, where the slope is 1, about 5% or fewer were told.
    """
    random = np.random.default_rng(seed)
    topics = people.shape[1]
    slopes = []
    for start in range(0, RESAMPLES, _AT_ONCE):
        size = min(_AT_ONCE, RESAMPLES - start)
        times = random.multinomial(topics, np.full(topics, 1 / topics), size=size) / topics
        x, y = people @ times.T, model @ times.T
        x -= x.mean(axis=0)
        spread = (x * x).sum(axis=0)
        flat = spread <= _FLAT
        slopes.append(np.where(flat, 1.0, (x * y).sum(axis=0) / np.where(flat, 1.0, spread)))
    beyond = (1 - confidence) / 2
    low, high = np.quantile(np.concatenate(slopes), [beyond, 1 - beyond]).tolist()
    return low, high


def _table(of_person: Sequence[Sample], of_model: Sequence[Sample]) -> _Table:
    """The mean over the people who judged a topic, topic by topic."""
    measure, systems = of_person[0].measure, of_person[0].systems
    # Without a topic on which one side has no value, where such are left out.
    shared = [
        sorted(set(person.topics) & set(model.topics))
        for person, model in zip(of_person, of_model, strict=True)
    ]
    place = {topic: at for at, topic in enumerate(sorted(set().union(*shared)))}
    if not place:
        raise OptionError("people and the model have no topic in common to be compared on")
    times = np.zeros(len(place))
    sums = np.zeros((2, 2, len(systems), len(place)))  # merits and values, of people and model
    for person, model, topics in zip(of_person, of_model, shared, strict=True):
        to = [place[topic] for topic in topics]
        times[to] += 1
        for side, sample in enumerate((person, model)):
            where = {topic: at for at, topic in enumerate(sample.topics)}
            at = [where[topic] for topic in topics]
            sums[0, side][:, to] += sample.merits[:, at]
            sums[1, side][:, to] += sample.values[:, at]
    merits, values = sums / times
    averages = [[average(measure, values[side, s]) for side in (0, 1)] for s in range(len(systems))]
    return _Table(measure, systems, merits[0], merits[1], np.array(averages))


class _Telling:
    """Tells favoured systems one at a time, and corrects p-values for all of them, as Holm does."""

    def __init__(self, tables: Sequence[_Table], level: float, seed: int) -> None:
        self._tables, self._level, self._seed = tables, level, seed
        self.left = [list(range(len(table.systems))) for table in tables]
        self.p: dict[_Key, PValue] = {}
        self.corrected: dict[_Key, float] = {}
        self._clear: dict[_Key, float] = {}  # how clear each is, where p-values are the same
        for m, table in enumerate(tables):
            self._test(m, [self._gaining(m)] if len(table.systems) == 2 else self.left[m])
        self._confirm(self._tell())

    def beyond(self, m: int, s: int) -> Floats:
        """A system beyond the line of those that were not told."""
        table, left = self._tables[m], self.left[m]
        return table.beyond(s, range(len(table.systems)) if left == [s] else left)

    def _gaining(self, m: int) -> int:
        """Of two systems, one gains what the other loses: that is one thing to be told."""
        return int(self.beyond(m, 1).mean() > 0)

    def _tell(self) -> dict[_Key, int]:
        """Tell what can be told; of each how many p-values there were to choose from."""
        told: dict[_Key, int] = {}
        highest = 0.0
        while untold := [key for key in self.p if key not in told]:
            first = min(untold, key=lambda key: (self.p[key].p, -self._clear[key]))
            highest = max(highest, min(1.0, self.p[first].p * len(untold)))
            if highest > self._level:
                adjusted = corrected("holm", [self.p[key].p for key in untold])
                for key, one in zip(untold, adjusted, strict=True):
                    self.corrected[key] = max(highest, one)
                break
            m, s = first
            self.corrected[first], told[first] = highest, len(untold)
            self.left[m].remove(s)
            if len(self.left[m]) >= self._tables[m].least:
                self._test(m, self.left[m])
            else:
                for other in self.left[m]:  # too few for anything to be said
                    self.p.pop((m, other), None)
        return told

    def _confirm(self, told: dict[_Key, int]) -> None:
        """Take back what was told beside a line that was bent, and does not stand beside this."""
        back = []
        for (m, s), times in told.items():
            self._test(m, [s])
            now = min(1.0, self.p[m, s].p * times)
            self.corrected[m, s] = max(self.corrected[m, s], now)
            back += [(m, s)] if now > self._level else []
        for m, s in back:
            self.left[m] = sorted([*self.left[m], s])

    def _test(self, m: int, systems: Sequence[int]) -> None:
        """Test some of a measure's systems beside those that are left."""
        rows = np.array([self.beyond(m, s) for s in systems])
        clear = t_statistic(rows) if rows.shape[1] > 1 else rows[:, 0]
        tested = p_values("randomisation", rows, seed=self._seed)
        for s, p, t in zip(systems, tested, clear.tolist(), strict=True):
            self.p[m, s], self._clear[m, s] = p, abs(t)

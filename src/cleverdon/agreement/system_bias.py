"""Systems that a model favours: scores by its judgments beyond what people's judgments predict.

Experimental: the test is Cleverdon's own and was checked by simulation only. That models as judges
favour rankers built on models is published (Balog, Metzler & Qin 2025,
doi:10.1145/3726302.3730348), and so is a judge's bias towards single systems (Gera et al. 2024,
arXiv:2412.09569); the test is not taken from them.

Like is compared with like. One judge errs more often than a majority does, and errors make systems
look more alike than they are: against a majority, any single judge would seem to favour the weakest
system. So a model is compared with each person alone, and the mean over people is taken. Both sides
judge the same documents, so that only grades differ, and not what was judged.

A model that errs more often than a person, or less, or is kinder, still shrinks or stretches all
differences. So a straight line (the model's scores by a person's) is fitted through the other
systems, and what counts is how far a system lies off that line. That takes at least four systems;
with fewer, changes are compared as they are, and more or fewer errors cannot be told from a bias.

A favoured system would bend the line, so that the others seem to be disfavoured. So systems are
identified one at a time, the clearest first, and each is taken out of the line before the rest is
tested again. In the end, each identified system has to stand off the line of those that were not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import nan
from typing import Any

import numpy as np

from cleverdon._common.arrays import Floats, Ints
from cleverdon._common.progress import Progress
from cleverdon.agreement.aggregation import aggregate_labels
from cleverdon.agreement.labels import Labels, judgments_of_items
from cleverdon.comparison.samples import Sample, samples
from cleverdon.data import Run
from cleverdon.errors import OptionError
from cleverdon.evaluation import evaluate
from cleverdon.formats.inputs import named_runs
from cleverdon.measures.base import Measure
from cleverdon.scores import Scores, average
from cleverdon.stats.intervals import Interval, intervals, percentile_interval
from cleverdon.stats.multiple_comparisons import correct_p_values
from cleverdon.stats.resampling import RESAMPLES, draw_multinomial, resample
from cleverdon.stats.tests import PValue, p_values, t_statistic
from cleverdon.tables.result import in_json


@dataclass(frozen=True)
class PairedScores:
    """Scores by two judgments of the same documents."""

    documents: int
    others: Scores
    judge: Scores


@dataclass(eq=False)
class Evaluator:
    """Evaluates the same runs by the judgments of the model and of each person."""

    labels: Labels
    runs: dict[str, Run]
    measures: Any
    method: str  # of aggregation
    ties: str
    seed: int
    how: dict[str, Any]  # other keywords of `evaluate`
    total: int  # pairs of sides that there will be
    progress: Progress | None
    _done: int = 0
    _known: dict[tuple[str, bytes, bytes], Scores] = field(default_factory=dict)

    def sides(self, judge: str, others: Sequence[str]) -> PairedScores | None:
        """Return scores by a judge and by others; None if they have no document in common."""
        found = self._sides(judge, others)
        self._done += 1
        if self.progress is not None:
            self.progress("comparing systems", self._done, self.total)
        return found

    def _sides(self, judge: str, others: Sequence[str]) -> PairedScores | None:
        labels, column = self.labels, self.labels.column(judge)
        columns = [labels.column(other) for other in others]
        if not (labels.judged[:, columns].any(axis=1) & labels.judged[:, column]).any():
            return None
        theirs = aggregate_labels(
            labels.only(others), self.method, vote_ties=self.ties, seed=self.seed
        )
        both = labels.judged[theirs.items, column]
        items = theirs.items[both]
        name = "people" if len(others) > 1 else others[0]
        return PairedScores(
            len(items),
            self._scores(name, items, theirs.grades[both]),
            self._scores(judge, items, labels.grade[items, column]),
        )

    def _scores(self, name: str, items: Ints, grades: Floats) -> Scores:
        key = (name, items.tobytes(), grades.tobytes())
        if key not in self._known:
            judgments = judgments_of_items(self.labels, items, grades, name=name)
            # To a judge who finds nothing relevant, all systems are equally bad.
            how = {**self.how, "undefined": self.how.get("undefined") or "always-worst"}
            self._known[key] = evaluate(judgments, self.runs, self.measures, **how)
        return self._known[key]


def read_runs(runs: Any, *, format: str | None, order_by: str) -> dict[str, Run]:
    """Read runs once for all evaluations."""
    found = {}
    for name, given in named_runs(runs):
        read = Run.read(given, format=format, order_by=order_by)
        found[name or read.name] = read
    return found


_LEAST_SYSTEMS = 4
"""From so many systems on a line is fitted; of three it is unknown which one is off."""
_FLAT = 1e-12  # scores are equal if the sum of their squares is not larger
_AT_ONCE = 100  # resamples that are drawn at a time
_Key = tuple[int, int]  # a measure and a system, by their places


def _ends(interval: Interval) -> tuple[float, float]:
    return interval.low, interval.high


@dataclass(frozen=True)
class SystemBias:
    """The effect of a model's judgments on one system's score, by an experimental test."""

    system: str
    measure: Measure = field(metadata=in_json("measure", str))
    people: float  # the score by one person's judgments, the mean over people
    model: float
    change: float  # from people to the model
    excess: float = field(metadata=in_json("beyond"))  # of the model's score over the expected one
    interval: Interval = field(metadata=in_json("interval", _ends))
    p: PValue | None = field(metadata=in_json("p", lambda p: p and p.p))
    """None where too few systems are left to compare with; of two systems, for the one that
    loses."""
    corrected: float  # for all systems and measures; NaN where there is no p


@dataclass(frozen=True)
class BiasLine:
    """The model's expected scores: a straight line over people's."""

    measure: Measure = field(metadata=in_json("measure", str))
    fitted: bool
    slope: float  # below 1 differences between systems shrink; 1 where none was fitted
    interval: Interval = field(metadata=in_json("interval", _ends))  # of the slope
    """NaN where fewer than four systems are left in the line."""
    systems: tuple[str, ...]  # through which it is fitted: those that are not favoured

    @property
    def significant(self) -> bool:
        """True if the slope differs significantly from 1."""
        return self.interval.low > 1 or self.interval.high < 1


@dataclass(frozen=True, eq=False)
class _MeritTable:
    """Merits by one measure, systems x queries: the higher, the better."""

    measure: Measure
    systems: tuple[str, ...]
    people: Floats
    model: Floats
    averages: Floats  # systems x 2: as the measure has it, by people's judgments and the model's

    @property
    def least(self) -> int:
        """Return the number of systems that it takes to identify one."""
        return _LEAST_SYSTEMS if len(self.systems) >= _LEAST_SYSTEMS else 2

    def line(self, of: Sequence[int]) -> tuple[float, Floats, float]:
        """Return the slope, people's centred scores, and the sum of their squares."""
        means = self.people[list(of)].mean(axis=1)
        x = means - means.mean()
        spread = float(x @ x)
        if len(of) < _LEAST_SYSTEMS - 1 or spread <= _FLAT:
            return 1.0, np.zeros_like(x), 1.0
        return float(x @ self.model[list(of)].mean(axis=1)) / spread, x, spread

    def excess(self, system: int, left: Sequence[int]) -> Floats:
        """Return, query by query, a system's distance above the line through the others left."""
        others = [other for other in left if other != system]
        slope, x, spread = self.line(others)
        off = self.people[system].mean() - self.people[others].mean()
        weights = 1 / len(others) + off * x / spread
        above = self.model - slope * self.people
        return np.asarray(above[system] - weights @ above[others])


def system_biases(
    by_person: Sequence[PairedScores],
    *,
    level: float = 0.05,
    confidence: float = 0.95,
    seed: int = 0,
) -> tuple[tuple[SystemBias, ...], tuple[BiasLine, ...]]:
    """Estimate the bias for every system by every measure, and the lines; experimental.

    `by_person` has scores by each person's judgments and by the model's.
    """
    of_person = [samples(sides.others) for sides in by_person]
    of_model = [samples(sides.judge) for sides in by_person]
    tables = [
        _merit_table([each[m] for each in of_person], [each[m] for each in of_model])
        for m in range(len(of_person[0]))
    ]
    search = _BiasSearch(tables, level, seed)
    found: list[SystemBias] = []
    for m, table in enumerate(tables):
        rows = np.array([search.excess(m, s) for s in range(len(table.systems))])
        ends = intervals(rows, confidence=confidence, seed=seed)
        found += [
            SystemBias(
                system=system,
                measure=table.measure,
                people=float(table.averages[s, 0]),
                model=float(table.averages[s, 1]),
                change=float(table.averages[s, 1]) - float(table.averages[s, 0]),
                excess=float(rows[s].mean()),
                interval=ends[s],
                p=search.p.get((m, s)),
                corrected=search.corrected.get((m, s), np.nan),
            )
            for s, system in enumerate(table.systems)
        ]
    lines = (
        _bias_line(table, search.left[m], confidence=confidence, seed=seed)
        for m, table in enumerate(tables)
    )
    return tuple(found), tuple(lines)


def _bias_line(
    table: _MeritTable, left: Sequence[int], *, confidence: float, seed: int
) -> BiasLine:
    slope, _, _ = table.line(left)
    fitted = len(table.systems) >= _LEAST_SYSTEMS
    named = tuple(table.systems[at] for at in left)
    interval = Interval(nan, nan, confidence, "percentile")
    if len(left) >= _LEAST_SYSTEMS and table.people.shape[1] > 1:
        interval = _slope_interval(table.people[left], table.model[left], confidence, seed)
    return BiasLine(table.measure, fitted, slope if fitted else 1.0, interval, named)


def _slope_interval(people: Floats, model: Floats, confidence: float, seed: int) -> Interval:
    """Return the percentile interval of the slope, from a bootstrap over queries."""
    # Where systems hardly differ, slopes vary wildly, and the interval is conservative: in
    # simulations of such systems with a slope of 1, about 5% or fewer were significant.
    queries = people.shape[1]

    def slopes(times: Floats) -> Floats:
        x, y = people @ (times / queries).T, model @ (times / queries).T
        x -= x.mean(axis=0)
        spread = (x * x).sum(axis=0)
        flat = spread <= _FLAT
        return np.where(flat, 1.0, (x * y).sum(axis=0) / np.where(flat, 1.0, spread))

    drawn = resample(slopes, draw_multinomial(queries), RESAMPLES, seed=seed, block=_AT_ONCE)
    return percentile_interval(drawn, confidence)


def _merit_table(of_person: Sequence[Sample], of_model: Sequence[Sample]) -> _MeritTable:
    """Average over the people who judged a query, query by query."""
    measure, systems = of_person[0].measure, of_person[0].systems
    # Queries on which one side has no value are left out.
    shared = [
        sorted(set(person.queries) & set(model.queries))
        for person, model in zip(of_person, of_model, strict=True)
    ]
    place = {query: at for at, query in enumerate(sorted(set().union(*shared)))}
    if not place:
        raise OptionError("people and the model have no query in common to be compared on")
    times = np.zeros(len(place))
    sums = np.zeros((2, 2, len(systems), len(place)))  # merits and values, of people and model
    for person, model, queries in zip(of_person, of_model, shared, strict=True):
        to = [place[query] for query in queries]
        times[to] += 1
        for side, sample in enumerate((person, model)):
            where = {query: at for at, query in enumerate(sample.queries)}
            at = [where[query] for query in queries]
            sums[0, side][:, to] += sample.merits[:, at]
            sums[1, side][:, to] += sample.values[:, at]
    merits, values = sums / times
    averages = [[average(measure, values[side, s]) for side in (0, 1)] for s in range(len(systems))]
    return _MeritTable(measure, systems, merits[0], merits[1], np.array(averages))


class _BiasSearch:
    """Identifies favoured systems one at a time; corrects p-values for all by Holm's method."""

    def __init__(self, tables: Sequence[_MeritTable], level: float, seed: int) -> None:
        self._tables, self._level, self._seed = tables, level, seed
        self.left = [list(range(len(table.systems))) for table in tables]
        self.p: dict[_Key, PValue] = {}
        self.corrected: dict[_Key, float] = {}
        self._statistics: dict[_Key, float] = {}  # decide between equal p-values
        for m, table in enumerate(tables):
            self._test(m, [self._gaining(m)] if len(table.systems) == 2 else self.left[m])
        self._confirm(self._identify())

    def excess(self, m: int, s: int) -> Floats:
        """Return a system's excess over the line of those that were not identified."""
        table, left = self._tables[m], self.left[m]
        return table.excess(s, range(len(table.systems)) if left == [s] else left)

    def _gaining(self, m: int) -> int:
        """Return which of two systems gains; the other loses as much, so one is tested."""
        return int(self.excess(m, 1).mean() > 0)

    def _identify(self) -> dict[_Key, int]:
        """Identify systems; return how many p-values each was chosen from."""
        identified: dict[_Key, int] = {}
        highest = 0.0
        while rest := [key for key in self.p if key not in identified]:
            first = min(rest, key=lambda key: (self.p[key].p, -self._statistics[key]))
            highest = max(highest, min(1.0, self.p[first].p * len(rest)))
            if highest > self._level:
                adjusted = correct_p_values("holm", [self.p[key].p for key in rest])
                for key, one in zip(rest, adjusted, strict=True):
                    self.corrected[key] = max(highest, one)
                break
            m, s = first
            self.corrected[first], identified[first] = highest, len(rest)
            self.left[m].remove(s)
            if len(self.left[m]) >= self._tables[m].least:
                self._test(m, self.left[m])
            else:
                for other in self.left[m]:  # too few for a test
                    self.p.pop((m, other), None)
        return identified

    def _confirm(self, identified: dict[_Key, int]) -> None:
        """Drop systems that were only significant against a line that another system bent."""
        dropped = []
        for (m, s), times in identified.items():
            self._test(m, [s])
            now = min(1.0, self.p[m, s].p * times)
            self.corrected[m, s] = max(self.corrected[m, s], now)
            dropped += [(m, s)] if now > self._level else []
        for m, s in dropped:
            self.left[m] = sorted([*self.left[m], s])

    def _test(self, m: int, systems: Sequence[int]) -> None:
        rows = np.array([self.excess(m, s) for s in systems])
        statistics = t_statistic(rows) if rows.shape[1] > 1 else rows[:, 0]
        tested = p_values("randomisation", rows, seed=self._seed)
        for s, p, t in zip(systems, tested, statistics.tolist(), strict=True):
            self.p[m, s], self._statistics[m, s] = p, abs(t)

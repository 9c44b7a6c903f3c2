"""Whether somebody's grades have drifted: against others on the same documents, or against gold.

What is compared is how far a person's grade is from the reference, the mean of the others' grades
or the gold grade, in the first half of the person's work and in the second. Topics differ in how
far people are apart on them, and people judge topic by topic: so where each half has some topics,
the topics' means are the sample; else each topic is cut in two halves of its own, and what is
common to a topic drops out, at the price of a degree of freedom each. Intervals are Student's, and
widened for as many people as are looked at at once (Bonferroni): of twenty teams in which nobody
drifts, one is told of a drift.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np

from cleverdon.arrays import Floats, Ints
from cleverdon.assess.watching.facts import Facts
from cleverdon.assess.watching.measured import CONFIDENCE, Measured, unknown
from cleverdon.errors import MissingExtra

FEWEST = 20
"""Documents that a person and the reference have in common, below which nothing is said."""
TOPICS = 3
"""Topics in each half from which on they are the sample."""
DOCUMENTS = 3
"""Documents of a topic in a half, below which the mean of them is no more than noise."""

Against = Literal["others", "gold"]


@dataclass(frozen=True)
class Distance:
    """How far a grade is above the reference's, and when it was given."""

    topic: str
    at: float
    above: float


@dataclass(frozen=True)
class Drift:
    """One person, before and after the middle of their work."""

    judge: str
    against: Against
    documents: int
    early: float | None  # the mean distance from the reference, in grades
    late: float | None
    change: Measured  # with an interval for all people together
    alone: bool = False  # whether the others are one person, who may be the one who changed

    @property
    def told(self) -> str:
        """stricter, more lenient, or nothing where chance may account for it."""
        if self.change.low is None or self.change.high is None:
            return ""
        if self.change.high < 0:
            return "stricter"
        return "more lenient" if self.change.low > 0 else ""


def drifts(facts: Facts, *, confidence: float = CONFIDENCE) -> tuple[Drift, ...]:
    """Everybody against the others, then everybody against gold where there is some."""
    alone = len({row.judge for row in facts.human}) < 3
    found = _together(facts.people, "others", distances_from_others(facts), confidence, alone=alone)
    gold = distances_from_gold(facts)
    judges = [judge for judge in facts.people if judge in gold]
    return (*found, *_together(judges, "gold", gold, confidence))


def _together(
    judges: Sequence[str],
    against: Against,
    distances: Mapping[str, Sequence[Distance]],
    confidence: float,
    *,
    alone: bool = False,
) -> list[Drift]:
    """Several people, with intervals that hold for all of them at once."""
    known = {judge: distances.get(judge, ()) for judge in judges}
    looked_at = sum(len(found) >= FEWEST for found in known.values())
    each = 1 - (1 - confidence) / max(looked_at, 1)
    return [
        drift_of(judge, against, found, confidence=each, alone=alone)
        for judge, found in known.items()
    ]


def distances_from_others(facts: Facts) -> dict[str, list[Distance]]:
    """Of each person, the distance from the mean of the others' grades, document by document."""
    totals: dict[int, tuple[int, int]] = {}
    for row in facts.human:
        count, total = totals.get(row.item, (0, 0))
        totals[row.item] = (count + 1, total + row.grade)
    found: dict[str, list[Distance]] = {}
    graded_at = facts.graded_at
    for row in facts.human:
        count, total = totals[row.item]
        if count > 1:
            above = row.grade - (total - row.grade) / (count - 1)
            at = graded_at.get((row.judge, row.item), row.made_at)
            found.setdefault(row.judge, []).append(Distance(row.topic, at, above))
    return found


def distances_from_gold(facts: Facts) -> dict[str, list[Distance]]:
    """The same from the grades that are known to be right."""
    gold = {item.id: item.gold for item in facts.items if item.gold is not None}
    found: dict[str, list[Distance]] = {}
    for row in facts.human:
        if row.item in gold:
            at = facts.graded_at.get((row.judge, row.item), row.made_at)
            above = float(row.grade - gold[row.item])
            found.setdefault(row.judge, []).append(Distance(row.topic, at, above))
    return found


def drift_of(
    judge: str,
    against: Against,
    distances: Iterable[Distance],
    *,
    confidence: float = CONFIDENCE,
    alone: bool = False,
) -> Drift:
    """Whether the distances of the second half differ from those of the first."""
    rows = sorted(distances, key=lambda one: one.at)
    count = len(rows)
    if count < FEWEST:
        what = "that others judged too" if against == "others" else "whose grade is known"
        why = f"drift needs {FEWEST} documents {what}: {count} so far"
        return Drift(judge, against, count, None, None, unknown(why, of=count))
    halves = (_topic_means(rows[: count // 2]), _topic_means(rows[count // 2 :]))
    if min(map(len, halves)) >= TOPICS:
        sample = _Sample.of([np.concatenate(halves)], early=[len(halves[0])])
    else:
        topics = [values for values in _by_topic(rows) if len(values) > 1]
        kept = sum(map(len, topics))
        if kept < FEWEST:
            why = f"drift needs {FEWEST} documents of topics with two or more: {kept} so far"
            return Drift(judge, against, count, None, None, unknown(why, of=count))
        sample = _Sample.of(topics, early=[len(values) // 2 for values in topics])
    return Drift(judge, against, count, *_changed(sample, confidence, of=count), alone)


def _topic_means(rows: Iterable[Distance]) -> Floats:
    kept = [values for values in _by_topic(rows) if len(values) >= DOCUMENTS]
    return np.array([sum(values) / len(values) for values in kept])


def _by_topic(rows: Iterable[Distance]) -> list[Floats]:
    found: dict[str, list[float]] = {}
    for row in rows:
        found.setdefault(row.topic, []).append(row.above)
    return [np.array(values) for values in found.values()]


@dataclass(frozen=True)
class _Sample:
    """Values in groups that may each have a level of their own."""

    values: Floats
    late: Floats  # 1 for those of a second half, else 0
    group: Ints

    @classmethod
    def of(cls, groups: Sequence[Floats], *, early: Sequence[int]) -> _Sample:
        """`early` says how many of each group are of its first half, and come first."""
        sizes = [len(values) for values in groups]
        late = [np.arange(size) >= first for size, first in zip(sizes, early, strict=True)]
        number = np.repeat(np.arange(len(groups)), sizes)
        return cls(np.concatenate(groups), np.concatenate(late).astype(float), number)

    def within(self, numbers: Floats) -> Floats:
        """Each number less the mean of its group."""
        means = np.bincount(self.group, numbers) / np.bincount(self.group)
        return numbers - means[self.group]


def _changed(sample: _Sample, confidence: float, *, of: int) -> tuple[float, float, Measured]:
    """The mean before and after, and the change with Student's interval, by least squares."""
    late, values = sample.within(sample.late), sample.within(sample.values)
    known = float(late @ late)
    change = float(late @ values) / known
    before = float(sample.values.mean() - change * sample.late.mean())
    left = values - change * late
    if np.allclose(left, 0):
        why = "the change is the same everywhere, so chance cannot be told"
        return before, before + change, Measured(change, of=of, why=why)
    # Each group's level is estimated, and so is the change.
    degrees = len(values) - (int(sample.group[-1]) + 1) - 1
    error = sqrt(float(left @ left) / degrees / known)
    reach = _student(degrees, (1 + confidence) / 2) * error
    return before, before + change, Measured(change, change - reach, change + reach, of)


def _student(degrees: float, share: float) -> float:
    try:
        from scipy.special import stdtrit  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        raise MissingExtra("an interval of drift", package="scipy", extra="stats") from None
    return float(stdtrit(degrees, share))

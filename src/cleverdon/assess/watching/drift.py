"""Whether somebody's grades have drifted: against others on the same documents, or against gold.

What is compared is how far a person's grade is from the reference, the mean of the others' grades
or the gold grade, in the first half of the person's work and in the second. Topics differ in how
far people are apart on them, and people judge topic by topic: so where each half has some topics,
the topics' means are the sample; else each topic is cut in two halves of its own, and what is
common to a topic drops out. Intervals are Student's, and widened for as many people as are looked
at at once (Bonferroni): of twenty teams in which nobody drifts, one is told of a drift.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np

from cleverdon.arrays import Floats
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
    early, late = _topic_means(rows[: count // 2]), _topic_means(rows[count // 2 :])
    if min(len(early), len(late)) < TOPICS:
        early, late = _within_topics(rows)
    change = _difference(early, late, confidence, of=count)
    return Drift(judge, against, count, float(early.mean()), float(late.mean()), change, alone)


def _topic_means(rows: Sequence[Distance]) -> Floats:
    by_topic: dict[str, list[float]] = {}
    for row in rows:
        by_topic.setdefault(row.topic, []).append(row.above)
    kept = [values for values in by_topic.values() if len(values) >= DOCUMENTS]
    return np.array([sum(values) / len(values) for values in kept])


def _within_topics(rows: Sequence[Distance]) -> tuple[Floats, Floats]:
    """The halves of each topic, about the topic's mean, which is put back for all alike."""
    by_topic: dict[str, list[float]] = {}
    for row in rows:
        by_topic.setdefault(row.topic, []).append(row.above)
    mean = sum(row.above for row in rows) / len(rows)
    early: list[float] = []
    late: list[float] = []
    for values in by_topic.values():
        half = len(values) // 2
        if not half:
            continue
        # The mean of the halves' means, so that a topic's two halves are as far from it.
        middle = (sum(values[:half]) / half + sum(values[half:]) / (len(values) - half)) / 2
        early += [value - middle + mean for value in values[:half]]
        late += [value - middle + mean for value in values[half:]]
    return np.array(early), np.array(late)


def _difference(early: Floats, late: Floats, confidence: float, *, of: int) -> Measured:
    """The difference of two means with Student's interval, of one spread for both."""
    value = float(late.mean() - early.mean())
    degrees = len(early) + len(late) - 2
    squares = sum(float(((part - part.mean()) ** 2).sum()) for part in (early, late))
    if not squares:
        # All distances are the same in each half: there is no spread to judge the change by.
        return Measured(value, of=of, why="all distances are the same, so chance cannot be told")
    error = sqrt(squares / degrees * (1 / len(early) + 1 / len(late)))
    reach = _student(degrees, (1 + confidence) / 2) * error
    return Measured(value, value - reach, value + reach, of)


def _student(degrees: float, share: float) -> float:
    try:
        from scipy.special import stdtrit  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        raise MissingExtra("an interval of drift", package="scipy", extra="stats") from None
    return float(stdtrit(degrees, share))

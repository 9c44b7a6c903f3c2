"""Checks of each judge: drift over time, and attention to gold documents.

Drift compares how far a person's grades are from a reference (the mean of the others' grades, or
gold) in the first and in the second half of the person's work. Queries differ in how far people
disagree, and people judge query by query. So if each half has enough queries, their means are the
sample. Otherwise each query is cut into two halves, which costs one degree of freedom per query.
Intervals are Student's, widened for the number of people (Bonferroni).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Annotated, Literal

import numpy as np
from pydantic import computed_field

from cleverdon._common.arrays import Floats
from cleverdon.judging.dashboard import CONFIDENCE, Measurement, from_share, unknown
from cleverdon.judging.dashboard.facts import Facts, StandingGrade, grouped
from cleverdon.judging.record_fields import INTERNAL
from cleverdon.stats.intervals import t_quantile

_FEWEST_FOR_DRIFT = 20  # documents that a person and the reference have in common
_FEWEST_QUERIES_PER_HALF = 3  # from which on queries are the sample
_FEWEST_DOCUMENTS = 3  # of a query in a half, below which their mean is only noise
ATTENTION_LIMIT = 0.7  # the least share of gold documents with the known grade

_Against = Literal["others", "gold"]


@dataclass(frozen=True)
class Distance:
    """The distance of a grade above the reference, and when it was given."""

    query: str
    at: float
    above: float


@dataclass(frozen=True)
class Drift:
    """The grades of one person, before and after the middle of their work."""

    person: str
    against: _Against
    documents: int
    early: float | None
    """The mean distance from the reference, in grades."""
    late: float | None
    change: Measurement
    """Its interval holds for all people together."""
    # Whether the others are one person, who may be the one who changed.
    alone: Annotated[bool, INTERNAL] = False

    @computed_field  # type: ignore[prop-decorator]
    @property
    def direction(self) -> str:
        """stricter, more lenient, or empty where it may be chance."""
        if self.change.low is None or self.change.high is None:
            return ""
        if self.change.high < 0:
            return "stricter"
        return "more lenient" if self.change.low > 0 else ""


def drifts(facts: Facts, *, confidence: float = CONFIDENCE) -> tuple[Drift, ...]:
    """Compute the drift of everybody against the others, then against gold."""
    totals: dict[int, tuple[int, int]] = {}
    for row in facts.human:
        count, total = totals.get(row.item, (0, 0))
        totals[row.item] = (count + 1, total + row.grade)

    def others(row: StandingGrade) -> float | None:
        count, total = totals[row.item]
        return (total - row.grade) / (count - 1) if count > 1 else None

    alone = len({row.judge for row in facts.human}) < 3
    found = _together(facts.people, "others", _distances(facts, others), confidence, alone=alone)
    gold = _distances(facts, lambda row: facts.gold.get(row.item))
    judges = [judge for judge in facts.people if judge in gold]
    return (*found, *_together(judges, "gold", gold, confidence))


def _together(
    judges: Sequence[str],
    against: _Against,
    distances: Mapping[str, Sequence[Distance]],
    confidence: float,
    *,
    alone: bool = False,
) -> list[Drift]:
    """Compute drifts with intervals that hold for all people at once."""
    known = {judge: distances.get(judge, ()) for judge in judges}
    looked_at = sum(len(found) >= _FEWEST_FOR_DRIFT for found in known.values())
    each = 1 - (1 - confidence) / max(looked_at, 1)
    return [
        _drift_of(judge, against, found, confidence=each, alone=alone)
        for judge, found in known.items()
    ]


def _distances(
    facts: Facts, reference: Callable[[StandingGrade], float | None]
) -> dict[str, list[Distance]]:
    """Return each person's distances from a reference, where it is known."""
    found: dict[str, list[Distance]] = {}
    for row in facts.human:
        known = reference(row)
        if known is not None:
            at = facts.graded_at.get((row.judge, row.item), row.made_at)
            found.setdefault(row.judge, []).append(Distance(row.query, at, row.grade - known))
    return found


def _drift_of(
    judge: str,
    against: _Against,
    distances: Iterable[Distance],
    *,
    confidence: float = CONFIDENCE,
    alone: bool = False,
) -> Drift:
    """Compare the distances of the second half with those of the first."""
    rows = sorted(distances, key=lambda one: one.at)
    count = len(rows)

    def too_few(what: str, found: int) -> Drift:
        why = f"drift needs {_FEWEST_FOR_DRIFT} documents {what}: {found} so far"
        return Drift(judge, against, count, None, None, unknown(why, of=count))

    if count < _FEWEST_FOR_DRIFT:
        what = "that others judged too" if against == "others" else "whose grade is known"
        return too_few(what, count)
    halves = (_query_means(rows[: count // 2]), _query_means(rows[count // 2 :]))
    if min(map(len, halves)) >= _FEWEST_QUERIES_PER_HALF:
        groups, early = [np.concatenate(halves)], [len(halves[0])]
    else:
        groups = [values for values in _by_query(rows) if len(values) > 1]
        early = [len(values) // 2 for values in groups]
        kept = sum(map(len, groups))
        if kept < _FEWEST_FOR_DRIFT:
            return too_few("of queries with two or more", kept)
    return Drift(judge, against, count, *_change(groups, early, confidence, of=count), alone)


def _query_means(rows: Iterable[Distance]) -> Floats:
    kept = [values for values in _by_query(rows) if len(values) >= _FEWEST_DOCUMENTS]
    return np.array([sum(values) / len(values) for values in kept])


def _by_query(rows: Iterable[Distance]) -> list[Floats]:
    groups = grouped(rows, lambda row: row.query).values()
    return [np.array([row.above for row in group]) for group in groups]


def _change(
    groups: Sequence[Floats], early: Sequence[int], confidence: float, *, of: int
) -> tuple[float, float, Measurement]:
    """Estimate the means before and after, and the change with Student's interval.

    Each group has a level of its own; `early` is the size of its first half.
    """
    group = np.repeat(np.arange(len(groups)), [len(values) for values in groups])
    given = np.concatenate(groups)
    halves = [np.arange(len(values)) >= size for values, size in zip(groups, early, strict=True)]
    is_late = np.concatenate(halves).astype(float)
    late, values = (
        numbers - (np.bincount(group, numbers) / np.bincount(group))[group]
        for numbers in (is_late, given)
    )
    known = float(late @ late)
    change = float(late @ values) / known
    before = float(given.mean() - change * is_late.mean())
    left = values - change * late
    if np.allclose(left, 0):
        why = "the change is the same everywhere, so chance cannot be told"
        return before, before + change, Measurement(change, of=of, why=why)
    degrees = len(values) - len(groups) - 1  # the levels and the change are estimated
    error = sqrt(float(left @ left) / degrees / known)
    reach = t_quantile(confidence, degrees) * error
    return before, before + change, Measurement(change, change - reach, change + reach, of)


@dataclass(frozen=True)
class Attention:
    """The gold documents that one person judged."""

    person: str
    documents: int
    right: Measurement
    """The share with the known grade, with Wilson's interval."""
    side: Measurement
    """The share that is relevant, or not relevant, as the known grade is."""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def low(self) -> bool:
        """True if even the upper end of the interval is below the limit."""
        return self.right.high is not None and self.right.high < ATTENTION_LIMIT


def attention(facts: Facts) -> tuple[Attention, ...]:
    """Compute the attention of everybody; nothing where there are no gold documents."""
    if not facts.gold:
        return ()
    line = facts.scale.relevant
    given: dict[str, list[tuple[int, int]]] = {judge: [] for judge in facts.people}
    for row in facts.human:
        if row.item in facts.gold:
            given[row.judge].append((row.grade, facts.gold[row.item]))

    def share(hits: list[bool]) -> Measurement:
        return from_share(sum(hits), len(hits), why="no gold document was judged yet")

    return tuple(
        Attention(
            judge,
            len(pairs),
            share([own == known for own, known in pairs]),
            share([(own >= line) == (known >= line) for own, known in pairs]),
        )
        for judge, pairs in given.items()
    )

"""Everybody's share of the work: what is done, what is open to them, and how long that takes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from cleverdon.assess.watching.facts import Facts, Grading
from cleverdon.assess.watching.grading import Grades, grades_of
from cleverdon.assess.watching.labels import LabelRow
from cleverdon.assess.watching.measured import Measured, unknown
from cleverdon.assess.watching.pace import Pace, Speed, pace_of, speed_of


@dataclass(frozen=True)
class Worker:
    """One person's work."""

    judge: str
    active: bool  # whether the account is
    topics: int  # that are assigned
    judged: int  # documents with a grade of this person's
    skipped: int
    flagged: int
    open: int  # documents that are still to be judged, and that this person could
    pace: Pace
    speed: Speed
    hours_left: Measured  # for all that is open, if nobody else judged any of it
    grades: Grades
    last_at: float | None  # when the person last gave a grade


def workers(facts: Facts) -> tuple[Worker, ...]:
    """Everybody who judges, or has."""
    gradings: dict[str, list[Grading]] = {}
    for grading in facts.gradings:
        gradings.setdefault(grading.judge, []).append(grading)
    labels: dict[str, list[LabelRow]] = {}
    for row in facts.human:
        labels.setdefault(row.judge, []).append(row)
    skipped = Counter(one.judge for one in facts.asides if one.skipped)
    flagged = Counter(one.judge for one in facts.asides if one.flagged)
    topics = Counter(one.judge for one in facts.assigned)
    open_to = _open(facts)
    active = {one.name for one in facts.judges if one.active}
    found = []
    for judge in facts.people:
        own = gradings.get(judge, [])
        speed = speed_of(own)
        found.append(
            Worker(
                judge,
                judge in active,
                topics[judge],
                len(labels.get(judge, ())),
                skipped[judge],
                flagged[judge],
                open_to[judge],
                pace_of(own),
                speed,
                _hours(open_to[judge], speed),
                grades_of(labels.get(judge, ()), facts.scale),
                max((one.at for one in own), default=None),
            )
        )
    return tuple(found)


def _open(facts: Facts) -> Counter[str]:
    """Documents that each person could still judge; who else has one on the screen is no matter."""
    times = Counter(row.item for row in facts.human)
    done: dict[str, set[int]] = {}
    for row in facts.human:
        done.setdefault(row.judge, set()).add(row.item)
    for one in facts.asides:
        if one.skipped:
            done.setdefault(one.judge, set()).add(one.item)
    every: dict[str, set[int]] = {}
    several: dict[str, set[int]] = {}
    for item in facts.items:
        gold = item.gold is not None
        if item.given_out and (gold or times[item.id] < item.wanted):
            every.setdefault(item.topic, set()).add(item.id)
            if gold or item.wanted > 1:
                several.setdefault(item.topic, set()).add(item.id)
    found: Counter[str] = Counter()
    for judge, topic, part in facts.assigned:
        left = (every if part == "all" else several).get(topic, set())
        found[judge] += len(left - done.get(judge, set()))
    return found


def _hours(open_: int, speed: Speed) -> Measured:
    if not open_:
        return Measured(0.0)
    if speed.per_hour.value is None:
        return unknown(speed.per_hour.why)
    return Measured(open_ / speed.per_hour.value, of=open_)

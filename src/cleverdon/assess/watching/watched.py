"""All that watching tells of one state of a project, as one record."""

from __future__ import annotations

from dataclasses import dataclass

from cleverdon.assess.scale import Scale
from cleverdon.assess.watching.agreement import (
    Beside,
    LiveAgreement,
    beside_people,
    live_agreement,
)
from cleverdon.assess.watching.attention import Attention, attention
from cleverdon.assess.watching.beyond import Beyond, Systems
from cleverdon.assess.watching.drift import Drift, drifts
from cleverdon.assess.watching.facts import Facts
from cleverdon.assess.watching.grading import Grades, grades_of
from cleverdon.assess.watching.labels import LabelRow, grades_given
from cleverdon.assess.watching.pace import Pace, pace_of
from cleverdon.assess.watching.progress import Progress, TopicProgress, progress_of
from cleverdon.assess.watching.recall import LiveRecall, item_grades, live_recall
from cleverdon.assess.watching.work import Worker, workers


@dataclass(frozen=True, eq=False)
class Watched:
    """One state of a project."""

    as_of: float
    scale: Scale
    progress: Progress
    topics: tuple[TopicProgress, ...]
    pace: Pace
    work: tuple[Worker, ...]  # of each person
    grades: Grades
    topic_grades: dict[str, Grades]
    agreement: LiveAgreement  # of people alone
    beside: tuple[Beside, ...]  # models and earlier judgments
    recall: LiveRecall
    beyond: Beyond
    drifts: tuple[Drift, ...]
    attention: tuple[Attention, ...]  # of each person; empty without gold documents
    uncovered: tuple[str, ...]  # topics with something to judge, and nobody who would
    short: tuple[str, ...]  # topics with too few people for what several are to judge
    disputed: int  # documents that people gave different grades, and that nobody has settled


def watched(facts: Facts, systems: Systems, *, seed: int = 0) -> Watched:
    """Compute all of it; the same facts give the same numbers."""
    whole, topics = progress_of(facts)
    by_topic: dict[str, list[LabelRow]] = {topic.name: [] for topic in facts.topics}
    for row in facts.human:
        by_topic[row.topic].append(row)
    grades = item_grades(facts)
    return Watched(
        as_of=facts.as_of,
        scale=facts.scale,
        progress=whole,
        topics=topics,
        pace=pace_of(facts.gradings),
        work=workers(facts),
        grades=grades_of(facts.human, facts.scale),
        topic_grades={topic: grades_of(rows, facts.scale) for topic, rows in by_topic.items()},
        agreement=live_agreement(facts.human, seed=seed),
        beside=beside_people(facts, seed=seed),
        recall=live_recall(facts, grades),
        beyond=systems.beyond(facts, grades),
        drifts=drifts(facts),
        attention=attention(facts),
        uncovered=facts.uncovered,
        short=facts.short,
        disputed=sum(
            len(different) > 1 and item not in facts.rulings
            for item, different in grades_given(facts.human).items()
        ),
    )

"""What the calls of watching give. Numbers that are undefined are null, with the reason."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from cleverdon.assess import clock
from cleverdon.assess.watching.attention import Attention
from cleverdon.assess.watching.drift import Drift
from cleverdon.assess.watching.grading import Grades
from cleverdon.assess.watching.pace import Pace
from cleverdon.assess.watching.progress import TopicProgress
from cleverdon.assess.watching.sentences import drifted, warnings
from cleverdon.assess.watching.watched import Watched
from cleverdon.assess.watching.work import Worker
from cleverdon.assess.web.api.agreement_models import (
    AgreementModel,
    BesideModel,
    NumberModel,
    Record,
)


class ProgressModel(Record):
    """How far judging has come."""

    documents: int = Field(description="Documents that are given out to be judged.")
    not_given_out: int = Field(description="Those that an adaptive method has not given out yet.")
    never_given_out: int = Field(description="Those of topics that ended before they came.")
    wanted: int = Field(description="Judgments that are wanted of them.")
    done: int = Field(
        description="Judgments that are done, of those wanted; a ruling does for all of a document."
    )
    left: int
    share: float | None = Field(description="Done of wanted; null where nothing is wanted.")
    complete: int = Field(
        description="Documents that as many people judged as are wanted, or that have a ruling."
    )
    judged: int = Field(description="Documents that one person at least judged.")
    skipped: int = Field(description="Documents that somebody skipped.")
    given_up: int = Field(description="Of these, the ones that nobody judged or settled.")
    flagged: int
    settled: int = Field(description="Documents with a ruling.")


class GradesModel(Record):
    """Which grades were given."""

    counts: list[int] = Field(description="In the order of the scale.")
    total: int
    relevant: NumberModel = Field(description="The share that says relevant; Wilson's interval.")


class PaceModel(Record):
    """Judgments over time; changed ones count again."""

    start: str | None = Field(description="When the first stretch begins (UTC); null without any.")
    width: float = Field(description="Seconds of a stretch.")
    counts: list[int] = Field(description="Judgments in each stretch.")

    @classmethod
    def of_pace(cls, pace: Pace) -> PaceModel:
        """Of a record."""
        start = clock.iso(pace.start) if pace.counts else None
        return cls(start=start, width=pace.width, counts=list(pace.counts))


class WorkerModel(BaseModel):
    """One person's work."""

    person: str
    active: bool = Field(description="Whether the account is.")
    topics: int = Field(description="Topics that are assigned.")
    judged: int
    skipped: int
    flagged: int
    open: int = Field(description="Documents that the person could still judge.")
    judgments: int = Field(description="Grades given, changed ones counted again.")
    per_hour: NumberModel = Field(description="Judgments an hour of work, without pauses.")
    seconds: NumberModel = Field(description="A judgment: the median, and the middle half.")
    hours_left: NumberModel = Field(description="For what is open, if nobody else judged it.")
    last: str | None = Field(description="When the person last gave a grade (UTC).")
    grades: GradesModel
    pace: PaceModel

    @classmethod
    def of_worker(cls, work: Worker) -> WorkerModel:
        """Of a record."""
        return cls(
            person=work.judge,
            active=work.active,
            topics=work.topics,
            judged=work.judged,
            skipped=work.skipped,
            flagged=work.flagged,
            open=work.open,
            judgments=work.speed.judgments,
            per_hour=NumberModel.model_validate(work.speed.per_hour),
            seconds=NumberModel.model_validate(work.speed.seconds),
            hours_left=NumberModel.model_validate(work.hours_left),
            last=None if work.last_at is None else clock.iso(work.last_at),
            grades=GradesModel.model_validate(work.grades),
            pace=PaceModel.of_pace(work.pace),
        )


class FoundModel(Record):
    """What is known of relevant documents."""

    documents: int = Field(description="Documents of the pool, without what is left out.")
    judged: int
    relevant: int = Field(description="Of the judged.")
    estimate: NumberModel = Field(description="Relevant documents that the pool has in all.")
    recall: NumberModel = Field(description="The share of these that are found.")
    last: NumberModel = Field(description="Adaptive pools: what the last documents brought.")
    decision: Literal["stop", "go on", "open"]
    advice: str
    left_out: int = Field(
        description="Documents that somebody chose, which tell nothing of the rest: gold, what an "
        "import added, and what was first judged by an import, until the pool is judged."
    )


class BeyondModel(Record):
    """What the pool may have missed, by what systems found in common."""

    recall: NumberModel = Field(description="Of the pool.")
    bounded: bool = Field(description="Whether that is an upper bound.")
    sentences: list[str]


class RecallModel(BaseModel):
    """How much was found."""

    way: Literal["order", "sample", "adaptive"] = Field(
        description="What the estimate rests on: shuffled order, a sample, or the last documents."
    )
    target: float = Field(description="The recall that is enough.")
    all: FoundModel
    without: list[str] = Field(description="Topics of which nothing can be told, left out of all.")
    topics: dict[str, FoundModel]
    beyond: BeyondModel


class DriftModel(BaseModel):
    """One person in the first half of their work, and in the second."""

    person: str
    against: Literal["others", "gold"]
    documents: int
    early: float | None = Field(description="The mean distance from the reference, in grades.")
    late: float | None
    change: NumberModel = Field(description="Its interval holds for all people together.")
    told: str = Field(description="stricter, more lenient, or nothing.")
    sentence: str

    @classmethod
    def of_drift(cls, drift: Drift) -> DriftModel:
        """Of a record."""
        return cls(
            person=drift.judge,
            against=drift.against,
            documents=drift.documents,
            early=drift.early,
            late=drift.late,
            change=NumberModel.model_validate(drift.change),
            told=drift.told,
            sentence=drifted(drift) if drift.told else "",
        )


class AttentionModel(BaseModel):
    """One person and the gold documents."""

    person: str
    documents: int
    right: NumberModel = Field(description="The share with the known grade; Wilson's interval.")
    side: NumberModel = Field(description="The share on the right side of the line of relevance.")
    low: bool = Field(description="Whether even the upper end is below the limit.")

    @classmethod
    def of_attention(cls, one: Attention) -> AttentionModel:
        """Of a record."""
        return cls(
            person=one.judge,
            documents=one.documents,
            right=NumberModel.model_validate(one.right),
            side=NumberModel.model_validate(one.side),
            low=one.low,
        )


class TopicProgressModel(BaseModel):
    """How far one topic has come."""

    topic: str
    title: str
    progress: ProgressModel
    grades: GradesModel
    ended: str = Field(
        description="Of an adaptive pool: why nothing more is given out (all given, budget, "
        "target or patience); empty while something may be."
    )

    @classmethod
    def of_topic(cls, one: TopicProgress, grades: Grades) -> TopicProgressModel:
        """Of records."""
        return cls(
            topic=one.topic,
            title=one.title,
            progress=ProgressModel.model_validate(one.progress),
            grades=GradesModel.model_validate(grades),
            ended=one.ended,
        )


class WatchedModel(BaseModel):
    """All that the dashboard tells."""

    as_of: str = Field(description="Of which moment (UTC); a busy project may be some seconds on.")
    warnings: list[str] = Field(description="What an administrator should look into.")
    scale: list[int] = Field(description="The grades, rising.")
    relevant: int = Field(description="The lowest relevant grade.")
    disputed: int = Field(description="Documents in dispute that nobody has settled.")
    uncovered: list[str] = Field(description="Topics with something to judge, and nobody for it.")
    short: list[str] = Field(description="Topics with too few people for what several judge.")
    progress: ProgressModel
    grades: GradesModel
    pace: PaceModel
    agreement: AgreementModel
    recall: RecallModel
    topics: list[TopicProgressModel]
    people: list[WorkerModel]
    drift: list[DriftModel]
    attention: list[AttentionModel]
    beside: list[BesideModel] = Field(description="Models and earlier judgments, apart.")

    @classmethod
    def of_watched(cls, found: Watched) -> WatchedModel:
        """Of a record."""
        return cls(
            as_of=clock.iso(found.as_of),
            warnings=warnings(found),
            scale=list(found.scale.values),
            relevant=found.scale.relevant,
            disputed=found.disputed,
            uncovered=list(found.uncovered),
            short=list(found.short),
            progress=ProgressModel.model_validate(found.progress),
            grades=GradesModel.model_validate(found.grades),
            pace=PaceModel.of_pace(found.pace),
            agreement=AgreementModel.of_agreement(found.agreement),
            recall=RecallModel(
                way=found.recall.way,
                target=found.recall.target,
                all=FoundModel.model_validate(found.recall.all),
                without=list(found.recall.without),
                topics={
                    topic: FoundModel.model_validate(one)
                    for topic, one in found.recall.topics.items()
                },
                beyond=BeyondModel.model_validate(found.beyond),
            ),
            topics=[
                TopicProgressModel.of_topic(one, found.topic_grades[one.topic])
                for one in found.topics
            ],
            people=[WorkerModel.of_worker(one) for one in found.work],
            drift=[DriftModel.of_drift(one) for one in found.drifts],
            attention=[AttentionModel.of_attention(one) for one in found.attention],
            beside=[BesideModel.of_beside(one) for one in found.beside],
        )

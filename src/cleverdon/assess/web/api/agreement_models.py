"""Agreement as the calls give it. Numbers that are undefined are null, with the reason."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from cleverdon.assess.watching import agreement_rows as rows
from cleverdon.assess.watching.agreement import Beside, LiveAgreement
from cleverdon.assess.watching.drawing import RESAMPLES
from cleverdon.assess.watching.measured import CONFIDENCE


class Record(BaseModel):
    """Made of a record of the same names."""

    model_config = ConfigDict(from_attributes=True)


class NumberModel(Record):
    """A number with its interval."""

    value: float | None = Field(description="Null where it is undefined.")
    low: float | None = Field(description="The lower end of its interval, where it has one.")
    high: float | None = Field(description="The upper end.")
    of: int = Field(description="How many documents or judgments it rests on.")
    why: str = Field(description="Why it is undefined, or what to know of it.")


Numbers = Annotated[dict[str, NumberModel], Field(description="By the coefficients' names.")]


class PairModel(Record):
    """Two people, on the documents that both judged."""

    first: str
    second: str
    documents: int
    topics: int
    numbers: Numbers


class TopicAgreementModel(Record):
    """One topic, all who judged it together."""

    topic: str
    documents: int = Field(description="Documents that two at least have judged.")
    judges: int
    numbers: Numbers


class AgreementModel(BaseModel):
    """How far people agree; models are never part of it."""

    documents: int = Field(description="Documents that two people at least have judged.")
    gold: int = Field(
        description="Gold documents that two have judged as well, which are left out."
    )
    resamples: int = Field(description="Of the bootstrap that intervals are made by.")
    confidence: float
    overall: Numbers
    pairs: list[PairModel] = Field(description="The most documents in common first.")
    more_pairs: int = Field(description="Pairs that are left out.")
    topics: list[TopicAgreementModel] = Field(description="The lowest agreement first.")

    @classmethod
    def of_agreement(cls, live: LiveAgreement) -> AgreementModel:
        """Of a record."""
        return cls(
            documents=live.shared,
            gold=live.gold,
            resamples=RESAMPLES,
            confidence=CONFIDENCE,
            overall={
                name: NumberModel.model_validate(one) for name, one in rows.overall(live).items()
            },
            pairs=[PairModel.model_validate(one) for one in rows.pair_rows(live)],
            more_pairs=live.more_pairs,
            topics=[TopicAgreementModel.model_validate(one) for one in rows.topic_rows(live)],
        )


class StandingBesideModel(Record):
    """A model by one coefficient."""

    coefficient: str
    with_people: NumberModel
    among_people: NumberModel
    difference: NumberModel
    verdict: str = Field(description="less, more, not told apart, or unknown.")


class GivenModel(Record):
    """What a model gave where people gave one grade."""

    grade: float
    judgments: int
    shares: list[float] = Field(description="Of each grade in `grades`.")
    difference: NumberModel = Field(description="The mean of its grades, less people's.")


class BesideModel(BaseModel):
    """A model, or earlier judgments, beside people."""

    name: str
    kind: Literal["model", "earlier"]
    judged: int
    documents: int = Field(description="Documents that people judged as well.")
    people: list[str] = Field(description="Whom it is held against.")
    why: str = Field(description="Why nothing can be said, where that is so.")
    grades: list[float] = Field(description="The grades that `given` speaks of.")
    standings: list[StandingBesideModel]
    given: list[GivenModel]

    @classmethod
    def of_beside(cls, beside: Beside) -> BesideModel:
        """Of a record."""
        return cls(
            name=beside.name,
            kind="model" if beside.kind == "model" else "earlier",
            judged=beside.judged,
            documents=beside.shared,
            people=list(beside.people),
            why=beside.why,
            grades=list(beside.scale),
            standings=[StandingBesideModel.model_validate(one) for one in rows.beside_rows(beside)],
            given=[GivenModel.model_validate(one) for one in rows.given_rows(beside)],
        )

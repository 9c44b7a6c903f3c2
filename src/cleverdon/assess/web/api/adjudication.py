"""Calls: what people differ on, and how it was settled."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from pydantic import BaseModel, ConfigDict, Field

from cleverdon.assess import clock
from cleverdon.assess.adjudicating.cases import Case, Show, cases
from cleverdon.assess.adjudicating.rulings import Ruling, rule
from cleverdon.assess.adjudicating.showing import shown
from cleverdon.assess.judging.checking import LONGEST_TEXT
from cleverdon.assess.judging.viewing import any_text_page
from cleverdon.assess.people.rights import Right
from cleverdon.assess.web.api.judging import PageNumber
from cleverdon.assess.web.api.judging_models import DocumentModel, TextModel
from cleverdon.assess.web.api.models import failing
from cleverdon.assess.web.limits import LARGEST, LONGEST_TOPIC
from cleverdon.assess.web.visitor import Needs, Visitor

router = APIRouter(tags=["adjudication"])

Administrator = Annotated[Visitor, Needs(Right.MANAGE)]
ItemId = Annotated[int, Path(ge=1, le=LARGEST, description="The item's number.")]


class GivenModel(BaseModel):
    """What one person said."""

    person: str
    grade: int | None
    skipped: str | None = Field(description="The reason why it was skipped.")
    note: str
    flagged: bool
    made_at: str = Field(description="UTC.")


class RulingModel(BaseModel):
    """A word of an administrator."""

    ruling: int = Field(description="Its number.")
    person: str
    grade: int | None = Field(description="Null where the rulings before it were taken back.")
    note: str
    made_at: str = Field(description="UTC.")

    @classmethod
    def of_ruling(cls, ruling: Ruling) -> RulingModel:
        """Of a record."""
        return cls(
            ruling=ruling.id,
            person=ruling.person,
            grade=ruling.grade,
            note=ruling.note,
            made_at=clock.iso(ruling.made_at),
        )


class CaseModel(BaseModel):
    """A document of a topic, and what people said of it."""

    item: int
    topic: str
    document: str
    title: str
    gold: int | None = Field(description="The known grade of a gold document; else null.")
    apart: int = Field(description="The highest grade less the lowest.")
    across: bool = Field(description="Whether some say relevant, and others do not.")
    given: list[GivenModel]
    ruling: RulingModel | None = Field(description="The one that holds.")
    outdated: bool = Field(description="Whether somebody judged it again after the ruling.")


class CasesModel(BaseModel):
    """Some cases, and how many there are."""

    total: int
    cases: list[CaseModel]


class CaseHistoryModel(BaseModel):
    """A case, what there is to look at, and all rulings on it."""

    case: CaseModel
    query: str = Field(description="The topic's title.")
    description: str
    narrative: str
    shown: DocumentModel = Field(description="The document as assessors see it.")
    rulings: list[RulingModel] = Field(description="The first one first.")


class RuleModel(BaseModel):
    """How a document is settled."""

    model_config = ConfigDict(extra="forbid")

    request: Annotated[str, Field(min_length=8, max_length=100)] = Field(
        description="Chosen by you: the same one is recorded once, however often it is sent."
    )
    grade: Annotated[int, Field(ge=0, le=9, strict=True)] | None = Field(
        description="The grade that holds; null takes the ruling back."
    )
    note: Annotated[str, Field(max_length=LONGEST_TEXT)] = Field(default="")


class RuledModel(BaseModel):
    """What came of it."""

    ruling: RulingModel
    repeated: bool = Field(description="Whether it had been recorded before.")


@router.get("/adjudication", summary="What is to be settled", responses=failing())
def listed(
    request: Request,
    visitor: Administrator,
    show: Annotated[Show, Query(description="Which documents.")] = "disputed",
    topic: Annotated[
        str | None,
        Query(min_length=1, max_length=LONGEST_TOPIC, description="Of this topic alone."),
    ] = None,
    across: Annotated[
        bool, Query(description="Disputes about relevance alone, not about how relevant it is.")
    ] = False,
    n: Annotated[int, Query(ge=1, le=1_000, description="How many at most.")] = 100,
    skip: Annotated[int, Query(ge=0, le=LARGEST, description="How many to pass over.")] = 0,
) -> CasesModel:
    """Documents that people gave different grades, the largest difference first.

    Also those that are settled, those that somebody flagged, and those that were skipped and that
    nobody judged.
    """
    project = request.app.state.project
    line = project.scale.relevant
    with project.database.reading() as connection:
        found = cases(
            connection, show, topic=topic, across=line if across else None, n=n, skip=skip
        )
    return CasesModel(total=found.total, cases=[_case(one, line) for one in found.cases])


@router.get("/adjudication/{item}", summary="One document", responses=failing(404))
def one(request: Request, visitor: Administrator, item: ItemId) -> CaseHistoryModel:
    """A document with its topic, what people said of it, and how it was settled."""
    project = request.app.state.project
    with project.database.reading() as connection:
        view = shown(connection, item)
    return CaseHistoryModel(
        case=_case(view.case, project.scale.relevant),
        query=view.query,
        description=view.description,
        narrative=view.narrative,
        shown=DocumentModel.of(view.case.document, view.case.title, view.url, view.excerpt),
        rulings=[RulingModel.of_ruling(each) for each in view.history],
    )


@router.get("/adjudication/{item}/text", summary="All of a document's text", responses=failing(404))
def whole_text(
    request: Request, visitor: Administrator, item: ItemId, page: PageNumber = 1
) -> TextModel:
    """The whole text of a document, page by page, whoever it is assigned to."""
    with request.app.state.project.database.reading() as connection:
        return TextModel.of(any_text_page(connection, item, page))


@router.post("/adjudication/{item}", summary="Settle a document", responses=failing(404, 409))
def settle(request: Request, visitor: Administrator, item: ItemId, said: RuleModel) -> RuledModel:
    """Say which grade holds, or take that back; rulings are added to, and never changed.

    The answer is sent once the ruling is on the disk. Where none comes, send the same again.
    """
    project = request.app.state.project
    with project.database.writing() as connection:
        ruled = rule(
            connection,
            visitor.person,
            request=said.request,
            item=item,
            grade=said.grade,
            note=said.note,
            scale=project.scale,
            by=visitor.actor,
        )
    return RuledModel(ruling=RulingModel.of_ruling(ruled.ruling), repeated=ruled.repeated)


def _case(found: Case, line: int) -> CaseModel:
    return CaseModel(
        item=found.item,
        topic=found.topic,
        document=found.document,
        title=found.title,
        gold=found.gold,
        apart=found.apart,
        across=found.crosses(line),
        given=[
            GivenModel(
                person=each.judge,
                grade=each.grade,
                skipped=each.skipped,
                note=each.note,
                flagged=each.flagged,
                made_at=clock.iso(each.made_at),
            )
            for each in found.given
        ],
        ruling=None if found.ruling is None else RulingModel.of_ruling(found.ruling),
        outdated=found.outdated,
    )

"""Calls: judgments that were made elsewhere come in."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from starlette.concurrency import run_in_threadpool

from cleverdon.assess.importing.grading import parse_map
from cleverdon.assess.importing.importing import Imported, Importing, parse_judges
from cleverdon.assess.importing.kinds import KINDS
from cleverdon.assess.importing.process import import_in_process
from cleverdon.assess.importing.rows import Fields
from cleverdon.assess.people.accounts import LONGEST_NAME
from cleverdon.assess.people.rights import Right
from cleverdon.assess.project import Project
from cleverdon.assess.refusals import Invalid
from cleverdon.assess.web.api.models import failing
from cleverdon.assess.web.visitor import Needs, Visitor

router = APIRouter(prefix="/imports", tags=["imports"])

Manager = Annotated[Visitor, Needs(Right.MANAGE)]
Name = Annotated[str, StringConstraints(max_length=LONGEST_NAME)]
ImportKind = Literal["earlier", "model", "person"]
FileForm = Literal["qrels", "quepid", "label-studio"]
Pairs = Annotated[list[Annotated[str, StringConstraints(max_length=300)]], Field(max_length=100)]

_BODY = {
    "requestBody": {
        "required": True,
        "description": "The file itself, not a form.",
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
MOST_TOPICS = 20
"""Topics that the project has not, as far as an answer names them."""


class ImportOptions(BaseModel):
    """What calls and forms ask for in the same words."""

    kind: ImportKind = "earlier"
    name: Name = Field(
        default="", description="Whose they all are, if it is not to be as the file says."
    )
    form: Literal["", FileForm] = Field(
        default="", description="What wrote the file, if that cannot be seen from it."
    )
    assessors: bool = Field(
        default=False, description="Whether TREC's second column is who judged."
    )
    topic_field: Name = Field(default="", description="Of Label Studio: which field is the topic.")
    document_field: Name = Field(default="", description="Of Label Studio: which is the document.")
    grade_field: Name = Field(
        default="", description="Of Label Studio: which control is the grade."
    )
    add: bool = Field(
        default=False, description="Whether documents that the project has not are added."
    )
    replace: bool = Field(
        default=False, description="Whether a grade that stands and differs gives way."
    )
    only_look: bool = Field(
        default=False, description="Whether to say what would come of it, and no more."
    )


class ImportModel(ImportOptions):
    """What is to be done with the file."""

    model_config = ConfigDict(extra="forbid")

    kind: ImportKind = Field(
        "earlier",
        alias="as",
        description="Whose judgments. "
        + "; ".join(f"{name}: {what}" for name, what in KINDS.items())
        + ".",
    )
    file: Name = Field("import", description="What the file is called.")
    judge: Pairs = Field([], description="What judges of the file are called here: THERE=HERE.")
    map: Pairs = Field([], description="What grades of the file stand for: OLD=NEW.")


class ImportedModel(BaseModel):
    """What came of it, in numbers of judgments."""

    form: str = Field(description="What the file was taken for.")
    judges: list[str] = Field(description="Under whose names they are.")
    recorded: int = Field(description="New ones.")
    unchanged: int = Field(description="That stood already, or came with the same file before.")
    kept: int = Field(description="Where another grade of the same judge stands, and stays.")
    ungraded: int = Field(description="In the file, without a grade.")
    unknown: int = Field(description="Of topics that the project has not.")
    unknown_topics: list[str] = Field(description="The first of these topics.")
    elsewhere: int = Field(description="Of documents that are not to be judged for their topic.")
    added: int = Field(description="Documents that were added to topics.")
    cautions: list[str] = Field(description="What else is to be known.")


@router.post(
    "",
    summary="Judgments that were made elsewhere",
    responses=failing(404, 409),
    openapi_extra=_BODY,
)
async def send(
    request: Request, visitor: Manager, asked: Annotated[ImportModel, Query()]
) -> ImportedModel:
    """Add the judgments of a file: qrels, or what Quepid or Label Studio exports, zipped or not.

    All of them are recorded, or none where something is wrong. The same file changes nothing when
    it comes again.
    """
    if "form" in request.headers.get("content-type", ""):
        raise Invalid("send the file itself as the body of the request, and not as a form")
    with tempfile.TemporaryDirectory(prefix="cleverdon-") as folder:
        path = os.path.join(folder, "import")
        with open(path, "wb") as file:
            async for block in request.stream():  # how much may come is bounded by the guard
                await run_in_threadpool(file.write, block)
        found = await run_in_threadpool(_imported, request.app.state.project, visitor, asked, path)
    told = {**vars(found), "unknown_topics": found.unknown_topics[:MOST_TOPICS]}
    return ImportedModel.model_validate(told)


def _imported(project: Project, visitor: Visitor, asked: ImportModel, path: str) -> Imported:
    return imported(
        project, visitor, asked, path, name=asked.file, judges=asked.judge, grades=asked.map
    )


def imported(
    project: Project,
    visitor: Visitor,
    asked: ImportOptions,
    path: str,
    *,
    name: str,
    judges: Iterable[str],
    grades: Iterable[str],
) -> Imported:
    """Import a file that was sent, or look at it; `name` is what it is called there."""
    how = Importing(
        asked.kind,
        asked.name.strip(),
        parse_judges(judges),
        parse_map(grades, project.scale),
        asked.add,
        replace=asked.replace,
    )
    return import_in_process(
        project,
        path,
        how,
        actor=visitor.actor,
        form=asked.form or None,
        assessors=asked.assessors,
        fields=Fields(asked.topic_field, asked.document_field, asked.grade_field),
        name=name,
        only_look=asked.only_look,
    )

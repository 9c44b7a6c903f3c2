"""Pages: what can be downloaded, for viewers and administrators."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from sqlalchemy import select
from starlette.responses import Response

from cleverdon.assess.exporting.qrels import ONE_GRADE
from cleverdon.assess.people.rights import Right
from cleverdon.assess.project import POOL
from cleverdon.assess.store.schema import people
from cleverdon.assess.web.downloads import (
    Asked,
    asked_agreement,
    asked_datasheet,
    asked_history,
    asked_qrels,
    download,
)
from cleverdon.assess.web.rendering import page
from cleverdon.assess.web.visitor import Needs, Visitor
from cleverdon.judge.aggregation import TIES

router = APIRouter(prefix="/exports")

Watcher = Annotated[Visitor, Needs(Right.WATCH)]


@router.get("")
def exports(request: Request, visitor: Watcher) -> Response:
    project = request.app.state.project
    with project.database.reading() as connection:
        others = connection.execute(
            select(people.c.name, people.c.kind)
            .where(people.c.kind != "person")
            .order_by(people.c.id)
        ).all()
    values = {
        "ways": {**ONE_GRADE, "assessor": "everybody's grades apart"},
        "ties": TIES,
        "others": others,
        "has_pool": (project.folder / POOL).is_file(),
    }
    return page(request, "exports.html", values, visitor=visitor)


@router.get("/qrels")
def qrels(
    request: Request, visitor: Watcher, asked: Annotated[Asked, Depends(asked_qrels)]
) -> Response:
    return download(request, visitor, asked)


@router.get("/history")
def history(
    request: Request, visitor: Watcher, asked: Annotated[Asked, Depends(asked_history)]
) -> Response:
    return download(request, visitor, asked)


@router.get("/agreement")
def agreement(
    request: Request, visitor: Watcher, asked: Annotated[Asked, Depends(asked_agreement)]
) -> Response:
    return download(request, visitor, asked)


@router.get("/datasheet")
def datasheet(
    request: Request, visitor: Watcher, asked: Annotated[Asked, Depends(asked_datasheet)]
) -> Response:
    return download(request, visitor, asked)

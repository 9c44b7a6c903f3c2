"""Calls: what a project holds, as files."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response, StreamingResponse

from cleverdon.assess.people.rights import Right
from cleverdon.assess.web.api.models import failing
from cleverdon.assess.web.downloads import (
    Asked,
    asked_agreement,
    asked_datasheet,
    asked_history,
    asked_qrels,
    download,
    sent_as,
)
from cleverdon.assess.web.visitor import Needs, Visitor

router = APIRouter(prefix="/exports", tags=["exports"])

Watcher = Annotated[Visitor, Needs(Right.WATCH)]


@router.get(
    "/qrels",
    summary="Qrels",
    response_class=StreamingResponse,
    responses={**failing(404), **sent_as("txt", "json", "csv", "parquet")},
)
def qrels(
    request: Request, visitor: Watcher, asked: Annotated[Asked, Depends(asked_qrels)]
) -> Response:
    """One grade for each document, or each assessor's; those of people alone, unless asked.

    The same state gives the same file, byte by byte. 400 where nothing is judged yet.
    """
    return download(request, visitor, asked)


@router.get(
    "/history",
    summary="Everything that was ever said",
    response_class=StreamingResponse,
    responses={**failing(), **sent_as("jsonl", "parquet")},
)
def history(
    request: Request, visitor: Watcher, asked: Annotated[Asked, Depends(asked_history)]
) -> Response:
    """All events of all judges, and all rulings, in the order in which they were made."""
    return download(request, visitor, asked)


@router.get(
    "/agreement",
    summary="How far assessors agree",
    response_class=StreamingResponse,
    responses={**failing(404), **sent_as("txt", "md", "html", "json", "csv")},
)
def agreement(
    request: Request, visitor: Watcher, asked: Annotated[Asked, Depends(asked_agreement)]
) -> Response:
    """Coefficients with intervals, over all, by pair and by topic. 400 where nothing is shared."""
    return download(request, visitor, asked)


@router.get(
    "/datasheet",
    summary="A datasheet of the collection",
    response_class=StreamingResponse,
    responses={**failing(), **sent_as("md", "html", "json")},
)
def datasheet(
    request: Request, visitor: Watcher, asked: Annotated[Asked, Depends(asked_datasheet)]
) -> Response:
    """How it was made, by how many, and how far they agree. 400 where nothing is judged yet."""
    return download(request, visitor, asked)

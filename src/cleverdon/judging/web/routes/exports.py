"""Routes of exports: each file is complete before it is sent."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from inspect import getdoc
from typing import Annotated, Any, BinaryIO, Literal, get_args, get_type_hints

from fastapi import APIRouter, Depends, Query, Request
from sqlalchemy import select
from starlette.responses import Response, StreamingResponse

from cleverdon.agreement.aggregation import AGGREGATION_METHODS, TIE_RULES
from cleverdon.judging.adjudication import standing_rulings
from cleverdon.judging.exports import ONE_GRADE_KINDS
from cleverdon.judging.exports.files import ExportRequest, rulings_left_out, write_export
from cleverdon.judging.people.accounts import LONGEST_NAME
from cleverdon.judging.project import POOL, Project
from cleverdon.judging.store.schema import people
from cleverdon.judging.web.authorization import Visitor, Watcher
from cleverdon.judging.web.responses import render_page
from cleverdon.judging.web.routes import database, errors

_TYPES = {
    "txt": "text/plain; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "jsonl": "application/jsonl",
    "parquet": "application/vnd.apache.parquet",
}
"""Media types by file extension."""

_Way = Literal["published", "adjudicated", "majority", "median", "mean", "dawid-skene", "assessor"]
_Ties = Literal["lower", "higher", "median", "random"]
_QrelsKind = Literal["", "plain", "strata", "sampled"]
_Name = Annotated[str, Query(max_length=LONGEST_NAME)]
_Names = Annotated[bool, Query(description="Use names instead of pseudonyms.")]

_MOST_NAMES = 100
_Others = Annotated[
    list[_Name],
    Query(
        alias="with",
        max_length=_MOST_NAMES,
        description="Models and earlier judgments to count like people, or to compare with them.",
    ),
]


@dataclass(frozen=True)
class DownloadRequest:
    """A file to download."""

    export: ExportRequest
    ending: str


api = APIRouter(prefix="/exports", tags=["exports"])
pages = APIRouter(prefix="/exports")

_Parameters = Callable[..., DownloadRequest]


def _download(summary: str, *statuses: int) -> Callable[[_Parameters], _Parameters]:
    """Add the routes of a file; the function reads their parameters, its name is their path."""

    def add_routes(parameters: _Parameters) -> _Parameters:
        def send(
            request: Request,
            visitor: Watcher,
            wanted: DownloadRequest = Depends(parameters),  # noqa: B008 (no annotation has it)
        ) -> Response:
            return _send(request.app.state.project, visitor, wanted)

        path = f"/{parameters.__name__}"
        endings = get_args(get_type_hints(parameters)["format"])
        content: dict[str, Any] = {_TYPES[ending].partition(";")[0]: {} for ending in endings}
        pages.get(path)(send)
        api.get(
            path,
            summary=summary,
            description=getdoc(parameters),
            response_class=StreamingResponse,
            responses={**errors(*statuses), 200: {"description": "The file.", "content": content}},
        )(send)
        return parameters

    return add_routes


@_download("Qrels", 404)
def qrels(
    way: Annotated[
        _Way,
        Query(
            alias="as",
            description="How several grades become one. published: the ruling, else the majority; "
            "adjudicated: omit disputed documents without a ruling; assessor: the grades of each "
            "assessor. The others ignore rulings.",
        ),
    ] = "published",
    ties: Annotated[
        _Ties, Query(description="The grade if several have the most votes.")
    ] = "lower",
    seed: Annotated[int, Query(ge=0, description="The seed of random ties.")] = 0,
    assessor: Annotated[
        list[_Name],
        Query(max_length=_MOST_NAMES, description="With assessor: the names; by default all."),
    ] = [],  # noqa: B006 (it is only read, and the description shows it)
    others: _Others = [],  # noqa: B006
    kind: Annotated[
        _QrelsKind,
        Query(description="All of the pool: plain (-1 where not judged), strata, or sampled."),
    ] = "",
    format: Annotated[
        Literal["txt", "json", "csv", "parquet"],
        Query(description="txt is TREC's format. json is for one grade per document only."),
    ] = "txt",
) -> DownloadRequest:
    """Download one grade per document, or the grades of each assessor; by default only people's.

    The same state gives the same file, byte by byte. 400 if nothing is judged yet.
    """
    export = ExportRequest(way, ties, tuple(others), tuple(assessor), kind or None, seed=seed)
    return DownloadRequest(export, format)


@_download("The history")
def history(
    format: Annotated[Literal["jsonl", "parquet"], Query(description="The format.")] = "jsonl",
    names: _Names = True,
) -> DownloadRequest:
    """Download all judgment events and rulings in chronological order."""
    return DownloadRequest(ExportRequest("history", names=names), format)


@_download("Agreement of assessors", 404)
def agreement(
    others: _Others = [],  # noqa: B006 (as above)
    format: Annotated[
        Literal["txt", "md", "html", "json", "csv"], Query(description="The format.")
    ] = "txt",
    names: _Names = True,
) -> DownloadRequest:
    """Download coefficients, overall, by pair and by query. 400 if no documents are shared."""
    return DownloadRequest(ExportRequest("agreement", others=tuple(others), names=names), format)


@_download("Datasheet of the collection")
def datasheet(
    format: Annotated[Literal["md", "html", "json"], Query(description="The format.")] = "md",
    names: _Names = False,
) -> DownloadRequest:
    """Download how the collection was made. 400 if nothing is judged yet."""
    return DownloadRequest(ExportRequest("datasheet", names=names), format)


def _send(project: Project, visitor: Visitor, wanted: DownloadRequest) -> StreamingResponse:
    """Write the file completely, then send it; it is deleted before the first byte is sent."""
    name = f"{_short(project.title)}-{wanted.export.what}.{wanted.ending}"
    folder = tempfile.mkdtemp(prefix="cleverdon-")
    try:
        write_export(project, wanted.export, os.path.join(folder, name), actor=visitor.actor)
        # Open, so that it can be sent after it is deleted: who disconnects leaves no file.
        file = open(os.path.join(folder, name), "rb")  # noqa: SIM115
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    headers = {
        "content-disposition": f'attachment; filename="{name}"',
        "content-length": str(os.fstat(file.fileno()).st_size),
    }
    return StreamingResponse(_blocks(file), media_type=_TYPES[wanted.ending], headers=headers)


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while block := file.read(1 << 16):
            yield block


def _short(title: str) -> str:
    """Turn a title into part of a file name, in ASCII."""
    plain = "".join(char if char.isascii() and char.isalnum() else "-" for char in title)
    return "-".join(part for part in plain.split("-") if part)[:60].casefold() or "judgments"


@pages.get("")
def exports_page(request: Request, visitor: Watcher) -> Response:
    project: Project = request.app.state.project
    with database(request).reading() as connection:
        others = connection.execute(
            select(people.c.name, people.c.kind)
            .where(people.c.kind != "person")
            .order_by(people.c.id)
        ).all()
        rulings = len(standing_rulings(connection))
    unused = (
        dict.fromkeys(AGGREGATION_METHODS, f" ({rulings_left_out(rulings)})") if rulings else {}
    )
    values = {
        "ways": {
            **{way: meaning + unused.get(way, "") for way, meaning in ONE_GRADE_KINDS.items()},
            "assessor": "the grades of each assessor",
        },
        "ties": TIE_RULES,
        "others": others,
        "has_pool": (project.folder / POOL).is_file(),
    }
    return render_page(request, "exports.html", values, visitor=visitor)

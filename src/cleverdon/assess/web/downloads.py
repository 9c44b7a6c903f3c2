"""Exports as downloads: what pages and calls are asked for, and the file that is sent."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, BinaryIO, Literal

from fastapi import Query, Request
from starlette.responses import StreamingResponse

from cleverdon.assess.exporting.writing import Wanted, export
from cleverdon.assess.people.accounts import LONGEST_NAME
from cleverdon.assess.project import Project
from cleverdon.assess.web.visitor import Visitor

TYPES = {
    "txt": "text/plain; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "jsonl": "application/jsonl",
    "parquet": "application/vnd.apache.parquet",
}
"""What files of each ending are sent as."""

Way = Literal["published", "adjudicated", "majority", "median", "mean", "dawid-skene", "assessor"]
Ties = Literal["lower", "higher", "median", "random"]
Kind = Literal["", "plain", "strata", "sampled"]
Name = Annotated[str, Query(max_length=LONGEST_NAME)]

_AT_ONCE = 1 << 16
_MOST_NAMES = 100


@dataclass(frozen=True)
class Asked:
    """A file that is asked for."""

    wanted: Wanted
    ending: str


def asked_qrels(
    way: Annotated[
        Way,
        Query(
            alias="as",
            description="How one grade is made of several. published is the ruling, else the "
            "majority; adjudicated leaves out documents in dispute that have no ruling; assessor "
            "writes everybody's grades apart. The others take no rulings.",
        ),
    ] = "published",
    ties: Annotated[Ties, Query(description="Which grade, where none has most votes.")] = "lower",
    seed: Annotated[
        int, Query(ge=0, description="With random ties: the same seed gives the same grades.")
    ] = 0,
    assessor: Annotated[
        list[Name], Query(max_length=_MOST_NAMES, description="With assessor: whose; all if none.")
    ] = [],  # noqa: B006 (it is only read, and the description shows it)
    others: Annotated[
        list[Name],
        Query(
            alias="with",
            max_length=_MOST_NAMES,
            description="Models and earlier judgments that are to count as people do.",
        ),
    ] = [],  # noqa: B006
    kind: Annotated[
        Kind,
        Query(description="All of the pool: plain (-1 where not judged), strata, or sampled."),
    ] = "",
    format: Annotated[
        Literal["txt", "json", "csv", "parquet"],
        Query(description="txt is TREC's. json holds no more than one assessor."),
    ] = "txt",
) -> Asked:
    """Qrels that are asked for."""
    wanted = Wanted(way, ties, tuple(others), tuple(assessor), kind or None, seed=seed)
    return Asked(wanted, format)


def asked_history(
    format: Annotated[Literal["jsonl", "parquet"], Query(description="The format.")] = "jsonl",
    names: Annotated[bool, Query(description="Whether people go by their names.")] = True,
) -> Asked:
    """The history, asked for."""
    return Asked(Wanted("history", names=names), format)


def asked_agreement(
    others: Annotated[
        list[Name],
        Query(
            alias="with",
            max_length=_MOST_NAMES,
            description="Models and earlier judgments that are to stand beside people.",
        ),
    ] = [],  # noqa: B006
    format: Annotated[
        Literal["txt", "md", "html", "json", "csv"], Query(description="The format.")
    ] = "txt",
    names: Annotated[bool, Query(description="Whether people go by their names.")] = True,
) -> Asked:
    """A report of agreement, asked for."""
    return Asked(Wanted("agreement", others=tuple(others), names=names), format)


def asked_datasheet(
    format: Annotated[Literal["md", "html", "json"], Query(description="The format.")] = "md",
    names: Annotated[
        bool, Query(description="Whether people go by their names, and not by pseudonyms.")
    ] = False,
) -> Asked:
    """A datasheet, asked for."""
    return Asked(Wanted("datasheet", names=names), format)


def download(request: Request, visitor: Visitor, asked: Asked) -> StreamingResponse:
    """The file, made whole before the first byte of it is sent, and gone from here by then."""
    project: Project = request.app.state.project
    name = f"{_short(project.title)}-{asked.wanted.what}.{asked.ending}"
    folder = tempfile.mkdtemp(prefix="cleverdon-")
    try:
        export(project, asked.wanted, os.path.join(folder, name), actor=visitor.actor)
        # Open, so that it can be sent when its name is gone: whoever hangs up leaves nothing.
        file = open(os.path.join(folder, name), "rb")  # noqa: SIM115
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    headers = {
        "content-disposition": f'attachment; filename="{name}"',
        "content-length": str(os.fstat(file.fileno()).st_size),
    }
    return StreamingResponse(_blocks(file), media_type=TYPES[asked.ending], headers=headers)


def sent_as(*endings: str) -> dict[int | str, dict[str, Any]]:
    """What a call answers with, for its description."""
    content: dict[str, Any] = {TYPES[ending].partition(";")[0]: {} for ending in endings}
    return {200: {"description": "The file.", "content": content}}


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while block := file.read(_AT_ONCE):
            yield block


def _short(title: str) -> str:
    """A title as a part of a file's name, in plain letters."""
    plain = "".join(char if char.isascii() and char.isalnum() else "-" for char in title)
    return "-".join(part for part in plain.split("-") if part)[:60].casefold() or "judgments"

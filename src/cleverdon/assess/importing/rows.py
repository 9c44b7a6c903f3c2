"""What a file says, before it is held against the project."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from cleverdon.errors import InputError
from cleverdon.read.delimited import allow_long_cells


@dataclass(frozen=True)
class Row:
    """A grade as it stands in a file."""

    topic: str
    document: str
    grade: str  # a number, or the name of a grade
    judge: str = ""  # where the file says who judged
    line: int | None = None
    note: str = ""
    seconds: float | None = None  # for which the document was looked at
    said_at: float | None = None


@dataclass(frozen=True)
class Content:
    """All of a file."""

    form: str  # what kind of file it is, in words
    rows: tuple[Row, ...]
    ungraded: int = 0  # documents that the file names without a grade
    by_title: bool = False  # whether topics may be called by what is asked for
    cautions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fields:
    """What fields are called, where they are not to be guessed."""

    topic: str = ""
    document: str = ""
    grade: str = ""


def records(found: Any, what: str, *, source: str) -> list[dict[str, Any]]:
    """The objects of a list of JSON, which is as a tool writes it; nothing is an empty list."""
    given = [] if found is None else found
    if isinstance(given, list) and all(isinstance(each, dict) for each in given):
        return given
    raise InputError(f"its {what} are no list of JSON objects: is the file whole?", source=source)


def table(
    text: str,
    *,
    separator: str,
    source: str,
    check: Callable[[list[str], int], None] = lambda names, line: None,
) -> Iterator[tuple[int, dict[str, str]]]:
    """Rows under a header, by the names of the columns, each with its line.

    Of columns that are called the same the first holds: tools have their own before those of data.
    Where that will not do, `check` looks at the header and its line.
    """
    # Strict, or a quote that is never closed would swallow the rest without a word.
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    allow_long_cells()
    names: list[str] = []
    first: dict[str, int] = {}
    try:
        for cells in reader:
            if not any(map(str.strip, cells)):
                continue
            if not names:
                names = [cell.strip() for cell in cells]
                for at, name in enumerate(names):
                    first.setdefault(name, at)
                check(names, reader.line_num)
                continue
            if len(cells) > len(names):
                raise InputError(
                    f"expected {len(names)} columns, found {len(cells)}; is a quote never closed?",
                    source=source,
                    line=reader.line_num,
                )
            padded = [*cells, *([""] * (len(names) - len(cells)))]
            yield reader.line_num, {name: padded[at] for name, at in first.items()}
    except csv.Error as error:
        raise InputError(
            f"{error}; is a quote never closed?", source=source, line=reader.line_num
        ) from None


def named(names: Sequence[str], known: Sequence[str]) -> str | None:
    """The first of the known names that is there, as it is written there."""
    folded = {name.strip().casefold(): name for name in reversed(names)}
    return next((folded[each] for each in known if each in folded), None)

"""A table of a log before anybody knows what its columns mean, in whatever it is kept.

A source gives its rows flat: a column for each path that was asked for, under the path's own name.
What the columns mean is not its business.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from cleverdon.online.reading.spec import INDEX, Kind

if TYPE_CHECKING:
    import ibis

RAW = "_raw"
"""The row as it stands in its file, for showing it."""
FILE = "_file"
BROKEN = "_broken"
"""Whether the row could not even be taken apart."""


class Source(Protocol):
    """One table of a log."""

    name: str
    """Where it is, for messages."""
    role: Kind | None
    """Which of a log's two tables it is, where its name says so."""
    copied: bool
    """Whether rows have to be copied into tables, since reading them again would be slow."""
    broken: str
    """What is wrong with rows that could not be taken apart."""
    backend: Any

    def paths(self) -> frozenset[str]:
        """The columns, and the paths into them that are known of."""

    def plain(self) -> frozenset[str]:
        """The columns that hold neither fields nor lists."""

    def has(self, path: str) -> bool:
        """Whether any row has this path, however long it takes to find out."""

    def flat(self, paths: Iterable[str]) -> ibis.Table:
        """All rows, with just these columns, and `RAW`, `FILE`, `BROKEN` where it has them."""

    def expanded(self, flat: ibis.Table, each: Sequence[str], paths: Iterable[str]) -> ibis.Table:
        """A row for each element of the lists `each`, and these paths into elements as columns."""

    def rejected(self) -> list[tuple[str, int, list[str]]]:
        """Rows that were not even given as broken: why, how many, and examples."""

    def located(self, rows: Sequence[tuple[str | None, str]]) -> list[str]:
        """Rows, each as a file and its text, with the line on which they stand."""


def inside(path: str, each: Sequence[str]) -> str | None:
    """The list among `each` that this path leads into, or that it is."""
    if path == INDEX:
        return None
    return next((one for one in each if path == one or path.startswith(one + ".")), None)


def quoted(name: str) -> str:
    """A name as SQL wants it."""
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """A string as SQL wants it."""
    return "'" + value.replace("'", "''") + "'"


def json_path(steps: Sequence[str]) -> str:
    """A path into JSON as DuckDB writes it."""
    return text("$" + "".join(f'."{step}"' for step in steps))


def shortened(row: str, most: int = 200) -> str:
    """A row as an example: on one line, and not too long."""
    one = " ".join(row.split())
    return one if len(one) <= most else one[: most - 1] + "…"


def placed(file: str | None, line: int | None, row: str) -> str:
    """An example of a row: where it stands, and what it says."""
    place = ":".join(str(part) for part in (file, line) if part is not None)
    return f"{place}: {shortened(row)}" if place else shortened(row)

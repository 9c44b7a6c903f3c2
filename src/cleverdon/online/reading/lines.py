"""Files of records that are JSON, or of plain lines. DuckDB takes them apart.

Lines are read as they are, so that one that is not JSON can be counted and shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from cleverdon.online.reading.opened import opened
from cleverdon.online.reading.records import (
    Steps,
    expanded_json,
    parsed,
    paths_of,
    plain_keys,
)
from cleverdon.online.reading.rejects import Rejects
from cleverdon.online.reading.spec import INDEX, LINE, Kind
from cleverdon.online.reading.tables import BROKEN, FILE, RAW, json_path, placed, quoted, text

if TYPE_CHECKING:
    import ibis

SAMPLE = 2_000
"""How many records are looked at to see what columns there are."""

Written = Literal["json lines", "json arrays", "json objects", "plain lines"]
WRAPPERS = ("logs", "events", "queries", "hits", "data", "records", "rows")
"""Keys under which a file that is one JSON object holds its records."""

# A separator that cannot stand in JSON, and hardly in text: a line is then one column.
_LINES = (
    "read_csv({files}, columns = {{'raw': 'VARCHAR'}}, delim = E'\\x1f', quote = '', escape = '', "
    "header = false, auto_detect = false, filename = 'file', strict_mode = false, "
    "{rejects})"
)
_ARRAYS = "read_json_objects({files}, format = 'array', filename = true)"
_OBJECTS = (
    "(SELECT unnest(coalesce("
    + ", ".join(f"try_cast(json_extract(json, '$.{key}') AS JSON[])" for key in WRAPPERS)
    + ")) AS json, filename FROM read_json_objects({files}, format = 'unstructured', "
    "filename = true, maximum_object_size = 268435456))"
)
WHOLE = {"json arrays": _ARRAYS, "json objects": _OBJECTS}
"""Files whose records are not lines, and how DuckDB reads them."""


class Lines:
    """Files that hold a record a line, or an array of records."""

    copied = True
    broken = "not a JSON object"

    def __init__(
        self, files: Sequence[Path], role: Kind | None, backend: Any, *, written: Written
    ) -> None:
        self.files, self.role, self.backend, self.written = list(files), role, backend, written
        self.rejects = Rejects(backend)
        self.name = str(files[0]) if len(files) == 1 else str(files[0].parent)

    @cached_property
    def records(self) -> list[dict[str, Any]]:
        """The first records of every file; what is not JSON is passed over."""
        share = max(SAMPLE // len(self.files), 50)
        found = [record for file in self.files for record in self._some(file, share)]
        return [record["_source"] if self._wraps(record) else record for record in found]

    def _some(self, file: Path, most: int) -> list[dict[str, Any]]:
        if self.written in WHOLE:
            query = f"SELECT json::VARCHAR FROM {self._relation([file])} LIMIT {most}"
            lines = [row[0] for row in self.backend.raw_sql(query).fetchall()]
        else:
            with opened(file) as whole:
                lines = list(islice(whole, most))
        return [record for line in lines if (record := parsed(line)) is not None]

    @cached_property
    def known(self) -> dict[str, Steps]:
        return {LINE: (LINE,)} if self.written == "plain lines" else paths_of(self.records)

    @cached_property
    def wrapped(self) -> bool:
        """Whether records are hits of Elasticsearch or OpenSearch, which hold theirs in _source."""
        first = self._some(self.files[0], 1)
        return bool(first) and self._wraps(first[0])

    @staticmethod
    def _wraps(record: dict[str, Any]) -> bool:
        return isinstance(record.get("_source"), dict) and "_id" in record

    def paths(self) -> frozenset[str]:
        return frozenset(self.known)

    def plain(self) -> frozenset[str]:
        return plain_keys(self.records)

    def has(self, path: str) -> bool:
        if path in self.known or path == INDEX:
            return True
        if self.written == "plain lines":
            return False
        there = f"json_exists(raw, {self._path(path)})"
        query = f"SELECT 1 FROM ({self._rows()}) WHERE NOT broken AND {there} LIMIT 1"
        return bool(self.backend.raw_sql(query).fetchall())

    def flat(self, paths: Iterable[str]) -> ibis.Table:
        if self.written == "plain lines":
            columns, named = f", raw AS {quoted(LINE)}", []
        else:
            named = sorted({path for path in paths if path != INDEX})
            columns = "".join(f", got[{i}] AS {quoted(path)}" for i, path in enumerate(named, 1))
        wanted = ", ".join(self._path(path) for path in named)
        got = f"CASE WHEN NOT broken THEN json_extract_string(raw, [{wanted}]) END AS got"
        taken = f"SELECT *, {got} FROM ({self._rows()})" if named else self._rows()
        return self.backend.sql(
            f"SELECT raw AS {RAW}, file AS {FILE}, broken AS {BROKEN}{columns} FROM ({taken})"
        )

    def expanded(self, flat: ibis.Table, each: Sequence[str], paths: Iterable[str]) -> ibis.Table:
        return expanded_json(flat, each, paths)

    def rejected(self) -> list[tuple[str, int, list[str]]]:
        return self.rejects.found()

    def located(self, rows: Sequence[tuple[str | None, str]]) -> list[str]:
        found: dict[tuple[str | None, str], int] = {}
        for file in {file for file, _ in rows if file and self.written not in WHOLE}:
            wanted = {row for name, row in rows if name == file}
            with opened(Path(file)) as lines:
                for number, line in enumerate(lines, 1):
                    if (stripped := line.rstrip("\r\n")) in wanted:
                        wanted.remove(stripped)
                        found[file, stripped] = number
                    if not wanted:
                        break
        return [placed(file, found.get((file, row)), row) for file, row in rows]

    def _relation(self, files: Sequence[Path]) -> str:
        listed = "[" + ", ".join(text(str(file)) for file in files) + "]"
        relation = WHOLE.get(self.written, _LINES)
        return relation.format(files=listed, rejects=self.rejects.options())

    def _rows(self) -> str:
        """Every record as text, with its file, and whether it is no JSON object."""
        relation = self._relation(self.files)
        if self.written in WHOLE:
            named = f"SELECT json::VARCHAR AS raw, filename AS file FROM {relation}"
        else:
            named = f"SELECT raw, file FROM {relation} WHERE strlen(raw) > 9 OR trim(raw) <> ''"
        object = "(starts_with(raw, '{') OR starts_with(ltrim(raw), '{'))"
        whole = f"json_valid(raw) AND {object}"
        broken = "false" if self.written == "plain lines" else f"NOT ({whole})"
        return f"SELECT raw, file, {broken} AS broken FROM ({named})"

    def _path(self, path: str) -> str:
        steps = self.known.get(path, tuple(path.split(".")))
        return json_path(("_source", *steps) if self.wrapped else steps)


def first_lines(file: Path, most: int = 20) -> list[str]:
    """The first lines of a file that are not empty."""
    with opened(file) as lines:
        return list(islice((line for line in lines if line.strip()), most))


def written_as(file: Path) -> Written:
    """Whether a file holds JSON lines, an array or an object of records, or lines of text."""
    lines = first_lines(file)
    head = " ".join(lines)
    if re.match(r"\s*\[\s*[{\]]", head):
        return "json arrays"
    if re.match(rf'\s*\{{\s*"({"|".join(WRAPPERS)})"\s*:\s*\[', head):
        return "json objects"
    return "json lines" if any(parsed(line) for line in lines) else "plain lines"

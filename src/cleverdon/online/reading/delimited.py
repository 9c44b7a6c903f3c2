"""Files of columns between commas, semicolons or tabs, with a header. DuckDB takes them apart.

Rows that have more or fewer fields than the header are DuckDB's rejects, counted and shown.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cleverdon.errors import InputError
from cleverdon.online.reading.lines import SAMPLE
from cleverdon.online.reading.opened import opened
from cleverdon.online.reading.records import expanded_json, paths_of, plain_keys
from cleverdon.online.reading.rejects import Rejects
from cleverdon.online.reading.spec import INDEX, Kind
from cleverdon.online.reading.tables import (
    BROKEN,
    FILE,
    RAW,
    json_path,
    placed,
    quoted,
    text,
)

if TYPE_CHECKING:
    import ibis

DELIMITERS = (",", "\t", ";", "|")


class Delimited:
    """CSV and TSV files, each with a header of its own."""

    copied = True
    broken = ""

    def __init__(self, files: Sequence[Path], role: Kind | None, backend: Any) -> None:
        self.files, self.role, self.backend = list(files), role, backend
        self.name = str(files[0]) if len(files) == 1 else str(files[0].parent)
        self.rejects = {file: Rejects(backend) for file in self.files}

    @cached_property
    def headers(self) -> dict[Path, tuple[str, list[str]]]:
        """The separator and the columns of every file."""
        return {file: header(file) for file in self.files}

    @cached_property
    def columns(self) -> list[str]:
        return list(dict.fromkeys(name for _, names in self.headers.values() for name in names))

    @cached_property
    def records(self) -> list[dict[str, Any]]:
        """The first rows of every file, JSON in their fields taken apart."""
        found: list[dict[str, Any]] = []
        for file, (delimiter, names) in self.headers.items():
            with opened(file) as lines:
                rows = _rows(csv.reader(lines, delimiter=delimiter))
                for row in islice(rows, 1, max(SAMPLE // len(self.files), 50)):
                    found.append(
                        {name: _taken(field) for name, field in zip(names, row, strict=False)}
                    )
        return found

    def paths(self) -> frozenset[str]:
        return frozenset(self.columns) | frozenset(paths_of(self.records))

    def plain(self) -> frozenset[str]:
        nested = {key for record in self.records for key in record} - plain_keys(self.records)
        return frozenset(self.columns) - nested

    def has(self, path: str) -> bool:
        # What a field's JSON holds is only known of the first rows.
        return path in self.paths() or path == INDEX or self._within(path) is not None

    def flat(self, paths: Iterable[str]) -> ibis.Table:
        wanted = "".join(
            f", {self._column(path)} AS {quoted(path)}" for path in sorted({*paths} - {INDEX})
        )
        parts = " UNION ALL BY NAME ".join(
            f"SELECT *, to_json([{', '.join(map(quoted, names))}])::VARCHAR AS {RAW}, "
            f"{text(str(file))} AS {FILE} FROM {self._relation(file)}"
            for file, (_, names) in self.headers.items()
        )
        return self.backend.sql(f"SELECT {RAW}, {FILE}, false AS {BROKEN}{wanted} FROM ({parts})")

    def expanded(self, flat: ibis.Table, each: Sequence[str], paths: Iterable[str]) -> ibis.Table:
        return expanded_json(flat, each, paths)

    def rejected(self) -> list[tuple[str, int, list[str]]]:
        return [one for rejects in self.rejects.values() for one in rejects.found()]

    def located(self, rows: Sequence[tuple[str | None, str]]) -> list[str]:
        found: dict[tuple[str | None, str], tuple[int, str]] = {}
        for file in {file for file, _ in rows if file}:
            wanted = {tuple(json.loads(row)): row for name, row in rows if name == file}
            delimiter, _ = self.headers[Path(file)]
            with opened(Path(file)) as lines:
                reader = csv.reader(lines, delimiter=delimiter)
                starts = 1
                for fields in _rows(reader):
                    row = wanted.pop(tuple(field or None for field in fields), None)
                    if row is not None:
                        found[file, row] = (starts, delimiter.join(fields))
                    starts = reader.line_num + 1
                    if not wanted:
                        break
        shown = [(file, *found.get((file, row), (None, row))) for file, row in rows]
        return [placed(file, line, row) for file, line, row in shown]

    def _relation(self, file: Path) -> str:
        delimiter, names = self.headers[file]
        columns = ", ".join(f"{text(name)}: 'VARCHAR'" for name in names)
        return (
            f"read_csv({text(str(file))}, columns = {{{columns}}}, delim = {text(delimiter)}, "
            "quote = '\"', escape = '\"', header = true, auto_detect = false, nullstr = '', "
            f"{self.rejects[file].options()})"
        )

    def _within(self, path: str) -> str | None:
        """The column whose JSON a path leads into."""
        return next((name for name in self.columns if path.startswith(name + ".")), None)

    def _column(self, path: str) -> str:
        if path in self.columns:
            return quoted(path)
        column = self._within(path)
        if column is None:
            return "NULL::VARCHAR"
        steps = json_path(path[len(column) + 1 :].split("."))
        name = quoted(column)
        return f"CASE WHEN json_valid({name}) THEN json_extract_string({name}, {steps}) END"


def header(file: Path) -> tuple[str, list[str]]:
    """The separator of a file's columns, and their names."""
    with opened(file) as lines:
        first = next(lines, "").rstrip("\r\n")
    if not first.strip():
        raise InputError(
            "the file is empty; it needs a header with the columns' names", source=str(file)
        )
    delimiter = max(DELIMITERS, key=first.count)
    try:
        names = next(csv.reader([first], delimiter=delimiter))
    except csv.Error as error:
        told = f"the header cannot be taken apart: {error}"
        raise InputError(told, source=str(file), line=1) from None
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"two columns are called {twice!r}", source=str(file), line=1)
    return delimiter, names


def _rows(reader: Any) -> Iterator[list[str]]:
    """The rows that Python can take apart; of the others DuckDB says what is wrong."""
    while True:
        try:
            yield next(reader)
        except csv.Error:
            continue
        except StopIteration:
            return


def _taken(field: str) -> Any:
    """A field, or what the JSON in it says."""
    if field[:1] in ("{", "["):
        try:
            return json.loads(field)
        except ValueError:
            return field
    return field or None

"""Sources of a log: tables of an engine or text files, whose columns have no meaning yet.

A source returns flat rows: a column for each path, under the path's own name. Tables with types
(Parquet, DuckDB, Spark) are not copied: a path is an expression that the engine evaluates. Text
files (JSON lines, JSON arrays, plain lines, CSV and TSV) are parsed by DuckDB; lines that are not
JSON, and rows with more or fewer fields than the header, are counted and shown.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from io import TextIOWrapper
from itertools import count, islice
from pathlib import Path
from typing import IO, Any, ClassVar, Literal, TextIO, cast

import ibis

from cleverdon.errors import InputError
from cleverdon.logs.reading.mapping import INDEX, LINE, TableKind

RAW = "_raw"
"""The text of the row in its file."""
FILE = "_file"
BROKEN = "_broken"

_Rejected = list[tuple[str, int, list[str]]]
"""Rows that could not be read at all: reason, count and examples."""


class Source(ABC):
    """One table of a log.

    Attributes:
        name: Its location, for messages.
        role: Which of a log's two tables it is, where its name says so.
    """

    copied: ClassVar[bool] = False
    """Whether rows have to be copied into tables, since reading them again would be slow."""
    broken: str = ""  # the reason for rows that could not be parsed

    def __init__(self, role: TableKind | None, backend: Any, *, name: str) -> None:
        self.role, self.backend, self.name = role, backend, name

    @abstractmethod
    def paths(self) -> frozenset[str]:
        """Return the columns, and the known paths into them."""

    @abstractmethod
    def plain(self) -> frozenset[str]:
        """Return the columns that hold neither fields nor lists."""

    @abstractmethod
    def has(self, path: str) -> bool:
        """Tell whether any row has this path, however long it takes to find out."""

    @abstractmethod
    def flat(self, paths: Iterable[str]) -> ibis.Table:
        """Return all rows with these columns, and `RAW`, `FILE`, `BROKEN` where it has them."""

    @abstractmethod
    def expanded(self, flat: ibis.Table, each: Sequence[str], paths: Iterable[str]) -> ibis.Table:
        """Return a row for each element of the lists `each`, with paths into them as columns."""

    @abstractmethod
    def rejected(self) -> _Rejected:
        """Return the rows that could not be read at all."""

    @abstractmethod
    def located(self, rows: Sequence[tuple[str | None, str]]) -> list[str]:
        """Write rows, each a file and its text, with their line numbers."""


def containing_list(path: str, each: Sequence[str]) -> str | None:
    """Return the list among `each` that this path is, or leads into."""
    if path == INDEX:
        return None
    return next((one for one in each if path == one or path.startswith(one + ".")), None)


def _quote_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _quote_text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _json_path(steps: Sequence[str]) -> str:
    return _quote_text("$" + "".join(f'."{step}"' for step in steps))


def _locate_row(file: str | None, line: int | None, row: str, most: int = 200) -> str:
    """Write an example of a row on one line, with its file and line number."""
    place = ":".join(str(part) for part in (file, line) if part is not None)
    text = " ".join(row.split())
    text = text if len(text) <= most else text[: most - 1] + "…"
    return f"{place}: {text}" if place else text


class EngineTable(Source):
    """A table of an engine."""

    def __init__(
        self, table: ibis.Table, role: TableKind | None, backend: Any, *, name: str
    ) -> None:
        super().__init__(role, backend, name=name)
        self.table = table

    def paths(self) -> frozenset[str]:
        found: set[str] = set()
        for name, kind in self.table.schema().items():
            _add_paths(name, kind, found)
        return frozenset(found)

    def plain(self) -> frozenset[str]:
        kinds = self.table.schema().items()
        return frozenset(name for name, kind in kinds if not kind.is_nested())

    def has(self, path: str) -> bool:
        return path == INDEX or _resolved(self.table, path) is not None

    def flat(self, paths: Iterable[str]) -> ibis.Table:
        made = {path: _resolved(self.table, path) for path in sorted({*paths})}
        columns = [value.name(path) for path, value in made.items() if value is not None]
        return self.table.select(columns)

    def expanded(self, flat: ibis.Table, each: Sequence[str], paths: Iterable[str]) -> ibis.Table:
        first, *others = each
        rows = flat.unnest(first, offset=INDEX)
        made: dict[str, Any] = {
            name: rows[name][rows[INDEX]] for name in others if name in rows.columns
        }
        rows = rows.mutate(**{INDEX: rows[INDEX] + 1, **made})
        within = [path for path in {*paths} if containing_list(path, each) and path not in each]
        found = {path: _resolved(rows, path) for path in within}
        return rows.mutate(**{path: value for path, value in found.items() if value is not None})

    def rejected(self) -> _Rejected:
        return []

    def located(self, rows: Sequence[tuple[str | None, str]]) -> list[str]:
        return [_locate_row(self.name, None, row) for _, row in rows]


def _add_paths(path: str, kind: Any, found: set[str]) -> None:
    found.add(path)
    if kind.is_array():
        kind = kind.value_type
    if kind.is_struct():
        for name, inner in kind.items():
            _add_paths(f"{path}.{name}", inner, found)


def _resolved(table: ibis.Table, path: str) -> Any | None:
    """Return the value at a path: a column, or a field of one."""
    if path in table.columns:
        return table[path]
    steps = path.split(".")
    for length in range(len(steps) - 1, 0, -1):
        name = ".".join(steps[:length])
        if name in table.columns:
            return field_of(table[name], steps[length:])
    return None


def field_of(value: Any, steps: Sequence[str]) -> Any | None:
    """Return the field of a struct, map or JSON; None where the value cannot have it."""
    kind = value.type()
    if not steps:
        return value
    if kind.is_struct():
        return field_of(value[steps[0]], steps[1:]) if steps[0] in kind.names else None
    if kind.is_map():
        return field_of(value.get(steps[0]), steps[1:])
    if kind.is_string():
        value, kind = value.try_cast("json"), None
    if kind is None or kind.is_json():
        for step in steps:
            value = value[step]
        # A JSON string loses its quotes; anything else is shown as it is written.
        return value.str.coalesce(value.cast("string").nullif("null"))
    return None


def _open_text(file: Path) -> TextIO:
    # Nothing that is read here is kept, so that bytes that are not UTF-8 can be replaced.
    return TextIOWrapper(_open_bytes(file), encoding="utf-8-sig", errors="replace", newline="\n")


_LOOKED_AT = 4096
_CONTROLS = bytes({*range(32), 127} - set(b"\t\n\v\f\r\x1b\x1f"))
_MOST_CONTROLS = 0.05


def is_blank(file: Path) -> bool:
    with _open_bytes(file) as content:
        return not any(block.strip() for block in iter(lambda: content.read(_LOOKED_AT), b""))


def is_text(file: Path) -> bool:
    """Tell whether a file looks like text, by the control characters in its first bytes."""
    with _open_bytes(file) as content:
        start = content.read(_LOOKED_AT)
    return len(start) - len(start.translate(None, _CONTROLS)) <= _MOST_CONTROLS * len(start)


def _open_bytes(file: Path) -> IO[bytes]:
    return cast(IO[bytes], gzip.open(file)) if file.suffix == ".gz" else file.open("rb")


def file_suffix(file: Path) -> str:
    return Path(file.name.removesuffix(".gz")).suffix.lower()


_REASONS = {
    "INVALID ENCODING": "not UTF-8",
    "LINE SIZE OVER MAXIMUM": "a line of more than 16 MB",
    "UNQUOTED VALUE": "a quote that is not closed",
    "MISSING COLUMNS": "a number of fields that is not the header's",
    "TOO MANY COLUMNS": "a number of fields that is not the header's",
}
_OTHER_REASON = "a line that cannot be read"
_LINE_LIMITS = "max_line_size = 16777216"
_numbers = count()


class _RejectedLines:
    """The table into which DuckDB writes the lines that it cannot read."""

    def __init__(self, backend: Any) -> None:
        self.backend = backend
        self.table = f"_rejects_{next(_numbers)}"

    def options(self) -> str:
        return (
            f"store_rejects = true, rejects_table = '{self.table}', "
            f"rejects_scan = '{self.table}_scans', {_LINE_LIMITS}"
        )

    def found(self) -> _Rejected:
        """Return the rejected lines; a line counts once, however often it was read."""
        there = f"SELECT 1 FROM duckdb_tables() WHERE table_name = '{self.table}'"
        if not self.backend.raw_sql(there).fetchall():
            return []
        lines = self.backend.raw_sql(
            f"SELECT file_path, line, any_value(error_type)::VARCHAR, any_value(csv_line) "
            f"FROM {self.table} JOIN {self.table}_scans USING (scan_id, file_id) "
            "GROUP BY file_path, line ORDER BY file_path, line"
        ).fetchall()
        found: dict[str, list[str]] = {}
        for file, line, kind, text in lines:
            found.setdefault(_REASONS.get(kind, _OTHER_REASON), []).append(
                _locate_row(file, line, text or "")
            )
        return [(reason, len(shown), shown[:5]) for reason, shown in found.items()]


_Steps = tuple[str, ...]


def _parse_json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _parse_record(line: str) -> dict[str, Any] | None:
    """Parse the JSON object on a line; None for anything else."""
    found = _parse_json(line)
    return found if isinstance(found, dict) else None


def _paths_of(records: Iterable[Mapping[str, Any]]) -> dict[str, _Steps]:
    """Return every path into the records with its steps: keys may contain a full stop."""
    found: dict[str, _Steps] = {}

    def walk(value: Any, steps: _Steps) -> None:
        if isinstance(value, list):
            for element in value:
                walk(element, steps)
        if isinstance(value, Mapping):
            for key, inner in value.items():
                found.setdefault(".".join((*steps, key)), (*steps, key))
                walk(inner, (*steps, key))

    for record in records:
        walk(record, ())
    return found


def _plain_keys(records: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Return the keys that never hold a list or an object."""
    found: set[str] = set()
    nested: set[str] = set()
    for record in records:
        for key, value in record.items():
            (nested if isinstance(value, dict | list) else found).add(key)
    return frozenset(found - nested)


def _expand_json(flat: ibis.Table, each: Sequence[str], paths: Iterable[str]) -> ibis.Table:
    """Return a row for each element of lists in JSON text; a broken row stays one."""
    lists = {name: _quote_name(f"_list{i}") for i, name in enumerate(each)}
    made = ", ".join(
        f"try_cast(try_cast({_quote_name(name)} AS JSON) AS JSON[]) AS {made}"
        for name, made in lists.items()
    )
    columns = [f"CASE WHEN _at > 0 THEN _at END AS {_quote_name(INDEX)}"]
    for path in sorted({path for path in paths if containing_list(path, each)}):
        within = containing_list(path, each)
        assert within is not None  # only such paths are taken
        steps = path[len(within) + 1 :].split(".") if path != within else []
        element = f"{lists[within]}[_at]"
        columns.append(
            f"json_extract_string({element}, {_json_path(steps)}) AS {_quote_name(path)}"
        )
    first = lists[each[0]]
    numbers = f"CASE WHEN {_quote_name(BROKEN)} THEN [0] ELSE range(1, len({first}) + 1) END"
    kept = ", ".join(_quote_name(name) for name in flat.columns if name not in each)
    return flat.alias("_flat").sql(
        f"SELECT {kept}, {', '.join(columns)} FROM (SELECT *, unnest({numbers}) AS _at "
        f"FROM (SELECT *, {made} FROM _flat))"
    )


_SAMPLED_LINES = 2_000

_LineFormat = Literal["json lines", "json arrays", "json objects", "plain lines"]
_WRAPPERS = ("logs", "events", "queries", "hits", "data", "records", "rows")
"""Keys under which a file that is one JSON object holds its records."""

# A separator that JSON cannot contain, and text hardly does: a line is then one column.
_LINES = (
    "read_csv({files}, columns = {{'raw': 'VARCHAR'}}, delim = E'\\x1f', quote = '', escape = '', "
    "header = false, auto_detect = false, filename = 'file', strict_mode = false, "
    "{rejects})"
)
_ARRAYS = "read_json_objects({files}, format = 'array', filename = true)"
_OBJECTS = (
    "(SELECT unnest(coalesce("
    + ", ".join(f"try_cast(json_extract(json, '$.{key}') AS JSON[])" for key in _WRAPPERS)
    + ")) AS json, filename FROM read_json_objects({files}, format = 'unstructured', "
    "filename = true, maximum_object_size = 268435456))"
)
_WHOLE_FILES = {"json arrays": _ARRAYS, "json objects": _OBJECTS}
"""Files whose records are not lines."""


class TextFiles(Source):
    """Text files, which DuckDB parses."""

    copied = True

    def __init__(self, files: Sequence[Path], role: TableKind | None, backend: Any) -> None:
        super().__init__(role, backend, name=files_name(files))
        self.files = list(files)

    def expanded(self, flat: ibis.Table, each: Sequence[str], paths: Iterable[str]) -> ibis.Table:
        return _expand_json(flat, each, paths)


def files_name(files: Sequence[Path]) -> str:
    return str(files[0]) if len(files) == 1 else str(files[0].parent)


class LineFiles(TextFiles):
    """Files that hold a record a line, or an array of records."""

    broken = "not a JSON object"

    def __init__(
        self, files: Sequence[Path], role: TableKind | None, backend: Any, *, written: _LineFormat
    ) -> None:
        super().__init__(files, role, backend)
        self.written = written
        self.rejects = _RejectedLines(backend)

    @cached_property
    def records(self) -> list[dict[str, Any]]:
        """The first records of every file."""
        share = max(_SAMPLED_LINES // len(self.files), 50)
        found = [record for file in self.files for record in self._some(file, share)]
        return [record["_source"] if self._wraps(record) else record for record in found]

    def _some(self, file: Path, most: int) -> list[dict[str, Any]]:
        if self.written in _WHOLE_FILES:
            query = f"SELECT json::VARCHAR FROM {self._relation([file])} LIMIT {most}"
            lines = [row[0] for row in self.backend.raw_sql(query).fetchall()]
        else:
            with _open_text(file) as whole:
                lines = list(islice(whole, most))
        return [record for line in lines if (record := _parse_record(line)) is not None]

    @cached_property
    def known(self) -> dict[str, _Steps]:
        return {LINE: (LINE,)} if self.written == "plain lines" else _paths_of(self.records)

    @cached_property
    def wrapped(self) -> bool:
        """True for hits of Elasticsearch or OpenSearch, whose records are in _source."""
        first = self._some(self.files[0], 1)
        return bool(first) and self._wraps(first[0])

    @staticmethod
    def _wraps(record: dict[str, Any]) -> bool:
        return isinstance(record.get("_source"), dict) and "_id" in record

    def paths(self) -> frozenset[str]:
        return frozenset(self.known)

    def plain(self) -> frozenset[str]:
        return _plain_keys(self.records)

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
            columns, named = f", raw AS {_quote_name(LINE)}", []
        else:
            named = sorted({path for path in paths if path != INDEX})
            columns = "".join(
                f", got[{i}] AS {_quote_name(path)}" for i, path in enumerate(named, 1)
            )
        wanted = ", ".join(self._path(path) for path in named)
        got = f"CASE WHEN NOT broken THEN json_extract_string(raw, [{wanted}]) END AS got"
        taken = f"SELECT *, {got} FROM ({self._rows()})" if named else self._rows()
        return self.backend.sql(
            f"SELECT raw AS {RAW}, file AS {FILE}, broken AS {BROKEN}{columns} FROM ({taken})"
        )

    def rejected(self) -> _Rejected:
        return self.rejects.found()

    def located(self, rows: Sequence[tuple[str | None, str]]) -> list[str]:
        found: dict[tuple[str | None, str], int] = {}
        for file in {file for file, _ in rows if file and self.written not in _WHOLE_FILES}:
            wanted = {row for name, row in rows if name == file}
            with _open_text(Path(file)) as lines:
                for number, line in enumerate(lines, 1):
                    if (stripped := line.rstrip("\r\n")) in wanted:
                        wanted.remove(stripped)
                        found[file, stripped] = number
                    if not wanted:
                        break
        return [_locate_row(file, found.get((file, row)), row) for file, row in rows]

    def _relation(self, files: Sequence[Path]) -> str:
        listed = "[" + ", ".join(_quote_text(str(file)) for file in files) + "]"
        relation = _WHOLE_FILES.get(self.written, _LINES)
        return relation.format(files=listed, rejects=self.rejects.options())

    def _rows(self) -> str:
        relation = self._relation(self.files)
        if self.written in _WHOLE_FILES:
            named = f"SELECT json::VARCHAR AS raw, filename AS file FROM {relation}"
        else:
            named = f"SELECT raw, file FROM {relation} WHERE strlen(raw) > 9 OR trim(raw) <> ''"
        object = "(starts_with(raw, '{') OR starts_with(ltrim(raw), '{'))"
        whole = f"json_valid(raw) AND {object}"
        broken = "false" if self.written == "plain lines" else f"NOT ({whole})"
        return f"SELECT raw, file, {broken} AS broken FROM ({named})"

    def _path(self, path: str) -> str:
        steps = self.known.get(path, tuple(path.split(".")))
        return _json_path(("_source", *steps) if self.wrapped else steps)


def first_lines(file: Path, most: int = 20) -> list[str]:
    with _open_text(file) as lines:
        return list(islice((line for line in lines if line.strip()), most))


def detect_line_format(file: Path) -> _LineFormat:
    lines = first_lines(file)
    head = " ".join(lines)
    if re.match(r"\s*\[\s*[{\]]", head):
        return "json arrays"
    if re.match(rf'\s*\{{\s*"({"|".join(_WRAPPERS)})"\s*:\s*\[', head):
        return "json objects"
    return "json lines" if any(_parse_record(line) for line in lines) else "plain lines"


_DELIMITERS = (",", "\t", ";", "|")


class DelimitedFiles(TextFiles):
    """CSV and TSV files, each with a header of its own."""

    def __init__(self, files: Sequence[Path], role: TableKind | None, backend: Any) -> None:
        super().__init__(files, role, backend)
        self.rejects = {file: _RejectedLines(backend) for file in self.files}

    @cached_property
    def headers(self) -> dict[Path, tuple[str, list[str]]]:
        return {file: _read_header(file) for file in self.files}

    @cached_property
    def columns(self) -> list[str]:
        return list(dict.fromkeys(name for _, names in self.headers.values() for name in names))

    @cached_property
    def records(self) -> list[dict[str, Any]]:
        """The first rows of every file, with the JSON in their fields parsed."""
        found: list[dict[str, Any]] = []
        for file, (delimiter, names) in self.headers.items():
            with _open_text(file) as lines:
                rows = _python_rows(csv.reader(lines, delimiter=delimiter))
                for row in islice(rows, 1, max(_SAMPLED_LINES // len(self.files), 50)):
                    found.append(
                        {name: _field_value(field) for name, field in zip(names, row, strict=False)}
                    )
        return found

    def paths(self) -> frozenset[str]:
        return frozenset(self.columns) | frozenset(_paths_of(self.records))

    def plain(self) -> frozenset[str]:
        nested = {key for record in self.records for key in record} - _plain_keys(self.records)
        return frozenset(self.columns) - nested

    def has(self, path: str) -> bool:
        # What a field's JSON holds is only known of the first rows.
        return path in self.paths() or path == INDEX or self._within(path) is not None

    def flat(self, paths: Iterable[str]) -> ibis.Table:
        wanted = "".join(
            f", {self._column(path)} AS {_quote_name(path)}" for path in sorted({*paths} - {INDEX})
        )
        parts = " UNION ALL BY NAME ".join(
            f"SELECT *, to_json([{', '.join(map(_quote_name, names))}])::VARCHAR AS {RAW}, "
            f"{_quote_text(str(file))} AS {FILE} FROM {self._relation(file)}"
            for file, (_, names) in self.headers.items()
        )
        return self.backend.sql(f"SELECT {RAW}, {FILE}, false AS {BROKEN}{wanted} FROM ({parts})")

    def rejected(self) -> _Rejected:
        return [one for rejects in self.rejects.values() for one in rejects.found()]

    def located(self, rows: Sequence[tuple[str | None, str]]) -> list[str]:
        found: dict[tuple[str | None, str], tuple[int, str]] = {}
        for file in {file for file, _ in rows if file}:
            wanted = {tuple(json.loads(row)): row for name, row in rows if name == file}
            delimiter, _ = self.headers[Path(file)]
            with _open_text(Path(file)) as lines:
                reader = csv.reader(lines, delimiter=delimiter)
                starts = 1
                for fields in _python_rows(reader):
                    row = wanted.pop(tuple(field or None for field in fields), None)
                    if row is not None:
                        found[file, row] = (starts, delimiter.join(fields))
                    starts = reader.line_num + 1
                    if not wanted:
                        break
        shown = [(file, *found.get((file, row), (None, row))) for file, row in rows]
        return [_locate_row(file, line, row) for file, line, row in shown]

    def _relation(self, file: Path) -> str:
        delimiter, names = self.headers[file]
        columns = ", ".join(f"{_quote_text(name)}: 'VARCHAR'" for name in names)
        return (
            f"read_csv({_quote_text(str(file))}, columns = {{{columns}}}, "
            f"delim = {_quote_text(delimiter)}, "
            "quote = '\"', escape = '\"', header = true, auto_detect = false, nullstr = '', "
            f"{self.rejects[file].options()})"
        )

    def _within(self, path: str) -> str | None:
        """Return the column whose JSON a path leads into."""
        return next((name for name in self.columns if path.startswith(name + ".")), None)

    def _column(self, path: str) -> str:
        if path in self.columns:
            return _quote_name(path)
        column = self._within(path)
        if column is None:
            return "NULL::VARCHAR"
        steps = _json_path(path[len(column) + 1 :].split("."))
        name = _quote_name(column)
        return f"CASE WHEN json_valid({name}) THEN json_extract_string({name}, {steps}) END"


def _read_header(file: Path) -> tuple[str, list[str]]:
    """Return the separator of a file and the names of its columns."""
    with _open_text(file) as lines:
        first = next(lines, "").rstrip("\r\n")
    if not first.strip():
        raise InputError(
            "the file is empty; it needs a header with the columns' names", source=str(file)
        )
    delimiter = max(_DELIMITERS, key=first.count)
    try:
        names = next(csv.reader([first], delimiter=delimiter))
    except csv.Error as error:
        message = f"the header cannot be parsed: {error}"
        raise InputError(message, source=str(file), line=1) from None
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"two columns are called {twice!r}", source=str(file), line=1)
    return delimiter, names


def _python_rows(reader: Any) -> Iterator[list[str]]:
    """Yield the rows that Python can parse; DuckDB reports the others."""
    while True:
        try:
            yield next(reader)
        except csv.Error:
            continue
        except StopIteration:
            return


def _field_value(field: str) -> Any:
    found = _parse_json(field) if field[:1] in ("{", "[") else None
    return (field or None) if found is None else found

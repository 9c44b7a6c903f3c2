"""The mapping of a log: which of its columns is what, for built-in formats and mapping files.

A `Layout` is a handful of `RowMapping`s, each of which maps one table to queries or events: for
every canonical column a list of `Part`s, of which the first with a value counts.

Mapping files are validated by hand. Prototypes with msgspec and pydantic named the path of a key,
but no file, line or nearest name; pydantic reported two to four errors for one mistake. msgspec
took 80 lines of models against 215 here, and would still need the conversion to `RowMapping` and a
translation of errors: as much code, one more dependency, and 18 ms (pydantic 48 ms) at import.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, NoReturn, cast, get_args

from cleverdon._common.extras import require
from cleverdon.errors import InputError, suggest
from cleverdon.logs.log import EVENTS, QUERIES

TableKind = Literal["queries", "events"]

INDEX = "#"
"""The path of an element's place in the list that `each` names, from 1."""

REQUEST = ("size", "offset")
"""The number of results that a request asks for (0 if for facets), and that it skips."""

LINE = "line"
"""The one column of a log of plain lines."""


@dataclass(frozen=True)
class Part:
    """One place that a value may come from, and how to read it."""

    path: str | None = None  # a column, or a path into one: `query_attributes.latency`
    constant: str | None = None
    joined: tuple[str, ...] = ()
    """Several paths as one value, with `glue` between them; null where one of them is."""
    glue: str = "-"
    numbered: bool = False  # the number of the row, for logs that have no ids
    key: str | None = None  # a key of the JSON object that the column holds, as text or as fields
    pattern: str | None = None  # a regular expression; its first group is the value
    decode: Literal["url", "json"] | None = None
    """The encoding of the text: percent signs of a URL, or escapes of a JSON string."""
    counted: bool = False  # the value is the number of elements of a list
    words: bool = False  # the value is a list of words, which are joined by spaces
    start: int | None = None
    """The first number of positions and pages, 1 or 0; positions are detected."""
    unit: str | None = None
    """The unit of times and durations: s, ms, us or ns; guessed for times without one."""
    timezone: str | None = None  # the zone of times without one

    def paths(self) -> tuple[str, ...]:
        return ((self.path,) if self.path else ()) + self.joined


@dataclass(frozen=True)
class Condition:
    """A condition on rows: one of `values`, none of them, or just present."""

    path: str
    values: tuple[str, ...] = ()
    negated: bool = False
    present: bool | None = None


@dataclass(frozen=True)
class RowMapping:
    """A mapping of the rows of one table to queries or events."""

    kind: TableKind
    columns: Mapping[str, tuple[Part, ...]]
    segments: Mapping[str, tuple[Part, ...]] = field(default_factory=dict)
    other_segments: bool = False  # every other column of the table is a segment
    table: TableKind = "queries"  # the table that they are read from, if the log has two
    known_by: frozenset[str] = frozenset()
    """The columns by which these rows are recognised; `-name` must be missing."""
    where: tuple[Condition, ...] = ()
    each: tuple[str, ...] = ()  # lists of equal length, a row for each of their elements
    actions: Mapping[str, str] = field(default_factory=dict)
    """Names of actions in the log, and their canonical names."""
    attach: bool = False  # events without a query id belong to the last search before them
    pages_share_id: bool = False
    from_events: tuple[str, ...] = ()
    """Columns of queries whose nulls are filled from events of the same query."""
    unless: str | None = None  # these rows count only if no others have this action

    def known(self, paths: Collection[str]) -> bool:
        """Tell whether a table with these paths has such rows."""
        return all(
            path[1:] not in paths if path.startswith("-") else path in paths
            for path in self.known_by
        )

    def paths(self) -> Iterator[str]:
        """Yield every path that is read, including those of conditions and lists."""
        for parts in (*self.columns.values(), *self.segments.values()):
            for part in parts:
                yield from part.paths()
        yield from (condition.path for condition in self.where)
        yield from self.each


@dataclass(frozen=True)
class Layout:
    """A mapping of a whole log."""

    name: str
    rows: tuple[RowMapping, ...]
    strict: bool = False  # whether a missing path is an error: it is in mapping files
    source: str = ""
    lines: Mapping[str, int] = field(default_factory=dict)
    """The line of each path in the mapping file."""
    notes: tuple[str, ...] = ()

    def of(self, kind: TableKind) -> tuple[RowMapping, ...]:
        return tuple(rows for rows in self.rows if rows.kind == kind)


_ROW_OPTIONS = {
    "queries": ("pages_share_id", "segments", "from_events"),
    "events": ("actions", "attach", "unless", "page"),
}
_SHARED_OPTIONS = ("where", "each", "table", "known_by")
_TOP_OPTIONS = ("queries", "events", "actions", "timezone", "attach", "pages_share_id", "segments")
_PART_OPTIONS = (
    *("column", "is", "join", "with", "number", "count"),
    *("key", "pattern", "decode", "words", "from", "unit", "timezone"),
)
_UNITS = ("s", "ms", "us", "ns")
_LAST_SEARCH = "last search"
_OTHERS = "others"
_ONLY_OF = {
    "from": ("position", "page"),
    "unit": ("time", "latency_ms", "dwell_ms"),
    "timezone": ("time",),
    "number": ("query_id",),
}
"""Options of parts that only some columns have."""


@dataclass(frozen=True)
class MappingFile:
    """A mapping file, for the errors in it."""

    source: str
    lines: Mapping[str, int]

    def fail(self, message: str, word: str = "") -> NoReturn:
        raise InputError(message, source=self.source, line=self.lines.get(word))

    def check(self, where: str, found: object, allowed: tuple[str, ...]) -> None:
        if found not in allowed:
            self.fail(f"{where} has no {found!r}{suggest(str(found), allowed)}", str(found))

    def table(self, where: str, found: object) -> Mapping[str, Any]:
        if not isinstance(found, Mapping):
            self.fail(f"{where} is not a table of names and values: {found!r}")
        return found

    def boolean(self, where: str, found: object) -> bool:
        if not isinstance(found, bool):
            self.fail(f"{where} is true or false, not {found!r}", where)
        return found


def parse_layout(
    written: Mapping[str, Any],
    *,
    name: str,
    source: str = "mapping",
    lines: Mapping[str, int] | None = None,
    strict: bool = True,
    notes: tuple[str, ...] = (),
) -> Layout:
    """Parse a mapping; raise an InputError for anything without a meaning."""
    file = MappingFile(source, lines or {})
    for key in file.table("a mapping", written):
        file.check("a mapping", key, _TOP_OPTIONS)
    if "queries" not in written:
        file.fail("a mapping needs a section 'queries' that says which column is what")
    rows: list[RowMapping] = []
    kinds: tuple[TableKind, ...] = get_args(TableKind)
    for kind in kinds:
        for section in _as_list(written.get(kind, [])):
            rows.append(_rows(kind, file.table(kind, section), written, file))
    return Layout(name, tuple(rows), strict=strict, source=source, lines=file.lines, notes=notes)


def _rows(
    kind: TableKind, section: Mapping[str, Any], top: Mapping[str, Any], file: MappingFile
) -> RowMapping:
    names = tuple(QUERIES if kind == "queries" else EVENTS)
    for key in section:
        file.check(
            f"section {kind!r}", key, (*names, *REQUEST, *_ROW_OPTIONS[kind], *_SHARED_OPTIONS)
        )
    zone = top.get("timezone")
    wanted = [key for key in section if key in (*names, *REQUEST, "page")]
    columns = {key: _parts(kind, key, section[key], zone, file) for key in wanted}
    for needed in ("query_id", "time") if kind == "queries" else ("time", "action"):
        if needed not in columns:
            file.fail(f"section {kind!r} does not say which column is {needed!r}", kind)

    def option(key: str, default: Any) -> Any:
        return section.get(key, top.get(key, default) if key in _TOP_OPTIONS else default)

    attach = option("attach", None)
    if attach is not None:
        file.check("attach", attach, (_LAST_SEARCH,))
    table = option("table", kind)
    file.check("table", table, get_args(TableKind))
    where = file.table("where", option("where", {}))
    rows = RowMapping(
        kind,
        columns,
        table=table,
        known_by=frozenset(option("known_by", ())),
        where=tuple(_condition(path, value, file) for path, value in where.items()),
        each=tuple(_as_list(option("each", ()))),
        pages_share_id=file.boolean("pages_share_id", option("pages_share_id", False)),
    )
    if kind == "queries":
        segments = option("segments", ())
        return replace(
            rows,
            segments={} if segments == _OTHERS else _segments(segments, file),
            other_segments=segments == _OTHERS,
            from_events=tuple(option("from_events", ())),
        )
    actions = file.table("actions", option("actions", {}))
    return replace(
        rows,
        actions={str(old): str(new) for old, new in actions.items()},
        attach=attach is not None,
        unless=option("unless", None),
    )


def _segments(found: Any, file: MappingFile) -> dict[str, tuple[Part, ...]]:
    if isinstance(found, str):
        file.fail(f"segments is a list of columns, a table of names and columns, or {_OTHERS!r}")
    if not isinstance(found, Mapping):
        found = {str(path).rpartition(".")[2]: path for path in found}
    for name in found:
        if name in QUERIES:
            file.fail(f"a segment cannot be called {name!r}, as a column is; name it otherwise")
    return {name: _parts("queries", name, value, None, file) for name, value in found.items()}


def _condition(path: str, value: Any, file: MappingFile) -> Condition:
    if not isinstance(value, Mapping):
        return Condition(path, _values(value))
    ((word, meant),) = value.items() if len(value) == 1 else [("", None)]
    file.check(f"where {path}", word, ("is", "not", "present"))
    if word == "present":
        return Condition(path, present=file.boolean("present", meant))
    return Condition(path, _values(meant), negated=word == "not")


def _values(found: Any) -> tuple[str, ...]:
    return tuple(map(_constant_text, _as_list(found)))


def _as_list(found: Any) -> list[Any] | tuple[Any, ...]:
    return found if isinstance(found, list | tuple) else [found]


def _constant_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _parts(
    kind: str, key: str, found: Any, zone: str | None, file: MappingFile
) -> tuple[Part, ...]:
    return tuple(_part(f"{kind}.{key}", key, one, zone, file) for one in _as_list(found))


def _part(where: str, key: str, found: Any, zone: str | None, file: MappingFile) -> Part:
    if isinstance(found, str):
        return Part(path=found, timezone=zone if key == "time" else None)
    if not isinstance(found, Mapping):
        file.fail(f"{where} is a column's name, or a table that has one, not {found!r}", key)
    allowed = tuple(word for word in _PART_OPTIONS if key in _ONLY_OF.get(word, (key,)))
    for word in found:
        file.check(where, word, allowed)
    if sum(word in found for word in ("column", "is", "join", "number")) != 1:
        file.fail(f"{where} needs one of 'column', 'is', 'join' and 'number'", key)
    unit = found.get("unit")
    if unit is not None:
        file.check(f"{where}: unit", unit, _UNITS)
    if "decode" in found:
        file.check(f"{where}: decode", found["decode"], ("url", "json"))
    start = found.get("from")
    if start not in (None, 0, 1):
        file.fail(f"{where}: from is 0 or 1, not {start!r}", key)
    _check_pattern(where, found.get("pattern"), file)
    return Part(
        path=found.get("column"),
        constant=_constant_text(found["is"]) if "is" in found else None,
        joined=tuple(found.get("join", ())),
        glue=found.get("with", "-"),
        numbered=file.boolean("number", found.get("number", False)),
        key=found.get("key"),
        pattern=found.get("pattern"),
        decode=found.get("decode"),
        counted=file.boolean("count", found.get("count", False)),
        words=file.boolean("words", found.get("words", False)),
        start=cast(int | None, start),
        unit=unit,
        timezone=found.get("timezone", zone) if key == "time" else None,
    )


def _check_pattern(where: str, pattern: str | None, file: MappingFile) -> None:
    if pattern is None:
        return
    try:
        groups = re.compile(pattern).groups
    except re.error as error:
        file.fail(f"{where}: the pattern is not a regular expression: {error}")
    if groups != 1:
        file.fail(f"{where}: the pattern needs one group, (...), and has {groups}")


def load_mapping(mapping: str | Path | Mapping[str, Any]) -> Layout:
    if isinstance(mapping, Mapping):
        return parse_layout(mapping, name="mapping")
    path = Path(mapping)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError("there is no such mapping file", source=str(path)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the mapping file cannot be read: {error}", source=str(path)) from None
    written = _toml(text, path) if path.suffix.lower() == ".toml" else _yaml(text, path)
    return parse_layout(written, name=path.name, source=str(path), lines=_line_numbers(text))


def _toml(text: str, path: Path) -> Any:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"line (\d+)", str(error))
        line = int(at[1]) if at else None
        raise InputError(f"this is not TOML: {error}", source=str(path), line=line) from None


def _yaml(text: str, path: Path) -> Any:
    yaml = require("yaml", "reading mapping files", package="pyyaml", extra="logs")
    try:
        return yaml.safe_load(text) or {}
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or " ".join(str(error).split())
        line = mark.line + 1 if mark else None
        raise InputError(f"this is not YAML: {problem}", source=str(path), line=line) from None


def _line_numbers(text: str) -> dict[str, int]:
    """Return the first line of each word."""
    found: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        for word in re.findall(r"[^\s:,=\[\]{}'\"]+", line.partition(" #")[0]):
            found.setdefault(word, number)
    return found

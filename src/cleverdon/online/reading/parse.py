"""A mapping as it is written, in YAML, TOML or a dictionary, to the `Layout` that it means."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NoReturn, cast, get_args

from cleverdon.errors import InputError, suggest
from cleverdon.online.log import EVENTS, QUERIES
from cleverdon.online.reading.spec import REQUEST, Condition, Kind, Layout, Part, Rows

OPTIONS = {
    "queries": ("pages_share_id", "segments", "from_events"),
    "events": ("actions", "attach", "unless", "page"),
}
"""What a section may say beside columns, of queries or of events only."""
BOTH = ("where", "each", "table", "known_by")
TOP = ("queries", "events", "actions", "timezone", "attach", "pages_share_id", "segments")
PART = (
    *("column", "is", "join", "with", "number", "count"),
    *("key", "pattern", "decode", "words", "from", "unit", "timezone"),
)
UNITS = ("s", "ms", "us", "ns")
LAST_SEARCH = "last search"
OTHERS = "others"
COUNTED = ("position", "page")
TIMED = ("time", "latency_ms", "dwell_ms")


@dataclass(frozen=True)
class Written:
    """A mapping on its way to a Layout, with what errors say about it."""

    source: str
    lines: Mapping[str, int]

    def fail(self, message: str, word: str = "") -> NoReturn:
        raise InputError(message, source=self.source, line=self.lines.get(word))

    def check(self, where: str, found: object, allowed: tuple[str, ...]) -> None:
        if found not in allowed:
            self.fail(f"{where} has no {found!r}{suggest(str(found), allowed)}", str(found))

    def table(self, where: str, found: object) -> Mapping[str, Any]:
        if not isinstance(found, Mapping):
            self.fail(f"{where} is not a table of names and what they stand for: {found!r}")
        return found

    def yes(self, where: str, found: object) -> bool:
        if not isinstance(found, bool):
            self.fail(f"{where} is true or false, not {found!r}", where)
        return found


def layout(
    written: Mapping[str, Any],
    *,
    name: str,
    source: str = "mapping",
    lines: Mapping[str, int] | None = None,
    strict: bool = True,
    notes: tuple[str, ...] = (),
) -> Layout:
    """What a mapping means; anything that it cannot mean is an InputError.

    >>> found = layout({"queries": {"query_id": "id", "time": {"column": "ts", "unit": "s"}}},
    ...                name="mine")
    >>> found.rows[0].columns["time"][0].unit
    's'
    """
    said = Written(source, lines or {})
    for key in said.table("a mapping", written):
        said.check("a mapping", key, TOP)
    if "queries" not in written:
        said.fail("a mapping needs a section 'queries' that says which column is what")
    rows: list[Rows] = []
    kinds: tuple[Kind, ...] = get_args(Kind)
    for kind in kinds:
        sections = written.get(kind, [])
        for section in sections if isinstance(sections, list | tuple) else [sections]:
            rows.append(_rows(kind, said.table(kind, section), written, said))
    return Layout(name, tuple(rows), strict=strict, source=source, lines=said.lines, notes=notes)


def _rows(kind: Kind, section: Mapping[str, Any], top: Mapping[str, Any], said: Written) -> Rows:
    names = tuple(QUERIES if kind == "queries" else EVENTS)
    for key in section:
        said.check(f"section {kind!r}", key, (*names, *REQUEST, *OPTIONS[kind], *BOTH))
    zone = top.get("timezone")
    wanted = [key for key in section if key in (*names, *REQUEST, "page")]
    columns = {key: _parts(kind, key, section[key], zone, said) for key in wanted}
    for needed in ("query_id", "time") if kind == "queries" else ("time", "action"):
        if needed not in columns:
            said.fail(f"section {kind!r} does not say which column is {needed!r}", kind)

    def option(key: str, default: Any) -> Any:
        return section.get(key, top.get(key, default) if key in TOP else default)

    attach = option("attach", None)
    if attach is not None:
        said.check("attach", attach, (LAST_SEARCH,))
    table = option("table", kind)
    said.check("table", table, get_args(Kind))
    each = option("each", ())
    rows = Rows(
        kind,
        columns,
        table=table,
        known_by=frozenset(option("known_by", ())),
        where=_conditions(option("where", {}), said),
        each=(each,) if isinstance(each, str) else tuple(each),
        pages_share_id=said.yes("pages_share_id", option("pages_share_id", False)),
    )
    if kind == "queries":
        segments = option("segments", ())
        return replace(
            rows,
            segments={} if segments == OTHERS else _segments(segments, said),
            other_segments=segments == OTHERS,
            from_events=tuple(option("from_events", ())),
        )
    actions = said.table("actions", option("actions", {}))
    return replace(
        rows,
        actions={str(old): str(new) for old, new in actions.items()},
        attach=attach is not None,
        unless=option("unless", None),
    )


def _segments(found: Any, said: Written) -> dict[str, tuple[Part, ...]]:
    """A list of columns, or a table of segments' names and their columns."""
    if isinstance(found, str):
        said.fail(f"segments is a list of columns, a table of names and columns, or {OTHERS!r}")
    named = found if isinstance(found, Mapping) else {_last(path): path for path in found}
    for name in named:
        if name in QUERIES:
            said.fail(f"a segment cannot be called {name!r}, as a column is; name it otherwise")
    return {name: _parts("queries", name, value, None, said) for name, value in named.items()}


def _last(path: str) -> str:
    return str(path).rpartition(".")[2]


def _conditions(found: Any, said: Written) -> tuple[Condition, ...]:
    return tuple(
        _condition(path, value, said) for path, value in said.table("where", found).items()
    )


def _condition(path: str, value: Any, said: Written) -> Condition:
    if not isinstance(value, Mapping):
        return Condition(path, _values(value))
    ((word, meant),) = value.items() if len(value) == 1 else [("", None)]
    said.check(f"where {path}", word, ("is", "not", "present"))
    if word == "present":
        return Condition(path, present=said.yes("present", meant))
    return Condition(path, _values(meant), negated=word == "not")


def _values(found: Any) -> tuple[str, ...]:
    return tuple(_text(value) for value in (found if isinstance(found, list | tuple) else [found]))


def _text(value: Any) -> str:
    """A constant as logs write it: yes and no as JSON does."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _parts(kind: str, key: str, found: Any, zone: str | None, said: Written) -> tuple[Part, ...]:
    given = found if isinstance(found, list | tuple) else [found]
    return tuple(_part(f"{kind}.{key}", key, one, zone, said) for one in given)


def _part(where: str, key: str, found: Any, zone: str | None, said: Written) -> Part:
    if isinstance(found, str):
        return Part(path=found, timezone=zone if key == "time" else None)
    if not isinstance(found, Mapping):
        said.fail(f"{where} is a column's name, or a table that has one, not {found!r}", key)
    allowed = tuple(word for word in PART if _fits(word, key))
    for word in found:
        said.check(where, word, allowed)
    if sum(word in found for word in ("column", "is", "join", "number")) != 1:
        said.fail(f"{where} needs one of 'column', 'is', 'join' and 'number'", key)
    unit = found.get("unit")
    if unit is not None:
        said.check(f"{where}: unit", unit, UNITS)
    if "decode" in found:
        said.check(f"{where}: decode", found["decode"], ("url", "json"))
    start = found.get("from")
    if start not in (None, 0, 1):
        said.fail(f"{where}: from is 0 or 1, not {start!r}", key)
    _check_pattern(where, found.get("pattern"), said)
    return Part(
        path=found.get("column"),
        constant=_text(found["is"]) if "is" in found else None,
        joined=tuple(found.get("join", ())),
        glue=found.get("with", "-"),
        numbered=said.yes("number", found.get("number", False)),
        key=found.get("key"),
        pattern=found.get("pattern"),
        decode=found.get("decode"),
        counted=said.yes("count", found.get("count", False)),
        words=said.yes("words", found.get("words", False)),
        start=cast(int | None, start),
        unit=unit,
        timezone=found.get("timezone", zone) if key == "time" else None,
    )


def _fits(word: str, key: str) -> bool:
    """Whether a word says something about this column."""
    only: Mapping[str, Callable[[str], bool]] = {
        "from": COUNTED.__contains__,
        "unit": TIMED.__contains__,
        "timezone": "time".__eq__,
        "number": "query_id".__eq__,
    }
    return only[word](key) if word in only else True


def _check_pattern(where: str, pattern: str | None, said: Written) -> None:
    import re

    if pattern is None:
        return
    try:
        groups = re.compile(pattern).groups
    except re.error as error:
        said.fail(f"{where}: the pattern is not a regular expression: {error}")
    if groups != 1:
        said.fail(f"{where}: the pattern needs one group, (...), and has {groups}")

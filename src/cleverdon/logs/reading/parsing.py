"""Parsing of a source's flat rows to canonical columns, with what is wrong with each row.

Times of every spelling become whole milliseconds since 1970, the same on every engine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import ibis

from cleverdon.errors import OptionError
from cleverdon.logs.log import EVENTS, QUERIES, Log
from cleverdon.logs.reading.mapping import INDEX, REQUEST, Condition, Part, RowMapping
from cleverdon.logs.reading.sources import BROKEN, FILE, RAW, field_of
from cleverdon.logs.sql import engine_function, has_zone

ZONELESS = "has times without a time zone"
"""Marks a note on a column whose times have no zone."""

_ZONED = r"(Z|z|UTC|GMT|[+-]\d{2}(:?\d{2})?)$"  # the end of a time with a zone, after a time of day
_NUMBER = r"^-?\d+(\.\d+)?$"

_FAR = 2**62
"""Sums of larger whole numbers do not fit; no time in any unit is near it."""
_INSTANT = "timestamp('UTC')"
EARLIEST, LATEST = 631_152_000_000, 4_102_444_800_000
"""Possible times, in milliseconds: 1990 to 2099. Units of epochs do not overlap there."""
_PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}


def zoneless(log: Log) -> tuple[str, ...]:
    return tuple(note.split(" ", 1)[0] for note in log.notes if ZONELESS in note)


def guessed_unit(numbers: Iterable[float]) -> str | None:
    """Return the unit in which most of these numbers are possible times; None for none."""
    votes = Counter(
        unit
        for number in numbers
        for unit, per in _PER_SECOND.items()
        if EARLIEST <= number * 1000 / per < LATEST
    )
    return max(votes, key=votes.__getitem__) if votes else None


def _from_epoch(number: Any, unit: str) -> Any:
    if number.type().is_integer():
        far = _FAR // 1000 if unit == "s" else _FAR
        whole = number.between(-far, far).ifelse(number, None).cast("int64")
        if unit == "s":
            return whole * 1000
        per = _PER_SECOND[unit] // 1000
        # Engines divide integers as floats, which have too few digits for nanoseconds: what is
        # left is taken off first, so that the rounded quotient is exact.
        rest = (whole % per + per) % per
        return ((whole - rest) / per).round().cast("int64") if per > 1 else whole
    # Seconds with decimals are floats, in which 0.123 is a little more or less than it.
    scaled = number.cast("float64") * (1000 / _PER_SECOND[unit])
    return (scaled.abs() < _FAR).ifelse(scaled, None).round().cast("int64")


def _from_timestamp(stamp: Any, zone: str | None, backend: str) -> tuple[Any, Any | None]:
    """Convert a timestamp to milliseconds, and tell whether it lacks a zone."""
    if has_zone(stamp, backend):
        return _milliseconds(stamp, backend), None
    placed = _placed(stamp, zone, backend) if zone else stamp
    return _milliseconds(placed, backend), stamp.notnull()


def _from_text(text: Any, zone: str | None, unit: str, backend: str) -> tuple[Any, Any]:
    """Convert an epoch or an ISO 8601 time to milliseconds; tell whether it lacks a zone."""
    # What is seen at a glance is seen first: patterns take longer, and most times end in Z.
    number = ~text.contains(":") & text.re_search(_NUMBER)
    lacks = ~number & ~text.endswith("Z") & ~text.re_search(r"\d:\d.*" + _ZONED)
    instant = text.nullif("").try_cast(_INSTANT).coalesce(_mended(text).try_cast(_INSTANT))
    instant_ms = _milliseconds(instant, backend)
    if zone:
        clock = text.nullif("").try_cast("timestamp").coalesce(_mended(text).try_cast("timestamp"))
        instant_ms = lacks.ifelse(_milliseconds(_placed(clock, zone, backend), backend), instant_ms)
    fraction = _from_epoch(text.try_cast("float64"), unit)
    # Some engines read '1.5' as the whole number 2; and a float has not all digits of an integer.
    whole = _from_epoch((~text.contains(".")).ifelse(text, None).try_cast("int64"), unit)
    return ibis.cases((number, whole.coalesce(fraction)), else_=instant_ms), lacks


def _mended(text: Any) -> Any:
    """Repair Log4j's comma before milliseconds, and zones without a colon."""
    point = text.replace(",", ".")
    short = point.re_search(r":\d.*[+-]\d{4}$")
    return short.ifelse(point.left(point.length() - 2) + ":" + point.right(2), point).nullif("")


def _milliseconds(stamp: Any, backend: str) -> Any:
    if backend == "duckdb":
        return engine_function("epoch_ms", [stamp.type()], "int64")(stamp)
    if backend == "pyspark":
        return engine_function("unix_millis", [_INSTANT], "int64")(stamp.cast(_INSTANT))
    seconds = stamp.truncate("s").epoch_seconds()
    return seconds.cast("int64") * 1000 + stamp.millisecond().cast("int64")


def _placed(stamp: Any, zone: str, backend: str) -> Any:
    """Return the instant at which clocks in `zone` showed this time."""
    if backend in ("duckdb", "postgres"):
        return engine_function("timezone", ["string", "timestamp"], _INSTANT)(
            zone, stamp.cast("timestamp")
        )
    if backend == "pyspark":
        return engine_function("to_utc_timestamp", [_INSTANT, "string"], _INSTANT)(
            stamp.cast(_INSTANT), zone
        )
    raise OptionError(
        f"timezone={zone!r}: times without a zone can be placed on DuckDB, PostgreSQL and Spark, "
        f"not on {backend}; make a view there whose times have a zone"
    )


@dataclass(frozen=True)
class ParsedValue:
    """A canonical column."""

    value: Any
    stood: Any | None
    zoneless: Any | None = None


@dataclass(frozen=True)
class ColumnReader:
    table: ibis.Table
    backend: str
    units: Mapping[str, str] = field(default_factory=dict)
    """The guessed unit of each path of a time."""

    def column(
        self, parts: tuple[Part, ...], kind: str, *, keep_empty: bool = False
    ) -> ParsedValue | None:
        """Return the first part with a value; None if the table has none of the parts."""
        there = [(self._raw(part), part) for part in parts if self._there(part)]
        if not there:
            return None
        flags = []
        if kind == "time":
            times = [self._time(raw, part) for raw, part in there]
            flags = [lacks for _, lacks in times if lacks is not None]
            found = [value for value, _ in times]
        else:
            found = [self._typed(raw, part, kind, keep_empty) for raw, part in there]
        # A number may be too large for a time; any other typed value is valid.
        stood = [_is_written(raw) for raw, _ in there if raw.type().is_string() or kind == "time"]
        return ParsedValue(
            ibis.coalesce(*found) if len(found) > 1 else found[0],
            ibis.or_(*stood) if stood else None,
            ibis.or_(*flags) if flags else None,
        )

    def sample(self, part: Part, most: int) -> list[Any]:
        """Return some numbers or texts of a part."""
        if not self._there(part):
            return []
        raw = self._raw(part)
        if not (raw.type().is_numeric() or raw.type().is_string()):
            return []
        some = self.table.select(found=raw)
        written = some.filter(some.found.notnull()).limit(most)
        return list(written.to_pyarrow()["found"].to_pylist())

    def _there(self, part: Part) -> bool:
        whole = part.counted or part.words or part.key is not None or bool(part.joined)
        return all(
            path in self.table.columns and (whole or not self.table[path].type().is_nested())
            for path in part.paths()
        )

    def _raw(self, part: Part) -> Any:
        if part.constant is not None:
            return ibis.literal(part.constant)
        if part.numbered:
            return (ibis.row_number() + 1).cast("string")
        if part.joined:
            first, *others = (_as_text(self.table[path]) for path in part.joined)
            for other in others:
                first = first + part.glue + other
            return first
        raw = self.table[part.path]
        if part.counted:
            return _length(raw)
        if part.words:
            raw = _joined_words(raw)
        if part.key is not None:
            raw = _keyed(raw, part.key, self.backend)
        if part.pattern is not None:
            raw = raw.cast("string").re_extract(part.pattern, 1).nullif("")
        if part.decode is not None:
            raw = _decoded(raw, part.decode)
        return raw

    def _time(self, raw: Any, part: Part) -> tuple[Any, Any | None]:
        kind = raw.type()
        unit = part.unit or self.units.get(part.path or "", "ms")
        if kind.is_numeric():
            return _from_epoch(raw, unit), None
        if kind.is_timestamp() or kind.is_date():
            stamp = raw.cast("timestamp") if kind.is_date() else raw
            value, lacks = _from_timestamp(stamp, part.timezone, self.backend)
        else:
            value, lacks = _from_text(_as_text(raw), part.timezone, unit, self.backend)
        return value, None if part.timezone else lacks  # a known zone is not assumed

    def _typed(self, raw: Any, part: Part, kind: str, keep_empty: bool) -> Any:
        if kind == "string":
            text = _as_text(raw)
            return text if keep_empty else text.nullif("")
        number = raw.try_cast("float64") if raw.type().is_string() else raw.cast("float64")
        if raw.type().is_floating() or raw.type().is_string():
            number = number.isnan().ifelse(None, number)
        if part.unit:
            number = number * (1000 / _PER_SECOND[part.unit])
        if part.start == 0:
            number = number + 1
        if kind == "float64":
            return number
        if raw.type().is_integer() and not part.unit:
            return raw.cast("int64") + (1 if part.start == 0 else 0)
        # Beyond this, a float is no whole number any more, and a cast would fail.
        return (number.abs() < 2**53).ifelse(number, None).floor().cast("int64")


def _as_text(raw: Any) -> Any:
    return raw if raw.type().is_string() else raw.cast("string")


def _joined_words(raw: Any) -> Any:
    """Join the words of a list, or of JSON that is one, with spaces."""
    if raw.type().is_array():
        return raw.cast("array<string>").join(" ")
    inner = raw.re_extract(r'^\s*\[\s*"(.*)"\s*\]\s*$', 1).nullif("")
    return _decoded(inner.re_replace(r'"\s*,\s*"', " "), "json").coalesce(raw)


def _length(raw: Any) -> Any:
    """Count the elements of a list, or of JSON that is one."""
    if raw.type().is_array():
        return raw.length()
    # DuckDB counts without a sign: added to a number with one, it would not fit 64 bits.
    length = engine_function("json_array_length", ["string"], "uint64")
    return raw.startswith("[").ifelse(length(raw), None)


_SCALAR = r'(?:[-+.\deE]+|"[^"\\]*"|true|false|null)'


def _keyed(raw: Any, key: str, backend: str) -> Any:
    """Return the value under a key of a JSON object as text, or null."""
    # Some engines fail on text that is not JSON: there, a pattern finds a number before or after
    # everything that is nested.
    if not raw.type().is_string() or backend == "duckdb":
        found = field_of(raw, [key])
        return ibis.null("string") if found is None else found.cast("string")
    if backend == "pyspark":
        return engine_function("get_json_object", ["string", "string"], "string")(raw, f"$.{key}")
    others = rf'(?:\s*"[^"\\]*"\s*:\s*{_SCALAR}\s*,)*'
    before = rf'^\s*\{{{others}\s*"{key}"\s*:\s*(\d+)'
    others = rf'(?:\s*,\s*"[^"\\]*"\s*:\s*{_SCALAR})*'
    after = rf'[,{{]\s*"{key}"\s*:\s*(\d+){others}\s*\}}\s*$'
    return ibis.coalesce(*(raw.re_extract(one, 1).nullif("") for one in (before, after)))


def _is_written(raw: Any) -> Any:
    return raw.notnull() & (raw.strip() != "") if raw.type().is_string() else raw.notnull()


def _decoded(raw: Any, written: str) -> Any:
    if written == "json":
        return ('"' + raw + '"').try_cast("json").str
    return engine_function("url_decode", ["string"], "string")(raw.replace("+", " "))


PROBLEM = "_problem"
LACKS_ZONE = "_zoneless"
_STOOD = "_stood_"  # prefix of a column: whether its source held anything
ODD = "_odd_"
"""Prefix of a column: the reason why its value is read as unknown."""
PAGE = "_page"
"""The page of an event, if all pages of a query share one id."""
SIZE = "_size"
_USUAL_SIZE = 10  # the default of OpenSearch and Elasticsearch

LOWEST = {"page": 1, "position": 1, "results": 0, "latency_ms": 0, "dwell_ms": 0}
_HIGHEST = 10_000_000_000
"""A larger number is no count and no time (in ms: 116 days), and its sums could overflow."""
_NEEDED = {"queries": ("query_id", "time"), "events": ("time", "action")}


def canonical_rows(
    reading: ColumnReader, rows: RowMapping, *, broken: str
) -> tuple[ibis.Table, tuple[str, ...]]:
    """Make rows canonical, with `PROBLEM`; return them, and the names of segments.

    `broken` is the reason for rows that could not be parsed.
    """
    there: dict[str, ParsedValue] = {}
    for name, kind in (QUERIES if rows.kind == "queries" else EVENTS).items():
        parts = rows.columns.get(name, ())
        kind = "time" if name == "time" else kind
        if (value := reading.column(parts, kind, keep_empty=name == "text")) is not None:
            there[name] = value
    columns = {name: value.value for name, value in there.items()}
    if rows.kind == "events" and "action" in columns and rows.actions:
        action = columns["action"]
        cases = ((action == old, new) for old, new in rows.actions.items())
        columns["action"] = ibis.cases(*cases, else_=action)
    segments = {
        name: value.value
        for name, parts in rows.segments.items()
        if (value := reading.column(parts, "string")) is not None
    }
    columns |= segments
    columns |= _requested(reading, rows, columns)
    if rows.kind == "queries" and rows.pages_share_id and "page" in columns:
        columns["query_id"] = page_id(columns["query_id"], columns["page"])
    lacks = there["time"].zoneless if "time" in there else None
    columns[LACKS_ZONE] = ibis.literal(False) if lacks is None else lacks.fill_null(False)
    table = reading.table
    columns |= {name: table[name] for name in (RAW, FILE, BROKEN) if name in table.columns}
    columns |= {
        _STOOD + name: there[name].stood
        for name in ("time", *LOWEST)
        if name in there and there[name].stood is not None
    }
    # What is wrong is seen from values in a second step, so that no value is computed twice.
    values = table.select(**columns)
    odd = {ODD + name: _odd(values, name) for name in LOWEST if name in columns}
    checked = values.mutate(**{PROBLEM: _problem(values, rows, broken), **odd})
    unneeded = [name for name in checked.columns if name == BROKEN or name.startswith(_STOOD)]
    return checked.drop(*unneeded), tuple(segments)


def _requested(
    reading: ColumnReader, rows: RowMapping, columns: Mapping[str, Any]
) -> dict[str, Any]:
    """Derive page, position and results from the size and offset of a request."""
    # A list of the returned results is that of one page, and adds to what was skipped. A request
    # for facets, or for a page beyond the last, does not say how many results there are.
    page = columns.get("page") if rows.kind == "queries" else _number(reading, rows, "page")
    size, offset = (_number(reading, rows, name) for name in REQUEST)
    made: dict[str, Any] = {}
    if size is not None or offset is not None:
        known = ibis.or_(*(part.notnull() for part in (size, offset) if part is not None))
        skipped = known.ifelse(0 if offset is None else offset.fill_null(0), None)
        length = _USUAL_SIZE if size is None else size.nullif(0).fill_null(_USUAL_SIZE)
        for_facets = ibis.literal(False) if size is None else (size == 0).fill_null(False)
        number = for_facets.ifelse(None, (skipped / length).floor().cast("int64") + 1)
        page = number if page is None else page.coalesce(number)
        if rows.kind == "events":
            if any(part.path == INDEX for part in rows.columns.get("position", ())):
                made["position"] = columns["position"] + skipped.fill_null(0)
        elif "results" in columns:
            made["results"] = _results(reading, rows, columns["results"], for_facets, skipped)
        if rows.kind == "queries" and size is not None:
            made[SIZE] = size
    if page is not None:
        made["page" if rows.kind == "queries" else PAGE] = page
    elif rows.pages_share_id and "page" in rows.columns:
        made[PAGE] = ibis.null("int64")
    return made


def _number(reading: ColumnReader, rows: RowMapping, name: str) -> Any | None:
    """Read a whole number from 0 on; None if the table has no such column."""
    found = reading.column(rows.columns.get(name, ()), "int64")
    return None if found is None else (found.value >= 0).ifelse(found.value, None)


def _results(
    reading: ColumnReader, rows: RowMapping, results: Any, for_facets: Any, skipped: Any
) -> Any:
    parts = rows.columns["results"]
    given = reading.column(tuple(part for part in parts if part.counted), "int64")
    if given is None:
        return results
    beyond = ((skipped > 0) & (given.value == 0)).fill_null(False)
    found = (for_facets | beyond).ifelse(None, given.value + skipped.fill_null(0))
    total = reading.column(tuple(part for part in parts if not part.counted), "int64")
    return found if total is None else ibis.coalesce(total.value, found)


def page_id(query_id: Any, page: Any) -> Any:
    """Return the id of a page whose query has one id for all pages: the first page keeps it."""
    return (page > 1).fill_null(False).ifelse(query_id + "#" + page.cast("string"), query_id)


def _problem(values: ibis.Table, rows: RowMapping, broken: str) -> Any:
    """Return the first reason why a row is unusable, or null."""
    cases: list[tuple[Any, str]] = []
    if BROKEN in values.columns and broken:
        cases.append((values[BROKEN], broken))
    for name in _NEEDED[rows.kind]:
        cases += _unread(values, name, f"a {name} that cannot be read")
        missing = values[name].isnull() if name in values.columns else ibis.literal(True)
        cases.append((missing, f"no {name}"))
    if "time" in values.columns:
        impossible = (values.time < EARLIEST) | (values.time >= LATEST)
        cases.append((impossible, "an impossible time"))
    return ibis.cases(*cases, else_=ibis.null("string"))


def _odd(values: ibis.Table, name: str) -> Any:
    """Return the reason why a number is read as unknown, or null."""
    lowest = LOWEST[name]
    cases = _unread(values, name, f"{name} is not a number: read as unknown")
    cases.append((values[name] < lowest, f"{name} below {lowest}: read as unknown"))
    cases.append((values[name] > _HIGHEST, f"{name} above {_HIGHEST:,}: read as unknown"))
    return ibis.cases(*cases, else_=ibis.null("string"))


def _unread(values: ibis.Table, name: str, reason: str) -> list[tuple[Any, str]]:
    if _STOOD + name not in values.columns:
        return []
    return [(values[_STOOD + name] & values[name].isnull(), reason)]


def matches_conditions(table: ibis.Table, conditions: tuple[Condition, ...]) -> Any | None:
    """Tell whether a row meets all conditions; a broken row does."""
    tests = [_test(table, condition) for condition in conditions]
    if not tests:
        return None
    fits = ibis.and_(*tests).fill_null(False)
    return fits | table[BROKEN] if BROKEN in table.columns else fits


def _holds(value: Any) -> Any:
    if value.type().is_array():
        return value.length() > 0
    return ~value.isin(["", "[]"]) if value.type().is_string() else ibis.literal(True)


def _test(table: ibis.Table, condition: Condition) -> Any:
    if condition.path not in table.columns:
        absent = condition.negated or condition.present is False
        return ibis.literal(absent)
    value = table[condition.path]
    if condition.present is not None:
        there = value.notnull() & _holds(value)
        return there if condition.present else ~there
    text = value if value.type().is_string() else value.cast("string")
    among = text.isin(condition.values)
    return ~among.fill_null(False) if condition.negated else among

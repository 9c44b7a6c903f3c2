"""The canonical columns of a flat table, and for each row what is wrong with it, if anything is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cleverdon.online.log import EVENTS, QUERIES
from cleverdon.online.reading import times
from cleverdon.online.reading.spec import INDEX, REQUEST, Condition, Rows
from cleverdon.online.reading.tables import BROKEN, FILE, RAW
from cleverdon.online.reading.values import Reading, Value

if TYPE_CHECKING:
    import ibis

PROBLEM = "_problem"
LACKS_ZONE = "_zoneless"
STOOD = "_stood_"
"""Before the name of a column: whether anything stood where its value was read."""
ODD = "_odd_"
"""Before the name of a column: what is wrong with its value, if it is to be read as unknown."""
PAGE = "_page"
"""The page of an event, where all pages of a query share one id."""
SIZE = "_size"
"""How many results a request asked for."""
USUAL_SIZE = 10
"""How many results OpenSearch and Elasticsearch give where a request does not say."""

LOWEST = {"page": 1, "position": 1, "results": 0, "latency_ms": 0, "dwell_ms": 0}
HIGHEST = 10_000_000_000
"""A number above it is no count and no time (in ms: 116 days), and its sums could overflow."""
NEEDED = {"queries": ("query_id", "time"), "events": ("time", "action")}


@dataclass(frozen=True)
class Made:
    """Canonical rows, with `PROBLEM` and what it takes to show those that have one."""

    table: ibis.Table
    segments: tuple[str, ...]


def made(reading: Reading, rows: Rows, *, broken: str) -> Made:
    """The rows as canonical ones; `broken` says what is wrong with rows that are not even rows."""
    import ibis

    kinds = QUERIES if rows.kind == "queries" else EVENTS
    found = {name: _column(reading, rows, name, kind) for name, kind in kinds.items()}
    there: dict[str, Value] = {name: value for name, value in found.items() if value is not None}
    segments = {name: reading.column(parts, "string") for name, parts in rows.segments.items()}
    columns = {name: value.value for name, value in there.items()}
    if rows.kind == "events" and "action" in columns and rows.actions:
        columns["action"] = _renamed(columns["action"], rows.actions)
    columns |= {name: value.value for name, value in segments.items() if value is not None}
    columns |= _requested(reading, rows, columns)
    if rows.kind == "queries" and rows.pages_share_id and "page" in columns:
        columns["query_id"] = paged(columns["query_id"], columns["page"])
    lacks = there["time"].zoneless if "time" in there else None
    columns[LACKS_ZONE] = ibis.literal(False) if lacks is None else lacks.fill_null(False)
    table = reading.table
    columns |= {name: table[name] for name in (RAW, FILE, BROKEN) if name in table.columns}
    columns |= {
        STOOD + name: there[name].stood
        for name in ("time", *LOWEST)
        if name in there and there[name].stood is not None
    }
    # What is wrong is seen from values in a second step, so that no value is computed twice.
    values = table.select(**columns)
    odd = {ODD + name: _odd(values, name) for name in LOWEST if name in columns}
    told = values.mutate(**{PROBLEM: _problem(values, rows, broken), **odd})
    unneeded = [name for name in told.columns if name == BROKEN or name.startswith(STOOD)]
    return Made(
        told.drop(*unneeded),
        tuple(name for name, value in segments.items() if value is not None),
    )


def _requested(reading: Reading, rows: Rows, columns: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that follow from how many results a request asked for, and how many it skipped.

    Where all that a log has of the results is a list of those returned, their number is that of
    this page only: it adds to what was skipped. A request for no results, as for facets, does not
    say how many there are; neither does a page beyond the last.
    """
    import ibis

    page = columns.get("page") if rows.kind == "queries" else _number(reading, rows, "page")
    size, offset = (_number(reading, rows, name) for name in REQUEST)
    made: dict[str, Any] = {}
    if size is not None or offset is not None:
        known = ibis.or_(*(part.notnull() for part in (size, offset) if part is not None))
        skipped = known.ifelse(0 if offset is None else offset.fill_null(0), None)
        length = USUAL_SIZE if size is None else size.nullif(0).fill_null(USUAL_SIZE)
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


def _number(reading: Reading, rows: Rows, name: str) -> Any | None:
    """A whole number from 0 on; None where the table has no such column."""
    found = reading.column(rows.columns.get(name, ()), "int64")
    return None if found is None else (found.value >= 0).ifelse(found.value, None)


def _results(reading: Reading, rows: Rows, results: Any, for_facets: Any, skipped: Any) -> Any:
    import ibis

    parts = rows.columns["results"]
    given = reading.column(tuple(part for part in parts if part.counted), "int64")
    if given is None:
        return results
    beyond = ((skipped > 0) & (given.value == 0)).fill_null(False)
    found = (for_facets | beyond).ifelse(None, given.value + skipped.fill_null(0))
    told = reading.column(tuple(part for part in parts if not part.counted), "int64")
    return found if told is None else ibis.coalesce(told.value, found)


def paged(query_id: Any, page: Any) -> Any:
    """The id of a page of a query whose pages share an id: the query's own for its first."""
    return (page > 1).fill_null(False).ifelse(query_id + "#" + page.cast("string"), query_id)


def _column(reading: Reading, rows: Rows, name: str, kind: str) -> Value | None:
    if name not in rows.columns:
        return None
    kind = "time" if name == "time" else kind
    return reading.column(rows.columns[name], kind, keep_empty=name == "text")


def _renamed(action: Any, names: Mapping[str, str]) -> Any:
    import ibis

    return ibis.cases(*((action == old, new) for old, new in names.items()), else_=action)


def _problem(values: ibis.Table, rows: Rows, broken: str) -> Any:
    """The first thing that is wrong with a row, as a text; null where nothing is."""
    import ibis

    cases: list[tuple[Any, str]] = []
    if BROKEN in values.columns and broken:
        cases.append((values[BROKEN], broken))
    for name in NEEDED[rows.kind]:
        cases += _unread(values, name, f"a {name} that cannot be read")
        missing = values[name].isnull() if name in values.columns else ibis.literal(True)
        cases.append((missing, f"no {name}"))
    if "time" in values.columns:
        cases.append((times.impossible(values.time), "a time that cannot be"))
    return ibis.cases(*cases, else_=ibis.null("string"))


def _odd(values: ibis.Table, name: str) -> Any:
    """What is wrong with a number without which a row can still be used; null where nothing is."""
    import ibis

    lowest = LOWEST[name]
    cases = _unread(values, name, f"{name} is not a number: read as unknown")
    cases.append((values[name] < lowest, f"{name} below {lowest}: read as unknown"))
    cases.append((values[name] > HIGHEST, f"{name} above {HIGHEST:,}: read as unknown"))
    return ibis.cases(*cases, else_=ibis.null("string"))


def _unread(values: ibis.Table, name: str, reason: str) -> list[tuple[Any, str]]:
    """That what stood there is no value, where that can be."""
    if STOOD + name not in values.columns:
        return []
    return [(values[STOOD + name] & values[name].isnull(), reason)]


def matching(table: ibis.Table, conditions: tuple[Condition, ...]) -> Any | None:
    """Whether a row fulfils all conditions; a row that could not be taken apart does."""
    import ibis

    tests = [_test(table, condition) for condition in conditions]
    if not tests:
        return None
    fits = ibis.and_(*tests).fill_null(False)
    return fits | table[BROKEN] if BROKEN in table.columns else fits


def _holds(value: Any) -> Any:
    """Whether a value that is there is more than an empty text or list."""
    import ibis

    if value.type().is_array():
        return value.length() > 0
    return ~value.isin(["", "[]"]) if value.type().is_string() else ibis.literal(True)


def _test(table: ibis.Table, condition: Condition) -> Any:
    import ibis

    if condition.path not in table.columns:
        absent = condition.negated or condition.present is False
        return ibis.literal(absent)
    value = table[condition.path]
    if condition.present is not None:
        there = value.notnull() & _holds(value)
        return there if condition.present else ~there
    told = value if value.type().is_string() else value.cast("string")
    among = told.isin(condition.values)
    return ~among.fill_null(False) if condition.negated else among

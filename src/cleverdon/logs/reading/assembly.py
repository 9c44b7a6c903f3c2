"""Assembly of canonical tables from the rows of all sources.

Rows and values that cannot be used are set aside, counted and shown.

A search page often sends several requests for one search: one for the results, some for facets, one
more for each further page, and any of them again if the first answer failed. All of them have the
query id of the search. The request that asked for results and got them is the search; a further
page is a separate row, as it is in logs that give each page an id. A request for another text, or
by another user, belongs to no known search: such a log reuses ids.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import count
from typing import Any

import ibis

from cleverdon.logs.log import EVENTS, QUERIES, UnusableRows, conform
from cleverdon.logs.reading.mapping import INDEX, Part, RowMapping, TableKind
from cleverdon.logs.reading.parsing import (
    LACKS_ZONE,
    LOWEST,
    ODD,
    PAGE,
    PROBLEM,
    SIZE,
    ZONELESS,
    ColumnReader,
    canonical_rows,
    guessed_unit,
    matches_conditions,
    page_id,
)
from cleverdon.logs.reading.sources import BROKEN, FILE, RAW, Source, containing_list

_FACETS = "facet requests, which ask for no results (size 0)"
_RETRIED = "requests without results that were sent again"
_REPEATED = "repeated requests with the same number of results"
_CHANGED = "repeated requests with another number of results, as by a filter"
_FURTHER = "further pages under the query id of their search"
_OTHER_TEXT = "another text under the query id of an earlier search"
_OTHER_USER = "another user under the query id of an earlier search"
REUSED = (_OTHER_TEXT, _OTHER_USER)

_MERGED = "_merged"  # the reason why a request was merged, or the mark of a further page
ID = "_id"
"""The query id that several pages share."""


@dataclass(frozen=True)
class _Order:
    """Windows over the good requests of each query id."""

    table: ibis.Table
    ties: tuple[str, ...]

    def number(self, by: list[str], first: list[str]) -> Any:
        """Number the rows that agree in `by`, from 0."""
        order = [self.table[name] for name in (*first, "time", *self.ties)]
        group = [self.table[name] for name in ("query_id", *by)]
        return ibis.row_number().over(ibis.window(group_by=group, order_by=order))

    def of_first(self, by: list[str], place: str, value: Any) -> Any:
        """Return the value of the first row, for all rows that agree in `by`."""
        group = [self.table[name] for name in ("query_id", *by)]
        first = (self.table[place] == 0).ifelse(value, None)
        return first.max().over(ibis.window(group_by=group))


def _merge_requests(table: ibis.Table, ties: tuple[str, ...]) -> ibis.Table:
    """Merge requests of one search; mark reused ids; give further pages ids of their own."""
    # `ties` order requests that are equal in all else, so that every engine chooses the same.
    facets = (table[SIZE] == 0).fill_null(False) if SIZE in table.columns else ibis.literal(False)
    rows = table.mutate(
        _good=table[PROBLEM].isnull(),
        _facets=facets.ifelse(1, 0),
        _text=table.text.strip().lower(),
        _who=table.user.coalesce(table.client),
        _number=table.page.fill_null(1),
        _answer=ibis.cases((table.results > 0, 0), (table.results == 0, 1), else_=2),
    )
    # The first request that asked for results decides the user and the text.
    rows = rows.mutate(_nameless=rows["_text"].isnull().ifelse(1, 0))
    rows = rows.mutate(_lead=_Order(rows, ties).number(["_good"], ["_facets", "_nameless"]))
    order = _Order(rows, ties)
    rows = rows.mutate(
        _lead_text=order.of_first(["_good"], "_lead", rows["_text"]),
        _lead_who=order.of_first(["_good"], "_lead", rows["_who"]),
        _lead_facets=order.of_first(["_good"], "_lead", rows["_facets"]),
    )
    # A null in either row is not a difference.
    rows = rows.mutate(
        _text_differs=(rows["_text"] != rows["_lead_text"]).fill_null(False),
        _who_differs=(rows["_who"] != rows["_lead_who"]).fill_null(False),
    )
    rows = rows.mutate(_other=rows["_text_differs"] | rows["_who_differs"])
    alike = ["_good", "_other", "_facets", "_number"]
    rows = rows.mutate(_place=_Order(rows, ties).number(alike, ["_answer"]))
    order = _Order(rows, ties)
    rows = rows.mutate(
        _best_time=order.of_first(alike, "_place", rows.time),
        _best_answer=order.of_first(alike, "_place", rows["_answer"]),
        _best_results=order.of_first(alike, "_place", rows.results),
    )
    # If only requests for facets are known, the first of them is the search.
    facets = (rows["_facets"] == 1) & ((rows["_lead_facets"] == 0) | (rows["_lead"] > 0))
    asked_again = (rows["_answer"] > rows["_best_answer"]) & (rows.time <= rows["_best_time"])
    later = rows["_place"] > 0
    merging = ibis.cases(
        (~rows["_good"], ibis.null("string")),
        (facets, _FACETS),
        (rows["_other"], ibis.null("string")),
        (later & asked_again, _RETRIED),
        (later & rows.results.identical_to(rows["_best_results"]), _REPEATED),
        (later, _CHANGED),
        else_=ibis.null("string"),
    )
    reused = rows["_good"] & rows["_other"] & ~facets
    rows = rows.mutate(
        **{
            _MERGED: merging,
            PROBLEM: ibis.cases(
                (reused & rows["_text_differs"], _OTHER_TEXT),
                (reused, _OTHER_USER),
                else_=rows[PROBLEM],
            ),
        }
    )
    return _with_pages(rows, ties).select(*table.columns, _MERGED, ID)


def _with_pages(rows: ibis.Table, ties: tuple[str, ...]) -> ibis.Table:
    """Give an id to each further page: of the kept rows, all but the first page."""
    rows = rows.mutate(_kept=rows[PROBLEM].isnull() & rows[_MERGED].isnull())
    rows = rows.mutate(_turn=_Order(rows, ties).number(["_kept"], ["_number"]))
    further = rows["_kept"] & (rows["_turn"] > 0)
    own = rows.query_id + "#" + rows["_number"].cast("string")
    return rows.mutate(
        query_id=further.ifelse(own, rows.query_id),
        **{ID: rows.query_id, _MERGED: further.ifelse(_FURTHER, rows[_MERGED])},
    )


def attach_events(queries: ibis.Table, events: ibis.Table) -> ibis.Table:
    """Give events without a query id the last search of their session, user or client."""

    def key(table: ibis.Table) -> Any:
        return ibis.coalesce("s " + table.session, "u " + table.user, "c " + table.client)

    lost = events.filter(events.query_id.isnull())
    rest = events.filter(events.query_id.notnull())
    return ibis.union(rest, _last_query_before(queries, key(queries), lost, key(lost)))


def events_of_searches(events: ibis.Table) -> tuple[ibis.Table, tuple[str, ...]]:
    """Return the events that belong to a search, and a note on the number of others."""
    belongs = events.query_id.notnull()
    others = events.aggregate(n=(~belongs).sum()).to_pyarrow()["n"][0].as_py()
    if not others:
        return events, ()
    note = f"events left out, because they come before any search of their session: {others:,}"
    return events.filter(belongs), (note,)


def events_of_kept_rows(queries: ibis.Table, events: ibis.Table) -> ibis.Table:
    """Return the events of the queries that were kept."""
    shared = queries[ID] if ID in queries.columns else queries.query_id
    pages = queries.select(_of=shared, _own=queries.query_id, _at=queries.time, _nth=queries.page)
    same = [events.query_id == pages["_of"], events.time == pages["_at"]]
    if PAGE in events.columns:
        same.append(events[PAGE].fill_null(1) == pages["_nth"].fill_null(1))
    joined = events.join(pages, same)
    return joined.mutate(query_id=joined["_own"]).select(*events.columns).distinct()


def assign_pages(queries: ibis.Table, events: ibis.Table) -> ibis.Table:
    """Give events the id of their page: the page that they name, or the last before them."""
    shared = queries[ID] if ID in queries.columns else _shared_id(queries)
    if PAGE not in events.columns:
        events = events.mutate(**{PAGE: ibis.null("int64")})
    named = events.filter(events[PAGE].notnull() | events.query_id.isnull())
    named = named.mutate(query_id=page_id(named.query_id, named[PAGE]))
    unnamed = events.filter(events[PAGE].isnull() & events.query_id.notnull())
    found = _last_query_before(queries, shared, unnamed, unnamed.query_id)
    return ibis.union(named, found).drop(PAGE)


def _shared_id(queries: ibis.Table) -> Any:
    """Undo `page_id`."""
    suffix = "#" + queries.page.cast("string")
    whole = queries.query_id
    further = (queries.page > 1).fill_null(False)
    return further.ifelse(whole.left(whole.length() - suffix.length()), whole)


def _last_query_before(
    queries: ibis.Table, query_key: Any, events: ibis.Table, event_key: Any
) -> ibis.Table:
    """Give each event the id of the last query of the same key that was not after it."""
    # Each query opens a group in the order of time: two windows, and no join of unequal times,
    # which engines do differently.
    nothing = {name: ibis.null(kind) for name, kind in events.schema().items()}
    nothing |= {"query_id": queries.query_id, "time": queries.time}
    openers = queries.select(**nothing, _key=query_key, _opens=ibis.literal(1))
    followers = events.mutate(_key=event_key, _opens=ibis.literal(0))
    both = ibis.union(openers, followers)
    in_order = ibis.window(
        group_by=both["_key"],
        order_by=[both.time, both["_opens"].desc(), both.query_id],
        preceding=None,
        following=0,
    )
    grouped = both.mutate(_group=both["_opens"].sum().over(in_order))
    opener = (grouped["_opens"] == 1).ifelse(grouped.query_id, None)
    group = ibis.window(group_by=[grouped["_key"], grouped["_group"]])
    given = grouped.mutate(_found=opener.max().over(group))
    events_only = given.filter(given["_opens"] == 0)
    known = events_only["_key"].notnull() & events_only["_found"].notnull()
    return events_only.mutate(
        query_id=known.ifelse(events_only["_found"], events_only.query_id)
    ).select(*events.columns)


def fill_from_events(
    queries: ibis.Table, events: ibis.Table, columns: tuple[str, ...]
) -> ibis.Table:
    known_events = events.filter(events.query_id.notnull())
    known = known_events.group_by(_of=known_events.query_id).aggregate(
        **{f"_{name}": known_events[name].min() for name in columns}
    )
    joined = queries.left_join(known, queries.query_id == known["_of"])
    filled = {name: joined[name].coalesce(joined[f"_{name}"]) for name in columns}
    known_by_own = joined.mutate(**filled).select(*queries.columns)
    if ID not in queries.columns:
        return known_by_own
    # A further page is in the session of its search, even where nothing was done on it.
    pages = ibis.window(group_by=known_by_own[ID])
    return known_by_own.mutate(
        **{
            name: known_by_own[name].coalesce(known_by_own[name].min().over(pages))
            for name in columns
        }
    )


def no_events(queries: ibis.Table) -> ibis.Table:
    return queries.filter(ibis.literal(False)).select(
        **{name: ibis.null(kind) for name, kind in EVENTS.items()}
    )


_SAMPLED_VALUES = 1_000
_ORIGIN = "_source"  # the number of the source of a row

_numbers = count()


@dataclass(frozen=True)
class RawRows:
    """Queries or events before rows are set aside."""

    kind: TableKind
    table: ibis.Table
    whole: ibis.Table
    """The same with every row's own text, which `table` has only for rows to be shown."""
    segments: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class FlatRows:
    """The flat rows of a source that become queries or events."""

    rows: RowMapping
    source: Source
    number: int
    flat: ibis.Table
    first: bool  # whether the source's broken rows are counted with these
    staged: bool


def _materialise(backend: Any, table: ibis.Table) -> ibis.Table:
    """Copy a table into DuckDB, in memory or spilled to disk."""
    name = f"_copied_{next(_numbers)}"
    backend.raw_sql(f"CREATE TABLE {name} AS {backend.compile(table)}")
    return backend.table(name)


def flatten_sources(
    sources: Sequence[Source], pairs: Sequence[tuple[RowMapping, Source]]
) -> list[FlatRows]:
    """Return the flat rows of every pair; parse each text file once."""
    found: list[FlatRows] = []
    for number, source in enumerate(sources):
        own = [_with_others(rows, source) for rows, other in pairs if other is source]
        if not own:
            continue
        within = {
            path
            for rows in own
            for path in rows.paths()
            if path not in rows.each and containing_list(path, rows.each) is not None
        }
        flat = source.flat({path for rows in own for path in rows.paths()} - within)
        staged = source.copied and len(own) > 1
        if staged:
            flat = _materialise(source.backend, flat)
        found += [
            FlatRows(rows, source, number, flat, first=rows is own[0], staged=staged)
            for rows in own
        ]
    return found


def drop_staged(parts: Sequence[FlatRows]) -> None:
    """Drop the copies of flat rows that are no longer needed."""
    for flat in {id(part.flat): part.flat for part in parts if part.staged}.values():
        parts[0].source.backend.drop_table(flat.op().name)


def collect_rows(kind: TableKind, parts: Sequence[FlatRows]) -> RawRows:
    """Combine all rows of a kind, from all sources, into one table."""
    named = QUERIES if kind == "queries" else EVENTS
    notes: list[str] = []
    done = [(part, *_canonical_rows(part, notes)) for part in parts]
    segments = tuple(dict.fromkeys(name for _, _, names in done for name in names))
    known = {name for _, rows, _ in done for name in rows.columns}
    hidden = {PROBLEM: "string", LACKS_ZONE: "boolean", RAW: "string", FILE: "string"}
    odd = [ODD + name for name in LOWEST if ODD + name in known]
    hidden |= dict.fromkeys(odd, "string")
    hidden |= {name: "int64" for name in (PAGE, SIZE) if name in known}
    tables = [
        conform(rows, {**named, **dict.fromkeys(segments, "string"), **hidden}).mutate(
            **{_ORIGIN: ibis.literal(part.number)}
        )
        for part, rows, _ in done
    ]
    whole = ibis.union(*tables) if len(tables) > 1 else tables[0]
    table = whole
    if any(part.source.copied for part in parts):
        wrong = ibis.or_(*(table[name].notnull() for name in (PROBLEM, *odd)))
        shown = wrong.ifelse(table[RAW], None)
        table = _materialise(parts[0].source.backend, table.mutate(**{RAW: shown}))
    return RawRows(kind, table, whole, segments, tuple(dict.fromkeys(notes)))


def _canonical_rows(part: FlatRows, notes: list[str]) -> tuple[ibis.Table, tuple[str, ...]]:
    rows, source, flat = part.rows, part.source, part.flat
    if BROKEN in flat.columns and not part.first:
        flat = flat.filter(~flat[BROKEN])
    if rows.each:
        there = rows.each[0] in flat.columns
        flat = source.expanded(flat, rows.each, rows.paths()) if there else flat.limit(0)
    fits = matches_conditions(flat, rows.where)
    if fits is not None:
        flat = flat.filter(fits)
    reading = ColumnReader(flat, source.backend.name)
    reading = replace(reading, units=_units(rows, reading, notes))
    rows = _counted_from_one(rows, reading, notes)
    return canonical_rows(reading, rows, broken=source.broken)


def _with_others(rows: RowMapping, source: Source) -> RowMapping:
    """Map every other column to a segment, if the mapping wants that."""
    if not rows.other_segments:
        return rows
    others = sorted(source.plain() - set(QUERIES) - set(rows.paths()))
    return replace(rows, segments={name: (Part(path=name),) for name in others})


def _units(rows: RowMapping, reading: ColumnReader, notes: list[str]) -> dict[str, str]:
    """Guess the unit of numeric times from a sample."""
    found: dict[str, str] = {}
    for part in rows.columns["time"]:
        if part.path is None or part.unit is not None:
            continue
        numbers = (_number(value) for value in reading.sample(part, _SAMPLED_VALUES))
        unit = guessed_unit(number for number in numbers if number is not None)
        if unit is None:
            continue
        found[part.path] = unit
        if (part.path, unit) != ("time", "ms"):  # which is what `Log` itself has
            notes.append(f"{rows.kind}.time: numbers in {part.path} are taken to be in {unit}")
    return found


def _counted_from_one(rows: RowMapping, reading: ColumnReader, notes: list[str]) -> RowMapping:
    """Detect positions that count from 0, unless the mapping says so."""
    # From 0, the first result is about as frequent as the second; a stray 0 is an error.
    found = []
    for part in rows.columns.get("position", ()):
        if part.path and part.path != INDEX and part.start is None:
            numbers = [_number(value) for value in reading.sample(part, _SAMPLED_VALUES)]
            if 0 < numbers.count(1) <= 2 * numbers.count(0):
                notes.append(f"{rows.kind}.position: {part.path} is taken to count from 0")
                part = replace(part, start=0)
        found.append(part)
    return replace(rows, columns={**rows.columns, "position": tuple(found)}) if found else rows


def _number(value: Any) -> float | None:
    if not isinstance(value, int | float | Decimal | str):
        return None
    try:
        return float(value)
    except ValueError:
        return None


_EXAMPLES = 3
_MOST_ALIKE = 1_000
_HIDDEN = (PROBLEM, LACKS_ZONE, RAW, FILE, _ORIGIN, SIZE, _MERGED)


@dataclass(frozen=True)
class UsableRows:
    """The usable rows of queries or of events, and those that are not usable."""

    table: ibis.Table
    rows: int = 0  # the number of all rows, including those set aside
    segments: tuple[str, ...] = ()
    aside: tuple[UnusableRows, ...] = ()
    merged: tuple[UnusableRows, ...] = ()  # merged requests, and further pages, which are kept
    notes: tuple[str, ...] = ()
    backend: Any | None = None  # the engine that results are copied to; None if rows are not copied

    def materialised(self, table: ibis.Table) -> UsableRows:
        """Replace the rows; copy them if every metric would otherwise compute them again."""
        copied = table if self.backend is None else _materialise(self.backend, table)
        return replace(self, table=copied)


def set_aside(rough: RawRows, sources: Sequence[Source]) -> UsableRows:
    """Split off unusable rows, and read impossible values as unknown."""
    table = rough.table
    good = table[PROBLEM].isnull()
    wanted: dict[str, Any] = {
        "good": good.sum(),
        "rows": table.count(),
        "zoneless": table[LACKS_ZONE].any(where=good),
    }
    odd = [name for name in table.columns if name.startswith(ODD)]
    wanted |= {name: table[name].notnull().sum(where=good) for name in odd}
    if rough.kind == "queries":
        wanted["distinct"] = table.query_id.nunique(where=good)
    (counts,) = table.aggregate(**wanted).to_pyarrow().to_pylist()
    some = counts["good"] or 0
    shared = rough.kind == "queries" and counts["distinct"] < some
    if shared:
        # Cached, because every query on the log would compute it again.
        table = _merge_requests(table, _tie_columns(table)).cache()
    found = _rejected(rough.kind, sources)
    rows = counts["rows"] + sum(aside.count for aside in found)
    if shared or some < counts["rows"]:
        found += _rows_by_reason(rough, table, sources, PROBLEM)
        table = table.filter(table[PROBLEM].isnull())
    joined: list[UnusableRows] = []
    if shared:
        joined = _rows_by_reason(rough, table, sources, _MERGED)
        table = table.filter(table[_MERGED].isnull() | (table[_MERGED] == _FURTHER))
        if not any(one.reason == _FURTHER for one in joined):
            table = table.drop(ID)
    unknown: dict[str, Any] = {}
    for name in odd:
        if counts[name]:
            found += _rows_by_reason(rough, table, sources, name)
            column = name.removeprefix(ODD)
            unknown[column] = table[name].isnull().ifelse(table[column], None)
    kept = table.mutate(**unknown).drop(*(name for name in table.columns if _hidden(name)))
    notes = rough.notes
    if counts["zoneless"]:
        notes += (f"{rough.kind}.time {ZONELESS}; they are taken to be in UTC",)
    return UsableRows(kept, rows, rough.segments, tuple(found), tuple(joined), notes)


def _hidden(name: str) -> bool:
    return name in _HIDDEN or name.startswith(ODD)


def _tie_columns(table: ibis.Table) -> tuple[str, ...]:
    return tuple(
        name for name in table.columns if not _hidden(name) and name not in ("query_id", "time")
    )


def _rejected(kind: str, sources: Sequence[Source]) -> list[UnusableRows]:
    """Return the rows that sources could not read; without a role they are queries."""
    return [
        UnusableRows(kind, reason, count, tuple(examples[:_EXAMPLES]))
        for source in sources
        if (source.role or "queries") == kind
        for reason, count, examples in source.rejected()
    ]


def _rows_by_reason(
    rough: RawRows, table: ibis.Table, sources: Sequence[Source], why: str
) -> list[UnusableRows]:
    """Group rows by the reason in column `why`; all but problems and merged rows are kept."""
    counts = table.group_by(why).aggregate(n=table.count()).order_by(why)
    found = [row for row in counts.to_pyarrow().to_pylist() if row[why] is not None]
    some: dict[str, list[dict[str, Any]]] = {}
    for row in found:
        examples = table.filter(table[why] == row[why]).limit(_EXAMPLES)
        some[row[why]] = examples.to_pyarrow().to_pylist()
    if rough.whole is not rough.table:
        every = [row for rows in some.values() for row in rows]
        _add_text(rough.whole, [row for row in every if why == _MERGED or row[why] in REUSED])
    return [
        UnusableRows(
            rough.kind,
            row[why],
            row["n"],
            _examples(some[row[why]], sources),
            kept=why not in (PROBLEM, _MERGED) or row[why] == _FURTHER,
        )
        for row in found
    ]


def _add_text(whole: ibis.Table, rows: list[dict[str, Any]]) -> None:
    """Add the original text of rows whose ids were merged."""
    if not rows:
        return
    ids, times = ({row[name] for row in rows} for name in (ID, "time"))
    asked = whole.filter(whole.query_id.isin(ids), whole.time.isin(times))
    names = ("time", *_tie_columns(whole))
    texts: dict[tuple[Any, ...], list[str]] = {}
    for found in asked.limit(_MOST_ALIKE).to_pyarrow().to_pylist():
        key = (found["query_id"], *(found[name] for name in names))
        texts.setdefault(key, []).append(found[RAW])
    for row in rows:
        alike = texts.get((row[ID], *(row[name] for name in names)))
        if alike:
            row[RAW] = alike.pop(0) if len(alike) > 1 else alike[0]


def _examples(some: list[dict[str, Any]], sources: Sequence[Source]) -> tuple[str, ...]:
    found: list[str] = []
    for number in sorted({row[_ORIGIN] for row in some}):
        own = [row for row in some if row[_ORIGIN] == number]
        found += sources[number].located([(row[FILE], row[RAW] or _row_text(row)) for row in own])
    return tuple(found)


def _row_text(row: dict[str, Any]) -> str:
    there = {name: value for name, value in row.items() if value is not None and name != ID}
    shown = {name: value for name, value in there.items() if not _hidden(name)}
    return json.dumps(shown, default=str)

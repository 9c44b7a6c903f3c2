"""What can only be done once queries and events are both there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cleverdon.online.log import EVENTS
from cleverdon.online.reading.canonical import PAGE, paged
from cleverdon.online.reading.merging import ID

if TYPE_CHECKING:
    import ibis


def attached(queries: ibis.Table, events: ibis.Table) -> ibis.Table:
    """Events without a query id, with that of the last search before them.

    It is the last of the same session; where a session is not known, of the same user or client.
    An event that no search comes before keeps none.
    """
    import ibis

    def key(table: ibis.Table) -> Any:
        return ibis.coalesce("s " + table.session, "u " + table.user, "c " + table.client)

    lost = events.filter(events.query_id.isnull())
    rest = events.filter(events.query_id.notnull())
    return ibis.union(rest, _found(queries, key(queries), lost, key(lost)))


def of_searches(events: ibis.Table) -> tuple[ibis.Table, tuple[str, ...]]:
    """The events that belong to a search, and a note of how many do not, if any.

    A log of all that happens on a site has far more that has nothing to do with its search.
    """
    belongs = events.query_id.notnull()
    others = events.aggregate(n=(~belongs).sum()).to_pyarrow()["n"][0].as_py()
    if not others:
        return events, ()
    note = f"events that come before any search of their session, and were left out: {others:,}"
    return events.filter(belongs), (note,)


def of_good(queries: ibis.Table, events: ibis.Table) -> ibis.Table:
    """The events that rows of queries gave, without those of rows that are not kept.

    A request that was merged into another of the same time may say the same as that one.
    """
    shared = queries[ID] if ID in queries.columns else queries.query_id
    pages = queries.select(_of=shared, _own=queries.query_id, _at=queries.time, _nth=queries.page)
    same = [events.query_id == pages["_of"], events.time == pages["_at"]]
    if PAGE in events.columns:
        same.append(events[PAGE].fill_null(1) == pages["_nth"].fill_null(1))
    joined = events.join(pages, same)
    return joined.mutate(query_id=joined["_own"]).select(*events.columns).distinct()


def with_pages(queries: ibis.Table, events: ibis.Table) -> ibis.Table:
    """Events of queries whose pages share an id, with the id of the page that they belong to.

    It is the page that the event names, or else the last that was asked for before it.
    """
    import ibis

    shared = queries[ID] if ID in queries.columns else _shared_id(queries)
    if PAGE not in events.columns:
        events = events.mutate(**{PAGE: ibis.null("int64")})
    told = events.filter(events[PAGE].notnull() | events.query_id.isnull())
    told = told.mutate(query_id=paged(told.query_id, told[PAGE]))
    untold = events.filter(events[PAGE].isnull() & events.query_id.notnull())
    found = _found(queries, shared, untold, untold.query_id)
    return ibis.union(told, found).drop(PAGE)


def _shared_id(queries: ibis.Table) -> Any:
    """The id that pages share by their mapping, of which `paged` made one for each page."""
    suffix = "#" + queries.page.cast("string")
    whole = queries.query_id
    further = (queries.page > 1).fill_null(False)
    return further.ifelse(whole.left(whole.length() - suffix.length()), whole)


def _found(queries: ibis.Table, query_key: Any, events: ibis.Table, event_key: Any) -> ibis.Table:
    """The events, each with the id of the last query of the same key that was not after it.

    Queries and events stand in one order of time, and each query opens a group. That takes two
    windows and no join of unequal times, which engines do differently.
    """
    import ibis

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


def from_events(queries: ibis.Table, events: ibis.Table, columns: tuple[str, ...]) -> ibis.Table:
    """Queries with these columns of their events, where they are null."""
    import ibis

    told = events.filter(events.query_id.notnull())
    known = told.group_by(_of=told.query_id).aggregate(
        **{f"_{name}": told[name].min() for name in columns}
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


def none(queries: ibis.Table) -> ibis.Table:
    """Events of a log that has none."""
    import ibis

    return queries.filter(ibis.literal(False)).select(
        **{name: ibis.null(kind) for name, kind in EVENTS.items()}
    )

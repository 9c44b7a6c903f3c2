"""What checks look at: tables made of a log, each where the log lies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import ibis

from cleverdon.online.bots import persons
from cleverdon.online.doctor.limits import Limits
from cleverdon.online.log import Log, with_actors
from cleverdon.online.portable import whole

if TYPE_CHECKING:
    from ibis import Table


def _queries(log: Log, limits: Limits) -> Table:
    """Every search."""
    return log.queries


def _acts(log: Log, limits: Limits) -> Table:
    """Every event, with its page: when and by whom it was asked for, and what it found."""
    pages = log.queries.select(
        page_id="query_id", asked="time", asked_by="user", page="page", results="results"
    )
    return log.events.left_join(pages, log.events.query_id == pages.page_id)


def _clicks(log: Log, limits: Limits) -> Table:
    """Every click, and when its result was shown: null where it was not.

    A result is known by its document; where either row has none, by its position. Kept, since it
    takes long, and is asked for again where examples are shown.
    """
    events = log.events.filter(log.events.query_id.notnull())
    clicks = events.filter(events.action == "click")
    shown = events.filter(events.action == "impression")
    # What was shown on other pages would only make the tables large.
    shown = shown.semi_join(clicks.select("query_id"), "query_id")
    pages = shown.group_by(shown_page=shown.query_id).agg(shown_results=shown.count())
    by_doc = shown.filter(shown.doc.notnull())
    by_doc = by_doc.group_by(doc_page=by_doc.query_id, shown_doc=by_doc.doc).agg(
        doc_shown=by_doc.time.min()
    )
    by_place = _by_place(clicks, shown)
    joined = clicks.left_join(pages, clicks.query_id == pages.shown_page)
    joined = joined.left_join(
        by_doc, [joined.query_id == by_doc.doc_page, joined.doc == by_doc.shown_doc]
    )
    joined = joined.left_join(
        by_place,
        [joined.query_id == by_place.place_page, joined.position == by_place.shown_position],
    )
    in_place = ibis.ifelse(joined.doc.isnull(), joined.place_shown, joined.nameless_shown)
    return joined.select(
        *clicks.columns,
        shown_results=joined.shown_results.fill_null(0),
        shown=joined.doc_shown.coalesce(in_place),
    ).cache()


def _by_place(clicks: Table, shown: Table) -> Table:
    """When each position was shown; only where it is asked for, since most rows have documents."""
    nameless = clicks.filter(clicks.doc.isnull()).select("query_id")
    named = shown.filter(shown.doc.notnull()).semi_join(nameless, "query_id")
    places = shown.filter(shown.doc.isnull()).union(named)
    places = places.filter(places.position.notnull())
    return places.group_by(place_page=places.query_id, shown_position=places.position).agg(
        place_shown=places.time.min(),
        nameless_shown=places.time.min(where=places.doc.isnull()),
    )


def _shown(log: Log, limits: Limits) -> Table:
    """Every page of which impressions are known, with the first and last position among them."""
    events = log.events
    shown = events.filter(events.action == "impression", events.position.notnull())
    return shown.group_by("query_id").agg(
        impressions=shown.count(),
        first_position=shown.position.min(),
        last_position=shown.position.max(),
    )


def _dwells(log: Log, limits: Limits) -> Table:
    """Every click with a dwell time, and how long it was until the same person's next doing."""
    pages = with_actors(log).select("query_id", "time", person="actor")
    events = log.events
    clicks = events.filter(events.action == "click")
    clicks = clicks.join(
        pages.select(page_id="query_id", person="person"), clicks.query_id == pages.query_id
    ).select("query_id", "time", "person", "doc", "dwell_ms")
    searches = pages.mutate(doc=ibis.null("string"), dwell_ms=ibis.null("int64"))
    both = clicks.union(searches.select(*clicks.columns))
    both = both.filter(both.person.notnull())
    following = both.time.lead().over(group_by="person", order_by=["time", "query_id"])
    both = both.mutate(until_next_ms=following - both.time)
    return both.filter(both.dwell_ms.notnull() & both.until_next_ms.notnull())


def _persons(log: Log, limits: Limits) -> Table:
    """Every person who searched. Kept, since it takes long, and several questions are asked."""
    return persons(log, limits.bots).cache()


def _assigned(log: Log, limits: Limits) -> Table:
    """Every person who saw a variant: the first and last variant by name, and since when."""
    queries = with_actors(log).rename(person="actor")
    queries = queries.filter(queries.person.notnull(), queries.variant.notnull())
    return queries.group_by("person").agg(
        variant=queries.variant.min(),
        another=queries.variant.max(),
        since=queries.time.min(),
        searches=queries.count(),
    )


def _sessions(log: Log, limits: Limits) -> Table:
    """Every session that the log tells apart."""
    queries = log.queries.filter(log.queries.session.notnull())
    return queries.group_by("session").agg(
        searches=queries.count(),
        user=queries.user.min(),
        another=queries.user.max(),
        first=queries.time.min(),
        last=queries.time.max(),
    )


def _sittings(log: Log, limits: Limits) -> Table:
    """Searches of one person, each soon after the other; only of those who searched very often."""
    asked = with_actors(log).select("query_id", "time", person="actor")
    asked = asked.filter(asked.person.notnull())
    everything = asked.count().over(ibis.window(group_by="person"))
    asked = asked.mutate(all=everything)
    asked = asked.filter(asked.all > limits.session_searches)
    order = {"group_by": "person", "order_by": ["time", "query_id"]}
    asked = asked.mutate(gap=asked.time - asked.time.lag().over(**order))
    starts = whole((asked.gap > limits.idle_ms).fill_null(True))
    asked = asked.mutate(starts=starts)
    asked = asked.mutate(sitting=asked.starts.sum().over(ibis.window(**order, following=0)))
    return asked.group_by("person", "sitting").agg(
        searches=asked.count(), first=asked.time.min(), last=asked.time.max()
    )


TABLES: Mapping[str, Callable[[Log, Limits], Table]] = {
    "queries": _queries,
    "acts": _acts,
    "clicks": _clicks,
    "shown": _shown,
    "dwells": _dwells,
    "persons": _persons,
    "assigned": _assigned,
    "sessions": _sessions,
    "sittings": _sittings,
}
"""Their names, and how each is made."""

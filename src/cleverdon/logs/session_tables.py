"""The tables that metrics are counted over: result pages, queries and sessions.

The engine makes each table once, and every metric reads it: a row for each result page, with the
actions on it; for each query, which may have several pages; and for each session.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import ibis
from ibis import Table

from cleverdon._common.progress import Progress, ignore_progress
from cleverdon.errors import InputError
from cleverdon.logs.calendar import DAY, Clock, as_time
from cleverdon.logs.log import (
    ACTIONS,
    ACTORS,
    INTERACTIONS,
    PLURALS,
    Log,
    actor_counts,
    actor_of,
    with_actors,
)
from cleverdon.logs.settings import Settings, normalised_forms, text_normaliser
from cleverdon.logs.sql import upload, zero_or_one


def _with_inferred_dwell(queries: Table, events: Table, settings: Settings) -> Table:
    """Infer dwell times until the next click or search; `is_last` if the user then was idle."""
    actor = queries.actor.coalesce("q:" + queries.query_id)
    pages = queries.select("query_id", person=actor, at="time")
    clicks = events.filter(events.action == "click")
    acts = pages.mutate(event_id=ibis.null("string"), is_click=False).union(
        clicks.join(pages, "query_id").select(
            "query_id", "person", at=clicks.time, event_id=clicks.event_id, is_click=True
        )
    )
    following = acts.at.lead().over(group_by="person", order_by=["at", "query_id"])
    acts = acts.mutate(spent=following - acts.at)
    acts = acts.filter(acts.is_click).group_by("query_id", "at").agg(spent=acts.spent.min())
    joined = events.left_join(
        acts, [events.query_id == acts.query_id, events.time == acts.at, events.action == "click"]
    )
    known = acts.spent <= settings.idle_ms
    return joined.select(
        *[events[name] for name in events.columns if name != "dwell_ms"],
        dwell_ms=ibis.ifelse(known, acts.spent, None),
        is_last=~known.fill_null(False) & (events.action == "click"),
    )


_LONGEST_SPAN = 200 * 366 * DAY  # times that differ by more cannot be of one log


_RESERVED_NAMES = {
    *("actor", "asks", "before", "before_text", "cluster", "clicks", "conversions", "copies"),
    *("deepest", "dwell_sum", "dwelled_clicks", "end", "first_click", "found", "impressions"),
    *("known", "last", "last_event", "long_clicks", "next", "next_text", "next_time", "nth"),
    *("pages", "person", "queries", "query_number", "rank_sum", "ranked_clicks", "reached"),
    *("session_number", "signals", "sitting", "starts", "top_click"),
}
"""Columns that are added here; no segment can have such a name."""


@dataclass(frozen=True, eq=False)
class SessionTables:
    """The result pages, queries and sessions of a log, as Ibis tables."""

    log: Log
    settings: Settings
    searches: ibis.Table
    """The result pages, also those that `Settings.keystroke_seconds` leaves out."""
    pages: ibis.Table
    queries: ibis.Table
    sessions: ibis.Table
    made_by: dict[str, ibis.Table]  # the expression that made each table
    kept_as: dict[str, str]  # the name of each table in the engine
    first: int  # the time of the first search
    last: int
    named_by: Mapping[str, int]
    """The number of `searches`, and of those that user, session, client or `nothing` names."""
    notes: tuple[str, ...] = ()  # the rule for sessions, and the substitutes for users
    split: tuple[str, ...] = ()  # the columns by which the tables can be split, besides the day

    @property
    def knows_persons(self) -> bool:
        return bool(self.log.actors)

    @cached_property
    def has_clicks(self) -> bool:
        """True if there is a click; without any, clicks were perhaps not logged."""
        clicks = self.pages.clicks.sum().to_pyarrow().as_py()
        return bool(clicks)

    @cached_property
    def strays(self) -> dict[str, tuple[int, int]]:
        """For each action, the number of events that belong to no search, and of all events."""
        events, pages = self.log.events, self.searches
        events = events.filter(events.action.isin(ACTIONS))
        counted = events.group_by("action").agg(n=events.count())
        there = {row["action"]: row["n"] for row in counted.to_pyarrow().to_pylist()}
        sums = pages.agg(**{action: pages[name].sum() for action, name in PLURALS.items()})
        (known,) = sums.to_pyarrow().to_pylist()
        totals = {action: there.get(action, 0) for action in ACTIONS}
        return {name: (max(n - (known[name] or 0), 0), n) for name, n in totals.items()}

    @cached_property
    def without_doc(self) -> dict[str, tuple[int, int]]:
        """For each action, the number of events that name no document, and of all events."""
        events = self.log.events.filter(self.log.events.action.isin(ACTIONS))
        counted = events.group_by("action").agg(
            n=events.count(where=events.doc.isnull()), of=events.count()
        )
        found = {row["action"]: (row["n"], row["of"]) for row in counted.to_pyarrow().to_pylist()}
        return {action: found.get(action, (0, 0)) for action in ACTIONS}

    @property
    def asked(self) -> ibis.Table:
        """The queries; or the result pages, if nothing tells which belong to one query."""
        if self.knows_persons:
            return self.queries
        return self.pages.mutate(found=self.pages.results)

    @cached_property
    def clock(self) -> Clock:
        return Clock(self.settings.timezone, self.first, self.last)

    def local(self, time: Any) -> Any:
        return self.clock.local(time)

    @property
    def local_span(self) -> tuple[int, int]:
        return self.clock.ends


def build_session_tables(
    log: Log,
    settings: Settings | None = None,
    *,
    split: Iterable[str] = (),
    progress: Progress | None = None,
) -> SessionTables:
    """Build the result pages, queries and sessions of a log.

    Args:
        log: The log.
        settings: Where sessions end, and which texts are the same query.
        split: The columns by which metrics will be split; others are left out to save time.
        progress: Receives the current step.
    """
    settings = settings or Settings()
    report = progress or ignore_progress
    labels = tuple(dict.fromkeys(log.split_by(name) for name in split))
    for name in labels:
        if name in _RESERVED_NAMES:
            raise InputError(
                f"metrics cannot be split by a segment named {name!r}, because the tables have a "
                "column of that name; rename it in a mapping file (segments: NAME: COLUMN)",
                source=log.source,
            )
    made_by: dict[str, ibis.Table] = {}
    kept_as: dict[str, str] = {}

    def kept(name: str, table: ibis.Table) -> ibis.Table:
        report(f"counting {name}")
        made_by[name] = table
        cached = table.cache()
        kept_as[name] = cached.get_name().rpartition(".")[2]
        return cached

    report("looking through queries")
    queries = log.queries
    span = queries.agg(
        first=queries.time.min(),
        last=queries.time.max(),
        rows=queries.count(),
        without_user=queries.count(where=queries.user.isnull()),
        without_session=queries.count(where=queries.session.isnull()),
    )
    (when,) = span.to_pyarrow().to_pylist()
    if when["first"] is None:
        lost = [f"{one.reason} ({one.count})" for one in log.aside if one.table == "queries"]
        why = f"; its rows could not be used: {', '.join(lost[:3])}" if lost else ""
        raise InputError(f"the log has no search{why}", source=log.source)
    if when["last"] - when["first"] > _LONGEST_SPAN:
        raise InputError(
            f"searches are from {as_time(when['first'])} to {as_time(when['last'])}, which is too "
            "long for a log; cleverdon logs check shows the rows",
            source=log.source,
        )
    settings = settings.for_log(log)
    if settings.sessions == "log":
        log.need("sessions by the log's own ids", "queries.session")
    # The users of sessions are not needed if every search names its own.
    queries = with_actors(log) if when["without_user"] else queries.mutate(actor=actor_of(queries))
    # Other columns would only take time.
    wanted = ["query_id", "time", "text", "page", "results", "latency_ms", *labels]
    own = ["session"] if settings.sessions == "log" else []
    asked = queries.select(*wanted, *own, "actor")
    asked = _with_texts(asked, log, settings, report)
    asked = _with_events(asked, _seen(log), _done(log, queries, settings))
    searches = asked = kept("searches", asked)
    if settings.keystroke_ms is not None:
        asked = _without_keystrokes(asked, settings.keystroke_ms)
    if settings.sessions == "idle" or when["without_session"]:
        asked = _with_reach(asked, log, settings.idle_ms)
    else:
        asked = asked.mutate(reached=asked.time).drop("last_event")
    if settings.sessions == "log":
        filled = (
            _with_sessions_filled(asked, settings.idle_ms) if when["without_session"] else asked
        )
        asked = _with_own_sessions(filled)
    pages = kept("pages", _numbered(asked, settings.idle_ms))
    pages = _with_cluster(pages)
    named = actor_counts(pages)
    carried = (*labels, "actor") if settings.sessions == "log" else labels
    queries = _with_cluster(kept("queries", _queries(pages, carried)))
    sessions = _with_cluster(kept("sessions", _sessions(queries, carried, settings)))
    return SessionTables(
        log=log,
        settings=settings,
        searches=searches,
        pages=pages,
        queries=queries,
        sessions=sessions,
        made_by=made_by,
        kept_as=kept_as,
        first=when["first"],
        last=when["last"],
        named_by=named,
        notes=_notes(log, settings, named, (when["without_session"], when["rows"])),
        split=labels,
    )


def _notes(
    log: Log, settings: Settings, named: dict[str, int], without_session: tuple[int, int]
) -> tuple[str, ...]:
    if not log.actors:
        return ()
    minutes = f"{settings.idle_ms / 60_000:g} minutes"
    of = f"of {named['searches']:,} searches"
    if settings.sessions == "idle":
        notes = [f"A session ends when its user does nothing for {minutes}."]
    else:
        notes = ["Sessions follow the log's own ids."]
        count, searches = without_session
        if count:
            notes.append(
                f"{count:,} of {searches:,} searches have no session id: each joins the session of "
                f"its user's neighbouring searches, unless {minutes} lie between them."
            )
    others = [name for name in ("session", "client") if named[name]]
    if not log.has("queries.user"):
        whom = " and ".join(f"{name}s" for name in others)
        notes += [f"The log does not name users: {whom} stand for them."] if others else []
    elif others:
        whom = " or ".join(f"the {name} ({named[name]:,})" for name in others)
        count = sum(named[name] for name in others)
        notes.append(f"{count:,} {of} name no user: {whom} stands for the user.")
    if named["nothing"]:
        notes.append(
            f"{named['nothing']:,} {of} name no user, session or client: they are in no session."
        )
    return tuple(notes)


def _with_cluster(table: ibis.Table) -> ibis.Table:
    """Add the user, if known, and the cluster: the actor, or else the page itself."""
    actor = table.actor if "actor" in table.columns else table.person
    cluster = actor.coalesce("q:" + table.query_id) if "query_id" in table.columns else actor
    user = ibis.ifelse(
        actor.startswith(ACTORS["user"]), actor.substr(len(ACTORS["user"])), ibis.null("string")
    )
    return table.mutate(actor=actor, cluster=cluster, user=user)


def _with_texts(queries: ibis.Table, log: Log, settings: Settings, report: Progress) -> ibis.Table:
    normalise = text_normaliser(settings)
    if normalise is None or not log.has("queries.text"):
        return queries
    report("comparing texts")
    distinct = queries.select("text").filter(queries.text.notnull()).distinct()
    forms = normalised_forms(distinct.to_pyarrow()["text"], normalise)
    if not forms:
        return queries
    table = upload(log.backend, {"text": list(forms), "form": list(forms.values())})
    joined = queries.left_join(table, queries.text == table.text)
    others = [name for name in queries.columns if name != "text"]
    return joined.select(*others, text=joined.form.coalesce(queries.text))


def _seen(log: Log) -> ibis.Table:
    """Return the impressions and the last event of each page with events."""
    # Separate from `_done`, because most events are impressions, which need no other columns.
    events = log.events.filter(log.events.query_id.notnull())
    return events.group_by("query_id").agg(
        impressions=events.count(where=events.action == "impression"), last_event=events.time.max()
    )


def _done(log: Log, queries: ibis.Table, settings: Settings) -> ibis.Table:
    """Return the clicks, copies and conversions of each page that has any."""
    events = log.events.filter(log.events.query_id.notnull(), log.events.action.isin(INTERACTIONS))
    inferred = not log.has("events.dwell_ms")
    if inferred:
        events = _with_inferred_dwell(queries, events, settings)
    click = events.action == "click"
    long = events.dwell_ms >= settings.dwell_ms
    if inferred:
        long = long | events.is_last
    return events.group_by("query_id").agg(
        clicks=events.count(where=click),
        first_click=events.time.min(where=click),
        top_click=events.position.min(where=click),
        ranked_clicks=events.position.count(where=click),
        rank_sum=events.position.sum(where=click),
        dwelled_clicks=events.dwell_ms.count(where=click),
        dwell_sum=events.dwell_ms.sum(where=click),
        long_clicks=events.count(where=click & long),
        copies=events.count(where=events.action == "copy"),
        conversions=events.count(where=events.action == "conversion"),
    )


def _with_events(asked: ibis.Table, seen: ibis.Table, done: ibis.Table) -> ibis.Table:
    """Add the events of each page; zeros if there are none."""
    for more in (seen, done):
        asked = asked.left_join(more, "query_id").drop("query_id_right")
    counts = ["impressions", *(name for name in done.columns if name not in _UNKNOWN)]
    return asked.mutate(**{name: asked[name].fill_null(0) for name in counts})


_UNKNOWN = ("query_id", "first_click", "top_click")
"""Columns that stay null on a page without a click."""


def _without_keystrokes(asked: ibis.Table, soon: int) -> ibis.Table:
    """Leave out searches that were made while the next one was typed."""
    window: dict[str, Any] = {"group_by": "actor", "order_by": ["time", "query_id"]}
    rows = asked.mutate(
        next_text=asked.text.lead().over(**window), next_time=asked.time.lead().over(**window)
    )
    typed = (
        (rows.clicks == 0)
        & rows.actor.notnull()
        & (rows.next_time - rows.time <= soon)
        & (rows.next_text != rows.text)
        & (rows.next_text.startswith(rows.text) | rows.text.startswith(rows.next_text))
    )
    return rows.filter(~typed.fill_null(False)).select(*asked.columns)


def _with_reach(pages: ibis.Table, log: Log, idle: int) -> ibis.Table:
    """Add the time until which a page was in use, before a gap longer than `idle`: `reached`."""
    # Later events count for their page, but nobody was busy in between. Events before their page,
    # by a clock that runs behind, change nothing.
    gapped = pages.filter(pages.last_event - pages.time > idle)
    gapped = gapped.select(page_id=gapped.query_id, asked_at=gapped.time)
    acts = log.events.join(gapped, log.events.query_id == gapped.page_id)
    acts = acts.filter(acts.time >= acts.asked_at).select("page_id", "asked_at", "time")
    before = acts.time.lag().over(group_by=["page_id", "asked_at"], order_by="time")
    acts = acts.mutate(before=before.coalesce(acts.asked_at))
    late = acts.filter(acts.time - acts.before > idle)
    # The end before the first gap is the earliest end before any gap.
    ends = late.group_by("page_id", "asked_at").agg(end=late.before.min())
    joined = pages.left_join(ends, [pages.query_id == ends.page_id, pages.time == ends.asked_at])
    last = ibis.greatest(pages.time, pages.last_event.fill_null(pages.time))
    return joined.select(
        *[pages[name] for name in pages.columns if name != "last_event"],
        reached=joined.end.coalesce(last),
    )


def _order(key: str) -> dict[str, Any]:
    return {"group_by": key, "order_by": ["time", "query_id"]}


def _with_before(pages: ibis.Table, key: str) -> ibis.Table:
    """Add the time until which any earlier page of the same key was in use: `before`."""
    earlier = ibis.window(**_order(key), preceding=(None, 1))
    return pages.mutate(before=pages.reached.max().over(earlier))


def _with_sessions_filled(pages: ibis.Table, idle: int) -> ibis.Table:
    """Fill in missing session ids from the actor's page before or after, unless idle."""
    pages = _with_before(pages, "actor")
    pages = pages.mutate(
        starts=zero_or_one(pages.before.isnull() | (pages.time - pages.before > idle))
    )
    running = ibis.window(**_order("actor"), preceding=None, following=0)
    pages = pages.mutate(
        sitting=pages.starts.sum().over(running), known=zero_or_one(pages.session.notnull())
    )
    running = ibis.window(
        group_by=["actor", "sitting"], order_by=["time", "query_id"], preceding=None, following=0
    )
    pages = pages.mutate(nth=pages.known.sum().over(running))
    of_first = ibis.ifelse(pages.nth == 1, pages.session, ibis.null("string"))
    pages = pages.mutate(
        last=pages.session.max().over(group_by=["actor", "sitting", "nth"]),
        next=of_first.max().over(group_by=["actor", "sitting"]),
    )
    filled = ibis.ifelse(
        pages.actor.notnull(), pages.session.coalesce(pages.last, pages.next), ibis.null("string")
    )
    made = ("before", "starts", "sitting", "known", "nth", "last", "next")
    return pages.mutate(session=filled).drop(*made)


def _with_own_sessions(pages: ibis.Table) -> ibis.Table:
    """Add `person`: the log's own session of one actor; else the actor."""
    # The same id with two users is two sessions. The length separates the two joined texts.
    actor = pages.actor
    both = actor.length().cast("string") + ":" + actor + pages.session
    alone = pages.session.isnull() | actor.startswith(ACTORS["session"])
    return pages.mutate(person=ibis.ifelse(alone, actor, both))


def _numbered(pages: ibis.Table, idle: int) -> ibis.Table:
    """Number the sessions of each person, and their queries: runs of pages with one text."""
    own = "session" in pages.columns
    if not own:
        pages = pages.rename(person="actor")
    pages = _with_before(pages, "person")
    pages = pages.mutate(before_text=pages.text.lag().over(**_order("person")))
    ended = pages.time - pages.before > idle
    if own:
        ended = ended & pages.session.isnull()
    starts = pages.before.isnull() | ended
    asks = starts | ~pages.text.identical_to(pages.before_text)
    pages = pages.mutate(starts=zero_or_one(starts), asks=zero_or_one(asks))
    running = ibis.window(**_order("person"), preceding=None, following=0)
    known = pages.person.notnull()
    pages = pages.mutate(
        session_number=ibis.ifelse(known, pages.starts.sum().over(running), None),
        query_number=ibis.ifelse(known, pages.asks.sum().over(running), None),
    )
    pages = pages.drop("before", "before_text", "starts", "asks", "reached")
    return pages.drop("session") if own else pages


def _labels(table: ibis.Table, labels: tuple[str, ...]) -> dict[str, Any]:
    """Return the segments of a query or session: the first in order, if pages differ."""
    return {name: table[name].min() for name in labels}


def _queries(pages: ibis.Table, labels: tuple[str, ...]) -> ibis.Table:
    pages = pages.filter(pages.person.notnull())
    return pages.group_by("person", "session_number", "query_number").agg(
        **_labels(pages, labels),
        time=pages.time.min(),
        text=pages.text.min(),
        pages=pages.count(),
        deepest=pages.page.max(),
        found=pages.results.max(),
        clicks=pages.clicks.sum(),
        long_clicks=pages.long_clicks.sum(),
        copies=pages.copies.sum(),
        conversions=pages.conversions.sum(),
    )


def _sessions(queries: ibis.Table, labels: tuple[str, ...], settings: Settings) -> ibis.Table:
    signals = {"dwell": "long_clicks", "copy": "copies", "conversion": "conversions"}
    satisfied = sum(queries[signals[signal]] for signal in settings.success)
    return queries.group_by("person", "session_number").agg(
        **_labels(queries, labels),
        time=queries.time.min(),
        queries=queries.count(),
        pages=queries.pages.sum(),
        clicks=queries.clicks.sum(),
        signals=satisfied.sum(),
    )

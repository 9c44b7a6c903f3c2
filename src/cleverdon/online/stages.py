"""From a log to what metrics are counted over: result pages, queries and sessions.

Each is a table that is made once, where the log lies, and that every metric reads: a row a result
page, with what was done on it; a row a query, which may have several pages; a row a session.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from cleverdon.errors import InputError
from cleverdon.online.days import DAY, Clock, as_time
from cleverdon.online.dwell import with_inferred_dwell
from cleverdon.online.log import (
    ACTIONS,
    ACTORS,
    SIGNS,
    Log,
    actor_of,
    named_by,
    with_actors,
)
from cleverdon.online.portable import whole
from cleverdon.online.settings import Settings
from cleverdon.online.texts import changed, normaliser
from cleverdon.online.uploading import uploaded

if TYPE_CHECKING:
    import ibis

Progress = Callable[[str], None]
"""Is told what is being done now."""


_LONGEST = 200 * 366 * DAY
"""What is further apart cannot be the times of one log."""


_TAKEN = frozenset(
    {
        "actor",
        "asks",
        "before",
        "before_text",
        "cluster",
        "clicks",
        "conversions",
        "copies",
        "deepest",
        "dwell_sum",
        "dwelled_clicks",
        "end",
        "first_click",
        "found",
        "impressions",
        "known",
        "last",
        "last_event",
        "long_clicks",
        "next",
        "next_text",
        "next_time",
        "nth",
        "pages",
        "person",
        "queries",
        "query_number",
        "rank_sum",
        "ranked_clicks",
        "reached",
        "session_number",
        "signals",
        "sitting",
        "starts",
        "top_click",
    }
)
"""Columns that are made here, which no segment can be named."""


@dataclass(frozen=True, eq=False)
class Stages:
    """What a log comes down to, as Ibis tables; see `staged`."""

    log: Log
    settings: Settings
    searches: ibis.Table
    """The result pages, also those that `Settings.keystroke_seconds` leaves out."""
    pages: ibis.Table
    queries: ibis.Table
    sessions: ibis.Table
    made_by: dict[str, ibis.Table]
    """The expression that made each table."""
    kept_as: dict[str, str]
    """What the engine calls it."""
    first: int
    """The time of the first search, and of the last."""
    last: int
    named_by: Mapping[str, int]
    """How many `searches` there are; for how many a user, a session or a client says who made them,
    and for how many `nothing`."""
    notes: tuple[str, ...] = ()
    """Which rule made the sessions, and who stands for users where none is named."""
    split: tuple[str, ...] = ()
    """The columns by which the tables can be split, beside the day."""

    @property
    def knows_persons(self) -> bool:
        """Whether the log says who searched, or in which session."""
        return bool(self.log.actors)

    @cached_property
    def has_clicks(self) -> bool:
        """Whether there is a click at all: where there is none, nobody knows if any was logged."""
        clicks = self.pages.clicks.sum().to_pyarrow().as_py()
        return bool(clicks)

    @cached_property
    def strays(self) -> dict[str, tuple[int, int]]:
        """For each action, how many events belong to no search in the log, and how many there are.

        Such events count in no metric.
        """
        events, pages = self.log.events, self.searches
        events = events.filter(events.action.isin(ACTIONS))
        counted = events.group_by("action").agg(n=events.count())
        there = {row["action"]: row["n"] for row in counted.to_pyarrow().to_pylist()}
        names = dict(zip(ACTIONS, ("impressions", "clicks", "copies", "conversions"), strict=True))
        sums = pages.agg(**{action: pages[name].sum() for action, name in names.items()})
        (known,) = sums.to_pyarrow().to_pylist()
        totals = {action: there.get(action, 0) for action in ACTIONS}
        return {
            action: (max(total - (known[action] or 0), 0), total)
            for action, total in totals.items()
        }

    @property
    def asked(self) -> ibis.Table:
        """The queries; or the result pages, where nobody knows which of them are one query."""
        if self.knows_persons:
            return self.queries
        return self.pages.mutate(found=self.pages.results)

    @cached_property
    def clock(self) -> Clock:
        """The clock on the wall in the wanted zone."""
        return Clock(self.settings.timezone, self.first, self.last)

    def local(self, time: Any) -> Any:
        """The time in the wanted zone: what the clock on the wall showed, in milliseconds."""
        return self.clock.local(time)

    @property
    def local_span(self) -> tuple[int, int]:
        """The earliest and the latest time that it showed, from the first search to the last."""
        return self.clock.ends


def staged(
    log: Log,
    settings: Settings | None = None,
    *,
    split: Iterable[str] = (),
    progress: Progress | None = None,
) -> Stages:
    """The result pages, queries and sessions of a log.

    `split` names the columns by which they will be split: no others are carried along, since that
    takes time.
    """
    settings = settings or Settings()
    tell = progress or (lambda what: None)
    labels = tuple(dict.fromkeys(log.split_by(name) for name in split))
    for name in labels:
        if name in _TAKEN:
            raise InputError(
                f"a segment named {name!r} cannot be split by, since the tables have a column of "
                "that name; give it another name in a mapping file (segments: NAME: COLUMN)",
                source=log.source,
            )
    made_by: dict[str, ibis.Table] = {}
    kept_as: dict[str, str] = {}

    def kept(name: str, table: ibis.Table) -> ibis.Table:
        tell(f"counting {name}")
        made_by[name] = table
        cached = table.cache()
        kept_as[name] = cached.get_name().rpartition(".")[2]
        return cached

    tell("looking through queries")
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
        raise InputError("there is not one search in the log", source=log.source)
    if when["last"] - when["first"] > _LONGEST:
        raise InputError(
            f"searches are from {as_time(when['first'])} to {as_time(when['last'])}, which no log "
            "spans; cleverdon logs check shows the rows",
            source=log.source,
        )
    settings = settings.for_log(log)
    if settings.sessions == "log":
        log.need("sessions by the log's own ids", "queries.session")
    # Which users sessions name need not be asked where every search names its own.
    queries = with_actors(log) if when["without_user"] else queries.mutate(actor=actor_of(queries))
    asked = _needed(queries, labels, settings)
    asked = _with_texts(asked, log, settings, tell)
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
    named = named_by(pages)
    carried = (*labels, "actor") if settings.sessions == "log" else labels
    queries = _with_cluster(kept("queries", _queries(pages, carried)))
    sessions = _with_cluster(kept("sessions", _sessions(queries, carried, settings)))
    return Stages(
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
    """Which rule made the sessions, and who stands for users where none is named."""
    if not log.actors:
        return ()
    minutes = f"{settings.idle_ms / 60_000:g} minutes"
    of = f"of {named['searches']:,} searches"
    if settings.sessions == "idle":
        told = [f"A session ends where its user does nothing for {minutes}."]
    else:
        told = ["Sessions are by the log's own ids."]
        count, searches = without_session
        if count:
            told.append(
                f"{count:,} of {searches:,} searches have no session id: each is in the session of "
                f"its user's searches around it, unless {minutes} lie between them."
            )
    others = [name for name in ("session", "client") if named[name]]
    if not log.has("queries.user"):
        whom = " and ".join(f"{name}s" for name in others)
        told += [f"The log does not name users: {whom} stand for them."] if others else []
    elif others:
        whom = " or ".join(f"the {name} ({named[name]:,})" for name in others)
        count = sum(named[name] for name in others)
        told.append(f"{count:,} {of} name no user: {whom} stands for the user.")
    if named["nothing"]:
        told.append(
            f"{named['nothing']:,} {of} name no user, session or client: they are in no session."
        )
    return tuple(told)


def _needed(queries: ibis.Table, labels: tuple[str, ...], settings: Settings) -> ibis.Table:
    """Just the columns that are needed: they are what takes time to carry along."""
    columns = ["query_id", "time", "text", "page", "results", "latency_ms", *labels]
    if settings.sessions == "log":
        columns.append("session")
    return queries.select(*columns, "actor")


def _with_cluster(table: ibis.Table) -> ibis.Table:
    """With the user, if known; and with the cluster that rows are of, in samples of users.

    That is the actor. A page whose actor is not known is a cluster of its own.
    """
    import ibis

    actor = table.actor if "actor" in table.columns else table.person
    cluster = actor.coalesce("q:" + table.query_id) if "query_id" in table.columns else actor
    user = ibis.ifelse(
        actor.startswith(ACTORS["user"]), actor.substr(len(ACTORS["user"])), ibis.null("string")
    )
    return table.mutate(actor=actor, cluster=cluster, user=user)


def _with_texts(queries: ibis.Table, log: Log, settings: Settings, tell: Progress) -> ibis.Table:
    """The queries, with texts in the form in which they are compared."""
    normalise = normaliser(settings)
    if normalise is None or not log.has("queries.text"):
        return queries
    tell("comparing texts")
    distinct = queries.select("text").filter(queries.text.notnull()).distinct()
    forms = changed(distinct.to_pyarrow()["text"], normalise)
    if not forms:
        return queries
    table = uploaded(log.backend, {"text": list(forms), "form": list(forms.values())})
    joined = queries.left_join(table, queries.text == table.text)
    others = [name for name in queries.columns if name != "text"]
    return joined.select(*others, text=joined.form.coalesce(queries.text))


def _seen(log: Log) -> ibis.Table:
    """A row for each page with events: how many results were shown, and when the last event was.

    Apart from `_done`, since most events are impressions, of which nothing else is asked.
    """
    events = log.events.filter(log.events.query_id.notnull())
    return events.group_by("query_id").agg(
        impressions=events.count(where=events.action == "impression"),
        last_event=events.time.max(),
    )


def _done(log: Log, queries: ibis.Table, settings: Settings) -> ibis.Table:
    """A row for each page with clicks, copies or conversions, and what metrics ask of them."""
    events = log.events.filter(log.events.query_id.notnull(), log.events.action.isin(SIGNS))
    inferred = not log.has("events.dwell_ms")
    if inferred:
        events = with_inferred_dwell(queries, events, settings)
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
    """Searches, with all that was done on their pages: nothing, where no event says otherwise."""
    for more in (seen, done):
        asked = asked.left_join(more, "query_id").drop("query_id_right")
    counts = ["impressions", *(name for name in done.columns if name not in _UNKNOWN)]
    return asked.mutate(**{name: asked[name].fill_null(0) for name in counts})


_UNKNOWN = ("query_id", "first_click", "top_click")
"""What stays null on a page without a click: there is no such time, and no such rank."""


def _without_keystrokes(asked: ibis.Table, soon: int) -> ibis.Table:
    """Searches without those that were made while the next one was being typed."""
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
    """With the time until which a page was in use: `reached`.

    A page is in use from its search on, as long as its events follow each other within `idle`. An
    event after a longer gap is late: it counts for its page, but nobody was busy in between. Events
    before their page, by a clock that runs behind, change nothing.
    """
    import ibis

    gapped = pages.filter(pages.last_event - pages.time > idle)
    gapped = gapped.select(page_id=gapped.query_id, asked_at=gapped.time)
    acts = log.events.join(gapped, log.events.query_id == gapped.page_id)
    acts = acts.filter(acts.time >= acts.asked_at).select("page_id", "asked_at", "time")
    before = acts.time.lag().over(group_by=["page_id", "asked_at"], order_by="time")
    acts = acts.mutate(before=before.coalesce(acts.asked_at))
    late = acts.filter(acts.time - acts.before > idle)
    # What comes before the first gap is the earliest of all that come before a gap.
    ends = late.group_by("page_id", "asked_at").agg(end=late.before.min())
    joined = pages.left_join(ends, [pages.query_id == ends.page_id, pages.time == ends.asked_at])
    last = ibis.greatest(pages.time, pages.last_event.fill_null(pages.time))
    return joined.select(
        *[pages[name] for name in pages.columns if name != "last_event"],
        reached=joined.end.coalesce(last),
    )


def _order(key: str) -> dict[str, Any]:
    """A window over the pages of one key, in the order of time."""
    return {"group_by": key, "order_by": ["time", "query_id"]}


def _with_before(pages: ibis.Table, key: str) -> ibis.Table:
    """With the time until which any earlier page of the same key was in use: `before`."""
    import ibis

    earlier = ibis.window(**_order(key), preceding=(None, 1))
    return pages.mutate(before=pages.reached.max().over(earlier))


def _with_sessions_filled(pages: ibis.Table, idle: int) -> ibis.Table:
    """Pages without a session id get that of the actor's page before, or else after them.

    Unless the actor was idle in between.
    """
    import ibis

    pages = _with_before(pages, "actor")
    pages = pages.mutate(starts=whole(pages.before.isnull() | (pages.time - pages.before > idle)))
    running = ibis.window(**_order("actor"), preceding=None, following=0)
    pages = pages.mutate(
        sitting=pages.starts.sum().over(running), known=whole(pages.session.notnull())
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
    """With `person`: the session by the log's own id, of one actor; else the actor itself.

    The same id with two users is two sessions. The length keeps apart what is joined.
    """
    import ibis

    actor = pages.actor
    both = actor.length().cast("string") + ":" + actor + pages.session
    alone = pages.session.isnull() | actor.startswith(ACTORS["session"])
    return pages.mutate(person=ibis.ifelse(alone, actor, both))


def _numbered(pages: ibis.Table, idle: int) -> ibis.Table:
    """Which of a person's sessions a page is in, and which of their queries it belongs to.

    A session ends where no page is in use for longer than `idle`; one that has an id of the log's
    own, `session`, does not. A query is a run of pages with the same text in one session: its later
    pages and repetitions belong to it.
    """
    import ibis

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
    pages = pages.mutate(starts=whole(starts), asks=whole(asks))
    running = ibis.window(**_order("person"), preceding=None, following=0)
    known = pages.person.notnull()
    pages = pages.mutate(
        session_number=ibis.ifelse(known, pages.starts.sum().over(running), None),
        query_number=ibis.ifelse(known, pages.asks.sum().over(running), None),
    )
    pages = pages.drop("before", "before_text", "starts", "asks", "reached")
    return pages.drop("session") if own else pages


def _labels(table: ibis.Table, labels: tuple[str, ...]) -> dict[str, Any]:
    """What a query or a session has from its pages: where they differ, the first in order."""
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

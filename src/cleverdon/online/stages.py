"""From a log to what metrics are counted over: result pages, queries and sessions.

Each is a table that is made once, where the log lies, and that every metric reads: a row a result
page, with what was done on it; a row a query, which may have several pages; a row a session.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from cleverdon.errors import InputError
from cleverdon.online.days import DAY, Clock, as_time
from cleverdon.online.dwell import with_inferred_dwell
from cleverdon.online.log import Log
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


@dataclass(frozen=True, eq=False)
class Stages:
    """What a log comes down to, as Ibis tables; see `staged`."""

    log: Log
    settings: Settings
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
    notes: tuple[str, ...] = ()

    split: tuple[str, ...] = ()
    """The columns by which the tables can be split, beside the day."""

    @property
    def knows_persons(self) -> bool:
        """Whether the log says who searched, or in which session."""
        return self.log.has("queries.user") or self.log.has("queries.session")

    @cached_property
    def has_clicks(self) -> bool:
        """Whether there is a click at all: where there is none, nobody knows if any was logged."""
        clicks = self.pages.clicks.sum().to_pyarrow().as_py()
        return bool(clicks)

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
        """The earliest and the latest time of a search, by that clock."""
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
    made_by: dict[str, ibis.Table] = {}
    kept_as: dict[str, str] = {}

    def kept(name: str, table: ibis.Table) -> ibis.Table:
        tell(f"counting {name}")
        made_by[name] = table
        cached = table.cache()
        kept_as[name] = cached.get_name().rpartition(".")[2]
        return cached

    tell("looking through queries")
    span = log.queries.agg(first=log.queries.time.min(), last=log.queries.time.max())
    (when,) = span.to_pyarrow().to_pylist()
    if when["first"] is None:
        raise InputError("there is not one search in the log", source=log.source)
    if when["last"] - when["first"] > _LONGEST:
        raise InputError(
            f"searches are from {as_time(when['first'])} to {as_time(when['last'])}, which no log "
            "spans; cleverdon logs check shows the rows",
            source=log.source,
        )
    by_user, notes = _who_searched(log, settings)
    asked = _with_person(log.queries, labels, by_user=by_user)
    asked = _with_texts(asked, log, settings, tell)
    asked = _with_events(asked, _seen(log), _done(log, settings, by_user=by_user))
    if settings.keystroke_ms is not None:
        asked = _without_keystrokes(kept("searches", asked), settings.keystroke_ms)
    pages = kept("pages", _numbered(asked, idle=settings.idle_ms if by_user else None))
    pages = _with_cluster(pages, by_user=by_user)
    queries = kept("queries", _queries(pages, labels, by_user=by_user))
    queries = _with_cluster(queries, by_user=by_user)
    sessions = kept("sessions", _sessions(queries, labels, settings, by_user=by_user))
    sessions = _with_cluster(sessions, by_user=by_user)
    return Stages(
        log=log,
        settings=settings,
        pages=pages,
        queries=queries,
        sessions=sessions,
        made_by=made_by,
        kept_as=kept_as,
        **when,
        notes=tuple(notes),
        split=labels,
    )


def _who_searched(log: Log, settings: Settings) -> tuple[bool, list[str]]:
    """Whether sessions are made from users' idleness, and what is to be said of it."""
    if settings.sessions == "log":
        log.need("sessions by the log's own ids", "queries.session")
        return False, []
    if not log.has("queries.user") and log.has("queries.session"):
        return False, ["The log does not name users, so that sessions are by its own ids."]
    return True, []


def _with_person(queries: ibis.Table, labels: tuple[str, ...], *, by_user: bool) -> ibis.Table:
    """The queries, with the person whose sessions are told apart: the user, or the session itself.

    Just the columns that are needed, and no name twice: they are what takes time to carry along.
    """
    import ibis

    columns = ["query_id", "time", "text", "page", "results", "latency_ms", *labels]
    if by_user:
        nobody = ibis.ifelse(
            queries.user.isnull(), queries.session.coalesce(queries.query_id), ibis.null("string")
        )
        return queries.select(*columns, person=queries.user, nobody=nobody)
    nobody = ibis.ifelse(queries.session.isnull(), queries.query_id, ibis.null("string"))
    return queries.select(*columns, "user", person=queries.session, nobody=nobody)


def _with_cluster(table: ibis.Table, *, by_user: bool) -> ibis.Table:
    """With who stands for all that one user does: where none is named, a session or a page."""
    person = table.person.coalesce(table.nobody) if "nobody" in table.columns else table.person
    if by_user:
        return table.mutate(user=table.person, cluster=person)
    return table.mutate(cluster=table.user.coalesce(person))


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


def _done(log: Log, settings: Settings, *, by_user: bool) -> ibis.Table:
    """A row for each page with clicks, copies or conversions, and what metrics ask of them."""
    events = log.events.filter(
        log.events.query_id.notnull(), log.events.action.isin(["click", "copy", "conversion"])
    )
    inferred = not log.has("events.dwell_ms")
    if inferred:
        events = with_inferred_dwell(log, events, settings, by_user=by_user)
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
    window: dict[str, Any] = {"group_by": "person", "order_by": ["time", "query_id"]}
    rows = asked.mutate(
        next_text=asked.text.lead().over(**window), next_time=asked.time.lead().over(**window)
    )
    typed = (
        (rows.clicks == 0)
        & rows.person.notnull()
        & (rows.next_time - rows.time <= soon)
        & (rows.next_text != rows.text)
        & (rows.next_text.startswith(rows.text) | rows.text.startswith(rows.next_text))
    )
    return rows.filter(~typed.fill_null(False)).select(*asked.columns)


def _numbered(pages: ibis.Table, *, idle: int | None) -> ibis.Table:
    """Which of a person's sessions a page is in, and which of their queries it belongs to.

    A session ends where nothing is done for longer than `idle`: no search, and nothing with the
    results of one. A query is a run of pages with the same text in one session: its later pages
    and repetitions belong to it.
    """
    import ibis

    window: dict[str, Any] = {"group_by": "person", "order_by": ["time", "query_id"]}
    # A clock that runs behind must not end a session before it began.
    reached = ibis.greatest(pages.time, pages.last_event.fill_null(pages.time))
    pages = pages.mutate(
        before=reached.max().over(ibis.window(**window, preceding=(None, 1))),
        before_text=pages.text.lag().over(**window),
    )
    first = pages.before.isnull()
    starts = first if idle is None else first | (pages.time - pages.before > idle)
    asks = starts | ~pages.text.identical_to(pages.before_text)
    pages = pages.mutate(starts=whole(starts), asks=whole(asks))
    running = ibis.window(**window, preceding=None, following=0)
    known = pages.person.notnull()
    pages = pages.mutate(
        session_number=ibis.ifelse(known, pages.starts.sum().over(running), None),
        query_number=ibis.ifelse(known, pages.asks.sum().over(running), None),
    )
    return pages.drop("before", "before_text", "starts", "asks", "last_event")


def _labels(table: ibis.Table, labels: tuple[str, ...], *, by_user: bool) -> dict[str, Any]:
    """What a query or a session has from its pages: where they differ, the first in order."""
    return {name: table[name].min() for name in (labels if by_user else (*labels, "user"))}


def _queries(pages: ibis.Table, labels: tuple[str, ...], *, by_user: bool) -> ibis.Table:
    pages = pages.filter(pages.person.notnull())
    return pages.group_by("person", "session_number", "query_number").agg(
        **_labels(pages, labels, by_user=by_user),
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


def _sessions(
    queries: ibis.Table, labels: tuple[str, ...], settings: Settings, *, by_user: bool
) -> ibis.Table:
    signals = {"dwell": "long_clicks", "copy": "copies", "conversion": "conversions"}
    satisfied = sum(queries[signals[signal]] for signal in settings.success)
    return queries.group_by("person", "session_number").agg(
        **_labels(queries, labels, by_user=by_user),
        time=queries.time.min(),
        queries=queries.count(),
        pages=queries.pages.sum(),
        clicks=queries.clicks.sum(),
        signals=satisfied.sum(),
    )

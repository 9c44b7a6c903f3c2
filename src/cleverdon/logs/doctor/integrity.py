"""Checks of integrity: rows that could be read, events that fit their pages by id and by time."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, ClassVar

import ibis
from ibis import _ as row

from cleverdon.logs import calendar
from cleverdon.logs.doctor.checks import (
    ALWAYS,
    CLICK_METRICS,
    SESSION_METRICS,
    Check,
    RowCheck,
    check,
    limits,
)
from cleverdon.logs.doctor.diagnosis import EARLIEST_TIME, Finding
from cleverdon.logs.doctor.facts import LogFacts
from cleverdon.logs.log import ACTIONS, UnusableRows
from cleverdon.logs.metrics.base import metrics
from cleverdon.logs.reading.assembly import REUSED
from cleverdon.logs.reading.parsing import zoneless


@check
class NoSearches(Check):
    """No search in the log."""

    noun = "searches"
    matters = "Without searches there is nothing to count."
    remedy = "check that this is the right file, and that --mapping or --log-format fits it"
    error_from = ALWAYS

    def find(self, facts: LogFacts) -> Iterable[Finding]:
        if not facts.size.searches:
            yield self.finding(0, None)


class _OfUnusableRows(Check):
    def of_rows(
        self, rows: UnusableRows, total: int, what: str, facts: LogFacts, **more: Any
    ) -> Finding:
        examples = [{"row": row} for row in rows.examples[: facts.limits.examples]]
        return self.finding(rows.count, total, what=what, examples=examples, **more)


@check
class RowsSetAside(_OfUnusableRows):
    """Rows set aside because they cannot be used."""

    noun = "rows"
    matters = "They count in no metric, so counts are too low."
    remedy = "fix the program that writes them, or map their columns with --mapping"
    error_from = 0.05
    spoils_all = True

    def find(self, facts: LogFacts) -> Iterable[Finding]:
        log = facts.log
        good = {"queries": facts.size.searches, "events": facts.size.events}
        spoils = {
            "queries": tuple(cls.__name__ for cls in metrics()),
            "events": tuple(cls.__name__ for cls in metrics() if "events.action" in cls.needs),
        }
        for table, read in good.items():
            gone = [aside for aside in log.aside if aside.table == table and not aside.kept]
            total = log.rows.get(table, read + sum(aside.count for aside in gone))
            for aside in gone:
                if aside.reason in REUSED:
                    continue
                what = f"{table} set aside: {aside.reason}"
                yield self.of_rows(aside, total, what, facts, spoils=spoils[table])


@check
class MergedRequests(_OfUnusableRows):
    """Requests that share the query id of a search, and belong to it.

    The request that asked for results and got them is the search. Further pages are separate rows;
    all other requests are not searches.
    """

    noun = "requests"
    matters = "Each search counts once, whatever else its page requests."
    remedy = "do nothing if that is right; otherwise give each search its own id"
    warning_from = None

    def find(self, facts: LogFacts) -> Iterable[Finding]:
        total = facts.log.rows.get("queries", facts.size.searches)
        for one in facts.log.merged:
            what = f"{one.reason}: {'kept as rows' if one.kept else 'merged into the search'}"
            yield self.of_rows(one, total, what, facts)


@check
class ReusedQueryIds(_OfUnusableRows):
    """Requests for another text, or by another user, under the query id of an earlier search.

    They are set aside, because it is unknown which events belong to which search.
    """

    noun = "requests"
    matters = "Searches are lost, and their clicks count for the first search that had the id."
    remedy = (
        "make a new id for each search; until then, a mapping can join the id with the text, in "
        "queries and in events"
    )
    spoils = (*CLICK_METRICS, "ZeroResults", "Queries", "Pages", "TopQueries")
    error_from = 0.05

    def find(self, facts: LogFacts) -> Iterable[Finding]:
        total = facts.log.rows.get("queries", facts.size.searches)
        for aside in facts.log.aside:
            if aside.reason in REUSED:
                yield self.of_rows(aside, total, aside.reason, facts)


@check
class UnknownValues(_OfUnusableRows):
    """Impossible values, read as unknown.

    Their rows stay in the log: a click counts even if its position is impossible.
    """

    noun = "rows"
    matters = "Metrics that need the value leave these rows out; all others count them."
    remedy = "fix the program that writes them, or name the right column or unit with --mapping"

    def find(self, facts: LogFacts) -> Iterable[Finding]:
        read = {"queries": facts.size.searches, "events": facts.size.events}
        for aside in facts.log.aside:
            if aside.kept:
                what = f"{aside.table}.{aside.reason}"
                yield self.of_rows(aside, read[aside.table], what, facts)


@check
class ZonelessTimes(Check):
    """Times without a time zone."""

    noun = "columns"
    matters = "Days, peaks and sessions are off by hours if the assumed zone is wrong."
    remedy = "name their zone: --timezone Europe/Berlin"
    spoils = ("QueriesPerTime", "LatencyByLoad", "LatencySpikes")

    def find(self, facts: LogFacts) -> Iterable[Finding]:
        columns = zoneless(facts.log)
        if columns:
            notes = [note for note in facts.log.notes if note.split(" ", 1)[0] in columns]
            yield self.finding(len(columns), None, details=notes)


class _ActionMissing(Check):
    noun = "events"
    needs = ("events.action",)
    action: ClassVar[str]

    def find(self, facts: LogFacts) -> Iterable[Finding]:
        if facts.size.events and not facts.done(self.action):
            yield self.finding(facts.size.events, facts.size.events)


@check
class NoClicks(_ActionMissing):
    """Events, but no click among them."""

    action = "click"
    matters = "Every search looks abandoned, and the users' choices are unknown."
    remedy = "check whether clicks have another name in this log, and name it in a mapping: actions"
    spoils = CLICK_METRICS
    error_from = ALWAYS


@check
class NoImpressions(_ActionMissing):
    """Events, but no impression among them."""

    action = "impression"
    matters = "Results that were shown but not clicked are unknown; click models need them."
    remedy = "log the results that are shown, or name their action in a mapping: actions"
    spoils = ("ImpressionCTR", "LinkCTR")
    warning_from = None


@check
class UnknownActions(Check):
    """Actions that no metric uses.

    A warning if one of them is spelled almost like a known action.
    """

    noun = "events"
    matters = "They are kept, but count in no metric."
    remedy = "do nothing if that is right; otherwise name their meaning in a mapping: actions"
    warning_from = None
    needs = ("events.action",)

    def find(self, facts: LogFacts) -> Iterable[Finding]:
        unknown = facts.unknown_actions()
        if not unknown:
            return
        meant = {
            name: near[0]
            for name in unknown
            if (near := get_close_matches((name or "").casefold(), ACTIONS, n=1, cutoff=0.75))
        }
        most = list(unknown.items())[: facts.limits.examples]
        yield self.finding(
            sum(unknown.values()),
            facts.size.events,
            details=[f"{name!r} is probably {near!r}." for name, near in meant.items()],
            examples=[{"action": name, "events": count} for name, count in most],
            severity="warning" if meant else None,
        )


class _OfClicks(RowCheck):
    table = "clicks"
    noun = "clicks"
    needs = ("events.action", "events.query_id")
    needs_actions = ("click", "impression")


@check
class ClicksWithoutImpressions(_OfClicks):
    """Clicks on results without an impression.

    A result is identified by its document, or else by its position. Logs without any impression
    have a check of their own.
    """

    matters = "The clicks count and the impressions do not: rates per impression are too high."
    remedy = "check whether impressions are lost, or logged under other ids of query or document"
    spoils = ("ImpressionCTR", "LinkCTR")
    error_from = 0.05
    shows = ("query_id", "time", "doc", "position", "shown_results")
    known = row.doc.notnull() | row.position.notnull()
    wrong = (known | (row.shown_results == 0)) & row.shown.isnull()
    more = {"bare": row.count(where=wrong & (row.shown_results == 0))}

    def details(self, more: dict[str, Any], facts: LogFacts, count: int, total: int) -> list[str]:
        if not more["bare"]:
            return []
        return [f"{more['bare']:,} of them are on pages without any impression."]


class _OfEvents(RowCheck):
    table = "acts"
    noun = "events"
    needs: ClassVar[tuple[str, ...]] = ("events.action",)
    shows: ClassVar[tuple[str, ...]] = ("time", "query_id", "action", "doc", "position", "user")


@check
class EventsWithoutQuery(_OfEvents):
    """Events that name no search."""

    matters = "Their search is unknown, so they count in no metric."
    remedy = "log the query id with every event; a mapping can attach them to the last search"
    spoils = CLICK_METRICS
    warning_from = 0.001
    error_from = 0.5
    wrong = row.query_id.isnull()


@check
class EventsOfUnknownPages(_OfEvents):
    """Events whose search is not in the log."""

    matters = "They count in no metric: either searches are lost, or ids do not match."
    remedy = "give queries and events of the same period, and check that their ids are the same"
    spoils = CLICK_METRICS
    error_from = 0.05
    needs = ("events.action", "events.query_id")
    wrong = row.query_id.notnull() & row.page_id.isnull()


@check
class EventsOnEmptyPages(_OfEvents):
    """Impressions or clicks on pages without results."""

    matters = "Either the number of results is wrong, or the events belong to another page."
    remedy = "check which number the log has for results; log null if it is unknown"
    spoils = ("ZeroResults", "TopZeroResults")
    error_from = 0.05
    needs = ("events.action", "queries.results")
    shows = ("time", "query_id", "action", "doc", "position", "results")
    wrong = row.action.isin(("impression", "click")) & (row.results == 0)


@check
class EventsOfOtherUsers(_OfEvents):
    """Events by another user than that of the search."""

    matters = "The tables name users differently, such as by cookie and by account."
    remedy = "name users in the same way in both tables; the user of the search counts"
    spoils = ("Users", "Sessions")
    warning_from = 0.01
    needs = ("events.action", "events.user", "queries.user")
    shows = ("time", "query_id", "action", "user", "asked_by")
    wrong = row.user != row.asked_by


def _duration_text(milliseconds: float) -> str:
    """Write a duration with its unit.

    >>> _duration_text(250), _duration_text(90_000)
    ('250 ms', '90 s')
    >>> _duration_text(7_200_000), _duration_text(300_000_000)
    ('2 h', '3.5 days')
    """
    for span, unit, enough in (
        (calendar.DAY, "days", 2),
        (calendar.HOUR, "h", 2),
        (calendar.MINUTE, "min", 2),
        (calendar.SECOND, "s", 1),
    ):
        if milliseconds >= enough * span:
            return f"{round(milliseconds / span, 1):g} {unit}"
    return f"{milliseconds:g} ms"


class _Impossible(RowCheck):
    matters = "Days, peaks and sessions are counted by these times."
    remedy = "check the unit of times (seconds or milliseconds?) and the clocks that they come from"
    spoils = ("QueriesPerTime", *SESSION_METRICS)
    error_from = 0.01
    wrong = (row.time < EARLIEST_TIME) | (row.time > limits.latest)


@check
class ImpossibleSearchTimes(_Impossible):
    """Searches from before the year 2000, or from the future."""

    table = "queries"
    noun = "searches"
    shows = ("time", "query_id", "user", "text")


class _OfEventTimes(_OfEvents):
    shows = ("query_id", "asked", "time", "action", "doc", "user")
    among = row.page_id.notnull()


@check
class ImpossibleEventTimes(_Impossible, _OfEvents):
    """Events from before the year 2000, or from the future."""

    shows = ("time", "query_id", "action", "doc", "user")


@check
class EventsBeforePage(_OfEventTimes):
    """Events before the time of their page, by clock skew.

    The clock of a user's device is not that of the engine. One second is tolerated
    (`skew_seconds`).
    """

    matters = "Times from search to click are wrong, and sessions may be split or joined."
    remedy = "use the clock of the server for searches and events"
    spoils = ("TimeToClick", "Dwell", *SESSION_METRICS)
    warning_from = 0.001
    error_from = 0.05
    wrong = row.asked - row.time > limits.skew_ms
    early = ibis.ifelse(wrong, row.asked - row.time, ibis.null("int64"))
    more = {
        # The median ignores nulls; `median(where=...)` does not run on Spark.
        "typical": early.median(),
        "most": early.max(),
        "users": row.user.coalesce(row.asked_by).nunique(where=wrong),
    }

    def details(self, more: dict[str, Any], facts: LogFacts, count: int, total: int) -> list[str]:
        typical = float(more["typical"])
        details = [
            f"They are early by {_duration_text(typical)} in the median, by "
            f"{_duration_text(more['most'])} at most; users with early events: {more['users']:,}."
        ]
        off = abs(typical / calendar.HOUR - round(typical / calendar.HOUR)) * calendar.HOUR
        if count > total / 2 and typical > calendar.HOUR / 2 and off < 5 * calendar.MINUTE:
            details.append("Most are early by whole hours: the tables seem to use different zones.")
        return details


@check
class LateEvents(_OfEventTimes):
    """Events long after their page."""

    matters = "They count for their search, but do not extend its session."
    remedy = "check whether query ids are reused; if not, leave out such events"
    spoils = ("TimeToClick", "Abandonment", "Success")
    warning_from = 0.001
    error_from = 0.05
    wrong = row.time - row.asked > limits.late_ms


@check
class ClicksBeforeImpressions(_OfClicks):
    """Clicks before their result was shown."""

    matters = "The order of a user's events cannot be trusted."
    remedy = "check whether impressions are logged when a page is left, not when it is shown"
    spoils = ("TimeToClick",)
    warning_from = 0.01
    shows = ("query_id", "time", "shown", "doc", "position")
    wrong = row.shown - row.time > limits.skew_ms


@check
class DwellBeyondNext(RowCheck):
    """Clicks whose dwell time ends after the user's next click or search.

    This is possible if users have several documents open.
    """

    table = "dwells"
    noun = "clicks"
    matters = "Success depends on dwell time, and is too high if time in the background counts."
    remedy = "check how dwell time is measured, and whether it is in milliseconds"
    spoils = ("Dwell", "Success")
    warning_from = 0.1
    needs = ("events.action", "events.query_id", "events.dwell_ms")
    needs_persons = True
    needs_actions = ("click",)
    shows = ("query_id", "time", "person", "doc", "dwell_ms", "until_next_ms")
    wrong = row.dwell_ms > row.until_next_ms + limits.skew_ms


@check
class OddDwells(RowCheck):
    """Dwell times below zero, or above a day."""

    table = "acts"
    noun = "clicks with a dwell time"
    matters = "A single one can dominate the mean."
    remedy = "check how dwell time is measured, and whether it is in milliseconds"
    spoils = ("Dwell", "Success")
    warning_from = ALWAYS
    needs = ("events.action", "events.dwell_ms")
    needs_actions = ("click",)
    shows = ("query_id", "time", "doc", "dwell_ms")
    wrong = (row.action == "click") & ((row.dwell_ms < 0) | (row.dwell_ms > calendar.DAY))
    among = (row.action == "click") & row.dwell_ms.notnull()

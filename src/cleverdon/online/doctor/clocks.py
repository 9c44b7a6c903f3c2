"""Times that cannot be, or that contradict each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import ibis

from cleverdon.online import days
from cleverdon.online.doctor.base import ALWAYS, SESSION_METRICS, RowCheck, check
from cleverdon.online.doctor.facts import Facts
from cleverdon.online.doctor.limits import EARLIEST, Limits

if TYPE_CHECKING:
    from ibis import Table


def duration(milliseconds: float) -> str:
    """How long, for people: `250 ms`, `12 s`, `3.5 h`.

    >>> duration(250), duration(90_000), duration(7_200_000), duration(300_000_000)
    ('250 ms', '90 s', '2 h', '3.5 days')
    """
    for span, unit, enough in (
        (days.DAY, "days", 2),
        (days.HOUR, "h", 2),
        (days.MINUTE, "min", 2),
        (days.SECOND, "s", 1),
    ):
        if milliseconds >= enough * span:
            return f"{round(milliseconds / span, 1):g} {unit}"
    return f"{milliseconds:g} ms"


class _Impossible(RowCheck):
    matters = "Days, peaks and sessions are counted by these times."
    remedy = "see the unit of times (seconds or milliseconds?) and the clocks that they come from"
    spoils = ("QueriesPerTime", *SESSION_METRICS)
    error_from = 0.01

    def wrong(self, rows: Table, limits: Limits) -> Any:
        return (rows.time < EARLIEST) | (rows.time > limits.latest)


@check
class ImpossibleSearchTimes(_Impossible):
    """Searches from before the year 2000, or from the future."""

    table = "queries"
    noun = "searches"
    shows = ("time", "query_id", "user", "text")


class _OfEvents(RowCheck):
    table = "acts"
    noun = "events"
    needs = ("events.action",)
    shows: ClassVar[tuple[str, ...]] = ("query_id", "asked", "time", "action", "doc", "user")


@check
class ImpossibleEventTimes(_Impossible, _OfEvents):
    """Events from before the year 2000, or from the future."""

    shows = ("time", "query_id", "action", "doc", "user")


@check
class EventsBeforePage(_OfEvents):
    """Events that come before the page that they belong to, by clock skew.

    The clock of a user's device is not that of the engine. A second is let pass (`skew_seconds`).
    """

    matters = "Times from search to click are wrong, and sessions may be cut or joined by it."
    remedy = "take times of one clock, the server's, for searches and events"
    spoils = ("TimeToClick", "Dwell", *SESSION_METRICS)
    warning_from = 0.001
    error_from = 0.05

    def wrong(self, rows: Table, limits: Limits) -> Any:
        return rows.asked - rows.time > limits.skew_ms

    def among(self, rows: Table) -> Any:
        return rows.page_id.notnull()

    def more(self, rows: Table, limits: Limits) -> dict[str, Any]:
        wrong = self.wrong(rows, limits)
        early = ibis.ifelse(wrong, rows.asked - rows.time, ibis.null("int64"))
        return {
            # Of nulls there is no median; with `where=` it does not run on Spark.
            "typical": early.median(),
            "most": early.max(),
            "users": rows.user.coalesce(rows.asked_by).nunique(where=wrong),
        }

    def details(self, more: dict[str, Any], facts: Facts, count: int, total: int) -> list[str]:
        typical = float(more["typical"])
        told = [
            f"They are {duration(typical)} early in the median, {duration(more['most'])} at most; "
            f"users whose events are early: {more['users']:,}."
        ]
        off = abs(typical / days.HOUR - round(typical / days.HOUR)) * days.HOUR
        if count > total / 2 and typical > days.HOUR / 2 and off < 5 * days.MINUTE:
            told.append("Whole hours for so many: the two tables seem to be in different zones.")
        return told


@check
class LateEvents(_OfEvents):
    """Events long after the page that they belong to."""

    matters = "They count for their search, and do not make its session longer."
    remedy = "see whether query ids are used again; else leave such events out"
    spoils = ("TimeToClick", "Abandonment", "Success")
    warning_from = 0.001
    error_from = 0.05

    def wrong(self, rows: Table, limits: Limits) -> Any:
        return rows.time - rows.asked > limits.late_ms

    def among(self, rows: Table) -> Any:
        return rows.page_id.notnull()


@check
class ClicksBeforeImpressions(RowCheck):
    """Clicks that come before their result was shown."""

    table = "clicks"
    noun = "clicks"
    matters = "The order of a user's events cannot be trusted then."
    remedy = "see whether impressions are logged when a page is left, rather than when it is shown"
    spoils = ("TimeToClick",)
    warning_from = 0.01
    needs = ("events.action", "events.query_id")
    needs_actions = ("click", "impression")
    shows = ("query_id", "time", "shown", "doc", "position")

    def wrong(self, rows: Table, limits: Limits) -> Any:
        return rows.shown - rows.time > limits.skew_ms


@check
class DwellBeyondNext(RowCheck):
    """Clicks that are said to have lasted beyond the user's next click or search.

    It can be so where users have several documents open at once.
    """

    table = "dwells"
    noun = "clicks"
    matters = "Success is told by dwell time: it is too high where that runs on in the background."
    remedy = "see how dwell time is measured, and whether it is in milliseconds"
    spoils = ("Dwell", "Success")
    warning_from = 0.1
    needs = ("events.action", "events.query_id", "events.dwell_ms")
    needs_persons = True
    needs_actions = ("click",)
    shows = ("query_id", "time", "person", "doc", "dwell_ms", "until_next_ms")

    def wrong(self, rows: Table, limits: Limits) -> Any:
        return rows.dwell_ms > rows.until_next_ms + limits.skew_ms


@check
class OddDwells(RowCheck):
    """Dwell times below zero, or beyond a day."""

    table = "acts"
    noun = "clicks with a dwell time"
    matters = "One of them can outweigh all others in a mean."
    remedy = "see how dwell time is measured, and whether it is in milliseconds"
    spoils = ("Dwell", "Success")
    warning_from = ALWAYS
    needs = ("events.action", "events.dwell_ms")
    needs_actions = ("click",)
    shows = ("query_id", "time", "doc", "dwell_ms")

    def wrong(self, rows: Table, limits: Limits) -> Any:
        return (rows.action == "click") & ((rows.dwell_ms < 0) | (rows.dwell_ms > days.DAY))

    def among(self, rows: Table) -> Any:
        return (rows.action == "click") & rows.dwell_ms.notnull()

"""Whether events fit the pages that they belong to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from cleverdon.online.doctor.base import CLICK_METRICS, RowCheck, check
from cleverdon.online.doctor.facts import Facts
from cleverdon.online.doctor.limits import Limits

if TYPE_CHECKING:
    from ibis import Table


@check
class ClicksWithoutImpressions(RowCheck):
    """Clicks on results of which the log has no impression.

    A result is known by its document; where there is none, by its position. Logs without any
    impression are another matter.
    """

    table = "clicks"
    noun = "clicks"
    matters = "Clicks count where what was shown does not: rates per impression are too high."
    remedy = "see whether impressions get lost, or are logged under other ids of query or document"
    spoils = ("ImpressionCTR",)
    error_from = 0.05
    needs = ("events.action", "events.query_id")
    needs_actions = ("click", "impression")
    shows = ("query_id", "time", "doc", "position", "shown_results")

    def wrong(self, rows: Table, limits: Limits) -> Any:
        known = rows.doc.notnull() | rows.position.notnull()
        return (known | (rows.shown_results == 0)) & rows.shown.isnull()

    def more(self, rows: Table, limits: Limits) -> dict[str, Any]:
        return {"bare": rows.count(where=self.wrong(rows, limits) & (rows.shown_results == 0))}

    def details(self, more: dict[str, Any], facts: Facts, count: int, total: int) -> list[str]:
        if not more["bare"]:
            return []
        return [f"{more['bare']:,} of them on pages without any impression."]


class _OfEvents(RowCheck):
    table = "acts"
    noun = "events"
    needs: ClassVar[tuple[str, ...]] = ("events.action",)
    shows: ClassVar[tuple[str, ...]] = ("time", "query_id", "action", "doc", "position", "user")


@check
class EventsWithoutQuery(_OfEvents):
    """Events that name no search."""

    matters = "Nobody knows what was searched for, and they count in no metric."
    remedy = "log the query id with every event; a mapping can attach them to the last search"
    spoils = CLICK_METRICS
    warning_from = 0.001
    error_from = 0.5

    def wrong(self, rows: Table, limits: Limits) -> Any:
        return rows.query_id.isnull()


@check
class EventsOfUnknownPages(_OfEvents):
    """Events whose search is not in the log."""

    matters = "They count in no metric: either searches are lost, or ids do not fit each other."
    remedy = "give queries and events of the same time, and see whether their ids are the same"
    spoils = CLICK_METRICS
    error_from = 0.05
    needs = ("events.action", "events.query_id")

    def wrong(self, rows: Table, limits: Limits) -> Any:
        return rows.query_id.notnull() & rows.page_id.isnull()


@check
class EventsOnEmptyPages(_OfEvents):
    """Impressions or clicks on pages that are said to have found nothing."""

    matters = "Either the number of results is wrong, or the events are of another page."
    remedy = "see what the log takes for the number of results; null where it is not known"
    spoils = ("ZeroResults", "TopZeroResults")
    error_from = 0.05
    needs = ("events.action", "queries.results")
    shows = ("time", "query_id", "action", "doc", "position", "results")

    def wrong(self, rows: Table, limits: Limits) -> Any:
        return rows.action.isin(("impression", "click")) & (rows.results == 0)


@check
class EventsOfOtherUsers(_OfEvents):
    """Events by another user than the one who searched."""

    matters = "Users are told apart differently in both tables, as by cookie and by account."
    remedy = "name users alike in both tables; the user of the search is the one that counts"
    spoils = ("Users", "Sessions")
    warning_from = 0.01
    needs = ("events.action", "events.user", "queries.user")
    shows = ("time", "query_id", "action", "user", "asked_by")

    def wrong(self, rows: Table, limits: Limits) -> Any:
        return rows.user != rows.asked_by

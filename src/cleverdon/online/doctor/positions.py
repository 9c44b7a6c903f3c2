"""Positions of results: from 1, over all pages, and as deep as anybody goes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from cleverdon.online.doctor.base import ALWAYS, RowCheck, check
from cleverdon.online.doctor.limits import Limits

if TYPE_CHECKING:
    from ibis import Table


class _OfPositions(RowCheck):
    table = "acts"
    noun = "events with a position"
    spoils = ("ClickRank", "ReciprocalClickRank")
    needs: ClassVar[tuple[str, ...]] = ("events.action", "events.position")
    shows: ClassVar[tuple[str, ...]] = ("query_id", "time", "action", "doc", "position")

    def among(self, rows: Table) -> Any:
        return rows.position.notnull()


@check
class PositionsBelowOne(_OfPositions):
    """Positions below 1."""

    matters = "Every rank is off by one, and 1 / rank has no value for the first result."
    remedy = "say in a mapping where they start: position: {column: NAME, start: 0}"
    error_from = ALWAYS

    def wrong(self, rows: Table, limits: Limits) -> Any:
        return rows.position < 1


@check
class HugePositions(_OfPositions):
    """Positions that nobody reaches."""

    matters = "Something else than a rank has got into the column: an id, a pixel, an offset."
    remedy = "see what the column holds, and name another in a mapping"
    error_from = 0.01

    def wrong(self, rows: Table, limits: Limits) -> Any:
        return rows.position > limits.position


@check
class PositionsWithinPages(_OfPositions):
    """First positions on later pages, as if positions began anew on each page."""

    noun = "results shown or clicked, with a position"
    matters = "A click on the second page looks as good as one on the first."
    remedy = "log positions over all pages: (page - 1) * results a page + position"
    needs = ("events.action", "events.position", "queries.page")
    shows = ("query_id", "time", "action", "doc", "position", "page")

    def wrong(self, rows: Table, limits: Limits) -> Any:
        return self.among(rows) & (rows.position == 1) & (rows.page > 1)

    def among(self, rows: Table) -> Any:
        return rows.position.notnull() & rows.action.isin(("impression", "click"))


@check
class PositionGaps(RowCheck):
    """Pages whose impressions have many positions missing between them."""

    table = "shown"
    noun = "pages with impressions"
    matters = "Impressions get lost, or what is logged as position is none."
    remedy = "see whether every result that is shown is logged"
    spoils = ("ImpressionCTR",)
    needs = ("events.action", "events.position")
    needs_actions = ("impression",)
    shows = ("query_id", "impressions", "first_position", "last_position")

    def wrong(self, rows: Table, limits: Limits) -> Any:
        return (
            rows.last_position - rows.first_position + 1 - rows.impressions >= limits.position_gap
        )

"""Metrics of clicks. What is called click-through rate is four things, and has four names here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import ibis

from cleverdon.online.metrics.base import Better, Kind, LeftOut, Ratio
from cleverdon.online.metrics.registry import metric
from cleverdon.online.portable import whole

if TYPE_CHECKING:
    from ibis import Table

    from cleverdon.online.stages import Stages


@metric
class ImpressionCTR(Ratio):
    """Click-through rate per impression: clicks for each result that was shown.

    Pages of which the log has no impression are left out, their clicks as well. A second click on
    the same result counts again.
    """

    formula = r"\frac{\text{clicks}}{\text{impressions}}"
    undefined = "the log has no impression"
    source = "Richardson, Dominowska & Ragno 2007, doi:10.1145/1242572.1242643"
    needs = ("events.action",)
    unit = "pages"
    counted = "clicks"
    over = "impressions"
    uses = ("impression", "click")
    worked = """
        ann 0:00 shoes  shown@1 shown@2 shown@3 click@2
        bob 0:00 hats   shown@1
        eve 0:00 hats   click@1
        = 1 / 4
    """

    def numerator(self, table: Table) -> Any:
        return ibis.ifelse(table.impressions > 0, table.clicks, 0)

    def denominator(self, table: Table) -> Any:
        return table.impressions

    def left_out(self, stages: Stages) -> list[LeftOut]:
        pages = stages.pages
        bare = ibis.ifelse(pages.impressions > 0, 0, pages.clicks)
        why = "on result pages without an impression"
        return [*super().left_out(stages), LeftOut(pages, "clicks", why, bare, pages.clicks)]


@metric
class PageCTR(Ratio):
    """Click-through rate per result page: the share of result pages with at least one click."""

    formula = r"\frac{|\{p : \text{a click on } p\}|}{|P|}"
    undefined = "the log has no result page"
    source = "Chuklin, Markov & de Rijke 2015, doi:10.2200/S00654ED1V01Y201507ICR043"
    needs = ("events.action",)
    unit = "pages"
    counted = "result pages with a click"
    over = "result pages"
    worked = """
        ann 0:00 shoes
        ann 0:01 shoes page=2 click@11 click@12
        bob 0:00 hats
        = 1 / 3
    """

    def numerator(self, table: Table) -> Any:
        return whole(table.clicks > 0)

    def denominator(self, table: Table) -> Any:
        return whole(table.query_id.notnull())


@metric
class QueryCTR(Ratio):
    """Click-through rate per query: the share of queries with at least one click.

    A query is what a user asks in one go: its further result pages, and the same text once more,
    belong to it.
    """

    formula = r"\frac{|\{q : \text{a click on a page of } q\}|}{|Q|}"
    undefined = "the log has no query"
    source = "Radlinski, Kurup & Joachims 2008, doi:10.1145/1458082.1458092"
    needs = ("events.action",)
    unit = "queries"
    counted = "queries with a click"
    over = "queries"
    worked = """
        ann 0:00 shoes
        ann 0:01 shoes page=2 click@11 click@12
        bob 0:00 hats
        = 1 / 2
    """

    def numerator(self, table: Table) -> Any:
        return whole(table.clicks > 0)

    def denominator(self, table: Table) -> Any:
        return whole(table.pages > 0)


class _OfClicks(Ratio):
    unit = "pages"
    kind: ClassVar[Kind] = "mean"
    better: ClassVar[Better] = "lower"
    needs: ClassVar[tuple[str, ...]] = ("events.action", "events.position")


@metric
class ClickRank(_OfClicks):
    """The mean rank of clicked results."""

    formula = r"\frac{1}{|C|} \sum_{c \in C} \operatorname{rank}(c)"
    undefined = "no click has a position"
    source = "Joachims, Granka, Pan, Hembrooke & Gay 2005, doi:10.1145/1076034.1076063"
    counted = "ranks of clicks, added up"
    over = "clicks with a position"
    worked = """
        ann 0:00 shoes  click@2 click@6
        bob 0:00 hats   click@1 click
        = 9 / 3
    """

    def numerator(self, table: Table) -> Any:
        return table.rank_sum

    def denominator(self, table: Table) -> Any:
        return table.ranked_clicks

    def left_out(self, stages: Stages) -> list[LeftOut]:
        return [*super().left_out(stages), _without_position(stages)]


def _without_position(stages: Stages) -> LeftOut:
    pages = stages.pages
    nowhere = pages.clicks - pages.ranked_clicks
    return LeftOut(pages, "clicks", "without a position", nowhere, pages.clicks)


@metric
class ReciprocalClickRank(_OfClicks):
    """The mean of 1/rank over the highest click of each result page that has one."""

    formula = r"\frac{1}{|P_C|} \sum_{p \in P_C} \max_{c \in p} \frac{1}{\operatorname{rank}(c)}"
    undefined = "no click has a position"
    source = "Radlinski, Kurup & Joachims 2008, doi:10.1145/1458082.1458092 (Max RR)"
    counted = "1 / rank of the highest click, added up"
    over = "result pages with a click that has a position"
    better = "higher"
    worked = """
        ann 0:00 shoes  click@2 click@6
        bob 0:00 hats   click@1
        bob 0:05 caps
        = 1.5 / 2
    """

    def numerator(self, table: Table) -> Any:
        return 1.0 / table.top_click.cast("float64")

    def denominator(self, table: Table) -> Any:
        return whole(table.top_click.notnull())

    def left_out(self, stages: Stages) -> list[LeftOut]:
        return [*super().left_out(stages), _without_position(stages)]


@metric
class TimeToClick(_OfClicks):
    """The mean time from a result page to its first click, in seconds.

    Clicks before their page, which only clocks can explain, are left out.
    """

    formula = r"\frac{1}{|P_C|} \sum_{p \in P_C} (t_{\text{first click}}(p) - t(p))"
    undefined = "the log has no click"
    source = "Radlinski, Kurup & Joachims 2008, doi:10.1145/1458082.1458092"
    needs = ("events.action", "events.time")
    counted = "seconds to the first click, added up"
    over = "result pages with a click"
    scale = 1000
    measured_in = "s"
    worked = """
        ann 0:00 shoes  click@2~10 click@6~20
        bob 0:00 hats   click@1~30
        bob 0:05 caps
        = 40 / 2
    """

    def numerator(self, table: Table) -> Any:
        return ibis.ifelse(table.first_click >= table.time, table.first_click - table.time, 0)

    def denominator(self, table: Table) -> Any:
        return whole(table.first_click >= table.time)

    def spread(self, table: Table) -> Any:
        waited = table.first_click - table.time
        return ibis.ifelse(waited >= 0, waited, ibis.null("int64"))

    def left_out(self, stages: Stages) -> list[LeftOut]:
        pages = stages.pages
        early, clicked = whole(pages.first_click < pages.time), whole(pages.clicks > 0)
        why = "whose first click is before the search"
        own = LeftOut(pages, "result pages with a click", why, early, clicked)
        return [*super().left_out(stages), own]


@metric
class Dwell(_OfClicks):
    """The mean time for which a clicked document was looked at, in seconds.

    Where the log has no such times at all, it is taken to last until the same user's next click or
    search; of the last click in a session nobody knows.
    """

    formula = r"\frac{1}{|C|} \sum_{c \in C} \operatorname{dwell}(c)"
    undefined = "of no click is it known how long it lasted"
    source = "Fox et al. 2005, doi:10.1145/1059981.1059982"
    needs = ("events.action", "events.time")
    wants = ("events.dwell_ms",)
    counted = "seconds, added up"
    over = "clicks of which it is known"
    scale = 1000
    measured_in = "s"
    better = "neither"
    worked = """
        ann 0:00 shoes  click@2+10 click@6+20
        bob 0:00 hats   click@1
        = 30 / 2
    """

    def numerator(self, table: Table) -> Any:
        return table.dwell_sum

    def denominator(self, table: Table) -> Any:
        return table.dwelled_clicks

    def left_out(self, stages: Stages) -> list[LeftOut]:
        pages = stages.pages
        unknown = pages.clicks - pages.dwelled_clicks
        own = LeftOut(pages, "clicks", "whose dwell time is not known", unknown, pages.clicks)
        return [*super().left_out(stages), own]

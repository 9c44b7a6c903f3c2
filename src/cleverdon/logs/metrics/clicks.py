"""Metrics of clicks. Five different rates are called click-through rate; each has its own name.

`SessionCTR` is in `sessions`, `LinkCTR` in `lists`.
"""

from __future__ import annotations

from typing import ClassVar

import ibis
from ibis import _ as row

from cleverdon.logs.metrics.base import Better, Kind, Omission, Ratio, metric
from cleverdon.logs.sql import zero_or_one


@metric
class ImpressionCTR(Ratio):
    """Click-through rate per impression: clicks for each result that was shown.

    Pages without an impression are left out, and so are their clicks. A second click on the same
    result counts again.
    """

    formula = r"\frac{\text{clicks}}{\text{impressions}}"
    undefined = "the log has no impression"
    source = "Richardson, Dominowska & Ragno 2007, doi:10.1145/1242572.1242643"
    shared_names = ("CTR", "ClickThroughRate")
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
    numerator = ibis.ifelse(row.impressions > 0, row.clicks, 0)
    denominator = row.impressions
    omits = (
        Omission(
            *("pages", "clicks", "on result pages without an impression"),
            ibis.ifelse(row.impressions > 0, 0, row.clicks),
            row.clicks,
        ),
    )


class _WithClick(Ratio):
    needs = ("events.action",)
    numerator = zero_or_one(row.clicks > 0)


@metric
class PageCTR(_WithClick):
    """Click-through rate per result page: the share of result pages with at least one click."""

    formula = r"\frac{|\{p : \text{a click on } p\}|}{|P|}"
    undefined = "the log has no result page"
    source = "Chuklin, Markov & de Rijke 2015, doi:10.2200/S00654ED1V01Y201507ICR043"
    shared_names = ("CTR", "ClickThroughRate")
    unit = "pages"
    counted = "result pages with a click"
    over = "result pages"
    worked = """
        ann 0:00 shoes
        ann 0:01 shoes page=2 click@11 click@12
        bob 0:00 hats
        = 1 / 3
    """
    denominator = zero_or_one(row.query_id.notnull())


@metric
class QueryCTR(_WithClick):
    """Click-through rate per query: the share of queries with at least one click.

    Further result pages of a query, and the same text again, belong to the query.
    """

    formula = r"\frac{|\{q : \text{a click on a page of } q\}|}{|Q|}"
    undefined = "the log has no query"
    source = "Radlinski, Kurup & Joachims 2008, doi:10.1145/1458082.1458092"
    shared_names = ("CTR", "ClickThroughRate")
    unit = "queries"
    counted = "queries with a click"
    over = "queries"
    worked = """
        ann 0:00 shoes
        ann 0:01 shoes page=2 click@11 click@12
        bob 0:00 hats
        = 1 / 2
    """
    denominator = zero_or_one(row.pages > 0)


class _OfClicks(Ratio):
    unit = "pages"
    kind: ClassVar[Kind] = "mean"
    better: ClassVar[Better] = "lower"
    needs: ClassVar[tuple[str, ...]] = ("events.action", "events.time")


class _OfRanks(_OfClicks):
    needs = ("events.action", "events.position")
    undefined = "no click has a position"
    omits = (
        Omission(
            "pages", "clicks", "without a position", row.clicks - row.ranked_clicks, row.clicks
        ),
    )


@metric
class ClickRank(_OfRanks):
    """The mean rank of clicked results."""

    formula = r"\frac{1}{|C|} \sum_{c \in C} \operatorname{rank}(c)"
    source = "Joachims, Granka, Pan, Hembrooke & Gay 2005, doi:10.1145/1076034.1076063"
    counted = "ranks of clicks, added up"
    over = "clicks with a position"
    worked = """
        ann 0:00 shoes  click@2 click@6
        bob 0:00 hats   click@1 click
        = 9 / 3
    """
    numerator = row.rank_sum
    denominator = row.ranked_clicks


@metric
class ReciprocalClickRank(_OfRanks):
    """The mean of 1/rank over the highest click of each result page that has one."""

    formula = r"\frac{1}{|P_C|} \sum_{p \in P_C} \max_{c \in p} \frac{1}{\operatorname{rank}(c)}"
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
    numerator = 1.0 / row.top_click.cast("float64")
    denominator = zero_or_one(row.top_click.notnull())


_WAITED = row.first_click - row.time


@metric
class TimeToClick(_OfClicks):
    """The mean time from a result page to its first click, in seconds.

    Clicks before the time of their page, because clocks differ, are left out.
    """

    formula = r"\frac{1}{|P_C|} \sum_{p \in P_C} (t_{\text{first click}}(p) - t(p))"
    undefined = "the log has no click"
    source = "Radlinski, Kurup & Joachims 2008, doi:10.1145/1458082.1458092"
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
    numerator = ibis.ifelse(row.first_click >= row.time, _WAITED, 0)
    denominator = zero_or_one(row.first_click >= row.time)
    spread = ibis.ifelse(_WAITED >= 0, _WAITED, ibis.null("int64"))
    omits = (
        Omission(
            *("pages", "result pages with a click", "whose first click is before the search"),
            zero_or_one(row.first_click < row.time),
            zero_or_one(row.clicks > 0),
        ),
    )


@metric
class Dwell(_OfClicks):
    """The mean dwell time on a clicked document, in seconds.

    If the log has no dwell times, they are the time until the same user's next click or search;
    that of the last click in a session is unknown.
    """

    formula = r"\frac{1}{|C|} \sum_{c \in C} \operatorname{dwell}(c)"
    undefined = "no click has a known dwell time"
    source = "Fox et al. 2005, doi:10.1145/1059981.1059982"
    wants = ("events.dwell_ms",)
    counted = "seconds, added up"
    over = "clicks with a known dwell time"
    scale = 1000
    measured_in = "s"
    better = "neither"
    worked = """
        ann 0:00 shoes  click@2+10 click@6+20
        bob 0:00 hats   click@1
        = 30 / 2
    """
    numerator = row.dwell_sum
    denominator = row.dwelled_clicks
    omits = (
        Omission(
            *("pages", "clicks", "with an unknown dwell time"),
            row.clicks - row.dwelled_clicks,
            row.clicks,
        ),
    )

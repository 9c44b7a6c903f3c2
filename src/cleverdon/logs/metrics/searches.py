"""Metrics of searches: results found, latency, further pages, and how many there were."""

from __future__ import annotations

from ibis import _ as row

from cleverdon.logs.metrics.base import Count, Ratio, metric, nulls
from cleverdon.logs.sql import zero_or_one


@metric
class ZeroResults(Ratio):
    """The share of searches that found nothing.

    Only searches whose number of results is known are counted.
    """

    formula = r"\frac{|\{p : \text{nothing was found}\}|}{|\{p : \text{results were counted}\}|}"
    undefined = "no search has a known number of results"
    source = "Kumar & Vassilvitskii 2010, doi:10.1145/1772690.1772748 (as null queries)"
    aliases = ("ZRR", "ZeroResultRate")
    needs = ("queries.results",)
    omits = (nulls("pages", "results", "searches", "with an unknown number of results"),)
    unit = "pages"
    counted = "searches that found nothing"
    over = "searches whose results were counted"
    better = "lower"
    worked = """
        ann 0:00 shoes results=10
        ann 0:05 shos  results=0
        bob 0:00 hats
        = 1 / 2
    """
    numerator = zero_or_one(row.results == 0)
    denominator = zero_or_one(row.results.notnull())


@metric
class Pagination(Ratio):
    """The share of queries with a request for a further page of results."""

    formula = r"\frac{|\{q : \text{a page from 2 on}\}|}{|Q|}"
    undefined = "no search has a known page number"
    source = "Jansen, Spink & Saracevic 2000, doi:10.1016/S0306-4573(99)00056-4"
    needs = ("queries.page",)
    omits = (nulls("queries", "deepest", "queries", "without a page number"),)
    unit = "queries"
    counted = "queries with a second page"
    over = "queries whose pages were counted"
    better = "neither"
    worked = """
        ann 0:00 shoes page=1
        ann 0:01 shoes page=2
        bob 0:00 hats  page=1
        = 1 / 2
    """
    numerator = zero_or_one(row.deepest > 1)
    denominator = zero_or_one(row.deepest.notnull())


@metric
class Latency(Ratio):
    """The time that a search took, in milliseconds: the mean, and percentiles.

    A percentile is the smallest latency that at least that share of the searches did not exceed. It
    is always a measured value, and the same on every engine.
    """

    formula = r"\frac{1}{|P|} \sum_{p \in P} \operatorname{latency}(p)"
    undefined = "the log has no latency"
    source = "percentiles by nearest rank: Hyndman & Fan 1996, doi:10.2307/2684934, definition 1"
    needs = ("queries.latency_ms",)
    omits = (nulls("pages", "latency_ms", "searches", "without a latency"),)
    unit = "pages"
    counted = "milliseconds, added up"
    over = "searches whose latency is known"
    kind = "mean"
    scale = 1000
    measured_in = "ms"
    better = "lower"
    worked = """
        ann 0:00 shoes latency=10
        ann 0:05 boots latency=40
        bob 0:00 hats
        = 50 / 2
    """
    # In whole microseconds, whose sum does not depend on the order in which they are added.
    numerator = spread = (row.latency_ms * 1000).round().cast("int64")
    denominator = zero_or_one(row.latency_ms.notnull())


@metric
class Users(Count):
    """The number of users who searched."""

    formula = r"|U|"
    undefined = "the log does not name users"
    counted = "users"
    distinct = "user"
    worked = """
        ann 0:00 shoes
        ann 0:05 boots
        bob 0:00 hats
        = 2
    """


@metric
class Sessions(Count):
    """The number of sessions.

    Sessions are given by the log's own ids. In a log without such ids, a session ends when its user
    is idle for 30 minutes: the user requests no result page, and does nothing on a page in use. A
    page is in use while its events follow its search and each other within that time; later events
    count for their search, but do not extend the session.
    """

    formula = r"|S|"
    undefined = "the log names neither users nor sessions"
    source = "30 minutes: Jansen et al. 2007, doi:10.1002/asi.20564"
    unit = "sessions"
    counted = "sessions"
    worked = """
        ann 0:00 shoes
        ann 0:29 boots  click@1~1200
        ann 1:10 socks
        bob 0:00 hats
        bob 0:31 caps
        = 3
    """


@metric
class Queries(Count):
    """The number of queries; further pages of a query are not counted."""

    formula = r"|Q|"
    undefined = "the log names neither users nor sessions"
    unit = "queries"
    counted = "queries"
    worked = """
        ann 0:00 shoes
        ann 0:01 Shoes  page=2
        ann 0:05 boots
        = 2
    """


@metric
class Pages(Count):
    """The number of result pages."""

    formula = r"|P|"
    counted = "result pages"
    worked = """
        ann 0:00 shoes
        ann 0:01 shoes  page=2
        ann 0:05 boots
        = 3
    """


@metric
class DistinctQueries(Count):
    """The number of different query texts."""

    formula = r"|\{\operatorname{text}(p)\}|"
    undefined = "the log has no texts"
    counted = "different queries"
    distinct = "text"
    worked = """
        ann 0:00 shoes
        bob 0:00 Shoes
        bob 0:05 boots
        = 2
    """

"""Metrics of single searches: what was found, how fast, and whether users went on to page two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cleverdon.online.metrics.base import LeftOut, Ratio, without
from cleverdon.online.metrics.registry import metric
from cleverdon.online.portable import whole

if TYPE_CHECKING:
    import ibis

    from cleverdon.online.stages import Stages


@metric
class ZeroResults(Ratio):
    """The share of searches that found nothing.

    Only searches count of which the log says how many results they had.
    """

    formula = r"\frac{|\{p : \text{nothing was found}\}|}{|\{p : \text{results were counted}\}|}"
    undefined = "the log does not say how many results any search had"
    source = "Kumar & Vassilvitskii 2010, doi:10.1145/1772690.1772748 (as null queries)"
    needs = ("queries.results",)
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

    def numerator(self, table: ibis.Table) -> Any:
        return whole(table.results == 0)

    def denominator(self, table: ibis.Table) -> Any:
        return whole(table.results.notnull())

    def left_out(self, stages: Stages) -> list[LeftOut]:
        why = "whose number of results is not known"
        own = without(stages.pages, "searches", "results", why)
        return [*super().left_out(stages), own]


@metric
class Pagination(Ratio):
    """The share of queries of which a further page of results was asked for."""

    formula = r"\frac{|\{q : \text{a page from 2 on}\}|}{|Q|}"
    undefined = "the log does not say which page any search was for"
    source = "Jansen, Spink & Saracevic 2000, doi:10.1016/S0306-4573(99)00056-4"
    needs = ("queries.page",)
    unit = "queries"
    counted = "queries with a page from the second on"
    over = "queries whose pages were counted"
    better = "neither"
    worked = """
        ann 0:00 shoes page=1
        ann 0:01 shoes page=2
        bob 0:00 hats  page=1
        = 1 / 2
    """

    def numerator(self, table: ibis.Table) -> Any:
        return whole(table.deepest > 1)

    def denominator(self, table: ibis.Table) -> Any:
        return whole(table.deepest.notnull())

    def left_out(self, stages: Stages) -> list[LeftOut]:
        own = without(stages.queries, "queries", "deepest", "without a page number")
        return [*super().left_out(stages), own]


@metric
class Latency(Ratio):
    """How long a search took, in milliseconds: the mean, and percentiles.

    A percentile is the smallest latency that at least so many per cent of the searches did not
    exceed: always one that was measured, on every engine the same.
    """

    formula = r"\frac{1}{|P|} \sum_{p \in P} \operatorname{latency}(p)"
    undefined = "the log has no latency"
    source = "percentiles by nearest rank: Hyndman & Fan 1996, doi:10.2307/2684934, definition 1"
    needs = ("queries.latency_ms",)
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

    def numerator(self, table: ibis.Table) -> Any:
        # In whole microseconds, whose sum does not depend on the order in which they are added.
        return (table.latency_ms * 1000).round().cast("int64")

    def denominator(self, table: ibis.Table) -> Any:
        return whole(table.latency_ms.notnull())

    def spread(self, table: ibis.Table) -> Any:
        return (table.latency_ms * 1000).round().cast("int64")

    def left_out(self, stages: Stages) -> list[LeftOut]:
        own = without(stages.pages, "searches", "latency_ms", "without a latency")
        return [*super().left_out(stages), own]

"""Texts, latencies and numbers of results that cannot be meant."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from cleverdon.online import days
from cleverdon.online.doctor.base import RowCheck, check, counted_over
from cleverdon.online.doctor.facts import Facts
from cleverdon.online.doctor.findings import Finding
from cleverdon.online.doctor.limits import Limits

if TYPE_CHECKING:
    from ibis import Table


class _OfSearches(RowCheck):
    table = "queries"
    noun = "searches"


class _OfTexts(_OfSearches):
    needs = ("queries.text",)
    shows = ("query_id", "time", "user", "text")
    spoils = ("TopQueries", "DistinctQueries", "HeadTorsoTail")

    def among(self, rows: Table) -> Any:
        return rows.text.notnull()


@check
class EmptyTexts(_OfTexts):
    """Searches for nothing, with an empty text."""

    matters = "A page that is opened without a query is browsing, and counts as a search here."
    remedy = "leave them out where the log is written, if nobody typed anything"
    warning_from = 0.01

    def wrong(self, rows: Table, limits: Limits) -> Any:
        return rows.text.strip() == ""


@check
class HugeTexts(_OfTexts):
    """Searches whose text is far too long to be typed."""

    matters = "Programs and pasted documents: they are no queries as users ask them."
    remedy = "see who sends them; leave programs out by --without-bots"
    warning_from = 0.001

    def wrong(self, rows: Table, limits: Limits) -> Any:
        return rows.text.length() > limits.text_length

    def details(self, more: dict[str, Any], facts: Facts, count: int, total: int) -> list[str]:
        return [f"Longer than {facts.limits.text_length:,} characters each."]

    def examples(self, facts: Facts) -> list[dict[str, Any]]:
        # Nobody wants to read all of it.
        return [{**row, "text": f"{row['text'][:60]}..."} for row in super().examples(facts)]


class _OfLatency(_OfSearches):
    noun = "searches with a latency"
    needs = ("queries.latency_ms",)
    spoils = ("Latency", "LatencyByLoad", "LatencySpikes")
    shows = ("query_id", "time", "text", "latency_ms")

    def among(self, rows: Table) -> Any:
        return rows.latency_ms.notnull()


@check
class OddLatencies(_OfLatency):
    """Latencies of zero, below zero, or of many minutes."""

    matters = "They are not what users waited for; one of the long ones can outweigh all others."
    remedy = "log null where latency was not measured; see its unit, milliseconds here"
    warning_from = 0.001
    error_from = 0.2

    def wrong(self, rows: Table, limits: Limits) -> Any:
        return (rows.latency_ms <= 0) | (rows.latency_ms > limits.latency_seconds * days.SECOND)

    def more(self, rows: Table, limits: Limits) -> dict[str, Any]:
        return {
            "zero": rows.count(where=rows.latency_ms == 0),
            "negative": rows.count(where=rows.latency_ms < 0),
        }

    def details(self, more: dict[str, Any], facts: Facts, count: int, total: int) -> list[str]:
        zero, negative = more["zero"], more["negative"]
        longest = facts.limits.latency_seconds
        return [
            f"{zero:,} are zero, {negative:,} below zero, {count - zero - negative:,} above "
            f"{longest:g} seconds."
        ]


@check
class LatencyUnit(_OfLatency):
    """Latencies that do not seem to be in milliseconds.

    Seconds where most are below 1 and nearly none above 60; microseconds where most are above
    a minute.
    """

    matters = "Every percentile of latency is wrong by a factor of a thousand."
    remedy = "name the unit in a mapping: latency_ms: {column: NAME, unit: s}, or us"
    warning_from = 0.5

    def wrong(self, rows: Table, limits: Limits) -> Any:
        return (rows.latency_ms > 0) & (rows.latency_ms < 1)

    def more(self, rows: Table, limits: Limits) -> dict[str, Any]:
        return {
            "above": rows.count(where=rows.latency_ms > 60),
            "minutes": rows.count(where=rows.latency_ms > days.MINUTE),
        }

    def find(self, facts: Facts) -> Iterable[Finding]:
        below, total, more = counted_over(facts, self.table)[self.name]
        if total < facts.limits.least_rows:
            return
        if below > total / 2 and more["above"] <= total / 100:
            what = "latencies that seem to be seconds, not milliseconds"
            yield self.finding(below, total, what=what, examples=self.examples(facts))
        elif more["minutes"] > total / 2:
            what = "latencies that seem to be microseconds, not milliseconds"
            yield self.finding(more["minutes"], total, what=what)


@check
class OddNumbers(_OfSearches):
    """Searches with fewer than no results, or with a page before the first."""

    matters = "-1 stands for not known, which is not zero; pages count from 1."
    remedy = "log null where it is not known; say in a mapping that pages start at 0"
    spoils = ("ZeroResults", "Pagination")
    error_from = 0.05
    shows = ("query_id", "time", "text", "page", "results")

    def wrong(self, rows: Table, limits: Limits) -> Any:
        return ((rows.results < 0) | (rows.page < 1)).fill_null(False)

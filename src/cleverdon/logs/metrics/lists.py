"""Metrics that are lists: of queries, of links, and of spans of time.

A rare query may identify its user, so only queries of several users are listed. Queries with equal
counts are in the order of their texts.
"""

from __future__ import annotations

from typing import Any, ClassVar

import ibis
import numpy as np
from ibis import Table
from ibis import _ as row

from cleverdon.logs import calendar
from cleverdon.logs.log import PLURALS
from cleverdon.logs.metrics.base import Listing, Omission, Split, metric, nulls, unnamed_searches
from cleverdon.logs.session_tables import SessionTables
from cleverdon.logs.sql import percentiles, quotient, row_number, zero_or_one
from cleverdon.stats.correlation import spearman


class _OfQueries(Listing):
    """A list of the texts of `SessionTables.asked`."""

    needs: ClassVar[tuple[str, ...]] = ("queries.text",)
    of_sessions = True

    def left_out(self, tables: SessionTables) -> list[Omission]:
        unnamed = [unnamed_searches(tables)] if tables.knows_persons else []
        textless = nulls("asked", "text", "queries", "without a text")
        return [*unnamed, textless, *super().left_out(tables)]


class _TopList(_OfQueries):
    """The texts with the most rows of `SessionTables.asked` that count."""

    columns = {
        "text": "query",
        "count": "number of times",
        "users": "users",
        "share": "share of all queries",
    }
    splits = True

    counts: ClassVar[Any]

    def query(self, tables: SessionTables, split: Split) -> Table:
        asked = tables.asked
        asked = asked.filter(asked.text.notnull())
        keys = split(asked)
        groups = [key.get_name() for key in keys]
        asked = asked.mutate(*keys, counts=zero_or_one(self.counts))
        users = asked.cluster.nunique(where=asked.counts == 1)
        lines = asked.group_by(*groups, "text").agg(
            count=asked.counts.sum(), users=users, asked=asked.count()
        )
        total = lines["count"].sum().over(ibis.window(group_by=groups))
        lines = lines.mutate(share=quotient(lines["count"], total))
        enough = (lines.users >= tables.settings.least_users) & (lines["count"] > 0)
        lines = lines.filter(enough)
        order = [ibis.desc("count"), ibis.asc("text")]
        lines = lines.mutate(place=row_number(group_by=groups, order_by=order))
        lines = lines.filter(lines.place < tables.settings.top)
        return lines.order_by(*groups, "place").select(*groups, *self.columns)

    def notes(self, tables: SessionTables, rows: list[dict[str, Any]]) -> list[str]:
        least = tables.settings.least_users
        if least == 1:
            return []
        return [f"Only queries of at least {least} users are listed.", *_on_substitutes(tables)]


def _on_substitutes(tables: SessionTables) -> list[str]:
    """Return a sentence on what is counted as a user if none is named."""
    others = [name for name in ("session", "client") if tables.named_by[name]]
    others = others if tables.knows_persons else ["search"]
    if not others:
        return []
    return [
        f"If no user is named, each {' or '.join(others)} counts as a user: one person may count "
        "several times."
    ]


@metric
class TopQueries(_TopList):
    """The queries that were asked most often."""

    formula = r"|\{q : \operatorname{text}(q) = t\}|"
    undefined = "the log has no texts"
    worked = """
        ann 0:00 shoes
        bob 0:00 Shoes
        bob 0:05 boots
        = shoes 2, boots 1
    """
    counts = row.text.notnull()


@metric
class TopZeroResults(_TopList):
    """The queries that found nothing most often."""

    columns = _TopList.columns | {
        "share": "share of all queries that found nothing",
        "asked": "number of times it was asked",
    }
    formula = r"|\{q : \operatorname{text}(q) = t, \operatorname{results}(q) = 0\}|"
    undefined = "the log has no texts, or no numbers of results"
    needs = ("queries.text", "queries.results")
    omits = (nulls("asked", "found", "queries", "whose number of results is not known"),)
    worked = """
        ann 0:00 shos   results=0
        bob 0:00 shos   results=0
        bob 0:05 boots  results=4
        = shos 2
    """
    counts = row.found == 0


@metric
class TopAbandoned(_TopList):
    """The queries that were most often abandoned, without a click on their results.

    Those that found nothing are left out: there was nothing to click on.
    """

    columns = _TopList.columns | {
        "share": "share of all abandoned queries",
        "asked": "number of times it was asked",
    }
    formula = r"|\{q : \operatorname{text}(q) = t, \text{no click on } q\}|"
    undefined = "the log has no texts, or no events"
    needs = ("queries.text", "events.action")
    worked = """
        ann 0:00 shoes  results=9
        bob 0:00 shoes  results=9  click@1
        bob 0:05 boots  results=0
        = shoes 1
    """
    counts = (row.clicks == 0) & ((row.found > 0) | row.found.isnull())


@metric
class HeadTorsoTail(_OfQueries):
    """The shares of frequent and of rare queries in the traffic.

    Different queries are ordered by frequency: the first 1% are the head, the next 19% the torso,
    the others the tail.
    """

    formula = r"\frac{|\{q : \operatorname{text}(q) \in \text{band}\}|}{|Q|}"
    undefined = "the log has no texts"
    source = "the long tail of queries: Baeza-Yates et al. 2007, doi:10.1145/1277741.1277775"
    columns = {
        "band": "band",
        "texts": "different queries",
        "count": "number of times they were asked",
        "share": "share of all queries asked",
    }
    worked = """
        ann 0:00 shoes
        bob 0:00 shoes
        eve 0:00 shoes
        bob 0:05 boots
        = head 3, tail 1
    """

    def query(self, tables: SessionTables, split: Split) -> Table:
        asked = tables.asked
        asked = asked.filter(asked.text.notnull())
        lines = asked.group_by("text").agg(count=asked.count())
        everywhere = ibis.window()
        lines = lines.mutate(
            place=row_number(order_by=[ibis.desc("count"), "text"]),
            texts=lines.count().over(everywhere),
            total=lines["count"].sum().over(everywhere),
        )
        settings = tables.settings
        # The share of texts before a text decides its band.
        before = lines.place * _MILLION
        head = before < lines.texts * round(settings.head * _MILLION)
        torso = before < lines.texts * round((settings.head + settings.torso) * _MILLION)
        lines = lines.mutate(band=ibis.cases((head, "head"), (torso, "torso"), else_="tail"))
        bands = lines.group_by("band").agg(
            texts=lines.count(),
            count=lines["count"].sum(),
            share=quotient(lines["count"].sum(), lines.total.max()),
        )
        return bands.order_by("band").select(*self.columns)

    def finished(self, tables: SessionTables, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        order = ["head", "torso", "tail"]
        return sorted(rows, key=lambda row: order.index(row["band"]))


_MILLION = 1_000_000


@metric
class LinkCTR(Listing):
    """Click-through rate of a link: of the users who saw it, the share who clicked it.

    A link is a document, on any result page and at any rank. A user saw it if it has an impression
    on one of their pages; how much of a page was on the screen is not known beyond that. However
    often a user saw and clicked it, they count once. Those who clicked it without an impression are
    left out. `LinkCTR` lists the links that most users saw, `LinkCTR(doc=ID)` has one link.
    Intervals are Wilson's, with users as the sample.
    """

    family = "Clicks"
    formula = (
        r"\frac{|\{u : u \text{ saw and clicked } d\}|}{|\{u : \text{an impression of } d "
        r"\text{ on a page of } u\}|}"
    )
    undefined = "no user saw the link"
    source = "clicks by impressions, counted by users: Wilson 1927, doi:10.2307/2276774 (interval)"
    shared_names = ("CTR", "ClickThroughRate")
    needs = ("events.action", "events.doc")
    needs_persons = True
    uses = ("impression", "click")
    columns = {
        "doc": "link",
        "users": "users who saw it",
        "clicked": "of these, users who clicked it",
        "share": "click-through rate: clicked by users",
        "low": "lower end of the interval",
        "high": "upper end of the interval",
    }
    meanings = {"doc": "The id of the document, as in the log: the list has only this link."}
    splits = True
    share_of = ("clicked", "users")
    _totals = ("all_unseen", "all_clicked")  # for notes: over all links, also those not listed
    worked = """
        ann 0:00 shoes  shown@1 shown@2 click@2
        ann 0:09 shoes  shown@1 shown@2 click@2
        bob 0:00 shoes  shown@1 shown@2
        eve 0:00 boots  shown@1 click@1
        joe 0:00 boots  click@1
        = d1 1 / 3, d2 1 / 2
    """

    def __init__(self, doc: str | None = None) -> None:
        self.doc = doc

    def __str__(self) -> str:
        return "LinkCTR" if self.doc is None else f"LinkCTR(doc={self.doc})"

    def missing(self, tables: SessionTables) -> list[str]:
        lacks = super().missing(tables)
        seen = tables.strays["impression"][1] if not lacks else 1
        return lacks if seen else ["events.impression"]

    def left_out(self, tables: SessionTables) -> list[Omission]:
        nameless = [
            Omission(None, PLURALS[action], "that name no document", *tables.without_doc[action])
            for action in self.uses
        ]
        return [unnamed_searches(tables), *super().left_out(tables), *nameless]

    def query(self, tables: SessionTables, split: Split) -> Table:
        keys = split(tables.pages)
        groups = [key.get_name() for key in keys]
        pages = tables.pages.filter(tables.pages.actor.notnull()).select("query_id", "actor", *keys)
        events = tables.log.events
        events = events.filter(events.action.isin(self.uses), events.doc.notnull())
        if self.doc is not None:
            events = events.filter(events.doc == self.doc)
        done = events.select("query_id", "doc", is_click=events.action == "click")
        users = done.join(pages, "query_id").group_by(*groups, "doc", "actor")
        users = users.agg(
            saw=zero_or_one(~row.is_click).max(), clicked=zero_or_one(row.is_click).max()
        )
        links = users.group_by(*groups, "doc").agg(
            users=users.saw.sum(),
            clicked=(users.saw * users.clicked).sum(),
            unseen=((1 - users.saw) * users.clicked).sum(),
        )
        everywhere = ibis.window()
        links = links.mutate(
            all_unseen=links.unseen.sum().over(everywhere),
            all_clicked=(links.clicked + links.unseen).sum().over(everywhere),
        )
        if self.doc is None:
            links = links.filter(links.users >= tables.settings.least_users)
        order = [ibis.desc("users"), ibis.asc("doc")]
        links = links.mutate(place=row_number(group_by=groups, order_by=order))
        links = links.filter(links.place < tables.settings.top)
        names = ("doc", "users", "clicked", *self._totals)
        return links.order_by(*groups, "place").select(*groups, *names)

    def finished(self, tables: SessionTables, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{name: row[name] for name in row if name not in self._totals} for row in rows]

    def notes(self, tables: SessionTables, rows: list[dict[str, Any]]) -> list[str]:
        notes = _on_substitutes(tables)
        least = tables.settings.least_users
        if self.doc is not None and not rows:
            notes.insert(0, "The log has no impression of this link, and no click on it.")
        elif self.doc is None and least > 1:
            notes.insert(0, f"Only links that at least {least} users saw are listed.")
        if rows and rows[0]["all_unseen"]:
            unseen, clicked = rows[0]["all_unseen"], rows[0]["all_clicked"]
            what = "the link" if self.doc else "a link (each link counts)"
            notes.append(
                f"Left out: {unseen:,} of {clicked:,} users who clicked {what}, but have no "
                "impression of it."
            )
        return notes


@metric
class QueriesPerTime(Listing):
    """Searches per second, minute, hour, day and month: the average and the peak.

    Every requested result page counts, because the engine has to answer it. The average is over all
    spans from the first search to the last, including empty ones. If clocks are put back, the hour
    that they show twice is two hours; if they are put forward, the hour that they skip is none.
    """

    family = "Load"
    formula = r"\max_t |\{p : t \le \operatorname{time}(p) < t + \text{span}\}|"
    columns = {
        "span": "span of time",
        "mean": "searches in it, on average",
        "peak": "searches at the peak",
        "peak_at": "time of the peak (the first, if there are several)",
        "spans": "number of spans",
    }
    worked = """
        ann 0:00 shoes
        bob 0:00 hats
        bob 5:00 caps
        = second 2, minute 2, hour 2, day 3, month 3
    """

    def query(self, tables: SessionTables, split: Split) -> Table:
        time = tables.pages.time
        at = tables.local(time)
        spans = {name: tables.clock.start(time, span) for name, span in calendar.SPANS.items()}
        spans["day"] = calendar.floor_to(at, calendar.DAY)
        spans["month"] = _month(at, tables)
        peaks = [_peak(tables.pages, name, bucket) for name, bucket in spans.items()]
        return ibis.union(*peaks)

    def finished(self, tables: SessionTables, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        order = [*calendar.SPANS, "month"]
        finished = []
        for peak in sorted(rows, key=lambda one: order.index(one["span"])):
            spans, peak_at = _spans(tables, peak["span"], peak["bucket"])
            means = {"mean": peak["total"] / spans, "peak": peak["peak"]}
            finished.append({"span": peak["span"], **means, "peak_at": peak_at, "spans": spans})
        return finished


def _peak(pages: Table, span: str, bucket: Any) -> Table:
    """Return the first span with the most searches, and the number of all searches."""
    counts = pages.select(bucket=bucket).group_by("bucket").agg(peak=lambda t: t.count())
    counts = counts.mutate(total=counts.peak.sum().over(ibis.window()), span=ibis.literal(span))
    return counts.order_by(ibis.desc("peak"), "bucket").limit(1)


def _month(at: Any, tables: SessionTables) -> Any:
    """Return the number of the log's month, from 0."""
    _, *later = calendar.months(*tables.local_span)
    if not later:
        return at - at
    cases = [(at >= start, number + 1) for number, start in enumerate(later)]
    return ibis.cases(*reversed(cases), else_=0).cast("int64")


def _spans(tables: SessionTables, span: str, bucket: int) -> tuple[int, str]:
    """Return the number of spans of a kind, and the start of the one in this bucket."""
    if span == "month":
        months = calendar.months(*tables.local_span)
        return len(months), calendar.as_date(months[bucket] // calendar.DAY)[:7]
    if span == "day":
        return len(tables.clock.days()), calendar.as_date(bucket)
    length = calendar.SPANS[span]
    return tables.clock.count(length), tables.clock.written(bucket, length)


LEAST_SEARCHES = 20
"""With fewer searches in a minute, its slowest tenth is a single search."""

SPIKE = 3
"""A minute is a spike if its 90th percentile is this many times that of the usual minute."""


class _ByMinute(Listing):
    family = "Load"
    needs = ("queries.latency_ms",)
    omits = (nulls("pages", "latency_ms", "searches", "without a latency"),)
    undefined = "the log has no latency"
    worked = """
        ann 0:00 shoes
        = undefined
    """

    def query(self, tables: SessionTables, split: Split) -> Table:
        pages = tables.pages
        minute = tables.clock.start(pages.time, calendar.MINUTE).name("minute")
        return percentiles(pages, pages.latency_ms, (50, 90, 95), by=[minute])

    def notes(self, tables: SessionTables, rows: list[dict[str, Any]]) -> list[str]:
        return [
            f"{len(_enough(rows)):,} of {len(rows):,} minutes with searches have at least "
            f"{LEAST_SEARCHES}, and are used."
        ]


def _enough(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    enough = [row for row in rows if row["n"] >= LEAST_SEARCHES]
    return sorted(enough, key=lambda row: int(row["minute"]))


@metric
class LatencyByLoad(_ByMinute):
    """Latency against load: the latency of searches in quiet and in busy minutes.

    Minutes are ordered by their number of searches and divided into five groups; a value is the
    median over the minutes of a group. Minutes with fewer than 20 searches are left out.
    """

    formula = r"\operatorname{median}_{m \in \text{group}} P_{95}(m)"
    columns = {
        "load": "searches a minute, from and to",
        "minutes": "minutes",
        "p50": "median latency, in ms",
        "p95": "95th percentile, in ms",
    }

    def finished(self, tables: SessionTables, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        rows = sorted(_enough(rows), key=lambda row: (int(row["n"]), int(row["minute"])))
        groups = [group for group in np.array_split(np.array(rows, dtype=object), 5) if len(group)]
        return [
            {
                "load": f"{group[0]['n']} to {group[-1]['n']}",
                "minutes": len(group),
                "p50": float(np.median([row["p50"] for row in group])),
                "p95": float(np.median([row["p95"] for row in group])),
            }
            for group in groups
        ]

    def notes(self, tables: SessionTables, rows: list[dict[str, Any]]) -> list[str]:
        notes, rows = super().notes(tables, rows), _enough(rows)
        load, tail = ({row["minute"]: row[name] for row in rows} for name in ("n", "p95"))
        if len(set(load.values())) < 2 or len(set(tail.values())) < 2:
            return notes
        rho = spearman(load, tail)
        return [*notes, f"Spearman's correlation of load and 95th percentile is {rho:.2f}."]


@metric
class LatencySpikes(_ByMinute):
    """Minutes in which searches took much longer than usual.

    A spike is a minute of at least 20 searches whose 90th percentile is at least 3 times the median
    of all such minutes: one slow search is not a spike. Consecutive minutes are one spike.
    """

    formula = r"P_{90}(m) \ge 3 \cdot \operatorname{median}_{m'} P_{90}(m')"
    columns = {
        "start": "from",
        "minutes": "number of minutes",
        "searches": "searches in them",
        "p90": "the highest 90th percentile among them, in ms",
        "times": "multiple of the usual",
    }

    def finished(self, tables: SessionTables, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        rows = _enough(rows)
        usual = float(np.median([row["p90"] for row in rows])) if rows else 0.0
        spikes: list[list[dict[str, Any]]] = []
        for minute in rows:
            if minute["p90"] < SPIKE * usual or not usual:
                continue
            if spikes and minute["minute"] == spikes[-1][-1]["minute"] + calendar.MINUTE:
                spikes[-1].append(minute)
            else:
                spikes.append([minute])
        return [
            {
                "start": tables.clock.written(spike[0]["minute"], calendar.MINUTE),
                "minutes": len(spike),
                "searches": sum(row["n"] for row in spike),
                "p90": max(row["p90"] for row in spike),
                "times": max(row["p90"] for row in spike) / usual,
            }
            for spike in spikes
        ]

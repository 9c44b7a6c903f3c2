"""How many searches there are in a span of time, and what that does to their latency."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ibis
import numpy as np

from cleverdon.correlate import spearman
from cleverdon.online import days
from cleverdon.online.metrics.base import LeftOut, Listing, Split, without
from cleverdon.online.metrics.registry import metric
from cleverdon.online.percentiles import percentiles

if TYPE_CHECKING:
    from ibis import Table

    from cleverdon.online.stages import Stages


@metric
class QueriesPerTime(Listing):
    """Searches per second, minute, hour, day and month: how many on average, and at the peak.

    Every result page that was asked for counts, since the engine has to answer it. The average is
    over all spans from the first search to the last, also those without any. Where clocks are put
    back, the hour that they show twice is two hours; where they are put forward, the hour that they
    skip is none.
    """

    formula = r"\max_t |\{p : t \le \operatorname{time}(p) < t + \text{span}\}|"
    columns = {
        "span": "span of time",
        "mean": "searches in it, on average",
        "peak": "searches at the peak",
        "peak_at": "when that was (the first time, where there are several)",
        "spans": "how many spans there are",
    }
    worked = """
        ann 0:00 shoes
        bob 0:00 hats
        bob 5:00 caps
        = second 2, minute 2, hour 2, day 3, month 3
    """

    def query(self, stages: Stages, split: Split) -> Table:
        time = stages.pages.time
        at = stages.local(time)
        spans = {name: stages.clock.start(time, span) for name, span in days.SPANS.items()}
        spans["day"] = days.floor_to(at, days.DAY)
        spans["month"] = _month(at, stages)
        peaks = [_peak(stages.pages, name, bucket) for name, bucket in spans.items()]
        return ibis.union(*peaks)

    def finished(self, stages: Stages, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        told = []
        for row in sorted(rows, key=lambda row: _ORDER.index(row["span"])):
            spans, peak_at = _spans(stages, row["span"], row["bucket"])
            told.append(
                {
                    "span": row["span"],
                    "mean": row["total"] / spans,
                    "peak": row["peak"],
                    "peak_at": peak_at,
                    "spans": spans,
                }
            )
        return told


_ORDER = [*days.SPANS, "month"]


def _peak(pages: Table, span: str, bucket: Any) -> Table:
    """The span of time with the most searches, the first of them, and how many there are at all."""
    counts = pages.select(bucket=bucket).group_by("bucket").agg(peak=lambda t: t.count())
    counts = counts.mutate(total=counts.peak.sum().over(ibis.window()), span=ibis.literal(span))
    return counts.order_by(ibis.desc("peak"), "bucket").limit(1)


def _month(at: Any, stages: Stages) -> Any:
    """Which of the log's months it is, counted from 0; months are not all as long."""
    _, *later = days.months(*stages.local_span)
    if not later:
        return at - at
    cases = [(at >= start, number + 1) for number, start in enumerate(later)]
    return ibis.cases(*reversed(cases), else_=0).cast("int64")


def _spans(stages: Stages, span: str, bucket: int) -> tuple[int, str]:
    """How many spans of a kind there are, and when the one in this bucket begins."""
    if span == "month":
        months = days.months(*stages.local_span)
        return len(months), days.as_date(months[bucket] // days.DAY)[:7]
    if span == "day":
        return len(stages.clock.days()), days.as_date(bucket)
    length = days.SPANS[span]
    return stages.clock.count(length), stages.clock.written(bucket, length)


LEAST_SEARCHES = 20
"""Minutes with fewer searches tell too little of their latency: of so many, the slowest tenth is
more than a single search."""

SPIKE = 3
"""A minute is a spike where its 90th percentile is so many times that of the usual minute."""


class _ByMinute(Listing):
    needs = ("queries.latency_ms",)
    undefined = "the log has no latency"

    def query(self, stages: Stages, split: Split) -> Table:
        pages = stages.pages
        minute = stages.clock.start(pages.time, days.MINUTE).name("minute")
        return percentiles(pages, pages.latency_ms, (50, 90, 95), by=[minute])

    def left_out(self, stages: Stages) -> list[LeftOut]:
        return [without(stages.pages, "searches", "latency_ms", "without a latency")]

    def notes(self, stages: Stages, rows: list[dict[str, Any]]) -> list[str]:
        return [
            f"{len(_enough(rows)):,} of {len(rows):,} minutes with searches have at least "
            f"{LEAST_SEARCHES}, and are looked at."
        ]


def _enough(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    told = [row for row in rows if row["n"] >= LEAST_SEARCHES]
    return sorted(told, key=lambda row: int(row["minute"]))


@metric
class LatencyByLoad(_ByMinute):
    """Latency against load: what searches take in quiet minutes, and what in busy ones.

    Minutes in the order of their searches, in five groups; of each group, the median over its
    minutes. Minutes with fewer than 20 searches are left out.
    """

    formula = r"\operatorname{median}_{m \in \text{group}} P_{95}(m)"
    columns = {
        "load": "searches a minute, from and to",
        "minutes": "minutes",
        "p50": "median latency, in ms",
        "p95": "95th percentile, in ms",
    }
    worked = """
        ann 0:00 shoes
        = undefined
    """

    def finished(self, stages: Stages, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
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

    def notes(self, stages: Stages, rows: list[dict[str, Any]]) -> list[str]:
        told, rows = super().notes(stages, rows), _enough(rows)
        load, tail = ({row["minute"]: row[name] for row in rows} for name in ("n", "p95"))
        if len(set(load.values())) < 2 or len(set(tail.values())) < 2:
            return told
        rho = spearman(load, tail)
        return [*told, f"Spearman's correlation of load and 95th percentile is {rho:.2f}."]


@metric
class LatencySpikes(_ByMinute):
    """Minutes in which searches took far longer than usual.

    A minute of at least 20 searches whose 90th percentile is at least 3 times the median of all
    such minutes: one slow search makes no spike. Minutes that follow each other are one spike.
    """

    formula = r"P_{90}(m) \ge 3 \cdot \operatorname{median}_{m'} P_{90}(m')"
    columns = {
        "start": "from",
        "minutes": "how many minutes",
        "searches": "searches in them",
        "p90": "the highest 90th percentile among them, in ms",
        "times": "how many times the usual",
    }
    worked = """
        ann 0:00 shoes
        = undefined
    """

    def finished(self, stages: Stages, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        rows = _enough(rows)
        usual = float(np.median([row["p90"] for row in rows])) if rows else 0.0
        spikes: list[list[dict[str, Any]]] = []
        for row in rows:
            if row["p90"] < SPIKE * usual or not usual:
                continue
            if spikes and row["minute"] == spikes[-1][-1]["minute"] + days.MINUTE:
                spikes[-1].append(row)
            else:
                spikes.append([row])
        return [
            {
                "start": stages.clock.written(spike[0]["minute"], days.MINUTE),
                "minutes": len(spike),
                "searches": sum(row["n"] for row in spike),
                "p90": max(row["p90"] for row in spike),
                "times": max(row["p90"] for row in spike) / usual,
            }
            for spike in spikes
        ]

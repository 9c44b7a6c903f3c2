"""Response times against throughput, rate by rate, with the limit and the knee."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cleverdon.engine.load.sweep import Sweep
from cleverdon.show.bench.about import percentage
from cleverdon.show.bench.sweep import knee_told, verdict
from cleverdon.show.plot.base import Chart, Datasets, Row, alt, finished, table
from cleverdon.show.plot.lines import line_style
from cleverdon.show.plot.theme import PALETTE
from cleverdon.show.quantities import rate, seconds

NAMES = ("p99", "p90", "p50")


def throughput_curve(found: Sweep, *, system: str = "") -> Chart:
    """A line for each percentile over the answers a second that each rate came to."""
    return finished(
        throughput_chart(NAMES),
        throughput_rows(found),
        title="Response times against throughput" + (f" of {system}" if system else ""),
        subtitle=[
            knee_told(found),
            f"Bars: {percentage(found.goal.confidence)} intervals of p99, where both ends are "
            "known. Dashed: its limit, and the knee.",
        ],
    )


def throughput_rows(found: Sweep) -> Datasets:
    """A row for each rate and percentile; the limit; and the knee, where there is one."""
    times: list[Row] = []
    intervals: list[Row] = []
    for step in found.steps:
        if step.latencies is None:
            continue
        about = {
            "rate": step.rate,
            "throughput": step.load.throughput,
            "verdict": verdict(step),
        }
        for name in NAMES:
            one = step.latencies[name]
            times.append(
                {**about, "line": name, "ms": 1000 * one.value, "told": seconds(one.value)}
            )
        p99 = step.latencies["p99"]
        if p99.low is not None and p99.high is not None:
            intervals.append({**about, "low": 1000 * p99.low, "high": 1000 * p99.high})
    at = [step for step in found.steps if step.rate == found.knee.rate and not found.not_valid]
    knees = [
        {"throughput": step.load.throughput, "label": f"knee: {rate(step.rate)}"} for step in at
    ]
    limit = {"ms": 1000 * found.goal.p99, "label": f"limit of p99: {seconds(found.goal.p99)}"}
    return {"times": times, "intervals": intervals, "limit": [limit], "knee": knees}


def throughput_chart(names: Sequence[str]) -> Any:
    """Lines in the order of rates: beyond the knee throughput may fall again."""
    across = alt.X("throughput:Q", title="answers a second", scale=alt.Scale(zero=True))
    up = alt.Y(
        "ms:Q",
        title="milliseconds",
        scale=alt.Scale(type="log"),
        axis=alt.Axis(tickCount=5, format="~g"),
    )
    told = [
        alt.Tooltip("line:N", title="percentile"),
        alt.Tooltip("rate:Q", format=",.4~g", title="rate, 1/s"),
        alt.Tooltip("throughput:Q", format=",.4~g", title="answers, 1/s"),
        alt.Tooltip("told:N", title="response time"),
        alt.Tooltip("verdict:N"),
    ]
    style = line_style(names, "line", legend=alt.Legend(title=None, symbolType="stroke"))
    rows = alt.Chart(table("times")).encode(x=across, y=up)
    limit = alt.Chart(table("limit"))
    knee = alt.Chart(table("knee"))
    return alt.layer(
        limit.mark_rule(strokeDash=[4, 3]).encode(y=up),
        limit.mark_text(align="left", dy=-6).encode(y=up, x=alt.value(4), text=alt.Text("label:N")),
        knee.mark_rule(strokeDash=[4, 3]).encode(x=across),
        knee.mark_text(align="right", dx=-5, baseline="bottom").encode(
            x=across, y=alt.value("height"), text=alt.Text("label:N")
        ),
        rows.mark_line().encode(order=alt.Order("rate:Q"), **style),
        rows.mark_point(filled=True, size=40, opacity=1).encode(color=style["color"], tooltip=told),
        alt.Chart(table("intervals"))
        .mark_rule(size=2, color=PALETTE[0], opacity=0.6)
        .encode(x=across, y=alt.Y("low:Q"), y2=alt.Y2("high:Q")),
    )

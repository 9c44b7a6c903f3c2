"""Plots of load tests and of indexing growth.

Percentiles are drawn on a scale on which each further nine has as much room as the one before.
Growth is drawn on logarithmic scales, with linear growth for comparison.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, isnan, log10
from typing import Any

import numpy as np

from cleverdon._common.arrays import Floats
from cleverdon.charts.base import (
    Chart,
    Datasets,
    Row,
    alt,
    finish_chart,
    intervals_chart,
    named_data,
    tooltips,
)
from cleverdon.charts.lines import label_rows, labels, line_style
from cleverdon.charts.theme import PALETTE, WIDTH
from cleverdon.engines.indexing.results import MEASURED_QUANTITIES, IndexingResult
from cleverdon.engines.load import cells
from cleverdon.engines.load.bench import Bench
from cleverdon.engines.load.cold_cache import ColdWarm
from cleverdon.engines.load.results import Latencies, Load
from cleverdon.engines.load.soak import HOUR, WATCHED, Soak
from cleverdon.engines.load.sweep import Sweep
from cleverdon.engines.load.versus import COMPARED_PERCENTILES, Versus
from cleverdon.errors import OptionError
from cleverdon.stats.trends import LEAST_SIZES
from cleverdon.tables.numbers import format_rate, format_seconds

_CURVE_POINTS = 200
_PERCENTILE_TICKS = {0.0: "0%", 0.30103: "50%", 1.0: "90%", 2.0: "99%", 3.0: "99.9%", 4.0: "99.99%"}
"""Places on the axis, and what stands there."""
_END_ROOM = 0.12
"""Room at the right end of lines for the longest time, which no percentile is short of."""
_SHORTEST = 1e-6  # shorter times are drawn as a microsecond: a scale by factors has no 0


def _percentile_curve(load: Load, *, system: str = "") -> Chart:
    times = {"response time": load.response, "service time": load.service}
    return finish_chart(
        _percentile_chart(list(times)),
        _percentile_rows(times, intervals=load.latencies),
        title=f"Response times{system and f' of {system}'} at {load.pattern.describe()}",
        subtitle="Response time runs from when a request was to be sent, service time from when it "
        f"was. Bars: {cells.share(load.confidence)} intervals.",
    )


def _cold_warm_curve(found: ColdWarm, *, system: str = "") -> Chart:
    how = "emptied by a command" if found.emptied else "not emptied"
    passes = {"cold": found.cold, "warm": found.warm}
    times = {which: values[np.isfinite(values)] for which, values in passes.items()}
    return finish_chart(
        _percentile_chart(list(times)),
        _percentile_rows(times),
        title=f"Cold and warm caches{system and f' of {system}'}",
        subtitle=f"Each query once (caches were {how} before), and once again.",
    )


def _percentile_rows(
    times: Mapping[str, Floats], *, intervals: Latencies | None = None
) -> Datasets:
    """A row for each line and place on the axis; and for each interval that has two ends."""
    rows: list[Row] = []
    for line, values in times.items():
        if not len(values):
            raise OptionError("there are no times to draw: no request was answered")
        ordered = np.sort(values)
        last = log10(len(ordered)) + _END_ROOM
        for place in np.linspace(0, last, _CURVE_POINTS):
            share = 1 - 10.0**-place
            rank = min(len(ordered), max(1, ceil(share * len(ordered) - 1e-9)))
            value = float(ordered[rank - 1])
            row = {"line": line, "place": float(place), "percentile": f"{100 * share:.6g}%"}
            time = {"ms": 1000 * max(value, _SHORTEST), "told": format_seconds(value)}
            rows.append(row | time)
    bars: list[Row] = []
    for one in intervals.percentiles if intervals is not None else ():
        if one.low is not None and one.high is not None:
            place = -log10(1 - float(one.name[1:]) / 100)
            ends = {"low": 1000 * max(one.low, _SHORTEST), "high": 1000 * max(one.high, _SHORTEST)}
            bars.append({"place": place, "percentile": one.name, **ends})
    return {"times": rows, "intervals": bars}


def _percentile_chart(lines: Sequence[str]) -> Any:
    words = [f"datum.value == {place} ? '{word}'" for place, word in _PERCENTILE_TICKS.items()]
    labels = f"{' : '.join(words)} : ''"
    axis = alt.Axis(values=list(_PERCENTILE_TICKS), labelExpr=labels, grid=True)
    across = alt.X("place:Q", title="percentile", axis=axis, scale=alt.Scale(nice=False))
    told = tooltips("what=line:N", "percentile:N", "time=told:N")
    style = line_style(lines, "line", legend=alt.Legend(title=None, orient="top-left"))
    drawn = (
        alt.Chart(named_data("times"))
        .mark_line(interpolate="step-after")
        .encode(x=across, y=_log_milliseconds(), tooltip=told, **style)
    )
    return alt.layer(drawn, _interval_bars(across))


def _log_milliseconds() -> alt.Y:
    axis = alt.Axis(tickCount=5, format="~g")
    return alt.Y("ms:Q", title="milliseconds", scale=alt.Scale(type="log"), axis=axis)


def _interval_bars(across: alt.X) -> Any:
    bars = alt.Chart(named_data("intervals")).mark_rule(size=2, color=PALETTE[0], opacity=0.6)
    return bars.encode(x=across, y=alt.Y("low:Q"), y2=alt.Y2("high:Q"))


_SWEEP_PERCENTILES = ("p99", "p90", "p50")


def _throughput_curve(found: Sweep, *, system: str = "") -> Chart:
    return finish_chart(
        _throughput_chart(_SWEEP_PERCENTILES),
        _throughput_rows(found),
        title=f"Response times against throughput{system and f' of {system}'}",
        subtitle=[
            found.describe_knee(),
            f"Bars: {cells.share(found.goal.confidence)} intervals of p99, where both ends are "
            "known. Dashed: its limit, and the knee.",
        ],
    )


def _throughput_rows(found: Sweep) -> Datasets:
    times: list[Row] = []
    intervals: list[Row] = []
    for step in found.steps:
        latencies = step.load.latencies
        if latencies is None:
            continue
        about = {"rate": step.rate, "throughput": step.load.throughput, "verdict": step.verdict}
        for name in _SWEEP_PERCENTILES:
            one = latencies[name]
            times.append(
                {**about, "line": name, "ms": 1000 * one.value, "told": format_seconds(one.value)}
            )
        p99 = latencies["p99"]
        if p99.low is not None and p99.high is not None:
            intervals.append({**about, "low": 1000 * p99.low, "high": 1000 * p99.high})
    knees = [
        {"throughput": step.load.throughput, "label": f"knee: {format_rate(step.rate)}"}
        for step in found.steps
        if step.rate == found.knee.rate and not found.not_valid
    ]
    label = f"limit of p99: {format_seconds(found.goal.p99)}"
    limit = {"ms": 1000 * found.goal.p99, "label": label}
    return {"times": times, "intervals": intervals, "limit": [limit], "knee": knees}


def _throughput_chart(names: Sequence[str]) -> Any:
    """Lines in the order of rates: beyond the knee throughput may fall again."""
    across = alt.X("throughput:Q", title="answers a second", scale=alt.Scale(zero=True))
    up = _log_milliseconds()
    told = tooltips(
        "percentile=line:N",
        "rate, 1/s=rate:Q ,.4~g",
        "answers, 1/s=throughput:Q ,.4~g",
        "response time=told:N",
        "verdict:N",
    )
    style = line_style(names, "line", legend=alt.Legend(title=None, symbolType="stroke"))
    rows = alt.Chart(named_data("times")).encode(x=across, y=up)
    limit = alt.Chart(named_data("limit"))
    knee = alt.Chart(named_data("knee"))
    return alt.layer(
        limit.mark_rule(strokeDash=[4, 3]).encode(y=up),
        limit.mark_text(align="left", dy=-6).encode(y=up, x=alt.value(4), text=alt.Text("label:N")),
        knee.mark_rule(strokeDash=[4, 3]).encode(x=across),
        knee.mark_text(align="right", dx=-5, baseline="bottom").encode(
            x=across, y=alt.value("height"), text=alt.Text("label:N")
        ),
        rows.mark_line().encode(order=alt.Order("rate:Q"), **style),
        rows.mark_point(filled=True, size=40, opacity=1).encode(color=style["color"], tooltip=told),
        _interval_bars(across),
    )


def _percentile_differences(found: Versus) -> Chart:
    one, two = found.names
    marks = "Not valid." if found.not_valid else f"Filled: shown, corrected p ≤ {found.level:g}."
    return finish_chart(
        _percentile_differences_chart(two),
        _percentile_differences_rows(found),
        title=f"{one} against {two}, at {found.pattern.describe()}",
        subtitle=[
            f"{len(found.pairs)} pairs of blocks. Lines: thin, {cells.share(found.confidence)} "
            "intervals adjusted for three percentiles; thick, not adjusted.",
            f"{marks}{_disagreements(found)}",
        ],
    )


def _disagreements(found: Versus) -> str:
    """Name the percentiles whose interval says otherwise than the verdict; empty for none."""
    names = [name for name in COMPARED_PERCENTILES if found.disagrees(name)]
    return f" Interval and verdict disagree: {', '.join(names)}." if names else ""


def _percentile_differences_rows(found: Versus) -> Datasets:
    rows: list[Row] = []
    for name in COMPARED_PERCENTILES:
        change = found.changes[name]
        known = not isnan(change.low)
        p = change.corrected
        chance = "" if p is None or isnan(p) else cells.p_value(p, found.level)
        rows.append(
            {
                "label": name,
                "panel": "response time",
                "place": 0,
                "difference": 1000 * change.difference,
                "low": 1000 * change.low if known else None,
                "high": 1000 * change.high if known else None,
                "inner_low": 1000 * change.unadjusted_low if known else None,
                "inner_high": 1000 * change.unadjusted_high if known else None,
                "first": format_seconds(change.first),
                "second": format_seconds(change.second),
                "significant": found.verdict(name) == "shown",
                "estimate": cells.signed_quantity(name, change.difference),
                "chance": f"p {chance if chance[:1] == '<' else '= ' + chance}" if chance else "",
            }
        )
    return {"differences": rows}


def _percentile_differences_chart(second: str) -> Any:
    numbers = [f"{name}:Q +.4~g" for name in ("difference", "low", "high")]
    told = tooltips("percentile=label:N", "first:N", "second:N", *numbers)
    colour = alt.value(PALETTE[0])
    return intervals_chart(f"difference to {second}, milliseconds", colour, told, inner=True)


_SOAK_PANELS = {
    "p50": ("p50, milliseconds", 1000.0),
    "p99": ("p99, milliseconds", 1000.0),
    "throughput": ("answers a second", 1.0),
    "errors": ("errors, %", 100.0),
    "memory": ("memory, MB", 1e-6),
}
_PANEL_HEIGHT = 90


def _soak_over_time(found: Soak, *, system: str = "") -> Chart:
    shown = [name for name in found.drifts if found.verdict(name) == "shown"]
    drifting = [found.describe_drift(name) for name in shown]
    if found.not_valid:
        drifting = ["Not valid."]
    elif found.few:
        drifting = ["Too few windows to tell drift from chance."]
    return finish_chart(
        _soak_chart(_drawn_quantities(found)),
        _soak_rows(found),
        title=(f"{system} at " if system else "At ") + found.load.pattern.describe(),
        subtitle=[*(drifting or ["No drift is shown."]), "Dashed: the slope of Theil and Sen."],
    )


def _drawn_quantities(found: Soak) -> list[str]:
    values = {name: [getattr(window, name) for window in found.windows] for name in WATCHED}
    return [
        name
        for name in WATCHED
        if any(not isnan(value) and (value or name != "errors") for value in values[name])
    ]


def _soak_rows(found: Soak) -> Datasets:
    datasets: Datasets = {}
    for name in _drawn_quantities(found):
        _, times = _SOAK_PANELS[name]
        rows: list[Row] = []
        for window in found.windows:
            value = getattr(window, name)
            middle = window.start + window.seconds / 2
            rows.append(
                {
                    "minutes": middle / 60,
                    "value": None if isnan(value) else times * value,
                    "requests": window.requests,
                }
            )
        datasets[name] = rows
        datasets[f"{name} slope"] = _slope_rows(found, name, rows, times)
    return datasets


def _slope_rows(found: Soak, name: str, rows: list[Row], times: float) -> list[Row]:
    if name not in found.drifts:
        return []
    slope = times * found.drifts[name].slope * 60 / HOUR
    known = [row for row in rows if row["value"] is not None]
    level = sorted(row["value"] - slope * row["minutes"] for row in known)[len(known) // 2]
    ends = (known[0]["minutes"], known[-1]["minutes"])
    return [{"minutes": at, "value": level + slope * at} for at in ends]


def _soak_chart(names: list[str]) -> Any:
    panels = []
    for place, name in enumerate(names):
        title, _ = _SOAK_PANELS[name]
        last = place == len(names) - 1
        across = alt.X(
            "minutes:Q",
            title="minutes" if last else None,
            axis=alt.Axis(labels=last),
            scale=alt.Scale(nice=False, zero=True),
        )
        up = alt.Y("value:Q", title=title, scale=alt.Scale(zero=True), axis=alt.Axis(tickCount=4))
        told = tooltips("minutes:Q .4~g", f"{title}=value:Q ,.4~g", "requests:Q ,")
        rows = alt.Chart(named_data(name), width=WIDTH, height=_PANEL_HEIGHT).encode(x=across, y=up)
        colour = PALETTE[place % len(PALETTE)]
        slope = alt.Chart(named_data(f"{name} slope")).mark_line(
            strokeDash=[5, 4], color=PALETTE[6]
        )
        panels.append(
            alt.layer(
                rows.mark_line(color=colour),
                rows.mark_point(filled=True, size=18, opacity=1, color=colour).encode(tooltip=told),
                slope.encode(x=across, y=up),
            )
        )
    return alt.vconcat(*panels, spacing=12)


def plot_bench(bench: Bench) -> Chart:
    """Percentiles of a load or a cache, a sweep's curve, differences, or a soak over time."""
    found, system = bench.found, bench.system
    if isinstance(found, Load):
        return _percentile_curve(found, system=system)
    if isinstance(found, Sweep):
        return _throughput_curve(found, system=system)
    if isinstance(found, Versus):
        return _percentile_differences(found)
    if isinstance(found, ColdWarm):
        return _cold_warm_curve(found, system=system)
    if isinstance(found, Soak):
        return _soak_over_time(found, system=system)
    raise TypeError(f"{type(found).__name__} has no plot")


def growth_curve(found: IndexingResult) -> Chart:
    """A line for each quantity, as a multiple of its fit at the smallest size."""
    if not found.growth:
        raise OptionError(
            f"growth can be drawn of {LEAST_SIZES} sizes or more, as by --sizes 1000,10000,all"
        )
    return finish_chart(
        _growth_chart([MEASURED_QUANTITIES[name].label for name in found.growth]),
        _growth_rows(found),
        title=f"What indexing takes by documents: {found.system}",
        subtitle="As multiples of the smallest size's; points are builds. Grey: linear growth.",
    )


def _growth_rows(found: IndexingResult) -> Datasets:
    first, last = found.sizes[0].documents, found.largest.documents
    builds: list[Row] = []
    lines: list[Row] = []
    ends: list[Row] = []
    for name, grown in found.growth.items():
        start, label = grown.fitted(first), MEASURED_QUANTITIES[name].label
        lines += [
            {"quantity": label, "documents": at, "times": grown.fitted(at) / start}
            for at in (first, last)
        ]
        builds += [
            {
                "quantity": label,
                "documents": size.documents,
                "times": build.amounts[name].value / start,
                "told": MEASURED_QUANTITIES[name].write(build.amounts[name].value),
            }
            for size in found.sizes
            for build in size.builds
            if build.amounts[name].value > 0
        ]
        times = grown.fitted(last) / start
        said = f"{label}: n^{grown.exponent:.2f}"
        end = {"quantity": label, "label": said, "x": last, "y": log10(times), "merit": times}
        ends.append(end)
    drawn = [log10(row["times"]) for row in (*builds, *lines)]
    low, high = min(0.0, *drawn), max(log10(last / first), *drawn)
    placed = label_rows(ends, span=high - low, low=low)
    return {
        "builds": builds,
        "lines": lines,
        "linear": [{"documents": at, "times": at / first} for at in (first, last)],
        "ends": [row | {field: 10 ** row[field] for field in ("y", "place")} for row in placed],
    }


def _growth_chart(quantities: Sequence[str]) -> Any:
    by_factors = alt.Scale(type="log", nice=False)
    across = alt.X("documents:Q", title="documents", scale=by_factors, axis=alt.Axis(tickCount=5))
    up = alt.Y(
        "times:Q",
        title="times what the smallest size takes",
        scale=by_factors,
        axis=alt.Axis(tickCount=5),
    )
    style = line_style(quantities, "quantity")
    linear = alt.Chart(named_data("linear")).mark_line(strokeWidth=5, color="#8a8a8a", opacity=0.4)
    lines = alt.Chart(named_data("lines")).mark_line()
    points = alt.Chart(named_data("builds")).mark_point(filled=True, size=30, opacity=0.7)
    tooltip = tooltips("quantity:N", "documents:Q ,", "took=told:N")
    return alt.layer(
        linear.encode(x=across, y=up),
        lines.encode(x=across, y=up, **style),
        points.encode(x=across, y=up, color=style["color"], tooltip=tooltip),
        *labels(quantities, alt.X("x:Q", scale=by_factors), field="quantity"),
    )

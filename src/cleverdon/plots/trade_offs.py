"""Trade-offs: systems by two measures, by quality and cost, by precision and recall."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import ceil, floor, inf, sqrt
from typing import Any

import numpy as np

from cleverdon._common.arrays import Floats, json_number
from cleverdon._common.text import counted
from cleverdon.charts import base as charts
from cleverdon.charts import theme
from cleverdon.charts.base import Chart, Datasets, Row, alt, named_data
from cleverdon.charts.scatter import ROOM, front_chart, place_names
from cleverdon.charts.theme import MOST_SYSTEMS, name_labels, short_names
from cleverdon.comparison.samples import Sample, average_intervals, samples
from cleverdon.comparison.tradeoffs import (
    SystemTradeoff,
    Tradeoffs,
    beaten_by,
    find_tradeoffs,
    merits,
    pareto_front,
)
from cleverdon.costs import Cost, cost_label
from cleverdon.errors import OptionError
from cleverdon.measures.base import Measure
from cleverdon.measures.ranked import F, P, R
from cleverdon.measures.sets import SetF, SetP, SetR
from cleverdon.plots import inputs
from cleverdon.scores import Scores
from cleverdon.tables.numbers import format_amount, format_bytes


def trade_off(
    scores: Scores,
    x: str | Measure,
    y: str | Measure,
    *,
    systems: Iterable[str] | None = None,
    intervals: bool = False,
    interval: str | None = None,
    confidence: float | None = None,
) -> Chart:
    """Draw systems as points: their average by one measure against that by another.

    A line connects the Pareto front: systems that no other equals on both measures and beats on
    one. Of more than 15 systems all are drawn, and those of the front and the best are named.

    Args:
        scores: The scores of an evaluation.
        x: The measure of the horizontal axis.
        y: The measure of the vertical axis.
        systems: The systems to draw; by default all.
        intervals: Draw intervals as cross hairs.
        interval: The method of the intervals, one of `cleverdon.stats.intervals.METHODS`; by
            default Student's t for means. They are drawn where it is given.
        confidence: Their confidence, by default 0.95. They are drawn where it is given.

    Returns:
        An altair chart.

    >>> from cleverdon import evaluate
    >>> runs = {"a": {"q1": {"d1": 2}}, "b": {"q1": {"d2": 2}}}
    >>> scores = evaluate({"q1": {"d1": 1}}, runs, ["AP", "P@5"])
    >>> chart = trade_off(scores, "AP", "P@5")
    """
    intervals = intervals or interval is not None or confidence is not None
    confidence = 0.95 if confidence is None else confidence
    found = samples(scores, measures=[x, y], systems=systems)
    if len(found) < 2:
        raise OptionError(f"{found[0].measure} against itself is no trade-off: name another")
    first, second = found
    front = "Line and filled points: no other system is as good on both and better on one."
    shown = confidence if intervals else None
    rows = trade_off_rows(first, second, scores, interval=interval, confidence=shown)
    lines = ""
    if intervals:
        known = any(row["x_low"] is not None for row in rows["points"])
        lines = (
            f" Cross hairs: {confidence:.0%} intervals."
            if known
            else " Too few queries for intervals."
        )
    return charts.finish_chart(
        trade_off_chart(
            scores.systems,
            inputs.measure_label(first.measure),
            inputs.measure_label(second.measure),
            intervals=intervals,
            shown=first.systems,
        ),
        rows,
        title=f"{second.measure} against {first.measure}",
        subtitle=inputs.add_note(
            [
                f"{inputs.sample_note(first)}.{lines}",
                front
                if _directed(found)
                else "No front, since of one of the measures no value is better than another.",
            ],
            names_note(len(first.systems)),
        ),
    )


def names_note(count: int) -> str:
    """Note that not every point has its name."""
    if count <= MOST_SYSTEMS:
        return ""
    return (
        f"Names: of {count:,} systems, those on the front and the best, {MOST_SYSTEMS} at most. "
        "Choose with cleverdon plot --system, or systems= in Python."
    )


def trade_off_rows(
    first: Sample,
    second: Sample,
    scores: Scores,
    *,
    interval: str | None = None,
    confidence: float | None = None,
) -> Datasets:
    """Return a point for each system, and again those of the front, from left to right."""
    x, y = (np.array([s.mean(name) for name in s.systems]) for s in (first, second))
    directed = _directed([first, second])
    front = (
        pareto_front(_merit(first, x), _merit(second, y)).tolist() if directed else [None] * len(x)
    )
    short = short_names(scores.systems)
    points: list[Row] = [
        {
            "system": system,
            "label": short[system],
            "x": float(x[at]),
            "y": float(y[at]),
            "front": front[at],
        }
        for at, system in enumerate(first.systems)
    ]
    if confidence is not None:
        for axis, sample in (("x", first), ("y", second)):
            ends = average_intervals(
                scores,
                measures=sample.measure,
                systems=sample.systems,
                method=interval,
                confidence=confidence,
            )
            for row in points:
                end = ends[row["system"], sample.measure]
                row |= {f"{axis}_low": json_number(end.low), f"{axis}_high": json_number(end.high)}
    merit = _merit(first, x)
    place_names(points, sorted(range(len(x)), key=lambda at: (not front[at], -merit[at])))
    steps = sorted((row for row in points if row["front"]), key=lambda row: (row["x"], row["y"]))
    return {"points": points, "front": [{"x": row["x"], "y": row["y"]} for row in steps]}


def _directed(found: Sequence[Sample]) -> bool:
    return all(sample.measure.better != "neither" for sample in found)


def _merit(sample: Sample, means: Floats) -> Floats:
    return -means if sample.measure.better == "lower" else means


def trade_off_chart(
    systems: Sequence[str],
    x: str,
    y: str,
    *,
    intervals: bool = False,
    shown: Sequence[str] | None = None,
) -> Any:
    scale = alt.Scale(zero=False, nice=False, padding=ROOM)
    across = alt.X("x:Q", title=x, scale=scale, axis=alt.Axis(tickCount=8))
    up = alt.Y("y:Q", title=y, scale=scale)
    ends = ["x_low", "x_high", "y_low", "y_high"] if intervals else []
    front = alt.Tooltip("front:N", title="on the front")
    about = [*charts.tooltips("system:N"), *charts.number_tooltips("x", "y", *ends), front]
    return front_chart(systems, across, up, about, intervals=intervals, shown=shown)


TIME, SIZE = "p99", "index_size"
_SMALLEST_POINT, _LARGEST_POINT = 60.0, 420.0
"""Square pixels of points: that of the largest index, and one that can still be seen."""
_HOLLOW_SHARE = 0.3
_POINT_RADIUS = sqrt(_LARGEST_POINT) / 2
_DASHES_NOTE = ", dashed where nobody knows how far they reach"


def pareto(
    scores: Scores,
    costs: Any,
    measure: str | Measure,
    *,
    systems: Sequence[str] | None = None,
    interval: str | None = None,
    confidence: float = 0.95,
) -> Chart:
    """Draw quality against the 99th percentile of response times.

    A line connects the Pareto front: systems that no other equals on both and beats on one. The
    size of a point is that of the index; filled points are on the front if that counts as well.

    Args:
        scores: The scores of an evaluation.
        costs: The costs of systems: files of benches and of indexing, or a dict of them by name.
        measure: One of the measures of the scores.
        systems: The systems to draw; by default all.
        interval: The method of the measure's intervals; by default Student's t for means.
        confidence: Their confidence.

    Returns:
        An altair chart.

    >>> from cleverdon import evaluate
    >>> runs = {"a": {"q1": {"d1": 2}}, "b": {"q1": {"d2": 1}}}
    >>> scores = evaluate({"q1": {"d1": 1}}, runs, "AP")
    >>> from cleverdon.costs import Cost, Costs
    >>> costs = {name: Costs(name, {"p99": Cost(0.01)}) for name in runs}
    >>> chart = pareto(scores, costs, "AP")
    """
    found = find_tradeoffs(
        scores, costs, measure, systems=systems, interval=interval, confidence=confidence
    )
    return plot_tradeoffs(found, systems=scores.systems, confidence=confidence)


def plot_tradeoffs(
    found: Tradeoffs, *, systems: Sequence[str] | None = None, confidence: float = 0.95
) -> Chart:
    """Draw what `find_tradeoffs` found; colours are shared with plots of all these systems."""
    return charts.finish_chart(
        pareto_chart(
            systems or [one.system for one in found.systems],
            inputs.measure_label(found.measure),
            shown=[one.system for one in found.systems if one.cost(TIME)],
        ),
        pareto_rows(found),
        title=f"{found.measure} against response time",
        subtitle=pareto_notes(found, confidence=confidence),
    )


def pareto_notes(found: Tradeoffs, *, confidence: float = 0.95) -> list[str]:
    """Write the lines below the title; the first is about queries."""
    more = [cost_label(name) for name in found.axes if name != TIME]
    line = "no other system is as good by both and better by one (the Pareto front)."
    times = [cost for cost in (one.cost(TIME) for one in found.systems) if cost]
    dashes = any(cost.ends[1] == inf for cost in times)
    hairs = f"Cross hairs: {confidence:.0%} intervals{_DASHES_NOTE if dashes else ''}."
    many = names_note(len(times))
    lines = [
        f"{counted(found.queries, 'query')}. {hairs}",
        f"Line: {line}" if more else f"Line and filled: {line}",
        *([f"Filled: nor when {' and '.join(more)} counts as well."] if more else []),
    ]
    sizes = [cost.value for cost in (one.cost(SIZE) for one in found.systems) if cost]
    if sizes:
        lines.append(f"Areas: sizes of indexes, up to {format_bytes(max(sizes))}.")
    left_out = [one.system for one in found.systems if one.cost(TIME) is None]
    if left_out:
        lines.append(f"Not drawn, since no {TIME} was measured: {', '.join(left_out)}.")
    if found.not_valid:
        lines.append("Not valid: the measurement says itself that it should not be believed.")
    return [*lines, many] if many else lines


def pareto_rows(found: Tradeoffs, *, width: int = theme.WIDTH) -> Datasets:
    """Return a point for each system with a response time, and again those of the line."""
    drawn = [one for one in found.systems if one.cost(TIME) is not None]
    if not drawn:
        raise OptionError(f"no {TIME} was measured for any system: there is nothing to draw")
    largest = max((cost.value for cost in (one.cost(SIZE) for one in drawn) if cost), default=0.0)
    short = short_names([one.system for one in found.systems])
    points = [_pareto_point(one, largest, short) for one in drawn]
    sign = -1 if found.measure.better == "lower" else 1
    order = sorted(
        range(len(points)), key=lambda at: (not points[at]["front"], -sign * points[at]["y"])
    )
    place_names(points, order, radius=_POINT_RADIUS, logarithmic="x", width=width)
    valid = [one for one in drawn if one.cost(TIME, valid=True) is not None]
    better = found.measure.better
    steps: list[Row] = []
    if valid and better != "neither":
        on = pareto_front(*merits(valid, (TIME,), better))
        ends = [one for one, there in zip(valid, on, strict=True) if there]
        steps = [
            {"x": row["x"], "y": row["y"]}
            for row in (_pareto_point(one, largest, short) for one in ends)
        ]
    return {"points": points, "front": sorted(steps, key=lambda row: (row["x"], row["y"]))}


def _pareto_point(one: SystemTradeoff, largest: float, short: Mapping[str, str]) -> Row:
    time, held = one.cost(TIME), one.cost(SIZE)
    assert time is not None  # since only those are drawn that have one
    valid = one.cost(TIME, valid=True) is not None
    area = (
        max(_SMALLEST_POINT, _LARGEST_POINT * held.value / largest)
        if held and largest
        else _SMALLEST_POINT
    )
    x, x_low, x_high = _milliseconds(time)
    return {
        "system": one.system,
        "label": short[one.system] if valid else f"{short[one.system]} (not valid)",
        "x": x,
        "x_low": x_low,
        "x_high": x_high,
        "x_open": time.ends[1] == inf,
        "y": one.average,
        "y_low": json_number(one.interval.low),
        "y_high": json_number(one.interval.high),
        "index_size": format_amount(held.value, "B") if held else "not measured",
        "area": area,
        "inner": _HOLLOW_SHARE * area,
        "front": bool(one.front),
        "beaten": beaten_by(one),
        "valid": "yes" if valid else "no",
    }


def _milliseconds(cost: Cost) -> tuple[float, float, float]:
    # All above 0, where logarithmic axes end. An unknown end of the interval is the value itself.
    ends = (cost.value if end is None else end for end in (cost.value, cost.low, cost.high))
    value, low, high = (max(1e-6, 1e3 * end) for end in ends)
    return value, low, high


def pareto_chart(systems: Sequence[str], y: str, *, shown: Sequence[str] | None = None) -> Any:
    scale = alt.Scale(zero=False, nice=False, padding=ROOM)
    times = alt.Scale(type="log", nice=False, padding=ROOM)
    across = alt.X(
        "x:Q",
        title=f"{TIME} of response times, in ms",
        scale=times,
        axis=alt.Axis(tickCount=6, format="~g"),
    )
    up = alt.Y("y:Q", title=y, scale=scale)
    about = [
        *charts.tooltips("system:N", f"{TIME} (ms)=x:Q .3~g"),
        *charts.tooltips("from=x_low:Q .3~g", "to=x_high:Q .3~g"),
        *charts.number_tooltips("y", "y_low", "y_high"),
        *charts.tooltips("index size=index_size:N", "valid:N", "beaten by=beaten:N"),
    ]
    return front_chart(systems, across, up, about, intervals=True, areas=True, shown=shown)


_SIDE = 340
_POINTS = 60  # the number of points of a line of equal F


def f_lines(
    scores: Scores,
    *,
    k: int | None = None,
    systems: str | Sequence[str] | None = None,
    baseline: str | None = None,
    rel: float = 1,
    beta: float = 1,
    zoom: bool = False,
) -> Chart:
    """Draw each system's mean precision and recall over lines of equal F.

    Args:
        scores: Scores of an evaluation with `keep=k`, which retains the rankings.
        k: Cut rankings at k; by default take whole results.
        systems: The systems to draw. By default all; of more than 15, the best and the baseline.
        baseline: A system that is drawn in any case.
        rel: The lowest grade that counts as relevant.
        beta: How much more recall weighs than precision.
        zoom: Show only the part of the plot where the systems are.

    Returns:
        An altair chart.

    >>> from cleverdon import evaluate
    >>> scores = evaluate({"q1": {"d1": 1}}, {"a": {"q1": {"d1": 2, "d2": 1}}}, "AP", keep=10)
    >>> chart = f_lines(scores, k=5)
    """
    named, note = inputs.distinguishable_systems(scores, systems, baseline)
    precision, recall, _ = _measures(k, rel, beta)
    name = "F" if beta == 1 else f"F (beta={beta:g})"
    rests = (
        f"Means over {inputs.queries_note(scores)}. Along a line, {name} of these means is equal."
    )
    return charts.finish_chart(
        _f_lines_chart(
            inputs.coloured_systems(scores, named), str(precision), str(recall), shown=named
        ),
        _f_lines_rows(scores, k=k, rel=rel, beta=beta, zoom=zoom, systems=named),
        title="Precision, recall and F",
        subtitle=inputs.add_note(rests, note),
    )


def _measures(k: int | None, rel: float, beta: float) -> tuple[Measure, Measure, Measure]:
    if k is None:
        return SetP(rel=rel), SetR(rel=rel), SetF(rel=rel, beta=beta)
    return P(k=k, rel=rel), R(k=k, rel=rel), F(k=k, rel=rel, beta=beta)


def _f_lines_rows(
    scores: Scores,
    *,
    k: int | None = None,
    rel: float = 1,
    beta: float = 1,
    zoom: bool = False,
    systems: Sequence[str] | None = None,
) -> Datasets:
    # `mean_f` is the mean of the queries' own F, and `f` is F of the mean precision and recall.
    measures = _measures(k, rel, beta)
    points: list[Row] = []
    for system in scores.systems if systems is None else systems:
        means = [
            inputs.mean_of(scores, system, m, inputs.values_of(scores, system, m)) for m in measures
        ]
        precision, recall, mean_f = (json_number(mean) for mean in means)
        if precision is None or recall is None:
            raise OptionError(f"{system} has no precision or no recall that could be drawn")
        whole = beta**2 * precision + recall
        f = (1 + beta**2) * precision * recall / whole if whole > 0 else 0.0
        point = {"precision": precision, "recall": recall, "f": f, "mean_f": mean_f}
        points.append({"system": system, **point})
    xs, ys = ([point[name] for point in points] for name in ("recall", "precision"))
    across, up = (_window(xs), _window(ys)) if zoom else ((0.0, 1.0), (0.0, 1.0))
    lines = _lines(across, up, beta)
    ends = [_end(lines, level, beta) for level in dict.fromkeys(row["f"] for row in lines)]
    corners = [{"recall": x, "precision": y} for x, y in zip(across, up, strict=True)]
    return {"points": points, "lines": lines, "ends": ends, "corners": corners}


def _window(values: list[float]) -> tuple[float, float]:
    low = max(0, floor((min(values) - 0.02) * 20))
    high = min(20, max(ceil((max(values) + 0.02) * 20), low + 2))
    return low / 20, high / 20


def _lines(across: tuple[float, float], up: tuple[float, float], beta: float) -> list[Row]:
    """Return the lines in the window: at tenths of F, or nearer if these are too few."""
    found: list[Row] = []
    for parts in (10, 20, 50, 100):
        found = []
        for part in range(1, parts):
            found += _line(part / parts, across, up, beta)
        if len({row["f"] for row in found}) >= 4:
            break
    return found


def _line(
    level: float, across: tuple[float, float], up: tuple[float, float], beta: float
) -> list[Row]:
    """Return one line within the window, from its upper end to its lower."""
    square = beta**2
    first = max(across[0], _recall(level, up[1], square))
    last = min(across[1], _recall(level, up[0], square))
    if not first < last:
        return []
    # Near its upper end a line is steep: more points there.
    recalls = np.maximum(first + (last - first) * np.linspace(0, 1, _POINTS) ** 2, 1e-9)
    precisions = level * recalls / ((1 + square) * recalls - square * level)
    return [
        {"f": level, "recall": x, "precision": y}
        for x, y in zip(recalls.tolist(), np.clip(precisions, *up).tolist(), strict=True)
    ]


def _recall(level: float, precision: float, square: float) -> float:
    """Return the recall at which F has this level; infinite if precision is too low."""
    over = (1 + square) * precision - level
    return square * level * precision / over if over > 0 else inf


def _end(lines: list[Row], level: float, beta: float) -> Row:
    # A label is at the right end of its line, or at the upper one if recall weighs more: there the
    # lines are far enough from each other.
    line = [row for row in lines if row["f"] == level]
    end = line[0] if beta > 1 else line[-1]
    return end | {"label": f"F={level:g}"}


def _f_lines_chart(
    systems: Sequence[str], precision: str, recall: str, *, shown: Sequence[str] | None = None
) -> Any:
    """Draw points over pale lines; the legend has the systems that are `shown`."""
    # What is shown is what the rows span: the corners of the window are among them.
    tight = alt.Scale(zero=False, nice=False)
    axes = {
        "x": alt.X("recall:Q", title=f"mean recall ({recall})", scale=tight),
        "y": alt.Y("precision:Q", title=f"mean precision ({precision})", scale=tight),
    }
    lines = alt.Chart(named_data("lines")).mark_line(strokeWidth=1, color="#8a8a8a", opacity=0.8)
    ends = alt.Chart(named_data("ends")).mark_text(
        align="left", dx=4, dy=-5, fontSize=10, opacity=0.8
    )
    # Beside the lines' values.
    beside = alt.Legend(offset=46, values=list(shown or systems), **name_labels(systems))
    shape = alt.Shape(
        "system:N",
        title="system",
        legend=beside,
        scale=alt.Scale(domain=list(systems), range=theme.shapes(systems)),
    )
    tooltip = charts.tooltips(
        "system:N",
        "precision:Q .4f",
        "recall:Q .4f",
        "F of the means=f:Q .4f",
        "mean F=mean_f:Q .4f",
    )
    points = alt.Chart(named_data("points")).mark_point(filled=True, size=90, opacity=1)
    corners = alt.Chart(named_data("corners")).mark_point(opacity=0)
    return alt.layer(
        corners.encode(**axes),
        lines.encode(**axes, detail=alt.Detail("f:N"), order=alt.Order("recall:Q")),
        ends.encode(**axes, text=alt.Text("label:N")),
        points.encode(
            **axes, color=charts.system_colour(systems, legend=beside), shape=shape, tooltip=tooltip
        ),
    ).properties(width=_SIDE, height=_SIDE)

"""Plots of pooling: the yield of methods and probes, and the saturation of a pool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cleverdon._common.arrays import json_number
from cleverdon._common.text import counted
from cleverdon.charts.base import LIMIT, Chart, Datasets, Row, alt, finish_chart, named_data
from cleverdon.charts.lines import label_rows, labels, line_style, thin_line
from cleverdon.charts.theme import PALETTE
from cleverdon.pooling.adaptive.simulation import Simulation
from cleverdon.pooling.probes import ProbeRound
from cleverdon.pooling.recall.estimates import MethodEstimates
from cleverdon.pooling.recall.judged_results import SaturationStep
from cleverdon.pooling.recall.recall import Recall


def yield_curves(found: Simulation) -> Chart:
    """Draw a line for each method; the dashed line is the number of relevant documents."""
    return finish_chart(
        _yield_curves_chart([played.method for played in found.played]),
        _yield_curves_rows(found),
        title="Relevant documents by judgments made",
        subtitle=f"{counted(found.queries, 'query')} in turn, "
        f"{counted(len(found.systems), 'system')}. Dashed: "
        f"{counted(found.relevant, 'relevant document')} returned in all.",
    )


def _yield_curves_rows(found: Simulation) -> Datasets:
    """Return the curves, thinned to what can be drawn, and the lines' labels."""
    most = LIMIT // len(found.played)
    curves: list[Row] = []
    ends: list[Row] = []
    for played in found.played:
        numbers = [0, *played.found.tolist()]
        rows: list[Row] = [
            {"method": played.method, "judged": judged, "relevant": relevant}
            for judged, relevant in enumerate(numbers)
        ]
        curves += thin_line(rows, most)
        # By the mean height: what a method found early counts for longer.
        merit = sum(numbers) / len(numbers)
        last = {"x": len(numbers) - 1, "y": float(numbers[-1]), "merit": merit}
        ends.append({"method": played.method, "label": played.method} | last)
    span = max(found.relevant, 1)
    return {
        "curves": curves,
        "ends": label_rows(ends, span=span),
        "all": [{"relevant": found.relevant}],
    }


def _yield_curves_chart(methods: Sequence[str]) -> Any:
    across = alt.X("judged:Q", title="documents judged", scale=alt.Scale(nice=False))
    up = alt.Y("relevant:Q", title="relevant documents found")
    lines = (
        alt.Chart(named_data("curves"))
        .mark_line()
        .encode(
            x=across,
            y=up,
            tooltip=[alt.Tooltip("method:N"), alt.Tooltip("judged:Q"), alt.Tooltip("relevant:Q")],
            **line_style(methods, "method"),
        )
    )
    whole = alt.Chart(named_data("all")).mark_rule(strokeDash=[4, 3], opacity=0.6).encode(y=up)
    return alt.layer(
        whole, lines, *labels(methods, alt.X("x:Q", scale=alt.Scale(nice=False)), field="method")
    )


_LABEL_DISTANCE = (0.035, 0.06)
"""By which share of the axes, across or up, numbers of rounds stand apart so that one can read
them."""
_MARGIN = 16
"""Pixels around the points, where the numbers of the first and the last have room."""
_TICKS = 8


def probe_yield(rounds: Sequence[ProbeRound], *, known: int | None = None) -> Chart:
    """Draw a point for each round; a line shows the `known` number of relevant documents."""
    datasets = _probe_yield_rows(rounds, known=known)
    first = rounds[0]
    return finish_chart(
        _probe_yield_chart(
            judged=datasets["rounds"][-1]["judged"],
            relevant=_relevant_range(datasets["rounds"], known),
            known=known is not None,
        ),
        datasets,
        title="Yield of probes with expanded queries",
        subtitle=[
            f"Each point is a round; 0 is what came before: {counted(first.judged, 'document')}, "
            f"{first.found:,} of them relevant.",
            *([] if known is None else [f"Dashed: all {known:,} that are known to be relevant."]),
        ],
    )


def _probe_yield_rows(rounds: Sequence[ProbeRound], *, known: int | None = None) -> Datasets:
    """Return a row for each round: documents judged since round 0, and all found so far."""
    rows: list[Row] = []
    judged = found = 0
    for one in rounds:
        judged += one.judged if rows else 0
        found += one.found
        rows.append(
            {
                "round": one.number,
                "judged": judged,
                "relevant": found,
                "new": one.judged,
                "new_relevant": one.found,
            }
        )
    for row, label in zip(rows, _round_labels(rows, _relevant_range(rows, known)), strict=True):
        row["label"] = label
    return {"rounds": rows, "known": [] if known is None else [{"relevant": known}]}


def _relevant_range(rows: Sequence[Row], known: int | None) -> tuple[int, int]:
    """Return the ends of the axis of relevant documents."""
    low, high = rows[0]["relevant"], max(rows[-1]["relevant"], known or 0)
    return low, max(high, low + 1)


def _round_labels(rows: Sequence[Row], ends: tuple[int, int]) -> list[str]:
    """Label as many rounds as there is room for: the last ones matter most."""
    across, up = max(rows[-1]["judged"], 1), ends[1] - ends[0]
    labels = [""] * len(rows)
    later: Row | None = None
    for at in reversed(range(len(rows))):
        row = rows[at]
        if later is not None and row["judged"] == later["judged"]:
            labels[at + 1], last = "", labels[at + 1].split("-")[-1]
            labels[at] = f"{row['round']}-{last}"
        elif later is None or (
            later["judged"] - row["judged"] > _LABEL_DISTANCE[0] * across
            or later["relevant"] - row["relevant"] > _LABEL_DISTANCE[1] * up
        ):
            labels[at] = str(row["round"])
        else:
            continue
        later = row
    return labels


def _probe_yield_chart(*, judged: int, relevant: tuple[int, int], known: bool) -> Any:
    """Draw a line through the rounds; the axes end at `judged` and at the `relevant` numbers."""
    across = alt.X(
        "judged:Q",
        title="documents judged since round 0",
        axis=_count_axis(judged),
        scale=alt.Scale(domain=[0, max(judged, 1)], nice=False, padding=_MARGIN),
    )
    up = alt.Y(
        "relevant:Q",
        title="relevant documents found",
        axis=_count_axis(relevant[1] - relevant[0]),
        scale=alt.Scale(domain=list(relevant), zero=False, nice=False, padding=_MARGIN),
    )
    rows = alt.Chart(named_data("rounds"))
    line = rows.mark_line(color=PALETTE[0]).encode(x=across, y=up)
    told = [
        alt.Tooltip("round:Q"),
        alt.Tooltip("new:Q", title="new documents"),
        alt.Tooltip("new_relevant:Q", title="new relevant"),
    ]
    points = rows.mark_point(filled=True, size=55, opacity=1, color=PALETTE[0]).encode(
        x=across, y=up, tooltip=told
    )
    numbers = rows.mark_text(dy=-10).encode(x=across, y=up, text=alt.Text("label:N"))
    layers = [line, points, numbers]
    if known:
        rule = alt.Chart(named_data("known")).mark_rule(strokeDash=[4, 3], color=PALETTE[1])
        layers.insert(0, rule.encode(y=up))
    return alt.layer(*layers)


def _count_axis(span: int) -> Any:
    # No more ticks than there are whole numbers.
    return alt.Axis(format=",d", tickCount=max(1, min(span, _TICKS)))


_WIDTH, _HEIGHT = 300, 280


def saturation(found: Recall) -> Chart:
    """Draw two curves side by side, and above them the estimate, unless it lacks queries."""
    best = _drawn_estimate(found)
    line = ""
    if best is not None:
        if best.all.is_bound:
            line = f" Dashed: a lower bound of R, by {best.method}, and how far chance moves it."
        else:
            interval = f"{found.confidence:.0%} interval"
            line = f" Dashed: estimated R, by {best.method}, in its {interval}."
    return finish_chart(
        _saturation_chart(
            depth=found.depth, systems=len(found.saturation.by_systems), estimated=best is not None
        ),
        _saturation_rows(found),
        title="Saturation of the pool",
        subtitle=f"Relevant documents found; systems in every order, on average.{line}",
    )


def _saturation_rows(found: Recall) -> Datasets:
    """Return a row for each depth and number of systems, and the estimate."""
    best = _drawn_estimate(found)
    ends: list[Row] = []
    if best is not None:
        one = best.all
        ends = [
            {
                "R": json_number(one.value),
                "low": json_number(one.low),
                "high": json_number(one.high),
            }
        ]
        # An end that is not known is not drawn, or everything else would be flat.
        ends[0]["top"] = ends[0]["high"] if ends[0]["high"] is not None else ends[0]["R"]
    return {
        "depths": _step_rows(found.saturation.by_depth),
        "systems": _step_rows(found.saturation.by_systems),
        "estimate": ends,
    }


def _drawn_estimate(found: Recall) -> MethodEstimates | None:
    return None if found.partial else found.best


def _step_rows(steps: Sequence[SaturationStep]) -> list[Row]:
    return [{"size": s.size, "judged": s.judged, "relevant": s.relevant} for s in steps]


def _saturation_chart(*, depth: int, systems: int, estimated: bool) -> Any:
    panels = [
        _saturation_panel(
            "depths", "depth of the pool", PALETTE[0], size=depth, estimated=estimated
        ),
        _saturation_panel(
            "systems", "number of systems", PALETTE[1], size=systems, estimated=estimated
        ),
    ]
    return alt.hconcat(*panels).resolve_scale(y="shared")


def _saturation_panel(dataset: str, title: str, colour: str, *, size: int, estimated: bool) -> Any:
    # No more ticks than there are whole numbers.
    axis = alt.Axis(format="d", tickCount=max(1, min(size - 1, _TICKS)))
    across = alt.X("size:Q", title=title, axis=axis)
    up = alt.Y("relevant:Q", title="relevant documents", scale=alt.Scale(zero=True))
    told = [
        alt.Tooltip("size:Q", title=title),
        alt.Tooltip("relevant:Q", format=".1f"),
        alt.Tooltip("judged:Q", format=".1f", title="documents"),
    ]
    rows = alt.Chart(named_data(dataset), width=_WIDTH, height=_HEIGHT)
    layers = [
        rows.mark_line(color=colour).encode(x=across, y=up),
        rows.mark_point(filled=True, size=40, opacity=1, color=colour).encode(
            x=across, y=up, tooltip=told
        ),
    ]
    if estimated:
        estimate = alt.Chart(named_data("estimate"))
        ends = [alt.Tooltip(f"{name}:Q", format=".1f") for name in ("R", "low", "high")]
        band = estimate.mark_rect(opacity=0.18, color=PALETTE[2])
        rule = estimate.mark_rule(strokeDash=[4, 3], color=PALETTE[2])
        layers = [
            band.encode(y=alt.Y("low:Q"), y2=alt.Y2("top:Q"), tooltip=ends),
            rule.encode(y=alt.Y("R:Q"), tooltip=ends),
            *layers,
        ]
    return alt.layer(*layers)

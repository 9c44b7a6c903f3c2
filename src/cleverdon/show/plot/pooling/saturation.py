"""How a pool fills: relevant documents by depth, and by number of systems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cleverdon.arrays import plain
from cleverdon.pool.recall.estimates import Estimates
from cleverdon.pool.recall.recalled import Recall
from cleverdon.pool.recall.saturation import Step
from cleverdon.show.plot.base import Chart, Datasets, Row, alt, finished, table
from cleverdon.show.plot.theme import PALETTE

_WIDTH, _HEIGHT = 300, 280
_TICKS = 8


def saturation(found: Recall) -> Chart:
    """Two curves side by side; what is estimated to be there is a line above them, in its interval.

    An estimate of some of the queries is not drawn: the curves are of all.
    """
    best = _drawn(found)
    line = ""
    if best is not None:
        line = f" Dashed: estimated R, by {best.method}, in its {found.confidence:.0%} interval."
    return finished(
        saturation_chart(
            depth=found.depth,
            systems=len(found.saturation.by_systems),
            estimated=best is not None,
        ),
        saturation_rows(found),
        title="Saturation of the pool",
        subtitle=f"Relevant documents found; systems in every order, on average.{line}",
    )


def saturation_rows(found: Recall) -> Datasets:
    """A row for each depth and for each number of systems; and the estimate, with its interval."""
    best = _drawn(found)
    ends: list[Row] = []
    if best is not None:
        one = best.all
        ends = [{"R": plain(one.value), "low": plain(one.low), "high": plain(one.high)}]
        # An end that is not known is not drawn, or everything else would be flat.
        ends[0]["top"] = ends[0]["high"] if ends[0]["high"] is not None else ends[0]["R"]
    return {
        "depths": _rows(found.saturation.by_depth),
        "systems": _rows(found.saturation.by_systems),
        "estimate": ends,
    }


def _drawn(found: Recall) -> Estimates | None:
    return None if found.partial else found.best


def _rows(steps: Sequence[Step]) -> list[Row]:
    return [{"size": s.size, "judged": s.judged, "relevant": s.relevant} for s in steps]


def saturation_chart(*, depth: int, systems: int, estimated: bool) -> Any:
    """Two panels with one scale of relevant documents."""
    panels = [
        _panel("depths", "depth of the pool", PALETTE[0], size=depth, estimated=estimated),
        _panel("systems", "number of systems", PALETTE[1], size=systems, estimated=estimated),
    ]
    return alt.hconcat(*panels).resolve_scale(y="shared")


def _panel(dataset: str, title: str, colour: str, *, size: int, estimated: bool) -> Any:
    # No more ticks than there are whole numbers.
    axis = alt.Axis(format="d", tickCount=max(1, min(size - 1, _TICKS)))
    across = alt.X("size:Q", title=title, axis=axis)
    up = alt.Y("relevant:Q", title="relevant documents", scale=alt.Scale(zero=True))
    told = [
        alt.Tooltip("size:Q", title=title),
        alt.Tooltip("relevant:Q", format=".1f"),
        alt.Tooltip("judged:Q", format=".1f", title="documents"),
    ]
    rows = alt.Chart(table(dataset), width=_WIDTH, height=_HEIGHT)
    layers = [
        rows.mark_line(color=colour).encode(x=across, y=up),
        rows.mark_point(filled=True, size=40, opacity=1, color=colour).encode(
            x=across, y=up, tooltip=told
        ),
    ]
    if estimated:
        estimate = alt.Chart(table("estimate"))
        ends = [alt.Tooltip(f"{name}:Q", format=".1f") for name in ("R", "low", "high")]
        band = estimate.mark_rect(opacity=0.18, color=PALETTE[2])
        rule = estimate.mark_rule(strokeDash=[4, 3], color=PALETTE[2])
        layers = [
            band.encode(y=alt.Y("low:Q"), y2=alt.Y2("top:Q"), tooltip=ends),
            rule.encode(y=alt.Y("R:Q"), tooltip=ends),
            *layers,
        ]
    return alt.layer(*layers)

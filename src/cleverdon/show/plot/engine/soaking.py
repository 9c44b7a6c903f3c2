"""A long load over time: response times, throughput, errors, memory, and what drifts."""

from __future__ import annotations

from math import isnan
from typing import Any

from cleverdon.engine.load.soak import HOUR, WATCHED, Soak
from cleverdon.show.bench.about import described
from cleverdon.show.bench.soak import drift_told
from cleverdon.show.plot.base import Chart, Datasets, Row, alt, finished, table
from cleverdon.show.plot.theme import PALETTE, WIDTH

_PANELS = {
    "p50": ("p50, milliseconds", 1000.0),
    "p99": ("p99, milliseconds", 1000.0),
    "throughput": ("answers a second", 1.0),
    "errors": ("errors, %", 100.0),
    "memory": ("memory, MB", 1e-6),
}
_HEIGHT = 90


def soak_over_time(found: Soak, *, system: str = "") -> Chart:
    """A panel for each quantity, with the slope of its drift."""
    drifting = [drift_told(name, found) for name in found.drifts if found.verdict(name) == "shown"]
    if found.not_valid:
        drifting = ["Not valid."]
    elif found.few:
        drifting = ["Too few windows to tell drift from chance."]
    return finished(
        soak_chart(_known(found)),
        soak_rows(found),
        title=(f"{system} at " if system else "At ") + described(found.load.pattern),
        subtitle=[*(drifting or ["No drift is shown."]), "Dashed: the slope of Theil and Sen."],
    )


def _known(found: Soak) -> list[str]:
    """What there is to draw: not memory that was not watched, nor errors where there are none."""
    values = {name: [getattr(window, name) for window in found.windows] for name in WATCHED}
    return [
        name
        for name in WATCHED
        if any(not isnan(value) and (value or name != "errors") for value in values[name])
    ]


def soak_rows(found: Soak) -> Datasets:
    """A dataset for each quantity's windows, and one for its slope."""
    datasets: Datasets = {}
    for name in _known(found):
        _, times = _PANELS[name]
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
        datasets[f"{name} slope"] = _slope(found, name, rows, times)
    return datasets


def _slope(found: Soak, name: str, rows: list[Row], times: float) -> list[Row]:
    """The ends of a line with the drift's slope, through the middle of all points."""
    if name not in found.drifts:
        return []
    slope = times * found.drifts[name].slope * 60 / HOUR
    known = [row for row in rows if row["value"] is not None]
    level = sorted(row["value"] - slope * row["minutes"] for row in known)[len(known) // 2]
    ends = (known[0]["minutes"], known[-1]["minutes"])
    return [{"minutes": at, "value": level + slope * at} for at in ends]


def soak_chart(names: list[str]) -> Any:
    """Panels one below the other, over the same time."""
    panels = []
    for place, name in enumerate(names):
        title, _ = _PANELS[name]
        last = place == len(names) - 1
        across = alt.X(
            "minutes:Q",
            title="minutes" if last else None,
            axis=alt.Axis(labels=last),
            scale=alt.Scale(nice=False, zero=True),
        )
        up = alt.Y("value:Q", title=title, scale=alt.Scale(zero=True), axis=alt.Axis(tickCount=4))
        told = [
            alt.Tooltip("minutes:Q", format=".4~g"),
            alt.Tooltip("value:Q", format=",.4~g", title=title),
            alt.Tooltip("requests:Q", format=","),
        ]
        rows = alt.Chart(table(name), width=WIDTH, height=_HEIGHT).encode(x=across, y=up)
        colour = PALETTE[place % len(PALETTE)]
        slope = alt.Chart(table(f"{name} slope")).mark_line(strokeDash=[5, 4], color=PALETTE[6])
        panels.append(
            alt.layer(
                rows.mark_line(color=colour),
                rows.mark_point(filled=True, size=18, opacity=1, color=colour).encode(tooltip=told),
                slope.encode(x=across, y=up),
            )
        )
    return alt.vconcat(*panels, spacing=12)

"""How many searches, clicks or sessions have which value: bars."""

from __future__ import annotations

from typing import Any

from cleverdon.online.distributions import Bin, Distribution, Kind
from cleverdon.show.plot.base import Chart, Datasets, Row, alt, finished, table
from cleverdon.show.plot.theme import PALETTE, WIDTH

_RATIO = 1.25
"""How much longer a bin of times is drawn than where it begins, where it has no end."""


def distribution(found: Distribution) -> Chart:
    """The bins of a distribution, of `online.distributions`."""
    return finished(
        distribution_chart(found.kind),
        distribution_rows(found),
        title=found.kind.title,
        subtitle=f"{found.total:,} {found.kind.of}.",
    )


def distribution_rows(found: Distribution) -> Datasets:
    """A row for each bin."""
    return {"bins": [_row(one, found) for one in found.bins]}


def _row(one: Bin, found: Distribution) -> Row:
    kind = found.kind
    return {
        "from": _drawn_from(one, kind),
        "to": one.low * _RATIO if one.high is None else one.high,
        "label": _label(one, kind),
        "count": one.count,
        "share": one.count / found.total,
    }


def _drawn_from(one: Bin, kind: Kind) -> float:
    """A scale by factors has no 0."""
    if kind.scale == "time" and one.low == 0 and one.high is not None:
        return one.high / _RATIO
    return one.low


def _label(one: Bin, kind: Kind) -> str:
    if kind.scale == "count":
        return f"{one.low:g}+" if one.high is None else f"{one.low:g}"
    if one.high is None:
        return f"from {one.low:g} on"
    return f"{one.low:g} to {one.high:g}"


def distribution_chart(kind: Kind) -> Any:
    """Times on a scale by factors, counts one by one."""
    rows = alt.Chart(table("bins"))
    up = alt.Y("count:Q", title=kind.of, scale=alt.Scale(zero=True))
    tooltip = [
        alt.Tooltip("label:N", title=kind.value),
        alt.Tooltip("count:Q", format=",", title=kind.of),
        alt.Tooltip("share:Q", format=".1%"),
    ]
    if kind.scale == "count":
        across = alt.X("label:N", sort=None, title=kind.value, axis=alt.Axis(labelAngle=0))
        bars = rows.mark_bar(color=PALETTE[0])
        return bars.encode(x=across, y=up, tooltip=tooltip).properties(width=WIDTH)
    return rows.mark_rect(color=PALETTE[0], x2Offset=-1).encode(
        x=alt.X("from:Q", scale=alt.Scale(type="log", nice=False), title=kind.value),
        x2=alt.X2("to:Q"),
        y=up,
        y2=alt.datum(0),
        tooltip=tooltip,
    )

"""The funnel from session to success: a bar each step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cleverdon.online.funnel import Funnel
from cleverdon.show.grid import counted
from cleverdon.show.plot.base import Chart, Datasets, Row, alt, finished, table
from cleverdon.show.plot.theme import PALETTE, WIDTH
from cleverdon.show.plot.topicwise import panels

NOBODY = "(none)"
"""What sessions are called that have no value of what was split by."""


def funnel(found: Sequence[Funnel]) -> Chart:
    """How far sessions come, in a panel for each funnel of `online.funnel`."""
    return finished(
        funnel_chart(),
        funnel_rows(found),
        title="From session to success",
        subtitle="Bars: of all sessions. In brackets: of those that came to the step before.",
    )


def funnel_rows(found: Sequence[Funnel], *, everything: str = "all sessions") -> Datasets:
    """A row for each funnel and step."""
    rows = []
    for place, one in enumerate(found):
        first = not place and one.group is None
        name = everything if first else NOBODY if one.group is None else one.group
        total = counted(one.steps[0].count, "session")
        panel = name if first else f"{name}: {total}"
        rows += [_row(one, at) | {"panel": panel, "place": place} for at in range(len(one.steps))]
    return {"steps": rows}


def _row(one: Funnel, at: int) -> Row:
    step, share, passed = one.steps[at], one.share(at), one.passed(at)
    told = f"{step.count:,}"
    if at and share is not None:
        told += f"  {share:.1%}"
    # Of the second step it would be the same number again.
    if at > 1 and passed is not None:
        told += f" ({passed:.1%})"
    return {
        "step": step.name,
        "sessions": step.count,
        "share": share,
        "passed": passed,
        "told": told,
    }


def funnel_chart() -> Any:
    """Bars that begin at the same place, with what they stand for at their right."""
    rows = alt.Chart().encode(y=alt.Y("step:N", sort=None, title=None))
    across = alt.X(
        "share:Q",
        title="share of all sessions",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format="%", tickCount=5),
    )
    tooltip = [
        alt.Tooltip("panel:N", title="of"),
        alt.Tooltip("step:N"),
        alt.Tooltip("sessions:Q", format=","),
        alt.Tooltip("share:Q", format=".2%", title="of all sessions"),
        alt.Tooltip("passed:Q", format=".2%", title="of the step before"),
    ]
    layers = [
        rows.mark_bar(color=PALETTE[0]).encode(x=across, tooltip=tooltip),
        rows.mark_text(align="left", dx=10).encode(text=alt.Text("told:N"), x=alt.value("width")),
    ]
    width = WIDTH - 130
    return panels(alt.layer(*layers), table("steps"), width=width, height=alt.Step(26))

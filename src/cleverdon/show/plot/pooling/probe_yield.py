"""The yield of a probe: relevant documents found, over documents judged, round by round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cleverdon.pool.expansion import Round
from cleverdon.show.plot.base import Chart, Datasets, Row, alt, finished, table
from cleverdon.show.plot.theme import PALETTE

_APART = 0.02
"""By which share of the axis numbers of rounds stand apart, so that all of them can be read."""


def probe_yield(rounds: Sequence[Round], *, known: int | None = None) -> Chart:
    """A point for each round; with `known` relevant documents, a line that shows where all are."""
    return finished(
        probe_yield_chart(known=known is not None),
        probe_yield_rows(rounds, known=known),
        title="Yield of probes with expanded queries",
        subtitle="Each point is a round, and 0 what was judged before."
        + ("" if known is None else " The broken line: all that are known to be relevant."),
    )


def probe_yield_rows(rounds: Sequence[Round], *, known: int | None = None) -> Datasets:
    """A row for each round, with all that was judged and found down to it; and a line from 0."""
    total = sum(one.judged for one in rounds)
    rows: list[Row] = []
    judged = found = labelled = 0
    for one in rounds:
        judged += one.judged
        found += one.found
        apart = not rows or judged - labelled > _APART * total
        labelled = judged if apart else labelled
        rows.append(
            {
                "round": one.number,
                "label": str(one.number) if apart else "",
                "judged": judged,
                "relevant": found,
                "new": one.judged,
                "new_relevant": one.found,
            }
        )
    start = {"judged": 0, "relevant": 0}
    line = [start, *({name: row[name] for name in start} for row in rows)]
    return {"rounds": rows, "line": line, "known": [] if known is None else [{"relevant": known}]}


def probe_yield_chart(*, known: bool) -> Any:
    """A line through the rounds, their numbers above it."""
    across = alt.X("judged:Q", title="documents judged", scale=alt.Scale(zero=True))
    up = alt.Y("relevant:Q", title="relevant documents found")
    rows = alt.Chart(table("rounds"))
    line = alt.Chart(table("line")).mark_line(color=PALETTE[0]).encode(x=across, y=up)
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
        rule = alt.Chart(table("known")).mark_rule(strokeDash=[4, 3], color=PALETTE[1])
        layers.insert(0, rule.encode(y=up))
    return alt.layer(*layers)

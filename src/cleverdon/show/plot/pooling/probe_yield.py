"""The yield of a probe: relevant documents found, over documents judged, round by round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cleverdon.pool.expansion import Round
from cleverdon.show.grid import counted
from cleverdon.show.plot.base import Chart, Datasets, Row, alt, finished, table
from cleverdon.show.plot.theme import PALETTE

_APART = (0.035, 0.06)
"""By which share of the axes, across or up, numbers of rounds stand apart so that one can read
them."""
_MARGIN = 16
"""Pixels around the points, where the numbers of the first and the last have room."""
_TICKS = 8


def probe_yield(rounds: Sequence[Round], *, known: int | None = None) -> Chart:
    """A point for each round; with `known` relevant documents, a line that shows where all are.

    It begins at round 0, what was judged before there were probes: that is often far more than what
    they bring.
    """
    datasets = probe_yield_rows(rounds, known=known)
    first = rounds[0]
    return finished(
        probe_yield_chart(
            judged=datasets["rounds"][-1]["judged"],
            relevant=_ends(datasets["rounds"], known),
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


def probe_yield_rows(rounds: Sequence[Round], *, known: int | None = None) -> Datasets:
    """A row for each round: what was judged since round 0, and what was found down to it."""
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
    for row, label in zip(rows, _labels(rows, _ends(rows, known)), strict=True):
        row["label"] = label
    return {"rounds": rows, "known": [] if known is None else [{"relevant": known}]}


def _ends(rows: Sequence[Row], known: int | None) -> tuple[int, int]:
    """From which number of relevant documents to which the axis goes."""
    low, high = rows[0]["relevant"], max(rows[-1]["relevant"], known or 0)
    return low, max(high, low + 1)


def _labels(rows: Sequence[Row], ends: tuple[int, int]) -> list[str]:
    """The numbers of rounds, as many as there is room for: the last ones matter most.

    Rounds that brought no documents stand where the one before them stands, and share its label.
    """
    across, up = max(rows[-1]["judged"], 1), ends[1] - ends[0]
    labels = [""] * len(rows)
    later: Row | None = None
    for at in reversed(range(len(rows))):
        row = rows[at]
        if later is not None and row["judged"] == later["judged"]:
            labels[at + 1], last = "", labels[at + 1].split("-")[-1]
            labels[at] = f"{row['round']}-{last}"
        elif later is None or (
            later["judged"] - row["judged"] > _APART[0] * across
            or later["relevant"] - row["relevant"] > _APART[1] * up
        ):
            labels[at] = str(row["round"])
        else:
            continue
        later = row
    return labels


def probe_yield_chart(*, judged: int, relevant: tuple[int, int], known: bool) -> Any:
    """A line through the rounds, their numbers above it.

    The axes go to so many documents `judged`, and between these numbers of `relevant` ones.
    """
    across = alt.X(
        "judged:Q",
        title="documents judged since round 0",
        axis=_axis(judged),
        scale=alt.Scale(domain=[0, max(judged, 1)], nice=False, padding=_MARGIN),
    )
    up = alt.Y(
        "relevant:Q",
        title="relevant documents found",
        axis=_axis(relevant[1] - relevant[0]),
        scale=alt.Scale(domain=list(relevant), zero=False, nice=False, padding=_MARGIN),
    )
    rows = alt.Chart(table("rounds"))
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
        rule = alt.Chart(table("known")).mark_rule(strokeDash=[4, 3], color=PALETTE[1])
        layers.insert(0, rule.encode(y=up))
    return alt.layer(*layers)


def _axis(span: int) -> Any:
    # No more ticks than there are whole numbers.
    return alt.Axis(format=",d", tickCount=max(1, min(span, _TICKS)))

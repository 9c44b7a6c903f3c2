"""Systems by precision and recall, over lines of equal F."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, inf
from typing import Any

import numpy as np

from cleverdon.arrays import plain
from cleverdon.errors import OptionError
from cleverdon.measures.base import Measure
from cleverdon.measures.ranked import F, P, R
from cleverdon.measures.sets import SetF, SetP, SetR
from cleverdon.scores import Scores
from cleverdon.show.plot import theme
from cleverdon.show.plot.base import (
    Chart,
    Datasets,
    Row,
    alt,
    finished,
    name_labels,
    system_colour,
    table,
)
from cleverdon.show.plot.kept import (
    coloured,
    mean_of,
    resting_on,
    told_apart,
    values_of,
    with_note,
)

_SIDE = 340
_POINTS = 60
"""How many points a line of equal F is drawn through."""


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
    """Each system's mean precision and recall at k, or of whole results, over lines of equal F.

    `beta` is how much more recall weighs than precision. With `zoom` the plot shows the part where
    the systems are. Of more than 15 systems it draws the best and the `baseline`, unless `systems`
    names others.
    """
    named, note = told_apart(scores, systems, baseline)
    precision, recall, _ = _measures(k, rel, beta)
    name = "F" if beta == 1 else f"F (beta={beta:g})"
    rests = f"Means over {resting_on(scores)}. Along a line, {name} of these means is equal."
    return finished(
        f_lines_chart(coloured(scores, named), str(precision), str(recall), shown=named),
        f_lines_rows(scores, k=k, rel=rel, beta=beta, zoom=zoom, systems=named),
        title="Precision, recall and F",
        subtitle=with_note(rests, note),
    )


def _measures(k: int | None, rel: float, beta: float) -> tuple[Measure, Measure, Measure]:
    if k is None:
        return SetP(rel=rel), SetR(rel=rel), SetF(rel=rel, beta=beta)
    return P(k=k, rel=rel), R(k=k, rel=rel), F(k=k, rel=rel, beta=beta)


def f_lines_rows(
    scores: Scores,
    *,
    k: int | None = None,
    rel: float = 1,
    beta: float = 1,
    zoom: bool = False,
    systems: Sequence[str] | None = None,
) -> Datasets:
    """The systems' points, the lines, and the value of F at the end of each line.

    A point's `mean_f` is the mean of the topics' own F, which is not that of the mean precision
    and recall, `f`.
    """
    measures = _measures(k, rel, beta)
    points: list[Row] = []
    for system in scores.systems if systems is None else systems:
        means = [mean_of(scores, system, m, values_of(scores, system, m)) for m in measures]
        precision, recall, mean_f = (plain(mean) for mean in means)
        if precision is None or recall is None:
            raise OptionError(f"{system} has no precision or no recall that could be drawn")
        points.append(
            {
                "system": system,
                "precision": precision,
                "recall": recall,
                "f": _f(precision, recall, beta),
                "mean_f": mean_f,
            }
        )
    xs, ys = ([point[name] for point in points] for name in ("recall", "precision"))
    across, up = (_window(xs), _window(ys)) if zoom else ((0.0, 1.0), (0.0, 1.0))
    lines = _lines(across, up, beta)
    ends = [_end(lines, level, beta) for level in dict.fromkeys(row["f"] for row in lines)]
    corners = [{"recall": x, "precision": y} for x, y in zip(across, up, strict=True)]
    return {"points": points, "lines": lines, "ends": ends, "corners": corners}


def _f(precision: float, recall: float, beta: float) -> float:
    whole = beta**2 * precision + recall
    return (1 + beta**2) * precision * recall / whole if whole > 0 else 0.0


def _window(values: list[float]) -> tuple[float, float]:
    """What an axis shows of these values: from one multiple of 0.05 to another, some way off."""
    low = max(0, floor((min(values) - 0.02) * 20))
    high = min(20, max(ceil((max(values) + 0.02) * 20), low + 2))
    return low / 20, high / 20


def _lines(across: tuple[float, float], up: tuple[float, float], beta: float) -> list[Row]:
    """The lines that pass through the window: at tenths of F, or nearer where that is too few."""
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
    """One line within the window, from its upper end to its lower: none where it passes by."""
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
    """At what recall F is this at this precision; infinite where precision is too low for any."""
    over = (1 + square) * precision - level
    return square * level * precision / over if over > 0 else inf


def _end(lines: list[Row], level: float, beta: float) -> Row:
    """Where a line's value is written: at its right end, or at its upper one if recall weighs more.

    There the lines are far enough from each other, whatever beta is.
    """
    line = [row for row in lines if row["f"] == level]
    end = line[0] if beta > 1 else line[-1]
    return end | {"label": f"F={level:g}"}


def f_lines_chart(
    systems: Sequence[str], precision: str, recall: str, *, shown: Sequence[str] | None = None
) -> Any:
    """Points in the systems' colours and shapes, over pale lines; the legend has those `shown`."""
    # What is shown is what the rows span: the corners of the window are among them.
    tight = alt.Scale(zero=False, nice=False)
    axes = {
        "x": alt.X("recall:Q", title=f"mean recall ({recall})", scale=tight),
        "y": alt.Y("precision:Q", title=f"mean precision ({precision})", scale=tight),
    }
    lines = alt.Chart(table("lines")).mark_line(strokeWidth=1, color="#8a8a8a", opacity=0.8)
    ends = alt.Chart(table("ends")).mark_text(align="left", dx=4, dy=-5, fontSize=10, opacity=0.8)
    # Beside the lines' values.
    beside = alt.Legend(offset=46, values=list(shown or systems), **name_labels(systems))
    shape = alt.Shape(
        "system:N",
        title="system",
        legend=beside,
        scale=alt.Scale(domain=list(systems), range=theme.shapes(systems)),
    )
    tooltip = [
        alt.Tooltip("system:N"),
        alt.Tooltip("precision:Q", format=".4f"),
        alt.Tooltip("recall:Q", format=".4f"),
        alt.Tooltip("f:Q", title="F of the means", format=".4f"),
        alt.Tooltip("mean_f:Q", title="mean F", format=".4f"),
    ]
    points = alt.Chart(table("points")).mark_point(filled=True, size=90, opacity=1)
    corners = alt.Chart(table("corners")).mark_point(opacity=0)
    return alt.layer(
        corners.encode(**axes),
        lines.encode(**axes, detail=alt.Detail("f:N"), order=alt.Order("recall:Q")),
        ends.encode(**axes, text=alt.Text("label:N")),
        points.encode(
            **axes, color=system_colour(systems, legend=beside), shape=shape, tooltip=tooltip
        ),
    ).properties(width=_SIDE, height=_SIDE)

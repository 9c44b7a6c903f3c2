"""What methods of judging find: relevant documents over documents judged, a line for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cleverdon.pool.adaptive.simulate import Simulation
from cleverdon.show.grid import counted
from cleverdon.show.plot.base import LIMIT, Chart, Datasets, Row, alt, finished, table
from cleverdon.show.plot.lines import label_rows, labels, line_style, thinned_line


def yield_curves(found: Simulation) -> Chart:
    """A line for each method; the dashed line is how many relevant documents the runs returned."""
    return finished(
        yield_curves_chart([played.method for played in found.played]),
        yield_curves_rows(found),
        title="Relevant documents by judgments made",
        subtitle=f"{counted(found.topics, 'topic')} in turn, "
        f"{counted(len(found.systems), 'system')}. Dashed: "
        f"{counted(found.relevant, 'relevant document')} returned in all.",
    )


def yield_curves_rows(found: Simulation) -> Datasets:
    """The curves from no judgment on, thinned to what can be drawn, and the lines' labels."""
    most = LIMIT // len(found.played)
    curves: list[Row] = []
    ends: list[Row] = []
    for played in found.played:
        numbers = [0, *played.found.tolist()]
        rows: list[Row] = [
            {"method": played.method, "judged": judged, "relevant": relevant}
            for judged, relevant in enumerate(numbers)
        ]
        curves += thinned_line(rows, most)
        last = {"x": len(numbers) - 1, "y": float(numbers[-1]), "merit": _area(numbers)}
        ends.append({"method": played.method, "label": played.method} | last)
    span = max(found.relevant, 1)
    return {
        "curves": curves,
        "ends": label_rows(ends, span=span),
        "all": [{"relevant": found.relevant}],
    }


def _area(numbers: Sequence[int]) -> float:
    """The mean height: what a method found early counts for longer."""
    return sum(numbers) / len(numbers)


def yield_curves_chart(methods: Sequence[str]) -> Any:
    """Lines, and their names at the right."""
    across = alt.X("judged:Q", title="documents judged", scale=alt.Scale(nice=False))
    up = alt.Y("relevant:Q", title="relevant documents found")
    lines = (
        alt.Chart(table("curves"))
        .mark_line()
        .encode(
            x=across,
            y=up,
            tooltip=[
                alt.Tooltip("method:N"),
                alt.Tooltip("judged:Q"),
                alt.Tooltip("relevant:Q"),
            ],
            **line_style(methods, "method"),
        )
    )
    whole = alt.Chart(table("all")).mark_rule(strokeDash=[4, 3], opacity=0.6).encode(y=up)
    return alt.layer(
        whole, lines, *labels(methods, alt.X("x:Q", scale=alt.Scale(nice=False)), field="method")
    )

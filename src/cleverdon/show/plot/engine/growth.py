"""How what indexing takes grows with the collection, beside what linear growth would be."""

from __future__ import annotations

from collections.abc import Sequence
from math import log10
from typing import Any

from cleverdon.engine.indexing.growth import LEAST_SIZES
from cleverdon.engine.indexing.records import Indexing
from cleverdon.errors import OptionError
from cleverdon.show.indexing import LABELS, written
from cleverdon.show.plot.base import Chart, Datasets, Row, alt, finished, table
from cleverdon.show.plot.lines import label_rows, labels, line_style


def growth(found: Indexing) -> Chart:
    """A line for each quantity, as a multiple of what it fits at the smallest size.

    On scales by factors a power of the size is a straight line, and its exponent the slope; the
    broad line is linear growth.
    """
    if not found.growth:
        raise OptionError(
            f"growth can be drawn of {LEAST_SIZES} sizes or more, as by --sizes 1000,10000,all"
        )
    return finished(
        growth_chart([LABELS[name] for name in found.growth]),
        growth_rows(found),
        title=f"What indexing takes by documents: {found.system}",
        subtitle="As multiples of the smallest size's; points are builds. Grey: linear growth.",
    )


def growth_rows(found: Indexing) -> Datasets:
    """Every build, the fitted lines, linear growth, and the lines' labels."""
    first, last = found.sizes[0].documents, found.largest.documents
    builds: list[Row] = []
    lines: list[Row] = []
    ends: list[Row] = []
    for name, grown in found.growth.items():
        start, label = grown.fitted(first), LABELS[name]
        lines += [
            {"quantity": label, "documents": at, "times": grown.fitted(at) / start}
            for at in (first, last)
        ]
        builds += [
            {
                "quantity": label,
                "documents": size.documents,
                "times": build.amounts[name].value / start,
                "told": written(name, build.amounts[name].value),
            }
            for size in found.sizes
            for build in size.builds
            if build.amounts[name].value > 0
        ]
        times = grown.fitted(last) / start
        said = f"{label}: n^{grown.exponent:.2f}"
        end = {"quantity": label, "label": said, "x": last, "y": log10(times), "merit": times}
        ends.append(end)
    drawn = [log10(row["times"]) for row in (*builds, *lines)]
    low, high = min(0.0, *drawn), max(log10(last / first), *drawn)
    placed = label_rows(ends, span=high - low, low=low)
    return {
        "builds": builds,
        "lines": lines,
        "linear": [{"documents": at, "times": at / first} for at in (first, last)],
        "ends": [row | {field: 10 ** row[field] for field in ("y", "place")} for row in placed],
    }


def growth_chart(quantities: Sequence[str]) -> Any:
    """Points and lines on scales by factors, and names at the right."""
    by_factors = alt.Scale(type="log", nice=False)
    across = alt.X("documents:Q", title="documents", scale=by_factors, axis=alt.Axis(tickCount=5))
    up = alt.Y(
        "times:Q",
        title="times what the smallest size takes",
        scale=by_factors,
        axis=alt.Axis(tickCount=5),
    )
    style = line_style(quantities, "quantity")
    linear = alt.Chart(table("linear")).mark_line(strokeWidth=5, color="#8a8a8a", opacity=0.4)
    lines = alt.Chart(table("lines")).mark_line()
    points = alt.Chart(table("builds")).mark_point(filled=True, size=30, opacity=0.7)
    tooltip = [
        alt.Tooltip("quantity:N"),
        alt.Tooltip("documents:Q", format=","),
        alt.Tooltip("told:N", title="took"),
    ]
    return alt.layer(
        linear.encode(x=across, y=up),
        lines.encode(x=across, y=up, **style),
        points.encode(x=across, y=up, color=style["color"], tooltip=tooltip),
        *labels(quantities, alt.X("x:Q", scale=by_factors), field="quantity"),
    )

"""How far two engines' percentiles differ, with intervals."""

from __future__ import annotations

from math import isnan
from typing import Any

from cleverdon.engine.load.versus import PERCENTILES, Versus
from cleverdon.show.bench.about import described, p_cell, percentage, signed
from cleverdon.show.plot.base import Chart, Datasets, Row, alt, finished
from cleverdon.show.plot.forest import intervals_chart
from cleverdon.show.plot.theme import PALETTE
from cleverdon.show.quantities import seconds


def percentile_differences(found: Versus) -> Chart:
    """A row for each percentile: the first engine's less the second's."""
    one, two = found.names
    marks = "Not valid." if found.not_valid else f"Filled: shown, corrected p ≤ {found.level:g}."
    return finished(
        percentile_differences_chart(two),
        percentile_differences_rows(found),
        title=f"{one} against {two}, at {described(found.pattern)}",
        subtitle=f"{len(found.pairs)} pairs of blocks. Lines: {percentage(found.confidence)} "
        f"intervals. {marks}",
    )


def percentile_differences_rows(found: Versus) -> Datasets:
    """Differences in milliseconds, and what is printed beside them."""
    rows: list[Row] = []
    for name in PERCENTILES:
        change = found.changes[name]
        known = not isnan(change.low)
        p = change.corrected
        chance = "" if p is None or isnan(p) else p_cell(p, found.level)
        rows.append(
            {
                "label": name,
                "panel": "response time",
                "place": 0,
                "difference": 1000 * change.difference,
                "low": 1000 * change.low if known else None,
                "high": 1000 * change.high if known else None,
                "first": seconds(change.first),
                "second": seconds(change.second),
                "significant": found.verdict(name) == "shown",
                "estimate": signed(name, change.difference),
                "chance": f"p {chance if chance[:1] == '<' else '= ' + chance}" if chance else "",
            }
        )
    return {"differences": rows}


def percentile_differences_chart(second: str) -> Any:
    """Intervals that lie on their side; left of 0 the first engine is faster."""
    told = [
        alt.Tooltip("label:N", title="percentile"),
        alt.Tooltip("first:N"),
        alt.Tooltip("second:N"),
        *(alt.Tooltip(f"{name}:Q", format="+.4~g") for name in ("difference", "low", "high")),
    ]
    colour = alt.value(PALETTE[0])
    return intervals_chart(f"difference to {second}, milliseconds", colour, told)

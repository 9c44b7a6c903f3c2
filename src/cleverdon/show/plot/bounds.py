"""Bounds as whiskers: between what values the means lie, whatever is not known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from cleverdon.arrays import plain
from cleverdon.errors import OptionError
from cleverdon.measures.base import Measure
from cleverdon.measures.notation import parse_all
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
from cleverdon.show.plot.kept import chosen, resting_on

_OVER = {
    "ties": "orders of tied results",
    "unjudged": "grades of unjudged results",
    "rest": "ways to go on below the last result",
}


def bounds(
    scores: Scores,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    systems: str | Sequence[str] | None = None,
) -> Chart:
    """Each system's mean, with whiskers to the lowest and the highest that it could be.

    For scores made with evaluate(..., bounds=True); all their measures, or those that are named.
    """
    wanted = scores.measures if measures is None else parse_all(measures)
    rows = bounds_rows(scores, wanted, systems=chosen(scores, systems))
    over = next(iter(scores.bounds[scores.systems[0]].values())).over
    said = " and ".join(_OVER[what] for what in over)
    return finished(
        bounds_chart(scores.systems, [str(measure) for measure in wanted]),
        rows,
        title="Bounds of the means",
        subtitle=f"{resting_on(scores)}. Whiskers: lowest and highest mean over all {said}.",
    )


def bounds_rows(
    scores: Scores,
    measures: Sequence[Measure] | None = None,
    *,
    systems: Sequence[str] | None = None,
) -> Datasets:
    """For each measure and system: the lowest mean, the mean, and the highest."""
    wanted = scores.measures if measures is None else measures
    if not wanted:
        raise OptionError("there is no measure to draw the bounds of")
    means: list[Row] = []
    for measure in wanted:
        scores.check_known(measure)
        for system in scores.systems if systems is None else systems:
            lowest, highest = scores.mean_bounds(system, measure)
            means.append(
                {
                    "measure": str(measure),
                    "system": system,
                    "lowest": plain(lowest),
                    "mean": plain(scores.mean(system, measure)),
                    "highest": plain(highest),
                }
            )
    return {"means": means}


def bounds_chart(systems: Sequence[str], measures: Sequence[str]) -> Any:
    """A row for each system, below each other for each measure."""
    tooltip = [
        alt.Tooltip("measure:N"),
        alt.Tooltip("system:N"),
        *(alt.Tooltip(f"{name}:Q", format=".4f") for name in ("lowest", "mean", "highest")),
    ]
    axis = alt.X("lowest:Q", title="mean")
    base = alt.Chart(table("means")).encode(
        y=alt.Y("system:N", sort=list(systems), title=None, axis=alt.Axis(**name_labels(systems))),
        color=system_colour(systems, legend=None),
        tooltip=tooltip,
    )
    ends = base.mark_tick(thickness=2, size=12)
    layers = alt.layer(
        base.mark_rule(strokeWidth=2).encode(axis, x2=alt.X2("highest:Q")),
        ends.encode(axis),
        ends.encode(x=alt.X("highest:Q")),
        base.mark_point(filled=True, size=60, opacity=1).encode(x=alt.X("mean:Q")),
    ).properties(width=theme.WIDTH, height=alt.Step(22))
    facet = alt.Facet(
        "measure:N", sort=list(measures), title=None, header=alt.Header(labelAnchor="start")
    )
    return layers.facet(facet=facet, columns=1).resolve_scale(x="independent")

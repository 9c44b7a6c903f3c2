"""How the values of topics spread, system by system: boxes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any

import numpy as np

from cleverdon.compare.samples import Sample, samples
from cleverdon.measures.base import Measure
from cleverdon.scores import Scores
from cleverdon.show.plot.base import (
    Chart,
    Datasets,
    alt,
    finished,
    name_labels,
    system_colour,
    table,
    thinned,
)
from cleverdon.show.plot.topicwise import named, rests_on

_REACH = 1.5
"""How many times the height of the box its whiskers reach at most, as Tukey drew them."""


def spread(
    scores: Scores, measure: str | Measure, *, systems: Iterable[str] | None = None
) -> Chart:
    """A box for each system: quartiles, whiskers, the topics beyond them, and the mean."""
    (sample,) = samples(scores, measures=measure, systems=systems)
    return finished(
        spread_chart(scores.systems, named(sample.measure)),
        spread_rows(sample),
        title=f"{sample.measure} by topic",
        subtitle=[
            f"{rests_on(sample)}. Box: quartiles and median; diamond: mean;",
            "whiskers: 1.5 boxes at most; circles: topics beyond them.",
        ],
    )


def spread_rows(sample: Sample) -> Datasets:
    """A box for each system, and the topics that lie beyond its whiskers.

    Quartiles are computed here and not by the chart, so that any number of topics will do. The
    axis shows all of the measure's range where that has ends, so that plots can be compared.
    """
    boxes, beyond = [], []
    for system in sample.systems:
        values = sample.of(system)
        lower, median, upper = np.quantile(values, (0.25, 0.5, 0.75)).tolist()
        reach = _REACH * (upper - lower)
        inside = values[(values >= lower - reach) & (values <= upper + reach)]
        boxes.append(
            {
                "system": system,
                "low": float(inside.min()),
                "lower": lower,
                "median": median,
                "upper": upper,
                "high": float(inside.max()),
                "mean": sample.mean(system),
            }
        )
        beyond += [
            {"system": system, "topic": topic, "value": float(value)}
            for topic, value in zip(sample.topics, values, strict=True)
            if not lower - reach <= value <= upper + reach
        ]
    ends = [{"value": float(end)} for end in sample.measure.range if isfinite(end)]
    return {"boxes": boxes, "beyond": thinned(beyond), "ends": ends}


def spread_chart(systems: Sequence[str], measure: str) -> Any:
    """Boxes that lie on their side, so that systems' names can be read."""
    names = alt.Axis(**name_labels(systems))
    row = alt.Y("system:N", sort=list(systems), title=None, axis=names)
    colour = system_colour(systems, legend=None)
    boxes = alt.Chart(table("boxes")).encode(y=row, color=colour)
    numbers = [
        alt.Tooltip(f"{name}:Q", format=".4f")
        for name in ("low", "lower", "median", "upper", "high", "mean")
    ]
    tooltip = [alt.Tooltip("system:N"), *numbers]
    axis = alt.X("low:Q", title=measure)
    return alt.layer(
        alt.Chart(table("ends")).mark_point(opacity=0).encode(x=alt.X("value:Q")),
        boxes.mark_rule().encode(axis, x2=alt.X2("high:Q")),
        boxes.mark_bar(size=16, fillOpacity=0.45).encode(
            alt.X("lower:Q"), x2=alt.X2("upper:Q"), tooltip=tooltip
        ),
        boxes.mark_tick(size=16, thickness=2.5).encode(x=alt.X("median:Q"), tooltip=tooltip),
        boxes.mark_point(shape="diamond", filled=True, size=45, opacity=1).encode(
            x=alt.X("mean:Q"), tooltip=tooltip
        ),
        alt.Chart(table("beyond"))
        .mark_point(size=18)
        .encode(
            y=row,
            x=alt.X("value:Q"),
            color=colour,
            tooltip=[
                alt.Tooltip("system:N"),
                alt.Tooltip("topic:N"),
                alt.Tooltip("value:Q", format=".4f"),
            ],
        ),
    ).properties(height=alt.Step(30))

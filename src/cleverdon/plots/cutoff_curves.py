"""A measure at one cut-off after the other, a line for each system."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from cleverdon._common.arrays import Floats, json_number
from cleverdon.by_rank import cut_measures
from cleverdon.charts import base as charts
from cleverdon.charts.base import LIMIT, Chart, Datasets, Row, alt, named_data
from cleverdon.charts.lines import label_rows, labels, line_style
from cleverdon.charts.theme import short_names
from cleverdon.errors import OptionError
from cleverdon.hits import cut_off
from cleverdon.measures.base import Measure
from cleverdon.plots import inputs
from cleverdon.scores import Scores
from cleverdon.stats.intervals import intervals

_CUTOFFS = tuple(range(1, 101))
_AVERAGES = {"mean": "Mean", "sum": "Sum", "geometric": "Geometric mean"}
_FEW = 20  # cut-offs that are few enough for each to be a point on its line


def by_cutoff(
    scores: Scores,
    measure: str | Measure,
    *,
    cutoffs: Iterable[int] = _CUTOFFS,
    systems: str | Sequence[str] | None = None,
    baseline: str | None = None,
    interval: str | None = None,
    confidence: float | None = None,
    log: bool = False,
) -> Chart:
    """Draw each system's mean of a measure at many cut-offs.

    Values are computed from the rankings that were kept, whatever the measures of the scores are.

    Args:
        scores: Scores of an evaluation with `keep=k`, which retains the rankings.
        measure: The measure, with or without a cut-off: "nDCG" or "nDCG@10".
        cutoffs: The cut-offs to draw.
        systems: The systems to draw. By default all; of more than 15, the best and the baseline.
        baseline: A system that is drawn in any case.
        interval: The method of the bands, one of `cleverdon.stats.intervals.METHODS`; by default
            Student's t.
        confidence: Draw a band around each line: the interval of each mean.
        log: Use a logarithmic axis for cut-offs.

    Returns:
        An altair chart.

    >>> from cleverdon import evaluate
    >>> scores = evaluate({"q1": {"d1": 1}}, {"a": {"q1": {"d1": 2, "d2": 1}}}, "AP", keep=10)
    >>> chart = by_cutoff(scores, "nDCG", cutoffs=(1, 2, 5))
    """
    if interval is not None and confidence is None:
        confidence = 0.95
    named, note = inputs.distinguishable_systems(scores, systems, baseline)
    cuts = _sorted(cutoffs)
    family = cut_measures(scores, measure, cuts)
    name = str(family[0]).removesuffix(f"@{cuts[0]}")
    rows = by_cutoff_rows(
        scores, family, cuts, interval=interval, confidence=confidence, systems=named
    )
    band = ""
    if confidence is not None:
        known = any(row["low"] is not None for row in rows["means"])
        said = f"Bands: {confidence:.0%} intervals of each mean."
        band = f" {said}" if known else " Too few queries for bands."
    rests = f"{_AVERAGES[family[0].average]} over {inputs.queries_note(scores)}.{band}"
    return charts.finish_chart(
        by_cutoff_chart(
            inputs.coloured_systems(scores, named),
            f"{name}@k",
            points=len(cuts) <= _FEW,
            bands=confidence is not None,
            log=log,
        ),
        rows,
        title=f"{name} at each cut-off",
        subtitle=inputs.add_note(rests, note),
    )


def _sorted(cutoffs: Iterable[int]) -> list[int]:
    cuts = sorted({cut_off(k) for k in cutoffs})
    if not cuts:
        raise OptionError("there is no cut-off to draw")
    return cuts


def by_cutoff_rows(
    scores: Scores,
    measures: Sequence[Measure],
    cutoffs: Sequence[int],
    *,
    interval: str | None = None,
    confidence: float | None = None,
    systems: Sequence[str] | None = None,
) -> Datasets:
    """Return the mean of each system at each cut-off, and the systems' labels."""
    named = scores.systems if systems is None else systems
    if len(named) * len(cutoffs) > LIMIT:
        raise OptionError(
            f"{len(cutoffs):,} cut-offs of {len(named):,} systems are more than the "
            f"{LIMIT:,} points that a plot can have"
        )
    short = short_names(scores.systems)
    means: list[Row] = []
    for system in named:
        values = [inputs.values_of(scores, system, measure) for measure in measures]
        ends = _intervals(scores, system, measures, values, interval, confidence)
        means += [
            {
                "system": system,
                "k": k,
                "value": json_number(inputs.mean_of(scores, system, measure, of_k)),
            }
            | end
            for k, measure, of_k, end in zip(cutoffs, measures, values, ends, strict=True)
        ]
    known = [0.0, *(row["value"] for row in means if row["value"] is not None)]
    low, high = min(known), max(known)
    at_end = [
        {
            "system": row["system"],
            "label": short[row["system"]],
            "x": row["k"],
            "y": row["value"] or 0.0,
            "merit": row["value"] or 0.0,
        }
        for row in means
        if row["k"] == cutoffs[-1]
    ]
    return {"means": means, "ends": label_rows(at_end, low=low, span=(high - low) or 1.0)}


def _intervals(
    scores: Scores,
    system: str,
    measures: Sequence[Measure],
    values: Sequence[Floats],
    method: str | None,
    confidence: float | None,
) -> list[Row]:
    """Return the ends of each mean's interval, if there is a confidence."""
    if confidence is None:
        return [{} for _ in values]
    if measures[0].average != "mean":
        raise OptionError(f"{measures[0]} is averaged as a {measures[0].average}: take no bands")
    settled = [
        inputs.averaged_values(scores, system, measure, of_k)
        for measure, of_k in zip(measures, values, strict=True)
    ]
    found = intervals(np.array(settled), method=method or "t", confidence=confidence)
    return [
        {"low": json_number(interval.low), "high": json_number(interval.high)} for interval in found
    ]


def by_cutoff_chart(
    systems: Sequence[str],
    measure: str,
    *,
    points: bool = False,
    bands: bool = False,
    log: bool = False,
) -> Any:
    scale = alt.Scale(type="log" if log else "linear", nice=False, zero=False)
    whole = alt.Axis(format="d") if log else alt.Axis(format="d", tickMinStep=1)
    x = alt.X("k:Q", title="cut-off k", scale=scale, axis=whole)
    means = alt.Chart(named_data("means")).encode(x=x)
    style = line_style(systems)
    tooltip = charts.tooltips("system:N", "k:Q", f"{measure}=value:Q .4f")
    value = alt.Y("value:Q", title=measure)
    layers = [
        means.mark_area(opacity=0.15).encode(
            y=alt.Y("low:Q", title=measure), y2=alt.Y2("high:Q"), color=style["color"]
        )
    ] * bands
    layers.append(means.mark_line().encode(y=value, tooltip=tooltip, **style))
    if points:
        layers.append(
            means.mark_point(filled=True, size=28, opacity=1).encode(
                y=value, color=style["color"], tooltip=tooltip
            )
        )
    return alt.layer(*layers, *labels(systems, alt.X("x:Q", scale=scale)))

"""Distributions of query values: box plots, histograms of values and of differences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, floor, isfinite, log10
from typing import Any

import numpy as np

from cleverdon._common.arrays import Floats, Ints
from cleverdon.charts import base as charts
from cleverdon.charts.base import Chart, Datasets, Row, alt, named_data
from cleverdon.charts.theme import name_labels, short_names
from cleverdon.comparison.samples import Sample, samples
from cleverdon.measures.base import Measure
from cleverdon.plots import inputs
from cleverdon.plots.inputs import Differences
from cleverdon.score_tables import format_score
from cleverdon.scores import Scores

_BINS = 20  # the number of bins of a histogram, or a few less
_DIGITS = 12
"""Behind which values and edges are the same: 3 * 0.05 is to be in the bin that starts at 0.15."""


def _value_edges(measure: Measure, values: Floats) -> Floats:
    low, high = measure.range
    if isfinite(low) and isfinite(high):
        return np.round(np.linspace(low, high, _BINS + 1), _DIGITS)
    low, high = float(values.min()), float(values.max())
    step = _round_step(high - low, _BINS)
    if measure.average == "sum":  # whole numbers, and nothing between two of them
        step = max(step, 1.0)
    first = floor(low / step)
    last = max(first, floor(high / step)) + 1
    return np.round(np.arange(first, last + 1) * step, _DIGITS)


def _difference_edges(differences: Floats) -> Floats:
    """Return edges of bins, as many on both sides of 0, which is one of them."""
    largest = float(np.abs(differences).max())
    step = _round_step(2 * largest, 3 * _BINS // 2)
    beside = max(1, ceil(round(largest / step, _DIGITS)))
    return np.round(np.arange(-beside, beside + 1) * step, _DIGITS)


def _difference_counts(differences: Floats, edges: Floats) -> Ints:
    """Count differences by bin, without zeros; a bin has the end that is nearer to 0."""
    above = edges[len(edges) // 2 :]
    losses, wins = -differences[differences < 0], differences[differences > 0]
    return np.concatenate((_bin_counts(losses, above)[::-1], _bin_counts(wins, above)))


def _bin_counts(values: Floats, edges: Floats) -> Ints:
    """Count the values in each bin; the last bin includes its upper end."""
    bins = len(edges) - 1
    place = np.searchsorted(edges, np.round(values, _DIGITS), side="right") - 1
    found: Ints = np.bincount(np.clip(place, 0, bins - 1), minlength=bins)
    return found


def _round_step(span: float, count: int) -> float:
    """Return 1, 2, 2.5 or 5 times a power of ten, of which at most `count` cover the span."""
    least = (span or 1.0) / count
    power = 10.0 ** floor(log10(least))
    return next(f * power for f in (1, 2, 2.5, 5, 10) if f * power >= least * (1 - 1e-9))


def histogram(
    scores: Scores, measure: str | Measure, *, systems: Iterable[str] | None = None
) -> Chart:
    """Draw how many queries have which value of a measure: a histogram for each system.

    Args:
        scores: The scores of an evaluation.
        measure: One of the measures of the scores.
        systems: The systems to draw; by default all.

    Returns:
        An altair chart.

    >>> from cleverdon import evaluate
    >>> scores = evaluate({"q1": {"d1": 1}}, {"a": {"q1": {"d1": 2, "d2": 1}}}, "AP")
    >>> chart = histogram(scores, "AP")
    """
    (sample,) = samples(scores, measures=measure, systems=systems)
    return charts.finish_chart(
        histogram_chart(scores.systems, inputs.measure_label(sample.measure)),
        histogram_rows(sample),
        title=f"How many queries have which {sample.measure}",
        subtitle=f"{inputs.sample_note(sample)}. Line: mean.",
    )


def histogram_rows(sample: Sample) -> Datasets:
    """Return a row for each system and bin; all systems have the same bins."""
    edges = _value_edges(sample.measure, sample.values)
    short = short_names(sample.systems)
    bins: list[Row] = []
    for place, system in enumerate(sample.systems):
        values = sample.of(system)
        mean = float(values.mean())  # of counts as well, whose average is their sum
        panel = f"{short[system]}: mean {format_score(sample.measure, mean)}"
        for at, queries in enumerate(_bin_counts(values, edges).tolist()):
            bins.append(
                {
                    "system": system,
                    "panel": panel,
                    "place": place,
                    "from": float(edges[at]),
                    "to": float(edges[at + 1]),
                    "queries": queries,
                    "share": queries / len(values),
                    "mean": mean,
                }
            )
    return {"bins": bins}


def histogram_chart(systems: Sequence[str], measure: str) -> Any:
    bars = (
        alt.Chart()
        .mark_bar(binSpacing=1)
        .encode(
            alt.X("from:Q", bin="binned", title=measure),
            _queries(),
            color=charts.system_colour(systems, legend=None),
            x2=alt.X2("to:Q"),
            tooltip=[*charts.tooltips("system:N"), *_ends(), *charts.tooltips("share:Q .1%")],
        )
    )
    return charts.facet_panels(
        alt.layer(bars, _mean()), named_data("bins"), height=_height(systems)
    )


def differences(
    scores: Scores, measure: str | Measure, *, baseline: str, systems: Iterable[str] | None = None
) -> Chart:
    """Draw how many queries gain or lose how much: a histogram for each system.

    Args:
        scores: The scores of an evaluation.
        measure: One of the measures of the scores.
        baseline: The system to compare with, or "median" for the median of all systems.
        systems: The systems to draw; by default all.

    Returns:
        An altair chart.

    >>> from cleverdon import evaluate
    >>> runs = {"a": {"q1": {"d1": 2}}, "b": {"q1": {"d2": 2}}}
    >>> scores = evaluate({"q1": {"d1": 1}}, runs, "AP")
    >>> chart = differences(scores, "AP", baseline="a")
    """
    (sample,) = samples(scores, measures=measure)
    found = inputs.differences_to_named(sample, baseline, systems=systems)
    return charts.finish_chart(
        differences_chart(scores.systems, str(sample.measure), found.baseline),
        differences_rows(found),
        title=f"Wins and losses by {sample.measure} against {found.baseline}",
        subtitle=f"{inputs.sample_note(sample)}. Line: mean.{inputs.win_note(sample.measure)}",
    )


def differences_rows(found: Differences) -> Datasets:
    """Return a row for each system and bin, and one for differences of exactly 0."""
    edges = _difference_edges(found.values)
    short = short_names(found.sample.systems)
    sign = -1 if found.sample.measure.better == "lower" else 1
    bins: list[Row] = []
    rows = zip(found.systems, found.values, found.gains, strict=True)
    for place, (system, values, gains) in enumerate(rows):
        panel, mean = f"{short[system]}: {inputs.tally(gains)}", float(values.mean())
        queries = _difference_counts(values, edges).tolist()
        parts = list(zip(edges[:-1].tolist(), edges[1:].tolist(), queries, strict=True))
        parts.append((0.0, 0.0, int((values == 0).sum())))
        bins += [
            {
                "system": system,
                "panel": panel,
                "place": place,
                "outcome": inputs.outcome(sign * (low + high)),
                "from": low,
                "to": high,
                "queries": count,
                "mean": mean,
            }
            for low, high, count in parts
        ]
    return {"bins": bins}


def differences_chart(systems: Sequence[str], measure: str, baseline: str) -> Any:
    """Draw bars in a panel for each system; the narrow one at 0 counts even queries."""
    title = f"{measure} less that of {short_names(systems).get(baseline, baseline)}"
    rows = alt.Chart().encode(
        _queries(),
        color=inputs.outcome_colour(),
        tooltip=[*charts.tooltips("system:N", "outcome:N"), *_ends()],
    )
    bars = (
        rows.transform_filter("datum.outcome != 'even'")
        .mark_bar(binSpacing=1)
        .encode(alt.X("from:Q", bin="binned", title=title), x2=alt.X2("to:Q"))
    )
    even = (
        rows.transform_filter("datum.outcome == 'even' && datum.queries")
        .mark_bar(size=7)
        .encode(alt.X("from:Q"))
    )
    return charts.facet_panels(
        alt.layer(bars, even, _mean()), named_data("bins"), height=_height(systems)
    )


def _height(systems: Sequence[str]) -> int:
    return 90 if len(systems) <= 5 else 56


def _queries() -> alt.Y:
    whole = "datum.value % 1 ? '' : format(datum.value, ',d')"  # there is no half a query
    return alt.Y("queries:Q", title="queries", axis=alt.Axis(labelExpr=whole, tickCount=4))


def _ends() -> list[alt.Tooltip]:
    return charts.tooltips("from:Q .4~g", "to:Q .4~g", "queries:Q")


def _mean() -> Any:
    # Every row of a panel has its mean; a mean of them draws it once.
    tooltip = alt.Tooltip("mean(mean):Q", format=".4f", title="mean")
    return (
        alt.Chart()
        .mark_rule(strokeDash=[4, 2], size=1.5)
        .encode(x=alt.X("mean(mean):Q"), tooltip=tooltip)
    )


_REACH = 1.5  # the longest whiskers, in heights of the box, as Tukey drew them


def spread(
    scores: Scores, measure: str | Measure, *, systems: Iterable[str] | None = None
) -> Chart:
    """Draw a box plot for each system: quartiles, whiskers, outliers and the mean.

    Args:
        scores: The scores of an evaluation.
        measure: One of the measures of the scores.
        systems: The systems to draw; by default all.

    Returns:
        An altair chart.

    >>> from cleverdon import evaluate
    >>> scores = evaluate({"q1": {"d1": 1}}, {"a": {"q1": {"d1": 2, "d2": 1}}}, "AP")
    >>> chart = spread(scores, "AP")
    """
    (sample,) = samples(scores, measures=measure, systems=systems)
    return charts.finish_chart(
        spread_chart(scores.systems, inputs.measure_label(sample.measure)),
        spread_rows(sample),
        title=f"{sample.measure} by query",
        subtitle=[
            f"{inputs.sample_note(sample)}. Box: quartiles and median; diamond: mean;",
            "whiskers: 1.5 boxes at most; circles: queries beyond them.",
        ],
    )


def spread_rows(sample: Sample) -> Datasets:
    """Return a box for each system, the queries beyond its whiskers, and the ends of the range."""
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
            {"system": system, "query": query, "value": float(value)}
            for query, value in zip(sample.queries, values, strict=True)
            if not lower - reach <= value <= upper + reach
        ]
    ends = [{"value": float(end)} for end in sample.measure.range if isfinite(end)]
    return {"boxes": boxes, "beyond": charts.thin_rows(beyond), "ends": ends}


def spread_chart(systems: Sequence[str], measure: str) -> Any:
    names = alt.Axis(**name_labels(systems))
    row = alt.Y("system:N", sort=list(systems), title=None, axis=names)
    colour = charts.system_colour(systems, legend=None)
    boxes = alt.Chart(named_data("boxes")).encode(y=row, color=colour)
    numbers = ("low", "lower", "median", "upper", "high", "mean")
    tooltip = charts.tooltips("system:N", *(f"{name}:Q .4f" for name in numbers))
    axis = alt.X("low:Q", title=measure)
    return alt.layer(
        alt.Chart(named_data("ends")).mark_point(opacity=0).encode(x=alt.X("value:Q")),
        boxes.mark_rule().encode(axis, x2=alt.X2("high:Q")),
        boxes.mark_bar(size=16, fillOpacity=0.45).encode(
            alt.X("lower:Q"), x2=alt.X2("upper:Q"), tooltip=tooltip
        ),
        boxes.mark_tick(size=16, thickness=2.5).encode(x=alt.X("median:Q"), tooltip=tooltip),
        boxes.mark_point(shape="diamond", filled=True, size=45, opacity=1).encode(
            x=alt.X("mean:Q"), tooltip=tooltip
        ),
        alt.Chart(named_data("beyond"))
        .mark_point(size=18)
        .encode(
            y=row,
            x=alt.X("value:Q"),
            color=colour,
            tooltip=charts.tooltips("system:N", "query:N", "value:Q .4f"),
        ),
    ).properties(height=alt.Step(30))

"""Values query by query: one system's bars, or a heat map of all systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np

from cleverdon._common.arrays import Floats, Ints
from cleverdon.charts import base as charts
from cleverdon.charts import theme
from cleverdon.charts.base import LIMIT, Chart, Datasets, Row, alt, named_data
from cleverdon.charts.theme import name_labels, short_names
from cleverdon.comparison.samples import Sample, samples
from cleverdon.formats.texts import Text
from cleverdon.measures.base import Measure
from cleverdon.plots import inputs
from cleverdon.plots.inputs import Differences
from cleverdon.scores import Scores

_SHOWN = 300
"""Bars, or columns of a heat map, that can be told apart; more queries than that share them."""
_WIDTH = 640


def queries(
    scores: Scores,
    measure: str | Measure,
    system: str,
    *,
    baseline: str | None = None,
    texts: Mapping[str, str | Text] | None = None,
) -> Chart:
    """Draw one system's values, a bar for each query, the best first.

    Args:
        scores: The scores of an evaluation.
        measure: One of the measures of the scores.
        system: The system.
        baseline: Show differences to this system, or to the "median".
        texts: Texts of queries by id, shown on hover.

    Returns:
        An altair chart.

    >>> from cleverdon import evaluate
    >>> runs = {"a": {"q1": {"d1": 2}}, "b": {"q1": {"d2": 2}}}
    >>> scores = evaluate({"q1": {"d1": 1}}, runs, "AP")
    >>> chart = queries(scores, "AP", "a", baseline="b")
    """
    (sample,) = samples(scores, measures=measure)
    if baseline is None:
        return charts.finish_chart(
            queries_chart(scores.systems, inputs.measure_label(sample.measure)),
            _queries_rows(sample, system, texts=texts),
            title=f"{sample.measure} of {system} by query",
            subtitle=f"{inputs.sample_note(sample)}{_sharing(sample, 'bar')}.",
        )
    found = inputs.differences_to_named(sample, baseline, systems=[system])
    return charts.finish_chart(
        queries_chart(scores.systems, inputs.measure_label(sample.measure), found.baseline),
        _queries_rows(sample, system, differences=found, texts=texts),
        title=f"{sample.measure} of {system}, less that of {found.baseline}, by query",
        subtitle=f"{inputs.sample_note(sample)}: {inputs.tally(found.gains[0])}"
        f"{_sharing(sample, 'bar')}.{inputs.win_note(sample.measure)}",
    )


def _queries_rows(
    sample: Sample,
    system: str,
    *,
    differences: Differences | None = None,
    texts: Mapping[str, str | Text] | None = None,
) -> Datasets:
    """Return a row for each query, or group of queries, the best first."""
    values = sample.of(system) if differences is None else _row(differences, system)
    lower = sample.measure.better == "lower"
    order = np.argsort(values if lower else -values, kind="stable")
    bars: list[Row] = []
    for group in _groups(order, _SHOWN):
        value = float(values[group].mean())
        bars.append(
            {
                "system": system,
                **_queries_of(sample, group, texts),
                "value": value,
                "outcome": inputs.outcome(-value if lower else value),
            }
        )
    return {"queries": bars}


def _row(found: Differences, system: str) -> Floats:
    of: Floats = found.values[found.systems.index(system)]
    return of


def queries_chart(systems: Sequence[str], measure: str, baseline: str | None = None) -> Any:
    """Draw bars in the system's colour, or in those of wins and losses."""
    title = measure
    if baseline is not None:
        title += f" less that of {short_names(systems).get(baseline, baseline)}"
    colour = (
        charts.system_colour(systems, legend=None) if baseline is None else inputs.outcome_colour()
    )
    return (
        alt.Chart(named_data("queries"))
        .mark_bar()
        .encode(
            alt.X("query:N", sort=None, axis=_query_axis(), title="queries, the best first"),
            alt.Y("value:Q", title=title),
            color=colour,
            tooltip=[*charts.tooltips("system:N"), _ABOUT, *charts.number_tooltips("value")],
        )
        .properties(width=_WIDTH)
    )


def heat_map(
    scores: Scores,
    measure: str | Measure,
    *,
    baseline: str | None = None,
    systems: str | Sequence[str] | None = None,
    texts: Mapping[str, str | Text] | None = None,
) -> Chart:
    """Draw a cell for each query and system, the hardest queries on the left.

    How hard a query is depends on all systems.

    Args:
        scores: The scores of an evaluation.
        measure: One of the measures of the scores.
        baseline: Show gains and losses over this system, or over the "median".
        systems: The systems to draw; by default all.
        texts: Texts of queries by id, shown on hover.

    Returns:
        An altair chart.

    >>> from cleverdon import evaluate
    >>> runs = {"a": {"q1": {"d1": 2}}, "b": {"q1": {"d2": 2}}}
    >>> scores = evaluate({"q1": {"d1": 1}}, runs, "AP")
    >>> chart = heat_map(scores, "AP")
    """
    (sample,) = samples(scores, measures=measure)
    shown = inputs.select_systems(scores, systems)
    shared = _sharing(sample, "column", _columns(sample))
    note = f"{inputs.sample_note(sample)}, hardest on the left{shared}."
    if baseline is None:
        return charts.finish_chart(
            heat_map_chart(scores.systems, inputs.measure_label(sample.measure)),
            _heat_map_rows(sample, systems=shown, texts=texts),
            title=f"{sample.measure} by query and system",
            subtitle=note,
        )
    found = inputs.differences_to_named(sample, baseline, systems=shown)
    return charts.finish_chart(
        heat_map_chart(scores.systems, inputs.measure_label(sample.measure), gains=True),
        _heat_map_rows(sample, differences=found, texts=texts),
        title=f"Gains and losses of {sample.measure} over {found.baseline}",
        subtitle=note + inputs.win_note(sample.measure).replace("win", "gain"),
    )


def _heat_map_rows(
    sample: Sample,
    *,
    differences: Differences | None = None,
    systems: Sequence[str] | None = None,
    texts: Mapping[str, str | Text] | None = None,
) -> Datasets:
    """Return a cell for each system and query, and the ends of the scale of colours."""
    systems = (systems or sample.systems) if differences is None else differences.systems
    shown = [sample.of(name) for name in systems] if differences is None else differences.gains
    mean = sample.values.mean(axis=0)
    order = np.argsort(-mean if sample.measure.better == "lower" else mean, kind="stable")
    cells: list[Row] = []
    for group in _groups(order, _columns(sample)):
        about = _queries_of(sample, group, texts)
        for system, values in zip(systems, shown, strict=True):
            value = float(sample.of(system)[group].mean())
            cells.append({"system": system, **about, "value": value})
            if differences is not None:
                cells[-1]["gain"] = float(values[group].mean())
    if differences is None:
        return {"cells": cells, "ends": [{"value": end} for end in _ends(sample)]}
    largest = max(abs(cell["gain"]) for cell in cells)
    return {"cells": cells, "ends": [{"gain": -largest}, {"gain": largest}]}


def heat_map_chart(systems: Sequence[str], measure: str, *, gains: bool = False) -> Any:
    field, title = ("gain:Q", "gain") if gains else ("value:Q", measure)
    scale = alt.Scale(scheme=theme.DIVERGING, domainMid=0) if gains else _RISING
    colour = alt.Color(field, scale=scale, title=title, legend=alt.Legend(gradientLength=70))
    shown = ("value", "gain") if gains else ("value",)
    names = alt.Axis(**name_labels(systems))
    cells = (
        alt.Chart(named_data("cells"))
        # Columns are no whole pixels wide: if they did not overlap, seams would show between them.
        .mark_rect(width=alt.expr("bandwidth('x') + 0.8"))
        .encode(
            alt.X("query:N", sort=None, axis=_query_axis(), title="queries, the hardest first"),
            alt.Y("system:N", sort=list(systems), title=None, axis=names),
            color=colour,
            tooltip=[*charts.tooltips("system:N"), _ABOUT, *charts.number_tooltips(*shown)],
        )
        .properties(width=_WIDTH, height=alt.Step(24))
    )
    return alt.Chart(named_data("ends")).mark_rect(opacity=0).encode(color=colour) + cells


def _query_axis() -> alt.Axis:
    # Long ids lose their middle, since they mostly differ at the end.
    end = "slice(datum.label, length(datum.label) - 9)"
    cut = f"length(datum.label) > 16 ? slice(datum.label, 0, 6) + '…' + {end} : datum.label"
    return alt.Axis(labelOverlap="greedy", labelAngle=-90, labelExpr=cut, ticks=False)


_RISING = alt.Scale(scheme=theme.RISING)


def _ends(sample: Sample) -> list[float]:
    """Return the ends of the measure's range, or of the values."""
    found = (float(sample.values.min()), float(sample.values.max()))
    pairs = zip(sample.measure.range, found, strict=True)
    return [end if isfinite(end) else own for end, own in pairs]


def _columns(sample: Sample) -> int:
    return max(1, min(_SHOWN, LIMIT // len(sample.systems)))


def _groups(order: Ints, most: int) -> list[Ints]:
    """Return queries one by one, or if they are more, neighbours in groups of like size."""
    return np.array_split(order, min(most, len(order)))


def _sharing(sample: Sample, what: str, most: int = _SHOWN) -> str:
    each = -(-len(sample.queries) // most)
    return f"; each {what} is the mean of up to {each} neighbours" if each > 1 else ""


def _queries_of(sample: Sample, group: Ints, texts: Mapping[str, str | Text] | None) -> Row:
    first, others = sample.queries[group[0]], len(group) - 1
    if others:
        return {"query": f"{first} +{others}", "about": f"{first} and {others:,} more, their mean"}
    text = inputs.short_query_text(first, texts)
    return {"query": first, "about": f"{first}: {text}" if text else first}


_ABOUT = alt.Tooltip("about:N", title="query")

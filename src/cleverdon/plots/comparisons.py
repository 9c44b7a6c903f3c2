"""Plots of means and their differences: forest plot, matrix of all pairs, bounds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf, isfinite, isnan, nan
from typing import Any

from cleverdon._common.arrays import json_number
from cleverdon.charts import base as charts
from cleverdon.charts import theme
from cleverdon.charts.base import LIMIT, Chart, Datasets, Row, alt, named_data
from cleverdon.charts.matrices import check_matrix_size, matrix_cell, matrix_chart
from cleverdon.charts.theme import name_labels, short_names
from cleverdon.comparison.claims import p_value_text
from cleverdon.comparison.difference_tables import (
    basis_text,
    describe_test,
    difference_record,
    reach_texts,
)
from cleverdon.comparison.differences import Comparison
from cleverdon.comparison.procedures import Difference
from cleverdon.errors import OptionError, check_word
from cleverdon.measures.base import Measure
from cleverdon.measures.notation import parse_all
from cleverdon.plots.inputs import measure_label, queries_note, sample_of, select_systems
from cleverdon.score_tables import format_score
from cleverdon.scores import Scores
from cleverdon.stats.intervals import Interval


def forest(comparison: Comparison, measure: str | Measure | None = None) -> Chart:
    """Draw every difference of a comparison with its interval and its p-value.

    Args:
        comparison: The comparison.
        measure: One of its measures; by default a panel for each.

    Returns:
        An altair chart.

    >>> from cleverdon import evaluate
    >>> runs = {"a": {"q1": {"d1": 2}}, "b": {"q1": {"d2": 2}}}
    >>> scores = evaluate({"q1": {"d1": 1}}, runs, "AP")
    >>> from cleverdon.comparison.differences import compare
    >>> chart = forest(compare(scores, baseline="a"))
    """
    baseline = comparison.baseline
    rows = forest_rows(comparison, measure)
    inner = any(row["inner_low"] is not None for row in rows["differences"])
    return charts.finish_chart(
        forest_chart(comparison.scores.systems, baseline, inner=inner),
        rows,
        title="Differences between systems" if baseline is None else f"Differences to {baseline}",
        subtitle=[
            f"{describe_test(comparison)}, {basis_text(comparison)}.",
            _marks(comparison, inner=inner),
            *_exceptions(comparison, measure),
        ],
    )


def _marks(comparison: Comparison, *, inner: bool) -> str:
    filled = f"Filled: p ≤ {comparison.level:g}."
    if not has_intervals(comparison):
        few = len(comparison.samples[0].queries) < 2
        why = "Too few queries" if few else "Too little spread"
        return f"{why} for intervals. {filled}"
    intervals = f"{comparison.confidence:.0%} intervals"
    if inner:
        return f"Thin: {intervals} adjusted as the p-values are; thick: not adjusted. {filled}"
    return f"Lines: {intervals}. {filled}"


def _exceptions(comparison: Comparison, measure: str | Measure | None) -> list[str]:
    """Say which intervals end at 0, disagree with their verdicts, or have qualified ones."""
    shown = _differences_of(comparison, measure)
    texts = {
        "End at 0, since a later step of the test decided": [one for one in shown if one.stepped],
        f"Interval and verdict disagree, since {comparison.why_disagree()}": [
            one for one in shown if comparison.disagrees(one)
        ],
    }
    told = [f"{text}." for text in reach_texts(comparison, shown)]
    told += [f"{text}: {_named(found)}." for text, found in texts.items() if found]
    return told + _qualifications(comparison, measure)


def _qualifications(comparison: Comparison, measure: str | Measure | None) -> list[str]:
    """Say which differences that are shown are under a serious doubt."""
    shown = [one for one in _differences_of(comparison, measure) if comparison.shows(one)]
    found = {
        doubt.name: [one for one in shown if doubt.qualifies(one)]
        for doubt in comparison.serious_doubts
    }
    return [f"Qualified by {name}: {_named(of)}." for name, of in found.items() if of]


def _named(found: Sequence[Difference]) -> str:
    """Name the first few differences."""
    names = [f"{one.system} less {one.baseline} on {one.measure}" for one in found]
    more = f" and {len(names) - 2} more" if len(names) > 3 else ""
    return "; ".join(names[: 2 if more else 3]) + more


def has_intervals(comparison: Comparison) -> bool:
    """Tell whether any difference has an interval; one query gives none."""
    return any(isfinite(found.interval.low) for found in comparison.differences)


def forest_rows(comparison: Comparison, measure: str | Measure | None = None) -> Datasets:
    """Return a row for each difference, with its texts."""
    shown = _differences_of(comparison, measure)
    if len(shown) > LIMIT:
        raise OptionError(
            f"{len(shown):,} differences are too many to draw: name a measure, a baseline, or some "
            "of the systems (--system)"
        )
    short = short_names(comparison.scores.systems)
    return {"differences": [_row(found, comparison, short) for found in shown]}


def _differences_of(comparison: Comparison, measure: str | Measure | None) -> list[Difference]:
    wanted = None if measure is None else sample_of(comparison, measure).measure
    return [found for found in comparison.differences if wanted is None or found.measure == wanted]


def _row(found: Difference, comparison: Comparison, short: Mapping[str, str]) -> Row:
    difference = format_score(found.measure, found.difference, signed=True)
    label = short[found.system]
    if comparison.baseline is None:
        label += f" less {short[found.baseline]}"
    ends = found.unadjusted if found.interval != found.unadjusted else Interval(nan, nan)
    return {
        **difference_record(found, comparison),
        # A comparison that is a family by itself has one interval.
        "inner_low": json_number(ends.low),
        "inner_high": json_number(ends.high),
        "significant": comparison.shows(found),
        "label": label,
        "panel": measure_label(found.measure),
        "place": next(at for at, s in enumerate(comparison.samples) if s.measure == found.measure),
        "estimate": difference.replace("-", "−"),
        "chance": p_value_text(found, comparison),
    }


def forest_chart(systems: Sequence[str], baseline: str | None, *, inner: bool = True) -> Any:
    title = "difference"
    if baseline is not None:
        title += f" to {short_names(systems).get(baseline, baseline)}"
    numbers = charts.number_tooltips(
        "mean",
        "baseline_mean",
        "difference",
        "low",
        "high",
        "unadjusted_low",
        "unadjusted_high",
        "p",
        "corrected",
    )
    names = charts.tooltips("system:N", "baseline:N")
    queries = charts.tooltips("up:Q", "even:Q", "down:Q")
    colour = charts.system_colour(systems, legend=None)
    tips = [*names, *numbers, *queries]
    drawn = charts.intervals_chart(title, colour, tips, inner=inner)
    return drawn.resolve_scale(x="independent")


_SIZES = {
    "difference": "Differences",
    "relative": "Differences, as shares of the column's mean,",
    "d": "Cohen's d_z",
    "delta": "Cliff's delta",
}
"""The sizes of a difference that cells may show."""
_SHOWN = ("p", *_SIZES)  # the choices for `show`
_SURE, _UNSURE = 0.7, 0.15  # the shades of significant p-values and of others
_LARGEST = {"relative": 1.0}  # the size that has the darkest shade, even if larger ones are shown


def pairs(
    comparison: Comparison, measure: str | Measure | None = None, *, show: str = "p"
) -> Chart:
    """Draw a matrix of all pairs of systems: p-values or effect sizes.

    A cell says how the system of its row does against that of its column.

    Args:
        comparison: A comparison of all pairs.
        measure: One of its measures; may be left out where there is one only.
        show: "p" for corrected p-values, or "difference", "relative", "d" or "delta".

    Returns:
        An altair chart.

    >>> from cleverdon import evaluate
    >>> runs = {"a": {"q1": {"d1": 2}}, "b": {"q1": {"d2": 2}}}
    >>> scores = evaluate({"q1": {"d1": 1}}, runs, "AP")
    >>> from cleverdon.comparison.differences import compare
    >>> chart = pairs(compare(scores, measures="AP"))
    """
    check_word("show", show, _SHOWN)
    sample = sample_of(comparison, measure)
    what = _SIZES.get(show, "p-values")
    word = {"higher": "better", "lower": "better, that is lower,", "neither": "higher"}
    return charts.finish_chart(
        matrix_chart(sample.systems, "difference", "p", "corrected"),
        pairs_rows(comparison, sample.measure, show=show),
        title=f"{what} of all pairs by {sample.measure}",
        subtitle=[
            f"{describe_test(comparison)}, {basis_text(comparison)}.",
            f"Orange: the row is {word[sample.measure.better]} than the column; purple: it is not. "
            f"Bold: p ≤ {comparison.level:g}.",
            *_qualifications(comparison, sample.measure),
        ],
    )


def pairs_rows(
    comparison: Comparison, measure: str | Measure | None = None, *, show: str = "p"
) -> Datasets:
    """Return a cell for each two systems; one-sided comparisons fill one half of the matrix."""
    check_word("show", show, _SHOWN)
    if comparison.baseline is not None:
        raise OptionError(
            f"the comparison is against {comparison.baseline} only; compare(scores) without a "
            "baseline compares all pairs"
        )
    sample = sample_of(comparison, measure)
    check_matrix_size(len(sample.systems), "systems")
    sign = -1 if sample.measure.better == "lower" else 1
    found: dict[tuple[str, str], Row] = {}
    for difference in comparison.differences:
        if difference.measure == sample.measure:
            pair = difference.system, difference.baseline
            found[pair] = _cell(difference, comparison, show=show, turned=False)
            if comparison.alternative == "two-sided":
                found[pair[::-1]] = _cell(difference, comparison, show=show, turned=True)
    sizes = [abs(row["size"]) for row in found.values() if isfinite(row["size"])]
    # p-values have shades of their own; and a share may be huge where a mean is next to nothing.
    largest = 1.0 if show == "p" else min(max(sizes, default=0.0), _LARGEST.get(show, inf))
    means = {system: sample.mean(system) for system in sample.systems}
    order = sorted(means, key=lambda name: means[name], reverse=sign > 0)
    cells = []
    for row in order:
        for column in order:
            made = found.get((row, column), {})
            if made:
                size = sign * made.pop("size")
                known = not isnan(size) and largest > 0
                made["shade"] = max(-1.0, min(1.0, size / largest)) if known else 0.0
            cells.append(matrix_cell(row, column, **made))
    return {"cells": cells}


def _cell(found: Difference, comparison: Comparison, *, show: str, turned: bool) -> Row:
    strong = comparison.shows(found)
    sign = -1 if turned else 1
    more = {
        "difference": sign * found.difference,
        "p": found.p.p,
        "corrected": found.corrected,
        "strong": strong,
    }
    if show == "p":
        text = p_value_text(found, comparison).removeprefix("p").replace("=", "").replace(" ", "")
        way = (found.difference > 0) - (found.difference < 0)
        return {"text": text, "size": sign * way * (_SURE if strong else _UNSURE), **more}
    base = abs(found.mean if turned else found.baseline_mean)
    size = (
        sign
        * {
            "difference": found.difference,
            "relative": found.difference / base if base else float("nan"),
            "d": found.sizes.cohens_dz,
            "delta": found.sizes.cliffs_delta,
        }[show]
    )
    plain = "+.4g" if found.measure.average == "sum" else "+.3f"
    form = {"relative": "+.1%", "d": "+.2f", "delta": "+.2f"}.get(show, plain)
    text = "-" if isnan(size) else format(size, form) if size else "0"
    return {"text": text, "size": size, **more}


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
    """Draw each system's mean with whiskers to the lowest and highest that it could be.

    The bounds are over ties and unjudged results.

    Args:
        scores: Scores of an evaluation with `bounds=True`.
        measures: Some of their measures; by default all.
        systems: The systems to draw; by default all.

    Returns:
        An altair chart.

    >>> from cleverdon import evaluate
    >>> scores = evaluate({"q1": {"d1": 1}}, {"a": {"q1": {"d1": 1, "d2": 1}}}, "AP", bounds=True)
    >>> chart = bounds(scores)
    """
    wanted = scores.measures if measures is None else parse_all(measures)
    rows = _bounds_rows(scores, wanted, systems=select_systems(scores, systems))
    over = next(iter(scores.bounds[scores.systems[0]].values())).over
    said = " and ".join(_OVER[what] for what in over)
    return charts.finish_chart(
        _bounds_chart(scores.systems, [str(measure) for measure in wanted]),
        rows,
        title="Bounds of the means",
        subtitle=f"{queries_note(scores)}. Whiskers: lowest and highest mean over all {said}.",
    )


def _bounds_rows(
    scores: Scores,
    measures: Sequence[Measure] | None = None,
    *,
    systems: Sequence[str] | None = None,
) -> Datasets:
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
                    "lowest": json_number(lowest),
                    "mean": json_number(scores.mean(system, measure)),
                    "highest": json_number(highest),
                }
            )
    return {"means": means}


def _bounds_chart(systems: Sequence[str], measures: Sequence[str]) -> Any:
    numbers = [f"{name}:Q .4f" for name in ("lowest", "mean", "highest")]
    tooltip = charts.tooltips("measure:N", "system:N", *numbers)
    axis = alt.X("lowest:Q", title="mean")
    base = alt.Chart(named_data("means")).encode(
        y=alt.Y("system:N", sort=list(systems), title=None, axis=alt.Axis(**name_labels(systems))),
        color=charts.system_colour(systems, legend=None),
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

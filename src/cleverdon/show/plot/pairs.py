"""Every system against every other: a matrix of p-values, or of how large differences are."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite, isnan
from typing import Any

from cleverdon.compare.claims import told_apart
from cleverdon.compare.paired import Comparison, Difference
from cleverdon.compare.samples import Sample
from cleverdon.errors import OptionError, check_word
from cleverdon.measures.base import Measure
from cleverdon.show.claims import p_of
from cleverdon.show.comparison import basis, tested
from cleverdon.show.plot.base import Chart, Datasets, Row, finished
from cleverdon.show.plot.matrix import cell, check_size, matrix_chart
from cleverdon.show.plot.topicwise import sample_of

SIZES = {
    "difference": "Differences",
    "relative": "Differences, as shares of the column's mean,",
    "d": "Cohen's d_z",
    "delta": "Cliff's delta",
}
"""How large a difference is, in several ways."""
SHOWN = ("p", *SIZES)
"""What cells may show."""
_SURE, _UNSURE = 0.7, 0.15
"""How dark the cell of a p-value is where it is significant, and where it is not."""

_LARGEST = {"relative": 1.0}
"""What is as dark as can be, whatever else there is."""


def pairs(
    comparison: Comparison, measure: str | Measure | None = None, *, show: str = "p"
) -> Chart:
    """A cell for each pair of systems: how the row's does against the column's.

    `show` is "p", the corrected p-values, or one of `SIZES`. The comparison is one of all pairs;
    `measure` is one of its measures, and need not be named where there is one only.
    """
    check_word("show", show, SHOWN)
    sample = sample_of(comparison, measure)
    what = SIZES.get(show, "p-values")
    word = {"higher": "better", "lower": "better, that is lower,", "neither": "higher"}
    return finished(
        pairs_chart(sample.systems),
        pairs_rows(comparison, sample.measure, show=show),
        title=f"{what} of all pairs by {sample.measure}",
        subtitle=[
            f"{tested(comparison)}, {basis(comparison)}.",
            f"Orange: the row is {word[sample.measure.better]} than the column; purple: it is not. "
            f"Bold: p ≤ {comparison.level:g}.",
        ],
    )


def pairs_rows(
    comparison: Comparison, measure: str | Measure | None = None, *, show: str = "p"
) -> Datasets:
    """A cell for each system and other, both from the best to the worst.

    Those of a one-sided comparison are in one half of the matrix: the other way round, the test
    would be another.
    """
    check_word("show", show, SHOWN)
    if comparison.baseline is not None:
        raise OptionError(
            f"the comparison is one against {comparison.baseline} only; compare(scores), without a "
            "baseline, is one of all pairs"
        )
    sample = sample_of(comparison, measure)
    check_size(len(sample.systems), "systems")
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
    order = _order(sample)
    cells = []
    for row in order:
        for column in order:
            made = found.get((row, column), {})
            if made:
                made["shade"] = _shade(sign * made.pop("size"), largest)
            cells.append(cell(row, column, **made))
    return {"cells": cells}


def pairs_chart(systems: Sequence[str]) -> Any:
    """The matrix of so many systems, whatever its cells show."""
    return matrix_chart(systems, "difference", "p", "corrected")


def _order(sample: Sample) -> list[str]:
    means = {system: sample.mean(system) for system in sample.systems}
    return sorted(means, key=lambda name: means[name], reverse=sample.measure.better != "lower")


def _cell(found: Difference, comparison: Comparison, *, show: str, turned: bool) -> Row:
    """What a cell shows, and its size, from which its shade follows."""
    strong = told_apart(found, comparison)
    sign = -1 if turned else 1
    more = {
        "difference": sign * found.difference,
        "p": found.p.p,
        "corrected": found.corrected,
        "strong": strong,
    }
    if show == "p":
        text = p_of(found, comparison).removeprefix("p").replace("=", "").replace(" ", "")
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
    form = {"relative": "+.1%", "d": "+.2f", "delta": "+.2f"}.get(show, _form(found.measure))
    text = "-" if isnan(size) else format(size, form) if size else "0"
    return {"text": text, "size": size, **more}


def _form(measure: Measure) -> str:
    return "+.4g" if measure.average == "sum" else "+.3f"


def _shade(size: float, largest: float) -> float:
    known = not isnan(size) and largest > 0
    return max(-1.0, min(1.0, size / largest)) if known else 0.0

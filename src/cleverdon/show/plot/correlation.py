"""How alike measures are: do they order systems, or topics, in the same way?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import isnan, nan
from typing import Any

import numpy as np

from cleverdon import correlate
from cleverdon.arrays import Floats, plain
from cleverdon.compare.orderings import agreements
from cleverdon.compare.samples import Sample, samples
from cleverdon.errors import OptionError, check_word
from cleverdon.measures.base import Measure
from cleverdon.scores import Scores
from cleverdon.show.grid import counted
from cleverdon.show.plot.base import Chart, Datasets, Row, finished
from cleverdon.show.plot.matrix import cell, check_size, matrix_chart

COEFFICIENTS = {
    "systems": {
        "kendall": "Kendall's tau-b",
        "tau_ap": "AP correlation",
        "spearman": "Spearman's rho",
    },
    "topics": {
        "kendall": "Kendall's tau-b",
        "spearman": "Spearman's rho",
        "pearson": "Pearson's r",
    },
}
"""What there is of orders of systems, and of the values of topics."""
_RESAMPLES = 500
"""Enough for intervals that only tooltips show."""


def correlation(
    scores: Scores,
    *,
    of: str = "systems",
    coefficient: str = "kendall",
    measures: str | Measure | Iterable[str | Measure] | None = None,
) -> Chart:
    """A cell for each two measures: how alike they order systems, or the topics of a system.

    Of topics it is the mean over systems. Measures of which lower is better are turned round.
    """
    _check(of, coefficient)
    found = samples(scores, measures=_numeric(scores) if measures is None else measures)
    name = COEFFICIENTS[of][coefficient]
    systems = counted(len(found[0].systems), "system")
    topics = counted(len(found[0].topics), "topic")
    rests = {
        "systems": f"{name} of the orders of {systems}, by {topics}.",
        "topics": f"{name} over {topics}, the mean of {systems}.",
    }
    return finished(
        correlation_chart([str(sample.measure) for sample in found], of=of),
        correlation_rows(found, scores, of=of, coefficient=coefficient),
        title=f"How alike measures order {of}",
        subtitle=rests[of],
    )


def correlation_rows(
    found: list[Sample], scores: Scores, *, of: str = "systems", coefficient: str = "kendall"
) -> Datasets:
    """A cell for each measure and other; of orders of systems, with its interval."""
    _check(of, coefficient)
    if len(found) < 2:
        raise OptionError(f"there is one measure only, {found[0].measure}: name another")
    check_size(len(found), "measures")
    names = [str(sample.measure) for sample in found]
    pairs: dict[tuple[str, str], Row] = {}
    if of == "systems":
        wanted = [sample.measure for sample in found]
        systems = found[0].systems
        for one in agreements(scores, measures=wanted, systems=systems, resamples=_RESAMPLES):
            made = getattr(one, coefficient)
            ends = {"low": plain(made.interval.low), "high": plain(made.interval.high)}
            pairs[one.first, one.second] = _cell(made.value) | ends
    else:
        for first, second in combinations(found, 2):
            value = _over_topics(first, second, coefficient)
            pairs[str(first.measure), str(second.measure)] = _cell(value)
    return {
        "cells": [
            cell(a, b, **({} if a == b else pairs.get((a, b)) or pairs[b, a]))
            for a in names
            for b in names
        ]
    }


def correlation_chart(measures: Sequence[str], *, of: str = "systems") -> Any:
    """The matrix of so many measures; coefficients of orders of systems have intervals."""
    ends = ("low", "high") if of == "systems" else ()
    return matrix_chart(measures, "coefficient", *ends)


def _cell(value: float) -> Row:
    if isnan(value):
        return {"text": "-", "coefficient": None, "shade": 0.0}
    return {"text": f"{value:.2f}", "coefficient": value, "shade": value}


def _over_topics(first: Sample, second: Sample, coefficient: str) -> float:
    """The mean over systems of how alike two measures see topics; NaN where none says."""
    rows = zip(first.merits, second.merits, strict=True)
    found = [_alike(a, b, coefficient) for a, b in rows]
    said = [value for value in found if not isnan(value)]
    return float(np.mean(said)) if said else nan


def _alike(a: Floats, b: Floats, coefficient: str) -> float:
    if coefficient == "pearson":
        # Values that are all the same but for rounding correlate with nothing.
        flat = min(float(np.ptp(a)), float(np.ptp(b))) < 1e-12
        return nan if flat else float(np.corrcoef(a, b)[0, 1])
    ours, theirs = dict(enumerate(a.tolist())), dict(enumerate(b.tolist()))
    function = correlate.kendall if coefficient == "kendall" else correlate.spearman
    return function(ours, theirs)


def _check(of: str, coefficient: str) -> None:
    check_word("of", of, COEFFICIENTS)
    check_word("coefficient", coefficient, COEFFICIENTS[of])


def _numeric(scores: Scores) -> list[Measure]:
    return [measure for measure in scores.measures if not measure.text]

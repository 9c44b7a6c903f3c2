"""How each judge leans: higher or lower grades than the others give to the same documents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cleverdon.arrays import Floats, Ints
from cleverdon.judge.agreement.estimating import Estimate
from cleverdon.judge.agreement.units import Units
from cleverdon.judge.labels import Labels


@dataclass(frozen=True)
class Leaning:
    """One judge's grades against the mean of the others', on documents that both have judged."""

    judge: str
    items: int
    mean: float
    others: float
    difference: Estimate
    higher: float  # the share of the documents that the judge graded above the others' mean
    lower: float


def leanings(labels: Labels, units: Units) -> tuple[Leaning, ...]:
    """Every judge's leaning; NaN for one who judged nothing that others judged."""
    known = labels.judged
    grade = np.where(known, labels.grade, 0.0)
    total, count = grade.sum(axis=1), known.sum(axis=1)
    found = []
    for column, judge in enumerate(labels.judges):
        rows = np.flatnonzero(known[:, column] & labels.shared & (units.unit >= 0))
        own = grade[rows, column]
        others = (total[rows] - own) / (count[rows] - 1)
        found.append(_leaning(judge, own, others, units.unit[rows], units))
    return tuple(found)


def _leaning(judge: str, own: Floats, others: Floats, unit: Ints, units: Units) -> Leaning:
    if len(own) == 0:
        nothing = Estimate(np.nan, units.interval(np.array([]), behind=0))
        return Leaning(judge, 0, np.nan, np.nan, nothing, np.nan, np.nan)
    above = own - others
    return Leaning(
        judge,
        len(own),
        float(own.mean()),
        float(others.mean()),
        mean_estimate(above, unit, units),
        float((above > 0).mean()),
        float((above < 0).mean()),
    )


def mean_estimate(values: Floats, unit: Ints, units: Units) -> Estimate:
    """The mean of some items' values, with its interval."""
    sums = np.bincount(unit, weights=values, minlength=units.count)
    sizes = np.bincount(unit, minlength=units.count).astype(float)
    with np.errstate(invalid="ignore"):
        drawn = (units.times @ sums) / (units.times @ sizes)
        value = float(values.mean()) if len(values) else np.nan
    return Estimate(value, units.interval(drawn, behind=units.behind(sizes > 0)))

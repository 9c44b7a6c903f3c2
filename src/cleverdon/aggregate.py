"""From a value for each query to one for the system."""

from __future__ import annotations

import numpy as np

from cleverdon.errors import UndefinedError
from cleverdon.hits import Bools, Floats
from cleverdon.measures.base import Measure


def worst_value(measure: Measure) -> float:
    """What an undefined value counts as: the worst there is, or 0 where nothing is better."""
    return measure.range[1] if measure.better == "lower" else 0.0


def settled(
    measure: Measure, values: Floats, evaluated: Bools, *, undefined: str, queries: list[str]
) -> Floats:
    """The values that enter an average: undefined ones replaced or left out, as was asked for.

    `values` are of one system; those of queries that are not evaluated are left out in any case.
    """
    missing = np.isnan(values) & evaluated
    if undefined == "error" and missing.any():
        first = queries[int(np.flatnonzero(missing)[0])]
        raise UndefinedError(
            f"{measure} is undefined for query {first!r}, {int(missing.sum())} in all "
            f"({measure.undefined}); undefined='worst' or 'skip' passes over that"
        )
    if undefined == "skip":
        return values[evaluated & ~missing]
    return np.where(missing, worst_value(measure), values)[evaluated]


def average(measure: Measure, values: Floats) -> float:
    """The mean, or the sum of a count; NaN where there is nothing to average.

    Added one by one in the order of queries, as trec_eval does, so that the last digit agrees:
    numpy's own sum adds in pairs.
    """
    if len(values) == 0:
        return float("nan")
    total = float(np.add.accumulate(values)[-1])
    return total if measure.average == "sum" else total / len(values)


def geometric_mean(values: Floats, *, floor: float = 1e-5) -> float:
    """The geometric mean, values below the floor raised to it; NaN where there are no values.

    Robertson 2006, doi:10.1145/1183614.1183630.
    """
    if len(values) == 0:
        return float("nan")
    logarithms = np.log(np.maximum(values, floor))
    return float(np.exp(np.add.accumulate(logarithms)[-1] / len(values)))

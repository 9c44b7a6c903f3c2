"""From a value for each query to one for the system."""

from __future__ import annotations

import numpy as np

from cleverdon.arrays import Bools, Floats
from cleverdon.errors import OptionError, UndefinedError, check_word
from cleverdon.measures.base import Measure
from cleverdon.settings import AVERAGES


def worst_value(measure: Measure) -> float:
    """What an undefined value counts as: the worst there is, or 0 where nothing is better."""
    return measure.range[1] if measure.better == "lower" else 0.0


def unknown(measure: Measure, values: Floats, *, undefined: str) -> bool:
    """Whether one system has no average: the measure is undefined for each of these queries.

    With undefined="always-worst" it counts as the worst value even then, since other tools print a
    number; but none of them has the measures that need the size of the collection.
    """
    counted = undefined == "always-worst" and not measure.needs_docs
    return len(values) > 0 and not counted and bool(np.isnan(values).all())


def why_unknown(measure: Measure, *, docs: int | None) -> str:
    """Why a measure is undefined for every query, and what helps."""
    if measure.needs_docs and docs is None:
        return (
            "undefined, since it is not known how many documents the collection has; "
            "docs=N, on the command line --docs N, says so"
        )
    condition = measure.undefined.removeprefix("never; ")
    return "undefined for every query" + (f" ({condition})" if condition else "")


def settled(
    measure: Measure, values: Floats, evaluated: Bools, *, undefined: str, queries: list[str]
) -> Floats:
    """The values that enter an average: undefined ones replaced or left out, as was asked for.

    `values` are of one system; those of queries that are not evaluated are left out in any case.
    Nothing is left where the measure is undefined for every query.
    """
    missing = np.isnan(values) & evaluated
    if undefined == "error" and missing.any():
        first = queries[int(np.flatnonzero(missing)[0])]
        remedy = "undefined='worst' or 'skip' passes over that"
        if measure.needs_docs:
            remedy = "docs=N, on the command line --docs N, gives the size of the collection"
        raise UndefinedError(
            f"{measure} is undefined for query {first!r}, {int(missing.sum())} in all "
            f"({measure.undefined}); {remedy}"
        )
    if undefined == "skip" or unknown(measure, values[evaluated], undefined=undefined):
        return values[evaluated & ~missing]
    return np.where(missing, worst_value(measure), values)[evaluated]


def average(measure: Measure, values: Floats) -> float:
    """The measure's own average: mean, sum or geometric mean; NaN where there is none.

    Added one by one in the order of queries, as trec_eval does, so that the last digit agrees:
    numpy's own sum adds in pairs.
    """
    if len(values) == 0:
        return float("nan")
    if measure.average == "geometric":
        return geometric_mean(values)
    total = float(np.add.accumulate(values)[-1])
    return total if measure.average == "sum" else total / len(values)


def aggregated(
    measure: Measure,
    values: Floats,
    how: str,
    *,
    floor: float = 1e-5,
    quantile: float = 0.5,
    ddof: int = 1,
) -> float:
    """One value of many, in one of the ways that `AVERAGES` lists; micro-averages need parts."""
    check_word("how", how, [word for word in AVERAGES if word != "micro"])
    if how == "mean":
        return average(measure, values)
    if how == "geometric":
        if measure.range[0] < 0:
            raise OptionError(f"{measure} can be below 0, where there is no geometric mean")
        return geometric_mean(values, floor=floor)
    if not 0 <= quantile <= 1:
        raise OptionError(f"quantile={quantile}: a quantile lies between 0 and 1")
    if len(values) == 0 or (how == "std" and len(values) <= ddof):
        return float("nan")
    if how == "std":
        # Where one value is infinite, as an undefined one may count, there is no deviation.
        return float(np.std(values, ddof=ddof)) if np.isfinite(values).all() else float("nan")
    if how == "quantile":
        return _quantile(values, quantile)
    if how == "median":
        return float(np.median(values))
    return float(values.min() if how == "min" else values.max())


def _quantile(values: Floats, share: float) -> float:
    """The value below which a share of all lies; between two values, in proportion."""
    below = float(np.quantile(values, share, method="lower"))
    above = float(np.quantile(values, share, method="higher"))
    # numpy takes the difference of the two, which is no number where both are infinite.
    return above if below == above or np.isinf(above) else float(np.quantile(values, share))


def geometric_mean(values: Floats, *, floor: float = 1e-5) -> float:
    """The geometric mean, values below the floor raised to it; NaN where there are no values.

    Robertson 2006, doi:10.1145/1183614.1183630.
    """
    if floor <= 0:
        raise OptionError(f"floor={floor}: the floor is above 0, which has no logarithm")
    if len(values) == 0:
        return float("nan")
    logarithms = np.log(np.maximum(values, floor))
    return float(np.exp(np.add.accumulate(logarithms)[-1] / len(values)))

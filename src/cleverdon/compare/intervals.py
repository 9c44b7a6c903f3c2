"""Confidence intervals of means and of mean differences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cleverdon.hits import Floats


@dataclass(frozen=True)
class Interval:
    """Where the truth lies, with the stated confidence."""

    low: float
    high: float
    confidence: float = 0.95
    method: str = "t"


def interval(values: Floats, *, confidence: float = 0.95) -> Interval:
    """Student's interval of the mean; NaN where there is one value only."""
    from scipy.stats import t  # type: ignore[import-untyped, unused-ignore]

    n = len(values)
    if n < 2:
        return Interval(np.nan, np.nan, confidence)
    mean, error = float(np.mean(values)), float(np.std(values, ddof=1) / np.sqrt(n))
    reach = float(t.ppf((1 + confidence) / 2, n - 1)) * error
    return Interval(mean - reach, mean + reach, confidence)

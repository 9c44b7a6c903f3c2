"""Confidence intervals of averages, and of differences of averages.

Student's interval is of means and takes them to be normal. The bootstrap draws topics with
replacement, over and over, and looks at how the average varies: of any average, with no shape
assumed. The percentile interval takes the shares of what was drawn as they are; BCa, the default,
corrects them for bias and for a spread that grows with the average. Efron 1987,
doi:10.1080/01621459.1987.10478410; for retrieval, Sakai 2006, doi:10.1145/1148170.1148261.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import nan, sqrt

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.compare.resampling import RESAMPLES, STATISTICS, OfMeans, Statistic, bootstrap
from cleverdon.compare.samples import samples
from cleverdon.compare.sizes import deviation
from cleverdon.errors import MissingExtra, OptionError, check_word
from cleverdon.measures.base import Measure
from cleverdon.scores import Scores

METHODS = {
    "bca": "bootstrap, corrected for bias and acceleration",
    "percentile": "bootstrap, the shares as they are",
    "t": "Student's, of means",
}
"""How an interval can be made; the first is the default, and needs no other library."""


@dataclass(frozen=True)
class Interval:
    """Where the truth lies, with the stated confidence."""

    low: float
    high: float
    confidence: float = 0.95
    method: str = "bca"


def interval(
    values: Floats,
    *,
    method: str = "bca",
    confidence: float = 0.95,
    statistic: str | Statistic = "mean",
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval:
    """The interval of an average of values, a topic each; the same on every call.

    `statistic` is one of `STATISTICS`, or a function that makes one number of the values along the
    last axis. The ends are NaN where there is only one value, and the same where all are equal.

    >>> values = np.array([0.1, 0.2, 0.2, 0.3, 0.9, 0.4, 0.2, 0.6])
    >>> found = interval(values)
    >>> round(found.low, 2), round(found.high, 2)
    (0.23, 0.6)
    """
    return intervals(
        np.asarray(values, dtype=float)[None],
        method=method,
        confidence=confidence,
        statistic=statistic,
        resamples=resamples,
        seed=seed,
    )[0]


def intervals(
    values: Floats,
    *,
    method: str = "bca",
    confidence: float = 0.95,
    statistic: str | Statistic = "mean",
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[Interval]:
    """The intervals of many averages at once, all of them from the same resamples.

    `values` are averages x topics; or 2 x averages x topics for differences between two systems'
    averages, which then are those of the same topics, drawn together. A mean difference is also
    the mean of the differences, and can be given as such.
    """
    check_word("method", method, METHODS)
    if isinstance(statistic, str):
        check_word("statistic", statistic, STATISTICS)
    if not 0 < confidence < 1:
        raise OptionError(f"confidence={confidence}: it lies between 0 and 1")
    if resamples < 1:
        raise OptionError(f"resamples={resamples}: there is at least one")
    if not np.isfinite(values).all():
        raise OptionError("a value is NaN or infinite, and an average of it has no interval")
    sides = values[None] if values.ndim == 2 else values
    if sides.shape[-1] < 2 or sides.shape[1] == 0:
        return [Interval(nan, nan, confidence, method)] * sides.shape[1]
    if method == "t":
        ends = _student(sides, confidence, statistic)
    else:
        ends = bootstrap(
            sides,
            corrected=method == "bca",
            confidence=confidence,
            statistic=STATISTICS[statistic] if isinstance(statistic, str) else statistic,
            resamples=resamples,
            seed=seed,
        )
    return [Interval(float(low), float(high), confidence, method) for low, high in ends]


def average_intervals(
    scores: Scores,
    *,
    average: str = "mean",
    measures: str | Measure | Iterable[str | Measure] | None = None,
    systems: Iterable[str] | None = None,
    method: str = "bca",
    confidence: float = 0.95,
    seed: int = 0,
) -> dict[tuple[str, Measure], Interval]:
    """Every system's interval by every measure, of the topics that all systems have.

    `average` is the mean (each measure's own average: of counts the sum, of GMAP the geometric
    mean), geometric or median.
    """
    check_word("average", average, ("mean", "geometric", "median"))
    found: dict[tuple[str, Measure], Interval] = {}
    for sample in samples(scores, measures=measures, systems=systems):
        of = intervals(
            sample.values,
            method=method,
            confidence=confidence,
            statistic=sample.measure.average if average == "mean" else average,
            seed=seed,
        )
        found |= {(name, sample.measure): one for name, one in zip(sample.systems, of, strict=True)}
    return found


def difference_intervals(
    pairs: Sequence[tuple[Floats, Floats]],
    averages: Sequence[str],
    *,
    method: str = "bca",
    confidence: float = 0.95,
    seed: int = 0,
) -> list[Interval]:
    """The intervals of differences between two systems' averages, each with its own average."""
    found: dict[int, Interval] = {}
    for average in dict.fromkeys(averages):
        rows = [i for i, name in enumerate(averages) if name == average]
        values = np.array([[pairs[i][side] for i in rows] for side in (0, 1)])
        if average in ("mean", "sum"):  # half the work, and the same
            values = values[0] - values[1]
        of = intervals(values, method=method, confidence=confidence, statistic=average, seed=seed)
        found |= dict(zip(rows, of, strict=True))
    return [found[i] for i in range(len(pairs))]


def _student(sides: Floats, confidence: float, statistic: str | Statistic) -> Floats:
    """Averages x 2: Student's intervals, of means and of what is a function of one mean."""
    function = STATISTICS.get(statistic) if isinstance(statistic, str) else statistic
    if not isinstance(function, OfMeans) or (statistic == "geometric" and len(sides) == 2):
        raise OptionError(
            "method='t' is for means; 'bca' and 'percentile' are for medians, differences of "
            "geometric means and all else"
        )
    try:
        from scipy.stats import t  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        raise MissingExtra("method='t'", package="scipy", extra="stats") from None

    n = sides.shape[-1]
    before = function.before(sides)
    rows = before[0] - before[1] if len(sides) == 2 else before[0]
    means = rows.mean(axis=1)
    errors = np.array([deviation(row) for row in rows]) / sqrt(n)
    reach = float(t.ppf((1 + confidence) / 2, n - 1)) * errors
    return np.stack([function.after(end, n) for end in (means - reach, means + reach)], axis=1)

"""Counts, shares, medians and correlations: coverage of what else has an interval.

The units are documents, sessions of users, or queries. A/B tests are in `abtests`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from benchmarks.progress import say
from benchmarks.statistics.populations import DRAWS, SIZES, MadeUp, covers
from benchmarks.statistics.tables import LEVEL, Column, Row, Share, Table, covered
from cleverdon._common.arrays import Bools
from cleverdon.stats.capture_recapture import chao, chapman
from cleverdon.stats.correlation import ResampledValues
from cleverdon.stats.intervals import (
    median_interval,
    normal_quantile,
    percentile_intervals,
    quantile_ranks,
)
from cleverdon.stats.proportions import (
    RatioTotals,
    bootstrap_ratio_interval,
    gamma_interval,
    hypergeometric_interval,
    jackknife_ratio_interval,
    population_size_interval,
    ratio_interval,
    wilson,
)

_Ends = tuple[float, float]
_Draw = Callable[[int, np.random.Generator], tuple[_Ends, float]]
"""Draws a sample of n units; returns the ends of the interval, and the truth."""


def _share(true: float) -> _Draw:
    def draw(n: int, random: np.random.Generator) -> tuple[_Ends, float]:
        found = random.binomial(n, true) / n
        return wilson(found, n, z=normal_quantile(1 - LEVEL)), true

    return draw


def _documents(relevant: int) -> _Draw:
    def draw(n: int, random: np.random.Generator) -> tuple[_Ends, float]:
        seen = int(random.hypergeometric(relevant, 1000 - relevant, n))
        return hypergeometric_interval(1000, n, seen), relevant

    return draw


def _strata(n: int, random: np.random.Generator) -> tuple[_Ends, float]:
    """Draw half of the documents from the top of the pool, and the others from its rest."""
    sizes, relevant = np.array([200, 800, 4000]), np.array([80, 60, 40])
    drawn = np.maximum(np.round(n * np.array([0.5, 0.3, 0.2])).astype(int), 1)
    seen = random.hypergeometric(relevant, sizes - relevant, drawn)
    low, high = gamma_interval(
        seen[None].astype(float), drawn.astype(float), drawn / sizes, np.full(3, True),
        confidence=1 - LEVEL,
    )  # fmt: skip
    return (float(low[0]), float(high[0])), float(relevant.sum())


def _median(n: int, random: np.random.Generator) -> tuple[_Ends, float]:
    low, high = median_interval(np.sort(random.lognormal(0, 1, size=n)).tolist())
    return (np.nan if low is None else low, np.nan if high is None else high), 1.0


def _percentile(share: float) -> _Draw:
    truth = float(np.exp(_NORMAL[share]))

    def draw(n: int, random: np.random.Generator) -> tuple[_Ends, float]:
        values = np.sort(random.lognormal(0, 1, size=n))
        low, high = quantile_ranks(share, n, 1.0, degrees=None, confidence=1 - LEVEL)
        if low is None and high is None:
            return (np.nan, np.nan), truth
        ends = (
            0.0 if low is None else float(values[low - 1]),
            np.inf if high is None else float(values[high - 1]),
        )
        return ends, truth

    return draw


_NORMAL = {0.9: 1.2815515655446004, 0.99: 2.3263478740408408}


def _clicks(how: str) -> _Draw:
    """Users with few or many searches, and a taste for clicking of their own."""

    def draw(n: int, random: np.random.Generator) -> tuple[_Ends, float]:
        searches = random.geometric(0.2, size=n).astype(float)
        clicks = random.binomial(searches.astype(int), random.beta(2, 3, size=n)).astype(float)
        if how == "t by jackknife over users":
            found = jackknife_ratio_interval(clicks, searches, confidence=1 - LEVEL)
            return (found.low, found.high), 0.4
        if how == "bootstrap over users":
            found = bootstrap_ratio_interval(
                clicks, searches, confidence=1 - LEVEL, resamples=1000,
                seed=int(random.integers(2**31)),
            )  # fmt: skip
            return (found.low, found.high), 0.4
        totals = RatioTotals(
            n, clicks.sum(), searches.sum(), clicks @ clicks, searches @ searches, clicks @ searches
        )
        _, low, high = ratio_interval(totals, confidence=1 - LEVEL, share=True)
        return (np.nan if low is None else low, np.nan if high is None else high), 0.4

    return draw


def _correlation(source: MadeUp, name: str) -> _Draw:
    """Correlate two measures over queries, as `logs bridge` correlates a measure and clicks."""
    pair = source.values[2, [0, 3]]
    some = np.random.default_rng(0).choice(pair.shape[1], 4000, replace=False)
    method = getattr(ResampledValues, name)
    whole = [ResampledValues(row[some]) for row in pair]
    truth = float(method(*whole, np.ones((1, len(some))))[0])

    def draw(n: int, random: np.random.Generator) -> tuple[_Ends, float]:
        at = some[random.integers(0, len(some), size=n)]
        x, y = (ResampledValues(row[at]) for row in pair)
        found = percentile_intervals(
            lambda counts: method(x, y, counts)[None],
            n,
            resamples=DRAWS // 2,
            seed=int(random.integers(2**31)),
        )[0]
        return (found.low, found.high), truth

    return draw


def interval_rows(source: MadeUp) -> dict[tuple[str, str], tuple[_Draw, Sequence[int]]]:
    """Return how to draw each interval, by its name and what it is of, and its sizes."""
    shares = {
        ("Wilson", f"a share of {true:g}, n judged"): (_share(true), SIZES[1:])
        for true in (0.02, 0.1, 0.5)
    }
    documents = {
        ("hypergeometric", f"{count} relevant of 1,000 documents, n judged"): (
            _documents(count),
            SIZES[1:],
        )
        for count in (10, 300)
    }
    return {
        **shares,
        **documents,
        ("gamma", "180 relevant of 5,000 documents in 3 strata, n judged"): (_strata, SIZES[2:]),
        ("order statistics", "the median of n builds"): (_median, SIZES[1:]),
        ("order statistics", "the 90th percentile of n requests"): (_percentile(0.9), SIZES[2:]),
        ("order statistics", "the 99th percentile of n requests"): (_percentile(0.99), SIZES[4:]),
        **{
            (how, "clicks per search, n users"): (_clicks(how), SIZES[1:])
            for how in ("t over users", "t by jackknife over users", "bootstrap over users")
        },
        **{
            (f"percentile, {name}", "two measures over n queries"): (
                _correlation(source, name),
                SIZES[1:],
            )
            for name in ("kendall", "spearman", "pearson")
        },
    }


_BY_RATIOS = 6  # rows: the last ones


def other_tables(
    source: MadeUp, *, repetitions: int, seed: int, sizes: Sequence[int] = SIZES
) -> Iterator[Table]:
    """Measure how often the other intervals hold the truth.

    Each but the bootstrap is what some part of the program does by default.
    """
    rows = []
    for names, (draw, of) in interval_rows(source).items():
        shares: dict[Column, Share] = {}
        for n in of:
            if n not in sizes:
                continue
            random = np.random.default_rng([seed, n])
            found = [draw(n, random) for _ in range(repetitions)]
            known = [covers(*ends, truth) for ends, truth in found if not np.isnan(ends[0])]
            shares[n] = covered(sum(known), len(known))
        rows.append(Row(names, shares, default="bootstrap" not in names[0]))
        say(f"others: {', '.join(names)}")
    yield Table(
        "Coverage of other intervals",
        ("interval", "of"),
        tuple(rows[:-_BY_RATIOS]),
        summary="intervals of counts, shares, medians and percentiles",
    )
    yield Table(
        "Coverage of intervals of ratios over users, and of correlations over queries",
        ("interval", "of"),
        tuple(rows[-_BY_RATIOS:]),
        summary="intervals of ratios over users, and of correlations",
    )


# The number of relevant documents, by capture and recapture


def capture_tables(*, repetitions: int, seed: int) -> Iterator[Table]:
    """Measure how often intervals of the number of relevant documents hold the true one."""
    kinds: dict[str, dict[int, Share]] = {}
    random = np.random.default_rng(seed)
    for total in (5, 10, 20, 50, 200):
        for kind, chances in (
            ("equally easy to find", np.full(total, 0.6)),
            ("easy and hard ones", np.linspace(0.95, 0.15, total)),
        ):
            caught: Bools = random.random((repetitions, 4, total)) < chances
            hits = dict.fromkeys(_CAPTURE, 0)
            for one in caught:
                for name, (low, high) in _capture_ends(one).items():
                    hits[name] += covers(low, high, total)
            for name, count in hits.items():
                bound = "Chao" in name
                known = None if bound or kind != "equally easy to find" else 1 - LEVEL
                label = f"{name} / {kind}"
                kinds.setdefault(label, {})[total] = Share(
                    count, repetitions, known, low_is_bad=True
                )
    rows = [
        Row(tuple(label.split(" / ")), shares, default="whole numbers" in label)
        for label, shares in kinds.items()
    ]
    yield Table(
        "How often the interval of the number n of relevant documents holds it",
        ("interval", "documents"),
        tuple(rows),
        summary="number of relevant documents, by two systems",
    )


_CAPTURE = (
    "two systems, exact",
    "two systems, log-normal, as computed",
    "two systems, log-normal, whole numbers",
    "Chao's range, four systems, as computed",
    "Chao's range, four systems, whole numbers",
    "Chao's estimate is not above n, four systems",
)


def _capture_ends(caught: Bools) -> dict[str, tuple[float, float]]:
    first, second = (int(row.sum()) for row in caught[:2])
    both = int((caught[0] & caught[1]).sum())
    pair = chapman(first, second, both)
    times = caught.sum(axis=0)
    several = chao(
        int((times > 0).sum()),
        int((times == 1).sum()),
        int((times == 2).sum()),
        captures=int(times.sum()),
        lists=len(caught),
    )
    ends = (
        population_size_interval(first, second, both, confidence=1 - LEVEL),
        pair.interval(1 - LEVEL, whole=False),
        pair.interval(1 - LEVEL),
        several.interval(1 - LEVEL, whole=False),
        several.interval(1 - LEVEL),
        (several.found + several.missing, float("inf")),
    )
    return dict(zip(_CAPTURE, ends, strict=True))

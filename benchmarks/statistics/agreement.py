"""Agreement between judges: coverage of its intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import comb
from statistics import NormalDist

import numpy as np

from benchmarks.progress import say
from benchmarks.statistics.populations import SIZES, covers
from benchmarks.statistics.tables import LEVEL, Row, Table, covered
from cleverdon._common.arrays import Floats, Ints
from cleverdon.agreement.coefficients import Counts, find_coefficient
from cleverdon.stats.intervals import jackknife_interval
from cleverdon.stats.resampling import draw_multinomial


def judged_tables(queries: int, *, judges: int, grades: int, seed: int) -> Floats:
    """Return made-up judges' grades: queries x pairs of judges x grades x grades.

    Queries differ in how many documents are relevant, how hard they are to judge, and how strict
    each judge is on them; so documents of one query depend on each other.
    """
    random = np.random.default_rng(seed)
    documents = random.integers(6, 35, size=queries)
    there = np.arange(documents.max()) < documents[:, None]
    shares = np.clip(random.beta(0.8, 2.0, size=queries), 0.005, 0.995)
    cut = np.array([NormalDist().inv_cdf(1 - share) for share in shares])
    noise = 0.6 * np.abs(random.normal(1.0, 0.35, size=queries))
    true = random.normal(size=there.shape)
    levels = []
    for judge in range(judges):
        lean = 0.25 * (judge - (judges - 1) / 2) + random.normal(0, 0.3, size=queries)
        seen = true + noise[:, None] * random.normal(size=there.shape) + lean[:, None]
        steps = cut + 0.7 * np.arange(grades - 1)[:, None]
        levels.append((seen > steps[:, :, None]).sum(axis=0))
    query = np.broadcast_to(np.arange(queries)[:, None], there.shape)
    tables = []
    for first in range(judges):
        for second in range(first + 1, judges):
            cells: Ints = (query * grades + levels[first]) * grades + levels[second]
            counts = np.bincount(cells[there], minlength=queries * grades**2)
            tables.append(counts.reshape(queries, grades, grades).astype(float))
    return np.stack(tables, axis=1)


_AGREEMENT = (
    ("kappa", 2, 2),
    ("kappa", 3, 4),
    ("kappa-quadratic", 2, 4),
    ("alpha-nominal", 2, 2),
    ("alpha-nominal", 3, 2),
    ("alpha-ordinal", 3, 4),
    ("AC1", 2, 2),
    ("agreement", 3, 4),
)
_BY_PERCENTILES = ("kappa", "alpha-ordinal", "AC1")  # the option is measured on these
AGREEMENT_METHODS = ("t", "percentile")


def agreement_tables(
    *,
    repetitions: int,
    seed: int,
    sizes: Sequence[int] = SIZES,
    methods: Sequence[str] = AGREEMENT_METHODS,
    queries: int = 20_000,
) -> Iterator[Table]:
    """Measure how often intervals of agreement hold the true coefficient.

    Intervals other than the default are measured on a quarter of the samples.
    """
    rows = []
    for method in methods:
        for name, judges, grades in _AGREEMENT:
            if method != "t" and name not in _BY_PERCENTILES:
                continue
            tables = judged_tables(queries, judges=judges, grades=grades, seed=seed)
            of = _coefficient(name, judges, grades)
            truth = float(of(tables.sum(axis=0)[None])[0])
            shares = {}
            for n in sizes:
                random = np.random.default_rng([seed, n])
                hits = known = 0
                for _ in range(repetitions if method == "t" else max(1, repetitions // 4)):
                    one = tables[random.integers(0, queries, size=n)]
                    low, high = _agreement_ends(one, of, method, random)
                    known += not np.isnan(low)
                    hits += covers(low, high, truth)
                shares[n] = covered(hits, known)
            label = f"{name}, {judges} judges, {grades} grades"
            rows.append(Row((method, label), shares, default=method == "t"))
            say(f"agreement: {method}, {label}")
    yield Table(
        "Coverage of intervals of agreement between judges, over n queries",
        ("interval", "coefficient"),
        tuple(rows),
        summary="interval of agreement between judges",
    )


def _coefficient(name: str, judges: int, grades: int) -> Callable[[Floats], Floats]:
    """Return a function from tables (samples x pairs x grades x grades) to the coefficient."""
    coefficient, scale = find_coefficient(name)(), np.arange(float(grades))

    def value(tables: Floats) -> Floats:
        if coefficient.two_only:  # the mean over pairs of judges
            return np.asarray(coefficient.of(Counts.of_two(scale, tables)).mean(axis=-1))
        whole = tables.sum(axis=1)
        both = whole + np.swapaxes(whole, -1, -2)
        by_item = both / (2 * comb(judges, 2))
        return np.asarray(coefficient.of(Counts(scale, by_item, both / (judges - 1))))

    return value


def _agreement_ends(
    tables: Floats, of: Callable[[Floats], Floats], method: str, random: np.random.Generator
) -> tuple[float, float]:
    whole = tables.sum(axis=0)
    value = float(of(whole[None])[0])
    left = of(whole - tables)
    n = len(tables)
    if method == "t":
        found = jackknife_interval(value, left, confidence=1 - LEVEL, within=(-1.0, 1.0))
        return found.low, found.high
    times = draw_multinomial(n)(random, 500)
    drawn = of((times @ tables.reshape(n, -1)).reshape(500, *tables.shape[1:]))
    low, high = np.quantile(drawn, [LEVEL / 2, 1 - LEVEL / 2])
    return float(low), float(high)

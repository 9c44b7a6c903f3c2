"""One difference, ratio or mean: the level of tests, and the coverage of intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from benchmarks.progress import say
from benchmarks.statistics.populations import (
    DRAWS,
    MEASURES,
    SIZES,
    MadeUp,
    Source,
    covers,
    drawn_options,
    scores_of,
)
from benchmarks.statistics.tables import LEVEL, Row, Share, Table, alarms, covered
from cleverdon._common.arrays import Floats
from cleverdon.comparison import average_intervals, compare
from cleverdon.stats.intervals import METHODS, intervals, ratio_interval
from cleverdon.stats.tests import TESTS, p_values

AS_PRINTED = "as `compare` prints it"
_VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    **{test: (test, {}) for test in TESTS},
    "wilcoxon, pratt": ("wilcoxon", {"zeros": "pratt"}),
    "wilcoxon, zsplit": ("wilcoxon", {"zeros": "zsplit"}),
    "bootstrap, not studentised": ("bootstrap", {"studentised": False}),
}
"""The tests with those of their options that change what they promise."""


def level_tables(
    source: Source,
    *,
    repetitions: int,
    seed: int,
    sizes: Sequence[int] = SIZES,
    tests: Sequence[str] = tuple(_VARIANTS),
) -> Iterator[Table]:
    """Measure how often each test finds a difference where there is none."""
    for null in source.nulls:
        rows = []
        for name in tests:
            if name not in TESTS and null == "skewed":  # there the tests themselves fail
                continue
            for m, measure in enumerate(source.measures):
                if name not in TESTS and m not in (0, 3):  # a variant, by AP and P@10
                    continue
                shares = {}
                for n in sizes:
                    drawn = source.null(null, m, (repetitions, n), (seed, m, n))
                    shares[n] = alarms(_count_found(name, drawn, seed), repetitions)
                rows.append(Row((name, measure), shares, default=name == "randomisation"))
            say(f"tests, {null} null: {name}")
        yield Table(
            f"False alarms of each test at the level 0.05, {null} null",
            ("test", "measure"),
            tuple(rows),
            summary=f"`randomisation` test, {null} null",
        )


def _count_found(name: str, drawn: Floats, seed: int) -> int:
    test, options = _VARIANTS[name]
    found = p_values(test, drawn, seed=seed, **drawn_options(test), **options)
    return sum(p.p <= LEVEL for p in found)


def interval_tables(
    source: Source,
    *,
    repetitions: int,
    seed: int,
    sizes: Sequence[int] = SIZES,
    methods: Sequence[str] = (AS_PRINTED, *METHODS),
) -> Iterator[Table]:
    """Measure how often each interval of one difference holds the true one.

    The interval that `compare` prints is measured on half of the samples.
    """
    for kind in source.kinds:
        rows, without = [], []
        for method in methods:
            for m, measure in enumerate(source.measures):
                shares, missing = {}, {}
                for n in sizes:
                    shape = (repetitions, n)
                    ours, theirs, truth = source.pairs(kind, m, shape, (seed, m, n))
                    if method == AS_PRINTED:
                        ends = [
                            compare(
                                scores_of(np.stack([b, a])[:, None], [measure]),
                                options={"draws": DRAWS},
                                seed=i,
                            )
                            .differences[0]
                            .interval
                            for i, (a, b) in enumerate(zip(ours[::2], theirs[::2], strict=True))
                        ]
                        truth = truth[::2]
                    else:
                        ends = intervals(ours - theirs, method=method, resamples=DRAWS, seed=seed)
                    known = [
                        covers(end.low, end.high, true)
                        for end, true in zip(ends, truth, strict=True)
                        if not np.isnan(end.low)
                    ]
                    shares[n] = covered(sum(known), len(known))
                    missing[n] = Share(len(ends) - len(known), len(ends))
                default = method in (AS_PRINTED, "t")
                rows.append(Row((method, measure), shares, default=default))
                if method in (AS_PRINTED, "studentised"):
                    without.append(Row((method, measure), missing))
            say(f"intervals, {kind}: {method}")
        yield Table(
            f"Coverage of each interval of one difference, {kind} differences",
            ("interval", "measure"),
            tuple(rows),
            summary=f"interval of a difference, {kind} differences",
            note=_missing_note(kind, without),
        )


def _missing_note(kind: str, without: Sequence[Row]) -> str:
    """Say how many samples of a kind have no interval, because nothing or too little varies."""
    told = []
    for method in dict.fromkeys(row.names[0] for row in without):
        found = {
            (n, row.names[1]): share.value
            for row in without
            if row.names[0] == method
            for n, share in row.shares.items()
        }
        n, measure = max(found, key=lambda one: found[one])
        if found[n, measure]:
            told.append(f"{method} for up to {found[n, measure]:.3f} ({measure}, n={n})")
    return f"Samples without an interval, {kind}: {', '.join(told)}." if told else ""


def mean_tables(
    source: MadeUp, *, repetitions: int, seed: int, sizes: Sequence[int] = SIZES
) -> Iterator[Table]:
    """Measure how often the interval of one system's mean holds the true one.

    The samples are the systems of one call of `average_intervals`: each has values of its own.
    Intervals other than the default are measured on a quarter of the samples.
    """
    rows = []
    for method in ("t", "bca", "percentile"):
        for m, measure in enumerate(source.measures):
            values = source.values[2, m]
            truth = float(values.mean())
            shares = {}
            for n in sizes:
                random = np.random.default_rng([seed, m, n])
                many = repetitions if method == "t" else max(1, repetitions // 4)
                drawn = values[random.integers(0, len(values), size=(many, n))]
                found = average_intervals(
                    scores_of(drawn[:, None], [measure]), method=None if method == "t" else method
                )
                known = [end for end in found.values() if not np.isnan(end.low)]
                hits = sum(covers(end.low, end.high, truth) for end in known)
                shares[n] = covered(hits, len(known))
            rows.append(Row((method, measure), shares, default=method == "t"))
            say(f"means: {method}, {measure}")
    yield Table(
        "Coverage of intervals of one system's mean",
        ("interval", "measure"),
        tuple(rows),
        summary="interval of a system's mean",
    )


def ratio_tables(
    source: MadeUp, *, repetitions: int, seed: int, sizes: Sequence[int] = SIZES
) -> Iterator[Table]:
    """Measure how often Fieller's interval holds the true ratio of two means."""
    rows, without = [], []
    for m, measure in enumerate(MEASURES):
        for name, factor in (("", 1.0), (", baseline near zero", 0.0)):
            shares, missing = {}, {}
            ours, theirs = source.values[3, m], source.values[0, m]
            if not factor:  # nothing is found but on one query of five
                found = np.random.default_rng(seed).random(len(theirs)) < 0.2
                theirs = theirs * found
            truth = float(ours.mean() / theirs.mean())
            for n in sizes:
                random = np.random.default_rng([seed, m, n])
                at = random.integers(0, len(ours), size=(repetitions, n))
                ends = [ratio_interval(ours[one], theirs[one]) for one in at]
                known = [end for end in ends if not np.isnan(end.low)]
                hits = sum(covers(end.low, end.high, truth) for end in known)
                if len(known) >= 0.05 * len(ends):  # fewer say nothing
                    shares[n] = covered(hits, len(known))
                missing[n] = Share(len(ends) - len(known), len(ends))
            rows.append(Row((f"Fieller{name}", measure), shares, default=True))
            without.append(Row((f"Fieller{name}", measure), missing))
        say(f"ratios: {measure}")
    most = {n: max(row.shares[n].value for row in without) for n in sizes}
    yield Table(
        "Coverage of Fieller's interval of a ratio",
        ("interval", "measure"),
        tuple(rows),
        summary="Fieller's interval of a ratio",
        note="Samples without an interval, the largest share of any row: "
        + ", ".join(f"{share:.3f} (n={n})" for n, share in most.items() if share)
        + ".",
    )

"""Systems of several runs: two methods that are equal, with runs that differ by chance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.progress import say
from benchmarks.statistics.populations import DRAWS, MadeUp, scores_of
from benchmarks.statistics.tables import Column, Row, Share, Table, alarms, covered
from cleverdon._common.arrays import Floats
from cleverdon.comparison import Difference, compare

SIZES = (10, 25, 50, 100, 200)
_SPREADS = {"small": 0.006, "large": 0.018}
"""The standard deviation of a run's mean over all queries, by chance."""
_METHODS, _RUNS = 0.5, 0.3
"""Differences between methods, and between runs of one method, on a query: as shares of those
between two made-up systems."""


@dataclass(frozen=True)
class Design:
    """How many runs the two methods have, and how they are compared."""

    name: str
    runs: tuple[int, int]
    best: bool = False  # the best run of each takes the place of all
    promised: bool = True
    default: bool = False


DESIGNS = (
    Design("one run each", (1, 1), promised=False),
    Design("best of 5 runs against one run", (5, 1), best=True, promised=False),
    Design("`repeats` of 5 runs against one run (doubt `few-repeats`)", (5, 1), promised=False),
    Design("`repeats` of 2 and 2 runs (doubt `few-repeats`)", (2, 2), default=True),
    Design("`repeats` of 3 and 3 runs", (3, 3), default=True),
    Design("`repeats` of 3 and 10 runs", (3, 10), default=True),
    Design("`repeats` of 5 and 5 runs", (5, 5), default=True),
    Design("`repeats` of 10 and 10 runs", (10, 10), default=True),
)


def draw_methods(
    source: MadeUp, design: Design, spread: float, n: int, random: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return the runs of two methods that are equal over all queries and runs: runs x n."""
    row = source.differences("symmetric")[0]

    def noise(*shape: int) -> Floats:
        found = row[random.integers(0, len(row), size=shape)]
        return np.asarray(found * random.choice([-1.0, 1.0], size=shape))

    sides = []
    for count, method in zip(design.runs, (_METHODS * noise(n), np.zeros(n)), strict=True):
        lucky = random.normal(0, spread, size=(count, 1))
        runs = 0.5 + method + _RUNS * noise(count, n) + lucky
        if design.best:
            runs = runs[[runs.mean(axis=1).argmax()]]
        sides.append(np.asarray(runs))
    return sides[0], sides[1]


def compare_runs(ours: Floats, theirs: Floats, *, seed: int) -> Difference:
    """Compare two systems of one or several runs, as `repeats` in `evaluate` gives them."""
    means = np.stack([theirs.mean(axis=0), ours.mean(axis=0)])[:, None]
    scores = scores_of(means, ["AP"])
    if max(len(ours), len(theirs)) > 1:
        several = {"s0": theirs[:, None], "s1": ours[:, None]}
        scores = replace(scores, repeats={k: v for k, v in several.items() if len(v) > 1})
        return compare(scores, seed=seed).differences[0]
    return compare(scores, seed=seed, options={"draws": DRAWS}).differences[0]


def repeat_tables(
    source: MadeUp,
    *,
    repetitions: int,
    seed: int,
    sizes: Sequence[int] = SIZES,
    designs: Sequence[Design] = DESIGNS,
) -> Iterator[Table]:
    """Measure how often equal methods are shown to differ, by designs, and coverage."""
    levels, coverage = [], []
    true = 0.02
    for label, spread in _SPREADS.items():
        for design in designs:
            found: dict[Column, Share] = {}
            held: dict[Column, Share] = {}
            for n in sizes:
                random = np.random.default_rng([seed, n, *design.runs])
                false = hits = 0
                for i in range(repetitions):
                    ours, theirs = draw_methods(source, design, spread, n, random)
                    one = compare_runs(ours, theirs, seed=i)
                    false += one.corrected <= 0.05
                    if design.default:
                        moved = compare_runs(ours + true, theirs, seed=i).interval
                        hits += moved.low <= true <= moved.high
                found[n] = alarms(false, repetitions)
                held[n] = covered(hits, repetitions)
            levels.append(Row((design.name, label), found, default=design.default))
            if design.default:
                coverage.append(Row((design.name, label), held, default=True))
            say(f"repeats: {label}, {design.name}")
    header = ("runs", "chance between runs")
    yield Table(
        "False alarms between two methods that are equally good",
        header,
        tuple(levels),
        summary="`repeats`, t over queries and runs",
    )
    yield Table(
        "Coverage of the interval where the true difference is 0.02",
        header,
        tuple(coverage),
        summary="interval of a difference of `repeats`",
    )

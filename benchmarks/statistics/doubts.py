"""The doubt `skewed`: how often a shown difference is wrong, with and without the doubted ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import exp

import numpy as np

from benchmarks.progress import say
from benchmarks.statistics.populations import DRAWS, MadeUp, balanced, draw_by, scores_of
from benchmarks.statistics.tables import Column, Row, Share, Table, alarms
from cleverdon._common.arrays import Floats
from cleverdon.comparison import compare, find_doubts

SIZES = (10, 25, 50, 100, 200)
_Draw = Callable[[int, np.random.Generator], Floats]


def _log_normal(sigma: float) -> _Draw:
    return lambda n, random: 0.05 * (random.lognormal(0, sigma, size=n) - exp(sigma**2 / 2))


_BY_T = ("lognormal, sigma 1.5", "one query in ten loses 0.9, others gain 0.1")
"""The differences that are tested by t as well, which is no default."""


def skewed_nulls(source: MadeUp) -> dict[str, _Draw]:
    """Return draws of skewed differences with a true mean of 0."""
    row = source.differences("skewed")[0]
    chances = balanced(row)
    return {
        "lognormal, sigma 1.5": _log_normal(1.5),
        "AP, a gain on one query in ten": lambda n, random: row[draw_by(chances, (n,), random)],
        "one query in ten loses 0.9, others gain 0.1": lambda n, random: np.where(
            random.random(n) < 0.1, -0.9, 0.1
        ),
        "normal": lambda n, random: random.normal(0, 0.2, size=n),
    }


def true_effects() -> dict[str, _Draw]:
    """Return draws of symmetric differences that tests find in about two cases of three."""

    def heavy(n: int, random: np.random.Generator) -> Floats:
        return np.asarray(0.2 * random.standard_t(3, size=n) / np.sqrt(3))

    def shifted(draw: _Draw) -> _Draw:
        return lambda n, random: draw(n, random) + 0.5 / np.sqrt(n)

    def with_zeros(n: int, random: np.random.Generator) -> Floats:
        return np.where(random.random(n) < 0.4, 0.0, heavy(n, random) + 0.8 / np.sqrt(n))

    return {
        "normal": shifted(lambda n, random: random.normal(0, 0.2, size=n)),
        "heavy tails (t with 3 degrees of freedom)": shifted(heavy),
        "the same, two queries in five even": with_zeros,
    }


def _judge(drawn: Floats, test: str, seed: int) -> tuple[bool, bool]:
    """Return whether a difference is shown, and whether that is doubted as skewed."""
    scores = scores_of(np.stack([np.zeros_like(drawn), drawn])[:, None], ["AP"])
    options = {"draws": DRAWS} if test == "randomisation" else {}
    found = compare(scores, baseline="s0", test=test, seed=seed, options=options)
    shown = found.shows(found.differences[0])
    return shown, shown and any(doubt.name == "skewed" for doubt in find_doubts(found))


def skewed_tables(
    source: MadeUp, *, repetitions: int, seed: int, sizes: Sequence[int] = SIZES
) -> Iterator[Table]:
    """Measure false alarms of tests of means with and without the doubt, and what it costs."""
    rows = []
    for name, draw in skewed_nulls(source).items():
        for test in ("randomisation", "t") if name in _BY_T else ("randomisation",):
            shown: dict[Column, Share] = {}
            left: dict[Column, Share] = {}
            for n in sizes:
                random = np.random.default_rng([seed, n])
                judged = [_judge(draw(n, random), test, i) for i in range(repetitions)]
                shown[n] = alarms(sum(one for one, _ in judged), repetitions)
                left[n] = alarms(sum(one and not bad for one, bad in judged), repetitions)
            rows.append(Row((name, test, "shown"), shown))
            rows.append(Row((name, test, "shown and not doubted"), left))
        say(f"skewed: {name}")
    yield Table(
        "False alarms with and without those that `skewed` doubts",
        ("differences", "test", "what"),
        tuple(rows),
    )
    costs = []
    for name, draw in true_effects().items():
        cost: dict[Column, Share] = {}
        for n in sizes:
            random = np.random.default_rng([seed, n])
            judged = [_judge(draw(n, random), "randomisation", i) for i in range(repetitions)]
            cost[n] = Share(sum(bad for _, bad in judged), sum(one for one, _ in judged))
        costs.append(Row((name,), cost))
        say(f"skewed: cost, {name}")
    yield Table(
        "Share of true and shown differences that `skewed` doubts, though nothing is skewed",
        ("differences",),
        tuple(costs),
    )

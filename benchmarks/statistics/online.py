"""A/B tests and series: levels of the tests of logs, also where one looks again and again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from benchmarks.progress import say
from benchmarks.statistics.tables import LEVEL, Column, Row, Share, Table, alarms
from cleverdon._common.arrays import Floats
from cleverdon.stats.tests import (
    always_valid_p,
    chi_square_homogeneity,
    confidence_sequence,
    split_p_value,
    welch_tails,
)
from cleverdon.stats.trends import drift

SIZES = (20, 50, 100, 200, 1000)
_LOOKS = 20
_Alarm = Callable[[int, np.random.Generator], bool]


def _revenue(n: int, random: np.random.Generator) -> tuple[Floats, Floats]:
    """Return what n users of each arm spend; most of them nothing."""
    spent = random.lognormal(0, 1, size=(2, n)) * (random.random((2, n)) < 0.4)
    return spent[0], spent[1]


def _welch_p(ours: Floats, theirs: Floats) -> float:
    parts = float(ours.var(ddof=1)) / len(ours), float(theirs.var(ddof=1)) / len(theirs)
    if not all(parts):
        return 1.0
    tails = welch_tails(float(ours.mean() - theirs.mean()), parts, (len(ours), len(theirs)))
    return 2 * min(tails)


def _welch(n: int, random: np.random.Generator) -> bool:
    return _welch_p(*_revenue(n, random)) <= LEVEL


def _looks(n: int) -> list[int]:
    return sorted({max(10, n * look // _LOOKS) for look in range(1, _LOOKS + 1)})


def _peeking(n: int, random: np.random.Generator) -> bool:
    ours, theirs = _revenue(n, random)
    return any(_welch_p(ours[:k], theirs[:k]) <= LEVEL for k in _looks(n))


def _always_valid(n: int, random: np.random.Generator) -> bool:
    ours, theirs = _revenue(n, random)
    for k in _looks(n):
        variance = float(ours[:k].var(ddof=1) + theirs[:k].var(ddof=1)) / k
        if not variance:
            continue
        difference = float(ours[:k].mean() - theirs[:k].mean())
        low, high = confidence_sequence(difference, variance=variance, spread=0.2)
        found = always_valid_p(difference, variance=variance, spread=0.2) <= LEVEL
        assert found == (not low < 0 < high), "the interval is of the same test"
        if found:
            return True
    return False


def _split(n: int, random: np.random.Generator) -> bool:
    ours = int(random.binomial(2 * n, 0.5))
    return split_p_value([ours, 2 * n - ours], [0.5, 0.5]) <= LEVEL


def _days(n: int, random: np.random.Generator) -> bool:
    counts = random.multinomial(n, [0.6, 0.3, 0.1], size=7)
    return chi_square_homogeneity(counts)[0] <= LEVEL


def _drift(alike: float) -> _Alarm:
    def alarm(n: int, random: np.random.Generator) -> bool:
        steps = random.normal(size=n + 50)
        for at in range(1, len(steps)):
            steps[at] += alike * steps[at - 1]
        return drift(np.arange(float(n)), np.exp(0.1 * steps[50:])).p <= LEVEL

    return alarm


_TESTS: dict[tuple[str, str], tuple[_Alarm, Sequence[int], bool]] = {
    ("Welch's t", "revenue, n users in each arm"): (_welch, SIZES, True),
    ("Welch's t at 20 looks", "the same, with a look at each twentieth"): (_peeking, SIZES, False),
    ("always-valid p", "the same"): (_always_valid, SIZES, True),
    ("sample-ratio check", "2 n users in two arms"): (_split, SIZES, True),
    ("chi-square of equal shares", "3 kinds on 7 days, n a day"): (_days, SIZES, True),
    ("drift", "n windows that are independent"): (_drift(0.0), SIZES[:4], True),
    ("drift", "n windows, neighbours correlated by 0.6"): (_drift(0.6), SIZES[:4], True),
}


def online_tables(*, repetitions: int, seed: int, sizes: Sequence[int] = SIZES) -> Iterator[Table]:
    """Measure how often tests of logs find something where nothing is."""
    rows = []
    for names, (alarm, of, default) in _TESTS.items():
        shares: dict[Column, Share] = {}
        for n in of:
            if n in sizes:
                random = np.random.default_rng([seed, n])
                many = repetitions if default else max(1, repetitions // 4)
                shares[n] = alarms(sum(alarm(n, random) for _ in range(many)), many)
        rows.append(Row(names, shares, default=default))
        say(f"online: {', '.join(names)}")
    yield Table(
        "False alarms of tests of logs and of series",
        ("test", "of"),
        tuple(rows),
        summary="tests of A/B tests, splits, days and series",
    )

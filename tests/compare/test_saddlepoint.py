"""The randomisation test's p-value by formula, against its enumeration."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from cleverdon.compare.randomisation import enumerated
from cleverdon.compare.saddlepoint import saddlepoint, step_of

Generator = np.random.Generator
KINDS: dict[str, Callable[[Generator, int], np.ndarray]] = {
    "normal": lambda r, n: r.normal(0.15, 0.3, n),
    "skewed": lambda r, n: r.exponential(0.3, n) - 0.15,
    "heavy": lambda r, n: r.standard_t(2, n) * 0.2 + 0.1,
    "one outlier": lambda r, n: np.append(r.normal(0.05, 0.2, n - 1), 1.0),
    "wins": lambda r, n: r.choice([-1.0, 1.0], n, p=[0.3, 0.7]),
    "tenths": lambda r, n: r.integers(-3, 6, n) / 10,
}


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("kind", KINDS)
def test_near_the_enumeration(kind: str, alternative: str) -> None:
    random = np.random.default_rng(1)
    off = []
    for _ in range(150):
        towards = KINDS[kind](random, 18)
        exact = enumerated(towards, both=alternative == "two-sided").p
        row = -towards if alternative == "less" else towards
        found = float(saddlepoint(row[None], alternative=alternative, step=step_of(row))[0])
        assert 0 < found <= 1
        if 1e-4 < exact < 0.3:
            off.append(abs(np.log(found / exact)))
    assert len(off) > 5
    assert np.median(off) < 0.06
    assert max(off) < 0.5


def test_all_one_way_and_none() -> None:
    rows = np.array([[0.1] * 15 + [0.0], [-0.2] * 16, [0.1, -0.1] * 8])
    assert saddlepoint(rows).tolist() == [2 * 0.5**15, 2 * 0.5**16, 1.0]
    assert saddlepoint(rows, alternative="less").tolist() == [1.0, 0.5**16, 1.0]


def test_steps() -> None:
    assert step_of(np.array([0.3, -0.2, 0.0])) == pytest.approx(0.1)
    assert step_of(np.array([0.5, 1.5])) == 0.5
    assert step_of(np.array([0.05, 0.15, 1.0]) * 7) == pytest.approx(0.35)
    assert step_of(np.array([0.12, 0.1234567])) == 0
    assert step_of(np.zeros(3)) == 0

"""Fisher's randomisation test."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from cleverdon.compare.randomisation import randomisation_test


def enumerated(differences: np.ndarray) -> float:
    """p by trying every assignment of signs, one by one."""
    seen = abs(float(differences.sum()))
    signs = list(product((1, -1), repeat=len(differences)))
    return sum(abs(float(np.dot(s, differences))) >= seen - 1e-12 for s in signs) / len(signs)


@pytest.mark.parametrize("seed", range(20))
def test_exact_for_few_queries(seed: int) -> None:
    random = np.random.default_rng(seed)
    differences = random.normal(0.3, 1, size=int(random.integers(1, 11))).round(1)
    result = randomisation_test(differences)
    assert result.exact
    assert result.p == pytest.approx(enumerated(differences))


def test_drawn_p_is_near_the_exact_one_and_the_same_on_every_call() -> None:
    differences = np.random.default_rng(3).normal(0.25, 1, size=40)
    result = randomisation_test(differences)
    assert not result.exact
    assert result == randomisation_test(differences)
    # The normal approximation is close with 40 queries; the draws' own error is about 0.001.
    from math import erfc, sqrt

    z = abs(differences.sum()) / sqrt(float(np.sum(differences**2)))
    assert result.p == pytest.approx(erfc(z / sqrt(2)), abs=0.01)


def test_no_difference_is_no_evidence() -> None:
    assert randomisation_test(np.zeros(50)).p == 1
    assert randomisation_test(np.zeros(0)).p == 1


def test_the_smallest_p_is_shown_as_a_bound() -> None:
    result = randomisation_test(np.ones(50), draws=1000)
    assert result.p == 1 / 1001
    assert str(result) == "< 1e-03"
    assert str(randomisation_test(np.array([1.0, 2.0]))) == "0.5000"


def test_under_the_null_p_is_small_as_often_as_it_says() -> None:
    random = np.random.default_rng(11)
    p = [randomisation_test(random.normal(size=12)).p for _ in range(400)]
    share = float(np.mean(np.array(p) <= 0.05))
    assert share == pytest.approx(0.05, abs=3 * (0.05 * 0.95 / 400) ** 0.5)

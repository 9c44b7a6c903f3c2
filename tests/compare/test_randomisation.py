"""Fisher's randomisation test."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from cleverdon.arrays import Floats
from cleverdon.compare import randomisation as module
from cleverdon.compare.pvalue import PValue
from cleverdon.compare.randomisation import randomisation
from cleverdon.errors import OptionError
from tests.compare.null import assert_level

SIDES = ("two-sided", "greater", "less")


def one(differences: Floats, alternative: str = "two-sided", **options: int) -> PValue:
    return randomisation(differences[None], alternative=alternative, **options)[0]


def enumerated(differences: Floats, alternative: str) -> float:
    """p by trying every assignment of signs, one by one."""
    look = {"two-sided": abs, "greater": lambda x: x, "less": lambda x: -x}[alternative]
    seen = look(float(differences.sum()))
    sums = [look(float(np.dot(s, differences))) for s in product((1, -1), repeat=len(differences))]
    return sum(x >= seen - 1e-12 for x in sums) / len(sums)


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("seed", range(15))
def test_exact_for_few_queries(seed: int, alternative: str) -> None:
    random = np.random.default_rng(seed)
    # To one decimal, so that many sums are the same but for rounding.
    differences = random.normal(0.3, 1, size=int(random.integers(1, 11))).round(1)
    result = one(differences, alternative)
    assert result.exact
    assert result.p == pytest.approx(enumerated(differences, alternative), abs=1e-12)


@pytest.mark.parametrize("alternative", SIDES)
def test_exact_as_scipy_has_it(alternative: str) -> None:
    differences = np.random.default_rng(8).normal(0.3, 1, size=(3, 12))
    for row, result in zip(
        differences, randomisation(differences, alternative=alternative), strict=True
    ):
        expected = stats.permutation_test(
            (row,), np.sum, permutation_type="samples", n_resamples=10_000, alternative=alternative
        )
        assert result.p == pytest.approx(expected.pvalue, abs=1e-12)


def test_twenty_are_exact_and_more_are_drawn() -> None:
    ones = np.ones(30)
    ones[20:] = 0
    assert one(ones) == PValue(2 / 2**20, exact=True, draws=2**20)
    assert one(ones, "less").p == 1
    assert not one(np.ones(21)).exact


def test_many_exact_ones_at_once_are_no_more_work_than_one_by_one() -> None:
    differences = np.random.default_rng(2).normal(size=(300, 20))
    together = randomisation(differences)
    assert together[:3] == [one(row) for row in differences[:3]]
    assert all(p.exact for p in together)


@pytest.mark.parametrize("alternative", SIDES)
def test_drawn_p_is_within_its_error_of_the_exact_one(
    alternative: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    differences = np.random.default_rng(5).normal(0.2, 1, size=(6, 18)).round(1)
    exact = np.array([p.p for p in randomisation(differences, alternative=alternative)])
    monkeypatch.setattr(module, "EXACT_UP_TO", 0)
    drawn = randomisation(differences, alternative=alternative)
    assert not any(p.exact for p in drawn)
    error = np.sqrt(exact * (1 - exact) / module.DRAWS)
    assert np.all(np.abs(np.array([p.p for p in drawn]) - exact) <= 4 * error + 2 / module.DRAWS)


def test_drawn_p_is_the_same_on_every_call_alone_or_with_others_and_in_any_blocks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    differences = np.random.default_rng(3).normal(0.2, 1, size=(7, 70)).round(1)
    together = randomisation(differences, draws=5000)
    assert together == randomisation(differences, draws=5000)
    assert together == [one(row, draws=5000) for row in differences]
    assert together != randomisation(differences, draws=5000, seed=1)
    monkeypatch.setattr(module, "BLOCK", 1000)
    assert together == randomisation(differences, draws=5000)


def test_p_counts_the_one_that_was_seen() -> None:
    result = one(np.ones(50), draws=1000)
    assert result == PValue(1 / 1001, exact=False, draws=1000)
    assert str(result) == "< 1e-03"
    assert str(one(np.array([1.0, 2.0]))) == "0.5000"
    assert one(np.ones(50), "less", draws=1000).p == 1


def test_no_difference_is_no_evidence() -> None:
    for alternative in SIDES:
        assert one(np.zeros(50), alternative).p == 1
    assert one(np.array([0.4])).p == 1
    assert randomisation(np.zeros((0, 5))) == []


def test_draws_are_counted_from_one() -> None:
    with pytest.raises(OptionError, match="draws=0"):
        one(np.ones(50), draws=0)


@pytest.mark.parametrize("topics", [12, 40])
@pytest.mark.parametrize("alternative", SIDES)
def test_under_the_null_p_is_small_as_often_as_it_says(topics: int, alternative: str) -> None:
    # Skewed by topic, but even in sign: what the test supposes, and no more.
    random = np.random.default_rng(11)
    sizes = random.gamma(0.7, size=(3000, topics)) * random.choice((-1, 1), (3000, topics))
    assert_level(randomisation(sizes, alternative=alternative, draws=999), never_below=True)

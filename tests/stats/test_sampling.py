"""How large samples must be, and how they are divided among strata."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.errors import OptionError
from cleverdon.pooling.choices import ALLOCATIONS
from cleverdon.stats.proportions import hypergeometric_interval
from cleverdon.stats.sampling import allocate_sample, sample_size


@given(
    st.integers(0, 400),
    st.lists(st.integers(0, 300), min_size=1, max_size=6),
    st.sampled_from(list(ALLOCATIONS)),
)
def test_allocations_add_up_and_fit(total: int, sizes: list[int], how: str) -> None:
    given_ = allocate_sample(total, sizes, how=how, shares=[0.1] * len(sizes))
    assert sum(given_) == min(total, sum(sizes))
    assert all(count <= size for count, size in zip(given_, sizes, strict=True))
    if total >= len(sizes):
        assert all(count or not size for count, size in zip(given_, sizes, strict=True))


def test_allocations_by_hand() -> None:
    assert allocate_sample(60, [100, 200, 300]) == [10, 20, 30]
    assert allocate_sample(60, [5, 200, 300], how="equal") == [5, 28, 27]
    # 100 * sqrt(0.25), 100 * sqrt(0.0099...)
    assert allocate_sample(60, [100, 100], how="neyman", shares=[0.5, 0.01]) == [50, 10]


def test_the_sample_is_large_enough_and_no_larger() -> None:
    size = sample_size([20_000], [0.02], half_width=100)
    for drawn, wide_enough in ((size, True), (size // 2, False)):
        low, high = hypergeometric_interval(20_000, drawn, round(drawn * 0.02))
        assert ((high - low) / 2 <= 100 * 1.05) == wide_enough


def test_the_textbook_formula_is_near_where_relevant_documents_are_many() -> None:
    """n0 = z^2 p (1 - p) / d^2, with the correction for a finite collection (Cochran 1977)."""
    n0 = 1.96**2 * 0.5 * 0.5 / 0.05**2
    textbook = n0 / (1 + (n0 - 1) / 10_000)
    assert sample_size([10_000], [0.5], half_width=500) == pytest.approx(textbook, rel=0.1)


def test_recall_rather_than_counts() -> None:
    by_recall = sample_size([10_000], [0.01], half_width=0.1, found=200)
    assert sample_size([10_000], [0.01], half_width=0.05, found=200) > by_recall
    # Of a pool that found most, recall is known sooner.
    assert sample_size([10_000], [0.01], half_width=0.1, found=2000) < by_recall


def test_neyman_takes_fewer_where_strata_differ() -> None:
    sizes, shares = [500, 50_000], [0.2, 0.0005]
    by_size = sample_size(sizes, shares, half_width=50)
    assert sample_size(sizes, shares, half_width=50, how="neyman") < by_size


def test_the_whole_collection_is_always_enough() -> None:
    assert sample_size([50], [0.5], half_width=1e-6) == 50
    assert sample_size([0], [0.5], half_width=1) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"half_width": 0}, "half_width=0"),
        ({"half_width": 1, "found": 0}, "found nothing"),
        ({"half_width": 1, "shares": [2.0]}, "from 0 to 1"),
        ({"half_width": 1, "how": "random"}, "how='random'"),
    ],
)
def test_errors(arguments: dict[str, object], message: str) -> None:
    given_ = {"sizes": [100], "shares": [0.1]} | arguments
    with pytest.raises(OptionError, match=message):
        sample_size(**given_)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="guessed share of relevant documents of each"):
        allocate_sample(5, [10, 20], how="neyman")
    assert np.isfinite(sample_size([100], [0.1], half_width=5))

"""The sample ratio: users are split as expected, or not."""

from __future__ import annotations

import pyarrow as pa
import pytest
import tea_tasting
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cleverdon.errors import OptionError
from cleverdon.logs.abtest.results import sample_ratio


@given(st.integers(0, 3000), st.integers(1, 3000), st.floats(0.05, 0.95))
def test_two_variants_by_the_binomial_distribution(a: int, b: int, share: float) -> None:
    found = sample_ratio({"A": a, "B": b}, {"A": share, "B": 1 - share})
    expected = stats.binomtest(a, a + b, share).pvalue
    assert found.p == pytest.approx(expected)
    turned = sample_ratio({"B": b, "A": a}, {"B": 1 - share, "A": share})
    assert turned.p == pytest.approx(found.p, abs=1e-6)


@given(st.lists(st.integers(5, 5000), min_size=3, max_size=6))
def test_more_variants_by_chi_square(counts: list[int]) -> None:
    users = {f"v{place}": count for place, count in enumerate(counts)}
    assert sample_ratio(users).p == pytest.approx(stats.chisquare(counts).pvalue)


def test_as_tea_tasting_does() -> None:
    counts = {"A": 480, "B": 391}
    table = pa.table({"variant": ["A"] * counts["A"] + ["B"] * counts["B"]})
    rival = tea_tasting.SampleRatio(method="binom").analyze(table, "A", "B", "variant")
    assert sample_ratio(counts).p == pytest.approx(rival.pvalue)


def test_the_level_and_what_is_expected() -> None:
    assert not sample_ratio({"A": 1000, "B": 900}).mismatch  # p = 0.02 is no alarm yet
    assert sample_ratio({"A": 1000, "B": 850}).mismatch
    split = sample_ratio({"A": 9000, "B": 1000}, {"A": 0.9, "B": 0.1})
    assert split.expected == {"A": 9000, "B": 1000}
    assert split.p == pytest.approx(1)
    assert sample_ratio({"A": 500}, {"A": 0.5, "B": 0.5}).mismatch  # B is missing altogether


def test_shares_that_make_no_sense() -> None:
    with pytest.raises(
        OptionError, match=r"the variant 'B' has no expected share of users, only 'A', 'C'; "
    ):
        sample_ratio({"A": 1, "B": 1}, {"A": 0.5, "C": 0.5})
    with pytest.raises(OptionError, match="share of B is 0: it must be above 0"):
        sample_ratio({"A": 1, "B": 1}, {"A": 1, "B": 0})
    with pytest.raises(OptionError, match=r"sum to 10 \(A=9, B=1\).* they would be A=0.9, B=0.1"):
        sample_ratio({"A": 1, "B": 1}, {"A": 9, "B": 1})
    with pytest.raises(OptionError, match=r"sum to 0.9999 "):
        sample_ratio({"A": 1, "B": 1, "C": 1}, dict.fromkeys("ABC", 0.3333))
    thirds = sample_ratio({"A": 1, "B": 1, "C": 1}, dict.fromkeys("ABC", 0.333333))
    assert thirds.expected["A"] == pytest.approx(1, abs=1e-12)
    with pytest.raises(OptionError, match="no variant has a user"):
        sample_ratio({})

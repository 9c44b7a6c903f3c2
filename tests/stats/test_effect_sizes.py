"""How large differences are."""

from __future__ import annotations

from math import gamma, inf, isnan, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from cleverdon.errors import OptionError
from cleverdon.stats.effect_sizes import effect_sizes

values = st.lists(
    st.tuples(st.integers(0, 8), st.integers(0, 8)).map(lambda pair: (pair[0] / 8, pair[1] / 8)),
    min_size=3,
    max_size=30,
)


@settings(max_examples=100, deadline=None)
@given(values)
def test_against_plain_python_and_scipy(pairs: list[tuple[float, float]]) -> None:
    ours, theirs = (np.array(side) for side in zip(*pairs, strict=True))
    found = effect_sizes(ours, theirs)
    d = [a - b for a, b in pairs]
    n = len(d)
    assert (found.up, found.even, found.down) == (
        sum(x > 0 for x in d),
        sum(x == 0 for x in d),
        sum(x < 0 for x in d),
    )
    assert found.pairs == n
    assert found.difference == pytest.approx(sum(d) / n)
    pairs_won = sum((a > b) - (a < b) for a, _ in pairs for _, b in pairs)
    assert found.cliffs_delta == pytest.approx(pairs_won / n**2)
    # Mann-Whitney's U counts the same pairs, ties half.
    u = stats.mannwhitneyu(ours, theirs).statistic if len({*ours, *theirs}) > 1 else n * n / 2
    assert found.cliffs_delta == pytest.approx(2 * u / n**2 - 1)
    if np.ptp(d) > 0:
        assert found.cohens_dz == pytest.approx(stats.ttest_1samp(d, 0).statistic / sqrt(n))
        m = n - 1
        factor = gamma(m / 2) / (sqrt(m / 2) * gamma((m - 1) / 2))
        assert found.hedges_g == pytest.approx(found.cohens_dz * factor)
        assert factor == pytest.approx(1 - 3 / (4 * m - 1), abs=0.04)


def test_hedges_g_is_unbiased_where_cohens_d_is_not() -> None:
    random = np.random.default_rng(1)
    drawn = random.normal(0.5, 1, size=(8_000, 6))
    found = [effect_sizes(row, np.zeros(6)) for row in drawn]
    dz, g = (np.array([getattr(f, name) for f in found]) for name in ("cohens_dz", "hedges_g"))
    assert dz.mean() > 0.58
    assert g.mean() == pytest.approx(0.5, abs=4 * g.std() / sqrt(len(g)))


def test_differences_that_do_not_vary() -> None:
    none = effect_sizes(np.full(5, 0.3), np.full(5, 0.3))
    assert (none.difference, none.cohens_dz, none.hedges_g, none.cliffs_delta) == (0, 0, 0, 0)
    theirs = np.array([0.1, 0.2, 0.3, 0.7])
    same = effect_sizes(theirs + 0.1, theirs)
    assert (same.cohens_dz, same.hedges_g) == (inf, inf)
    assert effect_sizes(theirs - 0.1, theirs).cohens_dz == -inf


def test_what_is_undefined_is_nan_or_an_error() -> None:
    one = effect_sizes(np.array([0.5]), np.array([0.25]))
    assert one.relative == 1
    assert isnan(one.cohens_dz)
    assert isnan(one.hedges_g)
    assert isnan(effect_sizes(np.array([0.5, 0.1]), np.array([0.25, 0.1])).hedges_g)
    assert isnan(effect_sizes(np.array([0.5, 0.2]), np.zeros(2)).relative)
    for ours, theirs in (([], []), ([0.1], [0.1, 0.2]), ([np.nan], [0.1])):
        with pytest.raises(OptionError):
            effect_sizes(np.array(ours), np.array(theirs))


def test_rounding_is_no_win() -> None:
    found = effect_sizes(np.array([0.1 + 0.2, 0.5]), np.array([0.3, 0.4]))
    assert (found.up, found.even, found.down) == (1, 1, 0)

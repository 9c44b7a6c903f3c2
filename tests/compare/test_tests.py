"""The paired tests against scipy, and under the null."""

from __future__ import annotations

import sys
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from cleverdon.arrays import Floats
from cleverdon.compare.pvalue import PValue
from cleverdon.compare.tests import ALTERNATIVES, FAMILY_TESTS, TESTS, family_p_values, p_values
from cleverdon.errors import MissingExtra, OptionError
from tests.compare.null import assert_level

SIDES = list(ALTERNATIVES)


def drawn(seed: int, comparisons: int, topics: int, decimals: int = 15) -> Floats:
    random = np.random.default_rng(seed)
    return random.normal(0.2, 1, size=(comparisons, topics)).round(decimals)


def found(test: str, differences: Floats, **options: object) -> list[float]:
    return [p.p for p in p_values(test, differences, **options)]  # type: ignore[arg-type]


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("topics", [2, 7, 50])
def test_t_is_scipys(topics: int, alternative: str) -> None:
    ours = np.random.default_rng(topics).normal(size=(20, topics))
    theirs = np.random.default_rng(1).normal(size=(20, topics))
    expected = stats.ttest_rel(ours, theirs, axis=1, alternative=alternative).pvalue
    assert found("t", ours - theirs, alternative=alternative) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("zeros", ["wilcox", "pratt", "zsplit"])
@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize(
    ("topics", "decimals"), [(8, 15), (8, 1), (7, 0), (30, 15), (30, 1), (60, 1)]
)
def test_wilcoxon_is_scipys_row_by_row(
    topics: int, decimals: int, alternative: str, zeros: str
) -> None:
    # scipy is slow where it tries all signs.
    differences = drawn(topics, 2 if topics < 9 else 12, topics, decimals)
    expected = [
        stats.wilcoxon(row, alternative=alternative, zero_method=zeros).pvalue
        for row in differences.round(12)
    ]
    result = found("wilcoxon", differences, alternative=alternative, zeros=zeros)
    assert result == pytest.approx(expected, rel=1e-9)


def test_wilcoxon_takes_scipys_continuity_correction() -> None:
    differences = drawn(4, 5, 60, 1)
    expected = stats.wilcoxon(differences, axis=1, correction=True).pvalue
    assert found("wilcoxon", differences, continuity=True) == pytest.approx(expected)


def test_differences_that_differ_by_rounding_alone_are_ties() -> None:
    clean = np.array([[3, 2, -1, 1, 1, -1, 2, 4, 1, -2]]) / 10
    noisy = np.array(
        [[0.4 - 0.1, 0.3 - 0.1, 0.1 - 0.2, 0.3 - 0.2, 0.8 - 0.7, 0.6 - 0.7, 0.9 - 0.7]]
    )
    noisy = np.concatenate([noisy, [[0.7 - 0.3, 1 - 0.9, 0.5 - 0.7]]], axis=1)
    assert len(np.unique(np.abs(noisy))) > len(np.unique(np.abs(clean)))
    for test in TESTS:
        assert found(test, noisy) == pytest.approx(found(test, clean))
    assert found("sign", np.array([[1e-17, 1e-17, -1e-17, 0.1]])) == [1]


@settings(max_examples=40, deadline=None)
@given(arrays(np.int8, (4, 23), elements=st.integers(-3, 3)), st.sampled_from(SIDES))
def test_sign_is_scipys_binomial_test(differences: Floats, alternative: str) -> None:
    expected = [
        stats.binomtest(up, up + down, 0.5, alternative=alternative).pvalue if up + down else 1
        for up, down in (((row > 0).sum(), (row < 0).sum()) for row in differences)
    ]
    assert found("sign", differences / 10, alternative=alternative) == pytest.approx(expected)


@pytest.mark.parametrize("studentised", [True, False])
@pytest.mark.parametrize("alternative", SIDES)
def test_bootstrap_is_near_all_possible_resamples(alternative: str, studentised: bool) -> None:
    row = np.array([0.5, -0.2, 0.31, 0.17, 0.4])
    places = np.array(list(product(range(5), repeat=5)))  # each of them as likely
    null = (row - row.mean())[places]
    means, seen = null.mean(axis=1), row.mean()
    if studentised:
        with np.errstate(divide="ignore"):
            means = means / null.std(axis=1)
        seen = seen / row.std()
    look = {"two-sided": np.abs, "greater": lambda x: x, "less": lambda x: -x}[alternative]
    expected = float(np.mean(look(means) >= look(seen) - 1e-12))
    result = found("bootstrap", row[None], alternative=alternative, studentised=studentised)
    assert result == pytest.approx([expected], abs=4 * (0.25 / 100_000) ** 0.5)


def test_bootstrap_is_the_same_on_every_call_alone_or_with_others() -> None:
    differences = drawn(6, 5, 40)
    together = found("bootstrap", differences, draws=3000)
    assert together == found("bootstrap", differences, draws=3000)
    assert together == [found("bootstrap", row[None], draws=3000)[0] for row in differences]


@pytest.mark.parametrize("test", TESTS)
def test_turning_the_differences_turns_the_sides(test: str) -> None:
    differences = drawn(9, 4, 25, 1)
    up = found(test, differences, alternative="greater")
    assert up == pytest.approx(found(test, -differences, alternative="less"))
    both = found(test, differences)
    assert both == pytest.approx(found(test, -differences), abs=0.01)
    down = found(test, differences, alternative="less")
    if test != "bootstrap":  # its draws are not symmetric
        assert both == pytest.approx(np.minimum(1, 2 * np.minimum(up, down)), abs=0.01)


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("test", TESTS)
def test_no_difference_speaks_for_nothing(test: str, alternative: str) -> None:
    differences = np.zeros((3, 12))
    differences[1] = np.arange(12) - 3.0
    result = found(test, differences, alternative=alternative)
    assert (result[0], result[2]) == (1, 1)
    assert result[1] == found(test, differences[1:2], alternative=alternative)[0]


@pytest.mark.parametrize("test", TESTS)
def test_the_same_difference_everywhere_is_as_sure_as_can_be(test: str) -> None:
    same = np.full((1, 30), 0.1)
    assert found(test, same, alternative="less") == pytest.approx([1], abs=1e-6)
    assert found(test, same)[0] <= 1.1e-5


@pytest.mark.parametrize("test", ["t", "bootstrap"])
def test_one_topic_has_no_spread(test: str) -> None:
    with pytest.raises(OptionError, match="at least 2 topics, and there is 1"):
        found(test, np.array([[0.3]]))


@pytest.mark.parametrize("test", ["randomisation", "wilcoxon", "sign"])
def test_one_topic_shows_nothing(test: str) -> None:
    assert found(test, np.array([[0.3]])) == [1]


def test_what_is_no_number_is_refused() -> None:
    for wrong in (np.nan, np.inf):
        with pytest.raises(OptionError, match="finite"):
            p_values("t", np.array([[0.1, wrong]]))
    with pytest.raises(OptionError, match="no topic"):
        p_values("t", np.zeros((2, 0)))
    with pytest.raises(OptionError, match="dimensions"):
        p_values("t", np.zeros(3))


def test_words_are_checked() -> None:
    one = np.array([[0.1, 0.2]])
    with pytest.raises(OptionError, match="did you mean 'wilcoxon'"):
        p_values("wilcoxson", one)
    with pytest.raises(OptionError, match="alternative='more'"):
        p_values("t", one, alternative="more")
    with pytest.raises(OptionError, match="no option 'draw'; did you mean 'draws'"):
        p_values("randomisation", one, draw=5)
    with pytest.raises(OptionError, match="no option 'draws': it has none"):
        p_values("t", one, draws=5)
    with pytest.raises(OptionError, match="zeros='drop'"):
        p_values("wilcoxon", one, zeros="drop")


def test_without_scipy_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    one = np.array([[0.1, 0.2]])
    for test in ("t", "wilcoxon", "sign"):
        with pytest.raises(MissingExtra, match=r"cleverdon\[stats\]"):
            p_values(test, one)
    for test in ("randomisation", "bootstrap"):
        p_values(test, one, draws=10)


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("test", TESTS)
def test_under_the_null_p_is_small_as_often_as_it_says(test: str, alternative: str) -> None:
    # Alike on average, but not on any topic.
    differences = np.random.default_rng(21).normal(size=(3000, 25))
    options = {"draws": 999} if test in ("randomisation", "bootstrap") else {}
    result = found(test, differences, alternative=alternative, **options)
    assert_level(result, never_below=test != "sign")  # its values are few and far apart


@pytest.mark.parametrize("test", TESTS)
def test_under_the_null_of_discrete_values_p_is_not_small_too_often(test: str) -> None:
    # As of P@10: most topics even, the others by steps.
    random = np.random.default_rng(22)
    differences = random.choice((-0.2, -0.1, 0, 0, 0, 0.1, 0.2), size=(3000, 30))
    options = {"draws": 999} if test in ("randomisation", "bootstrap") else {}
    assert_level(found(test, differences, **options), never_below=False)


def test_the_bootstrap_without_spread_is_too_sure_with_few_topics() -> None:
    differences = np.random.default_rng(23).normal(size=(3000, 12))
    assert_level(found("bootstrap", differences, draws=999), never_below=True)
    plain = np.array(found("bootstrap", differences, draws=999, studentised=False))
    assert np.mean(plain <= 0.05) > 0.065


def test_what_no_draw_reached_is_never_rounded_down() -> None:
    for draws in (70, 1000, 3000, 100_000, 123_456):
        p = PValue(1 / (1 + draws), exact=False, draws=draws)
        assert p.p <= float(str(p).removeprefix("< ")) < 1.2 * p.p


def test_a_seed_is_no_negative_number() -> None:
    rows = drawn(0, 2, 30)
    for test in TESTS:
        with pytest.raises(OptionError, match="seed=-1"):
            p_values(test, rows, seed=-1)
    for test in FAMILY_TESTS:
        with pytest.raises(OptionError, match="seed=-1"):
            family_p_values(test, rows, seed=-1)

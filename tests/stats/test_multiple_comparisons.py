"""Corrections and tests of many comparisons at once."""

from __future__ import annotations

from itertools import permutations, product
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from cleverdon import evaluate
from cleverdon._common.arrays import Floats
from cleverdon.comparison.differences import compare
from cleverdon.errors import OptionError
from cleverdon.stats.multiple_comparisons import (
    CORRECTIONS,
    _studentised_range_tail,
    correct_p_values,
    family_test,
    max_t,
)
from cleverdon.stats.tests import PValue
from tests.stats.null import assert_level

STATSMODELS = {"holm": "holm", "bonferroni": "bonferroni", "benjamini-hochberg": "fdr_bh"}


@pytest.mark.parametrize("correction", STATSMODELS)
@given(p=st.lists(st.floats(0, 1) | st.sampled_from([0.01, 0.02, 0.5]), min_size=1, max_size=20))
def test_as_statsmodels_has_them(correction: str, p: list[float]) -> None:
    with mock.patch("gc.collect"):  # which statsmodels calls each time, and waits for
        expected = multipletests(p, method=STATSMODELS[correction])[1]
    assert correct_p_values(correction, p) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_one_alone_stays_and_none_is_fine(correction: str) -> None:
    assert correct_p_values(correction, []) == []
    assert correct_p_values(correction, [0.04]) == [0.04]


def test_none_changes_nothing() -> None:
    assert correct_p_values("none", [0.04, 0.01]) == [0.04, 0.01]


def test_what_is_no_p_value_is_refused() -> None:
    for wrong in (np.nan, -0.1, 1.1):
        with pytest.raises(OptionError, match="not a p-value"):
            correct_p_values("holm", [0.1, wrong])
    with pytest.raises(OptionError, match="did you mean 'holm'"):
        correct_p_values("holms", [0.1])


@pytest.mark.parametrize("correction", ["holm", "bonferroni"])
def test_one_false_alarm_in_a_family_is_as_rare_as_the_level(correction: str) -> None:
    families = np.random.default_rng(1).random((4000, 8))
    alarms = np.mean(
        [min(correct_p_values(correction, list(family))) <= 0.05 for family in families]
    )
    assert alarms <= 0.05 + 3.3 * (0.05 * 0.95 / 4000) ** 0.5


QRELS = {f"q{i}": {"a": 1, "b": 0} for i in range(12)}
GOOD = {query: {"a": 2.0, "b": 1.0} for query in QRELS}
BAD = {query: {"a": 1.0, "b": 2.0} for query in QRELS}
MIXED = {query: (GOOD if i < 6 else BAD)[query] for i, query in enumerate(QRELS)}
SCORES = evaluate(QRELS, {"bad": BAD, "good": GOOD, "mixed": MIXED}, ["RR", "P@1"])


def drawn(seed: int, systems: int, units: int) -> Floats:
    """Values with queries of their own difficulty, and systems that are alike."""
    random = np.random.default_rng(seed)
    return random.normal(size=(systems, units)) + 3 * random.normal(size=units)


def found(test: str, values: Floats, **options: int) -> Floats:
    return np.array([[p.p for p in row] for row in family_test(test, values, **options).p])


def test_two_systems_are_a_t_test() -> None:
    values = drawn(1, 2, 15)
    expected = stats.ttest_rel(*values).pvalue
    assert found("tukey", values)[0, 1] == pytest.approx(expected, rel=1e-6)


def test_as_scipy_has_it_for_groups_once_units_are_taken_out() -> None:
    values = drawn(2, 5, 12)
    values[0] += 1.2
    systems, units = values.shape
    centred = values - values.mean(axis=0)
    # scipy's statistics are differences of means; its error is over systems x (queries - 1) degrees
    # of freedom, where queries have taken up some of them.
    statistic = np.abs(stats.tukey_hsd(*centred).statistic)
    freedom = (systems - 1) * (units - 1)
    squares = np.sum((centred - centred.mean(axis=1, keepdims=True)) ** 2)
    q = statistic / np.sqrt(squares / freedom / units)
    expected = stats.studentized_range.sf(q, systems, freedom)
    assert found("tukey", values) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("systems", "freedom"), [(2, 1), (3, 20), (20, 950), (60, 2891)])
def test_the_studentised_range_is_scipys(systems: int, freedom: int) -> None:
    distances = np.array([0.0, 0.1, 1.0, 3.0, 4.5, 7.0, 40.0])
    expected = stats.studentized_range.sf(distances, systems, freedom)
    result = _studentised_range_tail(distances, systems=systems, freedom=freedom)
    assert result == pytest.approx(expected, rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("systems", [2, 3])
def test_randomised_is_near_all_permutations(systems: int) -> None:
    values = drawn(3, systems, 4 if systems == 3 else 8)
    orders = list(permutations(range(systems)))
    ranges = []
    for choice in product(orders, repeat=values.shape[1]):
        sums = sum(values[list(order), unit] for unit, order in enumerate(choice))
        ranges.append(np.ptp(sums))
    sums = values.sum(axis=1)
    apart = np.abs(sums[:, None] - sums) - 1e-9
    expected = (np.array(ranges)[:, None, None] >= apart).mean(axis=0)
    result = found("randomised-tukey", values)
    assert result == pytest.approx(expected, abs=4 * (0.25 / 100_000) ** 0.5)


def test_randomised_is_the_same_on_every_call_and_in_any_blocks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    values = drawn(4, 4, 10)
    once = found("randomised-tukey", values, draws=2000)
    assert np.array_equal(once, found("randomised-tukey", values, draws=2000))
    assert np.array_equal(once, once.T)
    assert np.all(np.diag(once) == 1)
    monkeypatch.setattr("cleverdon.stats.multiple_comparisons.BLOCK", 130)
    assert np.array_equal(once, found("randomised-tukey", values, draws=2000))


def test_both_agree_where_errors_are_normal() -> None:
    values = drawn(5, 6, 50)
    normal, randomised = found("tukey", values), found("randomised-tukey", values, draws=20_000)
    assert randomised == pytest.approx(normal, abs=0.02)


@pytest.mark.parametrize("test", ["tukey", "randomised-tukey"])
def test_one_false_alarm_among_all_pairs_is_as_rare_as_the_level(test: str) -> None:
    options = {"draws": 499} if test == "randomised-tukey" else {}
    families = 800
    smallest = []
    for seed in range(families):
        values = drawn(1000 + seed, 4, 12)
        smallest.append(float(found(test, values, **options).min()))
    assert_level(smallest, never_below=True)


@pytest.mark.parametrize("test", ["tukey", "randomised-tukey"])
def test_values_that_are_all_alike_show_nothing(test: str) -> None:
    assert np.all(found(test, np.full((3, 5), 0.2)) == 1)


def test_a_shift_without_error_is_as_sure_as_can_be() -> None:
    values = np.array([[0.1, 0.2, 0.3], [0.2, 0.3, 0.4], [0.1, 0.2, 0.3]])
    assert found("tukey", values) == pytest.approx(np.array([[1, 0, 1], [0, 1, 0], [1, 0, 1]]))


@pytest.mark.parametrize("test", ["tukey", "randomised-tukey"])
def test_p_values_are_of_all_pairs_and_not_corrected_again(test: str) -> None:
    result = compare(SCORES, baseline="bad", test=test)
    assert result.correction == "none"
    rr = np.nan_to_num(SCORES.values[:, 0])
    expected = found(test, rr)
    first = next(d for d in result.differences if str(d.measure) == "RR")
    assert first.p.p == first.corrected == expected[0, 1]
    assert isinstance(first.p, PValue)
    assert len(compare(SCORES, test=test).differences) == 6


def test_a_second_correction_is_refused() -> None:
    assert compare(SCORES, test="tukey", correction="none").correction == "none"
    with pytest.raises(OptionError, match="corrects for all pairs itself"):
        compare(SCORES, test="tukey", correction="holm")


def test_one_side_is_refused() -> None:
    with pytest.raises(OptionError, match="two-sided only"):
        compare(SCORES, test="tukey", alternative="greater")


def test_options_reach_the_test() -> None:
    result = compare(SCORES, test="randomised-tukey", options={"draws": 50})
    assert {d.p.draws for d in result.differences} == {50}
    with pytest.raises(OptionError, match="no option 'draws'"):
        compare(SCORES, test="tukey", options={"draws": 50})


def test_what_is_too_small_to_know_is_not_none() -> None:
    assert _studentised_range_tail(np.array([1000.0, np.inf]), systems=3, freedom=50).tolist() == [
        1e-11,
        0.0,
    ]


def test_dunnett_is_that_of_scipy_where_units_are_taken_out() -> None:
    """By the correlated normals of scipy: its own Dunnett's test is for groups without units."""
    values = drawn(7, 4, 12)
    values[2] += 0.9
    systems, units = values.shape
    centred = values - values.mean(axis=0)
    freedom = (systems - 1) * (units - 1)
    squares = np.sum((centred - centred.mean(axis=1, keepdims=True)) ** 2)
    means = values.mean(axis=1)
    t = np.abs(means[1:] - means[0]) / np.sqrt(2 * squares / freedom / units)
    shape = np.full((systems - 1,) * 2, 0.5) + 0.5 * np.eye(systems - 1)
    draws = stats.multivariate_t(shape=shape, df=freedom, seed=1).rvs(400_000)
    expected = (np.abs(draws).max(axis=1)[:, None] >= t).mean(axis=0)
    assert found("dunnett", values)[1:, 0] == pytest.approx(expected, abs=4 * (0.25 / 4e5) ** 0.5)


def test_tukey_is_that_of_statsmodels_where_units_are_taken_out() -> None:
    """statsmodels' q of the studentised range at the same degrees of freedom gives the reach."""
    multicomp = pytest.importorskip("statsmodels.stats.libqsturng")
    values = drawn(8, 5, 12)
    systems, units = values.shape
    centred = values - values.mean(axis=0)
    freedom = (systems - 1) * (units - 1)
    squares = np.sum((centred - centred.mean(axis=1, keepdims=True)) ** 2)
    q = multicomp.qsturng(0.95, systems, freedom)
    expected = q * np.sqrt(squares / freedom / units)
    # statsmodels interpolates in a table, to three digits or so.
    assert family_test("tukey", values).reach(0.05) == pytest.approx(expected, rel=2e-3)


@given(
    rows=st.integers(1, 3).flatmap(
        lambda count: st.lists(
            st.lists(st.integers(-3, 3), min_size=9, max_size=9), min_size=count, max_size=count
        )
    ),
    again=st.sampled_from([1, 3]),
)
def test_intervals_of_few_values_exclude_0_where_the_first_step_rejects(
    rows: list[list[int]], again: int
) -> None:
    """All signs are tried of 9 units, and 500 draws are made of 27."""
    differences = np.tile(np.array(rows) / 10, again)
    found = max_t(differences, draws=500)
    reach = found.reach(0.05)
    for row, corrected in zip(differences, found.corrected, strict=True):
        first = corrected == min(found.corrected)
        if first and row.any() and np.ptp(row) > 0:
            away = abs(row.mean()) / (row.std(ddof=1) / np.sqrt(len(row)))
            assert (away > reach) == (corrected <= 0.05)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_max_t_is_the_step_down_procedure_over_all_signs(alternative: str) -> None:
    """By enumeration: t of every sign, the largest of those not yet decided, and the quantile."""
    random = np.random.default_rng(3)
    way = {"two-sided": np.abs, "greater": np.positive, "less": np.negative}[alternative]
    sign = -1 if alternative == "less" else 1
    signs = np.array(list(product((-1, 1), repeat=10)))
    steps = 0
    for _ in range(20):
        rows = sign * random.normal([[1.5], [1.5], [1.2], [0.6]], 0.8, (4, 10))
        turned = signs[None] * rows[:, None]
        error = turned.std(axis=2, ddof=1) / np.sqrt(10)
        drawn = way(turned.mean(axis=2) / error)
        seen = way(stats.ttest_1samp(rows, 0, axis=1).statistic)
        order = np.argsort(-seen)
        expected, largest = np.zeros(4), 0.0
        for step, at in enumerate(order):
            share = (drawn[order[step:]].max(axis=0) >= seen[at] - 1e-9).mean()
            expected[at] = largest = max(largest, share)
        found = max_t(rows, alternative=alternative)
        assert found.corrected == pytest.approx(expected)
        alone = [(of >= t - 1e-9).mean() for of, t in zip(drawn, seen, strict=True)]
        assert [one.p for one in found.alone] == pytest.approx(alone)
        whole = np.sort(drawn.max(axis=0))[::-1]
        assert whole[54] - 1e-9 <= found.reach(0.05) <= whole[48] + 1e-9
        single = [(drawn.max(axis=0) >= t - 1e-9).mean() for t in seen]
        steps += sum(p <= 0.05 < q for p, q in zip(expected, single, strict=True))
    assert steps > 0  # some are decided by a later step only


def test_the_reach_lies_between_the_last_and_the_first_significant_value() -> None:
    """Ten equal differences but for signs: 8 of 10 alike have p = 0.109, 9 of 10 have 0.021."""
    found = max_t(np.array([[0.1] * 9 + [-0.1]]))
    t = {alike: (2 * alike - 10) / np.sqrt((100 - (2 * alike - 10) ** 2) / 9) for alike in (8, 9)}
    assert found.corrected == [22 / 1024]
    assert t[8] < found.reach(0.05) < t[9]
    # Two thirds of the way from 112 of 1024 to 22 of them: where the level of 51.2 lies.
    statistic = (6 + 2 * (112 - 51.2) / (112 - 22)) / np.sqrt(10)
    assert found.reach(0.05) == pytest.approx(statistic * np.sqrt(9 / (10 - statistic**2)))

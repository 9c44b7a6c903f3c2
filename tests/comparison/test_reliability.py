"""Replications against repro_eval and plain formulas; the discrimination of measures."""

from __future__ import annotations

import dataclasses
import math
import sys
from collections.abc import Mapping
from itertools import combinations
from math import isnan

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cleverdon import evaluate
from cleverdon.comparison.reliability import (
    _published_tau_union,
    discriminative_power,
    ranking_agreement,
    replicate,
    split_half,
    swap_rates,
)
from cleverdon.errors import MissingExtra, OptionError
from cleverdon.scores import Scores
from cleverdon.stats.correlation import kendall, kendall_union
from tests.comparison.made import made

QUERIES = [f"q{i}" for i in range(8)]

# Made with repro_eval 0.5.0, whose functions RMSE, ER, DRI, ttest and KTU were called with these
# very scores and rankings.
BASELINE = [0.349, 0.397, 0.418, 0.477, 0.396, 0.469, 0.112, 0.286]
ADVANCED = [0.535, 0.509, 0.593, 0.455, 0.463, 0.481, 0.198, 0.379]
BASELINE_AGAIN = [0.300, 0.369, 0.396, 0.519, 0.423, 0.435, 0.142, 0.250]
ADVANCED_AGAIN = [0.578, 0.478, 0.543, 0.536, 0.444, 0.463, 0.295, 0.460]
FIRST = {"q0": "cdbjig", "q1": "abejfh", "q2": "eaihfj", "q3": "cfdiah", "q4": "chdgbi"}
SECOND = {"q0": "afcidj", "q1": "efjabc", "q2": "fhjdgc", "q3": "bgjeha", "q4": "idcebf"}
KTU = {"q0": 7 / 15, "q1": -7 / 15, "q2": -1 / 3, "q3": -1 / 3, "q4": 1 / 3}


def made_of(values: Mapping[str, list[float]], measure: str = "AP", prefix: str = "q") -> Scores:
    """Scores of systems with these values."""
    count = len(next(iter(values.values())))
    qrels = {f"{prefix}{i}": {"a": 1} for i in range(count)}
    runs = {name: {query: {"a": 1.0} for query in qrels} for name in values}
    scores = evaluate(qrels, runs, measure)
    return dataclasses.replace(scores, values=np.array(list(values.values()))[:, None, :])


ORIGINAL = {"base": BASELINE, "new": ADVANCED}
AGAIN = {"base": BASELINE_AGAIN, "new": ADVANCED_AGAIN}


def test_against_repro_eval() -> None:
    (found,) = replicate(made_of(ORIGINAL), made_of(AGAIN), baseline="base", t_test=True)
    assert (found.system, str(found.measure), found.queries) == ("new", "AP", (8, 8))
    assert found.original == pytest.approx(np.mean(ADVANCED))
    assert found.replicated == pytest.approx(np.mean(ADVANCED_AGAIN))
    assert found.rmse == pytest.approx(0.059713901229110786)
    assert found.effect_ratio == pytest.approx(1.3582510578279265)
    assert found.delta_relative == pytest.approx(-0.09565639392578504)
    assert found.p == pytest.approx(0.30598573979579885)
    base, new = replicate(made_of(ORIGINAL), made_of(AGAIN), t_test=True)
    assert base.rmse == pytest.approx(0.034485504201040754)
    assert base.p == pytest.approx(0.5100395773676911)
    assert new.rmse == found.rmse
    assert math.isnan(new.effect_ratio)
    assert math.isnan(new.delta_relative)


def as_run(rankings: Mapping[str, str]) -> dict[str, dict[str, float]]:
    return {query: {doc: -float(i) for i, doc in enumerate(d)} for query, d in rankings.items()}


def test_rankings_against_repro_eval() -> None:
    found = ranking_agreement(as_run(FIRST), as_run(SECOND))
    assert found.coefficients["ktu"] == pytest.approx(KTU)
    assert found.means["ktu"] == pytest.approx(-1 / 15)
    again = ranking_agreement(as_run(FIRST), as_run(FIRST))
    assert again.means == pytest.approx({"tau_union": 1, "ktu": 1, "rbo": 1})


def test_the_published_tau_minds_the_names_of_documents_and_ours_does_not() -> None:
    apart = ranking_agreement(as_run({"q": "abc"}), as_run({"q": "xyz"}))
    assert apart.means["ktu"] == 1
    assert apart.means["tau_union"] < 0
    assert apart.means["rbo"] == 0
    renamed = ranking_agreement(as_run({"q": "abc"}), as_run({"q": "zyx"}))
    assert renamed.means["ktu"] == -1
    assert renamed.means["tau_union"] == apart.means["tau_union"]
    assert math.isnan(_published_tau_union(["a"], ["a", "b"]))
    uneven = ranking_agreement(as_run({"q": "abc"}), as_run({"q": "ab"}))
    assert math.isnan(uneven.means["ktu"])
    assert ranking_agreement(as_run({"q": "abc"}), as_run({"q": "ab"}), k=2).means["ktu"] == 1


letters = st.lists(st.sampled_from("abcdefgh"), min_size=1, unique=True)


@given(letters, letters)
def test_tau_over_the_union(a: list[str], b: list[str]) -> None:
    """As scipy has it, where what a ranking lacks stands below all that it has."""
    every = sorted({*a, *b})
    ranks = [[d.index(doc) if doc in d else len(d) for doc in every] for d in (a, b)]
    if len(every) < 2:
        assert math.isnan(kendall_union(a, b))
        return
    with np.errstate(invalid="ignore", divide="ignore"):
        wanted = scipy.stats.kendalltau(*ranks, variant="b").statistic
    assert kendall_union(a, b) == pytest.approx(wanted, abs=1e-12, nan_ok=True)
    if set(a) == set(b):
        assert kendall_union(a, b) == pytest.approx(kendall(a, b), nan_ok=True)


def test_other_queries_have_averages_only() -> None:
    shorter = {"base": BASELINE_AGAIN[:6], "new": ADVANCED_AGAIN[:6]}
    other = made_of(shorter, prefix="x")
    with pytest.raises(OptionError, match="queries='other' compares averages over others"):
        replicate(made_of(ORIGINAL), other)
    (found,) = replicate(made_of(ORIGINAL), other, baseline="base", queries="other", t_test=True)
    assert math.isnan(found.rmse)
    assert found.queries == (8, 6)
    gains = [np.mean(s["new"]) - np.mean(s["base"]) for s in (ORIGINAL, shorter)]
    assert found.effect_ratio == pytest.approx(gains[1] / gains[0])
    relative = [gains[0] / np.mean(BASELINE), gains[1] / np.mean(shorter["base"])]
    assert found.delta_relative == pytest.approx(relative[0] - relative[1])
    welch = scipy.stats.ttest_ind(ADVANCED, shorter["new"], equal_var=False).pvalue
    assert found.p == pytest.approx(welch)


def test_queries_are_paired_by_name() -> None:
    scores = made_of(AGAIN)
    order = np.random.default_rng(1).permutation(8)
    shuffled = dataclasses.replace(
        scores,
        queries=[scores.queries[q] for q in order],
        values=scores.values[:, :, order],
    )
    assert replicate(made_of(ORIGINAL), shuffled)[1].rmse == pytest.approx(0.059713901229110786)


def test_systems_may_have_other_names() -> None:
    renamed = made_of({"old": BASELINE_AGAIN, "ours": ADVANCED_AGAIN, "extra": BASELINE})
    names = {"base": "old", "new": "ours"}
    (found,) = replicate(made_of(ORIGINAL), renamed, baseline="base", names=names)
    assert found.effect_ratio == pytest.approx(1.3582510578279265)
    assert found.p is None
    with pytest.raises(OptionError, match="no system has the same name"):
        replicate(made_of(ORIGINAL), renamed)
    with pytest.raises(OptionError, match="there is no system 'their'"):
        replicate(made_of(ORIGINAL), renamed, names={"base": "their"})
    with pytest.raises(OptionError, match="two original systems"):
        replicate(made_of(ORIGINAL), renamed, names={"base": "old", "new": "old"})
    with pytest.raises(OptionError, match="there is no baseline 'bas' in both"):
        replicate(made_of(ORIGINAL), made_of(AGAIN), baseline="bas")


def test_what_is_undefined() -> None:
    flat = made_of({"base": BASELINE, "new": BASELINE})
    (found,) = replicate(flat, made_of(AGAIN), baseline="base")
    assert math.isnan(found.effect_ratio)  # there was no effect
    assert not math.isnan(found.delta_relative)
    nothing = made_of({"base": [0.0] * 8, "new": ADVANCED})
    (found,) = replicate(nothing, made_of(AGAIN), baseline="base")
    assert math.isnan(found.delta_relative)  # relative to nothing
    (same, _) = replicate(made_of(ORIGINAL), made_of(ORIGINAL), t_test=True)
    assert (same.rmse, same.p) == (0, 1)
    one = made_of({"base": [0.5], "new": [0.7]})
    assert replicate(one, one)[0].rmse == 0
    with pytest.raises(OptionError, match="at least 2 units, such as queries"):
        replicate(one, one, t_test=True)
    constant = [made_of({"a": [value] * 3}) for value in (0.5, 0.5, 0.6)]
    ps = [replicate(constant[0], c, queries="other", t_test=True)[0].p for c in constant[1:]]
    assert ps == [1, 0]


def test_counts_are_compared_by_their_means() -> None:
    few, many = (made_of({"base": [1.0] * n, "new": [3.0] * n}, "NumRet", f"{n}x") for n in (2, 4))
    (found,) = replicate(few, many, baseline="base", queries="other")
    assert found.effect_ratio == 1
    assert (found.original, found.replicated) == (6, 12)


def test_scipy_is_needed_for_the_test_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    assert replicate(made_of(ORIGINAL), made_of(AGAIN))[0].p is None
    with pytest.raises(MissingExtra, match=r"cleverdon\[stats\]"):
        replicate(made_of(ORIGINAL), made_of(AGAIN), t_test=True)


QUERY_COUNT = 24


def scored() -> Scores:
    """Six systems, each a little better than the one before."""
    random = np.random.default_rng(1)
    qrels = {f"q{i:02}": dict.fromkeys("abc", 1) for i in range(QUERY_COUNT)}
    runs = {
        f"s{s}": {
            q: {d: random.random() + 0.1 * s * (d in "abc") for d in "abcdefgh"} for q in qrels
        }
        for s in range(6)
    }
    return evaluate(qrels, runs, ["AP", "P@1"])


SCORES = scored()


def test_discriminative_power_by_the_t_test() -> None:
    for m, found in enumerate(discriminative_power(SCORES, test="t", level=0.1)):
        values = SCORES.values[:, m]
        p = [stats.ttest_rel(values[a], values[b]).pvalue for a, b in combinations(range(6), 2)]
        assert found.pairs == 15
        assert found.significant == sum(one <= 0.1 for one in p)
        assert found.share == found.significant / 15
    ap, first = discriminative_power(SCORES)
    assert ap.share > first.share
    corrected = discriminative_power(SCORES, measures="AP", correction="holm")
    assert corrected[0].significant <= ap.significant


def test_tukeys_tests_correct_for_themselves() -> None:
    (found,) = discriminative_power(SCORES, measures="AP", test="tukey")
    (plain,) = discriminative_power(SCORES, measures="AP", test="t")
    assert 0 < found.significant <= plain.significant
    with pytest.raises(OptionError, match="corrects for all pairs itself"):
        discriminative_power(SCORES, test="tukey", correction="holm")


def test_swaps_are_counted_as_by_hand() -> None:
    found = swap_rates(SCORES, queries=5, trials=7, width=0.02, bins=4, seed=3)
    random = np.random.default_rng(3)
    compared, swapped = np.zeros((2, 2, 4), dtype=int)
    for _ in range(7):
        drawn = random.permutation(QUERY_COUNT)
        for m in range(2):
            values = SCORES.values[:, m]
            one, other = values[:, drawn[:5]].mean(axis=1), values[:, drawn[5:10]].mean(axis=1)
            for a, b in combinations(range(6), 2):
                place = min(int(abs(one[a] - one[b]) / 0.02 + 1e-9), 3)
                compared[m, place] += 1
                swapped[m, place] += (one[a] - one[b]) * (other[a] - other[b]) < 0
    for m in range(2):
        assert found[m].compared.tolist() == compared[m].tolist()
        assert found[m].swapped.tolist() == swapped[m].tolist()
        assert found[m].rate == swapped[m].sum() / compared[m].sum()
    assert found[0].edges.tolist() == pytest.approx([0, 0.02, 0.04, 0.06])


def test_swaps_are_fewer_with_more_queries_and_larger_differences() -> None:
    few, many = (swap_rates(SCORES, measures="AP", queries=n, trials=200)[0] for n in (3, 12))
    assert many.rate < few.rate
    assert many.rates[0] > many.rates[10]
    trusted = many.trusted_from(0.05)
    assert np.nanmax(many.rates[many.edges >= trusted - 1e-12]) <= 0.05
    assert many.trusted_from(1.0) == 0


def test_systems_that_never_swap() -> None:
    qrels = {f"q{i}": {"a": 1} for i in range(8)}
    runs = {"good": {q: {"a": 1.0} for q in qrels}, "bad": {q: {"b": 1.0} for q in qrels}}
    scores = evaluate(qrels, runs, "RR")
    (found,) = swap_rates(scores)
    assert found.rate == 0
    assert found.trusted_from() == pytest.approx(0.2)  # all pairs are in the last, open bin
    assert isnan(found.rates[0])
    (stability,) = split_half(scores)
    assert (stability.tau, stability.low, stability.high) == (1, 1, 1)
    (even,) = split_half(evaluate(qrels, {"x": runs["bad"], "y": runs["bad"]}, "RR"))
    assert isnan(even.tau)


def test_split_halves_against_scipy() -> None:
    for m, found in enumerate(split_half(SCORES, trials=30, seed=5)):
        random = np.random.default_rng(5)
        taus = []
        for _ in range(30):
            drawn = random.permutation(QUERY_COUNT)
            halves = SCORES.values[:, m][:, drawn].reshape(6, 2, -1).mean(axis=2).round(12)
            taus.append(stats.kendalltau(halves[:, 0], halves[:, 1]).statistic)
        assert found.queries == 12
        assert found.tau == pytest.approx(np.mean(taus))
        assert (found.low, found.high) == pytest.approx(tuple(np.quantile(taus, [0.05, 0.95])))


def test_what_cannot_be_told() -> None:
    with pytest.raises(OptionError, match="at most 12 each"):
        swap_rates(SCORES, queries=13)
    with pytest.raises(OptionError, match="all must be above 0"):
        swap_rates(SCORES, trials=0)
    with pytest.raises(OptionError, match="level=2"):
        discriminative_power(SCORES, level=2)
    single = evaluate({"q": {"a": 1}}, {"x": {"q": {"a": 1.0}}}, "RR")
    with pytest.raises(OptionError, match="only one system"):
        split_half(single)
    double = evaluate({"q": {"a": 1}}, {n: {"q": {"a": 1.0}} for n in "xy"}, "RR")
    with pytest.raises(OptionError, match="only one query"):
        split_half(double)


def test_rounding_is_no_swap() -> None:
    random = np.random.default_rng(3)
    queries = list(random.choice([0.1, 0.2, 0.7], size=24))
    nearly = list(np.array(queries) + random.choice([-1, 1], 24) * 1e-16)
    (found,) = swap_rates(made({"one": {"AP": queries}, "two": {"AP": nearly}}))
    assert found.rate == 0

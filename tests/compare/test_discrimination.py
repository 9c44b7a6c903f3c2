"""How well measures tell systems apart."""

from __future__ import annotations

from itertools import combinations
from math import isnan

import numpy as np
import pytest
from scipy import stats

from cleverdon import evaluate
from cleverdon.compare.discrimination import discriminative_power, split_half, swap_rates
from cleverdon.errors import OptionError
from cleverdon.scores import Scores
from tests.compare.made import made

TOPICS = 24


def scored() -> Scores:
    """Six systems, each a little better than the one before."""
    random = np.random.default_rng(1)
    qrels = {f"q{i:02}": dict.fromkeys("abc", 1) for i in range(TOPICS)}
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
    found = swap_rates(SCORES, topics=5, trials=7, width=0.02, bins=4, seed=3)
    random = np.random.default_rng(3)
    compared, swapped = np.zeros((2, 2, 4), dtype=int)
    for _ in range(7):
        drawn = random.permutation(TOPICS)
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


def test_swaps_are_fewer_with_more_topics_and_larger_differences() -> None:
    few, many = (swap_rates(SCORES, measures="AP", topics=n, trials=200)[0] for n in (3, 12))
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
            drawn = random.permutation(TOPICS)
            halves = SCORES.values[:, m][:, drawn].reshape(6, 2, -1).mean(axis=2).round(12)
            taus.append(stats.kendalltau(halves[:, 0], halves[:, 1]).statistic)
        assert found.topics == 12
        assert found.tau == pytest.approx(np.mean(taus))
        assert (found.low, found.high) == pytest.approx(tuple(np.quantile(taus, [0.05, 0.95])))


def test_what_cannot_be_told() -> None:
    with pytest.raises(OptionError, match="have none in common"):
        swap_rates(SCORES, topics=13)
    with pytest.raises(OptionError, match="all are above 0"):
        swap_rates(SCORES, trials=0)
    with pytest.raises(OptionError, match="level=2"):
        discriminative_power(SCORES, level=2)
    single = evaluate({"q": {"a": 1}}, {"x": {"q": {"a": 1.0}}}, "RR")
    with pytest.raises(OptionError, match="only one system"):
        split_half(single)
    double = evaluate({"q": {"a": 1}}, {n: {"q": {"a": 1.0}} for n in "xy"}, "RR")
    with pytest.raises(OptionError, match="only one topic"):
        split_half(double)


def test_rounding_is_no_swap() -> None:
    random = np.random.default_rng(3)
    topics = list(random.choice([0.1, 0.2, 0.7], size=24))
    nearly = list(np.array(topics) + random.choice([-1, 1], 24) * 1e-16)
    (found,) = swap_rates(made({"one": {"AP": topics}, "two": {"AP": nearly}}))
    assert found.rate == 0

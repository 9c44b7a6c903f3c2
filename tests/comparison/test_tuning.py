"""Settings chosen on some queries and scored on others."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cleverdon import Scores, evaluate
from cleverdon.comparison.splits import (
    Splits,
    hold_out,
    k_fold,
    write_splits,
)
from cleverdon.comparison.tuning import Tuning, tune, tune_scores
from cleverdon.errors import OptionError
from cleverdon.scores import average
from tests.stats.null import assert_level


def made(values: np.ndarray, measure: str = "AP", **how: str) -> Scores:
    """Scores with these values: settings x queries."""
    qrels = {f"q{i:03}": {"a": 1} for i in range(values.shape[1])}
    runs = {f"s{s}": {query: {"a": 1.0} for query in qrels} for s in range(len(values))}
    return dataclasses.replace(evaluate(qrels, runs, measure, **how), values=values[:, None, :])


def plain(scores: Scores, splits: Splits) -> tuple[list[str], float]:
    """What each fold chooses, and the held-out score, one by one."""
    measure = scores.measures[0]
    sign = -1 if measure.better == "lower" else 1
    chosen, by_repeat = [], []
    for repeat in range(1, splits.repeats + 1):
        held: dict[str, float] = {}
        for fold in splits.folds:
            if fold.repeat != repeat:
                continue
            best, best_merit = "", -np.inf
            for system in scores.systems:
                of = scores.per_query(system, measure)
                merit = sign * average(measure, np.array([of[query] for query in fold.train]))
                if merit > best_merit + 1e-9:
                    best, best_merit = system, merit
            chosen.append(best)
            held |= {query: scores.per_query(best, measure)[query] for query in fold.test}
        in_order = [held[query] for query in scores.queries if query in held]
        by_repeat.append(average(measure, np.array(in_order)))
    return chosen, float(np.mean(by_repeat))


@given(
    st.integers(2, 6),
    st.integers(4, 20),
    st.integers(0, 10_000),
    st.sampled_from(["AP", "Fallout", "GMAP", "NumRelRet"]),
    st.sampled_from(["hold-out", "k-fold", "repeated"]),
)
def test_against_a_plain_loop(
    settings: int, queries: int, seed: int, measure: str, kind: str
) -> None:
    values = np.random.default_rng(seed).integers(0, 5, size=(settings, queries)) / 4
    scores = made(values, measure)
    if kind == "hold-out":
        splits = hold_out(scores.queries, share=0.4, seed=seed)
    else:
        splits = k_fold(scores.queries, folds=3, repeats=1 + (kind == "repeated"), seed=seed)
    found = tune_scores(scores, folds=splits)
    chosen, score = plain(scores, splits)
    assert [choice.setting for choice in found.choices] == chosen
    assert found.score == pytest.approx(score)
    assert found.optimism >= -1e-9
    assert sum(found.chosen.values()) == len(splits.folds)
    tested = {query for fold in splits.folds for query in fold.test}
    assert found.held_out.keys() == tested
    if kind != "hold-out":
        # The best on all is the best of the averages that everybody sees.
        sign = -1 if scores.measures[0].better == "lower" else 1
        assert sign * found.best_score == pytest.approx((sign * scores.means[:, 0]).max())
        assert found.optimism == pytest.approx(sign * (found.best_score - found.score))


def test_a_fold_tells_what_it_saw() -> None:
    values = np.array([[0.2, 0.2, 0.2, 0.8], [0.5, 0.5, 0.1, 0.1]])
    (fold,) = hold_out(["q000", "q001", "q002", "q003"], share=0.5, seed=0).folds
    splits = Splits(
        "hold-out", 0, (dataclasses.replace(fold, train=("q000", "q001"), test=("q002", "q003")),)
    )
    found = tune_scores(made(values), folds=splits)
    (choice,) = found.choices
    assert (choice.setting, choice.train, choice.test) == ("s1", 0.5, pytest.approx(0.1))
    assert (choice.train_queries, choice.test_queries, choice.tied) == (2, 2, ())
    assert found.score == pytest.approx(0.1)
    # In hindsight, on the same two queries.
    assert (found.best, found.best_score) == ("s0", pytest.approx(0.5))
    assert found.optimism == pytest.approx(0.4)


def test_ties_go_to_the_setting_given_first() -> None:
    values = np.array([[0.1, 0.2, 0.3, 0.4], [0.4, 0.3, 0.2, 0.1], [0.25] * 4])
    found = tune_scores(made(values), folds=2)
    assert found.best == "s0"
    equal = tune_scores(made(np.full((3, 6), 0.3)), folds=3)
    assert {choice.setting for choice in equal.choices} == {"s0"}
    assert {choice.tied for choice in equal.choices} == {("s1", "s2")}
    assert "tied         in 3 folds: of settings that are equally good" in str(equal)


def test_the_held_out_score_is_honest_and_the_best_one_is_not() -> None:
    """Forty settings that are alike: whichever is chosen, new queries give 0.5."""
    random = np.random.default_rng(5)
    scores = made(np.zeros((40, 20)))
    found = [
        tune_scores(dataclasses.replace(scores, values=random.random((40, 1, 20))), folds=5)
        for _ in range(150)
    ]
    honest = np.array([one.score for one in found])
    best = np.array([one.best_score for one in found])
    error = honest.std(ddof=1) / np.sqrt(len(honest))
    assert abs(honest.mean() - 0.5) < 4 * error
    assert best.mean() > 0.6


def test_it_says_what_it_found() -> None:
    values = np.array([[0.2] * 9 + [0.9], [0.3] * 10])
    found = tune_scores(made(values), folds=5, seed=1)
    assert str(found).split("\n") == [
        "AP, 2 settings; k-fold, 5 folds: 2 of 10 queries for testing (seed 1)",
        f"  held out     {found.score:.4f}  each query by the setting chosen without it",
        "  best on all  0.3000  s1, on the queries it was chosen on: optimistic by "
        f"{0.3 - found.score:.4f}",
        "  chosen       s1 in 5 of 5 folds",
    ]
    again = tune_scores(made(values), folds=5, repeats=3, seed=1)
    assert "over 3 repeats)" in str(again)
    assert len(again.repeat_scores) == 3
    assert isinstance(again, Tuning)


def test_runs_are_evaluated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def counted(*arguments: object, **how: object) -> Scores:
        calls.append(how)
        return evaluate(*arguments, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(sys.modules["cleverdon.comparison.tuning"], "evaluate", counted)
    qrels = {f"q{i}": {"a": 1} for i in range(6)}
    good = {query: {"a": 2.0, "b": 1.0} for query in qrels}
    poor = {query: {"a": 1.0, "b": 2.0} for query in qrels}
    found = tune({0.4: poor, 0.8: good}, qrels, "RR", folds=3, repeats=4, ties="ascending")
    assert calls == [{"ties": "ascending"}]
    assert (found.best, found.score) == ("0.8", 1.0)
    assert found.chosen == {"0.8": 12}


def test_splits_of_a_file(tmp_path: Path) -> None:
    scores = made(np.random.default_rng(1).random((3, 10)))
    splits = k_fold(scores.queries, folds=5, seed=9)
    write_splits(splits, tmp_path / "splits.json")
    assert tune_scores(scores, folds=tmp_path / "splits.json") == tune_scores(
        scores, folds=5, seed=9
    )


def test_queries_left_out_for_one_are_left_out_for_all() -> None:
    values = np.random.default_rng(2).random((2, 8))
    values[0, 3] = np.nan
    scores = made(values, undefined="skip")
    found = tune_scores(scores, folds=k_fold(scores.queries, folds=4))
    assert len(found.held_out) == 7
    assert tune_scores(scores, folds=4).held_out.keys() == found.held_out.keys()
    with pytest.raises(OptionError, match="has no query to test on that all settings have"):
        tune_scores(scores, folds=k_fold(scores.queries, folds=8))
    counted_as_worst = tune_scores(made(values), folds=4)
    assert len(counted_as_worst.held_out) == 8


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"folds": 11}, "from 2 to 10 folds"),
        ({"folds": k_fold(["q000", "x"], folds=2)}, "query 'x' of the splits has no judgments"),
        ({"folds": k_fold(["q000", "q001"], folds=2)}, "is in no fold of the splits"),
        ({"folds": k_fold(["q000", "q001"], folds=2), "repeats": 2}, "splits have their own"),
        ({"measure": "RR"}, "RR was not evaluated"),
    ],
)
def test_what_cannot_be_tuned(options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError) as raised:
        tune_scores(made(np.random.default_rng(3).random((2, 10))), **options)  # type: ignore[arg-type]
    assert message in str(raised.value)


def test_settings_that_cannot_be_told_apart() -> None:
    one = made(np.ones((1, 4)))
    with pytest.raises(OptionError, match="there is only one setting, 's0'"):
        tune_scores(one, folds=2)
    with pytest.raises(OptionError, match="no better and worse to choose by"):
        tune_scores(made(np.ones((2, 4)), "NumRet"), folds=2)
    run = {"q1": {"a": 1.0}}
    with pytest.raises(OptionError, match="two settings have the same name"):
        tune({1: run, "1": run}, {"q1": {"a": 1}}, "AP")
    both = evaluate({"q1": {"a": 1}}, {"x": run, "y": run}, "AP RR")
    with pytest.raises(OptionError, match="chosen by one measure"):
        tune_scores(both, folds=2)
    far = made(np.array([[1, 2, 3, np.nan]] * 2), "SearchLength")
    with pytest.raises(OptionError, match=r"\(undefined='skip'\) leaves such queries out"):
        tune_scores(far, folds=2)


TEMPLATE = made(np.zeros((10, 50)))


def against_first(values: np.ndarray, folds: int | Splits) -> tuple[float, float]:
    """The p-value of tuning against the first setting, and that of a plain t test."""
    scores = dataclasses.replace(TEMPLATE, values=values[:, None, :])
    found = tune_scores(scores, folds=folds, settings=scores.systems, baseline="s0")
    assert found.versus is not None
    held = np.array([found.held_out[query] for query in found.held_out])
    base = np.array([scores.per_query("s0", "AP")[query] for query in found.held_out])
    plain = stats.ttest_1samp(held - base, 0).pvalue if (held != base).any() else 1.0
    return found.versus.p, float(plain)


def test_the_corrected_test_keeps_its_level_where_the_plain_one_does_not() -> None:
    """Ten settings that are equally good, one of them the baseline, in 5 folds; and a hold-out."""
    random = np.random.default_rng(21)
    half = hold_out(TEMPLATE.queries, share=0.5)
    corrected, plain, held = [], [], []
    for _ in range(500):
        values = random.normal(size=(10, 50))
        ours, theirs = against_first(values, 5)
        corrected.append(ours)
        plain.append(theirs)
        held.append(against_first(values, half)[0])
    assert_level(corrected, never_below=False)
    assert_level(held, never_below=False)
    assert np.mean(np.array(plain) <= 0.05) > 0.08


def test_the_difference_from_a_baseline_by_hand() -> None:
    random = np.random.default_rng(5)
    values = random.normal(size=(10, 50))
    scores = dataclasses.replace(TEMPLATE, values=values[:, None, :])
    found = tune_scores(scores, folds=5, baseline="s3")
    assert found.versus is not None
    assert "s3" not in found.settings
    base = scores.per_query("s3", "AP")
    rows = np.array([found.held_out[query] - base[query] for query in scores.queries])
    error = rows.std(ddof=1) * (1 / 50 + 1 / 40) ** 0.5
    assert found.versus.difference == pytest.approx(rows.mean())
    assert found.versus.p == pytest.approx(2 * stats.t.sf(abs(rows.mean() / error), 49))
    ends = stats.t.interval(0.95, 49, rows.mean(), error)
    assert (found.versus.interval.low, found.versus.interval.high) == pytest.approx(ends)
    assert found.to_dict()["versus"]["method"] == "corrected t"
    assert "t test corrected for shared training queries" in str(found)
    split = hold_out(scores.queries, share=0.4)
    alone = tune_scores(scores, folds=split, baseline="s3").versus
    assert alone is not None
    (choice,) = tune_scores(scores, folds=split, baseline="s3").choices
    pairs = [
        [scores.per_query(name, "AP")[query] for query in split.folds[0].test]
        for name in (choice.setting, "s3")
    ]
    assert alone.p == pytest.approx(stats.ttest_rel(*pairs).pvalue)
    assert (alone.method, alone.queries) == ("t", 20)


def test_a_baseline_may_be_another_run() -> None:
    qrels = {f"q{i}": {"a": 1} for i in range(6)}
    good = {query: {"a": 2.0, "b": 1.0} for query in qrels}
    poor = {query: {"a": 1.0, "b": 2.0} for query in qrels}
    found = tune({"x": poor, "y": good}, qrels, "RR", folds=3, baseline=poor | {"q0": good["q0"]})
    assert found.versus is not None
    assert found.versus.difference == pytest.approx(2.5 / 6)
    assert found.settings == ("x", "y")
    same = tune({"x": poor, "y": good}, qrels, "RR", folds=3, baseline="y")
    assert same.versus is not None
    assert same.versus.p == 1.0


def test_what_cannot_be_tested_against_a_baseline() -> None:
    scores = dataclasses.replace(TEMPLATE, values=np.ones((10, 1, 50)))
    with pytest.raises(OptionError, match="10 folds at most"):
        tune_scores(scores, folds=11, baseline="s0")
    with pytest.raises(OptionError, match="there is no system 's99'"):
        tune_scores(scores, folds=5, baseline="s99")
    with pytest.raises(OptionError, match="one test query"):
        tune_scores(scores, folds=hold_out(scores.queries, share=0.02), baseline="s0")
    with pytest.raises(OptionError, match="GMAP is no mean"):
        tune_scores(made(np.ones((3, 9)), "GMAP"), folds=3, baseline="s0")


def test_the_confidence_is_that_of_the_interval() -> None:
    random = np.random.default_rng(3)
    scores = made(random.uniform(size=(3, 20)))
    narrow, wide = (
        tune_scores(scores, folds=4, settings=("s0", "s1"), baseline="s2", confidence=share)
        for share in (0.9, 0.99)
    )
    assert narrow.versus is not None
    assert wide.versus is not None
    assert (narrow.versus.p, narrow.versus.interval.confidence) == (wide.versus.p, 0.9)
    halves = [one.versus.interval.high - one.versus.difference for one in (narrow, wide)]
    quantiles = [stats.t.ppf((1 + share) / 2, 19) for share in (0.9, 0.99)]
    assert halves[1] / halves[0] == pytest.approx(quantiles[1] / quantiles[0])
    with pytest.raises(OptionError, match="confidence"):
        tune_scores(scores, folds=4, baseline="s2", confidence=1.0)

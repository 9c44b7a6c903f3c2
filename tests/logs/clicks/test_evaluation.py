"""How well models predict clicks that they have not seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cleverdon.errors import OptionError
from cleverdon.logs.clicks.base import Prior
from cleverdon.logs.clicks.evaluation import (
    _evaluate_prediction,
    _split_lists,
    compare_held_out,
    simulate_clicks,
)
from cleverdon.logs.clicks.models import CM, PBM
from cleverdon.logs.clicks.result_lists import ResultLists
from tests.logs.clicks.made import BY_EM, pages, truth


@pytest.mark.parametrize("name", BY_EM)
def test_perplexity_of_the_truth_is_the_entropy(name: str) -> None:
    """A model that knows the truth is as perplexed as chance itself: exp of the entropy.

    Over many lists with the same documents in the same order, the clicks at a rank are coins with
    one probability p, and -p log p - (1 - p) log(1 - p) is the entropy of each.
    """
    model, true = truth(name)
    one = pages(1)
    rows = np.repeat(np.arange(len(one.pair)), 40_000)
    many = ResultLists.from_rows(
        one.pairs,
        list=np.tile(np.arange(40_000), len(one.pair)),
        rank=one.rank[rows],
        pair=one.pair[rows],
        clicked=np.zeros(len(rows), dtype=bool),
    )
    many = simulate_clicks(model, true, many, seed=5)
    fitted = replace(model.fit(one), parameters=true)
    found = _evaluate_prediction(fitted, many)
    p = model.marginal(true, one)
    entropy = -p * np.log(p) - (1 - p) * np.log(1 - p)
    # The standard error of a mean log over 40,000 coins is below 0.005.
    assert list(found.perplexity_at.values()) == pytest.approx(np.exp(entropy), abs=0.03)
    assert found.perplexity == pytest.approx(np.mean(list(found.perplexity_at.values())))
    # Given the clicks above, less is left to chance.
    assert found.log_likelihood >= -entropy.sum() * many.lists * 1.01


def test_by_hand() -> None:
    shown = ResultLists.from_lists([("q", ["a", "b"], ["a"]), ("q", ["a"], [])])
    fitted = PBM().fit(shown, prior=Prior(0, 0), others=Prior(0, 0))
    sure = replace(
        fitted,
        parameters=replace(
            fitted.parameters,
            attraction=np.array([0.8, 0.5]),
            examination=np.array([0.0, 1.0, 0.5]),
        ),
    )
    found = _evaluate_prediction(sure, shown)
    assert found.log_likelihood == pytest.approx(np.log(0.8 * 0.2 * 0.75))
    assert found.perplexity_at[1] == pytest.approx((0.8 * 0.2) ** -0.5)
    assert found.perplexity_at[2] == pytest.approx(1 / 0.75)
    # Two results at rank 1, and one at rank 2.
    assert found.perplexity == pytest.approx((2 * (0.8 * 0.2) ** -0.5 + 1 / 0.75) / 3)
    assert found.per_list == pytest.approx(found.log_likelihood / 2)
    assert (found.lists, found.results, found.unseen, found.impossible) == (2, 3, 0, 0)


def test_the_impossible_is_counted() -> None:
    shown = ResultLists.from_lists([("q", ["a", "b"], ["a", "b"])])
    found = _evaluate_prediction(CM().fit(shown), shown)
    assert found.impossible == 1
    assert np.isfinite(found.log_likelihood)


def test_users_stay_together() -> None:
    users = [f"u{number % 20}" for number in range(100)]
    shown = ResultLists.from_lists([("q", ["a", "b"], [])] * 100, users=users)
    train, test = _split_lists(shown, share=0.25, seed=3)
    assert train.user is not None
    assert test.user is not None
    assert (train.lists, test.lists) == (75, 25)
    assert not set(train.user.tolist()) & set(test.user.tolist())
    again = _split_lists(shown, share=0.25, seed=3)[1]
    assert again.user is not None
    assert again.user.tolist() == test.user.tolist()
    by_list = _split_lists(shown, share=0.25, seed=3, by="list")[1]
    assert by_list.user is not None
    assert len(set(by_list.user.tolist())) > 5


def test_unknown_users_stand_alone() -> None:
    shown = ResultLists.from_lists([("q", ["a"], [])] * 40)
    unknown = replace(shown, user=np.array([0] * 10 + [-1] * 30))
    train, test = _split_lists(unknown, share=0.5)
    assert train.lists + test.lists == 40
    assert train.user is not None
    assert test.user is not None
    assert {-1} == set(train.user.tolist()) & set(test.user.tolist())


def test_splits_that_cannot_be() -> None:
    shown = ResultLists.from_lists([("q", ["a"], [])] * 2)
    for share in (0.0, 1.0, float("nan")):
        with pytest.raises(OptionError, match="the share to hold out is between 0 and 1"):
            _split_lists(shown, share=share)
    with pytest.raises(OptionError, match=r"a share of 0.01 of 2 lists leaves none to test on"):
        _split_lists(shown, share=0.01)
    with pytest.raises(OptionError, match=r"a share of 0.99 of 2 lists leaves none to fit on"):
        _split_lists(shown, share=0.99)
    one = ResultLists.from_lists([("q", ["a"], [])] * 2, users=["ann", "ann"])
    with pytest.raises(OptionError, match=r"of the only user leaves none .*--held-out 0 for"):
        _split_lists(one)
    with pytest.raises(OptionError, match="the users of the lists are unknown"):
        _split_lists(shown, by="user")
    with pytest.raises(OptionError, match="by='query' is not known"):
        _split_lists(shown, by="query")  # type: ignore[arg-type]


def test_pairs_not_seen_are_counted() -> None:
    train = ResultLists.from_lists([("q", ["a"], ["a"])] * 3)
    test = ResultLists.from_lists([("q", ["a", "b"], []), ("r", ["a"], [])])
    assert _evaluate_prediction(PBM().fit(train), test).unseen == 2


def test_models_are_fitted_on_the_others_only() -> None:
    steps: list[str] = []
    model, true = truth("PBM")
    shown = simulate_clicks(model, true, pages(200), seed=1)
    found = compare_held_out(
        [CM(), PBM()], shown, share=0.3, seed=2, progress=lambda step, *_: steps.append(step)
    )
    assert found[0].log_likelihood >= found[1].log_likelihood
    assert {one.lists for one in found} == {60}
    assert set(steps) == {"fitting PBM"}  # the cascade needs no iterations
    train, test = _split_lists(shown, share=0.3, seed=2)
    again = _evaluate_prediction(PBM().fit(train), test)
    assert again in found

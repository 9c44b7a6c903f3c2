from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon import evaluate
from cleverdon.errors import OptionError
from cleverdon.pool import depth_pool, gather, probability_pool, stratified_pool
from cleverdon.pool.judged import judged_pool
from cleverdon.pool.sampled import inclusion, systematic
from tests.pool.made import collection

STRATA = [(5, 1.0), (20, 0.4), (50, 0.1)]


def test_strata_by_best_rank_and_shares_of_them() -> None:
    _, runs = collection(topics=3)
    found = gather(runs)
    pool = stratified_pool(found, strata=STRATA)
    assert pool.stratum is not None
    assert pool.probability is not None
    for topic, at in pool.rows():
        best = min(pool.contributions(at).values())
        assert pool.stratum[at] == 1 + (best > 5) + (best > 20), topic
    topics = np.repeat(np.arange(3), np.diff(pool.starts))
    for topic_number in range(3):
        for stratum, (_, share) in enumerate(STRATA, start=1):
            rows = (topics == topic_number) & (pool.stratum == stratum)
            drawn = int(pool.drawn[rows].sum())
            assert drawn == max(1, int(np.floor(share * rows.sum() + 0.5)))
            assert pool.probability[rows] == pytest.approx(drawn / rows.sum())


def test_of_a_small_stratum_one_is_drawn_at_least() -> None:
    pool = stratified_pool(gather({"a": {"q": {"d1": 3, "d2": 2}}}), strata=[(1, 1), (2, 0.01)])
    assert pool.drawn.all()


@given(
    weights=st.lists(st.floats(0, 100), min_size=1, max_size=30).filter(lambda w: max(w) > 1e-3),
    budget=st.integers(1, 30),
    seed=st.integers(0, 1000),
)
def test_samples_keep_the_budget_and_its_bounds(
    weights: list[float], budget: int, seed: int
) -> None:
    given_ = np.array(weights)
    shares = inclusion(given_, budget)
    assert (shares >= 0).all()
    assert (shares <= 1).all()
    expected = min(budget, int((given_ > 0).sum()))
    assert shares.sum() == pytest.approx(expected)
    assert systematic(shares, np.random.default_rng(seed)).sum() == expected


def test_documents_are_drawn_with_the_probability_that_is_said() -> None:
    shares = inclusion(np.array([8.0, 4.0, 2.0, 1.0, 1.0, 0.5, 0.5]), 3)
    random = np.random.default_rng(1)
    draws = 4000
    rate = sum(systematic(shares, random).astype(float) for _ in range(draws)) / draws
    # Five standard deviations of a share of so many draws.
    assert rate == pytest.approx(shares, abs=5 * np.sqrt(0.25 / draws))
    assert rate[0] == shares[0] == 1


def truth(
    qrels: dict[str, dict[str, float]], runs: dict[str, dict[str, dict[str, float]]]
) -> float:
    """The mean AP of a run by the judgments of the whole pool, which is what samples estimate."""
    pool: dict[str, dict[str, float]] = {topic: {} for topic in qrels}
    for topic, doc in depth_pool(gather(runs), k=50).sheet():
        pool[topic][doc] = qrels[topic][doc]
    return evaluate(pool, {"s00": runs["s00"]}, "AP").mean("s00", "AP")


@pytest.mark.parametrize(
    ("method", "kind", "measure"),
    [("stratified", "strata", "xinfAP"), ("probability", "sampled", "statAP")],
)
def test_estimates_from_samples_are_near_the_whole(method: str, kind: str, measure: str) -> None:
    qrels, runs = collection(topics=20, noise=0.5)
    pool_runs = gather(runs)
    estimates = []
    for seed in range(6):
        if method == "stratified":
            pool = stratified_pool(pool_runs, strata=STRATA, seed=seed)
        else:
            pool = probability_pool(pool_runs, budget=60, seed=seed)
        drawn: dict[str, dict[str, float]] = {topic: {} for topic in pool.topics}
        for topic, doc in pool.sheet():
            drawn[topic][doc] = qrels[topic][doc]
        judgments = judged_pool(pool, drawn, kind=kind).judgments
        estimates.append(evaluate(judgments, {"s00": runs["s00"]}, measure).mean("s00", measure))
    error = np.std(estimates, ddof=1) / np.sqrt(len(estimates))
    assert np.mean(estimates) == pytest.approx(truth(qrels, runs), abs=max(4 * error, 0.02))


def test_what_cannot_be() -> None:
    found = gather({"a": {"q": {"d1": 3, "d2": 2}}}, depth=2)
    for strata, message in (
        ([], "there is at least one"),
        ([(5, 0.5), (5, 1)], "deeper than the one before"),
        ([(1, 0)], "above 0 and at most 1"),
        ([(0, 1)], "whole number from 1 on"),
        ([(3, 1)], "gathered down to 2 only"),
    ):
        with pytest.raises(OptionError, match=message):
            stratified_pool(found, strata=strata)
    with pytest.raises(OptionError, match="is an order and no weight"):
        probability_pool(found, budget=1, by="depth")

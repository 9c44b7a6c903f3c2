from __future__ import annotations

import itertools
import tempfile
from pathlib import Path
from typing import Any

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


# Exact bias of the estimates, over every sample that could be drawn

RELEVANT = [1, 1, 0, 1, 0, 0, 1, 0]
RANKING = [f"d{at}" for at in range(len(RELEVANT))]
RUN = {"q": {doc: float(-at) for at, doc in enumerate(RANKING)}}
AP_OF_ALL = (1 / 1 + 2 / 2 + 3 / 4 + 4 / 7) / 4


def estimates(samples: list[tuple[int, ...]], measure: str, rows: Any) -> list[tuple[float, float]]:
    """The estimate of each sample, and the number of relevant documents that it rests on."""
    found = []
    for drawn in samples:
        lines = [rows(at, RELEVANT[at] if at in drawn else -1) for at in range(len(RELEVANT))]
        number = sum(RELEVANT[at] for at in drawn)
        if number:
            found.append((estimate(lines, measure), number))
    return found


def estimate(lines: list[str], measure: str, run: Any = RUN) -> float:
    kind = {"infAP": None, "xinfAP": "strata", "statAP": "sampled"}[measure]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "qrels.txt")
        path.write_text("".join(f"{line}\n" for line in lines if line))
        return evaluate(path, {"r": run}, measure, qrels_format=kind).mean("r", measure)


def test_stat_ap_times_its_r_is_unbiased() -> None:
    """Each document drawn by itself with probability 1/2: the sum that statAP divides is right."""
    subsets = [subset for size in range(9) for subset in itertools.combinations(range(8), size)]

    def row(at: int, grade: int) -> str:
        return f"q d{at} {grade} 1 0.5" if grade >= 0 else ""

    found = estimates(subsets, "statAP", row)
    sums = [value * number / 0.5 for value, number in found]
    assert sum(sums) / len(subsets) == pytest.approx(AP_OF_ALL * 4)


def test_inf_ap_lies_low_since_r_and_precision_come_from_one_sample() -> None:
    samples = list(itertools.combinations(range(8), 4))
    found = estimates(samples, "infAP", lambda at, grade: f"q 0 d{at} {grade}")
    mean = np.mean([value for value, _ in found])
    assert mean < AP_OF_ALL - 0.02
    # Weighted by what it rests on, it has lost a part of that.
    weighted = np.average([v for v, _ in found], weights=[n for _, n in found])
    assert mean < weighted < AP_OF_ALL


def test_xinf_ap_lies_high_where_only_r_is_estimated() -> None:
    """All that was returned is judged; of what was not, half: only R varies with the sample."""
    top, rest = 4, [1, 0, 1, 0, 0, 0]
    sure = sum(RELEVANT[:top])
    whole = (1 / 1 + 2 / 2 + 3 / 4) / (sure + sum(rest))
    run = {"q": {f"d{at}": float(-at) for at in range(top)}}
    values = []
    for drawn in itertools.combinations(range(len(rest)), 3):
        lines = [f"q 0 d{at} 1 {RELEVANT[at]}" for at in range(top)]
        lines += [f"q 0 e{at} 2 {grade if at in drawn else -1}" for at, grade in enumerate(rest)]
        values.append(estimate(lines, "xinfAP", run))
    # By hand: of 20 samples, 4 draw no relevant document, 12 draw one, 4 draw both.
    expected = (4 / 3 + 12 / 5 + 4 / 7) / 20 * 2.75
    assert np.mean(values) == pytest.approx(expected, rel=1e-4)
    assert np.mean(values) > whole * 1.05


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

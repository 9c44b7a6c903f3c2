from __future__ import annotations

import itertools
import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon import Run, evaluate
from cleverdon.errors import InputError, OptionError
from cleverdon.pooling.contributions import gather
from cleverdon.pooling.pool_methods import (
    _probability_pool,
    _stratified_pool,
    _weighted_pool,
    depth_pool,
)
from cleverdon.pooling.pools import Pool, judged_pool
from cleverdon.stats.sampling import inclusion_probabilities, systematic_sample
from tests.pooling.made import collection
from tests.pooling.test_contributions import many_runs


def documents(pool: Pool) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for query, doc in pool.sheet():
        found.setdefault(query, set()).add(doc)
    return found


def test_depth_by_hand() -> None:
    runs = {
        "a": {"q1": {"d1": 3, "d2": 2, "d3": 1}, "q2": {"d9": 1}},
        "b": {"q1": {"d4": 3, "d1": 2, "d5": 1}},
    }
    found = gather(runs)
    assert documents(depth_pool(found, k=1)) == {"q1": {"d1", "d4"}, "q2": {"d9"}}
    assert documents(depth_pool(found, k=2)) == {"q1": {"d1", "d2", "d4"}, "q2": {"d9"}}


@given(runs=many_runs, k=st.integers(1, 6))
def test_depth_is_the_union_of_the_first_results(runs: Any, k: int) -> None:
    pool = depth_pool(gather({name: Run.read(run) for name, run in runs.items()}), k=k)
    expected: dict[str, set[str]] = {}
    for run in runs.values():
        for query in run:
            first = {doc for doc, _ in Run.read(run).ranking(query)[:k]}
            expected.setdefault(query, set()).update(first)
    assert documents(pool) == expected


def test_pools_say_who_contributed_what() -> None:
    pool = depth_pool(gather({"a": {"q": {"d1": 2, "d2": 1}}, "b": {"q": {"d2": 2}}}), k=2)
    found = {doc: pool.contributions(at) for at, doc in enumerate(pool.docs)}
    assert found == {"d1": {"a": 1}, "d2": {"a": 2, "b": 1}}


def test_order_is_shuffled_by_the_seed_and_by_nothing_else() -> None:
    _, runs = collection(queries=2, docs=60, systems=4, depth=30)
    turned = dict(reversed(runs.items()))
    one, same, other = (
        depth_pool(gather(given), k=30, seed=seed)
        for given, seed in ((runs, 1), (turned, 1), (runs, 2))
    )
    assert list(one.sheet()) == list(same.sheet())
    assert list(one.sheet()) != list(other.sheet())
    assert documents(one) == documents(other)


def test_order_tells_nothing_of_ranks() -> None:
    # Over many seeds, the document that is first in every run is as often in each place.
    runs = {"a": {"q": {f"d{rank}": -rank for rank in range(5)}}}
    found = gather(runs)
    places = [depth_pool(found, k=5, seed=seed).docs.index("d0") for seed in range(1000)]
    counts = [places.count(place) for place in range(5)]
    # Each is binomial with 1,000 draws and a fifth, a standard deviation of 12.6.
    assert all(abs(count - 200) < 5 * 12.6 for count in counts)


@pytest.mark.parametrize("by", ["depth", "rrf", "rbp", "combmnz", "ap"])
def test_a_budget_is_kept(by: str) -> None:
    _, runs = collection(queries=3)
    pool = _weighted_pool(gather(runs), by=by, budget=25)
    assert {query: len(docs) for query, docs in documents(pool).items()} == dict.fromkeys(
        ("t1", "t2", "t3"), 25
    )
    assert pool.how["method"] == by


def test_the_heaviest_are_taken() -> None:
    runs = {"a": {"q": {"d1": 3, "d2": 2}}, "b": {"q": {"d2": 3, "d3": 2}}}
    assert documents(_weighted_pool(gather(runs), by="rrf", budget=1)) == {"q": {"d2"}}
    assert documents(_weighted_pool(gather(runs), by="rrf", budget=2)) == {"q": {"d1", "d2"}}
    # d1 and d2 both have a best rank of 1, and d2 was returned twice.
    assert documents(_weighted_pool(gather(runs), by="depth", budget=1)) == {"q": {"d2"}}


def test_weights_find_more_than_depth_for_the_same_budget() -> None:
    qrels, runs = collection(queries=20, noise=0.6)
    found = gather(runs)

    def relevant(by: str) -> float:
        pool = _weighted_pool(found, by=by, budget=25)
        return sum(qrels[query][doc] for query, doc in pool.sheet())

    by_depth = relevant("depth")
    assert all(relevant(by) > 1.05 * by_depth for by in ("rrf", "rbp", "combmnz"))


def test_what_cannot_be() -> None:
    found = gather({"a": {"q": {"d1": 1}}}, depth=1)
    with pytest.raises(OptionError, match="gathered down to rank 1 only"):
        depth_pool(found, k=2)
    with pytest.raises(OptionError, match="budget=0"):
        _weighted_pool(found, by="rrf", budget=0)
    with pytest.raises(OptionError, match="seed=-1"):
        depth_pool(found, k=1, seed=-1)
    with pytest.raises(InputError, match="the pool is empty"):
        depth_pool(gather({"a": {"q": {}}, "b": {"q": {}}}), k=1)


STRATA = [(5, 1.0), (20, 0.4), (50, 0.1)]


def test_strata_by_best_rank_and_shares_of_them() -> None:
    _, runs = collection(queries=3)
    found = gather(runs)
    pool = _stratified_pool(found, strata=STRATA)
    assert pool.stratum is not None
    assert pool.probability is not None
    for query, at in pool.rows():
        best = min(pool.contributions(at).values())
        assert pool.stratum[at] == 1 + (best > 5) + (best > 20), query
    queries = np.repeat(np.arange(3), np.diff(pool.starts))
    for topic_number in range(3):
        for stratum, (_, share) in enumerate(STRATA, start=1):
            rows = (queries == topic_number) & (pool.stratum == stratum)
            drawn = int(pool.drawn[rows].sum())
            assert drawn == max(1, int(np.floor(share * rows.sum() + 0.5)))
            assert pool.probability[rows] == pytest.approx(drawn / rows.sum())


def test_of_a_small_stratum_one_is_drawn_at_least() -> None:
    pool = _stratified_pool(gather({"a": {"q": {"d1": 3, "d2": 2}}}), strata=[(1, 1), (2, 0.01)])
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
    shares = inclusion_probabilities(given_, budget)
    assert (shares >= 0).all()
    assert (shares <= 1).all()
    expected = min(budget, int((given_ > 0).sum()))
    assert shares.sum() == pytest.approx(expected)
    assert systematic_sample(shares, np.random.default_rng(seed)).sum() == expected


def test_documents_are_drawn_with_the_probability_that_is_said() -> None:
    shares = inclusion_probabilities(np.array([8.0, 4.0, 2.0, 1.0, 1.0, 0.5, 0.5]), 3)
    random = np.random.default_rng(1)
    draws = 4000
    rate = sum(systematic_sample(shares, random).astype(float) for _ in range(draws)) / draws
    # Five standard deviations of a share of so many draws.
    assert rate == pytest.approx(shares, abs=5 * np.sqrt(0.25 / draws))
    assert rate[0] == shares[0] == 1


def truth(
    qrels: dict[str, dict[str, float]], runs: dict[str, dict[str, dict[str, float]]]
) -> float:
    """The mean AP of a run by the judgments of the whole pool, which is what samples estimate."""
    pool: dict[str, dict[str, float]] = {query: {} for query in qrels}
    for query, doc in depth_pool(gather(runs), k=50).sheet():
        pool[query][doc] = qrels[query][doc]
    return evaluate(pool, {"s00": runs["s00"]}, "AP").mean("s00", "AP")


@pytest.mark.parametrize(
    ("method", "kind", "measure"),
    [("stratified", "strata", "xinfAP"), ("probability", "sampled", "statAP")],
)
def test_estimates_from_samples_are_near_the_whole(method: str, kind: str, measure: str) -> None:
    qrels, runs = collection(queries=20, noise=0.5)
    pool_runs = gather(runs)
    estimates = []
    for seed in range(6):
        if method == "stratified":
            pool = _stratified_pool(pool_runs, strata=STRATA, seed=seed)
        else:
            pool = _probability_pool(pool_runs, budget=60, seed=seed)
        drawn: dict[str, dict[str, float]] = {query: {} for query in pool.queries}
        for query, doc in pool.sheet():
            drawn[query][doc] = qrels[query][doc]
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


def test_what_cannot_be_of_sampling() -> None:
    found = gather({"a": {"q": {"d1": 3, "d2": 2}}}, depth=2)
    for strata, message in (
        ([], "there is at least one"),
        ([(5, 0.5), (5, 1)], "deeper than the one before"),
        ([(1, 0)], "above 0 and at most 1"),
        ([(0, 1)], "whole number from 1 on"),
        ([(3, 1)], "gathered down to 2 only"),
    ):
        with pytest.raises(OptionError, match=message):
            _stratified_pool(found, strata=strata)
    with pytest.raises(OptionError, match="is an order and no weight"):
        _probability_pool(found, budget=1, by="depth")


RUN_OF_QRELS = {"q1": {f"d{number}": -number for number in range(1, 9)}}
POOLED = gather({"a": RUN_OF_QRELS})


def test_what_has_no_grade_is_pooled_and_not_judged() -> None:
    found = judged_pool(depth_pool(POOLED, k=3), {"q1": {"d1": 2, "d3": 0}})
    assert found.judgments["q1"] == {"d1": 2, "d2": -1, "d3": 0}
    assert (found.judged, found.waiting, found.not_drawn, found.outside) == (2, 1, 0, 0)


def test_strata_go_with_the_grades() -> None:
    pool = _stratified_pool(POOLED, strata=[(2, 1.0), (8, 0.5)])
    grades = {"q1": {doc: 1.0 for _, doc in pool.sheet()}}
    found = judged_pool(pool, grades, kind="strata")
    assert (found.judged, found.waiting, found.not_drawn) == (5, 0, 3)
    strata = found.judgments.notes.stratum
    assert strata is not None
    assert strata["q1"] == {f"d{number}": 1 + (number > 2) for number in range(1, 9)}
    assert sorted(found.judgments["q1"].values()) == [-1, -1, -1, 1, 1, 1, 1, 1]


def test_only_what_was_drawn_has_a_probability() -> None:
    pool = _probability_pool(POOLED, budget=3)
    grades = {"q1": {doc: 1.0 for _, doc in pool.sheet()} | {"extra": 2.0}}
    found = judged_pool(pool, grades, kind="sampled")
    known = found.judgments.notes.probability
    assert known is not None
    assert pool.probability is not None
    said = dict(zip(pool.docs, pool.probability.tolist(), strict=True))
    for doc, probability in known["q1"].items():
        if doc in grades["q1"]:
            assert probability == said[doc]
        else:
            assert math.isnan(probability)
    assert found.outside == 1
    assert "extra" not in found.judgments["q1"]


@pytest.mark.parametrize("kind", ["strata", "plain", "sampled"])
def test_grades_of_what_was_not_drawn_are_no_part_of_a_sample(kind: str) -> None:
    pool = _stratified_pool(POOLED, strata=[(2, 1.0), (8, 0.5)])
    every = {"q1": dict.fromkeys(RUN_OF_QRELS["q1"], 1.0) | {"extra": 1.0}}
    found = judged_pool(pool, every, kind=kind)
    assert (found.judged, found.left_out, found.outside) == (5, 4, 1)
    drawn = {doc for _, doc in pool.sheet()}
    graded = {doc for doc, grade in found.judgments["q1"].items() if grade >= 0}
    assert graded == drawn


def test_grades_below_0_are_none() -> None:
    found = judged_pool(depth_pool(POOLED, k=2), {"q1": {"d1": 1, "d2": -2}})
    assert found.judgments["q1"] == {"d1": 1, "d2": -1}
    assert (found.judged, found.waiting) == (1, 1)


def test_whether_a_sample_is_uniform() -> None:
    grades = {"q1": {"d1": 1.0}}
    one = _stratified_pool(POOLED, strata=[(8, 0.5)])
    assert judged_pool(one, dict(grades), kind="plain").uniform
    two = _stratified_pool(POOLED, strata=[(2, 1.0), (8, 0.5)])
    assert not judged_pool(two, grades, kind="plain").uniform


def test_what_cannot_be_of_qrels() -> None:
    sample = _stratified_pool(POOLED, strata=[(2, 1.0), (8, 0.5)])
    with pytest.raises(OptionError, match="the pool is a sample: name the kind"):
        judged_pool(sample, {"q1": {"d1": 1}})
    whole = depth_pool(POOLED, k=2)
    with pytest.raises(OptionError, match="the pool has no strata"):
        judged_pool(whole, {"q1": {"d1": 1}}, kind="strata")
    with pytest.raises(OptionError, match="it is not a sample"):
        judged_pool(whole, {"q1": {"d1": 1}}, kind="sampled")
    with pytest.raises(
        InputError, match="no judgment is of a document of the pool: they have 'd9'"
    ):
        judged_pool(whole, {"q2": {"d9": 1}})
    with pytest.raises(InputError, match="fill in the column grade"):
        judged_pool(whole, {})

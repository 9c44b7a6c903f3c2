from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon import Run
from cleverdon.errors import InputError, OptionError
from cleverdon.pool import Pool, depth_pool, gather, weighted_pool
from tests.pool.made import collection
from tests.pool.test_contributions import many_runs


def documents(pool: Pool) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for topic, doc in pool.sheet():
        found.setdefault(topic, set()).add(doc)
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
        for topic in run:
            first = {doc for doc, _ in Run.read(run).ranking(topic)[:k]}
            expected.setdefault(topic, set()).update(first)
    assert documents(pool) == expected


def test_pools_say_who_contributed_what() -> None:
    pool = depth_pool(gather({"a": {"q": {"d1": 2, "d2": 1}}, "b": {"q": {"d2": 2}}}), k=2)
    found = {doc: pool.contributions(at) for at, doc in enumerate(pool.docs)}
    assert found == {"d1": {"a": 1}, "d2": {"a": 2, "b": 1}}


def test_order_is_shuffled_by_the_seed_and_by_nothing_else() -> None:
    _, runs = collection(topics=2, docs=60, systems=4, depth=30)
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
    _, runs = collection(topics=3)
    pool = weighted_pool(gather(runs), by=by, budget=25)
    assert {topic: len(docs) for topic, docs in documents(pool).items()} == dict.fromkeys(
        ("t1", "t2", "t3"), 25
    )
    assert pool.how["method"] == by


def test_the_heaviest_are_taken() -> None:
    runs = {"a": {"q": {"d1": 3, "d2": 2}}, "b": {"q": {"d2": 3, "d3": 2}}}
    assert documents(weighted_pool(gather(runs), by="rrf", budget=1)) == {"q": {"d2"}}
    assert documents(weighted_pool(gather(runs), by="rrf", budget=2)) == {"q": {"d1", "d2"}}
    # d1 and d2 both have a best rank of 1, and d2 was returned twice.
    assert documents(weighted_pool(gather(runs), by="depth", budget=1)) == {"q": {"d2"}}


def test_weights_find_more_than_depth_for_the_same_budget() -> None:
    qrels, runs = collection(topics=20, noise=0.6)
    found = gather(runs)

    def relevant(by: str) -> float:
        pool = weighted_pool(found, by=by, budget=25)
        return sum(qrels[topic][doc] for topic, doc in pool.sheet())

    by_depth = relevant("depth")
    assert all(relevant(by) > 1.05 * by_depth for by in ("rrf", "rbp", "combmnz"))


def test_what_cannot_be() -> None:
    found = gather({"a": {"q": {"d1": 1}}}, depth=1)
    with pytest.raises(OptionError, match="gathered down to rank 1 only"):
        depth_pool(found, k=2)
    with pytest.raises(OptionError, match="budget=0"):
        weighted_pool(found, by="rrf", budget=0)
    with pytest.raises(OptionError, match="seed=-1"):
        depth_pool(found, k=1, seed=-1)
    with pytest.raises(InputError, match="the pool is empty"):
        depth_pool(gather({"a": {"q": {}}, "b": {"q": {}}}), k=1)

"""Ranking systems by votes: each kind by hand, by a second implementation, and against truth."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon import evaluate
from cleverdon.errors import InputError, OptionError
from cleverdon.pooling.contributions import gather
from cleverdon.pooling.vote_results import SystemPlace, system_ranks
from cleverdon.pooling.votes import (
    VOTING_METHODS,
    DepthPool,
    Turnout,
    _compare_votes,
    _count_votes,
    _draw_pseudo_judgments,
    _pseudo_scorer,
    _reference_counts,
    _turnout,
)
from cleverdon.stats.correlation import kendall, tau_ap

Runs = dict[str, dict[str, dict[str, float]]]

# a: x y z, b: x z w, c: u v x; of the third, scores are 10, 5, 0.
BY_HAND: Runs = {
    "a": {"q": {"x": 3, "y": 2, "z": 1}},
    "b": {"q": {"x": 3, "z": 2, "w": 1}},
    "c": {"q": {"u": 10, "v": 5, "x": 0}},
}


@pytest.mark.parametrize(
    ("way", "wanted"),
    [
        # x is referred to twice from each system that has it, z once: over 3 ranks x 2 others.
        ("references", [3 / 6, 3 / 6, 2 / 6]),
        # Ranks weigh 1, 2/3, 1/3: a has x first (1 * 2) and z third (1/3 * 1).
        ("references-own-rank", [(2 + 1 / 3) / 6, (2 + 2 / 3) / 6, (2 / 3) / 6]),
        # a: x is first in b, third in c (4/3); z is second in b (2/3).
        ("references-their-rank", [(4 / 3 + 2 / 3) / 6, (4 / 3 + 1 / 3) / 6, 2 / 6]),
        # a: 1 * 4/3 + 1/3 * 2/3.
        ("references-both-ranks", [(4 / 3 + 2 / 9) / 6, (4 / 3 + 2 / 9) / 6, (2 / 3) / 6]),
        # Scores of three become 1, 1/2, 0: a's x is 1 in b and 0 in c, its z is worth nothing.
        ("references-both-scores", [1 / 6, 1 / 6, 0]),
    ],
)
def test_references_by_hand(way: str, wanted: list[float]) -> None:
    found = _count_votes(BY_HAND, way, depth=3)
    assert [found.scores[system] for system in "abc"] == pytest.approx(wanted)


def test_only_the_first_results_vote() -> None:
    # Of the first two of each, only x of a and b is shared.
    assert _count_votes(BY_HAND, depth=2).values.ravel().tolist() == [0.25, 0.25, 0]


def test_equal_scores_of_a_list_weigh_one() -> None:
    runs: Runs = {"a": {"q": {"x": 1, "y": 1}}, "b": {"q": {"x": 2, "y": 1}}}
    # b's x weighs 1 and its y 0; a's both weigh 1.
    assert _count_votes(runs, "references-both-scores", depth=2).values.ravel().tolist() == [
        0.5,
        0.5,
    ]


def plain_references(runs: Runs, query: str, depth: int, own: str, theirs: str) -> list[float]:
    """The definition, word by word."""
    lists = {}
    for name, run in runs.items():
        ranked = sorted(run.get(query, {}).items(), key=lambda item: (item[1], item[0]))[::-1]
        lists[name] = ranked[:depth]

    def weight(name: str, doc: str, kind: str) -> float:
        docs = [d for d, _ in lists[name]]
        scores = [score for _, score in lists[name]]
        if kind == "equal":
            return 1.0
        if kind == "rank":
            return (depth + 1 - (docs.index(doc) + 1)) / depth
        low, high = min(scores), max(scores)
        return 1.0 if low == high else (scores[docs.index(doc)] - low) / (high - low)

    found = []
    for name in runs:
        total = 0.0
        for doc, _ in lists[name]:
            for other in runs:
                if other != name and doc in dict(lists[other]):
                    total += weight(name, doc, own) * weight(other, doc, theirs)
        found.append(total / (depth * (len(runs) - 1)))
    return found


def any_runs(seed: int, *, systems: int = 4, queries: int = 3) -> Runs:
    random = Random(seed)
    docs = [f"d{number}" for number in range(12)]
    return {
        f"s{system}": {
            f"q{query}": {
                doc: float(random.randrange(6))
                for doc in random.sample(docs, random.randrange(1, 9))
            }
            for query in range(queries)
            if random.random() < 0.9 or query == 0
        }
        for system in range(systems)
    }


@given(st.integers(0, 10_000), st.sampled_from(["equal", "rank", "score"]), st.data())
def test_references_against_the_definition(seed: int, own: str, data: Any) -> None:
    theirs = data.draw(st.sampled_from(["equal", "rank", "score"]))
    depth = data.draw(st.integers(1, 9))
    runs = any_runs(seed)
    found = gather(runs)
    values = _reference_counts(found, depth=depth, own=own, theirs=theirs)
    for at, query in enumerate(found.queries):
        wanted = plain_references(runs, query, depth, own, theirs)
        assert values[:, at].tolist() == pytest.approx(wanted)


@pytest.mark.parametrize("measure", ["AP", "nDCG@5", "P@3", "RR", "Rprec"])
def test_pseudo_judgments_score_as_judgments_do(measure: str) -> None:
    runs = any_runs(7)
    found = gather(runs)
    pool = DepthPool.of(found, 4)
    (docs,) = _draw_pseudo_judgments(
        pool, duplicates=False, share=0.4, deviation=0.1, trials=1, seed=3
    )
    ids = [doc for query in range(len(found.queries)) for doc in found.ids(query)]
    qrels: dict[str, dict[str, int]] = {}
    for doc in docs.tolist():
        qrels.setdefault(found.queries[found.query_of_doc[doc]], {})[ids[doc]] = 1
    scores = evaluate(qrels, runs, measure)
    values = _pseudo_scorer(found, scores.measures[0])(docs)
    for s, system in enumerate(found.systems):
        for t, query in enumerate(found.queries):
            assert values[s, t] == pytest.approx(scores.values[s, 0, scores.queries.index(query)])
        assert system == scores.systems[s]


def test_trials_are_averaged_and_seeded() -> None:
    runs = any_runs(1, systems=5, queries=6)
    options = {"depth": 5, "relevant_share": 0.3, "share_deviation": 0.1}
    found = _count_votes(runs, "soboroff", trials=8, seed=4, **options)
    assert found.by_trial is not None
    assert found.by_trial.shape == (8, 5)
    assert list(found.scores.values()) == pytest.approx(found.by_trial.mean(axis=0))
    again = _count_votes(runs, "soboroff", trials=8, seed=4, **options)
    other = _count_votes(runs, "soboroff", trials=8, seed=5, **options)
    assert np.array_equal(found.values, again.values)
    assert not np.array_equal(found.values, other.values)
    assert found.deviations is not None
    assert min(found.deviations.values()) > 0


def test_how_many_are_drawn() -> None:
    found = gather({"a": {"q": {f"d{n}": float(-n) for n in range(50)}}, "b": {"r": {"x": 1.0}}})
    pool = DepthPool.of(found, 40)
    fixed = [
        len(docs)
        for docs in _draw_pseudo_judgments(
            pool, duplicates=True, share=0.25, deviation=0, trials=5, seed=0
        )
    ]
    assert fixed == [11] * 5  # a quarter of 40, and one of the other query's single document
    varied = [
        np.count_nonzero(docs < 50)
        for docs in _draw_pseudo_judgments(
            pool, duplicates=True, share=0.5, deviation=0.1, trials=400, seed=0
        )
    ]
    assert np.mean(varied) == pytest.approx(20, abs=4 * 4 / 20)  # four standard errors
    assert np.std(varied) == pytest.approx(4, rel=0.2)


@pytest.mark.parametrize(
    ("duplicates", "wanted"), [(False, [1 / 3, 1 / 3]), (True, [3 / 5, 1 / 5])]
)
def test_duplicates_are_drawn_more_often(duplicates: bool, wanted: list[float]) -> None:
    # x is returned by three systems, y and z by one each; one document of three is drawn.
    runs: Runs = {
        "a": {"q": {"x": 2, "y": 1}},
        "b": {"q": {"x": 2, "z": 1}},
        "c": {"q": {"x": 2}},
    }
    pool = DepthPool.of(gather(runs), 2)
    trials = 4000
    first = np.zeros(3)
    for docs in _draw_pseudo_judgments(
        pool, duplicates=duplicates, share=1 / 3, deviation=0, trials=trials, seed=1
    ):
        first[docs] += 1
    assert first.sum() == trials
    assert (first[:2] / trials).tolist() == pytest.approx(wanted, abs=0.032)  # four errors


def test_rank_position_by_hand() -> None:
    # The sums of 1 / rank: x 1 + 1 + 1/3, z 1/3 + 1/2, u 1, y 1/2, v 1/2, w 1/3. A third of the six
    # documents are x and u.
    found = _count_votes(BY_HAND, "rank-position", depth=3, relevant_share=1 / 3)
    assert found.scores == pytest.approx({"a": 0.5, "b": 0.5, "c": (1 + 2 / 3) / 2})


@pytest.mark.parametrize("way", list(VOTING_METHODS))
def test_the_order_of_runs_makes_no_difference(way: str) -> None:
    # Ranks 1, 2 and 6 of x, and the same of y from other systems: 1 / rank adds up to another last
    # digit, by the order in which it is added up.
    ranks_of = {"a": (1, 2), "b": (2, 6), "c": (6, 1)}
    runs: Runs = {}
    for name, (x, y) in ranks_of.items():
        docs = [f"{name}{rank}" for rank in range(1, 11)]
        docs[x - 1], docs[y - 1] = "x", "y"
        runs[name] = {"q": {doc: float(-at) for at, doc in enumerate(docs)}}
    options: dict[str, Any] = {"depth": 10, "relevant_share": 1 / 26, "trials": 3}  # one document
    found = _count_votes(runs, way, **options)
    for order in ("acb", "bac", "bca", "cab", "cba"):
        other = _count_votes({name: runs[name] for name in order}, way, **options)
        assert other.scores == found.scores, order


def test_who_votes_on_what() -> None:
    runs: Runs = {
        "a": {"q1": {"x": 1.0}, "q2": {"x": 1.0}, "q3": {"x": 1.0}},
        "b": {"q1": {"x": 1.0}, "q2": {"y": 1.0}},
        "c": {"q1": {"x": 1.0}, "q4": {"y": 1.0}},
    }
    assert _turnout(gather(runs)) == Turnout(systems=3, queries=4, of_all=1, of_one=2)
    apart = {"a": {"q1": {"x": 1.0}}, "b": {"z1": {"x": 1.0}}}
    with pytest.raises(
        InputError, match=r"no two runs have a query in common.*'q1' of a and 'z1' of b"
    ):
        _count_votes(apart)
    assert _turnout(gather(runs | {"d": {"q1": {"y": 1.0}}})).alone == ("d",)


_DOCS = 1000


def simulated(seed: int, *, systems: int = 12, queries: int = 25) -> tuple[Runs, dict[str, Any]]:
    """Systems that see relevance through noise of their own, from little to much."""
    random = np.random.default_rng(seed)
    noise = np.linspace(0.3, 3, systems)
    runs: Runs = {f"s{system:02}": {} for system in range(systems)}
    qrels: dict[str, Any] = {}
    for query in range(queries):
        grade = (np.arange(_DOCS) < random.integers(5, 30)).astype(float)
        qrels[f"q{query}"] = {f"d{doc:03}": int(value) for doc, value in enumerate(grade)}
        for system in range(systems):
            seen = grade + noise[system] * random.normal(size=_DOCS)
            best = np.argsort(-seen)[:100]
            ranked = {f"d{doc:03}": float(seen[doc]) for doc in best}
            runs[f"s{system:02}"][f"q{query}"] = ranked
    return runs, qrels


@pytest.mark.parametrize("way", list(VOTING_METHODS))
def test_votes_go_along_with_the_truth(way: str) -> None:
    runs, qrels = simulated(5)
    found = _count_votes(runs, way, depth=10, trials=100, relevant_share=0.1)
    scores = evaluate(qrels, runs, "AP")
    (compared,) = _compare_votes([found], scores)
    truth = {system: scores.mean(system, "AP") for system in scores.systems}
    assert compared.agreement.kendall.value == pytest.approx(kendall(found.scores, truth))
    assert compared.agreement.tau_ap.value == pytest.approx(tau_ap(found.scores, truth))
    assert compared.agreement.kendall.value > 0.5
    assert compared.agreement.kendall.interval.low > 0.1
    assert compared.judged == pytest.approx(truth)


def test_what_is_misplaced() -> None:
    # Three systems return the same junk; the fourth alone finds what is relevant.
    junk = {f"q{n}": {"x": 3.0, "y": 2.0, "r": 1.0} for n in range(4)}
    runs: Runs = {"one": junk, "two": junk, "three": junk}
    runs["best"] = {f"q{n}": {"r": 3.0, "s": 2.0, "t": 1.0} for n in range(4)}
    qrels = {f"q{n}": {"r": 1, "s": 1, "t": 1, "x": 0} for n in range(4)}
    (found,) = _compare_votes([_count_votes(runs, depth=3)], evaluate(qrels, runs, "AP"))
    assert found.best_missed is not None
    assert found.best_missed.system == "best"
    assert (found.places[0].judged, found.places[0].voted, found.places[0].lost) == (1, 4, 3)
    assert found.misplaced[0].system == "best"
    assert [place.lost for place in found.misplaced[1:]] == [-1, -1, -1]
    assert found.agreement.kendall.value == -1


@pytest.mark.parametrize(
    ("systems", "near"), [(2, 2), (3, 2), (4, 2), (5, 3), (10, 3), (30, 3), (31, 4), (100, 10)]
)
def test_what_is_near_the_top(systems: int, near: int) -> None:
    runs: Runs = {"a": {"q": {"x": 1.0}}, "b": {"q": {"x": 1.0}}}
    (found,) = _compare_votes([_count_votes(runs)], evaluate({"q": {"x": 1}}, runs, "AP"))
    for voted in range(1, systems + 1):
        places = (SystemPlace("a", 1, voted),) * systems
        assert (replace(found, places=places).best_missed is None) == (voted <= near), voted


def test_topics_without_judgments_are_left_out_of_the_comparison() -> None:
    runs, qrels = simulated(2, systems=4, queries=6)
    some = {query: qrels[query] for query in ("q1", "q2", "q4")}
    (found,) = _compare_votes([_count_votes(runs, depth=10)], evaluate(some, runs, "AP"))
    assert found.left_out == 3
    assert found.votes.queries == ("q1", "q2", "q4")
    assert found.agreement.queries == (3, 3)
    with pytest.raises(OptionError, match="no query has both"):
        _compare_votes(
            [_count_votes({name: {"r": run["q0"]} for name, run in runs.items()}, depth=10)],
            evaluate(some, runs, "AP"),
        )


def test_shared_ranks() -> None:
    assert system_ranks({"a": 1.0, "b": 3.0, "c": 1.0}) == {"b": 1, "a": 2.5, "c": 2.5}


def test_bad_options() -> None:
    for options, message in [
        ({"method": "reference"}, "did you mean 'references'"),
        ({"depth": 0}, "depth=0"),
        ({"depth": 10**20}, "depth=1"),
        ({"trials": 0}, "trials=0"),
        ({"trials": True}, "trials=True"),
        ({"seed": -1}, "seed=-1"),
        ({"relevant_share": "much"}, "relevant_share='much'"),
        ({"relevant_share": True}, "relevant_share=True"),
        ({"share_deviation": None}, "share_deviation=None"),
        ({"relevant_share": 0.0}, "relevant_share=0.0"),
        ({"share_deviation": -1.0}, "share_deviation=-1.0"),
        ({"deep": 3}, "did you mean 'depth'"),
        ({"method": "soboroff", "measure": "Judged@10"}, "AP, nDCG@10 or P@10"),
    ]:
        with pytest.raises(OptionError, match=message):
            _count_votes(BY_HAND, **options)
    with pytest.raises(OptionError, match="two at least"):
        _count_votes({"a": BY_HAND["a"]})
    with pytest.raises(OptionError, match="only the first 2"):
        _count_votes(gather(BY_HAND, depth=2), depth=3)
    scores = evaluate({"q": {"x": 1}}, BY_HAND, "AP P@1")
    with pytest.raises(OptionError, match="several measures"):
        _compare_votes([_count_votes(BY_HAND, depth=3)], scores)
    assert _compare_votes([], scores) == []

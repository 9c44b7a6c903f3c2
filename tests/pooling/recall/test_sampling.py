"""Samples of what no pool holds: who is drawn, how often, and what estimates from them say."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from cleverdon.data import Judgments
from cleverdon.errors import InputError, OptionError
from cleverdon.pooling.contributions import gather
from cleverdon.pooling.files import read_pool, write_pool
from cleverdon.pooling.pool_methods import depth_pool
from cleverdon.pooling.recall.samples import (
    SheetFit,
    _compare_sheet,
    _strata_of_judgments,
    estimate_from_sample,
    strata_of_pool,
)
from cleverdon.pooling.recall.sampling import SampleDesign, _check_distinct, draw_sample

DOCS = [f"d{n}" for n in range(60)]


def ids() -> Iterable[str]:
    return iter(DOCS)


def test_pooled_documents_are_never_drawn_and_all_others_can_be() -> None:
    pooled = frozenset({"d0", "d1", "d17", "d59"})
    seen: Counter[str] = Counter()
    for seed in range(200):
        seen.update(draw_sample(ids, {"q": pooled}, SampleDesign(10), seed=seed).docs)
    assert set(seen) == set(DOCS) - pooled
    # Each of 56 is drawn with probability 10/56: 36 of 200 times.
    assert max(abs(count - 2000 / 56) for count in seen.values()) < 4.5 * sqrt(36)


def test_what_the_pool_says() -> None:
    pool = draw_sample(ids, {"q1": frozenset({"d1"}), "q2": frozenset()}, SampleDesign(6), seed=3)
    assert pool.queries == ("q1", "q2")
    assert pool.starts.tolist() == [0, 6, 12]
    assert len(set(pool.docs[:6])) == 6
    assert pool.probability is not None
    assert pool.probability.tolist() == [6 / 59] * 6 + [6 / 60] * 6
    assert pool.how["sizes"] == {"q1": {"all": 59}, "q2": {"all": 60}}
    assert pool.how["docs"] == 60


def test_a_seed_and_a_topic_give_the_same_sample_whatever_else_is_drawn() -> None:
    both = draw_sample(ids, {"q1": frozenset(), "q2": frozenset()}, SampleDesign(5), seed=1)
    one = draw_sample(ids, {"q2": frozenset()}, SampleDesign(5), seed=1)
    assert both.docs[5:] == one.docs
    assert draw_sample(ids, {"q2": frozenset()}, SampleDesign(5), seed=2).docs != one.docs


def test_strata_by_a_table() -> None:
    table = {doc: "even" if int(doc[1:]) % 2 == 0 else "odd" for doc in DOCS[:40]}
    pool = draw_sample(ids, {"q": frozenset({"d0", "d50"})}, SampleDesign(20, stratum_of=table))
    assert pool.how["stratum_names"] == ["even", "odd", "rest"]
    assert pool.how["sizes"]["q"] == {"even": 19, "odd": 20, "rest": 19}
    assert pool.stratum is not None
    for doc, stratum in zip(pool.docs, pool.stratum.tolist(), strict=True):
        assert table.get(doc, "rest") == pool.how["stratum_names"][stratum - 1]


def test_strata_by_runs() -> None:
    returned = {"q": frozenset({"d0", "d1", "d2", "d3", "not there"})}
    design = SampleDesign(10, how="equal", returned=returned)
    pool = draw_sample(ids, {"q": frozenset({"d0", "d9"})}, design)
    assert pool.how["sizes"]["q"] == {"returned": 3, "rest": 55}
    assert pool.stratum is not None
    drawn: dict[str, set[str]] = {name: set() for name in pool.how["stratum_names"]}
    for doc, stratum in zip(pool.docs, pool.stratum.tolist(), strict=True):
        drawn[pool.how["stratum_names"][stratum - 1]].add(doc)
    assert drawn["returned"] == {"d1", "d2", "d3"}
    assert len(drawn["rest"]) == 7
    assert not drawn["rest"] & (returned["q"] | {"d9"})


def test_neyman_needs_guesses() -> None:
    design = SampleDesign(
        10, how="neyman", returned={"q": frozenset({"d1"})}, shares={"returned": 0.5}
    )
    with pytest.raises(OptionError, match="'rest'"):
        draw_sample(ids, {"q": frozenset()}, design)


@pytest.mark.parametrize(
    ("given", "pooled", "message"),
    [
        (["a", "b", "a"], {"q": frozenset()}, "lists the document 'a' twice"),
        ([], {"q": frozenset()}, "has no documents"),
        (["a", "b"], {"q": frozenset({"x"})}, "none of the documents that are pooled, such as 'x'"),
        (["a", "b"], {"q": frozenset({"a", "b"})}, "there is none to draw"),
    ],
)
def test_collections_that_cannot_be_drawn_from(
    given: list[str], pooled: dict[str, frozenset[str]], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        draw_sample(lambda: iter(given), pooled, SampleDesign(3))


def test_a_topic_that_is_pooled_as_a_whole_misses_nothing() -> None:
    pool = draw_sample(ids, {"q1": frozenset(DOCS), "q2": frozenset()}, SampleDesign(5))
    parts = strata_of_pool(pool, {"q2": dict.fromkeys(pool.docs, 0.0)})
    found = estimate_from_sample({"q1": 7, "q2": 1}, parts)
    assert (found.queries["q1"].low, found.queries["q1"].high) == (7, 7)


def test_through_the_files_and_back(tmp_path: Path) -> None:
    table = {doc: "even" if int(doc[1:]) % 2 == 0 else "odd" for doc in DOCS}
    pooled = {"q1": frozenset({"d1"}), "q2": frozenset({"d2"})}
    pool = draw_sample(ids, pooled, SampleDesign(12, stratum_of=table))
    write_pool(pool, tmp_path / "sample.tsv")
    grades = {query: dict.fromkeys(DOCS, 0.0) | {"d3": 1.0, "d5": 2.0} for query in pooled}
    again = read_pool(tmp_path / "sample.tsv")
    assert strata_of_pool(again, grades) == strata_of_pool(pool, grades)


def test_half_judged_is_a_smaller_sample() -> None:
    pool = draw_sample(ids, {"q": frozenset()}, SampleDesign(20))
    judged = dict.fromkeys(pool.docs[:5], 0.0)
    (part,) = strata_of_pool(pool, {"q": judged})
    assert (part.drawn, part.probability, part.size) == (5, 5 / 60, 60)
    assert _compare_sheet(pool, {"q": judged}) == SheetFit(drawn=20, judged=5, strange=0)


def test_a_sheet_is_held_against_the_sample() -> None:
    pool = draw_sample(ids, {"q": frozenset({"d0", "d1"})}, SampleDesign(10))
    judged = dict.fromkeys(pool.docs, 0.0)
    other = {f"other{n}": 1.0 for n in range(11)}
    with pytest.raises(InputError, match="none of the documents that were drawn is judged"):
        _compare_sheet(pool, {"q": {"x": 1.0}})
    with pytest.raises(InputError, match="11 of 21 judged documents were not drawn: is it the rig"):
        _compare_sheet(pool, {"q": judged | other})
    assert _compare_sheet(pool, {"q": judged | {"x": 1.0, "y": -1.0}}).strange == 1
    # Judgments of the pool in the same file are no sign of a wrong sheet.
    assert _compare_sheet(pool, {"q": judged | other}, {"q": other}).strange == 0


def test_a_header_that_was_changed_is_refused() -> None:
    pool = draw_sample(ids, {"q": frozenset()}, SampleDesign(4, returned={"q": frozenset({"d1"})}))
    grades = {"q": dict.fromkeys(pool.docs, 0.0)}
    for how, message in (
        ({"stratum_names": ["returned"]}, "its first line names 1"),
        ({"sizes": None}, "its first line lacks sizes, without which nobody knows how"),
        ({"sizes": None, "method": None}, "its first line lacks method and sizes"),
        ({"method": "outside"}, "its first line has the method 'outside', which is not known"),
    ):
        changed: dict[str, object] = {**pool.how, **how}
        about = {name: value for name, value in changed.items() if value is not None}
        with pytest.raises(InputError, match=message):
            strata_of_pool(replace(pool, how=about), grades)


def test_ids_with_the_same_hash_are_two_documents() -> None:
    """Numbers stand for ids in the search for duplicates, and are no proof of one."""
    _check_distinct(ids, np.array([hash("d1"), hash("d2"), hash("d1")]))
    with pytest.raises(InputError, match="'d1' twice"):
        _check_distinct(lambda: iter(["d1", "d2", "d1"]), np.array([hash("d1"), 5, hash("d1")]))


def test_every_stratum_has_a_document_drawn() -> None:
    design = SampleDesign(1, returned={"q": frozenset({"d1"})})
    with pytest.raises(OptionError, match=r"query 'q' has 2 strata \(returned, rest\)"):
        draw_sample(ids, {"q": frozenset()}, design)
    # A stratum without a document needs none.
    assert len(draw_sample(ids, {"q": frozenset({"d1"})}, design).docs) == 1


def test_guesses_of_strata_that_there_are_not() -> None:
    shares = {"returned": 0.1, "rest": 0.01, "rets": 0.1}
    design = SampleDesign(9, how="neyman", returned={"q": frozenset({"d1"})}, shares=shares)
    with pytest.raises(OptionError, match="there is no stratum 'rets' to guess of; did you mean"):
        draw_sample(ids, {"q": frozenset()}, design)


def test_a_topic_without_documents_is_in_no_pool_and_can_be_shown() -> None:
    pool = draw_sample(ids, {"q1": frozenset(DOCS), "q2": frozenset()}, SampleDesign(5))
    assert pool.queries == ("q2",)
    assert json.loads(pool.to_json())["queries"] == {"q2": 5}


def test_strata_by_a_table_draw_every_document_that_is_not_out() -> None:
    """Held against a search of the whole collection, query by query."""
    table = {doc: f"kind{int(doc[1:]) % 3}" for doc in DOCS if int(doc[1:]) % 4}
    pooled = {"q1": frozenset({"d0", "d1", "d59"}), "q2": frozenset({"d4", "d8"})}
    pool = draw_sample(ids, pooled, SampleDesign(60, stratum_of=table))
    for query, out in pooled.items():
        drawn = [pool.docs[at] for of, at in pool.rows() if of == query]
        assert sorted(drawn) == sorted(set(DOCS) - out)
        for name, size in pool.how["sizes"][query].items():
            there = [doc for doc in DOCS if doc not in out and table.get(doc, "rest") == name]
            assert size == len(there)


def test_a_sample_of_a_pool_is_refused() -> None:
    pool = depth_pool(gather({"a": {"q": {"d1": 1.0}}}), k=1)
    with pytest.raises(InputError, match="is not a sample of documents outside the pool"):
        strata_of_pool(pool, {"q": {"d1": 1.0}})


@pytest.mark.parametrize("by_runs", [False, True])
def test_intervals_hold_the_truth_from_the_draw_to_the_estimate(by_runs: bool) -> None:
    """150 samples of 40 out of 600, 12 of them relevant and not pooled: 3.5 errors are allowed."""
    docs = [f"d{n}" for n in range(600)]
    relevant = set(docs[:40])
    pooled = frozenset(docs[:28]) | frozenset(docs[500:])
    returned = {"q": frozenset(docs[20:90])} if by_runs else None
    design = SampleDesign(40, how="equal" if by_runs else "proportional", returned=returned)
    held = 0
    for seed in range(150):
        pool = draw_sample(lambda: iter(docs), {"q": pooled}, design, seed=seed)
        grades = {"q": {doc: float(doc in relevant) for doc in pool.docs}}
        one = estimate_from_sample({"q": 28}, strata_of_pool(pool, grades)).all
        held += one.low <= 40 <= one.high
    assert held / 150 >= 0.95 - 3.5 * sqrt(0.95 * 0.05 / 150)


def test_judgments_with_probabilities() -> None:
    rows = [
        ("q", "a", 1, 1, 0.5),
        ("q", "b", 0, 1, 0.5),
        ("q", "c", 2, 1, 0.25),
        ("q", "x", 1, 0, "NA"),
    ]
    parts = _strata_of_judgments(Judgments.read(rows, format="sampled"))
    assert [(part.drawn, part.relevant, part.probability, part.size) for part in parts] == [
        (1, 1, 0.25, None),
        (2, 1, 0.5, None),
    ]
    assert estimate_from_sample({"q": 1}, parts).all.value == 1 + 4 + 2


def test_judgments_with_strata() -> None:
    rows = [("q", 0, f"a{n}", 1, (1, 0, -1, -1)[n]) for n in range(4)]
    rows += [("q", 0, "b", 2, 1)]
    parts = _strata_of_judgments(Judgments.read(rows, format="strata"))
    assert [(part.drawn, part.relevant, part.size) for part in parts] == [(2, 1, 4), (1, 1, 1)]


def test_plain_judgments_need_the_size_of_the_collection() -> None:
    sample = Judgments.read({"q": {"a": 1, "b": 0}})
    (part,) = _strata_of_judgments(sample, docs=12, pooled={"q": 2})
    assert (part.size, part.drawn, part.relevant, part.probability) == (10, 2, 1, 0.2)
    with pytest.raises(OptionError, match="only with docs"):
        _strata_of_judgments(sample)
    with pytest.raises(OptionError, match="has 2 documents in its pool and 2 in the sample"):
        _strata_of_judgments(sample, docs=3, pooled={"q": 2})


def test_drawing_from_many_documents_stays_uniform() -> None:
    """Places before, between and behind those that are out of question come up equally often."""
    docs = [f"d{n}" for n in range(1000)]
    pooled = frozenset(docs[300:500])
    places = np.concatenate(
        [
            [
                int(doc[1:])
                for doc in draw_sample(
                    lambda: iter(docs), {"q": pooled}, SampleDesign(100), seed=s
                ).docs
            ]
            for s in range(20)
        ]
    )
    counts = np.histogram(places, [0, 300, 500, 1000])[0]
    assert counts[1] == 0
    assert counts[0] == pytest.approx(2000 * 300 / 800, abs=4 * sqrt(2000 * 0.375 * 0.625))

"""Where relevant results stand, against plain loops, and over ties against all their orders."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from statistics import mean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon import NotationError, evaluate, parse
from cleverdon.measures.worked import ranking
from tests.differential.collections import Collection
from tests.measures.plain import (
    FEWER,
    Formula,
    Numbers,
    batches,
    disagreements,
    number_relevant,
    relevant_ranks,
    same,
)
from tests.reference import ranked


def search_length(q: int, rel: float, grades: Numbers, results: Numbers) -> float | None:
    return length_of(q, rel, grades, ranked(results))


def length_of(q: int, rel: float, grades: Numbers, order: list[str]) -> float | None:
    relevant = others = 0
    for doc in order:
        if grades.get(doc, -1) < rel:
            others += 1
            continue
        relevant += 1
        if relevant == q:
            return float(others)
    return None


def last_rank(rel: float, grades: Numbers, results: Numbers) -> float | None:
    return max(relevant_ranks(grades, ranked(results), rel), default=None)


def work_saved(
    x: str, rel: float, docs: int | None, grades: Numbers, results: Numbers
) -> float | None:
    size, wanted = docs or len(results), number_relevant(grades, rel)
    if not wanted or not size:
        return None
    found = relevant_ranks(grades, ranked(results), rel)
    needed = math.ceil(Fraction(x) * wanted)
    read = found[needed - 1] if needed <= len(found) else size
    return (size - read) / size - (1 - float(x))


@FEWER
@given(batches)
def test_in_one_order(collection: Collection) -> None:
    formulas: dict[str, Formula] = {}
    for q, rel in itertools.product((1, 2, 4), (1, 2)):
        formulas[f"SearchLength(q={q},rel={rel})"] = partial(search_length, q, rel)
    for rel in (1, 2):
        formulas[f"LastRelRank(rel={rel})"] = partial(last_rank, rel)
    for x in ("0.1", "0.5", "0.95", "1"):
        formulas[f"WSS@{x}"] = partial(work_saved, x, 1, None)
    assert not disagreements(collection, formulas)


@FEWER
@given(batches)
def test_work_saved_in_a_collection(collection: Collection) -> None:
    scores = evaluate(collection.qrels, {"run": collection.run}, ["WSS@0.5", "AP"], docs=1000)
    for query, ours in scores.per_query("run", "WSS@0.5").items():
        grades, results = collection.qrels[query], collection.run.get(query, {})
        assert same(ours, work_saved("0.5", 1, 1000, grades, results))


def orders(results: Numbers) -> Iterator[list[str]]:
    """Every order in which these results may stand, where those of equal scores are tied."""
    groups = [
        [doc for doc in results if results[doc] == score]
        for score in sorted(set(results.values()), reverse=True)
    ]
    for parts in itertools.product(*map(itertools.permutations, groups)):
        yield [doc for part in parts for doc in part]


one_query = st.lists(
    st.tuples(st.sampled_from((None, 0, 1, 1, 2, -1)), st.sampled_from((None, 1, 1, 2, 3))),
    min_size=1,
    max_size=6,
)


@FEWER
@given(st.lists(one_query, min_size=10, max_size=20))
def test_expectation_over_all_orders(drawn: list[list[tuple[int | None, int | None]]]) -> None:
    qrels, run = {}, {}
    for number, rows in enumerate(drawn):
        judged = {f"d{d}": float(grade) for d, (grade, _) in enumerate(rows) if grade is not None}
        qrels[f"q{number}"] = judged | {"another": 1.0}
        run[f"q{number}"] = {f"d{d}": float(s) for d, (_, s) in enumerate(rows) if s is not None}
    names = [f"ExpectedSearchLength(q={q})" for q in (1, 2, 3)]
    scores = evaluate(qrels, {"run": run}, names)
    for q, name in enumerate(names, start=1):
        for query, ours in scores.per_query("run", name).items():
            lengths = [length_of(q, 1, qrels[query], order) for order in orders(run[query])]
            assert same(ours, None if None in lengths else mean(lengths))


def test_ties_in_their_best_and_worst_order() -> None:
    hits = ranking("0 (1 - 0) 1")
    best, worst = hits.tied("best"), hits.tied("worst")
    for name in ("SearchLength", "ExpectedSearchLength"):
        assert parse(name)(best).tolist() == [1]
        assert parse(name)(worst).tolist() == [3]


def test_an_unsuccessful_search_is_as_long_as_can_be() -> None:
    scores = evaluate({"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1}}, "SearchLength")
    assert scores.mean("run", "SearchLength") == np.inf
    assert scores.to_json()["means"] == {"run": {"SearchLength": None}}
    skipped = evaluate(
        {"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1}}, "SearchLength", undefined="skip"
    )
    assert skipped.mean("run", "SearchLength") == 0


@pytest.mark.parametrize("text", ["SearchLength(q=0)", "ExpectedSearchLength(q=-1)", "WSS@0"])
def test_mistakes(text: str) -> None:
    with pytest.raises(NotationError):
        parse(text)

"""Where relevant results stand, against plain loops, and over ties against all their orders."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from statistics import mean

import ir_measures
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import label_ranking_average_precision_score, roc_auc_score

from cleverdon import Hits, evaluate, parse
from cleverdon.errors import NotationError
from cleverdon.measures.notation import parse_all
from cleverdon.measures.worked import ranking
from tests.differential.collections import Collection
from tests.measures.plain import (
    FEWER,
    Formula,
    Numbers,
    batches,
    disagreements,
    integer_batches,
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


def read_length(q: int, grades: Numbers, results: Numbers) -> float | None:
    found = relevant_ranks(grades, ranked(results), 1)
    return found[q - 1] if len(found) >= q else None


def first_rank(
    k: int | None, otherwise: str, rel: float, grades: Numbers, results: Numbers
) -> float | None:
    for rank, doc in enumerate(ranked(results)[:k], start=1):
        if grades.get(doc, -1) >= rel:
            return rank
    if otherwise == "undefined":
        return None
    return (k or len(results)) + 1 if otherwise == "after" else float(otherwise)


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
    for q in (1, 2, 4):
        formulas[f"SearchLength(q={q},count=all)"] = partial(read_length, q)
    for k, word, rel in itertools.product((None, 1, 3), ("undefined", "after", "50"), (1, 2)):
        name = f"FirstRelRank(otherwise={word},rel={rel})" + (f"@{k}" if k else "")
        formulas[name] = partial(first_rank, k, word, rel)
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


def test_results_that_are_read_are_the_others_and_the_relevant_ones() -> None:
    for q, text in ((1, "0 (1 - 0) 1"), (2, "1 (0 1 1) 0"), (2, "(1 0) | 1")):
        for name in ("SearchLength", "ExpectedSearchLength"):
            others, every = (
                parse(f"{name}(q={q},count={count})")(ranking(text)) for count in ("others", "all")
            )
            np.testing.assert_allclose(every, others + q)


def test_a_rank_for_queries_without_a_relevant_result() -> None:
    qrels, run = {"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"b": 2, "a": 1}, "q2": {"b": 2}}
    names = [
        *("FirstRelRank", "FirstRelRank(otherwise=after)", "FirstRelRank(otherwise=after)@10"),
        "FirstRelRank(otherwise=100)",
    ]
    assert evaluate(qrels, run, names).means.tolist() == [[np.inf, 2.0, 6.5, 51.0]]
    assert evaluate(qrels, run, names[0], undefined="skip").means.item() == 2
    with pytest.raises(NotationError, match="expected a number above 10"):
        parse("FirstRelRank(otherwise=10)@10")
    with pytest.raises(NotationError, match="expected 1 <= otherwise"):
        parse("FirstRelRank(otherwise=0)")


def test_an_unsuccessful_search_is_as_long_as_can_be() -> None:
    scores = evaluate({"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1}}, "SearchLength")
    assert scores.mean("run", "SearchLength") == np.inf
    assert scores.to_record()["means"] == {"run": {"SearchLength": None}}
    skipped = evaluate(
        {"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1}}, "SearchLength", undefined="skip"
    )
    assert skipped.mean("run", "SearchLength") == 0


@pytest.mark.parametrize("text", ["SearchLength(q=0)", "ExpectedSearchLength(q=-1)", "WSS@0"])
def test_mistakes(text: str) -> None:
    with pytest.raises(NotationError):
        parse(text)


def area(rel: float, grades: Numbers, results: Numbers) -> float | None:
    """By scikit-learn, over the judged documents, those not returned below all others."""
    judged = [doc for doc, grade in grades.items() if grade >= 0]
    relevant = [grades[doc] >= rel for doc in judged]
    if len(set(relevant)) < 2:
        return None
    lowest = min(results.values(), default=0.0) - 1
    return float(roc_auc_score(relevant, [results.get(doc, lowest) for doc in judged]))


def lrap(rel: float, grades: Numbers, results: Numbers) -> float | None:
    wanted = number_relevant(grades, rel)
    if not wanted:
        return None
    total = 0.0
    for doc, score in results.items():
        if grades.get(doc, -1) >= rel:
            as_good = [other for other in results if results[other] >= score]
            total += sum(grades.get(other, -1) >= rel for other in as_good) / len(as_good)
    return total / wanted


@settings(max_examples=FEWER.max_examples // 2)  # the oracle takes a millisecond a query
@given(batches, st.sampled_from((1, 2)))
def test_area_under_the_roc_curve(collection: Collection, rel: int) -> None:
    assert not disagreements(
        collection, {f"AUC(rel={rel})": lambda grades, results: area(rel, grades, results)}
    )


@FEWER
@given(batches, st.sampled_from((1, 2)))
def test_label_ranking(collection: Collection, rel: int) -> None:
    assert not disagreements(
        collection, {f"LRAP(rel={rel})": lambda grades, results: lrap(rel, grades, results)}
    )


@FEWER
@given(st.integers(1, 10), st.integers(1, 12), st.integers(0, 2**16))
def test_label_ranking_as_scikit_learn(queries: int, documents: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    relevance = generator.integers(0, 2, (queries, documents))
    scores = generator.integers(0, 4, (queries, documents)).astype(float)
    ours = parse("LRAP")(Hits.from_matrix(relevance, scores))
    for row, value in enumerate(ours):
        # Where nothing is relevant, scikit-learn says 1.
        wanted = label_ranking_average_precision_score(relevance[[row]], scores[[row]])
        assert same(value, wanted if relevance[row].any() else None)


@FEWER
@given(integer_batches, st.sampled_from((None, 1, 3, 6)), st.sampled_from((1, 2)))
def test_accuracy_as_ir_measures(collection: Collection, k: int | None, rel: int) -> None:
    # Its order of tied results is another one; and it fails where all results are relevant.
    run = {
        query: {doc: -float(rank) for rank, doc in enumerate(ranked(results))}
        for query, results in collection.run.items()
    }
    theirs = ir_measures.Accuracy(rel=rel) if k is None else ir_measures.Accuracy(rel=rel) @ k
    (ours,) = parse_all([theirs])
    assert str(ours).startswith("RankAccuracy")
    found = evaluate(collection.qrels, {"run": run}, ours).per_query("run", ours)
    wanted: dict[str, float | None] = {}
    for query, grades in collection.qrels.items():
        shown = [grades.get(doc, -1) >= rel for doc in ranked(run.get(query, {}))[:k]]
        wanted[query] = None
        if any(shown) and not all(shown):
            judged = {doc: int(grade) for doc, grade in grades.items()}
            (metric,) = ir_measures.iter_calc([theirs], {query: judged}, {query: run[query]})
            wanted[query] = metric.value
    assert found.keys() == wanted.keys()
    for query, value in found.items():
        assert same(value, wanted[query]), query

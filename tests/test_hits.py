"""Hits and its what-if transforms, compared with a run that is really changed in that way."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cleverdon import Hits, Judgments, Measure, parse
from cleverdon._common.arrays import Floats
from cleverdon.errors import InputError, OptionError
from cleverdon.measures.notation import parse_all
from cleverdon.measures.worked import ranking
from cleverdon.rank import rank
from tests.differential.collections import INTEGER_GRADES, Collection, Nested, collections
from tests.differential.variants import VARIANTS, all_variants
from tests.reference import Query, queries_of, ranked, value

EVERY = all_variants()  # listed before other tests register measures of their own
FEWER = settings(max_examples=settings.default.max_examples // 2)  # for slower tests
ARRAYS = ("query", "rank", "grade", "tied_from", "tied_to", "returned")

# Measures where higher is better and a higher grade is a better result: for these, ties and unseen
# results have a best and a worst order.
ORDERED = parse_all(
    "AP AP@2 AP(rel=2) RR nDCG nDCG@2 nDCG(gain=exponential) DCG P@2 R@2 F@2 Success@1 Rprec "
    "Bpref Bpref(rel=2) ERR ERR@2 RBP RBP(rel=1) AP(judged_only=true) nDCG(judged_only=true)@2"
)


def hits_of(qrels: Nested, run: Nested) -> Hits:
    return rank(Judgments.read(qrels), run).hits


def same(left: Hits, right: Hits, arrays: tuple[str, ...] = ARRAYS) -> bool:
    return all(np.array_equal(getattr(left, name), getattr(right, name)) for name in arrays)


def scored(docs: list[str]) -> dict[str, float]:
    """Give the documents decreasing scores, so that they keep this order."""
    return {doc: float(-place) for place, doc in enumerate(docs)}


def check(hits: Hits, wanted: Hits, measures: tuple[Measure, ...] = VARIANTS) -> None:
    """Assert that all measures have the same value for both."""
    for measure in measures:
        np.testing.assert_array_equal(measure(hits), measure(wanted), err_msg=str(measure))


# Sums and ideal rankings


@given(st.lists(st.integers(0, 9), max_size=30), st.integers(1, 12))
def test_running_sums_and_products_within_queries(numbers: list[int], queries: int) -> None:
    # The method depends on whether there are more queries or more rows in the longest query.
    query = np.sort(np.array(numbers, dtype=np.int64) % queries)
    zeros = np.zeros(len(query), dtype=np.int64)
    empty = ranking("")
    hits = replace(empty, query=query, rank=zeros, returned=np.zeros(queries, dtype=np.int64))
    values = np.array(numbers) + 0.1
    for step, python in ((np.add, float.__add__), (np.multiply, float.__mul__)):
        wanted: list[float] = []
        for place, number in enumerate(values.tolist()):
            follows = place > 0 and query[place] == query[place - 1]
            wanted.append(python(wanted[-1], number) if follows else number)
        assert hits.running(values, step).tolist() == wanted
    assert hits.total(values).dtype == np.float64  # also without rows
    assert hits.ordinal.tolist() == [
        sum(query[: place + 1] == query[place]) for place in range(len(query))
    ]


def test_the_ideal_ranking_follows_gains_and_not_grades() -> None:
    def gain(hits: Hits) -> Floats:
        return np.where(hits.grade == 1, 9.0, np.maximum(hits.grade, 0))

    best = ranking("3 1 -1 | 0 1 2").best_by(gain)
    assert best.grade.tolist() == [1, 1, 3, 2]
    assert best.rank.tolist() == best.tied_from.tolist() == best.tied_to.tolist() == [1, 2, 3, 4]
    assert best.returned.tolist() == [4]
    assert parse("nDCG(gains={1:9})")(best).tolist() == [1.0]


# What-if transforms


@given(collections(), st.integers(1, 6))
def test_top(collection: Collection, k: int) -> None:
    hits = hits_of(collection.qrels, collection.run)
    cut = {q: scored(ranked(results)[:k]) for q, results in collection.run.items()}
    assert same(hits.top(k), hits_of(collection.qrels, cut), ("query", "rank", "grade", "returned"))
    assert hits.top(None) is hits


@given(collections())
def test_condensed_is_the_run_without_what_nobody_judged(collection: Collection) -> None:
    without = {
        q: {doc: s for doc, s in results.items() if collection.qrels.get(q, {}).get(doc, -1) >= 0}
        for q, results in collection.run.items()
    }
    condensed = hits_of(collection.qrels, collection.run).condensed()
    assert same(condensed, hits_of(collection.qrels, without))


def _orders_of_ties(results: dict[str, float]) -> Iterator[list[str]]:
    scores = sorted(set(results.values()), reverse=True)
    groups = [[doc for doc, score in results.items() if score == group] for group in scores]
    for orders in itertools.product(*map(itertools.permutations, groups)):
        yield [doc for order in orders for doc in order]


def _extremes(queries: list[Query], measure: Measure) -> tuple[float, float]:
    values = [value(measure, query) for query in queries]
    numbers = [np.nan if number is None else number for number in values]
    return min(numbers), max(numbers)


@given(collections(grades=INTEGER_GRADES, scores=(1.0, 0.5), queries=("q",)))
def test_ties_in_best_and_worst_order_are_the_extremes_of_all_orders(made: Collection) -> None:
    results = dict(list(made.run["q"].items())[:6])
    ((_, query),) = queries_of(made.qrels, {"q": results}).items()
    orders = [replace(query, ranking=order) for order in _orders_of_ties(results)]
    hits = hits_of(made.qrels, {"q": results})
    for measure in ORDERED:
        found = [measure(hits.tied(order)).item() for order in ("worst", "best")]
        assert found == pytest.approx(_extremes(orders, measure), nan_ok=True), measure


assumptions = st.tuples(st.sampled_from((0, 0.5, 1, 2, 7)), st.none() | st.integers(1, 5))


@FEWER
@given(collections(), assumptions)
def test_assuming_grades_that_join_is_judging_again(
    collection: Collection, assumed: tuple[float, int | None]
) -> None:
    grade, k = assumed
    qrels = {q: dict(grades) for q, grades in collection.qrels.items()}
    for query in qrels.keys() & collection.run.keys():
        for doc in ranked(collection.run[query])[:k]:
            if qrels[query].get(doc, -1) < 0:
                qrels[query][doc] = grade
    hits = hits_of(collection.qrels, collection.run).assume(grade, k=k, join=True)
    wanted = hits_of(qrels, collection.run)
    assert same(hits, wanted, ("query", "rank", "grade", "returned"))
    check(hits, wanted, tuple(m for m in VARIANTS if grade < 7 or "max" not in m.parameters))


@dataclass(frozen=True)
class Assumed(Query):
    """A query with assumed grades of some results."""

    taken: dict[str, float]

    @property
    def returned(self) -> list[float | None]:
        return [self.taken.get(doc) for doc in self.ranking]


@FEWER
@given(collections(), assumptions)
def test_assuming_grades_that_do_not_join_leaves_what_is_wanted_alone(
    collection: Collection, assumed: tuple[float, int | None]
) -> None:
    grade, k = assumed
    grade = min(grade, max(max(grades.values()) for grades in collection.qrels.values()))
    assume(grade >= 0)
    hits = hits_of(collection.qrels, collection.run).assume(grade, k=k, join=False)
    queries = queries_of(collection.qrels, collection.run)
    for measure in VARIANTS:
        # Bpref compares with judged results, and these do not count as judged; the ideal order of
        # the retrieved results has only the judged ones (see below).
        if measure.judged_only or str(measure).startswith(("Bpref", "nDCG(ideal=retrieved")):
            continue
        found = measure(hits)
        for place, name in enumerate(hits.judgments.queries):
            query = queries[name]
            guess = {doc: grade for doc in query.ranking[:k] if query.grades.get(doc, -1) < 0}
            taken = Assumed(**vars(query), taken={**query.grades, **guess})
            wanted = value(measure, taken)
            wanted = np.nan if wanted is None else wanted
            assert found[place] == pytest.approx(wanted, nan_ok=True), (measure, taken)


def test_what_does_not_join_is_not_mistaken_for_a_judged_document() -> None:
    # Such results have no row in the judgments; index -1 must not give them the last row.
    hits = ranking("- 1 | 3").assume(1, join=False)
    assert parse("nDCG(ideal=retrieved)")(hits) == pytest.approx([1 + 1 / np.log2(3)])


@FEWER
@given(collections(grades=INTEGER_GRADES), st.integers(0, 3))
def test_completed_is_the_ranking_that_goes_on(collection: Collection, more: int) -> None:
    judged = {q: set(grades) for q, grades in collection.qrels.items()}
    common = {q: results for q, results in collection.run.items() if q in judged}
    size = more + max(len(judged[q] | set(common.get(q, ()))) for q in judged)
    for rest in ("best", "worst"):
        full = {}
        for query, grades in collection.qrels.items():
            seen = ranked(common.get(query, {}))
            unseen = sorted(grades.keys() - set(seen), key=grades.__getitem__, reverse=True)
            good = [doc for doc in unseen if grades[doc] > 0]
            bad = [doc for doc in unseen if grades[doc] <= 0]
            fill = [f"unjudged {n}" for n in range(size - len(seen) - len(unseen))]
            tail = [*good, *fill, *bad] if rest == "best" else [*bad[::-1], *fill, *good[::-1]]
            full[query] = scored(seen + tail)
        hits = hits_of(collection.qrels, common).completed(rest, size=size)
        wanted = hits_of(collection.qrels, full)
        assert same(hits, wanted, ("query", "rank", "returned"))
        check(hits, wanted)


@FEWER
@given(collections(grades=INTEGER_GRADES, queries=("q",)))
def test_completions_are_the_extremes_of_all_orders_of_the_rest(made: Collection) -> None:
    ((_, query),) = queries_of(made.qrels, made.run).items()
    unseen = [doc for doc in made.qrels["q"] if doc not in query.ranking]
    assume(len(unseen) <= 4)
    rest = [*unseen, "unjudged 1", "unjudged 2"]
    orders = [
        replace(query, ranking=[*query.ranking, *order]) for order in itertools.permutations(rest)
    ]
    hits = hits_of(made.qrels, made.run)
    size = len(query.ranking) + len(rest)
    for measure in ORDERED:
        found = [measure(hits.completed(end, size=size)).item() for end in ("worst", "best")]
        assert found == pytest.approx(_extremes(orders, measure), nan_ok=True), measure


def test_a_collection_smaller_than_what_is_known_of_it() -> None:
    with pytest.raises(OptionError, match=r"3 documents is smaller than the 4 that"):
        ranking("1 - | 0 2").completed("best", size=3)
    with pytest.raises(OptionError, match=r"rest='bset' is not known; did you mean 'best'\?"):
        ranking("1").completed("bset", size=3)  # type: ignore[arg-type]


@given(collections())
def test_no_transform_changes_the_hits_that_it_is_given(collection: Collection) -> None:
    hits = hits_of(collection.qrels, collection.run)
    before = {f.name: np.copy(getattr(hits, f.name)) for f in fields(hits) if f.name in ARRAYS}
    hits.condensed().tied("best").completed("worst", size=100).top(3)
    hits.tied("worst").assume(1, k=3, join=True).assume(2, join=False).best_by(lambda h: h.grade)
    for name, array in before.items():
        assert np.array_equal(getattr(hits, name), array)


# Without files


small_matrices = st.integers(1, 11).flatmap(
    lambda n: st.lists(
        st.lists(st.tuples(st.sampled_from((0, 1, 2, -1)), st.sampled_from((0.5, 1, -0.0, 0.0))),
                 min_size=n, max_size=n),
        min_size=1, max_size=4,
    )
)  # fmt: skip


@FEWER
@given(small_matrices)
def test_matrices_are_runs_in_which_everything_is_returned(rows: list) -> None:
    matrix = np.array(rows, dtype=float)
    relevance, scores = matrix[..., 0], matrix[..., 1]
    qrels, run = (
        {f"q{q}": {f"d{d:02}": x for d, x in enumerate(row)} for q, row in enumerate(part.tolist())}
        for part in (relevance, scores)
    )
    hits, wanted = Hits.from_matrix(relevance, scores), hits_of(qrels, run)
    assert same(hits, wanted, (*ARRAYS, "doc"))
    check(hits, wanted)


@pytest.mark.parametrize(
    ("relevance", "scores", "message"),
    [
        ([[1, 0]], [[1, 0], [0, 1]], r"must be two matrices of one shape .* \(1, 2\) and \(2, 2\)"),
        ([1, 0], [1, 0], r"found \(2,\) and \(2,\)"),
        ([[], []], [[], []], r"there is nothing in matrices of shape \(2, 0\)"),
        ([[1, np.nan]], [[1, 0]], r"relevance\[0, 1\] is nan"),
        ([[1, np.inf]], [[1, 0]], r"relevance\[0, 1\] is inf"),
        ([["a", "b"]], [[1, 0]], r"relevance and scores are no matrices of numbers"),
        ([[1, 0]], [[np.nan, 0]], r"scores\[0, 0\] is nan"),
    ],
)
def test_matrices_that_will_not_do(relevance: list, scores: list, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Hits.from_matrix(relevance, scores)


def test_a_pooled_result_is_one_document_whatever_is_assumed_of_it() -> None:
    hits = ranking("-1 1").assume(1, join=False)
    assert hits.completed("best", size=2).returned.tolist() == [2]
    twice = hits.assume(2, join=True)
    assert twice.doc.tolist() == [0, 1]


def test_a_measure_of_many_queries_is_that_of_each_block(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(7)
    grades = generator.integers(-1, 4, (40, 9)).astype(float)
    hits = Hits.from_matrix(grades, generator.random((40, 9))).assume(1, k=3, join=False)
    whole = {str(variant): variant for variant in EVERY}
    before = {name: one(hits) for name, one in whole.items()}
    monkeypatch.setattr("cleverdon.hits._BLOCK_ROWS", 50)
    blocks = list(hits.blocks())
    assert len(blocks) > 5
    assert sum(map(len, blocks)) == len(hits)
    assert [query for block in blocks for query in block.judgments.queries] == [
        str(query) for query in range(40)
    ]
    for name, one in whole.items():
        np.testing.assert_array_equal(one(hits), before[name])

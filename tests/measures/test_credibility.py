"""Measures of relevance and credibility against the formulas in plain loops over dicts.

No other program has them all; those that there are leave out the last term of the normalisation.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cleverdon.hits
from cleverdon import Measure, evaluate, parse
from cleverdon.errors import InputError, NotationError
from cleverdon.measures.registry import measures
from cleverdon.measures.worked import ranking as written_ranking
from tests.differential.collections import INTEGER_GRADES, Collection, Nested, collections

FEWER = settings(max_examples=settings.default.max_examples // 4)
MANY = tuple(f"query {number}" for number in range(40))

_EVERY = """
    NLRE NLRE(mu=0) NLRE(mu=2,nu=0.25) NLRE(judged_only=true)
    NGRE NGRE(nu=0) NGRE(mu=2,nu=0.25) NGRE(judged_only=true)
    NWCS NWCS@3 NWCS(weight=0) NWCS(weight=1) NWCS(weight=0.25)@5 NWCS(judged_only=true)
    CAM(AP) CAM(nDCG@3,weight=0.25) CAM(ERR) CAM(RBP,weight=1) CAM(P@3,judged_only=true)
    WHAM(AP) WHAM(nDCG@3,weight=0.25) WHAM(ERR,weight=0) WHAM(RBP) WHAM(RR,weight=0.9)
"""
EVERY: tuple[Measure, ...] = tuple(map(parse, _EVERY.split()))

batches = collections(grades=INTEGER_GRADES, queries=MANY, fewest=20)


@st.composite
def judged_twice(draw: st.DrawFn) -> tuple[Collection, Nested]:
    """A collection, and grades of another kind: of some documents of it, and of some others."""
    collection = draw(batches)
    chance = draw(st.randoms(use_true_random=False))
    second: Nested = {}
    for query, grades in collection.qrels.items():
        docs = [*grades, *collection.run.get(query, {}), "only here"]
        known = {doc: chance.choice((0, 1, 2, 3, 5, -1)) for doc in docs if chance.random() < 0.8}
        if known:
            second[query] = known
    if not second:
        second = {"no such query": {"d": 1}}
    return collection, second


def values(collection: Collection, second: Nested, *wanted: Measure) -> dict[str, dict[str, float]]:
    """Measure to query to value."""
    scores = evaluate(collection.qrels, collection.run, wanted, second=second)
    return {
        str(measure): dict(zip(scores.queries, scores.values[0, m].tolist(), strict=True))
        for m, measure in enumerate(wanted)
    }


def ranking(scores: dict[str, float]) -> list[str]:
    return sorted(scores, key=lambda doc: (scores[doc], doc.encode()), reverse=True)


def errors(grades: list[float]) -> list[int]:
    """Between neighbours: how many ranks of the ideal order the upper one stands too high."""
    ideal = [1 + sum(other > grade for other in grades) for grade in grades]
    return [max(0, above - below) for above, below in itertools.pairwise(ideal)]


def nlre(pairs: list[tuple[float, float]], mu: float, nu: float) -> float | None:
    n = len(pairs)
    if n < 2:
        return 1 if n else None
    both = zip(errors([r for r, _ in pairs]), errors([c for _, c in pairs]), strict=True)
    made = sum(
        ((mu + r) * (nu + c) - mu * nu) / math.log2(1 + i) for i, (r, c) in enumerate(both, 1)
    )
    gaps = [(j, n - 2 * j - 1) for j in range(n // 2)]
    return 1 - made / sum((g**2 + (mu + nu) * g) / (1 + math.log2(1 + j)) for j, g in gaps)


def ngre(pairs: list[tuple[float, float]], mu: float, nu: float) -> float | None:
    n = len(pairs)
    if n < 2:
        return 1 if n else None
    of_kind = (errors([r for r, _ in pairs]), errors([c for _, c in pairs]))
    relevance, credibility = (
        sum(error / math.log2(1 + i) for i, error in enumerate(made, 1)) for made in of_kind
    )
    z = sum((n - 2 * j - 1) / (1 + math.log2(1 + j)) for j in range(n // 2))
    return 1 - ((1 + mu * relevance) * (1 + nu * credibility) - 1) / (
        mu * nu * z**2 + (mu + nu) * z
    )


def nwcs(
    pairs: list[tuple[float, float]],
    judged: list[tuple[float, float]],
    weight: float,
    k: int | None,
) -> float | None:
    def cumulated(rows: list[tuple[float, float]]) -> float:
        gains = [weight * max(r, 0) + (1 - weight) * max(c, 0) for r, c in rows]
        return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains[:k], 1))

    def worth(row: tuple[float, float]) -> float:
        return weight * max(row[0], 0) + (1 - weight) * max(row[1], 0)

    ideal = cumulated(sorted(judged, key=worth, reverse=True))
    return cumulated(pairs) / ideal if ideal else None


def reference(
    measure: Measure, grades: dict[str, float], second: dict[str, float], run: Any
) -> Any:
    """What the formulas give for one query."""
    docs = ranking(run)
    both = [(grades.get(doc, -1), second.get(doc, -1)) for doc in docs]
    if type(measure).__name__ == "NWCS":
        known = [
            (grades.get(doc, -1), second.get(doc, -1)) for doc in grades.keys() | second.keys()
        ]
        return nwcs(both, known, measure.weight, measure.k)
    judged_both = [(r, c) for r, c in both if r >= 0 and c >= 0]
    formula = nlre if type(measure).__name__ == "NLRE" else ngre
    return formula(judged_both, measure.mu, measure.nu)


def agrees(found: float, expected: float | None) -> bool:
    if expected is None:
        return math.isnan(found)
    return math.isclose(found, expected, rel_tol=1e-12, abs_tol=1e-12)


@FEWER
@given(judged_twice())
def test_plain_loops(drawn: tuple[Collection, Nested]) -> None:
    collection, second = drawn
    wanted = [m for m in EVERY if not hasattr(m, "measure") and not m.judged_only]
    ours = values(collection, second, *wanted)
    for query, grades in collection.qrels.items():
        for measure in wanted:
            run = collection.run.get(query, {})
            expected = reference(measure, grades, second.get(query, {}), run)
            found = ours[str(measure)][query]
            assert agrees(found, expected), f"{measure} of {query} is {found}, not {expected}"


@FEWER
@given(judged_twice())
def test_aggregates_are_means_of_the_measure_by_either_grade(
    drawn: tuple[Collection, Nested],
) -> None:
    collection, second = drawn
    wanted = [m for m in EVERY if hasattr(m, "measure") and not m.judged_only]
    ours = values(collection, second, *wanted)
    # The other way round, what one kind of judgments mentions is pooled in the other.
    unjudged = {
        query: dict.fromkeys({**grades, **second.get(query, {})}, -1.0)
        for query, grades in collection.qrels.items()
    }
    by_kind = [
        {query: {**docs, **kind.get(query, {})} for query, docs in unjudged.items()}
        for kind in (collection.qrels, second)
    ]
    inner = list(dict.fromkeys(measure.measure for measure in wanted))
    found = [evaluate(qrels, collection.run, inner).values[0] for qrels in by_kind]
    queries = sorted(collection.qrels, key=str.encode)
    for measure in wanted:
        for q, query in enumerate(queries):
            relevance, credibility = (
                float(kind[inner.index(measure.measure), q]) for kind in found
            )
            w = measure.weight
            if math.isnan(relevance) or math.isnan(credibility):
                expected = None
            elif type(measure).__name__ == "CAM":
                expected = w * relevance + (1 - w) * credibility
            elif relevance == 0 or credibility == 0:
                expected = 0.0
            else:
                expected = 1 / (w / relevance + (1 - w) / credibility)
            one = ours[str(measure)][query]
            assert agrees(one, expected), f"{measure} of {query} is {one}, not {expected}"


@pytest.mark.parametrize("n", range(1, 7))
@pytest.mark.parametrize("mu", [0.5, 2])
def test_the_worst_order_has_the_value_0_and_the_best_1(n: int, mu: float) -> None:
    """Of all orders of n documents whose two kinds of grades agree, and none are equal."""
    orders = {str(order): order for order in itertools.permutations(range(n))}
    qrels = {name: {f"d{grade}": float(grade) for grade in order} for name, order in orders.items()}
    run = {
        name: {f"d{grade}": float(-place) for place, grade in enumerate(order)}
        for name, order in orders.items()
    }
    wanted = [parse(f"NLRE(mu={mu})"), parse(f"NGRE(mu={mu})")]
    for by_query in values(Collection(qrels, run), qrels, *wanted).values():
        assert max(by_query.values()) == 1
        lowest = 1 if n == 1 else 0
        assert min(by_query.values()) == pytest.approx(lowest, abs=1e-12)


@FEWER
@given(judged_twice())
def test_values_lie_in_the_range(drawn: tuple[Collection, Nested]) -> None:
    for name, found in values(*drawn, *EVERY).items():
        lowest, highest = parse(name).range
        for value in found.values():
            inside = math.isnan(value) or lowest - 1e-12 <= value <= highest + 1e-12
            assert inside, f"{name} is {value}"


@FEWER
@given(judged_twice(), st.data())
def test_a_query_alone_scores_as_it_does_among_all(
    drawn: tuple[Collection, Nested], data: st.DataObject
) -> None:
    collection, second = drawn
    answered = sorted(query for query in collection.qrels if collection.run.get(query))
    query = data.draw(st.sampled_from(answered))
    # The largest grades belong to the whole collection, so that the queries that have them stay.
    kept = {query, *(_topmost(qrels, collection.qrels) for qrels in (collection.qrels, second))}
    qrels = {name: grades for name, grades in collection.qrels.items() if name in kept}
    run = {query: collection.run[query]}
    among = values(collection, second, *EVERY)
    for name, found in values(Collection(qrels, run), second, *EVERY).items():
        assert np.array_equal(found[query], among[name][query], equal_nan=True), name


def _topmost(qrels: Nested, judged: Nested) -> str:
    """The query, of those that are judged, that has the largest grade."""
    largest = {query: max(qrels.get(query, {"": -9.0}).values()) for query in judged}
    return max(largest, key=lambda query: largest[query])


@FEWER
@given(judged_twice())
def test_blocks_change_nothing(drawn: tuple[Collection, Nested]) -> None:
    whole = values(*drawn, *EVERY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cleverdon.hits, "_BLOCK_ROWS", 50)
        assert str(values(*drawn, *EVERY)) == str(whole)


def test_every_class_is_among_those_tested() -> None:
    here = {cls for cls in measures() if cls.needs == "second"}
    # UDCG takes probabilities as second grades, and has tests of its own below.
    assert here == {type(measure) for measure in (*EVERY, parse("UDCG"))}


def test_err_by_the_second_grade_knows_the_largest_second_grade() -> None:
    qrels, second = {"q": {"d": 4}, "r": {"d": 1}}, {"q": {"d": 1}, "r": {"d": 1}}
    run = {"q": {"d": 1.0}, "r": {"d": 1.0}}
    scores = evaluate(qrels, run, "CAM(ERR,weight=0)", second=second)
    assert scores.values[0, 0].tolist() == [0.5, 0.5]


def test_expected_over_ties() -> None:
    qrels, second = {"q": {"d1": 1, "d2": 0}}, {"q": {"d1": 0, "d2": 1}}
    run = {"q": {"d1": 1.0, "d2": 1.0}}
    scores = evaluate(qrels, run, "CAM(P@1,weight=0.25)", second=second, ties="expected")
    assert scores.values[0, 0, 0] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("NLRE(mu=-1)", "NLRE(mu=-1): expected 0 <= mu"),
        ("NGRE(mu=0,nu=0)", "NGRE(mu=0,nu=0): one of them is above 0"),
        ("NWCS(weight=2)", "NWCS(weight=2): expected 0 <= weight <= 1"),
        ("CAM(AP,weight=-1)", "CAM(weight=-1): expected 0 <= weight <= 1"),
        ("CAM(NWCS)", "NWCS is one of this kind already"),
        ("WHAM", "WHAM needs 'measure'"),
        ("WHAM(MCC)", "WHAM(MCC): MCC may be below 0, and has no harmonic mean"),
    ],
)
def test_parameters_that_are_refused(written: str, message: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse(written)
    assert message in str(caught.value)


def test_judgments_without_a_second_grade_are_refused() -> None:
    with pytest.raises(InputError, match="second=QRELS"):
        evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "NWCS@10")


def test_utility_and_distraction_in_the_example_of_the_authors() -> None:
    """The sample of github.com/GiovanniTRA/UDCG, computed there with a weight of -0.333."""
    abstains = {
        "doc_1": 2.086162567138672e-06,
        "doc_2": 1.341104507446289e-05,
        "doc_3": 0.1318359375,
        "doc_4": 0.1812744140625,
        "doc_5": 0.02081298828125,
    }
    qrels = {"q": {doc: int(doc in ("doc_1", "doc_2")) for doc in abstains}}
    second = {"q": {doc: 1 - share for doc, share in abstains.items()}}
    run = {"q": {doc: -float(doc[-1]) for doc in abstains}}
    found = evaluate(qrels, run, "UDCG(gamma=0.333)", second=second)
    assert found.means.item() == pytest.approx(0.5553808928170055, abs=1e-12)


@given(st.data())
def test_utility_and_distraction_in_plain_python(data: st.DataObject) -> None:
    rows = data.draw(
        st.lists(
            st.tuples(st.sampled_from((None, -1, 0, 1, 2)), st.sampled_from((None, 0, 0.25, 1))),
            max_size=6,
        )
    )
    k = data.draw(st.sampled_from((None, 1, 3)))
    gamma = data.draw(st.sampled_from((0.0, 0.5, 2.0)))
    qrels = {f"d{d}": grade for d, (grade, _) in enumerate(rows) if grade is not None}
    second = {f"d{d}": share for d, (_, share) in enumerate(rows) if share is not None}
    run = {f"d{d}": -float(d) for d in range(len(rows))}
    total = 0.0
    for grade, share in rows[:k]:
        if grade is not None and grade >= 0 and share is not None:
            total += share if grade >= 1 else -gamma * share
    read = len(rows[:k])
    wanted = 1 / (1 + math.exp(-total / read)) if read else 0
    written = f"UDCG(gamma={gamma})" + (f"@{k}" if k else "")
    found = evaluate(
        {"q": {**qrels, "other": 0}}, {"q": run}, written, second={"q": {**second, "other": 0}}
    )
    assert found.means.item() == pytest.approx(wanted, abs=1e-12)


def test_utility_needs_probabilities() -> None:
    with pytest.raises(InputError, match="a second grade of 2 is no probability of an answer"):
        parse("UDCG")(written_ranking("1/2 0/1"))


def test_utility_of_one_query_is_the_same_among_others(monkeypatch: pytest.MonkeyPatch) -> None:
    qrels = {f"q{n}": {"a": n % 2, "b": 1} for n in range(9)}
    second = {f"q{n}": {"a": n / 10, "b": 0.5} for n in range(9)}
    run = {query: {"a": 2.0, "b": 1.0, "c": 0.5} for query in qrels}
    whole = evaluate(qrels, run, "UDCG@2", second=second).per_query("run", "UDCG@2")
    monkeypatch.setattr(cleverdon.hits, "_BLOCK_ROWS", 3)
    assert evaluate(qrels, run, "UDCG@2", second=second).per_query("run", "UDCG@2") == whole
    for query, value in whole.items():
        alone = evaluate({query: qrels[query]}, run, "UDCG@2", second={query: second[query]})
        assert alone.mean("run", "UDCG@2") == value

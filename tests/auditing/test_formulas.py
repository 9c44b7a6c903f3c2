"""The formulas of audits: by hand, and against Cleverdon's measures, which share no code."""

from __future__ import annotations

from math import log2
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon import evaluate
from cleverdon.auditing import formulas
from cleverdon.auditing.rankings import RANKINGS, Order, QueryResults

ORDER = Order(("a", "x", "b", "y"), (4.0, 3.0, 2.0, 1.0), {"a": 1, "b": 3, "m": 2, "x": 0, "y": -1})


def test_by_hand() -> None:
    assert formulas.precision(ORDER, 3) == 2 / 3
    assert formulas.precision(ORDER, 5) == 2 / 5
    assert formulas.recall(ORDER, 1) == 1 / 3
    assert formulas.reciprocal_rank(ORDER) == 1
    assert formulas.average_precision(ORDER) == (1 + 2 / 3) / 3
    assert formulas.average_precision(ORDER, over=2) == (1 + 2 / 3) / 2
    assert formulas.average_precision_of_labels([False, True, True]) == (1 / 2 + 2 / 3) / 2
    assert formulas.r_precision(ORDER) == 2 / 3
    assert formulas.hit(ORDER, 1) == 1
    assert formulas.ndcg(ORDER, 2) == 1 / (3 + 2 / log2(3))
    assert formulas.ndcg(ORDER, 2, gain="exponential") == 1 / (7 + 3 / log2(3))
    assert formulas.ndcg(ORDER, 2, gain="binary") == 1 / (1 + 1 / log2(3))
    assert formulas.ndcg(ORDER, 2, returned_only=True) == 1 / (3 + 1 / log2(3))


def test_a_document_that_is_returned_again_is_not_found_again() -> None:
    order = Order(("a", "a", "b"), (3.0, 2.0, 1.0), {"a": 1, "b": 1})
    assert formulas.precision(order, 3) == 1
    assert formulas.precision(order, 3, unique=True) == 2 / 3
    assert formulas.recall(order, 2) == 1 / 2
    assert formulas.average_precision(order) == (1 + 2 / 3) / 2
    assert formulas.ndcg(order) == (1 + 1 / 2) / (1 + 1 / log2(3))


def test_nothing_relevant() -> None:
    order = Order(("x",), (1.0,), {"x": 0})
    assert formulas.recall(order) is None
    assert formulas.average_precision(order) is None
    assert formulas.ndcg(order) is None
    assert formulas.r_precision(order) is None
    assert formulas.average_precision_of_labels([False]) is None
    assert formulas.reciprocal_rank(order) == formulas.hit(order, 1) == 0


grades = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-1, 3), min_size=1)


@given(st.permutations("abcdefgh"), st.integers(1, 8), grades)
def test_as_cleverdon_computes_them(docs: list[str], length: int, judged: dict[str, int]) -> None:
    docs = docs[:length]
    order = Order(
        tuple(docs), tuple(range(length, 0, -1)), {d: float(g) for d, g in judged.items()}
    )
    expected: dict[str, Any] = {
        "P@3": formulas.precision(order, 3),
        "R@3": formulas.recall(order, 3),
        "RR": formulas.reciprocal_rank(order),
        "Success@2": formulas.hit(order, 2),
        "AP": formulas.average_precision(order),
        "AP@3": formulas.average_precision(order, 3),
        "Rprec": formulas.r_precision(order),
        "nDCG@3": formulas.ndcg(order, 3),
        "nDCG(gain=exponential)": formulas.ndcg(order, gain="exponential"),
        "nDCG(gain=binary)@4": formulas.ndcg(order, 4, gain="binary"),
        "DCG@3": formulas.dcg([formulas.gain_of(grade, "linear") for grade in order.grades], 3),
    }
    scores = evaluate({"q": judged}, {"q": docs}, list(expected), undefined="always-worst")
    for name, value in expected.items():
        assert scores.mean("run", name) == pytest.approx(value or 0, abs=1e-12), name


def test_every_order_of_equal_scores() -> None:
    query = QueryResults((("a", 1.0), ("b", 2.0), ("c", 1.0)), {})
    assert query.given().docs == ("b", "a", "c")
    assert {order.docs for order in query.orders()} == {("b", "a", "c"), ("b", "c", "a")}


def test_rankings_have_what_they_say() -> None:
    by_name = {ranking.name: ranking for ranking in RANKINGS}
    assert len(by_name) == len(RANKINGS)
    assert by_name["graded"].graded
    docs = by_name["duplicates"].queries["q"].given().docs
    assert len(set(docs)) < len(docs)
    assert min(by_name["negative"].queries["q"].judged.values()) < 0
    assert by_name["missing query"].queries["r"].missing
    assert not by_name["no relevant documents"].queries["r"].given().relevant
    for name in ("ties", "tied grades"):
        assert len(list(by_name[name].queries["q"].orders())) > 1

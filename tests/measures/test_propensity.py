"""Propensity-scored measures against matrices of labels, as extreme classification has them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings

from cleverdon import Hits, evaluate, explain, parse
from cleverdon.errors import InputError, NotationError
from tests.measures.tables import Table, tables


def inverse_propensities(labels: np.ndarray, a: float, b: float, c: float | None) -> np.ndarray:
    """Return 1 / p of each label (column), from the formula of the paper."""
    if c is None:
        c = max((math.log(len(labels)) - 1) * (b + 1) ** a, 0.0)
    return np.array([1 + c * math.exp(-a * math.log(n + b)) for n in labels.sum(axis=0).tolist()])


@settings(max_examples=60)
@given(tables())
def test_against_the_formulas(table: Table) -> None:
    k = 3
    for a, b, c in ((0.55, 1.5, None), (0.6, 2.6, None), (1.0, 1.0, 4.0)):
        written = f"A={a},B={b}" + (f",C={c}" if c else "")
        names = [f"PSP({written})@{k}", f"PSnDCG({written})@{k}"]
        names += [f"PSP({written},norm=ideal)@{k}", f"PSnDCG({written},norm=ideal)@{k}"]
        scores = table.scores(names)
        worth = inverse_propensities(table.relevant, a, b, c)
        discount = [1 / math.log2(rank + 1) for rank in range(1, k + 1)]
        sums, shares = [], []
        for q, (relevant, returned) in enumerate(table.rows):
            # All scores are equal, so that the largest ids come first.
            ranking = np.flatnonzero(returned)[::-1][:k].tolist()
            gains = [worth[doc] if relevant[doc] else 0.0 for doc in ranking]
            best = sorted(worth[relevant].tolist(), reverse=True)[:k]
            dcg, ideal = (
                sum(map(math.prod, zip(g, discount, strict=False))) for g in (gains, best)
            )
            sums.append((sum(gains), sum(best)))
            filled = sum(discount[: len(best)]) or 1
            shares.append((dcg / filled, ideal / filled))
            wanted = [
                sum(gains) / k,
                dcg / sum(discount),
                sum(gains) / sum(best) if best else math.nan,
                dcg / ideal if best else math.nan,
            ]
            np.testing.assert_allclose(scores.values[0, :, q], wanted, atol=1e-12)
        # Leaderboards divide the sum over all queries by the most that it could be.
        for name, parts in ((names[2], sums), (names[3], shares)):
            found, most = np.sum(parts, axis=0)
            micro = found / most if most else math.nan
            assert scores.micro("run", name) == pytest.approx(micro, nan_ok=True)


PUBLIC = [0.3361112577644216, 0.5959931103171874, 0.8312411722117771]  # PSP of napkinXC 0.7.2
PUBLIC += [0.3361112577644216, 0.5414374454582128, 0.6747833635913743]  # PSnDCG


def test_against_numbers_of_pyxclib_and_napkinxc() -> None:
    # Both give the same values, pyxclib to the precision of float32.
    labels = {"q1": "ab", "q2": "a", "q3": "acd"}
    ranked = {"q1": "cabd", "q2": "badc", "q3": "dbac"}
    qrels = {query: dict.fromkeys(docs, 1) for query, docs in labels.items()}
    run = {query: {doc: -place for place, doc in enumerate(docs)} for query, docs in ranked.items()}
    names = [f"{name}(norm=ideal)@{k}" for name in ("PSP", "PSnDCG") for k in (1, 2, 3)]
    found = evaluate(qrels, run, names)
    assert [found.micro("run", name) for name in names] == pytest.approx(PUBLIC, abs=1e-7)


def test_what_is_relevant_for_few_queries_counts_for_more() -> None:
    qrels = {f"q{number}": {"common": 1} for number in range(9)} | {"q9": {"common": 1, "rare": 1}}
    scores = {"common": {"q9": {"common": 1.0}}, "rare": {"q9": {"rare": 1.0}}}
    found = evaluate(qrels, scores, "PSP@1 P@1", missing="skip")
    assert found.mean("common", "P@1") == found.mean("rare", "P@1") == 1
    # A document that is relevant for one query of N counts log N.
    assert found.mean("rare", "PSP@1") == pytest.approx(math.log(10))
    expected = 1 + (math.log(10) - 1) * (2.5 / 11.5) ** 0.55
    assert found.mean("common", "PSP@1") == pytest.approx(expected)


def test_grades_of_zero_and_below_are_not_counted() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 0}, "q3": {"a": -1, "b": 2}}
    found = evaluate(qrels, {"q1": {"a": 1.0}}, "PSP(A=1,B=0,C=3)@1", missing="skip")
    assert found.mean("run", "PSP(A=1,B=0,C=3)@1") == 4


def test_it_needs_the_counts() -> None:
    hits = Hits.from_matrix([[1, 0]], [[0.9, 0.5]])
    with pytest.raises(InputError, match="PSP@1 needs the number of queries for which each"):
        parse("PSP@1")(hits)
    with pytest.raises(NotationError, match="expected 0 <= C"):
        parse("PSP(C=-1)@1")


def test_a_trace_counts_too() -> None:
    qrels = {"q1": {"a": 1, "b": 1}, "q2": {"a": 1}, "q3": {"a": 1}}
    found = explain(qrels, {"q1": {"x": 3.0, "a": 2.0, "b": 1.0}}, "PSP(A=1,B=1,C=2)@3", query="q1")
    assert found.value == pytest.approx((1.5 + 2) / 3)

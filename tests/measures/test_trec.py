"""The measures that only trec_eval has: gains that are listed, texts, and what pytrec_eval lacks.

What pytrec_eval has is compared with it in tests/differential/test_pytrec_eval.py, and all of it
with trec_eval 10's own output, where that is at hand, in test_trec_eval.py beside it.
"""

from __future__ import annotations

import json
import math
from functools import partial

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from cleverdon import Hits, evaluate, parse
from cleverdon.errors import OptionError
from cleverdon.measures.worked import ranking
from tests.differential.as_pytrec_eval import with_a_grade_of_0
from tests.differential.collections import Collection
from tests.measures.plain import (
    FEWER,
    Numbers,
    batches,
    disagreements,
    integer_batches,
    number_relevant,
)
from tests.reference import ranked

Table = dict[float, float]

TABLES: dict[str, Table] = {
    "": {},
    "gains={1:3,2:9}": {1: 3, 2: 9},
    "gains={0:0.5,1:0.25,3:0.25}": {0: 0.5, 1: 0.25, 3: 0.25},
    "gains={0:-1,2:-0.5}": {0: -1, 2: -0.5},
    "gains={0:-1,1:-1,2:-1,3:-1,4:-1}": dict.fromkeys((0, 1, 2, 3, 4), -1),
}


def gains_of(table: Table, grades: Numbers, results: Numbers) -> tuple[list[float], list[float]]:
    """The gains down the ranking, and those of the ideal one."""

    def gain(grade: float | None) -> float:
        return 0.0 if grade is None else table.get(grade, max(grade, 0.0))

    ideal = sorted((g for g in map(gain, grades.values()) if g > 0), reverse=True)
    return [gain(grades.get(doc)) for doc in ranked(results)], ideal


def dcg(gains: list[float], k: int | None = None) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains[:k], start=1))


def g(table: Table, grades: Numbers, results: Numbers) -> float | None:
    gains, ideal = gains_of(table, grades, results)
    if not ideal:
        return None
    value = 0.0
    for rank, gain in enumerate(gains, start=1):
        cost = sum(max(best, 1.0) for best in ideal[:rank]) + max(rank - len(ideal), 0)
        value += gain / math.log2(2 + cost - sum(gains[:rank])) if gain else 0.0
    return value / sum(ideal)


def r_ndcg(table: Table, grades: Numbers, results: Numbers) -> float | None:
    gains, ideal = gains_of(table, grades, results)
    if not ideal or not number_relevant(grades, 1):
        return None
    edges = [b for b in range(1, len(ideal) + 1) if b == len(ideal) or ideal[b - 1] != ideal[b]]
    if len(gains) > len(ideal) + 1:
        edges.append(len(gains))
    return sum(dcg(gains, edge) / dcg(ideal, edge) for edge in edges) / len(edges)


def ndcg_at_relevant(table: Table, grades: Numbers, results: Numbers) -> float | None:
    gains, ideal = gains_of(table, grades, results)
    if not ideal:
        return None
    ranks = [rank for rank, gain in enumerate(gains, start=1) if gain > 0]
    total = sum(dcg(gains, rank) / dcg(ideal, rank) for rank in ranks)
    total += (len(ideal) - len(ranks)) * dcg(gains) / dcg(ideal)
    return max(total, 0.0) / len(ideal)


@FEWER
@given(batches)
def test_measures_of_gain(collection: Collection) -> None:
    formulas = {"G": g, "Rndcg": r_ndcg, "ndcg_rel": ndcg_at_relevant}
    assert not disagreements(
        collection,
        {
            f"{name}({written})": partial(formula, table)
            for name, formula in formulas.items()
            for written, table in TABLES.items()
        },
    )


@FEWER
@given(integer_batches, st.sampled_from((1, 2)))
def test_yaap_is_made_of_average_precision(collection: Collection, rel: int) -> None:
    qrels = with_a_grade_of_0(collection.qrels)
    oracle = pytrec_eval.RelevanceEvaluator(
        qrels, {"map", "num_rel"}, relevance_level=rel
    ).evaluate(collection.run)
    ours = evaluate(qrels, collection.run, f"Yaap(rel={rel})").per_query("run", f"Yaap(rel={rel})")
    for query, values in oracle.items():
        total = values["map"] * values["num_rel"]
        wanted = math.log((1 + total) / (1 + values["num_rel"] - total))
        assert ours[query] == pytest.approx(wanted, abs=1e-12)


# A text for each query


def letters(grades: Numbers, results: Numbers, k: int) -> str:
    shown = [grades.get(doc) for doc in ranked(results)[:k]]
    return "".join("-" if g is None else "." if g < 0 else str(int(g)) for g in shown)


@FEWER
@given(batches)
def test_the_text_of_a_ranking(collection: Collection) -> None:
    names = ("RelString", "RelString@3", "RelString(judged_only=true)@4")
    scores = evaluate(collection.qrels, {"run": collection.run}, names)
    for row, query in enumerate(scores.queries):
        grades, results = collection.qrels[query], collection.run.get(query, {})
        known = {doc: score for doc, score in results.items() if grades.get(doc, -1) >= 0}
        found = [scores.texts["run"][name][row] for name in names]
        assert found == [
            letters(grades, results, 10),
            letters(grades, results, 3),
            letters(grades, known, 4),
        ]


def test_a_text_stands_among_numbers() -> None:
    qrels, run = {"q1": {"a": 1, "b": 0}, "q2": {"a": 12}}, {"q1": {"a": 0.5, "b": 1, "c": 0}}
    scores = evaluate(qrels, run, ["relstring", "AP"], undefined="error")
    assert scores.texts == {"run": {"RelString": ["01-", ""]}}
    assert np.isnan(scores.values[0, 0]).all()
    assert scores.to_dict() == {"run": {"AP": 0.25}}
    assert {row["measure"] for row in scores.rows()} == {"AP"}
    assert scores.to_record()["values"]["run"]["RelString"] == ["01-", ""]
    assert json.loads(scores.render("json"))["means"] == {"run": {"AP": 0.25}}
    # Texts have no average; the table says where they are.
    header, *_ = scores.render().splitlines()
    assert "RelString" not in header
    assert "RelString is a text for each query" in scores.render()
    by_query = scores.render("csv", per_query=True).splitlines()
    assert by_query[:2] == ["system,query,RelString,AP", "run,q1,01-,0.5"]


def test_a_number_is_no_text() -> None:
    with pytest.raises(OptionError, match="AP yields a number, and no text"):
        parse("AP").texts(ranking("1"))


def test_texts_of_no_results_at_all() -> None:
    hits = Hits.from_matrix([[1.0], [0.0]], [[1.0], [1.0]])
    assert parse("RelString").texts(hits) == ["1", "0"]
    assert parse("RelString").texts(ranking("| 1")) == [""]


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("relstring_20", "RelString@20"),
        ("iprec_at_recall_0.10", "IPrec@0.1"),
        ("Rprec_mult_1.40", "RprecMult(m=1.4)"),
        ("11pt_avg", "IAP"),
        ("yaap", "Yaap"),
        ("G", "G"),
        ("binG", "binG"),
        ("Rndcg", "Rndcg"),
        ("ndcg_rel", "ndcg_rel"),
        ("infAP", "infAP"),
    ],
)
def test_trec_eval_names(name: str, written: str) -> None:
    assert str(parse(name)) == written

"""The queries on which a system loses most: against plain Python, on data with all that is odd."""

from __future__ import annotations

import json
import re
from itertools import product
from math import log2
from pathlib import Path
from random import Random
from typing import Any

import pytest

from cleverdon import evaluate, worst
from cleverdon.comparison import compare
from cleverdon.errors import OptionError
from cleverdon.formats.texts import Text

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]
MEASURES = ["nDCG@3", "AP", "P@3", "R@4", "RR"]
GRADES = (0, 1, 2)


def collection(seed: int) -> tuple[Qrels, Run, Run]:
    """Judgments and two runs: with ties, missing queries, unjudged and pooled documents."""
    random = Random(seed)
    docs = "abcdefgh"
    qrels: Qrels = {}
    old: Run = {}
    new: Run = {}
    for q in range(8):
        judged = random.sample(docs, random.randint(3, 6))
        grades = {doc: random.choice([-1, 0, 0, 1, 2]) for doc in judged}
        qrels[f"q{q}"] = grades | {judged[0]: 2 if q < 6 else 0}  # two may have nothing relevant
        for run in (old, new):
            if random.random() < 0.85:
                found = random.sample(docs, random.randint(1, 6))
                run[f"q{q}"] = {doc: float(random.randint(1, 3)) for doc in found}
    return qrels, old, new


def ranking(run: Run, query: str) -> list[str]:
    """By score, and of equal ones the larger id first."""
    return sorted(run.get(query, {}), key=lambda doc: (run[query][doc], doc), reverse=True)


def added(measure: str, grades: dict[str, int], ranked: list[str]) -> dict[str, float] | None:
    """What each document adds to the value, from the formulas; None where it is undefined."""
    name, _, cut = measure.partition("@")
    k = int(cut) if cut else len(ranked)
    relevant = [doc for doc, grade in grades.items() if grade > 0]
    found = [(rank, doc) for rank, doc in enumerate(ranked[:k], start=1) if doc in relevant]
    if name == "P":
        return {doc: 1 / k for _, doc in found}
    if not relevant:
        return None
    if name == "R":
        return {doc: 1 / len(relevant) for _, doc in found}
    if name == "RR":
        return {doc: 1 / rank for rank, doc in found[:1]}
    if name == "AP":
        return {doc: n / rank / len(relevant) for n, (rank, doc) in enumerate(found, start=1)}
    ideal = sorted((grades[doc] for doc in relevant), reverse=True)[:k]
    whole = sum(grade / log2(rank + 1) for rank, grade in enumerate(ideal, start=1))
    return {doc: grades[doc] / log2(rank + 1) / whole for rank, doc in found}


def value(measure: str, grades: dict[str, int], ranked: list[str]) -> float:
    parts = added(measure, grades, ranked)
    return 0.0 if parts is None else sum(parts.values())


def unjudged(grades: dict[str, int], ranked: list[str]) -> list[str]:
    return [doc for doc in ranked if grades.get(doc, -1) < 0]


def highest(measure: str, grades: dict[str, int], ranked: list[str]) -> float:
    """The highest value over all grades of the unjudged results."""
    open_ = unjudged(grades, ranked)
    return max(
        value(measure, grades | dict(zip(open_, some, strict=True)), ranked)
        for some in product(GRADES, repeat=len(open_))
    )


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("improved", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_all_of_it_is_what_plain_python_finds(measure: str, improved: bool, seed: int) -> None:
    qrels, old, new = collection(seed)
    scores = evaluate(qrels, {"old": old, "new": new}, measure, keep=10)
    found = worst(scores, "old", "new", n=None, improved=improved)
    depth = int(measure.partition("@")[2] or 10)
    assert found.depth == depth
    values = {q: [value(measure, qrels[q], ranking(run, q)) for run in (old, new)] for q in qrels}
    change = {q: after - before for q, (before, after) in values.items()}
    sign = 1 if improved else -1
    assert found.worse == sum(one < -1e-12 for one in change.values())
    assert found.better == sum(one > 1e-12 for one in change.values())
    assert found.compared == len(qrels)
    expected = sorted(
        (q for q in change if sign * change[q] > 1e-12), key=lambda q: -round(sign * change[q], 12)
    )
    assert [one.query for one in found.queries] == expected
    to_judge = set()
    for one in found.queries:
        grades = qrels[one.query]
        ranked = [ranking(run, one.query) for run in (old, new)]
        assert [one.old, one.new] == pytest.approx(values[one.query])
        assert one.difference == pytest.approx(change[one.query])
        assert one.unjudged == tuple(len(unjudged(grades, each[:depth])) for each in ranked)
        parts = [added(measure, grades, each) or {} for each in ranked]
        gap = {doc: parts[1].get(doc, 0) - parts[0].get(doc, 0) for doc in {*parts[0], *parts[1]}}
        gap = {doc: size for doc, size in gap.items() if abs(size) > 1e-12}
        assert {moved.doc: moved.difference for moved in one.moved} == pytest.approx(gap)
        assert sum(moved.difference for moved in one.moved) == pytest.approx(one.difference)
        sizes = [abs(moved.difference) for moved in one.moved]
        assert sizes == sorted(sizes, reverse=True)
        for moved in one.moved:
            places = [each.index(moved.doc) + 1 if moved.doc in each else None for each in ranked]
            assert moved.ranks == tuple(places)
            assert moved.grade == grades[str(moved.doc)]
        behind, ahead = (0, 1) if improved else (1, 0)
        best = highest(measure, grades, ranked[behind])
        assert one.possible is not None
        assert one.possible[1] == pytest.approx(best)
        assert one.explained == (best >= values[one.query][ahead] - 1e-12)
        for at, each in enumerate(ranked):
            for doc in unjudged(grades, each[:depth]):
                to_judge.add((one.query, doc, at, each.index(doc) + 1))
    listed = {
        (one.query, one.doc, at, rank)
        for one in found.unjudged
        for at, rank in enumerate(one.ranks)
        if rank is not None
    }
    assert listed == to_judge


def test_queries_that_a_run_lacks_are_left_out_where_asked_for() -> None:
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    runs = {"old": {"1": {"a": 1.0}, "2": {"a": 1.0}}, "new": {"1": {"b": 1.0}}}
    empty = worst(evaluate(qrels, runs, "RR", keep=5), "old", "new")
    assert [one.query for one in empty.queries] == ["1", "2"]
    assert [one.explained for one in empty.queries] == [True, False]  # nothing came back to judge
    skipped = worst(evaluate(qrels, runs, "RR", keep=5, missing="skip"), "old", "new")
    assert [one.query for one in skipped.queries] == ["1"]
    assert "1 query left out" in str(skipped)


def test_where_lower_is_better_a_rise_is_a_loss() -> None:
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 1, "b": 0}}
    good, bad = {"a": 1.0}, {"b": 1.0}
    runs = {"old": {"1": good, "2": bad}, "new": {"1": bad, "2": good}}
    scores = evaluate(qrels, runs, "FPR", keep=5, docs=10)
    lost = worst(scores, "old", "new")
    assert [(one.query, one.difference > 0) for one in lost.queries] == [("1", True)]
    gained = worst(scores, "old", "new", improved=True)
    assert [one.query for one in gained.queries] == ["2"]


@pytest.mark.parametrize("ties", ["best", "worst", "expected", "ascending"])
def test_parts_add_up_however_ties_are_broken(ties: str) -> None:
    for seed in range(5):
        qrels, old, new = collection(seed)
        scores = evaluate(qrels, {"old": old, "new": new}, "nDCG@3", keep=10, ties=ties)
        for one in worst(scores, "old", "new", n=None).queries:
            total = sum(moved.difference for moved in one.moved)
            assert total == pytest.approx(one.difference), one.query
            assert one.possible is not None
            assert one.possible[0] - 1e-9 <= one.new <= one.possible[1] + 1e-9


def test_a_measure_without_bounds_says_so() -> None:
    qrels, old, new = collection(1)
    scores = evaluate(qrels, {"old": old, "new": new}, "nDCG(judged_only=True)@3", keep=10)
    found = worst(scores, "old", "new")
    assert found.queries
    assert all(one.explained is None for one in found.queries)
    assert "is not known: nDCG(judged_only=true)@3" in str(found)
    assert "could explain" not in str(found)


def test_a_profile_that_ranks_otherwise_has_values_and_no_documents() -> None:
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 1}}
    runs = {"old": {"1": {"a": 1.0}, "2": {"a": 1.0}}, "new": {"1": {"b": 1.0}, "2": {"a": 1.0}}}
    for profile in ("trec_eval-10", "beir", "gdeval", "ir_measures"):
        scores = evaluate(qrels, runs, "nDCG@10", keep=10, profile=profile)
        (one,) = worst(scores, "old", "new").queries
        assert one.difference == -1.0
        assert sum(moved.difference for moved in one.moved) in (-1.0, 0)


def test_a_comparison_has_it() -> None:
    qrels, old, new = collection(3)
    runs = {"old": old, "new": new, "third": old}
    scores = evaluate(qrels, runs, MEASURES, keep=10)
    direct = worst(scores, "old", "new", "AP")
    assert compare(scores, baseline="old").worst("new", measure="AP") == direct
    assert compare(scores).worst("new", baseline="old", measure="AP") == direct
    two = compare(evaluate(qrels, {"old": old, "new": new}, MEASURES, keep=10))
    assert two.worst(measure="AP") == direct
    assert two.worst("old", measure="AP").systems == ("new", "old")
    with pytest.raises(OptionError, match="needs a baseline="):
        compare(scores).worst("new")
    with pytest.raises(OptionError, match="needs a system=, one of 'new', 'third'"):
        compare(scores, baseline="old").worst()


def test_what_cannot_be_found_is_refused() -> None:
    qrels, old, new = collection(3)
    runs = {"old": old, "new": new}
    with pytest.raises(OptionError, match="keep=k"):
        worst(evaluate(qrels, runs, "AP"), "old", "new")
    kept = evaluate(qrels, runs, "AP", keep=1)
    with pytest.raises(OptionError, match="keep=10"):
        worst(kept, "old", "new")
    assert worst(kept, "old", "new", depth=1).queries
    with pytest.raises(OptionError, match="itself"):
        worst(kept, "old", "old")
    with pytest.raises(OptionError, match="no system 'nwe'"):
        worst(kept, "old", "nwe")
    with pytest.raises(OptionError, match="RR was not evaluated"):
        worst(kept, "old", "new", "RR")
    with pytest.raises(OptionError, match="n=0"):
        worst(kept, "old", "new", n=0, depth=1)


def test_texts_and_titles_are_shown() -> None:
    qrels = {"1": {"a": 1}}
    runs = {"old": {"1": {"a": 1.0}}, "new": {"1": {"b": 1.0}}}
    scores = evaluate(qrels, runs, "RR", keep=5)
    found = worst(scores, "old", "new", queries={"1": "what?"}, documents={"a": "A title"})
    assert found.queries[0].text == "what?"
    assert found.queries[0].moved[0].title == "A title"
    same = {"queries": {"1": Text("what?", "")}, "documents": {"a": Text("A title", "")}}
    assert worst(scores, "old", "new", **same) == found
    for format in ("table", "markdown", "latex", "html"):
        shown = found.render(format)
        assert "what?" in shown
        assert "A title" in shown


def test_csv_has_a_row_for_each_query_and_json_all_fields() -> None:
    qrels, old, new = collection(4)
    found = worst(evaluate(qrels, {"old": old, "new": new}, "AP", keep=10), "old", "new")
    frame = found.to_polars()
    assert frame["query"].to_list() == [one.query for one in found.queries]
    assert frame["difference"].to_list() == [one.difference for one in found.queries]
    assert found.to_polars("moved").height == sum(len(one.moved) for one in found.queries)
    assert found.to_polars("unjudged").height == len(found.unjudged)
    record: dict[str, Any] = json.loads(found.to_json())
    assert record["queries"][0]["moved"][0]["document"] == found.queries[0].moved[0].doc
    assert record["measure"] == "AP"


def test_nothing_lost_and_nothing_to_judge(tmp_path: Path) -> None:
    qrels, run = {"1": {"a": 1}}, {"1": {"a": 1.0}}
    found = worst(evaluate(qrels, {"x": run, "y": run}, "RR", keep=5), "x", "y")
    assert found.queries == ()
    assert "No query lost." in str(found)
    with pytest.raises(OptionError, match="nothing to judge"):
        found.write_unjudged(tmp_path / "sheet.tsv")


def test_a_section_as_a_table_has_few_digits() -> None:
    run = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}}
    other = {"q1": {"b": 3.0, "c": 2.0, "a": 1.0}}
    scores = evaluate({"q1": {"a": 1, "c": 2}}, {"old": run, "new": other}, "nDCG", keep=10)
    found = worst(scores, "old", "new")
    shown = found.render("table", section="moved")
    assert "moved" in shown
    assert not re.search(r"\d\.\d{5}", shown)
    assert re.search(r"\d\.\d{10}", found.render("csv", section="moved"))

"""Leaving systems out: held against evaluating with the judgments taken away."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cleverdon import evaluate
from cleverdon.data import Judgments
from cleverdon.errors import OptionError
from cleverdon.pooling.recall.judged_results import find_judged_results, ranked_runs
from cleverdon.pooling.recall.reuse import Reuse, reuse_of
from tests.pooling.recall.made import Grades, Runs, grades_of, runs_of

DEPTH = 4


def reuse(
    qrels: Any, runs: Any, *measures: str, depth: int | None = None, rel: float = 1, **how: Any
) -> Reuse:
    read = Judgments.read(qrels)
    ranked = ranked_runs(read, runs)
    found = find_judged_results(read, ranked, rel=rel, depth=depth)
    return reuse_of(ranked, found, measures or None, **how)


def collection() -> tuple[Grades, Runs]:
    """Five systems on six queries, pooled to depth 4 out of ten results."""
    random = np.random.default_rng(4)
    runs: Runs = {f"s{n}": {} for n in range(5)}
    grades: Grades = {}
    for query in range(6):
        truth = random.integers(0, 3, 30)
        for run in runs.values():
            scores = truth + random.normal(0, 1.5, 30)
            top = np.argsort(-scores)[:10]
            run[f"q{query}"] = {f"d{d}": float(scores[d]) for d in top}
        pooled = {
            doc
            for run in runs.values()
            for doc in sorted(run[f"q{query}"], key=run[f"q{query}"].__getitem__)[-DEPTH:]
        }
        grades[f"q{query}"] = {doc: float(truth[int(doc[1:])]) for doc in sorted(pooled)}
    return grades, runs


def removed(grades: Grades, runs: Runs, group: list[str]) -> Grades:
    """The judgments without what only this group has among its first results."""
    kept: Grades = {}
    for query, judged in grades.items():
        tops = {
            name: set(sorted(run[query], key=run[query].__getitem__)[-DEPTH:])
            for name, run in runs.items()
        }
        ours = set().union(*(tops[name] for name in group))
        others = set().union(*(docs for name, docs in tops.items() if name not in group))
        kept[query] = {doc: grade for doc, grade in judged.items() if doc not in ours - others}
    return kept


@pytest.mark.parametrize(
    "measure",
    [
        *("AP", "nDCG@10", "P@5", "RR", "R@10", "Bpref", "RBP(p=0.8)", "ERR@10", "Judged@10"),
        *("Rprec", "nDCG(judged_only=true)@5", "F@10", "DCG@5", "Success@3", "Fallout", "infAP"),
    ],
)
def test_as_evaluated_without_the_judgments(measure: str) -> None:
    grades, runs = collection()
    found = reuse(Judgments.read(grades).noting(docs=100), runs, measure, depth=DEPTH)
    before = evaluate(grades, runs, measure, docs=100)
    for one in found.of(measure):
        after = evaluate(removed(grades, runs, [one.system]), runs, measure, docs=100)
        assert one.pooled == pytest.approx(before.mean(one.system, measure))
        assert one.unpooled == pytest.approx(after.mean(one.system, measure))
        merits = [after.mean(name, measure) for name in runs]
        if one.measure.better == "lower":
            merits = [-merit for merit in merits]
        own = merits[list(runs).index(one.system)]
        assert one.rank_unpooled == 1 + sum(merit > own + 1e-12 for merit in merits)


def test_groups_are_left_out_together() -> None:
    grades, runs = collection()
    groups = {"s0": "a", "s1": "a", "s2": "b"}
    found = reuse(grades, runs, "AP", depth=DEPTH, groups=groups)
    members = {"s0": ["s0", "s1"], "s1": ["s0", "s1"], "s2": ["s2"], "s3": ["s3"], "s4": ["s4"]}
    for one in found.systems:
        after = evaluate(removed(grades, runs, members[one.system]), runs, "AP")
        assert one.unpooled == pytest.approx(after.mean(one.system, "AP"))
    assert [one.group for one in found.systems] == ["a", "a", "b", "s3", "s4"]


def test_depth_is_seen_in_the_judgments() -> None:
    grades, runs = collection()
    assert reuse(grades, runs, "AP").depth == DEPTH
    assert reuse(grades, runs, "AP").systems == reuse(grades, runs, "AP", depth=DEPTH).systems


def test_by_hand() -> None:
    grades = grades_of({"q": "abc"}, {"q": "x"})
    runs = runs_of({"one": {"q": "abc"}, "two": {"q": "xab"}, "three": {"q": "ba"}})
    found = reuse(grades, runs, "P@3")
    lost = {one.system: one for one in found.systems}
    assert (lost["one"].judged, lost["one"].relevant) == (1, 1)  # c
    assert lost["one"].difference == pytest.approx(-1 / 3)
    assert lost["one"].relative == pytest.approx(-1 / 3)
    assert (lost["one"].rank, lost["one"].rank_unpooled, lost["one"].ranks_lost) == (1, 1, 0)
    assert (lost["two"].judged, lost["two"].relevant) == (1, 0)
    assert lost["two"].difference == 0
    assert found.worst("P@3").system == "one"
    assert found.mean_relative("P@3") == pytest.approx(-1 / 9)


def test_rank_drops() -> None:
    """A system with much of its own falls behind where it was not pooled."""
    grades = grades_of({"q": "abcdef"}, {"q": "xy"})
    runs = runs_of({"own": {"q": "defc"}, "x": {"q": "abcx"}, "y": {"q": "bacy"}})
    one = reuse(grades, runs, "P@4").worst("P@4")
    assert (one.system, one.rank, one.rank_unpooled, one.ranks_lost) == ("own", 1, 3, 2)


def test_a_topic_may_lose_all_its_relevant_documents() -> None:
    grades = grades_of({"q": "a"}, {"q": "x"})
    found = reuse(grades, runs_of({"one": {"q": "a"}, "two": {"q": "x"}}), "AP")
    assert found.worst("AP").unpooled == 0


def test_where_nothing_is_relevant_there_is_no_value_to_lose() -> None:
    grades = grades_of({"q": ""}, {"q": "ax"})
    for one in reuse(grades, runs_of({"one": {"q": "a"}, "two": {"q": "x"}}), "AP").systems:
        assert np.isnan([one.pooled, one.unpooled, one.relative]).all()
    with pytest.raises(OptionError, match=r"Fallout is undefined, since .* --docs N"):
        reuse(grades, runs_of({"one": {"q": "a"}}), "Fallout")


def test_measures_that_have_no_average() -> None:
    grades, runs = collection()
    with pytest.raises(OptionError, match="RelString"):
        reuse(grades, runs, "RelString@5")


def test_measures_count_by_the_grade_that_is_relevant() -> None:
    grades, runs = collection()
    by_default = reuse(grades, runs, depth=DEPTH, rel=2)
    assert {str(one.measure) for one in by_default.systems} == {"AP(rel=2)", "nDCG@10"}
    named = reuse(grades, runs, "AP(rel=2)", depth=DEPTH)
    assert by_default.of("AP(rel=2)")[0].pooled == named.systems[0].pooled


def test_how_the_others_change_meanwhile() -> None:
    grades, runs = collection()
    found = reuse(grades, runs, "AP", depth=DEPTH)
    before = evaluate(grades, runs, "AP")
    for one in found.systems:
        after = evaluate(removed(grades, runs, [one.system]), runs, "AP")
        changes = [
            after.mean(name, "AP") / before.mean(name, "AP") - 1
            for name in runs
            if name != one.system
        ]
        assert one.others == pytest.approx(np.mean(changes))


def test_the_worst_loses_the_largest_share() -> None:
    """A weak system that loses all it has loses more than a strong one that loses a third."""
    grades = grades_of({"q": "abcdefg"}, {"q": "xy"})
    runs = runs_of({"strong": {"q": "abcdef"}, "near": {"q": "abcdxy"}, "weak": {"q": "xyg"}})
    found = reuse(grades, runs, "P@6")
    lost = {one.system: one for one in found.systems}
    assert lost["strong"].difference == pytest.approx(-2 / 6)
    assert lost["weak"].difference == pytest.approx(-1 / 6)
    assert found.worst("P@6") == lost["weak"]


def test_who_falls() -> None:
    grades = grades_of({"q": "abcdef"}, {"q": "xy"})
    runs = runs_of({"own": {"q": "defc"}, "x": {"q": "abcx"}, "y": {"q": "bacy"}})
    found = reuse(grades, runs, "P@4")
    assert [(one.system, one.ranks_lost) for one in found.fallen("P@4")] == [("own", 2)]

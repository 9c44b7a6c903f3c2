"""Bounds, held against the lowest and highest of every case there is."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cleverdon import Hits, Measure, bounds, evaluate, parse
from cleverdon.errors import OptionError
from cleverdon.measures.graded import RBP, RBPResidual, nDCG
from cleverdon.measures.ranked import AP
from cleverdon.measures.registry import measures
from cleverdon.measures.worked import ranking
from cleverdon.unknowns.bounds import Bounds
from tests.differential.variants import variants_of
from tests.enumerated import all_cases, joined, rankings
from tests.worked_examples import examples

_MEASURES = """
    P@1 P@3 P(rel=2)@2 P(norm=returned)@3 Success@2 RR RR(rel=2)@3
    R R@2 R@4 R(rel=2)@3 R(cap=true)@2 F@2 F(beta=2,rel=2)@3
    AP AP@2 AP@4 AP(rel=2) AP(norm=min)@2 AP(norm=hits) Rprec Rprec(rel=2) Bpref
    SetP SetR SetF SetE SetAP SetRelP SetRelP(rel=2) ThreatScore MCC Markedness Utility Yaap
    PrecAtRecall@0.5 RprecMult(m=1.5) NumRelRet@2 IPrec@0.5 IAP SearchLength binG
    DCG DCG@2 DCG(gain=exponential)@3 DCG(discount=jk) CG@2 ERR ERR@2 RBP RBP(p=0.5)@2 RBP(rel=2)
    nDCG nDCG@1 nDCG@2 nDCG@3 nDCG(gain=exponential)@3 nDCG(discount=jk)@3 nDCG(discount=jk,base=4)
    nDCG(gains={1:3,2:9,3:10})@3 nCG nCG@2
"""
MEASURES = [parse(text) for text in _MEASURES.split()]


def extremes(measure: Measure, cases: Hits) -> tuple[float, float, bool]:
    """The lowest and highest value of all cases, and whether any is undefined."""
    values = measure(cases)
    return np.fmin.reduce(values), np.fmax.reduce(values), bool(np.isnan(values).any())


def as_found(found: Bounds) -> tuple[float, float, bool]:
    return found.lowest[0], found.highest[0], bool(found.undefined[0])


def agree(measure: Measure, hits: Hits, cases: Hits, **options: bool | int) -> None:
    found = as_found(bounds(measure, hits, **options))  # type: ignore[arg-type]
    wanted = extremes(measure, cases)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12, err_msg=str(measure))


@settings(max_examples=max(20, settings.default.max_examples // 10))
@given(rankings(longest=5))
def test_over_ties_and_all_grades(text: str) -> None:
    hits = ranking(f"{text} max=3 docs=20")
    cases = joined(all_cases(hits, (0, 1, 2, 3)))
    for measure in MEASURES:
        agree(measure, hits, cases)


@settings(max_examples=max(20, settings.default.max_examples // 10))
@given(rankings(longest=7, unjudged=4, ties=False))
def test_over_grades_between_the_others_too(text: str) -> None:
    """The extremes of measures of many grades lie at the grades that there are."""
    hits = ranking(f"{text} max=3 docs=20")
    cases = joined(all_cases(hits, (0, 0.5, 1, 2, 2.5, 3)))
    for name in ("nDCG", "nDCG@3", "nDCG(gain=exponential)@4", "DCG@3", "ERR", "RBP"):
        agree(parse(name), hits, cases)


@settings(max_examples=max(15, settings.default.max_examples // 10))
@given(rankings(longest=4, unjudged=2), st.integers(0, 1))
def test_over_the_rest_of_the_collection(text: str, more: int) -> None:
    hits = ranking(f"{text} max=3 docs=20")
    docs = int(hits.returned[0]) + len(hits.judgments.grade) - len(hits.doc) + more
    assume(docs > 0)
    cases = joined(all_cases(hits, (0, 1, 2, 3), docs=docs))
    for measure in MEASURES:
        if not getattr(measure, "needs_docs", False):
            agree(measure, hits, cases, rest=True, docs=docs)


@settings(max_examples=max(15, settings.default.max_examples // 10))
@given(rankings(longest=6))
def test_over_ties_alone(text: str) -> None:
    hits = ranking(f"{text} max=3 docs=20")
    cases = joined(all_cases(hits, (-1.0,)))
    more = ("Compat", "nERR", "INSQ", "AP(judged_only=true)@2", "RBP(gain=query)")
    for measure in [*MEASURES, *map(parse, more)]:
        agree(measure, hits, cases, unjudged=False)


@settings(max_examples=max(20, settings.default.max_examples // 10))
@given(rankings(longest=6, grades=("1", "0"), unjudged=3))
def test_judgments_of_one_grade_give_bounds_to_measures_of_many(text: str) -> None:
    hits = ranking(f"{text} max=1")
    cases = joined(all_cases(hits, (0, 1)))
    for name in ("nERR", "nERR@2", "SDCG@3", "TBG"):
        agree(parse(name), hits, cases)


def test_a_smaller_grade_may_be_the_largest_possible() -> None:
    hits = ranking("- 1 - | 3")
    cases = joined(all_cases(hits, (0, 1, 2)))
    for name in ("nDCG", "DCG", "P@2", "AP(rel=3)"):
        measure = parse(name)
        found = as_found(bounds(measure, hits, unjudged=2))
        np.testing.assert_allclose(found, extremes(measure, cases), err_msg=name)


# The trap: neither all nor none


def test_all_relevant_and_none_relevant_do_not_bracket_the_truth() -> None:
    hits = ranking("- 1 0 0 0 -")
    none, every = AP()(hits)[0], AP()(hits.assume(1, join=True))[0]
    found = bounds("AP", hits)
    assert found.highest[0] == pytest.approx(1)  # the first of the two alone
    assert found.lowest[0] == pytest.approx((1 / 2 + 2 / 6) / 2)  # the second alone
    assert found.lowest[0] < min(none, every) < max(none, every) < found.highest[0]


# Many queries, deep rankings, and what is made of them


def test_queries_do_not_meddle_with_each_other() -> None:
    texts = ["1 - 0 (- 2)", "", "- -", "(1 0 -) - | 3", "0 1 2 3", "- | 2 2", "0 -1 -"]
    queries = [ranking(f"{text} max=3 docs=20") for text in texts]
    for measure in MEASURES:
        together = bounds(measure, joined(queries))
        apart = [as_found(bounds(measure, hits)) for hits in queries]
        lowest, highest, undefined = zip(*apart, strict=True)
        np.testing.assert_allclose(together.lowest, lowest)
        np.testing.assert_allclose(together.highest, highest)
        assert together.undefined.tolist() == list(undefined)


def test_deep_rankings_by_formula_and_by_evaluating_each_case(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    random = np.random.default_rng(3)
    tokens = [["-", "-", "-", "1", "0"][i] for i in random.integers(0, 5, size=(6 * 150))]
    texts = [" ".join(tokens[i : i + 150]) for i in range(0, len(tokens), 150)]
    hits = joined([ranking(f"{text} | 1 1 docs=1000") for text in texts])
    monkeypatch.setattr("cleverdon.unknowns.bounds._BLOCK_RESULTS", 300)
    shown: list[tuple[int, ...]] = []
    for name in ("AP", "AP@50", "AP(norm=min)@20", "R@50", "nDCG@50", "F@20", "SetF", "nCG@10"):
        measure = parse(name)
        quick = bounds(measure, hits)
        with monkeypatch.context() as patch:
            patch.setattr(type(measure), "as_found", Measure.as_found)
            patch.setattr(type(measure), "as_share", Measure.as_share)
            slow = bounds(measure, hits, progress=lambda step, *steps: shown.append(steps))
        np.testing.assert_allclose(quick.lowest, slow.lowest, err_msg=name)
        np.testing.assert_allclose(quick.highest, slow.highest, err_msg=name)
    assert len(shown) > 1000
    assert all(done <= total for done, total in shown)


def test_the_residual_of_rbp_is_its_interval_and_the_ranks_below() -> None:
    for text, n in (("2 - 0 - 1", 5), ("- -", 2), ("1", 1), ("", 0), ("-1 2 -", 3)):
        hits = ranking(f"{text} | 2 max=2")
        for p in (0.5, 0.95):
            found = bounds(RBP(p=p), hits)
            residual = RBPResidual(p=p)(hits)
            np.testing.assert_allclose(found.highest - found.lowest + p**n, residual)
        at_one = bounds(RBP(p=0.5, k=1), hits)
        width = at_one.highest - at_one.lowest + 0.5 ** min(n, 1)
        np.testing.assert_allclose(width, RBPResidual(p=0.5, k=1)(hits))


def test_a_residual_keeps_its_digits_where_nearly_all_is_known() -> None:
    judged = " ".join(["1"] * 100)
    for text, wanted in ((judged, 0.5**100), (f"{judged} - 1", 0.5**101 + 0.5**102)):
        assert RBPResidual(p=0.5)(ranking(text)).tolist() == [pytest.approx(wanted, rel=1e-12)]


def test_means_by_what_undefined_values_count_as() -> None:
    # The first query has a value whatever is found; the second has none if nothing is.
    hits = joined([ranking("1 -"), ranking("0 -"), ranking("0")])
    found = bounds("AP", hits)
    np.testing.assert_allclose(found.lowest, [1, 0.5, np.nan])
    assert found.undefined.tolist() == [False, True, True]
    assert found.means() == (pytest.approx(1 / 3), pytest.approx(1.5 / 3))
    assert found.means(undefined="skip") == (pytest.approx(0.75), pytest.approx(1))
    first = np.array([True, False, False])
    assert found.means(evaluated=first) == (1, 1)


# What has no bounds


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("Judged@5", {}, "not known which order of the results is best"),
        ("AP(norm=hits)@2", {}, "not known which order of the results is best"),
        ("P(judged_only=true)@2", {}, "leaves out what nobody judged"),
        ("RR(rel=0)", {}, "its rel must be above 0"),
        ("RBP(gain=query)", {}, "no bounds over unjudged results where judgments have several"),
        ("nERR", {}, "no bounds over unjudged results where judgments have several grades"),
        ("nDCG(gains={1:9,2:3})", {"unjudged": False}, "its gains do not rise with the grades"),
        ("DCG(gains={0:1})", {}, "its gains do not rise with the grades"),
        ("nDCG", {"unjudged": 5}, "unjudged=5 is above the largest grade of the judgments, 2"),
        ("AP", {"rest": True}, "--rest needs --docs N, or docs=N in the ranking"),
        ("AP", {"unjudged": -1}, "unjudged=-1: True, False, or the largest grade"),
        ("AP", {"rest": True, "docs": 2}, "a collection of 2 documents is smaller than the 4 that"),
        ("alphanDCG", {}, "not known which order of the results is best"),
    ],
)
def test_what_has_no_proof_is_refused(name: str, options: dict[str, bool], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        bounds(name, ranking("1 - 2 | 1"), **options)  # type: ignore[arg-type]


def test_bounds_are_of_hits() -> None:
    with pytest.raises(OptionError, match="bounds needs Hits, not 'dict'"):
        bounds("AP", {"q": {"a": 1}})  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="rest=True goes with bounds=True"):
        evaluate({"q": {"a": 1}}, {"q": {"a": 1}}, "AP", rest=True, docs=10)


def test_every_other_measure_has_bounds_or_says_that_it_has_none() -> None:
    hits = ranking("1 - 0 (2 -) | 1 docs=50")
    refused: list[tuple[Measure, str]] = []
    for cls in [cls for cls in measures() if cls.__module__.startswith("cleverdon.")]:
        measure = examples(cls)[0].measure
        try:
            found = bounds(measure, hits)
        except OptionError as error:
            refused.append((measure, str(error)))
            continue
        values = measure(joined(all_cases(hits, (0, 1, 2))))
        assert np.all(np.isnan(values) | (values >= found.lowest - 1e-12)), measure
        assert np.all(np.isnan(values) | (values <= found.highest + 1e-12)), measure
    assert all(str(measure) in message for measure, message in refused)


def test_variants_are_within_their_bounds() -> None:
    hits = ranking("1 - 0 (2 -) 3 - (0 1) | 1 2 docs=50")
    for cls in (AP, nDCG, RBP):
        for measure in variants_of(cls):
            try:
                found = bounds(measure, hits)
            except OptionError:
                continue
            (value,) = measure(hits)
            assert found.lowest[0] - 1e-12 <= value <= found.highest[0] + 1e-12, measure


# From evaluate, in tables


QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}
RUN = {"q1": {"a": 0.9, "c": 0.8}, "q2": {"c": 0.9, "a": 0.8}}


def test_evaluate_finds_them() -> None:
    scores = evaluate(QRELS, {"mine": RUN}, ["P@1", "AP", "NumRelRet"], bounds=True)
    assert scores.mean("mine", "P@1") == 0.5
    assert scores.mean_bounds("mine", "P@1") == (0.5, 1)
    assert scores.mean_bounds("mine", "NumRelRet") == (2, 4)
    assert scores.bounds["mine"]["AP"].lowest.tolist() == [1, 0.5]
    found = scores.to_record()["bounds"]["mine"]["P@1"]
    assert found == {"means": [0.5, 1.0], "lowest": [1.0, 0.0], "highest": [1.0, 1.0]}
    with pytest.raises(OptionError, match="there are no bounds"):
        evaluate(QRELS, {"mine": RUN}, "AP").mean_bounds("mine", "AP")


def test_tables_show_them() -> None:
    scores = evaluate(QRELS, {"mine": RUN}, ["P@1", "NumRelRet"], bounds=True)
    table = scores.render()
    assert "0.5000 [0.5000, 1.0000]" in table
    assert "2 [2, 4]" in table
    assert "the lowest and highest over ties, unjudged" in table
    assert scores.render("csv").splitlines() == [
        "system,P@1,P@1 lowest,P@1 highest,NumRelRet,NumRelRet lowest,NumRelRet highest",
        "mine,0.5,0.5,1.0,2,2,4",
    ]
    assert scores.render("csv", per_query=True).splitlines()[2] == "mine,q2,0.0,0.0,1.0,1,1,2"
    assert "0.0000 [0.0000, 1.0000]" in scores.render("markdown", per_query=True)


def test_bounds_of_what_is_undefined_for_every_query() -> None:
    qrels, run = {"q1": {"a": 1}, "q2": {"a": 0}}, {"q1": {"a": 1.0}, "q2": {"a": 1.0}}
    found = evaluate(qrels, {"run": run}, "Fallout AP", bounds=True)
    assert all(math.isnan(end) for end in found.mean_bounds("run", "Fallout"))
    assert found.mean_bounds("run", "AP") == (0.5, 0.5)
    nothing = evaluate({"q2": {"a": 0}}, {"run": run}, "AP", bounds=True)
    assert all(math.isnan(end) for end in nothing.mean_bounds("run", "AP"))
    tool = {"profile": "trec_eval-10"}
    nothing = evaluate({"q2": {"a": 0}}, {"run": run}, "AP", bounds=True, **tool)
    assert nothing.mean_bounds("run", "AP") == (0, 0)

"""Measures of subtopics: against pyndeval, which is ndeval as a library, and against plain loops.

pyndeval orders equal scores by rising ids, has cut-offs up to 20, and says 0 where Cleverdon says
undefined. At k=1 ndeval forgets to normalise alpha-DCG and ERR-IA, so that these are not compared
there. Only where (1 - alpha) has an exact power are its ties of the ideal ranking true ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pyndeval
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cleverdon.hits
from cleverdon import Judgments, Measure, evaluate, parse
from cleverdon.errors import InputError, NotationError, OptionError
from cleverdon.measures.registry import measures
from tests.measures.subtopics import (
    WEIGHTS,
    Judged,
    Query,
    cascade,
    dsharp_ndcg,
    judged_subtopics,
    normalised,
    rbu,
)

FEWER = settings(max_examples=settings.default.max_examples // 12)

_EVERY = """
    alphaDCG alphaDCG@3 alphaDCG(norm=none) alphaDCG(alpha=0.25,norm=none)@5
    alphanDCG alphanDCG@1 alphanDCG@3 alphanDCG(alpha=0.9)@5 alphanDCG(alpha=0) alphanDCG(rel=2)
    alphanDCG(alpha=1) alphanDCG(judged_only=true)@5
    ERR_IA ERR_IA@3 ERR_IA(norm=none)@5 nERR_IA nERR_IA@3 nERR_IA(alpha=0.3,rel=2)
    NRBP NRBP@2 NRBP(alpha=0.1,beta=0.9) nNRBP nNRBP(alpha=0.75,beta=0.8) nNRBP@3
    AP_IA AP_IA@3 AP_IA(rel=2) P_IA@3 P_IA(rel=2)@5 nDCG_IA@5 nDCG_IA(gain=exponential)
    StRecall StRecall@2 StRecall(rel=2)@5
    Dsharp_nDCG Dsharp_nDCG@3 Dsharp_nDCG(gamma=0)@5 Dsharp_nDCG(gamma=1)
    Dsharp_nDCG(gain=exponential)@5
    RBU RBU@3 RBU(p=0.5,e=0.1) RBU(alpha=none) RBU(alpha=0.75,rel=2)@5
    IntentAware(AP) IntentAware(nDCG@5) IntentAware(ERR) IntentAware(Bpref) IntentAware(RBP)
    IntentAware(AP(judged_only=true)) IntentAware(P@3,judged_only=true) IntentAware(SetP)
"""

EVERY: tuple[Measure, ...] = tuple(map(parse, _EVERY.split()))


def values(
    judged: Judged, *wanted: Measure, weighted: bool = False, **options: str
) -> dict[str, dict[str, float]]:
    """Measure to query to value."""
    weights = dict.fromkeys(list(judged.covered)[::2], WEIGHTS) if weighted else None
    scores = evaluate(judged.judgments, judged.run, wanted, weights=weights, **options)
    return {
        str(measure): dict(zip(scores.queries, scores.values[0, m].tolist(), strict=True))
        for m, measure in enumerate(wanted)
    }


# ndeval

NDEVAL = {
    **{f"{name}@{k}": f"{name}@{k}" for name in ("ERR-IA", "alpha-DCG") for k in (2, 3, 5, 20)},
    **{
        f"{name}@{k}": f"{name}@{k}"
        for name in ("nERR-IA", "alpha-nDCG", "P-IA", "strec")
        for k in (1, 2, 5, 20)
    },
    **{name: name for name in ("NRBP", "nNRBP", "MAP-IA")},
}


def oracle(
    judged: Judged, names: list[str], *, rel: int = 1, alpha: float = 0.5, beta: float = 0.5
) -> dict[str, dict[str, float]]:
    evaluator = pyndeval.RelevanceEvaluator(
        judged.rows, names, relevance_level=rel, alpha=alpha, beta=beta
    )
    run = [
        (query, doc, score) for query, found in judged.run.items() for doc, score in found.items()
    ]
    return evaluator.evaluate(run)


def same(ours: float, theirs: float) -> bool:
    return math.isclose(np.nan_to_num(ours), np.nan_to_num(theirs), rel_tol=1e-12, abs_tol=1e-12)


@settings(max_examples=settings.default.max_examples * 2 // 3)
@given(judged_subtopics())
def test_every_measure_of_ndeval(judged: Judged) -> None:
    wanted = [parse(name) for name in NDEVAL]
    ours = values(judged, *wanted, ties="ascending")
    for query, theirs in oracle(judged, list(NDEVAL)).items():
        for name, measure in zip(NDEVAL, wanted, strict=True):
            found = ours[str(measure)][query]
            assert same(found, theirs[name]), f"{measure} of {query} is {found}: {theirs[name]}"


@settings(max_examples=settings.default.max_examples // 2)
@given(
    judged_subtopics(),
    st.sampled_from((0, 0.25, 0.75, 1)),
    st.sampled_from((0, 0.3, 0.8)),
    st.sampled_from((1, 2)),
)
def test_parameters_of_ndeval(judged: Judged, alpha: float, beta: float, rel: int) -> None:
    in_both = f"alpha={alpha},rel={rel}"
    ndeval = {
        **{f"alpha_DCG({in_both})@{k}": f"alpha-DCG@{k}" for k in (2, 20)},
        **{f"alpha_nDCG({in_both})@{k}": f"alpha-nDCG@{k}" for k in (1, 3, 20)},
        f"ERR_IA({in_both})@5": "ERR-IA@5",
        f"nERR_IA({in_both})@5": "nERR-IA@5",
        f"NRBP({in_both},beta={beta})": "NRBP",
        f"nNRBP({in_both},beta={beta})": "nNRBP",
        f"AP_IA(rel={rel})": "MAP-IA",
        f"P_IA(rel={rel})@3": "P-IA@3",
        f"StRecall(rel={rel})@3": "strec@3",
    }
    wanted = [parse(name) for name in ndeval]
    ours = values(judged, *wanted, ties="ascending")
    found = oracle(judged, list(ndeval.values()), rel=rel, alpha=alpha, beta=beta)
    for query, theirs in found.items():
        for measure, name in zip(wanted, ndeval.values(), strict=True):
            one = ours[str(measure)][query]
            assert same(one, theirs[name]), f"{measure} of {query} is {one}, not {theirs[name]}"


def test_at_rank_1_ndeval_forgets_to_normalise() -> None:
    judged = Judged({"q": {"d1": {"a": 1, "b": 1}}}, {"q": {"d1": 1.0}})
    assert oracle(judged, ["alpha-DCG@1"])["q"]["alpha-DCG@1"] == 2
    assert values(judged, parse("alphaDCG@1")) == {"alphaDCG@1": {"q": 1.0}}


# Plain loops


def log_discount(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def reciprocal(rank: int) -> float:
    return 1 / rank


def _novelty(measure: Measure) -> Callable[[Query], float | None]:
    name = type(measure).__name__
    facts = {"alpha": measure.alpha, "rel": measure.rel, "k": measure.k}
    weight_at: Callable[[int], float] = log_discount
    if name in ("ERR_IA", "nERR_IA"):
        weight_at = reciprocal
    elif name in ("NRBP", "nNRBP"):

        def weight_at(rank: int) -> float:
            return measure.beta ** (rank - 1)

    def value(query: Query) -> float | None:
        if name in ("alphanDCG", "nERR_IA", "nNRBP"):
            return normalised(query, weight_at, **facts)
        count = len(query.subtopics(measure.rel))
        if not count:
            return None
        gained = cascade(query, query.ranking, weight_at, **facts)
        if name == "NRBP":
            return gained * (1 - (1 - measure.alpha) * measure.beta)
        if measure.norm == "none":
            return gained * (count if name == "alphaDCG" else measure.alpha)
        depth = measure.k or 2000
        ideal = [
            (1 - measure.alpha) ** (rank - 1) * weight_at(rank) for rank in range(1, depth + 1)
        ]
        return gained / sum(ideal)

    return value


def _reference(measure: Measure, top_grade: float) -> Callable[[Query], float | None] | None:
    parameters = {
        name: getattr(measure, name) for name in measure.defaults if name != "judged_only"
    }
    if measure.judged_only:
        return None
    if type(measure).__name__ == "RBU":
        return lambda query: rbu(query, **parameters, top_grade=top_grade)
    if type(measure).__name__ == "Dsharp_nDCG":
        return lambda query: dsharp_ndcg(query, **parameters)
    if hasattr(measure, "alpha"):
        return _novelty(measure)
    return None


@FEWER
@given(judged_subtopics(), st.booleans())
def test_plain_loops(judged: Judged, weighted: bool) -> None:
    top_grade = max([0, *(grade for _, _, _, grade in judged.rows)])
    formulas = {measure: _reference(measure, top_grade) for measure in EVERY}
    wanted = [measure for measure, formula in formulas.items() if formula is not None]
    assert len(wanted) > 20
    ours = values(judged, *wanted, weighted=weighted)
    weights = dict.fromkeys(list(judged.covered)[::2], WEIGHTS) if weighted else {}
    for name, covered in judged.covered.items():
        query = Query(covered, judged.ranking(name), weights.get(name))
        for measure in wanted:
            expected = formulas[measure](query)
            found = ours[str(measure)][name]
            assert (expected is None) == math.isnan(found), f"{measure} of {name} is {found}"
            assert expected is None or same(found, expected), f"{measure}: {found}, not {expected}"


@FEWER
@given(judged_subtopics(), st.booleans())
def test_intent_aware_is_the_mean_over_subtopics_as_queries(judged: Judged, weighted: bool) -> None:
    """Each subtopic's judgments and the run, evaluated as if that were all there is."""
    inner = (
        "AP",
        "AP(rel=2)",
        "nDCG@3",
        "ERR(max=3)",
        "Bpref",
        "RR",
        "SetP",
        "P(judged_only=true)@2",
    )
    wanted = [parse(f"IntentAware({name})") for name in inner]
    ours = values(judged, *wanted, weighted=weighted)
    qrels: dict[str, dict[str, float]] = {}
    for query, subtopic, doc, grade in judged.rows:
        qrels.setdefault(f"{query}/{subtopic}", {})[doc] = grade
    run = {name: judged.run[name.rpartition("/")[0]] for name in qrels}
    plain = evaluate(qrels, run, inner)
    weights = dict.fromkeys(list(judged.covered)[::2], WEIGHTS) if weighted else {}
    for m, measure in enumerate(wanted):
        of_subtopic = dict(zip(plain.queries, plain.values[0, m].tolist(), strict=True))
        for query in judged.covered:
            found = [
                (weights.get(query, {}).get(name.rpartition("/")[2], 1), value)
                for name, value in of_subtopic.items()
                if name.rpartition("/")[0] == query
                and max(qrels[name].values()) > 0
                and not math.isnan(value)
            ]
            ours_here = ours[str(measure)][query]
            assert math.isnan(ours_here) == (not found)
            if found:
                mean = sum(w * v for w, v in found) / sum(w for w, _ in found)
                assert same(ours_here, mean), f"{measure} of {query}"


def test_err_ia_without_normalisation_is_intent_aware_err_of_binary_grades() -> None:
    covered = {"q": {"d1": {"a": 1}, "d2": {"a": 1, "b": 1}, "d3": {"b": 0}}}
    judged = Judged(covered, {"q": {"d1": 3.0, "d3": 2.0, "d2": 1.0}})
    both = values(judged, parse("ERR_IA(norm=none)"), parse("IntentAware(ERR)"), parse("ERR_IA"))
    none, err, normal = (found["q"] for found in both.values())
    assert none == pytest.approx(err)
    assert normal != pytest.approx(err)


def test_expected_over_ties_is_the_mean_of_the_subtopics() -> None:
    judged = Judged({"q": {"d1": {"a": 1, "b": 1}}}, {"q": {"d1": 1.0, "d2": 1.0}})
    for measure in map(parse, ("IntentAware(P@1)", "P_IA@1", "StRecall@1")):
        found = [values(judged, measure, ties=ties) for ties in ("ascending", "descending")]
        assert [by_measure[str(measure)]["q"] for by_measure in found] == [1, 0]
    wanted = parse("IntentAware(P@1)"), parse("P_IA@1"), parse("AP_IA"), parse("nDCG_IA@1")
    expected = values(judged, *wanted, ties="expected")
    assert [by_query["q"] for by_query in expected.values()] == [0.5, 0.5, 0.75, 0.5]
    with pytest.raises(OptionError, match="has no formula"):
        values(judged, parse("alphanDCG@1"), ties="expected")


# What holds for all


@FEWER
@given(judged_subtopics(), st.data())
def test_a_query_alone_scores_as_it_does_among_all(judged: Judged, data: st.DataObject) -> None:
    query = data.draw(st.sampled_from(sorted(judged.covered)))
    topmost = max(judged.rows, key=lambda row: row[3])[0]
    kept = {query, topmost}
    alone = Judged(
        {name: docs for name, docs in judged.covered.items() if name in kept},
        {name: docs for name, docs in judged.run.items() if name in kept},
    )
    among = values(judged, *EVERY)
    for name, found in values(alone, *EVERY).items():
        assert np.array_equal(found[query], among[name][query], equal_nan=True), name


@given(judged=judged_subtopics(), weighted=st.booleans())
@FEWER
def test_blocks_change_nothing(judged: Judged, weighted: bool) -> None:
    whole = values(judged, *EVERY, weighted=weighted)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cleverdon.hits, "_BLOCK_ROWS", 50)
        assert str(values(judged, *EVERY, weighted=weighted)) == str(whole)


@FEWER
@given(judged_subtopics())
def test_values_lie_in_the_range(judged: Judged) -> None:
    for name, found in values(judged, *EVERY).items():
        lowest, highest = parse(name).range
        for value in found.values():
            assert math.isnan(value) or lowest <= value <= highest + 1e-12, name


@FEWER
@given(judged_subtopics())
def test_unjudged_results_at_the_end_change_nothing(judged: Judged) -> None:
    wanted = [measure for measure in EVERY if "unjudged tail" in measure.promises]
    longer = {
        query: {**found, "!tail": min(found.values(), default=0.0) - 1}
        for query, found in judged.run.items()
    }
    assert str(values(Judged(judged.covered, longer), *wanted)) == str(values(judged, *wanted))


def test_a_long_ideal_ranking() -> None:
    """Thousands of relevant documents, most of which cover the same subtopics."""
    covered = {
        "q": {f"{n:05}": {"a": 1} | ({"b": 1} if n % 7 == 0 else {}) for n in range(3000)},
        "r": {"00001": {"c": 1}},
    }
    run = {"q": {f"{n:05}": -float(n) for n in range(3000)}, "r": {"00001": 1.0}}
    found = values(Judged(covered, run), parse("alphanDCG@50"), parse("alphanDCG"))
    query = Query(covered["q"], sorted(covered["q"]))
    # The ideal: documents of both subtopics, and then those of one.
    ideal = sorted(covered["q"], key=lambda doc: (len(covered["q"][doc]), doc), reverse=True)
    for measure, k in (("alphanDCG@50", 50), ("alphanDCG", 3000)):
        run_gain, best_gain = (
            cascade(query, ranking[:k], log_discount, alpha=0.5, rel=1, k=k)
            for ranking in (query.ranking, ideal)
        )
        assert found[measure]["q"] == pytest.approx(run_gain / best_gain, abs=1e-12)
        assert found[measure]["r"] == 1


# Notation and errors


def test_every_class_is_among_those_tested() -> None:
    here = {cls for cls in measures() if cls.needs == "subtopics"}
    assert here == {type(measure) for measure in EVERY}


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("alpha_nDCG(alpha=0.5)@10", "alphanDCG@10"),
        ("alpha-nDCG@20", "alphanDCG@20"),
        ("alpha_DCG(rel=2,judged_only=True)@5", "alphaDCG(rel=2,judged_only=true)@5"),
        ("alphaDCG(norm='none')@5", "alphaDCG(norm=none)@5"),
        ("alphaDCG(norm=ideal_ideal)@5", "alphaDCG@5"),
        ("MAP_IA", "AP_IA"),
        ("SRecall@5", "StRecall@5"),
        ("Irec@5", "StRecall@5"),
        ("IntentAware(measure=nDCG@10)", "IntentAware(nDCG@10)"),
        ("IntentAware(AP)", "IntentAware(AP)"),
        ("RBU(alpha=None)", "RBU(alpha=none)"),
    ],
)
def test_names_of_other_tools(written: str, read: str) -> None:
    assert str(parse(written)) == read
    assert parse(read) == parse(written)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("alphanDCG(alpha=2)", "alphanDCG(alpha=2): expected 0 <= alpha <= 1"),
        ("NRBP(beta=-1)", "NRBP(beta=-1): expected 0 <= beta <= 1"),
        ("alphaDCG(alpha=0)", "needs a cut-off"),
        ("RBU(p=1.5)", "RBU(p=1.5): expected 0 <= p <= 1"),
        ("Dsharp_nDCG(gamma=2)", "Dsharp_nDCG(gamma=2): expected 0 <= gamma <= 1"),
        ("IntentAware", "IntentAware needs 'measure'"),
        ("IntentAware(3)", "measure is a measure such as nDCG@10"),
        ("IntentAware(alphanDCG@5)", "alphanDCG@5 is one of this kind already"),
        ("IntentAware(RelString)", "yields a text"),
    ],
)
def test_parameters_that_are_refused(written: str, message: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse(written)
    assert message in str(caught.value)


def test_a_measure_made_of_another_is_as_good_as_that() -> None:
    assert parse("IntentAware(SetE)").better == "lower"
    assert parse("IntentAware(DCG)").range == (0.0, np.inf)
    assert parse("IntentAware(AP)").better == "higher"


def test_judgments_without_subtopics_are_refused() -> None:
    with pytest.raises(InputError, match="qrels_format='subtopics'"):
        evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "alphanDCG@10")


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"q": {"a": 1}}, "subtopic 'b' of query 'q' has no weight"),
        ({"q": {"a": 1, "b": -1}}, "the weight of 'b' of query 'q' is below 0"),
    ],
)
def test_weights_that_are_refused(weights: dict[str, dict[str, float]], message: str) -> None:
    judgments = Judgments.read([("q", "a", "d", 1), ("q", "b", "d", 1)], format="subtopics")
    with pytest.raises(InputError, match=message):
        evaluate(judgments, {"q": {"d": 1.0}}, "AP_IA", weights=weights)
    with pytest.raises(OptionError, match="weights are of subtopics"):
        evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "AP", weights=weights)

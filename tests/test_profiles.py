"""Compares each profile with the tool that it reproduces, or with recorded output of the tool."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path
from shutil import which
from typing import Any

import ir_measures
import numpy as np
import pyndeval
import pytest
import pytrec_eval
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from ir_measures.bin import msmarco_eval
from sklearn import metrics

from cleverdon import Judgments, Run, Scores, evaluate
from cleverdon.errors import InputError, NotationError
from cleverdon.measures.graded import RBP
from cleverdon.measures.registry import find
from cleverdon.profiles import PROFILES, find_profile, profile_differences
from cleverdon.rank import rank
from cleverdon.settings import Settings
from tests.differential.collections import SCORES, Collection, Nested, collections

FEWER = settings(max_examples=max(settings.default.max_examples // 5, 5))
MANY = tuple(str(number) for number in range(1, 41))
GRADES = (1, 0, 2, 1, 0, 3, 4)
# Most are equal as float32 but not as float64.
CLOSE_SCORES = (*(1 + step * 2.0**-25 for step in range(6)), 0.5, 0.0, 3.0)

batches = collections(grades=GRADES, scores=(*SCORES, *CLOSE_SCORES), queries=MANY, fewest=30)


def by_query(scores: Scores, measure: str) -> dict[str, float]:
    """Return the values of one run by evaluated query; undefined values are 0."""
    values = np.nan_to_num(scores.values[scores.index_of(scores.systems[0], measure)])
    pairs = zip(scores.queries, values.tolist(), scores.evaluated[0], strict=True)
    return {query: value for query, value, is_in in pairs if is_in}


def test_every_profile_can_do_what_it_says() -> None:
    for name, known in PROFILES.items():
        assert known.name == name
        assert known.about
        measures = known.parse(known.measures)
        assert len(measures) == len(known.measures)
        named = {*known.parameters, *known.instead, *known.instead.values()}
        named |= {pattern.partition("(")[0].rstrip("@") for pattern in known.special}
        assert {find(called).__name__ for called in named} == named
        for measure in measures:
            known.settings_of(measure, known.settings, [])


def test_what_is_written_out_wins() -> None:
    tool = find_profile("trec_eval-9")
    assert str(tool.parse("RBP")[0]) == "RBP(p=0.9,gain=query)"
    assert str(tool.parse("RBP(p=0.5)")[0]) == "RBP(p=0.5,gain=query)"
    assert str(tool.parse("RBP(p=0.8,gain=collection)")[0]) == "RBP"
    assert tool.parse(RBP()) == (RBP(),)
    assert str(tool.parse(RBP)[0]) == "RBP(p=0.9,gain=query)"
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"b": 1.0, "a": 1.0}}
    for ties, wanted in (("ascending", 1.0), ("descending", 0.5), (None, 1.0)):
        found = evaluate(qrels, run, "RR@5", profile="ir_measures", ties=ties)
        assert found.mean("run", "RR@5") == wanted, ties


def test_what_can_be_read_only_once_is_ranked_in_several_orders(tmp_path: Path) -> None:
    qrels: Nested = {"q": {"a": 1, "b": 0}, "r": {"c": 1}}
    rows = [("q", "b", 1.0), ("q", "a", 1.0), ("q", "c", 0.5)]
    path = tmp_path / "qrels"
    path.write_text("".join(f"{q} 0 {d} {g}\n" for q in qrels for d, g in qrels[q].items()))
    measures = ["RR", "RR@5", "RankAccuracy", "Hole@5"]
    scores = evaluate(qrels, {"run": iter(rows)}, measures, profile="ir_measures")
    assert scores.values[0, :, 0].tolist() == [0.5, 1.0, 0.5, 0.0]
    command = ["cleverdon", "eval", str(path), "-", "--profile", "ir_measures", "-f", "csv"]
    command[0] = str(Path(sys.executable).parent / "cleverdon")
    options = [word for measure in measures for word in ("-m", measure)]
    done = subprocess.run(
        [*command, *options],
        input="".join(f"{q} Q0 {d} 0 {s} t\n" for q, d, s in rows),
        capture_output=True,
        text=True,
    )
    assert done.stdout.splitlines()[1] == "stdin,0.25,0.5,0.25,0.0"


def test_values_are_found_by_the_words_that_asked_for_them() -> None:
    scores = evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "RBP SetF(beta=4)", profile="trec_eval-9")
    assert [str(measure) for measure in scores.measures] == [
        "RBP(p=0.9,gain=query)",
        "SetF(alpha=0.2)",
    ]
    assert scores.mean("run", "RBP") == scores.mean("run", "RBP(p=0.9,gain=query)")
    assert scores.mean("run", "SetF(beta=4)") == 1


# trec_eval


@FEWER
@given(batches)
def test_trec_eval_9_prints_what_pytrec_eval_gives(collection: Collection) -> None:
    levels = ",".join(f"{level / 10}" for level in range(11))
    wanted = {"map", "Rprec", "bpref", "recip_rank", "P", "11pt_avg", f"iprec_at_recall.{levels}"}
    qrels = {q: {d: int(g) for d, g in grades.items()} for q, grades in collection.qrels.items()}
    # For an empty ranking trec_eval computes 0 / 0 as interpolated precision.
    run = {query: results for query, results in collection.run.items() if results}
    oracle = pytrec_eval.RelevanceEvaluator(qrels, wanted).evaluate(run)
    names = [*find_profile("trec_eval-9").measures, "11pt_avg"]
    scores = evaluate(qrels, run, names, profile="trec_eval-9")
    for name in names:
        if name.startswith(("num_", "gm_")):
            continue
        found = by_query(scores, name)
        assert found == pytest.approx({q: values[name] for q, values in oracle.items()}, abs=1e-12)
    assert scores.mean("run", "gm_map") == pytest.approx(
        math.exp(np.mean([math.log(max(values["map"], 1e-5)) for values in oracle.values()]))
    )
    assert scores.mean("run", "num_q") == len(oracle)


def test_trec_eval_10_rounds_recall_to_the_nearest() -> None:
    # Of two relevant documents, 0.6 and 0.7 of them are 1 in version 10 and 2 in version 9.
    qrels, run = {"q": {"a": 1, "b": 1}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}
    for version, wanted in (("9", [1, 2 / 3, 2 / 3]), ("10", [1, 1, 2 / 3])):
        names = ["iprec_at_recall_0.50", "iprec_at_recall_0.60", "iprec_at_recall_0.80"]
        found = evaluate(qrels, run, names, profile=f"trec_eval-{version}")
        assert found.means[0].tolist() == pytest.approx(wanted), version


def test_trec_eval_10_divides_by_the_largest_grade_of_the_topic() -> None:
    qrels = {"q1": {"a": 2, "b": 1}, "q2": {"a": 4}}
    run = {"q1": {"b": 2.0, "a": 1.0}}
    scores = evaluate(qrels, run, "RBP", profile="trec_eval-10")
    assert by_query(scores, "RBP") == pytest.approx({"q1": 0.1 * (0.5 + 0.9), "q2": 0})


def test_trec_eval_10_as_the_drop_in_where_topics_are_missing(tmp_path: Path) -> None:
    qrels = {str(t): {f"d{d}": (t + d) % 4 - (t == 4) for d in range(8)} for t in range(1, 6)}
    run = {str(t): {f"d{d}": float(d % (t + 1)) for d in range(1, 12, t)} for t in (1, 2, 4, 9)}
    judged, ranked = tmp_path / "qrels", tmp_path / "run"
    judged.write_text("".join(f"{q} 0 {d} {g}\n" for q in qrels for d, g in qrels[q].items()))
    ranked.write_text("".join(f"{q} Q0 {d} 0 {s} t\n" for q in run for d, s in run[q].items()))
    command = [str(Path(sys.executable).parent / "cleverdon"), "trec_eval", "-c", "-q"]
    asked = [word for name in ("all_trec", "dcg", "yaap") for word in ("-m", name)]
    done = subprocess.run([*command, *asked, judged, ranked], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    printed: dict[str, dict[str, str]] = {}
    for line in done.stdout.splitlines():
        name, topic, value = (cell.strip() for cell in line.split("\t"))
        printed.setdefault(name, {})[topic] = value
    # runid and texts are not numbers; prefs and avgjg need other judgments.
    names = [n for n in printed if not n.startswith(("runid", "relstring", "ideal_dcg"))]
    assert len(names) > 50
    scores = evaluate(judged, ranked, names, profile="trec_eval-10")
    for name in names:
        means = printed[name].pop("all", None)
        if means is not None:
            assert scores.mean("run", name) == pytest.approx(float(means), abs=6e-5), name
        wanted = {topic: float(value) for topic, value in printed[name].items()}
        found = by_query(scores, name)
        assert {t: found[t] for t in wanted} == pytest.approx(wanted, abs=6e-5), name
    assert by_query(scores, "rbp_resid")["3"] == 0


# ir_measures

IR_MEASURES = (
    *("nDCG@10", "nDCG", "AP", "AP(rel=2)@3", "P@5", "R@5", "RR", "Rprec", "Bpref", "Success@1"),
    *("SetP", "SetR", "SetF", "SetF(beta=4.0)", "SetF(beta=0.25,rel=2)", "NumRet"),
    *("IPrec@0.0", "IPrec@0.3", "IPrec@0.55", "IPrec@1.0"),
    *("RR@1", "RR@5", "RR(rel=2)@3", "Judged@1", "Judged@10", "Compat(p=0.8)"),
    *("RBP(rel=1)", "RBP(p=0.5,rel=2)", "NumQ", "NumRel", "NumRet(rel=2)"),
    *("INST(max_rel=4)", "INST(T=2.0,max_rel=1)", "INSQ(max_rel=4)", "INSQ(T=0.5,max_rel=1)"),
    *("NERR8(max_rel=4)@5", "NERR9(max_rel=4)@5", "NERR8(max_rel=1)@1500", "NERR9(max_rel=4)@1500"),
    *("NERR10(max_rel=4)", "NERR10(p=0.999,max_rel=4)", "NERR11(max_rel=4)", "NERR11(max_rel=1)"),
    *("SDCG(max_rel=4)@5", "SDCG(min_rel=1,max_rel=3)@1500", "BPM(T=2.0,max_rel=4)@10"),
    *("BPM(max_rel=4)@1500", "Compat", "Compat(normalize=False)"),
)


def _from_ir_measures(text: str, collection: Collection) -> dict[str, float]:
    # One at a time: with several, it may use the parameters of another measure.
    wanted = [ir_measures.parse_measure(text)]
    found = ir_measures.iter_calc(wanted, collection.qrels, collection.run)
    return {metric.query_id: metric.value for metric in found}


@FEWER
@given(batches)
def test_ir_measures(collection: Collection) -> None:
    # Judged divides by the number of results, and fails for a query without results. In the ideal
    # ranking of Compat, documents that were not returned have score 0, and ties keep the order of
    # the qrels.
    run = {
        query: {doc: score + 4 for doc, score in results.items()}
        for query, results in collection.run.items()
        if results
    }
    qrels = {query: dict(sorted(grades.items())) for query, grades in collection.qrels.items()}
    collection = Collection(qrels, run)
    scores = evaluate(qrels, run, IR_MEASURES, profile="ir_measures")
    for text in IR_MEASURES:
        theirs = _from_ir_measures(text, collection)
        assert by_query(scores, text) == pytest.approx(theirs, abs=1e-12), text


def test_ir_measures_reads_a_thousand_ranks() -> None:
    qrels = {"q": {f"d{i}": int(i % 300 == 2) for i in range(1200)}, "lacking": {"d1": 1}}
    run = {"q": {f"d{i}": 2000.0 - i for i in range(1200)}}
    for text in ("INST(max_rel=1)", "INSQ(T=2.0,max_rel=1)", "NERR11(T=2.0,max_rel=2)"):
        scores = evaluate(qrels, run, text, profile="ir_measures")
        assert "depth=1000" in str(scores.measures[0])
        theirs = _from_ir_measures(text, Collection(qrels, run))
        assert by_query(scores, text) == pytest.approx(theirs, abs=1e-12), text
        endless = evaluate(qrels, run, text).per_query("run", text)["q"]
        assert endless != pytest.approx(theirs["q"], abs=1e-6)
    bounded = evaluate(qrels, run, "NumRel", profile="ir_measures", bounds=True)
    assert bounded.mean("run", "NumRel") == bounded.mean_bounds("run", "NumRel")[0] == 4


def test_ties_in_the_ideal_of_compat_are_as_documented() -> None:
    # The guide says that ties of grade and score keep the order of the qrels in its ideal ranking.
    run = {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}
    for order in ("abc", "acb", "cba", "bac"):
        qrels: Nested = {"q": {doc: int(doc != "b") for doc in order}}
        ours = by_query(
            evaluate(qrels, run, "Compat(p=0.8)", profile="ir_measures"), "Compat(p=0.8)"
        )
        theirs = _from_ir_measures("Compat(p=0.8)", Collection(qrels, run))
        assert (ours == pytest.approx(theirs)) == (order.index("a") < order.index("c")), order


@FEWER
@given(batches)
def test_ir_measures_accuracy(collection: Collection) -> None:
    run = {
        # It divides by zero if all results are relevant.
        query: {**results, "not relevant": -9.0}
        for query, results in collection.run.items()
        if query in collection.qrels and results
    }
    scores = evaluate(collection.qrels, run, "Accuracy Accuracy@3", profile="ir_measures")
    theirs = _from_ir_measures("Accuracy", Collection(collection.qrels, run))
    ours = by_query(scores, "Accuracy")
    # It gives no value for a query without relevant results.
    assert {query: ours[query] for query in theirs} == pytest.approx(theirs, abs=1e-12)
    assert all(value == 0 for query, value in ours.items() if query not in theirs)


@pytest.mark.skipif(which("perl") is None, reason="gdeval needs perl, which is not installed")
def test_ir_measures_hands_err_to_gdeval() -> None:
    qrels: Nested = {"1": {"a": 1, "b": 2}, "2": {"a": 1}}
    run = {"1": {"b": 1.0, "a": 1.0, "x": 3.0}, "2": {"a": 1.0}}
    for text in ("ERR@20", "ERR@2", "nDCG(dcg='exp-log2')@2"):
        scores = evaluate(qrels, run, text, profile="ir_measures")
        theirs = _from_ir_measures(text, Collection(qrels, run))
        assert by_query(scores, text) == pytest.approx(theirs, abs=5.1e-6)


# gdeval

GDEVAL_QRELS: Nested = {
    "1": {"a": 4, "b": 1, "c": 0, "d": 2},
    "2": {"a": 0, "b": -1},
    "3": {"e": 3, "f": 1},
    "4": {"a": 1},
}
GDEVAL_RUN: Nested = {
    "1": {"b": 0.5, "a": 0.5, "x": 0.75, "d": 0.25},
    "2": {"a": 0.5},
    "3": {"x": 0.5, "e": 0.25, "y": 0.125},
}
# Output of gdeval.pl version 1.2a of 2019 (as in ir_measures 0.4.3) for these two with k = 20.
GDEVAL = {"1": ("0.54177", "0.32697"), "3": ("0.57876", "0.21875")}


def gdeval(qrels: Nested, run: Nested, k: int, folder: Path) -> dict[str, tuple[str, str]]:
    """Run gdeval.pl; return the printed nDCG and ERR by query."""
    judged, ranked = folder / "qrels", folder / "run"
    judged.write_text("".join(f"{q} 0 {d} {g}\n" for q in qrels for d, g in qrels[q].items()))
    ranked.write_text("".join(f"{q} Q0 {d} 1 {s} t\n" for q in run for d, s in run[q].items()))
    script = Path(ir_measures.__file__).parent / "bin" / "gdeval.pl"
    command = ["perl", str(script), str(judged), str(ranked), str(k)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = [line.split(",") for line in done.stdout.splitlines()[1:]]
    return {topic: (ndcg, err) for _, topic, ndcg, err in rows}


def test_gdeval_as_recorded() -> None:
    scores = evaluate(GDEVAL_QRELS, GDEVAL_RUN, profile="gdeval")
    ndcg, err = by_query(scores, "nDCG"), by_query(scores, "ERR")
    assert {q: (f"{ndcg[q]:.5f}", f"{err[q]:.5f}") for q in ndcg} == GDEVAL
    # Query 2 has no relevant document, and query 4 is not in the run.
    mean = sum(float(values[0]) for values in GDEVAL.values()) / 2
    assert scores.mean("run", "nDCG") == pytest.approx(mean, abs=1e-5)
    assert "0.56027        0.27286" in scores.render()  # five digits


@pytest.mark.skipif(which("perl") is None, reason="gdeval needs perl, which is not installed")
@settings(max_examples=8)  # each starts a process
@given(collections(grades=(*GRADES, -1), scores=SCORES, queries=MANY, fewest=30))
def test_gdeval(collection: Collection) -> None:
    import tempfile

    run = {query: results for query, results in collection.run.items() if results}
    assume(any(grade > 0 for q in run for grade in collection.qrels.get(q, {}).values()))
    with tempfile.TemporaryDirectory() as folder:
        theirs = gdeval(collection.qrels, run, 3, Path(folder))
    scores = evaluate(collection.qrels, run, "nDCG@3 ERR@3", profile="gdeval")
    for place, name in enumerate(("nDCG@3", "ERR@3")):
        wanted = {query: float(values[place]) for query, values in theirs.items()}
        assert by_query(scores, name) == pytest.approx(wanted, abs=5.1e-6)


def test_gdeval_takes_no_grade_above_4() -> None:
    with pytest.raises(InputError, match="there is a grade of 5, and gdeval takes grades up to 4"):
        evaluate({"1": {"a": 5}}, {"1": {"a": 1.0}}, profile="gdeval")


# ndeval


@FEWER
@given(st.integers(0, 10**6))
def test_ndeval(seed: int) -> None:
    import random
    import tempfile

    some = random.Random(seed)
    judged = sorted(
        {(f"{q}", f"{t}", f"d{some.randrange(12)}") for q, t in product(range(12), range(3))}
        | {(f"{some.randrange(12)}", "1", f"d{d}") for d in range(12)}
    )
    rows = [(*key, some.choice((0, 1, 2))) for key in judged]
    positive = {row[0] for row in rows if row[3] > 0}
    rows = [row for row in rows if row[0] in positive]
    ranking = {q: some.sample([f"d{d}" for d in range(14)], 10) for q in sorted(positive)[:-1]}
    lines = [
        # The scores contradict the ranks.
        f"{q} Q0 {doc} {place} {place} t\n"
        for q, docs in ranking.items()
        for place, doc in enumerate(docs, start=1)
    ]
    oracle = pyndeval.ndeval(
        [tuple(row) for row in rows],
        [(q, doc, -place) for q, docs in ranking.items() for place, doc in enumerate(docs)],
    )
    names = {"MAP-IA": "AP_IA", "strec": "StRecall", "P-IA": "P_IA"}
    with tempfile.TemporaryDirectory() as folder:
        qrels, run = Path(folder) / "qrels", Path(folder) / "run"
        qrels.write_text("".join(" ".join(map(str, row)) + "\n" for row in rows))
        run.write_text("".join(some.sample(lines, len(lines))))
        scores = evaluate(qrels, run, profile="ndeval")
    assert len(scores.measures) == len(pyndeval.DEFAULT_MEASURES)
    for theirs in pyndeval.DEFAULT_MEASURES:
        called, _, k = theirs.partition("@")
        ours = names.get(called, called) + (f"@{k}" if k else "")
        wanted = {query: values[theirs] for query, values in oracle.items()}
        assert by_query(scores, ours) == pytest.approx(wanted, abs=1e-9), theirs


# BEIR

BEIR_QRELS: Nested = {
    "q1": {"a": 2, "b": 1, "c": 1, "d": 0},
    "q2": {"e": 1, "q2": 1},
    "q3": {"f": 1, "g": 1, "h": 3},
}
BEIR_RUN: Nested = {
    "q1": {"c": 0.5, "e": 0.5, "x": 0.5, "a": 0.25, "q1": 0.9, "z": 0.25},
    "q2": {"q2": 1.0, "y": 0.75, "e": 0.5, "b": 0.5},
    "q3": {"h": 1 + 2**-30, "g": 1.0, "f": 1 + 2**-29, "w": 2.0, "d": 0.1},
}
# The values of EvaluateRetrieval.evaluate and evaluate_custom of BEIR (commit ef83d29 of October
# 2025, with pytrec_eval-terrier 0.5.11). The data has equal scores, scores that differ only as
# float64, the query's own document, returned or judged relevant, and documents that are judged for
# another query.
BEIR = {
    f"{name}@{k}": value
    for name, values in {
        "nDCG": (0.0, 0.37526, 0.49239),
        "AP": (0.0, 0.25, 0.37778),
        "R(cap=false)": (0.0, 0.5, 0.72222),
        "P": (0.0, 0.44444, 0.4),
        "RR": (0.33333, 0.66667, 0.66667),
        "R": (0.33333, 0.5, 0.72222),
        "Hole": (0.66667, 0.33333, 0.26667),
        "Success": (0.33333, 1.0, 1.0),
    }.items()
    for k, value in zip((1, 3, 5), values, strict=True)
}


@pytest.mark.parametrize("as_given", [dict, Run.read, "file"])
def test_beir(as_given: Any, tmp_path: Path) -> None:
    run: Any = tmp_path / "run"
    if as_given == "file":
        lines = (f"{q} Q0 {d} 0 {s!r} t\n" for q in BEIR_RUN for d, s in BEIR_RUN[q].items())
        run.write_text("".join(lines))
    else:
        run = as_given(BEIR_RUN)
    scores = evaluate(BEIR_QRELS, run, list(BEIR), profile="beir")
    found = dict(zip(BEIR, scores.means[0].tolist(), strict=True))
    assert found == pytest.approx(BEIR, abs=5.1e-6)
    # BEIR's own names.
    names = {"Accuracy": "Success", "Recall": "R(cap=false)", "R_cap": "R"}
    own = evaluate(BEIR_QRELS, run, [f"{name}@3" for name in names], profile="beir")
    for name, ours in names.items():
        assert own.mean(own.systems[0], f"{name}@3") == pytest.approx(BEIR[f"{ours}@3"], abs=5.1e-6)


def test_accuracy_is_a_name_of_ir_measures() -> None:
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 2.0, "b": 1.0}}
    found = evaluate(qrels, run, "Accuracy accuracy@2", profile="ir_measures")
    assert [str(measure) for measure in found.measures] == ["RankAccuracy", "RankAccuracy@2"]
    assert found.mean("run", "Accuracy") == 1
    assert evaluate(qrels, run, ir_measures.Accuracy).measures == found.measures[:1]
    with pytest.raises(NotationError, match="is the name of several measures"):
        evaluate(qrels, run, "Accuracy", profile="trec_eval-10")


def hole(collection: Collection, k: int) -> dict[str, float]:
    """Compute Hole as BEIR defines it."""
    judged = {doc for grades in collection.qrels.values() for doc in grades}
    shares = {}
    for query in collection.qrels:
        scores = collection.run.get(query, {})
        ranking = sorted(scores, key=lambda doc: (scores[doc], doc.encode()), reverse=True)
        shares[query] = sum(doc not in judged for doc in ranking[:k]) / k
    return shares


@given(collections(), st.integers(1, 8))
def test_holes(collection: Collection, k: int) -> None:
    wanted = hole(collection, k)
    for run in (collection.run, Run.read(collection.run)):
        # AP is computed from Hits without the judgments of other queries.
        scores = evaluate(collection.qrels, run, [f"Hole@{k}", "AP", "NumNonrelJudgedRet", "infAP"])
        assert by_query(scores, f"Hole@{k}") == pytest.approx(wanted)
        alone = evaluate(collection.qrels, run, ["AP", "NumNonrelJudgedRet", "infAP"])
        assert np.array_equal(scores.values[:, 1:], alone.values, equal_nan=True)


# MS MARCO


@given(st.lists(st.permutations(range(1, 13)), min_size=1, max_size=4), st.data())
def test_msmarco(rankings: list[list[int]], data: st.DataObject) -> None:
    import tempfile

    relevant = {
        query: data.draw(st.lists(st.integers(1, 12), min_size=1, max_size=3, unique=True))
        for query in range(len(rankings) + 1)  # the run does not have the last
    }
    candidates = dict(enumerate(rankings))
    found = msmarco_eval.compute_metrics(relevant, candidates)["MRR @10 by query"]
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run.tsv"
        run.write_text(
            "".join(
                f"{query}\t{doc}\t{place}\n"
                for query, ranking in candidates.items()
                for place, doc in enumerate(ranking, start=1)
            )
        )
        qrels = {str(q): {str(d): 1 for d in docs} for q, docs in relevant.items()}
        scores = evaluate(qrels, run, profile="msmarco", run_format="msmarco")
    assert [str(measure) for measure in scores.measures] == ["RR@10"]
    # The official script divides by the number of judged queries.
    assert scores.means.item() == pytest.approx(sum(found.values()) / len(relevant))


# scikit-learn

shapes = st.tuples(st.integers(1, 5), st.integers(2, 9))
few_scores = st.sampled_from((0.0, 0.25, 0.5, 1.0))


@given(st.data())
def test_sklearn(data: st.DataObject) -> None:
    shape = data.draw(shapes)
    relevance = data.draw(arrays(float, shape, elements=st.integers(0, 1)))
    relevance[:, 0], relevance[:, 1] = 1, 0
    values = data.draw(arrays(float, shape, elements=few_scores))
    grades = relevance * data.draw(st.integers(1, 3))

    def nested(matrix: Any) -> Nested:
        return {f"q{q}": {f"d{d}": float(v) for d, v in enumerate(r)} for q, r in enumerate(matrix)}

    scores = evaluate(nested(grades), nested(values), "nDCG DCG nDCG@3 AP AUC", profile="sklearn")
    rows = list(zip(relevance, values, strict=True))
    wanted = [
        metrics.ndcg_score(grades, values),
        metrics.dcg_score(grades, values),
        metrics.ndcg_score(grades, values, k=3),
        np.mean([metrics.average_precision_score(*row) for row in rows]),
        np.mean([metrics.roc_auc_score(*row) for row in rows]),
    ]
    assert scores.means[0].tolist() == pytest.approx(wanted, rel=1e-9)
    lrap = metrics.label_ranking_average_precision_score(relevance, values)
    mixed = [row for row in relevance if 0 < row.sum() < len(row)]
    if len(mixed) == len(relevance):
        assert scores.mean("run", "LRAP") == pytest.approx(lrap, rel=1e-9)


def test_sklearn_has_no_ap_at_k() -> None:
    with pytest.raises(NotationError, match="LRAP has no parameter 'k'"):
        evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "AP@10", profile="sklearn")


# Settings that only profiles use


@pytest.mark.parametrize("make", [dict, Run.read, lambda run: [*Run.read(run).rows()]])
def test_own_document(make: Callable[[Nested], Any]) -> None:
    qrels: Nested = {"a": {"a": 1, "b": 1, "c": 0}, "b": {"b": 1}, "c": {"a": 1}}
    run: Nested = {"a": {"c": 1.0, "a": 1.0, "b": 0.5}, "b": {"b": 1.0}, "c": {"a": 1.0}}
    for ties, keep in product(("descending", "ascending", "input"), (0, 3)):
        dropped = Settings(own_document="drop", ties=ties)
        found = rank(Judgments.read(qrels), make(run), settings=dropped, keep=keep)
        assert found.hits.returned.tolist() == [2, 0, 1]
        assert found.present.all()  # although b has no results left
        assert found.hits.rank.tolist() == [1, 2, 1]
        assert found.hits.grade.tolist() == [0, 1, 1]
        assert found.tied == 0
        if keep:
            assert [[doc for doc, _ in top] for top in found.top] == [["c", "b"], [], ["a"]]
    assert evaluate(qrels, make(run), "P@1").means.item() == pytest.approx(2 / 3)
    assert evaluate(qrels, make(run), "P@1", own_document="drop").means.item() == pytest.approx(
        1 / 3
    )


def test_own_document_by_integers() -> None:
    scores = evaluate({1: {1: 1, 2: 0}}, {1: {1: 2.0, 2: 1.0}}, "P@1", own_document="drop")
    assert scores.means.item() == 0


def test_queries_without_anything_relevant() -> None:
    qrels: Nested = {"q1": {"a": 1}, "q2": {"a": 0}, "q3": {"a": -1}}
    run = {query: {"a": 1.0} for query in qrels}
    assert evaluate(qrels, run, "P@1").mean("run", "P@1") == pytest.approx(1 / 3)
    skipped = evaluate(qrels, run, "P@1 NumQ", no_relevant="skip")
    assert skipped.means[0].tolist() == [1, 1]
    assert skipped.evaluated.tolist() == [[True, False, False]]


def test_the_table_of_differences_is_made_from_the_profiles() -> None:
    text = profile_differences()
    for name, known in PROFILES.items():
        assert name in text
        for measure in (*known.parameters, *known.instead):
            assert measure in text
    lines = {line.split()[0]: line.split() for line in text.split("\n\n")[1].splitlines()}
    assert lines["profile"][1:] == [
        *("ties", "order_by", "precision", "missing", "undefined", "duplicates", "own_document"),
        *("no_relevant", "unreturned", "decimals"),
    ]
    beir = ["·", "·", "single", "skip", "always-worst", "·", "drop", "·", "·", "5"]
    assert lines["beir"][1:] == beir

"""Sets and counts against pytrec_eval, which is trec_eval 9 as a library, and micro-averages."""

from __future__ import annotations

import math

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from cleverdon import evaluate, parse
from cleverdon.errors import OptionError
from tests.differential.as_pytrec_eval import batches, disagreements, with_a_grade_of_0
from tests.differential.collections import Collection
from tests.measures.tables import Table, tables

NAMES = ("set_map", "set_relative_P", "utility", "num_nonrel_judged_ret")
FEWER = settings(max_examples=settings.default.max_examples // 4)


@FEWER
@given(batches, st.sampled_from((1, 2, 3)), st.booleans())
def test_trec_eval_names(collection: Collection, rel: int, judged_only: bool) -> None:
    assert not disagreements(collection, NAMES, rel=rel, judged_only=judged_only)


@FEWER
@given(batches)
def test_geometric_means(collection: Collection) -> None:
    qrels = with_a_grade_of_0(collection.qrels)
    names = {"gm_map", "gm_bpref"}
    # It gives the logarithm of each query's value; the mean of these is what is raised again.
    oracle = pytrec_eval.RelevanceEvaluator(qrels, names).evaluate(collection.run)
    scores = evaluate(qrels, collection.run, sorted(names), profile="trec_eval-9")
    assert [str(measure) for measure in scores.measures] == ["GBpref", "GMAP"]
    for name in names:
        mean = sum(values[name] for values in oracle.values()) / len(oracle)
        assert scores.mean("run", name) == pytest.approx(math.exp(mean), rel=1e-12)


@given(tables(), st.sampled_from((1, 2, 0.5)))
def test_macro_and_micro_averages(table: Table, beta: float) -> None:
    names = ("SetP", "SetR", f"SetF(beta={beta})", f"SetE(beta={beta})", "SetAP")
    scores = table.scores(names)
    for average in ("samples", "micro"):
        precision, recall, f, _ = metrics.precision_recall_fscore_support(
            table.relevant, table.returned, beta=beta, average=average, zero_division=0
        )
        found = scores.means[0] if average == "samples" else scores.aggregate("micro")[0]
        # Where it is undefined, F counts as 0 and E as 1.
        *ours, e = np.where(np.isnan(found), [0, 0, 0, 1, 0], found)[:4].tolist()
        assert ours == pytest.approx([precision, recall, f], abs=1e-12)
        assert e == pytest.approx(1 - f, abs=1e-12)
    both = np.nan_to_num(found[4])  # of the micro-average
    assert both == pytest.approx(precision * recall, abs=1e-12)


def test_micro_averages_by_hand() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 1, "b": 1, "c": 1, "d": 0}, "q3": {"a": 0}}
    run = {"q1": {"a": 3.0, "b": 2.0}, "q2": {"a": 9.0, "d": 8.0, "b": 7.0}, "q3": {"a": 1.0}}
    wanted = {
        "P@2": 2 / 6,
        "P(norm=returned)@2": 2 / 5,
        "R@2": 2 / 4,
        "R(cap=true)@2": 2 / 3,
        "F@2": 2 * 2 / (6 + 4),
        "Rprec": 3 / 4,
        "SetRelP": 3 / 4,
        "Judged": 5 / 6,
        "Unjudged@2": 1 / 6,
        "NumRelRet": 3,
        "NumQ": 3,
    }
    scores = evaluate(qrels, run, list(wanted))
    assert [scores.micro("run", name) for name in wanted] == pytest.approx(list(wanted.values()))
    assert scores.aggregate("micro")[0].tolist() == pytest.approx(list(wanted.values()))


def test_what_has_no_micro_average() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 3.0}}
    with pytest.raises(OptionError, match="AP has no micro-average"):
        evaluate(qrels, run, "AP").micro("run", "AP")
    assert math.isnan(evaluate(qrels, {"q": {}}, "SetP").micro("run", "SetP"))


def test_the_order_of_parameters() -> None:
    assert parse("SetF(2)") == parse("SetF(beta=2)")
    assert parse("SetE(2)") == parse("SetE(beta=2)")
    assert parse("SetP(2)") == parse("SetP(rel=2)")

"""The confusion matrix against scikit-learn, query by query, and as macro- and micro-averages.

A query is a row of labels: what is relevant, and what was returned. scikit-learn puts 0 where
Cleverdon says undefined, and so do averages where more is better. What it lacks (markedness, the
prevalence threshold) is put together from what it has.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn import metrics

from cleverdon import bounds, evaluate, parse
from cleverdon.errors import InputError, NotationError
from cleverdon.measures.registry import FAMILIES, family, measures
from cleverdon.measures.worked import ranking
from tests.measures.tables import Table, tables

FAMILY = [cls for cls in measures() if family(cls) == FAMILIES["confusion"]]
NAMES = [cls.__name__ for cls in FAMILY]


def defined(values: list[float]) -> list[float]:
    return [0.0 if math.isnan(value) else value for value in values]


@settings(max_examples=60)
@given(tables())
def test_rates_of_each_query_and_their_averages(table: Table) -> None:
    scores = table.scores(NAMES)
    yes, no = (table.relevant, table.returned), (~table.relevant, ~table.returned)
    rates = {
        "TPR": (metrics.recall_score, yes),
        "TNR": (metrics.recall_score, no),
        "PPV": (metrics.precision_score, yes),
        "NPV": (metrics.precision_score, no),
        "ThreatScore": (metrics.jaccard_score, yes),
    }
    for name, (function, labels) in rates.items():
        macro = function(*labels, average="samples", zero_division=0)
        micro = function(*labels, average="micro", zero_division=0)
        assert defined([scores.mean("run", name)]) == pytest.approx([macro], abs=1e-12), name
        assert defined([scores.micro("run", name)]) == pytest.approx([micro], abs=1e-12), name
    accuracy = 1 - metrics.hamming_loss(*yes)
    assert scores.mean("run", "SetAccuracy") == pytest.approx(accuracy, abs=1e-12)
    assert scores.micro("run", "SetAccuracy") == pytest.approx(accuracy, abs=1e-12)


@given(tables())
def test_what_complements_what(table: Table) -> None:
    scores = table.scores(NAMES)
    pairs = (("TPR", "FNR"), ("TNR", "FPR"), ("PPV", "FDR"), ("NPV", "FOR"), ("TNR", "Fallout"))
    for name, other in pairs:
        left, right = (np.array(list(scores.per_query("run", n).values())) for n in (name, other))
        assert left == pytest.approx(1 - right, nan_ok=True, abs=1e-12)
        # An undefined rate counts as 0, and an undefined rate of errors as 1.
        mean, other_mean = scores.mean("run", name), scores.mean("run", other)
        assert mean == pytest.approx(1 - other_mean, nan_ok=True, abs=1e-12)
        micro, other_micro = scores.micro("run", name), scores.micro("run", other)
        assert micro == pytest.approx(1 - other_micro, nan_ok=True, abs=1e-12)


@pytest.mark.filterwarnings("ignore:A single label was found")
@settings(max_examples=60)
@given(tables())
def test_coefficients_of_each_query(table: Table) -> None:
    scores = table.scores(NAMES)
    wanted = [metrics.matthews_corrcoef(*row) for row in table.rows]
    values = list(scores.per_query("run", "MCC").values())
    assert defined(values) == pytest.approx(wanted, abs=1e-12)
    pooled = table.relevant.ravel(), table.returned.ravel()
    micro = metrics.matthews_corrcoef(*pooled)
    assert defined([scores.micro("run", "MCC")]) == pytest.approx([micro], abs=1e-12)
    # Every query as a label of its own, all at once; another one, since one alone is no such table.
    labels = [np.vstack([of_all, of_all[:1]]).T for of_all in (table.relevant, table.returned)]
    precisions, recalls = (
        function(*labels, average=None, zero_division=0)[:-1].tolist()
        for function in (metrics.precision_score, metrics.recall_score)
    )
    both = [math.sqrt(p * r) for p, r in zip(precisions, recalls, strict=True)]
    found = list(scores.per_query("run", "FowlkesMallows").values())
    assert defined(found) == pytest.approx(both, abs=1e-12)


@settings(max_examples=60)
@given(tables())
def test_balanced_accuracy_and_its_kin(table: Table) -> None:
    names = ("BalancedAccuracy", "Informedness", "Markedness")
    scores = table.scores(NAMES)
    pooled = table.relevant.ravel(), table.returned.ravel()
    for q, (truth, answer) in enumerate([*table.rows, pooled]):
        per_query = [scores.values[0, NAMES.index(name), q : q + 1] for name in names]
        balanced, informed, marked = (
            float(values[0]) if len(values) else scores.micro("run", name)
            for name, values in zip(names, per_query, strict=True)
        )
        # scikit-learn leaves out a class that does not occur, where Cleverdon says undefined.
        if len(set(truth.tolist())) == 2:
            assert balanced == pytest.approx(metrics.balanced_accuracy_score(truth, answer))
            adjusted = metrics.balanced_accuracy_score(truth, answer, adjusted=True)
            assert informed == pytest.approx(adjusted, abs=1e-12)
        else:
            assert math.isnan(balanced)
            assert math.isnan(informed)
        if len(set(answer.tolist())) == 2:
            # Markedness is informedness with the roles exchanged.
            adjusted = metrics.balanced_accuracy_score(answer, truth, adjusted=True)
            assert marked == pytest.approx(adjusted, abs=1e-12)
        else:
            assert math.isnan(marked)


@given(tables())
def test_plain_formulas(table: Table) -> None:
    weights = (1.5, -1.0, -0.25, 0.125)
    scores = table.scores([*NAMES, f"Utility(w={weights})"])
    for q, (truth, answer) in enumerate(table.rows):
        kinds = (truth & answer, ~truth & answer, truth & ~answer, ~truth & ~answer)
        a, b, c, d = (int(kind.sum()) for kind in kinds)
        values = dict(zip(map(str, scores.measures), scores.values[0, :, q].tolist(), strict=True))
        assert values["Utility"] == a - b
        assert values["Utility(w=(1.5,-1,-0.25,0.125))"] == np.dot(weights, (a, b, c, d))
        if (a + b) and (a + c) and (b + d):
            hits, alarms = math.sqrt(a / (a + c)), math.sqrt(b / (b + d))
            wanted = alarms / (hits + alarms)
            assert values["PrevalenceThreshold"] == pytest.approx(wanted, abs=1e-12)
        else:
            assert math.isnan(values["PrevalenceThreshold"])


@given(tables())
def test_values_lie_in_the_range_where_the_size_is_known(table: Table) -> None:
    scores = table.scores(NAMES)
    for measure, values in zip(scores.measures, scores.values[0], strict=True):
        known = values[~np.isnan(values)]
        lowest, highest = measure.range
        assert np.all((known >= lowest - 1e-12) & (known <= highest + 1e-12)), measure


@given(tables(most=8))
def test_a_micro_average_is_the_value_of_all_queries_as_one(table: Table) -> None:
    size = table.relevant.size
    pooled = Table(*(labels.reshape(1, size) for labels in vars(table).values()))
    together, apart = pooled.scores(NAMES), table.scores(NAMES)
    for m, name in enumerate(NAMES):
        one = together.values[0, m, 0]
        assert apart.micro("run", name) == pytest.approx(one, nan_ok=True, abs=1e-12), name
        assert together.micro("run", name) == pytest.approx(one, nan_ok=True, abs=0)


def test_queries_that_are_not_evaluated_do_not_count() -> None:
    qrels = {"q1": {"d1": 1}, "q2": {"d1": 1, "d2": 1, "d3": 1}}
    run = {"q1": {"d1": 1.0, "d2": 0.5}}
    everything, present = (
        evaluate(qrels, run, ["SetR", "Utility"], missing=missing) for missing in ("empty", "skip")
    )
    assert everything.micro("run", "SetR") == 0.25
    assert present.micro("run", "SetR") == 1


# How many documents there are


def test_without_the_size_what_needs_it_is_undefined_and_says_why() -> None:
    scores = evaluate({"q": {"d1": 1, "d2": 0}}, {"q": {"d1": 2.0, "d2": 1.0}}, NAMES)
    undefined = {name for name in NAMES if np.isnan(scores.values[0, NAMES.index(name)]).all()}
    assert undefined == set(NAMES) - {
        *("TPR", "PPV", "FNR", "FDR", "FowlkesMallows", "ThreatScore", "Utility")
    }
    assert undefined == {str(measure) for measure in scores.measures if measure.needs_docs}
    for cls in FAMILY:
        assert ("docs= is not given" in cls.undefined) == (
            cls.__name__ in undefined or cls.__name__ == "Utility"
        )
    (warning,) = scores.warnings
    assert warning.startswith("Fallout, TNR, NPV,")
    assert "not known how many documents the collection has; docs=N" in warning
    assert np.isnan(scores.micro("run", "Fallout"))


def test_with_the_size_there_is_nothing_to_warn_of() -> None:
    qrels, run = {"q": {"d1": 1}}, {"q": {"d1": 2.0}}
    assert evaluate(qrels, run, ["FPR", "P@1"], docs=5).warnings == []
    assert evaluate(qrels, run, ["PPV", "Utility"]).warnings == []
    assert len(evaluate(qrels, run, "Utility(w=(1,-1,0,1))").warnings) == 1


def test_a_collection_that_is_too_small() -> None:
    qrels = {"q1": {"d1": 1}, "q2": {"d1": 1, "d2": 1, "d3": 0}}
    run = {"q1": {"d1": 2.0}, "q2": {"d1": 2.0, "d7": 1.0}}
    with pytest.raises(InputError) as raised:
        evaluate(qrels, run, "FPR", docs=2)
    assert str(raised.value) == (
        "docs=2 is less than the 3 documents that are relevant or were returned for query 'q2'"
    )
    # One that is just large enough holds nothing that is neither.
    assert evaluate(qrels, run, "TNR", docs=3).per_query("run", "TNR") == {"q1": 1.0, "q2": 0.0}


@pytest.mark.parametrize("docs", [10**7, 10**9, 10**12])
def test_a_large_collection(docs: int) -> None:
    """A product of four counts has more digits than a whole number of 64 bits."""
    returned = " ".join(["1"] * 50 + ["0"] * 950)
    hits = ranking(f"{returned} | {' '.join(['1'] * 50)} docs={docs}")
    a, b, c, d = 50, 950, 50, docs - 1050
    wanted = (a * d - b * c) / math.sqrt((a + b) * (a + c) * (b + d) * (c + d))
    assert parse("MCC")(hits).tolist() == pytest.approx([wanted], rel=1e-12)
    found = bounds("MCC", hits)
    assert (found.lowest[0], found.highest[0]) == pytest.approx((wanted, wanted), rel=1e-12)


def test_utility_takes_four_weights() -> None:
    with pytest.raises(NotationError, match="w is four numbers"):
        parse("Utility(w=(1,-1))")
    assert str(parse("Utility((3,-2,0,0))")) == "Utility(w=(3,-2,0,0))"


@pytest.mark.parametrize("k", [1, 2, 5])
@given(tables(most=6))
def test_a_cut_off_is_the_measure_of_a_shorter_result(k: int, table: Table) -> None:
    """What is below rank k is not returned: so scikit-learn's checks above hold at k as well."""
    cut = table.returned.copy()
    for row in cut:
        # All scores are equal, so that the largest ids come first.
        row[np.flatnonzero(row)[::-1][k:]] = False
    shorter = Table(table.relevant, cut, table.judged).scores(NAMES)
    at_k = table.scores(f"{name}@{k}" for name in NAMES)
    np.testing.assert_allclose(at_k.values, shorter.values, atol=1e-12)
    for name in NAMES:
        micro = shorter.micro("run", name)
        assert at_k.micro("run", f"{name}@{k}") == pytest.approx(micro, nan_ok=True, abs=1e-12)


def test_names_with_a_cut_off() -> None:
    assert str(parse("Specificity@10")) == "TNR@10"
    assert str(parse("Utility(w=(3,-2,0,0))@5")) == "Utility(w=(3,-2,0,0))@5"
    assert not parse("Utility(w=(-1,0,0,0))@5").keeps("swap")
    assert parse("Utility(w=(-1,0,0,0))").keeps("swap")

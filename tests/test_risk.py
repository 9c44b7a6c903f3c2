"""Risk against a baseline."""

from __future__ import annotations

import json
import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cleverdon import Scores, evaluate
from cleverdon.errors import OptionError
from cleverdon.risk import measure_risk

DEPTH = 6


def scores_of(rows: list[list[int]]) -> Scores:
    """Create RR scores of systems (rows) from the ranks of relevant documents; 0: not returned."""
    queries = range(len(rows[0]))
    qrels = {f"q{q:02}": {"wanted": 1} for q in queries}

    def ranking(rank: int) -> dict[str, float]:
        docs = [f"other {n}" for n in range(DEPTH)]
        if rank:
            docs[rank - 1] = "wanted"
        return {doc: float(-place) for place, doc in enumerate(docs)}

    runs = {
        f"system {s}": {f"q{q:02}": ranking(rank) for q, rank in enumerate(ranks)}
        for s, ranks in enumerate(rows)
    }
    return evaluate(qrels, runs, "RR")


@st.composite
def ranks(draw: st.DrawFn) -> list[list[int]]:
    queries, systems = draw(st.integers(2, 12)), draw(st.integers(2, 5))
    row = st.lists(st.integers(0, DEPTH), min_size=queries, max_size=queries)
    return draw(st.lists(row, min_size=systems, max_size=systems))


@given(ranks(), st.sampled_from((0.0, 0.5, 1.0, 5.0)))
def test_definitions(rows: list[list[int]], alpha: float) -> None:
    values = [[1 / rank if rank else 0.0 for rank in row] for row in rows]
    queries = len(values[0])
    found = measure_risk(scores_of(rows), "RR", baseline="system 0", alpha=alpha)
    total = sum(map(sum, values))
    for s, (one, row) in enumerate(zip(found, values, strict=True)):
        differences = [ours - theirs for ours, theirs in zip(row, values[0], strict=True)]
        gains = sum(d for d in differences if d > 0)
        losses = sum(-d for d in differences if d < 0)
        assert one.system == f"system {s}"
        assert one.mean == pytest.approx(sum(row) / queries)
        assert one.urisk == pytest.approx((gains - (1 + alpha) * losses) / queries, abs=1e-12)
        assert (one.wins, one.losses) == (
            sum(d > 0 for d in differences),
            sum(d < 0 for d in differences),
        )
        z_risk = 0.0
        for q, value in enumerate(row):
            expected = sum(row) * sum(other[q] for other in values) / total if total else 0
            if expected:
                z = (value - expected) / math.sqrt(expected)
                z_risk += z if z > 0 else (1 + alpha) * z
        assert one.zrisk == pytest.approx(z_risk, abs=1e-9)
        probability = NormalDist().cdf(z_risk / queries)
        assert one.georisk == pytest.approx(math.sqrt(sum(row) / queries * probability), abs=1e-9)


@given(ranks())
def test_without_aversion_it_is_the_paired_t_test(rows: list[list[int]]) -> None:
    scores = scores_of(rows)
    found = measure_risk(scores, "RR", baseline="system 0", alpha=0)
    for s, one in enumerate(found):
        differences = scores.values[s, 0] - scores.values[0, 0]
        assert one.urisk == pytest.approx(differences.mean(), abs=1e-12)
        if np.ptp(differences) == 0:
            assert math.isnan(one.trisk)
        else:
            wanted = stats.ttest_rel(scores.values[s, 0], scores.values[0, 0]).statistic
            assert one.trisk == pytest.approx(wanted, rel=1e-6, abs=1e-9)


def test_a_loss_weighs_more_than_a_gain() -> None:
    # System 1 gains 0.5 on one query and loses 0.5 on another.
    scores = scores_of([[2, 1], [1, 2]])
    urisks = [measure_risk(scores, "RR", baseline="system 0", alpha=a)[1].urisk for a in (0, 1, 3)]
    assert urisks == [0, -0.25, -0.75]
    (one, two) = measure_risk(scores, "RR", baseline="system 0", alpha=1)
    assert (one.urisk, one.wins, one.losses) == (0, 0, 0)
    # 0.5 and -1: mean / standard deviation * sqrt(2).
    assert two.trisk == pytest.approx(-0.25 / (1.5 / math.sqrt(2)) * math.sqrt(2))


def test_only_queries_that_all_systems_have_count() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    runs = {"old": {"q1": {"a": 1.0}, "q2": {"a": 1.0}}, "new": {"q1": {"b": 1.0}}}
    both = measure_risk(evaluate(qrels, runs, "RR"), "RR", baseline="old")
    assert both[1].losses == 2  # a query that is not in the run counts as an empty result
    shared = measure_risk(evaluate(qrels, runs, "RR", missing="skip"), "RR", baseline="old")
    assert shared[1].losses == 1


@pytest.mark.parametrize(
    ("measure", "baseline", "alpha", "message"),
    [
        ("AP", "odl", 1, "there is no system 'odl'; did you mean 'old'?"),
        ("P@9", "old", 1, "P@9 was not evaluated"),
        ("AP", "old", -1, "alpha=-1: a loss counts 1 + alpha times"),
        ("AP", "old", float("nan"), "alpha=nan"),
        ("SetE", "old", 1, "SetE: risk needs a measure from 0 on of which more is better"),
        ("Utility", "old", 1, "Utility: risk needs a measure from 0 on"),
    ],
)
def test_what_cannot_be(measure: str, baseline: str, alpha: float, message: str) -> None:
    scores = evaluate({"q": {"a": 1}}, {"old": {"q": {"a": 1.0}}}, ["AP", "SetE", "Utility"])
    with pytest.raises(OptionError) as raised:
        measure_risk(scores, measure, baseline=baseline, alpha=alpha)
    assert str(raised.value).startswith(message)


def test_tables() -> None:
    found = measure_risk(scores_of([[2, 1], [1, 2]]), "RR", baseline="system 0", alpha=3)
    lines = found.render().splitlines()
    assert lines[0].split() == [
        *("system", "measure", "mean", "wins", "losses", "urisk", "trisk", "zrisk", "georisk")
    ]
    assert "  0.0000        -  " in lines[2]  # the baseline against itself
    assert lines[-1].startswith("against system 0, a loss counting 4 times")
    records = json.loads(found.render("json"))
    assert [record["urisk"] for record in records] == [0, -0.75]
    assert records[0]["trisk"] is None
    assert records[0]["measure"] == "RR"
    assert found.render("csv").splitlines()[2].startswith("system 1,RR,0.75,1,1,-0.75,")

"""Wrong calls that are errors instead of silent results."""

from __future__ import annotations

import numpy as np
import pytest

from cleverdon import Hits, Measure, Run, evaluate, measure, parse
from cleverdon.errors import InputError, NotationError, OptionError
from cleverdon.measures.registry import find

QRELS = {"q1": {"a": 2, "b": 0}, "q2": {"c": 1}}
RUN = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"c": 1.0}}


@pytest.mark.parametrize("run", [RUN, Run.read(RUN)])
def test_ranks_that_are_not_there(run: object) -> None:
    with pytest.raises(OptionError, match="needs ranks"):
        evaluate(QRELS, run, "RR", order_by="rank")


def test_three_columns_are_no_scores(tmp_path) -> None:
    path = tmp_path / "run.tsv"
    path.write_text("q1\ta\t0.9\nq1\tb\t0.5\n")
    with pytest.raises(InputError, match=r"run.tsv:1:6: the rank '0.9' is not a whole number"):
        evaluate(QRELS, path, "RR")


def test_names_of_its_own_measures_cannot_be_taken() -> None:
    for name in ("AP", "ap", "MAP", "Precision"):
        with pytest.raises(NotationError, match="already"):
            measure(type(name, (Measure,), {"__module__": "mine", "score": lambda self, hits: 0}))
    assert find("AP").__module__ == "cleverdon.measures.ranked"
    with pytest.raises(NotationError, match="not a subclass"):
        measure(len)  # type: ignore[type-var]


def test_a_measure_cannot_change_what_others_see() -> None:
    @measure
    class Vandal(Measure):
        """A measure that writes into shared arrays."""

        def score(self, hits):
            hits.grade[:] = 0
            return hits.returned

    with pytest.raises(NotationError, match=r"Vandal gives no number .* read-only"):
        evaluate(QRELS, RUN, "Vandal AP")


@pytest.mark.parametrize("values", [[1.0], None, "text", [["x"], ["y"]]])
def test_a_measure_gives_a_number_for_each_query(values: object) -> None:
    @measure
    class Odd(Measure):
        """A measure that returns the wrong type."""

        def score(self, hits):
            return values

    with pytest.raises(NotationError, match="Odd gives no number for each query"):
        evaluate(QRELS, RUN, "Odd")


def test_grades_too_large_to_compute_with() -> None:
    huge = {"q1": {"a": 5000, "b": 1}}
    with pytest.raises(InputError, match="too large"):
        evaluate(huge, RUN, "nDCG(gain=exponential)")
    assert evaluate(huge, RUN, "ERR").mean("run", "ERR") == pytest.approx(0.5)


def test_a_list_is_a_ranking() -> None:
    assert evaluate(QRELS, {"q1": ["b", "a"], "q2": ["c"]}, "RR").per_query("run", "RR") == {
        "q1": 0.5,
        "q2": 1.0,
    }
    with pytest.raises(InputError, match="occurs twice"):
        evaluate(QRELS, {"q1": ["a", "a"]}, "RR")


def test_a_query_with_no_results_was_answered() -> None:
    scores = evaluate(QRELS, {"q1": RUN["q1"], "q2": {}}, "RR", missing="skip")
    assert scores.mean("run", "RR") == 0.25
    held = evaluate(QRELS, Run.read({"q1": RUN["q1"], "q2": {}}), "RR", missing="skip")
    assert held.mean("run", "RR") == 0.25


@pytest.mark.parametrize(
    "text",
    [
        *("P@99999999999999999999", "SetF(beta=1e200)", "F(beta=1e200)@5", "P@" + "9" * 5000),
        *("nDCG(gains={{1:2}:3})", "nDCG(gains={})", "nDCG(gains={1:1,1:2})", "nDCG(gains={1:-5})"),
        *("SetF(alpha=0.5,beta=3)", "nDCG(gains=" + "{" * 400, "P@1.5", "RBP(p=2)"),
    ],
)
def test_measures_that_are_none(text: str) -> None:
    with pytest.raises(NotationError):
        parse(text)


def test_matrices_and_cuts_that_are_none() -> None:
    for relevance, scores in (([[1], [1, 2]], [[1], [2]]), ([["x"]], [["y"]]), ([[np.inf]], [[1]])):
        with pytest.raises(InputError):
            Hits.from_matrix(relevance, scores)
    hits = Hits.from_matrix([[1, 0]], [[0.5, 0.4]])
    for k in (0, -1, 1.5):
        with pytest.raises(OptionError):
            hits.top(k)  # type: ignore[arg-type]


def test_columns_with_one_name(tmp_path) -> None:
    path = tmp_path / "run.csv"
    path.write_text("query_id,doc_id,score,score\nq1,a,1,9\n")
    with pytest.raises(InputError, match="two columns are called 'score'"):
        evaluate(QRELS, path, "RR")

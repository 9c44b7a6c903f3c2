"""`evaluate`: its inputs, names of runs, errors, and facts about inputs."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

import cleverdon
from cleverdon import Hits, Judgments, Measure, Run, evaluate, measure
from cleverdon.errors import InputError, NotationError, OptionError
from cleverdon.formats.inputs import distinct_names
from cleverdon.measures import registry
from cleverdon.measures.ranked import AP
from cleverdon.measures.registry import measures
from cleverdon.profiles import _DEFAULT_MEASURES
from cleverdon.settings import Settings

QRELS = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d1": 1, "d4": -1}}
RUN = {"q1": {"d1": 0.7, "d2": 0.5}, "q2": {"d4": 0.9, "d1": 0.8, "d9": 0.1}}


def test_what_is_measured_by_default() -> None:
    assert [str(wanted) for wanted in evaluate(QRELS, RUN).measures] == list(_DEFAULT_MEASURES)


@pytest.mark.parametrize(
    "run",
    [
        RUN,
        MappingProxyType(RUN),
        Run.read(RUN),
        [(query, doc, score) for query, docs in RUN.items() for doc, score in docs.items()],
        {query.encode(): docs for query, docs in RUN.items()},
        {query: {doc: np.float32(score) for doc, score in d.items()} for query, d in RUN.items()},
    ],
    ids=["dict", "mapping", "Run", "rows", "bytes as ids", "numpy's numbers"],
)
def test_one_run_in_whatever_shape(run: Any) -> None:
    scores = evaluate(QRELS, run, "P@1 AP")
    assert scores.systems == ("run",)
    assert scores.to_dict()["run"] == evaluate(QRELS, RUN, "P@1 AP").to_dict()["run"]


def test_what_was_given_is_not_changed() -> None:
    qrels, run = ({q: dict(docs) for q, docs in nested.items()} for nested in (QRELS, RUN))
    evaluate(qrels, {"a": run, "b": run}, keep=2)
    assert (qrels, run) == (QRELS, RUN)


# Names of runs


def test_runs_by_name() -> None:
    assert evaluate(QRELS, {"one": RUN, "two": Run.read(RUN)}, "AP").systems == ("one", "two")
    assert evaluate(QRELS, {"none": {"q1": {}}, "two": RUN}, "AP").systems == ("none", "two")
    # Names of runs are not taken for queries, even if a run is empty.
    with pytest.raises(InputError, match="none: has no rows"):
        evaluate(QRELS, {"none": {}, "two": RUN}, "AP")


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ({"r": {}}, "r: has no rows"),
        ({"r": []}, "r: has no rows"),
        ({"r": {}, "s": {}}, "r: has no rows"),
        ({"s": {"q1": {}}, "r": {}}, "r: has no rows"),
        ({"r": {}, "s": [("q1", "d1", 1.0)]}, "r: has no rows"),
        ([{}, RUN], "run 1: has no rows"),
        ({1: {}}, "1: has no rows"),
        ({"r": 5}, "'int' cannot be read as r: "),
    ],
)
def test_an_empty_run_is_named_and_no_query_is_made_of_its_name(runs: Any, message: str) -> None:
    with pytest.raises(InputError) as raised:
        evaluate(QRELS, runs, "P@5")
    assert str(raised.value).startswith(message)
    assert "right files" not in str(raised.value)


@pytest.mark.parametrize(
    ("runs", "systems", "present"),
    [
        ({"q1": {}}, ("run",), 1),
        ({"r": {}, "q1": {}}, ("run",), 1),
        ({"q1": {}, "q2": {"d1": 1.0}}, ("run",), 2),
        ({"r": {"q1": {}}}, ("r",), 1),
        ({"r": {"q1": {}}, "s": {"q2": {}}}, ("r", "s"), 1),
        ({"r": {"q1": ["d1", "d2"]}, "s": {"q2": ["d1"]}}, ("r", "s"), 1),
        ({"q1": [], "q2": ["d1"]}, ("run",), 2),
    ],
)
def test_a_query_without_results_is_a_query(
    runs: Any, systems: tuple[str, ...], present: int
) -> None:
    found = evaluate(QRELS, runs, "P@5")
    assert found.systems == systems
    assert [run.queries for run in found.about.runs.values()] == [present] * len(systems)


def test_empty_runs_of_integer_queries() -> None:
    assert evaluate({1: {"d": 1}}, {1: {}}, "P@5").systems == ("run",)
    assert evaluate({"1": {"d": 1}}, {b"1": {}}, "P@5").systems == ("run",)


def test_files_are_not_blamed_for_objects(tmp_path: Path) -> None:
    other = {"topic1": {"d1": 0.5}}
    path = tmp_path / "other.run"
    Run.read(other).write(path)
    for given, blamed in ((other, False), ({"r": other}, False), (path, True)):
        with pytest.raises(InputError, match="no query of it has judgments") as raised:
            evaluate(QRELS, given, "P@5")
        assert ("are these the right files" in str(raised.value)) == blamed


def test_runs_in_a_list() -> None:
    named = Run.read(RUN, name="mine")
    assert evaluate(QRELS, [RUN, named, RUN], "AP").systems == ("run 1", "mine", "run 3")


def test_runs_in_files_have_their_files_names(tmp_path: Path) -> None:
    paths = [tmp_path / "a" / "bm25.run", tmp_path / "b" / "bm25.run", tmp_path / "dense.run"]
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        Run.read(RUN).write(path)
    assert evaluate(QRELS, paths, "AP").systems == ("a/bm25", "b/bm25", "dense")
    assert evaluate(QRELS, paths[2], "AP").systems == ("dense",)


def test_distinct_names_take_as_few_folders_as_tell_them_apart() -> None:
    paths = ["x/one/r.run", "y/one/r.run", "y/two/r.run"]
    assert list(distinct_names(paths).values()) == ["x/one/r", "y/one/r", "two/r"]


def test_two_runs_of_one_name() -> None:
    with pytest.raises(InputError, match="two runs are called 'bm25'; give them names"):
        evaluate(QRELS, [Run.read(RUN, name="bm25"), Run.read(RUN, name="bm25")], "AP")


# Ids


def test_integer_ids_are_their_decimal_digits() -> None:
    qrels, run = {1: {10: 1, 2: 1}}, {"1": {"10": 0.5, "2": 0.5}}
    assert evaluate(qrels, run, "AP").mean("run", "AP") == 1
    assert evaluate(qrels, {np.int64(1): {np.int32(10): 0.5}}, "AP").mean("run", "AP") == 0.5
    with pytest.raises(InputError, match="document '10' occurs twice for query '1'"):
        evaluate(qrels, {1: {10: 0.5, "10": 0.4}}, "AP")


def test_queries_come_in_bytewise_order() -> None:
    qrels = {query: {"d": 1} for query in ("q2", "é", "q10", "Q")}
    assert evaluate(qrels, {"q2": {"d": 1.0}}, "AP").queries == ["Q", "q10", "q2", "é"]


# Errors


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        (
            QRELS,
            {"query 1": {"d1": 0.5}},
            "run: no query of it has judgments: it has 'query 1', the judgments have 'q1'; "
            "a run is {query: {document: score}}, and several are {name: run}",
        ),
        (
            QRELS,
            {"q1": {"d1": float("nan")}},
            "the score of document 'd1' of query 'q1' is not a number that can be ordered: nan",
        ),
        (
            QRELS,
            {"q1": {"d1": "0.5"}},
            "the score of document 'd1' of query 'q1' is text, not a number: '0.5'",
        ),
        (
            QRELS,
            {"q1": {"d1": None}},
            "the score of document 'd1' of query 'q1' is not a number: None",
        ),
        (QRELS, {"q1": {1.5: 0.5}}, "the document id 1.5 is neither text nor an integer"),
        (QRELS, {None: {"d1": 0.5}}, "the query id None is neither text nor an integer"),
        (
            {"q1": {"d1": float("inf")}},
            RUN,
            "the grade of document 'd1' of query 'q1' is not finite: inf",
        ),
        ({"q1": {"d1": "1"}}, RUN, "the grade of document 'd1' of query 'q1' is text"),
        ({"q1": [1.5]}, RUN, "query 'q1': expected documents as ["),
        ({}, RUN, "judgments: has no rows"),
        (
            QRELS,
            [("q1", "d1", 0.5), ("q1", "d2")],
            "row 1 is not (query, document, score): ('q1', 'd2')",
        ),
        (QRELS, {}, "there is no run to evaluate"),
        (QRELS, [], "there is no run to evaluate"),
        (QRELS, 42, "'int' is neither a run nor several"),
        (Run.read(RUN), RUN, "expected judgments, found <Run 'run': 5 rows, 2 queries>"),
        (QRELS, Judgments.read(QRELS), "expected a run, found <Judgments 'judgments': 5 rows"),
        (QRELS, "no such.run", "no such.run: there is no such file"),
    ],
)
def test_bad_input(qrels: Any, run: Any, message: str) -> None:
    with pytest.raises(InputError) as raised:
        evaluate(qrels, run, "AP")
    assert str(raised.value).startswith(message)


def test_judgments_and_run_exchanged(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "results.run"
    Judgments.read(QRELS).write(qrels)
    Run.read(RUN).write(run)
    with pytest.raises(InputError, match="are judgments and run exchanged"):
        evaluate(run, qrels, "AP")


def test_grades_above_the_largest_that_was_named() -> None:
    with pytest.raises(InputError) as raised:
        evaluate(QRELS, RUN, "ERR(max=1)")
    assert str(raised.value) == "ERR(max=1): there is a grade of 2, above max=1"


# Facts about inputs


def test_about() -> None:
    run = {**RUN, "q0": {"d1": 0.5, "d2": 0.5}, "q3": {"d1": 1.0}}
    about = evaluate({**QRELS, "q4": {"d1": 0}}, run, "P@1 AP Judged", ties="ascending").about
    assert (about.profile, about.settings) == ("cleverdon", Settings(ties="ascending"))
    assert (about.queries, about.judgments) == (3, 6)
    (of_run,) = about.runs.values()
    assert (of_run.queries, of_run.missing) == (2, ("q4",))
    assert (of_run.extra, set(of_run.extra_names)) == (2, {"q0", "q3"})
    # Only judged queries count; d4 was pooled and not judged.
    assert of_run.results == 5
    assert of_run.judged_rate == of_run.judged_in_top_10 == 3 / 5
    assert of_run.tie_rate == 0
    assert of_run.undefined == {"AP": 1, "Judged": 1}


def test_about_files(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "bm25.run"
    Judgments.read(QRELS).write(qrels)
    Run.read(RUN).write(run)
    about = evaluate(qrels, run, "AP").about
    assert (about.qrels, about.runs["bm25"].source) == (str(qrels), str(run))
    assert len(about.qrels_digest) == len(about.runs["bm25"].digest) == 64
    assert about.qrels_digest != about.runs["bm25"].digest
    in_memory = evaluate(Judgments.read(qrels), Run.read(run), "AP").about
    assert in_memory == about


def test_the_first_results_are_kept_on_demand() -> None:
    qrels = {**QRELS, "q3": {"d1": 1}}
    kept = evaluate(qrels, RUN, "AP", keep=2).top
    assert kept == {"run": [[("d1", 0.7), ("d2", 0.5)], [("d4", 0.9), ("d1", 0.8)], []]}
    assert evaluate(qrels, RUN, "AP").top == {}


# User-defined measures


@pytest.fixture
def own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Restore the registry after a test that registers measures."""
    measures()  # load Cleverdon's own first
    monkeypatch.setattr(registry._registry, "_classes", dict(registry._registry._classes))
    for name in ("_names", "_trec_eval"):
        monkeypatch.setattr(registry, name, dict(getattr(registry, name)))


@pytest.mark.usefixtures("own_registry")
def test_a_measure_of_ones_own() -> None:
    @measure
    class FoundAbove(Measure):
        """The number of relevant results above a rank."""

        better = "neither"
        depth: int = 1

        def score(self, hits: Hits) -> Any:
            return hits.count(hits.relevant(1) & (hits.rank < self.depth))

    scores = evaluate(QRELS, RUN, ["FoundAbove", "FoundAbove(depth=3)", FoundAbove(depth=9)])
    assert [str(wanted) for wanted in scores.measures][1:] == [
        "FoundAbove(depth=3)",
        "FoundAbove(depth=9)",
    ]
    assert scores.values[0].tolist() == [[0, 0], [1, 1], [1, 1]]
    assert registry.family(FoundAbove) == "Your own"


@pytest.mark.usefixtures("own_registry")
def test_a_name_that_is_taken_is_refused() -> None:
    class Mine(Measure):
        """A measure with the name of another."""

        aliases = ("MAP",)

    with pytest.raises(NotationError, match="there is a measure 'AP' already"):
        measure(Mine)
    assert registry.find("MAP") is AP


def test_the_size_of_a_collection_is_any_whole_number() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 2, "b": 1}}
    docs: Any = np.int64(11)
    assert evaluate(qrels, run, "FPR", docs=docs).mean("run", "FPR") == 0.1
    for docs in (True, 2.5, 0, 10**30, "many"):
        with pytest.raises(OptionError, match=r"docs=.*expected"):
            evaluate(qrels, run, "FPR", docs=docs)


def test_judgments_below_0_are_counted_apart() -> None:
    scores = evaluate({"q1": {"a": 1, "b": -1, "c": -2}}, {"q1": {"a": 1}}, "AP")
    assert (scores.about.judgments, scores.about.pooled) == (3, 2)


def test_a_system_of_several_runs_has_their_means() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    first = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 2.0, "b": 1.0}}
    second = {"q1": {"a": 1.0, "b": 2.0}, "q2": {"a": 1.0, "b": 2.0}}
    runs = {"one": first, "dense": cleverdon.repeats(first, second, second)}
    scores = cleverdon.evaluate(qrels, runs, ["RR", "P@1"])
    assert scores.systems == ("one", "dense")
    assert scores.per_query("dense", "RR") == {"q1": (1 + 0.5 + 0.5) / 3, "q2": (0.5 + 1 + 1) / 3}
    assert scores.repeats["dense"][:, 0].tolist() == [[1, 0.5], [0.5, 1], [0.5, 1]]
    assert "dense: mean of 3 runs" in scores.to_text()
    assert scores.to_record()["repeats"]["dense"]["P@1"] == [[1, 0], [0, 1], [0, 1]]
    assert scores.micro("dense", "P@1") == pytest.approx(0.5)
    listed = cleverdon.evaluate(qrels, [first, second], "RR")
    assert listed.repeats == {}


@pytest.mark.parametrize(
    ("runs", "how", "message"),
    [
        (lambda run: {"a": cleverdon.repeats(run)}, {}, "two or more"),
        (lambda run: {"a": [run, run]}, {}, r"is a list of runs; .* repeats\(run1"),
        (lambda run: cleverdon.repeats(run, run), {}, "need its name"),
        (lambda run: [cleverdon.repeats(run, run)], {}, "need its name"),
        (lambda run: {"a": cleverdon.repeats(run, run)}, {"keep": 5}, "of single runs"),
        (lambda run: {"a": cleverdon.repeats(run, run)}, {"bounds": True}, "of single runs"),
    ],
)
def test_several_runs_are_refused_in_one_line(runs, how, message: str) -> None:
    with pytest.raises(cleverdon.errors.CleverdonError, match=message):
        cleverdon.evaluate({"q": {"d": 1}}, runs({"q": {"d": 1.0}}), "RR", **how)

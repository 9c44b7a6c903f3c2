"""The names of `cleverdon`: what they load, what they take, and what became of older ones."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars
import pytest

import cleverdon
from cleverdon import Topics
from cleverdon.errors import InputError, NotationError, OptionError
from cleverdon.measures import AP, P, SetP, nDCG

QRELS, BM25, DENSE = (f"examples/{name}" for name in ("qrels.txt", "bm25.run", "dense.run"))
OF_0_1 = """
CleverdonError Hits InputError Judgments Measure NotationError Run Scores bounds could_flip evaluate
evaluate_engines measure parse search trace
"""


def test_importing_it_loads_nothing() -> None:
    code = (
        "import sys; before = set(sys.modules); import cleverdon\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) <= {"cleverdon", "__future__"}


def test_every_name_is_listed_once() -> None:
    names = [*cleverdon._HOMES, *cleverdon._MODULES, "__version__"]
    assert sorted(cleverdon.__all__) == sorted(names)
    assert cleverdon.__all__ == sorted(names)
    assert dir(cleverdon) == cleverdon.__all__
    assert not set(cleverdon._RENAMED) & set(names)


def test_type_checkers_see_every_name() -> None:
    text = Path(str(cleverdon.__file__)).read_text(encoding="utf-8")
    for name, home in cleverdon._HOMES.items():
        assert f"    from cleverdon.{home} import {name} as {name}\n" in text
    for name in cleverdon._MODULES:
        assert f"    from cleverdon import {name} as {name}\n" in text
    assert Path(str(cleverdon.__file__)).with_name("py.typed").exists()


def test_functions_are_verbs_and_types_are_nouns() -> None:
    for name in cleverdon._HOMES:
        value = getattr(cleverdon, name)
        assert inspect.isclass(value) == name[0].isupper()
        assert value.__name__ == name, "one name everywhere"


@pytest.mark.parametrize("name", OF_0_1.split())
def test_the_names_of_version_0_1_work(name: str, recwarn: pytest.WarningsRecorder) -> None:
    value = getattr(cleverdon, name)
    assert callable(value)
    if name in cleverdon._RENAMED:
        (warning,) = recwarn.list
        assert warning.category is DeprecationWarning
        assert f"is now cleverdon.{cleverdon._RENAMED[name]};" in str(warning.message)
        assert warning.filename == __file__
    else:
        assert not recwarn.list


def test_a_slip_in_a_name_is_answered() -> None:
    with pytest.raises(AttributeError, match="did you mean 'evaluate'"):
        _ = cleverdon.evalute
    with pytest.raises(AttributeError, match="has no attribute '_private'"):
        _ = cleverdon._private


def test_packages_are_attributes() -> None:
    assert cleverdon.stats.kendall([1, 2, 3], [1, 2, 3]) == 1
    assert cleverdon.plots.spread.__module__ == "cleverdon.plots.distributions"


def test_a_cut_off_is_an_expression() -> None:
    made = [nDCG @ 10, nDCG(gain="exponential") @ 10, AP(rel=2) @ 5, P(rel=2) @ 5, SetP @ 5]
    texts = ["nDCG@10", "nDCG(gain=exponential)@10", "AP(rel=2)@5", "P(rel=2)@5", "SetP@5"]
    assert made == [cleverdon.parse(text) for text in texts]
    scores = cleverdon.evaluate(QRELS, BM25, [nDCG @ 10, "AP", AP, P(rel=2) @ 5])
    assert list(map(str, scores.measures)) == ["nDCG@10", "AP", "P(rel=2)@5"]
    assert cleverdon.measures.nDCG is nDCG


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: cleverdon.measures.NumRet @ 3, "NumRet@3: NumRet takes no cut-off"),
        (lambda: nDCG @ 10 @ 5, "nDCG@10@5: 'k' is given twice"),
        (lambda: nDCG @ "ten", "nDCG: expected a number behind '@', found 'ten'"),
        (lambda: nDCG @ 0, "nDCG@0: a cut-off is a whole number"),
        (lambda: P(rle=2) @ 3, "P has no parameter 'rle'; did you mean 'rel'"),
        (lambda: P(), "P needs 'k', as in P@10"),
        (lambda: cleverdon.evaluate(QRELS, BM25, P(rel=2)), "P needs 'k', as in P@10"),
        (lambda: cleverdon.parse("P(rel=2)"), "P needs 'k', as in P@10"),
        (lambda: P(rel=2)(cleverdon.Hits.from_matrix([[1]], [[1.0]])), "P needs 'k'"),
    ],
)
def test_a_wrong_cut_off_is_explained(make: Any, message: str) -> None:
    with pytest.raises(NotationError) as error:
        make()
    assert str(error.value).startswith(message)


def test_topics_have_texts_and_attributes() -> None:
    topics = Topics.read("examples/queries.tsv", attributes="examples/topics.csv")
    assert topics["q1"].line == "baked apple"
    assert topics.attribute("language")["q2"] == "de"
    assert repr(topics) == "<Topics: 4 queries with language, words>"
    assert Topics.read(topics) is topics
    frame = polars.DataFrame({"qid": ["1"], "query": ["jazz"], "language": ["en"]})
    assert Topics.read(frame).attribute("language") == {"1": "en"}
    with pytest.raises(OptionError, match="no attributes"):
        Topics.read({"q1": "jazz"}).attribute("language")
    with pytest.raises(InputError, match="no attributes"):
        cleverdon.slice_by(cleverdon.evaluate(QRELS, [BM25, DENSE]), Topics.read({"q1": "jazz"}))


def test_topics_slice_and_are_searched() -> None:
    topics = Topics.read("examples/queries.tsv", attributes="examples/topics.csv")
    scores = cleverdon.evaluate(QRELS, [BM25, DENSE], "AP")
    by_file = cleverdon.slice_by(scores, "examples/topics.csv", by="language")
    assert str(cleverdon.slice_by(scores, topics, by="language")) == str(by_file)
    frame = polars.read_csv("examples/topics.csv")
    assert str(cleverdon.slice_by(scores, frame, by="language")) == str(by_file)
    run = cleverdon.search(lambda query, k: [(query.split()[0], 1.0)], topics)
    assert run["q1"] == {"baked": 1.0}


def test_labels_may_be_files_dicts_and_tables() -> None:
    read = cleverdon.agreement.read_labels(["examples/labels.csv"])
    expected = cleverdon.agree(read).to_dict()
    for given in ("examples/labels.csv", ["examples/labels.csv"]):
        assert cleverdon.agree(given).to_dict() == expected
    judged = {"ann": {"q": {"a": 1, "b": 0}}, "bob": {"q": {"a": 1, "b": 1}}}
    rows = [
        {"judge": judge, "query": query, "doc": doc, "grade": grade}
        for judge, of in judged.items()
        for query, docs in of.items()
        for doc, grade in docs.items()
    ]
    votes = cleverdon.aggregate_labels(judged, vote_ties="lower").judgments.to_dict()
    assert votes == {"q": {"a": 1, "b": 0}}
    assert cleverdon.aggregate_labels(polars.DataFrame(rows)).judgments.to_dict() == votes
    with pytest.raises(InputError, match="needs a column 'judge'"):
        cleverdon.agree(polars.DataFrame(rows).drop("judge"))


def test_costs_may_be_files() -> None:
    scores = cleverdon.evaluate(QRELS, [BM25, DENSE], "AP")
    files = ["examples/bm25.bench.json", "examples/dense.bench.json"]
    found = cleverdon.comparison.find_tradeoffs(scores, files, "AP")
    named = cleverdon.comparison.find_tradeoffs(
        scores, {"bm25": files[0], "dense": [files[1]]}, "AP"
    )
    assert str(named) == str(found)
    verdict = cleverdon.gate(scores, "p99 <= 50 ms", system="dense", costs=files[1])
    assert verdict.passed


START = 1_760_000_000_000
PAGES = [
    {"query_id": f"q{i}", "user": f"u{i}", "time": START + 10**10 * i, "text": "hats", "results": 9}
    for i in range(4)
]
CLICKS = [{"query_id": "q0", "time": START + 2000, "action": "click", "doc": "d"}]


def test_a_log_may_be_tables_and_files(tmp_path: Path) -> None:
    log = cleverdon.read_log(PAGES, CLICKS)
    value = cleverdon.measure_log(log, ["QueryCTR"]).value("QueryCTR").value
    assert value == 0.25
    frames = cleverdon.read_log(polars.DataFrame(PAGES), polars.DataFrame(CLICKS))
    assert cleverdon.measure_log(frames, ["QueryCTR"]).value("QueryCTR").value == value
    truth = cleverdon.logs.generate_log(tmp_path, events=300)
    found = cleverdon.measure_log(tmp_path, ["Users"]).value("Users")
    assert found.value == truth.total.users
    assert cleverdon.logs.examine(tmp_path).size.users == truth.total.users
    with pytest.raises(OptionError, match="found 3"):
        cleverdon.read_log(PAGES, CLICKS, CLICKS)
    with pytest.raises(InputError, match="'int' cannot be read as a log"):
        cleverdon.read_log(3)


def test_clicks_become_judgments_without_a_file() -> None:
    pages = [
        {"query_id": f"q{i}", "user": f"u{i}", "time": START + 10**10 * i, "text": "hats"}
        for i in range(20)
    ]
    events = [
        {
            "query_id": f"q{i}",
            "time": START + 10**10 * i + at,
            "action": action,
            "doc": doc,
            "position": rank,
        }
        for i in range(20)
        for at, action, doc, rank in [
            (0, "impression", "a", 1),
            (0, "impression", "b", 2),
            (9, "click", "b", 2),
        ]
    ]
    found = cleverdon.clicks_to_judgments(cleverdon.read_log(pages, events), held_out=0)
    assert found.written is None
    grades = found.judgments["q1"]
    assert grades["b"] > grades["a"]


def test_interleaving_takes_files(tmp_path: Path) -> None:
    interleaving = cleverdon.logs.interleaving
    page = interleaving.TeamDraft(seed=7).interleave(["x", "y"], ["z", "x"], query_id="q0")
    interleaving.write_records(tmp_path / "records.jsonl", [page.record])
    log = cleverdon.read_log(PAGES, [{**CLICKS[0], "doc": "z"}])
    found = cleverdon.interleave(log, tmp_path / "records.jsonl")
    assert (found.queries.a, found.queries.b) == (0, 1)

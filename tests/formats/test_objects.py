"""Objects in memory as people have them, JSON Lines, lists of objects, datasets and folders."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pytest
from click.testing import CliRunner

from cleverdon import evaluate, search
from cleverdon.cli import cleverdon as cli
from cleverdon.data import Judgments, Run
from cleverdon.engines.run_file import search_to_file
from cleverdon.errors import InputError
from cleverdon.formats.texts import read_texts

GOLD = {"q1": {"d1": 1.0, "d2": 1.0}, "q2": {"d3": 1.0}, "q3": {}}

LISTS: dict[str, Any] = {
    "lists": {"q1": ["d1", "d2"], "q2": ["d3"], "q3": []},
    "sets": {"q1": {"d2", "d1"}, "q2": {"d3"}, "q3": set()},
    "tuples": {"q1": ("d1", "d2"), "q2": ("d3",), "q3": ()},
    "arrays": {"q1": np.array(["d1", "d2"]), "q2": np.array(["d3"]), "q3": np.array([])},
    "dicts": [
        {"question": "q1", "gold_ids": ["d1", "d2"]},
        {"question": "q2", "gold_ids": ["d3"]},
        {"question": "q3", "gold_ids": []},
    ],
    "rows": [
        {"query": "q1", "doc": "d1", "label": 1},
        {"query": "q1", "doc": "d2", "label": 1},
        {"query": "q2", "doc": "d3", "label": 1},
        {"query": "q3"},
    ],
    "polars": polars.DataFrame(
        {"qid": ["q1", "q2", "q3"], "relevant_docs": [["d1", "d2"], ["d3"], []]}
    ),
    "pandas": pandas.DataFrame(
        {"question": ["q1", "q2", "q3"], "reference_context_ids": [["d1", "d2"], ["d3"], []]}
    ),
    "pandas, an index": pandas.DataFrame(
        {"relevant": [["d1", "d2"], ["d3"], []]}, index=["q1", "q2", "q3"]
    ),
    "arrow": polars.DataFrame(
        {"qid": ["q1", "q2", "q3"], "relevant_docs": [["d1", "d2"], ["d3"], []]}
    ).to_arrow(),
}


@pytest.mark.parametrize("shape", LISTS)
def test_gold_documents(shape: str) -> None:
    assert Judgments.read(LISTS[shape]).to_dict() == GOLD


RANKED: dict[str, Any] = {
    "ids": {"q1": ["d2", "d1"], "q2": []},
    "pairs": {"q1": [("d1", 0.5), ("d2", 0.75)], "q2": []},
    "dicts": {"q1": [{"id": "d1", "score": 0.5}, {"id": "d2", "score": 0.75}], "q2": []},
    "rows": [
        {"query": "q1", "chunk_id": "d1", "score": 0.5},
        {"query": "q1", "chunk_id": "d2", "score": 0.75},
        {"query": "q2"},
    ],
    "ranks": [
        {"query": "q1", "sku": "d1", "position": 2},
        {"query": "q1", "sku": "d2", "position": 1},
        {"query": "q2"},
    ],
    "frame of lists": polars.DataFrame(
        {"query": ["q1", "q2"], "retrieved_ids": [["d2", "d1"], []]}
    ),
    "frame of lists and scores": polars.DataFrame(
        {"query": ["q1", "q2"], "hits": [["d1", "d2"], []], "scores": [[0.5, 0.75], []]}
    ),
    "frame with nulls": polars.DataFrame(
        {"query": ["q1", "q1", "q2"], "doc": ["d1", "d2", None], "score": [0.5, 0.75, None]}
    ),
}


@pytest.mark.parametrize("shape", RANKED)
def test_rankings(shape: str) -> None:
    run = Run.read(RANKED[shape])
    assert [doc for doc, _ in run.ranking("q1")] == ["d2", "d1"]
    assert run.empty == ["q2"]
    scores = evaluate({"q1": ["d2"], "q2": ["d3"], "q9": ["d1"]}, RANKED[shape], "RR")
    about = scores.about.runs[scores.systems[0]]
    assert (scores.mean(scores.systems[0], "RR"), about.empty, about.missing) == (
        1 / 3,
        ("q2",),
        ("q9",),
    )


def test_systems_by_name() -> None:
    runs = {"a": {"q1": ["d1", "d2"]}, "b": {"q1": ["d2", "d1"]}}
    scores = evaluate({"q1": {"d1"}}, runs, "RR")
    assert scores.to_dict() == {"a": {"RR": 1.0}, "b": {"RR": 0.5}}
    records = {"a": [{"query": "q1", "doc": "d1", "score": 1}], "b": [("q1", "d2", 1.0)]}
    assert evaluate({"q1": {"d1"}}, records, "RR").to_dict() == {"a": {"RR": 1.0}, "b": {"RR": 0.0}}


def test_what_is_not_understood() -> None:
    with pytest.raises(InputError, match="a set of documents, which has no order: give a list"):
        Run.read({"q1": {"d1", "d2"}})
    with pytest.raises(InputError, match=r"2 documents and 1 number$"):
        Run.read([{"query": "q1", "hits": ["a", "b"], "scores": [1.0]}])
    with pytest.raises(InputError, match="no column for the query"):
        Judgments.read(pandas.DataFrame({"doc": ["d1"], "rel": [1]}))  # its index only counts
    with pytest.raises(InputError, match="record 2: the document id is a dict"):
        Judgments.read(
            [{"query": "q", "doc": "d", "rel": 1}, {"query": "q", "doc": {"x": 1}, "rel": 1}]
        )


JSON = [{"question_id": 1, "chunk_id": "a b", "score": 1.5}, {"question_id": 2}]


def test_json_lines_and_lists_of_objects(tmp_path: Path) -> None:
    lines, listed = tmp_path / "run.jsonl", tmp_path / "run.json"
    lines.write_text("".join(f"{json.dumps(row)}\n" for row in JSON))
    listed.write_text(json.dumps(JSON))
    for path in (lines, listed):
        assert Run.read(path).to_dict() == {"1": {"a b": 1.5}, "2": {}}
        assert CliRunner().invoke(cli, ["check", str(path)]).exit_code == 0
    frame = polars.read_ndjson(lines)
    assert Run.read(frame).to_dict() == Run.read(lines).to_dict()
    (tmp_path / "one.json").write_text(json.dumps(JSON[0]))
    assert Run.read(tmp_path / "one.json").to_dict() == {"1": {"a b": 1.5}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"query": "q", "doc": "d", "score": 1}\n{"query": "q", "doc"\n', ":2:21: Expecting"),
        ('{"query": "q", "doc": "d", "score": 1}\n[1]\n', ":2: expected an object"),
        (
            '{"query": "q", "doc": "d", "score": 1}\n{"doc": "d", "score": 1}\n',
            ":2: the query id is",
        ),
        ('{"query": "q", "doc": "d", "score": "x"}\n{}\n', ":1: the score 'x' is not a number"),
        ('{"query": "q", "doc": "d", "score": 1}\n' * 2, ":2: document 'd' occurs twice .* line 1"),
        ('{"query": "q", "query": "r"}\n{}\n', ":1: the key 'query' occurs twice"),
    ],
)
def test_errors_of_json_lines_name_the_line(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match=f"run.jsonl{message}"):
        Run.read(path)


def test_datasets_of_hugging_face(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    columns = {
        "query_id": ["q1", "q1", "q2"],
        "doc_id": ["d1", "d2", None],
        "score": [2.0, 1.0, None],
    }
    dataset = datasets.Dataset.from_dict(columns)
    expected = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {}}
    assert Run.read(dataset).to_dict() == expected
    assert evaluate({"q1": ["d1"]}, dataset, "RR").mean("run", "RR") == 1
    dataset.save_to_disk(tmp_path / "one", num_shards=2)
    found = Run.read(tmp_path / "one")
    assert (found.to_dict(), found.name) == (expected, "one")
    splits = datasets.DatasetDict(test=dataset, train=dataset.select([0]))
    with pytest.raises(InputError, match="which split is meant: test, train"):
        Run.read(splits)
    splits.save_to_disk(tmp_path / "two")
    with pytest.raises(
        InputError, match=r"which split is meant: test, train\? Answer with .*#test"
    ):
        Run.read(tmp_path / "two")
    assert Run.read(f"{tmp_path / 'two'}#train").to_dict() == {"q1": {"d1": 2.0}}
    texts = datasets.Dataset.from_dict({"_id": ["1"], "text": ["red shoes"]})
    assert read_texts(texts)["1"].line == "red shoes"
    texts.save_to_disk(tmp_path / "texts")
    assert read_texts(tmp_path / "texts")["1"].line == "red shoes"


def test_a_dataset_that_is_written_is_one(tmp_path: Path) -> None:
    run = Run.read({"q1": {"d1": 2.0, "d2": 1.0}, "q2": {}})
    run.write(tmp_path / "made", format="dataset")
    assert Run.read(tmp_path / "made").to_dict() == run.to_dict()
    result = CliRunner().invoke(cli, ["convert", str(tmp_path / "made"), "-", "--to", "csv"])
    assert result.stdout.splitlines()[-1] == "q2,,,"
    datasets = pytest.importorskip("datasets")
    assert Run.read(run.to_dataset()).to_dict() == run.to_dict()
    loaded = datasets.load_from_disk(str(tmp_path / "made"))
    assert loaded.column_names == ["query_id", "doc_id", "rank", "score"]
    assert loaded["score"][:] == [2.0, 1.0, None]


def test_a_beir_folder_where_its_file_is_meant(tmp_path: Path) -> None:
    folder = tmp_path / "nfcorpus"
    (folder / "qrels").mkdir(parents=True)
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t2\n")
    (folder / "queries.jsonl").write_text('{"_id": "q1", "text": "red"}\n')
    (folder / "corpus.jsonl").write_text('{"_id": "d1", "title": "", "text": "red shoes"}\n')
    assert Judgments.read(folder).to_dict() == {"q1": {"d1": 2.0}}
    run = tmp_path / "my.run"
    run.write_text("q1 Q0 d1 1 1.5 me\n")
    result = CliRunner().invoke(cli, ["eval", str(folder), str(run), "-m", "RR"])
    assert "1.0000" in result.output
    assert read_texts(folder, kind="queries")["q1"].line == "red"
    (folder / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td9\t1\n")
    with pytest.raises(InputError, match=r"which judgments are meant: dev, test\? .*nfcorpus#test"):
        Judgments.read(folder)
    assert Judgments.read(f"{folder}#dev").to_dict() == {"q1": {"d9": 1.0}}


@pytest.mark.parametrize(
    "answer",
    [
        ["d 1", "d2"],
        [{"id": "d 1", "score": 2}, {"doc_id": "d2", "score": 1}],
        [("d 1", 2), ("d2", 1)],
    ],
)
def test_retrievers_and_ids_with_blanks(answer: Any, tmp_path: Path) -> None:
    queries = {"red shoes": "red shoes", "blue": "blue"}

    def retrieve(query: str, k: int) -> Any:
        return answer if query == "red shoes" else []

    assert [doc for doc, _ in search(retrieve, queries).ranking("red shoes")] == ["d 1", "d2"]
    path = tmp_path / "mine.run"
    found = search_to_file(retrieve, queries, path)
    assert found.notes == (
        "ids have blanks, which TREC's format cannot hold: the run is written as CSV",
    )
    assert "without results: blue" in found.closing()
    read = Run.read(path)
    assert (list(read["red shoes"]), read.empty) == (["d 1", "d2"], ["blue"])
    path.with_name("mine.run.search.json").unlink()
    assert Run.read(path).empty == ["blue"]  # the file itself knows


def test_results_with_and_without_scores_are_not_mixed() -> None:
    with pytest.raises(Exception, match="some results have scores"):
        search(lambda query, k: [("d1", 1.0), "d2"], {"q": "x"})


GRADED: list[tuple[Any, dict[str, dict[str, float]]]] = [
    (
        {"q1": "d1", "q2": {"d2": 0, "d3": 3}},
        {"q1": {"d1": 1}, "q2": {"d2": 0, "d3": 3}},
    ),
    ({"q1": ["d1"], "q2": {"d2": 1}, "q3": {}}, {"q1": {"d1": 1}, "q2": {"d2": 1}, "q3": {}}),
    ({"q1": [], "q2": {}}, {"q1": {}, "q2": {}}),
    ({"1": np.array([2, 3])}, {"1": {"2": 1, "3": 1}}),
    ({"q1": {"a": 1}.keys()}, {"q1": {"a": 1}}),
    (
        {"q1": [{"id": "a", "relevant": False}, {"id": "b", "relevant": True}]},
        {"q1": {"a": 0, "b": 1}},
    ),
    ({"q1": [{"id": "a", "page": 3}]}, {"q1": {"a": 1}}),
    ([{"query": "q1", "doc": "a", "relevant": "FALSE"}], {"q1": {"a": 0}}),
    (pandas.Series([["a", "b"], []], index=["q1", "q2"]), {"q1": {"a": 1, "b": 1}, "q2": {}}),
    (
        pandas.Series([2, 0], index=pandas.MultiIndex.from_tuples([("q1", "a"), ("q1", "b")])),
        {"q1": {"a": 2, "b": 0}},
    ),
    (
        pandas.DataFrame(
            {"query_id": ["q1", "q1"], "doc": ["a", "b"], "is_relevant": [True, False]}
        ),
        {"q1": {"a": 1, "b": 0}},
    ),
    (
        polars.DataFrame({"query_id": ["q1", "q1"], "doc": ["a", "b"], "relevant": [True, False]}),
        {"q1": {"a": 1, "b": 0}},
    ),
    (  # an id comes before a text, also in an index
        pandas.DataFrame(
            {"query": ["red", "red"], "doc": ["a", "b"], "rel": [1, 0]},
            index=pandas.Index(["q1", "q1"], name="query_id"),
        ),
        {"q1": {"a": 1, "b": 0}},
    ),
]


@pytest.mark.parametrize(("given", "expected"), GRADED)
def test_each_query_has_its_own_form_and_keeps_its_grades(
    given: Any, expected: dict[str, dict[str, float]]
) -> None:
    assert Judgments.read(given).to_dict() == expected


REFUSED_JUDGMENTS: list[tuple[Any, str]] = [
    ({"q1": "d1", "q2": 17}, r"query 'q2': expected documents as \[\"d1\".*; found 17$"),
    ({"q1": "d1", "q2": None}, r"found None; for a query without documents, give \[\]"),
    (
        {"q1": ("d1", 2)},
        r"one document with its number, or .* \[\('d1', 2\)\], or \['d1', '2'\]",
    ),
    ({"q1": ["a", None]}, "one of them is None"),
    ({"q1": ["a", 2.0, "b"]}, "one of them is 2.0, which is no id"),
    (
        {"q1": [{"doc": "a", "stars": 0}, {"doc": "b", "stars": 3}]},
        "is the grade in 'stars'\\? Answer with --columns grade=stars",
    ),
    (
        {"q1": [{"doc": "a", "grade": 0}, {"doc": "b"}]},
        "some documents have a grade, and {'doc': 'b'} has none",
    ),
    (
        [{"query": "q1", "relevant_docs": [{"id": "a", "stars": 0}]}],
        "record 1: query 'q1' has .* is the grade in 'stars'",
    ),
    ([{"query": "q1", "docs": ["a", "b"], "relevant": [1, 0]}], "'docs' or 'relevant'"),
    ([{"question": "q1", "retrieved_ids": ["a"]}], "no column for the document"),
    (
        pandas.DataFrame(
            {"query_id": ["a", "b"], "doc_id": [9007199254740993.0, np.nan], "rel": [1, np.nan]}
        ),
        "9007199254740992 is a float and too large to be exact",
    ),
    (
        pandas.DataFrame(
            {"query_id": ["a"], "doc": ["x"], "rel": [1]}, index=pandas.Index(["z"], name="qid")
        ),
        "which column has the query, 'qid' or 'query_id'",
    ),
    (pandas.Series(["a", "b"], index=["q1", "q1"]), "query 'q1' occurs twice in the index"),
]


@pytest.mark.parametrize(("given", "message"), REFUSED_JUDGMENTS)
def test_no_grade_is_guessed(given: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Judgments.read(given)


def test_a_grade_under_another_name_can_be_named() -> None:
    given = {"q1": [{"doc": "a", "stars": 0}, {"doc": "b", "stars": 3}]}
    assert Judgments.read(given, columns={"grade": "stars"}).to_dict() == {"q1": {"a": 0, "b": 3}}


REFUSED_RUNS: list[tuple[Any, str]] = [
    (
        {"q1": [{"id": "a", "score": -5}, {"id": "b"}]},
        "have a score, and {'id': 'b'} has none",
    ),
    ({"q1": [{"id": "a", "score": -5}, {"id": "b", "score": None}]}, "'score': None} has none"),
    ({"q1": [("a", -5.0), "b"]}, "some documents have a score, and 'b' has none"),
    ({"q1": [("a", -5.0), ("b", None)]}, r"\('b', None\) has none"),
    ({"q1": [("a", 1.0), ("b", 2.0, "x")]}, r"one of them is \('b', 2.0, 'x'\)"),
    ({"q1": [("a", "0.5")]}, "the score '0.5' is not a number"),
    ({"q1": [{"id": "a", "rank": 1.5}]}, "the rank 1.5 is not a whole number"),
    ({"q1": ("d1", 0.5)}, "one document with its number, or two documents"),
    ({"bm25": {"q1": ["a"]}, "dense": {"q1": ["b"]}}, r"several runs by name \(bm25, dense\)"),
    (
        {"took": 1, "hits": {"hits": [{"_id": "a"}]}},
        "of Elasticsearch .*cleverdon search",
    ),
    ({"response": {"docs": [{"id": "a"}]}}, "an answer of Solr"),
    ([{"question": "q1", "gold_ids": ["a"]}], "no column for the document"),
]


@pytest.mark.parametrize(("given", "message"), REFUSED_RUNS)
def test_no_score_is_guessed(given: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        Run.read(given)
    if "(" in repr(given):
        return  # JSON has no tuples
    path = tmp_path / "run.json"
    path.write_text(json.dumps(given))
    with pytest.raises(InputError, match=f"run.json: .*{message}"):
        Run.read(path)


RESULTS = [{"id": "a", "rank": 2}, {"id": "b", "rank": 1}]


@pytest.mark.parametrize("given", [{"q1": RESULTS}, [{"query": "q1", "results": RESULTS}]])
def test_ranks_of_listed_results_order_them(given: Any, tmp_path: Path) -> None:
    assert [doc for doc, _ in Run.read(given).ranking("q1")] == ["b", "a"]
    assert evaluate({"q1": ["a"]}, given, "RR").to_dict() == {"run": {"RR": 1 / 2}}
    path = tmp_path / "run.json"
    path.write_text(json.dumps(given))
    assert [doc for doc, _ in Run.read(path).ranking("q1")] == ["b", "a"]


def test_ranks_of_a_retriever_order_its_results() -> None:
    run = search(lambda query, k: [{"id": "c", "rank": 3}, *RESULTS], {"q1": "x"}, k=2)
    assert run.ranking("q1") == [("b", -1.0), ("a", -2.0)]
    with pytest.raises(Exception, match="some results have scores, and 'a' has none"):
        search(lambda query, k: ["a", ("b", 1.0)], {"q1": "x"})


def test_forms_may_differ_within_a_run() -> None:
    run = {"q1": ["x", "a"], "q2": {"b": 0.5, "y": 0.1}, "q3": []}
    scores = evaluate({"q1": ["a"], "q2": ["b"], "q3": ["c"]}, run, "RR")
    assert scores.mean("run", "RR") == (1 / 2 + 1 + 0) / 3


ONE_TABLE = [
    {"question": "q1", "gold_ids": ["a"], "retrieved_ids": ["x", "a"]},
    {"question": "q2", "gold_ids": ["b"], "retrieved_ids": ["b"]},
]


def test_judgments_and_run_in_one_table(tmp_path: Path) -> None:
    expected = (1 / 2 + 1) / 2
    names = [("gold_ids", "retrieved_ids"), ("relevant_docs", "results")]
    names += [("Expected Chunks", "Predicted Chunks"), ("positive_passage_ids", "ranking")]
    names += [("relevant", "retrieved"), ("gold", "doc_ids"), ("docs", "hits")]
    for gold, retrieved in names:
        table = pandas.DataFrame(ONE_TABLE).set_axis(["question", gold, retrieved], axis=1)
        for one in (table, table.to_dict("records"), polars.from_pandas(table)):
            assert evaluate(one, one, "RR").mean("run", "RR") == expected
    path = tmp_path / "one.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in ONE_TABLE))

    def rr(*options: str) -> str:
        return CliRunner().invoke(cli, ["eval", str(path), str(path), "-m", "RR", *options]).output

    assert "0.7500" in rr()
    assert "0.7500" in rr("--columns", "gold=gold_ids,retrieved=retrieved_ids")
    path.write_text(path.read_text().replace("gold_ids", "yes").replace("retrieved_ids", "found"))
    assert "0.7500" in rr("--columns", "gold=yes,retrieved=found")


def test_one_column_is_not_both_judgments_and_run(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in ONE_TABLE))
    for source in (path, ONE_TABLE, pandas.DataFrame(ONE_TABLE)):
        for columns in ({"doc": "gold_ids"}, {"retrieved": "gold_ids"}):
            with pytest.raises(InputError, match="both be the column 'gold_ids'; name one"):
                evaluate(source, source, "RR", columns=columns)
    other = [{"question": "q1", "gold_ids": ["a"]}]
    scores = evaluate(other, list(other), "RR", columns={"doc": "gold_ids"})
    assert scores.mean("run", "RR") == 1  # of another source


def test_a_number_too_large_is_not_infinite(tmp_path: Path) -> None:
    for name, text in {
        "run.json": '{"q1": {"d1": 1e400}}',
        "run.jsonl": '{"query": "q1", "doc": "d1", "score": 1E+400}\n',
    }.items():
        path = tmp_path / name
        path.write_text(text)
        with pytest.raises(InputError, match=rf"{name}:?.*the number 1[eE]\+?400 is too large"):
            Run.read(path)
        path.write_text(text.replace("400", "300"))
        assert Run.read(path).to_dict() == {"q1": {"d1": 1e300}}


def test_words_for_true_and_false_in_tables(tmp_path: Path) -> None:
    path = tmp_path / "judgments.csv"
    path.write_text("query,doc,is_relevant\nq1,a,TRUE\nq1,b,false\n")
    assert Judgments.read(path).to_dict() == {"q1": {"a": 1.0, "b": 0.0}}
    path.write_text("query,doc,is_relevant\nq1,a,yes\n")
    with pytest.raises(InputError, match="the grade 'yes' is not a number"):
        Judgments.read(path)
    with pytest.raises(InputError, match="Boolean, which is not a number"):
        Run.read(polars.DataFrame({"query": ["q1"], "doc": ["a"], "score": [True]}))


def test_codes_of_labels_are_no_grades(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    columns = {"query": ["q1", "q1"], "doc_id": ["a", "b"], "label": [1, 0]}
    text = datasets.Value("string")

    def labelled(*names: str) -> Any:
        label = datasets.ClassLabel(names=list(names))
        features = datasets.Features({"query": text, "doc_id": text, "label": label})
        return datasets.Dataset.from_dict(columns, features=features)

    dataset = labelled("relevant", "irrelevant")
    dataset.save_to_disk(tmp_path / "saved")
    for source in (dataset, tmp_path / "saved"):
        with pytest.raises(InputError, match=r"0 is 'relevant', 1 is 'irrelevant'\. Give each its"):
            Judgments.read(source)
    graded = dataset.map(lambda row: {"grade": {0: 1, 1: 0}[row["label"]]}, remove_columns="label")
    assert Judgments.read(graded).to_dict() == {"q1": {"a": 0.0, "b": 1.0}}
    assert Judgments.read(labelled("0", "1")).to_dict() == {"q1": {"a": 1.0, "b": 0.0}}
    with pytest.raises(InputError, match=r"a streamed dataset .* list\(dataset\)"):
        Judgments.read(dataset.to_iterable_dataset())

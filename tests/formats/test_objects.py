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
    with pytest.raises(InputError, match="2 documents and 1 numbers"):
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

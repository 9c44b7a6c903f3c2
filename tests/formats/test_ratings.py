"""Rating lists of Quepid, OpenSearch and Elasticsearch, in the shapes that these write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from cleverdon import evaluate
from cleverdon.cli import cleverdon as cli
from cleverdon.data import Judgments, Run
from cleverdon.errors import InputError, OptionError
from cleverdon.formats.texts import read_texts

GRADES = {"star wars": {"11": 3.0, "1891": 1.0}, "alien": {}}

SHAPES: dict[str, Any] = {
    "quepid, a case": {
        "case_name": "films",
        "scorer": {"name": "nDCG@10"},
        "queries": [
            {
                "arranged_at": 0,
                "query_text": "star wars",
                "options": {},
                "notes": None,
                "ratings": {"11": 3, "1891": 1},
            },
            {"arranged_at": 1, "query_text": "alien", "ratings": {}},
        ],
    },
    "quepid, ratings": {
        "queries": [
            {"query": "star wars", "ratings": {"11": 3, "1891": 1}},
            {"query": "alien", "ratings": None},
        ]
    },
    "rre": {
        "id_field": "id",
        "index": "films",
        "template": "template.json",
        "queries": [
            {
                "placeholders": {"$query": "star wars"},
                "relevant_documents": {"1": ["1891"], "3": ["11"]},
            },
            {"placeholders": {"$query": "alien"}, "relevant_documents": {}},
        ],
    },
    "opensearch": {
        "name": "Imported Judgments",
        "description": "",
        "type": "IMPORT_JUDGMENT",
        "judgmentRatings": [
            {
                "query": "star wars",
                "ratings": [{"docId": "11", "rating": "3.000"}, {"docId": "1891", "rating": "1.0"}],
            },
            {"query": "alien", "ratings": []},
        ],
    },
    "rank_eval": {
        "requests": [
            {
                "id": "star wars",
                "request": {"query": {"match": {"title": "star wars"}}},
                "ratings": [
                    {"_index": "films", "_id": "11", "rating": 3},
                    {"_index": "films", "_id": "1891", "rating": 1},
                ],
            },
            {"id": "alien", "request": {"query": {"match": {"title": "alien"}}}, "ratings": []},
        ],
        "metric": {"precision": {"k": 20}},
    },
}


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes(shape: str, tmp_path: Path) -> None:
    path = tmp_path / "judgments.json"
    path.write_text(json.dumps(SHAPES[shape]))
    assert Judgments.read(path).to_dict() == GRADES
    assert evaluate(path, {"star wars": ["11"]}, "RR").mean("run", "RR") == 0.5
    result = CliRunner().invoke(cli, ["convert", str(path), "-", "--to", "csv"])
    assert (
        result.stdout == "query_id,doc_id,relevance\nstar wars,11,3\nstar wars,1891,1\nalien,,\n"
        or shape == "rre"
    )
    assert CliRunner().invoke(cli, ["check", str(path)]).exit_code == 0
    assert {id: text.line for id, text in read_texts(path).items()} == {q: q for q in GRADES}
    with pytest.raises(InputError, match="ratings, which are judgments"):
        Run.read(path)


@pytest.mark.parametrize("format", ["quepid", "opensearch", "rank_eval"])
def test_what_is_written_is_read_back(format: str, tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    Judgments.read(GRADES).write(path, format=format)
    assert Judgments.read(path).to_dict() == GRADES
    assert Judgments.read(path, format=format).to_dict() == GRADES
    written = json.loads(path.read_text())
    if format == "opensearch":
        assert written["judgmentRatings"][0]["ratings"][0] == {"docId": "11", "rating": "3"}
    with pytest.raises(OptionError, match="is one of judgments"):
        Run.read({"q": {"d": 1.0}}).write(path, format=format)


def test_learning_to_rank(tmp_path: Path) -> None:
    path = tmp_path / "judgments.txt"
    path.write_text(
        "3 qid:1 # 11 star wars\n\n0 qid:1 1:2.5 2:0 # 1891 star wars\n1 qid:2 #\t7\talien\n"
    )
    assert Judgments.read(path).to_dict() == {"1": {"11": 3.0, "1891": 0.0}, "2": {"7": 1.0}}
    out = tmp_path / "out.txt"
    Judgments.read(path).write(out, format="ltr")
    assert out.read_text() == "3 qid:1 # 11\n0 qid:1 # 1891\n1 qid:2 # 7\n"
    path.write_text("3 qid:1 # 11\n0 qid:1 1:2.5\n")
    with pytest.raises(InputError, match=r"judgments.txt:2: expected 'grade qid:query # document'"):
        Judgments.read(path)


def test_the_csv_of_a_snapshot_is_a_run(tmp_path: Path) -> None:
    path = tmp_path / "snapshot.csv"
    path.write_text(
        "Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position,title\n"
        'Weekly,2026-09-27,7,star wars,11,1,"Star\nWars"\nWeekly,2026-09-27,7,star wars,1891,2,x\n'
    )
    assert [doc for doc, _ in Run.read(path).ranking("star wars")] == ["11", "1891"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"judgmentRatings": ["x"]}, r"judgmentRatings\[0\]: expected an object"),
        ({"judgmentRatings": [{"ratings": []}]}, r"judgmentRatings\[0\]: no field for the query"),
        (
            {"queries": [{"query": "q", "ratings": {"d": "high"}}]},
            "the grade 'high' is not a number",
        ),
        ({"requests": [{"id": "q", "ratings": [{"_id": "d"}]}]}, "a document and its rating"),
        ({"requests": [{"id": "q", "ratings": [{"_id": "d", "rating": 1}] * 2}]}, "occurs twice"),
        ({"query_doc_pairs": []}, "is a book of Quepid's"),
    ],
)
def test_errors_name_the_place(content: Any, message: str, tmp_path: Path) -> None:
    path = tmp_path / "judgments.json"
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match=f"judgments.json: .*{message}"):
        Judgments.read(path)


def test_ratings_of_rank_eval_are_whole(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="_rank_eval has whole ratings"):
        Judgments.read({"q": {"d": 0.5}}).write(tmp_path / "out.json", format="rank_eval")
    assert not list(tmp_path.iterdir())

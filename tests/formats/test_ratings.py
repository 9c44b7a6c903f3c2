"""Rating lists of Quepid, OpenSearch and Elasticsearch, in the shapes that these write."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from cleverdon import evaluate
from cleverdon.cli import cleverdon as cli
from cleverdon.data import Judgments, Run
from cleverdon.errors import InputError, InputNote, OptionError
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


@pytest.mark.parametrize("rating", [{"11": 3, "12": None}, [("11", 3), ("12", None)]])
def test_documents_without_a_rating(rating: Any, tmp_path: Path) -> None:
    path = tmp_path / "case.json"
    if isinstance(rating, list):
        rating = [{"doc_id": doc, "rating": grade} for doc, grade in rating]
    path.write_text(json.dumps({"queries": [{"query_text": "star wars", "ratings": rating}]}))
    with pytest.warns(InputNote, match=r"case.json: 1 document has no rating"):
        assert Judgments.read(path).to_dict() == {"star wars": {"11": 3.0}}
    path.write_text(json.dumps({"judgmentRatings": [{"query": "star wars", "ratings": rating}]}))
    with pytest.raises(InputError, match=r"judgmentRatings\[0\]: the document '12' has no grade"):
        Judgments.read(path)


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
        ({"query_doc_pairs": []}, "is a book of Quepid's without ratings"),
        ({"query_doc_pairs": [{}]}, r"query_doc_pairs\[0\]: expected an object with query_text"),
        (
            {
                "query_doc_pairs": [
                    {"query_text": "q", "doc_id": "d", "judgements": [{"rating": "high"}]}
                ]
            },
            r"query_doc_pairs\[0\]: the grade, 'high', is not a number",
        ),
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


BOOK = "query,docid,Ann,Bob,Eve\nred,1,2.0,2,0\nred,2,,1,\nred,3,0,1,\nblue,4,,,\n"
"""A column a judge, by their full names; nobody could rate the last one."""

PAIRS = {
    ("red", "1"): {"ann@x": 2.0, "bob@x": 2.0, "eve@x": 0.0},
    ("red", "2"): {"bob@x": 1.0, "eve@x": None},
    ("red", "3"): {"": 0.0, "bob@x": 1.0},
    ("blue", "4"): {},
}


def book(kind: str, folder: Path) -> Path:
    path = folder / f"book.{kind}"
    if kind == "csv":
        path.write_text(BOOK)
        return path
    pairs = [
        {
            "query_text": query,
            "doc_id": doc,
            "position": None,
            "judgements": [
                {"rating": rating, "unrateable": rating is None, "explanation": None}
                | ({"user_email": judge} if judge else {})
                for judge, rating in ratings.items()
            ],
        }
        for (query, doc), ratings in PAIRS.items()
    ]
    path.write_text(json.dumps({"name": "b", "scale": [0, 1, 2], "query_doc_pairs": pairs}))
    return path


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_books_need_a_rule(kind: str, tmp_path: Path) -> None:
    path = book(kind, tmp_path)
    with pytest.raises(InputError, match=r"(?s)Whose grades count\? .*quepid_majority.*first rows"):
        Judgments.read(path)
    by_rule = {
        "majority": statistics.mode,  # of the tie of 0 and 1, the first is the lower one
        "median": statistics.median_low,
        "mean": statistics.fmean,
    }
    for rule, combine in by_rule.items():
        expected: dict[str, dict[str, float]] = {}
        for (query, doc), ratings in PAIRS.items():
            given = [rating for rating in ratings.values() if rating is not None]
            of_query = expected.setdefault(query, {})
            if given:
                of_query[doc] = combine(given)
        with pytest.warns(InputNote) as notes:
            found = Judgments.read(path, format=f"quepid_{rule}")
        assert found.to_dict() == expected
        said = [str(note.message) for note in notes]
        assert "1 document has no rating" in said[0]
        assert f"{rule} (" in said[1]
        assert "2 of 3 documents; others have one judge" in said[1]
    result = CliRunner().invoke(cli, ["agree", str(path), "-f", "json"])
    judges = ["Ann", "Bob", "Eve"] if kind == "csv" else ["ann@x", "bob@x", "eve@x", "Anonymous"]
    assert json.loads(result.stdout)["judges"] == judges
    out = tmp_path / "out.json"
    result = CliRunner().invoke(cli, ["convert", str(path), str(out), "--from", "quepid_mean"])
    assert (result.exit_code, Judgments.read(out)["red"]["3"]) == (0, 0.5)


def test_one_judge_of_a_book(tmp_path: Path) -> None:
    path = book("csv", tmp_path)
    with pytest.warns(InputNote, match="2 documents have no rating"):
        found = Judgments.read(path, columns={"grade": "Ann"})
    assert found.to_dict() == {"red": {"1": 2.0, "3": 0.0}, "blue": {}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("query,docid,rating\nq,d,1\n", ":1: is no book of Quepid's: expected the columns"),
        ("query,docid,Ann,Ann\nq,d,1,1\n", ":1: two columns are called 'Ann'"),
        ("query,docid,Ann,Bob\nq,d,1\n", ":2: expected 4 fields"),
        ("query,docid,Ann,Bob\nq,,1,2\n", ":2: the document id is missing"),
        ("query,docid,Ann,Bob\nq,d,1,good\n", ":2: the grade of Bob, 'good', is not a number"),
        ("query,docid,Ann,Bob\nq,d,,\n", ": is a book of Quepid's without ratings"),
        ('{"queries": []}', ": is no book of Quepid's: it has no query_doc_pairs"),
    ],
)
def test_books_that_are_none(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "book.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=f"book.csv{message}"):
        Judgments.read(path, format="quepid_median")

"""What Quepid and Label Studio export is understood, and what cannot be is said."""

from __future__ import annotations

import csv
import io
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from cleverdon.errors import InputError
from cleverdon.judging.imports import Fields
from cleverdon.judging.project import Project
from cleverdon.judging.store.schema import events
from tests.judging.import_files import Bring, brought, standing


@pytest.fixture
def bring(project: Project, tmp_path: Path) -> Bring:
    return partial(brought, project, tmp_path)


CASE = {
    "case_name": "c",
    "queries": [
        {
            "query_text": "Water in  motion 1",
            "ratings": [
                {"doc_id": "d1", "rating": 3.0, "user_email": "ann@x.org"},
                {"doc_id": "d2", "rating": None},
            ],
        }
    ],
}
RATINGS = {"queries": [{"query": "water in motion 1", "ratings": {"d1": 3}}]}
RRE = {
    "id_field": "id",
    "queries": [
        {
            "placeholders": {"$query": "water in motion 1"},
            "relevant_documents": {"d1": {"gain": 3}},
        }
    ],
}
BOOK = {
    "name": "b",
    "query_doc_pairs": [
        {
            "query_text": "water in motion 1",
            "doc_id": "d1",
            "judgements": [
                {"rating": 3.0, "user_email": "ann@x.org", "explanation": "why not"},
                {"rating": None, "unrateable": True, "user_email": "bob@x.org"},
            ],
        }
    ],
}


@pytest.mark.parametrize(
    ("text", "judge"),
    [
        ("query,docid,rating\nwater in motion 1,d1,3\nwater in motion 1,d2,\nwater,,\n", "case"),
        (
            "Team Name,Case Name,Case ID,Query Text,Doc ID,Doc Position,Title,Rating\n"
            '"a, b",c,1,"water in motion 1",d1,1,"Title, of ""d1""",3\n',
            "case",
        ),
        ("query,docid,Ann Lee,Bob\nwater in motion 1,d1,3.0,\n", "Ann Lee"),
        (json.dumps(CASE), "ann@x.org"),
        (json.dumps(RATINGS), "case"),
        (json.dumps(RRE), "case"),
        (json.dumps(BOOK), "ann@x.org"),
        ("3.0 qid:7 # d1 water in motion 1\n", "case"),
    ],
    ids=["ratings", "detailed", "book csv", "case", "ratings json", "rre", "book", "ltr"],
)
def test_quepid(project: Project, bring: Bring, text: str, judge: str) -> None:
    assert bring(text, "case.txt").recorded == 1
    assert standing(project) == {(judge, "t1", "d1"): 3}


def test_a_snapshot_of_quepid_has_no_ratings(bring: Bring) -> None:
    with pytest.raises(InputError, match="has no ratings: in Quepid, export the ratings"):
        bring("Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position\ns,t,1,w,d1,1\n")


def task(document: str, choice: str, by: Any, at: str, **more: Any) -> dict[str, Any]:
    control = {"from_name": "rel", "to_name": "text", "type": "choices"}
    said = {"value": {"choices": [choice]}, **control}
    return {
        "id": 1,
        "data": {"query": "t1", "doc_id": document, "text": "..."},
        "annotations": [
            {"result": [said], "completed_by": by, "created_at": at, "lead_time": 4.5, **more}
        ],
        "predictions": [{"model_version": "m", "result": []}],
    }


TASKS = [
    task("d1", "Perfectly relevant", {"id": 3, "email": "ann@x.org"}, "2026-01-01T10:00:00Z"),
    task("d1", "relevant", {"id": 3, "email": "ann@x.org"}, "2026-01-02T10:00:00Z"),
    task("d2", "0", 7, "2026-01-01T10:00:00Z"),
    task("d3", "1", 7, "2026-01-01T10:00:00Z", was_cancelled=True),
]
MINIMAL = [
    {"query": "t1", "docno": "d1", "rel": "Relevant", "annotator": "ann@x.org", "annotation_id": 1},
    {"query": "t1", "docno": "d2", "rel": "0", "annotator": 7, "annotation_id": 2},
]
COLUMNS = (
    '"annotation_id","annotator","docno","lead_time","rel","query"\n'
    '1,"ann@x.org","d1",4.5,"Relevant","t1"\n'
    '2,"7","d2",2.0,"0","t1"\n'
)


@pytest.mark.parametrize(
    "text",
    [json.dumps(TASKS), json.dumps(MINIMAL), COLUMNS, COLUMNS.replace(",", "\t")],
    ids=["json", "json-min", "csv", "tsv"],
)
def test_label_studio(project: Project, bring: Bring, text: str) -> None:
    found = bring(text, "project-1")
    assert found.recorded == 2
    assert standing(project) == {("ann@x.org", "t1", "d1"): 2, ("7", "t1", "d2"): 0}
    if "predictions" in text:
        assert found.ungraded == 1
        assert found.cautions == (
            "1 annotations were repeated by the same person: the last one counts",
            "4 predictions of models are left out: they are not judgments",
        )
        with project.database.reading() as connection:
            assert connection.execute(select(events.c.seconds)).scalars().first() == 4.5


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[{"data": {"query": "t1", "doc_id": "d1"}, "annotations": [7]}]', "its annotations are"),
        ('[{"data": {}, "annotations": [{"result": {"a": 1}}]}]', "its results are not a list"),
        (json.dumps([*TASKS, 5]), "its tasks are not a list of JSON objects"),
        ('{"queries": [{"query": "x", "ratings": 7}]}', "its ratings are not a list"),
        ('{"query_doc_pairs": [{"judgements": [3]}]}', "its judgements are not a list"),
        (
            '{"queries": [{"relevant_documents": {"d1": 3}}]}',
            "its relevant_documents are not a list",
        ),
        ("[" * 100_000, "is nested too deeply"),
        ('query,docid,rating\n"water,d1,1\n', "is a quote never closed"),
    ],
)
def test_what_no_tool_writes_is_said(bring: Bring, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        bring(text)


def test_times_that_cannot_be_are_left_out(project: Project, bring: Bring) -> None:
    given = [
        task("d1", "1", 7, "2026-01-01T00:00:00", lead_time="nan"),
        task("d2", "1", 7, "9999-12-31T00:00:00Z", lead_time=-1),
    ]
    assert bring(json.dumps(given)).recorded == 2
    with project.database.reading() as connection:
        found = connection.execute(select(events.c.seconds, events.c.said_at)).all()
    assert sorted(found, key=str) == [(None, 1767225600.0), (None, None)]


def test_fields_of_label_studio_can_be_named(project: Project, bring: Bring) -> None:
    text = json.dumps([{"q": "t1", "d": "d1", "n": 1, "annotator": 1, "annotation_id": 1}])
    with pytest.raises(InputError, match=r"which of q, d, n, .* is the grade"):
        bring(text)
    with pytest.raises(InputError, match=r"which field is the query.*name the query field"):
        bring(text, fields=Fields(grade="n"))
    assert bring(text, fields=Fields("q", "d", "n"), name="ls").recorded == 1
    with pytest.raises(InputError, match="a list that neither Quepid nor Label Studio exports"):
        bring("[1, 2]")


def flat(document: str, **more: Any) -> dict[str, Any]:
    about = {"annotator": 1, "annotation_id": 1, "lead_time": 2.5, "created_at": None}
    return {"query": "t1", "doc_id": document, **more, **about}


def as_table(records: list[dict[str, Any]], separator: str) -> str:
    """As its converter writes them: all columns, by name, and what is not text as JSON."""
    made = io.StringIO()
    names = sorted({name for record in records for name in record})
    style = {"delimiter": separator, "quoting": csv.QUOTE_NONNUMERIC}
    writer = csv.DictWriter(made, names, **style)  # type: ignore[arg-type]
    writer.writeheader()
    for record in records:
        cells = {
            name: json.dumps(value) if isinstance(value, list) else value
            for name, value in record.items()
        }
        writer.writerow(cells)
    return made.getvalue()


def in_every_flat_form(records: list[dict[str, Any]]) -> list[str]:
    return [json.dumps(records), as_table(records, ","), as_table(records, "\t")]


@pytest.mark.parametrize("form", range(3), ids=["json-min", "csv", "tsv"])
@pytest.mark.parametrize(
    "record",
    [
        {"score": 1.0, "rating": [{"rating": 3}]},
        {"score": 1.0, "stars": [{"rating": 3}]},
        {"score": [{"number": 3}]},
        {"score": 1.0, "choice": "3"},
    ],
    ids=["beside a score", "of any name", "called score", "a choice"],
)
def test_what_the_engine_scored_is_no_grade(
    project: Project, bring: Bring, record: dict[str, Any], form: int
) -> None:
    found = bring(in_every_flat_form([flat("d1", **record)])[form], name="ls")
    assert standing(project) == {("ls", "t1", "d1"): 3}
    guessed = ("its field 'choice' was taken for the grade",)
    assert found.cautions == (guessed if "choice" in record else ())


@pytest.mark.parametrize("form", range(3), ids=["json-min", "csv", "tsv"])
@pytest.mark.parametrize("control", ["rating", "stars"])
def test_which_of_two_is_the_grade_is_asked(
    project: Project, bring: Bring, control: str, form: int
) -> None:
    record = flat("d1", label=1, **{control: [{"rating": 3}]})
    text = in_every_flat_form([record])[form]
    asked = f"which of label, {control} is the grade\\? name the grade field"
    with pytest.raises(InputError, match=asked):
        bring(text)
    assert bring(text, fields=Fields(grade=control), name="ls").cautions == ()
    assert standing(project) == {("ls", "t1", "d1"): 3}


@pytest.mark.parametrize("form", range(3), ids=["json-min", "csv", "tsv"])
def test_a_score_alone_is_asked_about(bring: Bring, form: int) -> None:
    with pytest.raises(InputError, match=r"which of .*score.* is the grade"):
        bring(in_every_flat_form([flat("d1", score=1.0)])[form])


def test_which_of_two_controls_grades_is_asked(project: Project, bring: Bring) -> None:
    tasks = [task("d1", "1", 7, "2026-01-01T10:00:00Z")]
    other = {"from_name": "rating", "type": "rating", "value": {"rating": 3}}
    tasks[0]["annotations"][0]["result"].append(other)
    with pytest.raises(InputError, match="which of rel, rating is the grade"):
        bring(json.dumps(tasks))
    other["from_name"] = "certainty"
    assert bring(json.dumps(tasks), name="ls").recorded == 1
    assert standing(project) == {("ls", "t1", "d1"): 1}


@pytest.mark.parametrize("form", range(3), ids=["json-min", "csv", "tsv"])
def test_a_record_without_a_grade_is_counted(project: Project, bring: Bring, form: int) -> None:
    records = [flat("d2"), flat("d1", rel="Relevant"), flat("d3")]
    found = bring(in_every_flat_form(records)[form], name="ls")
    assert (found.recorded, found.ungraded) == (1, 2)
    assert standing(project) == {("ls", "t1", "d1"): 2}


def test_data_that_is_called_as_the_control_is_no_grade(project: Project, bring: Bring) -> None:
    records = [flat("d1", rating=1), flat("d2", rating=[{"rating": 3}])]
    assert bring(json.dumps(records), name="ls").ungraded == 1
    assert standing(project) == {("ls", "t1", "d2"): 3}


def test_a_text_that_only_begins_as_json_does_no_harm(bring: Bring) -> None:
    records = [flat("d1", rel="Relevant", text="[" * 100_000), flat("d2", rel="0", text="[1] x")]
    assert bring(as_table(records, ",")).recorded == 2


def test_two_judges_of_a_book_who_are_called_the_same(project: Project, bring: Bring) -> None:
    text = "query,docid,Doug Turnbull,Anonymous,Doug Turnbull\nwater in motion 1,d1,1,2,3\n"
    wrong = r"book_1.csv:1: two columns are called 'Doug Turnbull': rename .* the book as JSON"
    with pytest.raises(InputError, match=wrong):
        bring(text, "book_1.csv")
    with pytest.raises(InputError, match=r"book_1.csv:3: two columns are called 'query'"):
        bring(f"\n\n{text.replace('Doug Turnbull', 'query', 1)}", "book_1.csv")
    assert bring(text.replace("Doug Turnbull", "Doug T.", 1), "book_1.csv").recorded == 3


def test_fields_of_documents_may_be_called_as_quepids_own(project: Project, bring: Bring) -> None:
    bring(
        "Team Name,Case Name,Case ID,Query Text,Doc ID,Doc Position,Title,Rating,Rating,docid\n"
        "a,c,1,water in motion 1,d1,1,T,3,1,d2\n",
        "case.csv",
    )
    assert standing(project) == {("case", "t1", "d1"): 3}

"""Labels: what is read from where, and on which scale."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars
import pytest

from cleverdon import aggregate_labels
from cleverdon.agreement.agreement import agree
from cleverdon.agreement.labels import Labels, read_labels
from cleverdon.errors import InputError, OptionError
from tests.agreement.made import labels_of


def given(labels: Labels) -> dict[tuple[str, str], dict[str, float]]:
    """Every item's grades by judge."""
    return {
        (labels.queries[query], doc): {
            judge: grade
            for judge, grade in zip(labels.judges, row, strict=True)
            if not np.isnan(grade)
        }
        for query, doc, row in zip(
            labels.query.tolist(), labels.docs, labels.grade.tolist(), strict=True
        )
    }


EXPECTED = {
    ("q1", "a"): {"ann": 1.0, "bob": 2.0},
    ("q1", "b"): {"ann": 0.0},
    ("q2", "a"): {"bob": 0.0},
}


def test_a_file_for_each_judge(tmp_path: Path) -> None:
    (tmp_path / "ann.qrels").write_text("q1 0 a 1\nq1 0 b 0\nq2 0 a -1\n")
    (tmp_path / "bob.qrels").write_text("q1 0 a 2\nq2 0 a 0\n")
    files = [str(tmp_path / f"{name}.qrels") for name in ("ann", "bob")]
    assert given(read_labels(files)) == EXPECTED
    assert given(read_labels(dict(zip(("ann", "bob"), files, strict=True)))) == EXPECTED
    assert read_labels({"x": files[0], "y": files[1]}).judges == ("x", "y")


TABLES = {
    "csv": "judge,query_id,doc_id,grade\nann,q1,a,1\nann,q1,b,0\nann,q2,a,\nbob,q1,a,2\n"
    "bob,q2,a,0\n",
    "semicolons": "assessor;qid;docno;rel\nann;q1;a;1\nann;q1;b;0\nann;q2;a;?\nbob;q1;a;2\n"
    "bob;q2;a;0\n",
    "tsv": "query_id\tdoc_id\tgrade\tannotator\nq1\ta\t1\tann\nq1\tb\t0\tann\nq1\ta\t2\tbob\n"
    "q2\ta\t0\tbob\n",
    "jsonl": '{"judge": "ann", "query_id": "q1", "doc_id": "a", "grade": 1}\n'
    '{"judge": "ann", "query_id": "q1", "doc_id": "b", "grade": 0}\n\n'
    '{"judge": "ann", "query_id": "q2", "doc_id": "a", "grade": null}\n'
    '{"judge": "bob", "query_id": "q1", "doc_id": "a", "grade": 2}\n'
    '{"judge": "bob", "query_id": "q2", "doc_id": "a", "grade": 0}\n',
}


@pytest.mark.parametrize("kind", TABLES)
def test_a_table_with_a_column_of_judges(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "labels.txt"
    file.write_text(TABLES[kind])
    assert given(read_labels([str(file)])) == EXPECTED


def test_excel_and_lists_of_objects(tmp_path: Path) -> None:
    rows = [("ann", "q1", "a", 1), ("ann", "q1", "b", 0), ("ann", "q2", "a", None)]
    rows += [("bob", "q1", "a", 2), ("bob", "q2", "a", 0)]
    names = ["judge", "query_id", "doc_id", "grade"]
    polars.DataFrame(rows, schema=names, orient="row").write_excel(tmp_path / "labels.xlsx")
    objects = [dict(zip(names, row, strict=True)) for row in rows]
    (tmp_path / "labels.json").write_text(json.dumps(objects))
    for name in ("labels.xlsx", "labels.json"):
        assert given(read_labels([str(tmp_path / name)])) == EXPECTED
    (tmp_path / "labels.json").write_text(json.dumps([*objects, {"judge": "eve", "grade": 1}]))
    with pytest.raises(InputError, match=r"labels.json: the judge, the query or the document"):
        read_labels([str(tmp_path / "labels.json")])


def test_parquet(tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    rows = [("ann", "q1", "a", 1), ("ann", "q1", "b", 0), ("ann", "q2", "a", None)]
    rows += [("bob", "q1", "a", 2), ("bob", "q2", "a", 0)]
    names = ("judge", "query_id", "doc_id", "grade")
    table = pyarrow.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    pyarrow.parquet.write_table(table, tmp_path / "labels.parquet")
    assert given(read_labels([str(tmp_path / "labels.parquet")])) == EXPECTED


def test_the_second_column_is_a_judge_only_if_that_is_said(tmp_path: Path) -> None:
    file = tmp_path / "both.txt"
    file.write_text("q1 ann a 1\nq1 ann b 0\nq1 bob a 2\nq2 bob a 0\nq2 ann a -1\n")
    assert given(read_labels([str(file)], judge_column=True)) == EXPECTED
    with pytest.raises(InputError, match="occurs twice"):
        read_labels([str(file)])


def test_sheets_that_are_not_filled_in_yet(tmp_path: Path) -> None:
    (tmp_path / "ann.tsv").write_text("query_id\tdoc_id\tgrade\nq1\ta\t1\nq1\tb\t\n")
    (tmp_path / "bob.tsv").write_text("query_id\tdoc_id\tgrade\nq1\ta\t0\nq1\tb\t1\n")
    labels = read_labels([str(tmp_path / "ann.tsv"), str(tmp_path / "bob.tsv")])
    assert labels.grade.tolist()[0] == [1, 0]
    assert labels.judged.tolist() == [[True, True], [False, True]]


DEEP = '{"a":' * 100_000 + "1" + "}" * 100_000 + "\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("judge,query_id,doc_id,grade\nann,q,a,high\n", "expected a grade, found 'high'"),
        ("judge,query_id,doc_id,grade\nann,q,a\n", "there are no judgments"),
        ("judge,query_id,doc_id,grade\nann,q\n", "expected 4 columns"),
        ("judge,query_id,doc_id\nann,q,a\n", "no column for the grade"),
        ("judge,query_id,doc_id,grade\n,q,a,1\n", "the judge's id is missing"),
        ("judge,query_id,doc_id,grade\nann,q,a,1\nann,q,a,2\n", "and 1 on line 2; keep one"),
        ("judge,query_id,doc_id,grade\nann,q,a,\n", "there are no judgments"),
        ("judge,query_id,doc_id,grade\nann,q,a,-1\n", "is below 0; use 0 for junk"),
        ("judge,query_id,doc_id,rel\nann,q,a,-1\n", "nothing is judged"),
        ('{"judge": "a", "query_id": null, "doc_id": "d", "grade": 1}\n', "is empty"),
        ("", "is empty"),
        ('{"judge": "a", "query_id": "q", "doc_id": "d", "grade": 1}\n[1]\n', "expected an object"),
        ('{"judge": "a", "query_id": "q", "doc_id": "d", "grade": 1}\n{"a\n', "is not JSON"),
        ('{"judge": "a", "query_id": "q", "doc_id": "d", "grade": 1}\n' + DEEP, "is not JSON"),
        (DEEP, "nested too deeply"),
    ],
)
def test_what_cannot_be_read(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "labels.txt"
    file.write_text(text)
    with pytest.raises(InputError, match=message):
        read_labels([str(file)])


def test_lines_are_named_where_something_is_wrong(tmp_path: Path) -> None:
    file = tmp_path / "labels.csv"
    file.write_text("judge,query_id,doc_id,grade\nann,q,a,1\nann,q,b,x\n")
    with pytest.raises(InputError, match=r"labels\.csv:3"):
        read_labels([str(file)])


def test_other_scales() -> None:
    labels = labels_of([[0, 1, 2, 3], [0, 3, None, 3]])
    assert labels.binary(2).grade[:, 0].tolist() == [0, 0, 1, 1]
    assert labels.binary(9).grades.tolist() == [0, 1]  # though nobody gave a 1
    merged = labels.merged({3: 2})
    assert merged.grades.tolist() == [0, 1, 2]
    assert merged.grade[:, 0].tolist() == [0, 1, 2, 2]
    assert np.isnan(labels.merged({0: -1}).grade[0]).all()
    assert labels.level[2].tolist() == [2, -1]  # what was given is not changed
    with pytest.raises(OptionError, match="no judge gave the grade 7; there are 0, 1, 2, 3"):
        labels.merged({7: 1})


def test_too_many_grades() -> None:
    """Labels hold them, so that they can be made fewer; agreement is not counted of so many."""
    labels = labels_of([list(range(300)), list(range(300))])
    with pytest.raises(InputError, match=r"300 different grades.*--rel G.*--map"):
        agree(labels)
    with pytest.raises(InputError, match="300 different grades"):
        aggregate_labels(labels)
    assert agree(labels.binary(200), resamples=10).overall["agreement"].value == 1
    assert labels.grade[:, 0].tolist() == list(range(300))
    merged = labels.merged({float(grade): 9.0 for grade in range(10, 300)})
    assert agree(merged, resamples=10).overall["agreement"].value == 1


def test_subtopics_are_refused(tmp_path: Path) -> None:
    (tmp_path / "ann.txt").write_text("q1 1 a 1\nq1 2 a 0\n")
    with pytest.raises(InputError, match="ann judged subtopics"):
        read_labels([str(tmp_path / "ann.txt")], format="subtopics")
    with pytest.raises(InputError, match="bob judged subtopics"):
        Labels.of({"bob": str(tmp_path / "ann.txt")}, format="subtopics")


def test_a_table_that_went_through_a_spreadsheet(tmp_path: Path) -> None:
    """Decimal commas, empty cells at the end, a line cut off where its grade is empty, UTF-16."""
    file = tmp_path / "labels.csv"
    text = "judge;query_id;doc_id;grade\r\nann;q;a;0,5;;\r\nbob;q;a;1\r\nann;q;b\r\nbob;q;b;0\r\n"
    for encoding in ("utf-8-sig", "utf-16"):
        file.write_bytes(text.encode(encoding))
        assert given(read_labels([str(file)])) == {
            ("q", "a"): {"ann": 0.5, "bob": 1.0},
            ("q", "b"): {"bob": 0.0},
        }


def test_a_journal_of_judging_is_one_judge_s(tmp_path: Path) -> None:
    (tmp_path / "ann.jsonl").write_text(
        '{"format": "cleverdon judging 1"}\n{"judged": ["q", "a", 1]}\n{"judged": ["q", "b", 0]}\n'
    )
    labels = read_labels({"ann": str(tmp_path / "ann.jsonl")})
    assert given(labels) == {("q", "a"): {"ann": 1.0}, ("q", "b"): {"ann": 0.0}}
    with (tmp_path / "ann.jsonl").open("a") as file:
        file.write(DEEP + '{"judged": ["q", "c", 0]}\n')
    with pytest.raises(InputError, match=r"ann\.jsonl:4: "):
        read_labels([str(tmp_path / "ann.jsonl")])

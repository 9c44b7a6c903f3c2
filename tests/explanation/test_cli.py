"""cleverdon explain with judgments and a run: where a score comes from."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path

import pytest

from cleverdon import evaluate
from tests.commands import Command


def test_a_score_is_traced(cleverdon: Command, files: Path) -> None:
    done = cleverdon("explain", "qrels.txt", "good.run", "--query", "1")
    assert (done.returncode, done.stderr) == (0, "")
    head, table, outlook = done.stdout.strip().split("\n\n")[:3]
    assert head == "nDCG@10 of good on query 1 is 1.0000"
    assert [line.split()[:3] for line in table.splitlines()[2:4]] == [
        ["1", "a", "2"],
        ["2", "b", "0"],
    ]
    assert "2 / 2 = 1.0000: the sum over that of the ideal" in outlook
    assert "Nothing would raise it" in done.stdout


def test_several_measures_and_all_digits(cleverdon: Command, files: Path) -> None:
    measures = ("AP", "RR", "P@2")
    asked = [word for measure in measures for word in ("-m", measure)]
    done = cleverdon("explain", "qrels.txt", "bad.run", "--query", "1", *asked)
    for measure in measures:
        assert f"{measure} of bad on query 1 is " in done.stdout
    data = cleverdon("explain", "qrels.txt", "good.run", "--query", "1", *asked, "-f", "json")
    values = evaluate(str(files / "qrels.txt"), str(files / "good.run"), measures)
    for record in json.loads(data.stdout):
        assert record["value"] == values.per_query("good", record["measure"])["1"]
    rows = cleverdon("explain", "qrels.txt", "good.run", "--query", "1", *asked, "-f", "csv")
    assert {row["measure"] for row in csv.DictReader(StringIO(rows.stdout))} == set(measures)


def test_two_runs_are_compared(cleverdon: Command, files: Path) -> None:
    done = cleverdon(
        "explain", "qrels.txt", "new=good.run", "--diff", "old=bad.run", "--query", "1", "-m", "RR"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(
        "new scores 1.0000 and old 0.0000 on query 1 by RR, a difference of +1.0000; "
        "1 document makes 100% of it: a (rank 1 in new, not in old)."
    )
    same = cleverdon("explain", "qrels.txt", "good.run", "--diff", "good.run", "--query", "1")
    assert "two runs are called" in same.stderr


def test_one_of_the_files_may_be_standard_input(cleverdon: Command, files: Path) -> None:
    run = (files / "good.run").read_text()
    measures = ("-m", "nDCG@10", "-m", "Hole@2")
    done = cleverdon("explain", "qrels.txt", "-", "--query", "2", *measures, stdin=run)
    assert done.returncode == 0, done.stderr
    assert "on query 2 is 1.0000" in done.stdout
    twice = cleverdon("explain", "-", "-", "--query", "1")
    assert "only one of" in twice.stderr


def test_settings_and_texts(cleverdon: Command, files: Path) -> None:
    (files / "tied.run").write_text("1 Q0 a 1 1.0 t\n1 Q0 b 2 1.0 t\n")
    (files / "topics.tsv").write_text("1\twhat is it?\n2\tanother\n")
    (files / "documents.jsonl").write_text('{"id": "a", "title": "All about it", "text": "..."}\n')
    texts = ("--queries", "topics.tsv", "--documents", "documents.jsonl")
    done = cleverdon("explain", "qrels.txt", "tied.run", "--query", "1", "-m", "RR", *texts)
    assert "RR of tied on query 1 (what is it?) is 0.5000" in done.stdout
    assert "2=    a         All about it" in done.stdout
    best = cleverdon(
        "explain", "qrels.txt", "tied.run", "--query", "1", "-m", "RR", "--ties", "best"
    )
    assert "is 1.0000" in best.stdout
    expected = ("-m", "RR", "--ties", "expected")
    assert (
        "is 0.7500"
        in cleverdon("explain", "qrels.txt", "tied.run", "--query", "1", *expected).stdout
    )


def test_the_measure_may_stand_first(cleverdon: Command, files: Path) -> None:
    inputs = ("qrels.txt", "good.run", "--query", "1", "-m", "P@5")
    usual = cleverdon("explain", *inputs, "-m", "AP")
    found = cleverdon("explain", "AP", *inputs)
    assert (found.returncode, found.stderr) == (0, "")
    assert sorted(found.stdout.splitlines()) == sorted(usual.stdout.splitlines())
    assert "nDGC" in cleverdon("explain", "nDGC", *inputs).stderr
    two = cleverdon("explain", "qrels.txt", "good.run", "bad.run", "--query", "1")
    assert "give at most one RUN: --diff RUN2 compares a second one" in two.stderr


def test_what_is_undefined_or_empty(cleverdon: Command, files: Path) -> None:
    undefined = cleverdon("explain", "qrels.txt", "good.run", "--query", "3", "-m", "AP")
    assert undefined.returncode == 0
    assert "AP of good on query 3 is undefined: no judged document is relevant" in undefined.stdout
    empty = cleverdon("explain", "qrels.txt", "bad.run", "--query", "2", "-m", "AP")
    assert "AP of bad on query 2 is 0.0000" in empty.stdout
    assert "Nothing was returned." in empty.stdout
    assert "Relevant and not returned: c (grade 1, +1.0000 at rank 1)" in empty.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["qrels.txt", "good.run"], "there are 3 judged queries, and a trace is of one"),
        (["qrels.txt", "good.run", "--query", "33"], "no query '33' has judgments; did you mean"),
        (["qrels.txt", "bad.run", "--query", "9"], "query '9' has results, but no judgments"),
        (["qrels.txt", "good.run", "--query", "1", "-m", "nDGC"], "did you mean 'nDCG'"),
        (["qrels.txt", "good.run", "--query", "1", "-m", "RelString"], "no sum"),
        (["qrels.txt", "good.run", "--query", "1", "-m", "alphanDCG"], "--qrels-format subtopics"),
        (["qrels.txt", "none.run", "--query", "1"], "none.run: there is no such file"),
        (["qrels.txt"], "qrels.txt is a file; a trace needs two: QRELS RUN"),
        (["qrels.txt", "good.run", "bad.run"], "--diff RUN2"),
        (["nDCG", "--query", "1"], "--query goes with RUN"),
        (["nDCG", "-m", "AP"], "--measure goes with RUN"),
        (["--profiles", "--ties", "best"], "--ties goes with RUN"),
        (["nDCG", "--profiles"], "MEASURE|QRELS and --profiles do not go together"),
        ([], "name a measure, or QRELS and RUN: give MEASURE|QRELS or --profiles"),
    ],
)
def test_what_does_not_fit_is_said(
    cleverdon: Command, files: Path, arguments: list[str], message: str
) -> None:
    done = cleverdon("explain", *arguments)
    assert done.returncode != 0
    assert done.stdout == ""
    assert message in done.stderr
    assert done.stderr.count("\n") == 1

"""cleverdon worst, and its list for cleverdon judge init."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from cleverdon import evaluate, worst
from cleverdon.judging.candidates import read_candidates
from tests.commands import Command
from tests.comparison.test_worst_queries import collection

FILES = ("qrels.txt", "old.run", "new.run")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Judgments, two runs, and the texts of queries and documents."""
    qrels, old, new = collection(2)
    lines = [f"{q} 0 {d} {grade}\n" for q, of in qrels.items() for d, grade in of.items()]
    (tmp_path / "qrels.txt").write_text("".join(lines))
    for name, run in (("old", old), ("new", new)):
        rows = [f"{q} Q0 {d} 1 {score} t\n" for q, of in run.items() for d, score in of.items()]
        (tmp_path / f"{name}.run").write_text("".join(rows))
    (tmp_path / "topics.tsv").write_text("".join(f"{q}\twords of {q}\n" for q in qrels))
    docs = [json.dumps({"id": doc, "title": f"Title {doc}", "text": "..."}) for doc in "abcdefgh"]
    (tmp_path / "docs.jsonl").write_text("\n".join(docs))
    return tmp_path


def test_it_prints_what_python_finds(cleverdon: Command, folder: Path) -> None:
    done = cleverdon("worst", *FILES, "-m", "AP", "-f", "json", "--queries", "topics.tsv")
    assert done.returncode == 0, done.stderr
    runs = {name: str(folder / f"{name}.run") for name in ("old", "new")}
    scores = evaluate(str(folder / "qrels.txt"), runs, "AP", keep=10)
    found = worst(scores, "old", "new", queries=str(folder / "topics.tsv"))
    assert json.loads(done.stdout) == found.to_dict()
    assert found.queries[0].text.startswith("words of q")


def test_csv_has_a_row_for_each_query(cleverdon: Command, folder: Path) -> None:
    all_lost = cleverdon("worst", *FILES, "-m", "AP", "-n", "0", "-f", "csv").stdout
    rows = list(csv.DictReader(io.StringIO(all_lost)))
    differences = [float(row["difference"]) for row in rows]
    assert differences == sorted(differences)
    assert all(difference < 0 for difference in differences)
    first = cleverdon("worst", *FILES, "-m", "AP", "-n", "1", "-f", "csv").stdout
    assert first.splitlines() == all_lost.splitlines()[:2]
    gains = cleverdon("worst", *FILES, "-m", "AP", "--improved", "-f", "csv").stdout
    best = [float(row["difference"]) for row in csv.DictReader(io.StringIO(gains))]
    assert best == sorted(best, reverse=True)
    assert all(difference > 0 for difference in best)


def test_the_unjudged_can_be_judged(cleverdon: Command, folder: Path) -> None:
    pytest.importorskip("sqlalchemy")
    texts = ("--queries", "topics.tsv", "--documents", "docs.jsonl")
    done = cleverdon("worst", *FILES, *texts, "--to-judge", "unjudged.tsv", "-f", "json")
    assert done.returncode == 0, done.stderr
    listed = [(one["query"], one["document"]) for one in json.loads(done.stdout)["unjudged"]]
    assert listed
    chosen = read_candidates(folder / "unjudged.tsv").candidates
    assert [(one.query, one.document) for one in chosen] == listed
    table = cleverdon("worst", *FILES, "--section", "unjudged", "-f", "tsv").stdout
    (folder / "section.tsv").write_text(table)
    assert read_candidates(folder / "section.tsv").candidates == chosen
    made = cleverdon("judge", "init", "judging", *texts, "--pool", "unjudged.tsv")
    assert made.returncode == 0, made.stderr


def test_nothing_to_judge_is_said(cleverdon: Command, folder: Path) -> None:
    done = cleverdon("worst", "qrels.txt", "a=old.run", "b=old.run", "--to-judge", "unjudged.tsv")
    assert done.returncode == 0
    assert "nothing to judge, so unjudged.tsv is not written" in done.stderr
    assert not (folder / "unjudged.tsv").exists()


def test_the_file_of_the_output_says_its_format(cleverdon: Command, folder: Path) -> None:
    printed = cleverdon("worst", *FILES, "-f", "csv").stdout
    done = cleverdon("worst", *FILES, "-o", "worst.csv")
    assert (done.returncode, done.stdout) == (0, "")
    assert (folder / "worst.csv").read_text() == printed


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("-o", "qrels.txt"), "qrels.txt is read, and would be overwritten"),
        (("--to-judge", "x.tsv", "-o", "x.tsv"), "x.tsv would be written twice"),
        (("-m", "AP,RR"), "one measure decides which queries are worst, not 2"),
        (("-n", "-1"), "-1"),
        (("--section", "moves", "-f", "csv"), "there is no section 'moves'; did you mean 'moved'"),
    ],
)
def test_mistakes_get_an_answer(
    cleverdon: Command, folder: Path, given: tuple[str, ...], message: str
) -> None:
    done = cleverdon("worst", *FILES, *given)
    assert done.returncode in (1, 2)
    assert message in done.stderr

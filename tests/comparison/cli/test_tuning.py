"""Splits and tuning on the command line."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from cleverdon.comparison.splits import read_splits
from cleverdon.comparison.tuning import tune
from tests.commands import Command

EXAMPLES = Path(__file__).parent.parent.parent.parent / "examples"
QRELS, BM25, DENSE = (str(EXAMPLES / name) for name in ("qrels.txt", "bm25.run", "dense.run"))


def test_folds_are_written_and_used(cleverdon: Command, tmp_path: Path) -> None:
    done = cleverdon("splits", QRELS, "--folds", "2", "--seed", "1", "-o", "splits.json")
    assert done.stderr == "splits.json: k-fold, 2 folds: 2 of 4 queries for testing (seed 1)\n"
    assert done.stdout == ""
    splits = read_splits(tmp_path / "splits.json")
    assert sorted(splits.queries) == ["q1", "q2", "q3", "q4"]
    shown = cleverdon("splits", QRELS, "--folds", "2", "--seed", "1").stdout
    assert shown == (tmp_path / "splits.json").read_text()
    arguments = ("tune", QRELS, f"x={BM25}", f"y={DENSE}", "-m", "AP", "--folds", "splits.json")
    found = json.loads(cleverdon(*arguments, "-f", "json").stdout)
    wanted = tune({"x": BM25, "y": DENSE}, QRELS, "AP", splits)
    assert found["held_out"] == pytest.approx(wanted.score)
    assert found["best_on_all"] == pytest.approx(wanted.best_score)
    assert (found["best"], found["chosen"]) == (wanted.best, wanted.chosen)
    assert [fold["setting"] for fold in found["folds"]] == [c.setting for c in wanted.choices]
    assert found["values"] == pytest.approx(wanted.held_out)
    counted = cleverdon(*arguments[:-1], "2", "--seed", "1", "-f", "json")
    assert json.loads(counted.stdout) == found


def test_tables(cleverdon: Command) -> None:
    arguments = ("tune", QRELS, BM25, DENSE, "--folds", "2", "--repeats", "2")
    rows = list(csv.DictReader(io.StringIO(cleverdon(*arguments, "-f", "csv").stdout)))
    assert [(row["repeat"], row["fold"]) for row in rows] == [
        ("1", "1"),
        ("1", "2"),
        ("2", "1"),
        ("2", "2"),
    ]
    assert {row["chosen"] for row in rows} <= {"bm25", "dense"}
    text = cleverdon(*arguments).stdout
    assert "held out" in text
    assert "optimistic" in text


def test_strata(cleverdon: Command, tmp_path: Path) -> None:
    (tmp_path / "topics.csv").write_text("id,kind,length\nq1,a,1\nq2,a,2\nq3,b,3\nq4,b,4\n")

    def split(*options: str) -> tuple[set[frozenset[str]], str | None]:
        done = cleverdon("splits", QRELS, "--folds", "2", *options, "-o", "splits.json")
        assert done.returncode == 0, done.stderr
        found = read_splits(tmp_path / "splits.json")
        return {frozenset(fold.test) for fold in found.folds}, found.by

    for seed in ("1", "2"):
        tests, by = split("--attributes", "topics.csv", "--by", "kind", "--seed", seed)
        assert by == "kind"
        assert all(len(test & {"q1", "q2"}) == 1 for test in tests)
        options = ("--attributes", "topics.csv", "--by", "length", "--bins", "2", "--seed", seed)
        tests, by = split(*options)
        assert by == "length, 2 quantiles"
        assert all(len(test & {"q1", "q2"}) == 1 for test in tests)
        tests, by = split(BM25, DENSE, "--difficulty", "AP", "--bins", "2", "--seed", seed)
        assert by == "difficulty by AP, 2 quantiles"
        assert all(len(test) == 2 for test in tests)
    held = cleverdon("splits", QRELS, "--hold-out", "0.25").stdout
    assert len(json.loads(held)["folds"][0]["test"]) == 1


def test_tune_compares_with_a_baseline(cleverdon: Command) -> None:
    options = ("-m", "nDCG@10", "--folds", "2", "--format", "json")
    runs = ("tune", QRELS, f"a={BM25}", f"b={DENSE}", *options)
    of_setting, of_file = (
        json.loads(cleverdon(*runs, "--baseline", name).stdout) for name in ("a", BM25)
    )
    assert of_setting["versus"] == of_file["versus"]
    assert of_file["versus"]["baseline"] == "a"
    other = json.loads(cleverdon(*runs, "--baseline", f"third={BM25}").stdout)
    assert other["versus"]["p"] == of_file["versus"]["p"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("splits", QRELS, "--folds", "9"), "from 2 to 4 folds can be made"),
        (("splits", QRELS, "--folds", "2", "--hold-out", "0.2"), "do not go together"),
        (("splits", QRELS, BM25), "RUNS and --difficulty go together"),
        (("splits", QRELS, "--folds", "2", "--attributes", "few.csv"), "query 'q2' has no kind"),
        (
            ("splits", QRELS, BM25, "--attributes", "few.csv", "--difficulty", "AP"),
            "do not go together",
        ),
        (
            ("splits", QRELS, "--folds", "2", "-o", "no/where.json"),
            "there is no folder 'no' to write to",
        ),
        (
            ("tune", QRELS, BM25, DENSE, "--folds", "2", "--baseline", "none.run"),
            "none.run: there is no such file",
        ),
        (("tune", QRELS, BM25), "there is only one setting, 'bm25'"),
        (("tune", QRELS, BM25, DENSE), "from 2 to 4 folds can be made"),
        (("tune", QRELS, BM25, DENSE, "--folds", "none.json"), "none.json: cannot be read"),
        (("tune", QRELS, BM25, DENSE, "--folds", "few.csv"), "few.csv:1:1: is not JSON"),
    ],
)
def test_what_does_not_fit(
    cleverdon: Command, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    (tmp_path / "few.csv").write_text("id,kind\nq1,a\n")
    done = cleverdon(*arguments)
    assert done.returncode != 0
    assert message in done.stderr
    assert done.stderr.count("\n") == 1

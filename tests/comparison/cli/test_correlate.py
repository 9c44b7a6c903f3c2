"""Agreement of orders and of rankings, on the command line."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from random import Random

import pytest

from cleverdon import correlate, evaluate
from cleverdon.comparison.orderings import correlate_runs
from tests.commands import Command

EXAMPLES = Path(__file__).parent.parent.parent.parent / "examples"
QRELS, BM25, DENSE = (str(EXAMPLES / name) for name in ("qrels.txt", "bm25.run", "dense.run"))


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    """Twelve queries, three runs, two judgments, and a table of queries."""
    random = Random(3)
    docs = "abcdef"
    lines, other, table = [], [], ["query,kind"]
    runs: dict[str, list[str]] = {"one": [], "two": [], "three": []}
    for i in range(12):
        lines += [f"q{i:02} 0 {doc} {random.randrange(3)}" for doc in docs]
        other += [f"q{i:02} 0 {doc} {random.randrange(3)}" for doc in docs]
        table.append(f"q{i:02},{'short' if i % 2 else 'long'}")
        for name, of_run in runs.items():
            of_run += [f"q{i:02} Q0 {doc} 0 {random.random()} {name}" for doc in docs]
    files = {"qrels.txt": lines, "crowd.txt": other, "topics.csv": table}
    files |= {f"{name}.run": of_run for name, of_run in runs.items()}
    for file, content in files.items():
        (tmp_path / file).write_text("\n".join(content) + "\n")
    return tmp_path


RUNS = ("one.run", "two.run", "three.run")


def test_measures(cleverdon: Command, collection: Path) -> None:
    arguments = ("correlate", "qrels.txt", *RUNS, "-m", "nDCG@3", "-m", "AP", "-m", "P@1")
    found = json.loads(cleverdon(*arguments, "-f", "json").stdout)
    runs = {Path(run).stem: str(collection / run) for run in RUNS}
    wanted = correlate(evaluate(str(collection / "qrels.txt"), runs, "nDCG@3 AP P@1"))
    assert [(one["first"], one["second"]) for one in found] == [
        ("nDCG@3", "AP"),
        ("nDCG@3", "P@1"),
        ("AP", "P@1"),
    ]
    for one, other in zip(found, wanted, strict=True):
        assert one["tau_ap"]["value"] == pytest.approx(other.tau_ap.value)
        ends = other.rbo.interval
        assert one["rbo"]["interval"] == pytest.approx([ends.low, ends.high])
    rows = list(csv.DictReader(io.StringIO(cleverdon(*arguments, "-f", "csv").stdout)))
    assert float(rows[2]["spearman high"]) == pytest.approx(wanted[2].spearman.interval.high)
    text = cleverdon(*arguments).stdout
    assert "orders of 3 systems, by 12 queries" in text
    assert "95% intervals of a bootstrap over queries" in text


def test_a_matrix(cleverdon: Command, collection: Path) -> None:
    arguments = ("correlate", "qrels.txt", *RUNS, "-m", "nDCG@3", "-m", "AP", "--matrix", "kendall")
    rows = list(csv.reader(io.StringIO(cleverdon(*arguments, "-f", "csv").stdout)))
    assert rows[0] == ["kendall", "nDCG@3", "AP"]
    assert (rows[1][1], rows[2][2]) == ("1.0", "1.0")
    assert rows[1][2] == rows[2][1]


def test_two_judgments_and_kinds_of_queries(cleverdon: Command, collection: Path) -> None:
    arguments = ("correlate", "qrels.txt", *RUNS, "-m", "AP", "-f", "json")
    (by_judges,) = json.loads(cleverdon(*arguments, "--qrels2", "crowd.txt").stdout)
    assert (by_judges["first"], by_judges["second"]) == ("AP, qrels.txt", "AP, crowd.txt")
    assert by_judges["queries"] == [12, 12]
    (by_kind,) = json.loads(cleverdon(*arguments, "--attributes", "topics.csv").stdout)
    assert (by_kind["first"], by_kind["second"]) == ("AP, long", "AP, short")
    assert by_kind["queries"] == [6, 6]


def test_two_runs(cleverdon: Command) -> None:
    found = json.loads(cleverdon("correlate", "--runs", BM25, DENSE, "-f", "json").stdout)
    for how in ("rbo", "overlap", "kendall_union"):
        wanted = correlate_runs(BM25, DENSE, how=how)
        assert {q: row[how] for q, row in found["queries"].items()} == pytest.approx(wanted)
        assert found["means"][how] == pytest.approx(sum(wanted.values()) / len(wanted))
    options = ("--how", "rbo", "--how", "spearman", "-k", "5", "-p", "0.5")
    text = cleverdon("correlate", "--runs", BM25, DENSE, *options, "-f", "csv").stdout
    first = next(csv.DictReader(io.StringIO(text)))
    assert float(first["rbo"]) == correlate_runs(BM25, DENSE, how="rbo", k=5, p=0.5)["q1"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((QRELS, BM25), "give QRELS and at least two RUNS"),
        ((QRELS, BM25, DENSE, "-m", "AP"), "there is only one measure, AP"),
        ((QRELS, BM25, DENSE, "--how", "rbo"), "goes with --runs"),
        ((QRELS, BM25, DENSE, "--attributes", "x", "--qrels2", "y"), "do not go together"),
        (
            (QRELS, BM25, "-", "--qrels2", QRELS),
            "with --qrels2, RUNS cannot be standard input",
        ),
        (("--runs", BM25, DENSE, "-m", "AP"), "without judgments and measures"),
        (("--runs", BM25, "none.run"), "none.run"),
    ],
)
def test_what_does_not_fit(cleverdon: Command, arguments: tuple[str, ...], message: str) -> None:
    done = cleverdon("correlate", *arguments)
    assert done.returncode != 0
    assert message in done.stderr
    assert done.stderr.count("\n") == 1

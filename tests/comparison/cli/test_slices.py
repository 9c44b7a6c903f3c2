"""Slices on the command line."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.commands import Command

EXAMPLES = Path(__file__).parent.parent.parent.parent / "examples"
FILES = tuple(str(EXAMPLES / name) for name in ("qrels.txt", "bm25.run", "dense.run"))
QUERIES = str(EXAMPLES / "topics.csv")
BY_LANGUAGE = (*FILES, "--attributes", QUERIES, "--by", "language", "-m", "nDCG@10")


def test_a_table_with_the_slices_and_their_comparisons(cleverdon: Command) -> None:
    done = cleverdon("slices", *BY_LANGUAGE, "--baseline", "bm25")
    assert (done.returncode, done.stderr) == (0, "")
    assert "4 queries in 2 slices" in done.stdout
    assert "corrected (holm) for 2 comparisons" in done.stdout


def test_the_slices_together_are_all_queries(cleverdon: Command) -> None:
    held = json.loads(cleverdon("slices", *BY_LANGUAGE, "-f", "json").stdout)
    means = json.loads(cleverdon("eval", *FILES, "-m", "nDCG@10", "-f", "json").stdout)["means"]
    assert held["averages"] == means
    sizes = {part["name"]: len(part["queries"]) for part in held["slices"]}
    assert sizes == {"en": 2, "de": 2}
    for system in ("bm25", "dense"):
        of_slices = [part["averages"][system]["nDCG@10"] for part in held["slices"]]
        assert sum(of_slices) / 2 == pytest.approx(means[system]["nDCG@10"])


def test_csv_has_a_row_for_each_system_and_slice(cleverdon: Command) -> None:
    done = cleverdon("slices", *BY_LANGUAGE, "--baseline", "bm25", "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [(row["slice"], row["system"], row["baseline"]) for row in rows] == [
        ("(all)", "bm25", ""),
        ("(all)", "dense", ""),
        ("en", "bm25", ""),
        ("en", "dense", "bm25"),
        ("de", "bm25", ""),
        ("de", "dense", "bm25"),
    ]
    means = {row["system"]: float(row["value"]) for row in rows if row["slice"] == "en"}
    compared = next(row for row in rows if row["slice"] == "en" and row["baseline"])
    assert float(compared["difference"]) == pytest.approx(means["dense"] - means["bm25"])


def test_numbers_are_cut_into_bins(cleverdon: Command) -> None:
    arguments = (*FILES, "--attributes", QUERIES, "--by", "words", "-m", "RR", "-f", "json")
    held = json.loads(cleverdon("slices", *arguments, "--bins", "2").stdout)
    assert (held["cut"], [part["name"] for part in held["slices"]]) == (True, ["2 to 3", "5 to 8"])
    held = json.loads(cleverdon("slices", *arguments).stdout)
    assert (held["cut"], len(held["slices"])) == (False, 4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--attributes", QUERIES), "several attributes of queries: language, words; name one"),
        (("--attributes", QUERIES, "--by", "langauge"), "did you mean 'language'?"),
        (("--attributes", "none.csv", "--by", "language"), "none.csv"),
        (("--attributes", QUERIES, "--by", "words", "--baseline", "bm52"), "did you mean 'bm25'?"),
        ((), "--attributes"),
    ],
)
def test_errors_are_one_line(cleverdon: Command, arguments: tuple[str, ...], message: str) -> None:
    done = cleverdon("slices", *FILES, *arguments)
    assert done.returncode != 0
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_f_of_mean_precision_and_recall(cleverdon: Command, tmp_path: Path) -> None:
    (tmp_path / "kinds.csv").write_text("query,kind\nq1,a\nq2,a\nq3,b\n")
    typed = ("R N; N R R | R; R", "-m", "SetF")
    options = ("--attributes", "kinds.csv", "--average", "of-means", "-f", "json")
    found = json.loads(cleverdon("slices", *typed, *options).stdout)
    # Precision 1/2 and 2/3, recall 1 and 2/3 in slice a; both 1 in b.
    p, r = (1 / 2 + 2 / 3) / 2, (1 + 2 / 3) / 2
    (of_a, of_b) = (part["averages"]["run"]["SetF"] for part in found["slices"])
    assert of_a == pytest.approx(2 * p * r / (p + r))
    assert of_b == 1

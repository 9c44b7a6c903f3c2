"""cleverdon eval."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.commands import Command


def test_table_shows_scores_and_what_they_rest_on(cleverdon: Command, files: Path) -> None:
    done = cleverdon("eval", "qrels.txt", "good.run", "bad.run", "-m", "AP", "-m", "NumRet")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "system      AP  NumRet",
        "──────  ──────  ──────",
        "good    0.6667       4",
        "bad     0.0000       2",
        "",
        "3 queries, 4 judgments",
        "bad: 2 judged queries missing (evaluated as empty results), "
        "1 extra query without judgments (ignored)",
        "AP is undefined for 1 query (counted as 0)",
    ]
    assert done.stderr.splitlines() == [
        "cleverdon: warning: bad lacks 2 of the judged queries (2, 3)",
    ]


def test_formats_hold_the_same_numbers(cleverdon: Command, files: Path) -> None:
    def run(format: str) -> str:
        done = cleverdon("eval", "qrels.txt", "good.run", "-m", "AP", "--format", format)
        assert done.returncode == 0, done.stderr
        return done.stdout

    expected = 2 / 3
    assert json.loads(run("json"))["means"]["good"]["AP"] == expected
    for format, delimiter in (("csv", ","), ("tsv", "\t")):
        rows = list(csv.DictReader(io.StringIO(run(format)), delimiter=delimiter))
        assert [(row["system"], float(row["AP"])) for row in rows] == [("good", expected)]
    assert run("markdown") == (
        "| system | AP |\n| :--- | ---: |\n| good | 0.6667 |\n\n"
        "3 queries, 4 judgments  \nAP is undefined for 1 query (counted as 0)\n"
    )
    assert r"good & 0.6667 \\" in run("latex")
    assert "<td style='text-align:right'>0.6667</td>" in run("html")


@pytest.mark.parametrize(
    ("file", "format", "more"),
    [
        ("out.csv", "csv", ()),
        ("out.TSV", "tsv", ()),
        ("out.md", "markdown", ()),
        ("out.tex", "latex", ()),
        ("out.html", "html", ()),
        ("out.json", "json", ()),
        ("out.txt", "table", ()),
        ("out.tex", "latex-siunitx", ("-f", "latex-siunitx")),
        ("out.csv", "table", ("-f", "table")),
        ("out.csv", "csv", ("--risk", "1", "--baseline", "bad")),
    ],
)
def test_output_goes_to_a_file(
    cleverdon: Command, files: Path, file: str, format: str, more: tuple[str, ...]
) -> None:
    asked = ("eval", "qrels.txt", "good.run", "bad.run", "-m", "AP", *more)
    named = () if "-f" in more else ("-f", format)
    printed = cleverdon(*asked, *named)
    done = cleverdon(*asked, "-o", file)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert (files / file).read_text() == printed.stdout
    assert cleverdon(*asked, *named, "-o", "-").stdout == printed.stdout


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("good.run", "good.run is read, and would be overwritten: name another"),
        ("no/out.csv", "there is no folder 'no' to write to"),
    ],
)
def test_output_that_cannot_be_written(
    cleverdon: Command, files: Path, file: str, message: str
) -> None:
    done = cleverdon("eval", "qrels.txt", "good.run", "-o", file)
    assert done.returncode == 2
    assert message in done.stderr


def test_queries_are_sorted_by_their_difference_to_a_baseline(
    cleverdon: Command, files: Path
) -> None:
    asked = ("eval", "qrels.txt", "good.run", "bad.run", "-m", "RR", "-q", "-f", "csv")
    done = cleverdon(*asked, "--sort", "RR", "--baseline", "good.run", "--undefined", "worst")
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    lost = [float(row["RR - good"]) for row in rows if row["RR - good"]]
    assert lost == sorted(lost)
    assert {row["system"] for row in rows if not row["RR - good"]} >= {"good"}
    for wrong, message in (
        (("-q",), "--baseline goes with --risk or --sort"),
        (("--sort", "RR"), "--baseline goes with --risk or --per-query"),
    ):
        done = cleverdon("eval", "qrels.txt", "good.run", *wrong, "--baseline", "good")
        assert done.returncode == 2
        assert message in done.stderr


def test_per_query_shows_undefined_values_as_such(cleverdon: Command, files: Path) -> None:
    done = cleverdon("eval", "qrels.txt", "good.run", "-m", "AP", "--per-query")
    assert [line.split() for line in done.stdout.splitlines()[2:5]] == [
        ["good", "1", "1.0000"],
        ["good", "2", "1.0000"],
        ["good", "3", "-"],
    ]


def test_settings_change_what_counts(cleverdon: Command, files: Path) -> None:
    def mean(*options: str) -> float:
        done = cleverdon("eval", "qrels.txt", "bad.run", "-m", "P@1", "-f", "csv", *options)
        assert done.returncode == 0, done.stderr
        return float(done.stdout.splitlines()[1].split(",")[1])

    (files / "bad.run").write_text("1 Q0 b 1 2.0 t\n1 Q0 a 2 2.0 t\n")
    assert mean() == 0
    assert mean("--missing", "skip", "--ties", "ascending") == 1
    assert mean("--missing", "skip", "--ties", "worst") == 0
    assert mean("--missing", "skip", "--order-by", "rank") == 0
    assert mean("--profile", "trec_eval-9", "--ties", "best") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["qrels.txt", "none.run"], "none.run: there is no such file"),
        (["qrels.txt", "."], ".: is a directory; give a file"),
        (["qrels.txt", "good.run", "-m", "nDGC@10"], "no measure 'nDGC'; did you mean 'nDCG@10'?"),
        (["qrels.txt", "good.run", "-m", "P@0"], "P@0: a cut-off is a whole number from 1 to"),
        (["qrels.txt", "good.run", "-m", "P"], "P needs 'k', as in P@10"),
        (["good.run", "qrels.txt"], "looks like a run (6 fields a line); are judgments and run"),
        (["qrels.txt", "good.run", "good.run"], "two runs are called 'good'"),
        (["qrels.txt", "good.run", "--undefined", "error"], "is undefined for query '3'"),
        (["qrels.txt", "bad.run", "--missing", "error"], "bad lacks the judged query '2'"),
        (["qrels.txt", "good.run", "--run-format", "trek"], "did you mean 'trec'?"),
    ],
)
def test_errors_are_one_line_and_an_exit_code(
    cleverdon: Command, files: Path, arguments: list[str], message: str
) -> None:
    done = cleverdon("eval", *arguments)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("cleverdon: error: ")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_wrong_usage_is_one_line_and_exit_code_2(cleverdon: Command, files: Path) -> None:
    for arguments in (
        ["eval"],
        ["eval", "qrels.txt"],
        ["evl"],
        ["eval", "--nope"],
        ["eval", "-", "-"],
    ):
        done = cleverdon(*arguments)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1, done.stderr
        assert "--help shows how" in done.stderr


def test_standard_input_plain_or_packed(cleverdon: Command, files: Path) -> None:
    expected = cleverdon("eval", "qrels.txt", "good.run", "-f", "csv").stdout.replace(
        "good", "stdin"
    )
    done = cleverdon("eval", "qrels.txt", "-", "-f", "csv", stdin=(files / "good.run").read_text())
    assert done.stdout == expected
    script = str(Path(sys.executable).parent / "cleverdon")
    packed = subprocess.run(
        [script, "eval", "qrels.txt", "-", "-f", "csv"],
        cwd=files,
        input=gzip.compress((files / "good.run").read_bytes()),
        capture_output=True,
    )
    assert packed.stdout.decode() == expected


def test_a_reader_that_leaves_early_is_no_error(cleverdon: Command, files: Path) -> None:
    judgments = "".join(f"{q} 0 a 1\n" for q in range(20_000))
    (files / "many.txt").write_text(judgments)
    (files / "many.run").write_text("".join(f"{q} Q0 a 1 1 t\n" for q in range(20_000)))
    script = str(Path(sys.executable).parent / "cleverdon")
    command = f"{script} eval many.txt many.run --per-query | head -1"
    done = subprocess.run(["bash", "-c", command], cwd=files, capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout.startswith("system")


@pytest.mark.skipif(os.name == "nt", reason="Windows sends Ctrl-C in another way")
def test_ctrl_c_ends_a_long_wait(files: Path) -> None:
    script = str(Path(sys.executable).parent / "cleverdon")
    with subprocess.Popen(
        [script, "eval", "qrels.txt", "-"],
        cwd=files,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        time.sleep(1.5)  # until it waits for input that never comes
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 130
        assert process.stderr is not None
        assert process.stderr.read().strip() == "cleverdon: error: interrupted"


@pytest.mark.parametrize("name", ["e.xlsx", "e.parquet", "e.JSONL"])
def test_files_in_formats_that_are_not_written(name: str, cleverdon: Command, files: Path) -> None:
    done = cleverdon("eval", "qrels.txt", "good.run", "-o", name)
    assert done.returncode == 2
    assert f"{name}: results are written as .csv, .tsv, .md, .tex, .html or .json" in done.stderr
    assert not (files / name).exists()


def test_grades_below_the_one_that_is_relevant(cleverdon: Command, files: Path) -> None:
    (files / "half.csv").write_text("query,doc,rating\nq1,a,0.9\nq1,b,0.4\n")
    (files / "half.run").write_text("q1 Q0 a 1 2 t\n")
    done = cleverdon("eval", "half.csv", "half.run", "-m", "AP")
    assert (
        "(no grade reaches 1, from which on a document is relevant; the highest is 0.9: rel= sets "
        "another, as AP(rel=0.9) does)"
    ) in done.stdout

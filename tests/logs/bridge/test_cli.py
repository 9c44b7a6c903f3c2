"""`cleverdon logs bridge`, and what it says."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cleverdon.cli import cleverdon
from cleverdon.errors import CleverdonError
from cleverdon.formats.texts import read_texts
from cleverdon.logs.bridge.analysis import bridge as bridge_of
from cleverdon.logs.bridge.traffic import match_queries
from tests.logs.bridge.made import QRELS, QUERIES, small_traffic

SIZE = 12


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of twelve judged queries and one other, with judgments, queries and two runs.

    Of judged query n there are 20 searches, of which n are clicked; the other one is asked thirty
    times and never found.
    """
    folder = tmp_path_factory.mktemp("bridge")
    queries, events = [], []
    for n in range(SIZE + 1):
        text, asked, results = ("unknown", 30, 0) if n == SIZE else (f"Query {n}", 20, 9)
        for turn in range(asked):
            id, time = f"{n}-{turn}", 1_770_000_000_000 + n * 10_000_000
            queries.append((id, f"u{turn}", time, text, results))
            if turn <= n < SIZE:
                events.append((id, f"u{turn}", time + 5000, "click", "d0", 1, 60_000))
    write(folder / "queries.csv", ("query_id", "user", "time", "text", "results"), queries)
    columns = ("query_id", "user", "time", "action", "doc", "position", "dwell_ms")
    write(folder / "events.csv", columns, events)
    lines = {"topics.tsv": [], "qrels.txt": [], "live.run": [], "new.run": []}
    for n in range(SIZE):
        lines["topics.tsv"].append(f"t{n}\tquery {n}")
        for i in range(SIZE):
            lines["qrels.txt"].append(f"t{n} 0 d{i} 1")
            found = f"d{i}" if i <= n else f"x{i}"
            lines["live.run"].append(f"t{n} Q0 {found} {i + 1} {SIZE - i} live")
            lines["new.run"].append(f"t{n} Q0 d{i} {i + 1} {SIZE - i} new")
    for name, of_file in lines.items():
        (folder / name).write_text("\n".join(of_file) + "\n")
    return folder


def write(path: Path, header: tuple[str, ...], rows: list[tuple[Any, ...]]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def bridge(
    files: Path, *more: str, queries: str = "topics.tsv", qrels: str = "qrels.txt"
) -> Result:
    log = [str(files / "queries.csv"), str(files / "events.csv")]
    given = ["--query-texts", str(files / queries), "--qrels", str(files / qrels), *more]
    return CliRunner().invoke(cleverdon, ["logs", "bridge", *log, *given])


def with_runs(files: Path) -> list[str]:
    return ["--runs", str(files / "live.run"), "--runs", str(files / "new.run"), "-m", "P@12"]


def test_everything_as_tables(files: Path) -> None:
    done = bridge(files, *with_runs(files))
    assert done.exit_code == 0, done.exception
    said = " ".join(done.stdout.split())
    assert "12 of 12 judged queries were asked: 88.9% of all searches (240 of 270" in said
    assert "unknown log-" in said
    assert "30 30 30 30 0 0" in said
    assert "Priority: searches that failed, plus 0.1 times those that went well." in said
    assert "the 12 queries count as 12.0 queries of equal weight" in said
    assert "Warning" not in said
    assert "Over 12 judged queries with at least 10 queries for QueryCTR" in said
    assert "P@12 and QueryCTR agree if the correlation is positive; it has no interval" in said
    assert "Correlation is not causation." in said


def test_all_digits_as_json(files: Path) -> None:
    done = bridge(files, *with_runs(files), "--metric", "ClickRank", "--least", "5", "-f", "json")
    held = json.loads(done.stdout)
    assert held["coverage"]["covered"] == 240
    assert held["coverage"]["share"] == 240 / 270
    (one,) = held["to_judge"]["candidates"]
    assert (one["text"], one["asked"], one["failing"], one["priority"]) == ("unknown", 30, 30, 30.0)
    assert one["failures"] == {"zero_results": 30, "abandoned": 0, "reformulated": 0}
    live, new = held["weighted"]["means"]
    assert (live["system"], live["measure"]) == ("live", "P@12")
    assert live["weighted"] == pytest.approx(6.5 / 12)
    assert new["weighted"] == 1
    (apart,) = held["weighted"]["differences"]
    assert apart["weighted"] == pytest.approx(5.5 / 12)
    assert apart["interval"][0] < 5.5 / 12 < apart["interval"][1]
    (correlation,) = held["correlations"]
    # Every click is on rank 1: there is nothing to go together.
    assert (correlation["metric"], correlation["kendall"]["value"]) == ("ClickRank", None)
    assert (len(correlation["points"]), correlation["seldom"]) == (8, 4)
    assert correlation["few"]


def test_what_is_to_be_judged_is_written(files: Path, tmp_path: Path) -> None:
    output = tmp_path / "next.tsv"
    done = bridge(files, "--write-queries", str(output))
    assert done.exit_code == 0, done.exception
    assert "1 queries to judge" not in done.stderr
    assert "1 query to judge" in done.stderr
    assert [text.line for text in read_texts(str(output)).values()] == ["unknown"]
    assert "by traffic" not in done.stdout, "there are no runs"


def test_the_production_run_can_be_named(files: Path) -> None:
    given = [*with_runs(files), "--production", "new", "--metric", "Success"]
    said = " ".join(bridge(files, *given).stdout.split())
    assert "as ranked by new" in said
    assert "Success is computed over searches here, not over sessions." in said
    assert (
        "P@12 and Success: one of them has the same value for all queries, so nothing can be said."
        in said
    )


def test_few_queries_tell_nothing(files: Path) -> None:
    (files / "few.txt").write_text("t0 0 d0 1\nt1 0 d1 1\nnone 0 d1 1\n")
    done = bridge(files, "--runs", str(files / "live.run"), "--top", "1", qrels="few.txt")
    said = " ".join(done.stdout.split())
    assert "2 of 3 judged queries were asked" in said
    assert "The 1 most frequent are listed" in said
    assert "Judged, but without a text: none." in said
    assert "Warning: a few queries have most of the weight" in said
    assert "Fewer than 10 queries: the coefficients of nDCG@10 and QueryCTR say nothing." in said
    assert "cause" not in said


def test_judgments_are_read_as_profile_and_options_say(files: Path) -> None:
    (files / "twice.txt").write_text("t0 0 d0 1\nt0 0 d0 0\nt1 0 d1 1\n")
    given = [
        "--runs",
        str(files / "live.run"),
        "--duplicates",
        "first",
        "--profile",
        "trec_eval-10",
    ]
    done = bridge(files, *given, "--qrels-format", "trec", "-f", "json", qrels="twice.txt")
    assert done.exit_code == 0, done.exception
    assert json.loads(done.stdout)["weighted"]["queries"] == 2


def test_queries_with_the_same_text_are_told(files: Path) -> None:
    (files / "twins.tsv").write_text("t0\tquery 0\nt1\tQUERY 0\nt2\tboots\n")
    (files / "three.txt").write_text("t0 0 d0 1\nt1 0 d1 1\nt2 0 d1 1\n")
    said = " ".join(bridge(files, queries="twins.tsv", qrels="three.txt").stdout.split())
    assert "t0 and t1 have the same text and share its traffic equally." in said
    assert "Never asked: t2." in said


@pytest.mark.parametrize(
    ("format", "table"), [("markdown", "| :--- | :--- |"), ("html", "<table>")]
)
def test_other_formats(format: str, table: str) -> None:
    found = bridge_of(small_traffic().tables, match_queries(QUERIES, QRELS))
    assert found.render(format).count(table) == 2
    assert found.to_csv("to judge").startswith("to judge next,id,why,priority,asked,users,")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--metric", "QueryCTR"], "--metric goes with --runs"),
        (["--write-queries", "no/such/folder/next.tsv"], "there is no folder"),
    ],
)
def test_what_does_not_go_together(files: Path, given: list[str], message: str) -> None:
    done = bridge(files, *given)
    assert done.exit_code == 2
    assert message in done.stderr


@pytest.mark.parametrize(
    ("given", "files_given", "message"),
    [
        (["--runs", "live.run", "--metric", "Users"], {}, "Users has no value for a single query"),
        (["--runs", "live.run", "--production", "x"], {}, "there is no system 'x'"),
        (
            [],
            {"queries": "other.tsv"},
            "no query id in common with the judgments: there is a text of 'a'",
        ),
        (
            ["--runs", "live.run"],
            {"queries": "silent.tsv"},
            "has traffic: nobody searched for them",
        ),
    ],
)
def test_errors_are_told(
    files: Path,
    monkeypatch: pytest.MonkeyPatch,
    given: list[str],
    files_given: dict[str, str],
    message: str,
) -> None:
    monkeypatch.chdir(files)
    (files / "other.tsv").write_text("a\tquery 1\n")
    (files / "silent.tsv").write_text("t1\tnobody asks that\n")
    done = bridge(files, *given, **files_given)
    assert isinstance(done.exception, CleverdonError)
    assert message in str(done.exception)

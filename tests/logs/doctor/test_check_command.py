"""cleverdon logs check, as people call it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cleverdon.logs.cli import check_command
from cleverdon.logs.metrics.base import metrics
from tests.logs.doctor.rows import click, healthy


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, so that files have short names."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(check_command, arguments, standalone_mode=True)


def put(folder: Path, queries: list[Any], events: list[Any], *broken: str) -> None:
    for name, rows in (("queries", queries), ("events", events)):
        lines = [json.dumps(row) for row in rows]
        lines += broken if name == "events" else ()
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n")


def test_a_healthy_log(folder: Path) -> None:
    put(folder, *healthy())
    result = run(".")
    assert result.exit_code == 0, result.output
    assert ".: 4 searches by 2 users, 2026-03-02 to 2026-03-02\n" in result.output
    assert "12 events: 7 impression, 3 click, 1 conversion, 1 copy\n" in result.output
    every = len(metrics())
    assert f"The log supports {every} of {every} metrics in full:" in result.output
    assert result.output.endswith("0 errors, 0 warnings, 0 notes\n")


def test_what_is_wrong_is_shown_with_rows_and_remedies(folder: Path) -> None:
    pages, events = healthy()
    for row in pages:
        del row["latency_ms"]
    put(folder, pages, [*events, click(pages[0], 9, 20), events[0]], "{broken")
    result = run(".", "--examples", "1")
    assert result.exit_code == 1, result.output
    lines = result.output.splitlines()
    at = next(n for n, line in enumerate(lines) if "(clicks-without-impressions)" in line)
    assert lines[at : at + 4] == [
        "error: clicks on results without an impression: 1 of 4 clicks, 25.0% "
        "(clicks-without-impressions)",
        "    | query_id=q1  time=2026-03-02 00:00:20  doc=d9  position=9  shown_results=4",
        "    spoils ImpressionCTR, LinkCTR",
        "    check whether impressions are lost, or logged under other ids of query or document",
    ]
    assert "(rows-set-aside)" in result.output
    assert "events.jsonl:15: {broken" in result.output
    at = lines.index("Not at all:")
    assert lines[at : at + 4] == [
        "Not at all:",
        "  Latency, LatencyByLoad, LatencySpikes",
        "    queries.latency_ms is missing: the duration of the search, in milliseconds",
        "    to have it, in a mapping file, below queries: `latency_ms: COLUMN`",
    ]
    at = lines.index("Checks that were skipped:")
    assert lines[at + 1 : at + 3] == [
        "  odd-latencies, latency-unit",
        "    they need queries.latency_ms",
    ]
    assert lines[-1] == "4 errors, 0 warnings, 0 notes"


def test_programs_get_the_same_as_records(folder: Path) -> None:
    pages, events = healthy()
    put(folder, pages, [*events, click(pages[0], 9, 20)])
    result = run(".", "--format", "json", "--bot-hour", "7", "--skew", "2")
    assert result.exit_code == 1
    told = json.loads(result.output)
    (finding,) = told["findings"]
    assert (finding["name"], finding["count"], finding["total"], finding["share"]) == (
        "clicks-without-impressions",
        1,
        4,
        0.25,
    )
    assert finding["examples"][0]["doc"] == "d9"
    assert told["size"]["events"] == 13
    assert told["supports"][0] == {
        "metric": "Abandonment",
        "verdict": "yes",
        "missing": [],
        "nulls": {},
        "stand_ins": {},
        "lacks_actions": [],
    }
    assert told["limits"]["bots"]["searches_per_hour"] == 7
    assert told["limits"]["skew_seconds"] == 2


def test_strict_fails_on_warnings(folder: Path) -> None:
    pages, events = healthy()
    put(folder, pages, [*events, click(pages[0], 1, 20, user="eve")])
    lenient = run(".")
    assert lenient.output.endswith("0 errors, 1 warning, 0 notes\n")
    assert lenient.exit_code == 0
    assert run(".", "--strict").exit_code == 1

"""cleverdon logs report: from files to a page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from cleverdon.logs.cli import report_command
from cleverdon.logs.generator.writer import generate_log
from tests.reports.examples import without_vega


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("made")
    generate_log(folder, events=3000, days=3)
    return str(folder)


def run(*arguments: str) -> tuple[int, str]:
    with without_vega():
        found = CliRunner().invoke(report_command, [*arguments, "--log-format", "cleverdon"])
    return found.exit_code, found.output


def test_a_page_and_its_data(log: str, tmp_path: Path) -> None:
    page = tmp_path / "week.html"
    code, said = run(log, "-o", str(page), "--title", "Week <1>", "--control", "B", "--data")
    assert code == 0, said
    assert f"{page} is written" in said
    html = page.read_text("utf-8")
    assert "<title>Week &lt;1&gt;</title>" in html
    content = json.loads(page.with_suffix(".json").read_text("utf-8"))
    assert content["abtest"]["control"] == "B"
    assert content["doctor"]["findings"]
    truth = json.loads((Path(log) / "truth.json").read_text("utf-8"))
    assert f"{truth['total']['sessions']:,} sessions" in content["headline"]
    # Users are u000000000001 and so on.
    assert "u0000000" not in html


def test_how_to_count_is_as_in_metrics(log: str, tmp_path: Path) -> None:
    page = tmp_path / "it.html"
    arguments = ("--idle", "5", "--least-users", "2", "--days-in", "Asia/Tokyo", "--no-check")
    code, said = run(log, "-o", str(page), *arguments, "--data")
    assert code == 0, said
    content = json.loads(page.with_suffix(".json").read_text("utf-8"))
    assert content["method"]["facts"]["Session"].endswith("for 5 minutes")
    assert content["method"]["facts"]["Days in"] == "Asia/Tokyo"
    assert content["doctor"] is None


def test_what_is_read_is_not_overwritten(log: str, tmp_path: Path) -> None:
    inside = tmp_path / "log.html"
    inside.write_text("a log, whatever its name")
    code, said = run(str(inside), "-o", str(inside))
    assert code == 2
    assert "would be overwritten" in said
    assert inside.read_text() == "a log, whatever its name"
    assert run(log, "-o", "nowhere/at/all.html")[0] == 2
    code, said = run(log, "-o", str(tmp_path / "it.pdf"))
    assert code == 2
    assert "a report is a page" in said

"""The options by which every command of `cleverdon logs` reads a log."""

from __future__ import annotations

import contextlib
import json
import shlex

import click
import duckdb
import pytest
from click.testing import CliRunner

from cleverdon.cli import cleverdon
from cleverdon.cli.declarations import command, option
from cleverdon.errors import InputError
from cleverdon.logs import cli as logs_cli
from cleverdon.logs.generator.writer import generate_log
from cleverdon.logs.interleaving.base import write_records
from cleverdon.logs.interleaving.methods import TeamDraft
from tests.logs.reading.rows import AT, written
from tests.reports.examples import Outline


class TopOptions(logs_cli.LogOptions):
    top: int = option(click.INT, "", default=3)


@command(TopOptions)
def top_command(given):
    log = given.open_log()
    return f"{log.format} {log.queries.count().to_pyarrow().as_py()} {given.top}"


def run(*arguments):
    return CliRunner().invoke(top_command, [str(argument) for argument in arguments])


@pytest.fixture
def log(tmp_path):
    lines = [json.dumps({"query_id": str(i), "time": AT + i}) for i in range(1200)]
    return written(tmp_path / "queries.jsonl", *lines, "nope", "{}")


def test_rows_that_were_set_aside_are_told_in_one_line(log):
    result = run(log)
    assert result.stdout == "cleverdon 1200 3\n"
    assert result.stderr == (
        f"cleverdon: 2 of 1,202 rows were set aside; to see them: cleverdon logs check {log}\n"
    )


def test_the_command_that_shows_them_can_be_pasted(tmp_path):
    lines = ("id,at,n", f"1,{AT},3", f"2,{AT},-3", "3,,3")
    asked = written(tmp_path / "my queries.csv", *lines)
    done = written(tmp_path / "events.csv", "at,did", f"{AT},click")
    mapping = written(
        tmp_path / "map.yaml",
        "queries: {query_id: id, time: at, results: n}",
        "events: {time: at, action: did}",
    )
    options = ["--mapping", str(mapping), "--timezone", "Asia/Tokyo"]
    result = run(asked, done, *options)
    told, _, command = result.stderr.strip().partition("; to see them: ")
    assert told == "cleverdon: 1 of 4 rows was set aside, and 1 value was read as unknown"
    assert shlex.split(command) == ["cleverdon", "logs", "check", str(asked), str(done), *options]


def test_a_password_is_not_in_the_command(tmp_path):
    file = tmp_path / "log.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute("CREATE TABLE queries AS SELECT NULL::VARCHAR AS query_id, 1 AS time")
    result = run(f"duckdb://{file}?password=secret&read_only=True")
    assert "secret" not in result.stderr
    result = run(f"duckdb://{file}?read_only=True")
    assert result.stderr.endswith(f"logs check duckdb://{file}\n")


def test_options_reach_the_reader(tmp_path):
    file = written(tmp_path / "x.csv", "id,at", "1,2026-01-01 00:00")
    mapping = written(tmp_path / "map.yaml", "queries: {query_id: id, time: at}")
    result = run(file, "--mapping", mapping, "--timezone", "Asia/Tokyo", "--top", 5)
    assert result.stdout == "map.yaml 1 5\n"
    assert result.stderr == ""


def test_a_format_that_does_not_fit(log):
    result = run(log, "--log-format", "matomo")
    assert isinstance(result.exception, InputError)


def test_a_log_has_to_be_given():
    assert "Missing argument 'LOG...'" in run().stderr


@pytest.fixture(scope="module")
def with_bots(tmp_path_factory):
    """A log with programs, and what commands need beside it; and what is known of the programs."""
    folder = tmp_path_factory.mktemp("bots")
    truth = generate_log(folder / "log", events=4000, seed=3, bots=0.06, effect=0.2)
    (folder / "topics.tsv").write_text("t1\tbicycle\n")
    (folder / "qrels.txt").write_text("t1 0 d1 1\n")
    record = TeamDraft(seed=1).interleave(["d1", "d2"], ["d2", "d1"], query_id="q1").record
    write_records(folder / "records.jsonl", [record])
    return folder, truth.bots


COMMANDS = {
    "check": "check log",
    "metrics": "metrics log -m PageCTR",
    "abtest": "abtest log -m Success",
    "interleave": "interleave records.jsonl log",
    "judge": "judge log -o clicks.qrels --min-impressions 1 --held-out 0",
    "bridge": "bridge log --query-texts topics.tsv --qrels qrels.txt",
}


def run_logs(folder, words):
    with contextlib.chdir(folder):
        done = CliRunner().invoke(cleverdon, ["logs", *words.split()], catch_exceptions=False)
    # The doctor's exit code is 1, since so many programs are an error.
    assert done.exit_code in ((0, 1) if words.startswith("check") else (0,)), done.output
    return done


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_says_what_was_left_out_as_programs(with_bots, name):
    folder, bots = with_bots
    json_of = f"{COMMANDS[name]} -f json"
    assert json.loads(run_logs(folder, json_of).stdout)["without_bots"] is None
    found = json.loads(run_logs(folder, f"{json_of} --without-bots").stdout)["without_bots"]
    assert (found["users"], found["searches"], found["events"]) == (bots.users, bots.pages, 0)
    assert found["rules"].startswith("more than 100 searches in an hour")
    told = f"Excluded as bots: {bots.users} users, with {bots.pages:,} searches"
    done = run_logs(folder, f"{COMMANDS[name]} --without-bots")
    assert told in " ".join(done.stdout.split())
    assert done.stderr.startswith(f"cleverdon: {told}")


def test_every_format_of_tables_says_what_was_left_out_as_programs(with_bots):
    folder, bots = with_bots
    told = f"Excluded as bots: {bots.users} users"
    for name, formats in (
        ("metrics", ("table", "markdown", "latex", "html")),
        ("abtest", ("text", "table", "markdown", "latex", "html")),
        ("bridge", ("table", "markdown", "html")),
    ):
        for format in formats:
            done = run_logs(folder, f"{COMMANDS[name]} --without-bots -f {format}")
            assert told in " ".join(done.stdout.split()), (name, format)
    for name in ("metrics", "abtest"):  # csv has no room for it
        done = run_logs(folder, f"{COMMANDS[name]} --without-bots -f csv")
        assert done.stderr.startswith(f"cleverdon: {told}")


def test_the_report_says_what_was_left_out_as_programs(with_bots):
    folder, bots = with_bots
    run_logs(folder, "report log --without-bots -o report.html --data")
    found = json.loads((folder / "report.json").read_text())
    assert found["without_bots"]["searches"] == bots.pages
    told = f"Excluded as bots: {bots.users} users"
    assert len([note for note in found["notes"] if note.startswith(told)]) == 1
    page = Outline((folder / "report.html").read_text())
    assert any(told in text for text in page.text.values())

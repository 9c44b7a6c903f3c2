"""The options by which every command of `cleverdon logs` reads a log."""

from __future__ import annotations

import json
import shlex

import click
import duckdb
import pytest
from click.testing import CliRunner

from cleverdon.cli import logs_options
from cleverdon.errors import InputError
from tests.online.reading.rows import AT, written


@click.command()
@logs_options.log
@click.option("--top", default=3)
def command(sources, reading, top):
    log = logs_options.opened(sources, reading)
    click.echo(f"{log.format} {log.queries.count().to_pyarrow().as_py()} {top}")


def run(*arguments):
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


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

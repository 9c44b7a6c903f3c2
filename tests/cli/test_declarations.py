"""Constraints between options, option records, and the printing of what commands return."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from cleverdon.cli.declarations import (
    Options,
    argument,
    at_least,
    at_most,
    command,
    distinct,
    excludes,
    flag,
    group,
    needs_any,
    needs_one,
    no_stdin,
    one_stdin,
    option,
    requires,
    rereadable,
    together,
    writes,
)
from cleverdon.errors import UsageError


class RunOptions(Options):
    runs: tuple[str, ...] = argument(nargs=-1)
    model: str | None = option("NAME", "")
    way: str | None = option("NAME", "")
    output: str | None = option("FILE", "", short="-o")
    format_: str = option("NAME", "", short="-f", default="table")
    depth: int = option(click.INT, "The depth.", default=10)


@command(RunOptions)
@requires("RUNS", "--model", because="without a model there is nothing to compare")
@requires("--depth", "--way majority", "--way median")
@together("--way", "--output")
@excludes("--model", "-f csv")
def run_command(given: RunOptions) -> Any:
    return f"{given.model} {given.depth}"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("a.run", "RUNS goes with --model: without a model there is nothing to compare"),
        ("--depth 3", "--depth goes with --way majority or median"),
        ("--depth 3 --way mean -o x", "--depth goes with --way majority or median"),
        ("--way mean", "--way and --output go together"),
        ("--model m -f csv", "--model and -f csv do not go together"),
    ],
)
def test_what_is_refused(arguments: str, message: str) -> None:
    done = CliRunner().invoke(run_command, arguments.split())
    assert done.exit_code == 2
    assert message in done.output


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        ("", "None 10"),
        ("--model m a.run", "m 10"),
        ("--depth 3 --way median -o x", "None 3"),
        ("-f csv", "None 10"),
    ],
)
def test_what_is_not(arguments: str, printed: str) -> None:
    done = CliRunner().invoke(run_command, arguments.split())
    assert (done.exit_code, done.output.strip()) == (0, printed)


class ChoiceOptions(Options):
    pool: str | None = option("FILE", "")
    runs: str | None = option("FILE", "")


class FileOptions(Options):
    runs: tuple[str, ...] = argument(nargs=-1)
    qrels: str | None = option("FILE", "")
    pool: str | None = option("FILE", "")
    way: str = option("NAME", "", default="depth")


@command(FileOptions)
@at_least(2, "RUNS", because="they vote on each other")
@no_stdin("--qrels", "RUNS", where="--qrels", because="it is read twice")
@needs_any("--qrels", "--pool")
@requires("--way rrf", "--pool", "no --qrels")
def file_command(given: FileOptions) -> str:
    return "done"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("a", "give at least two RUNS: they vote on each other"),
        ("a -", "give --qrels or --pool"),
        ("a - --qrels x", "with --qrels, RUNS cannot be standard input: it is read twice"),
        ("a b --qrels -", "with --qrels, --qrels cannot be standard input"),
        ("a b --qrels x --way rrf", "--way rrf needs --pool or no --qrels"),
        ("a - --pool x --way rrf", "done"),
        ("a b --qrels x --pool y --way rrf", "done"),
    ],
)
def test_values_and_files(arguments: str, message: str) -> None:
    assert message in CliRunner().invoke(file_command, arguments.split()).output


class OutputOptions(Options):
    runs: tuple[str, ...] = argument(nargs=-1)
    sizes: tuple[int, ...] = option(click.INT, "", multiple=True)
    json: str | None = option("FILE", "")
    plot: str | None = option("FILE", "")


@command(OutputOptions)
@at_least(3, "--sizes", where="--plot", because="growth is fitted to them")
@rereadable("RUNS", because="it is read each day")
def output_command(given: OutputOptions) -> str:
    if given.json == "none":
        raise UsageError("there is nothing to write")
    return "done"


class WriteOptions(Options):
    runs: tuple[str, ...] = argument(click.Path(), nargs=-1)
    output: str = option(click.Path(), "", short="-o", default="-")
    plot: str | None = option(click.Path(), "")


@command(WriteOptions)
@at_most(3, "RUNS", because="they are shown side by side")
@distinct("RUNS")
@one_stdin("RUNS", "--plot")
@writes("--output", "--plot")
@requires(["--plot", "--output"], "RUNS")
def write_command(given: WriteOptions) -> str:
    return "done"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("--plot a --sizes 1", 2, "with --plot, give at least three sizes: growth is fitted"),
        ("--plot a --sizes 1 --sizes 2 --sizes 3 --json b", 0, "done"),
        ("a -", 2, "standard input cannot be read again: it is read each day"),
        ("x=/dev/null", 2, "/dev/null cannot be read again"),
        ("nothing.run", 0, "done"),
        ("--json none", 2, "there is nothing to write"),
    ],
)
def test_outputs(arguments: str, code: int, message: str) -> None:
    done = CliRunner().invoke(output_command, arguments.split())
    assert done.exit_code == code
    assert message in done.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("a b c d", "give at most 3 RUNS: they are shown side by side"),
        ("a b a", "RUNS: a is given twice"),
        ("a - --plot -", "only one of RUNS and --plot can be standard input"),
        ("a -o x --plot ./x", "x would be written twice: name two files"),
        ("a -o no/x", "there is no folder 'no' to write to"),
        ("a -o a", "a is read, and would be overwritten: name another"),
        ("-o x", "--output goes with RUNS"),
        ("a b - -o x --plot y", "done"),
    ],
)
def test_arguments_and_outputs(
    arguments: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a").touch()
    assert message in CliRunner().invoke(write_command, arguments.split()).output


def test_the_flags_of_a_record() -> None:
    assert RunOptions.flags("depth") == ["--model", "--way", "--output", "--format"]


def test_one_of_several() -> None:
    @command(ChoiceOptions)
    @needs_one("--pool", "--runs", what="what is to be judged")
    def chosen(given: ChoiceOptions) -> int:
        return 3

    run = CliRunner().invoke
    assert "what is to be judged: give --pool or --runs" in run(chosen, []).output
    both = run(chosen, ["--pool", "a", "--runs", "b"])
    assert "--pool and --runs do not go together" in both.output
    assert run(chosen, ["--pool", "a"]).exit_code == 3


def test_a_constraint_on_an_option_that_does_not_exist_is_a_defect() -> None:
    @command(ChoiceOptions)
    @requires("--nothing", "--more")
    def wrong(given: ChoiceOptions) -> None:
        return None

    assert isinstance(CliRunner().invoke(wrong, []).exception, LookupError)


class LogOptions(Options):
    format: str | None = option("NAME", "Of the log.", flags="--log-format")
    k: int = option(click.INT, "How many.", default=5)


class MoreOptions(ChoiceOptions):
    dry_run: bool = flag("Write nothing.", short="-n")
    log: LogOptions = group(LogOptions, prefix="log_")
    format: str = option("NAME", "To print in.", default="table")


@command(MoreOptions)
def more_command(given: MoreOptions) -> str:
    return f"{given.dry_run} {given.log.format} {given.log.k} {given.format} {given.pool}"


def test_the_names_of_options_follow_from_their_fields() -> None:
    run = CliRunner().invoke
    given = ["-n", "--log-format", "ubi", "--format", "csv", "--pool", "p"]
    assert run(more_command, given).output == "True ubi 5 csv p\n"
    assert run(more_command, ["--dry-run"]).output == "True None 5 table None\n"


def test_help_has_the_options_of_a_base_class_last() -> None:
    flags = [one.opts[-1] for one in more_command.params]
    own = ["--dry-run", "--log-format", "-k", "--format", "--pool", "--runs"]
    assert flags == [*own, "--python", "--help-all"]


def test_a_default_is_shown_unless_the_help_says_it() -> None:
    printed = CliRunner().invoke(more_command, ["--help"]).output
    assert "[default: table]" in printed


def test_a_record_can_be_made_and_changed_in_a_program() -> None:
    record = MoreOptions(pool="p")
    assert (record.pool, record.dry_run, record.format) == ("p", False, "table")
    assert (record.changed(pool="q").pool, record.pool) == ("q", "p")


def test_fields_become_the_keywords_of_a_function() -> None:
    def score(runs: object, *, depth: int, way: str = "", seed: int = 0) -> None: ...

    given = RunOptions(runs=("a",), model="m", way="rrf", depth=3)
    assert given.keywords(score, runs="opened", seed=7) == {
        "runs": "opened",
        "way": "rrf",
        "depth": 3,
        "seed": 7,
    }

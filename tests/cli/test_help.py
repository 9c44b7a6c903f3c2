"""--help fits on one screen, and --help-all has every option."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from cleverdon.cli import _WELCOME, COMMAND_GROUPS, COMMANDS, cleverdon
from cleverdon.cli.help import _LINES, _split_description
from tests.cli.test_help_examples import commands, examples, found, words_of
from tests.commands import run_here

PATHS = [(), *commands(cleverdon)]


def help_of(path: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, option: str, width: int) -> str:
    monkeypatch.setenv("COLUMNS", str(width))
    return run_here([*path, option], Path(), stdin="").stdout


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_help_fits_on_one_screen(path: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    text = help_of(path, monkeypatch, "--help", 100)
    assert len(text.splitlines()) <= _LINES
    assert max(map(len, text.splitlines())) <= 100
    if path == ("trec_eval",):  # which has the layout of trec_eval
        assert text.index("Examples:\n  cleverdon trec_eval ") < text.index("  -h, --help")
        return
    start = text.index("Usage:"), text.index("Example"), text.index("Options:")
    assert list(start) == sorted(start)  # before all options, an example that can be copied
    assert " ".join(["cleverdon", *path]) in text[start[1] : start[2]]
    assert len(help_of(path, monkeypatch, "--help", 80).splitlines()) <= _LINES + 6


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_help_all_lists_every_option(
    path: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = found(path)
    text = help_of(path, monkeypatch, "--help-all", 100)
    if path == ("trec_eval",):
        assert "--Max_retrieved_per_topic" in text
        assert "all_trec: runid num_q" in text
        return
    listed = {word.strip(",") for word in text.split() if word.startswith("-")}
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert listed >= {*parameter.opts, *parameter.secondary_opts}
    for example in examples(command):
        assert " ".join(example.split()) in " ".join(text.replace("\\\n", "").split())


def test_the_options_that_many_commands_share_are_in_help_all_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    brief = help_of(("eval",), monkeypatch, "--help", 100)
    whole = help_of(("eval",), monkeypatch, "--help-all", 100)
    for option in ("--ties", "--precision", "--qrels-format", "--digits", "--columns"):
        assert option not in brief
        assert option in whole
    for heading in ("Files:", "Layout:", "Choices on which tools differ:"):
        assert heading in whole


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_an_option_is_one_plain_line(
    path: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    if path == ("trec_eval",):
        return
    _, _, options = help_of(path, monkeypatch, "--help", 100).partition("Options:\n")
    assert [line for line in options.splitlines() if not line.startswith("  -")] == []
    assert not re.search(r"(, \.$)|\.{4}", options, flags=re.MULTILINE)


def test_a_long_list_of_choices_stands_in_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    for path, line in {
        ("pool", "make"): "How to choose documents: depth, rrf, rbp, combmnz, ...\n",
        ("correlate",): "With --runs: the coefficient (rbo, overlap, kendall, ...).\n",
        ("judge", "export"): "What to write: published, adjudicated, majority, median, ...\n",
        ("pool", "expand"): "The queries' texts: TSV, JSONL, TREC topics, ...\n",
        ("logs", "judge"): "The values above which grades 1, 2, ... begin.\n",
    }.items():
        assert line in help_of(path, monkeypatch, "--help", 100)


def test_an_example_that_is_shown_parses() -> None:
    """`test_examples_can_be_parsed` parses all of them; those that --help shows are among them."""
    for path in PATHS:
        command = found(path)
        _, shown, _ = _split_description(command.help or "")
        if path != ("trec_eval",):
            assert shown
            known = [words_of(one) for one in examples(command)]
            for one in shown:
                if one.strip().startswith("cleverdon"):
                    words = words_of(one.strip().removeprefix("cleverdon ").replace("\\\n", " "))
                    assert words in known


def test_commands_stand_in_groups() -> None:
    groups = list(COMMAND_GROUPS)
    assert groups[0] == "Most used"
    assert len(COMMAND_GROUPS["Most used"]) == 5
    assert groups[1:] == ["Score", "Compare", "Show", "Judge", "Logs", "Engines", "Files"]
    assert sum(map(len, COMMAND_GROUPS.values())) == len(COMMANDS)


def test_help_of_all_names_the_commands_within_groups(tmp_path: Path) -> None:
    text = run_here(["--help-all"], tmp_path).stdout
    for path in commands(cleverdon):
        assert f" {' '.join(path)} " in text


def test_without_a_command_three_things_to_try(tmp_path: Path) -> None:
    done = run_here([], tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"{_WELCOME}\n")
    tried = [
        line.split("  ")[1] for line in _WELCOME.splitlines() if line.startswith("  cleverdon")
    ]
    assert len(tried) == 3
    assert all(len(line) <= 100 for line in _WELCOME.splitlines())
    (tmp_path / "qrels.txt").write_text("q 0 d 1\n")
    (tmp_path / "first.run").write_text("q Q0 d 1 1 x\n")
    for line in tried[:2]:
        assert run_here(words_of(line)[1:], tmp_path).returncode == 0

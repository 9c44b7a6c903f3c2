"""`cleverdon COMMAND --python` prints a script that does what the command does."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import sys
import warnings
from pathlib import Path
from typing import Any

import click
import pytest

from cleverdon.cli import cleverdon
from cleverdon.cli.equivalents import EQUIVALENTS, WITHOUT
from tests.cli.test_help_examples import commands, found
from tests.commands import run_here
from tests.transcript.inputs import fill
from tests.transcript.invocations import Invocation, all_invocations


def _command(words: tuple[str, ...]) -> str:
    """Return the command of a line: its first words."""
    group = found(words[:1])
    return " ".join(words[: 2 if isinstance(group, click.Group) else 1])


RECORDED = [
    each
    for each in all_invocations()
    if len(each.steps) == 1
    and each.group != "help"
    and each.steps[0].program == "cleverdon"
    and each.steps[0].stdin is None
    and not {*"~@!%"} & {*each.marks}
    and _command(each.steps[0].arguments) in EQUIVALENTS
    and (
        os.environ.get("HYPOTHESIS_PROFILE") == "fuzz"
        or each.group == "eval"
        or not re.search(r"-(csv|tsv|markdown|latex|html)$", each.id)
    )
]
"""Recorded command lines: single ones, whose output is no measurement.

Of commands other than eval, the formats are left to `make fuzz`.
"""

_EAGER = ("--list", "--explain", "--methods")
"""Options that print something and end the command."""


def run_script(script: str, folder: Path) -> str:
    """Run a script in an empty namespace; return what it prints."""
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(io.StringIO()),
        pytest.MonkeyPatch.context() as patch,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")  # notes on input files, which commands print
        patch.setattr(sys, "argv", ["script"])
        exec(compile(script, "script", "exec"), {"__name__": "__main__"})
    return out.buffer.getvalue().decode()


def files(folder: Path) -> dict[str, bytes]:
    """Return the content of all files that are the same each time they are written."""
    return {
        str(path.relative_to(folder)): re.sub(rb"gradient_\d+", b"", path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix not in (".db", ".pyc", ".pdf")
    }


def same(printed: str, expected: str) -> bool:
    """Compare output; in JSON, 1 and 1.0 are the same number."""

    def read(text: str) -> Any:
        try:
            return json.loads(text)
        except ValueError:
            return text.rstrip("\n")

    return bool(read(printed) == read(expected))


@pytest.mark.parametrize("invocation", RECORDED, ids=lambda each: each.name)
def test_the_script_does_what_the_command_does(invocation: Invocation, tmp_path: Path) -> None:
    _compare(invocation.steps[0].arguments, tmp_path)


OTHERS = """
collection merge made/qrels.txt made/second.txt -o x.txt --qrels-format trec --on-contradiction max
collection diff many/qrels.txt many/crowd.txt many/bm25.run many/dense.run --qrels-format trec -m AP
worst many/qrels.txt many/bm25.run many/dense.run --queries examples/queries.tsv -f json
worst many/qrels.txt many/bm25.run many/dense.run --documents many/docs.jsonl
logs judge log -o x.qrels --query-texts made/topics.tsv --min-impressions 0 --click-model PBM
logs judge log -o x.qrels --query-texts made/topics.tsv --min-impressions 0 --grades 0.1,0.3,0.6
report many/qrels.txt many/bm25.run many/dense.run --documents many/docs.jsonl --data
report many/qrels.txt many/bm25.run --queries examples/queries.tsv --data
"""


@pytest.mark.parametrize("line", OTHERS.strip().splitlines())
def test_the_script_does_what_options_without_a_recording_do(line: str, tmp_path: Path) -> None:
    assert _compare(tuple(line.split()), tmp_path)


def _compare(words: tuple[str, ...], tmp_path: Path) -> bool:
    """Compare a command with its script; return whether it has one."""
    one, two = tmp_path / "command", tmp_path / "script"
    for folder in (one, two):
        folder.mkdir()
        fill(folder, words)
    written = run_here([*words, "--python"], two)
    if written.returncode == 0 and not {*words} & {*_EAGER}:
        done = run_here(words, one)
        if done.stdout or files(one) != files(two):
            printed = run_script(written.stdout, two)
            assert files(one) == files(two)
            if "print(" in written.stdout:
                assert same(printed, done.stdout), written.stdout
    elif written.returncode:
        assert written.stderr.count("\n") == 1  # the command's own error, or why there is none
    shutil.rmtree(tmp_path)
    return written.returncode == 0


def test_most_recorded_commands_have_a_script(tmp_path: Path) -> None:
    """The test above says nothing of a command line without a script; these are few."""
    counted = {True: 0, False: 0}
    for invocation in RECORDED:
        words = invocation.steps[0].arguments
        fill(tmp_path, words)
        done = run_here([*words, "--python"], tmp_path)
        if "--python" in done.stderr or done.returncode == 0:
            counted[done.returncode == 0] += 1
    assert counted[True] > 5 * counted[False]


def test_every_command_has_a_script_or_a_reason() -> None:
    leaves = {
        " ".join(path) for path in commands(cleverdon) if not isinstance(found(path), click.Group)
    }
    assert {*EQUIVALENTS} | {*WITHOUT} == leaves


@pytest.mark.parametrize("name", sorted({*WITHOUT} - {*EQUIVALENTS} - {"trec_eval"}))
def test_a_command_without_a_script_says_what_python_has(name: str) -> None:
    reason = WITHOUT[name]
    for word in reason.replace("(", " ").split():
        if word.startswith("cleverdon."):
            value: Any = __import__("cleverdon")
            for part in word.rstrip(",;)").split(".")[1:]:
                value = getattr(value, part)


def test_trec_eval_says_what_python_has(tmp_path: Path) -> None:
    done = run_here(["trec_eval", "-m", "map", "qrels.txt", "a.run", "--python"], tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"--python: {WITHOUT['trec_eval']}" in done.stderr


def test_a_script_has_the_values_of_the_user_and_no_defaults(tmp_path: Path) -> None:
    words = "compare qrels.txt bm25.run new=dense.run -m nDCG@10 -m AP --baseline bm25.run"
    fill(tmp_path, ["examples/qrels.txt", "examples/bm25.run", "examples/dense.run"])
    options = ["--level", "0.05", "--ties", "ascending", "-f", "latex", "--digits", "3"]
    done = run_here([*words.split(), *options, "--python"], tmp_path / "examples")
    assert done.stdout == (
        "import cleverdon\n"
        "\n"
        "scores = cleverdon.evaluate(\n"
        '    "qrels.txt",\n'
        '    {"bm25": "bm25.run", "new": "dense.run"},\n'
        '    ["nDCG@10", "AP"],\n'
        '    ties="ascending",\n'
        ")\n"
        'comparison = cleverdon.compare(scores, baseline="bm25")\n'
        "print(comparison.to_latex(digits=3))\n"
    )
    assert run_script(done.stdout, tmp_path / "examples")


def test_nothing_is_done(tmp_path: Path) -> None:
    done = run_here(["eval", "none.txt", "none.run", "-o", "x.csv", "--python"], tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert 'Path("x.csv").write_text(scores.to_csv()' in done.stdout
    assert os.listdir(tmp_path) == []


def test_options_are_checked_as_by_the_command(tmp_path: Path) -> None:
    done = run_here(["eval", "qrels.txt", "a.run", "--rest", "--python"], tmp_path)
    assert done.returncode == 2
    assert "--rest goes with --bounds" in done.stderr

"""The commands beside eval, and what they have in common."""

from __future__ import annotations

import platform
import re
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

from cleverdon import __version__
from cleverdon.cli import COMMANDS
from cleverdon.measures.registry import measures
from tests.commands import Command


def test_version_says_how_the_core_was_built(cleverdon: Command) -> None:
    """Without folders and names of machines, so that two builds of one source can be equal."""
    done = cleverdon("--version")
    first, core, python = done.stdout.splitlines()
    assert first == f"cleverdon {__version__}"
    assert re.fullmatch(
        rf"core {re.escape(__version__)}, profile \w+ \(optimisation [0-3sz]\), "
        r"[\w-]+ \([\w., -]+\), rustc 1\.\d+\.\d+[\w.-]*, abi3-py311",
        core,
    )
    assert python.startswith(f"Python {platform.python_version()}, numpy {numpy.__version__}, ")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example(cleverdon: Command, name: str) -> None:
    done = cleverdon(name, "--help")
    assert done.returncode == 0
    assert "Example" in done.stdout
    assert f"cleverdon {name}" in done.stdout


def test_measures_lists_all_and_finds_some(cleverdon: Command) -> None:
    listed = cleverdon("measures").stdout
    for cls in measures():
        if cls.__module__.startswith("cleverdon."):
            assert f"  {cls.__name__} " in listed
    assert "RBPResidual" in cleverdon("measures", "rank-biased", "residual").stdout or (
        "RBPResidual" in cleverdon("measures", "could still gain").stdout
    )
    done = cleverdon("measures", "zzz")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)


def test_explain_says_everything(cleverdon: Command) -> None:
    text = cleverdon("explain", "ndcg_cut_10").stdout
    for part in ("nDCG@10", "Formula", "User", "Undefined", "Source", "Worked examples", "0.7985"):
        assert part in text
    assert "ordinal" in cleverdon("explain", "MRR").stdout
    assert "did you mean" in cleverdon("explain", "nDGC").stderr


def test_completion_knows_commands_and_measures(tmp_path: Path) -> None:
    script = str(Path(sys.executable).parent / "cleverdon")

    def complete(words: str, position: int) -> str:
        environment = {
            "_CLEVERDON_COMPLETE": "bash_complete",
            "COMP_WORDS": words,
            "COMP_CWORD": str(position),
        }
        done = subprocess.run(
            [script], env=environment, capture_output=True, text=True, cwd=tmp_path
        )
        return done.stdout

    assert "eval" in complete("cleverdon ev", 1)
    assert "nDCG" in complete("cleverdon explain nD", 2)


@pytest.mark.parametrize("command", ["search", "bench"])
def test_a_missing_file_is_told_as_by_all_commands(
    cleverdon: Command, tmp_path: Path, command: str
) -> None:
    """Also where Python finds that it is missing."""
    queries = str(tmp_path / "none.tsv")
    more = ["-o", str(tmp_path / "a.run")] if command == "search" else []
    done = cleverdon(command, "sqlite:none.db", queries, *more)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"cleverdon: error: {queries}: there is no such file\n"

"""How eval and compare lay out their tables, on a terminal and elsewhere."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from tests.commands import Command

RUNS = ("qrels.txt", "good.run", "bad.run")


def test_eval_turns_and_sorts(cleverdon: Command, files: Path) -> None:
    chosen = ("-m", "AP", "-m", "P@1", "--sort", "name", "--systems", "columns", "--digits", "2")
    done = cleverdon("eval", *RUNS, *chosen)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:4] == [
        "measure   bad  good",
        "───────  ────  ────",
        "AP       0.00  0.67",
        "P@1      0.00  0.67",
    ]
    assert cleverdon("eval", "qrels.txt", "bad.run", "good.run", "-m", "AP", "--sort", "AP",
                     "-f", "csv").stdout.split() == [
        "system,AP", "good,0.6666666666666666", "bad,0.0",
    ]  # fmt: skip


def test_compare_turns_and_sorts(cleverdon: Command, files: Path) -> None:
    chosen = ("-m", "AP", "--sort", "AP", "--systems", "columns", "-f", "markdown")
    done = cleverdon("compare", "qrels.txt", "bad.run", "good.run", *chosen)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:3] == [
        "| measure | good<sup>a</sup> | bad<sup>b</sup> |",
        "| :--- | ---: | ---: |",
        "| AP | **0.6667** | <ins>0.0000</ins> |",
    ]
    assert "bad: 2 judged queries missing (evaluated as empty results), 1 extra" in done.stdout


def test_siunitx_is_a_format(cleverdon: Command, files: Path) -> None:
    for command in ("eval", "compare"):
        done = cleverdon(command, *RUNS, "-m", "AP", "-f", "latex-siunitx")
        assert r"\begin{tabular}{lS[table-format=1.4]}" in done.stdout
        assert r"& \best 0.6667 \\" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message", "code"),
    [
        (("eval", "--sort", "nmae"), "is no measure of this table; did you mean 'name'?", 1),
        (("compare", "--sort", "P@1"), "sort='P@1' is no measure of this table", 1),
        (("eval", "--digits", "3", "-f", "csv"), "csv has them all", 1),
        (("eval", "--digits", "16"), "16 is not in the range", 2),
        (("compare", "--systems", "rows", "-f", "json"), "is for tables of systems", 1),
        (("eval", "--risk", "1", "--baseline", "bad", "--sort", "AP"), "--risk and --sort", 2),
    ],
)
def test_errors_are_one_line(
    cleverdon: Command, files: Path, arguments: tuple[str, ...], message: str, code: int
) -> None:
    command, *rest = arguments
    done = cleverdon(command, *RUNS, "-m", "AP", *rest)
    errors = [line for line in done.stderr.splitlines() if "warning" not in line]
    assert (done.returncode, len(errors), done.stdout) == (code, 1, "")
    assert message in errors[0]


def test_risk_has_digits(cleverdon: Command, files: Path) -> None:
    risk = ("--risk", "1", "--baseline", "bad", "-m", "AP", "--digits", "2")
    assert "0.67" in cleverdon("eval", *RUNS, *risk).stdout
    assert "0.667" not in cleverdon("eval", *RUNS, *risk).stdout


def on_terminal(folder: Path, *arguments: str, columns: int, **environment: str) -> str:
    """What a command shows on a terminal of so many columns."""
    outer, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    script = str(Path(sys.executable).parent / "cleverdon")
    own = ("NO_COLOR", "TERM", "COLUMNS", "LINES")  # which would speak for the terminal
    plain = {name: value for name, value in os.environ.items() if name not in own}
    process = subprocess.Popen(
        [script, *arguments], cwd=folder, stdout=inner, env=plain | environment
    )
    os.close(inner)
    shown = b""
    while True:
        try:
            read = os.read(outer, 4096)
        except OSError:  # how Linux says that the other end was closed
            break
        if not read:
            break
        shown += read
    os.close(outer)
    assert process.wait() == 0
    return shown.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("command", ["eval", "compare"])
def test_terminals_get_bold_and_underlined(files: Path, command: str) -> None:
    arguments = (command, *RUNS, "-m", "AP")
    shown = on_terminal(files, *arguments, columns=80)
    assert "\033[1m0.6667\033[0m" in shown
    assert "\033[4m0.0000\033[0m" in shown
    assert "\033" not in on_terminal(files, *arguments, columns=80, NO_COLOR="1")
    assert "\033" not in on_terminal(files, *arguments, columns=80, TERM="dumb")


def test_terminals_have_a_width(files: Path) -> None:
    arguments = ("eval", *RUNS, "-m", "AP", "-m", "P@1", "-m", "P@2", "-m", "P@3", "-m", "P@4")
    assert on_terminal(files, *arguments, columns=80).startswith("system ")
    assert on_terminal(files, *arguments, columns=40).startswith("measure ")
    cut = on_terminal(files, *arguments, "--systems", "rows", columns=40, NO_COLOR="1")
    assert cut.split("\n")[:9] == [
        "system      AP     P@1     P@2     P@3",
        "──────  ──────  ──────  ──────  ──────",
        "good    0.6667  0.6667  0.3333  0.2222",
        "bad     0.0000  0.0000  0.0000  0.0000",
        "",
        "system     P@4",
        "──────  ──────",
        "good    0.1667",
        "bad     0.0000",
    ]

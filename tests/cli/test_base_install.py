"""Commands without the libraries of their extras: one line that says what to install."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cleverdon import cli as cleverdon_cli
from tools import check_base_install

SCRIPT = Path(check_base_install.__file__)


def test_every_command_works_or_says_what_to_install():
    # `make test-base` runs the same where nothing else is installed; here it is only hidden.
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--pretend"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert "logs check log: needs logs" in lines
    assert "compare qrels.txt a.run b.run --test wilcoxon: needs stats" in lines
    assert sum(line.endswith(": works") for line in lines) > 20


@pytest.mark.parametrize(
    ("words", "module", "told"),
    [
        (["logs", "check", "x"], "ibis.expr", "logs check needs ibis-framework, which is not"),
        (["logs", "check", "x"], "scipy", "pip install 'cleverdon[logs]'"),
        (["plot", "roc"], "vl_convert", "plot needs vl-convert-python, which is not installed"),
        (["plot", "roc"], "scipy.stats", "pip install 'cleverdon[stats]'"),
        (["eval", "x"], "pyarrow", "pip install 'cleverdon[tables]'"),
        (["eval", "x"], "starlette", "pip install 'cleverdon[web]'"),
        (["eval", "x"], "zstandard", "eval needs zstandard, which is not installed: pip install z"),
        (["eval", "x"], "_lzma", "eval needs the module _lzma, which this Python was built wit"),
    ],
)
def test_a_library_that_is_missing_is_no_defect(monkeypatch, capsys, words, module, told):
    def fail(**options: object) -> None:
        raise ModuleNotFoundError(f"No module named {module!r}", name=module)

    cleverdon_cli.cleverdon.get_command(None, words[0])  # type: ignore[arg-type]
    monkeypatch.setattr(cleverdon_cli.cleverdon, "main", fail)
    monkeypatch.setattr(sys, "argv", ["cleverdon", *words])
    with pytest.raises(SystemExit) as exit:
        cleverdon_cli.main()
    assert exit.value.code == 1
    errors = capsys.readouterr().err
    assert told in errors
    assert errors.count("\n") == 1


def test_a_module_of_our_own_that_is_missing_is_a_defect(monkeypatch, capsys):
    def fail(**options: object) -> None:
        raise ModuleNotFoundError("No module named 'cleverdon.x'", name="cleverdon.x")

    monkeypatch.setattr(cleverdon_cli.cleverdon, "main", fail)
    with pytest.raises(SystemExit) as exit:
        cleverdon_cli.main()
    assert exit.value.code == 70
    assert "a defect of Cleverdon itself" in capsys.readouterr().err

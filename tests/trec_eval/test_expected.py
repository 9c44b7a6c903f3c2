"""What trec_eval 10 and 9 printed, byte for byte, and how they ended; `record.py` recorded it."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from cleverdon.trec_eval.cli import run
from tests.trec_eval.cases import Case
from tests.trec_eval.record import HERE, RANDOM, commands


def printed(version: int, arguments: list[str]) -> tuple[str, list[str]]:
    """The output with the exit code behind it, and what was told on standard error."""
    out = io.BytesIO()
    told: list[str] = []
    code = run(["--version-of", str(version), *arguments], out=out, tell=told.append)
    return f"{out.getvalue().decode()}exit {code}\n", told


@pytest.mark.parametrize("version", [10, 9])
@pytest.mark.parametrize("name", commands())
def test_output_and_exit_code(name: str, version: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HERE / "data")
    found, told = printed(version, commands()[name])
    assert found == (HERE / "expected" / str(version) / f"{name}.txt").read_text()
    # An error is one line; of a success there is nothing to tell.
    assert len(told) == (not found.endswith("exit 0\n") or name.startswith("version"))
    assert not any("\n" in line for line in told)


def test_every_recorded_command_is_run() -> None:
    for version in ("10", "9"):
        recorded = {path.stem for path in (HERE / "expected" / version).iterdir()}
        assert recorded == set(commands())


def test_random_inputs(tmp_path: Path) -> None:
    lines = RANDOM.read_text("utf-8").splitlines()
    assert len(lines) >= 50
    for line in lines:
        recorded = json.loads(line)
        expected = recorded.pop("printed")
        made = Case(**recorded)
        assert printed(made.version, made.write(tmp_path))[0] == expected, made.arguments

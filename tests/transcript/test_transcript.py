"""Every command and page gives the recorded output."""

from __future__ import annotations

import difflib
import os
import platform
from pathlib import Path
from shutil import rmtree

import pytest

from cleverdon.cli import cleverdon
from tests.cli.test_help_examples import commands
from tests.transcript.invocations import Invocation, all_invocations
from tests.transcript.pages import REQUESTS, Pages, never_asked
from tests.transcript.replay import Shared, replay

RECORDED = Path(__file__).with_name("recorded")
INVOCATIONS = all_invocations()
PYTHON = RECORDED / "python.txt"


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Shared:
    return Shared(tmp_path_factory.mktemp("shared"))


def compare(name: str, now: str) -> None:
    """Compare output with the recording, or save it as the new recording."""
    path = RECORDED / f"{name}.txt"
    if os.environ.get("CLEVERDON_RECORD"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(now.encode())
        return
    recorded = path.read_bytes().decode()
    if now != recorded:
        lines = difflib.unified_diff(
            recorded.split("\n"), now.split("\n"), "recorded", "now", n=1, lineterm=""
        )
        pytest.fail("\n".join(lines), pytrace=False)


@pytest.mark.parametrize("invocation", INVOCATIONS, ids=lambda each: each.name)
def test_a_command(invocation: Invocation, tmp_path: Path, shared: Shared) -> None:
    if "!" in invocation.marks and not os.environ.get("CLEVERDON_RECORD"):
        recorded = PYTHON.read_text(encoding="utf-8").strip()
        if platform.python_version() != recorded:
            pytest.skip(f"was recorded with Python {recorded}, whose documentation it reads")
    folder = tmp_path / "folder"
    folder.mkdir()
    compare(invocation.name, replay(invocation, folder, shared))
    rmtree(folder)  # there are many, and pytest would keep them


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory, shared: Shared) -> Pages:
    return Pages(tmp_path_factory.mktemp("pages"), shared)


@pytest.mark.parametrize("request_", REQUESTS)
def test_a_page(request_: str, pages: Pages) -> None:
    compare(f"pages/{request_}", pages.of(request_))


def test_every_page_is_asked_for() -> None:
    assert never_asked() == []


def test_ids_are_unique() -> None:
    names = [each.name for each in INVOCATIONS]
    assert len(names) == len(set(names))


def test_no_recording_is_stale() -> None:
    names = {each.name for each in INVOCATIONS} | {f"pages/{name}" for name in REQUESTS}
    found = {
        path.relative_to(RECORDED).with_suffix("").as_posix() for path in RECORDED.rglob("*.txt")
    }
    assert found - {"python"} == names or os.environ.get("CLEVERDON_RECORD")


def test_the_help_of_every_command_is_recorded() -> None:
    ids = {each.id for each in INVOCATIONS if each.group == "help"}
    assert {"-".join(path) for path in commands(cleverdon)} <= ids

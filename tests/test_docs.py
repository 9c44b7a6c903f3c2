"""The commands in the README and the guides print what the page shows.

This runs the `console` blocks; pytest's doctest runs the Python examples.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import run_here

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def commands() -> list[tuple[str, str, str]]:
    """Return page, command and output of every command that a page shows."""
    found = []
    for page in PAGES:
        for block in re.findall(r"```console\n(.*?)```", page.read_text("utf-8"), flags=re.DOTALL):
            for shown in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, output = shown.partition("\n")
                found.append((page.name, command, output))
    return found


@pytest.mark.parametrize(("page", "command", "output"), commands())
def test_commands_print_what_is_shown(page: str, command: str, output: str) -> None:
    if re.fullmatch(r"cleverdon [^|<>;&$`*?~\\]+", command):  # nothing that needs a shell
        here = run_here(shlex.split(command)[1:], ROOT)
        assert (here.stdout + here.stderr).rstrip() == output.rstrip(), f"{page}: {command}"
        return
    scripts = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", command], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert (done.stdout + done.stderr).rstrip() == output.rstrip(), f"{page}: {command}"


def anchors(page: Path) -> set[str]:
    """Return the names that headings of a page have in links."""
    headings = re.findall(r"^#+ (.+)", page.read_text("utf-8"), flags=re.MULTILINE)
    plain = (re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", heading).lower() for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading).strip().replace(" ", "-") for heading in plain}


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        links = re.findall(r"\]\(([^)#:]*)(#[^)]*)?\)", page.read_text("utf-8"))
        for target, heading in links:
            to = page.parent / target if target else page
            assert to.exists(), f"{page.name}: {target}"
            if heading and to.suffix == ".md":
                assert heading[1:] in anchors(to), f"{page.name}: {target}{heading}"

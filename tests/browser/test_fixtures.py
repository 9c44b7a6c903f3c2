"""The fixtures see what they are to see: a page's complaints, and what it asks for elsewhere."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import Record

SCRIPT = Path(__file__).parents[2] / "tools" / "install_chromium.sh"


def written(folder: Path, body: str) -> str:
    path = folder / "page.html"
    path.write_text(f"<!DOCTYPE html><title>A page</title>{body}", encoding="utf-8")
    return path.as_uri()


def test_a_page_that_keeps_to_itself(page: Page, tmp_path: Path) -> None:
    page.goto(written(tmp_path, "<p id=p></p><script>p.textContent = 6 * 7</script>"))
    assert page.title() == "A page"
    assert page.locator("#p").inner_text() == "42"


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("<script>console.error('oh dear')</script>", "complained: oh dear"),
        ("<script>throw new Error('oh no')</script>", "complained: oh no"),
        ("<script>alert('hello')</script>", "complained: dialog hello"),
        ("<script>Promise.reject(new Error('later'))</script>", "complained: later"),
        ("<img src='https://example.org/a.png'>", "asked for https://example.org/a.png"),
        (
            "<script>fetch('http://example.org/b').catch(() => 0)</script>",
            "for http://example.org/b",
        ),
        ("<script>new WebSocket('ws://127.0.0.1:9/d')</script>", "for ws://127.0.0.1:9/d"),
        ("<style>@import 'https://example.org/c.css'</style>", "for https://example.org/c.css"),
    ],
)
def test_complaints_and_requests_are_seen(
    recorded: tuple[Page, Record], tmp_path: Path, body: str, complaint: str
) -> None:
    page, record = recorded
    page.goto(written(tmp_path, body))
    page.wait_for_load_state("networkidle")
    for _turn in range(50):  # on a busy machine, word of it comes later
        if record.errors or record.requests:
            break
        page.wait_for_timeout(100)
    with pytest.raises(AssertionError, match=complaint):
        record.check()


def test_the_script_says_what_it_found_and_never_fails(tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    done = subprocess.run(
        ["/bin/sh", str(SCRIPT)], env={"PATH": str(tools)}, capture_output=True, text=True
    )
    assert done.returncode == 0
    assert done.stdout.startswith("browser: no Chromium here")
    assert "will be skipped" in done.stdout
    chromium = tools / "chromium"
    chromium.write_text("#!/bin/sh\n")
    chromium.chmod(0o755)
    done = subprocess.run(
        ["/bin/sh", str(SCRIPT)], env={"PATH": str(tools)}, capture_output=True, text=True
    )
    assert done.stdout == f"browser: tests use {chromium}\n"

"""The pictures of the judging app in its guide: taken by each run of the tests, and kept by
`make screenshots`."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.judge_example import SHOWN, example
from tests.browser.judge_page import PHONE, browsing, ready

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, ViewportSize

GUIDE = Path(__file__).parents[2] / "docs" / "judge.md"
FOLDER = GUIDE.parent / "images" / "judge"
WIDE: ViewportSize = {"width": 1100, "height": 720}
SMALLEST, LARGEST = 10_000, 100_000
"""Bytes; a page with nothing on it has fewer."""


def _judging(page: Page) -> None:
    page.goto("/queries/301")
    ready(page)
    page.mouse.move(0, 0)


def _dashboard(page: Page) -> None:
    page.goto("/dashboard")
    page.wait_for_load_state("networkidle")


def _adjudication(page: Page) -> None:
    page.goto(f"/adjudication/{SHOWN + 1}")
    page.wait_for_load_state("networkidle")


PICTURES: dict[str, tuple[str, ViewportSize, Callable[[Page], None]]] = {
    "judging.png": ("Ann", WIDE, _judging),
    "judging-phone.png": ("Ann", PHONE, _judging),
    "dashboard.png": ("Cyril", WIDE, _dashboard),
    "adjudication.png": ("Cyril", WIDE, _adjudication),
}
"""Who sees them, in a window of which size, and where."""


def test_they_can_be_taken(browser: Browser, tmp_path: Path) -> None:
    # The clock is in them, so they differ from day to day: who wants them in the guide says so.
    folder = FOLDER if os.environ.get("CLEVERDON_SCREENSHOTS") else tmp_path
    with example(tmp_path / "project") as team:
        for file, (name, size, shown) in PICTURES.items():
            with browsing(browser, team, name, size=size, color_scheme="light") as (_, page):
                shown(page)
                (folder / file).write_bytes(_small(page.screenshot()))
            _check(folder / file, size)


def _small(png: bytes) -> bytes:
    """The picture in 256 colours, which is enough for pages."""
    from PIL import Image

    written = io.BytesIO()
    few = Image.open(io.BytesIO(png)).convert("RGB").quantize(256)
    few.save(written, "PNG", optimize=True)
    return written.getvalue()


def test_the_guide_shows_each() -> None:
    named = re.findall(r"!\[[^\]]+\]\(images/judge/([^)]+)\)", GUIDE.read_text("utf-8"))
    assert sorted(named) == sorted(PICTURES)
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(PICTURES)


@pytest.mark.parametrize("file", PICTURES)
def test_they_are_small_and_of_the_size_of_the_window(file: str) -> None:
    _check(FOLDER / file, PICTURES[file][1])


def _check(file: Path, size: ViewportSize) -> None:
    png = file.read_bytes()
    assert png.startswith(b"\x89PNG")
    assert SMALLEST <= len(png) <= LARGEST
    width, height = (int.from_bytes(png[at : at + 4], "big") for at in (16, 20))
    assert {"width": width, "height": height} == size

"""The pictures of the judging app in its guide; `make screenshots` takes them anew."""

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
LARGEST = 100_000
"""Bytes."""


def _judging(page: Page) -> None:
    page.goto("/topics/301")
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


@pytest.mark.skipif(
    not os.environ.get("CLEVERDON_SCREENSHOTS"), reason="`make screenshots` takes pictures"
)
def test_take_them(browser: Browser, tmp_path: Path) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with example(tmp_path / "project") as team:
        for file, (name, size, shown) in PICTURES.items():
            with browsing(browser, team, name, size=size, color_scheme="light") as (_, page):
                shown(page)
                (FOLDER / file).write_bytes(_small(page.screenshot()))


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
    png = (FOLDER / file).read_bytes()
    assert png.startswith(b"\x89PNG")
    assert len(png) <= LARGEST
    width, height = (int.from_bytes(png[at : at + 4], "big") for at in (16, 20))
    assert {"width": width, "height": height} == PICTURES[file][1]

"""The Chromium in which tests, pictures and benchmarks open pages."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def missing() -> str:
    """Return why no browser can be started, and the remedy; empty if one can be started."""
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return "playwright is not installed: pip install playwright"
    if not any(map(shutil.which, NAMES)):
        return f"none of {', '.join(NAMES)} is installed: run tools/install_chromium.sh"
    return ""


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start a headless browser. Call `missing` first."""
    from playwright.sync_api import sync_playwright

    found = next(filter(None, map(shutil.which, NAMES)))
    # Root cannot use Chromium's sandbox, and /dev/shm is small in containers.
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    arguments = ["--disable-dev-shm-usage", *(["--no-sandbox"] if root else [])]
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found, args=arguments)
        yield started
        started.close()

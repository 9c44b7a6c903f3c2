"""A real browser for pages that Cleverdon writes.

`browser` is one Chromium for all tests of this folder, started by the first that asks for it. It is
stopped behind the last, since playwright occupies the thread's event loop for as long as it runs.
`page` is a page in it that keeps a record of complaints and of requests, and fails the test for any
of them: a report must work without a network and without errors. It is the same page for every
test, emptied after each: to start a process for it and to read the plotting library anew takes
twice as long as to show a report.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tests.browser.judge_page import PATIENCE, Team, a_team
from tests.browser.report_page import opened, usual
from tools import chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, ViewportSize

LOCAL = ("file:", "data:", "blob:", "about:")
"""What a page may ask for without leaving the machine."""

SIZE: ViewportSize = {"width": 1280, "height": 720}


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """A headless Chromium, or a skipped test that says how to get one."""
    if reason := chromium.missing():
        pytest.skip(reason)
    with chromium.chromium() as started:
        yield started


class Record:
    """What a page complained about, and what it asked for from elsewhere."""

    def __init__(self, page: Page) -> None:
        self.said: list[str] = []
        self.errors: list[str] = []
        self.requests: list[str] = []
        page.on("console", self.hear)
        page.on("dialog", self.dismiss)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("websocket", lambda socket: self.requests.append(socket.url))
        # The request never leaves: it is noted and refused.
        page.context.route(
            lambda url: not url.startswith(LOCAL),
            lambda route: (self.requests.append(route.request.url), route.abort()),
        )

    def hear(self, message: ConsoleMessage) -> None:
        self.said.append(message.text)
        if message.type == "error":
            self.errors.append(message.text)

    def dismiss(self, dialog: Dialog) -> None:
        """No page has a dialog, unless some script came in with its data."""
        self.errors.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def check(self) -> None:
        """Fails for anything since the last check."""
        errors, requests = self.errors, self.requests
        self.said, self.errors, self.requests = [], [], []
        assert not requests, f"the page asked for {', '.join(requests)}"
        assert not errors, f"the page complained: {'; '.join(errors)}"


@contextmanager
def new_page(browser: Browser) -> Iterator[tuple[Page, Record]]:
    context = browser.new_context(viewport=SIZE)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    yield page, Record(page)
    context.close()


@pytest.fixture
def recorded(browser: Browser) -> Iterator[tuple[Page, Record]]:
    """A page and its record, for a test that means to look at the record itself."""
    with new_page(browser) as made:
        yield made


@pytest.fixture(scope="package")
def shared(browser: Browser) -> Iterator[tuple[Page, Record]]:
    with new_page(browser) as made:
        yield made


@pytest.fixture
def record(shared: tuple[Page, Record]) -> Record:
    """What `page` said, and what it asked for."""
    return shared[1]


@pytest.fixture
def page(shared: tuple[Page, Record]) -> Iterator[Page]:
    """A page that must neither complain nor ask for anything from elsewhere."""
    page, record = shared
    yield page
    page.goto("about:blank")
    page.emulate_media(media="null", color_scheme="null")
    page.set_viewport_size(SIZE)
    record.check()


@pytest.fixture(scope="package")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Of the report that most tests look at."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    usual().save(path)
    return path.as_uri()


@pytest.fixture
def shown(page: Page, address: str) -> Page:
    return opened(page, address)


@pytest.fixture(scope="package")
def team(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    """People who judge, at a server on SQLite."""
    with a_team(tmp_path_factory.mktemp("team") / "project") as made:
        yield made

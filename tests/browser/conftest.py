"""A real browser for pages that Cleverdon writes.

`browser` is one Chromium for all tests of this folder, started by the first that asks for it. It is
stopped behind the last, since playwright occupies the thread's event loop for as long as it runs.
`page` is a new page in it that keeps a record of complaints and of requests, and fails the test for
any of them: a report must work without a network and without errors.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.browser.report_page import opened, usual
from tools import chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

LOCAL = ("file:", "data:", "blob:", "about:")
"""What a page may ask for without leaving the machine."""


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
        self.errors: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda said: said.type == "error" and self.errors.append(said.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("websocket", lambda socket: self.requests.append(socket.url))
        # The request never leaves: it is noted and refused.
        page.context.route(
            lambda url: not url.startswith(LOCAL),
            lambda route: (self.requests.append(route.request.url), route.abort()),
        )

    def check(self) -> None:
        assert not self.requests, f"the page asked for {', '.join(self.requests)}"
        assert not self.errors, f"the page complained: {'; '.join(self.errors)}"


@pytest.fixture
def recorded(browser: Browser) -> Iterator[tuple[Page, Record]]:
    """A page and its record, for a test that means to look at the record itself."""
    context = browser.new_context()
    page = context.new_page()
    yield page, Record(page)
    context.close()


@pytest.fixture
def page(recorded: tuple[Page, Record]) -> Iterator[Page]:
    """A page that must neither complain nor ask for anything from elsewhere."""
    page, record = recorded
    yield page
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

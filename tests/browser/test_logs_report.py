"""The report of a log in a browser: it opens, draws, and asks for nothing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cleverdon.logs.report.page import LogsReport
from tests.browser.report_page import DRAWN, FOLDED, WIDTHS, check_whole, labels, rows, texts
from tests.logs.report.examples import ODD, SECRET, bare, usual

if TYPE_CHECKING:
    from playwright.sync_api import Page


def whole(made: LogsReport) -> LogsReport:
    """The same anew: other tests may have made its page without the plotting library."""
    return LogsReport(made.content, made.data)


@pytest.fixture(scope="module")
def report_address(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("logs") / "logs.html"
    whole(usual()).save(path)
    return path.as_uri()


def opened(page: Page, address: str) -> Page:
    page.goto(address)
    page.wait_for_selector("html[data-ready]")
    page.wait_for_selector("figure")
    page.wait_for_function(DRAWN)
    return page


def test_every_section_is_there(page: Page, report_address: str) -> None:
    opened(page, report_address)
    assert texts(page.locator("h2")) == [
        "What the log says",
        "What looks wrong with the log",
        "Over time",
        "Funnel",
        "Queries",
        "Distributions",
        "Latency",
        "A/B test",
        "Method",
    ]
    assert page.locator("#headline").inner_text() == usual().content["headline"]
    assert page.locator(".card").count() == len(usual().content["numbers"])
    assert "16 sessions with a click and a sign of success, of 72 sessions" in texts(
        page.locator(".card p")
    )
    families = page.locator("#tested .claims")
    assert families.first.locator("li").count() == 1
    assert families.nth(1).locator("li").count() == 3
    assert texts(page.locator("#tested h3"))[:2] == [
        "Primary metric, which decides: Success (the first; --primary names another)",
        "Other metrics, corrected as a family of their own",
    ]
    assert page.locator("figure").count() == 14
    assert page.locator("figure svg.marks").count() == 14
    assert SECRET not in page.content()
    for link in page.locator("nav a").all():
        link.click()
        section = (link.get_attribute("href") or "").removeprefix("#")
        assert page.evaluate("document.activeElement.id") == section


def test_another_metric_is_picked(page: Page, report_address: str) -> None:
    opened(page, report_address)
    first = rows(page, "by_day")["days"]
    assert [row["shown"] for row in first] == ["0.00%", "33.33%", "33.33%"]
    assert page.locator("#figure-by_day h3").inner_text() == "Success by day"
    page.select_option("#metric", label="Latency p95")
    second = rows(page, "by_day")["days"]
    assert [row["shown"] for row in second] == ["42.00 ms", "42.00 ms", "-"]
    assert page.locator("#figure-by_day h3").inner_text() == "Latency p95 by day"
    assert "Latency p95, ms" in labels(page, "by_day")
    assert {row["line"] for row in rows(page, "by_day_and_variant")["days"]} == {"A", ODD}


def test_whatever_was_given_stays_text(page: Page, report_address: str) -> None:
    opened(page, report_address)
    assert page.locator("h1").inner_text() == ODD
    assert page.locator("#list-TopQueries tbody td").first.inner_text() == ODD.casefold()
    assert page.locator("img").count() == 0
    assert page.locator("script:not([type])").count() == 2


def test_print_and_dark(page: Page, report_address: str) -> None:
    page.emulate_media(color_scheme="dark")
    opened(page, report_address)
    ink = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(ink) == "rgb(22, 25, 29)"
    closed = page.locator(FOLDED).count()
    pdf = page.pdf(format="A4", print_background=True)
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) > 3
    assert page.locator(FOLDED).count() == closed > 0
    page.emulate_media(media="print")
    assert page.evaluate(ink) == "rgb(255, 255, 255)"


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_cut_on_any_screen(page: Page, report_address: str, width: int) -> None:
    check_whole(page, width, report_address)


def test_a_log_with_little_in_it(page: Page, tmp_path: Path) -> None:
    whole(bare()).save(tmp_path / "bare.html")
    opened(page, (tmp_path / "bare.html").as_uri())
    seen = [one.inner_text() for one in page.locator("h2").all() if one.is_visible()]
    assert seen == [
        "What the log says",
        "What looks wrong with the log",
        "Over time",
        "Queries",
        "Method",
    ]
    assert page.locator("nav a:visible").count() == len(seen)
    assert "Latency: the log does not have" in page.locator("#missing").inner_text()

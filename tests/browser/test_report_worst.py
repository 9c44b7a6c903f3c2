"""The queries to look at, as a report's page lists them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cleverdon import evaluate, worst
from cleverdon.reports.html_report import report
from tests.browser.report_page import WIDTHS, check_whole, opened, pick, scores, texts, usual

if TYPE_CHECKING:
    from playwright.sync_api import Page


@pytest.fixture
def address(tmp_path: Path) -> str:
    usual().save(tmp_path / "report.html")
    return (tmp_path / "report.html").as_uri()


@pytest.mark.parametrize("measure", ["nDCG@5", "RR"])
@pytest.mark.parametrize(("old", "new"), [("base", "worse"), ("better", "base")])
def test_losses_are_listed(page: Page, address: str, measure: str, old: str, new: str) -> None:
    opened(page, address)
    assert page.locator("#worst-link").is_visible()
    pick(page, "measure", measure)
    pick(page, "baseline", old)
    pick(page, "system", new)
    depth = 5 if measure == "nDCG@5" else 8
    found = worst(scores(), old, new, measure, depth=depth)
    rows = page.locator("#worst-table tbody tr")
    assert rows.count() == len(found.queries) > 0
    textual = page.locator("#worst-table th", has_text="text").count()
    for at, one in enumerate(found.queries):
        cells = texts(rows.nth(at).locator("td"))
        assert cells[0] == one.query
        numbers = cells[1 + textual :]
        assert numbers[:3] == [f"{one.old:.4f}", f"{one.new:.4f}", f"{one.difference:+.4f}"]
        assert numbers[3:5] == [str(count) for count in one.unjudged]
        assert numbers[5] == {True: "yes", False: "no", None: "-"}[one.explained]
        moved = one.moved[0]
        assert numbers[6].startswith(f"{moved.doc} (grade {moved.grade:g}): ")
    assert f"on {found.worse} of {found.compared} queries" in page.inner_text("#worst-summary")


def test_a_query_of_the_list_opens(page: Page, address: str) -> None:
    opened(page, address)
    button = page.locator("#worst-table tbody button").first
    query = button.inner_text()
    button.click()
    assert query in page.inner_text("#query h3")


def test_what_cannot_be_listed_is_said(page: Page, address: str, tmp_path: Path) -> None:
    opened(page, address)
    pick(page, "system", "base")
    assert page.inner_text("#worst-summary").startswith("Pick a system other than the baseline")
    assert not page.locator("#worst-table").is_visible()
    pick(page, "baseline", "none: every pair")
    assert page.inner_text("#worst-summary") == "Pick a baseline to see this."
    alone = evaluate({"q": {"d": 1}}, {"one": {"q": {"d": 1.0}}}, "RR", keep=3)
    report(alone).save(tmp_path / "alone.html")
    opened(page, (tmp_path / "alone.html").as_uri())
    assert not page.locator("#worst").is_visible()
    assert not page.locator("#worst-link").is_visible()


@pytest.mark.parametrize("width", WIDTHS)
def test_the_list_fits(page: Page, address: str, width: int) -> None:
    check_whole(page, width, address)

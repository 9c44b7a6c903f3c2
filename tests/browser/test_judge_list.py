"""A list of documents, by keyboard: what a key says is said of the document that has the focus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.browser.judge_page import (
    DOCUMENTS,
    Team,
    all_sent,
    browsing,
    nothing_waits,
    press,
    ready,
    says,
)

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def open_list(page: Page, query: str, show: str = "open") -> None:
    page.goto(f"/queries/{query}/list?show={show}")
    ready(page)


def focused(page: Page) -> str:
    """What the focus is on, in words."""
    return page.locator(":focus").inner_text()


def test_a_list_by_keyboard(browser: Browser, team: Team) -> None:
    with browsing(browser, team, "ned") as (_, page):
        open_list(page, "t3")
        press(page, "1")  # of no document
        says(page, "Press → to go to a document")
        press(page, "ArrowRight", "2", "ArrowRight", "3", "ArrowLeft", "0", "9")
        says(page, "There is no grade 9")
        assert page.locator("#progress-query .done").inner_text() == "2"
        assert page.locator("#progress-overall .done").inner_text() == "2"
        nothing_waits(page)
    graded = [("d1", 2), ("d3", 3), ("d3", 0)]
    assert team.said("ned", "t3") == [(name, "grade", grade) for name, grade in graded]


def test_behind_the_last_document_a_digit_grades_nothing(browser: Browser, team: Team) -> None:
    with browsing(browser, team, "leo") as (_, page):
        open_list(page, "t1")
        press(page, "ArrowRight", *"1" * DOCUMENTS)
        assert focused(page) == "More"
        says(page, "The list ends here: press Enter for more.")
        press(page, "2", "ArrowRight", "3", "f", "s", "n")
        assert page.locator("dialog[open]").count() == 0
        assert focused(page) == "More"
        press(page, "ArrowLeft")
        assert focused(page) == "<b>bold</b>", "the last one"
        open_list(page, "t1", "judged")
        press(page, *["ArrowRight"] * (DOCUMENTS + 1), "2")
        says(page, "The list ends here.")
        nothing_waits(page)
    assert [grade for _, _, grade in team.said("leo", "t1")] == [1] * DOCUMENTS


def test_all_keys_of_one_document_are_those_of_a_list(browser: Browser, team: Team) -> None:
    with browsing(browser, team, "leo") as (_, page):
        open_list(page, "t2")
        press(page, "ArrowRight", "1", "f", "n")  # d1, and d2, which is flagged
        page.keyboard.type("Is it u? 1")
        press(page, "Control+Enter", "s")
        page.keyboard.type("Broken")
        press(page, "Enter", "3", "u")  # d2 is skipped, and d3 taken back
        assert focused(page) == "Title of d3"
        row = page.locator(".row", has_text="Title of d2")
        for text in ("Skipped", "Broken", "Flagged", "Is it u? 1"):
            assert text in row.inner_text()
        assert page.locator("#progress-query .done").inner_text() == "2"
        press(page, "?")
        assert page.get_by_role("dialog", name="Keys").is_visible()
        press(page, "Escape")
        all_sent(page)
        open_list(page, "t2")  # where what was judged stands no more
        press(page, "u")
        says(page, "Your judgment of “Title of d2” is undone")
        nothing_waits(page)
    assert team.standing("leo", "t2") == {
        "d1": (1, None, "", False),
        "d2": (None, None, "Is it u? 1", True),
        "d3": (None, None, "", False),
    }

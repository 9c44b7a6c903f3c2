"""Room on the page: for any scale, on a phone, in a short window, and wherever one reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.judge_page import (
    ARABIC,
    DOCUMENTS,
    PHONE,
    WIDE,
    Team,
    browsing,
    press,
    ready,
    says,
)

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ViewportSize

SCALES = {
    "Grade": [f"Grade {value}" for value in range(10)],
    "Comprehensively": [
        "Not relevant",
        "On the subject",
        "Answers it",
        "Comprehensively and authoritatively answers it",
    ],
}


@pytest.mark.parametrize("word", SCALES)
def test_any_scale_fits_on_a_phone(browser: Browser, team: Team, word: str) -> None:
    size: ViewportSize = {"width": 350, "height": 700}
    with browsing(browser, team, "ned", size=size) as (_, page):
        page.goto("/queries/t2")
        page.evaluate(SCALE, SCALES[word])
        for button in page.locator("#grades button").all():
            box = button.bounding_box()
            assert box is not None
            assert box["width"] >= 44, "a finger hits it"
            assert 0 <= box["x"] <= size["width"] - box["width"]
            assert 0 <= box["y"] <= size["height"] - box["height"], "without scrolling"
        name = page.locator(".grade-name", has_text=word).first
        assert name.evaluate(LINES_OF_ITS_FIRST_WORD) == 1
        assert page.evaluate("document.documentElement.scrollWidth") == size["width"]


SCALE = """(names) => {
  const fieldset = document.querySelector('#grades fieldset');
  const grade = fieldset.querySelector('button');
  fieldset.querySelectorAll('button').forEach((button) => button.remove());
  for (const name of names) {
    const made = grade.cloneNode(true);
    made.querySelector('.grade-name').textContent = name;
    fieldset.append(made);
  }
}"""
"""Puts buttons of another scale into the page: of its look alone."""

LINES_OF_ITS_FIRST_WORD = """(it) => {
  const range = document.createRange();
  range.setStart(it.firstChild, 0);
  range.setEnd(it.firstChild, it.textContent.indexOf(' '));
  return new Set([...range.getClientRects()].map((box) => box.top)).size;
}"""


def test_grades_leave_room_for_the_document(browser: Browser, team: Team) -> None:
    with browsing(browser, team, "ned", size=PHONE) as (_, page):
        page.goto("/queries/t2")
        position = "(it) => getComputedStyle(it).position"
        grades = page.locator("#grades")
        assert grades.evaluate(position) == "fixed"
        page.set_viewport_size({"width": 350, "height": 225})  # a wide screen at 400 per cent
        assert grades.evaluate(position) == "static"


def test_what_is_beside_a_long_document_is_in_reach(browser: Browser, team: Team) -> None:
    size: ViewportSize = {"width": WIDE["width"], "height": 400}
    with browsing(browser, team, "ned", size=size) as (_, page):
        page.goto(f"/queries/t1?item={DOCUMENTS}")
        ready(page)
        page.evaluate(SCALE, SCALES["Grade"])
        page.evaluate("scrollTo(0, 250)")
        scrolled = page.evaluate("scrollY")
        assert scrolled == 250, "the document is long enough"
        page.locator("#next").scroll_into_view_if_needed()
        box = page.locator("#next").bounding_box()
        assert box is not None
        assert 0 <= box["y"] <= size["height"] - box["height"]
        assert page.evaluate("scrollY") == scrolled, "the document stays where it is"


def test_an_answer_to_a_key_is_in_view_wherever_one_reads(browser: Browser, team: Team) -> None:
    with browsing(browser, team, "ned", size=PHONE) as (_, page):
        page.goto(f"/queries/t1?item={DOCUMENTS}")
        ready(page)
        page.evaluate("scrollTo(0, 900)")
        press(page, "9")
        says(page, "There is no grade 9 on this scale.")
        box = page.locator("#status").bounding_box()
        assert box is not None
        assert box["y"] >= 0


def test_text_runs_in_its_own_direction(browser: Browser, team: Team) -> None:
    with browsing(browser, team, "ned") as (_, page):
        for address in ("/queries/t1?item=6", "/items/6/text"):
            page.goto(address)
            ways = page.locator(".text").evaluate_all(
                "(all) => all.map((it) => getComputedStyle(it).direction)"
            )
            assert ways == ["ltr", "rtl"]
        page.goto("/queries/t1?item=6")
        ready(page)
        press(page, "n")
        note = page.get_by_label("Note", exact=True)
        note.fill(ARABIC)
        assert note.evaluate("(it) => getComputedStyle(it).direction") == "rtl"

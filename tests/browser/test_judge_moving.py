"""Going from document to document: none is forgotten, and the next one is there at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cleverdon.judging.people.accounts import person_named
from cleverdon.judging.recording import JudgmentEvent, record
from tests.browser.judge_page import DOCUMENTS, Team, all_sent, at, browsing, press, ready, says

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

NAMES = [f"d{number + 1}" for number in range(DOCUMENTS)]


def test_what_was_passed_over_comes_again_before_nothing_is_left(
    browser: Browser, team: Team
) -> None:
    with browsing(browser, team, "jim") as (_, page):
        page.goto("/queries/t1")
        ready(page)
        press(page, "ArrowRight", "ArrowRight")
        for name in NAMES[2:]:
            at(page, name)
            press(page, "0")
        at(page, "d1")
        says(page, "You passed over 2 documents: here they are.")
        press(page, "1")
        at(page, "d2")
        press(page, "ArrowRight")
        says(page, "There are no other documents left in this query.")
        press(page, "1")
        page.get_by_role("heading", name="No documents are left").wait_for()
        assert page.locator("#progress-query .count").inner_text() == f"{DOCUMENTS} of {DOCUMENTS}"
        assert page.get_by_role("link", name="Earlier").is_visible(), "also without a keyboard"
        all_sent(page)
    assert len(team.standing("jim", "t1")) == DOCUMENTS


def test_paging_on_and_on_comes_round(browser: Browser, team: Team) -> None:
    with browsing(browser, team, "jim") as (_, page):
        page.goto("/queries/t2")
        ready(page)
        for _round in range(2):
            for name in NAMES:
                at(page, name)
                press(page, "ArrowRight")
            at(page, "d1")
            says(page, f"You passed over {DOCUMENTS} documents")
        press(page, "f")  # which is no judgment: it stays open
        press(page, "ArrowRight")
        at(page, "d2")
        assert "passed over" not in page.locator("#status").inner_text()
        all_sent(page)
    assert team.said("jim", "t2") == [("d1", "flag", None)]


def test_what_was_passed_over_comes_last_also_after_the_page_was_loaded_again(
    browser: Browser, team: Team
) -> None:
    with browsing(browser, team, "oli") as (_, page):
        page.goto("/queries/t2")
        ready(page)
        press(page, "ArrowRight", "ArrowRight")
        at(page, "d3")
        page.reload()
        ready(page)
        for name in [*NAMES[3:], "d1", "d2"]:
            press(page, "ArrowRight")
            at(page, name)


def test_next_leads_to_each_document_without_scripts(browser: Browser, team: Team) -> None:
    with browsing(browser, team, "jim", java_script_enabled=False) as (_, page):
        page.goto("/queries/t3")
        seen = []
        for _ in range(DOCUMENTS + 1):
            seen.append(page.locator("#document .id").inner_text())
            page.get_by_role("link", name="Next").click()
        assert seen == [*NAMES, "d1"]


def test_the_next_document_is_there_while_the_server_is_slow(browser: Browser, team: Team) -> None:
    held: list[Route] = []
    with browsing(browser, team, "kim") as (_, page):
        page.goto("/queries/t1")
        ready(page)
        page.route("**/api/next", lambda route: held.append(route))  # asked for, and not answered
        for name in NAMES[1:6]:  # those that were fetched ahead
            press(page, "1")
            assert page.locator("#document .id").inner_text() == name, "there at once"
        press(page, "1")
        page.get_by_role("heading", name="Fetching the next document").wait_for()
        assert held, "more were asked for meanwhile"
        for route in held:
            route.continue_()
        page.unroute_all()
        at(page, "d7")
        all_sent(page)
    assert len(team.said("kim", "t1")) == 6


def test_the_last_word_can_be_undone_after_the_page_was_loaded_again(
    browser: Browser, team: Team
) -> None:
    with browsing(browser, team, "kim") as (_, page):
        page.goto("/queries/t2")
        ready(page)
        press(page, "u")
        says(page, "There is nothing to undo.")
        press(page, "1", "2", "u")  # so that the newest word is that d2 has none
        at(page, "d2")
        all_sent(page)
        page.reload()
        ready(page)
        at(page, "d2")
        press(page, "u")
        undone(page, "d1")
    assert team.standing("kim", "t2")["d1"] == (None, None, "", False)


def test_what_arrives_late_is_not_what_one_is_asked_about(browser: Browser, team: Team) -> None:
    held: list[Route] = []
    with browsing(browser, team, "oli") as (_, page):
        page.goto("/queries/t1")
        ready(page)
        press(page, "1", "2")
        all_sent(page)
        page.reload()
        ready(page)
        at(page, "d3")
        page.route("**/api/judgments?*", lambda route: held.append(route))
        press(page, "u", "n")  # the first one asks which word was the last
        page.keyboard.type("of d3")
        for _turn in range(6000):
            if held:
                break
            page.wait_for_timeout(10)
        assert held, "the page asks which word was the last"
        with page.expect_response("**/api/items/*"):
            held[0].continue_()
        press(page, "Control+Enter")
        all_sent(page)
        at(page, "d3")
    assert team.standing("oli", "t1") == {
        "d1": (1, None, "", False),
        "d2": (2, None, "", False),
        "d3": (None, None, "of d3", False),
    }


def test_a_finished_query_can_be_gone_back_to(browser: Browser, team: Team) -> None:
    judge_all(team, "kim", "t3", last="d4")
    with browsing(browser, team, "kim") as (_, page):
        page.goto("/queries/t3")
        ready(page)
        assert page.get_by_role("heading", name="No documents are left").is_visible()
        assert page.locator("#forms").is_hidden()
        assert page.get_by_role("link", name="Next query: water in motion 1").is_visible()
        for _ in range(2):
            press(page, "ArrowLeft")
            at(page, "d4")
            press(page, "ArrowRight")  # and on again, to the next query
            page.get_by_role("heading", name="No documents are left").wait_for()
        press(page, "1")
        says(page, "There is no document here: press ← for earlier ones.")
        press(page, "ArrowLeft", "ArrowLeft", "ArrowRight")
        page.goto("/queries/t3")
        ready(page)
        press(page, "u")
        undone(page, "d4")
        press(page, "3")
        page.get_by_role("heading", name="No documents are left").wait_for()
        all_sent(page)
    assert team.standing("kim", "t3")["d4"] == (3, None, "", False)


def undone(page: Page, name: str) -> None:
    """Wait until a document is shown of which nothing is said any more."""
    at(page, name)
    page.locator("#judgment", has_text="Not judged").wait_for()
    all_sent(page)


def judge_all(team: Team, name: str, query: str, *, last: str) -> None:
    """Give all documents of a query a grade, to one of them last."""
    first = 1 + DOCUMENTS * (int(query[1:]) - 1)
    order = sorted(NAMES, key=lambda each: each == last)
    with team.project.database.writing() as connection:
        person = person_named(connection, name).id
        for each in order:
            said = JudgmentEvent(f"{query}-{each}-all", first + NAMES.index(each), "grade", grade=1)
            record(connection, person, said, team.project.scale)

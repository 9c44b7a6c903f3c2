"""Judging in a real browser: by keyboard, without a network, without scripts."""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic
from typing import TYPE_CHECKING

import pytest

from tests import postgres
from tests.browser.judge_page import (
    DOCUMENTS,
    HOSTILE,
    PHONE,
    Team,
    a_team,
    all_sent,
    at,
    browsing,
    press,
    ready,
)

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def either(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Team]:
    """A team on SQLite, and one on a PostgreSQL server."""
    if request.param == "sqlite":
        yield request.getfixturevalue("team")
        return
    with (
        postgres.server() as host,
        a_team(tmp_path_factory.mktemp("team") / "project", database=postgres.url(host)) as made,
    ):
        yield made


def test_a_query_by_keyboard_alone(browser: Browser, either: Team) -> None:
    with browsing(browser, either) as (_, page):
        page.goto(either.link("ann"))
        tab_to(page, "Sign in as ann")
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="Your queries").wait_for()
        tab_to(page, "Judge t1")
        page.keyboard.press("Enter")
        ready(page)
        press(page, "2", "0", "f", "3")  # d1, d2, and d3, which is flagged
        press(page, "n")
        page.keyboard.type("Is it u? 1")  # keys say nothing while one types
        press(page, "Control+Enter", "1", "s")
        page.keyboard.type("In no language that I read")
        press(page, "Enter", "2", "u")  # d5 is skipped, and d6 taken back
        at(page, "d6")
        press(page, "1", "ArrowLeft")
        at(page, "d6")
        press(page, "ArrowLeft")
        at(page, "d5")
        assert "Skipped" in page.locator("#judgment").inner_text()
        press(page, "3")  # one may think better of it
        at(page, "d6")
        press(page, "ArrowRight")
        at(page, "d7")
        press(page, "?")
        assert page.get_by_role("dialog", name="Keys").is_visible()
        press(page, "1", "Escape", "0", "0")  # nor do keys in a dialog
        page.get_by_role("heading", name="No documents are left").wait_for()
        all_sent(page)
    plain = {"d1": 2, "d2": 0, "d5": 3, "d6": 1, "d7": 0, "d8": 0}
    assert either.standing("ann", "t1") == {
        **{name: (grade, None, "", False) for name, grade in plain.items()},
        "d3": (3, None, "", True),
        "d4": (1, None, "Is it u? 1", False),
    }
    assert [kind for _, kind, _ in either.said("ann", "t1")].count("undo") == 1


def tab_to(page: Page, name: str) -> None:
    """Move the focus by Tab until it is on what has this name."""
    for _ in range(40):
        page.keyboard.press("Tab")
        if name in " ".join(page.locator(":focus").inner_text().split()):
            return
    raise AssertionError(f"{name!r} was not reached")


def test_a_double_click_says_one_thing(browser: Browser, team: Team) -> None:
    with browsing(browser, team, "ivy") as (_, page):
        page.goto("/queries/t2")
        ready(page)
        page.get_by_role("button", name="Related").dblclick()  # d1
        at(page, "d2")
        page.get_by_role("button", name="Flag").dblclick()
        page.get_by_role("button", name="Related").click()
        at(page, "d3")
        page.get_by_role("button", name="Skip").click()
        page.get_by_label("Why can you not judge it?").fill("Broken")
        page.get_by_role("button", name="Skip it").dblclick()
        at(page, "d4")
        page.get_by_role("button", name="Undo").dblclick()
        at(page, "d3")
        page.get_by_role("button", name="Related").press("Enter")  # is a click of no mouse
        at(page, "d4")
        all_sent(page)
        page.goto("/queries/t2/list")
        page.wait_for_load_state("networkidle")
        page.locator(".row", has_text="d5").get_by_role("button", name="Related").dblclick()
        all_sent(page)
    assert team.said("ivy", "t2") == [
        ("d1", "grade", 1),
        ("d2", "flag", None),
        ("d2", "grade", 1),
        ("d3", "skip", None),
        ("d3", "undo", None),
        ("d3", "grade", 1),
        ("d5", "grade", 1),
    ]


def test_two_quick_taps_say_one_thing(browser: Browser, team: Team) -> None:
    touched = {"has_touch": True, "is_mobile": True}
    with browsing(browser, team, "cat", size=PHONE, **touched) as (_, page):
        page.goto("/queries/t3")
        ready(page)
        box = page.get_by_role("button", name="Related").bounding_box()
        assert box is not None
        started = monotonic()
        for _tap in range(2):
            page.touchscreen.tap(box["x"] + 9, box["y"] + 9)
        # A browser on a busy machine may get the second so late that it is another tap.
        quick = monotonic() - started < 0.25
        all_sent(page)
    said = team.said("cat", "t3")
    assert said[0] == ("d1", "grade", 1)
    assert len(said) == 1 or not quick


def test_what_is_said_offline_is_sent_later(browser: Browser, either: Team) -> None:
    with browsing(browser, either, "bob") as (context, page):
        page.goto("/queries/t1")
        ready(page)
        press(page, "1")
        all_sent(page)
        context.set_offline(True)
        press(page, "2", "3", "0")
        page.locator("#status", has_text="3 judgments wait to be sent: you are offline").wait_for()
        assert page.locator("#progress-query .done").inner_text() == "4", "what waits is counted"
        assert len(either.said("bob", "t1")) == 1
        context.set_offline(False)
        all_sent(page)
        page.reload()
        assert page.locator("#progress-query .done").inner_text() == "4"
    graded = [("d1", 1), ("d2", 2), ("d3", 3), ("d4", 0)]
    assert either.said("bob", "t1") == [(name, "grade", grade) for name, grade in graded]


def test_a_server_that_is_killed_is_waited_for(browser: Browser, team: Team) -> None:
    with browsing(browser, team, "cat") as (_, page):
        page.goto("/queries/t1")
        ready(page)
        team.served.pause()  # a request is on its way when it dies
        press(page, "1", "2")
        team.served.kill()
        page.locator("#status", has_text="the server cannot be reached").wait_for()
        press(page, "3")
        page.close()  # and it is kept when the page is closed
        team.served.start()
        page = page.context.new_page()
        page.goto("/queries")
        all_sent(page)
    assert team.said("cat", "t1") == [
        ("d1", "grade", 1),
        ("d2", "grade", 2),
        ("d3", "grade", 3),
    ]


def test_all_of_it_without_scripts(browser: Browser, team: Team) -> None:
    with browsing(browser, team, "dan", java_script_enabled=False) as (_, page):
        page.goto("/queries/t1")
        button = page.get_by_role("button", name="Related")
        button.click()  # d1
        page.locator("#judged").get_by_role("button", name="Undo").click()
        assert page.get_by_role("heading", name="Title of d1").is_visible()
        page.locator("summary", has_text="Note").click()
        page.get_by_label("Note", exact=True).fill("A note")
        page.get_by_role("button", name="Keep the note").click()
        page.get_by_role("button", name="Flag").click()
        assert page.get_by_role("button", name="Flag").get_attribute("aria-pressed") == "true"
        page.get_by_role("button", name="Perfectly relevant").click()
        page.locator("summary", has_text="Skip").click()  # d2
        page.get_by_label("Why can you not judge it?").fill("Broken")
        page.get_by_role("button", name="Skip it").click()
        for _ in range(DOCUMENTS - 2):
            button.click()
        assert page.get_by_role("heading", name="No documents are left").is_visible()
    standing = team.standing("dan", "t1")
    assert standing["d1"] == (3, None, "A note", True)
    assert standing["d2"] == (None, "Broken", "", False)
    assert len(standing) == DOCUMENTS


def test_a_document_is_text_whatever_it_holds(browser: Browser, team: Team) -> None:
    with browsing(browser, team, "fay", size=PHONE) as (_, page):
        page.goto("/queries/t1/list")
        page.goto(f"/queries/t1?item={DOCUMENTS}")
        ready(page)
        shown = page.locator("#document").inner_text()
        assert "<b>bold</b>" in shown
        assert HOSTILE in shown
        assert len(shown) < 50_000, "ten megabytes are not on the page"
        assert "water" in page.locator("#document mark").all_inner_texts()
        assert page.locator("#document :is(script, img, b)").count() == 0
        assert page.title() != "taken"
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
        press(page, "1")
        all_sent(page)
    assert team.said("fay", "t1") == [(f"d{DOCUMENTS}", "grade", 1)]

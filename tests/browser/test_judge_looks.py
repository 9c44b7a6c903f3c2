"""How the pages of the judging app look: axe finds nothing serious, and phones are wide enough."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from cleverdon.judging.web.app import _declared_routes
from tests.browser.judge_page import DOCUMENTS, PHONE, Team, browsing, press

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PAGES = {
    "/queries": "/queries",
    "/queries/{name}/list": "/queries/t1/list",
    "/queries/{name}": "/queries/t2",
    "/items/{item}/text": f"/items/{DOCUMENTS}/text",
    "/account": "/account",
    "/dashboard": "/dashboard",
    "/dashboard/queries/{name}": "/dashboard/queries/t1",
    "/dashboard/people/{name}": "/dashboard/people/gus",
    "/adjudication": "/adjudication",
    "/adjudication/{item}": "/adjudication/3",
    "/adjudication/{item}/text": f"/adjudication/{DOCUMENTS}/text",
    "/people": "/people",
    "/people/audit": "/people/audit",
    "/assignments": "/assignments",
    "/exports": "/exports",
    "/imports": "/imports",
    "/sign-in": "/sign-in",
}
"""An example of each page. What is there for programs, or leads elsewhere, is none."""

ANEW, THERE = Axe(), Axe("void 0")
"""Brings axe into the page, which takes a while; or finds it there."""

NO_PAGES = {"/", "/sign-in/{key}", "/scale.css"}


def test_there_is_an_example_of_each_page() -> None:
    shown = {
        route.path_format
        for path, route in _declared_routes()
        if "GET" in route.methods and not path.startswith(("/api/", "/exports/"))
    }
    assert shown - NO_PAGES == PAGES.keys()


@pytest.fixture(scope="module")
def judging_administrator(team: Team) -> str:
    """Somebody who sees every page: an administrator to whom queries are assigned."""
    from sqlalchemy import insert

    from cleverdon.judging.people.accounts import person_named
    from cleverdon.judging.store.schema import assignments

    with team.project.database.writing() as connection:
        eve = person_named(connection, "eve").id
        rows = [{"query_id": query, "person_id": eve} for query in (1, 2, 3)]
        connection.execute(insert(assignments), rows)
    return "eve"


def test_axe_finds_nothing_serious(
    browser: Browser, team: Team, judging_administrator: str
) -> None:
    found: list[str] = []
    # Colours that change slowly would be looked at on their way.
    still = {"reduced_motion": "reduce"}
    with browsing(browser, team, judging_administrator, **still) as (_, page):
        for address in (*PAGES.values(), "/nothing", team.link("ann")):
            page.emulate_media(color_scheme="light")
            page.goto(address)
            found += serious(page, f"{address} in the light")
            page.emulate_media(color_scheme="dark")
            found += serious(page, f"{address} in the dark", axe=THERE, only="color-contrast")
        page.goto("/queries/t2")
        page.locator("html.scripted").wait_for()
        found += serious_in_dialogs(page)
        page.goto("/queries/t2/list")
        page.locator("html.scripted").wait_for()
        press(page, "ArrowRight")
        found += serious_in_dialogs(page)
    assert not found, "\n".join(found)


def serious_in_dialogs(page: Page) -> list[str]:
    found = []
    for key in "?sn":
        press(page, key)
        found += serious(page, f"the dialog of {key} at {page.url}")
        press(page, "Escape")
    return found


def serious(page: Page, where: str, *, axe: Axe = ANEW, only: str = "") -> list[str]:
    """What axe objects to, and how much it matters."""
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if only:
        options["runOnly"] = [only]
    response = axe.run(page, options=options).response
    return [
        f"{where}: {each['id']}, {each['nodes'][0]['html'][:200]}: "
        f"{each['nodes'][0].get('failureSummary', '')}"
        for each in response["violations"]
        if each["impact"] in ("serious", "critical")
    ]


def test_pages_fit_on_a_phone(browser: Browser, team: Team, judging_administrator: str) -> None:
    wide: list[str] = []
    with browsing(browser, team, judging_administrator, size=PHONE) as (_, page):
        for address in PAGES.values():
            page.goto(address)
            width = page.evaluate("document.documentElement.scrollWidth")
            if width > PHONE["width"]:
                wide.append(f"{address} is {width} wide: {widest(page)}")
        page.goto("/queries/t2")
        grades = page.locator("#grades button")
        for place in range(grades.count()):
            box = grades.nth(place).bounding_box()
            assert box is not None
            assert box["height"] >= 40, "a finger hits it"
            assert 0 <= box["y"] <= PHONE["height"] - box["height"], "without scrolling"
    assert not wide, "\n".join(wide)


def test_whatever_can_be_pressed_is_in_view_on_a_phone(
    browser: Browser, team: Team, judging_administrator: str
) -> None:
    hidden: list[str] = []
    with browsing(browser, team, judging_administrator, size=PHONE) as (_, page):
        for address in PAGES.values():
            page.goto(address)
            hidden += [f"{address}: {one}" for one in page.evaluate(HIDDEN)]
    assert not hidden, "\n".join(hidden)


HIDDEN = """() => [...document.querySelectorAll('main :is(button, select, input, textarea)')]
  .filter((one) => one.getBoundingClientRect().right > innerWidth)
  .map((one) => one.outerHTML.slice(0, 120))"""
"""Only those that some table hides until it is scrolled."""


@pytest.mark.parametrize("address", ["/people", "/people/audit"])
def test_rows_that_break_into_lines_are_still_a_table(
    browser: Browser, team: Team, judging_administrator: str, address: str
) -> None:
    with browsing(browser, team) as (_, page):  # a line of the audit log
        page.goto(team.link("ann"))
        page.get_by_role("button", name="Sign in as ann").click()
    with browsing(browser, team, judging_administrator, size=PHONE) as (context, page):
        page.goto(address)
        table = page.locator(".wrapped")
        assert table.evaluate("(it) => it.scrollWidth <= it.parentElement.clientWidth")
        names = table.locator("thead th").all_inner_texts()
        tree = context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
        read = [(one["role"]["value"], one.get("name", {}).get("value")) for one in tree]
        assert [name for role, name in read if role == "columnheader"] == names
        assert {"table", "row", "cell"} <= {role for role, _ in read}


def test_a_table_that_goes_on_beyond_the_edge_shows_it(
    browser: Browser, team: Team, judging_administrator: str
) -> None:
    with browsing(browser, team, judging_administrator, size=PHONE) as (_, page):
        page.goto("/dashboard")
        table = page.locator(".scrolled", has_text="Hours left")
        table.scroll_into_view_if_needed()
        box = table.bounding_box()
        assert box is not None
        corner = {"x": box["x"] + box["width"] - 1, "y": box["y"] + 1, "width": 1, "height": 1}
        shaded = page.screenshot(clip=corner)
        table.evaluate("(it) => it.scrollTo(it.scrollWidth, 0)")
        assert page.screenshot(clip=corner) != shaded, "at its end there is no shadow"


def widest(page: Page) -> str:
    """What sticks out."""
    found: list[str] = page.evaluate(
        """() => [...document.querySelectorAll('body *')].filter((one) =>
          one.getBoundingClientRect().right > innerWidth + 1)
          .map((one) => one.outerHTML.slice(0, 120))"""
    )
    return " | ".join(found[:3])

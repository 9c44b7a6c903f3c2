"""What is said is sent once and is not lost, whatever happens between the page and the server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle
from typing import TYPE_CHECKING

from sqlalchemy import delete, insert

from cleverdon.judging.people.accounts import person_named
from cleverdon.judging.store.schema import assignments, visits
from tests.browser.judge_page import (
    Team,
    all_sent,
    at,
    browsing,
    nothing_waits,
    press,
    ready,
    says,
    sign_in,
)

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, Route

JUDGMENTS = "**/api/judgments"
FORBIDDEN = "Object.defineProperty(window, 'localStorage', { get() { throw new Error('no') } })"


@contextmanager
def judging(browser: Browser, team: Team, name: str, query: str) -> Iterator[Page]:
    with browsing(browser, team, name) as (_, page):
        open_query(page, query)
        yield page


def open_query(page: Page, query: str) -> None:
    page.goto(f"/queries/{query}")
    ready(page)


def sent_at_once(page: Page) -> None:
    """All is sent when the network is said to be there, rather than some seconds later."""
    page.evaluate("dispatchEvent(new Event('online'))")
    all_sent(page)


@contextmanager
def answering(page: Page | BrowserContext, answer: Callable[[Route], None]) -> Iterator[None]:
    """Somebody else answers the judgments."""
    page.route(JUDGMENTS, answer)
    yield
    page.unroute(JUDGMENTS)


def grades(team: Team, name: str, query: str) -> list[tuple[str, int | None]]:
    """What was recorded, in order, and the grades after it."""
    return [(document, grade) for document, _, grade in team.said(name, query)]


def test_an_answer_from_somebody_else_is_none(browser: Browser, team: Team) -> None:
    statuses = cycle((200, 404, 200, 502))
    body = "<p>Pay for this network, please</p>"
    with judging(browser, team, "ann", "t2") as page:
        page.route("**/api/**", lambda route: route.fulfill(status=next(statuses), body=body))
        press(page, *"123012")
        page.get_by_role("heading", name="The next document cannot be fetched").wait_for()
        says(page, "6 judgments wait to be sent: something else than this app answered")
        page.unroute_all()
        all_sent(page)
        page.get_by_role("heading", name="Title of d7").wait_for()  # it goes on by itself
    assert grades(team, "ann", "t2") == [
        ("d1", 1), ("d2", 2), ("d3", 3), ("d4", 0), ("d5", 1), ("d6", 2),
    ]  # fmt: skip


def test_two_pages_of_one_person(browser: Browser, team: Team) -> None:
    with judging(browser, team, "bob", "t2") as one:
        other = one.context.new_page()
        open_query(other, "t3")
        other.evaluate("document.body.dataset.csrf = 'of an earlier visit'")
        press(other, *"21")
        press(one, "3")
        all_sent(one)
        all_sent(other)
        assert other.locator("#progress-query .done").inner_text() == "2"
    assert grades(team, "bob", "t2") == [("d1", 3)]
    assert grades(team, "bob", "t3") == [("d1", 2), ("d2", 1)]


def test_another_person_at_the_same_browser(browser: Browser, team: Team) -> None:
    with judging(browser, team, "cat", "t2") as page:
        context = page.context
        with answering(context, lambda route: route.abort()):
            press(page, *"12")
            says(page, "2 judgments wait")
            page.close()
        sign_in(context, team, "dan")
        page = context.new_page()
        open_query(page, "t2")
        press(page, "3")
        all_sent(page)
        sign_in(context, team, "cat")
        page.goto("/queries")
        all_sent(page)
    assert grades(team, "dan", "t2") == [("d1", 3)]
    assert grades(team, "cat", "t2") == [("d1", 1), ("d2", 2)]


def test_a_browser_that_keeps_nothing(browser: Browser, team: Team) -> None:
    with browsing(browser, team, "fay") as (_, page):
        page.add_init_script(FORBIDDEN)
        open_query(page, "t2")
        with answering(page, lambda route: route.abort()):
            press(page, *"12")
            says(page, "leave this page open")
        sent_at_once(page)
    assert grades(team, "fay", "t2") == [("d1", 1), ("d2", 2)]


def test_the_last_word_stands_although_the_clock_was_set_back(browser: Browser, team: Team) -> None:
    with judging(browser, team, "dan", "t3") as page:
        context = page.context
        with answering(context, lambda route: route.abort()):
            press(page, "1")
            says(page, "1 judgment waits")
            page.close()
            page = context.new_page()
            page.add_init_script("{ const now = Date.now; Date.now = () => now() - 86400000 }")
            open_query(page, "t3")
            press(page, "3")
            says(page, "2 judgments wait")
        sent_at_once(page)
    assert grades(team, "dan", "t3") == [("d1", 1), ("d1", 3)]


def test_what_has_not_been_sent_can_be_undone(browser: Browser, team: Team) -> None:
    with judging(browser, team, "fay", "t3") as page:
        page.context.set_offline(True)
        press(page, *"2u")
        assert page.locator("#judgment").inner_text() == "Not judged"
        press(page, *"31uu")
        says(page, "6 judgments wait")
        page.context.set_offline(False)
        all_sent(page)
        assert page.locator("#progress-query .done").inner_text() == "0"
    assert grades(team, "fay", "t3") == [
        ("d1", 2), ("d1", None), ("d1", 3), ("d2", 1), ("d2", None), ("d1", None),
    ]  # fmt: skip


def test_what_is_refused_holds_nothing_up(browser: Browser, team: Team) -> None:
    def refuse_flags(route: Route) -> None:
        if route.request.post_data_json["kind"] == "flag":
            route.fulfill(status=422, json={"error": "no flags today"})
        else:
            route.continue_()

    with judging(browser, team, "ivy", "t3") as page:
        with answering(page, refuse_flags):
            press(page, *"1f2")
            page.locator("#refused", has_text="No flags today.").wait_for()
            press(page, *"uu")  # 2 and 1: there is no flag that could be undone
            page.locator("#document h2", has_text="Title of d1").wait_for()
            all_but_refused = ("d1", 1), ("d2", 2), ("d2", None), ("d1", None)
        page.get_by_role("button", name="Send it again").click()
        all_sent(page)
        assert page.locator("#refused").is_hidden()
    assert grades(team, "ivy", "t3") == [*all_but_refused, ("d2", None)]
    assert team.standing("ivy", "t3")["d2"] == (None, None, "", True)


def test_what_is_sent_again_comes_after_what_was_said_meanwhile(
    browser: Browser, team: Team
) -> None:
    held: list[Route] = []
    first = True

    def hold_undo(route: Route) -> None:
        """Refuse the first flag, and answer no undo step until it is sent again."""
        nonlocal first
        kind = route.request.post_data_json["kind"]
        if kind == "flag" and first:
            first = False
            route.fulfill(status=422, json={"error": "no flags today"})
        elif kind == "undo" and not held:
            held.append(route)
        else:
            route.continue_()

    with judging(browser, team, "mia", "t3") as page, answering(page, hold_undo):
        press(page, *"1f2")
        page.locator("#refused", has_text="No flags today.").wait_for()
        with page.expect_request(lambda sent: '"undo"' in (sent.post_data or "")):
            press(page, *"uu")
        page.get_by_role("button", name="Send it again").click()
        press(page, "u")  # takes back the flag, the last word
        held[0].continue_()
        all_sent(page)
    kinds = [(document, kind) for document, kind, _ in team.said("mia", "t3")]
    assert kinds == [
        ("d1", "grade"), ("d2", "grade"),
        ("d2", "undo"), ("d1", "undo"), ("d2", "flag"), ("d2", "undo"),
    ]  # fmt: skip
    assert team.standing("mia", "t3")["d2"] == (None, None, "", False)


def test_what_is_sent_again_does_not_keep_undo_steps_from_being_taken(
    browser: Browser, team: Team
) -> None:
    is_there = True

    def refuse_flags(route: Route) -> None:
        if not is_there:
            route.abort()
        elif route.request.post_data_json["kind"] == "flag":
            route.fulfill(status=422, json={"error": "no flags today"})
        else:
            route.continue_()

    with judging(browser, team, "leo", "t3") as page:
        with answering(page, refuse_flags):
            press(page, *"f2")
            page.locator("#refused", has_text="No flags today.").wait_for()
            is_there = False
            press(page, "u")  # takes back 2, once the network is there again
            page.get_by_role("button", name="Send it again").click()
            says(page, "2 judgments wait")
        sent_at_once(page)
        assert page.locator("#refused").is_hidden()
    kinds = [(document, kind) for document, kind, _ in team.said("leo", "t3")]
    assert kinds == [("d1", "grade"), ("d1", "undo"), ("d1", "flag")]
    assert team.standing("leo", "t3")["d1"] == (None, None, "", True)


def test_what_is_sent_again_in_a_list_is_undone_first(browser: Browser, team: Team) -> None:
    first = True

    def refuse_once(route: Route) -> None:
        nonlocal first
        if first:
            first = False
            route.fulfill(status=422, json={"error": "no flags today"})
        else:
            route.continue_()

    with browsing(browser, team, "oli") as (_, page):
        page.goto("/queries/t2/list")
        ready(page)
        with answering(page, refuse_once):
            press(page, "ArrowRight", *"f2")
            page.locator("#refused", has_text="No flags today.").wait_for()
            page.get_by_role("button", name="Send it again").click()
            all_sent(page)
            press(page, "u")
            all_sent(page)
    kinds = [(document, kind) for document, kind, _ in team.said("oli", "t2")]
    assert kinds == [("d1", "grade"), ("d1", "flag"), ("d1", "undo")]
    assert team.standing("oli", "t2")["d1"] == (2, None, "", False)


def test_what_waits_counts_in_other_queries_too(browser: Browser, team: Team) -> None:
    with browsing(browser, team, "pam") as (context, page):
        open_query(page, "t1")
        with answering(context, lambda route: route.abort()):
            press(page, "1")
            says(page, "1 judgment waits")
            open_query(page, "t2")
            done = [
                page.locator(f"#progress-{of} .done").inner_text() for of in ("query", "overall")
            ]
            assert done == ["0", "1"]
        sent_at_once(page)
        assert page.locator("#progress-overall .done").inner_text() == "1"
    assert grades(team, "pam", "t1") == [("d1", 1)]


def test_to_undo_what_is_refused_takes_nothing_else_back(browser: Browser, team: Team) -> None:
    is_there = False

    def refuse_threes(route: Route) -> None:
        if not is_there:
            route.abort()
        elif route.request.post_data_json.get("grade") == 3:
            route.fulfill(status=422, json={"error": "no threes today"})
        else:
            route.continue_()

    with judging(browser, team, "ivy", "t1") as page:
        press(page, "2")
        all_sent(page)
        with answering(page, refuse_threes):
            press(page, "ArrowLeft")
            at(page, "d1")
            press(page, *"3u")
            says(page, "2 judgments wait")
            is_there = True
            page.evaluate("dispatchEvent(new Event('online'))")
            page.locator("#refused", has_text="No threes today.").wait_for()
            page.get_by_role("button", name="Forget it").click()
            nothing_waits(page)
        page.locator("#judgment", has_text="2 Relevant").wait_for()
    assert grades(team, "ivy", "t1") == [("d1", 2)]


def test_many_that_are_refused_are_folded_and_sent_again_together(
    browser: Browser, team: Team
) -> None:
    with team.project.database.writing() as connection:
        mia = person_named(connection, "mia").id
    with judging(browser, team, "mia", "t1") as page:
        with team.project.database.writing() as connection:
            connection.execute(delete(assignments).where(assignments.c.person_id == mia))
        press(page, *"12301")
        says(page, "5 judgments were not taken: see why below.")
        press(page, "ArrowLeft")
        at(page, "d5")
        page.locator("#judgment", has_text="Not judged").wait_for()
        box = page.locator("#refused")
        box.locator("details:not([open])").wait_for()
        box.locator("summary").click()
        why = "of “Title of d1”: this document is not assigned to you, or no longer."
        assert f"Not taken: Grade 1 Related {why}" in box.inner_text()
        with team.project.database.writing() as connection:
            rows = [{"query_id": query, "person_id": mia} for query in (1, 2, 3)]
            connection.execute(insert(assignments), rows)
        box.get_by_role("button", name="Send all again").click()
        all_sent(page)
        assert box.is_hidden()
    assert [grade for _, grade in grades(team, "mia", "t1")] == [1, 2, 3, 0, 1]


def test_a_visit_that_ended(browser: Browser, team: Team) -> None:
    with judging(browser, team, "hal", "t3") as page:
        with team.project.database.writing() as connection:
            hal = person_named(connection, "hal").id
            connection.execute(delete(visits).where(visits.c.person_id == hal))
        press(page, "1")
        says(page, "1 judgment waits to be sent: sign in first")
        assert page.locator("#status a").get_attribute("href") == "/sign-in?next=%2Fqueries%2Ft3"
        page.goto(team.link("hal"))
        page.get_by_role("button", name="Sign in as hal").click()
        all_sent(page)
    assert grades(team, "hal", "t3") == [("d1", 1)]


def test_a_page_that_is_loaded_again_in_the_middle(browser: Browser, team: Team) -> None:
    with judging(browser, team, "gus", "t3") as page:
        with answering(page, lambda route: void(route.fetch())):  # the page hears nothing of it
            with page.expect_request(JUDGMENTS):
                press(page, "1")
            page.reload()
        all_sent(page)
    assert grades(team, "gus", "t3") == [("d1", 1)]


def void(_: object) -> None:
    """Nothing is answered."""

"""A team that judges, at a real server: projects, browsers in which people are signed in."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import select, update

from cleverdon.judging.people.accounts import COMMAND_LINE, person_named
from cleverdon.judging.people.administration import renew_link
from cleverdon.judging.project import Project
from cleverdon.judging.recording import JudgmentEvent, record
from cleverdon.judging.store.schema import documents, events, items, judgments, queries
from cleverdon.judging.web.authorization import cookie_name
from tests.judging.projects import made_project, signed_in
from tests.judging.served import Served, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, ViewportSize

ASSESSORS = (
    "ann", "bob", "cat", "dan", "fay", "gus", "hal", "ivy", "jim", "kim", "leo", "mia", "ned",
    "oli", "pam",
)  # fmt: skip
PEOPLE = {**dict.fromkeys(ASSESSORS, "assessor"), "eve": "administrator"}
DOCUMENTS = 8
HOSTILE = "</article><script>document.title = 'taken'</script><img src=x onerror='alert(1)'>"
ARABIC = "الماء يتحرك"
WIDE: ViewportSize = {"width": 1280, "height": 800}
PHONE: ViewportSize = {"width": 375, "height": 667}

PATIENCE = 120_000
"""How many milliseconds a page may take for anything, on a machine with much else to do."""


@dataclass(frozen=True)
class Team:
    """A project with its server. Everybody judges everything, so that nobody is in another's way.

    On SQLite the last document has markup for its text, in a line of ten megabytes. The sixth has
    a paragraph that runs from right to left.
    """

    project: Project
    served: Served

    def link(self, name: str) -> str:
        """A new sign-in link, of which the audit log has a line."""
        with self.project.database.writing() as connection:
            _, key = renew_link(connection, COMMAND_LINE, person_named(connection, name).id)
        return f"{self.served.url}/sign-in/{key}"

    def said(self, name: str, query: str) -> list[tuple[str, str, Any]]:
        """Everything that was recorded: documents, kinds, and the grades after it."""
        with self.project.database.reading() as connection:
            rows = connection.execute(
                select(documents.c.name, events.c.kind, events.c.grade)
                .join(items, items.c.id == events.c.item_id)
                .join(documents, documents.c.id == items.c.document_id)
                .join(queries, queries.c.id == items.c.query_id)
                .where(
                    queries.c.name == query,
                    events.c.person_id == person_named(connection, name).id,
                )
                .order_by(events.c.id)
            )
            return [(row.name, row.kind, row.grade) for row in rows]

    def standing(self, name: str, query: str) -> dict[str, tuple[Any, ...]]:
        """Each document's grade, reason, note and flag, as they stand."""
        with self.project.database.reading() as connection:
            rows = connection.execute(
                select(documents.c.name.label("document"), judgments)
                .join(items, items.c.id == judgments.c.item_id)
                .join(documents, documents.c.id == items.c.document_id)
                .join(queries, queries.c.id == items.c.query_id)
                .where(
                    queries.c.name == query,
                    judgments.c.person_id == person_named(connection, name).id,
                )
            )
            return {row.document: (row.grade, row.skipped, row.note, row.flagged) for row in rows}


@contextmanager
def a_team(folder: Path, *, database: str | None = None) -> Iterator[Team]:
    """A team at a server of its own."""
    made = made_project(
        folder, queries=3, documents=DOCUMENTS, people=PEOPLE, wanted=99, database=database
    )
    with made as project:
        with project.database.writing() as connection:
            both = {
                "text": f"The text of d6, in which water moves.\n\n{ARABIC}",
                "url": "ftp://example.org/d6",
            }
            connection.execute(update(documents).where(documents.c.name == "d6").values(**both))
            if database is None:
                long = HOSTILE + " water " + "x" * 10_000_000
                last = update(documents).where(documents.c.name == f"d{DOCUMENTS}")
                connection.execute(last.values(text=long, title="<b>bold</b>"))
            for item in range(1, 2 * DOCUMENTS):  # gus and hal disagree now and then
                for person, grade in (("gus", item % 4), ("hal", item % 3)):
                    said = JudgmentEvent(
                        f"made-up-{item}", item, "grade", grade=grade, seconds=item % 9
                    )
                    record(connection, person_named(connection, person).id, said, project.scale)
        with serving(folder) as served:
            yield Team(project, served)


def sign_in(context: BrowserContext, team: Team, name: str) -> None:
    """Give a browser the cookie of somebody who is signed in."""
    key, cookie = signed_in(team.project, name), cookie_name(team.project)
    context.add_cookies([{"name": cookie, "value": key, "url": team.served.url}])


@contextmanager
def browsing(
    browser: Browser, team: Team, name: str = "", *, size: ViewportSize = WIDE, **more: Any
) -> Iterator[tuple[BrowserContext, Page]]:
    """A page of a browser of its own, in which somebody is signed in; it must not complain.

    What a network that is down, or a server that is, makes the browser say is no complaint.
    """
    context = browser.new_context(base_url=team.served.url, viewport=size, **more)
    context.set_default_timeout(PATIENCE)
    complaints: list[str] = []
    context.on("weberror", lambda error: complaints.append(str(error.error)))
    context.on("console", lambda said: _is_wrong(said) and complaints.append(said.text))
    context.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
    if name:
        sign_in(context, team, name)
    try:
        yield context, context.new_page()
    finally:
        context.close()
    assert not complaints, f"the page complained: {'; '.join(complaints)}"


def _is_wrong(said: ConsoleMessage) -> bool:
    """Whether a page complained; of servers that are down, and of a page that is not, it may.

    So it may of calls that are not answered: it says so itself, which tests look at.
    """
    address = said.location["url"]
    silent = address.endswith(("/nothing", "/api/judgments", "/api/next"))
    expected = "net::ERR_" in said.text or silent or "/api/items/" in address
    return said.type == "error" and not expected


def press(page: Page, *keys: str) -> None:
    """One key after the other."""
    for key in keys:
        page.keyboard.press(key)


def at(page: Page, name: str) -> None:
    """Wait until a document is shown."""
    page.locator("#document .about", has_text=re.compile(rf"\b{name}\b")).wait_for()


def says(page: Page, text: str) -> None:
    """Wait until the line at the top says this."""
    page.locator("#status", has_text=text).wait_for()


def ready(page: Page) -> None:
    """Wait until keys are listened to, and the next documents are there."""
    page.locator("html.scripted").wait_for()
    page.wait_for_load_state("networkidle")


WAITING = """() => {
  if (!document.body) return true; // the next page is being loaded
  const { project, person } = document.body.dataset;
  try {
    const mine = `cleverdon-judge/${project}/${person}/`;
    return Object.keys(localStorage).some((key) => key.startsWith(mine));
  } catch {
    return false; // a browser that keeps nothing
  }
}"""


def nothing_waits(page: Page) -> None:
    """Wait until nothing waits in the browser any more.

    The page's policy allows no `wait_for_function`, which evaluates text within it.
    """
    until = time.monotonic() + PATIENCE / 1000
    while _waits(page):
        assert time.monotonic() < until, "judgments still wait to be sent"
        page.wait_for_timeout(20)


def _waits(page: Page) -> bool:
    """Return whether judgments wait; they may, as long as the next page is being loaded."""
    from playwright.sync_api import Error

    try:
        return bool(page.evaluate(WAITING))
    except Error as error:
        if "Execution context was destroyed" not in error.message:
            raise
        return True


def all_sent(page: Page) -> None:
    """Wait until nothing waits in the browser any more, and the page says that all is saved."""
    nothing_waits(page)
    says(page, "Saved")

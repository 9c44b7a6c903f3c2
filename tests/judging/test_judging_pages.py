"""Pages of assessors: they work by forms alone, and show text as text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape, unescape
from pathlib import Path
from urllib.parse import unquote

import pytest
from fastapi import FastAPI
from sqlalchemy import func, select, update
from starlette.testclient import TestClient

from cleverdon.judging.project import Project
from cleverdon.judging.recording import JudgmentEvent, record
from cleverdon.judging.scale import Grade, _parse_scale
from cleverdon.judging.store.schema import documents, events, judgments, queries
from cleverdon.judging.web.app import make_app
from cleverdon.judging.web.responses import query_of, query_path
from cleverdon.judging.web.routes.project import _scale_css
from tests.judging.projects import browser, made_project

EVIL = "<script>alert(1)</script>"
NAMES = ["a/list", "a", "..", "50% ?#&+ é", "a%2Fb", "~s.~"]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    with made_project(tmp_path_factory.mktemp("pages") / "project", queries=7) as made:
        yield made


@pytest.fixture(scope="module")
def app(project: Project) -> FastAPI:
    return make_app(project)


@pytest.fixture(scope="module")
def ann(app: FastAPI) -> TestClient:
    return browser(app, "ann")


def form_of(page: str, say: str) -> dict[str, str]:
    """The hidden fields of the first form that says this."""
    form = re.search(rf'<form[^>]*data-kind="{say}".*?</form>', page, re.DOTALL)
    assert form is not None
    fields = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', form.group())
    return {name: unescape(value) for name, value in fields}


def shown(page: str) -> int:
    found = re.search(r'<article class="document" data-item="(\d+)"', page)
    assert found is not None, "a document is shown"
    return int(found[1])


def events_of(project: Project, item: int) -> int:
    with project.database.reading() as connection:
        wanted = select(func.count()).select_from(events).where(events.c.item_id == item)
        return int(connection.execute(wanted).scalar_one())


def test_each_role_starts_where_its_work_is(app: FastAPI, ann: TestClient) -> None:
    assert ann.get("/", follow_redirects=False).headers["location"] == "/queries"
    for name in ("eve", "vic"):
        with browser(app, name) as who:
            assert who.get("/", follow_redirects=False).headers["location"] == "/dashboard"


def test_guidelines_of_the_project_are_shown_where_one_judges(tmp_path: Path) -> None:
    told = {"guidelines": f"Judge the text.\nNot its links. {EVIL}"}
    with made_project(tmp_path / "project", settings=told) as project:
        app = make_app(project)
        with browser(app, "ann") as ann:
            for path in ("/queries", "/queries/t1", "/queries/t1/list"):
                assert escape(told["guidelines"]) in ann.get(path).text, path


def test_queries_that_are_done_come_last(tmp_path: Path) -> None:
    with made_project(tmp_path / "project", queries=3, documents=1) as project:
        with project.database.writing() as connection:
            record(connection, 1, JudgmentEvent("the-only-one", 1, "grade", 2), project.scale)
        with browser(make_app(project), "ann") as ann:
            shown = re.findall(r'<span class="id">(t\d)</span>', ann.get("/queries").text)
    assert shown == ["t2", "t3", "t1"]


def test_judging_by_forms_alone(project: Project, ann: TestClient) -> None:
    page = ann.get("/queries/t1").text
    first, form = shown(page), form_of(page, "grade")
    second = ann.post("/queries/t1", data={**form, "grade": "2"})
    assert second.status_code == 200
    assert shown(second.text) != first
    assert "2 Relevant" in second.text
    assert "Undo" in second.text

    ann.post("/queries/t1", data={**form, "grade": "2"})
    assert events_of(project, first) == 1, "a second press of the same button"
    ann.post("/queries/t1", data={**form, "grade": "3"})
    assert events_of(project, first) == 2, "a second thought"

    page = ann.get(f"/queries/t1?item={first}").text
    assert 'value="3" class="grade grade-3" aria-pressed="true"' in page
    assert "Your judgments of it" in page
    assert re.search(r"<time [^>]*>\d{4}-\d\d-\d\d \d\d:\d\d UTC</time>", page)
    for say, more in (
        ("note", {"kind": "note", "text": "a <note>"}),
        ("flag", {"kind": "flag"}),
        ("skip", {"kind": "skip", "text": "cannot tell"}),
        ("undo", {"kind": "undo"}),
    ):
        page = ann.post("/queries/t1", data={**form_of(page, say), **more}).text
        page = ann.get(f"/queries/t1?item={first}").text
    assert "a &lt;note&gt;" in page
    with project.database.reading() as connection:
        row = connection.execute(select(judgments).where(judgments.c.item_id == first)).one()
        timed = connection.execute(select(events.c.seconds).where(events.c.item_id == first))
        assert timed.scalars().first() is not None
    assert (row.grade, row.skipped, row.note, row.flagged) == (3, None, "a <note>", True)


def test_a_form_from_elsewhere_is_refused(ann: TestClient) -> None:
    form = {**form_of(ann.get("/queries/t1").text, "grade"), "grade": "1", "csrf": "guessed"}
    assert ann.post("/queries/t1", data=form).status_code == 403


def test_passing_over_a_document_and_coming_to_the_end(app: FastAPI) -> None:
    with browser(app, "bob") as bob:
        page = bob.get("/queries/t2").text
        assert shown(bob.get(f"/queries/t2?past={shown(page)}").text) != shown(page)
        led = bob.get(f"/queries/t3?item={shown(page)}", follow_redirects=False)
        assert led.headers["location"] == f"/queries/t2?item={shown(page)}", "not for another query"
        for _ in range(6):
            page = bob.post("/queries/t2", data={**form_of(page, "grade"), "grade": "0"}).text
        assert "No documents are left for you in this query" in page
        assert '<b class="done">6</b> of <b class="total">6</b>' in bob.get("/queries").text
        back = re.search(r'rel="prev" href="([^"]+)"', page)
        assert back is not None
        assert 'aria-pressed="true"' in bob.get(unescape(back[1])).text


def test_next_goes_on_from_where_one_is_and_comes_round(tmp_path: Path) -> None:
    with made_project(tmp_path / "project", queries=1, documents=4) as project:
        app = make_app(project)
        with browser(app, "ann") as ann:

            def after(**query: int) -> int:
                return shown(ann.get(query_path("t1", **query)).text)

            assert [after(), after(past=1), after(past=2), after(past=3)] == [1, 2, 3, 4]
            assert after(past=4) == 1, "from the beginning again"
            page = ann.get("/queries/t1?past=1").text
            page = ann.post("/queries/t1", data={**form_of(page, "grade"), "grade": "0"}).text
            assert shown(page) == 3, "not what was passed over just now"
            assert [after(past=3), after(past=4), after(past=1)] == [4, 1, 3]
            assert after(past=9_999) == 1
            for item in (1, 3):
                page = ann.get(f"/queries/t1?item={item}").text
                ann.post("/queries/t1", data={**form_of(page, "grade"), "grade": "0"})
            assert after(past=4) == 4, "there is no other"


def test_a_finished_query_leads_to_the_next_one_with_something_left(tmp_path: Path) -> None:
    with made_project(tmp_path / "project", queries=3, documents=1) as project:
        app = make_app(project)
        with browser(app, "ann") as ann:
            led = {}
            for query in ("t2", "t3", "t1"):
                form = form_of(ann.get(f"/queries/{query}").text, "grade")
                page = ann.post(f"/queries/{query}", data={**form, "grade": "1"}).text
                assert "No documents are left for you in this query" in page
                led[query] = re.findall(r'href="/queries/(\w+)"><span>Next query', page)
                assert "Next query" in ann.get(f"/queries/{query}/list").text or query == "t1"
    # Those of the page, and of what scripts show in its place.
    assert led == {"t2": ["t3"] * 2, "t3": ["t1"] * 2, "t1": []}


def test_a_list_of_what_is_open_and_of_what_was_said(ann: TestClient) -> None:
    page = ann.get("/queries/t3/list").text
    assert page.count('class="row"') == 6
    form = form_of(page, "grade")
    page = ann.post("/queries/t3", data={**form, "grade": "1"}).text
    assert page.count('class="row"') == 5
    judged = ann.get("/queries/t3/list?show=judged").text
    assert judged.count('class="row"') == 1
    assert f'id="item-{form["item"]}"' in judged
    for empty in ("skipped", "flagged"):
        assert "There are none" in ann.get(f"/queries/t3/list?show={empty}").text
    assert ann.get("/queries/t3/list?show=systems").status_code == 422


@pytest.mark.parametrize("name", NAMES)
def test_queries_may_be_called_anything(project: Project, ann: TestClient, name: str) -> None:
    with project.database.writing() as connection:
        connection.execute(update(queries).where(queries.c.id == 4).values(name=name, title=name))
    for address in (query_path(name), query_path(name, "list")):
        assert f'href="{query_path(name)}"' in ann.get("/queries").text
        page = ann.get(address)
        assert page.status_code == 200
        heading = re.search('<h1 dir="auto">(.*)</h1>', page.text)
        assert heading is not None
        assert unescape(heading[1]) == name
    assert query_of(unquote(query_path(name)).removeprefix("/queries/")) == name


def test_a_document_is_text_whatever_it_holds(project: Project, ann: TestClient) -> None:
    with project.database.writing() as connection:
        evil = {"text": f"{EVIL} water & <b>", "title": EVIL, "url": "javascript:alert(1)"}
        connection.execute(update(documents).where(documents.c.id == 1).values(**evil))
        query = {"title": EVIL, "description": EVIL, "narrative": EVIL}
        connection.execute(update(queries).where(queries.c.id == 5).values(**query))
    item = 4 * 6 + 1
    html = ann.get(f"/api/items/{item}").json()["html"]
    pages = [
        ann.get(path)
        for path in (
            f"/queries/t5?item={item}",
            "/queries/t5/list",
            "/queries",
            f"/items/{item}/text",
        )
    ]
    for text in [html, *(page.text for page in pages)]:
        assert "<script>alert" not in text.replace("<mark>", "").replace("</mark>", "")
        assert "<b>" not in text.replace("<b class", "")
        assert 'href="javascript' not in text
    for page in pages:
        assert page.status_code == 200
        assert "script-src 'self'" in page.headers["content-security-policy"]
        assert " style=" not in page.text
        assert not re.search(r"<script(?![^>]*\bsrc=)", page.text)


def test_ten_megabytes_on_one_line(project: Project, ann: TestClient) -> None:
    with project.database.writing() as connection:
        connection.execute(
            update(documents).where(documents.c.id == 2).values(text="water " * 1_700_000)
        )
    page = ann.get("/queries/t6?item=32")
    assert len(page.content) < 500_000
    assert "characters are left out here" in page.text
    assert "looked for in the first 29,999 characters" in page.text, "by the 5,000th it is enough"
    last = ann.get("/items/32/text?page=255")
    assert last.text.count("Page 255 of 255") == 2, "above and below"
    assert len(last.content) < 1_000_000
    assert ann.get("/items/32/text?page=256").status_code == 404


def test_who_is_not_assigned_sees_no_query(app: FastAPI) -> None:
    with browser(app, "eve") as eve:
        for path in ("/queries/t1", "/queries/t1/list", "/items/1/text"):
            assert eve.get(path).status_code == 404
        assert "No query is assigned to you yet" in eve.get("/queries").text


def test_the_scale_is_a_stylesheet_that_browsers_keep(ann: TestClient) -> None:
    style = ann.get("/scale.css")
    assert ".grade-3 { --grade: #15803d; --on-grade: #ffffff }" in style.text
    again = ann.get("/scale.css", headers={"if-none-match": style.headers["etag"]})
    assert again.status_code == 304
    assert again.content == b""


def test_letters_on_a_grade_can_be_read() -> None:
    scale = _parse_scale("0..1")
    bright = type(scale)((Grade(0, "No", "#fff176"), Grade(1, "Yes", "#000080")))
    assert "--grade: #fff176; --on-grade: #000000" in _scale_css(bright)
    assert "--grade: #000080; --on-grade: #ffffff" in _scale_css(bright)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("/topics", "/queries"),
        ("/topics/t1", "/queries/t1"),
        ("/topics/t1/list?show=judged", "/queries/t1/list?show=judged"),
        ("/topics/a~sb%20c", "/queries/a~sb%20c"),
        ("/topics/topics", "/queries/topics"),
        ("/api/topics", "/api/queries"),
        ("/api/judgments?n=2&topic=t%261", "/api/judgments?n=2&query=t%261"),
        ("/api/watching/topics/t1", "/api/watching/queries/t1"),
        ("/dashboard/topics/t1", "/dashboard/queries/t1"),
        ("/adjudication?topic=t1", "/adjudication?query=t1"),
    ],
)
def test_addresses_of_version_0_1_lead_to_the_new_ones(ann: TestClient, old: str, new: str) -> None:
    answer = ann.get(old, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (308, new)


def test_only_addresses_that_were_renamed_are_redirected(ann: TestClient) -> None:
    for path in ("/topicsx", "/people/topics", "/queries/t1?item=topic"):
        assert ann.get(path, follow_redirects=False).status_code != 308
    assert ann.post("/topics/t1").status_code in (403, 404, 405)

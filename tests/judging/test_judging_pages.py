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
from cleverdon.judging.store.schema import documents, events, judgments, topics
from cleverdon.judging.web.app import make_app
from cleverdon.judging.web.responses import topic_of, topic_path
from cleverdon.judging.web.routes.project import _scale_css
from tests.judging.projects import browser, made_project

EVIL = "<script>alert(1)</script>"
NAMES = ["a/list", "a", "..", "50% ?#&+ é", "a%2Fb", "~s.~"]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    with made_project(tmp_path_factory.mktemp("pages") / "project", topics=7) as made:
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
    assert ann.get("/", follow_redirects=False).headers["location"] == "/topics"
    for name in ("eve", "vic"):
        with browser(app, name) as who:
            assert who.get("/", follow_redirects=False).headers["location"] == "/dashboard"


def test_guidelines_of_the_project_are_shown_where_one_judges(tmp_path: Path) -> None:
    told = {"guidelines": f"Judge the text.\nNot its links. {EVIL}"}
    with made_project(tmp_path / "project", settings=told) as project:
        app = make_app(project)
        with browser(app, "ann") as ann:
            for path in ("/topics", "/topics/t1", "/topics/t1/list"):
                assert escape(told["guidelines"]) in ann.get(path).text, path


def test_topics_that_are_done_come_last(tmp_path: Path) -> None:
    with made_project(tmp_path / "project", topics=3, documents=1) as project:
        with project.database.writing() as connection:
            record(connection, 1, JudgmentEvent("the-only-one", 1, "grade", 2), project.scale)
        with browser(make_app(project), "ann") as ann:
            shown = re.findall(r'<span class="id">(t\d)</span>', ann.get("/topics").text)
    assert shown == ["t2", "t3", "t1"]


def test_judging_by_forms_alone(project: Project, ann: TestClient) -> None:
    page = ann.get("/topics/t1").text
    first, form = shown(page), form_of(page, "grade")
    second = ann.post("/topics/t1", data={**form, "grade": "2"})
    assert second.status_code == 200
    assert shown(second.text) != first
    assert "2 Relevant" in second.text
    assert "Undo" in second.text

    ann.post("/topics/t1", data={**form, "grade": "2"})
    assert events_of(project, first) == 1, "a second press of the same button"
    ann.post("/topics/t1", data={**form, "grade": "3"})
    assert events_of(project, first) == 2, "a second thought"

    page = ann.get(f"/topics/t1?item={first}").text
    assert 'value="3" class="grade grade-3" aria-pressed="true"' in page
    assert "Your judgments of it" in page
    assert re.search(r"<time [^>]*>\d{4}-\d\d-\d\d \d\d:\d\d UTC</time>", page)
    for say, more in (
        ("note", {"kind": "note", "text": "a <note>"}),
        ("flag", {"kind": "flag"}),
        ("skip", {"kind": "skip", "text": "cannot tell"}),
        ("undo", {"kind": "undo"}),
    ):
        page = ann.post("/topics/t1", data={**form_of(page, say), **more}).text
        page = ann.get(f"/topics/t1?item={first}").text
    assert "a &lt;note&gt;" in page
    with project.database.reading() as connection:
        row = connection.execute(select(judgments).where(judgments.c.item_id == first)).one()
        timed = connection.execute(select(events.c.seconds).where(events.c.item_id == first))
        assert timed.scalars().first() is not None
    assert (row.grade, row.skipped, row.note, row.flagged) == (3, None, "a <note>", True)


def test_a_form_from_elsewhere_is_refused(ann: TestClient) -> None:
    form = {**form_of(ann.get("/topics/t1").text, "grade"), "grade": "1", "csrf": "guessed"}
    assert ann.post("/topics/t1", data=form).status_code == 403


def test_passing_over_a_document_and_coming_to_the_end(app: FastAPI) -> None:
    with browser(app, "bob") as bob:
        page = bob.get("/topics/t2").text
        assert shown(bob.get(f"/topics/t2?past={shown(page)}").text) != shown(page)
        led = bob.get(f"/topics/t3?item={shown(page)}", follow_redirects=False)
        assert led.headers["location"] == f"/topics/t2?item={shown(page)}", "not for another topic"
        for _ in range(6):
            page = bob.post("/topics/t2", data={**form_of(page, "grade"), "grade": "0"}).text
        assert "No documents are left for you in this topic" in page
        assert '<b class="done">6</b> of <b class="total">6</b>' in bob.get("/topics").text
        back = re.search(r'rel="prev" href="([^"]+)"', page)
        assert back is not None
        assert 'aria-pressed="true"' in bob.get(unescape(back[1])).text


def test_next_goes_on_from_where_one_is_and_comes_round(tmp_path: Path) -> None:
    with made_project(tmp_path / "project", topics=1, documents=4) as project:
        app = make_app(project)
        with browser(app, "ann") as ann:

            def after(**query: int) -> int:
                return shown(ann.get(topic_path("t1", **query)).text)

            assert [after(), after(past=1), after(past=2), after(past=3)] == [1, 2, 3, 4]
            assert after(past=4) == 1, "from the beginning again"
            page = ann.get("/topics/t1?past=1").text
            page = ann.post("/topics/t1", data={**form_of(page, "grade"), "grade": "0"}).text
            assert shown(page) == 3, "not what was passed over just now"
            assert [after(past=3), after(past=4), after(past=1)] == [4, 1, 3]
            assert after(past=9_999) == 1
            for item in (1, 3):
                page = ann.get(f"/topics/t1?item={item}").text
                ann.post("/topics/t1", data={**form_of(page, "grade"), "grade": "0"})
            assert after(past=4) == 4, "there is no other"


def test_a_finished_topic_leads_to_the_next_one_with_something_left(tmp_path: Path) -> None:
    with made_project(tmp_path / "project", topics=3, documents=1) as project:
        app = make_app(project)
        with browser(app, "ann") as ann:
            led = {}
            for topic in ("t2", "t3", "t1"):
                form = form_of(ann.get(f"/topics/{topic}").text, "grade")
                page = ann.post(f"/topics/{topic}", data={**form, "grade": "1"}).text
                assert "No documents are left for you in this topic" in page
                led[topic] = re.findall(r'href="/topics/(\w+)"><span>Next topic', page)
                assert "Next topic" in ann.get(f"/topics/{topic}/list").text or topic == "t1"
    # Those of the page, and of what scripts show in its place.
    assert led == {"t2": ["t3"] * 2, "t3": ["t1"] * 2, "t1": []}


def test_a_list_of_what_is_open_and_of_what_was_said(ann: TestClient) -> None:
    page = ann.get("/topics/t3/list").text
    assert page.count('class="row"') == 6
    form = form_of(page, "grade")
    page = ann.post("/topics/t3", data={**form, "grade": "1"}).text
    assert page.count('class="row"') == 5
    judged = ann.get("/topics/t3/list?show=judged").text
    assert judged.count('class="row"') == 1
    assert f'id="item-{form["item"]}"' in judged
    for empty in ("skipped", "flagged"):
        assert "There are none" in ann.get(f"/topics/t3/list?show={empty}").text
    assert ann.get("/topics/t3/list?show=systems").status_code == 422


@pytest.mark.parametrize("name", NAMES)
def test_topics_may_be_called_anything(project: Project, ann: TestClient, name: str) -> None:
    with project.database.writing() as connection:
        connection.execute(update(topics).where(topics.c.id == 4).values(name=name, title=name))
    for address in (topic_path(name), topic_path(name, "list")):
        assert f'href="{topic_path(name)}"' in ann.get("/topics").text
        page = ann.get(address)
        assert page.status_code == 200
        heading = re.search('<h1 dir="auto">(.*)</h1>', page.text)
        assert heading is not None
        assert unescape(heading[1]) == name
    assert topic_of(unquote(topic_path(name)).removeprefix("/topics/")) == name


def test_a_document_is_text_whatever_it_holds(project: Project, ann: TestClient) -> None:
    with project.database.writing() as connection:
        evil = {"text": f"{EVIL} water & <b>", "title": EVIL, "url": "javascript:alert(1)"}
        connection.execute(update(documents).where(documents.c.id == 1).values(**evil))
        query = {"title": EVIL, "description": EVIL, "narrative": EVIL}
        connection.execute(update(topics).where(topics.c.id == 5).values(**query))
    item = 4 * 6 + 1
    html = ann.get(f"/api/items/{item}").json()["html"]
    pages = [
        ann.get(path)
        for path in (f"/topics/t5?item={item}", "/topics/t5/list", "/topics", f"/items/{item}/text")
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
    page = ann.get("/topics/t6?item=32")
    assert len(page.content) < 500_000
    assert "characters are left out here" in page.text
    assert "looked for in the first 29,999 characters" in page.text, "by the 5,000th it is enough"
    last = ann.get("/items/32/text?page=255")
    assert last.text.count("Page 255 of 255") == 2, "above and below"
    assert len(last.content) < 1_000_000
    assert ann.get("/items/32/text?page=256").status_code == 404


def test_who_is_not_assigned_sees_no_topic(app: FastAPI) -> None:
    with browser(app, "eve") as eve:
        for path in ("/topics/t1", "/topics/t1/list", "/items/1/text"):
            assert eve.get(path).status_code == 404
        assert "No topic is assigned to you yet" in eve.get("/topics").text


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

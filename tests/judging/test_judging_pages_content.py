"""What pages show of queries and documents: by what one can judge them, and how it is set."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path

from sqlalchemy import update

from cleverdon.judging.project import Project
from cleverdon.judging.recording import JudgmentEvent, record
from cleverdon.judging.store.schema import documents, queries
from cleverdon.judging.web.app import make_app
from tests.judging.projects import browser, made_project


def test_a_document_without_a_text_can_be_judged_by_its_address(tmp_path: Path) -> None:
    addresses = {1: "https://example.org/a?b&c", 2: "ftp://example.org/a", 3: "example.org/a"}
    with made_project(tmp_path / "project", queries=1) as project:
        with project.database.writing() as connection:
            for number, url in addresses.items():
                only = update(documents).where(documents.c.id == number)
                connection.execute(only.values(text="", title="", url=url))
        app = make_app(project)
        with browser(app, "ann") as ann:
            listed = ann.get("/queries/t1/list").text
            for number, url in addresses.items():
                for page in (ann.get(f"/queries/t1?item={number}").text, listed):
                    assert f">{escape(url)}<" in page
                    assert (f'href="{escape(url)}"' in page) == url.startswith("https:")


def test_what_people_wrote_runs_in_its_own_direction(tmp_path: Path) -> None:
    told = {"guidelines": "GUIDELINES"}
    with made_project(tmp_path / "project", queries=1, settings=told) as project:
        with project.database.writing() as connection:
            query = {"title": "QUERY", "description": "DESCRIPTION", "narrative": "NARRATIVE"}
            connection.execute(update(queries).values(**query))
            connection.execute(update(documents).values(title="TITLE", text="TEXT"))
            noted = JudgmentEvent("a-note-of-1", 1, "note", text="NOTE")
            record(connection, 1, noted, project.scale)
        app = make_app(project)
        with browser(app, "ann") as ann:
            pages = {
                path: ann.get(path).text
                for path in ("/queries", "/queries/t1?item=1", "/queries/t1/list", "/items/1/text")
            }
    written = [
        (path, *found)
        for path, page in pages.items()
        for found in re.findall(
            r"<(h1|h2|p|q|textarea)\b([^>]*)>(?:<a [^>]*>)?[A-Z]{4,}(?=</)", page
        )
    ]
    assert {(path, tag) for path, tag, _ in written} >= {
        ("/queries", "h2"), ("/queries", "p"), ("/queries/t1?item=1", "h1"),
        ("/queries/t1?item=1", "h2"), ("/queries/t1?item=1", "q"),
        ("/queries/t1?item=1", "textarea"), ("/queries/t1/list", "h2"), ("/items/1/text", "h1"),
    }  # fmt: skip
    assert [each for each in written if 'dir="auto"' not in each[2]] == []


def test_the_pace_is_the_median(tmp_path: Path) -> None:
    with made_project(tmp_path / "project", queries=2) as project:
        app = make_app(project)
        with browser(app, "ann") as ann:
            said_in(project, "t1", [0.2, 0.3, 100.0])
            assert ">under 1 second a judgment<" in joined(ann.get("/queries/t1").text)
            assert "a judgment" not in ann.get("/queries/t2").text
            said_in(project, "t2", [1.2, 0.9, 100.0])
            assert ">1 second a judgment<" in joined(ann.get("/queries/t2").text)


def said_in(project: Project, query: str, seconds: Sequence[float]) -> None:
    """Let ann, who is the first person, judge documents of a query, which takes so long."""
    with project.database.writing() as connection:
        for place, each in enumerate(seconds, start=1 + 6 * (int(query[1:]) - 1)):
            said = JudgmentEvent(f"timed-for-{place}", place, "grade", grade=1, seconds=each)
            record(connection, 1, said, project.scale)


def joined(page: str) -> str:
    """Without the lines' ends."""
    return page.replace("\n", "")


def test_words_of_the_query_are_marked_in_titles_and_counted(tmp_path: Path) -> None:
    far = "mud " * 5_000 + "water " + "mud " * 50_000
    with made_project(tmp_path / "project", queries=1) as project:
        with project.database.writing() as connection:
            first = update(documents).where(documents.c.id == 1)
            near = "water " * 2_000
            connection.execute(first.values(title="Of waters & mud", text=near + far))
        app = make_app(project)
        with browser(app, "ann") as ann:
            for path in ("/queries/t1?item=1", "/queries/t1/list", "/items/1/text"):
                assert "Of <mark>waters</mark> &amp; mud</" in ann.get(path).text, path
            page = ann.get("/queries/t1?item=1").text
    assert "characters, 1 match</summary>" in page
    assert "the other 32,006 were not searched" in page

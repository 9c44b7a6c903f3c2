"""Judgments that were made elsewhere come in once, under the right names, on the right scale."""

from __future__ import annotations

import csv
import html
import io
import json
import os
import re
import shutil
import stat
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any, get_args

import pytest
from sqlalchemy import func, insert, select
from starlette.testclient import TestClient

from cleverdon.errors import InputError, OptionError
from cleverdon.judging import clock
from cleverdon.judging.cli.files import import_command
from cleverdon.judging.errors import Conflict, Invalid, NotFound
from cleverdon.judging.imports import IMPORT_FORMS, IMPORT_KINDS
from cleverdon.judging.imports.files import table
from cleverdon.judging.imports.importer import ImportSettings, import_file
from cleverdon.judging.imports.recording import parse_map
from cleverdon.judging.people.accounts import COMMAND_LINE, person_named
from cleverdon.judging.project import Project
from cleverdon.judging.recording import JudgmentEvent, record
from cleverdon.judging.store.schema import (
    audit,
    documents,
    events,
    items,
    judgments,
    leases,
    people,
)
from cleverdon.judging.web.app import make_app
from cleverdon.judging.web.authorization import cookie_name, csrf_token
from cleverdon.judging.web.routes.imports import Uploads, _FileForm, _ImportKind
from tests.commands import run_here
from tests.judging.import_files import Bring, brought, standing
from tests.judging.judged_projects import items_of
from tests.judging.projects import made_project, script, signed_in


@pytest.fixture
def bring(project: Project, tmp_path: Path) -> Bring:
    return partial(brought, project, tmp_path)


def count(project: Project, table: Any) -> int:
    with project.database.reading() as connection:
        return connection.execute(select(func.count()).select_from(table)).scalar_one()


def test_the_same_file_changes_nothing_a_second_time(project: Project, bring: Bring) -> None:
    text = "t1 0 d1 2\nt1 0 d2 0\nt1 0 d3 -1\nt1 0 dx 1\nt9 0 d1 1\n"
    first = bring(text)
    assert (first.recorded, first.judges, first.ungraded) == (2, ("old",), 1)
    assert (first.elsewhere, first.unknown, first.unknown_queries) == (1, 1, ("t9",))
    again = bring(text)
    assert (again.recorded, again.unchanged) == (0, 2)
    assert count(project, events) == 2
    assert standing(project) == {("old", "t1", "d1"): 2, ("old", "t1", "d2"): 0}
    other = bring(text.replace("d1 2", "d1 3", 1), "other.qrels", name="old")
    assert (other.recorded, other.unchanged, other.kept) == (0, 1, 1)
    assert bring(text.replace("d1 2", "d1 3", 1), "x", name="old", replace=True).recorded == 1
    assert standing(project)["old", "t1", "d1"] == 3
    assert bring(text).recorded == 0, "an older file does not come back by itself"
    assert count(project, judgments) == 2


def test_a_grade_off_the_scale_is_named_with_its_line(project: Project, bring: Bring) -> None:
    text = "t1 0 d1 2\n# a remark\nt1 0 d2 4\n"
    with pytest.raises(InputError, match=r"old.qrels:3: the grade '4'.*as '4=3' does"):
        bring(text)
    assert count(project, events) == 0, "all or nothing"
    for wrong, why in {
        "4=7": "not on the scale: it can be 0, 1, 2, 3",
        "4": "is not valid: write it like 4=1",
    }.items():
        with pytest.raises(OptionError, match=why):
            parse_map([wrong], project.scale)
    assert bring(text, becomes=parse_map(["4=3"], project.scale)).recorded == 2
    assert standing(project)["old", "t1", "d2"] == 3
    with pytest.raises(InputError, match=r"no query in common.*it has 'q1', the project has 't1'"):
        bring("q1 0 d1 1\n")


def test_a_map_that_was_wrong_can_be_mended(project: Project, bring: Bring) -> None:
    text = "t1 0 d1 2\nt1 0 d2 4\n"

    def mapped(to: int, **how: Any) -> tuple[int, int, int]:
        found = bring(text, becomes={"4": to}, **how)
        return found.recorded, found.unchanged, found.kept

    assert mapped(3) == (2, 0, 0)
    assert mapped(1) == (0, 1, 1), "the same file, and another grade than stands"
    for to in (1, 3, 1):
        assert mapped(to, replace=True) == (1, 1, 0)
        assert standing(project)["old", "t1", "d2"] == to
    assert mapped(1, replace=True) == (0, 2, 0)


def test_documents_can_be_added_with_their_texts(
    project: Project, bring: Bring, tmp_path: Path
) -> None:
    (tmp_path / "docs.jsonl").write_text('{"id": "x1", "title": "X", "text": "of x"}\n')
    found = bring("t1 0 x1 1\nt1 0 x2 0\nt2 0 x1 2\n", add=True, texts=[f"{tmp_path}/docs.jsonl"])
    assert (found.added, found.recorded, found.elsewhere) == (3, 3, 0)
    with project.database.reading() as connection:
        text = select(documents.c.text).where(documents.c.name == "x1")
        assert connection.execute(text).scalar_one() == "of x"
        last = select(items.c.position).where(items.c.query_id == 1).order_by(items.c.position)
        assert list(connection.execute(last).scalars()) == list(range(8))


def test_as_many_judge_what_is_added_as_all_else(tmp_path: Path) -> None:
    path = tmp_path / "old.qrels"
    path.write_text("t1 0 x1 1\n")
    with made_project(tmp_path / "project", wanted=2, settings={"judges": 2}) as project:
        import_file(project, str(path), ImportSettings(add=True), actor=COMMAND_LINE)
        with project.database.reading() as connection:
            assert set(connection.execute(select(items.c.wanted)).scalars()) == {2}


@pytest.mark.parametrize("name", ["=HYPERLINK(1)", "ANN", "Command Line"])
def test_judges_have_names_that_people_could_have(
    project: Project, bring: Bring, name: str
) -> None:
    with pytest.raises((Invalid, Conflict)):
        bring("t1 0 d1 2\n", kind="model", name=name)
    assert count(project, events) == 0


def test_a_persons_own_judgments_come_back(project: Project, bring: Bring) -> None:
    with pytest.raises(OptionError, match="name the person"):
        bring("t1 0 d1 2\n", kind="person")
    with pytest.raises(NotFound, match="did you mean 'ann'"):
        bring("t1 0 d1 2\n", kind="person", name="anne")
    with pytest.raises(Conflict, match="a person with an account"):
        bring("t1 0 d1 2\n", kind="model", name="ann")
    assert bring("t1 0 d1 2\nt1 0 d2 1\n", kind="person", name="ann").recorded == 2
    assert standing(project, "person") == {("ann", "t1", "d1"): 2, ("ann", "t1", "d2"): 1}
    with project.database.writing() as connection:
        ann = person_named(connection, "ann").id
        undone = JudgmentEvent("undo-it-now", items_of(connection)["t1", "d1"], "undo")
        assert record(connection, ann, undone, project.scale).judgment.grade is None
        said = connection.execute(select(audit.c.about).where(audit.c.action == "imported"))
        assert list(said.scalars()) == ["old.qrels: 2 judgments of ann (person)"]


def test_a_table_with_a_column_of_judges(project: Project, bring: Bring) -> None:
    text = "query_id,doc_id,grade,judge\nt1,d1,1,x\nt1,d1,2,y\nt1,d2,,x\n"
    assert bring(text, "labels.csv", called={"x": "Ann L."}).recorded == 2
    assert standing(project) == {("Ann L.", "t1", "d1"): 1, ("y", "t1", "d1"): 2}
    with pytest.raises(InputError, match="two grades"):
        bring(text, "labels.csv", name="both")


def test_over_http_and_in_a_shell(project: Project, tmp_path: Path) -> None:
    eve = script(make_app(project), "eve")
    call = "/api/imports?as=model&name=gpt&map=4=3&file=gpt.qrels"
    answer = eve.post(call, content=b"t1 0 d1 4\nt1 0 d2 0\n")
    assert answer.status_code == 200, answer.text
    assert answer.json()["recorded"] == 2
    wrong = eve.post("/api/imports?file=old.qrels", content=b"t1 0 d1 1\nt1 0 d2 8\n")
    assert wrong.status_code == 400
    assert wrong.json()["error"].startswith("old.qrels:2: the grade '8'")
    assert eve.post("/api/imports", content=b"").status_code == 400
    assert eve.post("/api/imports", files={"file": b"x"}).status_code == 422
    assert eve.post("/api/imports?judge=ann", content=b"t1 0 d1 1").status_code == 422
    (tmp_path / "q.csv").write_text("query,docid,rating\nwater in motion 2,d1,3\n")
    said = run_here(["judge", "import", "project", "q.csv", "--judge", "quepid"], tmp_path)
    assert said.stdout == "Quepid's CSV: 1 judgment recorded, of quepid\n"
    (tmp_path / "graded.csv").write_text("query_id,doc_id,grade,judge\nt1,d1,4,x\nt1,d2,5,x\n")
    looked = ["judge", "import", "project", "graded.csv", "--dry-run", "--map", "4=3,5=3"]
    renamed = run_here([*looked, "--judge", "x=Ann L."], tmp_path)
    assert "2 judgments would be recorded, of Ann L." in renamed.stdout
    again = run_here([*looked[:-1], "4=3", "--map", "5=3", "--judge", "x=Ann L."], tmp_path)
    assert again.stdout == renamed.stdout
    both = run_here([*looked, "--judge", "x=Ann L.", "--judge", "y"], tmp_path)
    assert "one name for all, or a name for each judge of the file: not both" in both.stderr
    two = run_here([*looked, "--judge", "x", "--judge", "y"], tmp_path)
    assert "--judge y: x is the judge of all already" in two.stderr
    assert standing(project, "model", "earlier") == {
        ("gpt", "t1", "d1"): 3,
        ("gpt", "t1", "d2"): 0,
        ("quepid", "t2", "d1"): 3,
    }


def test_what_is_to_be_said_is_called_so_everywhere(project: Project, tmp_path: Path) -> None:
    app, key = make_app(project), signed_in(project, "eve")
    eve = TestClient(app, cookies={cookie_name(project): key})
    program = script(app, "eve")
    labels = re.findall("<label for=.*?>(.*?)</label>", eve.get("/imports").text)
    ungraded = {"query": "t1", "doc_id": "d1", "annotator": 1, "annotation_id": 1}
    graded = {**ungraded, "rel": "1"}
    for kind, content, wanted, label in (
        ("earlier", "t1 0 d1 8", "Map it to one of these, as '8=3' does", "Map of grades"),
        ("earlier", json.dumps([ungraded]), "name the grade field", "Grade field"),
        ("earlier", json.dumps([{**graded, "query": ""}]), "the query field", "Query field"),
        ("earlier", json.dumps([{**graded, "doc_id": ""}]), "document field", "Document field"),
        ("person", "t1 0 d1 1", "name the person", "Name of the judge"),
    ):
        assert any(text.startswith(label) for text in labels)
        (tmp_path / "x").write_text(content)
        in_shell = run_here(["judge", "import", "project", "x", "--judged-by", kind], tmp_path)
        called = program.post(f"/api/imports?file=x&as={kind}", content=content.encode())
        form = {"csrf": csrf_token(key), "kind": kind, "only_look": "true"}
        seen = eve.post("/imports", data=form, files={"file": ("x", content.encode())})
        on_page = re.findall('role="alert">(.*?)</p>', seen.text)[0]
        assert "<details open>" in seen.text, "what is to be said may stand there"
        for said in (in_shell.stderr, called.json()["error"], html.unescape(on_page)):
            assert wanted in said
            assert "--" not in said


def test_kinds_and_forms_are_listed_once() -> None:
    assert get_args(_ImportKind) == tuple(IMPORT_KINDS)
    assert get_args(_FileForm) == tuple(IMPORT_FORMS)
    for name, known in {"judged_by": IMPORT_KINDS, "form": IMPORT_FORMS}.items():
        (option,) = (each for each in import_command.params if each.name == name)
        assert list(option.type.to_info_dict()["choices"]) == list(known)


def test_the_command_is_there_before_its_libraries() -> None:
    code = "import sys, cleverdon.judging.cli.files; sys.exit('sqlalchemy' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_on_a_page_one_looks_first(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    key = signed_in(project, "eve")
    app = make_app(project)
    eve = TestClient(app, cookies={cookie_name(project): key})
    assert 'type="file"' in eve.get("/imports").text
    asked = {"csrf": csrf_token(key), "kind": "model", "name": "gpt"}
    look = {**asked, "only_look": "true"}

    def ask(form: dict[str, str], **sent: Any) -> Any:
        return eve.post("/imports", data=form, **sent)

    file = {"file": ("C:\\tmp\\<b>.qrels", b"t1 0 d1 4\nt1 0 d2 0\nt9 0 d1 1\n")}
    wrong = ask(look, files=file)
    assert (wrong.status_code, "the grade &#39;4&#39;" in wrong.text) == (400, True)
    assert "&lt;b&gt;.qrels is here" in wrong.text, "it need not be chosen again"
    upload = {"upload": re.findall('name="upload" value="(.+?)"', wrong.text)[0]}
    seen = ask({**look, **upload, "map": "4=3\r\n"})
    assert "2 judgments to record, of gpt" in seen.text
    assert "1 are of queries that the project does not have: t9" in seen.text
    assert count(project, events) == 0, "nothing but looked at"
    assert standing(project, "model") == {}
    done = ask({**asked, **upload, "map": "4=3"})
    assert "&lt;b&gt;.qrels is imported" in done.text
    assert standing(project, "model") == {("gpt", "t1", "d1"): 3, ("gpt", "t1", "d2"): 0}
    gone = ask({**asked, **upload, "map": "4=3"})
    assert (gone.status_code, "choose it again" in gone.text) == (409, True)
    assert ask(asked, files={"file": ("", b"")}).status_code == 422
    late = ask(look, files={"file": ("x", b"t1 0 d1 1\n")})
    upload = {"upload": re.findall('name="upload" value="(.+?)"', late.text)[0]}
    later = clock.now() + 4_000
    monkeypatch.setattr(clock, "now", lambda: later)
    assert ask({**asked, **upload}).status_code == 409, "an hour is over"
    assert os.listdir(app.state.uploads._folder) == []


def test_a_look_waits_for_nobody_who_writes(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "old.qrels"
    path.write_text("t1 0 d1 2\nt1 0 d2 1\nt1 0 x1 1\nt2 0 x1 0\nt9 0 d1 1\n")
    how = ImportSettings(add=True)
    tables = (audit, documents, events, items, judgments, people)
    before = [count(project, each) for each in tables]
    with project.database.writing():
        seen = import_file(project, str(path), how, actor=COMMAND_LINE, only_look=True)
    assert [count(project, each) for each in tables] == before
    assert (seen.recorded, seen.added, seen.judges) == (4, 2, ("old",))
    done = import_file(project, str(path), how, actor=COMMAND_LINE)
    assert done == seen, "what was seen is what comes of it"
    with project.database.writing():
        again = import_file(project, str(path), how, actor=COMMAND_LINE, only_look=True)
    assert (again.recorded, again.unchanged, again.added) == (0, 4, 0)


def test_an_import_knows_what_came_in_before_it_could_write(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "old.qrels"
    path.write_text("t1 0 d1 2\nt1 0 x1 1\n")
    other = tmp_path / "other.qrels"
    other.write_text("t1 0 d1 3\nt1 0 x1 1\n")
    how = ImportSettings(add=True, name="old")
    real = project.database.writing

    def overtaken() -> Any:
        monkeypatch.undo()
        import_file(project, str(other), how, actor=COMMAND_LINE)
        return real()

    monkeypatch.setattr(project.database, "writing", overtaken)
    found = import_file(project, str(path), how, actor=COMMAND_LINE)
    assert (found.recorded, found.kept, found.unchanged, found.added) == (0, 1, 1, 0)
    assert standing(project) == {("old", "t1", "d1"): 3, ("old", "t1", "x1"): 1}


def test_a_replaced_grade_keeps_its_note_and_gives_the_document_free(
    project: Project, bring: Bring
) -> None:
    with project.database.writing() as connection:
        ann = person_named(connection, "ann").id
        item = items_of(connection)["t1", "d1"]
        record(connection, ann, JudgmentEvent("graded-by-ann", item, "grade", 1), project.scale)
        record(
            connection, ann, JudgmentEvent("noted-by-ann", item, "note", text="why"), project.scale
        )
        until = clock.now() + 100
        connection.execute(insert(leases).values(item_id=item, person_id=ann, until=until))
    text = "t1 0 d1 3\nt1 0 d2 2\n"
    assert bring(text, kind="person", name="ann", replace=True).recorded == 2
    with project.database.reading() as connection:
        stands = connection.execute(select(judgments).where(judgments.c.item_id == item)).one()
        last = connection.execute(
            select(func.max(events.c.id)).where(events.c.item_id == item)
        ).scalar_one()
    assert (stands.grade, stands.note, stands.event_id) == (3, "why", last)
    assert count(project, leases) == 0


def test_two_tables_are_read_at_the_same_time() -> None:
    long = "x" * 200_000
    text = f"query,docid,rating\nq,d1,1\nq,{long},2\n"
    csv.field_size_limit(131_072)
    first, second = (table(text, separator=",", source=name) for name in ("a", "b"))
    assert next(first)[1]["docid"] == next(second)[1]["docid"] == "d1"
    assert [cells["docid"] for _, cells in first] == [long]
    assert [cells["docid"] for _, cells in second] == [long]


def test_uploads_outlast_what_tidies_up(monkeypatch: pytest.MonkeyPatch) -> None:
    uploads = Uploads()
    lost = uploads.keep(1, io.BytesIO(b"one"), "a")
    shutil.rmtree(os.path.dirname(lost.path))
    with pytest.raises(Conflict, match=r"no longer here.*choose it again"):
        uploads.kept(1, lost.key)
    kept = uploads.keep(1, io.BytesIO(b"two"), "b")
    folder = Path(kept.path).parent
    assert Path(uploads.kept(1, kept.key).path).read_bytes() == b"two"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    os.unlink(kept.path)
    uploads.drop(1)
    uploads.keep(1, io.BytesIO(b"three"), "c")
    later = clock.now() + 4_000
    monkeypatch.setattr(clock, "now", lambda: later)
    other = uploads.keep(2, io.BytesIO(b"four"), "d")
    assert os.listdir(folder) == [other.key], "an hour is over for what others sent, too"
    del uploads
    assert not folder.exists()


def test_an_upload_that_is_gone_is_asked_for_again(project: Project) -> None:
    key = signed_in(project, "eve")
    app = make_app(project)
    eve = TestClient(app, cookies={cookie_name(project): key})
    asked = {"csrf": csrf_token(key), "name": "gpt"}
    file = {"file": ("x", b"t1 0 d1 1\n")}
    seen = eve.post("/imports", data={**asked, "only_look": "true"}, files=file)
    shutil.rmtree(app.state.uploads._folder)
    upload = re.findall('name="upload" value="(.+?)"', seen.text)[0]
    gone = eve.post("/imports", data={**asked, "upload": upload})
    assert (gone.status_code, "choose it again" in gone.text) == (409, True)
    assert eve.post("/imports", data=asked, files=file).status_code == 200
    assert standing(project) == {("gpt", "t1", "d1"): 1}

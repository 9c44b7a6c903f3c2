"""Accounts: added, changed, deactivated, by pages, calls and commands, with an audit log."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import select
from starlette.testclient import TestClient

from cleverdon.judging import clock
from cleverdon.judging.cli.project import people_command
from cleverdon.judging.errors import Conflict, Invalid, NotFound
from cleverdon.judging.people import accounts, administration, sessions
from cleverdon.judging.people.accounts import COMMAND_LINE, Actor, audit_lines
from cleverdon.judging.people.administration import first_administrator
from cleverdon.judging.people.sessions import DAY, owner_of_link, owner_of_session, owner_of_token
from cleverdon.judging.project import Project, server_lock
from cleverdon.judging.store import schema
from cleverdon.judging.web.app import make_app
from cleverdon.judging.web.authorization import CSRF_HEADER, cookie_name, csrf_token
from tests.judging.projects import made_project, signed_in
from tests.judging.test_sessions_passwords import QUICK

ANN, BOB, EVE, VIC = 1, 2, 3, 4


@dataclass(frozen=True)
class Eve:
    """An administrator at her browser."""

    project: Project
    client: TestClient
    csrf: str

    def post(self, path: str, **fields: Any) -> Any:
        return self.client.post(path, data={"csrf": self.csrf, **fields}, follow_redirects=False)

    def call(self, method: str, path: str, body: Any = None) -> Any:
        return self.client.request(method, path, json=body, headers={CSRF_HEADER: self.csrf})


@pytest.fixture
def eve(project: Project) -> Iterator[Eve]:
    key = signed_in(project, "eve")
    with TestClient(make_app(project), cookies={cookie_name(project): key}) as client:
        yield Eve(project, client, csrf_token(key))


def logged(project: Project) -> list[tuple[str, str, str]]:
    with project.database.reading() as connection:
        return [(line.actor, line.action, line.about) for line in audit_lines(connection, n=100)]


def test_somebody_is_added_and_gets_a_link(eve: Eve) -> None:
    page = eve.post("/people", name="  Zoë <b> ", role="viewer")
    assert page.status_code == 200
    assert "Zoë &lt;b&gt;" in page.text
    link = page.text.partition('value="http://127.0.0.1:8000/sign-in/')[2].partition('"')[0]
    with eve.project.database.reading() as connection:
        known = owner_of_link(connection, link)
        assert known is not None
        assert (known.name, known.role) == ("Zoë <b>", "viewer")
        stored = str(connection.execute(select(schema.links)).all())
    assert link not in stored
    assert logged(eve.project) == [("eve", "added a person", "Zoë <b>, viewer")]
    assert eve.post("/people", name="ann", role="viewer").status_code == 409
    assert eve.post("/people", name=" ", role="viewer").status_code == 422
    assert eve.post("/people", name="joe", role="king").status_code == 422
    assert eve.post("/people", name="command line", role="viewer").status_code == 422


@pytest.mark.parametrize("name", ["=cmd|' /C calc'!A0", "+1", "-x", "\uff1d1", " @sum"])
def test_a_name_is_no_formula(project: Project, name: str) -> None:
    with project.database.writing() as connection:
        with pytest.raises(Invalid, match="is a formula to spreadsheets"):
            accounts.add_person(connection, name, "viewer")
        assert accounts.add_person(connection, f"x{name}", "viewer").name == f"x{name}"


@pytest.mark.parametrize("name", ["ANN", "\uff41nn", "a\u2099n", "Ann "])
def test_names_that_look_alike_are_used_once(project: Project, name: str) -> None:
    with project.database.writing() as connection:
        with pytest.raises(Conflict, match="there is a 'ann' already, which looks like"):
            accounts.add_person(connection, name, "viewer")
        with pytest.raises(Invalid, match="the name of the command line"):
            accounts.add_person(connection, "Command  Line", "viewer")


def test_a_token_does_not_outlive_itself_and_is_named_in_the_log(eve: Eve) -> None:
    with eve.project.database.writing() as connection:
        _, key = administration.make_token(connection, COMMAND_LINE, EVE, "a script", days=None)
    bearer = {"authorization": f"Bearer {key}"}

    def ask(method: str, path: str, body: Any) -> int:
        answer = program.request(method, path, json=body, headers=bearer)
        assert answer.status_code != 403 or "a token cannot do this" in answer.json()["error"]
        return answer.status_code

    with TestClient(make_app(eve.project)) as program:
        assert ask("POST", f"/api/people/{EVE}/link", {}) == 403
        assert ask("POST", f"/api/people/{BOB}/link", {"forget_password": True}) == 403
        assert ask("PATCH", f"/api/people/{EVE}", {"role": "administrator"}) == 403
        assert ask("PATCH", f"/api/people/{EVE}", {"active": False}) == 403
        assert logged(eve.project)[0][1] == "made a token", "nothing was done"
        assert ask("POST", f"/api/people/{BOB}/link", {}) == 201
        assert ask("POST", "/api/adjudication/1", {"request": "ruling-1", "grade": 1}) == 200
        assert program.get("/api/exports/history", headers=bearer).status_code == 200
    assert {actor for actor, _, _ in logged(eve.project)[:3]} == {"eve, by token a script"}
    assert eve.call("POST", f"/api/people/{EVE}/link", {}).status_code == 201
    assert logged(eve.project)[0] == ("eve", "made a sign-in link", "eve")


def test_the_same_by_calls(eve: Eve) -> None:
    made = eve.call("POST", "/api/people", {"name": "joe", "role": "assessor"})
    assert made.status_code == 201
    person = made.json()["person"]
    assert (person["name"], person["active"], person["has_password"]) == ("joe", True, False)
    at = f"/api/people/{person['id']}"
    assert eve.call("PATCH", at, {"role": "viewer", "active": False}).json()["role"] == "viewer"
    assert eve.call("POST", f"{at}/link", {}).status_code == 409
    assert eve.call("PATCH", at, {"active": True}).json()["active"] is True
    assert eve.call("POST", f"{at}/link", {}).json()["link"] != made.json()["link"]
    assert eve.call("PATCH", "/api/people/999", {"active": True}).status_code == 404
    assert eve.call("PATCH", at, {"roll": "viewer"}).status_code == 422
    names = [each["name"] for each in eve.call("GET", "/api/people").json()["people"]]
    assert names == ["ann", "bob", "eve", "joe", "vic"]


def test_the_audit_log_is_read_page_by_page(eve: Eve) -> None:
    for number in range(5):
        eve.post(f"/people/{BOB}/role", role="viewer" if number % 2 else "assessor")
    first = eve.call("GET", "/api/audit?n=3").json()
    rest = eve.call("GET", f"/api/audit?n=3&before={first['earlier']}").json()
    ids = [line["id"] for line in (*first["lines"], *rest["lines"])]
    assert ids == [5, 4, 3, 2, 1]
    assert rest["earlier"] is None
    assert first["lines"][0]["address"] == "testclient"
    assert "bob, assessor" in eve.client.get("/people/audit").text


def test_whoever_is_deactivated_is_out_at_once_and_for_good(project: Project) -> None:
    key = signed_in(project, "ann")
    with project.database.writing() as connection:
        _, link = administration.renew_link(connection, COMMAND_LINE, ANN)
        _, token = administration.make_token(connection, COMMAND_LINE, ANN, "x", days=None)
        assert owner_of_session(connection, key)
        assert owner_of_token(connection, token)
        administration.set_active(connection, COMMAND_LINE, ANN, active=False)
        administration.set_active(connection, COMMAND_LINE, ANN, active=True)
        assert owner_of_session(connection, key) is None
        assert owner_of_link(connection, link) is None
        assert owner_of_token(connection, token) is None


def test_one_administrator_stays(project: Project) -> None:
    with project.database.writing() as connection:
        with pytest.raises(Conflict, match="eve is the only administrator"):
            administration.set_active(connection, COMMAND_LINE, EVE, active=False)
        with pytest.raises(Conflict, match="eve is the only administrator"):
            administration.change_role(connection, COMMAND_LINE, EVE, "viewer")
        administration.change_role(connection, COMMAND_LINE, EVE, "administrator")
        administration.change_role(connection, COMMAND_LINE, BOB, "administrator")
        assert not administration.set_active(connection, COMMAND_LINE, EVE, active=False).active
        assert administration.change_role(connection, COMMAND_LINE, EVE, "viewer").role == "viewer"
        with pytest.raises(Conflict, match="bob is the only administrator"):
            administration.set_active(connection, COMMAND_LINE, BOB, active=False)


def test_tokens_end(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    with project.database.writing() as connection:
        made, key = sessions.new_token(connection, ANN, "a week", days=7)
        assert key not in str(connection.execute(select(schema.tokens)).all())
        with pytest.raises(NotFound):
            sessions.revoke_token(connection, BOB, made.id)
        with pytest.raises(Invalid, match="3,650 days"):
            sessions.new_token(connection, ANN, "long", days=4000)
        now = clock.now()
        monkeypatch.setattr(clock, "now", lambda: now + 7 * DAY - 60)
        assert owner_of_token(connection, key)
        monkeypatch.setattr(clock, "now", lambda: now + 7 * DAY + 60)
        assert owner_of_token(connection, key) is None
        assert sessions.revoke_token(connection, ANN, made.id).name == "a week"
        monkeypatch.setattr(sessions, "_MOST_TOKENS", 0)
        with pytest.raises(Conflict, match="revoke one"):
            sessions.new_token(connection, ANN, "one more", days=1)


def test_the_first_administrator_is_invited_until_one_signs_in(tmp_path: Path) -> None:
    with (
        made_project(tmp_path / "new", people={"ann": "assessor"}) as project,
        project.database.writing() as connection,
    ):
        with pytest.raises(Conflict, match="not an administrator: change the role"):
            first_administrator(connection, "ann")
        made, key = first_administrator(connection, "eve") or pytest.fail("nobody is invited")
        assert (made.name, made.role) == ("eve", "administrator")
        again, other = first_administrator(connection) or pytest.fail("nobody is invited")
        assert (again.id, owner_of_link(connection, key)) == (made.id, None)
        assert owner_of_link(connection, other)
        COMMAND_LINE.note(connection, "signed in")
        assert first_administrator(connection), "that was somebody else"
        Actor("eve").note(connection, "signed in")
        assert first_administrator(connection) is None


def test_the_first_administrator_is_not_called_like_somebody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: "ann")
    with (
        made_project(tmp_path / "new", people={"Ann": "assessor", "Admin": "viewer"}) as project,
        project.database.writing() as connection,
    ):
        made, _ = first_administrator(connection) or pytest.fail("nobody is invited")
        assert made.name == "admin2"


def test_the_command_does_the_same(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_ARGON2", QUICK)

    def run(*args: str, given: str | None = None) -> Any:
        result = CliRunner().invoke(
            people_command, [str(project.folder), *args], input=given, catch_exceptions=False
        )
        assert result.exit_code == 0, result.output
        return result

    said = run(
        "--add", "Joe", "--link", "ann", "--token", "ann", "-f", "json", "--url", "https://j"
    )
    found = json.loads(said.stdout)
    assert set(found["links"]) == {"Joe", "ann"}
    assert found["links"]["Joe"].startswith("https://j/sign-in/")
    with project.database.reading() as connection:
        assert owner_of_token(connection, found["token"])
    assert "ann signs in at http://127.0.0.1:8000/sign-in/" in run("--link", "ann").stdout
    with server_lock(project) as remember:
        remember("https://judge.example.org")
        remember("http://127.0.0.1:8123")
        assert "ann signs in at http://127.0.0.1:8123/sign-in/" in run("--link", "ann").stdout
    assert "http://127.0.0.1:8123/sign-in/" in run("--link", "ann").stdout, "where it was last"
    assert "https://j/sign-in/" in run("--link", "ann", "--url", "https://j").stdout
    run("--change", "Joe", "--role", "administrator", "--deactivate", "eve")
    run("--password", "Joe", given="a long password\r\n")
    with project.database.reading() as connection:
        stored = accounts.stored_password(connection, accounts.person_named(connection, "Joe").id)
    assert sessions._verify_password(stored, "a long password")
    table = run().stdout
    assert table.splitlines()[5].split() == ["Joe", "administrator", "active", "yes"]
    assert table.splitlines()[4].split() == ["eve", "administrator", "deactivated", "no"]
    assert ("command line", "changed the password", "Joe") in logged(project)
    with pytest.raises(NotFound, match="did you mean 'Joe'"):
        run("--link", "jo", "--password", "ann", given="a long password\n")
    assert "yes" not in run().stdout.splitlines()[2], "all of it is done, or nothing"
    for url in (
        "example.org",
        "https://j/x",
        "http://[::1",
        "http://j:x",
        "https://me@j",
        "ftp://j",
    ):
        refused = CliRunner().invoke(people_command, [str(project.folder), "--url", url])
        assert (refused.exit_code, "expected http://HOST" in refused.stderr) == (2, True), url

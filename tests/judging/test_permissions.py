"""Each role against each route: whatever pages and calls there are, this goes through them all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, get_args

import pytest
from sqlalchemy import delete, insert, update
from starlette.testclient import TestClient

from cleverdon.judging.people import ROLE_PERMISSIONS, Permission
from cleverdon.judging.people.accounts import COMMAND_LINE, stored_password
from cleverdon.judging.people.administration import change_role
from cleverdon.judging.people.sessions import (
    _key_digest,
    new_link,
    new_token,
    owner_of_link,
    owner_of_session,
    tokens_of,
)
from cleverdon.judging.project import POOL, Project
from cleverdon.judging.recording import JudgmentEvent, record
from cleverdon.judging.store import schema
from cleverdon.judging.web.app import _declared_routes, _required_permissions, make_app
from cleverdon.judging.web.authorization import CSRF_HEADER, cookie_name, csrf_token
from cleverdon.judging.web.routes import RoleName
from tests.judging.projects import made_project, signed_in

PEOPLE = {
    "ann": "assessor",
    "secret-bob": "assessor",
    "eve": "administrator",
    "vic": "viewer",
    "dan": "administrator",
    "joe": "assessor",
}
ANN, BOB, DAN, JOE = 1, 2, 5, 6
OF_ROLE = {"administrator": "eve", "assessor": "ann", "viewer": "vic"}
UNSAFE = frozenset({"POST", "PUT", "PATCH", "DELETE"})
CHANGING = (Permission.JUDGE, Permission.MANAGE)


def test_calls_know_all_roles() -> None:
    assert set(get_args(RoleName)) == set(ROLE_PERMISSIONS)


@dataclass(frozen=True)
class Served:
    project: Project
    client: TestClient

    def ask(self, method: str, path: str, *, key: str = "", csrf: str = "", **more: Any) -> Any:
        self.client.cookies.clear()
        headers: dict[str, Any] = {"cookie": f"{cookie_name(self.project)}={key}"} if key else {}
        if csrf:
            headers[CSRF_HEADER] = csrf
        headers.update(more)
        return self.client.request(method, path, headers=headers, follow_redirects=False)

    def ask_as(self, key: str, method: str, path: str) -> Any:
        return self.ask(method, path, key=key, csrf=csrf_token(key))


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("rights") / "project"
    with made_project(folder, people=PEOPLE) as project:
        _keep_secrets(project)
        with TestClient(make_app(project), raise_server_exceptions=True) as client:
            yield Served(project, client)


def _keep_secrets(project: Project) -> None:
    """Whatever ann must not see is called secret; she has the first query alone."""
    (project.folder / POOL).write_text("secret-system\n", encoding="utf-8")
    with project.database.writing() as connection:
        others = (schema.assignments.c.person_id == ANN) & (schema.assignments.c.query_id == 2)
        connection.execute(delete(schema.assignments).where(others))
        secret = {"name": "secret-query", "title": "secret-title", "narrative": "secret-narrative"}
        connection.execute(update(schema.queries).where(schema.queries.c.id == 2).values(**secret))
        for item in (1, 2, 7):
            said = JudgmentEvent(f"a-request-{item}", item, "note", text="secret-note")
            record(connection, BOB, said, project.scale)
        checks = schema.items.c.id == 2
        connection.execute(update(schema.items).where(checks).values(gold=3, stratum=1))
        ruling = {"request": "a-ruling-1", "item_id": 1, "person_id": DAN, "grade": 1}
        connection.execute(insert(schema.rulings).values(**ruling, note="secret-r", made_at=1.0))
        connection.execute(
            insert(schema.settings).values(name="pool", value={"runs": ["secret-system"]})
        )


def _routes() -> list[tuple[str, str, Permission]]:
    return [
        (method, path, _required_permissions(route)[0])
        for path, route in _declared_routes()
        for method in sorted(route.methods or ())
    ]


def _filled(path: str, *, item: int = 3, name: str = "t1") -> str:
    """A path with plausible values: of accounts, joe's, who asks for nothing here."""
    known = {"person": JOE, "item": item, "name": name, "query": name, "key": "x" * 43, "kind": "a"}
    for part in path.split("/"):
        if part.startswith("{"):
            path = path.replace(part, str(known.get(part.strip("{}").partition(":")[0], 1)), 1)
    return path


def _is_refused(answer: Any) -> bool:
    """Whether the role does not allow it; other 403s say other things."""
    return answer.status_code == 403 and "not for" in answer.text


def test_every_route_names_one_right() -> None:
    table = list(_declared_routes())
    assert len(table) > 30
    for path, route in table:
        assert len(_required_permissions(route)) == 1, path
    anyone = {path for path, route in table if _required_permissions(route) == [Permission.ANYONE]}
    assert anyone == {"/sign-in", "/sign-in/{key}"}
    for path, route in table:  # whoever may only watch changes nothing but their own account
        if UNSAFE & (route.methods or set()) and _required_permissions(route)[0] not in CHANGING:
            assert path.removeprefix("/api").startswith(("/account/", "/sign-in")), path


@pytest.mark.parametrize("role", OF_ROLE)
def test_a_role_gets_what_it_may_and_nothing_else(served: Served, role: str) -> None:
    key = signed_in(served.project, OF_ROLE[role])
    for method, path, right in _routes():
        if right is Permission.ANYONE:
            continue
        answer = served.ask_as(key, method, _filled(path))
        if "sign-out" in path:  # it ended the visit that asked
            key = signed_in(served.project, OF_ROLE[role])
        at = f"{role}: {method} {path}: {answer.status_code} {answer.text[:200]}"
        if right in ROLE_PERMISSIONS[role]:
            assert not _is_refused(answer), at
            assert answer.status_code not in (401, 405), at
            assert answer.status_code < 500, at
        else:
            assert _is_refused(answer), at


@pytest.mark.parametrize("who", ["nobody", "deactivated", "expired", "token"])
def test_who_is_not_signed_in_learns_nothing(served: Served, who: str) -> None:
    """Nobody is held against every route; it is one guard that all of them stand behind."""
    key, more = "", {}
    with served.project.database.writing() as connection:
        connection.execute(
            update(schema.people).where(schema.people.c.id == DAN).values(active=True)
        )
    if who in ("deactivated", "expired"):
        key = signed_in(served.project, "dan")
    with served.project.database.writing() as connection:
        mine = schema.visits.c.digest == _key_digest(key)
        if who == "deactivated":
            dan = schema.people.c.id == DAN
            connection.execute(update(schema.people).where(dan).values(active=False))
        if who == "expired":
            connection.execute(update(schema.visits).where(mine).values(expires_at=1.0))
        if who == "token":
            token, made = new_token(connection, DAN, "old", days=1)
            ended = schema.tokens.c.id == token.id
            connection.execute(update(schema.tokens).where(ended).values(expires_at=1.0))
            more = {"authorization": f"Bearer {made}"}
    paths = [(method, path) for method, path, right in _routes() if right is not Permission.ANYONE]
    if who != "nobody":
        paths = [("GET", "/people"), ("GET", "/api/people"), ("POST", "/api/judgments")]
    for method, path in [*paths, ("GET", "/no/such"), ("GET", "/api/no/such"), ("PUT", "/api/me")]:
        answer = served.ask(method, _filled(path), key=key, csrf=csrf_token(key), **more)
        at = f"{method} {path}: {answer.status_code}"
        if path.startswith("/api/"):
            assert answer.status_code == 401, at
            assert set(answer.json()) == {"error"}, at
        else:
            assert answer.status_code == 303, at
            assert answer.headers["location"].startswith("/sign-in"), at
            assert not answer.text, at


def test_what_changes_something_needs_the_word_of_a_page_of_ours(served: Served) -> None:
    key = signed_in(served.project, "eve")
    word = csrf_token(key)
    for method, path, _ in _routes():
        if method not in UNSAFE:
            continue
        url = _filled(path)
        without = served.ask(method, url, key=key)
        elsewhere = served.ask(
            method, url, key=key, csrf=word, **{"sec-fetch-site": "cross-site", "origin": "null"}
        )
        assert (without.status_code, elsewhere.status_code) == (403, 403), f"{method} {path}"
    for wrong in (csrf_token("another").encode(), b"\xfc"):
        more: dict[str, Any] = {CSRF_HEADER: wrong}
        assert served.ask("POST", "/people", key=key, **more).status_code == 403
    assert served.ask("GET", "/api/me", key=key).status_code == 200, "the visit has not ended"


def test_a_token_acts_with_the_role_of_its_person_and_needs_no_word(served: Served) -> None:
    with served.project.database.writing() as connection:
        _, token = new_token(connection, JOE, "a program", days=None)
    bearer = {"authorization": f"Bearer {token}"}
    assert served.ask("GET", "/api/me", **bearer).json()["role"] == "assessor"
    assert _is_refused(served.ask("GET", "/api/people", **bearer))
    for path in ("/account/tokens", "/account/password"):  # pages are not for tokens
        page = served.ask("POST", path, **bearer)
        assert (page.status_code, page.headers["location"]) == (303, "/sign-in")


def test_a_token_changes_nothing_of_its_owners_account(served: Served) -> None:
    key = signed_in(served.project, "joe")
    with served.project.database.writing() as connection:
        link = new_link(connection, JOE)
        made, token = new_token(connection, JOE, "a program", days=None)
        other, _ = new_token(connection, JOE, "another", days=None)
    bodies: dict[tuple[str, str], list[Any]] = {
        ("POST", "/api/account/password"): [{"new": "a new horse"}],
        ("POST", "/api/account/tokens"): [{"name": "x"}],
        ("POST", "/api/account/sign-out"): [{"everywhere": True}, {}],
        ("DELETE", "/api/account/tokens/{token}"): [None],
    }
    changing = {
        (method, path)
        for path, route in _declared_routes()
        for method in route.methods or ()
        if path.startswith("/api/")
        and _required_permissions(route) == [Permission.SIGNED_IN]
        and method != "GET"
    }
    assert changing == bodies.keys(), "every call about one's own account is tried here"
    bearer = {"authorization": f"Bearer {token}"}
    for (method, path), sent in bodies.items():
        for body in sent:
            for number in (made.id, other.id):
                at = path.format(token=number)
                answer = served.client.request(method, at, json=body, headers=bearer)
                assert (answer.status_code, "a token cannot" in answer.text) == (403, True)
    with served.project.database.reading() as connection:
        assert owner_of_session(connection, key)
        assert owner_of_link(connection, link)
        assert [one.id for one in tokens_of(connection, JOE)][-2:] == [made.id, other.id]
        assert stored_password(connection, JOE) is None


@pytest.mark.parametrize("host", ["x/api/", "x/api/?", "x/api/#", "x/static/", "x/sign-in?"])
def test_the_host_header_does_not_change_what_a_path_is(served: Served, host: str) -> None:
    """Some versions of Starlette take what follows a slash in it for the start of the path."""
    with served.project.database.writing() as connection:
        _, token = new_token(connection, DAN, f"a program of {host}", days=None)
    bearer = {"authorization": f"Bearer {token}", "host": host}
    for method, path, right in _routes():
        if right is Permission.ANYONE or path.startswith("/api/"):
            continue
        page = served.ask(method, _filled(path), **bearer)
        assert page.status_code == 303, f"{method} {path}"
        assert page.headers["location"].startswith("/sign-in"), f"{method} {path}"
    call = served.ask("GET", "/api/people", host=host)
    assert (call.status_code, list(call.json())) == (401, ["error"])
    assert call.headers["cache-control"] == "no-store"


def test_pages_refuse_programs_themselves(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cleverdon.judging.web.authorization.is_api_request", lambda _: True)
    with served.project.database.writing() as connection:
        _, token = new_token(connection, DAN, "a page reader", days=None)
    for method, path, right in _routes():
        if right is Permission.ANYONE or path.startswith("/api/"):
            continue
        page = served.ask(method, _filled(path), authorization=f"Bearer {token}")
        assert page.status_code == 403, f"{method} {path}"
        assert "token cannot do this" in page.text, f"{method} {path}"


def test_a_new_role_holds_at_once(served: Served) -> None:
    key = signed_in(served.project, "joe")
    for role, status in (("administrator", 200), ("viewer", 403), ("assessor", 403)):
        with served.project.database.writing() as connection:
            change_role(connection, COMMAND_LINE, JOE, role)
        assert served.ask("GET", "/api/people", key=key).status_code == status


def test_an_assessor_sees_nothing_of_others_or_of_where_documents_come_from(
    served: Served,
) -> None:
    key = signed_in(served.project, "ann")
    seen = 0
    for path, route in _declared_routes():
        right = _required_permissions(route)[0]
        if "GET" not in (route.methods or ()) or right not in ROLE_PERMISSIONS["assessor"]:
            continue
        urls = {
            _filled(path, item=item, name=name)
            for item, name in product((1, 2, 7, 9), ("t1", "secret-query"))
        }
        asked = [parameter.alias for parameter in route.dependant.query_params]
        values = ("secret-query", "secret-bob", "1", "7", "true")
        urls |= {f"{url}?{name}={value}" for url in urls for name in asked for value in values}
        for url in sorted(urls):
            answer = served.ask("GET", url, key=key)
            assert answer.status_code < 500, url
            text = answer.text
            for known in ("secret-query", "secret-bob"):
                if known in url:  # an answer may repeat what was asked
                    text = text.replace(known, "")
            assert "secret-" not in text, f"{url}: {_around(text, 'secret-')}"
            seen += answer.status_code == 200
    assert seen > 10


def test_what_checks_attention_looks_like_any_other(served: Served) -> None:
    key = signed_in(served.project, "ann")
    wanted = {"query": "t1", "n": 6}
    headers = {"cookie": f"{cookie_name(served.project)}={key}", CSRF_HEADER: csrf_token(key)}
    given = served.client.post("/api/next", json=wanted, headers=headers).json()["items"]
    assert {each["item"] for each in given} >= {2, 3}
    shapes = [_shape(each) for each in given]
    assert all(shape == shapes[0] for shape in shapes)
    for word in ("gold", "stratum", "probability", "wanted", "rank", "score", "position"):
        assert f'"{word}"' not in str(given).replace("'", '"'), word


def test_what_is_others_looks_like_what_is_not_there(served: Served) -> None:
    """To the last byte, whichever way it is asked for: by its number, or by its query's name."""
    key = signed_in(served.project, "ann")
    for path, route in _declared_routes():
        parts = {"{item}": ("7", "9999"), "{name}": ("secret-query", "missing-query")}
        found = next((each for name, each in parts.items() if name in path), None)
        if found is None or _required_permissions(route)[0] not in ROLE_PERMISSIONS["assessor"]:
            continue
        method = min(route.methods or ())
        there, absent = (
            _said(served.ask_as(key, method, path.format(item=each, name=each)), each, key)
            for each in found
        )
        assert there == absent, path
        assert there[0] == 404, path
    headers = {"cookie": f"{cookie_name(served.project)}={key}", CSRF_HEADER: csrf_token(key)}
    for call, of in (
        ("judgments", lambda item, _: {"request": "a-request", "item": item, "kind": "undo"}),
        ("next", lambda _, query: {"query": query}),
    ):
        answers = [
            served.client.post(f"/api/{call}", json=of(item, query), headers=headers)
            for item, query in ((7, "secret-query"), (9999, "missing-query"))
        ]
        assert {each.status_code for each in answers} == {404}
        assert answers[0].text.replace("7", "9999").replace("secret", "missing") == answers[1].text


def _said(answer: Any, asked: str, key: str) -> tuple[int, str, list[tuple[str, str]]]:
    """All of an answer but what was asked, and so but its length."""
    headers = [each for each in answer.headers.items() if each[0] != "content-length"]
    text = answer.text.replace(csrf_token(key), "")
    return answer.status_code, text.replace(f" {asked} ", "").replace(f"&#39;{asked}", ""), headers


def _shape(value: Any) -> Any:
    """The names and kinds of values."""
    if isinstance(value, dict):
        return {name: _shape(each) for name, each in value.items()}
    return type(value).__name__


def _around(text: str, word: str) -> str:
    at = text.index(word)
    return text[max(0, at - 100) : at + 100]


def test_the_pool_is_not_among_what_is_served(served: Served) -> None:
    key = signed_in(served.project, "ann")
    for path in ("/static/../" + POOL, f"/static/%2e%2e/{POOL}", f"/{POOL}"):
        answer = served.ask_as(key, "GET", path)
        assert answer.status_code == 404
        assert "secret-" not in answer.text
    assert Path(served.project.folder / POOL).read_text(encoding="utf-8") == "secret-system\n"

"""What every answer carries, what no request gets past, and whom a proxy's word is taken for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from cleverdon.judging.errors import DatabaseFailure
from cleverdon.judging.people.accounts import audit_lines
from cleverdon.judging.project import Project
from cleverdon.judging.web import app as web_app
from cleverdon.judging.web.app import make_app
from cleverdon.judging.web.authorization import CSRF_HEADER, cookie_name, csrf_token
from tests.judging.projects import made_project, signed_in

BOB = 2


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    with made_project(tmp_path_factory.mktemp("guarding") / "project") as made:
        yield made


@pytest.fixture(scope="module")
def app(project: Project) -> FastAPI:
    return make_app(project)


@pytest.fixture(scope="module")
def client(app: FastAPI) -> Iterator[TestClient]:
    """Of an administrator."""
    with TestClient(app, follow_redirects=False, raise_server_exceptions=False) as client:
        key = signed_in(app.state.project, "eve")
        client.cookies.set(cookie_name(app.state.project), key)
        client.headers[CSRF_HEADER] = csrf_token(key)
        yield client


@pytest.mark.parametrize("path", ["/sign-in", "/account", "/api/me", "/no/such", "/api/no/such"])
def test_every_answer_forbids_scripts_frames_and_keeping(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cache-control"] == "no-store"
    assert "strict-transport-security" not in headers


def test_static_files_are_kept_and_asked_about(client: TestClient) -> None:
    first = client.get("/static/style.css")
    assert first.headers["cache-control"] == "no-cache"
    tag = first.headers["etag"]
    assert client.get("/static/style.css", headers={"if-none-match": tag}).status_code == 304


def test_requests_are_bounded_by_what_they_say_and_by_what_they_send(client: TestClient) -> None:
    long = b" " * (web_app._MAX_BODY + 1)
    said = client.post("/api/people", content=long)
    sent = client.post("/api/people", content=iter([long[:600_000], long[600_000:]]))
    for answer in (said, sent):
        assert answer.status_code == 413
        assert answer.json() == {"error": "the request is too large: it may have 1,000,000 bytes"}
    page = client.post("/people", content=long)
    assert (page.status_code, "too large" in page.text) == (413, True)
    absurd = client.post("/api/people", content=b"", headers={"content-length": "9" * 5000})
    assert absurd.status_code == 413


def test_only_administrators_send_more_and_only_to_imports(
    client: TestClient, project: Project
) -> None:
    long = b" " * (web_app._MAX_BODY + 1)
    assert client.post("/api/imports", content=long).status_code != 413
    key = signed_in(project, "ann")
    ann = {"cookie": f"{cookie_name(project)}={key}", CSRF_HEADER: csrf_token(key)}
    assert TestClient(client.app).post("/api/imports", content=long, headers=ann).status_code == 413


def test_nobody_gets_past_before_the_body_is_read(app: FastAPI) -> None:
    with TestClient(app) as stranger:
        long = b" " * (web_app._MAX_BODY + 1)
        assert stranger.post("/api/imports", content=long).status_code == 401
        assert stranger.post("/api/people", content=b"{").status_code == 401


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:8000", 200),
        ("127.0.0.1", 200),
        ("[::1]:8000", 200),
        ("LOCALHOST", 200),
        ("evil.example:8000", 403),
        ("localhost.evil.example", 403),
        ("", 403),
    ],
)
def test_another_name_for_loopback_is_not_ours(
    client: TestClient, app: FastAPI, monkeypatch: pytest.MonkeyPatch, host: str, status: int
) -> None:
    monkeypatch.setitem(app.state._state, "hosts", {"localhost", "127.0.0.1", "::1"})
    assert client.get("/sign-in", headers={"host": host}).status_code == status


@pytest.mark.parametrize(
    ("behind_proxy", "said", "address"),
    [
        (False, "203.0.113.9, 198.51.100.7", "testclient"),
        (True, "203.0.113.9, 198.51.100.7", "198.51.100.7"),
        (True, "203.0.113.9, 198.51.100.7:51234", "198.51.100.7"),
        (True, "[2001:db8::1]:443", "2001:db8::1"),
        (True, "2001:db8::1", "2001:db8::1"),
        (True, "<script>", "testclient"),
    ],
)
def test_a_proxy_is_believed_only_where_there_is_one(
    client: TestClient,
    app: FastAPI,
    monkeypatch: pytest.MonkeyPatch,
    behind_proxy: bool,
    said: str,
    address: str,
) -> None:
    monkeypatch.setitem(app.state._state, "behind_proxy", behind_proxy)
    client.post(f"/api/people/{BOB}/link", json={}, headers={"x-forwarded-for": said})
    with app.state.project.database.reading() as connection:
        assert audit_lines(connection, n=1)[0].address == address


@pytest.mark.parametrize("behind_proxy", [True, False])
@pytest.mark.parametrize("header", ["host", "x-forwarded-host", "forwarded"])
def test_links_hold_nothing_that_a_request_says(
    client: TestClient,
    app: FastAPI,
    monkeypatch: pytest.MonkeyPatch,
    behind_proxy: bool,
    header: str,
) -> None:
    monkeypatch.setitem(app.state._state, "behind_proxy", behind_proxy)
    sent = {header: "host=evil.example" if header == "forwarded" else "evil.example"}
    for path, body in ((f"/api/people/{BOB}/link", {}), ("/api/people", {"role": "viewer"})):
        name = f"{header} {behind_proxy}"
        made = client.post(path, json=body and {**body, "name": name}, headers=sent)
        assert made.json()["link"].startswith("http://127.0.0.1:8000/sign-in/")
    page = client.post(f"/people/{BOB}/link", headers=sent)
    assert 'value="http://127.0.0.1:8000/sign-in/' in page.text
    assert "evil.example" not in page.text


@pytest.mark.parametrize("body", [b"[" * 900_000, b"9" * 900_000, b'{"name": "\xff"}', b"\x1f\x8b"])
def test_no_body_is_too_strange(client: TestClient, body: bytes) -> None:
    kind = {"content-type": "application/json", "content-encoding": "gzip"}
    answer = client.post("/api/people", content=body, headers=kind)
    assert (answer.status_code, "expected a JSON object" in answer.json()["error"]) == (400, True)
    plain = client.post("/api/people", content=b"{}", headers={"content-type": "text/plain"})
    assert (plain.status_code, "Content-Type: application/json" in plain.text) == (422, True)


def test_nothing_is_decided_by_an_address_that_holds_the_host_header() -> None:
    web = Path(web_app.__file__).parent
    for file in (*web.rglob("*.py"), *web.rglob("*.html")):
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"request\.(url|base_url|url_for)\b|\burl_for\(", text), file.name


def test_a_path_keeps_its_characters_when_one_signs_in_first(app: FastAPI) -> None:
    with TestClient(app, follow_redirects=False) as stranger:
        asked = stranger.get("/queries/what%3F%20no%0Ase")
    assert asked.headers["location"] == "/sign-in?next=%2Fqueries%2Fwhat%253F%2520no%250Ase"


def test_the_log_names_a_path_in_one_line(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def lost(*_: object) -> None:
        raise DatabaseFailure("the database is gone")

    monkeypatch.setattr("cleverdon.judging.people.sessions.owner_of_session", lost)
    client.get("/queries/a%0Acleverdon: b")
    assert caplog.messages == ["GET /queries/a%0Acleverdon%3A%20b: the database is gone"]


def test_head_is_answered_as_get(client: TestClient) -> None:
    for path in ("/account", "/api/me", "/no/such"):
        answer, head = client.get(path), client.head(path)
        assert head.status_code == answer.status_code, path
        assert head.headers["content-type"] == answer.headers["content-type"], path


def test_errors_are_sentences(client: TestClient) -> None:
    missing = client.get("/no/such")
    assert (missing.status_code, "This page does not exist" in missing.text) == (404, True)
    assert 'href="/account"' in missing.text, "whoever is signed in finds the way back"
    assert client.get("/account/").status_code == 404, "it leads nowhere by another scheme"
    kept = client.post("/static/style.css")
    assert (kept.status_code, kept.headers["allow"]) == (405, "GET, HEAD")
    wrong = client.put("/api/account/tokens")
    assert (wrong.status_code, wrong.headers["allow"]) == (405, "GET, HEAD, POST")
    bad = client.post("/api/people", content=b"{", headers={"content-type": "application/json"})
    assert (bad.status_code, list(bad.json())) == (422, ["error"])
    many = client.post("/api/people", json={str(number): 0 for number in range(100)})
    assert "more" in many.json()["error"]
    assert len(many.json()["error"]) < 1000


def test_a_lost_database_is_said_and_a_defect_is_not_shown(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(*_: object) -> None:
        raise DatabaseFailure("the database is gone")

    def defect(*_: object) -> None:
        raise ZeroDivisionError("secret")

    monkeypatch.setattr("cleverdon.judging.people.sessions.owner_of_session", lost)
    said = "the server cannot do this now; nothing was changed: try again later"
    assert client.get("/api/me").json() == {"error": said}
    assert client.get("/account").status_code == 503
    monkeypatch.setattr("cleverdon.judging.people.sessions.owner_of_session", defect)
    answer = client.get("/account")
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]

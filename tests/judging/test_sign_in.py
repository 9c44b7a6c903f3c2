"""Signing in and out, as a browser does it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher
from sqlalchemy import delete
from starlette.testclient import TestClient

from cleverdon.judging import clock
from cleverdon.judging.errors import DatabaseFailure
from cleverdon.judging.people import sessions
from cleverdon.judging.people.accounts import (
    add_person,
    audit_lines,
    store_password,
    stored_password,
)
from cleverdon.judging.people.sessions import LINK_LASTS, SESSION_LASTS, new_link
from cleverdon.judging.project import Project
from cleverdon.judging.store import schema
from cleverdon.judging.web import rate_limits
from cleverdon.judging.web.app import make_app
from cleverdon.judging.web.authorization import CSRF_HEADER, DEVICE_COOKIE, FORM_COOKIE, cookie_name
from cleverdon.judging.web.rate_limits import _MAX_FAILURES, _THROTTLE_AFTER, AttemptLimiter
from cleverdon.judging.web.routes.account import _is_ours
from tests.judging.projects import made_project
from tests.judging.test_sessions_passwords import QUICK

ANN = 1
PASSWORD = "correct horse"
STORED = QUICK.hash(PASSWORD)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    with made_project(tmp_path_factory.mktemp("signing_in") / "project") as made:
        yield made


@pytest.fixture(scope="module")
def client(project: Project) -> Iterator[TestClient]:
    with TestClient(make_app(project), follow_redirects=False) as client:
        yield client


@pytest.fixture
def browser(
    client: TestClient, project: Project, monkeypatch: pytest.MonkeyPatch
) -> Iterator[TestClient]:
    """Nothing has happened yet, and ann has a password that is quick to compare."""
    monkeypatch.setattr(sessions, "_ARGON2", QUICK)
    sessions._dummy_hash.cache_clear()
    client.cookies.clear()
    client.app.state.attempt_limiter = AttemptLimiter()  # type: ignore[attr-defined]
    with project.database.writing() as connection:
        for table in (schema.audit, schema.links, schema.tokens, schema.visits):
            connection.execute(delete(table))
        store_password(connection, ANN, STORED)
    yield client
    sessions._dummy_hash.cache_clear()


def csrf_in(page: Any) -> str:
    """The CSRF token of a page's forms."""
    assert page.status_code == 200, page.text
    return page.text.partition('name="csrf" value="')[2].partition('"')[0]  # type: ignore[no-any-return]


def sign_in(
    browser: TestClient, *, name: str = "ann", password: str = PASSWORD, **more: str
) -> Any:
    form = {"csrf": csrf_in(browser.get("/sign-in")), "name": name, "password": password, **more}
    return browser.post("/sign-in", data=form)


def logged(project: Project) -> list[tuple[str, str, str]]:
    with project.database.reading() as connection:
        return [(line.actor, line.action, line.about) for line in audit_lines(connection, n=100)]


def test_by_name_and_password(browser: TestClient, project: Project) -> None:
    assert browser.get("/account").headers["location"] == "/sign-in?next=%2Faccount"
    entered = sign_in(browser, next="/account")
    assert (entered.status_code, entered.headers["location"]) == (303, "/account")
    assert "You are signed in as an assessor" in browser.get("/account").text
    assert logged(project) == [("ann", "signed in", "by password")]


def test_the_cookie_is_out_of_reach(browser: TestClient, project: Project) -> None:
    given = sign_in(browser).headers.get_list("set-cookie")
    visit = next(each for each in given if each.startswith(f"{cookie_name(project)}="))
    parts = {part.strip().casefold() for part in visit.split(";")[1:]}
    assert parts == {"httponly", "max-age=2592000", "path=/", "samesite=lax"}


def test_behind_tls_cookies_are_for_https_and_this_host_alone(project: Project) -> None:
    app = make_app(project, behind_tls=True)
    with TestClient(app, base_url="https://testserver", follow_redirects=False) as browser:
        with project.database.writing() as connection:
            key = new_link(connection, ANN)
        page = browser.get(f"/sign-in/{key}")
        assert "max-age=31536000" in page.headers["strict-transport-security"]
        entered = browser.post(f"/sign-in/{key}", data={"csrf": csrf_in(page)})
        for given in entered.headers.get_list("set-cookie"):
            assert given.startswith("__Host-")
            assert "; Secure" in given
        assert browser.get("/api/me").json()["name"] == "ann"


def test_opening_a_link_signs_nobody_in(browser: TestClient, project: Project) -> None:
    with project.database.writing() as connection:
        key = new_link(connection, ANN)
    page = browser.get(f"/sign-in/{key}")
    assert "Sign in as ann" in page.text
    assert browser.get("/api/me").status_code == 401
    assert browser.post(f"/sign-in/{key}").status_code == 403, "without the page's word"
    for _ in range(2):  # it holds for as long as it holds
        entered = browser.post(
            f"/sign-in/{key}", data={"csrf": csrf_in(browser.get(f"/sign-in/{key}"))}
        )
        assert entered.headers["location"] == "/"
    assert browser.get("/api/me").json()["role"] == "assessor"
    with project.database.writing() as connection:
        new_link(connection, ANN)
    assert browser.get(f"/sign-in/{key}").status_code == 404, "another one was made"


def test_links_and_visits_end(
    browser: TestClient, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    with project.database.writing() as connection:
        key = new_link(connection, ANN)
    sign_in(browser)
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now + min(SESSION_LASTS, LINK_LASTS) + 60)
    assert browser.get("/api/me").status_code == 401
    page = browser.get(f"/sign-in/{key}")
    assert page.status_code == 404
    assert "ask an administrator for a new one" in page.text


def test_what_does_not_belong_together(browser: TestClient, project: Project) -> None:
    page = sign_in(browser, name="<b>", password="wrong horse")
    assert page.status_code == 422
    assert "Wrong name or password" in page.text
    assert 'value="&lt;b&gt;"' in page.text
    assert cookie_name(project) not in browser.cookies
    for name, password in (("ann", "x"), ("nobody", PASSWORD), ("bob", PASSWORD), ("\0", "x")):
        assert sessions.sign_in_by_password(project.database, name, password, address="") is None
    said = {(actor, about) for actor, _, about in logged(project)}
    expected = {("ann", "wrong password"), ("bob", "wrong password"), ("", "unknown name")}
    assert said == expected, "other names are not kept"


@contextmanager
def elsewhere(browser: TestClient, address: str = "203.0.113.9") -> Iterator[TestClient]:
    """A browser of somebody at another address."""
    with TestClient(browser.app, follow_redirects=False, client=(address, 50_000)) as other:
        yield other


def guess(browser: TestClient, times: int, *, name: str = "ann") -> list[int]:
    """What becomes of wrong passwords."""
    form = {"csrf": csrf_in(browser.get("/sign-in")), "name": name, "password": "a guess"}
    return [browser.post("/sign-in", data=form).status_code for _ in range(times)]


def test_guessing_ends(browser: TestClient, project: Project) -> None:
    assert guess(browser, _MAX_FAILURES) == [422] * _MAX_FAILURES
    page = sign_in(browser)
    assert page.status_code == 429, "even if it is right by now"
    assert 0 < int(page.headers["retry-after"]) <= 300
    assert ("ann", "could not sign in", "wrong password") in logged(project)
    with project.database.writing() as connection:
        key = new_link(connection, ANN)
    page = browser.get(f"/sign-in/{key}")
    entered = browser.post(f"/sign-in/{key}", data={"csrf": csrf_in(page)})
    assert entered.status_code == 303, "by her link she gets in, whoever else is at the address"


def test_a_stranger_elsewhere_keeps_nobody_out(browser: TestClient) -> None:
    for number in range(3):
        with elsewhere(browser, f"203.0.113.{number}") as stranger:
            assert guess(stranger, _MAX_FAILURES + 1) == [422] * _MAX_FAILURES + [429]
    assert sign_in(browser).status_code == 303


def test_a_device_that_was_signed_in_gets_in_whoever_guesses_beside_it(
    browser: TestClient, project: Project
) -> None:
    sign_in(browser)
    browser.post("/account/sign-out", data={"csrf": csrf_in(browser.get("/account"))})
    with TestClient(browser.app, follow_redirects=False) as stranger:  # at the same address
        assert guess(stranger, _MAX_FAILURES + 1) == [422] * _MAX_FAILURES + [429]
        assert sign_in(stranger).status_code == 429
        planted = {f"{cookie_name(project, DEVICE_COOKIE)}": f"{'x' * 43}.{'0' * 64}"}
        stranger.cookies.update(planted)
        assert sign_in(stranger).status_code == 429, "a device that was never signed in"
    assert sign_in(browser, name="bob").status_code == 422, "it is ann's"
    assert sign_in(browser).status_code == 303
    browser.post("/account/sign-out", data={"csrf": csrf_in(browser.get("/account"))})
    with project.database.writing() as connection:
        store_password(connection, ANN, QUICK.hash("another horse"))
    assert sign_in(browser, password="another horse").status_code == 429, "not by an old password"


def test_a_new_password_keeps_the_device_known(browser: TestClient) -> None:
    sign_in(browser)
    new = {"new": "a new horse", "again": "a new horse", "old": PASSWORD}
    browser.post("/account/password", data={"csrf": csrf_in(browser.get("/account")), **new})
    browser.post("/account/sign-out", data={"csrf": csrf_in(browser.get("/account"))})
    with TestClient(browser.app, follow_redirects=False) as stranger:
        assert guess(stranger, _MAX_FAILURES + 1)[-1] == 429
    assert sign_in(browser, password="a new horse").status_code == 303


def test_strangers_do_not_keep_somebody_from_a_new_password(browser: TestClient) -> None:
    sign_in(browser)
    with TestClient(browser.app, follow_redirects=False) as stranger:
        assert guess(stranger, _MAX_FAILURES + 1)[-1] == 429
    new = {"new": "a new horse", "again": "a new horse", "old": PASSWORD}
    form = {"csrf": csrf_in(browser.get("/account")), **new}
    assert browser.post("/account/password", data=form).status_code == 303


def test_pictures_on_another_site_lock_nobody_out(browser: TestClient, project: Project) -> None:
    """Neither do they use a link up, nor do programs that fetch links ahead."""
    with project.database.writing() as connection:
        key = new_link(connection, ANN)
    picture = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}
    ahead = {"sec-fetch-site": "none", "sec-purpose": "prefetch"}
    for headers in (picture, ahead, {}):
        guesses = [
            browser.get(f"/sign-in/{n}", headers=headers) for n in range(_THROTTLE_AFTER + 1)
        ]
        assert {each.status_code for each in guesses} == {404}
        for _ in range(3):
            assert browser.get(f"/sign-in/{key}", headers=headers).status_code == 200
    counted = browser.app.state.attempt_limiter.counts  # type: ignore[attr-defined]
    assert not counted
    assert logged(project) == []
    assert sign_in(browser).status_code == 303
    browser.cookies.clear()
    page = browser.get(f"/sign-in/{key}")
    entered = browser.post(f"/sign-in/{key}", data={"csrf": csrf_in(page)})
    assert entered.status_code == 303


def test_many_failures_only_slow_down(
    browser: TestClient, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr("cleverdon.judging.web.routes.account.sleep", sleep)
    monkeypatch.setattr(rate_limits, "_THROTTLE_AFTER", 3)
    browser.app.state.attempt_limiter = attempts_of(project)  # type: ignore[attr-defined]
    for number in range(4):
        with elsewhere(browser, f"203.0.113.{number}") as stranger:
            guess(stranger, 1)
    assert logged(project)[1] == ("ann", "is slowed down", "too many failures with this name")
    assert sign_in(browser).status_code == 303
    assert slept[:4] == [0, 0, 0, 0]
    assert 0 < slept[4] <= rate_limits._THROTTLE_INTERVAL


def test_strangers_who_wait_hold_no_thread_that_judgments_need(
    browser: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = browser.app.state.password_threads  # type: ignore[attr-defined]
    taken: list[float] = []

    def compared(*_: object, **__: object) -> None:
        taken.append(turns.borrowed_tokens)

    monkeypatch.setattr(sessions, "sign_in_by_password", compared)
    assert sign_in(browser).status_code == 422
    assert (taken, turns.total_tokens) == ([1], sessions.HASHES_AT_ONCE)


def test_nobody_is_signed_in_from_another_site(browser: TestClient) -> None:
    form = {"name": "ann", "password": PASSWORD, "csrf": csrf_in(browser.get("/sign-in"))}
    elsewhere = {"origin": "https://evil.example"}
    assert browser.post("/sign-in", data=form, headers=elsewhere).status_code == 403
    assert browser.post("/sign-in", data=form, headers={"origin": "null"}).status_code == 403
    browser.cookies.clear()
    assert browser.post("/sign-in", data=form).status_code == 403, "no cookie of the form"
    form["csrf"] = csrf_in(browser.get("/sign-in"))
    ours = {"origin": "http://testserver"}
    assert browser.post("/sign-in", data=form, headers=ours).status_code == 303


def test_signing_in_leads_nowhere_else(browser: TestClient) -> None:
    for path in ("//evil.example", "/\\evil.example", "https://evil.example", "/\t/x", ""):
        assert not _is_ours(path), path
    assert _is_ours("/queries/t1/list")
    assert sign_in(browser, next="//evil.example").headers["location"] == "/"
    browser.cookies.clear()
    long = browser.get(f"/queries/{'x' * 3000}").headers["location"]
    assert browser.get(long).status_code == 200


def test_signing_out_ends_the_visit_and_not_only_the_cookie(
    browser: TestClient, project: Project
) -> None:
    sign_in(browser)
    name = cookie_name(project)
    key = browser.cookies[name]
    left = browser.post("/account/sign-out", data={"csrf": csrf_in(browser.get("/account"))})
    assert left.headers["location"] == "/sign-in"
    assert name not in browser.cookies
    browser.cookies.set(name, key)
    assert browser.get("/api/me").status_code == 401


def test_a_new_password_signs_out_all_others(browser: TestClient, project: Project) -> None:
    sign_in(browser)
    with TestClient(browser.app, follow_redirects=False) as other:
        sign_in(other)
        form = {
            "csrf": csrf_in(other.get("/account")),
            "old": "wrong horse",
            "new": "a new horse",
            "again": "a new horse",
        }
        assert other.post("/account/password", data=form).status_code == 403
        assert other.post("/account/password", data={**form, "again": "x"}).status_code == 422
        changed = other.post("/account/password", data={**form, "old": PASSWORD})
        assert changed.headers["location"] == "/account"
        assert other.get("/api/me").status_code == 200
        assert browser.get("/api/me").status_code == 401
        assert sign_in(browser).status_code == 422
        assert sign_in(browser, password="a new horse").status_code == 303
        everywhere = {"csrf": csrf_in(browser.get("/account"))}
        browser.post("/account/sign-out-everywhere", data=everywhere)
        assert other.get("/api/me").status_code == 401


def test_whoever_has_found_a_link_is_out_by_a_new_password_or_by_signing_out_everywhere(
    browser: TestClient, project: Project
) -> None:
    def link() -> str:
        with project.database.writing() as connection:
            return f"/sign-in/{new_link(connection, ANN)}"

    leaked = link()
    sign_in(browser)
    form = {"csrf": csrf_in(browser.get("/account")), "old": PASSWORD}
    browser.post("/account/password", data={**form, "new": "a new horse", "again": "a new horse"})
    assert browser.get("/api/me").status_code == 200
    assert browser.get(leaked).status_code == 404
    leaked = link()
    browser.post("/account/sign-out", data=form)
    assert browser.get(leaked).status_code == 200, "on one device"
    sign_in(browser, password="a new horse")
    assert "Your sign-in link ends as well" in browser.get("/account").text
    form["csrf"] = csrf_in(browser.get("/account"))
    browser.post("/account/sign-out-everywhere", data=form)
    assert browser.get(leaked).status_code == 404


def test_a_link_and_a_password_can_both_be_kept(browser: TestClient, project: Project) -> None:
    def link() -> str:
        with project.database.writing() as connection:
            return f"/sign-in/{new_link(connection, ANN)}"

    sign_in(browser)
    first = link()
    form = {"csrf": csrf_in(browser.get("/account")), "old": PASSWORD}
    new = {"new": "a new horse", "again": "a new horse", "keep_link": "true"}
    browser.post("/account/password", data={**form, **new})
    assert browser.get(first).status_code == 200
    again = {"old": "a new horse", "new": "a third horse", "keep_link": True}
    word = {CSRF_HEADER: form["csrf"]}
    assert browser.post("/api/account/password", json=again, headers=word).status_code == 204
    assert browser.get(first).status_code == 200
    second = link()
    browser.cookies.clear()
    assert sign_in(browser, password="a third horse").status_code == 303, "a link takes none away"
    page = browser.get(second)
    assert browser.post(second, data={"csrf": csrf_in(page)}).status_code == 303


def test_the_log_says_when_a_password_is_guessed_and_who_is_held_off(
    browser: TestClient, project: Project
) -> None:
    browser.app.state.attempt_limiter = attempts_of(project)  # type: ignore[attr-defined]
    sign_in(browser)
    new = {"new": "a new horse", "again": "a new horse"}
    form = {"csrf": csrf_in(browser.get("/account")), "old": "wrong horse", **new}
    answers = [browser.post("/account/password", data=form) for _ in range(_MAX_FAILURES + 3)]
    assert [each.status_code for each in answers] == [403] * _MAX_FAILURES + [429] * 3
    lines_of_it = logged(project)
    assert lines_of_it.pop() == ("ann", "signed in", "by password")
    assert lines_of_it == [
        ("ann", "is held off", "too many failures with this name"),
        *[("ann", "could not change the password", "wrong password")] * _MAX_FAILURES,
    ]
    with elsewhere(browser) as stranger:
        guess(stranger, _MAX_FAILURES)
        said = "too many failures with this name from this address"
        assert logged(project)[0] == ("ann", "is held off", said)
        guess(stranger, _MAX_FAILURES, name="a secret")
        said = "too many failures with an unknown name from this address"
        assert logged(project)[0] == ("", "is held off", said)
    assert "a secret" not in str(logged(project)), "it may be a password"


def attempts_of(project: Project) -> AttemptLimiter:
    """As the app counts them from its start on."""
    counted: AttemptLimiter = make_app(project).state.attempt_limiter
    return counted


def test_a_new_password_that_cannot_be_is_no_failure_to_sign_in(browser: TestClient) -> None:
    sign_in(browser)
    form = {"csrf": csrf_in(browser.get("/account")), "old": PASSWORD, "new": "x", "again": "x"}
    for _ in range(_MAX_FAILURES + 1):
        assert browser.post("/account/password", data=form).status_code == 422
    assert sign_in(browser).status_code == 303


def test_a_token_is_shown_once_and_revoked(browser: TestClient) -> None:
    sign_in(browser)
    form = {"csrf": csrf_in(browser.get("/account")), "name": "a script", "days": "0"}
    made = browser.post("/account/tokens", data=form)
    found = re.search(r'value="(cleverdon_[\w-]{43})"', made.text)
    assert found
    assert found[1] not in browser.get("/account").text
    bearer = {"authorization": f"Bearer {found[1]}"}
    with TestClient(browser.app) as program:
        assert program.get("/api/me", headers=bearer).json()["name"] == "ann"
        (listed,) = program.get("/api/account/tokens", headers=bearer).json()["tokens"]
        assert listed["used_at"] is not None
        assert "key" not in listed
        browser.post(f"/account/tokens/{listed['id']}/revoke", data={"csrf": form["csrf"]})
        answer = program.get("/api/me", headers=bearer)
        assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")


def test_a_password_is_hashed_anew_when_the_parameters_change(
    browser: TestClient, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    slower = PasswordHasher(time_cost=2, memory_cost=8, parallelism=1)
    monkeypatch.setattr(sessions, "_ARGON2", slower)
    assert sessions.sign_in_by_password(project.database, "ann", PASSWORD, address="")
    with project.database.reading() as connection:
        assert "t=2" in (stored_password(connection, ANN) or "")
    assert sessions.sign_in_by_password(project.database, "ann", PASSWORD, address="")


def test_two_projects_on_one_machine_do_not_sign_each_other_out(
    browser: TestClient, project: Project, tmp_path: Path
) -> None:
    with made_project(tmp_path / "other") as other:
        with other.database.writing() as connection:
            store_password(connection, ANN, STORED)
        with TestClient(make_app(other), follow_redirects=False) as second:
            second.cookies = browser.cookies  # browsers do not tell ports
            assert sign_in(browser).status_code == 303
            assert second.get("/api/me").status_code == 401
            assert sign_in(second).status_code == 303
            assert browser.get("/api/me").status_code == second.get("/api/me").status_code == 200


def test_a_name_is_the_same_from_whichever_keyboard(browser: TestClient, project: Project) -> None:
    with project.database.writing() as connection:
        added = add_person(connection, "Zoe\u0308", "viewer")
        store_password(connection, added.id, STORED)
    assert added.name == "Zo\u00eb"
    assert sign_in(browser, name=" Zoe\u0308 ").status_code == 303


def test_a_cookie_that_is_no_key_of_ours_is_not_repeated(
    browser: TestClient, project: Project
) -> None:
    planted = f'{cookie_name(project, FORM_COOKIE)}="\\015\\012x"'
    given = browser.get("/sign-in", headers={"cookie": planted}).headers["set-cookie"]
    assert re.match(rf"{cookie_name(project, FORM_COOKIE)}=[\w-]{{43}};", given)


def test_the_log_does_not_hold_links(
    browser: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def lost(*_: object) -> None:
        raise DatabaseFailure("the database is gone")

    monkeypatch.setattr("cleverdon.judging.people.sessions.owner_of_link", lost)
    assert browser.get("/sign-in/a-key%0Aof-somebody").status_code == 503
    assert caplog.messages == ["GET /sign-in/...: the database is gone"]

"""Every page and API call of the judging app, requested by people of each role."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from starlette.routing import compile_path
from starlette.testclient import TestClient

from tests.transcript import entries
from tests.transcript.recording import Section, shortened
from tests.transcript.replay import (
    OUR_VERSION,
    Clock,
    Shared,
    contents,
    normaliser,
    run,
    settled,
    steady,
)

ROLES = {"stranger": None, "assessor": "ann", "administrator": "eve", "viewer": "vic"}

PATHS = {
    # First, before anything changes: a slow machine would count changes in another process, which
    # uses the real time.
    "dashboard": "/dashboard",
    "dashboard-query": "/dashboard/queries/q1",
    "dashboard-query-unknown": "/dashboard/queries/q99",
    "dashboard-person": "/dashboard/people/ann",
    "dashboard-person-space": "/dashboard/people/Cyd%20X",
    "dashboard-model": "/dashboard/people/gpt",
    "dashboard-person-unknown": "/dashboard/people/zoe",
    "api-watching": "/api/watching",
    "api-watching-query": "/api/watching/queries/q1",
    "api-watching-person": "/api/watching/people/ann",
    "api-watching-unknown": "/api/watching/people/zoe",
    # The order of the others does not matter.
    "start": "/",
    "sign-in": "/sign-in",
    "sign-in-next": "/sign-in?next=/dashboard",
    "sign-in-wrong-key": "/sign-in/nothing",
    "scale": "/scale.css",
    "queries": "/queries",
    "query": "/queries/q1",
    "query-2": "/queries/q2",
    "query-unknown": "/queries/q99",
    "query-list": "/queries/q1/list",
    "item-text": "/items/1/text",
    "item-text-unknown": "/items/999/text",
    "account": "/account",
    "adjudication": "/adjudication",
    "adjudication-item": "/adjudication/{disputed}",
    "adjudication-item-unknown": "/adjudication/999",
    "adjudication-text": "/adjudication/{disputed}/text",
    "people": "/people",
    "audit": "/people/audit",
    "assignments": "/assignments",
    "exports": "/exports",
    "exports-qrels": "/exports/qrels",
    "exports-history": "/exports/history",
    "exports-agreement": "/exports/agreement",
    "exports-datasheet": "/exports/datasheet",
    "imports": "/imports",
    "nothing": "/nothing",
    "static-icon": "/static/icon.svg",
    "static-nothing": "/static/nothing.css",
    "api-openapi": "/api/openapi.json",
    "api-project": "/api/project",
    "api-me": "/api/me",
    "api-tokens": "/api/account/tokens",
    "api-queries": "/api/queries",
    "api-judgments": "/api/judgments?query=q1",
    "api-judgments-all": "/api/judgments",
    "api-item": "/api/items/{own}",
    "api-item-text": "/api/items/{own}/text",
    "api-item-history": "/api/items/{own}/history",
    "api-item-unknown": "/api/items/999",
    "api-item-wrong": "/api/items/one",
    "api-adjudication": "/api/adjudication",
    "api-adjudication-item": "/api/adjudication/{disputed}",
    "api-adjudication-text": "/api/adjudication/{disputed}/text",
    "api-assignments": "/api/assignments",
    "api-people": "/api/people",
    "api-audit": "/api/audit",
    "api-qrels": "/api/exports/qrels",
    "api-qrels-csv": "/api/exports/qrels?format=csv",
    "api-qrels-wrong": "/api/exports/qrels?as=nothing",
    "api-history": "/api/exports/history",
    "api-agreement": "/api/exports/agreement",
    "api-agreement-json": "/api/exports/agreement?format=json",
    "api-datasheet": "/api/exports/datasheet",
    "api-datasheet-html": "/api/exports/datasheet?format=html",
    "api-nothing": "/api/nothing",
}
REQUESTS = [f"{role}-{name}" for role in ROLES for name in PATHS]

_RANDOM = (
    (re.compile(r"(?<![\w-])[\w-]{43}(?![\w-])"), "{key}"),
    (re.compile(r"(?<![\w-])[0-9a-f]{64}(?![\w-])"), "{key}"),
    (re.compile(r'(name="request" value=")[^"]*'), r"\1{request}"),
)
_HEADERS = ("content-type", "content-disposition", "location", "cache-control", "allow")


class Pages:
    """Recordings of all pages for people of a role, in a project of their own."""

    def __init__(self, folder: Path, shared: Shared) -> None:
        self.folder = folder
        self.shared = shared
        self._found: dict[str, dict[str, str]] = {}

    def of(self, request: str) -> str:
        """Return the recording of a request."""
        role, _, name = request.partition("-")
        if role not in self._found:
            self._found[role] = self._ask(role)
        return self._found[role][name]

    def _ask(self, role: str) -> dict[str, str]:
        folder = self.folder / role
        folder.mkdir()
        tidied = normaliser(folder, self.shared.folder)
        with pytest.MonkeyPatch.context() as patch, steady(patch):
            self.shared.put("judging", folder)
            clock = Clock(patch)
            clock.move(200_000)
            person = ROLES[role]
            key = _link(person, folder) if person else ""
            clock.move()
            with entries.entry(entries.OPEN_PROJECT)(folder / "judging") as project:
                app = entries.entry(entries.MAKE_APP)(project)
                with TestClient(app, follow_redirects=False) as client:
                    if key:
                        _sign_in(client, key)
                    known = {"{own}": _own(client), "{disputed}": _disputed(client)}
                    found = {}
                    # The clock stands still, because counts that are refreshed show their time.
                    for name, path in PATHS.items():
                        for word, instead in known.items():
                            path = path.replace(word, instead)
                        found[name] = tidied(_asked(client, path))
        return found


def _asked(client: TestClient, path: str) -> str:
    answer = client.get(path)
    kind = answer.headers.get("content-type", "")
    ending = ".html" if "html" in kind else ".txt"
    sections = [Section(f"GET {path}"), Section(f"status {answer.status_code}")]
    sections += [
        Section(f"{name}: {answer.headers[name]}") for name in _HEADERS if name in answer.headers
    ]
    for part, text in contents(ending, answer.content):
        if answer.content:
            for pattern, instead in (*_RANDOM, OUR_VERSION):
                text = pattern.sub(instead, text)
            sections.append(shortened(f"body{part}", settled(text)))
    return "".join(section.text() for section in sections)


def never_asked() -> list[str]:
    """Return the paths of the app that are not requested here."""
    asked = [re.sub(r"\{\w+\}", "1", path.partition("?")[0]) for path in PATHS.values()]
    return [
        path
        for path, route in entries.entry(entries.ROUTES)()
        if "GET" in route.methods and not any(compile_path(path)[0].match(each) for each in asked)
    ]


def _link(person: str, folder: Path) -> str:
    """Create a sign-in link; return its key."""
    _, out, errors = run(("judge", "people", "judging", "--link", person), folder)
    found = re.search(r"/sign-in/([\w-]{43})", out + errors)
    assert found, out + errors
    return found[1]


def _sign_in(client: TestClient, key: str) -> None:
    page = client.get(f"/sign-in/{key}").text
    fields = dict(re.findall(r'<input[^>]*name="(\w+)"[^>]*value="([^"]*)"', page))
    answer = client.post(f"/sign-in/{key}", data=fields)
    assert answer.status_code == 303, answer.text


def _own(client: TestClient) -> str:
    """Return an item that the signed-in person has judged, if there is one."""
    answer = client.get("/api/judgments?query=q1")
    found = re.search(r'"item":(\d+)', answer.text)
    return found[1] if found else "1"


def _disputed(client: TestClient) -> str:
    found = re.search(r'"item":(\d+)', client.get("/api/adjudication").text)
    return found[1] if found else "1"

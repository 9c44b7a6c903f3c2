"""A judging project with people, judgments, disputes, a ruling and a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.testclient import TestClient

from tests.transcript import entries
from tests.transcript.inputs import fill
from tests.transcript.replay import run

if TYPE_CHECKING:
    from tests.transcript.replay import Clock

INIT = (
    *("judge", "init", "judging", "--queries", "made/topics.tsv", "--documents", "made/docs.jsonl"),
    *("--runs", "made/a.run", "made/b.run", "--depth", "5", "--scale", "made/scale.toml"),
    *(
        "--judges",
        "2",
        "--assessors",
        "ann,bob,Cyd X",
        "--assign-by",
        "document",
        "--title",
        "Shoes",
    ),
)
PEOPLE = {"eve": "administrator", "vic": "viewer"}
JUDGES = ("ann", "bob", "Cyd X")


def make_project(folder: Path, clock: Clock) -> None:
    """Create the project in `folder`/judging."""
    making = folder / "making"
    making.mkdir()
    fill(making, (*INIT, "made/third.txt"))
    _done(INIT, making)
    for name, role in PEOPLE.items():
        clock.move()
        _done(("judge", "people", "judging", "--add", name, "--role", role), making)
    tokens = {}
    for name in (*JUDGES, "eve"):
        clock.move()
        said = _done(("judge", "people", "judging", "--token", name, "-f", "json"), making)
        tokens[name] = _token(json.loads(said))
    with entries.entry(entries.OPEN_PROJECT)(making / "judging") as project:
        app = entries.entry(entries.MAKE_APP)(project)
        with TestClient(app) as client:
            _judge(client, tokens, clock)
    clock.move()
    model = (
        "judge",
        "import",
        "judging",
        "made/third.txt",
        "--judged-by",
        "model",
        "--judge",
        "gpt",
    )
    _done(model, making)
    (making / "judging").rename(folder / "judging")


def _token(said: Any) -> str:
    """Find the token in a response, at any depth."""
    values = said.values() if isinstance(said, dict) else said if isinstance(said, list) else [said]
    for value in values:
        if isinstance(value, str) and value.startswith("cleverdon_"):
            return value
        if isinstance(value, dict | list) and (found := _token(value)):
            return found
    return ""


def _judge(client: TestClient, tokens: dict[str, str], clock: Clock) -> None:
    """Let every judge judge most documents, and an administrator adjudicate one."""
    for place, name in enumerate(JUDGES):
        headers = {"Authorization": f"Bearer {tokens[name]}"}
        for number in range(14 - 3 * place):
            clock.move(20)
            told = client.post("/api/next", json={"n": 1}, headers=headers).json()
            if not told["items"]:
                break
            item = told["items"][0]["item"]
            said = {"request": f"{place}-request-{number}", "item": item, "seconds": 4.5 + number}
            if number % 9 == 7:
                said |= {"kind": "skip", "text": "It is in another language."}
            else:
                said |= {"kind": "grade", "grade": (item * 7 + place * (item % 4 == 0)) % 3}
            answer = client.post("/api/judgments", json=said, headers=headers)
            assert answer.status_code == 200, answer.text
    headers = {"Authorization": f"Bearer {tokens['eve']}"}
    cases = client.get("/api/adjudication", headers=headers).json()
    items = [case["item"] for case in next(v for v in cases.values() if isinstance(v, list))]
    clock.move()
    ruling = {"request": "a-ruling-1", "grade": 2, "note": "It fits."}
    answer = client.post(f"/api/adjudication/{items[0]}", json=ruling, headers=headers)
    assert answer.status_code == 200, answer.text


def _done(arguments: tuple[str, ...], folder: Path) -> str:
    code, out, errors = run(arguments, folder)
    assert code == 0, errors
    return out

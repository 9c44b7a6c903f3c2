"""Adaptive methods feed the queue, and go on after a restart as if there had been none."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from secrets import token_hex
from shutil import copytree
from typing import Any

import numpy as np
import pytest
from fastapi import FastAPI
from sqlalchemy import select, update
from starlette.testclient import TestClient

from cleverdon.judging.assignment import unassign_query
from cleverdon.judging.candidates import Adaptive, adaptive_candidates
from cleverdon.judging.contents import Documents, Query
from cleverdon.judging.creation import ProjectPlan, _write_project
from cleverdon.judging.imports.importer import ImportSettings, import_file
from cleverdon.judging.people.accounts import COMMAND_LINE, person_by_id
from cleverdon.judging.project import POOL, Project, open_project
from cleverdon.judging.queue import Feeder, take_next
from cleverdon.judging.recording import JudgmentEvent, record
from cleverdon.judging.scale import _parse_scale
from cleverdon.judging.store.schema import documents, items
from cleverdon.judging.web.app import make_app
from cleverdon.judging.web.authorization import CSRF_HEADER, cookie_name, csrf_token
from cleverdon.judging.workload import compute_workload
from cleverdon.pooling.adaptive.judging import AdaptiveJudging, Limits
from cleverdon.pooling.adaptive.methods import parse_method
from cleverdon.pooling.contributions import gather
from tests.judging.projects import signed_in

ANN, BOB = 1, 2


def _runs() -> dict[str, dict[str, dict[str, float]]]:
    """Three systems, each with its own order of some of the same documents."""
    random = np.random.default_rng(1)
    return {
        name: {
            query: {
                f"d{doc}": float(-place) for place, doc in enumerate(random.permutation(14)[:9])
            }
            for query in ("t1", "t2")
        }
        for name in ("a", "b", "c")
    }


RUNS = _runs()
GRADES = {f"d{doc}": int(doc % 3 == 0) * 2 for doc in range(14)}


def _made(
    folder: Path,
    method: str = "mtf",
    *,
    gold: Mapping[str, Mapping[str, int]] | None = None,
    limits: Limits = Limits(),  # noqa: B008
) -> Project:
    adaptive = Adaptive(parse_method(method), limits)
    corpus = folder.with_suffix(".tsv")
    corpus.write_text("".join(f"d{doc}\tabout {doc}\n" for doc in range(20)))
    plan = ProjectPlan(
        to_judge=adaptive_candidates(gather(RUNS), adaptive, seed=5),
        queries=[Query("t1", "one"), Query("t2", "two")],
        documents=Documents([corpus], [f"d{doc}" for doc in range(20)]),
        scale=_parse_scale("0..3"),
        title="Fed",
        seed=5,
        gold=gold or {},
        assessors=("ann", "bob"),
        by="document",
    )
    _write_project(folder, plan)
    return open_project(folder)


def _from_the_start(project: Project) -> None:
    """Take back what was given out when the project was made."""
    with project.database.writing() as connection:
        connection.execute(update(items).values(position=None, after_event=None))


def _say(project: Project, person: int, item: int, kind: str, number: int, **more: object) -> None:
    with project.database.writing() as connection:
        said = JudgmentEvent(idempotency_key=f"request-{number}", item=item, kind=kind, **more)  # type: ignore[arg-type]
        record(connection, person, said, project.scale)


def _next(project: Project, feeder: Feeder, person: int = ANN, **more: object) -> list[int]:
    with project.database.writing() as connection:
        return take_next(connection, person, query=1, feeder=feeder, **more)  # type: ignore[arg-type]


def _name(project: Project, item: int) -> str:
    with project.database.reading() as connection:
        wanted = select(documents.c.name).join(items, items.c.document_id == documents.c.id)
        return str(connection.execute(wanted.where(items.c.id == item)).scalar_one())


def _given(project: Project, query: int = 1) -> list[str]:
    with project.database.reading() as connection:
        wanted = select(documents.c.name).join(items, items.c.document_id == documents.c.id)
        wanted = wanted.where(items.c.query_id == query, items.c.position.is_not(None))
        return list(connection.execute(wanted.order_by(items.c.position)).scalars())


def _judged_by_ann(project: Project, *, restarts: bool) -> Iterator[str]:
    """What comes when one person judges all of the query, a document at a time."""
    feeder = Feeder(project, ahead=0)
    for number in range(len(GRADES)):
        feeder = Feeder(project, ahead=0) if restarts else feeder
        found = _next(project, feeder)
        if not found:
            return
        name = _name(project, found[0])
        yield name
        _say(project, ANN, found[0], "grade", number, grade=GRADES[name])


@pytest.mark.parametrize(("method", "restarts"), [("mtf", False), ("thompson", True)])
def test_the_order_is_the_methods_own(tmp_path: Path, method: str, restarts: bool) -> None:
    judging = AdaptiveJudging(gather(RUNS), method, seed=5, queries=["t1"])
    own = []
    for query, doc in judging:
        own.append(doc)
        judging.judge(query, doc, GRADES[doc])
    with _made(tmp_path / "project", method) as project:
        _from_the_start(project)
        with project.database.writing() as connection:  # ann alone
            unassign_query(connection, COMMAND_LINE, "t1", person_by_id(connection, BOB))
        assert list(_judged_by_ann(project, restarts=restarts)) == own
        with project.database.reading() as connection:
            assert Feeder(project).ended(connection, 1) == "all given"
            assert Feeder(project).ended(connection, 2) == ""


def _played(project: Project, *, seed: int, restarts: bool) -> list[str]:
    """Two people who fetch ahead, change their minds, undo and skip; what was given out."""
    random = np.random.default_rng(seed)
    feeder = Feeder(project)
    mine: dict[int, list[int]] = {ANN: [], BOB: []}
    done: list[tuple[int, int]] = []
    for number in range(16):
        feeder = Feeder(project) if restarts else feeder
        person = int(random.integers(ANN, BOB + 1))
        mine[person] += _next(project, feeder, person, n=2, without=mine[person][:10])
        choice = random.random()
        grade = int(random.integers(0, 4))
        if choice < 0.7 and mine[person]:
            item = mine[person].pop(0)
            if choice < 0.1:
                _say(project, person, item, "skip", number, text="torn")
            else:
                _say(project, person, item, "grade", number, grade=grade)
            done.append((person, item))
        elif done:
            person, item = done.pop(int(random.integers(len(done))))
            _say(project, person, item, "undo" if choice > 0.85 else "grade", number, grade=grade)
    return _given(project)


def test_a_restart_at_every_step_changes_nothing(tmp_path: Path) -> None:
    _made(tmp_path / "one", "max-mean").close()
    copytree(tmp_path / "one", tmp_path / "two")
    with open_project(tmp_path / "one") as one, open_project(tmp_path / "two") as two:
        without = _played(one, seed=2, restarts=False)
        assert len(without) > 5
        assert without == _played(two, seed=2, restarts=True)


def test_everybody_gets_documents_as_long_as_there_are_any(tmp_path: Path) -> None:
    with _made(tmp_path / "project") as project:
        assert len(_given(project)) == 5, "one for each person, and three ahead"
        feeder = Feeder(project)
        anns = _next(project, feeder, ANN, n=5)
        bobs = _next(project, feeder, BOB, n=5)
        assert (len(anns), len(bobs)) == (5, 5)
        assert not set(anns) & set(bobs)
        everything = len(set().union(*(of["t1"] for of in RUNS.values())))
        assert len(_next(project, feeder, BOB, n=20, without=bobs)) == everything - 10


def _judge_in_vain(project: Project, feeder: Feeder, item: int) -> None:
    with project.database.writing() as connection:
        record(connection, ANN, JudgmentEvent("request-x", item, "grade", grade=3), project.scale)
        take_next(connection, ANN, query=1, n=9, feeder=feeder)
        raise OSError("the disk is full")


def test_what_was_undone_by_the_database_is_forgotten(tmp_path: Path) -> None:
    with _made(tmp_path / "project") as project:
        feeder = Feeder(project)
        first = _next(project, feeder)
        before = _given(project)
        with pytest.raises(OSError, match="the disk is full"):
            _judge_in_vain(project, feeder, first[0])
        assert _given(project) == before
        _say(project, ANN, first[0], "grade", 1, grade=0)
        _next(project, feeder, n=6)
        after = _given(project)
        with project.database.writing() as connection:
            since = update(items).where(items.c.position >= len(before))
            connection.execute(since.values(position=None, after_event=None))
        _next(project, Feeder(project), n=6)
        assert _given(project) == after, "the grade that was never written taught nothing"


def test_limits_end_a_query(tmp_path: Path) -> None:
    with _made(tmp_path / "budget", limits=Limits(budget=4)) as project:
        feeder = Feeder(project)
        assert len(_next(project, feeder, n=9)) == 4
        with project.database.reading() as connection:
            assert feeder.endings(connection) == {"t1": "budget", "t2": "budget"}
    with _made(tmp_path / "patience", limits=Limits(patience=2)) as project:
        feeder = Feeder(project)
        for number, item in enumerate(_next(project, feeder, n=2)):
            _say(project, ANN, item, "grade", number, grade=0)
        with project.database.reading() as connection:
            assert feeder.ended(connection, 1) == "patience"
        _say(project, ANN, item, "grade", 7, grade=1)
        with project.database.reading() as connection:
            assert feeder.ended(connection, 1) == "", "a mind was changed, and it goes on"


def test_what_an_ended_query_has_not_given_out_is_nobodys_work(tmp_path: Path) -> None:
    with _made(tmp_path / "project", limits=Limits(patience=2)) as project:
        feeder = Feeder(project)

        def left() -> tuple[list[int], list[int]]:
            with project.database.reading() as connection:
                work = compute_workload(connection, feeder.endings(connection))
                return [one.left_to_share for one in work.queries], [
                    one.left for one in work.people
                ]

        one, two = (
            len(set().union(*(run[name] for run in RUNS.values()))) for name in ("t1", "t2")
        )
        assert left() == ([one, two], [(one + two) // 2] * 2)
        for number, item in enumerate(_next(project, feeder, n=5)[:2]):
            _say(project, ANN, item, "grade", number, grade=0)
        still = len(_given(project)) - 2
        assert still > 0, "what was fetched ahead is to be judged"
        assert left() == ([still, two], [round((still + two) / 2)] * 2)


def test_what_an_import_adds_is_no_part_of_the_method(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    project = _made(tmp_path / "project", limits=Limits(budget=6))
    feeder, given = Feeder(project), _given(project)
    more = tmp_path / "more.qrels"
    more.write_text("".join(f"t1 0 d{doc} 0\n" for doc in range(14, 20)))
    import_file(project, str(more), ImportSettings(add=True), actor=COMMAND_LINE)
    for opened in (feeder, Feeder(project)):
        with project.database.reading() as connection:
            assert opened.ended(connection, 1) == "", "none of the budget went to what was added"
    everything = []
    while found := _next(project, feeder):
        everything += found
        _say(project, ANN, found[0], "grade", len(everything), grade=0)
    names = [_name(project, item) for item in everything]
    assert len(names) == 12
    assert {f"d{doc}" for doc in range(14, 20)} | set(given) < set(names)
    assert not caplog.records, "a restart finds what was given out"
    with project.database.reading() as connection:
        places = select(items.c.position).where(
            items.c.query_id == 1, items.c.position.is_not(None)
        )
        found = list(connection.execute(places.order_by(items.c.position)).scalars())
    assert found == list(range(12)), "each has a place of its own"


def test_gold_comes_in_between(tmp_path: Path) -> None:
    gold = {"t1": {"d19": 0, "d3": 2}}
    with _made(tmp_path / "project", gold=gold, limits=Limits(budget=8)) as project:
        _next(project, Feeder(project), n=20)
        given = _given(project)
        assert set(gold["t1"]) <= set(given)
        assert len(given) == len(set(given)) == 10, "gold is no part of the budget"


def test_another_pool_file_does_not_stop_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with _made(tmp_path / "project") as project:
        _next(project, Feeder(project), n=5)
        given = _given(project)
        pool = project.folder / POOL
        text = pool.read_text()
        for place, name in enumerate(given[:3]):
            text = text.replace(f"\t{name}\t", f"\tother{place}\t")
        pool.write_text(text)
        with caplog.at_level(logging.WARNING), project.database.writing() as connection:
            Feeder(project).feed(connection, 1, more=20)
        assert "goes on from the judgments alone" in caplog.text
        everything = set().union(*(of["t1"] for of in RUNS.values()))
        after = _given(project)
        assert after[: len(given)] == given
        assert sorted(after) == sorted(everything), "each once, and none that is not an item"


class _Browser:
    """Somebody who fetches two documents ahead, and judges them one after the other."""

    def __init__(self, project: Project, name: str) -> None:
        self.key = signed_in(project, name)
        self.waiting: list[dict[str, Any]] = []

    def judge(self, app: FastAPI) -> str | None:
        """Judge one more; its document, or None where there is none any more."""
        client = TestClient(
            app,
            cookies={cookie_name(app.state.project): self.key},
            headers={CSRF_HEADER: csrf_token(self.key)},
        )
        asked = {"query": "t1", "n": 2, "without": [each["item"] for each in self.waiting]}
        self.waiting += client.post("/api/next", json=asked).json()["items"]
        if not self.waiting:
            return None
        item = self.waiting.pop(0)
        name = str(item["document"]["id"])
        said = {"request": token_hex(8), "item": item["item"], "kind": "grade"}
        answer = client.post("/api/judgments", json={**said, "grade": GRADES[name]})
        assert answer.status_code == 200, answer.text
        return name


def test_two_people_at_a_server_that_is_restarted(tmp_path: Path) -> None:
    with _made(tmp_path / "project", limits=Limits(target=2)) as project:
        people = _Browser(project, "ann"), _Browser(project, "bob")
        app = make_app(project)
        names: list[str] = []
        while found := [name for who in people if (name := who.judge(app))]:
            names += found
            if len(names) == 4:
                app = make_app(project)  # what a server remembers is the app's
        assert len(names) == len(set(names)), "nobody got what another has"
        assert sorted(names) == sorted(_given(project)), "all that was given out is judged"
        assert len(names) < 14, "two are enough, and some were given out ahead"
        assert sum(GRADES[name] > 0 for name in names) >= 2
        with project.database.reading() as connection:
            assert Feeder(project).ended(connection, 1) == "target"

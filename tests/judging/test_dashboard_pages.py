"""The dashboard in each state of a project: its numbers, and what is said where there are none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from itertools import product
from pathlib import Path

import pytest
from fastapi import FastAPI
from sqlalchemy import Connection, delete, insert, update

from cleverdon.errors import InputError
from cleverdon.judging.adjudication import record_ruling
from cleverdon.judging.dashboard import Measurement
from cleverdon.judging.dashboard.progress import Pace, count_grades
from cleverdon.judging.dashboard.state import DashboardComputation, ProjectStatus
from cleverdon.judging.dashboard.worker import DashboardCache
from cleverdon.judging.people.accounts import person_named
from cleverdon.judging.project import POOL
from cleverdon.judging.queue import Feeder
from cleverdon.judging.recording import JudgmentEvent, record
from cleverdon.judging.store.schema import assignments, events, items, judgments, people, queries
from cleverdon.judging.web.app import make_app
from cleverdon.judging.web.routes.dashboard import (
    _bars,
    _dashboard_person_path,
    _dashboard_query_path,
    _shares,
    _whisker,
    dashboard_model,
)
from cleverdon.pooling.contributions import gather
from cleverdon.pooling.files import write_pool
from cleverdon.pooling.pool_methods import depth_pool
from cleverdon.pooling.recall.recall import estimate_recall
from tests.judging.facts import made_facts
from tests.judging.judged_projects import give
from tests.judging.projects import browser, made_project

EVIL = "t1/<script>"


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FastAPI]:
    with made_project(tmp_path_factory.mktemp("empty") / "project", people={"vic": "viewer"}) as p:
        yield make_app(p)


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FastAPI]:
    """Two queries that are judged by two people, one of whom says 1 where the other says 2."""
    with made_project(tmp_path_factory.mktemp("done") / "project", wanted=2) as project:
        with project.database.writing() as connection:
            connection.execute(update(queries).where(queries.c.id == 1).values(name=EVIL))
            connection.execute(update(items).where(items.c.id <= 3).values(gold=2))
            connection.execute(
                insert(people).values(name="gpt", kind="model", active=True, created_at=0.0)
            )
        keys = list(product((EVIL, "t2"), (f"d{number}" for number in range(1, 7))))
        give(project, {"ann": {key: at % 3 for at, key in enumerate(keys)}})
        give(project, {"bob": {key: min(at % 3, 1) for at, key in enumerate(keys)}})
        yield make_app(project)


def test_an_empty_project_is_said_in_words(empty: FastAPI) -> None:
    page = browser(empty, "vic").get("/dashboard").text
    assert "Agreement needs 5 documents that two have judged: 0 so far." in page
    assert "Not decided: nothing is judged yet." in page
    assert "No judgment was made yet." in page
    assert "Nobody has a query to judge yet." in page
    assert "Nothing is judged yet." in browser(empty, "vic").get(_dashboard_query_path("t1")).text


def test_one_judgment_is_shown(tmp_path: Path) -> None:
    with made_project(tmp_path / "project") as project:
        give(project, {"ann": {("t1", "d1"): 2}})
        vic = browser(make_app(project), "vic")
        page = vic.get("/dashboard").text
        assert "<b>1 of 12</b>" in page
        assert "Agreement needs 5 documents that two have judged: 0 so far." in page
        assert 'aria-label="Judgments in each hour, from' in page
        person = vic.get(_dashboard_person_path("ann")).text
        assert "Fewer than 6 judgments without a pause." in person
        assert "drift needs 20 documents that others judged too: 0 so far" in person
        assert "The project has no gold documents." in person


def test_what_is_left_is_counted_and_a_ruling_settles_it(tmp_path: Path) -> None:
    with made_project(tmp_path / "project", queries=1, documents=2) as project:
        give(project, {"ann": {("t1", "d1"): 2}})
        vic = browser(make_app(project), "vic")
        assert "1 is still wanted." in vic.get("/dashboard").text
        with project.database.writing() as connection:
            eve = person_named(connection, "eve").id
            record_ruling(
                connection, eve, idempotency_key="ruling-1", item=2, grade=3, scale=project.scale
            )
        page = browser(make_app(project), "vic").get("/dashboard").text
        assert "All that is wanted is done." in page
        assert "<b>2 of 2</b>" in page


def test_a_finished_project_shows_its_numbers(app: FastAPI) -> None:
    page = browser(app, "vic").get("/dashboard").text
    assert "<b>24 of 24</b>" in page
    assert "All that is wanted is done." in page
    assert "4 documents were given different grades, and wait to be settled." in page
    assert "On 9 documents that at least two people judged." in page
    assert "3 gold documents are left out of agreement, since somebody chose them." in page
    found = DashboardCache(app.state.project).now()
    assert found.agreement.agreed is not None
    assert f"{found.agreement.agreed.overall['kappa'].value:.2f}" in page
    assert "Stop looking: every document of the pool" in page
    assert "<b>6</b>" in page, "two thirds are relevant of what is not gold"


def test_queries_that_ended_and_those_that_nobody_has_are_told(tmp_path: Path) -> None:
    runs = {"x": {f"t{at}": {f"d{doc}": 7 - doc for doc in range(1, 7)} for at in (1, 2)}}
    how = {"method": "mtf", "seed": 0, "limits": {"budget": 2, "target": None, "patience": None}}
    with made_project(tmp_path / "project", settings={"adaptive": how}) as project:
        write_pool(depth_pool(gather(runs), k=6), project.folder / POOL)
        with project.database.writing() as connection:
            connection.execute(update(items).values(position=None))
            connection.execute(delete(assignments).where(assignments.c.query_id == 2))
            Feeder(project).feed(connection, 1)
        app = make_app(project)
        eve = browser(app, "eve")
        page = eve.get("/dashboard").text
        assert "1 query ended, since the budget of documents is used up: t1." in page
        assert '<span class="badge open">Ended: budget</span>' in page
        assert "Last 20</th>" in page
        assert "Nobody has 1 query, t2; assign them to somebody." in page
        assert '<a href="/assignments">Assign queries</a>' in page
        query = eve.get(_dashboard_query_path("t1")).text
        assert "Nothing more is given out: the budget of documents is used up." in query
        assert "4 were not given out before their query ended." in query
        assert "given out yet" not in query
        assert "Go on until it is done: 2 documents are still to be judged" in query
        assert "A further 6 are not given out yet. 4 were not given" in page
        told = eve.get("/api/watching").json()
        assert [one["ended"] for one in told["queries"]] == ["budget", ""]
        assert (told["uncovered"], told["short"]) == (["t2"], [])
        assert eve.get("/api/watching/queries/t1").json()["about"]["ended"] == "budget"


def test_what_two_look_at_is_rendered_once_and_is_of_their_role(app: FastAPI) -> None:
    vic, eve = browser(app, "vic"), browser(app, "eve")
    first = vic.get("/dashboard").text
    assert vic.get("/dashboard").text == first
    assert "/adjudication" not in first, "which viewers may not see"
    assert "Settle disputes" in eve.get("/dashboard").text
    assert vic.get("/dashboard").text == first


def test_names_are_text_and_addresses_hold_them(app: FastAPI) -> None:
    vic = browser(app, "vic")
    page = vic.get("/dashboard").text
    assert "<script>" not in page.replace('<script type="module"', "")
    assert unescape(
        re.findall(r'href="(/dashboard/queries/[^"]+)"', page)[0]
    ) == _dashboard_query_path(EVIL)
    query = vic.get(_dashboard_query_path(EVIL))
    assert query.status_code == 200
    assert "2 people, 3 documents that at least two judged, gold left out." in query.text
    person = vic.get(_dashboard_person_path("bob")).text
    assert "<b>0%</b>" in person, "of the gold documents, which are all 2"
    for path in (
        _dashboard_query_path("t9"),
        _dashboard_person_path("nobody"),
        _dashboard_person_path("vic"),
    ):
        assert vic.get(path).status_code == 404


def test_pages_hold_no_script_and_no_style(app: FastAPI) -> None:
    vic = browser(app, "vic")
    for path in ("/dashboard", _dashboard_query_path("t2"), _dashboard_person_path("ann")):
        page = vic.get(path).text
        assert " style=" not in page
        assert not re.search(r"<script(?![^>]* src=)", page)
        assert all(' role="img" aria-label="' in svg or "aria-hidden" in svg for svg in _svgs(page))


def _svgs(page: str) -> list[str]:
    return re.findall(r"<svg[^>]*>", page)


def test_assessors_do_not_see_it(app: FastAPI) -> None:
    ann = browser(app, "ann")
    for path in (
        "/dashboard",
        _dashboard_query_path("t2"),
        _dashboard_person_path("ann"),
        "/api/watching",
    ):
        assert ann.get(path).status_code == 403


def test_the_call_tells_the_same_with_reasons(app: FastAPI, empty: FastAPI) -> None:
    vic = browser(app, "vic")
    told = vic.get("/api/watching").json()
    assert told["progress"]["share"] == 1.0
    assert told["disputed"] == 4
    assert told["grades"]["counts"] == [8, 12, 4, 0]
    assert told["agreement"]["pairs"][0]["documents"] == 9
    assert (told["agreement"]["documents"], told["agreement"]["gold"]) == (9, 3)
    assert told["models"] == [], "the model has said nothing yet"
    query = vic.get("/api/watching" + _dashboard_query_path(EVIL).removeprefix("/dashboard")).json()
    assert query["about"]["progress"]["done"] == 12
    assert query["agreement"]["judges"] == 2
    person = vic.get("/api/watching/people/bob").json()
    assert person["attention"]["right"] | {"low": 0, "high": 0} == {
        "value": 0.0,
        "low": 0,
        "high": 0,
        "of": 3,
        "why": "",
    }
    nothing = browser(empty, "vic").get("/api/watching").json()
    assert nothing["agreement"]["overall"]["kappa"]["value"] is None
    assert nothing["agreement"]["overall"]["kappa"]["why"].endswith("0 so far")
    assert nothing["recall"]["all"]["decision"] == "open"


def test_charts_have_their_place() -> None:
    facts = made_facts({"ann": {1: 0, 2: 0, 3: 3, 4: 1}})
    parts = _shares(count_grades(facts.human, facts.scale), facts.scale)
    assert [(part.start, part.length) for part in parts] == [(0, 50), (50, 25), (75, 0), (75, 25)]
    chart = _bars(Pace(0.0, 3600.0, (1, 0, 4)))
    assert chart is not None
    assert [bar.height for bar in chart.bars] == [25, 0, 100]
    assert [bar.x for bar in chart.bars] == [455, 505, 555], "a narrow bar an hour, at the end"
    assert (chart.start, chart.end) == ("1969-12-31 15:00", "1970-01-01 03:00")
    assert chart.label == (
        "Judgments in each hour, from 1970-01-01 00:00 to 1970-01-01 03:00 UTC: 5 in all, "
        "4 at most in one"
    )
    mark = _whisker(Measurement(1.0, 0.4, 1.0))
    assert mark is not None
    assert (mark.low, mark.at) == (50, 100)
    assert _whisker(Measurement(0.5)) is None


QUERIES, DOCUMENTS = ("t1", "t2", "t3"), tuple(f"d{number}" for number in range(1, 9))
ALL = list(product(QUERIES, DOCUMENTS))


def ranked(*queries: str, first: int = 0) -> dict[str, dict[str, float]]:
    """A run that returns some documents, for some queries."""
    turned = (*DOCUMENTS[first:], *DOCUMENTS[:first])
    return {query: {doc: -at for at, doc in enumerate(turned[:5])} for query in queries}


LAST_ALONE = "a run of the last query alone"
POOLS = {
    "no run": {},
    "one run": {"x": ranked(*QUERIES)},
    "two runs": {"x": ranked(*QUERIES), "y": ranked(*QUERIES, first=3)},
    "the same run twice": {"x": ranked(*QUERIES), "y": ranked(*QUERIES)},
    LAST_ALONE: {
        "x": ranked(*QUERIES), "y": ranked(*QUERIES, first=3), "z": ranked("t3")
    },
    "one run of all queries, one of the last": {"x": ranked(*QUERIES), "z": ranked("t3")},
    "a query each": {"x": ranked("t1"), "y": ranked("t2"), "z": ranked("t3")},
}  # fmt: skip
STATES = {
    "nothing is judged": {},
    "one grade": {"ann": {ALL[0]: 2}},
    "one judge, one query": {"ann": dict.fromkeys(ALL[:8], 2)},
    "one judge, two queries": {"ann": {key: at % 4 for at, key in enumerate(ALL[:16])}},
    "nothing is relevant": {"ann": dict.fromkeys(ALL, 0)},
    "all are relevant": {"ann": dict.fromkeys(ALL, 3)},
    "no overlap": {"ann": dict.fromkeys(ALL[:8], 1), "bob": dict.fromkeys(ALL[8:16], 2)},
    "an overlap of four": {"ann": dict.fromkeys(ALL[:8], 1), "bob": dict.fromkeys(ALL[4:12], 2)},
    "all say the same": {"ann": dict.fromkeys(ALL, 2), "bob": dict.fromkeys(ALL, 2)},
    "each says one grade": {"ann": dict.fromkeys(ALL, 1), "bob": dict.fromkeys(ALL, 2)},
    "all is judged": {
        "ann": {key: at % 4 for at, key in enumerate(ALL)},
        "bob": {key: at % 3 for at, key in enumerate(ALL)},
    },
}


KNOWN = ("nothing is judged", "one judge, two queries", "all say the same")
MORE = ("gold", "model", "rulings", "skipped")


@pytest.mark.parametrize(
    ("state", "more"), [*((state, "") for state in STATES), *product(KNOWN, MORE)]
)
def test_every_page_stands_in_every_state(tmp_path: Path, state: str, more: str) -> None:
    folder = tmp_path / "project"
    with made_project(folder, queries=3, documents=8, wanted=2) as project:
        give(project, STATES[state])
        with project.database.writing() as connection:
            if more == "gold":
                connection.execute(update(items).where(items.c.id <= 6).values(gold=2))
            if more == "model":
                add_model(connection, dict.fromkeys(range(1, 20), 3))
            if more == "rulings":
                eve = person_named(connection, "eve").id
                for item in range(1, 7):
                    request = f"a-ruling-{item}"
                    record_ruling(
                        connection,
                        eve,
                        idempotency_key=request,
                        item=item,
                        grade=2,
                        scale=project.scale,
                    )
            if more == "skipped":
                ann = person_named(connection, "ann").id
                for item in range(1, 25):
                    said = JudgmentEvent(f"skipped-{item}", item, "skip", text="not in English")
                    record(connection, ann, said, project.scale)
        for pool, runs in POOLS.items():
            (folder / POOL).unlink(missing_ok=True)
            if runs:
                write_pool(depth_pool(gather(runs), k=5), folder / POOL)
            found = DashboardComputation(project).compute()
            text = str(ProjectStatus("Tests", found, per_query=True, pairs=True))
            assert "nan" not in text.split(), pool
            assert "NaN" not in dashboard_model(found).model_dump_json(), pool
        write_pool(depth_pool(gather(POOLS[LAST_ALONE]), k=5), folder / POOL)
        eve_asks = browser(make_app(project), "eve")
        for page in ("/dashboard", "/api/watching"):
            for part in ("", "/queries/t1", "/queries/t3", "/people/ann", "/people/bob"):
                answer = eve_asks.get(page + part)
                assert answer.status_code == 200, f"{page}{part}: {answer.text}"
        for what in ("qrels", "history", "datasheet", "agreement"):
            answer = eve_asks.get(f"/api/exports/{what}")
            if what == "history" or (STATES[state] and more != "skipped" and what != "agreement"):
                assert answer.status_code == 200, f"{what}: {answer.text}"
            else:  # the file would have nothing in it: a sentence says what it needs
                assert answer.status_code in (200, 400), f"{what}: {answer.text}"


def add_model(connection: Connection, grades: dict[int, int]) -> None:
    """Have a model give these grades."""
    values = {"name": "gpt", "kind": "model", "active": True, "created_at": 0.0}
    person = connection.execute(insert(people).values(**values)).inserted_primary_key[0]
    for item, grade in grades.items():
        key = {"item_id": item, "person_id": person}
        stands = {"grade": grade, "note": "", "flagged": False, "made_at": 1.0}
        event = {"request": f"model-{item}", "kind": "import"}
        made = connection.execute(insert(events).values(**key, **stands, **event))
        made_id = made.inserted_primary_key[0]
        connection.execute(insert(judgments).values(**key, **stands, event_id=made_id))


def test_a_statistic_that_cannot_be_computed_says_not_yet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise InputError("too little is known")

    with made_project(tmp_path / "project", queries=3, documents=8, wanted=2) as project:
        give(project, STATES["all is judged"])
        with project.database.writing() as connection:
            add_model(connection, dict.fromkeys(range(1, 20), 3))
        write_pool(depth_pool(gather(POOLS[LAST_ALONE]), k=5), project.folder / POOL)
        for module in ("agreement", "models"):
            monkeypatch.setattr(f"cleverdon.judging.dashboard.{module}.measure_agreement", fails)
        monkeypatch.setattr("cleverdon.judging.dashboard.recall.estimate_recall", fails)
        eve = browser(make_app(project), "eve")
        for path in ("/dashboard", "/dashboard/queries/t1", "/dashboard/people/ann"):
            assert eve.get(path).status_code == 200, path
        found = eve.get("/api/watching").json()
        said = "not yet, since it cannot be computed of the judgments so far (too little is known)"
        assert found["recall"]["coverage"]["recall"]["why"] == said
        assert found["agreement"]["overall"]["kappa"]["why"] == said
        assert found["models"][0]["why"] == said
        assert eve.get("/api/exports/datasheet").status_code == 200
        assert said in str(ProjectStatus("Tests", DashboardComputation(project).compute()))


def test_a_run_without_a_judged_query_is_left_out_for_now(tmp_path: Path) -> None:
    with made_project(tmp_path / "project", queries=3, documents=8, wanted=2) as project:
        give(project, {"ann": dict.fromkeys(ALL[:8], 2)})
        runs = POOLS[LAST_ALONE]
        write_pool(depth_pool(gather(runs), k=5), project.folder / POOL)
        beyond = DashboardComputation(project).compute().coverage
        assert "Left out, since no query of theirs is judged yet: z." in beyond.sentences
        qrels = {"t1": dict.fromkeys(DOCUMENTS, 2.0)}
        alone = estimate_recall(
            qrels, {name: runs[name] for name in ("x", "y")}, depth=5, reusing=False
        )
        assert alone.best is not None
        assert beyond.recall.value == pytest.approx(alone.best.all.recall()[0])
        give(project, {"ann": {("t3", "d1"): 2}})
        later = DashboardComputation(project).compute().coverage
        assert not any("Left out" in sentence for sentence in later.sentences)
        write_pool(
            depth_pool(gather({"x": runs["x"], "z": {"t2": {"d1": 1.0}}}), k=5),
            project.folder / POOL,
        )
        why = DashboardComputation(project).compute().coverage.recall.why
        assert why == "not yet, since it needs two systems with a judged query: 1 so far"

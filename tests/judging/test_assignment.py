"""Queries are dealt out evenly, and what somebody has begun stays theirs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import delete, func, insert, select
from starlette.testclient import TestClient

from cleverdon.judging import assignment
from cleverdon.judging.assignment import Job, _balance_jobs
from cleverdon.judging.errors import Conflict, Invalid, NotFound
from cleverdon.judging.imports.importer import ImportSettings, import_file
from cleverdon.judging.people import administration
from cleverdon.judging.people.accounts import COMMAND_LINE, add_person, audit_lines, person_named
from cleverdon.judging.project import Project
from cleverdon.judging.queue import take_next
from cleverdon.judging.recording import JudgmentEvent, record
from cleverdon.judging.store.schema import assignments, items, leases, people
from cleverdon.judging.web.app import make_app
from cleverdon.judging.workload import Workload, compute_workload
from tests.judging.judged_projects import give
from tests.judging.projects import cookies, made_project


@given(sizes=st.lists(st.integers(1, 200), min_size=1, max_size=40), people=st.integers(1, 8))
def test_nobody_has_more_than_another_by_more_than_a_query(sizes: list[int], people: int) -> None:
    dealt = _balance_jobs(
        [Job(query, size) for query, size in enumerate(sizes)], dict.fromkeys(range(people), 0.0)
    )
    assert sorted(job.query for job, _ in dealt) == [*range(len(sizes))]
    loads = Counter(dict.fromkeys(range(people), 0))
    for job, person in dealt:
        loads[person] += int(job.size)
    assert max(loads.values()) - min(loads.values()) <= max(sizes)


@given(
    queries=st.lists(
        st.integers(1, 100).flatmap(lambda size: st.tuples(st.just(size), st.integers(1, size))),
        min_size=1,
        max_size=30,
    ),
    people=st.integers(2, 8),
)
def test_a_second_opinion_is_another_persons(queries: list[tuple[int, int]], people: int) -> None:
    jobs = [
        Job(query, size, part)
        for query, sizes in enumerate(queries)
        for size, part in zip(sizes, ("all", "overlap"), strict=True)
    ]
    dealt = _balance_jobs(jobs, dict.fromkeys(range(people), 0.0))
    assert len(dealt) == len(jobs)
    assert len({(job.query, person) for job, person in dealt}) == len(jobs)
    loads = Counter(dict.fromkeys(range(people), 0))
    for job, person in dealt:
        loads[person] += int(job.size)
    assert max(loads.values()) - min(loads.values()) <= 2 * max(size for size, _ in queries)


def test_what_people_have_counts() -> None:
    dealt = _balance_jobs([Job(1, 5), Job(2, 4)], {1: 20.0, 2: 0.0}, holders={1: [2]})
    assert {job.query: person for job, person in dealt} == {1: 1, 2: 2}
    assert _balance_jobs([Job(1, 5, "overlap")], {1: 0.0}, holders={1: [1]}) == []


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Project]:
    """Five queries, nobody on any of them."""
    with made_project(tmp_path / "project", queries=5) as project:
        with project.database.writing() as connection:
            connection.execute(delete(assignments))
        yield project


def _deal(project: Project, *names: str, **how: object) -> Workload:
    with project.database.writing() as connection:
        among = [person_named(connection, name) for name in names]
        among = among or assignment.active_assessors(connection)
        assignment.distribute_queries(connection, COMMAND_LINE, among, **how)  # type: ignore[arg-type]
        return compute_workload(connection)


def _who(work: Workload) -> dict[str, list[str]]:
    return {
        query.name: [f"{each.name}:{each.part}" for each in query.people] for query in work.queries
    }


def _grade(project: Project, person: str, query: int) -> int:
    with project.database.writing() as connection:
        who = person_named(connection, person).id
        (item,) = take_next(connection, who, query=query)
        said = JudgmentEvent(f"request-{item}", item, "grade", grade=1)
        record(connection, who, said, project.scale)
    return item


def test_queries_are_dealt_out_and_dealt_again(team: Project) -> None:
    with team.database.reading() as connection:
        assert len(compute_workload(connection).uncovered) == 5
    work = _deal(team)
    assert not work.uncovered
    assert sorted(each.left for each in work.people) == [12, 18], "six documents a query"
    assert _who(_deal(team)) == _who(work), "nothing is left to deal"
    query = next(each for each in work.queries if each.people[0].name == "ann")
    _grade(team, "ann", query.query)
    with team.database.writing() as connection:
        add_person(connection, "cid", "assessor")
    again = _deal(team, anew=True)
    assert _who(again)[query.name] == ["ann:all"], "it is begun, and stays"
    left = {each.name: each.left for each in again.people}
    assert sum(left.values()) == 29
    assert max(left.values()) - min(left.values()) <= 6
    assert left["cid"] > 0


def test_who_has_gone_is_replaced_and_the_work_stays(team: Project) -> None:
    _deal(team, "ann")
    _grade(team, "ann", 1)
    with team.database.writing() as connection:
        ann = person_named(connection, "ann").id
        connection.execute(people.update().where(people.c.id == ann).values(active=False))
        assert len(compute_workload(connection).uncovered) == 5
    work = _deal(team)
    assert _who(work)["t1"] == ["ann:all", "bob:all"]
    assert not work.uncovered
    bob = next(each for each in work.people if each.name == "bob")
    assert bob.left == 29, "what ann judged is done"


def test_an_overlap_brings_a_second_person(team: Project) -> None:
    with team.database.writing() as connection:
        assert assignment.set_overlap(connection, COMMAND_LINE, "2") == 10
        wanted = select(items.c.query_id, func.count()).where(items.c.wanted == 2)
        assert {count for _, count in connection.execute(wanted.group_by(items.c.query_id))} == {2}
    alone = _deal(team, "ann")
    assert len(alone.short) == 5, "nobody is there for a second opinion"
    work = _deal(team)
    assert all(sorted(who) == ["ann:all", "bob:overlap"] for who in _who(work).values())
    assert not work.short
    with team.database.writing() as connection:
        assert len(take_next(connection, person_named(connection, "bob").id, query=1, n=9)) == 2
    by_document = _deal(team, by="document", anew=True)
    assert all(who == ["ann:all", "bob:all"] for who in _who(by_document).values())
    left = [each.left for each in by_document.people]
    assert left == [20, 20], "of six documents a query, two are judged twice: eight for two people"


def test_what_is_left_is_what_each_will_get(team: Project) -> None:
    with team.database.writing() as connection:
        assignment.set_overlap(connection, COMMAND_LINE, "2")
        connection.execute(items.update().where(items.c.position == 0).values(gold=1, wanted=1))
    work = _deal(team, "ann")
    work = _deal(team, "bob")
    for person, query in (("bob", 1), ("bob", 1), ("ann", 1), ("bob", 2)):
        _grade(team, person, query)
    with team.database.writing() as connection:
        work = compute_workload(connection)
        for each in work.people:
            to_come = len(take_next(connection, each.person, n=99))
            assert each.left == to_come, f"{each.name}, of overlaps and gold"


def test_nobody_new_is_put_on_what_is_finished(tmp_path: Path) -> None:
    with made_project(tmp_path / "project", queries=2, wanted=2) as project:
        keys = [(query, f"d{number}") for query in ("t1", "t2") for number in range(1, 7)]
        give(project, {"ann": dict.fromkeys(keys, 1), "bob": dict.fromkeys(keys[:11], 1)})
        with project.database.writing() as connection:
            add_person(connection, "cid", "assessor")
            administration.set_active(connection, COMMAND_LINE, 2, active=False)
            assert [query.name for query in compute_workload(connection).short] == ["t2"]
        who = _who(_deal(project))
        assert who["t1"] == ["ann:all", "bob:all"], "twelve of twelve are done"
        assert who["t2"] == ["ann:all", "bob:all", "cid:overlap"]


def test_a_budget_is_of_the_pool_and_not_of_what_imports_add(tmp_path: Path) -> None:
    how = {"method": "mtf", "seed": 0, "limits": {"budget": 2, "target": None, "patience": None}}
    settings = {"adaptive": how}
    with made_project(tmp_path / "project", queries=1, wanted=2, settings=settings) as project:
        file = tmp_path / "more.qrels"
        file.write_text("t1 0 new1 1\nt1 0 new2 1\nt1 0 new3 1\n")
        import_file(project, str(file), ImportSettings(add=True), actor=COMMAND_LINE)
        with project.database.writing() as connection:
            (query,) = compute_workload(connection).queries
            assert (query.documents, query.needed) == (5, (5, 2)), "one person judges what is added"
        give(project, {"ann": {("t1", f"d{number}"): 1 for number in (1, 2)}})
        with project.database.writing() as connection:
            connection.execute(delete(assignments))
            work = compute_workload(connection)
        assert [query.name for query in work.uncovered] == ["t1"], "three are left"


def test_by_hand(team: Project) -> None:
    with team.database.writing() as connection:
        ann, vic = (person_named(connection, name) for name in ("ann", "vic"))
        for change in (
            lambda: assignment.assign_query(connection, COMMAND_LINE, "t2", ann, "overlap"),
            lambda: assignment.unassign_query(connection, COMMAND_LINE, "t2", ann),
        ):
            assignment.assign_query(connection, COMMAND_LINE, "t2", ann)
            take_next(connection, ann.id)
            assert connection.execute(select(func.count()).select_from(leases)).scalar() == 1
            change()
            assert connection.execute(select(func.count()).select_from(leases)).scalar() == 0
        with pytest.raises(NotFound, match="ann is not on query 't2'"):
            assignment.unassign_query(connection, COMMAND_LINE, "t2", ann)
        with pytest.raises(NotFound, match="no query 't22'; did you mean"):
            assignment.assign_query(connection, COMMAND_LINE, "t22", ann)
        with pytest.raises(Invalid, match="vic is a viewer"):
            assignment.assign_query(connection, COMMAND_LINE, "t2", vic)
        with pytest.raises(Conflict, match="no assessors to assign queries to"):
            assignment.distribute_queries(connection, COMMAND_LINE, [])
        said = [line.action for line in audit_lines(connection, n=2)]
    assert said == ["took a query away", "assigned a query"]


def _client(project: Project, name: str) -> TestClient:
    client = TestClient(make_app(project), cookies=cookies(project, name))
    client.follow_redirects = False
    return client


def _token(client: TestClient) -> str:
    from cleverdon.judging.web.authorization import csrf_token

    return csrf_token(next(iter(client.cookies.values())))


def test_the_calls(team: Project) -> None:
    client = _client(team, "eve")
    head = {"x-csrf-token": _token(client)}
    assert len(client.get("/api/assignments").json()["uncovered"]) == 5
    dealt = client.post("/api/assignments/deal", json={}, headers=head).json()
    assert dealt["uncovered"] == []
    eve = client.post(
        "/api/assignments", json={"query": "t1", "person": 3, "part": "overlap"}, headers=head
    ).json()
    assert "eve" in [each["name"] for each in eve["queries"][0]["people"]]
    gone = client.post("/api/assignments/remove", json={"query": "t1", "person": 3}, headers=head)
    assert "eve" not in [each["name"] for each in gone.json()["queries"][0]["people"]]
    anew = {"by": "document", "people": [1, 2]}
    shared = client.post("/api/assignments/rebalance", json=anew, headers=head).json()
    assert {each["queries"] for each in shared["people"]} == {5}
    for overlap, status in [("0.5", 200), ("lots", 422)]:
        answer = client.post("/api/assignments/overlap", json={"overlap": overlap}, headers=head)
        assert answer.status_code == status
    nobody = client.post("/api/assignments", json={"query": "t1", "person": 99}, headers=head)
    assert nobody.status_code == 404
    assert client.get("/api/project").json()["counts"]["items"] == 30
    ann = _client(team, "ann")
    assert ann.get("/api/assignments").status_code == 403
    about = ann.get("/api/project").json()
    assert (about["counts"], about["scale"]["relevant"]) == (None, 1)


def test_the_page(team: Project) -> None:
    client = _client(team, "eve")
    page = client.get("/assignments").text
    assert "Nobody has 5 of 5 queries" in page
    form = {"csrf": _token(client)}
    answer = client.post("/assignments/deal", data={**form, "by": "query"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/assignments")
    assert "Nobody has" not in client.get("/assignments").text
    client.post("/assignments/remove", data={**form, "query": "t1", "person": "1"})
    client.post("/assignments/remove", data={**form, "query": "t1", "person": "2"})
    lacking = client.get("/assignments", params={"lacking": "true"}).text
    assert lacking.count('action="/assignments/add"') == 1, "the one query that nobody has"
    wanted = {**form, "query": "t1", "person": "3", "lacking": "true"}
    answer = client.post("/assignments/add", data=wanted)
    assert answer.headers["location"] == "/assignments?lacking=true#query-1"
    client.post("/assignments/overlap", data={**form, "overlap": "50%"})
    page = client.get("/assignments").text
    assert "eve" in page
    assert "too few people" in page
    assert 'value="0.5"' in page
    with team.database.writing() as connection:
        connection.execute(delete(assignments))
        connection.execute(insert(assignments).values(query_id=1, person_id=2))
    assert "Assign queries" in client.get("/queries").text, "administrators are told what to do"

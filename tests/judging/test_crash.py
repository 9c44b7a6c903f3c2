"""Servers are killed while people judge: what was acknowledged is there, once."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import func, select, text

from cleverdon.judging.project import Project, open_project
from cleverdon.judging.store.schema import events, judgments, people
from tests import postgres
from tests.judging.crowd import AT_ONCE, Crowd
from tests.judging.projects import made_project
from tests.judging.served import headers, serving

ASSESSORS = [f"assessor{number}" for number in range(20)]
SEED = int(os.environ.get("CLEVERDON_FUZZ_SEED", "1"))

# The full test takes a minute and a half: `make fuzz` has the time.
FULL = os.environ.get("HYPOTHESIS_PROFILE") == "fuzz"
JUDGMENTS, KILLS = (10_000, 20) if FULL else (300, 3)


def judged_by_all(folder: Path, count: int, *, database: str | None = None) -> Project:
    """A project with so much to judge, each document once."""
    roles = dict.fromkeys(ASSESSORS, "assessor")
    queries = 4
    each = (count + AT_ONCE * len(ASSESSORS)) // queries + 1  # all have some on their screens
    return made_project(folder, queries=queries, documents=each, people=roles, database=database)


def check_all_is_there(project: Project, crowd: Crowd) -> None:
    """Each acknowledged judgment is there once, with its grade, and no other is."""
    assert len(crowd.acknowledged) == crowd.judgments
    with project.database.reading() as connection:
        kept = connection.execute(
            select(people.c.name, events.c.request, events.c.item_id, events.c.grade).join(
                people, people.c.id == events.c.person_id
            )
        ).all()
        assert len(kept) == crowd.judgments
        assert {(row[0], row[1]): (row[2], row[3]) for row in kept} == crowd.acknowledged
        standing = connection.execute(
            select(people.c.name, events.c.request, judgments.c.item_id, judgments.c.grade)
            .join(people, people.c.id == judgments.c.person_id)
            .join(events, events.c.id == judgments.c.event_id)
        ).all()
        assert sorted(standing) == sorted(kept)
        items = connection.execute(select(func.count(judgments.c.item_id.distinct()))).scalar()
        assert items == crowd.judgments, "nobody got what another had on the screen"


def test_killed_servers_lose_nothing(tmp_path: Path) -> None:
    with judged_by_all(tmp_path / "project", JUDGMENTS) as project:
        signed_in = {name: headers(project, name) for name in ASSESSORS}
    chance = random.Random(SEED)
    with serving(tmp_path / "project") as served:
        crowd = Crowd(served, JUDGMENTS, SEED)

        async def kill_again_and_again() -> None:
            for moment in sorted(chance.sample(range(JUDGMENTS), KILLS)):
                await crowd.until(moment)
                await asyncio.sleep(chance.uniform(0, 0.02))
                served.kill()
                await asyncio.to_thread(served.start)

        asyncio.run(crowd.judge(signed_in, meanwhile=kill_again_and_again))
        served.kill()
    assert crowd.again >= KILLS
    assert not crowd.said, "a server that is killed says nothing, and one that is not has no reason"
    with open_project(tmp_path / "project") as project:
        check_all_is_there(project, crowd)
        with project.database.reading() as connection:
            assert connection.execute(text("PRAGMA integrity_check")).scalars().all() == ["ok"]


@pytest.fixture(scope="module")
def database() -> Iterator[Path]:
    """Where a PostgreSQL server is that may be stopped."""
    with postgres.server() as host:
        yield host


def test_a_lost_postgresql_server_loses_nothing(tmp_path: Path, database: Path) -> None:
    count = 200
    with judged_by_all(tmp_path / "project", count, database=postgres.url(database)) as project:
        signed_in = {name: headers(project, name) for name in ASSESSORS}
    with serving(tmp_path / "project") as served:
        crowd = Crowd(served, count, SEED)

        async def disturb() -> None:
            await crowd.until(count // 5)
            served.kill()
            await asyncio.to_thread(served.start)
            for turn in (2, 3):
                await crowd.until(turn * count // 5)
                with psycopg.connect(postgres.url(database)) as other:
                    other.execute(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                        "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
                    )
            crowd.held_at = 4 * count // 5  # so that some are left for a database that is gone
            await crowd.until(crowd.held_at)
            with postgres.stopped(database):
                crowd.held_at = None
                await crowd.until_it_fails()

        asyncio.run(crowd.judge(signed_in, meanwhile=disturb))
    assert {status for status, _ in crowd.said} == {503}
    assert all("nothing was changed" in said for _, said in crowd.said)
    with open_project(tmp_path / "project") as project:
        check_all_is_there(project, crowd)

"""The judging app: 100 assessors, each with a judgment a second, against a server on SQLite.

The server is `cleverdon judge serve` in a process of its own, on a project on the disk: each
judgment is written there before it is answered. It is an open loop: a judgment has its time,
whether or not those of others were answered, and its response time runs from then on. Documents
are fetched ahead, as the page does it.
"""

from __future__ import annotations

import asyncio
import random
import re
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import PIPE, Popen
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.measure import ROOT
from benchmarks.progress import say
from benchmarks.report import Fact

if TYPE_CHECKING:
    from aiohttp import ClientSession

ASSESSORS = 100
QUERIES, DOCUMENTS, WORDS = 50, 400, 300
QUERIES_EACH = 2
"""How many queries an assessor is given: four people share each."""
AHEAD, LOW = 5, 2
"""How many documents the page fetches at once, and at how few that are left."""
WARM_UP = 3.0
"""Seconds of the same before those that count."""
MOST = 50
"""Milliseconds below which the p99 of judgments is to stay."""
TITLE = f"The judging app on SQLite: {ASSESSORS} assessors, a judgment a second each"


def run_judge(*, seconds: float) -> list[Fact]:
    """Let them judge for so long."""
    say("task judge")
    with TemporaryDirectory() as folder:
        say(f"  a project of {QUERIES} queries x {DOCUMENTS} documents")
        people = _made(Path(folder) / "project")
        with _serving(Path(folder) / "project") as (url, process):
            say(f"  {len(people)} judgments a second, for {seconds:.0f} seconds")
            load = Load(url)
            before = _cpu(process), time.perf_counter()
            asyncio.run(load.run(people, seconds))
            share = (_cpu(process) - before[0]) / (time.perf_counter() - before[1])
    due = int(ASSESSORS * seconds)
    what = f"judgments, of {due:,} that were due"
    if load.failures:
        note = f"FAILED: {len(load.failures)} requests, such as: {load.failures[0]}"
        return [Fact(what=what, value=len(load.judgments), unit="", note=note)]
    return [
        Fact(what=what, value=len(load.judgments), unit=""),
        *_percentiles("a judgment is acknowledged", load.judgments, most=MOST),
        *_percentiles("documents are fetched ahead", load.documents),
        Fact(what="the server, of a core", value=100 * share, unit="%"),
        Fact(what="a sync of the disk, median", value=_sync(), unit="ms"),
    ]


def _percentiles(what: str, seconds: list[float], *, most: float | None = None) -> list[Fact]:
    found = 1000 * np.quantile(seconds, [0.5, 0.95, 0.99, 1.0])
    return [
        Fact(
            what=f"{what}, {name}", value=float(ms), unit="ms", most=most if name == "p99" else None
        )
        for name, ms in zip(("p50", "p95", "p99", "max"), found, strict=True)
    ]


@dataclass
class Load:
    """What assessors sent, and how long it took: seconds of each request."""

    url: str
    judgments: list[float] = field(default_factory=list)
    documents: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    async def run(self, people: Mapping[str, Mapping[str, str]], seconds: float) -> None:
        """Judge until the time is up."""
        begin = time.perf_counter() + 1.0
        async with asyncio.TaskGroup() as group:
            for place, (name, headers) in enumerate(people.items()):
                group.create_task(self._judges(name, headers, begin + place / len(people), seconds))

    async def _judges(
        self, name: str, headers: Mapping[str, str], begin: float, seconds: float
    ) -> None:
        import aiohttp

        chance = random.Random(name)
        async with aiohttp.ClientSession(self.url, headers=headers) as client:
            query = (await self._ask(client, "/api/queries"))["queries"][0]["query"]
            at_hand: list[int] = []
            for turn in range(int(WARM_UP + seconds)):
                due = begin + turn
                await asyncio.sleep(max(0.0, due - time.perf_counter()))
                if turn:
                    said = {
                        "request": f"{name}-{turn:06}",
                        "item": at_hand.pop(0),
                        "kind": "grade",
                        "grade": chance.randrange(4),
                        "seconds": 1.0,
                    }
                    await self._ask(client, "/api/judgments", said)
                    if turn >= WARM_UP:
                        self.judgments.append(time.perf_counter() - due)
                if len(at_hand) <= LOW:
                    began = time.perf_counter()
                    # At first differently many, so that not all fetch in the same second.
                    count = AHEAD if turn else LOW + chance.randint(1, AHEAD)
                    asked = {"query": query, "n": count, "without": at_hand, "parts": False}
                    told = await self._ask(client, "/api/next", asked)
                    at_hand += [each["item"] for each in told["items"]]
                    if turn >= WARM_UP:
                        self.documents.append(time.perf_counter() - began)

    async def _ask(
        self, client: ClientSession, path: str, asked: Mapping[str, Any] | None = None
    ) -> Any:
        method = "GET" if asked is None else "POST"
        async with client.request(method, path, json=asked) as answer:
            told = await answer.json()
            if answer.status != 200:
                self.failures.append(f"{path}: {answer.status} {told}")
            return told


def _made(folder: Path) -> dict[str, dict[str, str]]:
    """A project, and what the browser of each of its assessors sends."""
    from sqlalchemy import insert

    from cleverdon.judging.contents import Document, Item, Query, fill_database
    from cleverdon.judging.people.accounts import add_person
    from cleverdon.judging.people.sessions import _new_session
    from cleverdon.judging.project import new_project
    from cleverdon.judging.scale import _parse_scale
    from cleverdon.judging.store.schema import assignments
    from cleverdon.judging.web.authorization import CSRF_HEADER, cookie_name, csrf_token

    chance = random.Random(1967)
    words = [f"word{number}" for number in range(2_000)]
    keys = {}
    with new_project(folder) as (project, connection):
        fill_database(
            connection,
            title="Benchmark",
            scale=_parse_scale("0..3"),
            queries=[Query(f"t{t}", " ".join(chance.choices(words, k=4))) for t in range(QUERIES)],
            documents=[
                Document(f"d{d}", f"Document {d}", " ".join(chance.choices(words, k=WORDS)))
                for d in range(QUERIES * DOCUMENTS)
            ],
            items=[
                Item(f"t{t}", f"d{t * DOCUMENTS + place}", place)
                for t in range(QUERIES)
                for place in range(DOCUMENTS)
            ],
            settings={"seed": 0},
        )
        for number in range(ASSESSORS):
            person = add_person(connection, f"assessor{number}", "assessor").id
            rows = [
                {"query_id": (number * QUERIES_EACH + each) % QUERIES + 1, "person_id": person}
                for each in range(QUERIES_EACH)
            ]
            connection.execute(insert(assignments), rows)
            keys[f"assessor{number}"] = _new_session(connection, person)
    with project:
        cookie = cookie_name(project)
    return {
        name: {"Cookie": f"{cookie}={key}", CSRF_HEADER: csrf_token(key)}
        for name, key in keys.items()
    }


@contextmanager
def _serving(folder: Path) -> Iterator[tuple[str, int]]:
    """The address and the process of a server."""
    command = [str(Path(sys.executable).parent / "cleverdon"), "judge", "serve", str(folder)]
    with Popen([*command, "--port", "0"], cwd=ROOT, stdout=PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            found = None
            while found is None:
                line = process.stdout.readline()
                assert line, "the server did not start"
                found = re.search(r"http://[\d.]+:\d+", line)
            yield found[0], process.pid
        finally:
            process.terminate()
            process.wait(timeout=30)


def _cpu(process: int) -> float:
    """Seconds of processor time that a process took, by its user and by the system."""
    import psutil

    taken = psutil.Process(process).cpu_times()
    return float(taken.user + taken.system)


def _sync() -> float:
    """Milliseconds until four kilobytes are on the disk, where the project was too."""
    import os
    from statistics import median
    from tempfile import TemporaryFile

    took = []
    with TemporaryFile() as file:
        for _ in range(50):
            began = time.perf_counter()
            file.write(bytes(4096))
            file.flush()
            os.fsync(file.fileno())
            took.append(time.perf_counter() - began)
    return 1000 * median(took)

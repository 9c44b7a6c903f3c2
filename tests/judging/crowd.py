"""Assessors who judge all at once, and send again what was not acknowledged."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from tests.judging.served import Served

AT_ONCE = 10
"""Documents that are asked for at once, as a browser does ahead of time."""

_WAIT = 0.02
"""Seconds until a request that failed is sent again."""


@dataclass
class Crowd:
    """What a crowd of assessors was told, and by what it was stopped."""

    served: Served
    judgments: int
    seed: int
    acknowledged: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    """The item and the grade, by name and request."""
    sent: int = 0  # judgments, each once
    held_at: int | None = None  # so many judgments: no more are sent for now
    again: int = 0  # requests that failed and were sent again
    repeated: int = 0  # of which so many had been recorded before
    said: set[tuple[int, str]] = field(default_factory=set)  # statuses and messages of failures

    async def judge(
        self, people: Mapping[str, Mapping[str, str]], *, meanwhile: Callable[[], Awaitable[None]]
    ) -> None:
        """Let all of them judge until so many judgments are acknowledged."""
        async with asyncio.TaskGroup() as group:
            for name, headers in people.items():
                group.create_task(self._judges(name, headers))
            group.create_task(meanwhile())

    async def until(self, count: int) -> None:
        """Wait until so many judgments were sent."""
        while self.sent < min(count, self.judgments):
            await asyncio.sleep(0.001)

    async def until_it_fails(self) -> None:
        """Wait until a request has failed from now on."""
        before = self.again
        while self.again == before:
            await asyncio.sleep(0.001)

    async def _judges(self, name: str, headers: Mapping[str, str]) -> None:
        chance = random.Random(f"{self.seed} {name}")
        async with aiohttp.ClientSession(self.served.url, headers=headers) as client:
            while self.sent < self.judgments:
                asked = {"query": None, "n": AT_ONCE, "without": [], "parts": False}
                items = (await self._told(client, "/api/next", asked))["items"]
                assert items, "there is enough for all"
                for item in items:
                    while self.held_at is not None and self.sent >= self.held_at:
                        await asyncio.sleep(0.001)
                    if self.sent == self.judgments:
                        break
                    self.sent += 1
                    await self._says(client, name, item["item"], chance)

    async def _says(
        self, client: aiohttp.ClientSession, name: str, item: int, chance: random.Random
    ) -> None:
        request, grade = f"{chance.getrandbits(64):016x}", chance.randrange(4)
        said = {"request": request, "item": item, "kind": "grade", "grade": grade, "seconds": 1.5}
        told = await self._told(client, "/api/judgments", said)
        assert told["standing"]["grade"] == grade
        self.repeated += told["repeated"]
        self.acknowledged[name, request] = (item, grade)

    async def _told(self, client: aiohttp.ClientSession, path: str, asked: Any) -> Any:
        """What the server answers, sooner or later."""
        while True:
            try:
                async with client.post(path, json=asked) as answer:
                    told = await answer.json()
                    if answer.status == 200:
                        return told
                    self.said.add((answer.status, told["error"]))
                    assert answer.status == 503, told
            except (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError):
                pass  # it was killed, before or while it answered
            self.again += 1
            await asyncio.sleep(_WAIT)

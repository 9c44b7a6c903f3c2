"""The load generator: how many requests a second it sends on time, beside one that uses httpx.

Requests arrive at random (a Poisson process), each as a task of its own, and go to a minimal server
in another process, which answers at once. Senders differ in their client alone: the loop is the
same. A sender that does not keep up with a rate is not given a higher one.

    python -m benchmarks.engine TOOL RATE SECONDS URL
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.measure import ToolError, fresh_process
from benchmarks.peers import Peer
from benchmarks.progress import say
from tools.latency_server import serving

if TYPE_CHECKING:
    from cleverdon.engines.protocol import Engine

PEERS = (Peer(name="cleverdon"), Peer(name="httpx", module="httpx"))
RATES = (250, 500, 1000, 2000, 3000, 4000)
TARGET = 2000
"""Requests a second that are to be reached, ..."""
MOST_LAG = 0.025
"""...99% of them no later than this many seconds after their time, ..."""
REACHED = 0.98
"""...and at no less than this share of the rate."""
MOST_ROUNDS = 3
TITLE = "Open loop against a server in another process"


@dataclass(frozen=True, kw_only=True)
class Sent:
    """What a sender made of one rate: medians of the rounds."""

    tool: str
    rate: int
    reached: float | None = None  # the share of the rate
    lag: Mapping[str, float] | None = None
    response: float | None = None  # p99, from the intended time on
    cpu: float | None = None  # share of one core
    ratio: float | None = None  # processor time of a request beside Cleverdon's
    rounds: int = 0
    note: str = ""

    @property
    def kept_up(self) -> bool | None:
        """Whether requests went out at their times."""
        if self.reached is None or self.lag is None:
            return None
        return self.reached >= REACHED and self.lag["p99"] < MOST_LAG

    @property
    def target(self) -> str:
        aimed = self.tool == PEERS[0].name and self.rate == TARGET
        return f"lag p99 < {MOST_LAG * 1000:.0f} ms" if aimed else ""

    @property
    def wrong(self) -> bool:
        return self.note.startswith("FAILED")


def run_engine(*, seconds: float, rounds: int) -> list[Sent]:
    """Let each sender try one rate after the other, until it cannot keep up."""
    say("task engine")
    found: list[Sent] = []
    with serving() as url:
        for peer in PEERS:
            if reason := peer.missing():
                found.append(Sent(tool=peer.name, rate=RATES[0], note=reason))
                continue
            for rate in RATES:
                say(f"  {peer.name}: {rate:,} requests a second")
                found.append(_sent(peer.name, rate, seconds, url, min(rounds, MOST_ROUNDS)))
                aimed = peer is PEERS[0] and rate < TARGET
                if not found[-1].kept_up and not aimed:
                    break
    own = {sent.rate: sent.cpu for sent in found if sent.tool == PEERS[0].name}
    return [
        replace(sent, ratio=sent.cpu / beside)
        if sent.cpu and (beside := own.get(sent.rate)) and sent.tool != PEERS[0].name
        else sent
        for sent in found
    ]


def _sent(tool: str, rate: int, seconds: float, url: str, rounds: int) -> Sent:
    command = [sys.executable, "-m", "benchmarks.engine", tool, str(rate), str(seconds), url]
    try:
        told = [json.loads(fresh_process(command, watch=False).output) for _ in range(rounds)]
    except ToolError as failure:
        return Sent(tool=tool, rate=rate, note=f"FAILED: {failure}")
    failed = sum(round["failed"] for round in told)
    sent = Sent(
        tool=tool,
        rate=rate,
        reached=median(round["reached"] for round in told),
        lag={name: median(round["lag"][name] for round in told) for name in told[0]["lag"]},
        response=median(round["response"] for round in told),
        cpu=median(round["cpu"] for round in told),
        rounds=rounds,
    )
    if not failed:
        return sent
    # Of a sender that is given more than it can send, requests time out: that is no defect.
    return replace(sent, note=f"{'FAILED: ' * bool(sent.kept_up)}{failed} requests failed")


def _measured(engine: Engine, rate: int, seconds: float) -> dict[str, Any]:
    import numpy as np

    from cleverdon.engines.load.sender import load
    from cleverdon.engines.load.workload import Mix, OpenLoop

    mix = Mix.of([f"query number {number}" for number in range(100)])
    found = load(engine, mix, OpenLoop(rate, seed=1967), seconds=seconds, warmup=1.0)
    return {
        "reached": float((found.sent <= seconds).mean()),
        "lag": dict(found.generator.lag),
        "response": float(np.quantile(found.response, 0.99)) if len(found.response) else None,
        "cpu": found.generator.cpu,
        "failed": sum(found.errors().values()),
    }


def _of_cleverdon(url: str) -> Engine:
    from cleverdon.engines.adapters.http import Http

    path = "/fixed/0?q={query}&k={k}"
    return Http(url=url + path, ids="$.hits[*].id", scores="$.hits[*].score")


def _of_httpx(url: str) -> Engine:
    import httpx  # type: ignore[import-not-found, unused-ignore]

    from cleverdon.engines.protocol import Engine, Results

    class Httpx(Engine):
        async def __aenter__(self) -> Httpx:
            limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
            self._client = httpx.AsyncClient(limits=limits, timeout=10.0)
            return self

        async def __aexit__(self, *exception: object) -> None:
            await self._client.aclose()

        async def search(self, query: str, k: int) -> Results:
            answer = await self._client.get(f"{url}/fixed/0", params={"q": query, "k": k})
            return [(hit["id"], hit["score"]) for hit in answer.json()["hits"]]

    return Httpx()


_TOOLS = {"cleverdon": _of_cleverdon, "httpx": _of_httpx}

if __name__ == "__main__":
    tool, rate, seconds, url = sys.argv[1:]
    print(json.dumps(_measured(_TOOLS[tool](url), int(rate), float(seconds))))

"""A server whose response times are known: what is measured is what was injected.

The stall lasts 2 of 4 seconds. Requests that arrive at a constant rate while it lasts wait for its
end, so that half of all response times are uniform between 0 and 2 seconds, and a share p of them
stays within 2 - 4 (1 - p) seconds. A client that waits for its answer before it asks again sees the
whole stall as a single slow request.
"""

import asyncio
from contextlib import AsyncExitStack

import numpy as np
import pytest

from cleverdon.engine.adapters.http import Http
from cleverdon.engine.load.latencies import latencies
from cleverdon.engine.load.mix import Mix
from cleverdon.engine.load.records import ClosedLoop, Load, OpenLoop, Pattern
from cleverdon.engine.load.running import run_load
from cleverdon.engine.looping import run_async
from tools.latency_server import serving

SECONDS, BEGINS, STALL = 4.0, 1.0, 2.0
MARGIN = 0.2
"""Seconds that a busy machine may add to what was injected."""

FAILURES = {
    "connection": "/drop",
    "timeout": "/silent",
    "overloaded": "/status/503",
    "server": "/status/500",
    "refused": "/status/404",
    "malformed": "/malformed",
    "missing": "/missing",
}
LOADS: dict[str, tuple[str, Pattern, float]] = {
    "stall, open": (f"/stall/{BEGINS}/{STALL}/open", OpenLoop(100, "constant"), SECONDS),
    "stall, poisson": (f"/stall/{BEGINS}/{STALL}/poisson", OpenLoop(100, seed=1), SECONDS),
    "stall, closed": (f"/stall/{BEGINS}/{STALL}/closed", ClosedLoop(1), SECONDS),
    "fixed, open": ("/fixed/0.2", OpenLoop(50), SECONDS),
    "fixed, closed": ("/fixed/0.2", ClosedLoop(5), SECONDS),
    "bimodal": ("/bimodal/0.05/0.6/10", OpenLoop(50, "constant"), SECONDS),
    **{kind: (path, OpenLoop(20, "constant"), 0.5) for kind, path in FAILURES.items()},
}


@pytest.fixture(scope="module")
def loads() -> dict[str, Load]:
    """All of them at the same time, each with connections of its own."""

    async def run(url: str) -> dict[str, Load]:
        async with AsyncExitStack() as stack:
            running = []
            for path, pattern, seconds in LOADS.values():
                engine = Http(url=f"{url}{path}?q={{query}}", ids="$.hits[*].id")
                await stack.enter_async_context(engine)
                running.append(
                    run_load(engine, Mix.of(["a query"]), pattern, seconds=seconds, timeout=3.0)
                )
            return dict(zip(LOADS, await asyncio.gather(*running), strict=True))

    for _ in range(4):
        with serving() as url:
            found = run_async(run(url))
        # On a machine that is busy with other things, requests are sent late, as they say.
        if max(load.generator.lag["max"] for load in found.values()) < MARGIN / 2:
            break
    return found


def _after_stall(share: float) -> float:
    return STALL - SECONDS * (1 - share)


@pytest.mark.parametrize("which", ["stall, open", "stall, poisson"])
def test_an_open_loop_sees_the_whole_of_a_stall(loads, which):
    found = latencies(loads[which].response)
    assert loads[which].errors() == {}
    for name, share in (("p90", 0.9), ("p95", 0.95), ("p99", 0.99)):
        # Of arrivals by chance, the share that falls into the stall is off by some hundredths.
        slack = MARGIN if which == "stall, open" else 2 * MARGIN
        assert found[name].value == pytest.approx(_after_stall(share), abs=slack)
    assert found.max == pytest.approx(STALL, abs=MARGIN)
    slow = loads[which].response > MARGIN
    assert slow.mean() == pytest.approx((STALL - MARGIN) / SECONDS, abs=0.1)
    # One stall is one event: where it comes from, nobody knows how long the next one lasts.
    assert not found["p99"].known


def test_a_closed_loop_is_wrong_by_orders_of_magnitude(loads):
    closed = latencies(loads["stall, closed"].response)
    opened = latencies(loads["stall, open"].response)
    assert closed.max == pytest.approx(STALL, abs=MARGIN)  # it was there, once
    assert (loads["stall, closed"].response > STALL / 2).sum() == 1
    assert opened["p99"].value > 15 * closed["p99"].value


def test_a_fixed_time_is_found_as_it_is(loads):
    for which in ("fixed, open", "fixed, closed"):
        found = latencies(loads[which].response)
        assert (loads[which].response >= 0.2).all()
        assert found["p50"].value <= 0.2 + MARGIN
        assert found["p99.99"].value <= 0.2 + 2 * MARGIN
    # Five clients, each of them five times a second at most.
    assert len(loads["fixed, closed"].response) <= 5 * 5 * SECONDS
    assert loads["fixed, closed"].throughput <= 25


def test_two_modes_are_both_found(loads):
    found = latencies(loads["bimodal"].response)
    assert 0.05 <= found["p50"].value <= 0.05 + MARGIN
    assert 0.6 <= found["p95"].value <= 0.6 + MARGIN
    slow = loads["bimodal"].response >= 0.6
    assert slow.mean() == pytest.approx(0.1, abs=0.02)


def test_percentiles_are_those_of_the_times_one_by_one(loads):
    for which in LOADS:
        times = loads[which].response
        if len(times):
            exact = np.quantile(times, 0.99, method="inverted_cdf")
            assert latencies(times)["p99"].value == pytest.approx(exact, rel=1e-3, abs=1e-6)


@pytest.mark.parametrize("kind", FAILURES)
def test_every_kind_of_failure_is_counted(loads, kind):
    assert loads[kind].errors() == {kind: 10}
    assert kind in loads[kind].messages

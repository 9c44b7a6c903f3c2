"""A server whose response times are known: what is measured is what was injected.

The stall lasts 2 of 4 seconds. Requests that arrive at a constant rate while it lasts wait for its
end, so that half of all response times are uniform between 0 and 2 seconds, and a share p of them
stays within 2 - 4 (1 - p) seconds. A client that waits for its answer before it asks again sees the
whole stall as a single slow request.

Client and server speak HTTP over real connections in one event loop, by a clock that does not wait:
however busy the machine is, what is added to the injected times is nothing. Only the last test has
a server in a process of its own and a real clock; a busy machine can but make its times longer.
"""

import asyncio
from contextlib import AsyncExitStack

import numpy as np
import pytest

from cleverdon.engines.adapters.http import Http
from cleverdon.engines.client import run_async
from cleverdon.engines.load.results import Load, latencies
from cleverdon.engines.load.sender import load, run_load
from cleverdon.engines.load.workload import ClosedLoop, Mix, OpenLoop, Pattern
from tests.engines.load.fake_clock import use_made_time
from tools.latency_server import serving, started

SECONDS, USUAL, BEGINS, STALL = 4.0, 0.005, 1.0, 2.0
EXACT = 0.001
STALLS = f"/stall/{USUAL}/{BEGINS}/{STALL}"
MIX = Mix.of(["a query"])

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
    "stall, open": (f"{STALLS}/open", OpenLoop(100, "constant"), SECONDS),
    "stall, poisson": (f"{STALLS}/poisson", OpenLoop(100, seed=1), SECONDS),
    "stall, closed": (f"{STALLS}/closed", ClosedLoop(1), SECONDS),
    "fixed, open": ("/fixed/0.2", OpenLoop(50), SECONDS),
    "fixed, closed": ("/fixed/0.2", ClosedLoop(5), SECONDS),
    "bimodal": ("/bimodal/0.05/0.6/10", OpenLoop(50, "constant"), SECONDS),
    **{kind: (path, OpenLoop(20, "constant"), 0.5) for kind, path in FAILURES.items()},
}


def _engine(url: str) -> Http:
    return Http(url=f"{url}?q={{query}}", ids="$.hits[*].id")


@pytest.fixture(scope="module")
def loads() -> dict[str, Load]:
    """All of them at the same time, each with connections of its own."""

    async def run() -> dict[str, Load]:
        server, port = await started()
        async with AsyncExitStack() as stack:
            running = []
            for path, pattern, seconds in LOADS.values():
                engine = await stack.enter_async_context(_engine(f"http://127.0.0.1:{port}{path}"))
                running.append(run_load(engine, MIX, pattern, seconds=seconds, timeout=3.0))
            found = await asyncio.gather(*running)
        server.close()
        return dict(zip(LOADS, found, strict=True))

    with pytest.MonkeyPatch.context() as monkeypatch:
        use_made_time(monkeypatch)
        return run_async(run())


def _after_stall(share: float) -> float:
    return STALL - SECONDS * (1 - share)


@pytest.mark.parametrize("which", ["stall, open", "stall, poisson"])
def test_an_open_loop_sees_the_whole_of_a_stall(loads, which):
    found = latencies(loads[which].response)
    assert loads[which].errors() == {}
    # One request more or less; of arrivals by chance, the share in the stall is off by hundredths.
    slack = 0.02 if which == "stall, open" else 0.25
    for name, share in (("p90", 0.9), ("p95", 0.95), ("p99", 0.99)):
        assert found[name].value == pytest.approx(_after_stall(share), abs=slack)
    assert found.max == pytest.approx(STALL, abs=0.02)
    slow = loads[which].response > USUAL + EXACT
    assert slow.mean() == pytest.approx(STALL / SECONDS, abs=slack / 2)
    # One stall is one event: where it comes from, nobody knows how long the next one lasts.
    assert not found["p99"].known


def test_a_closed_loop_is_wrong_by_orders_of_magnitude(loads):
    closed = latencies(loads["stall, closed"].response)
    opened = latencies(loads["stall, open"].response)
    assert closed.max == pytest.approx(STALL, abs=0.02)  # it was there, once
    assert (loads["stall, closed"].response > USUAL + EXACT).sum() == 1
    assert closed["p99"].value == pytest.approx(USUAL, abs=EXACT)
    assert opened["p99"].value > 300 * closed["p99"].value


def test_a_fixed_time_is_found_as_it_is(loads):
    for which in ("fixed, open", "fixed, closed"):
        assert loads[which].response == pytest.approx(0.2, abs=EXACT)
        assert latencies(loads[which].response)["p99.99"].value == pytest.approx(0.2, abs=EXACT)
    # Five clients, each of them five times a second.
    assert len(loads["fixed, closed"].response) == pytest.approx(5 * 5 * SECONDS, abs=5)
    assert loads["fixed, closed"].throughput == pytest.approx(25, abs=1.3)


def test_two_modes_are_both_found(loads):
    found = latencies(loads["bimodal"].response)
    assert found["p50"].value == found["p90"].value == pytest.approx(0.05, abs=EXACT)
    assert found["p95"].value == found["p99"].value == pytest.approx(0.6, abs=EXACT)
    slow = loads["bimodal"].response >= 0.6
    assert slow.mean() == 0.1


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


def test_a_real_stall_of_another_process_is_seen_by_a_real_clock():
    with serving() as url:
        engine = _engine(f"{url}/stall/0.001/0.1/0.4/real")
        found = load(engine, MIX, OpenLoop(100, "constant"), seconds=0.8, timeout=30.0)
    assert found.errors() == {}
    assert len(found.response) == 80
    # Half of the requests come while it stalls, and the first of these wait for nearly all of it.
    assert np.quantile(found.response, 0.9, method="inverted_cdf") >= 0.3
    assert found.response.max() >= 0.38

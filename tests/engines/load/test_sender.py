"""Requests are sent at their times, once, and whatever becomes of them is counted."""

import asyncio
import gc
import signal

import numpy as np
import pytest

from cleverdon.engines.adapters.python import as_engine
from cleverdon.engines.client import run_async
from cleverdon.engines.load import sender
from cleverdon.engines.load.results import TIMEOUT
from cleverdon.engines.load.sender import load, run_load
from cleverdon.engines.load.workload import ClosedLoop, Mix, OpenLoop, intended_times
from cleverdon.engines.protocol import FAILURE_KINDS, Engine, Results, SearchFailure
from cleverdon.errors import MissingExtra, OptionError
from tests.engines.load.fake_clock import MadeTime

pytestmark = pytest.mark.usefixtures("made_time")

MIX = Mix.of({f"t{number}": f"query {number}" for number in range(5)})
FAST = OpenLoop(1000, seed=3)


async def at_once(query: str, k: int) -> Results:
    return [(f"d-{query[-1]}", 1.0)]


async def soon(query: str, k: int) -> Results:
    await asyncio.sleep(0.002)
    return []


async def never(query: str, k: int) -> Results:
    await asyncio.sleep(3600)
    return []


class Counting(Engine):
    """Counts requests, and those under way at once; answers after a moment."""

    def __init__(self, *, enough: int = 1) -> None:
        self.asked = self.now = self.most = 0
        self.enough = enough
        self.together = asyncio.Event()

    async def search(self, query: str, k: int) -> Results:
        self.asked += 1
        self.now += 1
        self.most = max(self.most, self.now)
        if self.now >= self.enough:
            self.together.set()
        await self.together.wait()
        await asyncio.sleep(0.001)
        self.now -= 1
        return []


@pytest.mark.parametrize("pattern", [FAST, OpenLoop(1000, "constant"), ClosedLoop(3, seed=3)])
def test_times_are_in_order_and_the_queries_those_of_the_mix(pattern):
    found = load(at_once, MIX, pattern, requests=200)
    assert len(found.query) == 200
    assert (np.diff(found.intended) >= 0).all()
    assert (found.intended <= found.sent).all()
    assert (found.sent <= found.done).all()
    assert (found.query == MIX.drawn(200, seed=pattern.seed)).all()
    assert found.errors() == {}
    assert (found.response >= found.service).all()
    assert found.seconds >= found.intended[-1]
    assert (found.queries, found.query_ids) == (MIX.texts, MIX.ids)
    assert found.answers == {number: [(f"d-{number}", 1.0)] for number in range(5)}


def test_intended_times_are_those_of_the_arrivals_with_a_warm_up_or_without():
    found = load(at_once, MIX, FAST, seconds=0.2, warmup=0.1)
    assert (found.intended == intended_times(FAST, seconds=0.2)).all()
    assert found.seconds == pytest.approx(0.2)
    assert (found.query == MIX.drawn(len(found.query), seed=3)).all()


def test_a_warm_up_is_asked_and_not_in_the_result():
    for pattern in (OpenLoop(500, "constant"), ClosedLoop(2)):
        engine = Counting()
        found = load(engine, MIX, pattern, requests=50, warmup=0.1)
        assert len(found.query) == 50
        assert engine.asked > 50
        assert found.intended[0] >= 0


def test_an_open_loop_does_not_wait_for_answers():
    engine = Counting(enough=40)
    found = load(engine, MIX, FAST, requests=40)
    assert (engine.most, found.errors()) == (40, {})


def test_a_closed_loop_has_one_request_a_client_under_way():
    engine = Counting()
    found = load(engine, MIX, ClosedLoop(4), seconds=0.1)
    assert engine.most == 4
    assert engine.asked == len(found.query) > 4


def test_an_order_says_what_is_asked():
    order = MIX.each_once(seed=1)
    for pattern in (FAST, ClosedLoop(1)):
        found = load(at_once, MIX, pattern, order=order)
        assert (found.query == order).all()
        assert (load(at_once, MIX, pattern, order=order, requests=2).query == order[:2]).all()


@pytest.mark.parametrize("kind", FAILURE_KINDS)
def test_failures_are_counted_by_kind_and_nothing_is_asked_twice(kind):
    asked = []

    async def fails(query: str, k: int) -> Results:
        asked.append(query)
        if len(asked) % 2:
            raise SearchFailure(kind, f"number {len(asked)}", retry_after=0.0)
        return []

    for pattern in (FAST, ClosedLoop(1)):
        asked.clear()
        found = load(fails, MIX, pattern, requests=30)
        assert len(asked) == 30
        assert found.errors() == {kind: 15}
        assert found.messages == {kind: "number 1"}
        assert len(found.response) == (30 if kind == "timeout" else 15)


def test_an_error_of_the_engine_is_a_failure_of_the_server():
    class Broken(Engine):
        async def search(self, query: str, k: int) -> Results:
            raise ZeroDivisionError("division by zero")

    found = load(Broken(), MIX, FAST, requests=3)
    assert found.errors() == {"server": 3}
    assert found.messages == {"server": "ZeroDivisionError: division by zero"}


@pytest.mark.parametrize("pattern", [FAST, ClosedLoop(2)])
def test_what_is_not_answered_in_time_counts_with_the_time_it_was_given(pattern):
    found = load(never, MIX, pattern, requests=6, timeout=0.1)
    assert found.errors() == {"timeout": 6}
    assert (found.failed == TIMEOUT).all()
    assert ((found.service >= 0.1) & (found.service <= 0.1011)).all()  # to a millisecond
    assert found.generator.cut_off == 0
    assert found.messages == {"timeout": "no answer within 0.1 s"}


def test_what_has_not_begun_is_not_given_up_on():
    """A time-out that is over before a task of the same moment has begun."""

    async def holds_up(query: str, k: int) -> Results:
        MadeTime.now += 1.0  # as a call that keeps the whole loop waiting
        return []

    found = load(holds_up, MIX, OpenLoop(1000, "constant"), requests=20, timeout=0.5)
    assert found.generator.cut_off == 0
    assert found.errors() == {}
    assert np.isfinite(found.sent).all()


def test_a_very_short_time_out_keeps_nobody_busy():
    found = load(soon, MIX, FAST, requests=20, timeout=1e-9)
    assert found.errors() == {"timeout": 20}
    assert found.service.max() < 0.002


def test_answers_count_for_the_rate_while_requests_are_sent():
    """10 a second for 2 seconds, each answered after half a second: the last 4 too late."""

    async def later(query: str, k: int) -> Results:
        await asyncio.sleep(0.499)
        return []

    found = load(later, MIX, OpenLoop(10, "constant"), seconds=2.0)
    assert found.throughput == pytest.approx(16 / 2)
    assert load(later, MIX, OpenLoop(10, "constant"), seconds=0.2).throughput == pytest.approx(
        2 / 0.599
    )


@pytest.mark.parametrize(("busy", "mean"), [(0.5, 0.015), (0.8, 0.030)])
def test_an_engine_with_one_place_has_the_queue_that_theory_has(busy, mean):
    """M/D/1, 10 ms a search: s + rho s / (2 (1 - rho)) in the mean, and each one by recursion."""
    place = asyncio.Semaphore(1)

    async def search(query: str, k: int) -> Results:
        async with place:
            await asyncio.sleep(0.01)
        return []

    found = load(search, MIX, OpenLoop(busy * 100, seed=2), requests=4000)
    free, expected = 0.0, []
    for came in found.intended:
        free = max(free, came) + 0.01
        expected.append(free - came)
    assert found.response == pytest.approx(expected, abs=1e-6)
    assert found.response.mean() == pytest.approx(mean, rel=0.15)


def test_only_the_slow_ones_time_out():
    async def some(query: str, k: int) -> Results:
        return await never(query, k) if query == "query 2" else []

    found = load(some, MIX, OpenLoop(400, seed=3), requests=100, timeout=0.2)
    assert ((found.failed == TIMEOUT) == (found.query == 2)).all()


def test_a_request_that_does_not_end_is_given_up(monkeypatch):
    monkeypatch.setattr(sender, "_GRACE", 0.05)

    async def stubborn(query: str, k: int) -> Results:
        for _ in range(4):
            try:
                await asyncio.sleep(0.3)
            except asyncio.CancelledError:
                continue
        return []

    found = load(stubborn, MIX, FAST, requests=2, timeout=0.05)
    assert found.generator.cut_off == 2
    assert found.errors() == {"timeout": 2}
    assert any("did not end" in problem for problem in found.not_valid)


def test_too_many_under_way_end_the_load():
    found = load(never, MIX, FAST, requests=50, timeout=0.05, most_in_flight=8)
    assert len(found.query) == 8
    assert found.generator.unsent == 42
    assert any("8 requests were sent, and 42 were not" in problem for problem in found.not_valid)


@pytest.mark.parametrize("pattern", [OpenLoop(50), ClosedLoop(2)])
def test_an_error_that_no_request_can_do_without_ends_the_load(pattern):
    class Cannot(Engine):
        async def search(self, query: str, k: int) -> Results:
            raise MissingExtra("this", package="that")

    with pytest.raises(MissingExtra, match="this needs that"):
        load(Cannot(), MIX, pattern, seconds=60)


def test_what_was_there_before_is_not_looked_at_by_the_collector() -> None:
    seen: list[int] = []

    async def sample(query: str, k: int) -> Results:
        seen.append(gc.get_freeze_count())
        return []

    load(sample, MIX, FAST, requests=3)
    assert min(seen) > 10_000
    assert gc.get_freeze_count() == 0
    assert gc.isenabled()


def test_cancelling_leaves_nothing_behind():
    async def cancelled() -> int:
        task = asyncio.create_task(run_load(as_engine(never), MIX, FAST, seconds=60))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return len(asyncio.all_tasks())

    assert run_async(cancelled()) == 1
    assert gc.get_freeze_count() == 0


def test_ctrl_c_ends_it():
    async def interrupted(query: str, k: int) -> Results:
        if query == "query 4":
            signal.raise_signal(signal.SIGINT)
        return []

    with pytest.raises(KeyboardInterrupt):
        load(interrupted, MIX, FAST, seconds=60)
    assert gc.get_freeze_count() == 0


def test_progress_is_told_as_a_share():
    for pattern in (OpenLoop(100, "constant"), ClosedLoop(1)):
        reports: list[tuple[str, float, float]] = []
        load(soon, MIX, pattern, seconds=0.5, progress=lambda *at, to=reports: to.append(at))
        assert [done / total for _, done, total in reports] == pytest.approx(
            [0, 0.4, 0.8], abs=0.05
        )


def test_loads_can_run_side_by_side():
    async def both() -> list[int]:
        loads = [
            run_load(as_engine(at_once), MIX, OpenLoop(300, seed=seed), requests=30)
            for seed in (1, 2)
        ]
        return [len(found.response) for found in await asyncio.gather(*loads)]

    assert run_async(both()) == [30, 30]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "needs an end"),
        ({"seconds": 1, "timeout": 0}, "timeout=0"),
        ({"seconds": 1, "warmup": -1}, "warmup=-1: expected seconds, from 0 on"),
        ({"seconds": 1, "k": 0}, "k=0"),
        ({"requests": 9, "order": np.arange(3)}, "the order that was given has 3"),
    ],
)
def test_options_that_make_no_sense(options, said):
    with pytest.raises(OptionError, match=said):
        load(at_once, MIX, FAST, **options)

"""Cold against warm: an engine that is slow for what it has not seen."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.engines.adapters.python import as_engine
from cleverdon.engines.client import run_async
from cleverdon.engines.load.cold_cache import ColdWarm, _compare_cold_warm, run_cold
from cleverdon.engines.load.workload import LoadOptions
from cleverdon.engines.protocol import SearchFailure
from cleverdon.errors import InputError, OptionError

pytestmark = pytest.mark.usefixtures("made_time")


class Cached:
    """Takes 20 ms for a query that is new to it, and 1 ms for others."""

    def __init__(self) -> None:
        self.seen: set[str] = set()
        self.asked: list[str] = []
        self.down = 0  # so many questions find nobody

    async def search(self, query: str, k: int) -> list[tuple[str, float]]:
        self.asked.append(query)
        if self.down:
            self.down -= 1
            raise SearchFailure("connection", "nobody there")
        if query == "broken":
            raise SearchFailure("refused", "no such field")
        await asyncio.sleep(0.001 if query in self.seen else 0.02)
        self.seen.add(query)
        return [("d", 1.0)]


def run(engine: Cached, queries: list[str], **how: Any) -> ColdWarm:
    return run_async(run_cold(as_engine(engine), queries, LoadOptions(), **how))


def test_each_query_once_cold_and_once_warm() -> None:
    engine = Cached()
    found = run(engine, ["a", "b", "c", "b"])
    assert sorted(engine.asked[:3]) == sorted(engine.asked[3:]) == ["a", "b", "c"]
    assert engine.asked[:3] == engine.asked[3:]  # in the same order
    assert found.cold == pytest.approx(0.02)
    assert found.warm == pytest.approx(0.001, abs=1e-6)
    assert found.ratio.value == pytest.approx(20, abs=0.01)
    assert (found.emptied, found.failed, found.ratio.queries) == (False, 0, 3)


def test_caches_are_emptied_before_every_repetition() -> None:
    engine = Cached()

    def empty() -> None:
        engine.seen.clear()
        engine.down = 1  # it has to come up again first

    found = run(engine, ["a", "b"], empty=empty, repetitions=2)
    assert found.emptied
    assert found.cold.shape == (2, 2)
    assert found.cold == pytest.approx(0.02)
    assert found.failed == 0


def test_without_emptying_there_is_one_repetition() -> None:
    with pytest.raises(OptionError, match="--before-cold"):
        run(Cached(), ["a"], repetitions=3)
    with pytest.raises(InputError, match="no queries"):
        run(Cached(), [])


def test_failures_are_counted_and_left_out() -> None:
    found = run(Cached(), ["a", "broken", "c"])
    assert found.failed == 2
    assert np.isnan(found.cold[0, 1])
    assert found.ratio.queries == 2
    nothing = run(Cached(), ["broken"])
    assert nothing.not_valid == ("no query was answered both times",)
    assert found.not_valid == ()
    assert np.isnan([nothing.ratio.value, nothing.percentile("cold", "p99")]).all()


@given(
    st.lists(st.floats(0.001, 10), min_size=3, max_size=20), st.floats(0.5, 8), st.integers(1, 3)
)
def test_a_constant_ratio_comes_out(warm: list[float], times: float, repetitions: int) -> None:
    seconds = np.tile(warm, (repetitions, 1))
    queries = [f"q{at}" for at in range(len(warm))]
    found = _compare_cold_warm(queries, times * seconds, seconds, emptied=True)
    assert found.ratio.value == pytest.approx(times)
    # Queries that all agree have no spread, and rounding alone makes the narrowest one.
    if not np.isnan(found.ratio.low):
        assert found.ratio.low == pytest.approx(times)
        assert found.ratio.high == pytest.approx(times)
    assert found.percentile("warm", "p99") == max(warm)

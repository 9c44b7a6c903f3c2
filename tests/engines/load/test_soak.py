"""A long load, window by window."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace

import numpy as np
import pytest

from cleverdon._common.arrays import Floats
from cleverdon.engines.client import run_async
from cleverdon.engines.load.soak import Soak, _analyse_soak, run_soak
from cleverdon.engines.load.workload import LoadOptions, Mix, SoakOptions
from cleverdon.engines.resources import process_memory
from cleverdon.errors import OptionError
from tests.engines.load.fake_loads import made_load, waiting


def times(count: int, *, growth: float = 0.0, seed: int = 0) -> Floats:
    chance = np.random.default_rng(seed)
    return 0.01 * chance.lognormal(0, 0.3, size=count) + growth * np.linspace(0, 1, count)


def test_windows_hold_the_requests_of_their_time() -> None:
    load = made_load(times(1000), seconds=10.0, failed={"server": 50})
    found = _analyse_soak(load, window=2.0)
    assert [window.requests for window in found.windows] == [200] * 5
    assert found.windows[0].errors == pytest.approx(0.25)
    assert found.windows[1].errors == 0
    assert found.windows[1].throughput == 100
    inside = np.sort(load.response[150:350])  # the first fifty failed
    assert found.windows[1].p99 == inside[int(np.ceil(0.99 * 200)) - 1]
    assert found.few
    assert found.verdict("p99") == "not known"


def test_a_last_window_that_is_not_whole_is_left_out() -> None:
    assert len(_analyse_soak(made_load(times(1000), seconds=10.0), window=3.0).windows) == 3


def test_growth_is_found_and_steadiness_is_not_taken_for_it() -> None:
    growing = _analyse_soak(made_load(times(6000, growth=0.05), seconds=3600.0), window=120.0)
    assert growing.verdict("p99") == growing.verdict("p50") == "shown"
    assert growing.drifts["p50"].slope == pytest.approx(0.05, rel=0.1)
    assert growing.verdict("throughput") == "not shown"
    steady = _analyse_soak(made_load(times(6000, seed=1), seconds=3600.0), window=120.0)
    assert {steady.verdict(name) for name in steady.drifts} == {"not shown"}
    assert "memory" not in steady.drifts


def test_intervals_of_drifts_are_adjusted_for_all_of_them() -> None:
    load = made_load(times(6000, seed=1), seconds=3600.0)
    found = _analyse_soak(load, window=120.0, confidence=0.9)
    assert len(found.drifts) > 1
    for name, one in found.drifts.items():
        alone = found.unadjusted[name]
        assert (alone.confidence, alone.slope, alone.p) == (0.9, one.slope, one.p)
        assert one.confidence == pytest.approx(1 - 0.1 / len(found.drifts))
        if not np.isnan(one.low):
            assert one.low <= alone.low <= alone.high <= one.high
    count = len(found.drifts)
    assert f", adjusted for {count} comparisons; " in found.describe_drift("p50")
    assert "no drift is shown." in found.describe_drift("errors")  # which are all 0


def test_memory_that_grows_is_found() -> None:
    samples = tuple((at * 24.0, 1e9 + 1e6 * at) for at in range(150))
    found = _analyse_soak(made_load(times(6000), seconds=3600.0), window=120.0, memory=samples)
    assert found.verdict("memory") == "shown"
    assert found.drifts["memory"].slope == pytest.approx(150e6, rel=0.02)
    assert found.windows[0].memory == pytest.approx(1.002e9)


def test_what_is_not_valid_is_no_drift() -> None:
    load = made_load(times(6000, growth=0.05), seconds=3600.0)
    assert (
        replace(_analyse_soak(load, window=120.0), not_valid=("lag",)).verdict("p99") == "not valid"
    )


def test_too_many_windows() -> None:
    with pytest.raises(OptionError, match="windows of that"):
        _analyse_soak(made_load(times(100), seconds=3600.0), window=0.5)


def test_one_load_is_watched_with_the_memory_of_a_process() -> None:
    async def run() -> Soak:
        async with waiting(lambda query: 0.001) as engine:
            return await run_soak(
                engine,
                Mix.of(["a", "b"]),
                LoadOptions(rate=100, arrivals="constant", seconds=0.4, warmup=0.0),
                SoakOptions(window=0.1, pid=os.getpid()),
            )

    found = run_async(run())
    assert [window.requests for window in found.windows[:3]] == pytest.approx([10] * 3, abs=1)
    assert len(found.memory) >= 2
    assert all(size > 1e6 for _, size in found.memory)


def test_a_process_that_is_not_there() -> None:
    with pytest.raises(OptionError, match="no such process"):
        process_memory(2**22 + 12345)
    engine = waiting(lambda query: 0.0)
    with pytest.raises(OptionError, match="window"):
        run_async(
            run_soak(engine, Mix.of(["a"]), LoadOptions(rate=1, seconds=1.0), SoakOptions(2.0))
        )
    with pytest.raises(OptionError, match="make windows longer"):  # before, not after an hour
        run_async(
            run_soak(engine, Mix.of(["a"]), LoadOptions(rate=1, seconds=3600.0), SoakOptions(1.0))
        )


@pytest.mark.usefixtures("made_time")
def test_a_soak_that_is_interrupted_gives_what_there_is() -> None:
    async def run() -> Soak:
        async with waiting(lambda query: 0.001) as engine:
            soaking = asyncio.create_task(
                run_soak(
                    engine,
                    Mix.of(["a"]),
                    LoadOptions(rate=100, seconds=60.0, warmup=0.0),
                    SoakOptions(0.05),
                )
            )
            await asyncio.sleep(0.525)
            soaking.cancel()
            return await soaking

    found = run_async(run())
    assert found.load.seconds == pytest.approx(0.525)
    assert len(found.windows) == 10
    assert not found.not_valid

"""A sweep over rates: against an engine in this process that can take so much and no more."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import numpy as np
import pytest

from cleverdon.engines.adapters.python import as_engine
from cleverdon.engines.client import run_async
from cleverdon.engines.load import sweep as sweeping
from cleverdon.engines.load.results import Load
from cleverdon.engines.load.sweep import Sweep, check_rates, run_sweep, spaced_rates
from cleverdon.engines.load.workload import LoadOptions, Mix, OpenLoop, SweepOptions
from cleverdon.engines.protocol import Engine
from cleverdon.errors import OptionError
from tests.engines.load.fake_loads import made_load, waiting


def made_up(monkeypatch: pytest.MonkeyPatch, *, capacity: float) -> list[float]:
    """In the place of real loads, some that an engine of this capacity would have: their rates."""
    asked: list[float] = []

    async def run_load(
        engine: Engine, mix: Mix, pattern: OpenLoop, *, seconds: float, **how: object
    ) -> Load:
        asked.append(pattern.rate)
        times = np.full(int(pattern.rate * seconds), 0.01)
        if pattern.rate > capacity:
            waited = seconds * (1 - capacity / pattern.rate)
            times = np.linspace(0.01, 0.01 + waited, len(times))
        return made_load(times, seconds=seconds, pattern=pattern)

    monkeypatch.setattr(sweeping, "run_load", run_load)
    return asked


def swept(rates: tuple[float, ...], **how: Any) -> Sweep:
    engine = waiting(lambda query: 0.0)
    mode = SweepOptions(rates, limit_p99=0.05, **how)
    return run_async(run_sweep(engine, Mix.of(["a"]), LoadOptions(seconds=5.0), mode))


def test_it_stops_where_the_engine_cannot_keep_up(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = made_up(monkeypatch, capacity=250)
    found = swept((100, 200, 400, 800, 1600))
    assert asked == [100, 200, 400]
    assert list(found.not_tried) == [800, 1600]
    assert (found.knee.rate, found.knee.broken) == (200, 400)
    assert found.not_valid == ()


def test_it_is_refined_by_halving(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = made_up(monkeypatch, capacity=250)
    found = swept((100, 400), rate_precision=0.05)
    assert found.knee.rate is not None
    assert found.knee.broken is not None
    assert found.knee.rate <= 250 < found.knee.broken <= found.knee.rate * 1.05
    assert len(asked) <= 10
    assert [step.rate for step in found.steps] == sorted(asked)


def test_nothing_to_refine_where_all_rates_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = made_up(monkeypatch, capacity=1000)
    found = swept((100, 200), rate_precision=0.05)
    assert asked == [100, 200]
    assert (found.knee.rate, found.knee.found) == (200, False)


def test_what_was_measured_before_an_interruption_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    made_up(monkeypatch, capacity=1000)
    real: Any = vars(sweeping)["run_load"]

    async def interrupted(*given: Any, **how: Any) -> Load:
        if given[2].rate > 150:
            raise asyncio.CancelledError
        return cast(Load, await real(*given, **how))

    monkeypatch.setattr(sweeping, "run_load", interrupted)
    found = swept((100, 200, 400))
    assert found.interrupted
    assert [step.rate for step in found.steps] == [100]
    assert list(found.not_tried) == [200, 400]


@pytest.mark.usefixtures("made_time")
def test_an_engine_with_one_place() -> None:
    """A search takes 10 ms, and there is one at a time: 100 a second are all it can do."""

    async def run() -> Sweep:
        place = asyncio.Semaphore(1)

        async def search(query: str, k: int) -> list[tuple[str, float]]:
            async with place:
                await asyncio.sleep(0.01)
            return [("d", 1.0)]

        async with as_engine(search) as engine:
            return await run_sweep(
                engine,
                Mix.of(["a", "b"]),
                LoadOptions(seconds=20.0, warmup=0.0),
                SweepOptions((50, 80, 120), limit_p99=0.25),
            )

    found = run_async(run())
    assert [step.keeps for step in found.steps] == [True, True, False]
    assert [step.saturated for step in found.steps] == [False, False, True]
    assert found.steps[2].load.throughput == pytest.approx(100, rel=0.01)
    assert (found.knee.rate, found.knee.broken) == (80, 120)


def test_rates() -> None:
    assert spaced_rates(50, 800, 5) == (50, 100, 200, 400, 800)
    assert check_rates([30, 10, 10]) == (10, 30)
    for wrong in ([], [0], [-1], [float("nan")], range(1, 100)):
        with pytest.raises(OptionError):
            check_rates(wrong)
    with pytest.raises(OptionError, match="1 to 50 rates, and these are 100,000,000,000"):
        spaced_rates(5, 10, 10**11)  # and does not make them first

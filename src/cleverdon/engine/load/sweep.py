"""One rate after the other: response times against throughput, and the knee."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite

import numpy as np

from cleverdon.engine.load.generator import problems
from cleverdon.engine.load.knee import Goal, Knee, Step, knee
from cleverdon.engine.load.mix import Mix
from cleverdon.engine.load.records import Load, OpenLoop
from cleverdon.engine.load.running import run_load
from cleverdon.engine.protocol import Engine
from cleverdon.errors import OptionError, check_count, check_within

MOST_RATES = 50
"""A sweep of more is a slip of the keyboard."""
MOST_BISECTIONS = 8
"""Halving the gap more often than that is finer than any two measurements agree."""

Progress = Callable[[str, float], object]
"""Told which rate it is, and which share of its load is over."""


@dataclass(frozen=True, eq=False)
class Sweep:
    """What came of each rate, in rising order."""

    steps: tuple[Step, ...]
    goal: Goal
    not_tried: tuple[float, ...] = ()  # since a lower rate was more than the engine could take
    interrupted: bool = False

    @cached_property
    def knee(self) -> Knee:
        """The highest rate that kept the goal, by the rates that are valid."""
        return knee(_valid(self.steps))

    @property
    def not_valid(self) -> tuple[str, ...]:
        """Why nothing can be said: that no rate is valid.

        A rate that the sender could not send says nothing of the engine, and the others still do.
        """
        if _valid(self.steps):
            return ()
        return tuple(f"at {step.rate:g}/s: {why}" for step in self.steps for why in step.not_valid)


def _valid(steps: Iterable[Step]) -> list[Step]:
    return [step for step in steps if not step.not_valid]


def spaced(low: float, high: float, count: int) -> tuple[float, ...]:
    """So many rates from one to another, each the same factor above the one before.

    >>> spaced(50, 800, 5)
    (50.0, 100.0, 200.0, 400.0, 800.0)
    """
    _check_number(check_count("count", count, least=2))
    return checked_rates(float(f"{rate:.3g}") for rate in np.geomspace(low, high, count))


def checked_rates(rates: Iterable[float]) -> tuple[float, ...]:
    """Rates in rising order, or an OptionError where they are none."""
    found = tuple(float(rate) for rate in rates)
    _check_number(len(found))
    wrong = [rate for rate in found if not isfinite(rate) or rate <= 0]
    if wrong:
        raise OptionError(f"rate={wrong[0]!r}: expected requests a second, above 0")
    return tuple(sorted(set(found)))


def _check_number(rates: int) -> None:
    if not 1 <= rates <= MOST_RATES:
        raise OptionError(f"a sweep is over 1 to {MOST_RATES} rates, and these are {rates:,}")


async def sweep(
    engine: Engine,
    mix: Mix,
    rates: Iterable[float],
    goal: Goal,
    *,
    pattern: OpenLoop,
    seconds: float,
    warmup: float = 1.0,
    k: int = 10,
    timeout: float = 10.0,
    precision: float | None = None,
    progress: Progress | None = None,
) -> Sweep:
    """Load at each rate in turn, until the engine cannot keep up; the engine is open already.

    `pattern` says how requests arrive, whatever its rate. With a `precision`, as 0.1, the gap
    between the highest rate that kept the goal and the lowest that did not is halved until they
    differ by no more than that share.
    """
    tried = checked_rates(rates)
    if precision is not None:
        check_within("precision", precision, 0, 1)
    steps: list[Step] = []

    async def step(rate: float) -> Step:
        def tell(share: float) -> None:
            if progress is not None:
                progress(f"{rate:g}/s", share)

        load = await run_load(
            engine,
            mix,
            replace(pattern, rate=rate),
            seconds=seconds,
            k=k,
            timeout=timeout,
            warmup=warmup,
            progress=tell,
        )
        steps.append(Step(rate, load, goal, _problems(load)))
        return steps[-1]

    interrupted = False
    try:
        for rate in tried:
            if _enough(steps):
                break
            await step(rate)
        if precision is not None:
            await _refined(step, steps, precision)
    except asyncio.CancelledError:
        # By Ctrl-C: what was measured so far is worth something.
        if not steps:
            raise
        interrupted = True
    done = {one.rate for one in steps}
    return Sweep(
        steps=tuple(sorted(steps, key=lambda one: one.rate)),
        goal=goal,
        not_tried=tuple(rate for rate in tried if rate not in done),
        interrupted=interrupted,
    )


def _problems(load: Load) -> tuple[str, ...]:
    """What speaks against a step; but not that an engine was given more than it could take."""
    return problems(replace(load, generator=replace(load.generator, unsent=0, cut_off=0)))


def _enough(steps: Sequence[Step]) -> bool:
    """Whether higher rates would say nothing more.

    One rate beyond the knee shows where the curve goes; a second one in a row confirms it.
    """
    if not steps:
        return False
    broken = [not step.keeps and not step.uncertain for step in steps[-2:]]
    return steps[-1].saturated or broken == [True, True]


async def _refined(
    step: Callable[[float], Awaitable[Step]], steps: Sequence[Step], precision: float
) -> None:
    for _ in range(MOST_BISECTIONS):
        at = knee(_valid(steps))
        if at.rate is None or at.broken is None or at.broken <= at.rate * (1 + precision):
            return
        await step(float(f"{(at.rate * at.broken) ** 0.5:.4g}"))

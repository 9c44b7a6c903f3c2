"""A sweep over rates: response times against throughput, and the knee.

The knee is the highest rate at which an engine still keeps its goal.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from math import isfinite
from typing import Any

import numpy as np

from cleverdon._common.progress import Progress, ignore_progress
from cleverdon._common.text import counted, printable
from cleverdon.engines.load import cells
from cleverdon.engines.load.results import CONFIDENCE, Load, LoadTest, Percentile
from cleverdon.engines.load.sender import run_load
from cleverdon.engines.load.workload import LoadOptions, Mix, OpenLoop, SweepOptions
from cleverdon.engines.protocol import Engine
from cleverdon.errors import OptionError, check_count, check_within
from cleverdon.tables.numbers import format_rate, format_seconds
from cleverdon.tables.sections import Section
from cleverdon.tables.table import TextTable

_BROKEN_TEXTS = {"p99": "p99", "errors": "errors", "throughput": "does not keep up"}


@dataclass(frozen=True)
class SweepGoal:
    """The limits that a rate must keep."""

    p99: float  # seconds of response time
    errors: float = 0.01  # share of the requests
    kept_up: float = 0.95  # share of the requests that are answered in time
    confidence: float = CONFIDENCE  # of the interval of p99, within which chance may decide

    def __post_init__(self) -> None:
        if not isfinite(self.p99) or self.p99 <= 0:
            raise OptionError(f"the limit of p99 is {self.p99!r}: expected seconds, above 0")
        check_within("errors", self.errors, -1e-12, 1)
        check_within("kept_up", self.kept_up, 0, 1)
        check_within("confidence", self.confidence, 0, 1)

    def describe(self) -> str:
        return f"p99 up to {format_seconds(self.p99)} and up to {cells.share(self.errors)} errors"


@dataclass(frozen=True, eq=False)
class SweepStep:
    """One rate of a sweep with its load and verdict."""

    rate: float
    load: Load
    goal: SweepGoal
    not_valid: tuple[str, ...] = ()

    @property
    def p99(self) -> Percentile | None:
        return None if self.load.latencies is None else self.load.latencies["p99"]

    @property
    def errors(self) -> float:
        return self.load.share_failed

    @property
    def kept_up(self) -> float:
        """The share of requests that were answered before the load was over, or a limit later."""
        in_time = self.load.done <= self.load.seconds + self.goal.p99
        wanted = len(in_time) + self.load.generator.unsent
        return float((in_time & self.load.answered).sum()) / wanted if wanted else 0.0

    @cached_property
    def broken(self) -> tuple[str, ...]:
        """The limits that the rate broke: "p99", "errors", "throughput"."""
        found = []
        if self.p99 is None or self.p99.value > self.goal.p99:
            found.append("p99")
        if self.errors > self.goal.errors:
            found.append("errors")
        if self.kept_up < self.goal.kept_up:
            found.append("throughput")
        return tuple(found)

    @property
    def keeps(self) -> bool:
        return not self.broken

    @property
    def saturated(self) -> bool:
        """True if the engine could not keep up: higher rates only make longer queues."""
        return "throughput" in self.broken

    @property
    def uncertain(self) -> bool:
        """True if the limit lies within the interval of p99, so that chance may have decided."""
        if self.p99 is None or {"errors", "throughput"} & set(self.broken):
            return False
        low, high = self.p99.low, self.p99.high
        return (low is None or low <= self.goal.p99) and (high is None or high > self.goal.p99)

    @property
    def verdict(self) -> str:
        broken = ", ".join(_BROKEN_TEXTS[one] for one in self.broken)
        said = "keeps it" if self.keeps else f"breaks: {broken}"
        said += " (uncertain)" if self.uncertain else ""
        return f"{said}, not valid" if self.not_valid else said

    def row(self, *, exact: bool) -> list[str]:
        seconds, rate, share = (
            (cells.exact_number,) * 3 if exact else (format_seconds, format_rate, cells.share)
        )
        times = self.load.latencies
        if times is None:
            texts = ["" if exact else "-"] * (5 if exact else 4)
        else:
            p99 = times["p99"]
            texts = [seconds(times[name].value) for name in ("p50", "p90", "p99")]
            texts += cells.interval(p99.low, p99.high, format_seconds, exact=exact)
        return [
            *(rate(self.rate), rate(self.load.throughput)),
            *texts,
            *(share(self.errors), self.verdict),
        ]

    def to_dict(self) -> dict[str, Any]:
        return {
            "rate": self.rate,
            "keeps": self.keeps,
            "broken": list(self.broken),
            "uncertain": self.uncertain,
            "kept_up": self.kept_up,
            "not_valid": list(self.not_valid),
            **self.load.to_dict(),
        }


@dataclass(frozen=True)
class Knee:
    """The rates around the knee, all of which were tried."""

    rate: float | None  # the highest that kept the goal, below all that did not; None where none
    broken: float | None  # the lowest that did not keep it; None where all did
    low: float | None  # the highest that kept it beyond doubt
    high: float | None  # the lowest that broke it beyond doubt
    uncertain: tuple[float, ...] = ()  # rates at which chance may have decided
    above: tuple[float, ...] = ()  # rates that kept it, although lower ones did not

    @property
    def found(self) -> bool:
        """True if a higher rate broke the limits; otherwise the rate is only a bound."""
        return self.rate is not None and self.broken is not None


def knee(steps: Sequence[SweepStep]) -> Knee:
    """Find the knee; if a rate breaks the goal and a higher one keeps it, it is below both."""
    steps = sorted(steps, key=lambda step: step.rate)
    broken = next((at for at, step in enumerate(steps) if not step.keeps), len(steps))
    sure = next(
        (at for at, step in enumerate(steps) if not step.keeps or step.uncertain), len(steps)
    )
    beyond_doubt = (step.rate for step in steps if not step.keeps and not step.uncertain)
    return Knee(
        rate=steps[broken - 1].rate if broken else None,
        broken=steps[broken].rate if broken < len(steps) else None,
        low=steps[sure - 1].rate if sure else None,
        high=next(beyond_doubt, None),
        uncertain=tuple(step.rate for step in steps if step.uncertain),
        above=tuple(step.rate for step in steps[broken:] if step.keeps),
    )


_MOST_RATES = 50  # more are probably a typing error
_MOST_BISECTIONS = (
    8  # halving the gap more often than that is finer than any two measurements agree
)


@dataclass(frozen=True, eq=False)
class Sweep(LoadTest):
    """The rates of a sweep in rising order, and the knee."""

    steps: tuple[SweepStep, ...]
    goal: SweepGoal
    not_tried: tuple[float, ...] = ()  # since a lower rate was more than the engine could take
    interrupted: bool = False

    mode = "sweep"

    @property
    def loads(self) -> Sequence[Load]:
        return [step.load for step in self.steps]

    @property
    def tagged_loads(self) -> Sequence[tuple[str, Load]]:
        return [(f"{step.rate:g}", step.load) for step in self.steps]

    @property
    def costed_loads(self) -> Sequence[Load]:
        return [step.load for step in self.steps if step.rate == self.knee.rate]

    @cached_property
    def knee(self) -> Knee:
        """The highest rate that kept the goal, by the rates that are valid."""
        return knee(_valid_steps(self.steps))

    @property
    def not_valid(self) -> tuple[str, ...]:
        """The problems of all rates, if no rate is valid."""
        if _valid_steps(self.steps):
            return ()
        return tuple(f"at {step.rate:g}/s: {why}" for step in self.steps for why in step.not_valid)

    def describe(self, system: str) -> str:
        first = self.steps[0].load
        return (
            f"{printable(system)}: a sweep over {counted(len(self.steps), 'rate')}, "
            f"{format_seconds(first.seconds)} each ({first.pattern.describe_loop()})"
        )

    def sections(self, *, exact: bool = False) -> Sequence[Section]:
        header = [
            *("rate", "throughput", "p50", "p90", "p99"),
            *cells.interval_header(self.goal.confidence, exact=exact),
            *("errors", "verdict"),
        ]
        rows = [step.row(exact=exact) for step in self.steps]
        return [Section("rates", TextTable(header, rows, 1, []))]

    def closing(self) -> Sequence[str]:
        return [self.describe_knee(), *self._caveats()]

    def describe_knee(self) -> str:
        at, goal = self.knee, self.goal.describe()
        if self.not_valid:
            return f"Not valid: nothing is said of the highest rate with {goal}."
        if at.rate is None:
            return (
                f"Below {format_rate(at.broken)}: even the lowest rate that was tried does not "
                f"keep {goal}."
            )
        if at.broken is None:
            sent = "could be sent" if any(step.not_valid for step in self.steps) else "was tried"
            return f"At least {format_rate(at.rate)}: the highest rate that {sent} keeps {goal}."
        return (
            f"The knee is at {format_rate(at.rate)}: it keeps {goal}, and {format_rate(at.broken)} "
            "does not."
        )

    def _caveats(self) -> list[str]:
        at = self.knee
        found = []
        if at.uncertain:
            rates = ", ".join(map(format_rate, at.uncertain))
            sure = "no rate keeps it" if at.low is None else f"{format_rate(at.low)} keeps it"
            few = any(step.uncertain and step.p99 and not step.p99.known for step in self.steps)
            why = (
                "too few requests to know how high p99 may be" if few else "chance may have decided"
            )
            found.append(
                f"Uncertain: at {rates} the limit lies within the interval of p99 ({why}). Beyond "
                f"doubt {sure}; longer loads (--seconds) would tell."
            )
        if at.above:
            rates = ", ".join(map(format_rate, at.above))
            found.append(
                f"{rates} kept it although {format_rate(at.broken)} did not: something else "
                "disturbed the sweep. Measure again, or longer."
            )
        if not self.not_valid:
            found += [
                f"{format_rate(step.rate)} says nothing of the engine: {why}."
                for step in self.steps
                for why in step.not_valid
            ]
        if self.not_tried and not self.interrupted:
            rates = ", ".join(map(format_rate, self.not_tried))
            found.append(f"Not tried, since lower rates were too much already: {rates}.")
        return found

    def to_dict(self) -> dict[str, Any]:
        return {
            "goal": asdict(self.goal),
            "knee": asdict(self.knee),
            "not_tried": list(self.not_tried),
            "steps": [step.to_dict() for step in self.steps],
        }


def _valid_steps(steps: Iterable[SweepStep]) -> list[SweepStep]:
    return [step for step in steps if not step.not_valid]


def spaced_rates(low: float, high: float, count: int) -> tuple[float, ...]:
    _check_number(check_count("count", count, least=2))
    return check_rates(float(f"{rate:.3g}") for rate in np.geomspace(low, high, count))


def check_rates(rates: Iterable[float]) -> tuple[float, ...]:
    """Return rates in rising order; raise an OptionError for anything else."""
    found = tuple(float(rate) for rate in rates)
    _check_number(len(found))
    wrong = [rate for rate in found if not isfinite(rate) or rate <= 0]
    if wrong:
        raise OptionError(f"rate={wrong[0]!r}: expected requests a second, above 0")
    return tuple(sorted(set(found)))


def _check_number(rates: int) -> None:
    if not 1 <= rates <= _MOST_RATES:
        raise OptionError(f"a sweep is over 1 to {_MOST_RATES} rates, and these are {rates:,}")


async def run_sweep(
    engine: Engine,
    mix: Mix,
    load: LoadOptions,
    mode: SweepOptions,
    progress: Progress = ignore_progress,
) -> Sweep:
    """Load an open engine at each rate in turn, until it cannot keep up; then refine the knee."""
    if load.clients:
        raise OptionError("a sweep is an open loop: leave out clients")
    goal = SweepGoal(mode.limit_p99, errors=mode.limit_errors, confidence=load.confidence)
    tried = check_rates(mode.rates)
    if mode.rate_precision is not None:
        check_within("rate_precision", mode.rate_precision, 0, 1)
    steps: list[SweepStep] = []

    async def step(rate: float) -> SweepStep:
        sent = await run_load(
            engine,
            mix,
            OpenLoop(rate, load.arrivals, load.seed),
            **load.length,
            progress=lambda step, done=0, total=1: progress(f"{rate:g}/s", done, total),
        )
        # Requests that were not sent or cut off are the engine's fault: it could not keep up.
        complete = replace(sent, generator=replace(sent.generator, unsent=0, cut_off=0))
        steps.append(SweepStep(rate, sent, goal, complete.not_valid))
        return steps[-1]

    interrupted = False
    try:
        for rate in tried:
            if _has_enough_steps(steps):
                break
            await step(rate)
        if mode.rate_precision is not None:
            await _refine_knee(step, steps, mode.rate_precision)
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


def _has_enough_steps(steps: Sequence[SweepStep]) -> bool:
    # One rate beyond the knee shows where the curve goes; a second one in a row confirms it.
    if not steps:
        return False
    broken = [not step.keeps and not step.uncertain for step in steps[-2:]]
    return steps[-1].saturated or broken == [True, True]


async def _refine_knee(
    step: Callable[[float], Awaitable[SweepStep]], steps: Sequence[SweepStep], precision: float
) -> None:
    for _ in range(_MOST_BISECTIONS):
        at = knee(_valid_steps(steps))
        if at.rate is None or at.broken is None or at.broken <= at.rate * (1 + precision):
            return
        await step(float(f"{(at.rate * at.broken) ** 0.5:.4g}"))

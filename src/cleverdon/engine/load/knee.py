"""The knee: the highest rate at which an engine still keeps what is asked of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite

from cleverdon.engine.load.latencies import CONFIDENCE, Latencies, Percentile, latencies
from cleverdon.engine.load.records import Load
from cleverdon.errors import OptionError, check_within


@dataclass(frozen=True)
class Goal:
    """What a rate has to keep, so that it counts as one that the engine can take."""

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


@dataclass(frozen=True, eq=False)
class Step:
    """One rate of a sweep, and what came of it."""

    rate: float
    load: Load
    goal: Goal
    not_valid: tuple[str, ...] = ()

    @cached_property
    def latencies(self) -> Latencies | None:
        """Of response times; None where no request was answered."""
        times = self.load.response
        return latencies(times, confidence=self.goal.confidence) if len(times) else None

    @property
    def p99(self) -> Percentile | None:
        """Of response times."""
        return None if self.latencies is None else self.latencies["p99"]

    @property
    def errors(self) -> float:
        """The share of requests that were not answered."""
        return self.load.share_failed

    @property
    def kept_up(self) -> float:
        """The share of requests that were answered before the load was over, or a limit later.

        An engine that cannot keep up has a queue, which is there when the load is over.
        """
        in_time = self.load.done <= self.load.seconds + self.goal.p99
        wanted = len(in_time) + self.load.generator.unsent
        return float((in_time & self.load.answered).sum()) / wanted if wanted else 0.0

    @cached_property
    def broken(self) -> tuple[str, ...]:
        """What the rate did not keep: "p99", "errors", "throughput"."""
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
        """Whether the rate kept all of it."""
        return not self.broken

    @property
    def saturated(self) -> bool:
        """Whether the engine could not keep up, so that higher rates only make longer queues."""
        return "throughput" in self.broken

    @property
    def uncertain(self) -> bool:
        """Whether chance may have decided: the limit lies within the interval of p99."""
        if self.p99 is None or {"errors", "throughput"} & set(self.broken):
            return False
        low, high = self.p99.low, self.p99.high
        return (low is None or low <= self.goal.p99) and (high is None or high > self.goal.p99)


@dataclass(frozen=True)
class Knee:
    """Between which rates the knee is. All were tried."""

    rate: float | None  # the highest that kept the goal, below all that did not; None where none
    broken: float | None  # the lowest that did not keep it; None where all did
    low: float | None  # the highest that kept it beyond doubt
    high: float | None  # the lowest that broke it beyond doubt
    uncertain: tuple[float, ...] = ()  # rates at which chance may have decided
    above: tuple[float, ...] = ()  # rates that kept it, although lower ones did not

    @property
    def found(self) -> bool:
        """Whether a higher rate broke what this one kept: else it is only a bound."""
        return self.rate is not None and self.broken is not None


def knee(steps: Sequence[Step]) -> Knee:
    """The knee that the rates of a sweep show, in any order.

    Where a rate breaks the goal and a higher one keeps it, the knee is below both.
    """
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

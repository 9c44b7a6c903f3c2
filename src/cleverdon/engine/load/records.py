"""What was asked of an engine when, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite
from typing import Literal

import numpy as np

from cleverdon.arrays import Bools, Floats, Ints
from cleverdon.engine.failures import KINDS
from cleverdon.engine.protocol import Results
from cleverdon.errors import OptionError, check_count, check_seed, check_word

FAILURES = tuple(KINDS)
"""What the numbers in `Load.failed` stand for."""
TIMEOUT = FAILURES.index("timeout")


@dataclass(frozen=True)
class OpenLoop:
    """Requests arrive when they arrive, whether or not earlier ones are answered: as users do."""

    rate: float  # requests a second
    arrivals: Literal["poisson", "constant"] = "poisson"
    seed: int = 0
    loop = "open"

    def __post_init__(self) -> None:
        check_word("arrivals", self.arrivals, ("poisson", "constant"))
        check_seed(self.seed)
        if not isfinite(self.rate) or self.rate <= 0:
            raise OptionError(f"rate={self.rate!r}: expected requests a second, above 0")


@dataclass(frozen=True)
class ClosedLoop:
    """Each of some clients asks again as soon as it is answered, and so waits out every stall."""

    clients: int = 1
    seed: int = 0
    loop = "closed"

    def __post_init__(self) -> None:
        check_count("clients", self.clients)
        check_seed(self.seed)


Pattern = OpenLoop | ClosedLoop


@dataclass(frozen=True)
class Generator:
    """How well requests were sent: what the sender itself may have spoilt."""

    lag: Mapping[str, float]  # seconds from the intended to the real sending: p50, p99, max
    cpu: float  # share of one core that this process used, an engine within it included
    in_process: bool  # whether the engine works in this very process
    cut_off: int = 0  # requests that were still under way when waiting for them was given up
    unsent: int = 0  # requests that were never sent, because too many were under way


@dataclass(frozen=True, eq=False)
class Load:
    """Requests in the order of their intended times, in seconds since the load began.

    Response time runs from the intended time: what a user waits. Service time runs from the real
    sending, and hides how long requests waited behind a stall.
    """

    pattern: Pattern
    queries: tuple[str, ...]
    query: Ints  # which of the queries each request asked
    intended: Floats
    sent: Floats
    done: Floats
    failed: Ints  # an index into FAILURES; -1 where there was an answer
    seconds: float  # how long requests were sent for
    generator: Generator
    answers: Mapping[int, Results] = field(default_factory=dict)  # the first of each query
    messages: Mapping[str, str] = field(default_factory=dict)  # the first failure of each kind
    topics: tuple[str, ...] | None = None  # the ids of the queries, where they have any

    @cached_property
    def answered(self) -> Bools:
        """Which requests had an answer."""
        return np.asarray(self.failed < 0)

    @cached_property
    def timed(self) -> Bools:
        """Which requests count for percentiles: answers, and time-outs at the least they took.

        Without the latter, the slowest requests would make an engine look faster. A request that
        was refused at once says nothing of how long answers take; it is an error.
        """
        return np.asarray((self.failed < 0) | (self.failed == TIMEOUT))

    @cached_property
    def response(self) -> Floats:
        """Seconds from the intended sending to the end, of requests that are timed."""
        return np.asarray((self.done - self.intended)[self.timed])

    @cached_property
    def service(self) -> Floats:
        """Seconds from the real sending to the end, of requests that are timed."""
        return np.asarray((self.done - self.sent)[self.timed])

    @property
    def throughput(self) -> float:
        """Answers a second while requests were sent: what came later is not for the engine's rate.

        Where none came until then, over the time up to the last of them.
        """
        ends = self.done[self.answered]
        within = int((ends <= self.seconds).sum())
        if within and self.seconds > 0:
            return within / self.seconds
        last = float(ends.max(initial=0.0))
        return len(ends) / last if last > 0 else 0.0

    @property
    def share_failed(self) -> float:
        """The share of requests that were not answered."""
        return 1 - float(self.answered.mean()) if len(self.answered) else 0.0

    def errors(self) -> dict[str, int]:
        """How many requests failed, by kind."""
        counts = np.bincount(self.failed[self.failed >= 0], minlength=len(FAILURES))
        return {kind: int(n) for kind, n in zip(FAILURES, counts, strict=True) if n}

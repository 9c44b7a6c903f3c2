"""Results of load tests: their base class, and one load with its percentiles and validity.

A response time runs from the intended sending, so it includes the sender's own lag; a service time
does not. If the engine works in the sender's process, the lag of the two cannot be separated: it
counts as the engine's, and a note says so.

A percentile is the smallest time that at least so large a share of the requests stay within: an
order statistic, as an HdrHistogram holds it (1 µs to 1 h, to 3 significant digits). Its interval is
between two other order statistics. A stall slows down all requests that come while it lasts, so the
sample counts for less than its size, n / deff: see `design_effect` (stats/intervals.py). Where too
few requests are above the percentile, one end of the interval is unknown, and None.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from math import nan
from typing import Any, ClassVar

import numpy as np

from cleverdon._common.arrays import Bools, Floats, Ints
from cleverdon._common.extras import require
from cleverdon._common.text import counted, printable
from cleverdon.engines.load import cells
from cleverdon.engines.load.workload import OpenLoop, Pattern
from cleverdon.engines.protocol import FAILURE_KINDS, Engine, Results
from cleverdon.errors import OptionError, check_within
from cleverdon.stats.intervals import design_effect, quantile_ranks
from cleverdon.tables.numbers import format_rate, format_seconds
from cleverdon.tables.result import Result, as_json, in_json
from cleverdon.tables.sections import Section, count_format
from cleverdon.tables.table import TextTable

_HDR_LONGEST = 3_600_000_000  # µs
_HDR_DIGITS = 3
_HDR_PRECISION = 1e-3  # the relative error of a value; below a millisecond it is a microsecond

HDR_LOG_HEADER = (
    "#[Histogram log format version 1.3]\n"
    '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"\n'
)
"""The first lines of a histogram log."""


@dataclass(frozen=True, eq=False)
class Histogram:
    """Times, as an HdrHistogram holds them."""

    held: Any  # hdrh's own
    longest: float  # seconds, not rounded

    @classmethod
    def of(cls, seconds: Floats) -> Histogram:
        """Round times to microseconds; more than an hour counts as an hour."""
        purpose = "a histogram of response times"
        hdrh = require("hdrh.histogram", purpose, package="hdrhistogram", extra="engine")
        held = hdrh.HdrHistogram(1, _HDR_LONGEST, _HDR_DIGITS)
        rounded = np.clip(np.rint(seconds * 1e6), 0, _HDR_LONGEST).astype(np.int64)
        # Of the binary digits of a value it keeps the first 11. Without the others there are few
        # values to record; all of them, one at a time, would take as long as some loads do.
        dropped = np.maximum(np.frexp(rounded)[1] - held.sub_bucket_half_count_magnitude - 1, 0)
        rounded = rounded >> dropped << dropped
        for value, count in zip(*np.unique(rounded, return_counts=True), strict=True):
            held.record_value(int(value), int(count))
        return cls(held, float(np.max(seconds, initial=0.0)))

    @cached_property
    def _up_to(self) -> Ints:
        counts = np.frombuffer(self.held.counts, dtype=np.uint64)
        return np.cumsum(counts.astype(np.int64))

    def at_rank(self, rank: int) -> float:
        """Return the time at a rank, from 1, as exactly as the histogram knows it."""
        # hdrh's own percentiles round ranks to the nearest. A time that 99% of the requests stay
        # within is at the next rank above, which is how HdrHistogram defines it elsewhere.
        place = int(np.searchsorted(self._up_to, rank))
        value = self.held.get_highest_equivalent_value(self.held.get_value_from_index(place))
        return min(int(value) / 1e6, self.longest)

    def encoded(self) -> str:
        """The histogram in base64 (V2, compressed), its values in microseconds."""
        return str(self.held.encode(), "ascii")

    def log_line(self, *, start: float, seconds: float, tag: str = "") -> str:
        """Write a line of a histogram log: start, length, the longest time in ms, the histogram."""
        name = f"Tag={tag}," if tag else ""
        return f"{name}{start:.3f},{seconds:.3f},{self.longest * 1000:.3f},{self.encoded()}\n"


_PERCENTILES = {"p50": 5000, "p90": 9000, "p95": 9500, "p99": 9900, "p99.9": 9990, "p99.99": 9999}
"""Shares of the requests, in ten-thousandths, so that ranks are computed without rounding."""

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Percentile:
    """One percentile, in seconds."""

    name: str = field(metadata=in_json(None))
    value: float
    low: float | None  # None where too few requests lie on that side to know
    high: float | None
    design_effect: float = 1.0

    @property
    def known(self) -> bool:
        """True if there is an upper limit; without one the value may be far too low."""
        return self.high is not None


@dataclass(frozen=True)
class Latencies:
    """Percentiles, mean and maximum of times, in seconds."""

    percentiles: tuple[Percentile, ...]
    mean: float
    max: float
    count: int
    confidence: float = CONFIDENCE  # of the intervals

    def __getitem__(self, name: str) -> Percentile:
        for percentile in self.percentiles:
            if percentile.name == name:
                return percentile
        raise KeyError(name)

    def to_dict(self) -> dict[str, Any]:
        return {
            "count": self.count,
            "mean": self.mean,
            "max": self.max,
            "confidence": self.confidence,
            "percentiles": {one.name: as_json(one) for one in self.percentiles},
        }


def latencies(seconds: Floats, *, confidence: float = CONFIDENCE) -> Latencies:
    """Return the percentiles of times, which are in the order of sending."""
    check_within("confidence", confidence, 0, 1)
    if not len(seconds):
        raise OptionError("there are no times to take percentiles of: no request was answered")
    histogram = Histogram.of(seconds)
    return Latencies(
        percentiles=tuple(
            _percentile_with_interval(name, share, seconds, histogram, confidence)
            for name, share in _PERCENTILES.items()
        ),
        mean=float(np.mean(seconds)),
        max=float(np.max(seconds)),
        count=len(seconds),
        confidence=confidence,
    )


def _percentile_with_interval(
    name: str, share: int, seconds: Floats, histogram: Histogram, confidence: float
) -> Percentile:
    count = len(seconds)
    value = histogram.at_rank(_percentile_rank(share, count))
    effect, degrees = design_effect(seconds > value)
    low, high = quantile_ranks(
        share / 10_000, count, effect, degrees=degrees, confidence=confidence
    )
    return Percentile(
        name,
        value,
        None if low is None else histogram.at_rank(low),
        None if high is None else histogram.at_rank(high),
        effect,
    )


def _percentile_rank(share: int, count: int) -> int:
    """Return the lowest rank, from 1, that covers this many ten-thousandths of the requests."""
    return max(1, -(-count * share // 10_000))


def percentile_of(times: Floats, name: str) -> float:
    """A percentile, as p99, of sorted times as they are; NaN where there are none."""
    return float(times[_percentile_rank(_PERCENTILES[name], len(times)) - 1]) if len(times) else nan


FAILURES = tuple(FAILURE_KINDS)  # the kinds of failures by their numbers in `Load.failed`
TIMEOUT = FAILURES.index("timeout")


class LoadTest(Result, ABC):
    """The result of a load test, whatever its mode."""

    mode: ClassVar[str]  # its name, and its key in JSON

    @property
    @abstractmethod
    def loads(self) -> Sequence[Load]:
        """The loads on the engine, or on the first of two engines."""

    @property
    def tagged_loads(self) -> Sequence[tuple[str, Load]]:
        """All loads, each with its tag in a histogram log."""
        return [("", load) for load in self.loads]

    @property
    def costed_loads(self) -> Sequence[Load]:
        """The loads of which percentiles, throughput and errors are the engine's costs."""
        return self.loads

    @property
    @abstractmethod
    def not_valid(self) -> tuple[str, ...]: ...

    @property
    def interrupted(self) -> bool:
        """True if Ctrl-C ended it early, as far as the result itself can tell."""
        return False

    @abstractmethod
    def describe(self, system: str) -> str:
        """Return the system and its load on one line."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]: ...


@dataclass(frozen=True)
class Generator:
    """The quality of sending: lag, processor use, requests that were lost."""

    lag: Mapping[str, float]  # seconds from the intended to the real sending: p50, p99, max
    cpu: float  # share of one core that this process used, an engine within it included
    in_process: bool  # whether the engine works in this very process
    cut_off: int = 0  # requests that had not ended when waiting for them was given up
    unsent: int = 0  # requests that were never sent, because too many were in flight


@dataclass(frozen=True, eq=False)
class Load(LoadTest):
    """Requests in the order of their intended times, in seconds since the load began."""

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
    query_ids: tuple[str, ...] | None = None  # where the queries have any
    confidence: float = CONFIDENCE  # of the intervals of percentiles

    mode = "load"

    @property
    def loads(self) -> Sequence[Load]:
        return [self]

    @cached_property
    def answered(self) -> Bools:
        return np.asarray(self.failed < 0)

    @cached_property
    def timed(self) -> Bools:
        """The requests that percentiles are of: answers, and time-outs at the least they took."""
        # Without time-outs, the slowest requests would make an engine look faster. A request that
        # was refused at once says nothing of how long answers take.
        return np.asarray((self.failed < 0) | (self.failed == TIMEOUT))

    @cached_property
    def response(self) -> Floats:
        """Seconds from the intended sending to the end, of requests that are timed."""
        return np.asarray((self.done - self.intended)[self.timed])

    @cached_property
    def service(self) -> Floats:
        """Seconds from the real sending to the end, of requests that are timed."""
        return np.asarray((self.done - self.sent)[self.timed])

    @cached_property
    def latencies(self) -> Latencies | None:
        """The percentiles of response times; None if there are no times."""
        return latencies(self.response, confidence=self.confidence) if len(self.response) else None

    @property
    def throughput(self) -> float:
        """Answers a second while requests were sent, or until the last if none came in time."""
        ends = self.done[self.answered]
        within = int((ends <= self.seconds).sum())
        if within and self.seconds > 0:
            return within / self.seconds
        last = float(ends.max(initial=0.0))
        return len(ends) / last if last > 0 else 0.0

    @property
    def share_failed(self) -> float:
        return 1 - float(self.answered.mean()) if len(self.answered) else 0.0

    def errors(self) -> dict[str, int]:
        counts = np.bincount(self.failed[self.failed >= 0], minlength=len(FAILURES))
        return {kind: int(n) for kind, n in zip(FAILURES, counts, strict=True) if n}

    @cached_property
    def not_valid(self) -> tuple[str, ...]:
        return tuple(_validity_problems(self))

    def notes(self) -> list[str]:
        """Return what to know about a load that is valid all the same."""
        found = []
        if left := _growing_queue(self):
            found.append(
                f"the engine did not keep up: {left:,} requests were still under way when the last "
                "was sent, so that the longer the load, the longer the times"
            )
        if self.generator.in_process:
            late = self.generator.lag["max"] * 1000
            found.append(
                "the engine works in the process that sends the requests: they share the "
                f"processor, and what it holds up (requests were sent up to {late:.3g} ms late) "
                "counts as the engine's"
            )
        return found

    def describe(self, system: str) -> str:
        return (
            f"{printable(system)}: {self.pattern.describe()}, for {format_seconds(self.seconds)}: "
            f"{counted(len(self.intended), 'request')}"
        )

    def sections(self, *, exact: bool = False) -> Sequence[Section]:
        tables = [
            Section("requests", self._requests(exact=exact)),
            Section("generator", self._generator(exact=exact)),
        ]
        if self.latencies is not None:
            table = self._percentiles(self.latencies, exact=exact)
            tables.insert(0, Section("percentiles", table))
        return tables

    def closing(self) -> Sequence[str]:
        failures = [
            f"{kind}: {FAILURE_KINDS[kind]}"
            + (f"; the first: {printable(self.messages[kind])}" if kind in self.messages else "")
            for kind in self.errors()
        ]
        found = self.latencies.percentiles if self.latencies is not None else ()
        unknown = [one.name for one in found if not one.known]
        if not unknown:
            return failures
        *others, last = unknown
        names = f"{', '.join(others)} and {last}" if others else last
        return [
            f"Too few independent requests for {names}: the true value may be far higher. A "
            "longer load is needed.",
            *failures,
        ]

    def to_dict(self) -> dict[str, Any]:
        service = None
        if len(self.service):
            service = latencies(self.service, confidence=self.confidence).to_dict()
        return {
            "requests": len(self.intended),
            "answered": int(self.answered.sum()),
            "seconds": self.seconds,
            "throughput": self.throughput,
            "errors": self.errors(),
            "messages": dict(self.messages),
            "response": None if self.latencies is None else self.latencies.to_dict(),
            "service": service,
            "generator": asdict(self.generator),
        }

    def _percentiles(self, response: Latencies, *, exact: bool) -> TextTable:
        write = cells.exact_number if exact else format_seconds
        service = latencies(self.service, confidence=self.confidence)
        rows = [
            [
                one.name,
                write(one.value),
                *cells.interval(one.low, one.high, format_seconds, exact=exact),
                write(service[one.name].value),
            ]
            for one in response.percentiles
        ]
        no_interval = [""] * (2 if exact else 1)
        rows += [
            ["longest", write(response.max), *no_interval, write(service.max)],
            ["mean", write(response.mean), *no_interval, write(service.mean)],
        ]
        header = [
            *("percentile", "response time"),
            *cells.interval_header(self.confidence, exact=exact),
            "service time",
        ]
        notes = [
            "response time: from when a request was to be sent, as users wait",
            "service time: from when it was really sent, without the sender's own lag",
        ]
        return TextTable(header, rows, 1, [], notes)

    def _requests(self, *, exact: bool) -> TextTable:
        count = count_format(exact=exact)
        rate, share = (
            (cells.exact_number, cells.exact_number) if exact else (format_rate, cells.share)
        )
        sent = len(self.intended)
        answered = int(self.answered.sum())
        rows = [
            ["sent", count(sent), ""],
            ["answered", count(answered), share(answered / sent) if sent else ""],
            ["throughput", rate(self.throughput), ""],
            *(
                [f"failed: {kind}", count(failed), share(failed / sent)]
                for kind, failed in self.errors().items()
            ),
        ]
        return TextTable(["requests", "value", "share"], rows, 1, [])

    def _generator(self, *, exact: bool) -> TextTable:
        count, write = count_format(exact=exact), cells.exact_number if exact else format_seconds
        generator = self.generator
        rows = [
            ["lag p50", write(generator.lag["p50"])],
            ["lag p99", write(generator.lag["p99"])],
            ["longest lag", write(generator.lag["max"])],
            [
                "CPU",
                cells.exact_number(generator.cpu) if exact else f"{generator.cpu:.0%} of a core",
            ],
        ]
        if generator.cut_off:
            rows.append(["never ended", count(generator.cut_off)])
        if generator.unsent:
            rows.append(["never sent", count(generator.unsent)])
        return TextTable(["generator", "value"], rows, 1, [])


_MAX_LAG = 0.025  # seconds that 99% of the requests may be sent late at most
_MAX_LAG_SHARE = 0.1
"""Requests may be sent later than MAX_LAG up to this share of the p99 response time."""
SENDER_SHARE, SENDER_LEAST = 0.5, 0.002
"""From this share on, and this many seconds, the p99 is the sender's rather than the engine's."""
_MAX_CPU = 0.9
"""The share of a core above which requests and answers are likely to have waited for us."""
QUEUE_SHARE, QUEUE_GROWTH = 0.05, 1.2
"""From this share of requests on, and where each fifth of them took longer than the one before and
the last so many times as long as the first, what is under way at the end is a queue that grows."""
_MIN_RATE_SHARE = 0.98
"""The share of the intended rate that has to be reached: of all requests, sent while it lasted."""

_MOST_IN_FLIGHT = 20_000
_SPARE_FILES = 200


def sender_quality(
    lag: Floats, *, cpu: float, in_process: bool, cut_off: int, unsent: int
) -> Generator:
    p50, p99 = np.quantile(lag, (0.5, 0.99), method="inverted_cdf") if len(lag) else (0.0, 0.0)
    return Generator(
        lag={"p50": float(p50), "p99": float(p99), "max": float(lag.max(initial=0.0))},
        cpu=cpu,
        in_process=in_process,
        cut_off=cut_off,
        unsent=unsent,
    )


def connection_limit(engine: Engine) -> int:
    """Return the number of requests that can be in flight: each may need an open file."""
    if engine.in_process:
        return _MOST_IN_FLIGHT
    try:
        from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit
    except ImportError:  # not on Windows
        return _MOST_IN_FLIGHT
    files = getrlimit(RLIMIT_NOFILE)[0]
    return (
        _MOST_IN_FLIGHT
        if files == RLIM_INFINITY
        else max(1, min(_MOST_IN_FLIGHT, files - _SPARE_FILES))
    )


def _validity_problems(load: Load) -> list[str]:
    generator = load.generator
    found = []
    if not len(load.response):
        found.append("no request was answered: there are no times")
    if generator.unsent:
        found.append(
            f"{len(load.intended):,} requests were sent, and {generator.unsent:,} were not: too "
            "many were under way at once; lower the rate, or allow more (most_in_flight, ulimit -n)"
        )
    if generator.cut_off:
        found.append(f"{generator.cut_off:,} requests did not end at their time-out")
    if generator.in_process:
        return found
    if isinstance(load.pattern, OpenLoop) and len(load.response):
        found += _lag_problems(load)
    if generator.cpu > _MAX_CPU:
        found.append(
            f"the sender used {generator.cpu:.0%} of a core, and at most {_MAX_CPU:.0%} is safe: "
            "it may have slowed answers down"
        )
    return found


def _growing_queue(load: Load) -> int:
    """Count the requests in flight at the end, if the engine got slower and slower."""
    times = load.done - load.intended
    left = int((load.done > load.seconds).sum())
    if not isinstance(load.pattern, OpenLoop) or len(times) < 50 or left < QUEUE_SHARE * len(times):
        return 0
    middles = np.array([np.median(fifth) for fifth in np.array_split(times, 5)])
    # All of them: a stall at the end of a load is no queue that grew.
    rising = (np.diff(middles) >= 0).all() and middles[-1] > QUEUE_GROWTH * middles[0]
    return left if rising else 0


def _lag_problems(load: Load) -> list[str]:
    late = load.generator.lag["p99"]
    response, service = (
        float(np.quantile(times, 0.99, method="inverted_cdf"))
        for times in (load.response, load.service)
    )
    allowed = max(_MAX_LAG, _MAX_LAG_SHARE * response)
    found = []
    if late > allowed:
        found.append(
            f"1% of the requests were sent {late * 1000:.3g} ms late or more, and "
            f"{allowed * 1000:.3g} ms is allowed: the sender did not keep up"
        )
    elif response - service > max(SENDER_LEAST, SENDER_SHARE * response):
        found.append(
            f"of the p99 of {response * 1000:.3g} ms, {(response - service) * 1000:.3g} ms are the "
            "sender's own lag: the engine is too fast to be measured this way"
        )
    within = float((load.sent <= load.intended[-1] + allowed).mean())
    if within < _MIN_RATE_SHARE:
        found.append(
            f"requests were sent at {within:.1%} of the intended rate, and {_MIN_RATE_SHARE:.0%} "
            "is needed: the sender did not keep up"
        )
    return found

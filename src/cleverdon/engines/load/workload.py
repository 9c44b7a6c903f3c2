"""The workload of a load test: its options, arrival pattern, send times and mix of queries.

All times are decided before the first request is sent. Arrivals and queries are drawn from one seed
in streams of their own, so that they are independent.
"""

from __future__ import annotations

import csv
import ipaddress
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Any, Literal
from urllib.parse import urlsplit

import numpy as np

from cleverdon._common.arrays import Floats, Ints
from cleverdon._common.text import counted
from cleverdon.engines.protocol import Engine
from cleverdon.errors import (
    InputError,
    OptionError,
    UsageError,
    check_count,
    check_seed,
    check_word,
)
from cleverdon.formats.streams import decode_lines, name_of_stream, open_unpacked
from cleverdon.formats.texts import check_file_exists
from cleverdon.tables.numbers import format_rate


@dataclass(frozen=True)
class OpenLoop:
    """Requests at their own times, whether or not earlier ones are answered: as users do."""

    rate: float  # requests a second
    arrivals: Literal["poisson", "constant"] = "poisson"
    seed: int = 0
    loop = "open"

    def __post_init__(self) -> None:
        check_word("arrivals", self.arrivals, ("poisson", "constant"))
        check_seed(self.seed)
        if not isfinite(self.rate) or self.rate <= 0:
            raise OptionError(f"rate={self.rate!r}: expected requests a second, above 0")

    def describe(self) -> str:
        return f"{format_rate(self.rate)} ({self.describe_loop()})"

    def describe_loop(self) -> str:
        return f"open loop, {'Poisson' if self.arrivals == 'poisson' else 'constant'} arrivals"


@dataclass(frozen=True)
class ClosedLoop:
    """Each of some clients asks again as soon as it is answered, and so waits out every stall."""

    clients: int = 1
    seed: int = 0
    loop = "closed"

    def __post_init__(self) -> None:
        check_count("clients", self.clients)
        check_seed(self.seed)

    def describe(self) -> str:
        return f"{counted(self.clients, 'client')} ({self.describe_loop()})"

    def describe_loop(self) -> str:
        return "closed loop"


Pattern = OpenLoop | ClosedLoop
_MOST_ARRIVALS = 20_000_000  # no load has more requests: their times alone would fill a gigabyte

_ARRIVALS_BLOCK = 1 << 16
_ARRIVALS_STREAM = 1  # arrivals and queries have streams of their own: they are independent


def intended_times(
    pattern: OpenLoop,
    *,
    seconds: float | None = None,
    requests: int | None = None,
    stream: int = _ARRIVALS_STREAM,
) -> Floats:
    """Return the seconds after the start at which each request is to be sent.

    A longer load begins with the times of a shorter one; at twice the rate, all times are halved.

    >>> intended_times(OpenLoop(4, "constant"), seconds=1)
    array([0.  , 0.25, 0.5 , 0.75])
    """
    check_load_length(seconds, requests)
    many = requests if requests is not None else pattern.rate * (seconds or 0.0)
    if many > _MOST_ARRIVALS:
        raise OptionError(
            f"{many:,.0f} requests are more than the {_MOST_ARRIVALS:,} that one load can hold; "
            "lower the rate, or shorten the load"
        )
    if pattern.arrivals == "constant":
        # One more than can fit, so that the comparison below decides and not a rounding.
        times = np.arange(int(many) + 2, dtype=np.float64) / pattern.rate
    else:
        times = _poisson(pattern, seconds, requests, stream)
    if seconds is not None:
        times = times[times < seconds]
    return times[:requests]


def _poisson(pattern: OpenLoop, seconds: float | None, requests: int | None, stream: int) -> Floats:
    random = np.random.default_rng([pattern.seed, stream])
    blocks: list[Floats] = []
    last, drawn = 0.0, 0
    # Blocks of one size whatever is asked for: their sums, and so the times, never differ.
    while (requests is None or drawn < requests) and (seconds is None or last < seconds):
        gaps = random.exponential(size=_ARRIVALS_BLOCK) / pattern.rate
        blocks.append(last + np.cumsum(gaps))
        last, drawn = float(blocks[-1][-1]), drawn + _ARRIVALS_BLOCK
    return np.concatenate(blocks)


def check_load_length(seconds: float | None, requests: int | None) -> None:
    """Raise an OptionError unless a load has an end."""
    if seconds is None and requests is None:
        raise OptionError("a load needs an end: give seconds, requests, or both")
    if requests is not None:
        check_count("requests", requests)
    if seconds is not None:
        check_seconds("seconds", seconds)


def check_seconds(option: str, value: float, *, zero: bool = False) -> None:
    """Raise an OptionError unless the value is a time that passes."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)
    if not number or value < 0 or (value == 0 and not zero):
        least = "from 0 on" if zero else "above 0"
        raise OptionError(f"{option}={value!r}: expected seconds, {least}")


_QUERIES_BLOCK = 1 << 12
_BYTE_ORDER = b"\xef\xbb\xbf"
_QUERIES_STREAM, _ORDER_STREAM = 2, 3


@dataclass(frozen=True, eq=False)
class Mix:
    """Queries with their shares of the traffic.

    >>> mix = Mix.of({"q1": "solar power", "q2": "wind power"}, traffic={"solar power": 3})
    >>> mix.texts, mix.ids, mix.left_out
    (('solar power',), ('q1',), 1)
    """

    texts: tuple[str, ...]
    shares: Floats  # they sum to 1
    ids: tuple[str, ...] | None = None  # of the queries that the texts are of
    left_out: int = 0  # queries that were given, and that the traffic has nothing of

    @classmethod
    def of(cls, queries: Mapping[str, str] | Iterable[str], *, traffic: Any = None) -> Mix:
        """Make a mix of queries: all alike, or as often as the traffic has them, if it does."""
        if isinstance(queries, Mapping):
            ids: tuple[str, ...] | None = tuple(map(str, queries))
            texts = tuple(queries.values())
        else:
            ids, texts = None, tuple(queries)
        if not texts:
            raise InputError("there are no queries to ask")
        if traffic is None:
            return cls(texts, np.full(len(texts), 1 / len(texts)), ids)
        counted: dict[str, float] = {}
        for text, count in _traffic_counts(traffic).items():
            counted[_folded(text)] = counted.get(_folded(text), 0.0) + count
        counts = np.array([counted.get(_folded(text), 0.0) for text in texts])
        asked = np.flatnonzero(counts)
        if not len(asked):
            raise InputError(
                f"the traffic has none of the {len(texts)} queries; it has {next(iter(counted))!r},"
                f" and the first query is {texts[0]!r}"
            )
        return cls(
            tuple(texts[place] for place in asked),
            counts[asked] / counts.sum(),
            None if ids is None else tuple(ids[place] for place in asked),
            left_out=len(texts) - len(asked),
        )

    @classmethod
    def of_traffic(cls, traffic: Any) -> Mix:
        """Make a mix of all queries of the traffic: a dict of counts, or a file of them."""
        counts = _traffic_counts(traffic)
        weights = np.array(list(counts.values()))
        return cls(tuple(counts), weights / weights.sum())

    def drawn(self, count: int, *, seed: int, stream: int = _QUERIES_STREAM) -> Ints:
        """Draw the query of each request; more requests begin with the queries of fewer."""
        blocks = self._blocks(seed, stream)
        needed = -(-count // _QUERIES_BLOCK)
        found = [next(blocks) for _ in range(needed)]
        return np.concatenate(found)[:count] if found else np.zeros(0, dtype=np.int64)

    def endless(self, *, seed: int, stream: int = _QUERIES_STREAM) -> Iterator[int]:
        for block in self._blocks(seed, stream):
            yield from block.tolist()

    def each_once(self, *, seed: int | None = None) -> Ints:
        """Return every query once: in order, or shuffled."""
        if seed is None:
            return np.arange(len(self.texts))
        return np.random.default_rng([seed, _ORDER_STREAM]).permutation(len(self.texts))

    def _blocks(self, seed: int, stream: int) -> Iterator[Ints]:
        random = np.random.default_rng([seed, stream])
        while True:
            yield np.searchsorted(self._upper, random.random(_QUERIES_BLOCK), side="right")

    @cached_property
    def _upper(self) -> Floats:
        upper = np.cumsum(self.shares)
        upper[-1] = 1.0  # whatever the rounding: there is always a query
        return upper


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _traffic_counts(traffic: Any) -> dict[str, float]:
    if isinstance(traffic, Mapping):
        source = ""
        rows: Iterable[tuple[int | None, str, Any]] = (
            (None, str(text), count) for text, count in traffic.items()
        )
    elif isinstance(traffic, (str, os.PathLike)):
        path = os.fspath(traffic)
        check_file_exists(path)
        source = name_of_stream(path)
        rows = _traffic_rows(path, source)
    else:
        raise InputError(
            f"{type(traffic).__name__!r} cannot be read as traffic: give a file of queries and "
            "counts, or a dict of them"
        )
    counts: dict[str, float] = {}
    for line, text, given in rows:
        count = _parse_count(given)
        if count is None:
            raise InputError(
                f"the count of {text!r} is {given!r}; expected a number from 0 on",
                source=source,
                line=line,
            )
        if count:
            counts[text] = counts.get(text, 0.0) + count
    if not counts:
        raise InputError("there is no query with a count above 0", source=source)
    return counts


def _parse_count(given: Any) -> float | None:
    try:
        count = float(given)
    except (TypeError, ValueError):
        return None
    return count if isfinite(count) and count >= 0 else None


def _traffic_rows(path: str, source: str) -> Iterator[tuple[int, str, str]]:
    """Line, query and count of each row; a header is passed over."""
    with open_unpacked(path) as stream:
        first = stream.peek(1 << 16).split(b"\n", 1)[0]
        tabs = b"\t" in first
        if first.startswith(_BYTE_ORDER):
            stream.read(len(_BYTE_ORDER))
        lines = decode_lines(stream, source=source)
        reader = csv.reader(
            lines,
            delimiter="\t" if tabs else ",",
            # Queries of people have quotes that are never closed; a comma within needs them.
            quoting=csv.QUOTE_NONE if tabs else csv.QUOTE_MINIMAL,
        )
        began = False
        try:
            for cells in reader:
                if not any(map(str.strip, cells)):
                    continue
                if len(cells) != 2 or not cells[0].strip():
                    raise InputError(
                        "expected a query and its count, separated by a tab or a comma; found "
                        f"{(chr(9) if tabs else ',').join(cells)[:60]!r}",
                        source=source,
                        line=reader.line_num,
                    )
                header = not began and cells[1].strip()[:1].isalpha()
                began = True
                if not header:
                    yield reader.line_num, cells[0].strip(), cells[1].strip()
        except csv.Error as error:
            raise InputError(str(error), source=source, line=reader.line_num) from None


_MOST_REQUESTS = 20_000_000
_MOST_RATE = 100_000  # requests a second; no sender of this kind comes near
_LONGEST_LOAD = 7 * 24 * 3600.0
_MOST_CLIENTS = 10_000
_HIDDEN = ("engine", "before_cold", "pid")
"""Not in results: a command may hold a password, and a process number says nothing later."""
_NAMES_IN_RESULTS = {"blocks": "pairs", "rate_precision": "precision"}
"""Names that differ in results, which programs read: they stay as they were."""
_SETTLING = 0.5  # seconds of load before each block of a comparison, for the count of requests


@dataclass(frozen=True)
class SweepOptions:
    """A load at one rate after the other, to find the highest that keeps the limits.

    >>> SweepOptions((50, 100, 200), limit_p99=0.05).limit_errors
    0.01
    """

    rates: tuple[float, ...]
    limit_p99: float = 0.1  # seconds
    limit_errors: float = 0.01  # share of requests
    rate_precision: float | None = None  # bisect until the rates around the knee differ by it


@dataclass(frozen=True)
class VersusOptions:
    """A second engine under the same load, block by block.

    >>> VersusOptions("sqlite:old.db", blocks=20).block
    5.0
    """

    engine: Any
    blocks: int = 10  # blocks of each engine
    block: float = 5.0  # seconds


@dataclass(frozen=True)
class ColdOptions:
    """Each query once with cold caches and once with warm ones.

    >>> ColdOptions("systemctl restart search", repetitions=3).repetitions
    3
    """

    before_cold: str | None = None  # a shell command that empties the caches
    repetitions: int = 1


@dataclass(frozen=True)
class SoakOptions:
    """One long load in windows, to find drift.

    >>> SoakOptions(window=60.0).window
    60.0
    """

    window: float | None = None  # seconds; by default a thirtieth of the load
    pid: int | None = None  # the engine's process, whose memory is watched


Mode = SweepOptions | VersusOptions | ColdOptions | SoakOptions


@dataclass(frozen=True, kw_only=True)
class LoadOptions:
    """The load of a bench: requests, time, and what to do with it."""

    mode: Mode | None = None
    rate: float = 30.0
    arrivals: Literal["poisson", "constant"] = "poisson"
    clients: int | None = None
    seconds: float = 30.0
    warmup: float = 5.0
    k: int = 10
    timeout: float = 10.0
    seed: int = 0
    level: float = 0.05
    confidence: float = 0.95

    @property
    def rates(self) -> tuple[float, ...]:
        return self.mode.rates if isinstance(self.mode, SweepOptions) else (self.rate,)

    @property
    def is_cold(self) -> bool:
        return isinstance(self.mode, ColdOptions)

    @property
    def pattern(self) -> Pattern:
        if self.clients:
            return ClosedLoop(self.clients, self.seed)
        return OpenLoop(self.rate, self.arrivals, self.seed)

    @property
    def length(self) -> dict[str, Any]:
        names = ("seconds", "warmup", "k", "timeout", "confidence")
        return {name: getattr(self, name) for name in names}

    @property
    def requests(self) -> int | None:
        """The approximate number of requests; None if it is unknown."""
        if self.is_cold or self.clients:
            return None
        lasting = self.seconds + self.warmup
        if isinstance(self.mode, VersusOptions):
            lasting = 2 * (self.mode.blocks * (self.mode.block + _SETTLING) + self.warmup)
        return round(sum(self.rates) * lasting)

    def check(self) -> None:
        """Raise a UsageError unless one sender can send this load in sensible time."""
        fastest, slowest = max(self.rates), min(self.rates)
        if fastest > _MOST_RATE:
            raise UsageError(
                f"{fastest:,.0f} requests a second are more than one sender can send; "
                f"{_MOST_RATE:,} at most"
            )
        if (self.clients or 0) > _MOST_CLIENTS:
            raise UsageError(f"{self.clients:,} clients; {_MOST_CLIENTS:,} at most")
        lasting = self.seconds
        times = {"seconds": self.seconds, "warmup": self.warmup, "timeout": self.timeout}
        if isinstance(self.mode, VersusOptions):
            times["block"] = lasting = self.mode.block
        for name, value in times.items():
            if value > _LONGEST_LOAD:
                raise UsageError(f"{name}={value:g} is more than a week")
        if not self.is_cold and not self.clients and slowest * lasting < 1:
            raise UsageError(
                f"{slowest:g} requests a second are less than one within {lasting:g} s: raise the "
                "rate, or make the load longer"
            )
        if self.requests is not None and self.requests > _MOST_REQUESTS:
            raise UsageError(
                f"this would be {self.requests:,} requests; {_MOST_REQUESTS:,} at most: lower the "
                "rate, or shorten the load"
            )

    def traffic_notice(self, engine: Engine) -> str:
        """Return one line about the requests that leave this machine; empty if none does."""
        hosts = sorted({host for host in _hosts(engine.settings) if not _is_loopback(host)})
        if not hosts:
            return ""
        if self.requests is not None:
            what = f"about {self.requests:,} requests"
        elif self.clients and not self.is_cold:
            what = f"requests of {self.clients} clients for {self.seconds:g} s"
        else:
            what = "each query twice"
        return f"cleverdon: {what} to {', '.join(hosts)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the settings that had a part in the result, without what may be secret."""
        mode = {} if self.mode is None else vars(self.mode)
        mode = {
            _NAMES_IN_RESULTS.get(name, name): value
            for name, value in mode.items()
            if name not in _HIDDEN
        }
        kept = ["k", "timeout", "seed", "level", "confidence"]
        if not self.is_cold:
            kept += ["warmup"] if isinstance(self.mode, VersusOptions) else ["warmup", "seconds"]
            kept += ["clients"] if self.clients else ["arrivals"]
            if not self.clients and "rates" not in mode:
                kept.append("rate")
        load = {name: getattr(self, name) for name in kept} | mode
        loop = "closed" if self.clients or self.is_cold else "open"
        return {"loop": loop} | {name: value for name, value in load.items() if value is not None}


def _hosts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, held in value.items():
            if name in ("host", "hostaddr") and isinstance(held, str) and held[:1] != "/":
                yield held
            else:
                yield from _hosts(held)
    elif isinstance(value, str) and "://" in value:
        try:
            host = urlsplit(value).hostname
        except ValueError:
            return
        if host:
            yield host


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False

"""Which queries are asked, and how often each of them."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Any

import numpy as np

from cleverdon.arrays import Floats, Ints
from cleverdon.errors import InputError
from cleverdon.read.ids import check_there
from cleverdon.read.unpacked import decoded_lines, name_of_stream, unpacked

_BLOCK = 1 << 12
_BYTE_ORDER = b"\xef\xbb\xbf"
_STREAM, _ORDER = 2, 3
"""Arrivals and queries are drawn from one seed and must know nothing of each other."""


@dataclass(frozen=True, eq=False)
class Mix:
    """Queries with their shares of the traffic.

    >>> mix = Mix.of({"q1": "solar power", "q2": "wind power"}, traffic={"solar power": 3})
    >>> mix.texts, mix.topics, mix.left_out
    (('solar power',), ('q1',), 1)
    >>> Mix.of(["a", "b"]).drawn(6, seed=4)
    array([1, 1, 0, 1, 1, 1])
    """

    texts: tuple[str, ...]
    shares: Floats  # they sum to 1
    topics: tuple[str, ...] | None = None  # the ids of the topics that the texts are of
    left_out: int = 0  # queries that were given, and that the traffic has nothing of

    @classmethod
    def of(cls, queries: Mapping[str, str] | Iterable[str], *, traffic: Any = None) -> Mix:
        """Topics (id to text) or texts: all alike, or as often as the traffic has them.

        `traffic` is a dict of counts by query, or a file of them. Texts are compared without
        regard to case and to spaces; a query that the traffic lacks is not asked.
        """
        if isinstance(queries, Mapping):
            topics: tuple[str, ...] | None = tuple(str(topic) for topic in queries)
            texts = tuple(queries.values())
        else:
            topics, texts = None, tuple(queries)
        if not texts:
            raise InputError("there are no queries to ask")
        if traffic is None:
            return cls(texts, np.full(len(texts), 1 / len(texts)), topics)
        counted: dict[str, float] = {}
        for text, count in _counts(traffic).items():
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
            None if topics is None else tuple(topics[place] for place in asked),
            left_out=len(texts) - len(asked),
        )

    @classmethod
    def of_traffic(cls, traffic: Any) -> Mix:
        """Every query of the traffic: a dict of counts by query, or a file of them.

        A file has a query and its count a line, separated by a tab or a comma. The counts of lines
        with the same query are added.

        >>> Mix.of_traffic({"news": 90, "weather": 10}).shares
        array([0.9, 0.1])
        """
        counts = _counts(traffic)
        weights = np.array(list(counts.values()))
        return cls(tuple(counts), weights / weights.sum())

    def drawn(self, count: int, *, seed: int, stream: int = _STREAM) -> Ints:
        """Which query each request asks; more requests begin with the queries of fewer."""
        blocks = self._blocks(seed, stream)
        needed = -(-count // _BLOCK)
        found = [next(blocks) for _ in range(needed)]
        return np.concatenate(found)[:count] if found else np.zeros(0, dtype=np.int64)

    def endless(self, *, seed: int, stream: int = _STREAM) -> Iterator[int]:
        """The same one after the other, without an end."""
        for block in self._blocks(seed, stream):
            yield from block.tolist()

    def each_once(self, *, seed: int | None = None) -> Ints:
        """Every query once, as for a cache that is cold: in order, or shuffled."""
        if seed is None:
            return np.arange(len(self.texts))
        return np.random.default_rng([seed, _ORDER]).permutation(len(self.texts))

    def _blocks(self, seed: int, stream: int) -> Iterator[Ints]:
        random = np.random.default_rng([seed, stream])
        while True:
            yield np.searchsorted(self._upper, random.random(_BLOCK), side="right")

    @cached_property
    def _upper(self) -> Floats:
        """Where each query's part of the way from 0 to 1 ends."""
        upper = np.cumsum(self.shares)
        upper[-1] = 1.0  # whatever the rounding: there is always a query
        return upper


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _counts(traffic: Any) -> dict[str, float]:
    """Counts above 0 by query."""
    if isinstance(traffic, Mapping):
        source = ""
        rows: Iterable[tuple[int | None, str, Any]] = (
            (None, str(text), count) for text, count in traffic.items()
        )
    elif isinstance(traffic, (str, os.PathLike)):
        path = os.fspath(traffic)
        check_there(path)
        source = name_of_stream(path)
        rows = _rows(path, source)
    else:
        raise InputError(
            f"{type(traffic).__name__!r} cannot be read as traffic: give a file of queries and "
            "counts, or a dict of them"
        )
    counts: dict[str, float] = {}
    for line, text, given in rows:
        count = _count(given)
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


def _count(given: Any) -> float | None:
    try:
        count = float(given)
    except (TypeError, ValueError):
        return None
    return count if isfinite(count) and count >= 0 else None


def _rows(path: str, source: str) -> Iterator[tuple[int, str, str]]:
    """Line, query and count of each row; a header is passed over."""
    with unpacked(path) as stream:
        first = stream.peek(1 << 16).split(b"\n", 1)[0]
        tabs = b"\t" in first
        if first.startswith(_BYTE_ORDER):
            stream.read(len(_BYTE_ORDER))
        lines = decoded_lines(stream, source=source)
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

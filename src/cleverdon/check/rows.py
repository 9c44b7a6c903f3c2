"""The rows of a file as columns of numbers: all that is kept of it while it is checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cleverdon.check.lines import float_or_nan

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Codes(dict[bytes, int]):
    """Numbers for ids, from 0, in the order in which they are first asked for."""

    def __missing__(self, key: bytes) -> int:
        self[key] = code = len(self)
        return code


class Ranks(dict[bytes, float]):
    """Ranks by their text; they are few and come again and again, so that looking up is faster."""

    def __missing__(self, key: bytes) -> float:
        if len(self) > 1_000_000:
            self.clear()
        self[key] = rank = float_or_nan(key)
        return rank


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of a file as parallel arrays, in the order of the file."""

    queries: list[bytes]  # in a run, also those that found nothing
    query: Ints  # an index into `queries`
    doc: Ints  # the hash of the id: enough to see repetitions, in a fifth of the memory
    value: Floats
    rank: Floats  # NaN where there is none
    line: Ints  # 0 where the file has no lines
    lines: int = 0
    tags: frozenset[bytes] = frozenset()
    iterations: frozenset[bytes] = frozenset()

    def __len__(self) -> int:
        return len(self.query)


class Columns:
    """Arrays that grow piece by piece."""

    def __init__(self) -> None:
        kinds = (np.int64, np.int64, np.float64, np.float64, np.int64)
        self.pieces: list[list[Any]] = [[np.empty(0, kind)] for kind in kinds]

    def add(self, *columns: Any) -> None:
        for pieces, column in zip(self.pieces, columns, strict=True):
            pieces.append(column)

    def rows(self, codes: Codes, **about: Any) -> Rows:
        # Each column's pieces are let go before the next is put together.
        query, doc, value, rank, line = (np.concatenate(self.pieces.pop(0)) for _ in range(5))
        return Rows(list(codes), query, doc, value, rank, line, **about)

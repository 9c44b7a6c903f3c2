"""Columns of Arrow tables from arrays of numbers, without a Python object a row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from cleverdon.arrays import Bools, Ints

TIME = pa.timestamp("ms", tz="UTC")

QUERIES = pa.schema(
    [
        ("query_id", pa.string()),
        ("user", pa.string()),
        ("session", pa.string()),
        ("time", TIME),
        ("text", pa.string()),
        ("page", pa.int64()),
        ("results", pa.int64()),
        ("latency_ms", pa.float64()),
        ("variant", pa.string()),
        ("device", pa.string()),
        ("country", pa.string()),
    ]
)
"""The columns of queries.parquet."""

EVENTS = pa.schema(
    [
        ("event_id", pa.string()),
        ("query_id", pa.string()),
        ("user", pa.string()),
        ("session", pa.string()),
        ("time", TIME),
        ("action", pa.string()),
        ("doc", pa.string()),
        ("position", pa.int64()),
        ("dwell_ms", pa.int64()),
    ]
)
"""The columns of events.parquet."""

_DIGITS = np.array([f"{number:04}".encode() for number in range(10_000)], dtype="S4")


def ids(letter: str, numbers: Ints) -> Any:
    """The letter and twelve digits: `u000000000017`."""
    written = np.empty(len(numbers), [("letter", "S1"), ("a", "S4"), ("b", "S4"), ("c", "S4")])
    written["letter"] = letter.encode()
    high, low = np.divmod(numbers, 10_000)
    high, middle = np.divmod(high, 10_000)
    written["a"], written["b"], written["c"] = _DIGITS[high], _DIGITS[middle], _DIGITS[low]
    ends = np.arange(len(numbers) + 1, dtype=np.int32) * written.itemsize
    return pa.StringArray.from_buffers(len(numbers), pa.py_buffer(ends), pa.py_buffer(written))


def chosen(which: Ints, words: Any, *, null: Bools | None = None) -> Any:
    """A word a row, kept as its number; Parquet keeps it so too."""
    values = words if isinstance(words, pa.Array) else pa.array(words, pa.string())
    return pa.DictionaryArray.from_arrays(
        pa.array(which.astype(np.int32), mask=null), values, safe=False
    )


def times(milliseconds: Ints) -> Any:
    return pa.array(milliseconds).cast(TIME)

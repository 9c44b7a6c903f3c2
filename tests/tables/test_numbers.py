"""Times, sizes and rates for people."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.tables.numbers import format_bytes, format_rate, format_seconds, format_significant

_UNITS = {"s": 1, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}


@given(st.floats(1e-8, 100))
def test_times_read_back_to_three_digits(value: float) -> None:
    number, unit = format_seconds(value).split()
    assert float(number) * _UNITS[unit] == pytest.approx(value, rel=0.006)
    assert 1 <= float(number) < 1000 or unit in ("s", "ns")
    assert len(re.sub(r"\D", "", number).lstrip("0")) <= 3


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 s"),
        (0.9996, "1 s"),
        (0.9994, "999 ms"),
        (-0.002, "-2 ms"),
        (119, "119 s"),
        (150, "150 s (2.5 min)"),
        (7200, "7,200 s (2 h)"),
        (None, "-"),
        (float("nan"), "-"),
    ],
)
def test_times(value: float | None, text: str) -> None:
    assert format_seconds(value) == text


def test_sizes_and_rates() -> None:
    assert [format_bytes(n) for n in (0, 999, 999_999, 1_234_567, 2e12, None)] == [
        *("0 B", "999 B", "1 MB", "1.23 MB", "2 TB", "-")
    ]
    assert [format_rate(n) for n in (0.5, 12.34, 2010.4, None)] == [
        "0.5/s",
        "12.3/s",
        "2,010/s",
        "-",
    ]
    assert format_significant(0) == "0"

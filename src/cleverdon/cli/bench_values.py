"""What the options of `cleverdon bench` may be: times with units, and rates to sweep over."""

from __future__ import annotations

import re
from math import isfinite
from typing import Any

import click

_UNITS = {
    "us": 1e-6,
    "µs": 1e-6,
    "ms": 1e-3,
    "": 1.0,
    "s": 1.0,
    "m": 60.0,
    "min": 60.0,
    "h": 3600.0,
}
_TIME = re.compile(r"\s*([0-9]*\.?[0-9]+(?:e-?[0-9]+)?)\s*([a-zµ]*)\s*", re.IGNORECASE)
_STEPS = 7
"""Rates of a sweep, where it is not said how many."""


class Duration(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """Seconds, or a time with its unit: 30, 50ms, 2min."""

    name = "time"

    def __init__(self, *, zero: bool = False) -> None:
        self._zero = zero

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        if isinstance(value, (int, float)):
            return float(value)
        found = _TIME.fullmatch(str(value))
        unit = _UNITS.get(found[2].lower()) if found else None
        if found is None or unit is None:
            self.fail(f"{value!r} is no time; it is seconds, or has a unit: 30, 50ms, 2min, 1h")
        seconds = float(found[1]) * unit
        if seconds == 0 and not self._zero:
            self.fail(f"{value!r}: expected a time above 0")
        return seconds


class Rates(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """Rates one by one, 50,100,200; or from one to another, 50:800, and how many, 50:800:5."""

    name = "rates"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, ...]:
        if isinstance(value, tuple):
            return value
        from cleverdon.engine.load.sweep import checked_rates, spaced
        from cleverdon.errors import OptionError

        try:
            if ":" not in value:
                return checked_rates(float(rate) for rate in value.split(","))
            low, high, *steps = value.split(":")
            if len(steps) > 1 or not 0 < float(low) < float(high) or not isfinite(float(high)):
                raise ValueError
            return spaced(float(low), float(high), int(steps[0]) if steps else _STEPS)
        except OptionError as error:
            self.fail(str(error))
        except ValueError:
            self.fail(f"{value!r}: expected rates as in 50,100,200 or 50:800 or 50:800:5")

"""Parse and compute the worked examples of measures."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from cleverdon.hits import Hits
from cleverdon.measures.base import Measure
from cleverdon.measures.notation import parse
from cleverdon.measures.worked import ranking


@dataclass(frozen=True)
class Worked:
    measure: Measure
    ranking: str
    expected: float | str  # NaN if the measure is undefined
    decimals: int

    @property
    def hits(self) -> Hits:
        return ranking(self.ranking)

    @property
    def undefined(self) -> bool:
        """Tell whether the measure is undefined in this example."""
        return not isinstance(self.expected, str) and bool(np.isnan(self.expected))

    @property
    def found(self) -> float | str:
        """Compute the measure for the ranking."""
        if self.measure.text:
            return self.measure.texts(self.hits)[0]
        return float(self.measure(self.hits)[0])

    def agrees(self, value: float | str) -> bool:
        """Tell whether a value equals the expected one, to the digits of the example."""
        if isinstance(value, str) or isinstance(self.expected, str):
            return value == self.expected
        if self.undefined:
            return bool(np.isnan(value))
        return abs(value - self.expected) <= 0.5000001 * 10.0**-self.decimals


def examples(cls: type[Measure]) -> list[Worked]:
    """Parse the worked examples of a measure."""
    return [_example(line) for line in cls.worked.strip().splitlines() if line.strip()]


def _example(line: str) -> Worked:
    match = re.fullmatch(r"\s*(\S+)\s+(.*?)\s*=\s*(undefined|-?[\d.]+|'[^']*')\s*", line)
    assert match is not None, f"not a worked example: {line.strip()!r}"
    measure, text, value = match.groups()
    if value.startswith("'"):
        return Worked(parse(measure), text, value[1:-1], 0)
    expected = np.nan if value == "undefined" else float(value)
    # Whole numbers are exact.
    decimals = len(value.partition(".")[2]) or 9
    return Worked(parse(measure), text, expected, decimals)

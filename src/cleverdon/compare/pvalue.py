"""A p-value, and how it came about."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class PValue:
    """How often chance alone would give a result as extreme as the one seen.

    >>> str(PValue(0.03125, exact=True, draws=64)), str(PValue(1 / 1001, exact=False, draws=1000))
    ('0.0312', '< 1e-03')
    """

    p: float
    exact: bool
    """Whether it is the test's own p-value; one from random draws or a normal curve is near it."""
    draws: int
    """How many draws, or how many assignments of signs, were counted; 0 where a formula gave it."""

    def __str__(self) -> str:
        if self.draws and not self.exact and self.p <= 1 / (1 + self.draws):
            least = 1 / self.draws
            above = f"{least:.0e}"  # which may be rounded down, and must not be
            return f"< {above if float(above) >= self.p else f'{least * 1.05:.1e}'}"
        return f"{self.p:.4f}" if self.p >= 1e-4 or self.p == 0 else f"{self.p:.0e}"


def by_formula(values: Iterable[float], *, exact: bool = True) -> list[PValue]:
    """P-values that nothing was counted for."""
    return [PValue(float(p), exact=exact, draws=0) for p in values]


def by_counting(extreme: Iterable[int], draws: int) -> list[PValue]:
    """P-values of random draws. What was seen counts as one more, so that none of them is 0."""
    return [PValue((1 + int(count)) / (1 + draws), exact=False, draws=draws) for count in extreme]

"""Fisher's randomisation test for paired differences.

If two systems were alike, each query's difference could as well have had the other sign. So p is
the share of all ways to set the signs that give a mean at least as far from 0 as the one seen.
Fisher 1935; for retrieval, Smucker et al. 2007, doi:10.1145/1321440.1321528.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cleverdon.hits import Floats

EXACT_UP_TO = 20
"""So many differences are tried with all their signs: 2^20 sums take a few milliseconds."""
DRAWS = 100_000
_BLOCK = 4_000_000
"""How many signs are held at a time."""


@dataclass(frozen=True)
class PValue:
    """A p-value, and how it came about."""

    p: float
    exact: bool
    draws: int

    def __str__(self) -> str:
        if not self.exact and self.p <= 1 / (1 + self.draws):
            return f"< {1 / self.draws:.0e}"
        return f"{self.p:.4f}"


def randomisation_test(differences: Floats, *, draws: int = DRAWS, seed: int = 0) -> PValue:
    """The two-sided p-value of the mean difference being 0; the same on every call.

    >>> randomisation_test(np.array([0.1, 0.2, 0.3])).p
    0.25
    """
    differences = differences[differences != 0]  # a sign changes nothing at 0
    seen = abs(differences.sum())
    # Sums of the same numbers in another order differ in the last digits, and count as equal.
    enough = seen - 1e-9 * max(seen, np.abs(differences).sum())
    if len(differences) <= EXACT_UP_TO:
        sums = np.zeros(1)
        for difference in differences:
            sums = np.concatenate((sums + difference, sums - difference))
        return PValue(float(np.mean(np.abs(sums) >= enough)), exact=True, draws=len(sums))
    random = np.random.default_rng(seed)
    extreme = 0
    block = max(1, _BLOCK // len(differences))
    for start in range(0, draws, block):
        size = (min(block, draws - start), len(differences))
        signs = random.integers(0, 2, size=size, dtype=np.int8) * 2.0 - 1
        extreme += int((np.abs(signs @ differences) >= enough).sum())
    return PValue((1 + extreme) / (1 + draws), exact=False, draws=draws)

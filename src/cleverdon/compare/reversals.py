"""Simpson's paradox: one system is ahead over all topics, and another on every kind of them.

Simpson 1951, doi:10.1111/j.2517-6161.1951.tb00088.x. With means over the same topics it cannot
occur: the mean over all is a mean of the slices' means, with the same weights for both systems. It
can with medians, with micro-averages, and where systems were evaluated on different topics. What
can occur with any average is the weaker form: the other one is ahead in most slices.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.measures.base import Measure

_SAME = 1e-9
"""Averages no further apart are equal: sums in another order differ in the last digits."""


@dataclass(frozen=True)
class Reversal:
    """The order of two systems over all topics is not their order in most slices."""

    measure: Measure
    ahead: str  # over all topics
    behind: str
    averages: tuple[float, float]  # of both, over all topics
    reversed: tuple[str, ...]  # slices in which the one behind is better
    even: tuple[str, ...]
    agreeing: tuple[str, ...]  # slices in which the one ahead is better, the largest lead first

    @property
    def paradox(self) -> bool:
        """Whether the one behind is at least as good in every slice, and better in one."""
        return not self.agreeing

    def __str__(self) -> str:
        ahead, behind = self.averages
        start = (
            f"{self.ahead} beats {self.behind} on {self.measure} over all topics "
            f"({ahead:.4f} to {behind:.4f}), but {self.behind} is "
        )
        if self.paradox:
            even = f" and even in {len(self.even)}" if self.even else ""
            where = f"better in {', '.join(self.reversed)}{even}: in no slice is it worse"
            return f"{start}{where} (Simpson's paradox)"
        slices = len(self.reversed) + len(self.even) + len(self.agreeing)
        lead = f"the lead comes from {', '.join(self.agreeing)}"
        return f"{start}better in {len(self.reversed)} of {slices} slices; {lead}"


def reversals(
    systems: tuple[str, ...],
    measures: tuple[Measure, ...],
    overall: Floats,
    by_slice: Mapping[str, Floats],
    *,
    baseline: str | None = None,
) -> tuple[Reversal, ...]:
    """Every pair of systems whose order is reversed in most slices: paradoxes first.

    `overall` and each of `by_slice` are averages, systems x measures. A pair is reported when the
    one behind is better in more than half of the slices, or better in some and worse in none.
    Slices in which one of the two has no value are passed over.
    """
    found = []
    for m, measure in enumerate(measures):
        if measure.better == "neither":
            continue
        sign = -1 if measure.better == "lower" else 1
        for one, other in combinations(range(len(systems)), 2):
            if baseline is not None and baseline not in (systems[one], systems[other]):
                continue
            lead = sign * (overall[one, m] - overall[other, m])
            if not abs(lead) > _SAME:  # NaN is no lead either
                continue
            ahead, behind = (one, other) if lead > 0 else (other, one)
            leads = {
                name: float(sign * (averages[ahead, m] - averages[behind, m]))
                for name, averages in by_slice.items()
            }
            leads = {name: lead for name, lead in leads.items() if not np.isnan(lead)}
            against = tuple(name for name, lead in leads.items() if lead < -_SAME)
            agreeing = sorted(
                (name for name, lead in leads.items() if lead > _SAME), key=lambda n: -leads[n]
            )
            even = tuple(name for name, lead in leads.items() if abs(lead) <= _SAME)
            if against and (not agreeing or 2 * len(against) > len(leads)):
                averages = (float(overall[ahead, m]), float(overall[behind, m]))
                found.append(
                    Reversal(
                        measure,
                        systems[ahead],
                        systems[behind],
                        averages,
                        against,
                        even,
                        tuple(agreeing),
                    )
                )
    return tuple(sorted(found, key=lambda reversal: not reversal.paradox))

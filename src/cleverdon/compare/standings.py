"""Quality and cost together: what each system achieves, what it takes, and which are worth it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from math import nan
from typing import Any

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.compare.front import beats
from cleverdon.compare.intervals import Interval, average_intervals
from cleverdon.compare.samples import samples
from cleverdon.costs import QUANTITIES, Cost, Costs
from cleverdon.errors import InputError, OptionError, suggest
from cleverdon.measures.base import Measure
from cleverdon.scores import Scores

AXES = ("p99", "index_size")
"""What counts beside quality, as far as it was measured."""
_LOAD = ("loop", "arrivals", "rate", "clients", "k")
"""What response times depend on, whatever the engine."""


@dataclass(frozen=True)
class Standing:
    """One system: how good it is, and what it costs."""

    system: str
    average: float
    interval: Interval
    costs: Costs | None
    beaten_by: tuple[str, ...] | None = None
    """Systems that are as good on everything that counts, and better on something.

    None where that cannot be told: something was not measured validly.
    """

    @property
    def front(self) -> bool | None:
        """Whether it is on the Pareto front, that is, beaten by none."""
        return None if self.beaten_by is None else not self.beaten_by

    @property
    def ends(self) -> tuple[float, float]:
        """Of the average's interval."""
        return self.interval.low, self.interval.high

    def cost(self, name: str, *, valid: bool = False) -> Cost | None:
        """What was measured; with `valid`, only where nothing speaks against it."""
        if self.costs is None or name not in self.costs.by_name:
            return None
        return None if valid and self.costs.why_not(name) else self.costs.by_name[name]

    def merit(self, name: str) -> float:
        """A cost as something of which more is better; NaN where there is none to go by."""
        cost = self.cost(name, valid=True)
        if cost is None:
            return nan
        return cost.value if QUANTITIES[name].better == "higher" else -cost.value


@dataclass(frozen=True)
class Standings:
    """All systems by one measure."""

    measure: Measure
    axes: tuple[str, ...]  # the costs that count for the front
    systems: tuple[Standing, ...]
    topics: int

    @property
    def not_valid(self) -> dict[str, tuple[str, ...]]:
        """Why some systems' measurements should not be believed, by system."""
        found = {
            one.system: tuple(
                dict.fromkeys(
                    reason for name in one.costs.by_name for reason in one.costs.why_not(name)
                )
            )
            for one in self.systems
            if one.costs is not None
        }
        return {system: reasons for system, reasons in found.items() if reasons}

    @property
    def close(self) -> tuple[str, ...]:
        """The costs that count and by which intervals overlap: who beats whom is not certain."""
        return tuple(name for name in self.axes if self._overlap(name))

    def _overlap(self, name: str) -> bool:
        valid = (one.cost(name, valid=True) for one in self.systems)
        ends = sorted(cost.ends for cost in valid if cost is not None)
        known = [(low, high) for low, high in ends if low < high]
        return bool(known) and any(one[1] >= other[0] for one, other in pairwise(ends))

    @property
    def loads(self) -> dict[str, tuple[Any, ...]]:
        """In what the loads differed under which times were measured, and how."""
        found = [
            one.costs.settings["load"]
            for one in self.systems
            if one.costs is not None and isinstance(one.costs.settings.get("load"), Mapping)
        ]
        values = {name: tuple(dict.fromkeys(load.get(name) for load in found)) for name in _LOAD}
        return {name: different for name, different in values.items() if len(different) > 1}


def standings(
    scores: Scores,
    costs: Mapping[str, Costs],
    measure: str | Measure,
    *,
    systems: Iterable[str] | None = None,
    axes: tuple[str, ...] = AXES,
    confidence: float = 0.95,
) -> Standings:
    """What each system of the scores, or each of these, achieves by a measure, and what it costs.

    A system is beaten by those that are as good on the measure and all `axes`, and better on one;
    on the front are those that none beats. An axis that was measured of no system does not count.
    Of a system that lacks one which others have, or whose measurement is not valid, neither can be
    told.
    """
    check_systems(scores, costs)
    unknown = [name for name in axes if name not in QUANTITIES]
    if unknown:
        raise OptionError(f"axes={unknown[0]!r} is no cost{suggest(unknown[0], QUANTITIES)}")
    sample = samples(scores, measures=measure, systems=systems)[0]
    ends = average_intervals(
        scores, measures=sample.measure, systems=sample.systems, confidence=confidence
    )
    found = [
        Standing(name, sample.mean(name), ends[name, sample.measure], costs.get(name))
        for name in sample.systems
    ]
    used = tuple(name for name in axes if any(one.cost(name) for one in found))
    beaten = _beaten(found, used, sample.measure.better)
    return Standings(
        measure=sample.measure,
        axes=used,
        systems=tuple(replace(one, beaten_by=by) for one, by in zip(found, beaten, strict=True)),
        topics=len(sample.topics),
    )


def check_systems(scores: Scores, costs: Mapping[str, Costs]) -> None:
    """Costs are of systems that have scores; a slip in a name would lose them silently."""
    for name in costs:
        if name not in scores.systems:
            raise InputError(
                f"there are costs of {name!r}, and no run of that name"
                f"{suggest(name, scores.systems)}; NAME=FILE gives it another"
            )


def merits(found: list[Standing], axes: tuple[str, ...], better: str) -> Floats:
    """Axes x systems, quality first, so that more is better."""
    quality = [-one.average if better == "lower" else one.average for one in found]
    return np.array([quality, *([one.merit(name) for one in found] for name in axes)])


def _beaten(
    found: list[Standing], axes: tuple[str, ...], better: str
) -> list[tuple[str, ...] | None]:
    beaten: list[tuple[str, ...] | None] = [None] * len(found)
    if better == "neither" or not axes:
        return beaten
    values = merits(found, axes, better)
    known = np.flatnonzero(np.isfinite(values).all(axis=0))
    wins = beats(*values[:, known])
    for place, at in enumerate(known):
        beaten[at] = tuple(found[other].system for other in known[wins[:, place]])
    return beaten

"""Quality and cost together: what each system achieves, what it takes, and which are worth it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.compare.front import front
from cleverdon.compare.intervals import Interval, average_intervals
from cleverdon.compare.samples import samples
from cleverdon.costs import QUANTITIES, Cost, Costs
from cleverdon.errors import InputError, OptionError, suggest
from cleverdon.measures.base import Measure
from cleverdon.scores import Scores

AXES = ("p99", "index_size")
"""What counts beside quality, as far as it was measured."""
_LOAD = ("loop", "rate", "clients", "k")
"""What response times depend on, whatever the engine."""


@dataclass(frozen=True)
class Standing:
    """One system: how good it is, and what it costs."""

    system: str
    average: float
    interval: Interval
    costs: Costs | None
    front: bool | None = None  # None where that cannot be told: something was not measured validly

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
    axes: tuple[str, ...] = AXES,
    confidence: float = 0.95,
) -> Standings:
    """What each system of the scores achieves by a measure, and what it costs.

    On the front are those that no other equals on the measure and all `axes`, and beats on one. An
    axis that was measured of no system does not count; a system that lacks one which others have,
    or whose measurement is not valid, has no place that could be told.
    """
    check_systems(scores, costs)
    unknown = [name for name in axes if name not in QUANTITIES]
    if unknown:
        raise OptionError(f"axes={unknown[0]!r} is no cost{suggest(unknown[0], QUANTITIES)}")
    sample = samples(scores, measures=measure)[0]
    ends = average_intervals(scores, measures=sample.measure, confidence=confidence)
    found = [
        Standing(name, sample.mean(name), ends[name, sample.measure], costs.get(name))
        for name in sample.systems
    ]
    used = tuple(name for name in axes if any(one.cost(name) for one in found))
    on = _fronts(found, used, sample.measure.better)
    return Standings(
        measure=sample.measure,
        axes=used,
        systems=tuple(
            Standing(one.system, one.average, one.interval, one.costs, place)
            for one, place in zip(found, on, strict=True)
        ),
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


def _fronts(found: list[Standing], axes: tuple[str, ...], better: str) -> list[bool | None]:
    values = merits(found, axes, better)
    known = np.isfinite(values).all(axis=0)
    if better == "neither" or not axes:
        return [None] * len(found)
    places: list[bool | None] = [None] * len(found)
    for at, place in zip(np.flatnonzero(known), front(*values[:, known]), strict=True):
        places[at] = bool(place)
    return places

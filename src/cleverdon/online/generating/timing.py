"""How long searches took: longer at busy hours, and very long during an incident."""

from __future__ import annotations

import numpy as np

from cleverdon.arrays import Floats, Ints
from cleverdon.online.generating.world import MINUTE, World

TYPICAL = 60.0
"""Milliseconds of half of all searches while nobody else searches; twice that at the busiest."""
INCIDENT = 12.0
"""By what latencies are multiplied during the incident."""


def latencies(world: World, random: np.random.Generator, times: Ints) -> Floats:
    """Milliseconds with a decimal; NaN where nobody measured."""
    begin, end = world.incident
    slow = np.where((times >= begin) & (times < end), INCIDENT, 1.0)
    typical = TYPICAL * (1 + world.load(times)) * slow
    took = np.minimum(typical * random.lognormal(0, 0.6, len(times)), MINUTE)
    return np.where(random.random(len(times)) < world.recipe.missing, np.nan, np.round(took, 1))

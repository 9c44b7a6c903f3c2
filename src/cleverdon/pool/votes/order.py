"""What a vote gives: a value of each system on each topic, and so an order of systems."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from cleverdon.arrays import Floats

_DIGITS = 12
"""Means that differ further behind are equal, and were added up in another order."""


@dataclass(frozen=True, eq=False)
class Votes:
    """An order of systems by votes: what each is worth on each topic, the higher the better."""

    way: str  # which of `WAYS` it came by
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    values: Floats  # systems x topics; of several trials, their means
    by_trial: Floats | None = None  # trials x systems: means over topics, where chance was drawn on

    @property
    def scores(self) -> dict[str, float]:
        """Each system's mean over topics: an ordering, as `cleverdon.correlate` takes it."""
        return ordering(self.systems, self.values)

    @property
    def order(self) -> tuple[str, ...]:
        """The systems, the best first; equals by name."""
        scores = self.scores
        return tuple(sorted(scores, key=lambda system: (-scores[system], system)))

    @property
    def deviations(self) -> dict[str, float] | None:
        """How far each system's mean varies from trial to trial; None where there are no trials."""
        if self.by_trial is None or len(self.by_trial) < 2:
            return None
        found = self.by_trial.std(axis=0, ddof=1).tolist()
        return dict(zip(self.systems, found, strict=True))

    def on(self, topics: Iterable[str]) -> Votes:
        """The same on some of the topics; trials are kept only where these are all of them."""
        chosen = tuple(topics)
        if chosen == self.topics:
            return self
        at = {topic: number for number, topic in enumerate(self.topics)}
        values = self.values[:, [at[topic] for topic in chosen]]
        return replace(self, topics=chosen, values=values, by_trial=None)


def ordering(systems: Iterable[str], values: Floats) -> dict[str, float]:
    """Each system's mean of its values, systems x topics."""
    means = np.round(values.mean(axis=1), _DIGITS)
    return dict(zip(systems, means.tolist(), strict=True))

"""What comparisons are made of: several systems' values of one measure, on the same topics."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from cleverdon.aggregate import average, worst_value
from cleverdon.arrays import Bools, Floats
from cleverdon.compare.resampling import STATISTICS, OfMeans
from cleverdon.errors import OptionError, suggest
from cleverdon.measures.base import Measure
from cleverdon.measures.notation import parse_all
from cleverdon.scores import Scores


@dataclass(frozen=True, eq=False)
class Sample:
    """One measure's values of several systems on the same topics, none undefined or infinite."""

    measure: Measure
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    values: Floats  # systems x topics
    undefined: int  # how many of the values were undefined, and count as the measure's worst

    def of(self, system: str) -> Floats:
        """One system's values."""
        if system not in self.systems:
            raise OptionError(f"there is no system {system!r}{suggest(system, self.systems)}")
        values: Floats = self.values[self.systems.index(system)]
        return values

    def mean(self, system: str) -> float:
        """One system's average, as the measure has it."""
        return average(self.measure, self.of(system))

    @property
    def summable(self) -> Floats:
        """Systems x topics: what the average adds up, which is logarithms if it is geometric."""
        statistic = STATISTICS[self.measure.average]
        return statistic.before(self.values) if isinstance(statistic, OfMeans) else self.values

    @property
    def merits(self) -> Floats:
        """Values whose mean orders systems as the measure's average does, the higher the better."""
        return -self.summable if self.measure.better == "lower" else self.summable


def samples(
    scores: Scores,
    *,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    systems: Iterable[str] | None = None,
) -> list[Sample]:
    """The samples of scores: a measure each, all of them on one set of topics.

    Topics that not every one of the systems was evaluated on are left out. An undefined value
    counts as the measure's worst, as it does in means; where scores were made with
    undefined="skip", a topic on which one system's value is undefined is left out for all, and for
    every measure. A measure without a worst value, such as a length that has no end, is refused
    where it is undefined: nothing could be said of its mean. So is a measure that is undefined for
    every query of a system.
    """
    if not isinstance(scores, Scores):
        raise OptionError(
            f"{type(scores).__name__!r} is no Scores: evaluate(qrels, runs) gives some"
        )
    named = scores.systems if systems is None else tuple(systems)
    if len(set(named)) < len(named):
        raise OptionError(f"a system is named twice: {', '.join(named)}")
    for name in named:
        if name not in scores.systems:
            raise OptionError(f"there is no system {name!r}{suggest(name, scores.systems)}")
    rows = [scores.systems.index(name) for name in named]
    wanted = scores.measures if measures is None else parse_all(measures)
    for measure in wanted:
        if measure not in scores.measures:
            names = [str(known) for known in scores.measures]
            raise OptionError(f"{measure} was not evaluated{suggest(str(measure), names)}")
        if measure.text:
            raise OptionError(f"{measure} gives texts, which cannot be compared")
    columns = [scores.measures.index(measure) for measure in wanted]
    values = scores.values[np.ix_(rows, columns)]
    shared: Bools = np.asarray(scores.evaluated[rows].all(axis=0))
    for measure in wanted:
        scores.check_known(measure, systems=named, on=shared)
    if scores.about.settings.undefined == "skip":
        shared &= ~np.isnan(values).any(axis=(0, 1))
    if not shared.any():
        raise OptionError(f"{' and '.join(named)} have no query in common to be compared on")
    topics = tuple(np.array(scores.queries, dtype=object)[shared])
    values = values[:, :, shared]
    undefined = np.isnan(values)
    for m, measure in enumerate(wanted):
        worst = worst_value(measure) if undefined[:, m].any() else 0.0
        if not np.isfinite(worst) or np.isinf(values[:, m]).any():
            raise OptionError(
                f"{measure} is undefined for a query, and has no worst value that could stand for "
                "it; --undefined skip (undefined='skip') leaves such queries out"
            )
    return [
        Sample(
            measure,
            named,
            topics,
            np.where(undefined[:, m], worst_value(measure), values[:, m]),
            int(undefined[:, m].sum()),
        )
        for m, measure in enumerate(wanted)
    ]

"""Values of coefficients with their resamples: of each pair of judges, and of all together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.compare.intervals import Interval
from cleverdon.judge.agreement.base import Coefficient
from cleverdon.judge.agreement.counts import Counts, of_all, of_pair
from cleverdon.judge.agreement.units import Units
from cleverdon.judge.labels import Labels

_BLOCK = 2_000_000
"""How many numbers of resampled tables are held at a time."""


@dataclass(frozen=True)
class Estimate:
    """A coefficient's value, NaN where it is undefined, and where the truth may lie."""

    value: float
    interval: Interval


@dataclass(frozen=True, eq=False)
class Drawn:
    """A value, and those of all resamples."""

    value: float
    resampled: Floats
    behind: int  # how many topics, or documents, have a part in it

    def estimate(self, units: Units) -> Estimate:
        return Estimate(self.value, units.interval(self.resampled, behind=self.behind))


@dataclass(frozen=True, eq=False)
class Estimator:
    """Estimates coefficients of the same labels, by the same resamples."""

    labels: Labels
    units: Units
    coefficients: tuple[Coefficient, ...]

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Every pair of judges, by their columns."""
        return list(combinations(range(len(self.labels.judges)), 2))

    def of_pair(self, first: int, second: int) -> dict[str, Drawn]:
        """Every coefficient of two judges."""
        counts = of_pair(self.labels, first, second, self.units.unit, self.units.count)
        by_topic = [each for each in self.coefficients if self._is_by_topic(each)]
        found = self._drawn(counts, [each for each in self.coefficients if each not in by_topic])
        if by_topic:
            of_topics = self._of_topics(first, second)
            found |= {each.name: self._by_topic(each, of_topics) for each in by_topic}
        return {each.name: found[each.name] for each in self.coefficients}

    def of_all(self, of_pairs: Sequence[Mapping[str, Drawn]]) -> dict[str, Drawn]:
        """Every coefficient of all judges; what is of two is the mean over pairs."""
        of_more = [each for each in self.coefficients if not each.two_only]
        found = self._drawn(of_all(self.labels, self.units.unit, self.units.count), of_more)
        return {
            each.name: mean([pair[each.name] for pair in of_pairs])
            if each.two_only
            else found[each.name]
            for each in self.coefficients
        }

    def at_once(self) -> dict[str, Drawn]:
        """The same where documents of one topic are drawn, and nothing is asked of single pairs.

        The tables of all pairs are resampled together, which takes a fraction of the time.
        """
        judged = np.any(self.labels.judged[self.labels.shared], axis=0)
        of_two = [each for each in self.coefficients if each.two_only]
        of_more = [each for each in self.coefficients if not each.two_only]
        found = self._drawn(of_all(self.labels, self.units.unit, self.units.count), of_more)
        if of_two:
            counts = self._of_pairs([pair for pair in self.pairs if judged[list(pair)].all()])
            found |= self._drawn(counts, of_two)
        return {each.name: found[each.name] for each in self.coefficients}

    def _of_pairs(self, pairs: Sequence[tuple[int, int]]) -> Counts:
        """The counts of several pairs, units x pairs x grades x grades."""
        unit, units = self.units.unit, self.units.count
        found = [of_pair(self.labels, first, second, unit, units) for first, second in pairs]
        tables = [counts.ordered for counts in found if counts.ordered is not None]
        return Counts.of_two(self.labels.grades, np.stack(tables, axis=1))

    def _is_by_topic(self, coefficient: Coefficient) -> bool:
        return coefficient.by_topic and self.units.over == "topics"

    def _drawn(self, counts: Counts, wanted: Sequence[Coefficient]) -> dict[str, Drawn]:
        """Of tables, units x grades x grades; or x pairs, of which the mean is taken."""
        block = max(1, _BLOCK // counts.by_item[0].size)
        times, whole = self.units.times, counts.total
        present = counts.items > 0
        behind = max(
            (self.units.behind(column) for column in present.reshape(len(present), -1).T), default=0
        )
        parts: dict[str, list[Floats]] = {each.name: [] for each in wanted}
        for start in range(0, len(times), block):
            resampled = counts.drawn(times[start : start + block])
            for each in wanted:
                parts[each.name].append(_over_pairs(each.of(resampled)))
        return {
            each.name: Drawn(
                float(_over_pairs(each.of(whole))[0]), np.concatenate(parts[each.name]), behind
            )
            for each in wanted
        }

    def _of_topics(self, first: int, second: int) -> Counts:
        topics = len(self.labels.topics)
        return of_pair(self.labels, first, second, self.labels.topic, topics)

    def _by_topic(self, coefficient: Coefficient, counts: Counts) -> Drawn:
        """The mean over topics that have a value; resampled by the topics' units."""
        values = coefficient.of(counts)
        defined = ~np.isnan(values)
        if not defined.any():
            return Drawn(np.nan, np.full(self.units.resamples, np.nan), 0)
        # All documents of a topic are in one unit, since topics are drawn.
        unit_of_topic = np.full(len(values), -1)
        known = self.units.unit >= 0
        unit_of_topic[self.labels.topic[known]] = self.units.unit[known]
        where = unit_of_topic[defined]
        sums = np.bincount(where, weights=values[defined], minlength=self.units.count)
        sizes = np.bincount(where, minlength=self.units.count).astype(float)
        times = self.units.times
        with np.errstate(invalid="ignore"):
            resampled = (times @ sums) / (times @ sizes)
        return Drawn(float(values[defined].mean()), resampled, int(defined.sum()))


def _over_pairs(values: Floats) -> Floats:
    """The mean of each resample over pairs, where there are several."""
    return values if values.ndim == 1 else _mean_of_known(values.T)


def mean(drawn: Sequence[Drawn]) -> Drawn:
    """The mean over pairs that have a value, resample by resample."""
    if not drawn:
        return Drawn(np.nan, np.full(1, np.nan), 0)
    values = np.array([one.value for one in drawn])
    table = np.stack([one.resampled for one in drawn])
    return Drawn(
        float(_mean_of_known(values[:, None])[0]),
        _mean_of_known(table),
        max(one.behind for one in drawn),
    )


def _mean_of_known(table: Floats) -> Floats:
    """The mean of each column, without what is NaN."""
    known = ~np.isnan(table)
    with np.errstate(invalid="ignore"):
        found: Floats = np.where(known, table, 0).sum(axis=0) / known.sum(axis=0)
    return found

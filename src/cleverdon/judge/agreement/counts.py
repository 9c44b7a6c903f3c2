"""How often which grades meet: all that coefficients of agreement are computed from.

Sums over items can be added up over topics. So a bootstrap need not look at items again: it adds up
the sums of the topics that it drew.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cleverdon.arrays import Floats, Ints
from cleverdon.judge.labels import Labels


@dataclass(frozen=True, eq=False)
class Counts:
    """Grades by grades, summed over items that two judges at least have judged.

    Every array ends in two axes, grades by grades; those before are what was summed apart, such as
    topics or resamples.
    """

    grades: Floats
    by_item: Floats  # symmetrical: an item adds 1, spread evenly over all its pairs of judges
    by_rating: Floats  # symmetrical: an item adds as many as it has ratings (coincidences)
    ordered: Floats | None = None  # of two judges: the first's grades by the second's

    @classmethod
    def of_two(cls, grades: Floats, ordered: Floats) -> Counts:
        """Of two judges: how often the first gave one grade, and the second the other."""
        both = ordered + np.swapaxes(ordered, -1, -2)
        return cls(grades, both / 2, both, ordered)

    @cached_property
    def items(self) -> Floats:
        """How many items there are."""
        return summed(self.by_item)

    def drawn(self, times: Floats) -> Counts:
        """The sums where each unit (the first axis) is there so many `times`: resamples x units."""
        if self.ordered is not None:
            return Counts.of_two(self.grades, _added(times, self.ordered))
        return Counts(self.grades, _added(times, self.by_item), _added(times, self.by_rating))

    @property
    def total(self) -> Counts:
        """The sums over all units."""
        return self.drawn(np.ones((1, len(self.by_item))))


def summed(tables: Floats) -> Floats:
    """The sum of each table; as a product, since tables are many and small."""
    cells = tables.shape[-1] * tables.shape[-2]
    found: Floats = tables.reshape(*tables.shape[:-2], cells) @ np.ones(cells)
    return found


def _added(times: Floats, tables: Floats) -> Floats:
    shape = tables.shape
    found: Floats = (times @ tables.reshape(shape[0], -1)).reshape(len(times), *shape[1:])
    return found


def of_pair(labels: Labels, first: int, second: int, unit: Ints, units: int) -> Counts:
    """The counts of two judges (by their columns), summed by each item's unit."""
    size = len(labels.grades)
    one, other = labels.level[:, first], labels.level[:, second]
    both = np.flatnonzero((one >= 0) & (other >= 0) & (unit >= 0))
    cells = (unit[both] * size + one[both]) * size + other[both]
    table = np.bincount(cells, minlength=units * size * size).astype(float)
    return Counts.of_two(labels.grades, table.reshape(units, size, size))


def of_all(labels: Labels, unit: Ints, units: int) -> Counts:
    """The counts of all judges, summed by each item's unit."""
    rows = np.flatnonzero(labels.shared & (unit >= 0))
    size = len(labels.grades)
    times = np.stack([(labels.level[rows] == grade).sum(axis=1) for grade in range(size)], axis=1)
    ratings = times.sum(axis=1)
    by_item = np.zeros((units, size, size))
    by_rating = np.zeros((units, size, size))
    for k in range(size):
        for l in range(k, size):  # noqa: E741 (a grade and another, as in the literature)
            pairs = times[:, k] * (times[:, l] - (k == l)) / (ratings - 1)
            for table, weights in ((by_item, pairs / ratings), (by_rating, pairs)):
                table[:, k, l] = table[:, l, k] = np.bincount(
                    unit[rows], weights=weights, minlength=units
                )
    return Counts(labels.grades, by_item, by_rating)

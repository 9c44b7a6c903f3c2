"""Which grades were given: by everybody, by each person, for each topic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from cleverdon.assess.scale import Scale
from cleverdon.assess.watching.labels import LabelRow
from cleverdon.assess.watching.measured import Measured, of_share


@dataclass(frozen=True)
class Grades:
    """How often each grade of the scale was given."""

    counts: tuple[int, ...]  # in the order of the scale
    relevant: Measured  # the share of grades that say relevant

    @property
    def total(self) -> int:
        """Grades that stand."""
        return sum(self.counts)


def grades_of(rows: Iterable[LabelRow], scale: Scale) -> Grades:
    """The grades that stand among some rows."""
    times = Counter(row.grade for row in rows)
    counts = tuple(times[value] for value in scale.values)
    relevant = sum(count for value, count in times.items() if value >= scale.relevant)
    return Grades(counts, of_share(relevant, sum(times.values()), why="no grade was given yet"))

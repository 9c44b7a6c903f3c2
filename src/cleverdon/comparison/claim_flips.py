"""Claims that flip with other judgments.

`flips` compares two comparisons of the same runs by two judgments: the first are what was known
(the old ones, or people's), the second take their place (the new ones, or a model's).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from cleverdon._common.text import printable
from cleverdon.comparison.differences import Comparison
from cleverdon.comparison.procedures import Difference
from cleverdon.errors import OptionError
from cleverdon.measures.base import Measure
from cleverdon.score_tables import format_score
from cleverdon.tables.result_lists import RecordList
from cleverdon.tables.sections import Section
from cleverdon.tables.table import TextTable

_FlipKind = Literal["reversed", "lost", "gained", "swapped", "kept", "open"]
FLIP_KINDS: dict[_FlipKind, str] = {
    "reversed": "shown by both, the other way round",
    "lost": "shown by the first only",
    "gained": "shown by the second only",
    "swapped": "shown by neither, the other way round",
    "kept": "shown by both alike",
    "open": "shown by neither",
}
"""The kinds of a flip, the gravest first."""

_FLIPPED: tuple[_FlipKind, ...] = ("reversed", "lost", "gained")
"""The kinds that change a claim."""

_DIGITS = 12
"""Averages that differ in later digits are equal, and were added up in another order."""


@dataclass(frozen=True)
class Flip:
    """The difference of two systems by two judgments."""

    kind: _FlipKind
    before: Difference
    after: Difference

    @property
    def flipped(self) -> bool:
        """True if the claim changed."""
        return self.kind in _FLIPPED


@dataclass(frozen=True, eq=False)
class Flips(RecordList[Flip]):
    """Every difference by two judgments, in the order of the comparisons.

    Attributes:
        items: The flips, of each pair of systems by each measure.

    >>> from cleverdon import evaluate
    >>> from cleverdon.comparison.differences import compare
    >>> runs = {"old": {"q1": {"b": 1.0}}, "new": {"q1": {"a": 1.0}}}
    >>> sides = [compare(evaluate({"q1": {doc: 1}}, runs, "RR")) for doc in "ab"]
    >>> found = flips(*sides)
    >>> [one.kind for one in found], found.shown
    (['swapped'], (0, 0))
    """

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return a row for each difference."""
        rows = [
            [
                *map(printable, (one.before.system, one.before.baseline)),
                *(str(one.before.measure), one.kind),
                *(
                    format_score(side.measure, side.difference, signed=not exact, exact=exact)
                    for side in (one.before, one.after)
                ),
            ]
            for one in self
        ]
        header = ["system", "baseline", "measure", "kind", "before", "after"]
        return [Section("flips", TextTable(header, rows, 4, []), titled=False)]

    def of(self, measure: Measure) -> Flips:
        """Return those by one measure."""
        return Flips(tuple(one for one in self if one.before.measure == measure))

    def changed(self, *, swapped: bool = False) -> list[Flip]:
        """Return claims that flipped, the gravest first; with `swapped`, swapped orders as well."""
        told = [one for one in self if one.flipped or (swapped and one.kind == "swapped")]
        grave = list(FLIP_KINDS)
        return sorted(told, key=lambda one: grave.index(one.kind))

    def times(self, kind: _FlipKind) -> int:
        """Return how many are of one kind."""
        return sum(one.kind == kind for one in self)

    @property
    def shown(self) -> tuple[int, int]:
        """The numbers of differences that the first and the second judgments show."""
        both = self.times("kept") + self.times("reversed")
        return both + self.times("lost"), both + self.times("gained")


def flips(before: Comparison, after: Comparison) -> Flips:
    """Find the claims that differ between two comparisons of the same systems and measures.

    Args:
        before: The comparison by the first judgments.
        after: The one by the second, maybe on other queries.

    Returns:
        A flip for each difference.

    Raises:
        OptionError: The comparisons are of other systems or measures.

    >>> from cleverdon import evaluate
    >>> from cleverdon.comparison.differences import compare
    >>> runs = {"old": {"q1": {"b": 1.0}}, "new": {"q1": {"a": 1.0}}}
    >>> found = compare(evaluate({"q1": {"a": 1}}, runs, "RR"))
    >>> [one.kind for one in flips(found, found)]
    ['open']
    """
    sides = [[one.key for one in side.differences] for side in (before, after)]
    if sides[0] != sides[1]:
        raise OptionError("both comparisons must have the same systems and measures")
    return Flips(
        tuple(
            Flip(_flip_kind(old, new, shown=(before.shows(old), after.shows(new))), old, new)
            for old, new in zip(before.differences, after.differences, strict=True)
        )
    )


def _flip_kind(old: Difference, new: Difference, *, shown: tuple[bool, bool]) -> _FlipKind:
    turned = round(old.difference, _DIGITS) * round(new.difference, _DIGITS) < 0
    if all(shown):
        return "reversed" if turned else "kept"
    if any(shown):
        return "lost" if shown[0] else "gained"
    return "swapped" if turned else "open"

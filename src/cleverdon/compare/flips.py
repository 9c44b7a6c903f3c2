"""Claims that flip: what two judgments of the same runs make of each difference of two systems.

The first judgments are what was known (the old ones, or people's), the second take their place (the
new ones, or a model's). `flips` holds two comparisons against each other, difference by difference;
`orders` says how alike the orders of systems are. There tau-AP takes the first judgments' order for
the truth: it asks what is lost of the order that was known, and is not the mean of both directions.

A difference is shown where `claims` would state it: significant, and the test points where the
means do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from cleverdon.compare.claims import told_apart
from cleverdon.compare.orderings import RESAMPLES, Agreement, agreements
from cleverdon.compare.paired import Comparison, Difference
from cleverdon.errors import OptionError
from cleverdon.measures.base import Measure
from cleverdon.scores import Scores

Kind = Literal["reversed", "lost", "gained", "swapped", "kept", "open"]
KINDS: dict[Kind, str] = {
    "reversed": "shown by both, the other way round",
    "lost": "shown by the first only",
    "gained": "shown by the second only",
    "swapped": "shown by neither, the other way round",
    "kept": "shown by both alike",
    "open": "shown by neither",
}
"""What may become of the difference of two systems; the gravest first."""

FLIPPED: tuple[Kind, ...] = ("reversed", "lost", "gained")
"""Those by which something else may be claimed than before."""

_DIGITS = 12
"""Averages that differ further behind are equal, and were added up in another order."""


@dataclass(frozen=True)
class Flip:
    """The difference of two systems by two judgments."""

    kind: Kind
    before: Difference
    after: Difference

    @property
    def flipped(self) -> bool:
        """Whether something else may be claimed than before."""
        return self.kind in FLIPPED


@dataclass(frozen=True, eq=False)
class Flips:
    """Every difference by two judgments, in the order of the comparisons."""

    every: tuple[Flip, ...]

    def __len__(self) -> int:
        return len(self.every)

    def __iter__(self) -> Iterator[Flip]:
        return iter(self.every)

    def of(self, measure: Measure) -> Flips:
        """Those by one measure."""
        return Flips(tuple(one for one in self.every if one.before.measure == measure))

    def changed(self, *, swapped: bool = False) -> list[Flip]:
        """Claims that flipped, the gravest first; with `swapped`, orders that turned as well."""
        told = [one for one in self.every if one.flipped or (swapped and one.kind == "swapped")]
        grave = list(KINDS)
        return sorted(told, key=lambda one: grave.index(one.kind))

    def times(self, kind: Kind) -> int:
        """How many are of one kind."""
        return sum(one.kind == kind for one in self.every)

    @property
    def shown(self) -> tuple[int, int]:
        """How many differences the first judgments show, and the second."""
        both = self.times("kept") + self.times("reversed")
        return both + self.times("lost"), both + self.times("gained")


def flips(before: Comparison, after: Comparison) -> Flips:
    """What became of each difference, where both compare the same systems by the same measures.

    They need not be of the same topics.
    """
    sides = [
        [(one.system, one.baseline, one.measure) for one in side.differences]
        for side in (before, after)
    ]
    if sides[0] != sides[1]:
        raise OptionError("the two comparisons are to be of the same systems, by the same measures")
    return Flips(
        tuple(
            Flip(_kind(old, new, shown=(told_apart(old, before), told_apart(new, after))), old, new)
            for old, new in zip(before.differences, after.differences, strict=True)
        )
    )


def _kind(old: Difference, new: Difference, *, shown: tuple[bool, bool]) -> Kind:
    turned = round(old.difference, _DIGITS) * round(new.difference, _DIGITS) < 0
    if all(shown):
        return "reversed" if turned else "kept"
    if any(shown):
        return "lost" if shown[0] else "gained"
    return "swapped" if turned else "open"


def orders(
    before: Scores,
    after: Scores,
    *,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[Agreement]:
    """How alike the orders of systems by two judgments are, a measure each, on the shared topics.

    tau-AP takes the order by `before` for the truth.
    """
    return agreements(
        before,
        other=after,
        symmetric=False,
        confidence=confidence,
        resamples=resamples,
        seed=seed,
    )

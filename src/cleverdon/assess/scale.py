"""The scale of grades: a number, a name, a colour and a guideline each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from cleverdon.errors import OptionError

MOST = 9
"""The highest grade: each has a key of its own."""

_NAMES: dict[int, tuple[str, ...]] = {
    1: ("Not relevant", "Relevant"),
    2: ("Not relevant", "Partly relevant", "Relevant"),
    3: ("Not relevant", "Related", "Relevant", "Perfectly relevant"),
}
COLOURS = ("#6b7280", "#a16207", "#1d6fb8", "#15803d", "#7c3aed", "#be185d")
"""Dark enough for white letters on them, which is what contrast asks for."""

_RANGE = re.compile(r"\s*(\d+)\s*\.\.\s*(\d+)\s*")
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


@dataclass(frozen=True)
class Grade:
    """One step of the scale."""

    value: int
    name: str
    colour: str
    guideline: str = ""


@dataclass(frozen=True)
class Scale:
    """All grades, rising; the lowest that counts as relevant is `relevant`."""

    grades: tuple[Grade, ...]
    relevant: int = 1

    @property
    def values(self) -> tuple[int, ...]:
        """The grades as numbers."""
        return tuple(grade.value for grade in self.grades)

    def __contains__(self, value: object) -> bool:
        return value in self.values

    def named(self, value: int) -> Grade:
        """The grade of this number."""
        return next(grade for grade in self.grades if grade.value == value)

    def to_json(self) -> dict[str, Any]:
        """As the database keeps it."""
        return asdict(self)

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Scale:
        """As `to_json` wrote it."""
        return cls(tuple(Grade(**grade) for grade in given["grades"]), given["relevant"])


def parse_scale(text: str) -> Scale:
    """A scale by its ends, with names where they are usual.

    >>> [grade.name for grade in parse_scale("0..2").grades]
    ['Not relevant', 'Partly relevant', 'Relevant']
    """
    found = _RANGE.fullmatch(text)
    if not found or not int(found[1]) < int(found[2]) <= MOST:
        raise OptionError(
            f"the scale {text!r} is not known: give its ends, as in 0..3, from 0 to {MOST}; names, "
            "colours and guidelines go into a TOML file"
        )
    low, high = int(found[1]), int(found[2])
    names = _NAMES.get(high - low, ())
    grades = [
        Grade(value, names[place] if names else f"Grade {value}", COLOURS[place % len(COLOURS)])
        for place, value in enumerate(range(low, high + 1))
    ]
    return made_scale(grades, relevant=max(low, 1))


def made_scale(grades: list[Grade], *, relevant: int = 1) -> Scale:
    """A scale of grades, checked."""
    values = [grade.value for grade in grades]
    if len(values) < 2 or sorted(set(values)) != values or not 0 <= values[0] <= values[-1] <= MOST:
        raise OptionError(
            f"grades are two or more whole numbers from 0 to {MOST}, rising; found {values}"
        )
    for grade in grades:
        if not grade.name.strip():
            raise OptionError(f"grade {grade.value} has no name")
        if not _COLOUR.fullmatch(grade.colour):
            raise OptionError(
                f"the colour {grade.colour!r} of grade {grade.value} is not as #1d6fb8 is"
            )
    if not values[0] < relevant <= values[-1]:
        raise OptionError(
            f"relevant={relevant}: the lowest relevant grade is above the lowest grade, and one of "
            f"{values[1:]}"
        )
    return Scale(tuple(grades), relevant)

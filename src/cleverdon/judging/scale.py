"""The scale of grades: each grade has a number, a name, a colour and a guideline.

A scale is given by its ends (0..3) or by a TOML file:

    relevant = 2
    guidelines = "Judge the text itself, not what it links to."
    [[grades]]
    value = 0
    name = "Not relevant"
    guideline = "Nothing of what is asked for."
    [[grades]]
    value = 2
    name = "Answers it"
    colour = "#15803d"
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from cleverdon.errors import InputError, OptionError, suggest

_HIGHEST_GRADE = 9  # because each grade has a key on the keyboard
_NAMES: dict[int, tuple[str, ...]] = {
    1: ("Not relevant", "Relevant"),
    2: ("Not relevant", "Partly relevant", "Relevant"),
    3: ("Not relevant", "Related", "Relevant", "Perfectly relevant"),
}
_COLOURS = ("#6b7280", "#a16207", "#1d6fb8", "#15803d", "#7c3aed", "#be185d")  # for white letters
_RANGE = re.compile(r"\s*(\d+)\s*\.\.\s*(\d+)\s*")
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
_FILE_KEYS = ("grades", "relevant", "guidelines")
_GRADE_KEYS = ("value", "name", "colour", "guideline")


@dataclass(frozen=True)
class Grade:
    """One step of the scale."""

    value: int
    name: str
    colour: str
    guideline: str = ""


@dataclass(frozen=True)
class Scale:
    """All grades, rising; `relevant` is the lowest that counts as relevant."""

    grades: tuple[Grade, ...]
    relevant: int = 1

    @property
    def values(self) -> tuple[int, ...]:
        return tuple(grade.value for grade in self.grades)

    def __contains__(self, value: object) -> bool:
        return value in self.values

    def named(self, value: int) -> Grade:
        """Return the grade of this number."""
        return next(grade for grade in self.grades if grade.value == value)

    def to_json(self) -> dict[str, Any]:
        """Return the record that the database keeps."""
        return asdict(self)

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Scale:
        """Return the scale of a record of `to_json`."""
        return cls(tuple(Grade(**grade) for grade in given["grades"]), given["relevant"])


def _parse_scale(text: str) -> Scale:
    """Return a scale by its ends, with the usual names.

    >>> [grade.name for grade in _parse_scale("0..2").grades]
    ['Not relevant', 'Partly relevant', 'Relevant']
    """
    found = _RANGE.fullmatch(text)
    if not found or not int(found[1]) < int(found[2]) <= _HIGHEST_GRADE:
        raise OptionError(
            f"the scale {text!r} is not known: give its ends, as in 0..3, from 0 to "
            f"{_HIGHEST_GRADE}; names, colours and guidelines go into a TOML file"
        )
    low, high = int(found[1]), int(found[2])
    names = _NAMES.get(high - low, ())
    grades = [
        Grade(value, names[place] if names else f"Grade {value}", _COLOURS[place % len(_COLOURS)])
        for place, value in enumerate(range(low, high + 1))
    ]
    return _checked_scale(grades, relevant=max(low, 1))


def _checked_scale(grades: list[Grade], *, relevant: int = 1) -> Scale:
    """Return a scale of these grades, or raise an OptionError."""
    values = [grade.value for grade in grades]
    if (
        len(values) < 2
        or sorted(set(values)) != values
        or not 0 <= values[0] <= values[-1] <= _HIGHEST_GRADE
    ):
        raise OptionError(
            f"grades are two or more whole numbers from 0 to {_HIGHEST_GRADE}, rising; found "
            f"{values}"
        )
    for grade in grades:
        if not grade.name.strip():
            raise OptionError(f"grade {grade.value} has no name")
        if not _COLOUR.fullmatch(grade.colour):
            raise OptionError(
                f"the colour {grade.colour!r} of grade {grade.value} is not valid: write it like "
                "#1d6fb8"
            )
    if not values[0] < relevant <= values[-1]:
        raise OptionError(
            f"relevant={relevant}: the lowest relevant grade is above the lowest grade, and one of "
            f"{values[1:]}"
        )
    return Scale(tuple(grades), relevant)


def read_scale(given: str) -> tuple[Scale, str]:
    """Read a scale, and the guidelines of the whole project if the file has some."""
    if not given.casefold().endswith(".toml") and not os.path.isfile(given):
        return _parse_scale(given), ""
    try:
        with open(given, "rb") as file:
            found = tomllib.load(file)
    except FileNotFoundError:
        raise InputError("there is no such file", source=given) from None
    except ValueError as error:  # of TOML, of UTF-8, or of a number with too many digits
        raise InputError(f"is not valid TOML: {error}", source=given) from None
    except RecursionError:
        raise InputError("is not a scale: it is nested too deeply", source=given) from None
    try:
        return scale_from_dict(found), _text(found, "guidelines")
    except OptionError as error:
        raise InputError(str(error), source=given) from None


def scale_from_dict(found: dict[str, Any]) -> Scale:
    """Return the scale of a file or a backup; raise an OptionError if it is not valid."""
    _check_names(found, _FILE_KEYS, "the file")
    listed = found.get("grades")
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        raise OptionError("grades are written as [[grades]], each with a value and a name")
    grades = []
    for place, each in enumerate(listed):
        _check_names(each, _GRADE_KEYS, "a grade")
        value = each.get("value", place)
        if not _is_whole(value):
            raise OptionError(f"value={value!r}: a grade is a whole number")
        colour = _text(each, "colour") or _COLOURS[place % len(_COLOURS)]
        grades.append(Grade(value, _text(each, "name"), colour, _text(each, "guideline")))
    relevant = found.get("relevant", max(1, grades[0].value + 1) if grades else 1)
    if not _is_whole(relevant):
        raise OptionError(f"relevant={relevant!r}: the lowest relevant grade is a whole number")
    return _checked_scale(grades, relevant=relevant)


def _text(found: dict[str, Any], name: str) -> str:
    text = found.get(name, "")
    if not isinstance(text, str):
        raise OptionError(f"{name}={text!r}: expected a text in quotes")
    return text.strip()


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _check_names(found: dict[str, Any], allowed: tuple[str, ...], what: str) -> None:
    for name in found:
        if name not in allowed:
            raise OptionError(f"{what} has no {name!r}{suggest(name, allowed)}")

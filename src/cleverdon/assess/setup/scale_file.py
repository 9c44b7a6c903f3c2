"""A scale of grades by its ends, or out of a TOML file with names, colours and guidelines.

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
import tomllib
from typing import Any

from cleverdon.assess.scale import COLOURS, Grade, Scale, made_scale, parse_scale
from cleverdon.errors import InputError, OptionError, suggest

_TOP = ("grades", "relevant", "guidelines")
_OF_GRADE = ("value", "name", "colour", "guideline")


def read_scale(given: str) -> tuple[Scale, str]:
    """The scale, and the guidelines of the whole project where the file has some.

    >>> read_scale("0..1")[0].values
    (0, 1)
    """
    if not given.casefold().endswith(".toml") and not os.path.isfile(given):
        return parse_scale(given), ""
    try:
        with open(given, "rb") as file:
            found = tomllib.load(file)
    except FileNotFoundError:
        raise InputError("there is no such file", source=given) from None
    except ValueError as error:  # of TOML, of UTF-8, or of a number with too many digits
        raise InputError(f"is no TOML: {error}", source=given) from None
    except RecursionError:
        raise InputError("is no scale: it is nested too deeply", source=given) from None
    try:
        return scale_of(found), _text(found, "guidelines")
    except OptionError as error:
        raise InputError(str(error), source=given) from None


def scale_of(found: dict[str, Any]) -> Scale:
    """The scale that a file has, or a backup, which may be anybody's; an OptionError if it is none.

    >>> scale_of({"grades": [{"name": "No"}, {"name": "Yes", "colour": "#15803d"}]}).relevant
    1
    """
    _check_names(found, _TOP, "the file")
    listed = found.get("grades")
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        raise OptionError("grades are written as [[grades]], each with a value and a name")
    grades = [_grade(each, place) for place, each in enumerate(listed)]
    relevant = found.get("relevant", max(1, grades[0].value + 1) if grades else 1)
    if not _is_whole(relevant):
        raise OptionError(f"relevant={relevant!r}: the lowest relevant grade is a whole number")
    return made_scale(grades, relevant=relevant)


def _grade(found: dict[str, Any], place: int) -> Grade:
    _check_names(found, _OF_GRADE, "a grade")
    value = found.get("value", place)
    if not _is_whole(value):
        raise OptionError(f"value={value!r}: a grade is a whole number")
    colour = _text(found, "colour") or COLOURS[place % len(COLOURS)]
    return Grade(value, _text(found, "name"), colour, _text(found, "guideline"))


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

"""Grades of a file on the scale of the project."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cleverdon.assess.importing.lines import line_of
from cleverdon.assess.importing.rows import Row
from cleverdon.assess.scale import Scale
from cleverdon.errors import InputError, OptionError


def parse_map(given: Iterable[str], scale: Scale) -> dict[str, int]:
    """What grades of a file stand for, as in 4=3 or Perfect=3."""
    made: dict[str, int] = {}
    for text in given:
        old, equals, new = text.rpartition("=")
        listed = ", ".join(map(str, scale.values))
        if not equals or not old.strip() or not new.strip().isdecimal():
            raise OptionError(
                f"the map {text!r} is not as 4=1 is: on the right stands a grade of the scale, "
                f"{listed}"
            )
        if int(new) not in scale:
            raise OptionError(
                f"the map {text!r} leads to a grade that is not on the scale: it can be {listed}"
            )
        made[_folded(old)] = int(new)
    return made


def known_grades(scale: Scale, becomes: Mapping[str, int]) -> dict[str, int]:
    """What texts stand for that are known as they are: the names of grades, unless mapped."""
    return {_folded(grade.name): grade.value for grade in scale.grades} | dict(becomes)


def on_scale(row: Row, scale: Scale, known: Mapping[str, int], *, source: str) -> int:
    """The grade of a row: one that is known (see `known_grades`), or a number of the scale."""
    text = _folded(row.grade)
    if text in known:
        return known[text]
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if number in scale:
        return int(number)
    listed = ", ".join(f"{grade.value} ({grade.name})" for grade in scale.grades)
    raise InputError(
        f"the grade {row.grade!r} of document {row.document!r} for topic {row.topic!r} is not on "
        f"the scale: {listed}. Map it to one of these, as '{row.grade}={scale.values[-1]}' does",
        source=source,
        line=row.line or line_of(row.topic, row.document, source),
    )


def _folded(grade: str) -> str:
    """Names without regard to case, numbers without what changes nothing.

    >>> _folded(" 3.0 "), _folded("Not  Relevant")
    ('3', 'not relevant')
    """
    text = " ".join(grade.split()).casefold()
    try:
        number = float(text)
    except ValueError:
        return text
    return f"{number:.17g}"

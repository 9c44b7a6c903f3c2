"""Grades of a file on the scale of the project."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cleverdon.assess.importing.rows import Row
from cleverdon.assess.scale import Scale
from cleverdon.errors import InputError, OptionError
from cleverdon.read import open_source


def parse_map(given: Iterable[str], scale: Scale) -> dict[str, int]:
    """What grades of a file stand for, as in 4=3 or Perfect=3."""
    made: dict[str, int] = {}
    for text in given:
        old, equals, new = text.rpartition("=")
        if not equals or not old.strip() or not new.strip().isdecimal() or int(new) not in scale:
            listed = ", ".join(map(str, scale.values))
            raise OptionError(
                f"the map {text!r} is not as 4=3 is: on the right stands a grade of the scale, "
                f"{listed}"
            )
        made[_folded(old)] = int(new)
    return made


def on_scale(row: Row, scale: Scale, becomes: Mapping[str, int], *, source: str) -> int:
    """The grade of a row: as it is mapped, a number of the scale, or the name of a grade."""
    text = _folded(row.grade)
    if text in becomes:
        return becomes[text]
    named = {_folded(grade.name): grade.value for grade in scale.grades}
    if text in named:
        return named[text]
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if number in scale:
        return int(number)
    listed = ", ".join(f"{grade.value} ({grade.name})" for grade in scale.grades)
    raise InputError(
        f"the grade {row.grade!r} of document {row.document!r} for topic {row.topic!r} is not on "
        f"the scale: {listed}. Say what it stands for, as '{row.grade}={scale.values[-1]}' does "
        "(--map)",
        source=source,
        line=row.line or _line_of(row, source),
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


def _line_of(row: Row, source: str) -> int | None:
    """The first line that names both, looked for only once something is wrong with it."""
    wanted = row.topic.encode(), row.document.encode()
    for number, line in enumerate(open_source(source).head(2**62).split(b"\n"), start=1):
        if all(text in line for text in wanted):
            fields = line.replace(b",", b" ").replace(b'"', b" ").split()
            if all(text in fields for text in wanted):
                return number
    return None

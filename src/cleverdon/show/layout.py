"""How people's tables are laid out: which system comes first, which is best, how many digits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isnan

from cleverdon.errors import CleverdonError, OptionError, check_word, suggest
from cleverdon.measures.base import Measure
from cleverdon.profiles import profile
from cleverdon.scores import Scores
from cleverdon.show.grid import EXACT, FORMATS, MOST_DIGITS, SYSTEMS, Grid, Place

SORTS = ("given", "name")
"""How systems are sorted, if not by a measure."""

SCREEN = 120
"""Characters on a line; a table of more of them is turned where that helps."""


def check_layout(
    format: str, *, systems: str, sort: str, digits: int | None, records: bool = False
) -> None:
    """Raise an OptionError where a table cannot be had like that.

    `records`: what programs read has a record for each comparison, and not one for each system.
    """
    check_word("format", format, FORMATS)
    check_word("systems", systems, SYSTEMS)
    if digits is not None and not 0 <= digits <= MOST_DIGITS:
        raise OptionError(f"digits={digits}: it can be 0 to {MOST_DIGITS}")
    if digits is not None and format in EXACT:
        raise OptionError(f"digits={digits} is for tables that people read; {format} has them all")
    if format == "json" or (records and format in EXACT):
        for option, value, usual in (("systems", systems, "auto"), ("sort", sort, "given")):
            if value != usual:
                raise OptionError(f"{option}={value!r} is for tables of systems; {format} has none")


def decimals(scores: Scores, digits: int | None) -> int:
    """How many decimals are shown: so many as was said, or as the profile's tool shows."""
    return profile(scores.about.profile).decimals if digits is None else digits


def sorted_systems(
    names: Sequence[str],
    sort: str,
    scores: Scores,
    measures: Sequence[Measure],
    average: Callable[[str, Measure], float],
    *,
    ranked: bool = True,
) -> list[str]:
    """Systems as `sort` says: by name, or by one of the `measures`, the best first.

    Where no value is better, the highest is first, and so it is where averages are not `ranked`.
    Undefined values are last, and equals stay as they were given.
    """
    by = sorting(sort, scores, measures)
    if by is None:
        return sorted(names) if sort == "name" else list(names)
    sign = 1 if by.better == "lower" and ranked else -1
    values = {name: average(name, by) for name in names}
    return sorted(names, key=lambda name: (isnan(values[name]), sign * values[name]))


def sorting(sort: str, scores: Scores, measures: Sequence[Measure]) -> Measure | None:
    """The measure to sort by, one of `measures`; None where it is another order."""
    if sort in SORTS:
        return None
    try:
        found = scores.measures[scores.index_of(scores.systems[0], sort)[1]]
    except CleverdonError:
        found = None
    if found is None or found not in measures:
        known = [*SORTS, *map(str, measures)]
        raise OptionError(f"sort={sort!r} is no measure of this table{suggest(sort, known)}")
    return found


def places(
    measure: Measure, values: Mapping[str, float], shown: Mapping[str, str]
) -> dict[str, Place]:
    """Which systems are best and second by a measure; none of a single one, or if none is better.

    Values that are shown alike are marked alike: whoever reads the table cannot tell them apart.
    """
    defined = [name for name, value in values.items() if not isnan(value)]
    if measure.better == "neither" or len(values) < 2:
        return {}
    defined.sort(key=values.__getitem__, reverse=measure.better == "higher")
    words: tuple[Place, ...] = ("best", "second")
    place = dict(zip(dict.fromkeys(shown[name] for name in defined), words, strict=False))
    return {name: place[shown[name]] for name in defined if shown[name] in place}


def arranged(grid: Grid, format: str, systems: str, width: int | None) -> Grid:
    """A grid with a row for each system, turned where that was asked for.

    By itself only text is turned: where a line would not fit on a screen, and fits better so.
    """
    turned = grid.turned("measure")
    if systems == "auto" and format == "table":
        from cleverdon.show.text import line_width

        wide = line_width(grid)
        helps = wide > (width or SCREEN) and line_width(turned) < wide
        return turned if helps else grid
    return turned if systems == "columns" else grid

"""Scores as tables: text, markdown, LaTeX, HTML, CSV, TSV, JSON.

Numbers are rounded here and nowhere else; what programs read (CSV, TSV, JSON) gets all digits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields

from cleverdon.about import About
from cleverdon.aggregate import worst_value
from cleverdon.errors import check_word
from cleverdon.measures.base import Measure
from cleverdon.profiles import profile as find_profile
from cleverdon.scores import Scores
from cleverdon.settings import Settings
from cleverdon.show.grid import DIGITS, FORMATS, Grid, counted, laid_out, printable
from cleverdon.show.numbers import number

_SCREEN = 120
"""Characters on a line; a table of more of them is turned where that helps."""

__all__ = ["DIGITS", "FORMATS", "Grid", "laid_out", "notes", "render"]


def render(
    scores: Scores, format: str = "table", *, per_query: bool = False, average: str = "mean"
) -> str:
    """The scores as text in one of `FORMATS`: the averages, or the values for each query.

    `average` is one of `cleverdon.settings.AVERAGES`.
    """
    check_word("format", format, FORMATS)
    if format == "json":
        import json

        return json.dumps(scores.to_json(average=average), indent=1, ensure_ascii=False)
    exact = format in ("csv", "tsv")
    if per_query:
        return laid_out(_by_query(scores, exact=exact), format)
    grid = _averages(scores, average, exact=exact)
    return laid_out(_turned(grid) if format == "table" else grid, format)


def _averages(scores: Scores, average: str, *, exact: bool) -> Grid:
    numbers = [m for m, measure in enumerate(scores.measures) if not measure.text]
    digits = find_profile(scores.about.profile).decimals
    bounded = bool(scores.bounds) and average == "mean"
    rows = []
    for system, means in zip(scores.systems, scores.aggregate(average), strict=True):
        cells = [printable(system)]
        for m in numbers:
            measure = scores.measures[m]
            found = [float(means[m]), *(scores.mean_bounds(system, measure) if bounded else ())]
            cells += _cells(measure, found, exact=exact, digits=digits)
        rows.append(cells)
    header = ["system", *_headings(scores, numbers, bounded and exact)]
    texts = [
        f"{measure} is a text for each query, which --per-query or Scores.texts shows"
        for measure in scores.measures
        if measure.text
    ]
    return Grid(header, rows, 1, notes(scores, average) + texts)


def _turned(grid: Grid) -> Grid:
    """The same with a row for each measure, where a screen is too narrow for a column for each."""

    def width(table: list[list[str]]) -> int:
        return sum(2 + max(map(len, column)) for column in zip(*table, strict=True))

    header, *rows = across = [list(column) for column in zip(grid.header, *grid.rows, strict=True)]
    down = [grid.header, *grid.rows]
    if width(down) <= _SCREEN or width(across) >= width(down):
        return grid
    return Grid(["measure", *header[1:]], rows, 1, grid.notes)


def _headings(scores: Scores, numbers: Sequence[int], apart: bool) -> list[str]:
    """The names of the measures; with columns for their bounds, where these stand apart."""
    ends = ("", " lowest", " highest") if apart else ("",)
    return [f"{scores.measures[m]}{end}" for m in numbers for end in ends]


def _cells(measure: Measure, found: Sequence[float], *, exact: bool, digits: int) -> list[str]:
    """A value and, if there are any, its bounds: each a cell for programs, one cell for people."""
    texts = [_number(measure, value, exact=exact, digits=digits) for value in found]
    if exact or len(texts) == 1:
        return texts
    value, lowest, highest = texts
    return [f"{value} [{lowest}, {highest}]"]


def _by_query(scores: Scores, *, exact: bool) -> Grid:
    digits = find_profile(scores.about.profile).decimals
    rows = []
    for s, system in enumerate(scores.systems):
        bounds = scores.bounds.get(system, {})
        for q, query in enumerate(scores.queries):
            if not scores.evaluated[s, q]:
                continue
            cells = [printable(system), printable(query)]
            for m, measure in enumerate(scores.measures):
                if measure.text:
                    cells.append(scores.texts[system][str(measure)][q])
                    continue
                found = [float(scores.values[s, m, q])]
                if bounds:
                    ends = bounds[str(measure)]
                    found += [float(ends.lowest[q]), float(ends.highest[q])]
                cells += _cells(measure, found, exact=exact, digits=digits)
            rows.append(cells)
    every = range(len(scores.measures))
    header = ["system", "query", *_headings(scores, every, bool(scores.bounds) and exact)]
    return Grid(header, rows, 2, notes(scores))


def _number(measure: Measure, value: float, *, exact: bool, digits: int) -> str:
    if not exact:
        return number(measure, value, digits=digits)
    if math.isnan(value):
        return ""
    return str(int(value)) if measure.average == "sum" and value.is_integer() else repr(value)


def notes(scores: Scores, average: str = "mean") -> list[str]:
    """What the numbers rest on: queries, and those that are missing, extra or undefined."""
    about = scores.about
    size = f"{counted(about.queries, 'query')}, {counted(about.judgments, 'judgment')}"
    named = "" if average == "mean" else f"; average={average}"
    found = [size + _choices(about) + named]
    for name, run in about.runs.items():
        parts = []
        if run.missing:
            fate = "evaluated as empty results" if about.settings.missing == "empty" else "left out"
            parts.append(f"{counted(len(run.missing), 'judged query')} missing ({fate})")
        if run.extra:
            parts.append(f"{counted(run.extra, 'extra query')} without judgments (ignored)")
        if parts:
            found.append(f"{name}: {', '.join(parts)}")
    if scores.bounds:
        over = next(iter(next(iter(scores.bounds.values())).values())).over
        found.append(f"in brackets: the lowest and highest over {', '.join(over)}")
    # What is undefined for a query is in the sums of a micro-average like anything else.
    return found if average == "micro" else found + _undefined(scores)


def _choices(about: About) -> str:
    """The profile, and the settings that are not its own."""
    named = "" if about.profile == "cleverdon" else f"; profile {about.profile}"
    own = find_profile(about.profile).settings
    changed = [
        f"; {setting.name}={getattr(about.settings, setting.name)}"
        for setting in fields(own)
        if getattr(about.settings, setting.name) != getattr(own, setting.name)
    ]
    return named + "".join(changed)


def _undefined(scores: Scores) -> list[str]:
    """For how many queries measures are undefined, those of which the same is true on one line."""
    found: dict[tuple[str, int], list[str]] = {}
    for name, run in scores.about.runs.items():
        for measure, count in run.undefined.items():
            found.setdefault((measure, count), []).append(name)
    fates = {str(measure): _fate(measure, scores.about.settings) for measure in scores.measures}
    alike: dict[str, list[str]] = {}
    for (measure, count), names in found.items():
        where = "" if len(names) == len(scores.systems) else f" in {', '.join(names)}"
        told = f"undefined for {counted(count, 'query')}{where} ({fates[measure]})"
        alike.setdefault(told, []).append(measure)
    return [
        f"{', '.join(of)} {'is' if len(of) == 1 else 'are'} {told}" for told, of in alike.items()
    ]


def _fate(measure: Measure, settings: Settings) -> str:
    """What becomes of an undefined value."""
    if settings.undefined == "skip":
        return "left out"
    worst = worst_value(measure)
    return f"counted as {worst:g}" + ("; undefined=skip leaves it out" if math.isinf(worst) else "")

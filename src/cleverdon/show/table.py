"""Scores as tables: text, markdown, LaTeX, HTML, CSV, TSV, JSON.

Numbers are rounded here and nowhere else; what programs read (CSV, TSV, JSON) gets all digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

from cleverdon.aggregate import worst_value
from cleverdon.errors import check_word
from cleverdon.measures.base import Measure
from cleverdon.profiles import profile as find_profile
from cleverdon.scores import About, Scores

DIGITS = 4


@dataclass(frozen=True)
class Grid:
    """A table of text: labels on the left, numbers on the right, notes below."""

    header: list[str]
    rows: list[list[str]]
    labels: int  # how many columns on the left are labels
    notes: list[str]


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
    return laid_out(_averages(scores, average, exact=exact), format)


def laid_out(grid: Grid, format: str) -> str:
    """A table of text in one of `FORMATS`, all but json."""
    return _WRITERS[format](grid)


def _averages(scores: Scores, average: str, *, exact: bool) -> Grid:
    numbers = [m for m, measure in enumerate(scores.measures) if not measure.text]
    digits = find_profile(scores.about.profile).decimals
    bounded = bool(scores.bounds) and average == "mean"
    rows = []
    for system, means in zip(scores.systems, scores.aggregate(average), strict=True):
        cells = [_printable(system)]
        for m in numbers:
            measure = scores.measures[m]
            found = [float(means[m]), *(scores.mean_bounds(system, measure) if bounded else ())]
            cells += _cells(measure, found, exact=exact, digits=digits)
        rows.append(cells)
    header = ["system", *_headings(scores, numbers, bounded and exact)]
    return Grid(header, rows, 1, notes(scores, average))


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
            cells = [_printable(system), _printable(query)]
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
    if math.isnan(value):
        return "" if exact else "-"
    if measure.average == "sum" and value.is_integer():
        return str(int(value))
    return repr(value) if exact else f"{value:.{digits}f}"


def notes(scores: Scores, average: str = "mean") -> list[str]:
    """What the numbers rest on: queries, and those that are missing, extra or undefined."""
    about = scores.about
    size = f"{_count(about.queries, 'query')}, {_count(about.judgments, 'judgment')}"
    named = "" if average == "mean" else f"; average={average}"
    found = [size + _choices(about) + named]
    for name, run in about.runs.items():
        parts = []
        if run.missing:
            fate = "evaluated as empty results" if about.settings.missing == "empty" else "left out"
            parts.append(f"{_count(len(run.missing), 'judged query')} missing ({fate})")
        if run.extra:
            parts.append(f"{_count(run.extra, 'extra query')} without judgments (ignored)")
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


def _count(number: int, what: str) -> str:
    """`1 query`, `2 queries`."""
    plural = what.removesuffix("y") + "ies" if what.endswith("y") else what + "s"
    return f"{number:,} {what if number == 1 else plural}"


def _undefined(scores: Scores) -> list[str]:
    """For how many queries each measure is undefined; the same for all systems, or by system."""
    found: dict[tuple[str, int], list[str]] = {}
    for name, run in scores.about.runs.items():
        for measure, count in run.undefined.items():
            found.setdefault((measure, count), []).append(name)
    skipped = scores.about.settings.undefined == "skip"
    worst = {str(measure): worst_value(measure) for measure in scores.measures}
    lines = []
    for (measure, count), names in found.items():
        fate = "left out" if skipped else f"counted as {worst[measure]:g}"
        where = "" if len(names) == len(scores.systems) else f" in {', '.join(names)}"
        lines.append(f"{measure} is undefined for {_count(count, 'query')}{where} ({fate})")
    return lines


def _printable(name: str) -> str:
    """A name on one line, whatever is in it."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in name)


def _text(grid: Grid) -> str:
    from unicodedata import east_asian_width

    def width(text: str) -> int:
        return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)

    table = [grid.header, *grid.rows]
    widths = [max(map(width, column)) for column in zip(*table, strict=True)]

    def line(cells: Sequence[str]) -> str:
        padded = [
            cell + " " * (wide - width(cell))
            if at < grid.labels
            else " " * (wide - width(cell)) + cell
            for at, (cell, wide) in enumerate(zip(cells, widths, strict=True))
        ]
        return "  ".join(padded).rstrip()

    lines = [line(grid.header), "  ".join("─" * wide for wide in widths)]
    return "\n".join([*lines, *map(line, grid.rows), "", *grid.notes])


def _markdown(grid: Grid) -> str:
    rule = [":---" if at < grid.labels else "---:" for at in range(len(grid.header))]
    cells = [[cell.replace("|", r"\|") for cell in row] for row in (grid.header, *grid.rows)]
    cells.insert(1, rule)
    return "\n".join("| " + " | ".join(row) + " |" for row in cells)


def _latex(grid: Grid) -> str:
    kinds = "l" * grid.labels + "r" * (len(grid.header) - grid.labels)
    lines = [" & ".join(map(_latex_escaped, row)) + r" \\" for row in (grid.header, *grid.rows)]
    start = [rf"\begin{{tabular}}{{{kinds}}}", r"\toprule", lines[0], r"\midrule"]
    return "\n".join([*start, *lines[1:], r"\bottomrule", r"\end{tabular}"])


def _latex_escaped(text: str) -> str:
    named = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(named.get(c, "\\" + c if c in "&%$#_{}" else c) for c in text)


def _html(grid: Grid) -> str:
    from html import escape

    def row(cells: Sequence[str], tag: str) -> str:
        styles = [
            "" if at < grid.labels else " style='text-align:right'" for at in range(len(cells))
        ]
        pairs = zip(styles, cells, strict=True)
        inside = "".join(f"<{tag}{style}>{escape(cell)}</{tag}>" for style, cell in pairs)
        return f"<tr>{inside}</tr>"

    body = "".join(row(cells, "td") for cells in grid.rows)
    below = "<br>".join(map(escape, grid.notes))
    return (
        f"<table><thead>{row(grid.header, 'th')}</thead><tbody>{body}</tbody></table><p>{below}</p>"
    )


def _separated(delimiter: str) -> Callable[[Grid], str]:
    def write(grid: Grid) -> str:
        import csv
        from io import StringIO

        text = StringIO()
        csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(
            [grid.header, *grid.rows]
        )
        return text.getvalue().rstrip("\n")

    return write


_WRITERS: dict[str, Callable[[Grid], str]] = {
    "table": _text,
    "tsv": _separated("\t"),
    "csv": _separated(","),
    "markdown": _markdown,
    "latex": _latex,
    "html": _html,
}

FORMATS = (*_WRITERS, "json")
"""The formats of `render`."""

"""Scores as tables: text, markdown, LaTeX, HTML, CSV, TSV, JSON.

What programs read (CSV, TSV, JSON) gets all digits; numbers for people are rounded here, by
`show.numbers`, and nowhere before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cleverdon.measures.base import Measure
from cleverdon.scores import Scores
from cleverdon.show.grid import DIGITS, EXACT, FORMATS, Grid, Mark, laid_out, printable
from cleverdon.show.layout import SORTS, arranged, check_layout, decimals, places, sorted_systems
from cleverdon.show.notes import notes
from cleverdon.show.numbers import number

__all__ = ["DIGITS", "FORMATS", "Grid", "laid_out", "notes", "render"]


def render(
    scores: Scores,
    format: str = "table",
    *,
    per_query: bool = False,
    average: str = "mean",
    systems: str = "auto",
    sort: str = "given",
    digits: int | None = None,
    styled: bool = False,
    width: int | None = None,
) -> str:
    """The scores as text in one of `FORMATS`: the averages, or the values for each query.

    `average` is one of `cleverdon.settings.AVERAGES`. `systems` are "rows" or "columns"; "auto"
    are rows, and columns where text is too wide for a screen. `sort` is "given", "name" or a
    measure, by which the best system is first. `digits` are decimals: by default four, or those of
    the profile. `styled` and `width` are for a terminal that shows what is bold, and so many
    characters on a line.

    >>> from cleverdon import evaluate
    >>> runs = {"one": {"q1": {"d2": 2, "d1": 1}}, "two": {"q1": {"d1": 2, "d2": 1}}}
    >>> print(render(evaluate({"q1": {"d1": 1}}, runs, "RR P@5"), "csv", sort="RR"))
    system,RR,P@5
    two,1.0,0.2
    one,0.5,0.2
    """
    check_layout(format, systems=systems, sort=sort, digits=digits)
    if format == "json":
        import json

        return json.dumps(scores.to_json(average=average), indent=1, ensure_ascii=False)
    needed = not per_query or sort not in SORTS
    means = scores.to_dict(average=average) if needed else {}
    order = sorted_systems(
        scores.systems,
        sort,
        scores,
        _numbers(scores),
        lambda name, measure: means[name][str(measure)],
        ranked=average not in _UNRANKED,
    )
    how = _How(order, exact=format in EXACT, digits=decimals(scores, digits))
    if per_query:
        grid = (_by_query_across if systems == "columns" else _by_query)(scores, how)
    else:
        grid = arranged(_averages(scores, average, means, how), format, systems, width)
    return laid_out(grid, format, styled=styled, width=width)


_UNRANKED = ("std",)
"""Averages of which more is neither better nor worse, whatever the measure."""


@dataclass(frozen=True)
class _How:
    """In which order systems are shown, and how values are."""

    systems: list[str]
    exact: bool  # for programs
    digits: int

    def cells(self, measure: Measure, found: Sequence[float]) -> list[str]:
        """A value and, if there are any, bounds: each a cell for programs, one cell for people."""
        texts = [number(measure, value, digits=self.digits, exact=self.exact) for value in found]
        if self.exact or len(texts) == 1:
            return texts
        value, lowest, highest = texts
        return [f"{value} [{lowest}, {highest}]"]

    def headings(self, measure: Measure, *, bounded: bool) -> list[str]:
        """The name of a measure; and of its bounds, where these are cells of their own."""
        ends = ("", " lowest", " highest") if bounded and self.exact else ("",)
        return [f"{measure}{end}" for end in ends]


def _numbers(scores: Scores) -> list[Measure]:
    return [measure for measure in scores.measures if not measure.text]


def _averages(
    scores: Scores, average: str, means: Mapping[str, Mapping[str, float]], how: _How
) -> Grid:
    """A row for each system, a column for each measure."""
    bounded = bool(scores.bounds) and average == "mean"
    header = ["system"]
    rows = [[printable(system)] for system in how.systems]
    marks: dict[tuple[int, int], Mark] = {}
    for measure in _numbers(scores):
        column = len(header)
        header += how.headings(measure, bounded=bounded)
        values = {system: means[system][str(measure)] for system in how.systems}
        for row, (system, value) in zip(rows, values.items(), strict=True):
            bounds = scores.mean_bounds(system, measure) if bounded else ()
            row += how.cells(measure, [value, *bounds])
        if average not in _UNRANKED:
            shown = {system: how.cells(measure, [value])[0] for system, value in values.items()}
            found = places(measure, values, shown)
            marks |= {(how.systems.index(name), column): Mark(found[name]) for name in found}
    texts = [
        f"{measure} is a text for each query, which --per-query or Scores.texts shows"
        for measure in scores.measures
        if measure.text
    ]
    return Grid(header, rows, 1, texts, notes(scores, average), marks)


def _by_query(scores: Scores, how: _How) -> Grid:
    """A row for each system and query, a column for each measure."""
    headings = _headings(scores, how)
    rows = []
    for system in how.systems:
        columns = _columns(scores, system, how)
        evaluated = scores.evaluated[scores.systems.index(system)].tolist()
        for query, had, cells in zip(
            scores.queries, evaluated, zip(*columns, strict=True), strict=True
        ):
            if had:
                rows.append([printable(system), printable(query), *cells])
    return Grid(["system", "query", *headings], rows, 2, [], notes(scores))


def _by_query_across(scores: Scores, how: _How) -> Grid:
    """A row for each query and measure, a column for each system; empty where one lacks a query."""
    headings = _headings(scores, how)
    found = {}
    for s, system in enumerate(scores.systems):
        columns = _columns(scores, system, how)
        found[system] = [
            [cell if had else "" for cell, had in zip(column, scores.evaluated[s], strict=True)]
            for column in columns
        ]
    rows = [
        [printable(query), heading, *(found[system][column][q] for system in how.systems)]
        for q, query in enumerate(scores.queries)
        for column, heading in enumerate(headings)
    ]
    return Grid(["query", "measure", *map(printable, how.systems)], rows, 2, [], notes(scores))


def _headings(scores: Scores, how: _How) -> list[str]:
    """Of what is known for each query."""
    bounded = bool(scores.bounds)
    return [
        heading
        for measure in scores.measures
        for heading in how.headings(measure, bounded=bounded and not measure.text)
    ]


def _columns(scores: Scores, system: str, how: _How) -> list[list[str]]:
    """One system's values, and bounds where there are any: a column each, a query a row."""
    columns: list[list[str]] = []
    for m, measure in enumerate(scores.measures):
        if measure.text:
            columns.append(scores.texts[system][str(measure)])
            continue
        found = [scores.values[scores.systems.index(system), m].tolist()]
        if scores.bounds:
            ends = scores.bounds[system][str(measure)]
            found += [ends.lowest.tolist(), ends.highest.tolist()]
        cells = [how.cells(measure, values) for values in zip(*found, strict=True)]
        columns += map(list, zip(*cells, strict=True))
    return columns

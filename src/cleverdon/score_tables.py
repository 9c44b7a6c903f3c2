"""Scores as tables: text, Markdown, LaTeX, HTML, CSV, TSV, JSON.

What programs read (CSV, TSV, JSON) gets all digits; numbers for people are rounded here, and
nowhere before. The notes below a table say what its numbers rest on. Tables of comparisons
share the layout: the order of systems, which is best, how many digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from math import isfinite, isinf, isnan
from typing import TYPE_CHECKING

from cleverdon._common.text import counted, printable
from cleverdon.errors import CleverdonError, OptionError, check_word, suggest
from cleverdon.measures.base import Measure, worst_value
from cleverdon.profiles import find_profile
from cleverdon.settings import Settings
from cleverdon.tables.numbers import format_decimal
from cleverdon.tables.table import (
    DIGITS,
    EXACT,
    FORMATS,
    MOST_DIGITS,
    SYSTEMS,
    Mark,
    Place,
    TextTable,
    line_width,
)

if TYPE_CHECKING:
    from cleverdon.scores import Provenance, Scores

_SORTS = ("given", "name")  # the orders of systems other than by a measure

_SCREEN = 120  # characters on a line; wider tables are turned


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


def shown_digits(scores: Scores, digits: int | None) -> int:
    """Return the number of decimals: as given, or as the profile's tool shows."""
    return find_profile(scores.about.profile).decimals if digits is None else digits


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
    by = sort_measure(sort, scores, measures)
    if by is None:
        return sorted(names) if sort == "name" else list(names)
    sign = 1 if by.better == "lower" and ranked else -1
    values = {name: average(name, by) for name in names}
    return sorted(names, key=lambda name: (isnan(values[name]), sign * values[name]))


def sort_measure(sort: str, scores: Scores, measures: Sequence[Measure]) -> Measure | None:
    """The measure to sort by, one of `measures`; None where it is another order."""
    if sort in _SORTS:
        return None
    try:
        found = scores.measures[scores.index_of(scores.systems[0], sort)[1]]
    except CleverdonError:
        found = None
    if found is None or found not in measures:
        known = [*_SORTS, *map(str, measures)]
        raise OptionError(f"sort={sort!r} is no measure of this table{suggest(sort, known)}")
    return found


def best_two(
    measure: Measure, values: Mapping[str, float], shown: Mapping[str, str]
) -> dict[str, Place]:
    """Return the best and second systems by a measure; none of a single one or without a better.

    Values that look the same in the table are marked the same.
    """
    defined = [name for name, value in values.items() if not isnan(value)]
    if measure.better == "neither" or len(values) < 2:
        return {}
    defined.sort(key=values.__getitem__, reverse=measure.better == "higher")
    words: tuple[Place, ...] = ("best", "second")
    place = dict(zip(dict.fromkeys(shown[name] for name in defined), words, strict=False))
    return {name: place[shown[name]] for name in defined if shown[name] in place}


def arrange_table(grid: TextTable, format: str, systems: str, width: int | None) -> TextTable:
    """A grid with a row for each system, turned where that was asked for.

    By itself only text is turned: where a line would not fit on a screen, and fits better so.
    """
    turned = grid.turned("measure")
    if systems == "auto" and format == "table":
        wide = line_width(grid)
        helps = wide > (width or _SCREEN) and line_width(turned) < wide
        return turned if helps else grid
    return turned if systems == "columns" else grid


def score_notes(scores: Scores, average: str = "mean") -> list[str]:
    """Describe the queries behind averages, and those missing, extra or undefined."""
    about = scores.about
    size = f"{counted(about.queries, 'query')}, {counted(about.judgments, 'judgment')}"
    if about.pooled:
        size += f", {about.pooled:,} of them below 0: pooled, not judged"
    choices = chosen_settings(about) + ([] if average == "mean" else [f"average={average}"])
    found = ["; ".join([size, *choices]), *missing_queries(about, about.runs)]
    found += repeats_notes(scores, scores.systems)
    if about.asked_for:
        each = (f"{measure} (asked for as {text})" for measure, text in about.asked_for.items())
        found.append(printable(", ".join(each)))
    if scores.bounds:
        over = next(iter(next(iter(scores.bounds.values())).values())).over
        found.append(f"in brackets: the lowest and highest over {', '.join(over)}")
    # What is undefined for a query is in the sums of a micro-average like anything else.
    found += [] if average == "micro" else _undefined_notes(scores)
    return found + [printable(sentence) for sentence in scores.unknowns()]


def repeats_notes(scores: Scores, systems: Iterable[str]) -> list[str]:
    """Name the systems whose values are means over several runs."""
    return [
        f"{printable(name)}: mean of {counted(len(scores.repeats[name]), 'run')}"
        for name in systems
        if name in scores.repeats
    ]


def chosen_settings(about: Provenance) -> list[str]:
    """The profile, and the settings that are not its own."""
    own = find_profile(about.profile).settings
    changed = [
        f"{setting.name}={getattr(about.settings, setting.name)}"
        for setting in fields(own)
        if getattr(about.settings, setting.name) != getattr(own, setting.name)
    ]
    return ([] if about.profile == "cleverdon" else [f"profile {about.profile}"]) + changed


def missing_queries(about: Provenance, systems: Iterable[str]) -> list[str]:
    """Count for each system the queries that are missing, empty, or without judgments."""
    found = []
    for name in systems:
        run = about.runs[name]
        parts = []
        if run.missing:
            fate = "evaluated as empty results" if about.settings.missing == "empty" else "left out"
            parts.append(f"{counted(len(run.missing), 'judged query')} missing ({fate})")
        if run.empty:
            parts.append(f"{counted(len(run.empty), 'judged query')} without results")
        if run.extra:
            parts.append(f"{counted(run.extra, 'extra query')} without judgments (ignored)")
        if parts:
            found.append(f"{printable(name)}: {', '.join(parts)}")
    return found


def _undefined_notes(scores: Scores) -> list[str]:
    """Say for how many queries measures are undefined; `Scores.unknowns` has the rest."""
    found: dict[tuple[Measure, int], list[str]] = {}
    for name, run in scores.about.runs.items():
        for measure in scores.measures:
            count = run.undefined.get(str(measure), 0)
            if count and not scores.is_unknown(name, measure):
                found.setdefault((measure, count), []).append(printable(name))
    alike: dict[str, list[str]] = {}
    for (measure, count), names in found.items():
        where = "" if len(names) == len(scores.systems) else f" in {', '.join(names)}"
        fate = _undefined_handling(measure, scores.about.settings)
        told = f"undefined for {counted(count, 'query')}{where} ({fate})"
        alike.setdefault(told, []).append(str(measure))
    return [
        f"{', '.join(of)} {'is' if len(of) == 1 else 'are'} {told}" for told, of in alike.items()
    ]


def _undefined_handling(measure: Measure, settings: Settings) -> str:
    if settings.undefined == "skip":
        return "left out"
    worst = worst_value(measure)
    return f"counted as {worst:g}" + ("; undefined=skip leaves it out" if isinf(worst) else "")


def format_score(
    measure: Measure,
    value: float,
    *,
    digits: int = DIGITS,
    signed: bool = False,
    exact: bool = False,
) -> str:
    """A measure's value, or a difference of two; counts without decimals.

    >>> from cleverdon.measures.graded import nDCG
    >>> format_score(nDCG(k=10), 0.29149), format_score(nDCG(k=10), 0.034, digits=3, signed=True)
    ('0.2915', '+0.034')
    """
    sign = "+" if signed else ""
    if measure.average == "sum" and isfinite(value):
        close = 0.0 if exact else 1e-6
        if abs(value - round(value)) <= close:
            return f"{round(value):{sign}d}"
    return format_decimal(value, digits=digits, signed=signed, exact=exact)


def score_table(
    scores: Scores,
    *,
    per_query: bool = False,
    exact: bool = False,
    average: str = "mean",
    systems: str = "rows",
    sort: str = "given",
    digits: int | None = None,
    baseline: str | None = None,
) -> TextTable:
    """Return the averages, or the values for each query with systems in rows or in columns.

    The averages always have a row for each system: `arrange_table` can turn them. The queries are
    in the order of `_sorted_queries` where `sort` is a measure.
    """
    by = sort_measure(sort, scores, _numeric_measures(scores))
    if baseline is not None and (by is None or not per_query):
        raise OptionError(
            f"baseline={baseline!r} sorts queries: it goes with per_query=True, and a measure to "
            "sort by"
        )
    means = {} if per_query and sort in _SORTS else scores.to_dict(average=average)
    order = sorted_systems(
        scores.systems,
        sort,
        scores,
        _numeric_measures(scores),
        lambda name, measure: means[name][str(measure)],
        ranked=average not in _UNRANKED,
    )
    how = _CellFormat(order, exact=exact, digits=shown_digits(scores, digits))
    if not per_query:
        return _averages(scores, average, means, how)
    queries = list(range(len(scores.queries)))
    if by is not None:
        queries = _sorted_queries(scores, by, baseline=baseline)
    if systems == "columns":
        return _by_query_in_columns(scores, how, queries)
    compared = None if by is None or baseline is None else (by, baseline)
    return _by_query(scores, how, queries, compared)


def _sorted_queries(scores: Scores, by: Measure, *, baseline: str | None = None) -> list[int]:
    """Return the queries as indices, the worst first.

    By the mean value of all systems, or by the mean difference of the others to the baseline.
    Undefined values are left out of the mean, and queries without any are last. Where no value is
    better, the lowest is first.
    """
    column = scores.measures.index(by)
    values = scores.values[:, column]
    if baseline is not None:
        at = scores.index_of(baseline, by)[0]
        others = [s for s in range(len(scores.systems)) if s != at]
        if not others:
            raise OptionError(f"there is no system beside the baseline {baseline!r}")
        values = values[others] - values[at]
    sign = -1 if by.better == "lower" else 1

    def merit(query: int) -> tuple[bool, float]:
        known = [value for value in values[:, query].tolist() if not isnan(value)]
        # Rounded, so that equals which differ in their last digits stay in their order.
        return (False, round(sign * sum(known) / len(known), 12)) if known else (True, 0.0)

    return sorted(range(len(scores.queries)), key=merit)


_UNRANKED = ("std",)  # averages of which neither more nor less is better


@dataclass(frozen=True)
class _CellFormat:
    """The order of the systems, and the format of values."""

    systems: list[str]
    exact: bool  # for programs
    digits: int

    def cells(self, measure: Measure, found: Sequence[float]) -> list[str]:
        """A value and, if there are any, bounds: each a cell for programs, one cell for people."""
        texts = [
            format_score(measure, value, digits=self.digits, exact=self.exact) for value in found
        ]
        if self.exact or len(texts) == 1:
            return texts
        value, lowest, highest = texts
        return [f"{value} [{lowest}, {highest}]"]

    def headings(self, measure: Measure, *, bounded: bool) -> list[str]:
        """The name of a measure; and of its bounds, where these are cells of their own."""
        ends = ("", " lowest", " highest") if bounded and self.exact else ("",)
        return [f"{measure}{end}" for end in ends]


def _numeric_measures(scores: Scores) -> list[Measure]:
    return [measure for measure in scores.measures if not measure.text]


def _averages(
    scores: Scores, average: str, means: Mapping[str, Mapping[str, float]], how: _CellFormat
) -> TextTable:
    """Return a row for each system, a column for each measure."""
    bounded = bool(scores.bounds) and average == "mean"
    header = ["system"]
    rows = [[printable(system)] for system in how.systems]
    marks: dict[tuple[int, int], Mark] = {}
    for measure in _numeric_measures(scores):
        column = len(header)
        header += how.headings(measure, bounded=bounded)
        values = {system: means[system][str(measure)] for system in how.systems}
        for row, (system, value) in zip(rows, values.items(), strict=True):
            bounds = scores.mean_bounds(system, measure) if bounded else ()
            row += how.cells(measure, [value, *bounds])
        if average not in _UNRANKED:
            shown = {system: how.cells(measure, [value])[0] for system, value in values.items()}
            found = best_two(measure, values, shown)
            marks |= {(how.systems.index(name), column): Mark(found[name]) for name in found}
    texts = [
        f"{measure} is a text for each query, which --per-query or Scores.texts shows"
        for measure in scores.measures
        if measure.text
    ]
    return TextTable(header, rows, 1, texts, score_notes(scores, average), marks)


def _by_query(
    scores: Scores,
    how: _CellFormat,
    queries: Sequence[int],
    compared: tuple[Measure, str] | None,
) -> TextTable:
    """Return a row for each system and query, a column for each measure.

    With `compared`, a measure and a baseline, there is a column of differences.
    """
    headings = _headings(scores, how)
    rows = []
    for system in how.systems:
        cells = list(zip(*_columns(scores, system, how), strict=True))
        evaluated = scores.evaluated[scores.systems.index(system)].tolist()
        last = [] if compared is None else _differences(scores, system, *compared, how)
        for q in queries:
            if evaluated[q]:
                row = [printable(system), printable(scores.queries[q]), *cells[q]]
                rows.append(row + last[q : q + 1])
    if compared is not None:
        headings.append(f"{compared[0]} - {printable(compared[1])}")
    return TextTable(["system", "query", *headings], rows, 2, [], score_notes(scores))


def _differences(
    scores: Scores, system: str, measure: Measure, baseline: str, how: _CellFormat
) -> list[str]:
    """Return a system's differences to the baseline; those of the baseline itself are empty."""
    (s, m), (base, _) = (scores.index_of(name, measure) for name in (system, baseline))
    if s == base:
        return ["" for _ in scores.queries]
    differences = (scores.values[s, m] - scores.values[base, m]).tolist()
    signed = not how.exact
    return [
        format_score(measure, value, digits=how.digits, signed=signed, exact=how.exact)
        for value in differences
    ]


def _by_query_in_columns(scores: Scores, how: _CellFormat, queries: Sequence[int]) -> TextTable:
    """Return a row for each query and measure, a column for each system."""
    headings = _headings(scores, how)
    found = {}
    for s, system in enumerate(scores.systems):
        columns = _columns(scores, system, how)
        found[system] = [
            [cell if had else "" for cell, had in zip(column, scores.evaluated[s], strict=True)]
            for column in columns
        ]
    rows = [
        [
            printable(scores.queries[q]),
            heading,
            *(found[system][column][q] for system in how.systems),
        ]
        for q in queries
        for column, heading in enumerate(headings)
    ]
    header = ["query", "measure", *map(printable, how.systems)]
    return TextTable(header, rows, 2, [], score_notes(scores))


def _headings(scores: Scores, how: _CellFormat) -> list[str]:
    bounded = bool(scores.bounds)
    return [
        heading
        for measure in scores.measures
        for heading in how.headings(measure, bounded=bounded and not measure.text)
    ]


def _columns(scores: Scores, system: str, how: _CellFormat) -> list[list[str]]:
    """Return one system's values and bounds as columns with a row for each query."""
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

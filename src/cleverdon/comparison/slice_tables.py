"""Tables of slices: averages, differences and tests between slices, with their notes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from cleverdon._common.arrays import Floats
from cleverdon._common.text import counted, printable
from cleverdon.comparison.doubt_rules import more_cases
from cleverdon.comparison.procedures import Difference
from cleverdon.score_tables import format_score
from cleverdon.stats.intervals import Interval
from cleverdon.tables.numbers import format_decimal, format_p_value
from cleverdon.tables.table import Mark, TextTable

if TYPE_CHECKING:
    from cleverdon.comparison.slices import Slices

UNKNOWN = "unknown"
"""The slice of the queries that lack the attribute."""
_ALL = "(all)"
"""The name of the slice of all queries."""
_SIGNIFICANT = "*"


def slice_averages(found: Slices, below: list[str]) -> TextTable:
    rows = []
    for name, queries, averages, _ in _with_all(found):
        for s, system in enumerate(found.systems):
            cells = [printable(name), printable(system), str(queries)]
            pairs = zip(found.measures, averages[s], strict=True)
            rows.append(cells + [format_score(measure, float(value)) for measure, value in pairs])
    header = [printable(found.attribute), "system", "queries", *map(str, found.measures)]
    return TextTable(header, rows, 2, [], below)


def _with_all(found: Slices) -> list[tuple[str, int, Floats, tuple[Difference, ...]]]:
    """Return the name, size, averages and comparisons of all queries, and of each slice."""
    of_slices = [
        (part.name, len(part.queries), part.averages, part.differences) for part in found.slices
    ]
    return [(_ALL, found.queries, found.averages, ()), *of_slices]


def slice_differences(found: Slices, below: list[str]) -> TextTable:
    rows: list[list[str]] = []
    marks = {}
    both = _is_adjusted(found)
    for part in found.slices:
        for difference in part.differences:
            if found.significant(difference):
                marks[len(rows), 4] = Mark(above=_SIGNIFICANT)
            rows.append(
                [
                    printable(part.name) + (" (few)" if part.few else ""),
                    printable(difference.system),
                    printable(difference.baseline),
                    str(difference.measure),
                    format_score(difference.measure, difference.difference, signed=True),
                    _ends_text(difference.interval),
                    *([_ends_text(difference.unadjusted)] if both else []),
                    _p(difference.p.p, found.level),
                    _p(difference.corrected, found.level),
                ]
            )
    header = [printable(found.attribute), "system", "baseline", "measure", "difference"]
    share = f"{found.confidence:.0%} interval"
    header += [f"adjusted {share}", share] if both else [share]
    return TextTable([*header, "p", "corrected p"], rows, 4, [], below, marks)


def _is_adjusted(found: Slices) -> bool:
    """Return whether intervals are adjusted for a family."""
    return found.correction != "none" and max(found.families) > 1


def _ends_text(ends: Interval) -> str:
    if math.isnan(ends.low):
        return "-"
    return " to ".join(format_decimal(end, signed=True) for end in (ends.low, ends.high))


def slice_interactions(found: Slices, below: list[str]) -> TextTable:
    rows: list[list[str]] = []
    marks = {}
    for one in found.interactions:
        if one.corrected <= found.level:
            marks[len(rows), 3] = Mark(above=_SIGNIFICANT)
        names = [printable(one.system), printable(one.baseline), str(one.measure)]
        rows.append([*names, _p(one.p.p, found.level), _p(one.corrected, found.level)])
    header = ["system", "baseline", "measure", "p between slices", "corrected p"]
    return TextTable(header, rows, 3, [], below, marks)


def _p(p: float, level: float) -> str:
    """Write a p-value without the letter, which the heading has."""
    return format_p_value(p, level=level).removeprefix("p ").removeprefix("= ")


def slice_notes(found: Slices) -> list[str]:
    """Return the notes below the tables: the slices, the tests, reversals."""
    slices = counted(len(found.slices), "slice")
    kind = f", quantiles of {found.attribute}" if found.cut else ""
    lines = [f"{counted(found.queries, 'query')} in {slices}{kind}"]
    if found.average != "mean":
        lines[0] += f"; average={found.average}, comparisons of means"
    if found.unknown:
        lines.append(f"{counted(found.unknown, 'query')} without {found.attribute} ({UNKNOWN})")
    if found.unused:
        lines.append(f"{counted(found.unused, 'query')} of the table not evaluated (ignored)")
    small = [part.name for part in found.slices if part.few]
    if small:
        lines.append(f"few: fewer than {found.few} queries in {', '.join(map(printable, small))}")
    lines += [
        f"{printable(part.name)}: {printable(sentence)}"
        for part in found.slices
        for sentence in part.scores.unknowns()
    ]
    if found.families:
        over = counted(found.families[0], "comparison")
        if len(found.families) > 1:
            over += (
                f" by {found.primary}, which decides, and for "
                f"{counted(found.families[1], 'comparison')} by the other measures"
            )
        how = f"corrected ({found.correction}) for {over}"
        how = "not corrected" if found.correction == "none" else how
        lines.append(f"p of the test {found.test!r}, {how}; {_SIGNIFICANT} at most {found.level:g}")
        if _is_adjusted(found):
            lines.append("intervals: adjusted for the same comparisons, then not adjusted")
    if found.out_of_reach:
        lines.append(
            f"cannot be significant, since no p-value on so few differing queries is at most "
            f"{found.level:g}: {'; '.join(found.out_of_reach)}"
        )
    if found.disagreeing:
        lines.append(
            f"interval and verdict disagree, since {found.why_disagree}: "
            f"{'; '.join(found.disagreeing)}"
        )
    if found.interactions:
        lines.append(
            "between slices: the test that a difference is the same in all slices, which is what "
            "'it helps here and not there' asks"
        )
    lines += [f"doubt: {sentence}" for sentence in found.one_sided_slices()]
    lines += _serious_doubts(found)
    for reversal in found.reversals:
        lines.append(f"{'warning' if reversal.paradox else 'note'}: {reversal}")
    return lines


def _serious_doubts(found: Slices) -> list[str]:
    """Return a line for each serious doubt, of the first slice that raises it."""
    first: dict[str, tuple[str, str]] = {}
    count: dict[str, int] = {}
    for part in found.slices:
        for doubt in part.doubts:
            first.setdefault(doubt.name, (part.name, str(doubt)))
            count[doubt.name] = count.get(doubt.name, 0) + 1
    return [
        f"doubt in {printable(name)}"
        f"{more_cases(count[doubt] - 1, 'other slice', 'is alike', 'are alike')}: {printable(text)}"
        for doubt, (name, text) in first.items()
    ]


def slice_rows(found: Slices) -> TextTable:
    """Return every average, a row each, with the comparisons of it: all digits, for programs."""
    header = ["slice", "queries", "system", "measure", "value"]
    header += ["baseline", "difference", "low", "high", "unadjusted_low", "unadjusted_high"]
    header += ["p", "corrected", "qualified"]
    doubted = {part.name: part.qualified for part in found.slices}
    rows = []
    for name, queries, averages, differences in _with_all(found):
        for s, system in enumerate(found.systems):
            for m, measure in enumerate(found.measures):
                value = format_decimal(averages[s, m], exact=True)
                start = [name, str(queries), system, str(measure), value]
                of_this = [
                    [*_slice_cells(difference), " ".join(doubted[name](difference))]
                    for difference in differences
                    if (difference.system, difference.measure) == (system, measure)
                ]
                rows += [start + cells for cells in of_this or [[""] * 9]]
    return TextTable(header, rows, 4, [])


def _slice_cells(difference: Difference) -> list[str]:
    ends = [
        end for one in (difference.interval, difference.unadjusted) for end in (one.low, one.high)
    ]
    numbers = (difference.difference, *ends, difference.p.p, difference.corrected)
    return [difference.baseline, *(format_decimal(found, exact=True) for found in numbers)]

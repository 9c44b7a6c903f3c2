"""Slices of topics as tables, and for programs."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from cleverdon.arrays import Floats, plain
from cleverdon.compare.paired import Difference
from cleverdon.compare.slices import UNKNOWN, Slices
from cleverdon.errors import check_word
from cleverdon.show.grid import FORMATS, Grid, Mark, counted, laid_out, printable
from cleverdon.show.numbers import decimal, number, p_value

ALL = "(all)"
"""What stands for all topics where slices are named."""
_SIGNIFICANT = "*"


def render(found: Slices, format: str = "table") -> str:
    """Averages and comparisons by slice, in one of `FORMATS`."""
    check_word("format", format, FORMATS)
    if format == "json":
        import json

        return json.dumps(as_json(found), indent=1, ensure_ascii=False)
    if format in ("csv", "tsv"):
        return laid_out(_rows(found), format)
    below = notes(found)
    if not found.family:
        return laid_out(_averages(found, below), format)
    above = laid_out(_averages(found, []), format).rstrip("\n")
    return f"{above}\n\n{laid_out(_differences(found, below), format)}"


def _averages(found: Slices, below: list[str]) -> Grid:
    rows = []
    for name, topics, averages, _ in _with_all(found):
        for s, system in enumerate(found.systems):
            cells = [printable(name), printable(system), str(topics)]
            pairs = zip(found.measures, averages[s], strict=True)
            rows.append(cells + [number(measure, float(value)) for measure, value in pairs])
    header = [printable(found.attribute), "system", "topics", *map(str, found.measures)]
    return Grid(header, rows, 2, [], below)


def _with_all(found: Slices) -> list[tuple[str, int, Floats, tuple[Difference, ...]]]:
    """The name, size, averages and comparisons of each slice; before them, of all topics."""
    of_slices = [
        (part.name, len(part.topics), part.averages, part.differences) for part in found.slices
    ]
    return [(ALL, found.topics, found.averages, ()), *of_slices]


def _differences(found: Slices, below: list[str]) -> Grid:
    rows: list[list[str]] = []
    marks = {}
    for part in found.slices:
        for difference in part.differences:
            ends = difference.interval
            between = f"{decimal(ends.low, signed=True)} to {decimal(ends.high, signed=True)}"
            if found.significant(difference):
                marks[len(rows), 4] = Mark(above=_SIGNIFICANT)
            rows.append(
                [
                    printable(part.name) + (" (few)" if part.few else ""),
                    printable(difference.system),
                    printable(difference.baseline),
                    str(difference.measure),
                    number(difference.measure, difference.difference, signed=True),
                    "-" if math.isnan(ends.low) else between,
                    _p(difference.p.p, found.level),
                    _p(difference.corrected, found.level),
                ]
            )
    header = [
        printable(found.attribute),
        "system",
        "against",
        "measure",
        "difference",
        "95% interval",
        "p",
        "corrected p",
    ]
    return Grid(header, rows, 4, [], below, marks)


def _p(p: float, level: float) -> str:
    """A p-value below a heading that says that it is one."""
    return p_value(p, level=level).removeprefix("p ").removeprefix("= ")


def notes(found: Slices) -> list[str]:
    """What the slices are, what the p-values rest on, and what is to be feared."""
    slices = counted(len(found.slices), "slice")
    kind = f", quantiles of {found.attribute}" if found.cut else ""
    lines = [f"{counted(found.topics, 'topic')} in {slices}{kind}"]
    if found.average != "mean":
        lines[0] += f"; average={found.average}, comparisons of means"
    if found.unknown:
        lines.append(f"{counted(found.unknown, 'topic')} without {found.attribute} ({UNKNOWN})")
    if found.unused:
        lines.append(f"{counted(found.unused, 'topic')} of the table not evaluated (ignored)")
    small = [part.name for part in found.slices if part.few]
    if small:
        lines.append(f"few: fewer than {found.few} topics in {', '.join(map(printable, small))}")
    lines += [
        f"{printable(part.name)}: {printable(sentence)}"
        for part in found.slices
        for sentence in part.scores.unknowns()
    ]
    if found.family:
        lines.append(
            f"p of the test {found.test!r}, corrected ({found.correction}) for "
            f"{counted(found.family, 'comparison')}; {_SIGNIFICANT} at most {found.level:g}"
        )
    for reversal in found.reversals:
        lines.append(f"{'warning' if reversal.paradox else 'note'}: {reversal}")
    return lines


def _rows(found: Slices) -> Grid:
    """Every average, a row each, with the comparisons of it: all digits, for programs."""
    header = [
        "slice",
        "topics",
        "system",
        "measure",
        "value",
        "baseline",
        "difference",
        "low",
        "high",
        "p",
        "corrected",
    ]
    rows = []
    for name, topics, averages, differences in _with_all(found):
        for s, system in enumerate(found.systems):
            for m, measure in enumerate(found.measures):
                value = decimal(averages[s, m], exact=True)
                start = [name, str(topics), system, str(measure), value]
                of_this = [
                    difference
                    for difference in differences
                    if (difference.system, difference.measure) == (system, measure)
                ]
                rows += [start + _cells(difference) for difference in of_this]
                rows += [] if of_this else [start + [""] * 6]
    return Grid(header, rows, 4, [])


def _cells(difference: Difference) -> list[str]:
    ends = difference.interval
    numbers = (difference.difference, ends.low, ends.high, difference.p.p, difference.corrected)
    return [difference.baseline, *(decimal(found, exact=True) for found in numbers)]


def as_json(found: Slices) -> dict[str, Any]:
    """Everything, ready for `json.dumps`."""
    return {
        "attribute": found.attribute,
        "cut": found.cut,
        "average": found.average,
        "topics": found.topics,
        "unknown": found.unknown,
        "unused": found.unused,
        "test": found.test,
        "correction": found.correction,
        "family": found.family,
        "level": found.level,
        "averages": _by_name(found, found.averages),
        "slices": [
            {
                "name": part.name,
                "topics": list(part.topics),
                "few": part.few,
                "averages": _by_name(found, part.averages),
                "warnings": part.scores.unknowns(),
                "differences": [_compared(found, difference) for difference in part.differences],
            }
            for part in found.slices
        ],
        "reversals": [
            {
                **asdict(reversal),
                "measure": str(reversal.measure),
                "paradox": reversal.paradox,
                "text": str(reversal),
            }
            for reversal in found.reversals
        ],
    }


def _by_name(found: Slices, averages: Floats) -> dict[str, dict[str, float | None]]:
    return {
        system: {
            str(measure): plain(value)
            for measure, value in zip(found.measures, averages[s], strict=True)
        }
        for s, system in enumerate(found.systems)
    }


def _compared(found: Slices, difference: Difference) -> dict[str, Any]:
    return {
        "system": difference.system,
        "baseline": difference.baseline,
        "measure": str(difference.measure),
        "difference": plain(difference.difference),
        "interval": [plain(difference.interval.low), plain(difference.interval.high)],
        "p": difference.p.p,
        "corrected": difference.corrected,
        "significant": found.significant(difference),
    }

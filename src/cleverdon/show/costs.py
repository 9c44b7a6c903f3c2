"""Quality, response times and sizes of systems in one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from cleverdon.arrays import plain
from cleverdon.compare.standings import Standing, Standings
from cleverdon.costs import QUANTITIES, spoken
from cleverdon.errors import check_word
from cleverdon.show.grid import Grid, laid_out, printable
from cleverdon.show.numbers import number
from cleverdon.show.quantities import MISSING, amount, between

COLUMNS = ("p50", "p99", "throughput", "errors", "index_time", "index_size")
"""The costs that a table has, as far as they were measured; errors, where there were some."""
FORMATS = ("table", "markdown", "html", "json")
NO_BREAK = "\N{NO-BREAK SPACE}"
_DOUBTED = "†"
_NAMED = 2
"""How many systems that beat another are named."""


def render(
    found: Standings,
    format: str = "table",
    *,
    columns: Sequence[str] = COLUMNS,
    styled: bool = False,
    width: int | None = None,
) -> str:
    """A row for each system, and below what beating is, and what should not be believed.

    `styled` and `width` are for tables on a terminal.
    """
    check_word("format", format, FORMATS)
    if format == "json":
        import json

        return json.dumps(records(found), indent=1, ensure_ascii=False)
    grid = _grid(found, columns)
    if format == "html":
        grid = replace(
            grid, rows=[[row[0], *map(_unbroken, row[1:-1]), row[-1]] for row in grid.rows]
        )
    return laid_out(grid, format, styled=styled, width=width).rstrip("\n")


def records(found: Standings) -> list[dict[str, Any]]:
    """The same for programs: seconds, bytes, and a second."""
    return [
        {
            "system": one.system,
            "measure": str(found.measure),
            "average": plain(one.average),
            "low": plain(one.interval.low),
            "high": plain(one.interval.high),
            "costs": {} if one.costs is None else one.costs.to_json(),
            "not_valid": list(found.not_valid.get(one.system, ())),
            "front": one.front,
            "beaten_by": None if one.beaten_by is None else list(one.beaten_by),
        }
        for one in found.systems
    ]


def _grid(found: Standings, columns: Sequence[str]) -> Grid:
    shown = [name for name in columns if _worth_a_column(found, name)]
    header = ["system", str(found.measure), *map(spoken, shown), "beaten by"]
    rows = [
        [
            printable(one.system),
            _quality(one, found),
            *(_cost(one, name) for name in shown),
            beaten_by(one),
        ]
        for one in found.systems
    ]
    return Grid(header, rows, 1, [], footnotes(found))


def _unbroken(cell: str) -> str:
    """A value that a narrow page breaks before its interval, and never before a unit."""
    return cell.replace(" ", NO_BREAK).replace(f"{NO_BREAK}(", " (")


def _worth_a_column(found: Standings, name: str) -> bool:
    costs = [cost for cost in (one.cost(name) for one in found.systems) if cost is not None]
    return any(cost.value for cost in costs) if name == "errors" else bool(costs)


def _quality(one: Standing, found: Standings) -> str:
    average = number(found.measure, one.average)
    low, high = (number(found.measure, end, digits=3) for end in one.ends)
    return average if MISSING in (low, high) else f"{average} ({low} to {high})"


def _cost(one: Standing, name: str) -> str:
    cost = one.cost(name)
    if cost is None:
        return MISSING
    unit = QUANTITIES[name].unit
    low, high = cost.ends
    interval = f" ({between(low, high, unit)})" if name == "p99" and low < high else ""
    doubted = "" if one.cost(name, valid=True) else _DOUBTED
    return f"{amount(cost.value, unit)}{doubted}{interval}"


def beaten_by(one: Standing) -> str:
    """The systems that beat it, in words."""
    if one.beaten_by is None:
        return MISSING
    named = [printable(name) for name in one.beaten_by[:_NAMED]]
    more = len(one.beaten_by) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "") if named else "none"


def footnotes(found: Standings) -> list[str]:
    """What beating is, and why some measurements should not be believed."""
    notes = []
    if any(one.front is not None for one in found.systems):
        named = [str(found.measure), *map(spoken, found.axes)]
        listed = f"{', '.join(named[:-1])} and {named[-1]}"
        notes.append(
            f"beaten by: systems that are as good on {listed}, and better on one; those that none "
            "beats are the Pareto front"
        )
        if found.close:
            close = " and ".join(map(spoken, found.close))
            notes.append(
                f"that goes by values: intervals of {close} overlap, and another measurement could "
                "tell otherwise"
            )
        for one in found.systems:
            lacking = [spoken(name) for name in found.axes if one.cost(name, valid=True) is None]
            if lacking:
                listed = " and ".join(lacking)
                notes.append(f"{printable(one.system)} is not placed: there is no valid {listed}")
    if found.loads:
        how = "; ".join(
            f"{name} {' and '.join(map(str, values))}" for name, values in found.loads.items()
        )
        notes.append(f"times are not of the same load: {how}")
    for system, reasons in found.not_valid.items():
        notes.append(f"{_DOUBTED} of {printable(system)}: not valid, {'; '.join(reasons)}")
    return notes

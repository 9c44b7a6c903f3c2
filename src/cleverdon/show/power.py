"""Power and what it would take, as a table or as sentences."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from math import isfinite, isinf, isnan

from cleverdon.compare.power import METHODS, Power
from cleverdon.errors import check_word
from cleverdon.show.grid import FORMATS, Grid, counted, laid_out, printable
from cleverdon.show.numbers import number

HEADER = ("topics", "difference", "deviation", "power", "smallest", "topics needed")


def render(found: Sequence[Power], format: str = "table", *, seen: bool = True) -> str:
    """Every comparison's power, in one of `FORMATS`; `seen`: of the differences that were seen."""
    check_word("format", format, FORMATS)
    if format == "json":
        return json.dumps([_record(one) for one in found], indent=1, ensure_ascii=False)
    exact = format in ("csv", "tsv")
    rows = [
        [
            printable(one.system),
            printable(one.baseline),
            str(one.measure),
            str(one.topics),
            *(_value(one, value, exact=exact) for value in (one.difference, one.deviation)),
            _plain(one.power) if exact else "-" if isnan(one.power) else f"{one.power:.0%}",
            _value(one, one.smallest, exact=exact),
            _plain(one.needed) if exact else _topics(one.needed),
        ]
        for one in found
    ]
    first = found[0]
    notes = [
        f"power: the chance of a significant difference, p <= {first.level:.2g}, if this one were "
        "true",
        f"smallest: the smallest difference with a power of {first.target:.0%} on these topics",
        f"topics needed: for a power of {first.target:.0%}; by {first.method}: "
        f"{METHODS[first.method]}",
    ]
    if seen:
        notes.append("for a difference that was seen, power restates its p-value")
    hints = ["--difference asks about another difference"] if seen else []
    header = ["system", "baseline", "measure", *HEADER]
    return laid_out(Grid(header, rows, 3, hints, notes), format)


def design(
    by_t: float,
    by_interval: float,
    *,
    difference: float,
    deviation: float,
    level: float,
    target: float,
) -> str:
    """How many topics to make, in two sentences."""
    return (
        f"{_counted(by_t)}: a paired t-test at {level:g} finds a difference of {difference:g} with "
        f"a power of {target:.0%}, if differences have a standard deviation of {deviation:g}.\n"
        f"{_counted(by_interval)}: the {1 - level:.0%} interval of the difference is expected to "
        f"be no wider than {2 * difference:g}."
    )


def design_of_many(
    topics: float, *, systems: int, difference: float, deviation: float, level: float, target: float
) -> str:
    """How many topics to make for several systems, in a sentence."""
    return (
        f"{_counted(topics)}: one-way analysis of variance at {level:g} sees that {systems} "
        f"systems differ with a power of {target:.0%}, if the best and the worst are "
        f"{difference:g} apart and a system's scores have a standard deviation of {deviation:g} "
        "over topics."
    )


def _value(one: Power, value: float, *, exact: bool) -> str:
    if exact:
        return _plain(value)
    return "none" if isinf(value) else number(one.measure, value)


def _plain(value: float) -> str:
    return "" if isnan(value) else str(value)


def _topics(needed: float) -> str:
    return "-" if isnan(needed) else "none suffice" if isinf(needed) else f"{int(needed):,}"


def _counted(topics: float) -> str:
    return "No number of topics" if isinf(topics) else counted(int(topics), "topic")


def _record(one: Power) -> dict[str, object]:
    """JSON knows neither NaN nor infinity."""
    plain = {
        name: None if isinstance(value, float) and not isfinite(value) else value
        for name, value in asdict(one).items()
        if name != "measure"
    }
    return plain | {"measure": str(one.measure)}

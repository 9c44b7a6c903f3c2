"""How alike orders of systems are, and rankings of documents, as tables."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence

from cleverdon.arrays import plain
from cleverdon.compare.orderings import COEFFICIENTS, Agreement, Coefficient
from cleverdon.errors import check_word
from cleverdon.show.grid import FORMATS, Grid, counted, laid_out, printable
from cleverdon.show.numbers import decimal

_HEADINGS = {"kendall": "tau", "tau_ap": "tau-AP", "spearman": "rho", "rbo": "RBO"}
"""What people call the coefficients."""


def render(found: Sequence[Agreement], format: str = "table") -> str:
    """Every pair of orders and its coefficients, in one of `FORMATS`."""
    check_word("format", format, FORMATS)
    if format == "json":
        return json.dumps([record(one) for one in found], indent=1, ensure_ascii=False)
    exact = format in ("csv", "tsv")
    ends = ("", " low", " high") if exact else ("",)
    names = COEFFICIENTS if exact else _HEADINGS.values()
    header = ["first", "second", *(name + end for name in names for end in ends)]
    rows = [
        [printable(one.first), printable(one.second)]
        + [cell for name in COEFFICIENTS for cell in _cells(getattr(one, name), exact=exact)]
        for one in found
    ]
    return laid_out(Grid(header, rows, 2, [], _notes(found)), format)


def render_matrix(found: Sequence[Agreement], coefficient: str, format: str = "table") -> str:
    """One coefficient, as a square: each order in a row and in a column."""
    check_word("coefficient", coefficient, COEFFICIENTS)
    check_word("format", format, FORMATS)
    values = {(one.first, one.second): getattr(one, coefficient).value for one in found}
    values |= {(second, first): value for (first, second), value in values.items()}
    names = list(dict.fromkeys(name for one in found for name in (one.first, one.second)))
    values |= {(name, name): 1.0 for name in names}
    if format == "json":
        square = {a: {b: plain(values.get((a, b), math.nan)) for b in names} for a in names}
        return json.dumps({coefficient: square}, indent=1, ensure_ascii=False)
    exact = format in ("csv", "tsv")
    rows = [
        [printable(a), *(decimal(values.get((a, b), math.nan), exact=exact) for b in names)]
        for a in names
    ]
    corner = coefficient if exact else _HEADINGS[coefficient]
    return laid_out(Grid([corner, *map(printable, names)], rows, 1, [], _notes(found)[:1]), format)


def render_runs(found: Mapping[str, Mapping[str, float]], format: str = "table") -> str:
    """Each query's coefficients between two runs, by name; their means below."""
    check_word("format", format, FORMATS)
    queries = list(next(iter(found.values())))
    means = {name: _mean(list(values.values())) for name, values in found.items()}
    if format == "json":
        by_query = {
            query: {name: plain(values[query]) for name, values in found.items()}
            for query in queries
        }
        whole = {"means": {name: plain(mean) for name, mean in means.items()}, "queries": by_query}
        return json.dumps(whole, indent=1, ensure_ascii=False)
    exact = format in ("csv", "tsv")
    rows = [
        [printable(query), *(decimal(values[query], exact=exact) for values in found.values())]
        for query in queries
    ]
    listed = ", ".join(f"{name} {decimal(mean, exact=False)}" for name, mean in means.items())
    note = f"{counted(len(queries), 'query')} in both runs; means of what is defined: {listed}"
    return laid_out(Grid(["query", *found], rows, 1, [], [note]), format)


def _cells(coefficient: Coefficient, *, exact: bool) -> list[str]:
    """A value and its interval: each a cell for programs, one cell for people."""
    ends = coefficient.interval
    texts = [decimal(number, exact=exact) for number in (coefficient.value, ends.low, ends.high)]
    return texts if exact else [f"{texts[0]} [{texts[1]}, {texts[2]}]"]


def _notes(found: Sequence[Agreement]) -> list[str]:
    one = found[0]
    fewest = min(min(each.topics) for each in found)
    most = max(max(each.topics) for each in found)
    topics = counted(most, "topic") if fewest == most else f"{fewest} to {most} topics"
    share = one.kendall.interval.confidence
    return [
        f"orders of {counted(len(one.systems), 'system')}, by {topics}",
        f"in brackets: {share:.0%} intervals of a bootstrap over topics",
    ]


def record(one: Agreement) -> dict[str, object]:
    """Everything about a pair of orders, ready for `json.dumps`."""
    of_all: dict[str, object] = {
        "first": one.first,
        "second": one.second,
        "systems": list(one.systems),
        "topics": list(one.topics),
    }
    for name in COEFFICIENTS:
        found: Coefficient = getattr(one, name)
        ends = [plain(found.interval.low), plain(found.interval.high)]
        of_all[name] = {"value": plain(found.value), "interval": ends}
    return of_all | {"confidence": one.kendall.interval.confidence}


def _mean(values: list[float]) -> float:
    defined = [value for value in values if not math.isnan(value)]
    return sum(defined) / len(defined) if defined else math.nan

"""The documents that make the difference between two systems on one query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import Any

from cleverdon._common.text import counted, printable
from cleverdon.errors import OptionError
from cleverdon.explanation.tables import named_query, why_undefined
from cleverdon.explanation.traces import NOTHING, Step, Trace
from cleverdon.score_tables import format_score
from cleverdon.tables.numbers import format_decimal
from cleverdon.tables.result import Result, as_json, in_json
from cleverdon.tables.sections import Section
from cleverdon.tables.table import TextTable


@dataclass(frozen=True)
class DifferencePart:
    """The part of one document in the difference between two systems."""

    doc: str | None = field(metadata=in_json("document"))  # None: what both have before any hit
    grade: float | None
    ranks: tuple[int | None, int | None]  # None where it was not returned
    added: tuple[float, float] = field(metadata=in_json("adds"))

    @property
    def difference(self) -> float:
        return self.added[0] - self.added[1]


@dataclass(frozen=True)
class TraceDifference(Result):
    """The documents that make the difference between two systems' scores of a query.

    >>> from cleverdon.explanation.traces import explain
    >>> runs = {"q": {"d": 1}}, {"q": {"x": 1}}
    >>> found = trace_difference(*(explain({"q": {"d": 1}}, run, "AP") for run in runs))
    >>> found.value, found.parts[0].doc
    (1.0, 'd')
    """

    _drawn = ("difference", "query", "document")

    traces: tuple[Trace, Trace]
    parts: tuple[DifferencePart, ...]
    """The largest first; their differences add up to that of the values."""

    @property
    def value(self) -> float:
        """The first system's value less the second's; NaN where one is undefined."""
        return self.traces[0].value - self.traces[1].value

    @property
    def titles(self) -> dict[str, str]:
        return {**self.traces[0].titles, **self.traces[1].titles}

    def opening(self) -> str:
        return "\n".join(_difference_sentences(self))

    def sections(self, *, exact: bool = False, depth: int | None = None) -> Sequence[Section]:
        table = _exact(self) if exact else _table(self, depth or _ROWS)
        return [Section("documents", table, titled=False)]

    def to_dict(self) -> dict[str, Any]:
        first, second = self.traces
        parts = [as_json(part) | {"difference": part.difference} for part in self.parts]
        return {
            "query": first.query,
            "measure": str(first.measure),
            "systems": [first.system, second.system],
            "difference": as_json(self.value),
            "values": [as_json(trace.value) for trace in self.traces],
            "parts": parts,
        }


def trace_difference(first: Trace, second: Trace) -> TraceDifference:
    """Find the documents that make the difference between two traces.

    Args:
        first: The trace of one system.
        second: The trace of the other, of the same query by the same measure.

    Returns:
        The difference, document by document.

    Raises:
        OptionError: The traces are of different queries or measures.

    >>> from cleverdon.explanation.traces import explain
    >>> qrels = {"q1": {"d1": 1, "d2": 2}}
    >>> runs = {"q1": {"d1": 2, "d2": 1}}, {"q1": {"d3": 2, "d1": 1}}
    >>> found = trace_difference(*(explain(qrels, run, "CG") for run in runs))
    >>> [(part.doc, part.ranks, part.difference) for part in found.parts]
    [('d2', (2, None), 2.0)]
    """
    if (first.query, first.measure) != (second.query, second.measure):
        raise OptionError("two traces are compared where query and measure are the same")
    parts = difference_parts((first.start, second.start), (first.steps, second.steps))
    return TraceDifference((first, second), parts)


def difference_parts(
    starts: tuple[float, float], steps: tuple[Sequence[Step], Sequence[Step]]
) -> tuple[DifferencePart, ...]:
    """Return what documents add to one system more than to another, the largest first.

    `starts` are the values before any hit, and `steps` what each result adds to them.
    """
    of_both: list[dict[str, Step]] = [{step.doc: step for step in one} for one in steps]
    parts = [DifferencePart(None, None, (None, None), starts)]
    for doc in of_both[0] | of_both[1]:
        found = [one.get(doc) for one in of_both]
        known = next(step for step in found if step is not None)
        ranks = [None if step is None else step.rank for step in found]
        added = [0.0 if step is None else step.added for step in found]
        parts.append(DifferencePart(doc, known.grade, (ranks[0], ranks[1]), (added[0], added[1])))
    parts = [part for part in parts if abs(part.difference) > NOTHING]
    return tuple(sorted(parts, key=lambda part: -abs(part.difference)))


_ROWS = 20
_NAMED = 3
_MOST = 0.9  # so much of a difference is told in words, if few documents make it


def _difference_sentences(found: TraceDifference) -> list[str]:
    measure, query = found.traces[0].measure, named_query(found.traces[0])
    if isnan(found.value):
        of = " and ".join(printable(t.system) for t in found.traces if t.undefined)
        return [f"{measure} is undefined for {of} on query {query}: {why_undefined(measure)}"]
    names = [printable(trace.system) for trace in found.traces]
    first, second = (format_score(measure, trace.value) for trace in found.traces)
    start = f"{names[0]} scores {first} and {names[1]} {second} on query {query} by {measure}"
    if not found.parts:
        return [f"{start}; each document adds the same to both."]
    gap = format_score(measure, found.value, signed=True)
    more = [[part for part in found.parts if sign * part.difference > 0] for sign in (1, -1)]
    if more[0] and more[1]:
        sides = [
            f"{counted(len(side), 'document')} {'adds' if len(side) == 1 else 'add'} "
            f"{format_score(measure, abs(_total(side)))} more to {name}: {_named(side, names)}"
            for side, name in zip(more, names, strict=True)
        ]
        return [f"{start}, a difference of {gap}.", *(f"{side}." for side in sides)]
    (side,) = (side for side in more if side)
    few = next(n for n in range(1, len(side) + 1) if _total(side[:n]) / found.value >= _MOST)
    share = _total(side[:few]) / found.value
    make = "makes" if few == 1 else "make"
    named = _named(side[:few], names)
    return [
        f"{start}, a difference of {gap}; "
        f"{counted(few, 'document')} {make} {share:.0%} of it: {named}."
    ]


def _total(parts: Sequence[DifferencePart]) -> float:
    return sum(part.difference for part in parts)


def _named(side: Sequence[DifferencePart], names: Sequence[str]) -> str:
    """Name the first of them, with their ranks in both systems."""
    told = []
    for part in side[:_NAMED]:
        places = ["not" if rank is None else f"rank {rank}" for rank in part.ranks]
        ranks = ", ".join(f"{at} in {name}" for at, name in zip(places, names, strict=True))
        told.append(_name(part) + (f" ({ranks})" if part.doc is not None else ""))
    more = len(side) - _NAMED
    return ", ".join(told) + (f", and {more:,} more" if more > 0 else "")


def _name(part: DifferencePart) -> str:
    return "(before any hit)" if part.doc is None else printable(part.doc)


def _table(found: TraceDifference, most: int) -> TextTable:
    titles = found.titles
    measure = found.traces[0].measure
    names = [printable(trace.system) for trace in found.traces]
    titled = any(part.doc in titles for part in found.parts)
    header = ["document", *(["title"] if titled else []), "grade"]
    header += [f"rank in {name}" for name in names] + [f"adds to {name}" for name in names]
    one_way = len({part.difference > 0 for part in found.parts}) == 1
    header += ["difference", "share so far" if one_way else "so far"]
    rows = []
    so_far = 0.0
    for part in found.parts[:most]:
        so_far += part.difference
        title = [printable(titles.get(part.doc or "", ""))] if titled else []
        rows.append(
            [
                _name(part),
                *title,
                "" if part.doc is None else "-" if part.grade is None else f"{part.grade:g}",
                *("-" if rank is None else str(rank) for rank in part.ranks),
                *(format_score(measure, added) for added in part.added),
                format_score(measure, part.difference, signed=True),
                _so_far(found, so_far, one_way=one_way),
            ]
        )
    rest = found.parts[most:]
    if rest:
        blank = ["" for _ in range(3 + titled)]
        sums = [sum(part.added[side] for part in rest) for side in (0, 1)]
        total = format_score(measure, _total(rest), signed=True)
        some = f"... {counted(len(rest), 'document')}"
        cells = [*(format_score(measure, added) for added in sums), total]
        rows.append([some, *blank, *cells, _so_far(found, found.value, one_way=one_way)])
    return TextTable(header, rows, 1 + titled, [])


def _so_far(found: TraceDifference, so_far: float, *, one_way: bool) -> str:
    if one_way:
        return f"{so_far / found.value:.0%}"
    return format_score(found.traces[0].measure, so_far, signed=True)


def _exact(found: TraceDifference) -> TextTable:
    titles = found.titles
    header = ["measure", "query", "document", "grade", "rank_a", "rank_b", "adds_a", "adds_b"]
    header = ["system_a", "system_b", *header, "difference"] + (["title"] if titles else [])
    first, second = found.traces
    rows = []
    for part in found.parts:
        row = [first.system, second.system, str(first.measure), first.query, part.doc or ""]
        row.append("" if part.grade is None else f"{part.grade:g}")
        row += ["" if rank is None else str(rank) for rank in part.ranks]
        row += [format_decimal(added, exact=True) for added in (*part.added, part.difference)]
        rows.append(row + ([titles.get(part.doc or "", "")] if titles else []))
    return TextTable(header, rows, len(header), [])

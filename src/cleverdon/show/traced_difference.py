"""Which documents make the difference between two systems on a query, in words and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import Any

from cleverdon.errors import check_word
from cleverdon.show.grid import EXACT, FORMATS, Grid, counted, laid_out, printable
from cleverdon.show.numbers import decimal, number
from cleverdon.show.trace import plain
from cleverdon.show.trace_words import Titles, why_undefined
from cleverdon.tracing.difference import Part, TracedDifference

_ROWS = 20
_NAMED = 3
_MOST = 0.9
"""So much of a difference is told in words, if few documents make it."""


def render_difference(
    differences: Sequence[TracedDifference],
    format: str = "table",
    *,
    depth: int | None = None,
    titles: Titles | None = None,
    asked: str = "",
) -> str:
    """Differences of two systems on one query, by one measure each, in one of `FORMATS`.

    `depth` is how many documents are shown.
    """
    check_word("format", format, FORMATS)
    if format == "json":
        import json

        return json.dumps([to_json(one) for one in differences], indent=1, ensure_ascii=False)
    titles = titles or {}
    if format in EXACT:
        return laid_out(_exact(differences, titles), format)
    parts = []
    for one in differences:
        sentences = in_words(one, asked)
        table = _table(one, depth or _ROWS, titles)
        if format != "table":
            parts.append(laid_out(Grid(*table, [], sentences), format))
        else:
            shown = laid_out(Grid(*table, []), "table").rstrip() if table[1] else ""
            parts.append("\n\n".join(part for part in ("\n".join(sentences), shown) if part))
    return "\n\n".join(parts)


def in_words(found: TracedDifference, asked: str = "") -> list[str]:
    """The two values, and the documents that make most of the difference between them."""
    measure, about = found.traces[0].measure, found.traces[0].query
    query = printable(about) + (f" ({printable(asked)})" if asked else "")
    if isnan(found.value):
        of = " and ".join(printable(t.system) for t in found.traces if t.undefined)
        return [f"{measure} is undefined for {of} on query {query}: {why_undefined(measure)}"]
    names = [printable(trace.system) for trace in found.traces]
    first, second = (number(measure, trace.value) for trace in found.traces)
    start = f"{names[0]} scores {first} and {names[1]} {second} on query {query} by {measure}"
    if not found.parts:
        return [f"{start}; each document adds the same to both."]
    gap = number(measure, found.value, signed=True)
    more = [[part for part in found.parts if sign * part.difference > 0] for sign in (1, -1)]
    if more[0] and more[1]:
        sides = [
            f"{_many(side)} {number(measure, abs(_total(side)))} more to {name}: "
            f"{_named(side, names)}"
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


def _many(side: Sequence[Part]) -> str:
    return f"{counted(len(side), 'document')} {'adds' if len(side) == 1 else 'add'}"


def _total(parts: Sequence[Part]) -> float:
    return sum(part.difference for part in parts)


def _named(side: Sequence[Part], names: Sequence[str]) -> str:
    """The first of them, with where both systems have them."""
    told = []
    for part in side[:_NAMED]:
        places = ["not" if rank is None else f"rank {rank}" for rank in part.ranks]
        ranks = ", ".join(f"{at} in {name}" for at, name in zip(places, names, strict=True))
        told.append(_name(part) + (f" ({ranks})" if part.doc is not None else ""))
    more = len(side) - _NAMED
    return ", ".join(told) + (f", and {more:,} more" if more > 0 else "")


def _name(part: Part) -> str:
    return "(before any hit)" if part.doc is None else printable(part.doc)


def _table(
    found: TracedDifference, most: int, titles: Titles
) -> tuple[list[str], list[list[str]], int]:
    """Header, rows, and how many columns are labels."""
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
                *(number(measure, added) for added in part.added),
                number(measure, part.difference, signed=True),
                _so_far(found, so_far, one_way=one_way),
            ]
        )
    rest = found.parts[most:]
    if rest:
        blank = ["" for _ in range(3 + titled)]
        sums = [sum(part.added[side] for part in rest) for side in (0, 1)]
        total = number(measure, _total(rest), signed=True)
        some = f"... {counted(len(rest), 'document')}"
        cells = [*(number(measure, added) for added in sums), total]
        rows.append([some, *blank, *cells, _so_far(found, found.value, one_way=one_way)])
    return header, rows, 1 + titled


def _so_far(found: TracedDifference, so_far: float, *, one_way: bool) -> str:
    """How much of the difference is told; shares make no sense of what partly cancels out."""
    if one_way:
        return f"{so_far / found.value:.0%}"
    return number(found.traces[0].measure, so_far, signed=True)


def _exact(differences: Sequence[TracedDifference], titles: Titles) -> Grid:
    header = ["measure", "query", "document", "grade", "rank_a", "rank_b", "adds_a", "adds_b"]
    header = ["system_a", "system_b", *header, "difference"] + (["title"] if titles else [])
    rows = []
    for one in differences:
        first, second = one.traces
        for part in one.parts:
            row = [first.system, second.system, str(first.measure), first.query, part.doc or ""]
            row.append("" if part.grade is None else f"{part.grade:g}")
            row += ["" if rank is None else str(rank) for rank in part.ranks]
            row += [decimal(added, exact=True) for added in (*part.added, part.difference)]
            rows.append(row + ([titles.get(part.doc or "", "")] if titles else []))
    return Grid(header, rows, len(header), [])


def to_json(found: TracedDifference) -> dict[str, Any]:
    """The difference with all that is known, ready for `json.dumps`."""
    first, second = found.traces
    return {
        "query": first.query,
        "measure": str(first.measure),
        "systems": [first.system, second.system],
        **plain({"difference": found.value}),
        "values": [plain({"value": trace.value})["value"] for trace in found.traces],
        "parts": [
            {
                "document": part.doc,
                "grade": part.grade,
                "ranks": list(part.ranks),
                "adds": list(part.added),
                "difference": part.difference,
            }
            for part in found.parts
        ],
    }

"""What is said above and below a trace: the value, how it comes about, and what would gain most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite, isnan
from typing import Any

from cleverdon.measures.base import Measure
from cleverdon.show.grid import printable
from cleverdon.show.numbers import decimal, number
from cleverdon.tracing.results import Move, Trace

_MOVES = 5
_MISSED = 5

Titles = Mapping[str, str]
"""What documents are about, by id, on one line."""


def headline(trace: Trace, asked: str = "") -> str:
    """The measure, the system, the query, and the value in words."""
    query = printable(trace.query) + (f" ({printable(asked)})" if asked else "")
    start = f"{trace.measure} of {printable(trace.system)} on query {query}"
    if trace.undefined:
        return f"{start} is undefined: {why_undefined(trace.measure)}"
    return f"{start} is {number(trace.measure, trace.value)}"


def why_undefined(measure: Measure) -> str:
    """The measure's own condition."""
    return measure.undefined.removeprefix("never; ")


def below(trace: Trace, *, tied: bool) -> list[str]:
    """How the columns make the value; and what marks results where some shown are `tied`."""
    lines = []
    value = number(trace.measure, trace.value)
    if trace.undefined:
        return []
    if trace.whole is not None and trace.total is not None:
        over = "the sum over that of the ideal" if trace.ideal else "the sum over the whole"
        total, whole = cells([trace.total, trace.whole])
        lines.append(f"{total} / {whole} = {value}: {over}")
    elif trace.start:
        lines.append(f"before any hit the value is {number(trace.measure, trace.start)}")
    if tied:
        lines.append("= has the same score as another result")
    return lines


def outlook(trace: Trace, titles: Titles, *, indented: bool = True) -> list[str]:
    """What would gain most, and what was missed."""
    lines = []
    if trace.returned == 0:
        lines.append("Nothing was returned.")
    if not trace.undefined:
        gains = _gains(trace, titles)
        first = f"{gains[0]} {'; '.join(gains[1:])}".strip()
        lines += [gains[0], *(f"  {gain}" for gain in gains[1:])] if indented else [first]
    if trace.missed:
        lines.append(f"Relevant and not returned: {_missed(trace)}")
    return lines


def _missed(trace: Trace) -> str:
    """The documents that were not returned, those together that would bring the same."""
    alike: dict[tuple[Any, ...], list[Move]] = {}

    def merit(move: Move) -> tuple[float, float]:
        return -(move.grade or 0), 0 if isnan(move.change) else -abs(round(move.change, 9))

    for move in sorted(trace.missed, key=merit):
        alike.setdefault((move.grade, move.to, f"{move.change:.9f}"), []).append(move)
    told = []
    for moves in list(alike.values())[:_MISSED]:
        names = ", ".join(printable(move.doc) for move in moves[:_MISSED])
        more = len(moves) - _MISSED
        of, each = moves[0], "" if len(moves) == 1 else " each"
        bring = f", {number(trace.measure, of.change, signed=True)}{each} at rank {of.to}"
        if trace.undefined:
            bring = ""
        elif of not in trace.moves:
            bring = ", no gain at any rank"
        told.append(
            f"{names}{f' and {more:,} more' if more > 0 else ''} (grade {of.grade:g}{bring})"
        )
    more = sum(map(len, list(alike.values())[_MISSED:]))
    return "; ".join(told) + (f"; and {more:,} more" if more else "")


def _gains(trace: Trace, titles: Titles) -> list[str]:
    if trace.measure.better == "neither":
        return [f"No value of {trace.measure} is better than another, so nothing would gain."]
    raise_ = "raise" if trace.measure.better == "higher" else "lower"
    if not trace.moves:
        return [
            f"Nothing would {raise_} it: neither a relevant document further up, nor a better "
            "grade for an unjudged result."
        ]
    lines = [f"What would {raise_} it most:"]
    alike: dict[tuple[Any, ...], list[Move]] = {}
    for move in trace.moves:
        # Documents that were not returned and have the same grade are one case.
        own = move.doc if move.rank is not None else ""
        alike.setdefault((own, move.grade, move.to, f"{move.change:.9f}"), []).append(move)
    for moves in list(alike.values())[:_MOVES]:
        title = titles.get(moves[0].doc, "") if len(moves) == 1 else ""
        told = said(trace.measure, moves[0], others=len(moves) - 1)
        lines.append(told + (f": {printable(title)}" if title else ""))
    return lines


def said(measure: Measure, move: Move, *, others: int = 0) -> str:
    """A move in words, of a document or of any one of several that are alike.

    >>> from cleverdon.measures import nDCG
    >>> said(nDCG(k=10), Move("d7", 2, 14, 1, None, 0.1203))
    '+0.1203 if d7 (grade 2) moved up from rank 14 to 1'
    >>> said(nDCG(k=10), Move("d99", None, 3, None, 3, 0.0312))
    '+0.0312 if d99 (unjudged, at rank 3) were judged 3'
    """
    change = number(measure, move.change, signed=True)
    if not any(digit in change for digit in "123456789"):
        change = f"{move.change:+.1g}"
    doc = printable(move.doc) + (f" or one of {others:,} others" if others > 1 else "")
    doc += " or one other" if others == 1 else ""
    if move.assumed is not None:
        return f"{change} if {doc} (unjudged, at rank {move.rank}) were judged {move.assumed:g}"
    if move.rank is None:
        found = f"grade {move.grade:g}, not returned"
        return f"{change} if {doc} ({found}) were inserted at rank {move.to}"
    return f"{change} if {doc} (grade {move.grade:g}) moved up from rank {move.rank} to {move.to}"


def cells(values: Sequence[float]) -> list[str]:
    """Numbers of one column: without decimals where none has any."""
    whole = all(value == round(value) for value in values if isfinite(value))
    return ["" if isnan(value) else f"{value:.0f}" if whole else decimal(value) for value in values]

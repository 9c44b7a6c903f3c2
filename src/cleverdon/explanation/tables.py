"""Traces as tables: what each result adds, rank by rank, with a summary above and below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any

from cleverdon._common.text import counted, printable
from cleverdon.measures.base import Measure
from cleverdon.score_tables import format_score
from cleverdon.tables.numbers import format_decimal
from cleverdon.tables.table import TextTable

if TYPE_CHECKING:
    from cleverdon.explanation.traces import Move, Step, Trace

_MOVES = 5
_MISSED = 5

_Titles = Mapping[str, str]  # the titles of documents, by id, on one line each


def trace_headline(trace: Trace) -> str:
    query = named_query(trace)
    start = f"{trace.measure} of {printable(trace.system)} on query {query}"
    if trace.undefined:
        return f"{start} is undefined: {why_undefined(trace.measure)}"
    return f"{start} is {format_score(trace.measure, trace.value)}"


def named_query(trace: Trace) -> str:
    """Return the query's id, with its text where that is known."""
    text = f" ({printable(trace.text)})" if trace.text else ""
    return printable(trace.query) + text


def why_undefined(measure: Measure) -> str:
    return measure.undefined.removeprefix("never; ")


def _notes(trace: Trace, *, tied: bool) -> list[str]:
    """Explain how the columns make the value, and the mark of `tied` results."""
    lines = []
    value = format_score(trace.measure, trace.value)
    if trace.undefined:
        return []
    if trace.whole is not None and trace.total is not None:
        over = "the sum over that of the ideal" if trace.ideal else "the sum over the whole"
        total, whole = _number_cells([trace.total, trace.whole])
        lines.append(f"{total} / {whole} = {value}: {over}")
    elif trace.start:
        lines.append(f"before any hit the value is {format_score(trace.measure, trace.start)}")
    if tied:
        lines.append("= has the same score as another result")
    return lines


def move_lines(trace: Trace) -> list[str]:
    """List the changes that would gain most, and the relevant documents that were missed."""
    lines = []
    if trace.returned == 0:
        lines.append("Nothing was returned.")
    if not trace.undefined:
        gains = _gains(trace)
        lines += [gains[0], *(f"  {gain}" for gain in gains[1:])]
    if trace.missed:
        lines.append(f"Relevant and not returned: {_missed(trace)}")
    return lines


def _missed(trace: Trace) -> str:
    """Name the documents that were not returned, in groups that would gain the same."""
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
        bring = f", {format_score(trace.measure, of.change, signed=True)}{each} at rank {of.to}"
        if trace.undefined:
            bring = ""
        elif of not in trace.moves:
            bring = ", no gain at any rank"
        told.append(
            f"{names}{f' and {more:,} more' if more > 0 else ''} (grade {of.grade:g}{bring})"
        )
    more = sum(map(len, list(alike.values())[_MISSED:]))
    return "; ".join(told) + (f"; and {more:,} more" if more else "")


def _gains(trace: Trace) -> list[str]:
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
        title = trace.titles.get(moves[0].doc, "") if len(moves) == 1 else ""
        told = _move_text(trace.measure, moves[0], others=len(moves) - 1)
        lines.append(told + (f": {printable(title)}" if title else ""))
    return lines


def _move_text(measure: Measure, move: Move, *, others: int = 0) -> str:
    """Write a move as a phrase, of a document or of any one of several that are alike.

    >>> from cleverdon.explanation.traces import Move
    >>> from cleverdon.measures.graded import nDCG
    >>> _move_text(nDCG(k=10), Move("d7", 2, 14, 1, None, 0.1203))
    '+0.1203 if d7 (grade 2) moved up from rank 14 to 1'
    """
    change = format_score(measure, move.change, signed=True)
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


def _number_cells(values: Sequence[float]) -> list[str]:
    """Write the numbers of one column: without decimals where none has any."""
    whole = all(value == round(value) for value in values if isfinite(value))
    return [
        "" if isnan(value) else f"{value:.0f}" if whole else format_decimal(value)
        for value in values
    ]


_EACH = 20
"""The number of results that are shown one by one; further down, only those that add something."""
_ROWS = 30  # the number of rows in all


def trace_table(trace: Trace, depth: int | None = None) -> TextTable:
    """Lay out a trace; without a `depth`, results that add nothing are folded."""
    rows = list(_folded(trace, depth))
    tied = any(row.last.tied for row in rows if len(row.steps) == 1)
    return _table(trace, rows, trace.titles, _notes(trace, tied=tied))


@dataclass(frozen=True)
class _TraceRow:
    """A result, or several in a row that are folded into one line."""

    steps: Sequence[Step]

    @property
    def last(self) -> Step:
        return self.steps[-1]

    @property
    def added(self) -> float:
        return sum(step.added for step in self.steps)


def _table(trace: Trace, rows: Sequence[_TraceRow], titles: _Titles, notes: list[str]) -> TextTable:
    shares = trace.whole is not None
    names = list(trace.steps[0].working) if trace.steps else []
    titled = any(step.doc in titles for step in trace.steps)
    header = ["rank", "document", *(["title"] if titled else []), "grade", *names]
    header += ["ideal", "ideal sum"] if trace.ideal else []
    header += ["adds"] if shares else ["adds", "so far"]
    columns = [_column(rows, name) for name in names]
    if trace.ideal:
        columns += _ideal(trace, rows)
    columns.append([_added(trace.measure, row) for row in rows])
    if not shares:
        values = [format_score(trace.measure, row.last.so_far) for row in rows]
        columns.append(["" if value == "-" else value for value in values])
    labels = [
        [*_label(trace, row), *([_title(row, titles)] if titled else []), _grade(row)]
        for row in rows
    ]
    body = zip(*columns, strict=True)
    lines = [[*label, *cells] for label, cells in zip(labels, body, strict=True)]
    return TextTable(header, lines, 3 if titled else 2, notes)


def _folded(trace: Trace, depth: int | None) -> Iterator[_TraceRow]:
    """Yield the results that matter, with those that add nothing folded."""
    steps = trace.steps
    last = depth or _bottom(trace)
    shown = [step for step in steps if step.rank <= last]
    kept = 0
    waiting: list[Step] = []
    for step in shown:
        if depth or step.rank <= _EACH or (step.added and kept < _ROWS):
            if waiting:
                yield _TraceRow(waiting)
                waiting = []
            kept += 1
            yield _TraceRow([step])
        else:
            waiting.append(step)
    rest = [step for step in steps if step.rank > last]
    waiting += rest if depth or any(step.added for step in rest) else []
    if waiting:
        yield _TraceRow(waiting)


def _bottom(trace: Trace) -> int:
    """Return the last rank that is shown: the cut-off, or the last judged result."""
    cut = getattr(trace.measure, "k", None) if trace.measure.cut == "k" else None
    if isinstance(cut, int):
        return cut
    return max((step.rank for step in trace.steps if step.grade is not None), default=_EACH)


def _label(trace: Trace, row: _TraceRow) -> list[str]:
    first, last = row.steps[0], row.last
    if first is last:
        return [f"{first.rank}{'=' if first.tied else ''}", printable(first.doc) or "?"]
    some = counted(len(row.steps), "result")
    effect = "" if any(step.added for step in row.steps) else " without effect"
    return [f"{first.rank}-{last.rank}", f"... {some}{effect}"]


def _title(row: _TraceRow, titles: _Titles) -> str:
    return printable(titles.get(row.last.doc, "")) if len(row.steps) == 1 else ""


def _grade(row: _TraceRow) -> str:
    if len(row.steps) > 1:
        return ""
    return "-" if row.last.grade is None else f"{row.last.grade:g}"


def _column(rows: Sequence[_TraceRow], name: str) -> list[str]:
    # Of several results, only a running sum is shown.
    values = [
        row.last.working[name] if len(row.steps) == 1 or name == "sum" else float("nan")
        for row in rows
    ]
    return _number_cells(values)


def _ideal(trace: Trace, rows: Sequence[_TraceRow]) -> list[list[str]]:
    """Return the gain at the same rank of the best order, and that order's running sum."""
    at = {place.rank: place for place in trace.ideal}
    end = trace.ideal[-1]
    gains = [at[row.last.rank].gain if row.last.rank in at else float("nan") for row in rows]
    gains = [
        gain if len(row.steps) == 1 else float("nan") for gain, row in zip(gains, rows, strict=True)
    ]
    return [
        _number_cells(gains),
        _number_cells([at.get(row.last.rank, end).so_far for row in rows]),
    ]


def _added(measure: Measure, row: _TraceRow) -> str:
    # Empty for an unjudged result that adds nothing.
    judged = len(row.steps) == 1 and row.last.grade is not None
    return format_score(measure, row.added) if row.added or judged else ""


def exact_trace_table(traces: Sequence[Trace], depth: int | None = None) -> TextTable:
    """Lay out a row for each result by each measure, with all digits."""
    titles = {doc: title for trace in traces for doc, title in trace.titles.items()}
    names = list(dict.fromkeys(name for t in traces if t.steps for name in t.steps[0].working))
    ideal = ["ideal", "ideal sum"] if any(trace.ideal for trace in traces) else []
    header = ["system", "query", "measure", "rank", "document", "grade", "tied", *names, *ideal]
    header += ["adds", "so far"] + (["title"] if titles else [])
    rows = []
    for trace in traces:
        at = {place.rank: place for place in trace.ideal}
        end = trace.ideal[-1:]
        for step in trace.steps[:depth]:
            row = [trace.system, trace.query, str(trace.measure), str(step.rank), step.doc]
            row += ["" if step.grade is None else f"{step.grade:g}", str(int(step.tied))]
            values = [step.working.get(name, float("nan")) for name in names]
            if ideal:
                best = at.get(step.rank)
                so_far = best or (end[0] if end else None)
                values.append(best.gain if best else float("nan"))
                values.append(so_far.so_far if so_far else float("nan"))
            values += [step.added, step.so_far]
            row += [format_decimal(value, exact=True) for value in values]
            rows.append(row + ([titles.get(step.doc, "")] if titles else []))
    return TextTable(header, rows, len(header), [])

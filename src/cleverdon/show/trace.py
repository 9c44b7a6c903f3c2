"""A trace of a score as a table: what each result adds, rank by rank, and what would gain most."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from cleverdon.errors import check_word
from cleverdon.measures.base import Measure
from cleverdon.show.grid import EXACT, FORMATS, Grid, counted, laid_out, printable
from cleverdon.show.numbers import decimal, number
from cleverdon.show.trace_words import Titles, below, cells, headline, outlook
from cleverdon.tracing.results import Step, Trace

_EACH = 20
"""So many results are shown one by one; further down, those that add something."""
_ROWS = 30
"""And of these, so many in all."""

_Table = tuple[list[str], list[list[str]], int]
"""Header, rows, and how many columns are labels."""


def render(
    traces: Sequence[Trace],
    format: str = "table",
    *,
    depth: int | None = None,
    titles: Titles | None = None,
    asked: str = "",
) -> str:
    """Traces of one query, by one measure each, in one of `FORMATS`.

    With `depth`, each of so many results is shown, and none is folded away. `asked` is the query's
    text.
    """
    check_word("format", format, FORMATS)
    if format == "json":
        import json

        return json.dumps([to_json(one) for one in traces], indent=1, ensure_ascii=False)
    titles = titles or {}
    if format in EXACT:
        return laid_out(_exact(traces, depth, titles), format)
    return "\n\n".join(_one(trace, format, depth, titles, asked) for trace in traces)


def _one(trace: Trace, format: str, depth: int | None, titles: Titles, asked: str) -> str:
    head = headline(trace, asked)
    rows = list(_folded(trace, depth))
    tables = _table(trace, rows, titles)
    notes = below(trace, tied=any(row.last.tied for row in rows if len(row.steps) == 1))
    if format != "table":
        # What is written elsewhere comes with its explanations below it.
        lines = [head, *notes, *outlook(trace, titles, indented=False)]
        return laid_out(Grid(*tables, [], lines), format)
    shown = laid_out(Grid(*tables, notes), "table").rstrip() if tables[1] else ""
    return "\n\n".join(
        part for part in (head, shown, "\n".join(outlook(trace, titles))) if part.strip()
    )


# The table


@dataclass(frozen=True)
class _Row:
    """A result, or several in a row that are folded into one line."""

    steps: Sequence[Step]

    @property
    def last(self) -> Step:
        return self.steps[-1]

    @property
    def added(self) -> float:
        return sum(step.added for step in self.steps)


def _table(trace: Trace, rows: Sequence[_Row], titles: Titles) -> _Table:
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
        columns.append([_blank(number(trace.measure, row.last.so_far)) for row in rows])
    labels = [
        [*_label(trace, row), *([_title(row, titles)] if titled else []), _grade(row)]
        for row in rows
    ]
    body = zip(*columns, strict=True)
    lines = [[*label, *cells] for label, cells in zip(labels, body, strict=True)]
    return header, lines, 3 if titled else 2


def _folded(trace: Trace, depth: int | None) -> Iterator[_Row]:
    """The results down to where they end to matter, with those that add nothing folded."""
    steps = trace.steps
    last = depth or _bottom(trace)
    shown = [step for step in steps if step.rank <= last]
    kept = 0
    waiting: list[Step] = []
    for step in shown:
        if depth or step.rank <= _EACH or (step.added and kept < _ROWS):
            if waiting:
                yield _Row(waiting)
                waiting = []
            kept += 1
            yield _Row([step])
        else:
            waiting.append(step)
    rest = [step for step in steps if step.rank > last]
    waiting += rest if depth or any(step.added for step in rest) else []
    if waiting:
        yield _Row(waiting)


def _bottom(trace: Trace) -> int:
    """The last rank that is shown: the cut-off, or the last judged result."""
    cut = getattr(trace.measure, "k", None) if trace.measure.cut == "k" else None
    if isinstance(cut, int):
        return cut
    return max((step.rank for step in trace.steps if step.grade is not None), default=_EACH)


def _label(trace: Trace, row: _Row) -> list[str]:
    first, last = row.steps[0], row.last
    if first is last:
        return [f"{first.rank}{'=' if first.tied else ''}", printable(first.doc) or "?"]
    some = counted(len(row.steps), "result")
    effect = "" if any(step.added for step in row.steps) else " without effect"
    return [f"{first.rank}-{last.rank}", f"... {some}{effect}"]


def _title(row: _Row, titles: Titles) -> str:
    return printable(titles.get(row.last.doc, "")) if len(row.steps) == 1 else ""


def _grade(row: _Row) -> str:
    if len(row.steps) > 1:
        return ""
    return "-" if row.last.grade is None else f"{row.last.grade:g}"


def _column(rows: Sequence[_Row], name: str) -> list[str]:
    """A column of the measure's own: of several results only what runs on, the sum, is shown."""
    values = [
        row.last.working[name] if len(row.steps) == 1 or name == "sum" else float("nan")
        for row in rows
    ]
    return cells(values)


def _ideal(trace: Trace, rows: Sequence[_Row]) -> list[list[str]]:
    """What stands at the same rank in the best order, and that order's sum down to it."""
    at = {place.rank: place for place in trace.ideal}
    end = trace.ideal[-1]
    gains = [at[row.last.rank].gain if row.last.rank in at else float("nan") for row in rows]
    gains = [
        gain if len(row.steps) == 1 else float("nan") for gain, row in zip(gains, rows, strict=True)
    ]
    return [cells(gains), cells([at.get(row.last.rank, end).so_far for row in rows])]


def _added(measure: Measure, row: _Row) -> str:
    """Nothing where nobody expects anything."""
    judged = len(row.steps) == 1 and row.last.grade is not None
    return number(measure, row.added) if row.added or judged else ""


def _blank(text: str) -> str:
    return "" if text == "-" else text


# For programs


def _exact(traces: Sequence[Trace], depth: int | None, titles: Titles) -> Grid:
    """A row for each result by each measure, with all digits."""
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
            row += [decimal(value, exact=True) for value in values]
            rows.append(row + ([titles.get(step.doc, "")] if titles else []))
    return Grid(header, rows, len(header), [])


def to_json(trace: Trace) -> dict[str, Any]:
    """A trace with all that is known, ready for `json.dumps`."""
    from dataclasses import asdict

    facts = {
        "system": trace.system,
        "query": trace.query,
        "measure": str(trace.measure),
        "value": trace.value,
        "start": trace.start,
        "returned": trace.returned,
        "total": trace.total,
        "whole": trace.whole,
    }
    lists = {
        name: [plain(asdict(row)) for row in getattr(trace, name)]
        for name in ("steps", "ideal", "moves", "missed")
    }
    return plain(facts) | lists


def plain(record: Mapping[str, Any]) -> dict[str, Any]:
    """JSON knows neither NaN nor infinity."""
    return {
        name: plain(value)
        if isinstance(value, Mapping)
        else None
        if isinstance(value, float) and not isfinite(value)
        else value
        for name, value in record.items()
    }

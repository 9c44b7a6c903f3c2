"""Tables as aligned Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.engine import Sent
from benchmarks.kernels import Kernel, slowest_first
from benchmarks.measure import Memory
from benchmarks.report import Fact
from benchmarks.rows import Row
from benchmarks.scaling import Step

LEFT = frozenset(
    {
        "task",
        "tool",
        "measure",
        "family",
        "what",
        "unit",
        "target",
        "met",
        "values",
        "linear",
        "note",
    }
)


def peers_table(rows: Sequence[Row]) -> str:
    """Render the comparison with other tools."""
    header = ("task", "tool", "seconds", "CPU s", "rounds", "beside Cleverdon", "target", "met")
    cells = []
    task = ""
    for row in rows:
        cells.append(
            (
                row.task if row.task != task else "",
                row.tool,
                _seconds(row.seconds),
                _seconds(row.cpu),
                str(row.rounds or "-"),
                _ratio(row.ratio) if row.tool != "cleverdon" else "",
                row.target,
                _yes(row.met),
                {True: "agree", False: "DIFFER", None: "-"}[row.agrees],
                *_memory(row.memory, added=row.memory_is_added),
                row.note,
            )
        )
        task = row.task
    return _table((*header, "values", "peak MB", "anonymous MB", "note"), cells)


def scaling_table(steps: Sequence[Step]) -> str:
    """Render how time and memory grow with the data."""
    header = ("queries", "rows", "file MB", "seconds", "CPU s", "rounds", "CPU grew", "rows grew")
    cells = [
        (
            f"{step.queries:,}",
            f"{step.rows:,}",
            "-" if step.megabytes is None else f"{step.megabytes:,.0f}",
            _seconds(step.seconds),
            _seconds(step.cpu),
            str(step.rounds or "-"),
            "-" if step.growth is None else f"{step.growth:.1f}x",
            "-" if step.due is None else f"{step.due:.0f}x",
            _yes(step.linear),
            *_memory(step.memory, added=False),
            step.note,
        )
        for step in steps
    ]
    return _table((*header, "linear", "peak MB", "anonymous MB", "note"), cells)


def report_table(facts: Sequence[Fact]) -> str:
    """Render the measurements of the report."""
    cells = [
        (
            fact.what,
            "-" if fact.value is None else f"{fact.value:,.{0 if fact.value >= 100 else 2}f}",
            fact.unit,
            str(fact.rounds or "-"),
            "" if fact.most is None else f"under {fact.most:,g} {fact.unit}",
            _yes(fact.met),
            fact.note,
        )
        for fact in facts
    ]
    return _table(("what", "median", "unit", "rounds", "target", "met", "note"), cells)


def engine_table(sent: Sequence[Sent]) -> str:
    """Render the rates that load generators reached."""
    header = ("tool", "requests/s", "reached", "lag p50 ms", "lag p99 ms", "lag max ms")
    cells = [
        (
            one.tool,
            f"{one.rate:,}",
            _percent(one.reached),
            *(_milliseconds(one.lag and one.lag[name]) for name in ("p50", "p99", "max")),
            _milliseconds(one.response),
            _percent(one.cpu),
            f"{one.ratio:.1f}x" if one.ratio else "",
            str(one.rounds or "-"),
            one.target,
            _yes(one.kept_up),
            one.note,
        )
        for one in sent
    ]
    more = ("p99 ms", "of a core", "beside Cleverdon", "rounds", "target", "met", "note")
    return _table((*header, *more), cells)


def kernels_table(kernels: Sequence[Kernel]) -> str:
    """Render how long each measure takes."""
    cells = [
        (kernel.measure, kernel.family, _milliseconds(kernel.seconds), kernel.note)
        for kernel in slowest_first(kernels)
    ]
    return _table(("measure", "family", "ms", "note"), cells)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not any(row[-1] for row in rows):  # the last column is for failures
        header, rows = header[:-1], [row[:-1] for row in rows]
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    left = [name in LEFT for name in header]
    rule = [
        "-" * width if is_left else "-" * (width - 1) + ":"
        for width, is_left in zip(widths, left, strict=True)
    ]
    return "\n".join(
        "| "
        + " | ".join(
            cell.ljust(width) if is_left else cell.rjust(width)
            for cell, width, is_left in zip(row, widths, left, strict=True)
        )
        + " |"
        for row in (header, rule, *rows)
    )


def _seconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds:.4f}" if seconds < 1 else f"{seconds:.2f}"


def _milliseconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds * 1000:.1f}"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"


def _ratio(ratio: float | None) -> str:
    if ratio is None:
        return "-"
    return f"{ratio:.1f}x slower" if ratio >= 1 else f"{1 / ratio:.1f}x faster"


def _yes(what: bool | None) -> str:
    return {True: "yes", False: "NO", None: "-"}[what]


def _memory(memory: Memory, *, added: bool) -> tuple[str, str]:
    def megabytes(size: int | None) -> str:
        return "-" if size is None else f"{'+' if added else ''}{size / 1e6:,.0f}"

    return megabytes(memory.total), megabytes(memory.anonymous)

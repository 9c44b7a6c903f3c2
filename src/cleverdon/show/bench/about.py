"""What a bench is of, in words: the engine, the load, and what to know beside the times."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import Any

from cleverdon.engine.load.cold import ColdWarm
from cleverdon.engine.load.generator import notes, problems
from cleverdon.engine.load.latencies import CONFIDENCE
from cleverdon.engine.load.records import Load, OpenLoop, Pattern
from cleverdon.engine.load.soak import Soak
from cleverdon.engine.load.sweep import Sweep
from cleverdon.engine.load.versus import Versus
from cleverdon.engine.protocol import Results
from cleverdon.show.grid import Grid, counted, printable
from cleverdon.show.numbers import decimal, p_value
from cleverdon.show.quantities import MISSING, rate, seconds, size
from cleverdon.show.sections import Section

Found = Load | Sweep | Versus | ColdWarm | Soak


@dataclass(frozen=True, eq=False)
class Bench:
    """What was asked of which engine, and what came of it."""

    system: str
    found: Found
    engine: Mapping[str, Any] = field(default_factory=dict)  # its settings, without secrets
    settings: Mapping[str, Any] = field(default_factory=dict)  # of the load, and of the machine
    index_size: int | None = None  # bytes
    quality: Mapping[str, float] = field(default_factory=dict)  # by measure
    quality_notes: tuple[str, ...] = ()
    answers: Mapping[str, Results] = field(default_factory=dict)  # of topics, as they were timed
    confidence: float = CONFIDENCE  # of the intervals of a load
    interrupted: bool = False  # by Ctrl-C
    remarks: tuple[str, ...] = ()

    @property
    def not_valid(self) -> tuple[str, ...]:
        """Why the times should not be believed."""
        return problems(self.found) if isinstance(self.found, Load) else self.found.not_valid


def loads(found: Found) -> list[Load]:
    """The loads that a result rests on; of a comparison, those on the first engine."""
    if isinstance(found, Load):
        return [found]
    if isinstance(found, Sweep):
        return [step.load for step in found.steps]
    if isinstance(found, Versus):
        return [pair[0] for pair in found.pairs]
    return [found.load] if isinstance(found, Soak) else []


def heading(bench: Bench) -> str:
    """The engine and what was done to it, on a line."""
    found, name = bench.found, printable(bench.system)
    if isinstance(found, Load):
        return (
            f"{name}: {described(found.pattern)}, for {seconds(found.seconds)}: "
            f"{counted(len(found.intended), 'request')}"
        )
    if isinstance(found, Sweep):
        first = found.steps[0]
        return (
            f"{name}: a sweep over {counted(len(found.steps), 'rate')}, "
            f"{seconds(first.load.seconds)} each ({_arrivals(first.load.pattern)})"
        )
    if isinstance(found, Versus):
        one, two = map(printable, found.names)
        each = seconds(found.pairs[0][0].seconds)
        return (
            f"{one} against {two}: {described(found.pattern)}, "
            f"{counted(len(found.pairs), 'pair')} of blocks of {each} in turn"
        )
    if isinstance(found, Soak):
        return (
            f"{name}: {described(found.load.pattern)}, for {seconds(found.load.seconds)} in "
            f"{counted(len(found.windows), 'window')} of {seconds(found.window)}"
        )
    queries = len(found.queries)
    return (
        f"{name}: {queries:,} {'query' if queries == 1 else 'queries'}, one after the other, cold "
        f"and then warm; {counted(len(found.cold), 'repetition')}"
    )


def described(pattern: Pattern) -> str:
    """`200/s (open loop, Poisson arrivals)`."""
    if isinstance(pattern, OpenLoop):
        return f"{rate(pattern.rate)} ({_arrivals(pattern)})"
    return f"{counted(pattern.clients, 'client')} (closed loop)"


def _arrivals(pattern: Pattern) -> str:
    if not isinstance(pattern, OpenLoop):
        return "closed loop"
    kind = "Poisson" if pattern.arrivals == "poisson" else "constant"
    return f"open loop, {kind} arrivals"


def quality_sections(bench: Bench) -> list[Section]:
    """What was found beside times: how good the answers were, and how large the index is."""
    rows = [[measure, decimal(value)] for measure, value in bench.quality.items()]
    if bench.index_size is not None:
        rows.append(["index size", size(bench.index_size)])
    if not rows:
        return []
    heading = "quality and size" if bench.quality else "size"
    grid = Grid([heading, "value"], rows, 1, [], list(bench.quality_notes))
    return [Section(heading, grid)]


_HIDDEN = (
    "A closed loop hides stalls: while an answer is late, its client sends nothing, and the "
    "requests that users would have sent meanwhile are not counted. Percentiles of an open loop "
    "(--rate) have them."
)


def remarks(bench: Bench) -> list[str]:
    """What to know of the result as a whole."""
    found = loads(bench.found)
    told: list[str] = []
    if any(not isinstance(load.pattern, OpenLoop) for load in found):
        told.append(_HIDDEN)
    for load in found[:1]:
        told += [note[0].upper() + note[1:] + "." for note in notes(load)]
    if bench.interrupted:
        told.append("Interrupted: this is what was measured until then.")
    return [*told, *bench.remarks]


def percentage(share: float) -> str:
    """A share of requests; few are not rounded to none.

    >>> percentage(0), percentage(0.00002), percentage(0.123)
    ('0%', '0.002%', '12.3%')
    """
    return f"{100 * share:.3g}%"


WRITTEN: dict[str, Callable[[float], str]] = {
    "p50": seconds,
    "p90": seconds,
    "p99": seconds,
    "throughput": rate,
    "errors": percentage,
    "memory": size,
}
"""How each quantity is written."""


def signed(name: str, value: float) -> str:
    """A difference of a quantity, with its sign; `-` where it is not known."""
    if isnan(value):
        return MISSING
    return ("+" if value > 0 else "−" if value < 0 else "") + WRITTEN[name](abs(value))


def p_cell(p: float, level: float) -> str:
    """A p-value in a column that says so."""
    return MISSING if isnan(p) else p_value(p, level=level).removeprefix("p = ").removeprefix("p ")


def between(low: str | None, high: str | None) -> str:
    """The ends of an interval, of which either may be unknown."""
    if low is None:
        return "-" if high is None else f"up to {high}"
    return f"{low} or more" if high is None else f"{low} to {high}"


def thinned(rows: Sequence[list[str]], most: int) -> list[list[str]]:
    """So many of the rows at most, evenly, the first and the last among them."""
    if len(rows) <= most:
        return list(rows)
    return [rows[round(at * (len(rows) - 1) / (most - 1))] for at in range(most)]

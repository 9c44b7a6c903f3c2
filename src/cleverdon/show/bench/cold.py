"""Cold against warm, as a table and a sentence."""

from __future__ import annotations

from math import isnan

from cleverdon.engine.load.cold import ColdWarm
from cleverdon.show.bench.about import percentage
from cleverdon.show.grid import Grid, counted
from cleverdon.show.quantities import seconds, significant
from cleverdon.show.sections import Section

SHOWN = ("p50", "p90", "p99")
_PASSES = (
    "The interval is over queries. All were asked cold before all were asked warm: whatever else "
    "slowed the machine down in one of the passes is not in it, and more --repetitions show it."
)


def parts(found: ColdWarm) -> tuple[list[Section], list[str]]:
    """A row for the cold pass and one for the warm one, and how many times as long it took."""
    rows = [
        [which, *(seconds(_known(found.percentile(which, name))) for name in SHOWN)]
        for which in ("cold", "warm")
    ]
    grid = Grid(["cache", *SHOWN], rows, 1, [], ["one query at a time, from sending to answer"])
    below = [_told(found), _emptied(found), _PASSES]
    if found.failed:
        below.append(f"{counted(found.failed, 'question')} had no answer, and are left out.")
    return [Section("cache", grid)], below


def _told(found: ColdWarm) -> str:
    ratio = found.ratio
    if isnan(ratio.value):
        return "No query was answered both times: nothing can be said of the cache."
    ends = ""
    if not isnan(ratio.low):
        ends = (
            f" ({percentage(ratio.confidence)} interval {significant(ratio.low)} to "
            f"{significant(ratio.high)}, by query)"
        )
    return (
        f"A query takes {significant(ratio.value)} times as long when it is cold{ends}: the "
        "geometric mean over queries."
    )


def _emptied(found: ColdWarm) -> str:
    if found.emptied:
        return "Cold: after the command that was given had been run."
    return (
        "Cold: the first time these queries were asked since the bench began; the engine's caches "
        "were not emptied (--before-cold), and may have known them."
    )


def _known(value: float) -> float | None:
    return None if isnan(value) else value

"""A long load: what drifts, and its windows."""

from __future__ import annotations

from math import isnan

from cleverdon.engine.load.drift import FEWEST
from cleverdon.engine.load.soak import WATCHED, Soak, Window
from cleverdon.show.bench.about import WRITTEN, p_cell, percentage, signed, thinned
from cleverdon.show.grid import Grid
from cleverdon.show.sections import Section

_SHOWN = 12
"""Windows in the table."""


def parts(found: Soak) -> tuple[list[Section], list[str]]:
    """What drifts, then windows; and sentences on each drift that is shown."""
    tables = [Section("windows", windows_grid(found))]
    below = [drift_told(name, found) for name in found.drifts]
    if found.drifts:
        tables.insert(0, Section("drift", drift_grid(found)))
        below.append(
            "Slopes are Theil and Sen's, tests Mann and Kendall's, corrected for neighbouring "
            "windows being alike, and by Holm for there being several."
        )
    else:
        below.append(
            f"{len(found.windows)} windows are too few to tell drift from chance: {FEWEST} is the "
            "least. Make the load longer, or windows shorter."
        )
    return tables, below


def drift_told(name: str, found: Soak) -> str:
    """`p99 grows by 1.2 ms an hour (0.8 to 1.6 ms): drift.`"""
    one = found.drifts[name]
    if found.not_valid:
        return f"{name}: not valid."
    ends = f"{signed(name, one.low)} to {signed(name, one.high)}"
    if found.verdict(name) == "shown" and one.slope:
        word = "grows" if one.slope > 0 else "falls"
        return f"{name} {word} by {WRITTEN[name](abs(one.slope))} an hour ({ends}): drift."
    return f"{name}: no drift is shown ({ends} an hour)."


def drift_grid(found: Soak) -> Grid:
    """A row for each quantity that was watched."""
    rows = []
    for name, one in found.drifts.items():
        known = sorted(
            value for window in found.windows if not isnan(value := getattr(window, name))
        )
        rows.append(
            [
                name,
                WRITTEN[name](known[len(known) // 2]),
                signed(name, one.slope),
                f"{signed(name, one.low)} to {signed(name, one.high)}",
                p_cell(found.corrected[name], found.level),
                found.verdict(name),
            ]
        )
    level = f"{percentage(1 - found.level)} interval"
    return Grid(["drift", "median", "an hour", level, "p", "verdict"], rows, 1, [])


def windows_grid(found: Soak) -> Grid:
    """Windows in the order of time; some of them where they are many."""
    remembered = any(not isnan(window.memory) for window in found.windows)
    rows = [_row(window, remembered=remembered) for window in found.windows]
    shown = thinned(rows, _SHOWN)
    notes = []
    if len(shown) < len(rows):
        notes.append(f"{len(shown)} of {len(rows):,} windows; --json has all of them")
    header = ["from", "requests", *_columns(remembered=remembered)]
    return Grid(header, shown, 1, [], notes)


def _columns(*, remembered: bool) -> tuple[str, ...]:
    return WATCHED if remembered else WATCHED[:-1]


def _row(window: Window, *, remembered: bool) -> list[str]:
    names = _columns(remembered=remembered)
    values = [getattr(window, name) for name in names]
    cells = [
        "-" if isnan(value) else WRITTEN[name](value)
        for name, value in zip(names, values, strict=True)
    ]
    return [_since(window), f"{window.requests:,}", *cells]


def _since(window: Window) -> str:
    """When a window began, to the second or finer where windows are short."""
    if window.seconds < 1:
        return f"{window.start:.3g} s"
    minutes, left = divmod(round(window.start), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{left:02}"

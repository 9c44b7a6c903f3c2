"""What a log says, as text: values with what they were made of, and lists."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from math import isclose
from textwrap import fill
from typing import Any

from cleverdon.online.days import SECOND
from cleverdon.online.doctor.findings import ERROR
from cleverdon.online.log import MEANINGS, Log
from cleverdon.online.metrics.base import Count, Ratio
from cleverdon.online.observing import Listed, Observed, Value
from cleverdon.show.grid import EXACT, Grid, Mark, counted, laid_out, printable


def render(observed: Observed, format: str = "table", **terminal: Any) -> str:
    """The values and the lists, in one of the formats of tables."""
    if format == "json":
        return json.dumps(as_json(observed), indent=2, ensure_ascii=False)
    grids = [values_grid(observed, exact=format in EXACT)] if observed.values else []
    if format in EXACT and not grids:
        grids = [list_grid(observed.lists[0], exact=True, notes=observed.stages.notes)]
    if format in EXACT:
        return laid_out(grids[0], format)
    grids += [list_grid(listed) for listed in observed.lists]
    parts = [laid_out(grid, format, **terminal) for grid in grids]
    return "\n\n".join(part.rstrip() for part in [*parts, *_closing(observed)])


def values_grid(observed: Observed, *, exact: bool = False) -> Grid:
    """A row a value: the metric, its value and interval, and what was divided by what."""
    header = [*observed.by, "metric", "counted", "value", f"{observed.level:.0%} interval"]
    if exact:
        parts = ["value", "low", "high", "numerator", "denominator", "notes"]
        header = [*observed.by, "metric", *parts]
    rows: list[list[str]] = []
    marks = {}
    for value in observed.values:
        if is_doubtful(value.notes) and not exact:
            marks[len(rows), len(header) - 2] = Mark(above="!")
        group = [printable(part) if part is not None else "(none)" for part in value.group]
        # Nothing stands below a table in CSV: what holds of all sessions is told in each row.
        notes = (*value.notes, *(observed.stages.notes if value.metric.of_sessions else ()))
        rows += [[*group, *cells] for cells in _lines(value, notes, exact=exact)]
    labels = len(observed.by) + (1 if exact else 2)
    return Grid(header, rows, labels, [], [] if exact else values_notes(observed), marks)


def is_doubtful(notes: Sequence[str]) -> bool:
    """Whether one of the notes says that the log doctor found an error."""
    return any(note.startswith(ERROR) for note in notes)


def values_notes(observed: Observed) -> list[str]:
    """The notes of all values, each with the metrics that it is of: `Sessions, Queries: ...`."""
    whose: dict[str, list[str]] = {}
    for value in observed.values:
        for note in value.notes:
            names = whose.setdefault(note, [])
            if str(value.metric) not in names:
                names.append(str(value.metric))
    return [
        f"{'! ' if is_doubtful([note]) else ''}{', '.join(names)}: {note}"
        for note, names in whose.items()
    ]


def _lines(value: Value, notes: Sequence[str], *, exact: bool) -> list[list[str]]:
    """The value itself, then its percentiles."""
    name = str(value.metric)
    told = " ".join(notes)
    more: list[list[str]] = []
    for label, number in value.percentiles.items():
        shown = written(value.metric, number, exact=exact)
        cells = [shown, "", "", "", "", told] if exact else ["", shown, ""]
        more.append([f"{name} {label}", *cells])
    if exact:
        parts = (value.value, value.low, value.high, value.numerator, value.denominator)
        return [[name, *(_exact(part) for part in parts), told], *more]
    return [[name, _of(value), written(value.metric, value.value), _interval(value)], *more]


def written(metric: Ratio | Count, number: float | None, *, exact: bool = False) -> str:
    """A value as people read it: a share in per cent, a mean with its unit, a count whole."""
    if exact:
        return _exact(number)
    if number is None:
        return "-"
    if isinstance(metric, Count):
        return f"{number:,.0f}"
    if metric.kind == "share":
        return f"{number:.2%}"
    return f"{significant(number, whole=False)} {metric.measured_in}".rstrip()


def significant(number: float, *, whole: bool = True) -> str:
    """With four digits that count, and none of a large number lost; `whole` ones without decimals.

    >>> significant(0.123456), significant(12.3456), significant(123456.7), significant(3.0)
    ('0.1235', '12.35', '123,457', '3')
    """
    if whole and isclose(number, round(number), rel_tol=1e-9, abs_tol=1e-9):
        return f"{round(number):,}"
    decimals = 4 if abs(number) < 1 else max(0, 4 - len(f"{abs(number):.0f}"))
    return f"{number:,.{decimals}f}"


def _exact(number: float | None) -> str:
    return "" if number is None else repr(number)


def _interval(value: Value) -> str:
    if value.low is None or value.high is None or isinstance(value.metric, Count):
        return ""
    low, high = written(value.metric, value.low), written(value.metric, value.high)
    return f"{low} to {high}"


def _of(value: Value) -> str:
    """What was counted, over what: `412 sessions without a click / 1,034 sessions`."""
    metric = value.metric
    if isinstance(metric, Count):
        return metric.counted
    if value.numerator is None or value.denominator is None:
        return ""
    above = f"{significant(value.numerator)} {metric.counted}"
    below = f"{significant(value.denominator)} {metric.over}"
    return f"{above} / {below}" if value.value is not None else f"undefined: {metric.undefined}"


def list_grid(listed: Listed, *, exact: bool = False, notes: Sequence[str] = ()) -> Grid:
    """A list under its name, a row an entry; `notes` are of all that is about sessions."""
    own = list(listed.metric.columns)
    names = [*listed.by, *own]
    rows = [[_cell(name, row[name], exact=exact) for name in names] for row in listed.rows]
    title = str(listed.metric)
    labels = len(listed.by) + 1
    if exact:
        told = " ".join([*listed.notes, *(notes if listed.metric.of_sessions else ())])
        return Grid([*names, "notes"], [[*row, told] for row in rows], labels, [])
    header = [*listed.by, title, *[name.replace("_", " ") for name in own[1:]]]
    below = list(listed.notes) if listed.rows else [*listed.notes, "There is nothing to list."]
    return Grid(header, rows, labels, [], below)


def _cell(name: str, value: Any, *, exact: bool) -> str:
    if value is None:
        return "" if exact else "(none)"
    if value == "" and not exact:
        return "(empty)"
    if exact:
        return str(value) if isinstance(value, (str, int)) else repr(float(value))
    if name == "share":
        return f"{value:.2%}"
    if isinstance(value, float):
        return significant(value)
    return f"{value:,}" if isinstance(value, int) else printable(str(value))


def _closing(observed: Observed) -> list[str]:
    """What the numbers are of, what has no value and why, and how to see more."""
    stages = observed.stages
    zone = stages.settings.timezone
    first, last = (stages.clock.written(at, SECOND) for at in (stages.first, stages.last))
    lines = [f"From {first} to {last} ({zone})."]
    lines += stages.notes
    if any(isinstance(value.metric, Ratio) for value in observed.values):
        lines.append(_about_intervals(observed))
    lines += _without_value(observed)
    lines += [*about_bots(stages.log), *about_rows(stages.log)]
    return [fill(" ".join(lines), 96)]


def _without_value(observed: Observed) -> list[str]:
    """Metrics that the log cannot tell, those that need the same together."""
    by_need: dict[tuple[str, ...], list[str]] = {}
    for name, columns in observed.missing.items():
        by_need.setdefault(columns, []).append(name)
    lines = []
    for columns, names in by_need.items():
        told = ", ".join(f"{column} ({MEANINGS[column.split('.')[1]]})" for column in columns)
        has = "have" if len(names) > 1 else "has"
        lines.append(f"{', '.join(names)} {has} no value: the log does not have {told}.")
    return lines


def about_rows(log: Log) -> list[str]:
    """How many rows and values of the log could not be used, in sentences."""
    lines = []
    if log.set_aside:
        rest = "was set aside, and is" if log.set_aside == 1 else "were set aside, and are"
        lines.append(f"{counted(log.set_aside, 'row')} {rest} not counted.")
    if log.unknown:
        rest = "cannot be right, and was" if log.unknown == 1 else "cannot be right, and were"
        lines.append(f"{counted(log.unknown, 'value')} {rest} read as unknown.")
    return [*lines, *about_merged(log)]


def about_merged(log: Log) -> list[str]:
    """Requests that belong to another row's search, by what they are, in sentences."""
    lines = []
    if log.merged_requests:
        kinds = [f"{one.count:,} {one.reason}" for one in log.merged if not one.kept]
        were = "was" if log.merged_requests == 1 else "were"
        lines.append(
            f"{counted(log.merged_requests, 'request')} {were} merged into the search that has "
            f"the same query id: {'; '.join(kinds)}."
        )
    lines += [
        f"{one.count:,} {one.reason} {'is a row' if one.count == 1 else 'are rows'} of "
        f"{'its' if one.count == 1 else 'their'} own."
        for one in log.merged
        if one.kept
    ]
    return lines


def about_bots(log: Log) -> list[str]:
    """What --without-bots left out of the log, in a sentence."""
    return [] if log.without_bots is None else [str(log.without_bots)]


def bots_record(log: Log) -> dict[str, Any] | None:
    """What --without-bots left out of the log, for JSON; None without that option."""
    return None if log.without_bots is None else asdict(log.without_bots)


def _about_intervals(observed: Observed) -> str:
    if not any(value.low is not None for value in observed.values):
        return "There are too few users for intervals."
    actors = observed.stages.log.actors
    if not actors:
        return "Intervals take single searches for the sample, since nothing says who made them."
    return f"Intervals take {actors[0]}s, and not single searches, for the sample."


def as_json(observed: Observed) -> dict[str, Any]:
    """All of it as plain records."""
    stages = observed.stages
    return {
        "source": stages.log.source,
        "settings": asdict(stages.settings),
        "first": stages.first,
        "last": stages.last,
        "by": list(observed.by),
        "level": observed.level,
        "values": [
            {
                "metric": str(value.metric),
                **dict(zip(observed.by, value.group, strict=True)),
                "value": value.value,
                "low": value.low,
                "high": value.high,
                "numerator": value.numerator,
                "denominator": value.denominator,
                "users": value.users,
                **({"percentiles": value.percentiles} if value.percentiles else {}),
            }
            for value in observed.values
        ],
        "lists": {str(listed.metric): listed.rows for listed in observed.lists},
        "missing": {name: list(columns) for name, columns in observed.missing.items()},
        "notes": list(stages.notes),
        "without_bots": bots_record(stages.log),
        "metric_notes": {name: list(notes) for name, notes in observed.notes.items()},
        "aside": [asdict(aside) for aside in stages.log.aside],
        "merged": [asdict(one) for one in stages.log.merged],
    }

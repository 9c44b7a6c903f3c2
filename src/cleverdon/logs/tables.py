"""Tables and sentences about the metrics of a log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from inspect import cleandoc
from math import isclose
from textwrap import dedent, fill, indent
from typing import TYPE_CHECKING, Any

from cleverdon._common.text import counted, printable
from cleverdon.logs.calendar import SECOND
from cleverdon.logs.doctor.diagnosis import ERROR_PREFIX
from cleverdon.logs.log import COLUMN_MEANINGS, Log
from cleverdon.logs.metrics.base import (
    METRIC_FAMILIES,
    Count,
    Listing,
    Metric,
    Ratio,
    find_metric,
    metric_family,
    metrics,
)
from cleverdon.measures.base import one_line
from cleverdon.tables.table import Mark, TextTable

if TYPE_CHECKING:
    from cleverdon.logs.compute import MetricList, MetricResults, MetricValue


def values_grid(results: MetricResults, *, exact: bool = False) -> TextTable:
    header = [*results.by, "metric", "counted", "value", f"{results.confidence:.0%} interval"]
    if exact:
        parts = ["value", "low", "high", "numerator", "denominator", "notes"]
        header = [*results.by, "metric", *parts]
    rows: list[list[str]] = []
    marks = {}
    for value in results.values:
        if _is_doubtful(value.notes) and not exact:
            marks[len(rows), len(header) - 2] = Mark(above="!")
        group = [printable(part) if part is not None else "(none)" for part in value.group]
        # CSV has no notes below a table: each row has those on all sessions.
        notes = (*value.notes, *(results.tables.notes if value.metric.of_sessions else ()))
        rows += [[*group, *cells] for cells in _value_lines(value, notes, exact=exact)]
    labels = len(results.by) + (1 if exact else 2)
    return TextTable(header, rows, labels, [], [] if exact else values_notes(results), marks)


def _is_doubtful(notes: Sequence[str]) -> bool:
    """Return True if a note reports an error in the log."""
    return any(note.startswith(ERROR_PREFIX) for note in notes)


def values_notes(results: MetricResults) -> list[str]:
    """Write the notes of all values, each with its metrics: `Sessions, Queries: ...`."""
    whose: dict[str, list[str]] = {}
    for value in results.values:
        for note in value.notes:
            names = whose.setdefault(note, [])
            if str(value.metric) not in names:
                names.append(str(value.metric))
    return [
        f"{'! ' if _is_doubtful([note]) else ''}{', '.join(names)}: {note}"
        for note, names in whose.items()
    ]


def _value_lines(value: MetricValue, notes: Sequence[str], *, exact: bool) -> list[list[str]]:
    name = str(value.metric)
    joined = " ".join(notes)
    more: list[list[str]] = []
    for label, number in value.percentiles.items():
        shown = format_value(value.metric, number, exact=exact)
        cells = [shown, "", "", "", "", joined] if exact else ["", shown, ""]
        more.append([f"{name} {label}", *cells])
    if exact:
        parts = (value.value, value.low, value.high, value.numerator, value.denominator)
        return [[name, *(_exact(part) for part in parts), joined], *more]
    return [
        [name, _counted_text(value), format_value(value.metric, value.value), interval_text(value)],
        *more,
    ]


def format_value(metric: Ratio | Count, number: float | None, *, exact: bool = False) -> str:
    """Write a value: a share in per cent, a mean with its unit, a count as a whole number."""
    if exact:
        return _exact(number)
    if number is None:
        return "-"
    if isinstance(metric, Count):
        return f"{number:,.0f}"
    if metric.kind == "share":
        return f"{number:.2%}"
    return f"{format_significant(number, whole=False)} {metric.measured_in}".rstrip()


def format_significant(number: float, *, whole: bool = True) -> str:
    """Write a number with four significant digits; if `whole`, whole numbers without decimals.

    >>> format_significant(0.123456), format_significant(12.3456)
    ('0.1235', '12.35')
    >>> format_significant(123456.7), format_significant(3.0)
    ('123,457', '3')
    """
    if whole and isclose(number, round(number), rel_tol=1e-9, abs_tol=1e-9):
        return f"{round(number):,}"
    decimals = 4 if abs(number) < 1 else max(0, 4 - len(f"{abs(number):.0f}"))
    return f"{number:,.{decimals}f}"


def _exact(number: float | None) -> str:
    return "" if number is None else repr(number)


def interval_text(value: MetricValue) -> str:
    if value.low is None or value.high is None or isinstance(value.metric, Count):
        return ""
    low, high = format_value(value.metric, value.low), format_value(value.metric, value.high)
    return f"{low} to {high}"


def _counted_text(value: MetricValue) -> str:
    """Write the quotient: `412 sessions without a click / 1,034 sessions`."""
    metric = value.metric
    if isinstance(metric, Count):
        return metric.counted
    if value.numerator is None or value.denominator is None:
        return ""
    above = f"{format_significant(value.numerator)} {metric.counted}"
    below = f"{format_significant(value.denominator)} {metric.over}"
    return f"{above} / {below}" if value.value is not None else f"undefined: {metric.undefined}"


def list_grid(listed: MetricList, *, exact: bool = False, notes: Sequence[str] = ()) -> TextTable:
    """Return a list as a table; `notes` are for lists that depend on sessions."""
    own = list(listed.metric.columns)
    names = [*listed.by, *own]
    rows = [[_list_cell(name, row[name], exact=exact) for name in names] for row in listed.rows]
    title = str(listed.metric)
    labels = len(listed.by) + 1
    if exact:
        joined = " ".join([*listed.notes, *(notes if listed.metric.of_sessions else ())])
        return TextTable([*names, "notes"], [[*row, joined] for row in rows], labels, [])
    header = [*listed.by, title, *[name.replace("_", " ") for name in own[1:]]]
    below = list(listed.notes) if listed.rows else [*listed.notes, "There is nothing to list."]
    return TextTable(header, rows, labels, [], below)


def _list_cell(name: str, value: Any, *, exact: bool) -> str:
    if value is None:
        return "" if exact else "(none)"
    if value == "" and not exact:
        return "(empty)"
    if exact:
        return str(value) if isinstance(value, (str, int)) else repr(float(value))
    if name in ("share", "low", "high"):
        return f"{value:.2%}"
    if isinstance(value, float):
        return format_significant(value)
    return f"{value:,}" if isinstance(value, int) else printable(str(value))


def closing_text(results: MetricResults) -> str:
    """Return the time span, the rules of sessions and intervals, and metrics without a value."""
    tables = results.tables
    zone = tables.settings.timezone
    first, last = (tables.clock.written(at, SECOND) for at in (tables.first, tables.last))
    lines = [f"From {first} to {last} ({zone})."]
    lines += tables.notes
    if any(isinstance(value.metric, Ratio) for value in results.values):
        lines.append(_about_intervals(results))
    lines += _without_value(results)
    lines += [*about_bots(tables.log), *about_rows(tables.log)]
    return fill(" ".join(lines), 96)


def _without_value(results: MetricResults) -> list[str]:
    """Name the metrics without a value, by the columns that they need."""
    by_need: dict[tuple[str, ...], list[str]] = {}
    for name, columns in results.missing.items():
        by_need.setdefault(columns, []).append(name)
    lines = []
    for columns, names in by_need.items():
        needs = ", ".join(
            f"{column} ({COLUMN_MEANINGS[column.split('.')[1]]})" for column in columns
        )
        has = "have" if len(names) > 1 else "has"
        lines.append(f"{', '.join(names)} {has} no value: the log does not have {needs}.")
    return lines


def about_rows(log: Log) -> list[str]:
    lines = []
    if log.set_aside:
        rest = "was set aside, and is" if log.set_aside == 1 else "were set aside, and are"
        lines.append(f"{counted(log.set_aside, 'row')} {rest} not counted.")
    if log.unknown:
        rest = "is impossible and was" if log.unknown == 1 else "are impossible and were"
        lines.append(f"{counted(log.unknown, 'value')} {rest} read as unknown.")
    return [*lines, *_about_merged(log)]


def _about_merged(log: Log) -> list[str]:
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
    return [] if log.without_bots is None else [str(log.without_bots)]


def bots_record(log: Log) -> dict[str, Any] | None:
    return None if log.without_bots is None else asdict(log.without_bots)


def _about_intervals(results: MetricResults) -> str:
    if not any(value.low is not None for value in results.values):
        return "There are too few users for intervals."
    actors = results.tables.log.actors
    if not actors:
        return (
            "Intervals treat single searches as the sample, because the log does not say who made "
            "them."
        )
    return f"Intervals treat {actors[0]}s, not single searches, as the sample."


def explain_metric(name: str | None = None) -> str:
    """Describe a metric, or list all metrics.

    Args:
        name: The name of the metric; None to list all of them.

    Returns:
        The definition, facts and worked example of the metric; or a line for each metric.

    Raises:
        NotationError: There is no metric of that name.

    >>> print(explain_metric("Pages").splitlines()[3])
    The number of result pages.
    """
    return _list_metrics() if name is None else _describe_metric(find_metric(name))


def _list_metrics() -> str:
    width = max(len(cls.__name__) for cls in metrics())
    families = [
        "\n".join(
            [
                heading,
                *(
                    f"  {cls.__name__:<{width}}  {one_line(cls)}"
                    for cls in metrics()
                    if metric_family(cls) == heading
                ),
            ]
        )
        for heading in METRIC_FAMILIES
    ]
    return "\n\n".join([*families, "cleverdon logs explain NAME describes one of them."])


def _describe_metric(metric: Metric) -> str:
    cls = type(metric)
    title = str(metric)
    parts = [f"{title}\n{'=' * len(title)}", cleandoc(cls.__doc__ or "")]
    facts = {name: text for name, text in metric_facts(metric).items() if text}
    width = max(map(len, facts))
    parts.append("\n".join(f"{fact:<{width}}  {text}" for fact, text in facts.items()))
    if cls.worked:
        example = indent(dedent(cls.worked).strip(), "  ")
        parts.append(f"Worked example (user, time, query, and what was done)\n{example}")
    return "\n\n".join(part for part in parts if part)


def metric_facts(metric: Metric) -> dict[str, str]:
    facts = {"Formula": type(metric).formula}
    if isinstance(metric, Ratio):
        facts |= {
            "Numerator": metric.counted,
            "Denominator": metric.over,
            "Unit": "a share" if metric.kind == "share" else metric.measured_in or "a number",
            "Better": metric.better,
        }
    if isinstance(metric, Count):
        facts["Counts"] = metric.counted
    if isinstance(metric, Listing):
        facts["Columns"] = "; ".join(f"{name}: {what}" for name, what in metric.columns.items())
    facts["Parameter"] = "; ".join(f"{name}: {what}" for name, what in metric.meanings.items())
    needs = [f"{column} ({COLUMN_MEANINGS[column.split('.')[1]]})" for column in metric.needs]
    if metric.needs_persons:
        needs.append("queries.user or queries.session")
    return {
        **facts,
        "Undefined": metric.undefined,
        "Needs": ", ".join(needs),
        "Also called": ", ".join(metric.aliases),
        "Source": metric.source,
    }

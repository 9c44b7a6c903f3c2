"""All that a report of a log says, as plain records: what its page shows, and what `--json` writes.

No user is named in it, and no query of few users: the doctor's examples and the rows that could not
be read, which may hold both, stay out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from cleverdon.measures.base import one_line
from cleverdon.online.abtest import ABTest, claims, doubts
from cleverdon.online.days import as_date
from cleverdon.online.doctor import Diagnosis, Finding
from cleverdon.online.log import MEANINGS
from cleverdon.online.metrics.base import Metric, Ratio
from cleverdon.online.observing import Value
from cleverdon.show.abtest import guardrail_sentence, heading, not_tested, sentence
from cleverdon.show.abtest_records import effects_grid, planning_grid
from cleverdon.show.grid import Grid, counted
from cleverdon.show.logs_report.gathering import Gathered
from cleverdon.show.logs_report.method import method
from cleverdon.show.observed import (
    about_bots,
    about_rows,
    bots_record,
    list_grid,
    significant,
    values_grid,
    values_notes,
    written,
)
from cleverdon.show.plot.online.by_day import axis_name

KEY = (
    "Success",
    "Abandonment",
    "QueryCTR",
    "ZeroResults",
    "Reformulation",
    "ClickRank",
    "TimeToClick",
    "Latency",
)
"""The numbers at the top."""

SECTIONS = {
    "TopQueries": "queries",
    "TopZeroResults": "queries",
    "TopAbandoned": "queries",
    "HeadTorsoTail": "queries",
    "QueriesPerTime": "time",
    "LatencyByLoad": "latency",
    "LatencySpikes": "latency",
}
"""Where a list stands; any other stands with the queries."""

_CONSTANT = "constant-columns"
"""The one finding whose words hold a value of the log, which may be a user."""


def content(gathered: Gathered, *, title: str) -> dict[str, Any]:
    """What the report says."""
    observed = gathered.observed
    test = gathered.test
    return {
        "title": title,
        "source": gathered.stages.log.source,
        "notes": _basis(gathered),
        "without_bots": bots_record(gathered.stages.log),
        "headline": headline(gathered),
        "level": observed.level,
        "numbers": [_number(value) for value in _key_values(gathered)],
        "values": _table(values_grid(observed)),
        "values_notes": values_notes(observed),
        "missing": [
            {"metric": name, "columns": [_column(one) for one in columns]}
            for name, columns in observed.missing.items()
        ],
        "doctor": None if gathered.diagnosis is None else _doctor(gathered.diagnosis),
        "daily": daily_picks(gathered),
        "lists": [
            {
                "name": str(listed.metric),
                "about": one_line(type(listed.metric)),
                "section": SECTIONS.get(str(listed.metric), "queries"),
                "columns": dict(listed.metric.columns),
                "table": _table(list_grid(listed)),
                "notes": [*listed.notes, *([] if listed.rows else ["There is nothing to list."])],
            }
            for listed in observed.lists
        ],
        "abtest": None if test is None else _abtest(test),
        "no_abtest": gathered.no_test,
        "method": asdict(method(gathered)),
    }


def _basis(gathered: Gathered) -> list[str]:
    """What the report rests on, in sentences."""
    stages = gathered.stages
    first, last = (as_date(at // 86_400_000) for at in stages.local_span)
    told = [f"{stages.log.source}, {first} to {last} ({stages.settings.timezone})."]
    told += [*stages.log.notes, *stages.notes]
    return [*told, *about_bots(stages.log), *about_rows(stages.log)]


def headline(gathered: Gathered) -> str:
    """How much there is, and how users fare, in a sentence or two."""
    counts = {str(v.metric): v.value for v in gathered.observed.values if v.denominator is None}
    pages = counted(int(counts["Pages"] or 0), "result page")
    told = f"There are {pages}."
    if "Sessions" in counts:
        queries = counted(int(counts["Queries"] or 0), "query")
        sessions = counted(int(counts["Sessions"] or 0), "session")
        who = f"{counted(int(counts['Users'] or 0), 'user')} asked" if "Users" in counts else None
        told = f"{who or 'Users asked'} {queries} in {sessions}, and saw {pages}."
    shares = {str(v.metric): v for v in gathered.observed.values}
    if "Success" in shares and shares["Success"].value is not None:
        went = shares["Success"]
        told += f" {written(went.metric, went.value)} of the sessions went well{_between(went)}"
        left = shares["Abandonment"]
        told += f"; in {written(left.metric, left.value)} nothing was clicked{_between(left)}."
    return told


def _between(value: Value) -> str:
    if value.low is None or value.high is None:
        return ""
    return f" ({written(value.metric, value.low)} to {written(value.metric, value.high)})"


def _key_values(gathered: Gathered) -> list[Value]:
    found = {str(value.metric): value for value in gathered.observed.values}
    return [found[name] for name in KEY if name in found]


def _number(value: Value) -> dict[str, Any]:
    """A number with what it was made of and how sure it is, in words."""
    metric = value.metric
    assert isinstance(metric, Ratio)
    between = ""
    if value.low is not None and value.high is not None:
        between = f"{written(metric, value.low)} to {written(metric, value.high)}"
    return {
        "metric": str(metric),
        "about": one_line(type(metric)),
        "value": written(metric, value.value),
        "of": _made_of(value, metric),
        "interval": between,
        "users": value.users,
        "better": metric.better,
        "percentiles": {
            label: written(metric, number) for label, number in value.percentiles.items()
        },
        "notes": list(value.notes),
    }


def _made_of(value: Value, metric: Ratio) -> str:
    """`6,498 sessions with a click and a sign of success, of 15,426 sessions`."""
    if value.value is None or value.numerator is None or value.denominator is None:
        return f"Undefined: {metric.undefined}."
    below = f"{significant(value.denominator)} {metric.over}"
    if metric.kind == "mean":
        return f"over {below}"
    return f"{significant(value.numerator)} {metric.counted}, of {below}"


def _table(grid: Grid) -> dict[str, Any]:
    return {"header": grid.header, "rows": grid.rows, "labels": grid.labels}


def _column(name: str) -> str:
    return f"{name} ({MEANINGS[name.partition('.')[2]]})"


def daily_picks(gathered: Gathered) -> list[dict[str, Any]]:
    """What a reader can see day by day: every number, and percentiles of times beside means."""
    return [
        {"metric": str(metric), "percentile": percentile, "axis": axis_name(metric, percentile)}
        for metric, percentile in _daily(gathered)
    ]


def _daily(gathered: Gathered) -> Iterator[tuple[Metric, str | None]]:
    seen: dict[str, Value] = {}
    for value in gathered.daily.values:
        seen.setdefault(str(value.metric), value)
    first = [seen[name] for name in KEY if name in seen]
    for value in [*first, *(one for name, one in seen.items() if name not in KEY)]:
        yield value.metric, None
        for label in value.percentiles:
            yield value.metric, label


def _doctor(found: Diagnosis) -> dict[str, Any]:
    return {
        "findings": [_finding(one) for one in found.findings],
        "skipped": [
            {"name": name, "columns": [_column(one) for one in columns]}
            for name, columns in found.skipped.items()
        ],
    }


def _finding(one: Finding) -> dict[str, Any]:
    """What was found, without the rows in which it was: they may name users."""
    what = one.what
    if one.name == _CONSTANT:
        what = f"{what.partition(' is always ')[0]} is always the same"
    count = f"{one.count:,} {one.noun}" if one.total is None else ""
    if one.total is not None:
        count = f"{one.count:,} of {one.total:,} {one.noun}"
        count += "" if one.share is None else f" ({one.share:.2%})"
    return {
        "name": one.name,
        "severity": one.severity,
        "what": what,
        "count": count,
        "details": list(one.details),
        "spoils": list(one.spoils),
        "remedy": one.remedy,
    }


def _abtest(test: ABTest) -> dict[str, Any]:
    trusted = test.trusted
    planned = any(one.planning is not None for one in test.effects)
    return {
        "control": test.control,
        "trusted": trusted,
        "heading": heading(test),
        "claims": [
            *({"text": sentence(one), "verdict": one.verdict} for one in claims(test)),
            *({"text": one, "verdict": "not tested"} for one in not_tested(test) if trusted),
        ],
        "guardrails": [
            {
                "text": guardrail_sentence(one, test),
                "verdict": one.verdict,
                "change": one.change,
            }
            for one in (test.guardrails if trusted else ())
        ],
        "doubts": [asdict(one) for one in doubts(test)],
        "table": _table(effects_grid(test)),
        "planning": _table(planning_grid(test)) if planned and trusted else None,
        "planning_notes": planning_grid(test).footnotes if planned and trusted else [],
    }

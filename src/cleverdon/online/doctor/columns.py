"""Columns with holes, and columns that always say the same."""

from __future__ import annotations

from collections.abc import Iterable

from cleverdon.online.doctor.base import Check, check
from cleverdon.online.doctor.facts import Facts
from cleverdon.online.doctor.findings import Finding
from cleverdon.online.metrics.registry import metrics

_ROWS = {
    "queries": "searches",
    "events.doc": "impressions and clicks",
    "events.position": "impressions and clicks",
    "events.dwell_ms": "clicks",
    "events.query_id": "events",
}
"""What is to have a value, by column or by table."""


def rows_of(column: str) -> str:
    """What is to have a value in this column."""
    return _ROWS.get(column) or _ROWS[column.partition(".")[0]]


def needing(column: str) -> tuple[str, ...]:
    """The metrics that need a column."""
    return tuple(cls.__name__ for cls in metrics() if column in cls.needs)


@check
class MissingValues(Check):
    """Rows without a value, in a column that the log has.

    A warning for users, and for a column without any value at all.
    """

    noun = "rows"
    matters = "Null is not zero: such rows are left out, and what is left may not be typical."
    remedy = "fill it in where the log is written, or see what the rows without it have in common"
    warning_from = 0.05

    def find(self, facts: Facts) -> Iterable[Finding]:
        for name, column in facts.columns.items():
            # Events without a search have a check of their own.
            if not column.nulls or name == "events.query_id":
                continue
            serious = name == "queries.user" or column.nulls == column.rows
            yield self.finding(
                column.nulls,
                column.rows,
                what=f"{name} is null",
                noun=rows_of(name),
                severity=None if serious else "note",
                spoils=needing(name),
            )


_TELLING = ("user", "session", "text", "results", "latency_ms", "doc", "position", "dwell_ms")
"""Columns that hold more than one value in any log that is what it should be."""


@check
class ConstantColumns(Check):
    """Columns that say the same of every row."""

    noun = "rows"
    matters = "A default was logged rather than a value, or only a part of the log was taken."
    remedy = "see where the value comes from; leave the column out of the mapping where it is none"

    def find(self, facts: Facts) -> Iterable[Finding]:
        for name, column in facts.columns.items():
            if column.constant is None or column.rows < facts.limits.least_rows:
                continue
            telling = name.partition(".")[2] in _TELLING
            yield self.finding(
                column.rows,
                column.rows,
                what=f"{name} is always {column.constant!r}",
                noun=rows_of(name),
                severity="warning" if telling else "note",
                spoils=needing(name) if telling else (),
            )

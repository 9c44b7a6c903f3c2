"""The check: one class that looks for one thing; the registry, and the run of all checks."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from ibis.common.deferred import var

from cleverdon._common.progress import Progress, as_callback, ignore_progress, shows_progress
from cleverdon._common.registry import Registry
from cleverdon.logs.doctor.diagnosis import SEVERITIES, Diagnosis, Finding, Limits, Row, Severity
from cleverdon.logs.doctor.facts import LogFacts, fetch_rows, metric_support
from cleverdon.logs.log import ACTORS, Log, LogSource
from cleverdon.logs.metrics.base import metrics
from cleverdon.logs.reading.reader import as_log

_CHECK_FAMILIES = ("integrity", "traffic", "content")  # the modules that hold the checks, in order

_Count = tuple[int, int, dict[str, Any]]
"""The wrong rows, all rows, and the further aggregations of a check."""

limits = var("limits")
"""The limits of an examination, in conditions on rows: `row.position > limits.position`."""

ALWAYS = 0.0
CLICK_METRICS = ("ImpressionCTR", "LinkCTR", "PageCTR", "QueryCTR", "SessionCTR", "Abandonment")
"""Metrics that most errors in events make wrong."""
SESSION_METRICS = ("Abandonment", "Success", "QueriesPerSession", "Reformulation", "Sessions")


class Check(ABC):
    """The base of all checks. The first line of the docstring says what it looks for."""

    noun: ClassVar[str]  # the rows that are counted: `clicks`
    matters: ClassVar[str]  # the reason why it matters, in a sentence
    remedy: ClassVar[str]
    spoils: ClassVar[tuple[str, ...]] = ()  # the metrics that it makes wrong
    spoils_all: ClassVar[bool] = False  # True if its findings name the metrics, which may be any
    warning_from: ClassVar[float | None] = ALWAYS
    """The share of wrong rows from which it is a warning, not a note; None for never."""
    error_from: ClassVar[float | None] = None  # the share from which it is an error
    needs: ClassVar[tuple[str, ...]] = ()  # columns without which the check is skipped
    needs_persons: ClassVar[bool] = False
    needs_actions: ClassVar[tuple[str, ...]] = ()  # actions without which the check does not apply

    @property
    def name(self) -> str:
        """The name of the check: `clicks-without-impressions` for ClicksWithoutImpressions."""
        return re.sub(r"(?<!^)(?=[A-Z])", "-", type(self).__name__).lower()

    @property
    def what(self) -> str:
        """The first line of the docstring, as the start of a line."""
        line = (type(self).__doc__ or "").partition("\n")[0].removesuffix(".")
        return line[:1].lower() + line[1:]

    def missing(self, facts: LogFacts) -> tuple[str, ...]:
        """Return the columns that it needs and the log does not have."""
        return tuple(facts.log.missing(self.needs, persons=self.needs_persons))

    def asks(self, facts: LogFacts) -> bool:
        """Tell whether the check applies to this log."""
        return not self.missing(facts) and all(facts.done(one) for one in self.needs_actions)

    @abstractmethod
    def find(self, facts: LogFacts) -> Iterable[Finding]:
        """Yield the findings."""

    def severity(self, share: float) -> Severity:
        """Return the severity if this share of rows is wrong."""
        if self.error_from is not None and share >= self.error_from:
            return "error"
        return "warning" if self.warning_from is not None and share >= self.warning_from else "note"

    def finding(
        self,
        count: int,
        total: int | None,
        *,
        what: str | None = None,
        noun: str | None = None,
        details: Sequence[str] = (),
        examples: Sequence[Row] = (),
        severity: Severity | None = None,
        remedy: str | None = None,
        spoils: tuple[str, ...] | None = None,
    ) -> Finding:
        return Finding(
            name=self.name,
            severity=severity or self.severity(count / total if total else 1.0),
            what=what or self.what,
            count=count,
            total=total,
            noun=noun or self.noun,
            details=tuple(details),
            examples=tuple(map(_with_kind, examples)),
            spoils=self.spoils if spoils is None else spoils,
            remedy=remedy or self.remedy,
        )


def _with_kind(example: Row) -> Row:
    """Name the `person` of an example: a user, a session or a client."""
    kinds = {prefix: name for name, prefix in ACTORS.items()}
    shown: dict[str, Any] = {}
    for name, value in example.items():
        if name != "person":
            shown[name] = value
        elif value is not None:
            shown[kinds[value[:2]]] = value[2:]
    return shown


class RowCheck(Check):
    """A check that counts wrong rows of a table; one scan counts for many checks."""

    table: ClassVar[str]
    shows: ClassVar[tuple[str, ...]]  # the columns of examples, which are sorted by them
    most: ClassVar[str | None] = None  # the column whose largest values are the examples
    alone: ClassVar[bool] = False  # True if the number of all rows says nothing

    wrong: ClassVar[Any]  # whether a row is wrong, as an expression of `row` and `limits`
    among: ClassVar[Any] = None  # whether a row could be wrong; None for all of them
    more: ClassVar[Mapping[str, Any]] = {}  # further aggregations over the rows, by name

    def details(self, more: dict[str, Any], facts: LogFacts, count: int, total: int) -> list[str]:
        """Return sentences about the wrong rows; `more` holds the further aggregations."""
        return []

    def find(self, facts: LogFacts) -> Iterable[Finding]:
        count, total, more = table_counts(facts, self.table)[self.name]
        if count:
            yield self.finding(
                count,
                None if self.alone else total,
                details=self.details(more, facts, count, total),
                examples=self.examples(facts),
            )

    def examples(self, facts: LogFacts) -> list[dict[str, Any]]:
        rows = facts.table(self.table)
        rows = rows.filter(self.wrong.resolve(rows, limits=facts.limits))
        first = [rows[self.most].desc()] if self.most else []
        others = [name for name in self.shows if name != self.most]
        shown = rows.order_by(*first, *others).select(*self.shows)
        return fetch_rows(shown.limit(facts.limits.examples))


_CHECKS: Registry[Check] = Registry(
    "check", package="cleverdon.logs.doctor", modules=_CHECK_FAMILIES
)
check = _CHECKS.register


def checks() -> list[Check]:
    return [cls() for cls in _CHECKS.all().values()]


def table_counts(facts: LogFacts, table: str) -> dict[str, _Count]:
    """Return the counts of all checks on a table, by name."""
    if table not in facts.counts:
        asking = [
            one
            for one in checks()
            if isinstance(one, RowCheck) and one.table == table and one.asks(facts)
        ]
        facts.counts[table] = _count_rows(facts, table, asking)
    counts: dict[str, _Count] = facts.counts[table]
    return counts


def _count_rows(facts: LogFacts, table: str, asking: list[RowCheck]) -> dict[str, _Count]:
    """Count for these checks, in one scan of their table."""
    rows = facts.table(table)
    wanted = {}
    for place, one in enumerate(asking):
        wrong = one.wrong.resolve(rows, limits=facts.limits)
        wanted[f"n{place}"] = rows.count(where=wrong)
        wanted[f"d{place}"] = rows.count() if one.among is None else rows.count(where=one.among)
        for key, value in one.more.items():
            wanted[f"x{place}_{key}"] = value.resolve(rows, limits=facts.limits)
    (row,) = fetch_rows(rows.agg(**wanted))
    found = {}
    for place, one in enumerate(asking):
        prefix = f"x{place}_"
        more = {key[len(prefix) :]: row[key] for key in row if key.startswith(prefix)}
        # For an empty table, some engines return null instead of 0.
        found[one.name] = (row[f"n{place}"] or 0, row[f"d{place}"] or 0, more)
    return found


def find_errors(
    log: Log, names: Collection[str], *, progress: Progress | None = None
) -> dict[str, list[Finding]]:
    """Find the errors that make these metrics wrong, by metric."""
    facts = LogFacts(log, Limits())
    report = progress or ignore_progress
    found: dict[str, list[Finding]] = {}
    for check in checks():
        spoils = set(names) if check.spoils_all else set(check.spoils) & set(names)
        if check.error_from is None or not spoils or not check.asks(facts):
            continue
        report(f"looking for {check.what}")
        for finding in check.find(facts):
            if finding.severity == "error":
                for metric in spoils & set(finding.spoils):
                    found.setdefault(metric, []).append(finding)
    return found


@shows_progress("examining")
def examine(
    log: LogSource, limits: Limits | None = None, *, progress: Progress | bool | None = None
) -> Diagnosis:
    """Find what is wrong with a log, and which metrics it supports.

    The log stays in its engine: about twenty queries run there, whatever its size, and one more for
    the examples of each finding.

    Args:
        log: The log, or files of it.
        limits: The limits beyond which something looks wrong.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        The findings, errors first, and the support of each metric.

    >>> from cleverdon.logs.log import worked_log
    >>> log, _ = worked_log('''
    ...     ann 0:00 shoes shown@1 click@2
    ...     =
    ... ''')
    >>> finding = examine(log).find("clicks-without-impressions")
    >>> finding.severity, finding.count, finding.examples[0]["doc"]
    ('error', 1, 'd2')
    """
    progress = as_callback(progress)
    log = as_log(log)
    facts = LogFacts(log, limits or Limits())
    report = progress or ignore_progress
    found: list[Finding] = []
    skipped = {}
    report("looking through the log")
    for check in checks():
        if missing := check.missing(facts):
            skipped[check.name] = missing
        elif check.asks(facts):
            report(f"looking for {check.what}")
            found += check.find(facts)
    found.sort(key=lambda finding: SEVERITIES.index(finding.severity))
    return Diagnosis(
        source=log.source,
        format=log.format,
        size=facts.size,
        supports=tuple(metric_support(cls(), facts) for cls in metrics()),
        findings=tuple(found),
        skipped=skipped,
        notes=log.notes,
        limits=facts.limits,
        without_bots=log.without_bots,
    )

"""What a check is: one class that looks for one thing, and says all that there is to say of it."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from cleverdon.errors import OptionError
from cleverdon.online.doctor.facts import Facts, asked
from cleverdon.online.doctor.findings import Finding, Row, Severity
from cleverdon.online.doctor.limits import Limits
from cleverdon.online.log import ACTORS

if TYPE_CHECKING:
    from ibis import Table

FAMILIES = (
    "reading",
    "pages",
    "clocks",
    "copies",
    "crowds",
    "columns",
    "values",
    "positions",
    "daily",
    "variants",
)
"""The modules that hold the checks, in the order in which they are made."""

Count = tuple[int, int, dict[str, Any]]
"""How many rows are wrong, of how many, and what more was asked of them."""

ALWAYS = 0.0
CLICK_METRICS = ("ImpressionCTR", "PageCTR", "QueryCTR", "SessionCTR", "Abandonment")
"""Metrics that nearly everything that is wrong with events spoils."""
SESSION_METRICS = ("Abandonment", "Success", "QueriesPerSession", "Reformulation", "Sessions")


class Check(ABC):
    """The base of all checks. The first line of the docstring says what is looked for."""

    noun: ClassVar[str]
    """What is counted: `clicks`."""
    matters: ClassVar[str]
    """Why it matters, in a sentence."""
    remedy: ClassVar[str]
    spoils: ClassVar[tuple[str, ...]] = ()
    """Metrics that are not to be trusted because of it."""
    spoils_all: ClassVar[bool] = False
    """Whether it may spoil any metric: its findings name them."""
    warning_from: ClassVar[float | None] = ALWAYS
    """From which share on it is a warning, and not only a note; None: never."""
    error_from: ClassVar[float | None] = None
    """From which share on it is an error."""
    needs: ClassVar[tuple[str, ...]] = ()
    """Columns without which it cannot be looked for."""
    needs_persons: ClassVar[bool] = False
    needs_actions: ClassVar[tuple[str, ...]] = ()
    """What must have been done in the log for it to be a question."""

    @property
    def name(self) -> str:
        """`clicks-without-impressions`, of the class ClicksWithoutImpressions."""
        return re.sub(r"(?<!^)(?=[A-Z])", "-", type(self).__name__).lower()

    @property
    def what(self) -> str:
        """What is looked for, as the start of a line."""
        line = (type(self).__doc__ or "").partition("\n")[0].removesuffix(".")
        return line[:1].lower() + line[1:]

    def missing(self, facts: Facts) -> tuple[str, ...]:
        """Columns that the log does not have, and without which it cannot be looked for."""
        lacks = [column for column in self.needs if not facts.log.has(column)]
        if self.needs_persons and not facts.knows_persons:
            lacks.append("queries.user")
        return tuple(lacks)

    def asks(self, facts: Facts) -> bool:
        """Whether it is a question at all for this log."""
        return not self.missing(facts) and all(facts.done(one) for one in self.needs_actions)

    @abstractmethod
    def find(self, facts: Facts) -> Iterable[Finding]:
        """What was found; nothing where all is well."""

    def severity(self, share: float) -> Severity:
        """How bad it is where this share is affected."""
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
    """The example, with its `person` as what it is: a user, a session or a client."""
    kinds = {prefix: name for name, prefix in ACTORS.items()}
    shown: dict[str, Any] = {}
    for name, value in example.items():
        if name != "person":
            shown[name] = value
        elif value is not None:
            shown[kinds[value[:2]]] = value[2:]
    return shown


class RowCheck(Check):
    """Counts the rows of a table of which something is true; one scan counts for many checks."""

    table: ClassVar[str]
    shows: ClassVar[tuple[str, ...]]
    """The columns that examples show, by which they are put in order, too."""
    most: ClassVar[str | None] = None
    """Examples are those with the most of this."""
    alone: ClassVar[bool] = False
    """Whether it says nothing of how many rows the table has."""

    @abstractmethod
    def wrong(self, rows: Table, limits: Limits) -> Any:
        """Whether it is true of a row."""

    def among(self, rows: Table) -> Any | None:
        """Of which rows it could be true; None for all of them."""
        return None

    def more(self, rows: Table, limits: Limits) -> dict[str, Any]:
        """What else is to be known of the wrong rows: aggregations by name."""
        return {}

    def details(self, more: dict[str, Any], facts: Facts, count: int, total: int) -> list[str]:
        """Sentences about what is wrong; `more` has the values that were asked for."""
        return []

    def find(self, facts: Facts) -> Iterable[Finding]:
        count, total, more = counted_over(facts, self.table)[self.name]
        if count:
            yield self.finding(
                count,
                None if self.alone else total,
                details=self.details(more, facts, count, total),
                examples=self.examples(facts),
            )

    def examples(self, facts: Facts) -> list[dict[str, Any]]:
        rows = facts.table(self.table)
        rows = rows.filter(self.wrong(rows, facts.limits))
        first = [rows[self.most].desc()] if self.most else []
        others = [name for name in self.shows if name != self.most]
        shown = rows.order_by(*first, *others).select(*self.shows)
        return asked(shown.limit(facts.limits.examples))


_classes: dict[str, type[Check]] = {}

C = TypeVar("C", bound=type[Check])


def check(cls: C) -> C:
    """Make a check known by its name; a name that is taken is refused."""
    known = _classes.get(cls.__name__)
    if known is not None and known.__module__ != cls.__module__:
        raise OptionError(f"there is a check {cls.__name__!r} already; choose another name")
    _classes[cls.__name__] = cls
    return cls


def checks() -> list[Check]:
    """Every check there is, in the order of the families."""
    for family in FAMILIES:
        import_module(f"cleverdon.online.doctor.{family}")
    home = [f"cleverdon.online.doctor.{family}" for family in FAMILIES]
    ours = [cls for name in home for cls in _classes.values() if cls.__module__ == name]
    return [cls() for cls in (*ours, *(cls for cls in _classes.values() if cls not in ours))]


def counted_over(facts: Facts, table: str) -> dict[str, Count]:
    """What every check over a table counts, by the names of checks."""
    if table not in facts.counts:
        asking = [
            one
            for one in checks()
            if isinstance(one, RowCheck) and one.table == table and one.asks(facts)
        ]
        facts.counts[table] = counted(facts, table, asking)
    counts: dict[str, Count] = facts.counts[table]
    return counts


def counted(facts: Facts, table: str, asking: list[RowCheck]) -> dict[str, Count]:
    """What these checks count, in one scan of their table."""
    rows = facts.table(table)
    wanted = {}
    for place, one in enumerate(asking):
        wanted[f"n{place}"] = rows.count(where=one.wrong(rows, facts.limits))
        among = one.among(rows)
        wanted[f"d{place}"] = rows.count() if among is None else rows.count(where=among)
        for key, value in one.more(rows, facts.limits).items():
            wanted[f"x{place}_{key}"] = value
    (row,) = asked(rows.agg(**wanted))
    found = {}
    for place, one in enumerate(asking):
        prefix = f"x{place}_"
        more = {key[len(prefix) :]: row[key] for key in row if key.startswith(prefix)}
        # Of an empty table, some engines count null rather than nothing.
        found[one.name] = (row[f"n{place}"] or 0, row[f"d{place}"] or 0, more)
    return found

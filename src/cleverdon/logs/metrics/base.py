"""Base classes of metrics, which count and describe themselves, with their registry."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from ibis import _ as row

from cleverdon._common.registry import Registry
from cleverdon.errors import NotationError
from cleverdon.logs.log import PLURALS
from cleverdon.logs.sql import zero_or_one
from cleverdon.measures.base import one_line
from cleverdon.measures.notation import is_measure

if TYPE_CHECKING:
    import ibis

    from cleverdon.logs.session_tables import SessionTables


Better = Literal["higher", "lower", "neither"]
Kind = Literal["share", "mean"]
Unit = Literal["pages", "queries", "sessions"]
"""The table of `SessionTables` whose rows are counted."""
Split = Callable[["ibis.Table"], list[Any]]
"""Returns the columns by which a table is split, under names of their own."""


class Omission(NamedTuple):
    """Rows that a metric leaves out: `count` of all `of` rows of the kind."""

    table: str | None
    """The table of `SessionTables` over which both are summed; None where they are numbers."""
    what: str  # the kind of row, in the plural: `searches`
    why: str  # the reason: `without a latency`
    count: Any
    of: Any


def nulls(table: str, column: str, what: str, why: str) -> Omission:
    """Leave out the rows in which a column is null."""
    return Omission(
        table, what, why, zero_or_one(row[column].isnull()), zero_or_one(row.time.notnull())
    )


class Metric:
    """The base of all metrics; see `Ratio`, `Count` and `Listing`."""

    family: ClassVar[str] = ""  # the heading of listings; by default that of the module
    formula: ClassVar[str] = ""  # in LaTeX
    undefined: ClassVar[str] = ""  # the condition under which there is no value, which is not zero
    source: ClassVar[str] = ""
    aliases: ClassVar[tuple[str, ...]] = ()  # other names that are understood, and never printed
    shared_names: ClassVar[tuple[str, ...]] = ()
    """Ambiguous names, which others use for several metrics: using one is an error."""
    worked: ClassVar[str] = ""  # a log and the metric's value; see `worked_log`
    needs: ClassVar[tuple[str, ...]] = ()  # columns that the log must have, as in `queries.results`
    wants: ClassVar[tuple[str, ...]] = ()  # columns that it uses where the log has them
    uses: ClassVar[tuple[str, ...]] = ("click",)
    """The actions that it counts, if it needs `events.action`."""
    omits: ClassVar[tuple[Omission, ...]] = ()
    """The rows that it leaves out, besides events without a search."""
    meanings: ClassVar[Mapping[str, str]] = {}
    """The parameter that it takes, if any, and what it means: `LinkCTR(doc=d7)`."""

    def missing(self, tables: SessionTables) -> list[str]:
        """Return the columns that the metric needs and the log does not have."""
        lacks = tables.log.missing(self.needs, persons=self.needs_persons)
        if not lacks and "events.action" in self.needs and not tables.has_clicks:
            lacks.append("events.click")
        return lacks

    @property
    def needs_persons(self) -> bool:
        """True if searches must name a user, session or client."""
        return False

    @property
    def of_sessions(self) -> bool:
        """True if it depends on the rule for sessions."""
        return self.needs_persons

    def left_out(self, tables: SessionTables) -> list[Omission]:
        """Return the rows that the metric leaves out of this log."""
        if "events.action" not in self.needs:
            return list(self.omits)
        *names, last = (PLURALS[action] for action in self.uses)
        what = f"{', '.join(names)} and {last}" if names else last
        count, of = (
            sum(parts) for parts in zip(*(tables.strays[one] for one in self.uses), strict=True)
        )
        return [Omission(None, what, "that belong to no search in the log", count, of), *self.omits]

    def __str__(self) -> str:
        return type(self).__name__


def unnamed_searches(tables: SessionTables) -> Omission:
    """Return the omission of searches without a user, session or client."""
    named = tables.named_by
    why = "without a user, session or client"
    return Omission(None, "searches", why, named["nothing"], named["searches"])


class RowMetric(Metric):
    """A metric that is counted over the rows of one table."""

    unit: ClassVar[Unit]
    counted: ClassVar[str]  # the name of what is counted; of a ratio, by its numerator

    @property
    def needs_persons(self) -> bool:
        return self.unit != "pages"

    def left_out(self, tables: SessionTables) -> list[Omission]:
        unnamed = [unnamed_searches(tables)] if self.needs_persons else []
        return [*unnamed, *super().left_out(tables)]


class Ratio(RowMetric):
    """A sum over the rows of a table, divided by another."""

    numerator: ClassVar[Any]
    """An Ibis expression for what a row adds, such as `row.clicks`; 0 or null for nothing."""
    denominator: ClassVar[Any]
    spread: ClassVar[Any] = None  # the values whose percentiles are shown, if any
    over: ClassVar[str]  # the name of what the denominator counts
    kind: ClassVar[Kind] = "share"  # a share lies between 0 and 1, and is written in per cent
    scale: ClassVar[int] = 1  # the divisor of the quotient: 1000, for seconds
    measured_in: ClassVar[str] = ""  # the unit of a mean: `ms`, `s`
    better: ClassVar[Better] = "higher"


class Count(RowMetric):
    """A number of rows, or of different values of a column."""

    family = "How many"
    unit: ClassVar[Unit] = "pages"
    distinct: ClassVar[str | None] = None
    """The column whose different values are counted, without nulls; None to count rows."""

    def __init_subclass__(cls) -> None:
        if cls.distinct is not None:
            cls.needs = (f"queries.{cls.distinct}",)
            cls.omits = (nulls(cls.unit, cls.distinct, "searches", f"without a {cls.distinct}"),)

    def count(self, table: ibis.Table) -> Any:
        return table.count() if self.distinct is None else table[self.distinct].nunique()


class Listing(Metric, ABC):
    """A list, of queries or of spans of time."""

    columns: ClassVar[Mapping[str, str]]  # its columns, and their meaning in words

    splits: ClassVar[bool] = False  # whether it can be split by day, segment or variant
    share_of: ClassVar[tuple[str, str] | None] = None
    """The columns that `share` divides, of which `low` and `high` are Wilson's interval."""

    @abstractmethod
    def query(self, tables: SessionTables, split: Split) -> ibis.Table:
        """Return the query to run."""

    def finished(self, tables: SessionTables, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the rows of the list, given those of the query."""
        return rows

    def notes(self, tables: SessionTables, rows: list[dict[str, Any]]) -> list[str]:
        """Return sentences about the list, given the rows of the query."""
        return []


_HEADINGS = {
    "sessions": "Sessions: did users find something?",
    "clicks": "Clicks",
    "searches": "Searches",
    "lists": "Lists of queries",
}
"""The modules that hold the metrics, with the headings of metrics that name no family."""
METRIC_FAMILIES = (*list(_HEADINGS.values())[:3], "How many", _HEADINGS["lists"], "Load")

_METRICS: Registry[Metric] = Registry(
    "metric",
    package="cleverdon.logs.metrics",
    modules=tuple(_HEADINGS),
    error=NotationError,
    hint="; cleverdon logs explain lists them",
)
metric = _METRICS.register


def metrics() -> list[type[Metric]]:
    return list(_METRICS.all().values())


def find_metric(name: str) -> Metric:
    """Return the metric of that name or alias; letter case does not matter.

    Raises:
        NotationError: There is no such metric, several metrics share the name, or it does not have
            that parameter.

    >>> str(find_metric("ZRR")), str(find_metric("linkctr(doc=d7)"))
    ('ZeroResults', 'LinkCTR(doc=d7)')
    """
    name, parameters, value = name.partition("(")
    found = _find_class(name.strip())
    if not parameters:
        return found()
    for parameter in found.meanings:
        # The value may contain brackets and commas: it ends at the last bracket.
        start, end = f"{parameter}=", value.rstrip().endswith(")")
        if value.startswith(start) and end and (given := value.rstrip()[len(start) : -1]):
            return found(**{parameter: given})
    allowed = " or ".join(f"{found.__name__}({one}=VALUE)" for one in found.meanings)
    raise NotationError(
        f"{name}({value}: expected {allowed}"
        if allowed
        else f"{name}({value}: {found.__name__} has no parameters"
    )


def _find_class(name: str) -> type[Metric]:
    folded = name.casefold()
    for cls in metrics():
        if folded in map(str.casefold, cls.aliases):
            return cls
    meant = [cls for cls in metrics() if folded in map(str.casefold, cls.shared_names)]
    if meant:
        each = "; ".join(f"{cls.__name__}: {one_line(cls).rstrip('.')}" for cls in meant)
        raise NotationError(f"{name!r} is the name of several metrics; ask for one of them: {each}")
    try:
        return _METRICS.find(name)
    except NotationError:
        if is_measure(name):
            raise NotationError(
                f"{name!r} is a measure of runs and judgments, and no metric of logs: cleverdon "
                f"eval QRELS RUN -m '{name}'; logs become judgments by cleverdon logs judge"
            ) from None
        raise


def metric_family(cls: type[Metric]) -> str:
    """Return the heading under which a metric is listed."""
    return cls.family or _HEADINGS.get(cls.__module__.rpartition(".")[2], "Your own")

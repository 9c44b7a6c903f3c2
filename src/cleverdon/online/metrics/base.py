"""What an online metric is: one class that counts, and says of itself all that there is to say."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from cleverdon.online.portable import whole

if TYPE_CHECKING:
    import ibis

    from cleverdon.online.stages import Stages

Better = Literal["higher", "lower", "neither"]
Kind = Literal["share", "mean"]
Unit = Literal["pages", "queries", "sessions"]
"""What is counted over: a table of `Stages`."""
Split = Callable[["ibis.Table"], list[Any]]
"""The columns by which a table is split, as expressions with names of their own."""


class LeftOut(NamedTuple):
    """Rows that a metric cannot count: `of` are all rows of the kind, `count` the ones left out.

    Both are expressions that are summed over `table`; or numbers, if there is no table.
    """

    table: ibis.Table | None
    what: str
    """The kind of row, in the plural: `searches`."""
    why: str
    """What is wrong with those left out: `without a latency`."""
    count: Any
    of: Any


class Metric:
    """The base of all online metrics; see `Ratio`, `Count` and `Listing`."""

    formula: ClassVar[str] = ""
    """In LaTeX."""
    undefined: ClassVar[str] = ""
    """When there is no value, which is not the same as zero."""
    source: ClassVar[str] = ""
    worked: ClassVar[str] = ""
    """A log and what comes out: see `worked.py`."""
    needs: ClassVar[tuple[str, ...]] = ()
    """Columns that the log must have, as in `queries.results`."""
    wants: ClassVar[tuple[str, ...]] = ()
    """Columns that it goes by where the log has them, and does without where it has not."""
    uses: ClassVar[tuple[str, ...]] = ("click",)
    """The actions that it counts, if it needs `events.action`."""

    def missing(self, stages: Stages) -> list[str]:
        """What the log does not have, and this metric needs."""
        lacks = [column for column in self.needs if not stages.log.has(column)]
        if self.needs_persons and not stages.knows_persons:
            lacks.append("queries.user")
        if not lacks and "events.action" in self.needs and not stages.has_clicks:
            lacks.append("events.click")
        return lacks

    @property
    def needs_persons(self) -> bool:
        """Whether it must be known who searched, or in which session."""
        return False

    @property
    def of_sessions(self) -> bool:
        """Whether it depends on what a session is, and on who stands for a user."""
        return self.needs_persons

    def left_out(self, stages: Stages) -> list[LeftOut]:
        """The rows that the metric leaves out; those that extend it add their own."""
        if "events.action" not in self.needs:
            return []
        *names, last = (_PLURALS[action] for action in self.uses)
        what = f"{', '.join(names)} and {last}" if names else last
        count, of = (
            sum(parts) for parts in zip(*(stages.strays[one] for one in self.uses), strict=True)
        )
        return [LeftOut(None, what, "that belong to no search in the log", count, of)]

    def __str__(self) -> str:
        return type(self).__name__


_PLURALS = {
    "impression": "impressions",
    "click": "clicks",
    "copy": "copies",
    "conversion": "conversions",
}


def unnamed_searches(stages: Stages) -> LeftOut:
    """The searches that are part of no query and no session, since nobody knows who made them."""
    named = stages.named_by
    why = "without a user, session or client"
    return LeftOut(None, "searches", why, named["nothing"], named["searches"])


def without(table: ibis.Table, what: str, column: str, why: str) -> LeftOut:
    """The rows of a table in which a column is null."""
    return LeftOut(table, what, why, whole(table[column].isnull()), whole(table.time.notnull()))


class OverRows(Metric, ABC):
    """What is counted over the rows of one table."""

    unit: ClassVar[Unit]
    counted: ClassVar[str]
    """What is counted, in words; of a ratio, by its numerator."""

    @property
    def needs_persons(self) -> bool:
        return self.unit != "pages"

    def left_out(self, stages: Stages) -> list[LeftOut]:
        unnamed = [unnamed_searches(stages)] if self.needs_persons else []
        return [*unnamed, *super().left_out(stages)]


class Ratio(OverRows):
    """A sum over pages, queries or sessions, divided by another."""

    over: ClassVar[str]
    """What the denominator counts, in words."""
    kind: ClassVar[Kind] = "share"
    """Whether it lies between 0 and 1, and is written in per cent."""
    scale: ClassVar[int] = 1
    """What the quotient is divided by: 1000, where times are given in seconds."""
    measured_in: ClassVar[str] = ""
    """The unit of a mean: `ms`, `s`."""
    better: ClassVar[Better] = "higher"

    @abstractmethod
    def numerator(self, table: ibis.Table) -> Any:
        """What a row adds to the numerator; 0 or null where it adds nothing."""

    @abstractmethod
    def denominator(self, table: ibis.Table) -> Any:
        """What a row adds to the denominator."""

    def spread(self, table: ibis.Table) -> Any | None:
        """The values whose percentiles are of interest, or None."""
        return None


class Count(OverRows):
    """How many there are of something."""

    unit: ClassVar[Unit] = "pages"

    @abstractmethod
    def count(self, table: ibis.Table) -> Any:
        """The number, as an aggregation of the table."""


class Listing(Metric, ABC):
    """A list: of queries, of spans of time."""

    columns: ClassVar[Mapping[str, str]]
    """What its columns are, in words."""

    splits: ClassVar[bool] = False
    """Whether there can be one for each day, segment or variant; otherwise it is of all."""

    @abstractmethod
    def query(self, stages: Stages, split: Split) -> ibis.Table:
        """What is asked of the engine; `split` gives the columns by which a table is split."""

    def finished(self, stages: Stages, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The list that is made of the answer: its rows, with `columns`."""
        return rows

    def notes(self, stages: Stages, rows: list[dict[str, Any]]) -> list[str]:
        """What is to be said of it; `rows` are the engine's answer."""
        return []

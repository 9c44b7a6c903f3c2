"""An online metric of each query text by itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cleverdon.errors import OptionError
from cleverdon.online.bridge.coverage import of_texts
from cleverdon.online.bridge.traffic import signs_of_success
from cleverdon.online.clusters import Totals
from cleverdon.online.metrics.base import Metric, Ratio
from cleverdon.online.metrics.registry import find, metrics
from cleverdon.online.observing import summed
from cleverdon.online.stages import Stages

if TYPE_CHECKING:
    from ibis import Table

_AS_SESSIONS = ("Abandonment", "GoodAbandonment", "Success", "SessionCTR")
"""Metrics of sessions that mean the same of a single query."""


@dataclass(frozen=True)
class TextValue:
    """The metric's value for all queries of one text."""

    text: str
    value: float
    denominator: float
    """How much the value rests on: so many queries, pages or clicks."""
    users: int


def find_ratio(metric: str | Metric) -> Ratio:
    """The metric, once it is known that single queries can have a value of it."""
    found = find(metric) if isinstance(metric, str) else metric
    if not isinstance(found, Ratio) or (
        found.unit == "sessions" and str(found) not in _AS_SESSIONS
    ):
        known = [cls for cls in metrics() if issubclass(cls, Ratio)]
        names = [
            cls.__name__ for cls in known if cls.unit != "sessions" or cls.__name__ in _AS_SESSIONS
        ]
        raise OptionError(
            f"{found} has no value for a single query; these metrics have: {', '.join(names)}"
        )
    return found


def over_queries(ratio: Ratio) -> bool:
    """Whether it is of sessions, and is counted here as if each query were a session."""
    return ratio.unit == "sessions"


def by_text(stages: Stages, metric: str | Metric, texts: Iterable[str]) -> list[TextValue]:
    """The metric for each of the texts that has a value; the texts as the log's are compared.

    Abandonment, GoodAbandonment, Success and SessionCTR are of sessions, which may have several
    texts: here each query stands for a session.
    """
    ratio = find_ratio(metric)
    stages.log.need(str(ratio), *ratio.missing(stages))
    table = of_texts(_table(stages, ratio), texts)
    rows = summed(table, [ratio], by=[table.text]).to_pyarrow().to_pylist()
    totals = {row["text"]: Totals.of(row, 0) for row in rows}
    return [
        TextValue(text, value / ratio.scale, of.denominator, of.users)
        for text, of in sorted(totals.items())
        if (value := of.ratio) is not None
    ]


def _table(stages: Stages, ratio: Ratio) -> Table:
    if not over_queries(ratio):
        table: Table = getattr(stages, ratio.unit)
        return table
    queries = stages.queries
    return queries.mutate(signals=signs_of_success(queries, stages.settings), queries=1)

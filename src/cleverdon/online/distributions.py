"""Distributions: how many searches, clicks or sessions have which value.

The engine counts, and only counts travel. Bins are fixed beforehand and told apart by comparing
numbers, so that they are the same on every engine and for every log: two logs can be laid beside
each other.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import ibis

from cleverdon.errors import OptionError, suggest

if TYPE_CHECKING:
    from ibis import Table

    from cleverdon.online.stages import Stages

_STEPS = (1, 1.25, 1.6, 2, 2.5, 3.15, 4, 5, 6.3, 8)
"""Ten steps to a decade, each about a quarter longer than the one before: Renard's numbers."""
EDGES = (*(round(step * 10**power, 2) for power in range(7) for step in _STEPS), 10_000_000)
"""Where bins of times begin, in milliseconds, from 1 ms to nearly three hours."""

Scale = Literal["time", "count"]


@dataclass(frozen=True)
class Bin:
    """How many values are at least `low`, and below `high`; None where there is no end."""

    low: float
    high: float | None
    count: int


@dataclass(frozen=True, eq=False)
class Distribution:
    """How many there are of which value, without empty bins at both ends."""

    kind: Kind
    bins: tuple[Bin, ...]
    asked: Table
    """What was asked of the engine."""

    @property
    def total(self) -> int:
        return sum(one.count for one in self.bins)


@dataclass(frozen=True)
class Kind:
    """Of what there is a distribution."""

    name: str
    title: str
    """What is asked, in words."""
    value: str
    """What is counted by, as an axis has it, ..."""
    of: str
    """... and what is counted."""
    scale: Scale
    """Bins of times grow with them; counts have a bin each, up to `most`."""
    values: Callable[[Stages], Table]
    """A table with a column `value`: milliseconds, or a whole number from 1."""
    needs: tuple[str, ...] = ()
    needs_persons: bool = False
    divisor: int = 1
    """What milliseconds are divided by for people to read."""
    most: int = 20

    def missing(self, stages: Stages) -> list[str]:
        """What the log does not have, and this needs."""
        lacks = [column for column in self.needs if not stages.log.has(column)]
        return (
            [*lacks, "queries.user"] if self.needs_persons and not stages.knows_persons else lacks
        )


def _latency(stages: Stages) -> Table:
    return stages.pages.select(value=stages.pages.latency_ms)


def _time_to_click(stages: Stages) -> Table:
    pages = stages.pages
    clicked = pages.filter(pages.first_click >= pages.time)
    return clicked.select(value=clicked.first_click - clicked.time)


def _clicks(stages: Stages) -> Table:
    """Every click on a page that is counted."""
    events = stages.log.events.filter(stages.log.events.action == "click")
    return events.semi_join(stages.pages, "query_id")


def _dwell(stages: Stages) -> Table:
    clicks = _clicks(stages)
    return clicks.select(value=clicks.dwell_ms)


def _click_rank(stages: Stages) -> Table:
    clicks = _clicks(stages)
    return clicks.select(value=clicks.position)


def _queries_per_session(stages: Stages) -> Table:
    return stages.sessions.select(value=stages.sessions.queries)


KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            name="queries_per_session",
            title="How many queries sessions have",
            value="queries",
            of="sessions",
            scale="count",
            values=_queries_per_session,
            needs_persons=True,
            most=12,
        ),
        Kind(
            name="click_rank",
            title="How deep users click",
            value="rank of the clicked result",
            of="clicks",
            scale="count",
            values=_click_rank,
            needs=("events.action", "events.position"),
        ),
        Kind(
            name="time_to_click",
            title="How long users look before they click",
            value="seconds to the first click",
            of="result pages",
            scale="time",
            values=_time_to_click,
            needs=("events.action", "events.time"),
            divisor=1000,
        ),
        Kind(
            name="dwell",
            title="How long clicked documents are looked at",
            value="seconds",
            of="clicks",
            scale="time",
            values=_dwell,
            needs=("events.action", "events.dwell_ms"),
            divisor=1000,
        ),
        Kind(
            name="latency",
            title="How long searches take",
            value="milliseconds",
            of="searches",
            scale="time",
            values=_latency,
            needs=("queries.latency_ms",),
        ),
    )
}
"""Every distribution there is, by its name."""


def distribution(stages: Stages, name: str) -> Distribution:
    """The distribution of that name; values that are not known are left out."""
    if name not in KINDS:
        raise OptionError(f"there is no distribution {name!r}{suggest(name, KINDS)}")
    kind = KINDS[name]
    stages.log.need(f"the distribution {name}", *kind.missing(stages))
    values = kind.values(stages)
    values = values.filter(values.value.notnull())
    edges = _edges(values) if kind.scale == "time" else range(1, kind.most + 2)
    binned = values.select(bin=_number(values.value, edges, kind))
    counts = binned.group_by("bin").agg(n=binned.count())
    found = {row["bin"]: row["n"] for row in counts.to_pyarrow().to_pylist()}
    return Distribution(kind, _bins(kind, found, edges), counts)


def distributions(stages: Stages) -> list[Distribution]:
    """All that the log supports, and that have anything in them."""
    supported = [name for name, kind in KINDS.items() if not kind.missing(stages)]
    found = [distribution(stages, name) for name in supported]
    return [one for one in found if one.bins]


def _edges(values: Table) -> Sequence[float]:
    """Those of `EDGES` that values lie between: the engine need not look at others."""
    (ends,) = values.agg(low=values.value.min(), high=values.value.max()).to_pyarrow().to_pylist()
    if ends["low"] is None:
        return ()
    low, high = bisect_right(EDGES, ends["low"]), bisect_right(EDGES, ends["high"])
    return EDGES[max(low - 1, 0) : high + 1]


def _number(value: Any, edges: Sequence[float], kind: Kind) -> Any:
    """How many edges a value has reached, which says in which bin it is, as an Ibis expression."""
    if kind.scale == "count":
        return ibis.ifelse(value > kind.most, kind.most + 1, value)
    if not edges:
        return value.cast("int64")  # there is none
    return ibis.cases(*((value < edge, at) for at, edge in enumerate(edges)), else_=len(edges))


def _bins(kind: Kind, counts: dict[int, int], edges: Sequence[float]) -> tuple[Bin, ...]:
    if not counts:
        return ()
    numbers = range(min(counts), max(counts) + 1)
    return tuple(Bin(*_ends(kind, number, edges), counts.get(number, 0)) for number in numbers)


def _ends(kind: Kind, number: int, edges: Sequence[float]) -> tuple[float, float | None]:
    """Where a bin begins, and where it ends: between the edge that was reached and the next."""
    low = edges[number - 1] if number else 0
    high = edges[number] if number < len(edges) else None
    return low / kind.divisor, None if high is None else high / kind.divisor

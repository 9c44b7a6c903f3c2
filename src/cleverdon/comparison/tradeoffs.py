"""Trade-offs of systems: effectiveness against cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from cleverdon._common.arrays import Bools, Floats
from cleverdon._common.text import printable
from cleverdon.comparison.samples import average_intervals, samples
from cleverdon.costs import QUANTITIES, Cost, Costs, cost_label, costs_by_system
from cleverdon.errors import InputError, OptionError, suggest
from cleverdon.measures.base import Measure
from cleverdon.score_tables import format_score
from cleverdon.scores import Scores
from cleverdon.stats.intervals import Interval
from cleverdon.tables.numbers import MISSING, format_amount, format_range
from cleverdon.tables.result import Result, as_json
from cleverdon.tables.sections import Section
from cleverdon.tables.table import TextTable, render_table

if TYPE_CHECKING:
    from cleverdon.charts.base import Chart


def _dominates(*merits: Floats) -> Bools:
    """Points x points: whether the first is as good as the second on every axis, better on one."""
    values = np.array(merits)
    no_worse = (values[:, :, None] >= values[:, None, :]).all(axis=0)
    better = (values[:, :, None] > values[:, None, :]).any(axis=0)
    return np.asarray(no_worse & better)


def pareto_front(*merits: Floats) -> Bools:
    """Return which points are beaten by none; on each axis, higher is better."""
    return np.asarray(~_dominates(*merits).any(axis=0))


_COST_COLUMNS = ("p50", "p99", "throughput", "errors", "index_time", "index_size")
"""The costs in the table, as far as they were measured; errors, where there were some."""
_NO_BREAK = "\N{NO-BREAK SPACE}"
_DOUBTED = "†"
_NAMED = 2  # how many systems that beat another are named
_AXES = ("p99", "index_size")
"""The costs that count for the Pareto front, as far as they were measured."""
_LOAD = ("loop", "arrivals", "rate", "clients", "k")
"""The settings of a load that response times depend on."""


@dataclass(frozen=True)
class SystemTradeoff:
    """One system: how good it is, and what it costs."""

    system: str
    average: float
    interval: Interval
    costs: Costs | None
    beaten_by: tuple[str, ...] | None = None
    """Systems that are as good on all axes and better on one; None where one was not measured."""

    @property
    def front(self) -> bool | None:
        """True if it is on the Pareto front: no system beats it."""
        return None if self.beaten_by is None else not self.beaten_by

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of the average's interval."""
        return self.interval.low, self.interval.high

    def cost(self, name: str, *, valid: bool = False) -> Cost | None:
        """Return what was measured; with `valid`, only where nothing speaks against it."""
        if self.costs is None or name not in self.costs.by_name:
            return None
        return None if valid and self.costs.why_not(name) else self.costs.by_name[name]

    def merit(self, name: str) -> float:
        """Return a cost, negated if lower is better; NaN where there is no valid one."""
        cost = self.cost(name, valid=True)
        if cost is None:
            return nan
        return cost.value if QUANTITIES[name].better == "higher" else -cost.value


@dataclass(frozen=True)
class Tradeoffs(Result):
    """All systems by one measure and by their costs.

    Attributes:
        measure: The measure.
        axes: The costs that count for the Pareto front.
        systems: The systems.
        queries: The number of queries.

    >>> from cleverdon import evaluate
    >>> scores = evaluate("examples/qrels.txt", ["examples/bm25.run", "examples/dense.run"], "RR")
    >>> costs = ["examples/bm25.bench.json", "examples/dense.bench.json"]
    >>> [one.system for one in find_tradeoffs(scores, costs, "RR").systems]
    ['bm25', 'dense']
    """

    measure: Measure
    axes: tuple[str, ...]
    systems: tuple[SystemTradeoff, ...]
    queries: int

    def plot(self) -> Chart:
        """Draw quality against the 99th percentile of response times."""
        from cleverdon.plots.trade_offs import plot_tradeoffs  # altair is optional, and slow

        return plot_tradeoffs(self)

    def sections(
        self, *, exact: bool = False, columns: Sequence[str] = _COST_COLUMNS
    ) -> list[Section]:
        """Return a row for each system; below, what beating means and what is not valid."""

        def worth_a_column(name: str) -> bool:
            costs = [cost for cost in (one.cost(name) for one in self.systems) if cost is not None]
            return any(cost.value for cost in costs) if name == "errors" else bool(costs)

        shown = [name for name in columns if worth_a_column(name)]
        header = ["system", str(self.measure), *map(cost_label, shown), "beaten by"]
        rows = [
            [
                *(printable(one.system), _quality(one, self.measure)),
                *(_cost(one, name) for name in shown),
                beaten_by(one),
            ]
            for one in self.systems
        ]
        return [Section("systems", TextTable(header, rows, 1, [], _footnotes(self)), titled=False)]

    def to_records(self) -> list[dict[str, Any]]:
        """Return a record for each system, with times in seconds and sizes in bytes."""
        records: list[dict[str, Any]] = as_json(
            [
                {
                    "system": one.system,
                    "measure": self.measure,
                    "average": one.average,
                    "low": one.interval.low,
                    "high": one.interval.high,
                    "costs": {} if one.costs is None else one.costs.to_json(),
                    "not_valid": self.not_valid.get(one.system, ()),
                    "front": one.front,
                    "beaten_by": one.beaten_by,
                }
                for one in self.systems
            ]
        )
        return records

    def render(self, format: str = "table", **view: Any) -> str:
        """Write the systems; in JSON, a list of records."""
        if format == "json":
            import json

            return json.dumps(self.to_records(), indent=1, ensure_ascii=False)
        if format != "html":
            return super().render(format, **view)
        (part,) = self.sections(**view)
        rows = [[row[0], *map(_unbroken, row[1:-1]), row[-1]] for row in part.grid.rows]
        return render_table(replace(part.grid, rows=rows), "html").rstrip("\n")

    @property
    def not_valid(self) -> dict[str, tuple[str, ...]]:
        """Why some systems' measurements should not be believed, by system."""
        found = {}
        for one in self.systems:
            costs = one.costs or Costs(one.system, {})
            reasons = [reason for name in costs.by_name for reason in costs.why_not(name)]
            if reasons:
                found[one.system] = tuple(dict.fromkeys(reasons))
        return found

    @property
    def close(self) -> tuple[str, ...]:
        """The costs that count and by which intervals overlap: who beats whom is not certain."""

        def overlap(name: str) -> bool:
            valid = (one.cost(name, valid=True) for one in self.systems)
            ends = sorted(cost.ends for cost in valid if cost is not None)
            known = any(low < high for low, high in ends)
            return known and any(one[1] >= other[0] for one, other in pairwise(ends))

        return tuple(filter(overlap, self.axes))

    @property
    def loads(self) -> dict[str, tuple[Any, ...]]:
        """The settings in which the loads differ under which times were measured."""
        found = [
            one.costs.settings["load"]
            for one in self.systems
            if one.costs is not None and isinstance(one.costs.settings.get("load"), Mapping)
        ]
        values = {name: tuple(dict.fromkeys(load.get(name) for load in found)) for name in _LOAD}
        return {name: different for name, different in values.items() if len(different) > 1}


def find_tradeoffs(
    scores: Scores,
    costs: Any,
    measure: str | Measure,
    *,
    systems: Iterable[str] | None = None,
    axes: tuple[str, ...] = _AXES,
    interval: str | None = None,
    confidence: float = 0.95,
) -> Tradeoffs:
    """Compare systems by a measure and by their costs.

    A system is beaten by those that are as good on the measure and all `axes`, and better on one;
    on the front are those that none beats. An axis that was measured of no system does not count.
    A system that lacks one which others have, or whose measurement is not valid, is not placed.

    Args:
        scores: What `evaluate` returned.
        costs: The costs of systems: files of benches and of indexing, or a dict of them by name.
        measure: The measure.
        systems: Some of the systems; by default all.
        axes: The costs that count for the front.
        interval: The method of intervals; by default Student's t for means and BCa for all else.
        confidence: The confidence of intervals.

    Returns:
        Each system's average and costs, and the systems that beat it.

    >>> from cleverdon import evaluate
    >>> scores = evaluate({"q1": {"a": 1}}, {"run": {"q1": {"a": 1.0}}}, "RR")
    >>> find_tradeoffs(scores, {}, "RR").axes
    ()
    """
    costs = costs_by_system(costs)
    for name in costs:  # a slip in a name would lose them silently
        if name not in scores.systems:
            raise InputError(
                f"there are costs of {name!r}, and no run of that name"
                f"{suggest(name, scores.systems)}; NAME=FILE gives it another"
            )
    unknown = [name for name in axes if name not in QUANTITIES]
    if unknown:
        raise OptionError(f"axes={unknown[0]!r} is no cost{suggest(unknown[0], QUANTITIES)}")
    sample = samples(scores, measures=measure, systems=systems)[0]
    ends = average_intervals(
        scores,
        measures=sample.measure,
        systems=sample.systems,
        method=interval,
        confidence=confidence,
    )
    found = [
        SystemTradeoff(name, sample.mean(name), ends[name, sample.measure], costs.get(name))
        for name in sample.systems
    ]
    used = tuple(name for name in axes if any(one.cost(name) for one in found))
    beaten = _beaten(found, used, sample.measure.better)
    return Tradeoffs(
        measure=sample.measure,
        axes=used,
        systems=tuple(replace(one, beaten_by=by) for one, by in zip(found, beaten, strict=True)),
        queries=len(sample.queries),
    )


def merits(found: list[SystemTradeoff], axes: tuple[str, ...], better: str) -> Floats:
    """Axes x systems, quality first, so that more is better."""
    quality = [-one.average if better == "lower" else one.average for one in found]
    return np.array([quality, *([one.merit(name) for one in found] for name in axes)])


def _beaten(
    found: list[SystemTradeoff], axes: tuple[str, ...], better: str
) -> list[tuple[str, ...] | None]:
    beaten: list[tuple[str, ...] | None] = [None] * len(found)
    if better == "neither" or not axes:
        return beaten
    values = merits(found, axes, better)
    known = np.flatnonzero(np.isfinite(values).all(axis=0))
    wins = _dominates(*values[:, known])
    for place, at in enumerate(known):
        beaten[at] = tuple(found[other].system for other in known[wins[:, place]])
    return beaten


def _unbroken(cell: str) -> str:
    """Let a narrow page break a value before its interval, and never before a unit."""
    return cell.replace(" ", _NO_BREAK).replace(f"{_NO_BREAK}(", " (")


def _quality(one: SystemTradeoff, measure: Measure) -> str:
    average = format_score(measure, one.average)
    low, high = (format_score(measure, end, digits=3) for end in one.ends)
    return average if MISSING in (low, high) else f"{average} ({low} to {high})"


def _cost(one: SystemTradeoff, name: str) -> str:
    cost = one.cost(name)
    if cost is None:
        return MISSING
    unit = QUANTITIES[name].unit
    low, high = cost.ends
    interval = f" ({format_range(low, high, unit)})" if name == "p99" and low < high else ""
    doubted = "" if one.cost(name, valid=True) else _DOUBTED
    return f"{format_amount(cost.value, unit)}{doubted}{interval}"


def beaten_by(one: SystemTradeoff) -> str:
    """Return the systems that beat it, in words."""
    if one.beaten_by is None:
        return MISSING
    named = [printable(name) for name in one.beaten_by[:_NAMED]]
    more = len(one.beaten_by) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "") if named else "none"


def _footnotes(found: Tradeoffs) -> list[str]:
    """Return the notes: the meaning of beating, and which measurements are not valid."""
    notes = []
    if any(one.front is not None for one in found.systems):
        named = [str(found.measure), *map(cost_label, found.axes)]
        listed = f"{', '.join(named[:-1])} and {named[-1]}"
        notes.append(
            f"beaten by: systems that are as good on {listed}, and better on one; those that none "
            "beats are the Pareto front"
        )
        if found.close:
            close = " and ".join(map(cost_label, found.close))
            notes.append(
                f"that goes by values: intervals of {close} overlap, and another measurement could "
                "tell otherwise"
            )
        for one in found.systems:
            lacking = [
                cost_label(name) for name in found.axes if one.cost(name, valid=True) is None
            ]
            if lacking:
                listed = " and ".join(lacking)
                notes.append(f"{printable(one.system)} is not placed: there is no valid {listed}")
    if found.loads:
        how = "; ".join(
            f"{name} {' and '.join(map(str, values))}" for name, values in found.loads.items()
        )
        notes.append(f"times are not of the same load: {how}")
    for system, reasons in found.not_valid.items():
        notes.append(f"{_DOUBTED} of {printable(system)}: not valid, {'; '.join(reasons)}")
    return notes

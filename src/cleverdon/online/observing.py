"""The main job with a log: its metrics, for all of it or for each day, segment or variant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from cleverdon.errors import OptionError
from cleverdon.online import days
from cleverdon.online.clusters import Totals, interval
from cleverdon.online.log import Log
from cleverdon.online.metrics.base import Count, Listing, Metric, Ratio
from cleverdon.online.metrics.registry import find, metrics
from cleverdon.online.percentiles import label, percentiles
from cleverdon.online.scripts import script
from cleverdon.online.settings import Settings
from cleverdon.online.stages import Progress, Stages, staged

if TYPE_CHECKING:
    from ibis import Table

Group = tuple[str | None, ...]
"""A value of each thing that was split by: ('2026-11-15', 'B')."""


@dataclass(frozen=True)
class Value:
    """A metric's value, for all of a log or for a group, with what it was made of."""

    metric: Ratio | Count
    group: Group
    value: float | None
    """None where it is undefined, which is not zero."""
    numerator: float | None = None
    denominator: float | None = None
    low: float | None = None
    """The interval's ends; None where there are too few users for one."""
    high: float | None = None
    users: int | None = None
    """How many users, or what stands for them, the interval rests on."""
    percentiles: dict[str, float | None] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    """What must be known to read it, such as what was left out, in sentences; of the whole log."""


@dataclass(frozen=True)
class Listed:
    """A list, as records."""

    metric: Listing
    rows: list[dict[str, Any]]
    notes: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    """What it is split by: columns of its rows that come before its own."""


@dataclass(frozen=True, eq=False)
class Observed:
    """What a log says: values, lists, what could not be said and why, and the SQL that ran."""

    stages: Stages
    by: tuple[str, ...]
    level: float
    values: tuple[Value, ...]
    lists: tuple[Listed, ...]
    missing: dict[str, tuple[str, ...]]
    """Metrics without a value, and the columns that they would need."""
    asked: dict[str, Table]
    """What was asked of the engine: what made the tables first, then one for several metrics."""

    @property
    def sql(self) -> dict[str, str]:
        """The same as SQL of the engine's own dialect, which can be run by hand."""
        return script(self.stages, self.asked)

    def __str__(self) -> str:
        from cleverdon.show.observed import render

        return render(self)

    @property
    def notes(self) -> dict[str, tuple[str, ...]]:
        """The notes of each metric that has any, of values and of lists."""
        told = {str(value.metric): value.notes for value in self.values}
        told |= {str(listed.metric): listed.notes for listed in self.lists}
        return {name: notes for name, notes in told.items() if notes}

    @property
    def groups(self) -> list[Group]:
        return list(dict.fromkeys(value.group for value in self.values))

    def value(self, metric: str, *group: str | None) -> Value:
        """The value of a metric, of a group where it was split."""
        name = str(find(metric))
        for value in self.values:
            if str(value.metric) == name and value.group == group:
                return value
        raise OptionError(f"there is no value of {name} for {group or 'the whole log'}")

    def list(self, metric: str) -> Listed:
        """The list of that name."""
        name = str(find(metric))
        for listed in self.lists:
            if str(listed.metric) == name:
                return listed
        raise OptionError(f"{name} was not asked for, or the log does not have what it needs")


def observe(
    log: Log | Stages,
    wanted: Iterable[str | Metric] | None = None,
    *,
    by: str | Sequence[str] = (),
    settings: Settings | None = None,
    level: float = 0.95,
    check: bool = False,
    progress: Progress | None = None,
) -> Observed:
    """The metrics of a log; all that it supports, unless some are named.

    `by` splits them: by `day`, by `variant`, by a segment of the log's own, or by several of these;
    lists of queries as well. With `check`, notes say which metrics rest on rows that the log doctor
    calls an error; that takes some more queries.
    """
    if not 0 < level < 1:
        raise OptionError(f"level={level}: it lies between 0 and 1")
    chosen = _chosen(wanted)
    split = (by,) if isinstance(by, str) else tuple(dict.fromkeys(by))
    labels = [name for name in split if name != "day"]
    if isinstance(log, Stages):
        stages = log
        if not set(labels) <= set(stages.split):
            raise OptionError(f"these stages cannot be split by {', '.join(labels)}")
    else:
        stages = staged(log, settings, split=labels, progress=progress)
    missing = {str(one): tuple(lacks) for one in chosen if (lacks := one.missing(stages))}
    told = [one for one in chosen if str(one) not in missing]
    tell = progress or (lambda what: None)
    run = _Runner(stages, split, level, dict(stages.made_by), tell)
    notes = run.notes(told)
    if check:
        from cleverdon.online.doctor import errors

        wrong = errors(stages.log, list(notes), progress=progress)
        told_first = {name: [one.sentence for one in found] for name, found in wrong.items()}
        notes = {name: [*told_first.get(name, []), *others] for name, others in notes.items()}
    values = [
        replace(value, notes=tuple(notes[str(value.metric)]))
        for value in (*run.ratios(told), *run.counts(told))
    ]
    order = {str(one): place for place, one in enumerate(chosen)}
    values.sort(key=lambda value: (_in_order(value.group), order[str(value.metric)]))
    return Observed(
        stages=stages,
        by=split,
        level=level,
        values=tuple(values),
        lists=tuple(
            replace(listed, notes=(*listed.notes, *notes[str(listed.metric)]))
            for listed in run.lists(told)
        ),
        missing=missing,
        asked=run.asked,
    )


def _chosen(wanted: Iterable[str | Metric] | None) -> list[Metric]:
    if wanted is None:
        return [cls() for cls in metrics()]
    if isinstance(wanted, str):
        wanted = wanted.replace(",", " ").split()
    chosen = {str(one): one for one in (find(w) if isinstance(w, str) else w for w in wanted)}
    if not chosen:
        raise OptionError("no metric was named")
    return list(chosen.values())


def _in_order(group: Group) -> tuple[tuple[bool, str], ...]:
    """Groups in the order of their names; what has none comes last."""
    return tuple((part is None, part or "") for part in group)


@dataclass(frozen=True)
class _Runner:
    """Asks the engine, and keeps the questions."""

    stages: Stages
    by: tuple[str, ...]
    level: float
    asked: dict[str, Table]
    tell: Progress

    def ask(self, name: str, table: Table) -> list[dict[str, Any]]:
        self.tell(f"asking for {name}")
        self.asked[name] = table
        rows: list[dict[str, Any]] = table.to_pyarrow().to_pylist()
        return rows

    def split(self, table: Table) -> list[Any]:
        """The columns by which a table is split, named so that they meet no other."""
        columns = []
        for name in self.by:
            if name == "day":
                column = days.floor_to(self.stages.local(table.time), days.DAY)
            else:
                column = table[name]
            columns.append(column.name(f"by_{name}"))
        return columns

    def group(self, row: dict[str, Any]) -> Group:
        parts = [(name, row[f"by_{name}"]) for name in self.by]
        return tuple(
            days.as_date(part) if name == "day" and part is not None else part
            for name, part in parts
        )

    def notes(self, told: list[Metric]) -> dict[str, list[str]]:
        """What each metric left out, in sentences; each table is asked once for all metrics."""
        lost = {str(one): one.left_out(self.stages) for one in told}
        every = [one for found in lost.values() for one in found]
        tables = {one.table.op(): one.table for one in every if one.table is not None}
        counts = {(one.what, one.why): (one.count, one.of) for one in every if one.table is None}
        for number, (key, table) in enumerate(tables.items(), start=1):
            parts = {
                (one.what, one.why): (one.count, one.of)
                for one in every
                if one.table is not None and one.table.op() == key
            }
            sums: dict[str, Any] = {}
            for place, (count, of) in enumerate(parts.values()):
                sums |= {f"n{place}": count.sum(), f"d{place}": of.sum()}
            (row,) = self.ask(f"what is left out ({number})", table.agg(**sums))
            for place, name in enumerate(parts):
                counts[name] = (row[f"n{place}"] or 0, row[f"d{place}"] or 0)
        return {
            name: [
                f"Left out: {count:,} of {of:,} {one.what} {one.why}."
                for one in found
                for count, of in [counts[one.what, one.why]]
                if count > 0
            ]
            for name, found in lost.items()
        }

    def ratios(self, told: list[Metric]) -> list[Value]:
        """Every ratio over the same table is asked for at once."""
        values = []
        wanted = [one for one in told if isinstance(one, Ratio)]
        for unit in dict.fromkeys(one.unit for one in wanted):
            table = getattr(self.stages, unit)
            ratios = [one for one in wanted if one.unit == unit]
            rows = self.ask(f"ratios over {unit}", summed(table, ratios, by=self.split(table)))
            spreads = {str(one): self.spread(table, one) for one in ratios}
            for row in rows:
                group = self.group(row)
                for place, one in enumerate(ratios):
                    totals = Totals.of(row, place)
                    values.append(self.value(one, group, totals, spreads[str(one)].get(group, {})))
        return values

    def value(
        self, ratio: Ratio, group: Group, totals: Totals, spread: dict[str, float | None]
    ) -> Value:
        value, low, high = interval(totals, level=self.level, share=ratio.kind == "share")
        scaled = [None if number is None else number / ratio.scale for number in (value, low, high)]
        return Value(
            metric=ratio,
            group=group,
            value=scaled[0],
            numerator=totals.numerator / ratio.scale,
            denominator=totals.denominator,
            low=scaled[1],
            high=scaled[2],
            users=totals.users,
            percentiles=spread,
        )

    def spread(self, table: Table, ratio: Ratio) -> dict[Group, dict[str, float | None]]:
        values = ratio.spread(table)
        if values is None:
            return {}
        which = self.stages.settings.percentiles
        asked = percentiles(table, values, which, by=self.split(table))
        rows = self.ask(f"percentiles of {ratio}", asked)
        return {
            self.group(row): {
                label(one): None if row[label(one)] is None else row[label(one)] / ratio.scale
                for one in which
            }
            for row in rows
        }

    def counts(self, told: list[Metric]) -> list[Value]:
        values = []
        wanted = [one for one in told if isinstance(one, Count)]
        for unit in dict.fromkeys(one.unit for one in wanted):
            counts = [one for one in wanted if one.unit == unit]
            table = getattr(self.stages, unit)
            keys = self.split(table)
            table = table.mutate(*keys)
            asked = table.agg(
                by=[key.get_name() for key in keys],
                **{str(one): one.count(table) for one in counts},
            )
            for row in self.ask(f"counts of {unit}", asked):
                group = self.group(row)
                values += [Value(one, group, row[str(one)]) for one in counts]
        return values

    def lists(self, told: list[Metric]) -> list[Listed]:
        """Lists that are made of the same answer ask for it once."""
        listed = []
        answers: dict[Any, list[dict[str, Any]]] = {}
        for one in told:
            if not isinstance(one, Listing):
                continue
            table = one.query(self.stages, self.split)
            if table.op() not in answers:
                answers[table.op()] = self.ask(str(one), table)
            self.asked[str(one)] = table
            answer = answers[table.op()]
            rows = one.finished(self.stages, answer)
            notes = one.notes(self.stages, answer)
            if self.by and one.splits:
                rows = [
                    {
                        **dict(zip(self.by, self.group(row), strict=True)),
                        **{name: row[name] for name in one.columns},
                    }
                    for row in rows
                ]
                rows.sort(key=lambda row: _in_order(tuple(row[name] for name in self.by)))
            elif self.by:
                notes = [*notes, "It is of the whole log."]
            listed.append(Listed(one, rows, tuple(notes), by=self.by if one.splits else ()))
        return listed


def by_cluster(table: Table, ratios: Sequence[Ratio], *, by: Sequence[Any] = ()) -> Table:
    """A row for each user of each group, with `n0`, `d0`, `n1` ...: what each adds to a ratio.

    Users are what samples are drawn of: what one of them does is not independent.
    """
    columns = {}
    for place, ratio in enumerate(ratios):
        columns[f"n{place}"] = ratio.numerator(table)
        columns[f"d{place}"] = ratio.denominator(table)
    names = [column.get_name() for column in by]
    rows = table.select(*by, "cluster", **columns)
    sums = {name: rows[name].sum().fill_null(0) for name in columns}
    return rows.group_by(*names, "cluster").agg(**sums)


def summed(table: Table, ratios: Sequence[Ratio], *, by: Sequence[Any] = ()) -> Table:
    """Over all users of a group: what ratios and their intervals are made of; see `Totals`."""
    users = by_cluster(table, ratios, by=by)
    sums: dict[str, Any] = {}
    for place in range(len(ratios)):
        # As floating point: squares of milliseconds would soon be too large for whole numbers.
        n, d = (users[f"{part}{place}"].cast("float64") for part in "nd")
        # Only users who are in the denominator are a part of the sample.
        sums[f"users{place}"] = users.count(where=d > 0)
        sums[f"n{place}"] = users[f"n{place}"].sum()
        sums[f"d{place}"] = users[f"d{place}"].sum()
        sums[f"nn{place}"] = (n * n).sum()
        sums[f"dd{place}"] = (d * d).sum()
        sums[f"nd{place}"] = (n * d).sum()
    return users.agg(by=[column.get_name() for column in by], **sums)

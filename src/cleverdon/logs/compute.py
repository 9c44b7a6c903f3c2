"""Compute the metrics of a log, for all of it or for each day, segment or variant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from ibis import Table

from cleverdon._common.progress import Progress, as_callback, ignore_progress, shows_progress
from cleverdon.errors import OptionError, check_within
from cleverdon.logs import calendar
from cleverdon.logs.log import LogSource
from cleverdon.logs.metrics.base import Count, Listing, Metric, Ratio, find_metric, metrics
from cleverdon.logs.reading.reader import as_log
from cleverdon.logs.session_tables import SessionTables, build_session_tables
from cleverdon.logs.settings import Settings
from cleverdon.logs.sql import percentile_label, percentiles, sql_script
from cleverdon.logs.tables import closing_text, list_grid, values_grid
from cleverdon.stats.intervals import normal_quantile
from cleverdon.stats.proportions import RatioTotals, ratio_interval, wilson
from cleverdon.tables.result import Result, as_json, in_json
from cleverdon.tables.sections import Section
from cleverdon.tables.table import TextTable

if TYPE_CHECKING:
    from os import PathLike

    from cleverdon.charts.base import Chart
    from cleverdon.logs.report.page import LogsReport

_M = TypeVar("_M", Ratio, Count)
_Group = tuple[str | None, ...]  # a value of each name in `by`: ('2026-11-15', 'B')


@dataclass(frozen=True)
class MetricValue:
    """The value of a metric for the whole log or for a group."""

    metric: Ratio | Count
    group: _Group = field(metadata=in_json(None))
    value: float | None  # None if it is undefined, which is not zero
    low: float | None = None  # the lower end of the interval; None if there are too few users
    high: float | None = None
    numerator: float | None = None
    denominator: float | None = None
    users: int | None = None  # the size of the sample: users, or their substitutes
    percentiles: dict[str, float | None] = field(default_factory=dict)
    notes: tuple[str, ...] = field(default=(), metadata=in_json(None))
    """Sentences for the reader, such as on rows left out."""


@dataclass(frozen=True)
class MetricList:
    """A list, such as the most frequent queries, as records."""

    metric: Listing
    rows: list[dict[str, Any]]
    notes: tuple[str, ...] = ()
    by: tuple[str, ...] = ()  # the columns by which it is split; they come before its own


@dataclass(frozen=True, eq=False)
class MetricResults(Result):
    """The metrics of a log, from `measure_log`.

    Attributes:
        tables: The result pages, queries and sessions that were counted over.
        by: The names that metrics were split by.
        confidence: The confidence of the intervals.
        values: The values of ratios and counts, for each group.
        lists: The lists, such as the most frequent queries.
        missing: Metrics without a value, and the columns that they need.
        asked: The queries that ran: those that made the tables, then one for several metrics.

    >>> from cleverdon.logs.log import worked_log
    >>> results = measure_log(worked_log("ann 0:00 shoes click@2\\n=")[0], ["PageCTR", "Latency"])
    >>> results.value("PageCTR").value, results.missing
    (1.0, {'Latency': ('queries.latency_ms',)})
    """

    tables: SessionTables
    by: tuple[str, ...]
    confidence: float
    values: tuple[MetricValue, ...]
    lists: tuple[MetricList, ...]
    missing: dict[str, tuple[str, ...]]
    asked: dict[str, Table]

    def report(self, path: str | PathLike[str] | None = None, **options: Any) -> LogsReport:
        """Make a report of the whole log: one HTML page; see `cleverdon.logs.logs_report`.

        Args:
            path: The file to write, if any.
            options: Those of `logs_report`.
        """
        from cleverdon.logs.report.page import logs_report  # loads altair, which is slow

        made = logs_report(self.tables.log, **{"settings": self.tables.settings, **options})
        if path is not None:
            made.save(path)
        return made

    @property
    def sql(self) -> dict[str, str]:
        """The queries that ran in the SQL of the engine, by purpose; they can be run by hand."""
        return sql_script(self.tables, self.asked)

    @property
    def notes(self) -> dict[str, tuple[str, ...]]:
        """The notes of each metric that has any, of values and of lists."""
        found = {str(value.metric): value.notes for value in self.values}
        found |= {str(listed.metric): listed.notes for listed in self.lists}
        return {name: notes for name, notes in found.items() if notes}

    @property
    def groups(self) -> list[_Group]:
        return list(dict.fromkeys(value.group for value in self.values))

    def value(self, metric: str, *group: str | None) -> MetricValue:
        """Return the value of a metric, of a group where it was split."""
        name = str(find_metric(metric))
        for value in self.values:
            if str(value.metric) == name and value.group == group:
                return value
        raise OptionError(f"there is no value of {name} for {group or 'the whole log'}")

    def list(self, metric: str) -> MetricList:
        name = str(find_metric(metric))
        for listed in self.lists:
            if str(listed.metric) == name:
                return listed
        raise OptionError(f"{name} was not requested, or the log lacks a column that it needs")

    def sections(self, *, exact: bool = False) -> Sequence[Section]:
        values = [Section("values", values_grid(self, exact=exact), titled=False)]
        grids = {
            str(listed.metric): list_grid(listed, exact=exact, notes=self.tables.notes)
            for listed in self.lists
        }
        lists = [Section(name, grid, titled=False) for name, grid in grids.items()]
        return [*(values if self.values else []), *lists]

    def plot(self, metric: str | None = None, *, percentile: str | None = None) -> Chart:
        """Draw a metric that was split by day, or a percentile of it, with its interval.

        Args:
            metric: The metric; by default the first.
            percentile: The percentile of it, such as "p99".
        """
        from cleverdon.logs.plots import by_day  # altair is optional, and slow

        if metric is None and not self.values:
            raise OptionError("there is nothing to draw: no metric has a value")
        first = str(self.values[0].metric) if metric is None else metric
        return by_day(self, first, percentile=percentile)

    def closing(self) -> str:
        return closing_text(self)

    def table(self, section: str | None = None, **view: Any) -> TextTable:
        if section is None and not self.values and len(self.lists) != 1:
            raise OptionError("one table holds the values or one list; name a list by --section")
        return super().table(section, **view)

    def to_dict(self) -> dict[str, Any]:
        log = self.tables.log
        record: dict[str, Any] = as_json(
            {
                "source": log.source,
                "settings": self.tables.settings,
                "first": self.tables.first,
                "last": self.tables.last,
                "by": self.by,
                "confidence": self.confidence,
                "values": [self._value_record(value) for value in self.values],
                "lists": {str(listed.metric): listed.rows for listed in self.lists},
                "missing": self.missing,
                "notes": self.tables.notes,
                "without_bots": log.without_bots,
                "metric_notes": self.notes,
                "aside": log.aside,
                "merged": log.merged,
            }
        )
        return record

    def _value_record(self, value: MetricValue) -> dict[str, Any]:
        record = as_json(value)
        if not value.percentiles:
            del record["percentiles"]
        groups = dict(zip(self.by, value.group, strict=True))
        return {"metric": record.pop("metric"), **groups, **record}


@shows_progress("measuring")
def measure_log(
    log: LogSource | SessionTables,
    wanted: Iterable[str | Metric] | None = None,
    *,
    by: str | Sequence[str] = (),
    settings: Settings | None = None,
    confidence: float = 0.95,
    check: bool = False,
    strict: bool = False,
    progress: Progress | bool | None = None,
) -> MetricResults:
    """Compute the metrics of a log.

    Args:
        log: A log, files of one, or the tables that were built of it.
        wanted: The metrics by name; by default all that the log supports.
        by: What to split metrics and lists by: "day", "variant", a segment of the log, or several.
        settings: Where sessions end, what success is, which texts are the same query.
        confidence: The confidence of the intervals.
        check: Add notes on metrics that use rows with errors; this runs some more queries.
        strict: Refuse a metric whose columns the log does not have, instead of listing it in
            `missing`.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        The values, with intervals over users, the lists, and the metrics without a value.

    Raises:
        InputError: The log has no search, no such segment, or, with `strict`, lacks a column.
        NotationError: There is no metric of that name.
        OptionError: An option has a value that is not allowed.

    >>> from cleverdon.logs.log import worked_log
    >>> log, _ = worked_log('''
    ...     ann 0:00 shoes click@2
    ...     bob 0:05 hats
    ...     =
    ... ''')
    >>> measure_log(log, ["PageCTR"]).value("PageCTR").value
    0.5
    """
    progress = as_callback(progress)
    check_within("confidence", confidence, 0, 1)
    chosen = _chosen_metrics(wanted)
    split = (by,) if isinstance(by, str) else tuple(dict.fromkeys(by))
    labels = [name for name in split if name != "day"]
    if isinstance(log, SessionTables):
        tables = log
        if not set(labels) <= set(tables.split):
            raise OptionError(f"these tables cannot be split by {', '.join(labels)}")
    else:
        tables = build_session_tables(as_log(log), settings, split=labels, progress=progress)
    missing = {str(one): tuple(lacks) for one in chosen if (lacks := one.missing(tables))}
    if strict:
        for name, columns in missing.items():
            tables.log.need(name, *columns)
    supported = [one for one in chosen if str(one) not in missing]
    report = progress or ignore_progress
    run = _Runner(tables, split, confidence, dict(tables.made_by), report)
    notes = run.notes(supported)
    if check:
        from cleverdon.logs.doctor.checks import find_errors  # not always needed

        names = {str(one): type(one).__name__ for one in supported}
        wrong = find_errors(tables.log, set(names.values()), progress=progress)
        errors = {name: [one.sentence for one in found] for name, found in wrong.items()}
        notes = {name: [*errors.get(names[name], []), *others] for name, others in notes.items()}
    values = [
        replace(value, notes=tuple(notes[str(value.metric)]))
        for value in (*run.ratios(supported), *run.counts(supported))
    ]
    order = {str(one): place for place, one in enumerate(chosen)}
    values.sort(key=lambda value: (_in_order(value.group), order[str(value.metric)]))
    lists = [
        replace(listed, notes=(*listed.notes, *notes[str(listed.metric)]))
        for listed in run.lists(supported)
    ]
    return MetricResults(tables, split, confidence, tuple(values), tuple(lists), missing, run.asked)


def _chosen_metrics(wanted: Iterable[str | Metric] | None) -> list[Metric]:
    if wanted is None:
        return [cls() for cls in metrics()]
    if isinstance(wanted, str):
        wanted = re.findall(r"(?:\([^()]*\)|[^\s,])+", wanted)  # not within brackets
    chosen = {
        str(one): one for one in (find_metric(w) if isinstance(w, str) else w for w in wanted)
    }
    if not chosen:
        raise OptionError("no metric was named")
    return list(chosen.values())


def _in_order(group: _Group) -> tuple[tuple[bool, str], ...]:
    """Return a key by which groups are sorted by name, None last."""
    return tuple((part is None, part or "") for part in group)


@dataclass(frozen=True)
class _Runner:
    tables: SessionTables
    by: tuple[str, ...]
    confidence: float
    asked: dict[str, Table]
    report: Progress

    def ask(self, name: str, table: Table) -> list[dict[str, Any]]:
        self.report(f"asking for {name}")
        self.asked[name] = table
        rows: list[dict[str, Any]] = table.to_pyarrow().to_pylist()
        return rows

    def split(self, table: Table) -> list[Any]:
        """Return the columns by which a table is split, under names that no other has."""
        columns = []
        for name in self.by:
            if name == "day":
                column = calendar.floor_to(self.tables.local(table.time), calendar.DAY)
            else:
                column = table[name]
            columns.append(column.name(f"by_{name}"))
        return columns

    def group(self, row: dict[str, Any]) -> _Group:
        parts = [(name, row[f"by_{name}"]) for name in self.by]
        return tuple(
            calendar.as_date(part) if name == "day" and part is not None else part
            for name, part in parts
        )

    def notes(self, metrics: list[Metric]) -> dict[str, list[str]]:
        """Describe the rows that each metric leaves out; one query for each table."""
        lost = {str(one): one.left_out(self.tables) for one in metrics}
        counts: dict[tuple[str, str], tuple[int, int]] = {}
        tables: dict[Any, Table] = {}
        summed: dict[Any, dict[tuple[str, str], tuple[Any, Any]]] = {}
        for one in (one for found in lost.values() for one in found):
            if one.table is None:
                counts[one.what, one.why] = (one.count, one.of)
                continue
            table = getattr(self.tables, one.table)  # two of them may be the same
            tables[table.op()] = table
            summed.setdefault(table.op(), {})[one.what, one.why] = (one.count, one.of)
        for number, (key, parts) in enumerate(summed.items(), start=1):
            sums: dict[str, Any] = {}
            for place, (count, of) in enumerate(parts.values()):
                sums |= {f"n{place}": count.sum(), f"d{place}": of.sum()}
            (row,) = self.ask(f"what is left out ({number})", tables[key].agg(**sums))
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

    def ratios(self, metrics: list[Metric]) -> list[MetricValue]:
        """Compute all ratios; one query for each table."""
        values = []
        for unit, ratios in _by_unit(metrics, Ratio).items():
            table = getattr(self.tables, unit)
            asked = sum_clusters(table, ratios, by=self.split(table))
            rows = self.ask(f"ratios over {unit}", asked)
            spreads = {str(one): self.spread(table, one) for one in ratios}
            for row in rows:
                group = self.group(row)
                for place, one in enumerate(ratios):
                    totals = RatioTotals.of(row, place)
                    values.append(self.value(one, group, totals, spreads[str(one)].get(group, {})))
        return values

    def value(
        self, ratio: Ratio, group: _Group, totals: RatioTotals, spread: dict[str, float | None]
    ) -> MetricValue:
        found = ratio_interval(totals, confidence=self.confidence, share=ratio.kind == "share")
        value, low, high = (_scaled(number, ratio) for number in found)
        return MetricValue(
            metric=ratio,
            group=group,
            value=value,
            low=low,
            high=high,
            numerator=totals.numerator / ratio.scale,
            denominator=totals.denominator,
            users=totals.users,
            percentiles=spread,
        )

    def spread(self, table: Table, ratio: Ratio) -> dict[_Group, dict[str, float | None]]:
        if ratio.spread is None:
            return {}
        which = self.tables.settings.percentiles
        asked = percentiles(table, ratio.spread, which, by=self.split(table))
        labels = [percentile_label(one) for one in which]
        return {
            self.group(row): {label: _scaled(row[label], ratio) for label in labels}
            for row in self.ask(f"percentiles of {ratio}", asked)
        }

    def counts(self, metrics: list[Metric]) -> list[MetricValue]:
        values = []
        for unit, counts in _by_unit(metrics, Count).items():
            table = getattr(self.tables, unit)
            keys = self.split(table)
            table = table.mutate(*keys)
            sums = {str(one): one.count(table) for one in counts}
            asked = table.agg(by=[key.get_name() for key in keys], **sums)
            for row in self.ask(f"counts of {unit}", asked):
                group = self.group(row)
                values += [MetricValue(one, group, row[str(one)]) for one in counts]
        return values

    def lists(self, metrics: list[Metric]) -> list[MetricList]:
        """Compute the lists; those that need the same query share its answer."""
        listed = []
        answers: dict[Any, list[dict[str, Any]]] = {}
        for one in metrics:
            if not isinstance(one, Listing):
                continue
            table = one.query(self.tables, self.split)
            if table.op() not in answers:
                answers[table.op()] = self.ask(str(one), table)
            self.asked[str(one)] = table
            answer = answers[table.op()]
            rows = one.finished(self.tables, answer)
            if one.share_of is not None:
                rows = [row | self.share(*(row[name] for name in one.share_of)) for row in rows]
            notes = one.notes(self.tables, answer)
            if one.share_of is not None and rows:
                notes = [f"From low to high is the {self.confidence:.0%} interval.", *notes]
            if self.by and one.splits:
                rows = [
                    dict(zip(self.by, self.group(row), strict=True))
                    | {name: row[name] for name in one.columns}
                    for row in rows
                ]
                rows.sort(key=lambda row: _in_order(tuple(row[name] for name in self.by)))
            elif self.by:
                notes = [*notes, "This list covers the whole log."]
            listed.append(MetricList(one, rows, tuple(notes), by=self.by if one.splits else ()))
        return listed

    def share(self, number: int, of: int) -> dict[str, float | None]:
        """Return a share and its interval; also of few users, whose interval is wide."""
        if not of:
            return dict.fromkeys(("share", "low", "high"))
        low, high = wilson(number / of, of, z=normal_quantile(self.confidence))
        return {"share": number / of, "low": low, "high": high}


def _by_unit(metrics: list[Metric], kind: type[_M]) -> dict[str, list[_M]]:
    found: dict[str, list[_M]] = {}
    for one in metrics:
        if isinstance(one, kind):
            found.setdefault(one.unit, []).append(one)
    return found


def _scaled(number: float | None, ratio: Ratio) -> float | None:
    return None if number is None else number / ratio.scale


def cluster_rows(table: Table, ratios: Sequence[Ratio], *, by: Sequence[Any] = ()) -> Table:
    """Return a row for each user of each group: its parts of ratios as `n0`, `d0`, ..."""
    # Users are the sample, because the actions of one user are not independent.
    columns: dict[str, Any] = {}
    for place, ratio in enumerate(ratios):
        columns |= {f"n{place}": ratio.numerator, f"d{place}": ratio.denominator}
    names = [column.get_name() for column in by]
    rows = table.select(*by, "cluster", **columns)
    sums = {name: rows[name].sum().fill_null(0) for name in columns}
    return rows.group_by(*names, "cluster").agg(**sums)


def sum_clusters(table: Table, ratios: Sequence[Ratio], *, by: Sequence[Any] = ()) -> Table:
    """Sum the rows of `cluster_rows` for ratios and intervals; see `RatioTotals`."""
    users = cluster_rows(table, ratios, by=by)
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

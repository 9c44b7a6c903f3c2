"""The report of a search log as one HTML page.

Its content is plain records, which `--data` writes as JSON. It names no user and no query of few
users; so it leaves out the doctor's examples and unreadable rows, which may hold both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from html import escape
from typing import Any

from ibis import Table

from cleverdon import __version__
from cleverdon._common.progress import Progress, as_callback, ignore_progress, shows_progress
from cleverdon._common.text import counted
from cleverdon.charts.base import without_validation
from cleverdon.errors import CleverdonError
from cleverdon.logs.abtest.analysis import abtest
from cleverdon.logs.abtest.plots import effects
from cleverdon.logs.abtest.results import ABTest
from cleverdon.logs.abtest.tables import (
    claim_families,
    claim_record,
    effects_notes,
    effects_table,
    guardrail_record,
    is_adjusted,
    participants_text,
    planning_table,
    untested_sentences,
)
from cleverdon.logs.calendar import DAY, as_date
from cleverdon.logs.compute import MetricResults, MetricValue, measure_log
from cleverdon.logs.doctor.checks import examine
from cleverdon.logs.doctor.diagnosis import Diagnosis, Finding
from cleverdon.logs.log import COLUMN_MEANINGS, Log, LogSource
from cleverdon.logs.metrics.base import Count, Metric, Ratio, find_metric, metrics
from cleverdon.logs.plot_data import (
    Distribution,
    Funnel,
    Series,
    count_funnels,
    distributions,
    funnel_query,
    latency_series,
    search_series,
)
from cleverdon.logs.plot_data import weekly_hours as busiest
from cleverdon.logs.plots import (
    about_days,
    axis_name,
    bands,
    busy_hours,
    by_day_chart,
    by_day_rows,
    distribution,
    funnel,
    latency_by_load,
    latency_over_time,
    lines_of,
    searches_over_time,
)
from cleverdon.logs.reading.reader import as_log
from cleverdon.logs.session_tables import SessionTables, build_session_tables
from cleverdon.logs.settings import Settings
from cleverdon.logs.sql import sql_script
from cleverdon.logs.tables import (
    about_bots,
    about_rows,
    bots_record,
    format_significant,
    format_value,
    interval_text,
    list_grid,
    metric_facts,
    values_grid,
    values_notes,
)
from cleverdon.measures.base import one_line
from cleverdon.pages.page import (
    WIDE,
    Figure,
    Page,
    definition,
    figure_of_chart,
    varying_figure,
    versions,
)
from cleverdon.tables.markup import render_html
from cleverdon.tables.table import TextTable


@dataclass(frozen=True, eq=False)
class ReportData:
    """The results that the report shows; none of them names a user."""

    tables: SessionTables
    results: MetricResults  # every metric that the log supports, of the whole log
    daily: MetricResults  # those that are numbers, by day
    daily_by_variant: MetricResults | None
    searches: Series
    hours: Series
    latency: Series | None
    distributions: tuple[Distribution, ...]
    funnels: tuple[Funnel, ...]  # of all sessions, then of each variant; none without sessions
    diagnosis: Diagnosis | None
    test: ABTest | None
    no_test: str  # the reason for no A/B test, where the log has variants

    def asked(self) -> dict[str, Table]:
        """Return every query that ran, by its purpose."""
        made = self.tables.made_by
        found = dict(self.results.asked)
        for results in (self.daily, self.daily_by_variant):
            if results is not None:
                by = " and ".join(results.by)
                asked = {name: one for name, one in results.asked.items() if name not in made}
                found |= {f"{name}, by {by}": one for name, one in asked.items()}
        for series in (self.searches, self.hours, self.latency):
            found |= {} if series is None else series.asked
        found |= {f"distribution {one.kind.name}": one.asked for one in self.distributions}
        if self.funnels:
            found["funnel"] = funnel_query(self.tables)
        return found if self.test is None else {**self.test.asked, **found}


def _gather_data(
    log: Log,
    *,
    settings: Settings | None = None,
    control: str | None = None,
    primary: str | None = None,
    level: float = 0.05,
    confidence: float | None = None,
    check: bool = True,
    progress: Progress | None = None,
) -> ReportData:
    """Run all queries of the report; pages, queries and sessions are built once."""
    report = progress or ignore_progress
    variants = log.has("queries.variant")
    if control is not None:
        log.need("an A/B test", "queries.variant")
    tables = build_session_tables(
        log, settings, split=("variant",) if variants else (), progress=progress
    )
    numbers = [cls() for cls in metrics() if issubclass(cls, Ratio | Count)]
    confidence = 1 - level if confidence is None else confidence
    measure = partial(measure_log, tables, confidence=confidence, progress=progress)
    results = measure(check=check)
    daily = measure(numbers, by="day")
    split = measure(numbers, by=("day", "variant")) if variants else None
    report("counting searches over time")
    over_time = search_series(tables)
    report("counting distributions")
    spread = distributions(tables)
    report("counting the funnel")
    funnels = _funnels(tables, variants=variants)
    test, no_test = None, ""
    if variants:
        how: dict[str, Any] = {"primary": primary, "level": level, "confidence": confidence}
        test, no_test = _tested(tables, control, how, report)
    return ReportData(
        tables=tables,
        results=results,
        daily=daily,
        daily_by_variant=split,
        searches=over_time,
        hours=over_time if over_time.span == "hour" else search_series(tables, "hour"),
        latency=latency_series(tables) if log.has("queries.latency_ms") else None,
        distributions=tuple(spread),
        funnels=funnels,
        diagnosis=examine(log, progress=progress) if check else None,
        test=test,
        no_test=no_test,
    )


def _funnels(tables: SessionTables, *, variants: bool) -> tuple[Funnel, ...]:
    if not tables.knows_persons:
        return ()
    split = count_funnels(tables, by="variant") if variants else ()
    return (*count_funnels(tables), *(one for one in split if one.group is not None))


def _tested(
    tables: SessionTables, control: str | None, how: dict[str, Any], report: Progress
) -> tuple[ABTest | None, str]:
    """Return the A/B test, or why there is none; raise if control or primary metric was named."""
    report("comparing variants")
    try:
        return abtest(tables, control=control, progress=report, **how), ""
    except CleverdonError as error:
        if control is not None or how.get("primary") is not None:
            raise
        return None, str(error)


_LIBRARIES = ("ibis-framework", "duckdb", "tea-tasting", "scipy", "altair", "vl-convert-python")

_SIGNALS = {
    "dwell": "a clicked document is viewed for at least {:g} seconds",
    "copy": "a link or a snippet is copied",
    "conversion": "a conversion follows",
}


def _method(data: ReportData) -> dict[str, Any]:
    results, log = data.results, data.tables.log
    names = [str(value.metric) for value in results.values]
    names += [str(listed.metric) for listed in results.lists]
    return {
        "paragraph": _paragraph(data),
        "facts": _settings_facts(data.tables.settings)
        | {"Format of the log": log.format, "Engine": str(log.backend.name)},
        "metrics": [_metric(find_metric(name)) for name in dict.fromkeys(names)],
        "sql": sql_script(data.tables, data.asked()),
        "versions": versions(__version__, _LIBRARIES),
    }


def _paragraph(data: ReportData) -> str:
    """Write the method as a paragraph for a paper."""
    results = data.results
    settings = data.tables.settings
    sentences = [
        f"Metrics were computed from the log with Cleverdon {__version__}.",
        f"A session {_session(settings)}.",
        f"A session with a click is a success if {_success(settings)}.",
    ]
    if any(value.low is not None for value in results.values):
        whom = f"{data.tables.log.actors[0]}s" if data.tables.log.actors else "searches"
        sentences.append(
            f"Intervals have {results.confidence:.0%} confidence, by the delta method over {whom}, "
            "the sample (Deng, Knoblich & Lu 2018)."
        )
    if data.test is not None:
        unit = data.test.participants.unit
        sentences.append(
            f"Variants were compared {unit} by {unit}"
            + (", adjusted by their past (CUPED)." if data.test.cuped else ".")
        )
        if is_adjusted(data.test):
            sentences.append("Their intervals are adjusted for the same family as their p-values.")
    return " ".join(sentences)


def _session(settings: Settings) -> str:
    if settings.sessions == "log":
        return "is given by the log's own ids"
    return f"ends when its user does nothing for {settings.idle_ms / 60_000:g} minutes"


def _success(settings: Settings) -> str:
    signs = [_SIGNALS[signal].format(settings.dwell_seconds) for signal in settings.success]
    return signs[0] if len(signs) == 1 else f"{', '.join(signs[:-1])} or {signs[-1]}"


def _settings_facts(settings: Settings) -> dict[str, str]:
    typed = settings.keystroke_seconds
    found = {
        "Session": _session(settings),
        "Success": _success(settings),
        "Searches while typing": "count like any other"
        if typed is None
        else f"within {typed:g} seconds of the next, count as the last of them",
        "The same query": "texts that differ in case, white space or Unicode forms only"
        if settings.fold
        else "texts that are the same in every character",
        "Days in": settings.timezone,
        "Listed": f"at most {counted(settings.top, 'query')} a list, of at least "
        f"{counted(settings.least_users, 'user')} each",
        "Head and torso": f"the most frequent {settings.head:.2%} of different queries, and the "
        f"next {settings.torso:.2%}",
        "Percentiles": ", ".join(f"{one:g}" for one in settings.percentiles)
        + ": the smallest value that at least this percentage does not exceed",
    }
    if settings.stem:
        found["The same query"] += f", words without their endings ({settings.stem})"
    return found


def _metric(metric: Metric) -> dict[str, str]:
    facts = {name.lower(): text for name, text in metric_facts(metric).items()}
    del facts["formula"]
    return definition(str(metric), type(metric), facts)


_KEY_METRICS = (
    "Success",
    "Abandonment",
    "QueryCTR",
    "ZeroResults",
    "Reformulation",
    "ClickRank",
    "TimeToClick",
    "Latency",
)
"""The numbers at the top."""

_SECTIONS = {"QueriesPerTime": "time", "LatencyByLoad": "latency", "LatencySpikes": "latency"}
"""The sections of lists; any other list is in the section of queries."""

_CONSTANT = "constant-columns"
"""The only finding whose text contains a value of the log, which may be a user."""


def _report_content(data: ReportData, *, title: str) -> dict[str, Any]:
    results = data.results
    by_name = {str(value.metric): value for value in results.values}
    return {
        "title": title,
        "source": data.tables.log.source,
        "notes": _basis(data),
        "without_bots": bots_record(data.tables.log),
        "headline": _headline(data),
        "confidence": results.confidence,
        "numbers": [_number(by_name[name]) for name in _KEY_METRICS if name in by_name],
        "values": _table(values_grid(results)),
        "values_notes": values_notes(results),
        "missing": [
            {"metric": name, "columns": [_column(one) for one in columns]}
            for name, columns in results.missing.items()
        ],
        "doctor": None if data.diagnosis is None else _doctor(data.diagnosis),
        "daily": _daily_picks(data),
        "lists": [
            {
                "name": str(listed.metric),
                "about": one_line(type(listed.metric)),
                "section": _SECTIONS.get(str(listed.metric), "queries"),
                "columns": dict(listed.metric.columns),
                "table": _table(list_grid(listed)),
                "notes": [*listed.notes, *([] if listed.rows else ["There is nothing to list."])],
            }
            for listed in results.lists
        ],
        "abtest": None if data.test is None else _abtest(data.test),
        "no_abtest": data.no_test,
        "method": _method(data),
    }


def _basis(data: ReportData) -> list[str]:
    tables = data.tables
    first, last = (as_date(at // DAY) for at in tables.local_span)
    sentences = [f"{tables.log.source}, {first} to {last} ({tables.settings.timezone})."]
    sentences += [*tables.log.notes, *tables.notes]
    return [*sentences, *about_bots(tables.log), *about_rows(tables.log)]


def _headline(data: ReportData) -> str:
    """Summarise the size of the log and the outcome of sessions in a sentence or two."""
    values = {str(value.metric): value for value in data.results.values}

    def count(metric: str, noun: str) -> str:
        return counted(int(values[metric].value or 0), noun)

    pages = count("Pages", "result page")
    text = f"There are {pages}."
    if "Sessions" in values:
        who = count("Users", "user") if "Users" in values else "Users"
        queries, sessions = count("Queries", "query"), count("Sessions", "session")
        text = f"{who} asked {queries} in {sessions}, and saw {pages}."
    if "Success" in values and values["Success"].value is not None:
        went, left = (_with_interval(values[name]) for name in ("Success", "Abandonment"))
        text += f" {went[0]} of the sessions went well{went[1]}"
        text += f"; in {left[0]} nothing was clicked{left[1]}."
    return text


def _with_interval(value: MetricValue) -> tuple[str, str]:
    interval = interval_text(value)
    return format_value(value.metric, value.value), f" ({interval})" if interval else ""


def _number(value: MetricValue) -> dict[str, Any]:
    """Describe a value: what it was made of, and its interval."""
    metric = value.metric
    assert isinstance(metric, Ratio)
    return {
        "metric": str(metric),
        "about": one_line(type(metric)),
        "value": format_value(metric, value.value),
        "of": _made_of(value, metric),
        "interval": interval_text(value),
        "users": value.users,
        "better": metric.better,
        "percentiles": {
            label: format_value(metric, number) for label, number in value.percentiles.items()
        },
        "notes": list(value.notes),
    }


def _made_of(value: MetricValue, metric: Ratio) -> str:
    """Write `6,498 sessions with a click and a sign of success, of 15,426 sessions`."""
    if value.value is None or value.numerator is None or value.denominator is None:
        return f"Undefined: {metric.undefined}."
    below = f"{format_significant(value.denominator)} {metric.over}"
    if metric.kind == "mean":
        return f"over {below}"
    return f"{format_significant(value.numerator)} {metric.counted}, of {below}"


def _table(grid: TextTable) -> dict[str, Any]:
    return {"header": grid.header, "rows": grid.rows, "labels": grid.labels}


def _column(name: str) -> str:
    return f"{name} ({COLUMN_MEANINGS[name.partition('.')[2]]})"


def _daily_picks(data: ReportData) -> list[dict[str, Any]]:
    """List the numbers by day that a reader can pick: metrics, and percentiles of times."""
    seen: dict[str, MetricValue] = {}
    for value in data.daily.values:
        seen.setdefault(str(value.metric), value)
    first = [name for name in _KEY_METRICS if name in seen]
    return [
        {"metric": name, "percentile": label, "axis": axis_name(seen[name].metric, label)}
        for name in dict.fromkeys([*first, *seen])
        for label in (None, *seen[name].percentiles)
    ]


def _doctor(found: Diagnosis) -> dict[str, Any]:
    return {
        "findings": [_finding(one) for one in found.findings],
        "skipped": [
            {"name": name, "columns": [_column(one) for one in columns]}
            for name, columns in found.skipped.items()
        ],
    }


def _finding(one: Finding) -> dict[str, Any]:
    """Describe a finding without its examples, which may name users."""
    what = one.what
    if one.name == _CONSTANT:
        what = f"{what.partition(' is always ')[0]} is always the same"
    of = "" if one.total is None else f" of {one.total:,}"
    share = "" if one.share is None else f" ({one.share:.2%})"
    return {
        "name": one.name,
        "severity": one.severity,
        "what": what,
        "count": f"{one.count:,}{of} {one.noun}{share}",
        "details": list(one.details),
        "spoils": list(one.spoils),
        "remedy": one.remedy,
    }


def _abtest(test: ABTest) -> dict[str, Any]:
    trusted = test.trusted
    planned = trusted and any(one.planning is not None for one in test.effects)
    planning = planning_table(test)
    untested = untested_sentences(test) if trusted else []
    return {
        "control": test.control,
        "trusted": trusted,
        "heading": participants_text(test),
        "families": [
            {"heading": heading, "claims": [*map(claim_record, claims)]}
            for heading, claims in claim_families(test, test.claims())
        ],
        "untested": [{"text": text, "verdict": "not tested"} for text in untested],
        "guardrails": [guardrail_record(one, test) for one in test.guardrails if trusted],
        "doubts": [asdict(one) for one in test.doubts()],
        "table": _table(effects_table(test)),
        "table_notes": effects_notes(test),
        "planning": _table(planning) if planned else None,
        "planning_notes": planning.footnotes if planned else [],
    }


METRIC, AXIS = "⟦metric⟧", "⟦axis⟧"
"""Placeholders for the metric that the reader picks, and for the same with its unit."""


def _report_figures(data: ReportData) -> list[Figure]:
    with without_validation():  # tests hold the charts against the schema
        figures = [*_over_time(data), *_of_sessions(data), *_of_latency(data)]
        if data.test is not None:
            plot = effects(data.test)
            figures.append(figure_of_chart("effects", plot, place="abtest-figures", wide=True))
        return figures


def _over_time(data: ReportData) -> Iterator[Figure]:
    yield _by_day("by_day", f"{METRIC} by day", data.daily, data)
    if data.daily_by_variant is not None and lines_of(data.daily_by_variant):
        title = f"{METRIC} by day and variant"
        yield _by_day("by_day_and_variant", title, data.daily_by_variant, data)
    yield figure_of_chart(
        "searches", searches_over_time(data.searches), place="time-figures", wide=True
    )
    if data.hours.whole:
        zone = data.tables.settings.timezone
        hours = busy_hours(busiest(data.hours), zone=zone)
        yield figure_of_chart("busy_hours", hours, place="time-figures", wide=True)


def _by_day(id: str, title: str, results: MetricResults, data: ReportData) -> Figure:
    """Draw a plot for each metric and percentile that can be picked."""
    return varying_figure(
        id,
        title,
        about_days(results),
        by_day_chart(AXIS, lines_of(results)),
        {
            str(at): by_day_rows(results, pick["metric"], percentile=pick["percentile"])
            for at, pick in enumerate(_daily_picks(data))
        },
        varies="metric",
        width=WIDE,
        wide=True,
        place="daily-figures",
    )


def _of_sessions(data: ReportData) -> Iterator[Figure]:
    if data.funnels:
        yield figure_of_chart("funnel", funnel(data.funnels), place="funnel-figures")
    for listed in data.results.lists:
        if str(listed.metric) == "HeadTorsoTail" and listed.rows:
            yield figure_of_chart("bands", bands(listed), place="list-HeadTorsoTail")
    for one in data.distributions:
        place = "latency-figures" if one.kind.name == "latency" else "spread-figures"
        yield figure_of_chart(one.kind.name, distribution(one), place=place)


def _of_latency(data: ReportData) -> Iterator[Figure]:
    series = data.latency
    if series is None or not any(point.timed for point in series.points):
        return
    yield figure_of_chart("latency_by_load", latency_by_load(series), place="latency-figures")
    yield figure_of_chart(
        "latency_over_time", latency_over_time(series), place="latency-figures", wide=True
    )


@dataclass(frozen=True, eq=False, repr=False)
class LogsReport(Page):
    """The report of a log as an HTML page, from `logs_report`.

    Attributes:
        content: Everything that the page shows, ready for `json.dumps`.
        data: The results behind it.
        html: The page itself; `save` writes it to a file, `save_json` the content.

    >>> from cleverdon.logs.log import worked_log
    >>> log, _ = worked_log("ann 0:00 shoes\\n=")
    >>> report = logs_report(log)
    >>> report.content["headline"], report.html[:15]
    ('1 user asked 1 query in 1 session, and saw 1 result page.', '<!doctype html>')
    """

    content: dict[str, Any]
    data: ReportData

    scripts = ("state", "sections", "start")

    def figures(self) -> list[Figure]:
        return _report_figures(self.data)

    def without_script(self) -> str:
        content = self.content
        table = render_html(TextTable(**content["values"], notes=content["values_notes"]))
        headline = f"<p>{escape(content['headline'])}</p>"
        return f"<p>The plots and lists of this report need JavaScript.</p>{headline}{table}"

    def __repr__(self) -> str:
        pages = counted(int(self.data.results.value("Pages").value or 0), "result page")
        first, last = (as_date(at // DAY) for at in self.data.tables.local_span)
        return f"<LogsReport {self.content['title']!r}: {pages}, from {first} to {last}>"


@shows_progress("measuring")
def logs_report(
    log: LogSource,
    *,
    title: str = "What the search log says",
    settings: Settings | None = None,
    control: str | None = None,
    primary: str | None = None,
    level: float = 0.05,
    confidence: float | None = None,
    check: bool = True,
    progress: Progress | bool | None = None,
) -> LogsReport:
    """Write the report of a log: metrics, time series, funnel, lists, latency, A/B test, method.

    Args:
        log: The log, or files of it.
        title: The title of the page.
        settings: Where sessions end, what success is, which texts are the same query.
        control: The variant that others are compared with; by default the one called control,
            baseline or A, if there is one.
        primary: The metric that decides in the A/B test, by default the first; "all" makes one
            family of all.
        level: The largest corrected p-value that is significant in the A/B test.
        confidence: The confidence of intervals; by default 1 - level.
        check: Look for errors in the log.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        A page, to be shown or saved.

    Raises:
        InputError: The log has no search, or no variants where `control` is given.

    >>> from cleverdon.logs.log import worked_log
    >>> log, _ = worked_log('''
    ...     ann 0:00 shoes click@2+40
    ...     bob 0:05 hats
    ...     =
    ... ''')
    >>> logs_report(log, title="Two searches")
    <LogsReport 'Two searches': 2 result pages, from 2026-01-01 to 2026-01-01>
    """
    progress = as_callback(progress)
    found = _gather_data(
        as_log(log),
        settings=settings,
        control=control,
        primary=primary,
        level=level,
        confidence=confidence,
        check=check,
        progress=progress,
    )
    return LogsReport(_report_content(found, title=title), found)

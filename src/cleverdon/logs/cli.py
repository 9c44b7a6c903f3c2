"""The command `cleverdon logs`: its group, shared options, and the commands on a whole log.

Commands of A/B tests, interleaving, clicks and the bridge are in those packages. Help must not load
Ibis, numpy or pyarrow, which are slow to import: functions import what needs them.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from cleverdon._common.progress_bar import bar, say
from cleverdon._common.text import counted
from cleverdon.cli import Commands, options
from cleverdon.cli.declarations import Declared, Options, argument, command, flag, group, option
from cleverdon.cli.options import COUNT, Count, Number
from cleverdon.logs.bots import BotRules
from cleverdon.logs.doctor.diagnosis import Diagnosis, Limits
from cleverdon.logs.reading.formats import formats
from cleverdon.logs.settings import IDLE_MINUTES, SIGNALS, Sessions, Settings
from cleverdon.tables.table import FORMATS

if TYPE_CHECKING:
    from cleverdon.logs.compute import MetricResults
    from cleverdon.logs.log import Log


_LOGS_COMMANDS = {
    "check": ("logs.cli", "Find errors in a log, and list the metrics that it supports."),
    "metrics": (
        "logs.cli",
        "Compute metrics: abandonment, click-through, success, latency, top queries.",
    ),
    "abtest": ("logs.abtest.cli", "Compare the variants of an experiment, and say what it shows."),
    "interleave": (
        "logs.interleaving.cli",
        "Test which of two interleaved rankers users preferred.",
    ),
    "judge": ("logs.clicks.cli", "Derive judgments from clicks with a click model."),
    "bridge": (
        "logs.bridge.cli",
        "Relate judgments to traffic: what to judge next, scores weighted by traffic.",
    ),
    "report": ("logs.cli", "Write a report of a log to one HTML file."),
    "explain": ("logs.cli", "Describe a metric, or list all of them."),
    "generate": ("logs.cli", "Generate a log whose truth is known."),
}


@click.command(cls=Commands, commands=_LOGS_COMMANDS)
def logs_command() -> None:
    """Analyse search logs.

    LOG is a folder with files queries.* and events.*, the files themselves, a DuckDB file, or a
    connection string. Logs of OpenSearch (UBI), Algolia, Matomo, Snowplow and slow logs of
    Elasticsearch are read as they are, and any other by a mapping file.

    \b
    Examples:
      cleverdon logs generate week --events 100000
      cleverdon logs check week
      cleverdon logs metrics week
      cleverdon logs metrics week -m PageCTR -m Abandonment --by day
      cleverdon logs abtest week --control A
    """


*_OTHERS, _LAST, _OWN = formats()  # the last to be tried is Cleverdon's own


def _complete_format(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in formats() if name.startswith(incomplete)]


class ReadingOptions(Options, heading="Reading the log"):
    """The options by which a log is read: the keywords of `read_log`."""

    format: str | None = option(
        "FORMAT",
        f"The format of the log. One of {', '.join([_OWN, *_OTHERS])} or {_LAST}.  [default: "
        "detected by its columns]",
        flags="--log-format",
        shell_complete=_complete_format,
    )
    mapping: str | None = option(
        options.FILE, "A YAML or TOML file that says which column holds what."
    )
    timezone: str | None = option(
        "ZONE", "The time zone of times that have none, such as Europe/Berlin.  [default: UTC]"
    )
    queries: str | None = option(
        "TABLE", "The table of queries, if LOG is a database.", flags="--queries-table"
    )
    events: str | None = option(
        "TABLE", "The table of events, if LOG is a database.", flags="--events-table"
    )
    memory: str | None = option(
        "SIZE",
        "The memory that DuckDB may use before it writes to disk, such as 4GB.  [default: four "
        "fifths of the machine's]",
    )
    without_bots: bool = flag(
        "Exclude bots. Users who search faster or more evenly than people do, and never click."
    )

    def as_arguments(self) -> list[str]:
        """Return the options as words of a command line; `--without-bots` is left out."""
        words = []
        for name, one in ReadingOptions.fields.items():
            value = getattr(self, name)
            if isinstance(value, str) and isinstance(one, Declared):
                words += [*one.flags_of(name), value]
        return words


check_option = flag(
    "Look for errors in the rows that metrics use. As logs check does; they are reported next to "
    "the numbers.  [default: do]",
    flags="--check/--no-check",
    default=True,
)


def _section_option(names: str) -> Any:
    return option("HEADING", f"Print one table only. Also as csv and tsv: {names}.")


class LogOptions(Options):
    """LOG..., and how it is read: the options of every command on a log."""

    sources: tuple[str, ...] = argument(click.Path(), metavar="LOG...", nargs=-1, required=True)
    # Their names have a prefix, because commands have other options --format and time zones.
    reading: ReadingOptions = group(ReadingOptions, prefix="log_")

    def open_log(self, *, warn: bool = True) -> Log:
        """Read the log; with `warn`, report unusable rows on standard error."""
        from cleverdon.logs.reading.reader import read_log

        log = read_log(*self.sources, **vars(self.reading))
        if warn and log.aside:
            # A connection string may hold a password; the name of the log never does.
            named = [log.source if "://" in source else source for source in self.sources]
            check = shlex.join(["cleverdon", "logs", "check", *named, *self.reading.as_arguments()])
            say(f"cleverdon: {_unusable_rows_text(log)}; to see them: {check}")
        if log.without_bots is not None:
            say(f"cleverdon: {log.without_bots}")
        return log


def _unusable_rows_text(log: Log) -> str:
    def were(number: int) -> str:
        return "was" if number == 1 else "were"

    parts = []
    if log.set_aside:
        rows = counted(sum(log.rows.values()), "row")
        parts.append(f"{log.set_aside:,} of {rows} {were(log.set_aside)} set aside")
    if log.unknown:
        parts.append(f"{counted(log.unknown, 'value')} {were(log.unknown)} read as unknown")
    return ", and ".join(parts)


_DEFAULTS = Settings()


class _SettingsFields(Options, heading="Sessions and days"):
    sessions: str | None = option(
        click.Choice(get_args(Sessions)),
        "The rule for sessions. idle: a session ends when its user does nothing for a "
        "while; log: by the ids of the log.  [default: log if there are ids and --idle is not "
        "given, else idle]",
    )
    idle_minutes: float | None = option(
        Number(),
        f"The time without activity that ends a session.  [default: {IDLE_MINUTES:g}]",
        flags="--idle",
        metavar="MINUTES",
    )
    success: tuple[str, ...] = option(
        click.Choice(SIGNALS),
        "A sign of a successful session; repeat for more.  [default: each of them]",
        multiple=True,
    )
    dwell_seconds: float = option(
        Number(),
        "The time on a clicked document that makes it a success.",
        flags="--dwell",
        metavar="SECONDS",
        default=_DEFAULTS.dwell_seconds,
    )
    keystroke_seconds: float | None = option(
        Number(),
        "Count searches while a query is typed as one. Those that follow each other so soon.",
        flags="--keystrokes",
        metavar="SECONDS",
    )
    fold: bool = flag(
        "Ignore case and white space of queries.  [default: fold]",
        flags="--fold/--as-written",
        default=True,
    )
    stem: str | None = option(
        "LANGUAGE", "Compare queries by word stems of this language, such as english."
    )
    timezone: str = option(
        "ZONE",
        "The time zone of days, such as Europe/Berlin.",
        flags="--days-in",
        default=_DEFAULTS.timezone,
    )
    top: int = option(
        Count(1, 1_000_000),
        "The number of queries or links in a list.",
        metavar="N",
        default=_DEFAULTS.top,
    )
    least_users: int = option(
        COUNT,
        "List only queries of at least N users. Because a rare query may reveal who asked it, and "
        "links that at least N users saw.",
        metavar="N",
        default=_DEFAULTS.least_users,
    )
    percentiles: tuple[float, ...] = option(
        Number(),
        "A percentile of times to show; repeat for more.  [default: 50 90 95 99]",
        flags="--percentile",
        metavar="P",
        multiple=True,
    )


def _make_settings(**given: Any) -> Settings:
    return Settings(**{name: value for name, value in given.items() if value not in (None, ())})


class CountingOptions(Options):
    """The rules by which metrics count."""

    settings: Settings = group(_SettingsFields, _make_settings)


def _limit(help: str, default: float, metavar: str, *, flags: str = "") -> Any:
    kind = Count(min=0) if isinstance(default, int) else Number(min=0)
    return option(kind, help, flags=flags, metavar=metavar, default=default)


_LIMITS = Limits()


class _BotFields(Options, heading="Limits of findings"):
    searches_per_hour: int = _limit(
        "A user with more searches in an hour and no click counts as a bot.",
        _LIMITS.bots.searches_per_hour,
        "N",
        flags="--bot-hour",
    )
    searches_per_day: int = _limit(
        "The same in a day.", _LIMITS.bots.searches_per_day, "N", flags="--bot-day"
    )


class _LimitFields(Options, heading="Limits of findings"):
    session_searches: int = _limit(
        "The searches that a session may have.",
        _LIMITS.session_searches,
        "N",
        flags="--long-session",
    )
    skew_seconds: float = _limit(
        "The time that an event may come before its page.",
        float(_LIMITS.skew_seconds),
        "SECONDS",
        flags="--skew",
    )
    late_hours: float = _limit(
        "The time that an event may come after its page.",
        float(_LIMITS.late_hours),
        "HOURS",
        flags="--late",
    )
    examples: int = _limit("The rows to show of each finding.", _LIMITS.examples, "N")


class CheckOptions(LogOptions):
    """The options of `cleverdon logs check`."""

    bots: BotRules = group(_BotFields, BotRules)
    limits: Limits = group(_LimitFields, Limits)
    format_: str = options.formats("How to print.", ("text", *FORMATS))
    section: str | None = _section_option("findings or metrics")
    strict: bool = flag("Fail on warnings, too.")


@command(CheckOptions, name="check")
def check_command(given: CheckOptions) -> tuple[Diagnosis, int]:
    """Find errors in LOG, and list the metrics that it supports.

    Errors make metrics wrong; warnings are likely mistakes; notes are good to know. The exit code
    is 1 if there are errors, else 0.

    \b
    Examples:
      cleverdon logs check week
      cleverdon logs check ubi_queries.jsonl ubi_events.jsonl --strict
      cleverdon logs check visits.csv --mapping ours.yaml --format json
    """
    with bar("examining the log"):
        from cleverdon.logs.doctor.checks import examine

        diagnosis = examine(given.open_log(warn=False), replace(given.limits, bots=given.bots))
    return diagnosis, 0 if diagnosis.passes(strict=given.strict) else 1


class MetricsOptions(LogOptions, CountingOptions):
    """The options of `cleverdon logs metrics`."""

    metrics: tuple[str, ...] = option(
        "METRIC",
        "A metric, such as PageCTR; repeat for more.  [default: all that the log supports]",
        flags="-m --metric",
        multiple=True,
    )
    by: tuple[str, ...] = option(
        "NAME",
        "Split by day, by variant, or by a segment of the log; repeat for more.",
        multiple=True,
    )
    check: bool = check_option
    sql: bool = flag("Print the SQL queries instead of their results.")
    level: float = options.level("One minus the confidence of the intervals.")
    confidence: float | None = options.confidence_of_level
    format_: str = options.formats("How to print; csv and tsv hold the values, or the only list.")
    section: str | None = _section_option("values, or a list such as TopQueries")


@command(MetricsOptions, name="metrics")
def metrics_command(given: MetricsOptions) -> MetricResults | str:
    """Compute the metrics of LOG.

    \b
    Examples:
      cleverdon logs metrics week
      cleverdon logs metrics week -m PageCTR -m Abandonment --by day
      cleverdon logs metrics week -m "LinkCTR(doc=d17)" --by variant
      cleverdon logs metrics week -f csv --section TopQueries
      cleverdon logs metrics ubi_queries.jsonl ubi_events.jsonl --sql
    """
    with bar("reading the log"):
        from cleverdon.logs.compute import measure_log
        from cleverdon.logs.sql import script_text

        log = given.open_log()
        with bar("counting") as progress:
            results = measure_log(
                log,
                given.metrics or None,
                by=given.by,
                settings=given.settings,
                confidence=given.confidence or 1 - given.level,
                check=given.check and not given.sql,
                strict=bool(given.metrics) and not given.sql,
                progress=progress,
            )
    return script_text(results.sql) if given.sql else results


class ExplainOptions(Options):
    """The options of `cleverdon logs explain`."""

    name: str | None = argument(required=False)


@command(ExplainOptions, name="explain")
def explain_command(given: ExplainOptions) -> str:
    """Describe the metric NAME, or list all metrics.

    \b
    Examples:
      cleverdon logs explain
      cleverdon logs explain Abandonment
    """
    from cleverdon.logs.tables import explain_metric

    return explain_metric(given.name)


class ReportOptions(LogOptions, CountingOptions):
    """The options of `cleverdon logs report`."""

    output: Path = options.page_output("logs.html")
    as_json: bool = options.page_data
    title: str = options.page_title("What the search log says")
    control: str | None = option(
        "NAME",
        "The variant that the others are compared with.  [default: the one called control, "
        "baseline or A]",
    )
    primary: str | None = option(
        "METRIC",
        "The metric that decides in the A/B test; `all` makes one family of all.  [default: the "
        "first metric]",
    )
    check: bool = flag(
        "Look for errors in the log.  [default: do]", flags="--check/--no-check", default=True
    )
    level: float = options.level(
        "Significance in the A/B test, and one minus the confidence of intervals."
    )
    confidence: float | None = options.confidence_of_level


@command(ReportOptions, name="report")
def report_command(given: ReportOptions) -> str:
    """Write a report of LOG: numbers, time series, funnel, lists, latency, A/B test, and method.

    The report is one file that needs no network. It names no user: lists have only queries of
    several users, and links that several users saw.

    \b
    Examples:
      cleverdon logs report week
      cleverdon logs report week -o week.html --title "Week 46" --control A
      cleverdon logs report ubi_queries.jsonl ubi_events.jsonl --least-users 20 --data
    """
    output, data = given.output, given.output.with_suffix(".json")
    for file in (output, data) if given.as_json else (output,):
        options.check_output(file, *given.sources, given.reading.mapping)

    from cleverdon.charts.vega import bundling_in_background

    with bundling_in_background(), bar("reading the log") as progress:
        from cleverdon.logs.report.page import logs_report

        report = logs_report(
            given.open_log(),
            title=given.title,
            settings=given.settings,
            control=given.control,
            primary=given.primary,
            level=given.level,
            confidence=given.confidence,
            check=given.check,
            progress=progress,
        )
        with bar("drawing"):
            report.save(output)
            if given.as_json:
                report.save_json(data)
    size = output.stat().st_size / 1e6
    lines = [f"{output} is written: {size:.1f} MB; open it in a browser"]
    return "\n".join([*lines, f"{data} has the data"] if given.as_json else lines)


_SCALES = {"": 1, "K": 1_000, "M": 1_000_000, "G": 1_000_000_000}


def _parse_amount(ctx: click.Context, param: click.Parameter, value: str) -> int:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([KMG]?)", value.replace("_", "").upper())
    if match is None:
        raise click.BadParameter(f"{value!r} is not a number; write 500000, 500K or 10M")
    return round(float(match[1]) * _SCALES[match[2]])


def _share(help: str, default: float, *, flags: str = "") -> Any:
    return option(options.Number(0, 0.5), help, flags=flags, default=default)


class GenerateOptions(Options):
    """The options of `cleverdon logs generate`."""

    folder: Path = argument(click.Path(file_okay=False, path_type=Path))
    events: int = option(
        "N",
        "The approximate number of rows of both tables; K, M and G are understood.",
        callback=_parse_amount,
        default="1M",
    )
    seed: int = options.seed("log")
    days: int = option(options.Count(1, 366), "The number of days.", default=28)
    variants: bool = flag(
        "Simulate an A/B test. From half of the days on, users see variant A or B.",
        flags="--variants/--no-variants",
        default=True,
        show_default=True,
    )
    effect: float = option(
        options.Number(-1, 0.25), "The relative increase of clicks by variant B.", default=0.05
    )
    mismatch: float = _share("The share of the users of B that is missing.", 0.0)
    bots: float = _share("The share of users that are bots, which never click.", 0.0005)
    missing: float = _share(
        "The share of latencies and dwell times that is unknown.", 0.01, flags="--missing-share"
    )
    anonymous: float = _share("The share of users without an id.", 0.0)
    faults: float = _share(
        "The share of faulty rows. Of events that are repeated or have a wrong time, and of pages "
        "without impressions.",
        0.0,
    )
    keystrokes: bool = flag(
        "Add searches for queries that are still being typed.", flags="--with-keystrokes"
    )
    force: bool = flag("Overwrite a log that was generated in FOLDER.")


@command(GenerateOptions, name="generate")
def generate_command(given: GenerateOptions) -> None:
    """Generate a search log in FOLDER, for tests and benchmarks.

    FOLDER gets queries.parquet, events.parquet, and truth.json: the numbers that metrics must
    reproduce, such as the sessions with a click and the effect of the experiment. A folder with
    files named queries* or events* of another origin is never changed.

    \b
    Examples:
      cleverdon logs generate log
      cleverdon logs generate log --events 10M --seed 7 --force
      cleverdon logs generate broken --events 50K --faults 0.02 --mismatch 0.1
    """
    from cleverdon.logs.generator.writer import existing_files, generate_log

    options.check_output(given.folder)
    if (existing := existing_files(given.folder)) and not given.force:
        raise click.UsageError(
            f"{existing[0]} is there already; name another folder, or write into this one: --force"
        )
    recipe = {name: value for name, value in vars(given).items() if name != "force"}
    with bar("generating") as progress:
        truth = generate_log(progress=progress, **recipe)
    say(f"{given.folder}: {truth}")

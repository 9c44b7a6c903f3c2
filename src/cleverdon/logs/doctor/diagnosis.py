"""The diagnosis of a log: findings, supported metrics, and the limits that they depend on.

The command line imports this module for the defaults of `Limits`: no Ibis at import.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import wrap
from time import time
from typing import Any, Literal, get_args

from cleverdon._common.text import counted, printable
from cleverdon.errors import OptionError
from cleverdon.logs import calendar
from cleverdon.logs.bots import BotRules
from cleverdon.logs.log import COLUMN_MEANINGS, ExcludedBots
from cleverdon.tables.result import Result
from cleverdon.tables.sections import Section
from cleverdon.tables.table import TextTable

Severity = Literal["error", "warning", "note"]
"""An error makes metrics wrong, a warning is a likely mistake, a note is good to know."""
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
Verdict = Literal["yes", "partly", "no"]

ERROR_PREFIX = "The log has an error: "
"""The first words of a note on a number that cannot be trusted."""

EARLIEST_TIME = 946_684_800_000
"""The start of the year 2000; searches from before it have a wrong time."""

Row = Mapping[str, Any]
"""An example: a row of the log, or what was found about one."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The limits above which `examine` reports a finding.

    Attributes:
        skew_seconds: The time that an event may come before its page: clocks are never equal.
        late_hours: The time that an event may come after its page.
        idle_minutes: The time without a search after which a session has ended.
        session_searches: The searches that a session may have.
        user_share: The share of all searches that one user may have.
        text_length: The characters that a query may have.
        position: The deepest position that a user may reach.
        position_gap: The positions that may be missing between the results that a page has shown.
        latency_seconds: The longest time that a search may take.
        low_day: The share of the rows of the usual day that a day must have.
        least_rows: With fewer rows, constant columns and units of latency may be due to chance.
        least_a_day: With fewer rows a day, a day without any may be due to chance.
        least_p: Below this p-value, a change of the variants' shares is not due to chance.
        bots: The rules by which users are bots.
        now: The current time in milliseconds since 1970; by default the clock's.
        examples: The number of rows that each finding shows.

    >>> Limits(late_hours=48).late_ms
    172800000
    """

    skew_seconds: float = 1
    late_hours: float = 24
    idle_minutes: float = 30
    session_searches: int = 1000
    user_share: float = 0.1
    text_length: int = 500
    position: int = 10_000
    position_gap: int = 100
    latency_seconds: float = 600
    low_day: float = 0.25
    least_rows: int = 100
    least_a_day: int = 100
    least_p: float = 1e-4
    bots: BotRules = field(default_factory=BotRules)
    now: int | None = None
    examples: int = 3

    def __post_init__(self) -> None:
        for name in ("late_hours", "idle_minutes", "latency_seconds"):
            if not getattr(self, name) > 0:
                raise OptionError(f"{name}={getattr(self, name)}: it must be above 0")
        for name in ("session_searches", "text_length", "position", "position_gap"):
            if getattr(self, name) < 1:
                raise OptionError(f"{name}={getattr(self, name)}: it must be at least 1")
        for name in ("user_share", "low_day", "least_p"):
            if not 0 < getattr(self, name) <= 1:
                raise OptionError(f"{name}={getattr(self, name)}: it is a share, above 0")
        if self.skew_seconds < 0 or self.examples < 0:
            raise OptionError("skew_seconds and examples must be at least 0")

    @property
    def skew_ms(self) -> int:
        return round(self.skew_seconds * calendar.SECOND)

    @property
    def late_ms(self) -> int:
        return round(self.late_hours * calendar.HOUR)

    @property
    def idle_ms(self) -> int:
        return round(self.idle_minutes * calendar.MINUTE)

    @property
    def latest(self) -> int:
        """The latest possible time; clocks and zones may be off by a day."""
        return (round(time() * 1000) if self.now is None else self.now) + calendar.DAY


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Something that looks wrong: how often it was found, and what to do about it."""

    name: str
    severity: Severity
    what: str  # the finding in words
    count: int
    total: int | None  # the number of rows that were looked at
    noun: str  # the name of these rows: `clicks`, `searches`
    details: tuple[str, ...] = ()  # more about it, in sentences
    examples: tuple[Row, ...] = ()
    spoils: tuple[str, ...] = ()  # metrics that it makes untrustworthy
    remedy: str = ""

    @property
    def share(self) -> float | None:
        """The share of rows that are wrong; None without a total."""
        return self.count / self.total if self.total else None

    @property
    def sentence(self) -> str:
        """The finding with its count, as a note on a metric that it makes wrong."""
        number = f"{self.count:,}"
        if self.share is not None:
            number += f" of {self.total:,} {self.noun}, {self.share:.1%}"
        return f"{ERROR_PREFIX}{self.what}: {number} ({self.name}); see cleverdon logs check."


@dataclass(frozen=True, kw_only=True)
class Support:
    """The columns and actions that a metric needs, as far as the log has them."""

    metric: str
    verdict: Verdict
    missing: tuple[str, ...] = ()
    """Columns that the log does not have, or that are null in every row."""
    nulls: Mapping[str, float] = field(default_factory=dict)
    """Columns that are null in some rows, with the share of these rows."""
    stand_ins: Mapping[str, float] = field(default_factory=dict)
    """The substitutes for users, `session` or `client`, with their share of the rows."""
    lacks_actions: tuple[str, ...] = ()  # actions that the metric needs, and that never happened


@dataclass(frozen=True, kw_only=True)
class Size:
    searches: int
    users: int | None  # None if the log does not name users
    actions: Mapping[str, int]  # the number of events of each action, the most frequent first
    first: int | None  # the time of the first search, in milliseconds since 1970
    last: int | None

    @property
    def events(self) -> int:
        return sum(self.actions.values())


@dataclass(frozen=True, kw_only=True)
class Diagnosis(Result):
    """The diagnosis of a log, from `examine`: the metrics that it supports, and its errors.

    Attributes:
        source: The name of the log.
        format: Its format.
        size: The number of searches, users and events, and the first and last time.
        supports: The support of each metric.
        findings: Errors first, then warnings, then notes.
        skipped: Checks that were not made, and the columns that they need.
        notes: Assumptions of the reader.
        limits: The limits of the checks.
        without_bots: The bots that were left out before the checks.

    >>> from cleverdon.logs import examine
    >>> from cleverdon.logs.log import worked_log
    >>> diagnosis = examine(worked_log("ann 0:00 shoes shown@1 click@2\\n=")[0])
    >>> diagnosis.passes(), diagnosis.of("error")[0].name
    (False, 'clicks-without-impressions')
    """

    source: str
    format: str
    size: Size
    supports: tuple[Support, ...]
    findings: tuple[Finding, ...]
    skipped: Mapping[str, tuple[str, ...]]
    notes: tuple[str, ...]
    limits: Limits
    without_bots: ExcludedBots | None = None

    def of(self, severity: Severity) -> list[Finding]:
        return [finding for finding in self.findings if finding.severity == severity]

    def find(self, name: str) -> Finding | None:
        """Return the finding of that name, if there is one."""
        return next((finding for finding in self.findings if finding.name == name), None)

    def passes(self, *, strict: bool = False) -> bool:
        """Return True if there is no error, and with `strict` no warning either."""
        return not self.of("error") and not (strict and self.of("warning"))

    def to_text(self, section: str | None = None, **view: Any) -> str:
        if section is not None:
            return self.render("table", section=section, **view)
        every = len(self.supports)
        parts = [
            _size(self),
            _supports(self),
            [line for finding in self.findings for line in _finding(finding, every)],
            _skipped(self),
            [", ".join(counted(len(self.of(one)), one) for one in SEVERITIES)],
        ]
        return "\n\n".join("\n".join(part) for part in parts if part)

    def __str__(self) -> str:
        return self.to_text()

    def sections(self, *, exact: bool = False) -> Sequence[Section]:
        findings = [
            [
                one.severity,
                one.name,
                one.what,
                str(one.count),
                "" if one.total is None else str(one.total),
                "" if one.share is None else repr(one.share) if exact else _percent(one.share),
            ]
            for one in self.findings
        ]
        supports = [[one.metric, one.verdict, ", ".join(one.missing)] for one in self.supports]
        header = ["severity", "check", "finding", "count", "total", "share"]
        return [
            Section("findings", TextTable(header, findings, 3, [])),
            Section("metrics", TextTable(["metric", "supported", "missing"], supports, 3, [])),
        ]

    def to_dict(self) -> dict[str, Any]:
        record = super().to_dict()
        for finding, written in zip(self.findings, record["findings"], strict=True):
            written["share"] = finding.share
        record["size"]["events"] = self.size.events
        return record


_TIMES = ("time", "asked", "shown", "first", "last", "since")  # fields of examples that hold times
_LONGEST = 100  # the characters of a field that are shown


def _size(found: Diagnosis) -> list[str]:
    size = found.size
    by = "" if size.users is None else f" by {counted(size.users, 'user')}"
    ends = [_date(at) for at in (size.first, size.last) if at is not None]
    span = f", {ends[0]} to {ends[1]}" if ends else ""
    lines = [f"{printable(found.source)}: {_of(size.searches, 'searches')}{by}{span}"]
    actions = ", ".join(f"{count:,} {printable(str(name))}" for name, count in size.actions.items())
    lines.append(f"{counted(size.events, 'event')}{': ' if actions else ''}{actions}")
    if found.without_bots is not None:
        lines.append(str(found.without_bots))
    return [*lines, *(printable(note) for note in found.notes)]


def _date(at: int) -> str:
    try:
        return calendar.as_date(at // calendar.DAY)
    except OverflowError:  # beyond the year 9999, or before the year 1
        return str(at)


def _supports(found: Diagnosis) -> list[str]:
    full = [one.metric for one in found.supports if one.verdict == "yes"]
    lines = [f"The log supports {len(full)} of {len(found.supports)} metrics in full:"]
    lines += _listed(full)
    for title, verdict in (("In part:", "partly"), ("Not at all:", "no")):
        by_reason: dict[str, list[str]] = {}
        for one in found.supports:
            if one.verdict == verdict:
                by_reason.setdefault(_reason(one), []).append(one.metric)
        if by_reason:
            lines.append(title)
        for reason, metrics in by_reason.items():
            lines += [*_listed(metrics), *_indented(reason)]
    with_stand_ins = [one for one in found.supports if one.stand_ins and one.verdict != "no"]
    if with_stand_ins:
        shares = " and ".join(
            f"the {name} of {_percent(share)} of the searches"
            for name, share in with_stand_ins[0].stand_ins.items()
        )
        lines.append(f"If no user is named, {shares} stands for the user in:")
        lines += _listed([one.metric for one in with_stand_ins])
    return lines


def _reason(one: Support) -> str:
    lines = []
    for column in one.missing:
        lines.append(f"{column} is missing: {_column_meaning(column)}")
        lines.append(f"to have it, {_mapping_hint(column)}")
    lines += [f"there is no {action} in the log" for action in one.lacks_actions]
    if not lines:
        lines = [f"{column} is null for {_percent(share)}" for column, share in one.nulls.items()]
    return "\n".join(lines)


def _column_meaning(column: str) -> str:
    return COLUMN_MEANINGS.get(column.partition(".")[2], "a segment of the log's own")


def _mapping_hint(column: str) -> str:
    table, _, name = column.partition(".")
    return f"in a mapping file, below {table}: `{name}: COLUMN`"


def _finding(finding: Finding, metrics: int) -> Iterator[str]:
    yield f"{finding.severity}: {finding.what}{_count(finding)} ({finding.name})"
    yield from _indented("\n".join(finding.details))
    for example in finding.examples:
        yield f"    | {_example(example)}"
    if finding.spoils and finding.severity != "note":
        every = len(finding.spoils) == metrics
        yield f"    spoils {'every metric' if every else ', '.join(finding.spoils)}"
    yield f"    {finding.remedy}"


def _count(finding: Finding) -> str:
    if finding.total is None:
        return f": {_of(finding.count, finding.noun)}" if finding.count else ""
    share = "" if finding.share is None else f", {_percent(finding.share)}"
    return f": {finding.count:,} of {_of(finding.total, finding.noun)}{share}"


def _of(number: int, things: str) -> str:
    """Write a number of things that are named in the plural.

    >>> _of(1, "searches with a latency"), _of(2, "users")
    ('1 search with a latency', '2 users')
    """
    first, space, rest = things.partition(" ")
    one = first.removesuffix("es" if first.endswith("ches") else "s")
    return f"{number:,} {one if number == 1 else first}{space}{rest}"


def _percent(share: float) -> str:
    """Write a share in per cent; only 0 is shown as 0%, and only 1 as 100%.

    >>> _percent(0.25), _percent(1), _percent(0.00004), _percent(0.99999)
    ('25.0%', '100%', 'less than 0.1%', 'more than 99.9%')
    """
    if share in (0, 1):
        return f"{share:.0%}"
    text = f"{share:.1%}"
    return {"0.0%": "less than 0.1%", "100.0%": "more than 99.9%"}.get(text, text)


def _example(example: Row) -> str:
    if list(example) == ["row"]:
        return _cut(str(example["row"]))
    return "  ".join(
        f"{name}={_cut(_value(name, value))}"
        for name, value in example.items()
        if value is not None
    )


def _value(name: str, value: Any) -> str:
    if name in _TIMES and isinstance(value, int):
        try:
            return calendar.as_time(value)
        except (OverflowError, ValueError):
            return str(value)
    if isinstance(value, str):
        return value if value and not value.isspace() else repr(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _cut(text: str) -> str:
    text = printable(text)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _skipped(found: Diagnosis) -> list[str]:
    by_need: dict[tuple[str, ...], list[str]] = {}
    for name, columns in found.skipped.items():
        by_need.setdefault(columns, []).append(name)
    lines = ["Checks that were skipped:"] if by_need else []
    for columns, names in by_need.items():
        lines += [*_listed(names), *_indented(f"they need {', '.join(columns)}")]
    return lines


def _indented(text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield f"    {printable(line)}"


def _listed(names: list[str]) -> list[str]:
    lines = wrap(", ".join(names), 96, break_long_words=False, break_on_hyphens=False)
    return [f"  {line}" for line in lines]

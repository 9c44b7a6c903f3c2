"""Traffic of a log: how often queries are asked and fail, which are judged, which to judge next.

The engine that holds the log counts the queries. Judgments identify queries by ids, the log by
their texts. A *search* is one query that a user asked.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cleverdon._common.files import write_file
from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon.data import Judgments
from cleverdon.errors import InputError, OptionError, check_count
from cleverdon.formats.texts import read_texts
from cleverdon.logs.bridge.tables import candidates_table, coverage_table
from cleverdon.logs.log import LogSource
from cleverdon.logs.reading.reader import as_log
from cleverdon.logs.session_tables import SessionTables, build_session_tables
from cleverdon.logs.settings import Settings, text_normaliser
from cleverdon.logs.sql import row_number, upload, zero_or_one
from cleverdon.tables.result import Result, in_json
from cleverdon.tables.sections import Section
from cleverdon.tables.table import TextTable, render_table

if TYPE_CHECKING:
    from ibis import Table


_SIGNS = {"dwell": "long_clicks", "copy": "copies", "conversion": "conversions"}
"""The column of `SessionTables.queries` that counts each sign of success."""

_MILLION = 1_000_000


def signs_of_success(queries: Table, settings: Settings) -> Any:
    """Return the number of signs of success of each search, of the kinds in the settings."""
    return sum(queries[_SIGNS[sign]] for sign in settings.success)


def _found_nothing(asked: Table, settings: Settings) -> Any:
    return asked.found == 0


def _abandoned(asked: Table, settings: Settings) -> Any:
    idle = (asked.clicks == 0) & (asked.copies == 0) & (asked.conversions == 0)
    return idle & ((asked.found > 0) | asked.found.isnull())


def _reformulated(asked: Table, settings: Settings) -> Any:
    last = asked.query_number.max().over(group_by=["person", "session_number"])
    return (signs_of_success(asked, settings) == 0) & (asked.query_number < last)


class _Failure(NamedTuple):
    meaning: str
    needs: tuple[str, ...]  # columns of the log
    failed: Callable[[Table, Settings], Any]  # tells which searches failed in this way


_FAILURES: Mapping[str, _Failure] = {
    "zero_results": _Failure("nothing was found", ("queries.results",), _found_nothing),
    "abandoned": _Failure(
        "results were found, but nothing was clicked, copied or converted",
        ("events.action",),
        _abandoned,
    ),
    "reformulated": _Failure(
        "no sign of success, and another search followed in the session",
        ("events.action",),
        _reformulated,
    ),
}
"""The kinds of failure. An abandoned search may be reformulated as well; it fails once."""


@dataclass(frozen=True)
class TrafficTotals:
    """The totals of all searches of a log."""

    asked: int  # searches with a text
    texts: int  # different texts
    without_text: int  # searches with an empty or unknown text
    failing: int | None  # None if the log does not record failures
    failures: Mapping[str, int]  # by the kinds that the log records; a search may be in two


@dataclass(frozen=True, eq=False)
class Traffic:
    """A row for each text of a log, as an Ibis table, and their totals.

    >>> from cleverdon.logs.log import worked_log
    >>> found = count_traffic(worked_log("ann 0:00 hats\\n=")[0])
    >>> found.totals.texts, found.lines.columns[:3]
    (1, ('text', 'asked', 'users'))
    """

    tables: SessionTables
    lines: Table
    """text, asked, users, failing, a column for each kind of failure, and frequent (0 or 1)."""
    totals: TrafficTotals
    unknown: Mapping[str, tuple[str, ...]]
    """Kinds of failure that the log does not record, and the columns that are missing."""

    @property
    def kinds(self) -> list[str]:
        return [kind for kind in _FAILURES if kind not in self.unknown]


@shows_progress("reading the log")
def count_traffic(
    log: LogSource | SessionTables,
    settings: Settings | None = None,
    *,
    progress: Progress | bool | None = None,
) -> Traffic:
    """Count how often each query of a log was asked, by how many users, and how often it failed.

    Args:
        log: A log, files of one, or its session tables.
        settings: How to count; by default those of the session tables, or `Settings()`.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        A table with a row for each text, and totals.

    Raises:
        InputError: The log has no texts of queries.

    >>> from cleverdon.logs.log import worked_log
    >>> count_traffic(worked_log("ann 0:00 hats\\n=")[0]).totals.asked
    1
    """
    progress = as_callback(progress)
    if not isinstance(log, SessionTables):
        log = as_log(log)
    source = log.log if isinstance(log, SessionTables) else log
    source.need("which queries were asked", "queries.text")
    tables = (
        log
        if isinstance(log, SessionTables)
        else build_session_tables(log, settings, progress=progress)
    )
    import ibis  # slow to import

    unknown = _unknown(tables)
    asked = tables.asked
    failed = {
        kind: zero_or_one(failure.failed(asked, tables.settings))
        for kind, failure in _FAILURES.items()
        if kind not in unknown
    }
    if failed:
        asked = asked.mutate(**failed)
        flags = [asked[kind] for kind in failed]
        # Spark has no `greatest` of one column.
        asked = asked.mutate(failing=ibis.greatest(*flags) if len(flags) > 1 else flags[0])
    counts = ["failing", *failed] if failed else []
    lines = _lines(asked, counts, tables.settings).cache()
    everything = asked.count().to_pyarrow().as_py()
    return Traffic(tables, lines, _totals(lines, counts, everything), unknown)


def _unknown(tables: SessionTables) -> dict[str, tuple[str, ...]]:
    found = {}
    for kind, failure in _FAILURES.items():
        lacks = [column for column in failure.needs if not tables.log.has(column)]
        if kind == "reformulated" and not tables.knows_persons:
            lacks.append("queries.user")
        if lacks:
            found[kind] = tuple(lacks)
    return found


def _lines(asked: Table, counts: list[str], settings: Settings) -> Table:
    """Return a row for each text; `frequent` are those of the head, as in HeadTorsoTail."""
    import ibis  # slow to import

    asked = asked.filter(asked.text.notnull(), asked.text != "")
    lines = asked.group_by("text").agg(
        asked=asked.count(),
        users=asked.cluster.nunique(),
        **{name: asked[name].sum() for name in counts},
    )
    place = row_number(order_by=[ibis.desc("asked"), "text"])
    texts = lines.count().over(ibis.window())
    return lines.mutate(
        frequent=zero_or_one(place * _MILLION < texts * round(settings.head * _MILLION))
    )


def _totals(lines: Table, counts: list[str], everything: int) -> TrafficTotals:
    sums = {name: lines[name].sum().fill_null(0) for name in ("asked", *counts)}
    (row,) = lines.agg(texts=lines.count(), **sums).to_pyarrow().to_pylist()
    return TrafficTotals(
        asked=row["asked"],
        texts=row["texts"],
        without_text=everything - row["asked"],
        failing=row.get("failing"),
        failures={kind: row[kind] for kind in counts[1:]},
    )


@dataclass(frozen=True, eq=False)
class MatchedQueries:
    """Query ids with their texts, to be matched with the searches of a log.

    A query's form is its normalised text: see `cleverdon.logs.settings`.
    """

    texts: Mapping[str, str]  # by query, as they were given
    forms: Mapping[str, str]  # by query, normalised
    judged: tuple[str, ...]  # the queries with judgments, also those without a text
    source: str = ""

    @cached_property
    def judged_forms(self) -> dict[str, tuple[str, ...]]:
        """The judged queries of each form: usually one, several if texts are the same."""
        found: dict[str, tuple[str, ...]] = {}
        for query in self.judged:
            if form := self.forms.get(query):
                found[form] = (*found.get(form, ()), query)
        return found

    @property
    def shared(self) -> tuple[tuple[str, ...], ...]:
        """Judged queries with the same text, which a log cannot distinguish."""
        return tuple(queries for queries in self.judged_forms.values() if len(queries) > 1)

    @property
    def without_text(self) -> tuple[str, ...]:
        return tuple(query for query in self.judged if query not in self.forms)

    @cached_property
    def unjudged(self) -> dict[str, str]:
        """The forms of queries that have a text and no judgments, with the first such query."""
        judged = set(self.judged)
        found: dict[str, str] = {}
        for query, form in self.forms.items():
            if query not in judged:
                found.setdefault(form, query)
        return found


def match_queries(
    query_texts: Any, qrels: Any, *, settings: Settings | None = None
) -> MatchedQueries:
    """Match queries with judgments, and normalise their texts for comparison with a log.

    A query is judged if at least one document has a grade of 0 or higher: lower grades mean pooled,
    but not judged.

    Args:
        query_texts: The texts of queries, as `read_texts` takes them; of a TREC topic, the title.
        qrels: The judgments, as `evaluate` takes them.
        settings: How to normalise texts; by default `Settings()`.

    Returns:
        The texts of the queries, and the queries that are judged.

    Raises:
        InputError: There are no texts or judgments, or they have no id in common.

    >>> found = match_queries({"1": "Red shoes", "2": "hats"}, {"1": {"d1": 2}})
    >>> found.judged_forms, found.unjudged
    ({'red shoes': ('1',)}, {'hats': '2'})
    """
    judgments: Judgments = Judgments.read(qrels)
    judged = judgments.judged
    has_grade = judged.count(judged.grade >= 0) > 0
    ids = tuple(np.array(judged.queries, dtype=object)[has_grade])
    source = os.fspath(query_texts) if isinstance(query_texts, (str, os.PathLike)) else ""
    try:
        read = read_texts(query_texts, kind="queries")
        texts = {query: text.line for query, text in read.items()}
    except FileNotFoundError:  # said as of any other file
        raise InputError("there is no such file", source=source) from None
    if not ids:
        raise InputError("no document of any query is judged", source=judgments.source)
    if not texts:
        raise InputError("no query has a text", source=source)
    if texts.keys().isdisjoint(ids):
        raise InputError(
            f"the texts have no query id in common with the judgments: there is a text of "
            f"{next(iter(texts))!r}, and there are judgments of {ids[0]!r}",
            source=source,
        )
    normalise = text_normaliser(settings or Settings()) or str
    forms = {query: normalise(text) for query, text in texts.items()}
    return MatchedQueries(
        texts, {query: form for query, form in forms.items() if form}, ids, source
    )


@dataclass(frozen=True)
class QueryTraffic:
    """The traffic of one judged query."""

    query: str
    text: str  # empty if unknown
    asked: float  # queries with the same text share its traffic equally
    users: int
    failing: float | None  # searches that failed; None if the log does not record failures


@dataclass(frozen=True)
class Coverage(Result):
    """The judged queries with their traffic, the most frequent first.

    >>> from cleverdon.logs.log import worked_log
    >>> traffic = count_traffic(worked_log("ann 0:00 hats\\n=")[0])
    >>> found = measure_coverage(traffic, match_queries({"1": "hats"}, {"1": {"d1": 1}}))
    >>> found.covered, found.share
    (1, 1.0)
    """

    queries: tuple[QueryTraffic, ...]
    covered: int  # the number of searches for judged queries
    totals: TrafficTotals
    shared: tuple[tuple[str, ...], ...]  # queries with the same text, which share its traffic
    without_text: tuple[str, ...]  # judged queries without a text, whose traffic is unknown
    share: float | None  # of all searches, those for judged queries; None if no search has a text

    @property
    def asked(self) -> tuple[QueryTraffic, ...]:
        return tuple(query for query in self.queries if query.asked)

    @property
    def never_asked(self) -> tuple[QueryTraffic, ...]:
        return tuple(query for query in self.queries if not query.asked and query.text)

    @property
    def weights(self) -> dict[str, float]:
        """The number of searches for each judged query."""
        return {query.query: query.asked for query in self.queries}

    def sections(self, *, exact: bool = False, top: int | None = None) -> list[Section]:
        return [Section("coverage", coverage_table(self, exact=exact, top=top), titled=False)]


def measure_coverage(found: Traffic, queries: MatchedQueries) -> Coverage:
    """Count how often each judged query was asked.

    Judged queries with the same text share its searches equally, so every search counts once.
    Queries with equal counts stay in the order of the judgments.

    Args:
        found: The traffic of a log, from `count_traffic`.
        queries: The queries and which of them are judged, from `match_queries`.

    Returns:
        The judged queries with their traffic, and the share of all searches that they cover.

    Raises:
        InputError: No judged query has a text.

    >>> from cleverdon.logs.log import worked_log
    >>> traffic = count_traffic(worked_log("ann 0:00 Hats\\n=")[0])
    >>> measure_coverage(traffic, match_queries({"1": "hats"}, {"1": {"d1": 1}})).weights
    {'1': 1.0}
    """
    if not queries.judged_forms:
        raise InputError(
            f"none of the judged queries, such as {queries.judged[0]!r}, has a text",
            source=queries.source,
        )
    lines = found.lines.semi_join(upload_texts(found.lines, queries.judged_forms), "text")
    rows = {row["text"]: row for row in lines.to_pyarrow().to_pylist()}
    listed = []
    for query in queries.judged:
        form = queries.forms.get(query, "")
        text = queries.texts[query] if form else ""
        if row := rows.get(form):
            among = len(queries.judged_forms[form])
            failing = row["failing"] / among if found.kinds else None
            listed.append(QueryTraffic(query, text, row["asked"] / among, row["users"], failing))
        else:
            listed.append(QueryTraffic(query, text, 0, 0, 0 if found.kinds else None))
    covered = sum(row["asked"] for row in rows.values())
    return Coverage(
        queries=tuple(sorted(listed, key=lambda query: -query.asked)),
        covered=covered,
        totals=found.totals,
        shared=queries.shared,
        without_text=queries.without_text,
        share=covered / found.totals.asked if found.totals.asked else None,
    )


def upload_texts(table: Table, forms: Iterable[str]) -> Table:
    """Upload texts to the engine that holds a table of the log."""
    return upload(table.get_backend(), {"text": list(forms)})


WELL_ENOUGH = 0.1
"""The weight of a search that went well; one that failed has weight 1."""


@dataclass(frozen=True)
class Candidate:
    """A query without judgments, and the reasons to judge it."""

    query: str  # the id that was given with this text; or else one made from the text
    text: str
    asked: int
    users: int
    failing: int | None  # None if the log does not record failures
    failures: Mapping[str, int]  # by the kinds of `_FAILURES`
    priority: float
    reasons: tuple[str, ...]  # `frequent` if it is of the head; failures above the average


@dataclass(frozen=True)
class JudgingCandidates(Result):
    """The queries to judge next, the most important first.

    >>> from cleverdon.logs.log import worked_log
    >>> traffic = count_traffic(worked_log("ann 0:00 hats\\n=")[0])
    >>> found = judging_candidates(traffic, match_queries({"1": "shoes"}, {"1": {"d1": 1}}))
    >>> found.unjudged_texts, found.rare_texts, found.candidates
    (1, 1, ())
    """

    candidates: tuple[Candidate, ...]
    well: float
    least_users: int
    unjudged_texts: int  # different queries without judgments, and how often they were asked
    unjudged_asked: int
    rare_texts: int  # those of them with too few users to be listed, and how often they were asked
    rare_asked: int
    unknown: Mapping[str, tuple[str, ...]] = field(default_factory=dict, metadata=in_json(None))
    """Kinds of failure that the log does not record, and the columns that are missing."""
    stemmed: bool = field(default=False, metadata=in_json(None))
    """True if texts are compared and listed by the stems of their words."""

    @property
    def kinds(self) -> dict[str, str]:
        """The kinds of failure that the log records, with their meanings."""
        return {kind: one.meaning for kind, one in _FAILURES.items() if kind not in self.unknown}

    def sections(self, *, exact: bool = False) -> list[Section]:
        return [Section("to judge", candidates_table(self, exact=exact), titled=False)]


def judging_candidates(
    found: Traffic, queries: MatchedQueries, *, well: float = WELL_ENOUGH, top: int | None = None
) -> JudgingCandidates:
    """List the queries without judgments by priority.

    The priority of a query is how often it failed, plus a tenth (`well`) of how often it went well:
    failing queries come first, and frequent ones are not forgotten. If the log does not record
    failures, it is how often the query was asked. Ties are in the order of the texts. Only queries
    of at least `Settings.least_users` users are listed.

    Args:
        found: The traffic of a log, from `count_traffic`.
        queries: The queries and which of them are judged, from `match_queries`.
        well: The weight of a search that went well; one that failed has weight 1.
        top: The largest number of queries; by default `Settings.top`.

    Returns:
        The queries, and counts of those that are not listed.

    Raises:
        OptionError: `well` is not between 0 and 1, or `top` is below 1.

    >>> from cleverdon.logs.log import worked_log
    >>> pages = "\\n".join(f"user{i} 0:00 hats" for i in range(5))
    >>> traffic = count_traffic(worked_log(f"{pages}\\n=")[0])
    >>> queries = match_queries({"1": "shoes"}, {"1": {"d1": 1}})
    >>> judging_candidates(traffic, queries).candidates[0].text
    'hats'
    """
    if not 0 <= well <= 1:
        raise OptionError(f"well={well}: the weight of a search that went well is from 0 to 1")
    settings = found.tables.settings
    top = settings.top if top is None else check_count("top", top)
    import ibis  # slow to import

    lines = found.lines
    if queries.judged_forms:
        lines = lines.anti_join(upload_texts(lines, queries.judged_forms), "text")
    listed = lines.filter(lines.users >= settings.least_users)
    asked = listed.asked.cast("float64")
    priority = listed.failing + (asked - listed.failing) * well if found.kinds else asked
    rows = listed.mutate(priority=priority).order_by(ibis.desc("priority"), "text").limit(top)
    rare = lines.users < settings.least_users
    sums = lines.agg(
        unjudged_texts=lines.count(),
        unjudged_asked=lines.asked.sum().fill_null(0),
        rare_texts=lines.count(where=rare),
        rare_asked=lines.asked.sum(where=rare).fill_null(0),
    )
    (counts,) = sums.to_pyarrow().to_pylist()
    taken = {*queries.texts, *queries.judged}
    candidates = []
    for row in rows.to_pyarrow().to_pylist():
        query = queries.unjudged.get(row["text"]) or _make_query_id(row["text"], taken)
        taken.add(query)
        candidates.append(_candidate(query, row, found))
    return JudgingCandidates(
        tuple(candidates),
        well,
        settings.least_users,
        **counts,
        unknown=found.unknown,
        stemmed=bool(settings.stem),
    )


def _candidate(query: str, row: dict[str, Any], found: Traffic) -> Candidate:
    usual = found.totals.failures
    # The query's share of failures is above that of all searches; as whole numbers, to be exact.
    worse = [
        kind for kind in found.kinds if row[kind] * found.totals.asked > usual[kind] * row["asked"]
    ]
    return Candidate(
        query=query,
        text=row["text"],
        asked=row["asked"],
        users=row["users"],
        failing=row.get("failing"),
        failures={kind: row[kind] for kind in found.kinds},
        priority=row["priority"],
        reasons=tuple((["frequent"] if row["frequent"] else []) + worse),
    )


def _make_query_id(text: str, taken: Container[str] = ()) -> str:
    """Return an unused id that depends only on the query's text."""
    for size in range(4, 33):
        made = f"log-{blake2b(text.encode(), digest_size=size).hexdigest()}"
        if made not in taken:
            return made
    raise InputError(f"every id that could be made for {text!r} is taken by another query")


def write_queries(found: JudgingCandidates, path: str | os.PathLike[str]) -> int:
    """Write ids and texts, separated by tabs, with a header; return the number of queries."""
    rows = [[one.query, one.text] for one in found.candidates]
    text = render_table(TextTable(["id", "text"], rows, 2, []), "tsv")
    write_file(os.fspath(path), f"{text}\n".encode())
    return len(found.candidates)

"""One suite for every engine: the same numbers, to the last digit of a count.

DuckDB has many more logs in `test_observing.py`. PostgreSQL is skipped where none is installed.
ClickHouse and BigQuery have no server here: that each metric can be written in their SQL is all
that is tested of them.
"""

from __future__ import annotations

import gc
import os
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from math import ceil
from pathlib import Path
from typing import Any

import ibis
import numpy as np
import pytest

from cleverdon.logs.abtest.analysis import abtest
from cleverdon.logs.bots import without_bots
from cleverdon.logs.bridge.analysis import _metric_by_text
from cleverdon.logs.bridge.traffic import (
    count_traffic,
    judging_candidates,
    match_queries,
    measure_coverage,
)
from cleverdon.logs.clicks.result_lists import read_result_lists
from cleverdon.logs.compute import measure_log
from cleverdon.logs.doctor.checks import examine
from cleverdon.logs.generator.writer import _generate_tables
from cleverdon.logs.interleaving.credit import credit_log
from cleverdon.logs.interleaving.methods import TeamDraft
from cleverdon.logs.log import Log
from cleverdon.logs.metrics.base import metrics
from cleverdon.logs.plot_data import count_funnels, distributions, latency_series, search_series
from cleverdon.logs.session_tables import build_session_tables
from cleverdon.logs.settings import Settings
from tests.logs.agreement import check
from tests.logs.engines import as_log, postgres, spark
from tests.logs.reference import Reference
from tests.logs.test_compute import log_with_all

# Spark and pandas warn of each other.
pytestmark = pytest.mark.filterwarnings("ignore")

Suite = Callable[[Any, Path], None]
"""Takes a connection, and a folder for files."""


def generated_rows(**how: Any) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The generator's log, as records with times in whole milliseconds."""
    queries, events, _ = _generate_tables(**how)
    tables = []
    for table in (queries, events):
        rows = table.to_pylist()
        for row in rows:
            row["time"] = round(row["time"].timestamp() * 1000)
            row["client"] = None
        tables.append(rows)
    return tables[0], tables[1]


def odd() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """All that is unusual: nobody, no text, ties in time, clocks running behind, alphabets.

    Also ids that a user, a session and a client share, and an event that comes late.
    """
    queries = [
        {"query_id": "q1", "user": "a", "session": "s1", "time": 10, "text": "Ärger "},
        {"query_id": "q2", "user": "a", "session": "s1", "time": 10, "text": "ärger", "page": 2},
        {"query_id": "q3", "user": None, "session": "s2", "time": 20, "text": None, "results": 0},
        {"query_id": "q4", "user": "b", "session": None, "time": 30, "text": "猫", "results": 0},
        {"query_id": "q5", "user": "b", "time": 30 + 1_800_000, "text": "猫", "latency_ms": 0.1},
        {"query_id": "q6", "user": "b", "time": 30 + 3_600_001, "text": "", "latency_ms": 1e9},
        {"query_id": "q7", "user": "c", "time": 2_000_000_000, "text": "ab", "results": 3},
        {"query_id": "q8", "user": "c", "time": 2_000_000_500, "text": "abc", "results": 3},
        {"query_id": "q9", "client": "a", "time": 40, "text": "b"},
        {"query_id": "q10", "session": "a", "client": "a", "time": 50, "text": "b"},
        {"query_id": "q11", "time": 60, "text": "b"},
        {"query_id": "q12", "user": "d", "session": "s1", "time": 0, "text": "b"},
        {"query_id": "q13", "user": "d", "session": "s3", "time": 4_000_000, "text": "c"},
        {"query_id": "q14", "session": "s3", "time": 4_000_500, "text": "c"},
    ]
    events = [
        {"event_id": "1", "query_id": "q1", "time": 5, "action": "click", "position": 3},
        {"event_id": "2", "query_id": "q2", "time": 50, "action": "click", "dwell_ms": 30_000},
        {"event_id": "3", "query_id": "q4", "time": 99, "action": "copy"},
        {"event_id": "4", "query_id": None, "time": 99, "action": "click", "position": 1},
        {"event_id": "5", "query_id": "gone", "time": 99, "action": "click", "position": 1},
        {"event_id": "6", "query_id": "q5", "time": 1_800_040, "action": "impression"},
        {"event_id": "7", "query_id": "q5", "time": 1_800_040, "action": "hover"},
        {"event_id": "8", "query_id": "q12", "time": 600_000, "action": "impression"},
        {"event_id": "9", "query_id": "q12", "time": 3_900_000, "action": "conversion"},
    ]
    columns = ("user", "session", "client", "page", "results", "latency_ms", "variant")
    queries = [{**dict.fromkeys(columns), **query} for query in queries]
    columns = ("user", "session", "client", "doc", "position", "dwell_ms")
    return queries, [{**dict.fromkeys(columns), **event} for event in events]


def a_generated_log(engine: Any, folder: Path) -> None:
    log = generated_rows(events=1500, seed=1, anonymous=0.45)
    for minutes in (0.5, 5, 30, 120):
        check(as_log(engine, folder, *log), *log, least_users=2, idle_minutes=minutes)


def what_is_unusual(engine: Any, folder: Path) -> None:
    log = as_log(engine, folder, *odd())
    check(log, *odd(), least_users=1, keystroke_seconds=1.0)
    check(log, *odd(), least_users=1, sessions="idle")


def by_day_and_variant(engine: Any, folder: Path) -> None:
    """Against DuckDB, whose groups are tested elsewhere, in a zone whose clocks change."""
    queries, events = generated_rows(events=1000, seed=2)
    how: dict[str, Any] = {
        "wanted": ["PageCTR", "Abandonment", "QueryCTR", "Latency", "Users"],
        "by": ("day", "variant"),
        "settings": Settings(timezone="Europe/Berlin"),
    }
    found = measure_log(as_log(engine, folder, queries, events), **how)
    wanted = measure_log(log_with_all(queries, events), **how)
    assert found.groups == wanted.groups
    for one, other in zip(found.values, wanted.values, strict=True):
        assert (str(one.metric), one.group) == (str(other.metric), other.group)
        assert (one.denominator, one.users) == (other.denominator, other.users)
        assert one.value == pytest.approx(other.value, rel=1e-9)
        assert one.percentiles == other.percentiles


def on_both(engine: Any, folder: Path) -> tuple[Log, Log]:
    """A log with faults and bots on an engine, and on a DuckDB of its own."""
    made = generated_rows(events=1500, seed=5, faults=0.02, bots=0.01, effect=0.25)
    return as_log(engine, folder, *made), as_log(ibis.duckdb.connect(), folder, *made)


def the_doctor(engine: Any, folder: Path) -> None:
    both = on_both(engine, folder)
    here, there = (examine(log) for log in both)
    assert [(one.name, one.count) for one in here.findings] == [
        (one.name, one.count) for one in there.findings
    ]
    assert here.findings


def bots(engine: Any, folder: Path) -> None:
    both = on_both(engine, folder)
    here, there = (without_bots(log) for log in both)
    assert (here.users, here.rows) == (there.users, there.rows)


def an_ab_test(engine: Any, folder: Path) -> None:
    both = on_both(engine, folder)
    here, there = (abtest(log, ["PageCTR", "Abandonment"], guardrails=()) for log in both)
    assert asdict(here.participants) == asdict(there.participants)
    for one, other in zip(here.effects, there.effects, strict=True):
        assert one.difference == pytest.approx(other.difference, rel=1e-9)
        assert one.p == pytest.approx(other.p, rel=1e-6)


def result_lists_for_click_models(engine: Any, folder: Path) -> None:
    both = on_both(engine, folder)
    (here, used_here), (there, used_there) = (read_result_lists(log) for log in both)
    assert used_here == used_there
    assert np.array_equal(here.clicked, there.clicked)


def credit_of_interleaved_rankings(engine: Any, folder: Path) -> None:
    both = on_both(engine, folder)
    method = TeamDraft(seed=1)
    events = both[1].events.filter(both[1].events.action == "impression").to_pyarrow().to_pylist()
    pages: dict[str, list[str]] = {}
    for event in events:
        pages.setdefault(event["query_id"], []).append(event["doc"])
    records = [
        method.interleave(
            list(dict.fromkeys(docs)), list(dict.fromkeys(docs))[::-1], query_id=page
        ).record
        for page, docs in sorted(pages.items())[:30]
    ]
    here, there = (credit_log(log, records) for log in both)
    assert here == there


QUERIES = match_queries(
    {"1": "Bicycle", "2": "lamp", "3": "tent", "4": "kettle", "5": "nobody asks that"},
    {id: {"d": 1} for id in "1245"},
)


def _bridged(log: Log) -> dict[str, Any]:
    found = count_traffic(log, Settings(least_users=2, top=20))
    return {
        "totals": found.totals,
        "coverage": measure_coverage(found, QUERIES),
        "to_judge": judging_candidates(found, QUERIES),
        "QueryCTR": _metric_by_text(found.tables, "QueryCTR", QUERIES.judged_forms),
        "Success": _metric_by_text(found.tables, "Success", QUERIES.judged_forms),
        "ClickRank": _metric_by_text(found.tables, "ClickRank", QUERIES.judged_forms),
    }


def judgments_beside_traffic(engine: Any, folder: Path) -> None:
    queries, events = generated_rows(events=1000, seed=4)
    wanted = _bridged(log_with_all(queries, events))
    assert wanted["coverage"].weights["1"] > 0
    assert len(wanted["to_judge"].candidates) >= 3
    assert _bridged(as_log(engine, folder, queries, events)) == wanted


def _counted(log: Log) -> dict[str, Any]:
    tables = build_session_tables(log, Settings(timezone="Europe/Berlin"), split=("variant",))
    return {
        **{one.kind.name: one.bins for one in distributions(tables)},
        "hours": latency_series(tables, "hour").points,
        "days": latency_series(tables, "day").points,
        "funnels": count_funnels(tables) + count_funnels(tables, by="variant"),
    }


def what_the_report_draws(engine: Any, folder: Path) -> None:
    for made in (odd(), generated_rows(events=1000, days=3, seed=3)):
        wanted = _counted(as_log(ibis.duckdb.connect(), folder, *made))
        assert {"latency", "click_rank", "queries_per_session"} <= set(wanted)
        assert _counted(as_log(engine, folder, *made)) == wanted


def large() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Enough rows that products of their places do not fit into 32 bits.

    A million times the place of a text overflows above 2,147 texts, and a hundred thousand times
    the place of a value above 21,474 values in one group.
    """
    queries = [
        {
            "query_id": f"q{number}",
            "user": f"u{number}",
            "time": 1_790_000_000_000 + number,
            # The text with the number n is asked twice as often as the one with the number 2n.
            "text": f"text {int(5000 ** ((number * 7919 % _LARGE) / _LARGE)):04}",
            "latency_ms": float(number * 6007 % _LARGE),
            "results": number % 3,
            "variant": "A",
        }
        for number in range(_LARGE)
    ]
    return queries, [
        {"event_id": "e", "query_id": "q0", "time": 1_790_000_000_001, "action": "click"}
    ]


_LARGE = 25_000


def where_clocks_change(engine: Any, folder: Path) -> None:
    """Half an hour back on Lord Howe Island, 2026-04-04 15:00 UTC: half an hour comes twice."""
    change = 1_775_314_800_000
    queries, _ = odd()
    queries = [
        {**queries[0], "query_id": f"q{minute}", "time": change + minute * 60_000}
        for minute in range(-90, 90, 7)
    ]
    how = {"timezone": "Australia/Lord_Howe"}
    tables = build_session_tables(as_log(engine, folder, queries, []), Settings(**how))
    reference = Reference(queries, [], **how)
    peaks = measure_log(tables, ["QueriesPerTime"]).list("QueriesPerTime").rows
    assert {row["span"]: (row["peak"], row["peak_at"]) for row in peaks} == reference.peaks()
    hours = Counter(reference.span(query["time"], "hour") for query in queries)
    assert [point.searches for point in search_series(tables, "hour").points] == [*hours.values()]


def a_large_log(engine: Any, folder: Path) -> None:
    queries, events = large()
    tables = build_session_tables(as_log(engine, folder, queries, events), split=("variant",))
    results = measure_log(tables, ["HeadTorsoTail", "Latency"], by="variant")
    asked = Counter(query["text"] for query in queries)
    counts = sorted(asked.values(), reverse=True)
    head, torso = ceil(len(asked) * 0.01), ceil(len(asked) * 0.2)
    assert len(asked) > 2_147
    bands = {
        row["band"]: (row["texts"], row["count"]) for row in results.list("HeadTorsoTail").rows
    }
    assert bands == {
        "head": (head, sum(counts[:head])),
        "torso": (torso - head, sum(counts[head:torso])),
        "tail": (len(asked) - torso, sum(counts[torso:])),
    }
    found = results.value("Latency", "A").percentiles
    assert found == {f"p{p}": _LARGE * p // 100 - 1 for p in (50, 90, 95, 99)}
    lines = count_traffic(tables).lines
    assert lines.frequent.sum().to_pyarrow().as_py() == head


def a_large_log_without_ansi(spark: Any, folder: Path) -> None:
    """Spark raises no error then: a product that overflows is a wrong number."""
    session = spark._session
    before = session.conf.get("spark.sql.ansi.enabled")
    session.conf.set("spark.sql.ansi.enabled", "false")
    try:
        a_large_log(spark, folder)
    finally:
        session.conf.set("spark.sql.ansi.enabled", before)


METRICS: list[Suite] = [a_generated_log, what_is_unusual, by_day_and_variant, a_large_log]
SUITES: list[Suite] = [
    *METRICS,
    where_clocks_change,
    the_doctor,
    bots,
    an_ab_test,
    result_lists_for_click_models,
    credit_of_interleaved_rankings,
    judgments_beside_traffic,
    what_the_report_draws,
]


@pytest.mark.parametrize("suite", METRICS, ids=lambda suite: suite.__name__)
def test_on_duckdb(suite: Suite, tmp_path: Path) -> None:
    suite(ibis.duckdb.connect(), tmp_path)


# One test each, since they start a server, which takes longer than most of what they hold.


def test_on_spark(tmp_path: Path) -> None:
    """The odd log, one at a change of clocks, the large one; `make fuzz` runs all, in minutes."""
    everything = os.environ.get("HYPOTHESIS_PROFILE") == "fuzz"
    with spark() as connection:
        suites = SUITES if everything else [what_is_unusual, where_clocks_change, a_large_log]
        _all(connection, tmp_path, [*suites, a_large_log_without_ansi])


def test_on_postgres(tmp_path: Path) -> None:
    with postgres() as connection:
        _all(connection, tmp_path, SUITES)
        gc.collect()  # Ibis drops the tables that it cached once nobody has them


def _all(connection: Any, folder: Path, suites: list[Suite]) -> None:
    for suite in suites:
        try:
            suite(connection, folder)
        except Exception as error:
            error.add_note(f"in {suite.__name__}, on {connection.name}")
            raise


@pytest.mark.parametrize("dialect", ["clickhouse", "bigquery", "postgres", "pyspark", "duckdb"])
def test_every_question_can_be_written_in_the_sql_of(dialect: str) -> None:
    if dialect == "pyspark":
        assert ibis.pyspark, "its options are known once it is loaded"
    queries, events = odd()
    results = measure_log(log_with_all(queries, events), [cls.__name__ for cls in metrics()])
    assert not results.missing
    for name, table in results.asked.items():
        assert ibis.to_sql(table, dialect=dialect), name

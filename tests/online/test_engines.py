"""One suite for every engine: the same numbers, to the last digit of a count.

DuckDB runs it in `test_observing.py` on many more logs. PostgreSQL is skipped where none is
installed. ClickHouse and BigQuery have no server here: that each metric can be written in their SQL
is all that is tested of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ibis
import pytest

from cleverdon.online.generating import generated
from cleverdon.online.metrics import metrics
from cleverdon.online.observing import observe
from cleverdon.online.settings import Settings
from tests.online.agreement import check
from tests.online.engines import as_log
from tests.online.test_observing import log_with_all


# Spark and pandas warn of each other.
pytestmark = pytest.mark.filterwarnings("ignore")


def made_up(**how: Any) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The generator's log, as records with times in whole milliseconds."""
    queries, events, _ = generated(**how)
    tables = []
    for table in (queries, events):
        rows = table.to_pylist()
        for row in rows:
            row["time"] = round(row["time"].timestamp() * 1000)
        tables.append(rows)
    return tables[0], tables[1]


def odd() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """All that is unusual: nobody, no text, ties in time, clocks that run behind, other alphabets."""
    queries = [
        {"query_id": "q1", "user": "a", "session": "s1", "time": 10, "text": "Ärger "},
        {"query_id": "q2", "user": "a", "session": "s1", "time": 10, "text": "ärger", "page": 2},
        {"query_id": "q3", "user": None, "session": "s2", "time": 20, "text": None, "results": 0},
        {"query_id": "q4", "user": "b", "session": None, "time": 30, "text": "猫", "results": 0},
        {"query_id": "q5", "user": "b", "time": 30 + 1_800_000, "text": "猫", "latency_ms": 0.1},
        {"query_id": "q6", "user": "b", "time": 30 + 3_600_001, "text": "", "latency_ms": 1e9},
        {"query_id": "q7", "user": "c", "time": 2_000_000_000, "text": "ab", "results": 3},
        {"query_id": "q8", "user": "c", "time": 2_000_000_500, "text": "abc", "results": 3},
    ]
    events = [
        {"event_id": "1", "query_id": "q1", "time": 5, "action": "click", "position": 3},
        {"event_id": "2", "query_id": "q2", "time": 50, "action": "click", "dwell_ms": 30_000},
        {"event_id": "3", "query_id": "q4", "time": 99, "action": "copy"},
        {"event_id": "4", "query_id": None, "time": 99, "action": "click", "position": 1},
        {"event_id": "5", "query_id": "gone", "time": 99, "action": "click", "position": 1},
        {"event_id": "6", "query_id": "q5", "time": 1_800_040, "action": "impression"},
        {"event_id": "7", "query_id": "q5", "time": 1_800_040, "action": "hover"},
    ]
    columns = ("user", "session", "page", "results", "latency_ms", "variant")
    queries = [{**dict.fromkeys(columns), **query} for query in queries]
    columns = ("user", "session", "doc", "position", "dwell_ms")
    return queries, [{**dict.fromkeys(columns), **event} for event in events]


def test_a_generated_log(engine: Any, tmp_path: Path) -> None:
    log = made_up(events=1500, seed=1)
    check(as_log(engine, tmp_path, *log), *log, least_users=2)


def test_what_is_unusual(engine: Any, tmp_path: Path) -> None:
    check(as_log(engine, tmp_path, *odd()), *odd(), least_users=1, keystroke_seconds=1.0)


def test_split_by_day_and_variant(engine: Any, tmp_path: Path) -> None:
    """Against DuckDB, whose groups are tested elsewhere, in a zone whose clocks change."""
    queries, events = made_up(events=1000, seed=2)
    how: dict[str, Any] = {
        "wanted": ["PageCTR", "Abandonment", "QueryCTR", "Latency", "Users"],
        "by": ("day", "variant"),
        "settings": Settings(timezone="Europe/Berlin"),
    }
    found = observe(as_log(engine, tmp_path, queries, events), **how)
    wanted = observe(log_with_all(queries, events), **how)
    assert found.groups == wanted.groups
    for one, other in zip(found.values, wanted.values, strict=True):
        assert (str(one.metric), one.group) == (str(other.metric), other.group)
        assert (one.denominator, one.users) == (other.denominator, other.users)
        assert one.value == pytest.approx(other.value, rel=1e-9)
        assert one.percentiles == other.percentiles


@pytest.mark.parametrize("dialect", ["clickhouse", "bigquery", "postgres", "pyspark", "duckdb"])
def test_every_question_can_be_written_in_the_sql_of(dialect: str) -> None:
    queries, events = odd()
    observed = observe(log_with_all(queries, events), [cls.__name__ for cls in metrics()])
    assert not observed.missing
    for name, table in observed.asked.items():
        assert ibis.to_sql(table, dialect=dialect), name

"""Series, distributions and the funnel: the same counts on every engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ibis
import pytest

from cleverdon.online.distributions import distributions
from cleverdon.online.funnel import funnel, funnel_query
from cleverdon.online.series import latencies
from cleverdon.online.settings import Settings
from cleverdon.online.stages import Stages, staged
from tests.online.engines import as_log
from tests.online.test_engines import made_up, odd

# Spark and pandas warn of each other.
pytestmark = pytest.mark.filterwarnings("ignore")


def counts(stages: Stages) -> dict[str, Any]:
    found: dict[str, Any] = {one.kind.name: one.bins for one in distributions(stages)}
    for span in ("hour", "day"):
        found[span] = latencies(stages, span).points
    return found | {"all": funnel(stages), "split": funnel(stages, by="variant")}


@pytest.mark.parametrize("odder", [False, True])
def test_the_same_on_every_engine(engine: Any, tmp_path: Path, odder: bool) -> None:
    records = odd() if odder else made_up(events=1000, days=3, seed=3)
    settings = Settings(timezone="Europe/Berlin")
    found, wanted = (
        counts(staged(as_log(where, tmp_path, *records), settings, split=("variant",)))
        for where in (engine, ibis.duckdb.connect())
    )
    assert found == wanted
    assert set(found) >= {"latency", "click_rank", "queries_per_session"}


@pytest.mark.parametrize("dialect", ["clickhouse", "bigquery", "postgres", "pyspark", "duckdb"])
def test_every_question_can_be_written_in_the_sql_of(dialect: str, tmp_path: Path) -> None:
    log = as_log(ibis.duckdb.connect(), tmp_path, *odd())
    stages = staged(log, split=("variant",))
    asked = [one.asked for one in distributions(stages)]
    asked += [*latencies(stages).asked.values(), funnel_query(stages, by="variant")]
    for table in asked:
        assert ibis.to_sql(table, dialect=dialect)

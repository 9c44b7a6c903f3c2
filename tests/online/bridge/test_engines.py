"""The same on every engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cleverdon.online.bridge import by_text, coverage, known_topics, to_judge, traffic
from cleverdon.online.log import Log
from cleverdon.online.settings import Settings
from tests.online.engines import as_log
from tests.online.test_engines import made_up
from tests.online.test_observing import log_with_all

# Spark and pandas warn of each other.
pytestmark = pytest.mark.filterwarnings("ignore")

TOPICS = known_topics(
    {"1": "Bicycle", "2": "lamp", "3": "tent", "4": "kettle", "5": "nobody asks that"},
    {id: {"d": 1} for id in "1245"},
)


def told(log: Log) -> dict[str, Any]:
    found = traffic(log, Settings(least_users=2, top=20))
    return {
        "totals": found.totals,
        "coverage": coverage(found, TOPICS),
        "to_judge": to_judge(found, TOPICS),
        "QueryCTR": by_text(found.stages, "QueryCTR", TOPICS.judged_forms),
        "Success": by_text(found.stages, "Success", TOPICS.judged_forms),
        "ClickRank": by_text(found.stages, "ClickRank", TOPICS.judged_forms),
    }


def test_every_engine_says_what_duckdb_says(engine: Any, tmp_path: Path) -> None:
    queries, events = made_up(events=1000, seed=4)
    wanted = told(log_with_all(queries, events))
    assert wanted["coverage"].weights["1"] > 0
    assert len(wanted["to_judge"].candidates) >= 3
    assert told(as_log(engine, tmp_path, queries, events)) == wanted

"""The SQL that is printed can be run by hand, and gives the same numbers."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from cleverdon.logs.compute import measure_log
from cleverdon.logs.generator.writer import generate_log
from cleverdon.logs.reading.reader import read_log
from cleverdon.logs.settings import Settings


@pytest.mark.parametrize("fold", [True, False])
def test_it_runs_by_hand(tmp_path: Path, fold: bool) -> None:
    generate_log(tmp_path / "log", events=5000, seed=2)
    results = measure_log(read_log(tmp_path / "log"), settings=Settings(fold=fold, least_users=1))
    script = results.sql
    assert "ibis_" not in " ".join(script.values())
    engine = duckdb.connect()
    engine.execute("SET TimeZone = 'UTC'")
    answers = {name: engine.execute(text) for name, text in script.items() if "CREATE" in text}
    assert {"pages", "queries", "sessions"} <= answers.keys()
    pages = engine.execute(script["counts of pages"]).fetchone()
    wanted = [results.value(name).value for name in ("Users", "Pages")]
    assert pages is not None
    assert [pages[0], pages[1]] == wanted
    if not fold:
        assert pages[2] == results.value("DistinctQueries").value
    for name, text in script.items():
        if name not in answers:
            assert engine.execute(text).fetchall(), name


def test_it_is_the_same_each_time(tmp_path: Path) -> None:
    generate_log(tmp_path / "log", events=2000, seed=2)
    one, other = (measure_log(read_log(tmp_path / "log"), ["PageCTR"]).sql for _ in range(2))
    assert one == other

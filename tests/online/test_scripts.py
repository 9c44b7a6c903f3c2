"""The SQL that is printed can be run by hand, and gives the same numbers."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from cleverdon.online import Settings, observe, read_log
from cleverdon.online.generating import generate


@pytest.mark.parametrize("fold", [True, False])
def test_it_runs_by_hand(tmp_path: Path, fold: bool) -> None:
    generate(tmp_path / "log", events=5000, seed=2)
    observed = observe(read_log(tmp_path / "log"), settings=Settings(fold=fold, least_users=1))
    script = observed.sql
    assert "ibis_" not in " ".join(script.values())
    engine = duckdb.connect()
    engine.execute("SET TimeZone = 'UTC'")
    answers = {name: engine.execute(text) for name, text in script.items() if "CREATE" in text}
    assert {"pages", "queries", "sessions"} <= answers.keys()
    pages = engine.execute(script["counts of pages"]).fetchone()
    wanted = [observed.value(name).value for name in ("Users", "Pages")]
    assert pages is not None
    assert [pages[0], pages[1]] == wanted
    if not fold:
        assert pages[2] == observed.value("DistinctQueries").value
    for name, text in script.items():
        if name not in answers:
            assert engine.execute(text).fetchall(), name


def test_it_is_the_same_each_time(tmp_path: Path) -> None:
    generate(tmp_path / "log", events=2000, seed=2)
    one, other = (observe(read_log(tmp_path / "log"), ["PageCTR"]).sql for _ in range(2))
    assert one == other

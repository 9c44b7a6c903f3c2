"""The plots of benches: their rows are what was measured."""

from __future__ import annotations

import numpy as np
import pytest

from cleverdon.engines.load.bench import Bench
from cleverdon.engines.load.cold_cache import _compare_cold_warm
from cleverdon.engines.load.results import latencies
from cleverdon.engines.load.soak import _analyse_soak
from cleverdon.engines.load.versus import COMPARED_PERCENTILES, _compare_blocks
from cleverdon.engines.plots import plot_bench
from cleverdon.errors import OptionError
from tests.engines.load.fake_loads import made_load
from tests.engines.load.test_bench import TIMES, swept
from tests.engines.load.test_versus import made_pairs
from tests.plots.made import ODD, datasets, subtitle


def test_percentiles_rise_to_the_longest_time() -> None:
    load = made_load(np.random.default_rng(1).permutation(TIMES))
    found = datasets(plot_bench(Bench(ODD, load)))
    response = [row for row in found["times"] if row["line"] == "response time"]
    values = [row["ms"] for row in response]
    assert values == sorted(values)
    assert values[-1] == pytest.approx(1000 * load.response.max())
    at_p99 = max(row["ms"] for row in response if row["place"] <= 2)
    assert at_p99 == pytest.approx(1000 * latencies(load.response)["p99"].value, rel=0.01)
    assert {"p50", "p90", "p99"} <= {row["percentile"] for row in found["intervals"]}


def test_a_load_without_answers_has_no_plot() -> None:
    with pytest.raises(OptionError, match="no times to draw"):
        plot_bench(Bench("mine", made_load(TIMES, failed={"connection": 5000})))


def test_the_curve_of_a_sweep_has_its_limit_and_its_knee() -> None:
    chart = plot_bench(Bench(ODD, swept(0.01, 0.02, 0.3)))
    found = datasets(chart)
    assert len(found["times"]) == 9
    assert found["knee"][0]["label"] == "knee: 200/s"
    assert found["limit"] == [{"ms": 50.0, "label": "limit of p99: 50 ms"}]
    assert "The knee is at 200/s" in subtitle(chart)
    assert datasets(plot_bench(Bench("mine", swept(0.3))))["knee"] == []


def test_differences_are_filled_where_they_are_shown() -> None:
    found = _compare_blocks(("new", ODD), made_pairs(12, seed=1, slower=2.0), resamples=500)
    rows = datasets(plot_bench(Bench("new", found)))["differences"]
    assert [row["label"] for row in rows] == list(COMPARED_PERCENTILES)
    assert rows[0]["difference"] == pytest.approx(1000 * found.changes["p50"].difference)
    assert rows[0]["significant"]
    assert rows[0]["chance"].startswith("p ")
    few = datasets(
        plot_bench(
            Bench("new", _compare_blocks(("new", "old"), made_pairs(2, seed=1), resamples=9))
        )
    )
    assert [row["low"] for row in few["differences"]] == [None] * 3


def test_a_soak_has_a_panel_for_what_is_known() -> None:
    load = made_load(np.linspace(0.01, 0.06, 6000), seconds=3600.0)
    chart = plot_bench(Bench("mine", _analyse_soak(load, window=120.0)))
    found = datasets(chart)
    assert len(found["p99"]) == 30
    assert "memory" not in found
    assert "errors" not in found  # there are none
    start, end = found["p50 slope"]
    growth = (end["value"] - start["value"]) / (end["minutes"] - start["minutes"])
    assert growth == pytest.approx(50 / 60, rel=0.02)
    assert "p99 grows" in subtitle(chart)
    few = plot_bench(Bench("mine", _analyse_soak(load, window=1200.0, memory=((1.0, 5e6),))))
    assert "Too few windows" in subtitle(few)
    assert datasets(few)["memory"][0]["value"] == 5.0


def test_cold_and_warm_are_two_lines() -> None:
    warm = np.linspace(0.001, 0.01, 20)[None]
    bench = Bench(
        "mine", _compare_cold_warm([f"q{n}" for n in range(20)], 3 * warm, warm, emptied=True)
    )
    rows = datasets(plot_bench(bench))["times"]
    assert {row["line"] for row in rows} == {"cold", "warm"}
    assert max(row["ms"] for row in rows) == pytest.approx(30)

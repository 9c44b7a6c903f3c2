"""Distributions, the funnel, and head, torso and tail."""

from __future__ import annotations

import pytest

from cleverdon.errors import OptionError
from cleverdon.logs.compute import MetricList, measure_log
from cleverdon.logs.metrics.base import find_metric
from cleverdon.logs.plot_data import _DISTRIBUTIONS, Bin, Distribution, Funnel, FunnelStep
from cleverdon.logs.plot_data import _distribution as counted
from cleverdon.logs.plot_data import count_funnels as of_sessions
from cleverdon.logs.plots import bands, distribution, funnel
from tests.logs.plots.examples import ODD, tables
from tests.plots.made import datasets, subtitle


def made(name: str, *bins: tuple[float, float | None, int]) -> Distribution:
    return Distribution(_DISTRIBUTIONS[name], tuple(Bin(*one) for one in bins), None)


def test_times_have_both_ends() -> None:
    chart = distribution(made("latency", (0, 1, 2), (1, 1.25, 1), (1.25, 1.6, 1)))
    rows = datasets(chart)["bins"]
    assert [(row["from"], row["to"]) for row in rows] == [(0.8, 1), (1, 1.25), (1.25, 1.6)]
    assert [row["share"] for row in rows] == [0.5, 0.25, 0.25]
    assert rows[0]["label"] == "0 to 1"
    assert subtitle(chart) == "4 searches."


def test_the_last_bin_may_have_no_end() -> None:
    (row,) = datasets(distribution(made("dwell", (10_000, None, 3))))["bins"]
    assert (row["to"], row["label"]) == (12_500, "from 10000 on")
    (deep,) = datasets(distribution(made("click_rank", (21, None, 3))))["bins"]
    assert deep["label"] == "21+"


def test_counts_of_a_log() -> None:
    rows = datasets(distribution(counted(tables(), "click_rank")))["bins"]
    assert [(row["label"], row["count"]) for row in rows] == [("1", 2), ("2", 0), ("3", 2)]


def test_the_funnel_in_numbers() -> None:
    steps = (
        FunnelStep("sessions", 8),
        FunnelStep("with results", 6),
        FunnelStep("with a click", 3),
    )
    rows = datasets(funnel([Funnel(None, steps), Funnel(ODD, steps[:1])]))["steps"]
    assert [row["told"] for row in rows[:3]] == ["8", "6  75.0%", "3  37.5% (50.0%)"]
    assert [row["share"] for row in rows[:3]] == [1.0, 0.75, 0.375]
    assert [row["panel"] for row in rows[2:]] == ["all sessions", f"{ODD}: 8 sessions"]


def test_a_funnel_of_nothing() -> None:
    rows = datasets(
        funnel([Funnel(None, (FunnelStep("sessions", 0), FunnelStep("with results", 0)))])
    )["steps"]
    assert [(row["told"], row["share"]) for row in rows] == [("0", None), ("0", None)]


def test_the_funnel_of_a_log() -> None:
    split = of_sessions(tables(), by="variant")
    rows = datasets(funnel(split))["steps"]
    assert [row["sessions"] for row in rows if row["panel"].startswith("B")] == [4, 2, 2, 1]
    assert rows[-1]["panel"] == "(none): 2 sessions"


def test_bands_add_up_to_all() -> None:
    listed = MetricList(
        find_metric("HeadTorsoTail"),  # type: ignore[arg-type]
        [
            {"band": "head", "texts": 1, "count": 60, "share": 0.6},
            {"band": "torso", "texts": 19, "count": 35, "share": 0.35},
            {"band": "tail", "texts": 80, "count": 5, "share": 0.05},
        ],
    )
    rows = datasets(bands(listed))["bands"]
    assert [row["told"] for row in rows] == [
        "",
        "torso 19%",
        "tail 80%",
        "head 60%",
        "torso 35%",
        "",
    ]
    assert rows[2]["to"] == pytest.approx(1.0)
    assert rows[4]["from"] == rows[3]["to"] == pytest.approx(0.6)


def test_bands_of_a_log_and_of_another_list() -> None:
    results = measure_log(tables(), ["HeadTorsoTail", "TopQueries"])
    found = datasets(bands(results.list("HeadTorsoTail")))["bands"]
    assert sum(row["count"] for row in found if row["of"] == "all queries asked") == 12
    with pytest.raises(OptionError, match="not TopQueries"):
        bands(results.list("TopQueries"))

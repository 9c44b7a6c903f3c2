"""A metric day by day."""

from __future__ import annotations

from functools import cache

import pytest

from cleverdon.errors import OptionError
from cleverdon.logs.compute import MetricResults, measure_log
from cleverdon.logs.plots import axis_name, by_day, by_day_rows, lines_of
from tests.logs.plots.examples import DAY, MIDNIGHT, tables
from tests.plots.made import datasets, subtitle


@cache
def daily() -> MetricResults:
    return measure_log(tables(), ["Success", "Latency", "Pages"], by="day")


@cache
def split() -> MetricResults:
    return measure_log(tables(), ["Success", "Latency"], by=("variant", "day"))


def test_every_day_has_a_row_also_those_without_a_value() -> None:
    rows = by_day_rows(daily(), "success")["days"]
    assert [row["day"] for row in rows] == ["2026-01-01", "2026-01-02", "2026-01-03"]
    assert [row["at"] for row in rows] == [MIDNIGHT + day * DAY for day in range(3)]
    assert [row["value"] for row in rows] == [0.0, None, pytest.approx(100 / 3)]
    assert [row["shown"] for row in rows] == ["0.00%", "-", "33.33%"]
    assert rows[2]["of"] == "6 sessions"
    value = daily().value("Success", "2026-01-03")
    assert value.low is not None
    assert rows[2]["low"] == pytest.approx(100 * value.low)


def test_a_line_for_each_variant_and_none_for_those_without() -> None:
    assert lines_of(daily()) == ["all"]
    assert lines_of(split()) == ["A", "B"]
    rows = by_day_rows(split(), "Success")["days"]
    assert [(row["line"], row["day"][-1]) for row in rows] == [
        (line, day) for line in "AB" for day in "123"
    ]
    assert [row["value"] for row in rows if row["line"] == "B"] == [0.0, None, 50.0]


def test_percentiles_have_no_interval() -> None:
    rows = by_day_rows(daily(), "Latency", percentile="p50")["days"]
    assert [(row["value"], row["low"]) for row in rows] == [(102, None), (None, None), (102, None)]
    assert rows[0]["shown"] == "102.0 ms"
    means = by_day_rows(daily(), "Latency")["days"]
    assert means[0]["value"] == 102.5


def test_counts_are_drawn_as_they_are() -> None:
    assert [row["value"] for row in by_day_rows(daily(), "Pages")["days"]] == [6, None, 6]


def test_axes_have_units() -> None:
    names = [axis_name(value.metric) for value in daily().values if value.group[0][-1] == "1"]  # type: ignore[index]
    assert names == ["Success, %", "Latency, ms", "Pages"]


def test_charts() -> None:
    chart = by_day(split(), "Latency", percentile="p95")
    assert split().plot("Latency", percentile="p95").to_dict() == chart.to_dict()
    assert len(datasets(chart)["days"]) == 6
    assert chart.to_dict()["title"]["text"] == "Latency p95, ms by day"
    assert "Days in UTC" in subtitle(chart)
    datasets(by_day(daily(), "Success"))


def test_what_cannot_be_drawn() -> None:
    with pytest.raises(OptionError, match="by day"):
        by_day(measure_log(tables(), ["Success"]), "Success")
    with pytest.raises(OptionError, match="Dwell was not requested"):
        by_day(daily(), "Dwell")

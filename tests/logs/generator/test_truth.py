"""The metrics of a generated log are what the generator put into it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cleverdon.logs.compute import MetricResults, measure_log
from cleverdon.logs.generator.users import Counts
from cleverdon.logs.generator.writer import Truth, generate_log
from cleverdon.logs.reading.reader import read_log


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Truth]:
    folder = tmp_path_factory.mktemp("made")
    return folder, generate_log(folder, events=60_000, seed=3, keystrokes=False)


def parts(results: MetricResults, metric: str, *group: str) -> tuple[float | None, float | None]:
    value = results.value(metric, *group)
    return value.numerator, value.denominator


def check(results: MetricResults, truth: Counts, *group: str) -> None:
    """What both count."""
    assert parts(results, "ImpressionCTR", *group) == (truth.clicks, truth.impressions)
    assert parts(results, "PageCTR", *group) == (truth.pages_with_click, truth.pages)
    assert parts(results, "SessionCTR", *group) == (truth.sessions_with_click, truth.sessions)
    assert parts(results, "ZeroResults", *group)[0] == truth.zero_result_pages
    assert parts(results, "ClickRank", *group)[0] == truth.click_positions
    assert parts(results, "Dwell", *group) == (truth.dwell_ms / 1000, truth.dwells)
    assert parts(results, "Latency", *group)[1] == truth.latencies
    with_click, without = (parts(results, name, *group)[0] for name in _SUCCESSES)
    assert (with_click or 0) + (without or 0) == truth.successful_sessions
    assert results.value("Users", *group).value == truth.users
    assert results.value("Sessions", *group).value == truth.sessions


_SUCCESSES = ("Success", "GoodAbandonment")


def test_the_whole_log(made: tuple[Path, Truth]) -> None:
    folder, truth = made
    results = measure_log(read_log(folder))
    check(results, truth.total)
    assert results.value("DistinctQueries").value == truth.distinct_queries


def test_each_variant(made: tuple[Path, Truth]) -> None:
    folder, truth = made
    results = measure_log(read_log(folder), by="variant")
    for variant, counts in truth.variants.items():
        check(results, counts, variant)

"""The metrics of a generated log are what the generator put into it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cleverdon.online import observe, read_log
from cleverdon.online.generating import Counts, Truth, generate
from cleverdon.online.observing import Observed


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Truth]:
    folder = tmp_path_factory.mktemp("made")
    return folder, generate(folder, events=60_000, seed=3, keystrokes=False)


def parts(observed: Observed, metric: str, *group: str) -> tuple[float | None, float | None]:
    value = observed.value(metric, *group)
    return value.numerator, value.denominator


def check(observed: Observed, truth: Counts, *group: str) -> None:
    """What both count."""
    assert parts(observed, "ImpressionCTR", *group) == (truth.clicks, truth.impressions)
    assert parts(observed, "PageCTR", *group) == (truth.pages_with_click, truth.pages)
    assert parts(observed, "SessionCTR", *group) == (truth.sessions_with_click, truth.sessions)
    assert parts(observed, "ZeroResults", *group)[0] == truth.zero_result_pages
    assert parts(observed, "ClickRank", *group)[0] == truth.click_positions
    assert parts(observed, "Dwell", *group) == (truth.dwell_ms / 1000, truth.dwells)
    assert parts(observed, "Latency", *group)[1] == truth.latencies
    with_click, without = (parts(observed, name, *group)[0] for name in _SUCCESSES)
    assert (with_click or 0) + (without or 0) == truth.successful_sessions
    assert observed.value("Users", *group).value == truth.users
    assert observed.value("Sessions", *group).value == truth.sessions


_SUCCESSES = ("Success", "GoodAbandonment")


def test_the_whole_log(made: tuple[Path, Truth]) -> None:
    folder, truth = made
    observed = observe(read_log(folder))
    check(observed, truth.total)
    assert observed.value("DistinctQueries").value == truth.distinct_queries


def test_each_variant(made: tuple[Path, Truth]) -> None:
    folder, truth = made
    observed = observe(read_log(folder), by="variant")
    for variant, counts in truth.variants.items():
        check(observed, counts, variant)

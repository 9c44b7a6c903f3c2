"""Holds what an engine counts against the plain-Python reference: the same for every engine."""

from __future__ import annotations

from typing import Any

import pytest

from cleverdon.online.log import Log
from cleverdon.online.metrics.base import Ratio
from cleverdon.online.observing import Observed, observe
from cleverdon.online.settings import Settings
from tests.online.reference import Reference, delta_interval, percentile

EXACT = 1e-9
"""How far a ratio may be off, as a share of it: floating-point sums depend on their order."""


_OF_CLICKS = {
    "Abandonment",
    "GoodAbandonment",
    "Success",
    "SessionCTR",
    "ImpressionCTR",
    "PageCTR",
    "QueryCTR",
    "ClickRank",
    "ReciprocalClickRank",
    "TimeToClick",
    "Dwell",
    "TopAbandoned",
}


def check(
    log: Log, queries: list[dict[str, Any]], events: list[dict[str, Any]], **how: Any
) -> None:
    """Every metric of the whole log, against the reference."""
    observed = observe(log, settings=Settings(**how))
    reference = Reference(queries, events, **how)
    _check_ratios(observed, reference)
    if not any(page["clicks"] for page in reference.pages):
        # Then nobody knows whether clicks were logged.
        assert observed.missing.keys() == _OF_CLICKS
        return
    assert not observed.missing
    for name, count in reference.counts().items():
        assert observed.value(name).value == count, name
    for name in ("TopQueries", "TopZeroResults", "TopAbandoned"):
        rows = [(row["text"], row["count"], row["users"]) for row in observed.list(name).rows]
        assert rows == reference.top_list(name), name
    bands = {
        row["band"]: (row["texts"], row["count"]) for row in observed.list("HeadTorsoTail").rows
    }
    assert bands == reference.bands()
    peaks = {
        row["span"]: (row["peak"], row["peak_at"]) for row in observed.list("QueriesPerTime").rows
    }
    assert peaks == reference.peaks()
    spikes = observed.list("LatencySpikes").rows
    assert sum(row["minutes"] for row in spikes) == len(reference.spikes())
    assert {row["start"] for row in spikes} <= set(reference.spikes())
    groups = observed.list("LatencyByLoad").rows
    assert sum(row["minutes"] for row in groups) == len(reference.minutes())


def _check_ratios(observed: Observed, reference: Reference) -> None:
    ratios = reference.ratios()
    values = [value for value in observed.values if isinstance(value.metric, Ratio)]
    assert values
    for value in values:
        name = str(value.metric)
        parts = ratios[name]
        wanted = delta_interval(parts, share=value.metric.kind == "share")
        found = (value.value, value.low, value.high)
        for number, expected in zip(found, wanted, strict=True):
            if expected is None:
                assert number is None, name
            else:
                assert number == pytest.approx(expected, rel=EXACT, abs=1e-7), name
        assert value.denominator == sum(below for _, _, below in parts), name
        assert value.numerator == pytest.approx(sum(above for _, above, _ in parts)), name
        spread = reference.spreads().get(name, [])
        for percent in observed.stages.settings.percentiles if name in reference.spreads() else ():
            expected = percentile(spread, percent) if spread else None
            assert value.percentiles.get(f"p{percent:g}") == expected, name

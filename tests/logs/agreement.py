"""Holds what an engine counts against the plain-Python reference: the same for every engine."""

from __future__ import annotations

from typing import Any

import pytest
from statsmodels.stats.proportion import proportion_confint

from cleverdon.logs.compute import MetricResults, measure_log
from cleverdon.logs.log import Log
from cleverdon.logs.metrics.base import Count, Ratio, metrics
from cleverdon.logs.settings import Settings
from tests.logs.reference import Reference, delta_interval, percentile

EXACT = 1e-9
"""How far a ratio may be off, as a share of it: floating-point sums depend on their order."""
_OF_CLICKS = {cls.__name__ for cls in metrics() if "events.action" in cls.needs}
_COUNTS = {cls.__name__ for cls in metrics() if issubclass(cls, Count)}


def check(
    log: Log, queries: list[dict[str, Any]], events: list[dict[str, Any]], **how: Any
) -> None:
    """Every metric of the whole log, against the reference."""
    results = measure_log(log, settings=Settings(**how))
    reference = Reference(queries, events, **how)
    _check_ratios(results, reference)
    if not any(page["clicks"] for page in reference.pages):
        # Then nobody knows whether clicks were logged.
        assert results.missing.keys() == _OF_CLICKS
        return
    if not any(event["action"] == "impression" for event in events):
        assert results.missing == {"LinkCTR": ("events.impression",)}
    else:
        assert not results.missing
        _check_links(results, reference)
    assert reference.counts().keys() == _COUNTS
    for name, count in reference.counts().items():
        assert results.value(name).value == count, name
    for name in ("TopQueries", "TopZeroResults", "TopAbandoned"):
        rows = [(row["text"], row["count"], row["users"]) for row in results.list(name).rows]
        assert rows == reference.top_list(name), name
    bands = {
        row["band"]: (row["texts"], row["count"]) for row in results.list("HeadTorsoTail").rows
    }
    assert bands == reference.bands()
    peaks = {
        row["span"]: (row["peak"], row["peak_at"]) for row in results.list("QueriesPerTime").rows
    }
    assert peaks == reference.peaks()
    spikes = results.list("LatencySpikes").rows
    assert sum(row["minutes"] for row in spikes) == len(reference.spikes())
    assert {row["start"] for row in spikes} <= set(reference.spikes())
    groups = results.list("LatencyByLoad").rows
    assert sum(row["minutes"] for row in groups) == len(reference.minutes())


def _check_links(results: MetricResults, reference: Reference) -> None:
    rows = results.list("LinkCTR").rows
    expected = reference.links()
    assert [(row["doc"], row["users"], row["clicked"]) for row in rows] == expected
    for row in rows:
        assert row["share"] == row["clicked"] / row["users"]
        ends = proportion_confint(row["clicked"], row["users"], method="wilson")
        assert (row["low"], row["high"]) == pytest.approx(ends, abs=1e-9)


def _check_ratios(results: MetricResults, reference: Reference) -> None:
    ratios = reference.ratios()
    values = [value for value in results.values if isinstance(value.metric, Ratio)]
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
        for percent in results.tables.settings.percentiles if name in reference.spreads() else ():
            expected = percentile(spread, percent) if spread else None
            assert value.percentiles.get(f"p{percent:g}") == expected, name

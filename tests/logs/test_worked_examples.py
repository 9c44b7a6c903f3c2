"""Every metric's worked example comes out as its class says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cleverdon.logs.compute import measure_log
from cleverdon.logs.log import worked_log
from cleverdon.logs.metrics.base import Count, Listing, Metric, Ratio, metrics
from cleverdon.logs.settings import Settings


@pytest.mark.parametrize("cls", metrics(), ids=lambda cls: cls.__name__)
def test_worked_example(cls: type[Metric]) -> None:
    log, outcome = worked_log(cls.worked)
    log = replace(log, lacks=frozenset())
    found = measure_log(log, [cls()], settings=Settings(least_users=1))
    if issubclass(cls, Listing):
        rows = found.lists[0].rows
        names = list(cls.columns)
        number = "peak" if "peak" in names else "count"
        if cls.share_of is None:
            shown = ", ".join(f"{row[names[0]]} {row[number]}" for row in rows) or "undefined"
        else:
            above, below = cls.share_of
            shown = ", ".join(f"{row[names[0]]} {row[above]} / {row[below]}" for row in rows)
        assert shown == outcome
        return
    value = found.value(cls.__name__)
    if issubclass(cls, Ratio):
        above, below = map(float, outcome.split("/"))
        assert (value.numerator, value.denominator) == (above, below)
        assert value.value == above / below
    if issubclass(cls, Count):
        assert value.value == int(outcome)


@pytest.mark.parametrize("cls", metrics(), ids=lambda cls: cls.__name__)
def test_a_metric_says_what_it_is(cls: type[Metric]) -> None:
    assert cls.__doc__
    assert cls.formula
    assert cls.worked
    if issubclass(cls, Ratio):
        assert cls.counted
        assert cls.over
        assert cls.undefined
        assert cls.source

"""What is said below the values of a log."""

from __future__ import annotations

import pytest

from cleverdon.logs.log import Log, UnusableRows
from cleverdon.logs.tables import about_rows

GONE = UnusableRows("queries", "no time", 1)
ODD = UnusableRows("events", "position below 1: read as unknown", 2, kept=True)


@pytest.mark.parametrize(
    ("aside", "told"),
    [
        ((), []),
        ((GONE,), ["1 row was set aside, and is not counted."]),
        ((GONE, GONE), ["2 rows were set aside, and are not counted."]),
        ((ODD,), ["2 values are impossible and were read as unknown."]),
        (
            (GONE, ODD),
            [
                "1 row was set aside, and is not counted.",
                "2 values are impossible and were read as unknown.",
            ],
        ),
    ],
)
def test_rows_that_are_gone_and_values_that_are_not_known(
    aside: tuple[UnusableRows, ...], told: list[str]
) -> None:
    log = Log(None, None, aside=aside)  # type: ignore[arg-type] # no table is looked at
    assert about_rows(log) == told

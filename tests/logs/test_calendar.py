"""Time zones and months, as numbers."""

from __future__ import annotations

import pytest

from cleverdon.errors import OptionError
from cleverdon.logs.calendar import DAY, _utc_offsets, as_date, find_time_zone, months


def test_offsets_change_with_the_clocks() -> None:
    found = _utc_offsets("Europe/Berlin", 1774700000000, 1774800000000)
    assert found == [(1774700000000, 3600000), (1774746000000, 7200000)]


def test_months_start_on_their_first_day() -> None:
    starts = [as_date(start // DAY) for start in months(1796000000000, 1799000000000)]
    assert starts == ["2026-11-01", "2026-12-01", "2027-01-01"]


def test_a_time_zone_that_does_not_exist() -> None:
    with pytest.raises(OptionError, match="did you mean 'Europe/Berlin'"):
        find_time_zone("Europe/Berln")

"""Limits that make no sense are refused."""

from __future__ import annotations

from typing import Any

import pytest

from cleverdon.errors import OptionError
from cleverdon.logs.bots import BotRules
from cleverdon.logs.doctor.diagnosis import Limits


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"late_hours": 0}, "late_hours=0: it must be above 0"),
        ({"session_searches": 0}, "session_searches=0: it must be at least 1"),
        ({"user_share": 1.5}, "user_share=1.5: it is a share"),
        ({"skew_seconds": -1}, "must be at least 0"),
    ],
)
def test_limits(limits: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Limits(**limits)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"searches_per_hour": 0}, "searches_per_hour=0: it must be at least 1"),
        ({"regular_spread": 1}, "regular_spread=1: it is from 0 to below 1"),
    ],
)
def test_rules(rules: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        BotRules(**rules)


def test_the_future_begins_a_day_from_now() -> None:
    assert Limits(now=0).latest == 86_400_000
    assert Limits().latest > 1_780_000_000_000

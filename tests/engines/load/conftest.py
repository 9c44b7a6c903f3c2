"""What tests of loads share."""

from __future__ import annotations

import pytest

from tests.engines.load.fake_clock import use_made_time


@pytest.fixture
def made_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loads go by a clock that does not wait."""
    use_made_time(monkeypatch)

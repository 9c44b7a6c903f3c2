"""A clock for loads that only moves when all wait: hours pass at once, and every time is exact.

Nothing else is made up: requests are sent, timed and given up by the code that always does it. On
a machine however busy, a test with it sees the same times.
"""

from __future__ import annotations

import asyncio
import selectors

import pytest

from cleverdon.engines import client
from cleverdon.engines.load import cold_cache, sender

_TURN = 1e-9
"""Seconds that each turn of the loop takes: who is a rounding too early has to come again."""


class MadeTime(selectors.DefaultSelector):  # type: ignore[misc, valid-type, unused-ignore]
    """What an event loop waits with; where nothing has come, it is at once as late as need be."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """What has come. Without a time-out somebody in another thread is waited for."""
        if timeout is None:
            return super().select()
        found = super().select(0)
        MadeTime.now += _TURN if found else max(_TURN, timeout)
        return found


class _Loop(asyncio.SelectorEventLoop):
    def time(self) -> float:
        return MadeTime.now


def use_made_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let loads go by that clock."""
    monkeypatch.setattr(MadeTime, "now", 0.0)
    monkeypatch.setattr(client, "_exact_loop", lambda: _Loop(MadeTime()))
    for module in (cold_cache, sender):
        monkeypatch.setattr(module, "perf_counter", lambda: MadeTime.now)
    monkeypatch.setattr(sender, "process_time", lambda: 0.0)

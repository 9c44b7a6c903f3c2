"""What a made-up log is to be like."""

from __future__ import annotations

from dataclasses import dataclass

from cleverdon.errors import OptionError

MOST_EVENTS = 1_000_000_000
MOST_EFFECT = 0.25
"""With a larger one, the most attractive results would be clicked more often than always."""


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """All that a made-up log depends on: the same recipe gives the same rows."""

    events: int = 1_000_000
    """About how many rows the two tables have together."""
    seed: int = 0
    days: int = 28
    """How many days the log spans; it begins on a Monday."""
    variants: bool = True
    """Whether there is an experiment: from half of the days on, every user sees A or B."""
    effect: float = 0.05
    """By what share B raises the chance that a result is clicked."""
    mismatch: float = 0.0
    """What share of the users that B should have had is missing."""
    bots: float = 0.0005
    """What share of the users are programs, which ask a lot and click nothing."""
    missing: float = 0.01
    """What share of pages has no latency, and of clicks no dwell time."""
    anonymous: float = 0.0
    """What share of the users has no id."""
    keystrokes: bool = False
    """Whether what was typed so far is searched for while a query is typed."""
    faults: float = 0.0
    """What share of events is there twice, of events has a wrong time, of pages lost its
    impressions."""

    def __post_init__(self) -> None:
        _check("events", self.events, 1, MOST_EVENTS)
        _check("days", self.days, 1, 366)
        _check("effect", self.effect, -1, MOST_EFFECT)
        for name in ("mismatch", "bots", "missing", "anonymous", "faults"):
            _check(name, getattr(self, name), 0, 0.5)
        if self.seed < 0:
            raise OptionError(f"seed={self.seed}: a seed is a whole number from 0 on")


def _check(name: str, value: float, lowest: float, highest: float) -> None:
    if not lowest <= value <= highest:
        raise OptionError(f"{name}={value}: it can be from {lowest:,} to {highest:,}")

"""From where on something in a log looks wrong; what was found is printed with them."""

from __future__ import annotations

from dataclasses import dataclass, field

from cleverdon.errors import OptionError
from cleverdon.online import days
from cleverdon.online.bots import BotRules

EARLIEST = 946_684_800_000
"""The year 2000 began then; searches from before it have a wrong time."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What is still taken for the doing of users and engines in their right minds."""

    skew_seconds: float = 1
    """By how much an event may come before its page: clocks are never quite together."""
    late_hours: float = 24
    """How long after its page an event may come."""
    idle_minutes: float = 30
    """After how long without a search a session has ended."""
    session_searches: int = 1000
    """How many searches a session may have."""
    user_share: float = 0.1
    """What share of all searches one user may have."""
    text_length: int = 500
    """How many characters a query may have."""
    position: int = 10_000
    """How deep in the results anybody goes."""
    position_gap: int = 100
    """How many positions may be missing between the results that a page has shown."""
    latency_seconds: float = 600
    """How long a search may take."""
    low_day: float = 0.25
    """What share of the rows of the usual day a day must have."""
    least_rows: int = 100
    """With fewer rows, constant columns and units of latency are a matter of chance."""
    least_a_day: int = 100
    """With fewer rows a day, a day without any is a matter of chance."""
    least_p: float = 1e-4
    """Below this p-value, it is not by chance that variants' shares change."""
    bots: BotRules = field(default_factory=BotRules)
    now: int | None = None
    """What time it is, in milliseconds since 1970; the clock is asked where it is not given."""
    examples: int = 3
    """How many rows are shown of each thing that was found."""

    def __post_init__(self) -> None:
        for name in ("late_hours", "idle_minutes", "latency_seconds"):
            if not getattr(self, name) > 0:
                raise OptionError(f"{name}={getattr(self, name)}: it must be above 0")
        for name in ("session_searches", "text_length", "position", "position_gap"):
            if getattr(self, name) < 1:
                raise OptionError(f"{name}={getattr(self, name)}: it must be at least 1")
        for name in ("user_share", "low_day", "least_p"):
            if not 0 < getattr(self, name) <= 1:
                raise OptionError(f"{name}={getattr(self, name)}: it is a share, above 0")
        if self.skew_seconds < 0 or self.examples < 0:
            raise OptionError("skew_seconds and examples must be at least 0")

    @property
    def skew_ms(self) -> int:
        return round(self.skew_seconds * days.SECOND)

    @property
    def late_ms(self) -> int:
        return round(self.late_hours * days.HOUR)

    @property
    def idle_ms(self) -> int:
        return round(self.idle_minutes * days.MINUTE)

    @property
    def latest(self) -> int:
        """Times after this are of the future; a day is granted to clocks and zones."""
        from time import time

        return (round(time() * 1000) if self.now is None else self.now) + days.DAY

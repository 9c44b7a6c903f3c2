"""The choices on which online metrics depend; results record them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

from cleverdon.errors import OptionError, check_word

if TYPE_CHECKING:
    from cleverdon.online.log import Log

Sessions = Literal["idle", "log"]
Signal = Literal["dwell", "copy", "conversion"]
SIGNALS: tuple[Signal, ...] = get_args(Signal)


_TIMES = {
    "idle_minutes": "--idle",
    "dwell_seconds": "--dwell",
    "keystroke_seconds": "--keystrokes",
}
_LONGEST = 1_000_000
IDLE_MINUTES = 30.0


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a log is read: where sessions end, what success is, which texts are the same query.

    >>> Settings(idle_minutes=20).idle_ms
    1200000
    """

    sessions: Sessions | None = None
    """`idle`: a session ends where its user does nothing for a while; `log`: the log's own ids.

    By default the log's own ids, if it has them and `idle_minutes` is not given; else `idle`."""
    idle_minutes: float | None = None
    """How long a user does nothing before a session has ended; 30, unless given."""
    success: tuple[Signal, ...] = SIGNALS
    """What makes a session a success, each on its own."""
    dwell_seconds: float = 30
    """A clicked document that is looked at for so long was worth the click."""
    keystroke_seconds: float | None = None
    """Searches made while typing, each so soon after the other, count as the last of them."""
    fold: bool = True
    """Texts that differ in case, white space or Unicode forms are the same query."""
    stem: str | None = None
    """The language in which words are cut down to their stems before they are compared."""
    timezone: str = "UTC"
    """In which days begin and end."""
    top: int = 10
    """How many queries a list has."""
    least_users: int = 5
    """Queries of fewer users are in no list, since a rare query may give away who asked it."""
    percentiles: tuple[float, ...] = (50, 90, 95, 99)
    head: float = 0.01
    """The most frequent queries that are the head, as a share of all different queries."""
    torso: float = 0.19
    """Those that follow; all others are the tail."""

    def __post_init__(self) -> None:
        if self.sessions is not None:
            check_word("sessions", self.sessions, get_args(Sessions))
        for signal in self.success:
            check_word("success", signal, SIGNALS)
        if not self.success:
            raise OptionError(f"success needs at least one of {', '.join(SIGNALS)}")
        for name, option in _TIMES.items():
            value = getattr(self, name)
            if value is not None and not 0 < value <= _LONGEST:
                raise OptionError(
                    f"{name}={value:g} ({option}): it must be above 0, and at most {_LONGEST:,}"
                )
        if not 1 <= self.top <= _LONGEST:
            raise OptionError(f"top={self.top}: a list has 1 to {_LONGEST:,} queries")
        if self.least_users < 1:
            raise OptionError(f"least_users={self.least_users}: every query has at least one user")
        if not self.percentiles:
            raise OptionError("percentiles: at least one is needed")
        for percentile in self.percentiles:
            if not 0 < percentile <= 100:
                raise OptionError(
                    f"percentiles={percentile}: a percentile lies above 0, and is at most 100"
                )
        if not 0 < self.head < self.head + self.torso < 1:
            raise OptionError(
                f"head={self.head}, torso={self.torso}: they are shares of all different queries, "
                "above 0, and leave some to the tail"
            )

    def for_log(self, log: Log) -> Settings:
        """The same with nothing left open: what makes the sessions of this log."""
        own = log.has("queries.session") and self.idle_minutes is None
        minutes = IDLE_MINUTES if self.idle_minutes is None else self.idle_minutes
        return replace(
            self, sessions=self.sessions or ("log" if own else "idle"), idle_minutes=minutes
        )

    @property
    def idle_ms(self) -> int:
        return round((self.idle_minutes or IDLE_MINUTES) * 60_000)

    @property
    def dwell_ms(self) -> int:
        return round(self.dwell_seconds * 1000)

    @property
    def keystroke_ms(self) -> int | None:
        return None if self.keystroke_seconds is None else round(self.keystroke_seconds * 1000)

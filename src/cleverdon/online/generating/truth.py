"""What is known of a made-up log, because it was put in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Self

from cleverdon.online.generating.recipe import Recipe

SUCCESS_DWELL = 30_000
"""From so many milliseconds on a document is taken to have been of use."""


@dataclass(frozen=True)
class _Added:
    """Numbers of parts of a log, which add up to those of the whole."""

    def __add__(self, other: Self) -> Self:
        names = [one.name for one in fields(self)]
        return replace(self, **{x: getattr(self, x) + getattr(other, x) for x in names})


@dataclass(frozen=True, kw_only=True)
class Counts(_Added):
    """How often things are in a log, or in a part of it: any metric must find just these numbers.

    They are of the log before faults were put in.
    """

    users: int = 0
    """With an id or without."""
    sessions: int = 0
    pages: int = 0
    """Rows of queries, without keystrokes."""
    keystrokes: int = 0
    """Rows of queries that are a query while it was typed."""
    zero_result_pages: int = 0
    """Keystrokes aside, as in all that follows."""
    later_pages: int = 0
    """Pages from the second of a query's results on."""
    latencies: int = 0
    """Pages whose latency is known, keystrokes included."""
    impressions: int = 0
    clicks: int = 0
    expected_clicks: float = 0.0
    """The sum of the chances with which the impressions were clicked."""
    click_positions: int = 0
    """The sum of the positions of all clicks."""
    dwells: int = 0
    """Clicks whose dwell time is known, ..."""
    dwell_ms: int = 0
    """... and the sum of those times."""
    copies: int = 0
    conversions: int = 0
    pages_with_click: int = 0
    sessions_with_click: int = 0
    successful_sessions: int = 0
    """With a dwell time of at least 30 seconds, a copy or a conversion."""


@dataclass(frozen=True, kw_only=True)
class Faults(_Added):
    """How many faults were put into a log, for whoever looks for them."""

    duplicates: int = 0
    """Rows of events that repeat another, its id included."""
    skewed: int = 0
    """Events whose time is before that of their page."""
    lost_impressions: int = 0
    clicks_without_impression: int = 0


@dataclass(frozen=True, kw_only=True)
class Truth:
    """All that was put into a made-up log."""

    recipe: Recipe
    query_rows: int
    event_rows: int
    start: int
    """When the log begins; like all times in milliseconds since 1970 began in UTC."""
    experiment_start: int | None
    """Sessions that begin from then on have a variant; in all others it is null."""
    incident: tuple[int, int]
    """From when to when searching was slow."""
    zipf: float
    """The first query of a session is the r-th most frequent with a share of r to minus this."""
    examination: tuple[float, ...]
    """How likely users look at each rank of a page; clicks by rank go down in proportion."""
    total: Counts
    bots: Counts
    """Of users that are programs: they are part of the total."""
    variants: Mapping[str, Counts]
    """Of sessions in the experiment. In B impressions are clicked with a chance `1 + effect` times
    that in A; nothing else differs."""
    distinct_queries: int
    """Different texts once normalised, keystrokes aside."""
    top_queries: tuple[tuple[str, int], ...]
    """The most frequent of them by pages, ties by the text itself."""
    faults: Faults = field(default_factory=Faults)

    @property
    def rows(self) -> int:
        return self.query_rows + self.event_rows

    def to_json(self) -> str:
        return json.dumps({"rows": self.rows, **asdict(self)}, indent=2) + "\n"

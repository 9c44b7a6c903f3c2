"""How scores came about: what is to be known beside the numbers."""

from __future__ import annotations

from dataclasses import dataclass, field

from cleverdon.settings import Settings


@dataclass(frozen=True)
class AboutRun:
    """What is to be known of one run beside its scores."""

    source: str  # the file, if it was one
    digest: str  # BLAKE3 of that file
    queries: int  # that are judged and that the run has
    missing: tuple[str, ...]  # judged queries that the run lacks
    extra: int  # queries of the run that have no judgments
    extra_names: tuple[str, ...]  # the first few of them
    results: int  # of judged queries
    tie_rate: float  # the share of results that have their score in common with another
    judged_rate: float  # the share of results that are judged
    judged_in_top_10: float  # the same of the first ten of each query
    undefined: dict[str, int]  # measure: for how many queries it is undefined; zeros left out
    judged_at: dict[int, float] = field(default_factory=dict)
    """The share judged of the first k of each query, for each cut-off k of the measures."""
    deepest: int = 0  # the most results that a query has
    empty: tuple[str, ...] = ()  # judged queries that the run has, and that found nothing


@dataclass(frozen=True)
class About:
    """How scores came about: all that one needs to get them again."""

    version: str
    profile: str
    settings: Settings
    qrels: str  # the file, if it was one
    qrels_digest: str
    queries: int
    judgments: int
    runs: dict[str, AboutRun]
    docs: int | None = None  # how many documents the collection has, where that was said
    pooled: int = 0  # judgments below 0: pooled, and not judged

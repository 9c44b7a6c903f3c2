"""Test collections: what judgments and runs are like, and judgments made of judgments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cleverdon._common.lazy import lazy_modules

if TYPE_CHECKING:
    from cleverdon.collection.description import coverage, describe, query_difficulty
    from cleverdon.collection.difference import Diff, apply_changes, diff, with_effects
    from cleverdon.collection.filters import FilterResult, filter_judgments
    from cleverdon.collection.merges import MergeResult, merge
    from cleverdon.collection.stats import CollectionStats, collection_stats
    from cleverdon.collection.subsets import (
        Split,
        Subset,
        sample_judgments,
        sample_queries,
        simulate_pool,
        split_into_files,
        split_judgments,
        take_subset,
    )

__all__ = [
    "CollectionStats",
    "Diff",
    "FilterResult",
    "MergeResult",
    "Split",
    "Subset",
    "apply_changes",
    "collection_stats",
    "coverage",
    "describe",
    "diff",
    "filter_judgments",
    "merge",
    "query_difficulty",
    "sample_judgments",
    "sample_queries",
    "simulate_pool",
    "split_into_files",
    "split_judgments",
    "take_subset",
    "with_effects",
]

_NAMES = {
    "description": "coverage describe query_difficulty",
    "difference": "Diff apply_changes diff with_effects",
    "filters": "FilterResult filter_judgments",
    "merges": "MergeResult merge",
    "stats": "CollectionStats collection_stats",
    "subsets": "Split Subset sample_judgments sample_queries simulate_pool split_into_files "
    "split_judgments take_subset",
}

__getattr__ = lazy_modules(__name__, _NAMES)

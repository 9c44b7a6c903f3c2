"""Judgments and runs as a whole: what a collection is like, and judgments made of judgments."""

from cleverdon.collection.concerns import Concern, concerns
from cleverdon.collection.coverage import Coverage, coverage
from cleverdon.collection.described import Described, describe
from cleverdon.collection.difference import Change, Diff, applied, diff
from cleverdon.collection.difficulty import Difficulty, topic_difficulty
from cleverdon.collection.effects import Effect, effects
from cleverdon.collection.filtering import Filtered, filtered
from cleverdon.collection.merging import Contradicting, Merged, merge
from cleverdon.collection.splitting import Split, parts_by_attribute, parts_of_splits, split
from cleverdon.collection.stats import Stats, stats
from cleverdon.collection.subsetting import Subset, pooled, some_judgments, some_topics

__all__ = [
    "Change",
    "Concern",
    "Contradicting",
    "Coverage",
    "Described",
    "Diff",
    "Difficulty",
    "Effect",
    "Filtered",
    "Merged",
    "Split",
    "Stats",
    "Subset",
    "applied",
    "concerns",
    "coverage",
    "describe",
    "diff",
    "effects",
    "filtered",
    "merge",
    "parts_by_attribute",
    "parts_of_splits",
    "pooled",
    "some_judgments",
    "some_topics",
    "split",
    "stats",
    "topic_difficulty",
]

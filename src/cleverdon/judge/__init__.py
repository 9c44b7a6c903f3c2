"""Judgments of several judges: how far they agree, one judgment of many, a model as a judge."""

from cleverdon.judge.aggregation import Aggregated, aggregate
from cleverdon.judge.agreement import Agreed, agree
from cleverdon.judge.labels import Labels
from cleverdon.judge.reading import read_labels

__all__ = ["Aggregated", "Agreed", "Labels", "aggregate", "agree", "read_labels"]

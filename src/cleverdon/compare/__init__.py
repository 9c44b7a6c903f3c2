"""Comparing systems, topic by topic: from Scores to claims."""

from cleverdon.compare.paired import Comparison, Difference, compare
from cleverdon.compare.samples import Sample, samples

__all__ = ["Comparison", "Difference", "Sample", "compare", "samples"]

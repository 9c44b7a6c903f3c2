"""Online metrics: a class each, in families."""

from cleverdon.online.metrics.base import Count, Listing, Metric, Ratio
from cleverdon.online.metrics.registry import find, metric, metrics

__all__ = ["Count", "Listing", "Metric", "Ratio", "find", "metric", "metrics"]

"""One judgment of several."""

from cleverdon.judge.aggregation.aggregating import WAYS, Aggregated, aggregate
from cleverdon.judge.aggregation.dawid_skene import DawidSkene, dawid_skene
from cleverdon.judge.aggregation.votes import TIES

__all__ = ["TIES", "WAYS", "Aggregated", "DawidSkene", "aggregate", "dawid_skene"]

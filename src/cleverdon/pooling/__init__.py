"""Pooling: choosing what to judge, and estimating what the judged documents leave out.

gather(runs) -> Contributions -> a Pool                  made at once, or sampled
                              -> documents one by one    chosen by the judgments so far (adaptive)
                              -> orders of systems       by votes, without judgments
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cleverdon._common.lazy import lazy_names

if TYPE_CHECKING:
    from cleverdon.pooling.adaptive.batches import Batch, next_batch
    from cleverdon.pooling.adaptive.simulation import Simulation, simulate_methods
    from cleverdon.pooling.contributions import Contributions, gather
    from cleverdon.pooling.expansion import Expansion, expand
    from cleverdon.pooling.files import read_grades, read_pool, write_pool
    from cleverdon.pooling.pool_methods import pool
    from cleverdon.pooling.pools import JudgedPool, Pool, judged_pool
    from cleverdon.pooling.probes import NewDocuments, Probe, simulate_probe
    from cleverdon.pooling.recall.recall import Recall, estimate_recall
    from cleverdon.pooling.recall.samples import JudgedSample, read_sample
    from cleverdon.pooling.recall.sampling import sample_collection
    from cleverdon.pooling.vote_results import VoteOrders
    from cleverdon.pooling.votes import vote

__all__ = [
    "Batch",
    "Contributions",
    "Expansion",
    "JudgedPool",
    "JudgedSample",
    "NewDocuments",
    "Pool",
    "Probe",
    "Recall",
    "Simulation",
    "VoteOrders",
    "estimate_recall",
    "expand",
    "gather",
    "judged_pool",
    "next_batch",
    "pool",
    "read_grades",
    "read_pool",
    "read_sample",
    "sample_collection",
    "simulate_methods",
    "simulate_probe",
    "vote",
    "write_pool",
]

__getattr__ = lazy_names(
    __name__,
    {
        "Batch": "pooling.adaptive.batches",
        "Contributions": "pooling.contributions",
        "Expansion": "pooling.expansion",
        "JudgedPool": "pooling.pools",
        "JudgedSample": "pooling.recall.samples",
        "NewDocuments": "pooling.probes",
        "Pool": "pooling.pools",
        "Probe": "pooling.probes",
        "Recall": "pooling.recall.recall",
        "Simulation": "pooling.adaptive.simulation",
        "VoteOrders": "pooling.vote_results",
        "estimate_recall": "pooling.recall.recall",
        "expand": "pooling.expansion",
        "gather": "pooling.contributions",
        "judged_pool": "pooling.pools",
        "pool": "pooling.pool_methods",
        "next_batch": "pooling.adaptive.batches",
        "vote": "pooling.votes",
        "read_grades": "pooling.files",
        "read_pool": "pooling.files",
        "read_sample": "pooling.recall.samples",
        "sample_collection": "pooling.recall.sampling",
        "simulate_methods": "pooling.adaptive.simulation",
        "simulate_probe": "pooling.probes",
        "write_pool": "pooling.files",
    },
)

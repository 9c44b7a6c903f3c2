"""What to judge, and what the judged tells of the rest.

gather(runs) -> Contributions -> a Pool                  made at once, or sampled
                              -> documents one by one    chosen by the judgments so far
                              -> orders of systems       by votes, without judgments
"""

from cleverdon.pool.contributions import Contributions, Contributor, gather
from cleverdon.pool.fixed import depth_pool, weighted_pool
from cleverdon.pool.pooled import Pool
from cleverdon.pool.sampled import probability_pool, stratified_pool

__all__ = [
    "Contributions",
    "Contributor",
    "Pool",
    "depth_pool",
    "gather",
    "probability_pool",
    "stratified_pool",
    "weighted_pool",
]

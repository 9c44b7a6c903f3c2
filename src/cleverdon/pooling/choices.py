"""The names and defaults that functions and commands of pooling share.

They are apart from the functions, so that `--help` loads neither numpy nor the pipeline.
"""

from __future__ import annotations

POOL_METHODS = {
    "depth": "all that some run has in its first K results",
    "rrf": "the best by reciprocal rank fusion",
    "rbp": "the best by their weights in rank-biased precision",
    "combmnz": "the best by their scores, times the number of runs",
    "stratified": "a random share of each of several depths",
    "probability": "at random, in proportion to a weight",
}
SAMPLING_WEIGHTS = ("ap", "rrf", "rbp", "combmnz")
POOL_DEPTH = 100
PERSISTENCE = 0.8
STRATA = ((10, 1.0), (100, 0.1))
"""The last rank of each stratum, and the share that is drawn of it."""

QRELS_KINDS = {
    "plain": "grades alone, and -1 for what was not judged, as infAP takes it of a uniform sample",
    "strata": "with the number of the stratum, for xinfAP and nDCG from strata",
    "sampled": "with the probability, for statAP",
}

ALLOCATIONS = {
    "proportional": "by size",
    "equal": "the same number from each",
    "neyman": "by size and by how much of each is guessed to be relevant",
}
"""How a sample is divided among strata."""
SAMPLE_SIZE = 200
UNPOOLED = "unpooled"
"""The method that the pool file of a sample of the collection names."""

ADAPTIVE_METHOD = "mtf"
BATCH_SIZE = 20
BUDGETS = (10, 20, 50, 100)

VOTING_METHODS = {
    "soboroff": "documents drawn at random from the pool are relevant",
    "soboroff-duplicates": "documents drawn at random are relevant; each is in the pool as "
    "often as systems returned it",
    "references": "how many other systems returned what a system returned",
    "references-own-rank": "how many other systems returned it, weighted by its own rank",
    "references-their-rank": "how many other systems returned it, weighted by their ranks",
    "references-both-ranks": "how many other systems returned it, weighted by all ranks",
    "references-both-scores": "how many other systems returned it, weighted by all scores",
    "rank-position": "documents that all systems together rank highest (sum of 1 / rank) are "
    "relevant",
}

VOTE_DEPTH, VOTE_MEASURE, VOTE_TRIALS = 100, "AP", 50
RELEVANT_SHARE, SHARE_DEVIATION = 0.06, 0.06
"""The pools of depth 100 at TREC had some 5 to 10 percent of relevant documents, and that varied
between queries by about as much."""

TERMS = 10
ORIGINAL = 0.5
QUERY_FORMATS = ("lucene", "jsonl")
"""The formats of expanded queries for engines."""
PROBE_DEPTH, PROBE_ROUNDS = 20, 10

PRECISION, TARGET = 0.1, 0.9
"""The wanted half width of the interval of recall, and the recall that is enough."""
SAMPLE_FORMATS = ("plain", "sampled", "strata")

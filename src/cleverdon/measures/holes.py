"""How much of a ranking nobody has judged for any query."""

from __future__ import annotations

import numpy as np

from cleverdon.arrays import Ints
from cleverdon.hits import Hits
from cleverdon.measures.base import Measure
from cleverdon.measures.registry import measure


@measure
class Hole(Measure):
    """The share of the first k places that hold a document which is judged for no query at all.

    A document that was judged for another query has at least been looked at: it was found by the
    systems that the judgments were made with. One that was never judged was not, and so many of
    them mean that a system is unlike those. Divided by k even where fewer came back.
    """

    formula = r"\frac{|\{ i \le k : \text{judged for no query} \}|}{k}"
    user = "None: it describes the judgments."
    undefined = "never"
    source = "Thakur et al. 2021, arXiv:2104.08663"
    better = "neither"
    looks_elsewhere = True
    promises = frozenset({"in range"})
    worked = """
        Hole@2   1 - 0       = 0.5
        Hole@5   1 - 0 -     = 0.4
        Hole@5   -1 -        = 0.2
        Hole@5   | 1         = 0
    """

    k: int

    def parts(self, hits: Hits) -> tuple[Ints, Ints]:
        top = hits.top(self.k)
        return top.returned - np.diff(top.starts), np.full(len(hits), self.k)

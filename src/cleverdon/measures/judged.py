"""Shares of judged results: look at them before you believe any other number."""

from __future__ import annotations

from typing import Literal

import numpy as np

from cleverdon._common.arrays import Ints
from cleverdon.hits import Hits
from cleverdon.measures.base import Measure
from cleverdon.measures.registry import measure


@measure
class Judged(Measure):
    """The share of the first k results that somebody judged.

    Where it is low, or differs between systems, their scores say little: what nobody judged counts
    as not relevant. Documents pooled but not judged (grade below 0) count as not judged.
    """

    formula = r"\frac{|\{ i \le k : g_i \text{ judged} \}|}{\min(k, n)}"
    user = "None: it describes the judgments."
    undefined = "nothing was returned; with norm=k, never"
    source = "Sakai 2007, doi:10.1145/1277741.1277756"
    better = "neither"
    promises = frozenset({"in range"})
    worked = """
        Judged@2          1 - 0     = 0.5
        Judged            1 - 0 -1  = 0.5
        Judged@5          1 - 0     = 0.6667
        Judged(norm=k)@5  1 - 0     = 0.4
        Judged            | 1       = undefined
    """

    meanings = {
        "norm": "What to divide by: returned, the number of results among the first k; k, the "
        "cut-off itself.",
    }

    k: int | None = None
    norm: Literal["returned", "k"] = "returned"

    def parts(self, hits: Hits) -> tuple[Ints, Ints]:
        top = hits.top(self.k)
        fixed = self.norm == "k" and self.k is not None
        read = np.full(len(hits), self.k) if fixed else top.returned
        return top.count(top.grade >= 0), read


@measure
class Unjudged(Measure):
    """The share of the first k places that hold a result which nobody judged.

    Divided by k even where fewer came back: an empty place is not unjudged, as nobody has to judge
    it. Documents pooled but not judged (grade below 0) count as not judged.
    """

    formula = r"\frac{|\{ i \le k : g_i \text{ not judged} \}|}{k}"
    user = "None: it describes the judgments."
    undefined = "never; with norm=returned, where nothing was returned"
    source = "trec_eval"
    better = "neither"
    trec_eval = ("unj_{k}",)
    promises = frozenset({"in range"})
    worked = """
        Unjudged@2                 1 - 0      = 0.5
        Unjudged@5                 1 - 0 -1   = 0.4
        Unjudged(norm=returned)@5  1 - 0 -1   = 0.5
        Unjudged@5                 | 1        = 0
        Unjudged(norm=returned)@5  | 1        = undefined
    """

    meanings = {
        "norm": "What to divide by: k, or returned, the number of results among the first k.",
    }

    k: int
    norm: Literal["k", "returned"] = "k"

    def parts(self, hits: Hits) -> tuple[Ints, Ints]:
        top = hits.top(self.k)
        read = top.returned if self.norm == "returned" else np.full(len(hits), self.k)
        return top.returned - top.count(top.grade >= 0), read


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
    uses_other_queries = True
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

"""Counts, which are summed over queries rather than averaged."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from cleverdon.hits import Floats, Hits
from cleverdon.measures.base import Better, Measure
from cleverdon.measures.registry import measure


class Count(Measure):
    """What all counts share."""

    user = "None: it counts."
    undefined = "never"
    source = "trec_eval"
    better: ClassVar[Better] = "neither"
    average = "sum"
    range = (0.0, np.inf)


@measure
class NumRet(Count):
    """How many results came back; with `rel`, how many of them have at least that grade."""

    formula = r"n"
    trec_eval = ("num_ret",)
    promises = frozenset({"in range"})
    worked = """
        NumRet          1 - 0 | 1   = 3
        NumRet(rel=1)   1 - 0 | 1   = 1
        NumRet          | 1         = 0
    """

    rel: float | None = None

    def score(self, hits: Hits) -> Floats:
        if self.rel is not None:
            return hits.count(hits.relevant(self.rel)).astype(float)
        return hits.returned.astype(float)


@measure
class NumRel(Count):
    """How many documents are relevant."""

    formula = r"R"
    trec_eval = ("num_rel",)
    promises = frozenset({"in range", "swap", "unjudged tail"})
    worked = """
        NumRel          1 - 0 | 2   = 2
        NumRel(rel=2)   1 - 0 | 2   = 1
        NumRel          0           = 0
    """

    rel: float = 1

    def score(self, hits: Hits) -> Floats:
        return hits.judgments.relevant(self.rel).astype(float)


@measure
class NumRelRet(Count):
    """How many of the first k results are relevant."""

    formula = r"\sum_{i \le k} r_i"
    better = "higher"
    trec_eval = ("num_rel_ret",)
    promises = frozenset({"in range", "swap", "unjudged tail"})
    worked = """
        NumRelRet     1 - 2 | 1   = 2
        NumRelRet@1   1 - 2 | 1   = 1
        NumRelRet     | 1         = 0
    """

    k: int | None = None
    rel: float = 1

    def score(self, hits: Hits) -> Floats:
        top = hits.top(self.k)
        return top.count(top.relevant(self.rel)).astype(float)

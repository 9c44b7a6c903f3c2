"""Counts, which are summed over queries rather than averaged."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from cleverdon._common.arrays import Floats, Ints
from cleverdon.hits import Hits
from cleverdon.measures.base import Better, Measure
from cleverdon.measures.registry import measure


class Count(Measure):
    """Base class of counts."""

    user = "None: it counts."
    undefined = "never"
    source = "trec_eval"
    better: ClassVar[Better] = "neither"
    average = "sum"
    range = (0.0, np.inf)

    def of_parts(self, number: Floats) -> Floats:
        return number


@measure
class NumQ(Count):
    """The number of queries: 1 for each."""

    formula = r"1"
    trec_eval = ("num_q",)
    promises = frozenset({"in range", "swap", "unjudged tail"})
    worked = """
        NumQ   1 - 0 | 1   = 1
        NumQ   | 1         = 1
    """

    def parts(self, hits: Hits) -> tuple[Floats]:
        return (np.ones(len(hits)),)


@measure
class NumRet(Count):
    """The number of results; with `rel`, of those with at least that grade."""

    formula = r"n"
    trec_eval = ("num_ret",)
    promises = frozenset({"in range"})
    worked = """
        NumRet          1 - 0 | 1   = 3
        NumRet(rel=1)   1 - 0 | 1   = 1
        NumRet          | 1         = 0
    """

    meanings = {"rel": "Count only results of at least this grade; none counts all."}

    rel: float | None = None

    def parts(self, hits: Hits) -> tuple[Ints]:
        return (hits.returned if self.rel is None else hits.count(hits.relevant(self.rel)),)


@measure
class NumRel(Count):
    """The number of relevant documents."""

    formula = r"R"
    trec_eval = ("num_rel",)
    promises = frozenset({"in range", "swap", "unjudged tail"})
    worked = """
        NumRel          1 - 0 | 2   = 2
        NumRel(rel=2)   1 - 0 | 2   = 1
        NumRel          0           = 0
    """

    rel: float = 1

    def parts(self, hits: Hits) -> tuple[Ints]:
        return (hits.judgments.relevant(self.rel),)


@measure
class NumRelRet(Count):
    """The number of relevant results among the first k."""

    formula = r"\sum_{i \le k} r_i"
    better = "higher"
    trec_eval = ("num_rel_ret",)
    promises = frozenset({"in range", "swap", "unjudged tail", "gain"})
    worked = """
        NumRelRet     1 - 2 | 1   = 2
        NumRelRet@1   1 - 2 | 1   = 1
        NumRelRet     | 1         = 0
    """

    k: int | None = None
    rel: float = 1

    def parts(self, hits: Hits) -> tuple[Ints]:
        top = hits.top(self.k)
        return (top.count(top.relevant(self.rel)),)


@measure
class NumNonrelJudgedRet(Count):
    """The number of results that were judged not relevant."""

    formula = r"|\{ i : 0 \le g_i < rel \}|"
    trec_eval = ("num_nonrel_judged_ret",)
    promises = frozenset({"in range", "unjudged tail"})
    worked = """
        NumNonrelJudgedRet          1 - 0 0 -1 | 0   = 2
        NumNonrelJudgedRet(rel=2)   1 - 0 0 -1 | 0   = 3
        NumNonrelJudgedRet          | 0              = 0
    """

    rel: float = 1

    def parts(self, hits: Hits) -> tuple[Ints]:
        return (hits.count((hits.grade >= 0) & (hits.grade < self.rel)),)

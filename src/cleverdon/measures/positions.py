"""Where relevant results stand."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from cleverdon.arrays import Floats, Ints
from cleverdon.errors import NotationError
from cleverdon.hits import Hits
from cleverdon.measures.base import Better, Measure
from cleverdon.measures.registry import measure

_COOPER = "Cooper 1968, doi:10.1002/asi.5090190108"


class Searching(Measure):
    """What the search lengths share: a person who wants q relevant documents."""

    user = "Wants q relevant documents, and reads on until they are found."
    undefined = "fewer than q relevant documents were returned"
    source = _COOPER
    better: ClassVar[Better] = "lower"
    range = (0.0, np.inf)

    q: int = 1
    rel: float = 1

    def check(self) -> None:
        if self.q < 1:
            name = type(self).__name__
            raise NotationError(f"{name}(q={self.q}): at least one document is wanted")

    def ends(self, hits: Hits) -> Hits:
        """The rows at which searches end: each query's q-th relevant one."""
        relevant = hits.where(hits.relevant(self.rel))
        return relevant.where(relevant.ordinal == self.q)


def _of_the_row(hits: Hits, values: Floats | Ints) -> Floats:
    """The value of the one row that a query has, and NaN where it has none."""
    result = np.full(len(hits), np.nan)
    result[hits.query] = values
    return result


@measure
class SearchLength(Searching):
    """Search length: how many results that are not relevant are read before the q-th that is.

    The trouble of a search rather than its success. Tied results are read as they stand;
    ExpectedSearchLength takes them in any order.
    """

    formula = r"|\{ j < i : r_j = 0 \}|, \quad i \text{ the rank of the } q\text{-th relevant}"
    promises = frozenset({"in range", "swap", "unjudged tail"})
    worked = """
        SearchLength        0 - 1 1        = 2
        SearchLength(q=2)   1 0 1          = 1
        SearchLength(rel=2) 1 2            = 1
        SearchLength(q=2)   1 0 | 1        = undefined
        SearchLength        0              = undefined
    """

    def score(self, hits: Hits) -> Floats:
        last = self.ends(hits)
        return _of_the_row(last, last.rank - self.q)


@measure
class ExpectedSearchLength(Searching):
    """The search length to be expected where tied results are read in random order.

    All that is not relevant in the groups above counts, and of the group in which the search ends
    its share: with r relevant results and i others in it, and s of the relevant still wanted,
    i * s / (r + 1).
    """

    formula = r"j + \frac{i \cdot s}{r + 1}"
    promises = frozenset({"in range"})
    worked = """
        ExpectedSearchLength        0 (1 - 0) 1        = 2
        ExpectedSearchLength(q=2)   1 (0 1 1)          = 0.3333
        ExpectedSearchLength(q=2)   (1 0 1)            = 0.6667
        ExpectedSearchLength        0 - 1              = 2
        ExpectedSearchLength(q=2)   (1 0) | 1          = undefined
        ExpectedSearchLength        0                  = undefined
    """

    def score(self, hits: Hits) -> Floats:
        relevant, last = hits.where(hits.relevant(self.rel)), self.ends(hits)
        above = relevant.rows_up_to(last.tied_from - 1, last.query)
        wanted, found = self.q - above, relevant.rows_up_to(last.tied_to, last.query) - above
        others = last.tied_to - last.tied_from + 1 - found
        return _of_the_row(last, last.tied_from - 1 - above + others * wanted / (found + 1))


@measure
class LastRelRank(Measure):
    """The rank of the last relevant result.

    How far one must read to see all that the ranking found. What it did not find has no rank: look
    at R beside it.
    """

    formula = r"\max \{ i : r_i = 1 \}"
    user = "Wants everything, and reads on to the last relevant result."
    undefined = "no relevant document was returned"
    source = "Kanoulas et al. 2017, CLEF, Technologically assisted reviews in empirical medicine"
    better: ClassVar[Better] = "lower"
    range = (1.0, np.inf)
    promises = frozenset({"in range", "unjudged tail"})
    worked = """
        LastRelRank          1 0 1 0 -   = 3
        LastRelRank(rel=2)   2 0 1       = 1
        LastRelRank          0 | 1       = undefined
    """

    rel: float = 1

    def score(self, hits: Hits) -> Floats:
        last = np.zeros(len(hits))
        relevant = hits.relevant(self.rel)
        last[hits.query[relevant]] = hits.rank[relevant]  # the last that is written stays
        return np.where(last > 0, last, np.nan)


@measure
class WSS(Measure):
    """Work saved over sampling at recall x: what need not be read, beyond what chance would save.

    Of N documents, those below the rank at which recall reaches x are spared; in random order, a
    share of 1 - x would be. N is the size of the collection, `docs`, where it is given, and else
    the number of results, as where a ranking orders all there is. Where recall never reaches x,
    everything must be read: x - 1.
    """

    formula = r"\frac{N - i}{N} - (1 - x), \quad i = \min \{ i : R@i \ge x \}"
    user = "Screens results until a share x of what is relevant is found."
    undefined = "no judged document is relevant, or there is nothing to read"
    source = "Cohen et al. 2006, doi:10.1197/jamia.M1929"
    range = (-1.0, 1.0)
    promises = frozenset({"in range", "swap"})
    cut = "x"
    worked = """
        WSS@0.95   1 1 - - - - - - - -           = 0.75
        WSS@0.5    1 1 - - - - - - - -           = 0.4
        WSS@1      1 0 1 docs=100                = 0.97
        WSS@0.95   1 0 | 1                       = -0.05
        WSS@0.95   | 1                           = undefined
        WSS@0.95   0                             = undefined
    """

    x: float
    rel: float = 1

    def check(self) -> None:
        if not 0 < self.x <= 1:
            raise NotationError(f"WSS@{self.x}: recall is above 0, up to 1")

    def score(self, hits: Hits) -> Floats:
        docs = hits.judgments.docs
        everything = hits.returned if docs is None else np.maximum(hits.returned, docs)
        wanted = hits.judgments.relevant(self.rel)
        needed = np.maximum(np.ceil(self.x * wanted - 1e-9), 1)
        relevant = hits.where(hits.relevant(self.rel))
        reached = relevant.where(relevant.ordinal == needed[relevant.query])
        read = everything.astype(np.float64)
        read[reached.query] = reached.rank
        saved = (everything - read) / everything - (1 - self.x)
        return np.where(wanted > 0, saved, np.nan)

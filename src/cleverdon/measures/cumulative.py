"""Cumulative gain and its kin: what is gained down to a rank, of all that could be."""

from __future__ import annotations

import numpy as np

from cleverdon import ties
from cleverdon.arrays import Floats
from cleverdon.errors import NotationError
from cleverdon.hits import Hits
from cleverdon.measures.graded import ERR, Gained
from cleverdon.measures.registry import measure
from cleverdon.shares import Share, down_to

_JK = "Järvelin & Kekäläinen 2000, doi:10.1145/345508.345545"


@measure
class CG(Gained):
    """Cumulative gain: the gain of the first k results, wherever among them they stand.

    With binary grades, the number of relevant results.
    """

    formula = r"\sum_{i \le k} g_i"
    user = "Reads exactly k results, each with the same attention."
    undefined = "never"
    source = _JK
    range = (0.0, np.inf)
    promises = frozenset({"in range", "swap", "unjudged tail", "gain"})
    worked = """
        CG@3                    3 2 3 0 1           = 8
        CG                      3 2 - 0 1 | 3       = 6
        CG(gain=exponential)@2  3 2 3               = 10
        CG(gains={1:5})@2       1 3 1               = 8
        CG                      | 1                 = 0
    """

    def score(self, hits: Hits) -> Floats:
        top = hits.top(self.k)
        return top.total(self.gain_of(top))

    def expected(self, hits: Hits) -> Floats:
        return hits.total(self.gain_of(hits) * ties.chance(hits, self.k))

    def as_share(self) -> Share:
        return Share(self.gain_of, down_to(self.k))


@measure
class nCG(CG):
    """Normalised cumulative gain: that of the first k results, as a share of the most possible.

    With binary grades, relevant results found over min(k, R): recall where k is at least R.
    """

    formula = r"\sum_{i \le k} g_i \Big/ \sum_{i \le k} g^*_i"
    user = "Reads exactly k results, each with the same attention, and knows what could be found."
    undefined = "no judged document has a positive gain"
    source = "Järvelin & Kekäläinen 2002, doi:10.1145/582415.582418"
    range = (0.0, 1.0)
    promises = frozenset({"in range", "swap", "unjudged tail"})
    worked = """
        nCG@3                    3 2 3 0 1           = 1
        nCG@2                    2 - 3 | 1           = 0.4
        nCG                      2 0 | 2             = 0.5
        nCG(gain=exponential)@1  1 3                 = 0.1429
        nCG                      0 -                 = undefined
    """

    def score(self, hits: Hits) -> Floats:
        return super().score(hits) / self._most(hits)

    def expected(self, hits: Hits) -> Floats:
        return super().expected(hits) / self._most(hits)

    def as_share(self) -> Share:
        return Share(self.gain_of, down_to(self.k), lambda n: np.minimum(n, self.k or np.inf))

    def _most(self, hits: Hits) -> Floats:
        most = super().score(hits.best_by(self.gain_of))
        return np.where(most > 0, most, np.nan)


@measure
class nERR(ERR):
    """Normalised expected reciprocal rank: ERR as a share of what the best order would give.

    ERR stays below 1 even where the best document comes first, and far below where the best there
    is has a low grade; this does not.
    """

    formula = r"\mathrm{ERR}@k \,\big/\, \mathrm{ERR}@k \text{ of the judged documents, best first}"
    user = (
        "As for ERR: reads down, and stops at a result with the probability that its grade gives."
    )
    undefined = "no judged document has a positive grade"
    source = (
        "Chapelle et al. 2009, doi:10.1145/1645953.1646033; normalised as in Clarke et al. 2011, "
        "doi:10.1145/1935826.1935847"
    )
    promises = frozenset({"in range", "swap", "unjudged tail"})
    worked = """
        nERR        2 1         max=2   = 1
        nERR        1 2         max=2   = 0.68
        nERR@1      1 | 2       max=2   = 0.3333
        nERR        | 1                 = 0
        nERR        0 -                 = undefined
    """

    def check(self) -> None:
        super().check()
        if self.max is not None and not 0 < self.max <= 1000:
            # Beyond, nothing satisfies, to the last digit that there is.
            raise NotationError(f"nERR(max={self.max}): max is above 0, and at most 1000")

    def score(self, hits: Hits) -> Floats:
        return super().score(hits) / self._best(hits)

    def expected(self, hits: Hits) -> Floats:
        return super().expected(hits) / self._best(hits)

    def _best(self, hits: Hits) -> Floats:
        best = super().score(hits.best_by(lambda judged: np.maximum(judged.grade, 0)))
        return np.where(best > 0, best, np.nan)


@measure
class Q(Gained):
    """Q-measure: average precision that also minds the grades.

    At each relevant result the share of relevant results so far is blended with the share of the
    gain that could have been had by then; beta says how much the gain counts. With beta=0 it is
    AP(norm=min).
    """

    formula = (
        r"\frac{1}{\min(k, R)} \sum_{i \le k} r_i "
        r"\frac{\sum_{j \le i} r_j + \beta \sum_{j \le i} g_j}{i + \beta \sum_{j \le i} g^*_j}"
    )
    user = (
        "Stops at a relevant document, each as likely, content with what was found of what could."
    )
    undefined = "no judged document has a positive gain"
    source = "Sakai 2004, New performance metrics based on multigrade relevance, NTCIR-4"
    promises = frozenset({"in range", "unjudged tail"})
    worked = """
        Q             2 1               = 1
        Q             1 2               = 0.8333
        Q             0 2 - 1           = 0.6571
        Q(beta=0)     0 2 - 1           = 0.5
        Q(beta=10)    1 2               = 0.7619
        Q@2           0 2 - 1           = 0.3
        Q             | 2               = 0
        Q             0 -               = undefined
    """

    beta: float = 1

    def check(self) -> None:
        super().check()
        if not 0 <= self.beta <= 1e6:
            raise NotationError(f"Q(beta={self.beta}): beta is from 0 to a million")

    def score(self, hits: Hits) -> Floats:
        top = hits.top(self.k)
        relevant = top.where(self.gain_of(top) > 0)
        ideal = hits.best_by(self.gain_of)
        wanted = np.diff(ideal.starts)
        # The gain that the ideal has at each rank; below its last one it stays as it is. Results
        # may be assumed relevant where nothing is: there is no ideal row for those then.
        down_to = np.append(ideal.running(self.gain_of(ideal)), 0)
        at = ideal.starts[relevant.query] + np.minimum(relevant.rank, wanted[relevant.query]) - 1
        got = relevant.running(self.gain_of(relevant))
        blended = (relevant.ordinal + self.beta * got) / (relevant.rank + self.beta * down_to[at])
        most = wanted if self.k is None else np.minimum(wanted, self.k)
        return relevant.total(blended) / np.where(most > 0, most, np.nan)

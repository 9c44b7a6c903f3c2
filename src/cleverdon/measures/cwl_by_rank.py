"""C/W/L models of users who read on whatever turns up: the rank alone, or the cost, decides."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.errors import NotationError
from cleverdon.hits import Hits
from cleverdon.measures.cwl import Model, Stretches
from cleverdon.measures.registry import measure

_LONGEST_TABLE = 10_000_000


class Truncated(Model):
    """What models share that stop at rank k: weights that are added up rank by rank."""

    k: int

    def check(self) -> None:
        super().check()
        if self.k > _LONGEST_TABLE:
            name = type(self).__name__
            raise NotationError(f"{name}@{self.k}: k is at most {_LONGEST_TABLE:,}")

    @staticmethod
    @abstractmethod
    def weight(rank: Floats) -> Floats:
        """How likely a user who minds the rank only is to read it."""

    def horizon(self, hits: Hits) -> Floats:
        return np.full(len(hits), float(self.k))

    def seen(self, stretches: Stretches, rank: Floats) -> Floats:
        return self.weight(rank)

    def seen_in(self, stretches: Stretches) -> Floats:
        weights = self.weight(np.arange(1.0, self.k + 1))
        down_to = np.concatenate(([0.0], np.cumsum(weights)))
        above, last = (stretches.first - 1).astype(int), stretches.last.astype(int)
        seen: Floats = down_to[last] - down_to[above]
        return seen


@measure
class SDCG(Truncated):
    """Scaled discounted cumulative gain: DCG at k as a share of what k top results would give.

    Unlike nDCG it does not ask what the judgments have to offer: a query with one relevant document
    stays far below 1 however it is answered.
    """

    formula = r"\sum_{i \le k} \frac{g_i}{\log_2(i+1)} \Big/ \sum_{i \le k} \frac{1}{\log_2(i+1)}"
    user = "Reads on from rank i to i + 1 with probability log(i+1) / log(i+2), and stops at k."
    source = (
        "Järvelin & Kekäläinen 2002, doi:10.1145/582415.582418; "
        "Moffat et al. 2017, doi:10.1145/3052768"
    )
    spellings = {"dcg": {"log2": {}}}
    promises = frozenset({"in range", "swap", "unjudged tail"})
    worked = """
        SDCG@3              1 0 1                 = 0.7039
        SDCG@3              1 0 1         max=2   = 0.3520
        SDCG(max_rel=2)@1   1                     = 0.5
        SDCG(min_rel=1)@1   1             max=3   = 0
        SDCG@5              | 1                   = 0
        SDCG(quantity=ED)@3 1 0 1                 = 2.1309
        SDCG(quantity=ETU)@3 1 0 1                = 1.5
    """

    k: int

    @staticmethod
    def weight(rank: Floats) -> Floats:
        return 1 / np.log2(rank + 1)


class Goal(Model):
    """What models share whose users have a goal: T results' worth of gain, or about 2T results."""

    T: float = 1

    def check(self) -> None:
        super().check()
        if not 1e-3 <= self.T <= 1e6:
            raise NotationError(
                f"{type(self).__name__}(T={self.T}): T is from a thousandth to a million"
            )

    def seen(self, stretches: Stretches, rank: Floats) -> Floats:
        weight: Floats = (2 * self.T / (rank + 2 * self.T - 1)) ** 2
        return weight

    def seen_in(self, stretches: Stretches) -> Floats:
        return self.between(stretches.first, stretches.last)

    def between(self, first: Floats, last: Floats) -> Floats:
        """The weights of all ranks from the first to the last."""
        beyond = _inverse_squares(last + 2 * self.T)
        weights: Floats = (2 * self.T) ** 2 * (_inverse_squares(first + 2 * self.T - 1) - beyond)
        return weights


def _inverse_squares(x: Floats) -> Floats:
    """1/x² + 1/(x+1)² + 1/(x+2)² + ... to infinity: the trigamma function.

    The first terms one by one, the others by Euler and Maclaurin's series, to the last digit.
    """
    total = np.zeros(len(x))
    for step in range(16):
        total += 1 / (x + step) ** 2
    y = 1 / (x + 16)
    square = y * y
    series = 1 / 6 - square * (1 / 30 - square * (1 / 42 - square * (1 / 30 - square * 5 / 66)))
    rest: Floats = y + square / 2 + y * square * series
    return total + rest


@measure
class INSQ(Goal):
    """The inverse squares model: the deeper a user has come, the likelier she reads on.

    She sets out to find T results' worth of gain, and does not notice whether she does: INST is the
    model of a user who does.
    """

    formula = r"W_i \propto \frac{1}{(i + 2T - 1)^2}"
    user = "Reads on from rank i with probability ((i + 2T - 1) / (i + 2T))²."
    source = "Moffat, Scholer & Thomas 2012, doi:10.1145/2407085.2407092"
    promises = frozenset({"in range", "swap", "unjudged tail"})
    worked = """
        INSQ                    1           = 0.3876
        INSQ                    0 1         = 0.1723
        INSQ(T=2)               1 0 1       = 0.3181
        INSQ(depth=1000)        1           = 0.3882
        INSQ                    0 -         = 0
        INSQ(quantity=ED)       | 1         = 2.5797
        INSQ(quantity=ETU)      0 1 1       = 0.6944
    """


@measure
class TBG(Model):
    """Time-biased gain: the chance that a user is still there halves with every `halflife` spent.

    Smucker and Clarke's own value, the gain in all, is quantity=ETU; by default it is that per
    result read, as in cwl-eval. `cost` is the time that a result takes. If all take the same, as
    they do unless each has a cost of its own, this is RBP with p = 2^(-cost / halflife).
    """

    formula = r"V_i = 2^{-t_i / h}, \quad t_i \text{ the time spent above rank } i"
    user = "Gives up at a rate that does not change with time, whatever she has found."
    source = "Smucker & Clarke 2012, doi:10.1145/2348283.2348300"
    promises = frozenset({"in range", "swap", "unjudged tail"})
    worked = """
        TBG(halflife=1)                       1 0 1   = 0.625
        TBG(halflife=1,quantity=ETU)          1 0 1   = 1.25
        TBG(halflife=2,cost=2,quantity=ETC)   1       = 4
        TBG(halflife=224,cost=30)             1       = 0.0887
        TBG                                   | 1     = 0
    """

    halflife: float = 224

    def check(self) -> None:
        super().check()
        if not 1e-3 <= self.halflife <= 1e9:
            raise NotationError(f"TBG(halflife={self.halflife}): a halflife is from 0.001 to 1e9")

    def horizon(self, hits: Hits) -> Floats:
        # As in cwl-eval, nobody reads on below a depth that is given.
        return np.full(len(hits), np.inf if self.depth is None else float(self.depth))

    def seen(self, stretches: Stretches, rank: Floats) -> Floats:
        spent = stretches.paid + stretches.each * (rank - stretches.first)
        return np.exp2(-spent / self.halflife)

    def seen_in(self, stretches: Stretches) -> Floats:
        rate = stretches.each * np.log(2) / self.halflife
        return self.seen(stretches, stretches.first) * geometric(rate, stretches.length)


def geometric(rate: Floats, length: Floats) -> Floats:
    """1 + e^-rate + e^-2rate + ..., so many terms."""
    return np.where(rate > 0, np.expm1(-rate * length) / np.expm1(-rate), length)


@measure
class U(Model):
    """U-measure: what a user reads is worth less the more she has read, and nothing from L on.

    Sakai and Dou's own value, the gain in all, is quantity=ETU; by default it is that per result
    read, as in cwl-eval. `cost` is the length of a result, in the unit of L (characters, in their
    work). As in cwl-eval, the last rank of a `depth` that is given has no weight.
    """

    formula = r"V_i = \max(0, 1 - t_i / L), \quad t_i \text{ the text read above rank } i"
    user = "Reads text of length L and loses interest steadily, whatever she has found."
    source = "Sakai & Dou 2013, doi:10.1145/2484028.2484031"
    aliases = ("UMeasure",)
    promises = frozenset({"in range", "swap", "unjudged tail"})
    worked = """
        U(L=4)                         1 0 1    = 0.6
        U(L=4,quantity=ETU)            1 0 1    = 1.5
        U(L=4,quantity=ED)             | 1      = 2.5
        U(L=4,cost=2)                  1 1      = 1
        U(L=4,cost=2,quantity=ETC)     1 1      = 3
        U                              | 1      = 0
    """

    L: float = 1000

    def check(self) -> None:
        super().check()
        if not 1e-3 <= self.L <= 1e12:
            raise NotationError(f"U(L={self.L}): a length is from 0.001 to 1e12")
        if self.depth == 1:
            raise NotationError(
                "U(depth=1): the last rank of a depth has no weight; take 2 or more"
            )

    def horizon(self, hits: Hits) -> Floats:
        return np.full(len(hits), np.inf if self.depth is None else self.depth - 1.0)

    def seen(self, stretches: Stretches, rank: Floats) -> Floats:
        read = stretches.paid + stretches.each * (rank - stretches.first)
        return np.maximum(1 - read / self.L, 0)

    def seen_in(self, stretches: Stretches) -> Floats:
        left, each = self.L - stretches.paid, stretches.each
        within = np.where(each > 0, np.ceil(left / np.maximum(each, 1e-300)), np.inf)
        count = np.maximum(np.minimum(stretches.length, within), 0)
        # An arithmetic series, of as many terms as are above 0.
        series: Floats = count * np.maximum(left, 0) - each * count * (count - 1) / 2
        return series / self.L

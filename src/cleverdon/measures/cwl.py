"""The C/W/L framework: a measure as a model of how a user reads a ranking."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from cleverdon import _core
from cleverdon._common.arrays import Floats, Ints
from cleverdon.errors import NotationError
from cleverdon.hits import Hits
from cleverdon.measures.base import CollectionFact, Measure
from cleverdon.measures.registry import measure

_Quantity = Literal["EU", "ETU", "EC", "ETC", "ED"]


@dataclass(frozen=True, eq=False)
class Stretches:
    """Every query's ranking cut behind each result that gains something, and its rest.

    Parallel arrays, sorted by query, then rank; the last stretch of each query is its rest, which
    gains nothing and may be empty.
    """

    hits: Hits  # the results that end the stretches, one each, but for the rests
    query: Ints
    rest: Ints  # per query: which stretch is its rest
    first: Floats  # the first rank
    last: Floats  # the last one, infinite in a rest without end
    gain: Floats  # of the result at the last rank
    got: Floats  # the gain of all results above the stretch
    paid: Floats  # the cost of all results above it
    each: Floats  # the cost of each result within it

    @classmethod
    def of(cls, hits: Hits, gain: Floats, end: Floats, cost: float) -> Stretches:
        """Return the ranks down to `end` of each query; each result costs `cost`."""
        kept = (gain > 0) & (hits.rank <= end[hits.query])
        hits, gain = hits.where(kept), gain[kept]
        rest = hits.starts[1:] + np.arange(len(hits))
        rows = np.arange(len(gain)) + hits.query

        def column(at_rows: NDArray[Any], at_rests: NDArray[Any] | float) -> Floats:
            merged = np.empty(len(rows) + len(rest))
            merged[rows], merged[rest] = at_rows, at_rests
            return merged

        query = column(hits.query, np.arange(len(hits))).astype(np.int64)
        last = column(hits.rank, end)
        first = _shifted(last, rest, 0) + 1
        paid, each = (first - 1) * cost, np.full(len(first), float(cost))
        got = _shifted(column(hits.running(gain), 0), rest, 0)
        return cls(hits, query, rest, first, last, column(gain, 0), got, paid, each)

    @property
    def length(self) -> Floats:
        """The number of ranks in each stretch."""
        return self.last - self.first + 1

    def product_above(self, factors: Floats) -> Floats:
        """Return for each stretch the product of the factors of those above it in its query."""
        ending = np.ones(len(factors), dtype=bool)
        ending[self.rest] = False
        running = np.ones(len(factors))
        running[ending] = self.hits.running(factors[ending], np.multiply)
        return _shifted(running, self.rest, 1)

    def total(self, values: Floats) -> Floats:
        """Return the sum of the stretches' values for each query."""
        return _core.total(self.query, np.ascontiguousarray(values), len(self.rest))


def _shifted(values: Floats, rest: Ints, start: float) -> Floats:
    """Return the value of the stretch above; `start` for the first in a query."""
    shifted = np.empty(len(values))
    shifted[1:] = values[:-1]
    shifted[:1] = start
    shifted[rest[:-1] + 1] = start
    return shifted


class Model(Measure, ABC):
    """Base class of user models: the five quantities, gains and costs.

    With V_i the probability that the user reads rank i, the product of the C above it:

    - EU, expected utility: the gain of a result read, sum of V_i g_i over sum of V_i
    - ETU, expected total utility: the gain of all that is read, sum of V_i g_i
    - EC, expected cost: the cost of a result read
    - ETC, expected total cost: the cost of all that is read
    - ED, expected depth: how many results are read, sum of V_i

    A gain is a grade scaled to 0 at `min_rel` and 1 at `max_rel`, by default the largest grade of
    the collection; grades beyond count as these. A result costs `cost`, where results have no costs
    of their own. With `depth` all ranks below it are left out, and the weights rescaled: depth=1000
    gives cwl-eval's numbers. As there, ETU and ETC then leave out the users who would read on.
    """

    undefined = "never"
    promises = frozenset({"in range", "swap", "unjudged tail"})

    limits: ClassVar[tuple[str, ...]] = (
        "0 <= min_rel",
        "1e-9 <= cost <= 1e9",
        "1 <= depth <= 2147483648",
    )

    meanings = {
        "quantity": "EU, the gain of a result read; ETU, of all that is read; EC and ETC, the cost "
        "of these; ED, the number of results read.",
        "min_rel": "The grade of gain 0; lower grades count as this one.",
        "max_rel": "The grade of gain 1; higher grades count as this one; none means the highest "
        "in the judgments.",
        "cost": "What reading a result costs.",
        "depth": "The rank at which rankings are cut, as by cwl-eval at 1000; none means that "
        "they go on for ever.",
    }

    quantity: _Quantity = "EU"
    min_rel: float = 0
    max_rel: float | None = None
    cost: float = 1
    depth: int | None = None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        # A model's own parameters come first: INST(2) is INST(T=2).
        own = {name: value for name, value in cls.defaults.items() if name not in Model.defaults}
        cls.defaults = {**own, **Model.defaults}

    def check(self) -> None:
        super().check()
        name = type(self).__name__
        if self.max_rel is not None and self.max_rel <= self.min_rel:
            raise NotationError(f"{name}(max_rel={self.max_rel}): max_rel is above min_rel")
        if self.quantity != "EU":
            vars(self).update(
                range=(0.0, np.inf),
                better="higher" if self.quantity == "ETU" else "neither",
                promises=self.promises - {"swap"},
            )

    @property
    def needs_of_collection(self) -> frozenset[CollectionFact]:
        return frozenset({"top_grade"} if self.max_rel is None else ())

    # What a model says

    @abstractmethod
    def seen(self, stretches: Stretches, rank: Floats) -> Floats:
        """Return the probability that this rank is read, one in each stretch, without `carried`."""

    @abstractmethod
    def seen_in(self, stretches: Stretches) -> Floats:
        """Return the sum of `seen` over all ranks of each stretch."""

    def carried(self, stretches: Stretches) -> Floats:
        """Return the factor of `seen` below a stretch, given the gain at its end."""
        return np.ones(len(stretches.last))

    def horizon(self, hits: Hits) -> Floats:
        """Return the last rank that anyone reads, for each query."""
        return np.full(len(hits), np.inf)

    # What follows from it

    def gain_of(self, hits: Hits) -> Floats:
        """Return the gain of each row, from 0 to 1."""
        highest = hits.judgments.top_grade if self.max_rel is None else self.max_rel
        if highest <= self.min_rel:
            return np.zeros(len(hits.grade))
        return (np.clip(hits.grade, self.min_rel, highest) - self.min_rel) / (
            highest - self.min_rel
        )

    def working(self, hits: Hits) -> dict[str, Floats]:
        return {"gain": self.gain_of(hits)}

    def score(self, hits: Hits) -> Floats:
        own = self.horizon(hits)
        end = own if self.depth is None else np.minimum(own, self.depth)
        stretches = Stretches.of(hits, self.gain_of(hits), end, self.cost)
        above = stretches.product_above(self.carried(stretches))
        reading = above * self.seen_in(stretches)
        depth = stretches.total(reading)
        if self.quantity == "ED":
            return depth
        # Each quantity is a mean over ranks, or that times the depth; less, in a total, what those
        # have behind them who would read on below the end, and so are not among those who stopped.
        rest = stretches.rest
        if self.quantity in ("EU", "ETU"):
            at_last = above * self.seen(stretches, stretches.last)
            total = stretches.total(np.where(stretches.gain > 0, at_last * stretches.gain, 0))
            behind = stretches.got[rest]
        else:
            total = stretches.total(reading * stretches.each)
            behind = (stretches.paid + stretches.length * stretches.each)[rest]
        if self.quantity in ("EU", "EC"):
            return total / depth
        reading_on = (above * self.seen(stretches, stretches.last + 1))[rest]
        return total - np.where(own > end, reading_on * behind, 0)


class Truncated(Model):
    """Base class of models that stop at rank k, with weights that are added up rank by rank."""

    limits = ("k <= 10000000",)

    meanings = {"k": "The rank at which the user stops."}

    k: int

    @staticmethod
    @abstractmethod
    def weight(rank: Floats) -> Floats:
        """Return the probability that a user reads a rank if only the rank matters."""

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
    """Base class of models with a goal: T results' worth of gain, or about 2T results."""

    limits = ("1e-3 <= T <= 1e6",)

    meanings = {"T": "The gain that the user wants to find; a result gains 1 at most."}

    T: float = 1

    def seen(self, stretches: Stretches, rank: Floats) -> Floats:
        return (2 * self.T / (rank + 2 * self.T - 1)) ** 2

    def seen_in(self, stretches: Stretches) -> Floats:
        return self.between(stretches.first, stretches.last)

    def between(self, first: Floats, last: Floats) -> Floats:
        """Return the weights of all ranks from the first to the last."""
        beyond = _inverse_squares(last + 2 * self.T)
        return (2 * self.T) ** 2 * (_inverse_squares(first + 2 * self.T - 1) - beyond)


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
    user = "Gives up at a rate that depends neither on time nor on what she has found."
    source = "Smucker & Clarke 2012, doi:10.1145/2348283.2348300"
    worked = """
        TBG(halflife=1)                       1 0 1   = 0.625
        TBG(halflife=1,quantity=ETU)          1 0 1   = 1.25
        TBG(halflife=2,cost=2,quantity=ETC)   1       = 4
        TBG(halflife=224,cost=30)             1       = 0.0887
        TBG                                   | 1     = 0
    """

    limits = ("1e-3 <= halflife <= 1e9",)

    meanings = {"halflife": "The time in which half of the users give up, in the unit of `cost`."}

    halflife: float = 224

    def horizon(self, hits: Hits) -> Floats:
        # As in cwl-eval, nobody reads on below a depth that is given.
        return np.full(len(hits), np.inf if self.depth is None else float(self.depth))

    def seen(self, stretches: Stretches, rank: Floats) -> Floats:
        spent = stretches.paid + stretches.each * (rank - stretches.first)
        return np.exp2(-spent / self.halflife)

    def seen_in(self, stretches: Stretches) -> Floats:
        rate = stretches.each * np.log(2) / self.halflife
        return self.seen(stretches, stretches.first) * _geometric(rate, stretches.length)


def _geometric(rate: Floats, length: Floats) -> Floats:
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
    user = "Reads text of length L and loses interest steadily, no matter what she finds."
    source = "Sakai & Dou 2013, doi:10.1145/2484028.2484031"
    aliases = ("UMeasure",)
    worked = """
        U(L=4)                         1 0 1    = 0.6
        U(L=4,quantity=ETU)            1 0 1    = 1.5
        U(L=4,quantity=ED)             | 1      = 2.5
        U(L=4,cost=2)                  1 1      = 1
        U(L=4,cost=2,quantity=ETC)     1 1      = 3
        U                              | 1      = 0
    """

    limits = ("1e-3 <= L <= 1e12", "2 <= depth")  # the last rank of a depth has no weight

    meanings = {"L": "The length of text behind which nothing counts, in the unit of `cost`."}

    L: float = 1000

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


_NERR = "Azzopardi, Mackenzie & Moffat 2021, doi:10.1145/3471158.3472239"


@measure
class INST(Goal):
    """The INST model: whoever has found what she came for is likelier to stop.

    She set out to find T results' worth of gain; T_i is what is still missing at rank i, and may
    fall below 0.
    """

    formula = r"C_i = \left( \frac{i + T + T_i - 1}{i + T + T_i} \right)^2, \quad "
    formula += r"T_i = T - \sum_{j \le i} g_j"
    user = "Reads on the likelier the deeper she is, and the less likely the more she has found."
    source = (
        "Moffat et al. 2015, doi:10.1145/2838931.2838938; Moffat et al. 2017, doi:10.1145/3052768"
    )
    promises = frozenset({"in range", "unjudged tail"})
    worked = """
        INST                    1           = 0.6079
        INST                    0 1         = 0.2071
        INST                    1 1         = 0.8857
        INST(T=2)               1 0 1       = 0.4254
        INST(max_rel=2)         1           = 0.2377
        INST(quantity=ED)       1           = 1.6449
        INST(quantity=ED)       | 1         = 2.5797
        INST                    0 -         = 0
    """

    # A user who finds more than she wants at every rank would be ever more likely to read on.
    limits = ("0.5 <= T",)

    def seen(self, stretches: Stretches, rank: Floats) -> Floats:
        return super().seen(stretches, rank - stretches.got)

    def seen_in(self, stretches: Stretches) -> Floats:
        return self.between(stretches.first - stretches.got, stretches.last - stretches.got)

    def carried(self, stretches: Stretches) -> Floats:
        # What was found moves the user back on her way: from here on she is at rank i - got. The
        # weights must meet where she changes over.
        before = stretches.last - stretches.got
        moved = before - stretches.gain
        return super().seen(stretches, before) / super().seen(stretches, moved)


@measure
class BPM(Model):
    """The Bejeweled player model: a user stops once she has gained T, or spent k.

    With dynamic=true each result changes what she expects: by `hb` times its gain above `median`
    for the goal T, by `hc` times that for the budget k. (cwl-eval's dynamic model leaves the budget
    as it is, by a slip; hc=0 gives its numbers.) k counts results, unless results have costs.
    """

    formula = (
        r"C_i = \left[ \sum_{j \le i} g_j < T \right] \cdot \left[ \sum_{j \le i} c_j < k \right]"
    )
    user = "Reads until she has found T results' worth of gain, or has read k results."
    source = "Zhang et al. 2017, doi:10.1145/3077136.3080841"
    promises = frozenset({"in range", "unjudged tail"})
    worked = """
        BPM                      0 1 1                = 0.5
        BPM(T=2)                 0 1 1                = 0.6667
        BPM(T=3)@5               0 1 1                = 0.4
        BPM(quantity=ED)         0 1 1                = 2
        BPM(dynamic=true)        0 0 - 1              = 0
        BPM(T=2,dynamic=true)    1 1 1                = 1
        BPM(T=2,dynamic=true,quantity=ED)@3    1 1 1  = 3
        BPM                      | 1                  = 0
    """

    limits = ("0 < T <= 1e9", "0 <= hb <= 1e6", "0 <= hc <= 1e6", "0 <= median <= 1")

    meanings = {
        "T": "The gain at which the user stops; a result gains 1 at most.",
        "k": "The cost at which the user stops: the number of results, if each costs 1.",
        "dynamic": "true lets each result change T and k, false keeps them.",
        "hb": "How much a gain above `median` raises T, with dynamic=true.",
        "hc": "How much a gain above `median` raises k, with dynamic=true.",
        "median": "The gain that the user expects of a result, with dynamic=true.",
    }

    T: float = 1
    k: int = 10
    dynamic: bool = False
    hb: float = 1
    hc: float = 1
    median: float = 0.5

    def horizon(self, hits: Hits) -> Floats:
        endless = np.full(len(hits), np.inf)
        s = Stretches.of(hits, self.gain_of(hits), endless, self.cost)
        hb, hc = (self.hb, self.hc) if self.dynamic else (0.0, 0.0)
        # At rank i, with gain G above it, the goal is T + hb (G - (i-1) median), and the budget
        # likewise. Where nothing is gained both only fall: solve for the rank at which one is met.
        falling = hb * self.median
        missing = self.T + (hb - 1) * s.got
        met = 1 + missing / falling if falling else np.where(missing > 0, np.inf, s.first)
        budget = self.k + hc * (s.got + self.median) - s.paid + s.each * (s.first - 1)
        spent = budget / (s.each + hc * self.median)
        met, spent = (np.maximum(np.ceil(rank - 1e-9), s.first) for rank in (met, spent))
        # The result that ends a stretch adds to the gain, not to the goal. Two thirds and one third
        # are 1, and in binary they may not be.
        reached = s.gain + 1e-9 >= missing - falling * (s.last - 1)
        stop = np.where(met < s.last, met, np.where(reached, s.last, np.inf))
        stop = np.minimum(stop, np.where(spent <= s.last, spent, np.inf))
        np.minimum.at(endless, s.query, stop)
        return endless

    def seen(self, stretches: Stretches, rank: Floats) -> Floats:
        return np.ones(len(rank))

    def seen_in(self, stretches: Stretches) -> Floats:
        return stretches.length


class Satisfied(Model):
    """Base class of models in which a result stops the user with a probability that is its gain."""

    def carried(self, stretches: Stretches) -> Floats:
        return 1 - stretches.gain


@measure
class NERR8(Truncated, Satisfied):
    """Nearly ERR, the first way: a user reads on unless a result satisfies her, down to rank k.

    ERR itself is no C/W/L measure: it minds at which rank a user stops, and not what she gained on
    the way. These four keep its user, who stops at a result with a probability that is its gain,
    and differ in what else makes her stop.
    """

    formula = r"C_i = (1 - g_i) \cdot [i < k]"
    user = "Stops at a result with a probability that is its gain, and at rank k."
    source = _NERR + ", equation 8"
    worked = """
        NERR8@3                0 1 1         = 0.5
        NERR8@3                1 0 1  max=2  = 0.3750
        NERR8(quantity=ED)@3   1 0 1  max=2  = 2
        NERR8                  | 1           = 0
    """

    k: int = 10

    @staticmethod
    def weight(rank: Floats) -> Floats:
        return np.ones(len(rank))


@measure
class NERR9(Truncated, Satisfied):
    """Nearly ERR, the second way: the rank discourages too, as 1/i does in ERR.

    See NERR8.
    """

    formula = r"C_i = \frac{i}{i+1} (1 - g_i) \cdot [i < k]"
    user = "Stops at a result with a probability that is its gain, else reads on with i / (i + 1)."
    source = _NERR + ", equation 9"
    worked = """
        NERR9@3                0 1 1         = 0.3333
        NERR9@3                1 0 1  max=2  = 0.4118
        NERR9(quantity=ED)@3   | 1           = 1.8333
        NERR9                  | 1           = 0
    """

    k: int = 10

    @staticmethod
    def weight(rank: Floats) -> Floats:
        return 1 / rank


@measure
class NERR10(Satisfied):
    """Nearly ERR, the third way: a user who is not satisfied reads on with probability p.

    See NERR8; where nothing is gained, RBP's user.
    """

    formula = r"C_i = p\, (1 - g_i)"
    user = "Stops at a result with a probability that is its gain, else reads on with p."
    source = _NERR + ", equation 10"
    worked = """
        NERR10(p=0.5)                0 1           = 0.3333
        NERR10(p=0.5)                1 0 1  max=2  = 0.3913
        NERR10(p=0.5,quantity=ED)    | 1           = 2
        NERR10                       | 1           = 0
    """

    limits = ("0 < p < 1",)

    meanings = {"p": "The probability that a user who is not satisfied goes on to the next result."}

    p: float = 0.9

    def seen(self, stretches: Stretches, rank: Floats) -> Floats:
        return np.power(self.p, rank - 1)

    def seen_in(self, stretches: Stretches) -> Floats:
        rate = np.full(len(stretches.first), -np.log(self.p))
        return self.seen(stretches, stretches.first) * _geometric(rate, stretches.length)


@measure
class NERR11(Goal, Satisfied):
    """Nearly ERR, the fourth way: a user who is not satisfied reads on as INSQ's does.

    See NERR8.
    """

    formula = r"C_i = \left( \frac{i + 2T - 1}{i + 2T} \right)^2 (1 - g_i)"
    user = "Stops at a result with a probability that is its gain, else reads on as INSQ's user."
    source = _NERR + ", equation 11"
    worked = """
        NERR11                  0 1           = 0.3077
        NERR11                  1 0 1  max=2  = 0.3586
        NERR11(quantity=ED)     1             = 1
        NERR11                  | 1           = 0
    """

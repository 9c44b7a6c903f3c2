"""Measures of rankings judged twice: by relevance and by credibility."""

from __future__ import annotations

import numpy as np

from cleverdon._common.arrays import Floats, Ints, summed
from cleverdon.errors import InputError, NotationError
from cleverdon.hits import Hits
from cleverdon.measures.base import CollectionFact, Composed, Measure
from cleverdon.measures.registry import measure

_LIOMA = "Lioma, Simonsen & Larsen 2017, doi:10.1145/3121050.3121072"


def _second_grade(hits: Hits) -> Floats:
    """Return the second grade of each row; below 0 where it was not judged."""
    second = hits.judgments.second
    if second is None:
        raise InputError("these judgments have no second grade")
    return np.where(hits.doc >= 0, second[hits.doc], -1)


class RankError(Measure):
    """Base class of NLRE and NGRE: errors between neighbours, of both kinds.

    An error is made where a result stands above one that belongs higher: by as many ranks as lie
    between the two in the ideal order of the judged results. Equal grades share the best rank of
    their group.
    """

    user = "Reads down, and is misled where a better result, or a more credible one, comes later."
    undefined = "no result is judged twice"
    source = _LIOMA
    needs = "second"
    promises = frozenset({"in range"})
    # The error that the authors divide by is the largest where no two grades are equal. Equal ones
    # can make up to 1.5 times the sum of errors, and so 2.25 times a product of two.
    range = (-1.25, 1.0)

    mu: float = 0.5
    nu: float = 0.5

    limits = ("0 <= mu", "0 <= nu")

    def check(self) -> None:
        super().check()
        if self.mu + self.nu == 0:
            raise NotationError(f"{type(self).__name__}(mu=0,nu=0): one of them is above 0")

    def errors(self, hits: Hits) -> tuple[Hits, Floats, Floats]:
        """Return the results that are judged twice, and the errors between each and the next."""
        second = _second_grade(hits)
        both = (hits.grade >= 0) & (second >= 0)
        judged = hits.where(both)
        return judged, _drops(judged, judged.grade), _drops(judged, second[both])


def _drops(hits: Hits, grade: Floats) -> Floats:
    """Return by how many ideal ranks each row is too high above the next."""
    ideal = _ideal_ranks(hits, grade).astype(np.float64)
    drop = np.zeros(len(ideal))
    drop[:-1] = np.maximum(ideal[:-1] - ideal[1:], 0)
    drop[hits.starts[1:][hits.starts[1:] > 0] - 1] = 0  # the last of a query has no next
    return drop


def _ideal_ranks(hits: Hits, grade: Floats) -> Ints:
    """Return one more than the number of the query's results with a higher grade."""
    order = np.lexsort((-grade, hits.query))
    best_first, place = grade[order], hits.ordinal  # rows stay with their queries
    opens = (place == 1) | (best_first != np.roll(best_first, 1))
    shared = place[np.maximum.accumulate(np.where(opens, np.arange(len(order)), 0))]
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = shared
    return ranks


def _most(lengths: Ints) -> tuple[Ints, Floats, Floats]:
    """Return the largest errors that such rankings can hold, and what they are divided by.

    The worst ranking has its last result first, then the first, the last but one, and so on.
    """
    count = lengths // 2
    query = np.repeat(np.arange(len(lengths)), count)
    before = np.cumsum(count) - count
    pair = np.arange(len(query)) - before[query]
    return query, lengths[query] - 2.0 * pair - 1, 1 + np.log2(1.0 + pair)


def _credit(lengths: Ints, error: Floats, most: Floats) -> Floats:
    """Return 1 less the share of the largest error; 1 where a single result has no order."""
    return np.where(lengths > 1, 1 - error / np.where(most > 0, most, 1), 1) / (lengths > 0)


@measure
class NLRE(RankError):
    """Normalised local rank error, of relevance and credibility together.

    Errors of both kinds between the same neighbours are multiplied, so that being wrong in both at
    once is worse than twice being wrong in one. Results that were not judged twice are left out.
    Where grades are equal, the worst orders come out below 0.
    """

    formula = (
        r"1 - \frac{1}{C} \sum_{i=1}^{n-1} "
        r"\frac{(\mu + e_r(i))(\nu + e_c(i)) - \mu\nu}{\log_2(1+i)}"
    )
    meanings = {
        "mu": "Is added to errors of relevance before those of both kinds are multiplied.",
        "nu": "Is added to errors of credibility before those of both kinds are multiplied.",
    }
    worked = """
        NLRE               2/2 1/1 0/0       = 1
        NLRE               1/1 2/2 0/0       = 0.6667
        NLRE               0/0 2/2 1/1       = 0
        NLRE               0/0 2/2 1/1 2/2   = -0.1538
        NLRE               1/0 - 0/1         = 0.75
        NLRE(mu=0,nu=1)    1/0 0/1           = 1
        NLRE               0/0 | 1/1         = 1
        NLRE               - | 1/1           = undefined
    """

    def score(self, hits: Hits) -> Floats:
        judged, relevance, credibility = self.errors(hits)
        error = (self.mu + relevance) * (self.nu + credibility) - self.mu * self.nu
        made = judged.total(error / np.log2(1 + judged.ordinal))
        lengths = np.diff(judged.starts)
        query, largest, discount = _most(lengths)
        possible = (largest**2 + (self.mu + self.nu) * largest) / discount
        most = summed(query, possible, len(hits))
        return _credit(lengths, made, most)


@measure
class NGRE(RankError):
    """Normalised global rank error, of relevance and credibility together.

    Errors of each kind are added up down the ranking, and only the two sums are multiplied.
    Results that were not judged twice are left out. Where grades are equal, the worst orders come
    out below 0.
    """

    formula = (
        r"1 - \frac{(1 + \mu S_r)(1 + \nu S_c) - 1}{C}, \quad S = \sum_{i=1}^{n-1} "
        r"\frac{e(i)}{\log_2(1+i)}"
    )
    meanings = {
        "mu": "The weight of errors of relevance.",
        "nu": "The weight of errors of credibility.",
    }
    worked = """
        NGRE               2/2 1/1 0/0       = 1
        NGRE               0/0 2/2 1/1       = 0
        NGRE               0/0 2/2 1/1 2/2   = -0.2190
        NGRE               1/0 - 0/1         = 0.6
        NGRE(mu=1,nu=0)    1/0 0/1           = 1
        NGRE               0/0 | 1/1         = 1
        NGRE               - | 1/1           = undefined
    """

    def score(self, hits: Hits) -> Floats:
        judged, *errors = self.errors(hits)
        discount = np.log2(1 + judged.ordinal)
        relevance, credibility = (judged.total(error / discount) for error in errors)
        lengths = np.diff(judged.starts)
        query, largest, divisor = _most(lengths)
        most = summed(query, largest / divisor, len(hits))
        made, possible = self._joined(relevance, credibility), self._joined(most, most)
        return _credit(lengths, made, possible)

    def _joined(self, relevance: Floats, credibility: Floats) -> Floats:
        return (1 + self.mu * relevance) * (1 + self.nu * credibility) - 1


@measure
class NWCS(Measure):
    """Normalised weighted cumulative score: nDCG of relevance and credibility together.

    A document gains both its grades, that of relevance by the weight. What was not judged in one
    way gains nothing of that kind.
    """

    formula = (
        r"\sum_{i \le k} \frac{g_i}{\log_2(i+1)} \Big/ \sum_{i \le k} \frac{g^*_i}{\log_2(i+1)}, "
        r"\quad g = \lambda\, \text{rel} + (1-\lambda)\, \text{cred}"
    )
    user = "Reads on to rank k, with attention 1 / log2(rank + 1), for both kinds of worth."
    undefined = "no judged document has a positive gain"
    source = _LIOMA
    needs = "second"
    promises = frozenset({"in range", "unjudged tail"})
    worked = """
        NWCS                2/0 - 1/3     = 0.7602
        NWCS(weight=1)      2/0 - 1/3     = 0.9502
        NWCS(weight=1)@2    1/0 2/9       = 0.8597
        NWCS                - | 1/1       = 0
        NWCS                0/0           = undefined
    """

    limits = ("0 <= weight <= 1",)

    meanings = {"weight": "The weight of relevance; the rest is the weight of credibility."}

    k: int | None = None
    weight: float = 0.5

    def score(self, hits: Hits) -> Floats:
        ideal = self._cumulated(hits.best_by(self._gain))
        return self._cumulated(hits) / np.where(ideal > 0, ideal, np.nan)

    def _gain(self, hits: Hits) -> Floats:
        relevance, credibility = np.maximum(hits.grade, 0), np.maximum(_second_grade(hits), 0)
        return self.weight * relevance + (1 - self.weight) * credibility

    def _cumulated(self, hits: Hits) -> Floats:
        top = hits.top(self.k)
        return top.total(self._gain(top) / np.log2(top.rank + 1))


class Aggregated(Composed):
    """Base class of CAM and WHAM: a measure of relevance, and the same one of credibility."""

    undefined = "the measure is undefined for one of the two"
    source = _LIOMA
    needs = "second"
    limits = ("0 <= weight <= 1",)

    meanings = {"weight": "The weight of relevance; the rest is the weight of credibility."}

    weight: float = 0.5

    @property
    def needs_of_collection(self) -> frozenset[CollectionFact]:
        inner = self.measure.needs_of_collection
        return inner | {"top_second"} if "top_grade" in inner else inner


@measure
class CAM(Aggregated):
    """Convex aggregating measure: any measure of relevance and of credibility, averaged.

    The measure is taken by the first grades and by the second, and the two values are averaged,
    that of relevance by the weight.
    """

    formula = r"\lambda M_{\text{rel}} + (1-\lambda) M_{\text{cred}}"
    user = "As the measure's own; minds relevance by the weight, and credibility by the rest."
    worked = """
        CAM(AP)               1/0 0/1           = 0.75
        CAM(AP,weight=0.9)    1/0 0/1           = 0.95
        CAM(nDCG@2)           2/0 - | 1/3       = 0.3801
        CAM(AP)               - | 1/1           = 0
        CAM(AP)               1/0               = undefined
    """

    def score(self, hits: Hits) -> Floats:
        return self._mean(self.measure(hits), self.measure(hits.by_second_grade()))

    def expected(self, hits: Hits) -> Floats:
        over_ties = self.measure.over_ties
        return self._mean(over_ties(hits), over_ties(hits.by_second_grade()))

    def _mean(self, relevance: Floats, credibility: Floats) -> Floats:
        return self.weight * relevance + (1 - self.weight) * credibility


@measure
class WHAM(Aggregated):
    """Weighted harmonic mean aggregating measure: any measure of relevance and of credibility.

    As CAM, with the harmonic mean, which is nearer to the smaller of the two: 0 where either is 0.
    So it is for measures that are never below 0.
    """

    formula = (
        r"1 \Big/ \left( \frac{\lambda}{M_{\text{rel}}} + \frac{1-\lambda}{M_{\text{cred}}} \right)"
    )
    user = "As the measure's own; a ranking that fails in relevance or credibility is of no use."
    worked = """
        WHAM(AP)              1/0 0/1           = 0.6667
        WHAM(AP,weight=0.9)   1/0 0/1           = 0.9091
        WHAM(P@1)             1/0 0/1           = 0
        WHAM(AP)              - | 1/1           = 0
        WHAM(AP)              1/0               = undefined
    """

    def check(self) -> None:
        super().check()
        if self.measure.range[0] < 0:
            raise NotationError(f"{self}: {self.measure} may be below 0, and has no harmonic mean")

    def score(self, hits: Hits) -> Floats:
        relevance, credibility = self.measure(hits), self.measure(hits.by_second_grade())
        parts = self.weight / relevance + (1 - self.weight) / credibility
        either_is_0 = (relevance == 0) | (credibility == 0)
        undefined = np.isnan(relevance) | np.isnan(credibility)
        return np.where(undefined, np.nan, np.where(either_is_0, 0, 1 / parts))


@measure
class UDCG(Measure):
    """Utility and distraction-aware cumulative gain of passages that a language model reads.

    The second grade of a passage is the probability, from 0 to 1, that the model answers when it is
    given this passage alone, and does not abstain. A relevant passage is worth that much. Any other
    distracts the model: it is worth -gamma times as much. The mean over all passages read is put
    through the logistic function, so that 0.5 is what passages give that neither help nor distract.
    A passage without both grades is worth 0. Defined as in the authors' code,
    github.com/GiovanniTRA/UDCG, in which the order of passages does not matter: the discount by
    position that the paper also proposes is not part of it. The scores of the sample there are
    those of gamma=0.333.
    """

    formula = (
        r"\sigma\left( \frac{1}{\min(k, n)} \sum_{i \le k} u_i \right), "
        r"\quad u_i = c_i \text{ if } r_i = 1, \text{ else } -\gamma c_i"
    )
    user = "A language model: reads the first k passages as a whole, and may be misled by some."
    undefined = "never; where nothing was returned it is 0"
    source = "Trappolini et al. 2025, arXiv:2510.21440"
    needs = "second"
    promises = frozenset({"in range"})
    worked = """
        UDCG            1/1 0/0.6   = 0.5987
        UDCG@1          1/1 0/0.6   = 0.7311
        UDCG(gamma=1)   0/1         = 0.2689
        UDCG            1/1 -       = 0.6225
        UDCG            - | 1/1     = 0.5
        UDCG            | 1/1       = 0
    """

    limits = ("0 <= gamma <= 1e3",)

    k: int | None = None
    rel: float = 1
    meanings = {
        "gamma": "The cost of a distracting passage, as a share of what a relevant one is worth.",
    }

    gamma: float = 1 / 3

    def score(self, hits: Hits) -> Floats:
        top = hits.top(self.k)
        utility = self._utility(top)
        mean = top.total(utility) / np.maximum(top.returned, 1)
        return np.where(top.returned > 0, 1 / (1 + np.exp(-mean)), 0.0)

    def working(self, hits: Hits) -> dict[str, Floats]:
        read = hits.rank <= (self.k or np.inf)
        return {"utility": np.where(read, self._utility(hits), np.nan)}

    def _utility(self, hits: Hits) -> Floats:
        answered = _second_grade(hits)
        if (answered > 1).any():
            raise InputError(
                f"{self}: a second grade of {answered.max():g} is no probability of an answer, "
                "which is from 0 to 1"
            )
        worth = np.where(hits.relevant(self.rel), answered, -self.gamma * answered)
        return np.where((answered >= 0) & (hits.grade >= 0), worth, 0.0)

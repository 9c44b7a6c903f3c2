"""Measures that only trec_eval has."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from cleverdon._common.arrays import Floats, Ints
from cleverdon.hits import Hits
from cleverdon.measures.base import Measure, OverRelevant
from cleverdon.measures.graded import listed_gain
from cleverdon.measures.registry import measure

_EXPERIMENT = "Buckley 2008, an experiment in trec_eval 9"


@measure
class binG(OverRelevant):
    """Binary G: each relevant document discounted by the non-relevant results above it.

    Between AP and nDCG: the discount is nDCG's logarithm, yet other relevant results above do not
    make a result worth less.
    """

    formula = r"\frac{1}{R} \sum_{i} \frac{r_i}{\log_2(2 + \sum_{j < i} (1 - r_j))}"
    user = "Tires of results that are not relevant, and of no others."
    source = _EXPERIMENT
    trec_eval = ("binG",)
    worked = """
        binG           1 1 1       = 1
        binG           1 0 1       = 0.8155
        binG           - 0 1 | 1   = 0.25
        binG(rel=2)    1 2         = 0.6309
        binG           | 1         = 0
        binG           0 -         = undefined
    """

    def score(self, hits: Hits) -> Floats:
        relevant = self.relevant(hits)
        above = relevant.rank - relevant.ordinal
        return relevant.total(1 / np.log2(2.0 + above)) / self.wanted(hits)


@measure
class Yaap(Measure):
    """Yet another average precision: the log-odds of average precision, smoothed.

    AP with one more relevant document found, and one more missed. On one query it orders systems as
    AP does; over queries, neither the hard ones nor the easy ones are crowded into an end of the
    scale, so that a mean of it says more.
    """

    formula = r"\ln \frac{1 + S}{1 + R - S}, \quad S = \sum_i r_i\, P@i"
    user = "As for AP."
    undefined = "never"
    source = "Robertson 2012, On smoothing average precision, ECIR, LNCS 7224, pages 158-169"
    trec_eval = ("yaap",)
    range = (-np.inf, np.inf)
    promises = frozenset({"in range", "swap", "unjudged tail"})
    worked = """
        Yaap          1         = 0.6931
        Yaap          1 - - 1   = 0.5108
        Yaap(rel=2)   1 2       = 0
        Yaap          | 1       = -0.6931
        Yaap          0         = 0
    """

    rel: float = 1

    def score(self, hits: Hits) -> Floats:
        relevant = hits.where(hits.relevant(self.rel))
        precisions = relevant.total(relevant.ordinal / relevant.rank)
        wanted = hits.judgments.relevant(self.rel)
        return np.log((1 + precisions) / (1 + wanted - precisions))


@measure
class RelString(Measure):
    """The grades of the first k results, a character each.

    A digit; `>` for a grade above 9, `.` for a document pooled but not judged (grade below 0), and
    `-` for one that the judgments do not mention. It is a text, which `texts` gives: as a number it
    is nothing.
    """

    formula = r"g_1 g_2 \dots g_k"
    user = "Wants to see the ranking."
    undefined = "never: it is a text, and no number"
    source = "trec_eval"
    trec_eval = ("relstring", "relstring_{k}")
    better = "neither"
    text = True
    worked = """
        RelString     2 - 0 -1 12 | 1   = '2-0.>'
        RelString@2   2 - 0             = '2-'
        RelString     | 1               = ''
    """

    meanings = {"k": "The number of results in the text."}

    k: int = 10

    def texts(self, hits: Hits) -> list[str]:
        top = (hits.condensed() if self.judged_only else hits).top(self.k)
        longest = max(int(top.returned.max(initial=0)), 1)
        # numpy drops the zeros behind the end of a text.
        letters = np.zeros((len(top), longest), dtype=np.uint8)
        letters[np.arange(longest) < top.returned[:, None]] = ord("-")
        digit = np.where(top.grade > 9, ord(">"), ord("0") + np.minimum(top.grade, 9))
        letters[top.query, top.rank - 1] = np.where(top.grade < 0, ord("."), digit)
        return letters.view(f"S{longest}").astype(str).ravel().tolist()

    def score(self, hits: Hits) -> Floats:
        return np.full(len(hits), np.nan)


class Gained(Measure):
    """Base class of measures whose gain is the grade itself, or listed."""

    undefined = "no judged document has a positive gain"
    source = _EXPERIMENT
    promises = frozenset({"in range", "unjudged tail"})

    meanings = {
        "gains": "The gains of some grades, as in {1:3,2:9}; other grades are gains themselves.",
    }

    gains: Mapping[float, float] | None = None

    def gain_of(self, hits: Hits) -> Floats:
        """Return the gain of each row; a listed gain below 0 counts against a run."""
        return listed_gain(np.maximum(hits.grade, 0), hits.grade, self.gains)

    def gaining(self, hits: Hits) -> Hits:
        """Return the rows that have a gain."""
        return hits.where(self.gain_of(hits) != 0)

    def discounted(self, hits: Hits) -> Floats:
        """Return the discounted gain of each row."""
        gain: Floats = self.gain_of(hits) / np.log2(hits.rank + 1.0)
        return gain


def _down_to(hits: Hits, values: Floats, query: Ints, rank: Ints) -> Floats:
    """Return the value of each query's last row at this rank or above; 0 where there is none."""
    rows = hits.rows_up_to(rank, query)
    return np.where(rows > 0, np.append(0.0, values)[hits.starts[query] + rows], 0.0)


@measure
class G(Gained):
    """Normalised gain, each result discounted by how far the ranking lags behind the ideal one.

    A result that comes late is worth as much as ever where all above it was as good as could be.
    """

    formula = (
        r"\sum_i \frac{g_i}{\log_2(2 + c_i - \sum_{j \le i} g_j)} \Big/ \sum_i g^*_i, "
        r"\quad c_i = \sum_{j \le i} \max(g^*_j, 1)"
    )
    user = "Minds how much better the results so far could have been."
    trec_eval = ("G",)
    worked = """
        G                    2 1 0      = 1
        G                    1 2        = 0.8770
        G                    0 - 1 | 2  = 0.1436
        G(gains={1:9,2:3})   1 2        = 1
        G                    | 1        = 0
        G                    0 -        = undefined
    """

    def score(self, hits: Hits) -> Floats:
        best, gaining = hits.best_by(self.gain_of), self.gaining(hits)
        gain, ideal = self.gain_of(gaining), self.gain_of(best)
        costs = best.running(np.maximum(ideal, 1))
        # Below the last result of the ideal ranking, each further one costs 1.
        behind = np.maximum(gaining.rank - best.returned[gaining.query], 0)
        cost = _down_to(best, costs, gaining.query, gaining.rank) + behind
        lag = 2 + cost - gaining.running(gain)
        return gaining.total(gain / np.log2(lag)) / best.total(ideal)


@measure
class Rndcg(Gained):
    """nDCG, averaged over the ranks at which an ideal ranking goes over to the next lower grade.

    To nDCG what Rprec is to precision: where there are two relevant grades, the mean of nDCG at the
    number of the best documents and at the number of all relevant ones. A ranking longer than that
    (by two results or more) is looked at once more at its end.
    """

    formula = (
        r"\frac{1}{|B|} \sum_{b \in B} nDCG@b, "
        r"\quad B = \{ b : g^*_b > g^*_{b+1} \} \cup \{ n : n > I + 1 \}"
    )
    user = "Knows how many documents of each grade there are, and reads as many results."
    undefined = "no judged document is relevant, or none has a positive gain"
    trec_eval = ("Rndcg",)
    promises = frozenset({"in range", "swap"})
    worked = """
        Rndcg                   2 1          = 1
        Rndcg                   1 2          = 0.6799
        Rndcg                   - 2 1        = 0.2398
        Rndcg                   - 2 1 0      = 0.3831
        Rndcg(gains={1:3,2:3})  1 - | 2      = 0.6131
        Rndcg                   | 1          = 0
        Rndcg                   0 -          = undefined
        Rndcg(rel=2)            1 -          = undefined
    """

    rel: float = 1

    def score(self, hits: Hits) -> Floats:
        best, gaining = hits.best_by(self.gain_of), self.gaining(hits)
        ideal, found = self.discounted(best), self.discounted(gaining)
        gain = self.gain_of(best)
        last = np.ones(len(gain), dtype=bool)
        last[:-1] = (gain[1:] != gain[:-1]) | (best.query[1:] != best.query[:-1])
        edges = best.where(last)
        dcg = _down_to(gaining, gaining.running(found), edges.query, edges.rank)
        total = edges.total(dcg / best.running(ideal)[last])
        longer = hits.returned > best.returned + 1
        total += np.where(longer, gaining.total(found) / best.total(ideal), 0)
        points = np.diff(edges.starts) + longer
        return np.where(hits.judgments.relevant(self.rel) > 0, total / points, np.nan)


@measure
class ndcg_rel(Gained):
    """nDCG, averaged over the ranks of the relevant documents, as AP averages precision.

    Those that were not returned count with the gain of the whole ranking over that of the whole
    ideal one. With gains below 0, a value below 0 counts as 0.
    """

    formula = (
        r"\frac{1}{I} \Big( \sum_{i : g_i > 0} nDCG@i "
        r"+ (I - |\{ i : g_i > 0 \}|)\, nDCG \Big)"
    )
    user = "Stops at a relevant document, each as likely."
    trec_eval = ("ndcg_rel",)
    worked = """
        ndcg_rel                    2 1        = 1
        ndcg_rel                    1 2        = 0.6799
        ndcg_rel                    - 1 | 1    = 0.3869
        ndcg_rel(gains={0:-1,1:2})  0 1 | 1    = 0.0803
        ndcg_rel(gains={0:-3,1:2})  0 0 1 | 1  = 0
        ndcg_rel                    | 1        = 0
        ndcg_rel                    0 -        = undefined
    """

    def score(self, hits: Hits) -> Floats:
        best, gaining = hits.best_by(self.gain_of), self.gaining(hits)
        ideal, found = self.discounted(best), self.discounted(gaining)
        wanted = _down_to(best, best.running(ideal), gaining.query, gaining.rank)
        positive = found > 0
        total = gaining.total(np.where(positive, gaining.running(found) / wanted, 0))
        missed = best.returned - gaining.count(positive)
        total += missed * gaining.total(found) / best.total(ideal)
        return np.maximum(total, 0) / best.returned

"""Measures of the confusion matrix: returned or not, relevant or not.

With a cut-off, as in `Specificity@10`, what is below rank k counts as not returned.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from cleverdon._common.arrays import Floats, Ints
from cleverdon.errors import InputError, NotationError
from cleverdon.hits import Hits
from cleverdon.measures.base import Promise
from cleverdon.measures.registry import measure
from cleverdon.measures.sets import SetMeasure

_NEEDS_SIZE = "or docs= is not given"
"""Ends the conditions under which measures that need d are undefined."""
_POWERS = "Powers 2011, Journal of Machine Learning Technologies 2(1), 37-63"


class AtCutoff(SetMeasure):
    """Base class of measures of sets that may take the first k results as the set."""

    k: int | None = None
    """Count only the first k results as returned; without it, all of them."""

    def parts(self, hits: Hits) -> tuple[Floats | Ints, ...]:
        return super().parts(hits.top(self.k))

    def as_found(self, hits: Hits, turned: Hits, *, downwards: bool) -> Floats:
        # One of the first k moves from b to a; one below them moves from d to c.
        a, b, c, *d = (part[turned.query].astype(float) for part in self.parts(hits))
        read = turned.running((turned.rank <= (self.k or np.inf)).astype(float))
        unread = turned.ordinal - read
        return self.of_parts(a + read, b - read, c + unread, *(part - unread for part in d))


class Confusion(AtCutoff):
    """Base class of measures of all four counts: a, b, c as in `SetMeasure`, d is neither."""

    user = "Sorts a whole collection into what is wanted and what is not, in no order."
    source = _POWERS

    @property
    def needs_docs(self) -> bool:
        return True

    def parts(self, hits: Hits) -> tuple[Floats | Ints, ...]:
        a, b, c = super().parts(hits)
        docs = hits.judgments.docs
        if docs is None:
            return a, b, c, np.full(len(hits), np.nan)
        d = docs - (a + b + c)
        if (d < 0).any():
            worst = int(np.argmin(d))
            raise InputError(
                f"docs={docs} is less than the {docs - int(d[worst])} documents that are relevant "
                f"or were returned for query {hits.judgments.queries[worst]!r}"
            )
        return a, b, c, d


class Rate(Confusion):
    """One of the four counts as a share of its sum with another."""

    count: ClassVar[str]
    other: ClassVar[str]

    @property
    def needs_docs(self) -> bool:
        return "d" in (self.count, self.other)

    def parts(self, hits: Hits) -> tuple[Floats | Ints, ...]:
        return super().parts(hits) if self.needs_docs else AtCutoff.parts(self, hits)

    def of_parts(self, *counts: Floats) -> Floats:
        count, other = (counts["abcd".index(name)] for name in (self.count, self.other))
        return count / (count + other)


@measure
class Fallout(Rate):
    """The share of what is not relevant that was returned all the same.

    Recall is the share of the relevant documents returned, fallout that of the others. Also known
    as FPR.
    """

    formula = r"\frac{b}{b + d}"
    count, other = "b", "d"
    better = "lower"
    undefined = f"every document is relevant, {_NEEDS_SIZE}"
    source = "van Rijsbergen 1979, Information Retrieval, chapter 7"
    aliases: ClassVar[tuple[str, ...]] = ("fall-out", "fall_out")
    worked = """
        Fallout     1 0 - | 1 docs=10  = 0.25
        Fallout     1     | 1 docs=10  = 0
        Fallout@2   1 0 - | 1 docs=10  = 0.125
        Fallout     1 0 - | 1          = undefined
        Fallout     1     | 1 docs=2   = undefined
    """


@measure
class TPR(Rate):
    """True positive rate: the share of what is relevant that was returned; recall."""

    formula = r"\frac{a}{a + c}"
    count, other = "a", "c"
    undefined = "no judged document is relevant"
    user = SetMeasure.user
    aliases = ("Sensitivity",)
    promises = frozenset({"in range", "swap", "unjudged tail"})
    worked = """
        TPR     1 0 - | 1    = 0.5
        TPR@1   1 0 1 | 1 1  = 0.25
        TPR     0 -          = undefined
    """


@measure
class TNR(Rate):
    """True negative rate: the share of what is not relevant that was kept back."""

    formula = r"\frac{d}{b + d}"
    count, other = "d", "b"
    undefined = f"every document is relevant, {_NEEDS_SIZE}"
    aliases = ("Specificity",)
    worked = """
        TNR     1 0 - | 1 docs=10  = 0.75
        TNR@2   1 0 - | 1 docs=10  = 0.875
        TNR     1 0 - | 1          = undefined
        TNR     1     | 1 docs=2   = undefined
    """


@measure
class PPV(Rate):
    """Positive predictive value: the share of what was returned that is relevant; precision."""

    formula = r"\frac{a}{a + b}"
    count, other = "a", "b"
    undefined = "nothing was returned"
    user = SetMeasure.user
    worked = """
        PPV     1 0 - - | 1  = 0.25
        PPV@2   1 0 - - | 1  = 0.5
        PPV     | 1          = undefined
    """


@measure
class NPV(Rate):
    """Negative predictive value: the share of what was kept back that is not relevant."""

    formula = r"\frac{d}{c + d}"
    count, other = "d", "c"
    undefined = f"every document was returned, {_NEEDS_SIZE}"
    worked = """
        NPV     1 0 | 1 docs=6    = 0.75
        NPV@1   1 0 1 | 1 docs=6  = 0.6
        NPV     1 0 | 1           = undefined
        NPV     1 0 docs=2        = undefined
    """


@measure
class FNR(Rate):
    """False negative rate: the share of what is relevant that was not returned.

    1 - TPR, the miss rate.
    """

    formula = r"\frac{c}{a + c}"
    count, other = "c", "a"
    better = "lower"
    undefined = "no judged document is relevant"
    user = SetMeasure.user
    promises = frozenset({"in range", "swap", "unjudged tail"})
    aliases = ("MissRate", "miss_rate")
    worked = """
        FNR     1 0 - | 1 1  = 0.6667
        FNR@1   1 0 1 | 1 1  = 0.75
        FNR     0 -          = undefined
    """


@measure
class FPR(Fallout):
    """False positive rate: the share of what is not relevant that was returned all the same.

    1 - TNR. In retrieval it is called fallout.
    """

    source = _POWERS
    aliases = ()
    worked = """
        FPR     1 0 - | 1 docs=10  = 0.25
        FPR@2   1 0 - | 1 docs=10  = 0.125
        FPR     1 0 - | 1          = undefined
        FPR     1     | 1 docs=2   = undefined
    """


@measure
class FDR(Rate):
    """False discovery rate: the share of what was returned that is not relevant.

    1 - PPV.
    """

    formula = r"\frac{b}{a + b}"
    count, other = "b", "a"
    better = "lower"
    undefined = "nothing was returned"
    user = SetMeasure.user
    worked = """
        FDR     1 0 - - | 1  = 0.75
        FDR@2   1 0 - - | 1  = 0.5
        FDR     | 1          = undefined
    """


@measure
class FOR(Rate):
    """False omission rate: the share of what was kept back that is relevant.

    1 - NPV.
    """

    formula = r"\frac{c}{c + d}"
    count, other = "c", "d"
    better = "lower"
    undefined = f"every document was returned, {_NEEDS_SIZE}"
    worked = """
        FOR     1 0 | 1 docs=6    = 0.25
        FOR@1   1 0 1 | 1 docs=6  = 0.4
        FOR     1 0 | 1           = undefined
        FOR     1 0 docs=2        = undefined
    """


@measure
class SetAccuracy(Confusion):
    """The share of all documents that were sorted rightly: relevant and returned, or neither.

    Little use in retrieval: where one document in a million is relevant, returning nothing at all
    is nearly perfect.
    """

    formula = r"\frac{a + d}{a + b + c + d}"
    undefined = "docs= is not given"
    shared_names = ("Accuracy",)
    aliases = ("ACC",)
    worked = """
        SetAccuracy     1 0 - | 1 docs=10  = 0.7
        SetAccuracy     | 1 docs=10        = 0.9
        SetAccuracy@1   1 0 - | 1 docs=10  = 0.9
        SetAccuracy     1 0 - | 1          = undefined
    """

    def of_parts(self, a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
        return (a + d) / (a + b + c + d)


@measure
class BalancedAccuracy(Confusion):
    """The mean of the share of the relevant returned and of the share of the rest kept back.

    Accuracy for collections in which little is relevant: 0.5 is what returning all, nothing, or
    anything at random gives.
    """

    formula = r"\frac{1}{2} \left( \frac{a}{a + c} + \frac{d}{b + d} \right)"
    undefined = f"no judged document is relevant, every document is, {_NEEDS_SIZE}"
    source = "Brodersen et al. 2010, doi:10.1109/ICPR.2010.764"
    shared_names = ("Accuracy",)
    aliases = ("BA",)
    worked = """
        BalancedAccuracy     1 0 - | 1 docs=10  = 0.625
        BalancedAccuracy     | 1 docs=10        = 0.5
        BalancedAccuracy@2   1 0 - | 1 docs=10  = 0.6875
        BalancedAccuracy     1 0 - | 1          = undefined
        BalancedAccuracy     0 - docs=10        = undefined
    """

    def of_parts(self, a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
        return (a / (a + c) + d / (b + d)) / 2


@measure
class MCC(Confusion):
    """Matthews' correlation coefficient: between being relevant and being returned.

    1 where exactly the relevant documents were returned, 0 where there is no relation, -1 where
    exactly the others were. Where it is undefined it counts as 0 in averages, as in scikit-learn.
    """

    formula = r"\frac{ad - bc}{\sqrt{(a + b)(a + c)(b + d)(c + d)}}"
    undefined = f"all or none are relevant, all or none were returned, {_NEEDS_SIZE}"
    source = "Matthews 1975, doi:10.1016/0005-2795(75)90109-9"
    range = (-1.0, 1.0)
    aliases = ("PhiCoefficient",)
    worked = """
        MCC     1 0 | 1 docs=10    = 0.375
        MCC     1 docs=2           = 1
        MCC     0 | 1 docs=2       = -1
        MCC@2   1 0 - | 1 docs=10  = 0.375
        MCC     1 0 | 1            = undefined
        MCC     | 1 docs=10        = undefined
    """

    def of_parts(self, a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
        return (a * d - b * c) / np.sqrt((a + b) * (a + c) * (b + d) * (c + d))


@measure
class FowlkesMallows(AtCutoff):
    """The geometric mean of precision and recall of the whole result."""

    formula = r"\frac{a}{\sqrt{(a + b)(a + c)}}"
    undefined = "nothing was returned, or no judged document is relevant"
    source = "Fowlkes & Mallows 1983, doi:10.1080/01621459.1983.10478008"
    aliases = ("FM",)
    worked = """
        FowlkesMallows     1 0 - - | 1 1 1  = 0.25
        FowlkesMallows     0 - | 1          = 0
        FowlkesMallows@1   1 0 - - | 1 1 1  = 0.5
        FowlkesMallows     | 1              = undefined
        FowlkesMallows     0                = undefined
    """

    def of_parts(self, a: Floats, b: Floats, c: Floats) -> Floats:
        return a / np.sqrt((a + b) * (a + c))


@measure
class Informedness(Confusion):
    """The difference between the shares of relevant and other documents returned: TPR - FPR.

    Youden's J. 0 is what chance gives.
    """

    formula = r"\frac{a}{a + c} + \frac{d}{b + d} - 1"
    undefined = f"no judged document is relevant, every document is, {_NEEDS_SIZE}"
    source = "Youden 1950, doi:10.1002/1097-0142(1950)3:1<32::AID-CNCR2820030106>3.0.CO;2-3"
    range = (-1.0, 1.0)
    aliases = ("YoudenJ", "BM", "BookmakerInformedness")
    worked = """
        Informedness     1 0 - | 1 docs=10  = 0.25
        Informedness     0 | 1 docs=2       = -1
        Informedness@2   1 0 - | 1 docs=10  = 0.375
        Informedness     1 0 - | 1          = undefined
        Informedness     0 - docs=10        = undefined
    """

    def of_parts(self, a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
        return a / (a + c) + d / (b + d) - 1


@measure
class Markedness(Confusion):
    """The difference between the shares relevant of what was returned and the rest: PPV - FOR.

    0 is what chance gives.
    """

    formula = r"\frac{a}{a + b} + \frac{d}{c + d} - 1"
    undefined = f"nothing was returned, every document was, {_NEEDS_SIZE}"
    range = (-1.0, 1.0)
    aliases = ("MK", "DeltaP")
    worked = """
        Markedness     1 0 | 1 docs=6    = 0.25
        Markedness     0 | 1 docs=2      = -1
        Markedness@1   1 0 1 | 1 docs=6  = 0.6
        Markedness     1 0 | 1           = undefined
        Markedness     | 1 docs=10       = undefined
    """

    def of_parts(self, a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
        return a / (a + b) + d / (c + d) - 1


@measure
class PrevalenceThreshold(Confusion):
    """The share of relevant documents below which precision falls steeply, at these TPR and FPR."""

    formula = r"\frac{\sqrt{FPR}}{\sqrt{TPR} + \sqrt{FPR}}"
    undefined = (
        "no judged document is relevant, every document is, nothing was returned, " + _NEEDS_SIZE
    )
    source = "Balayla 2020, doi:10.1371/journal.pone.0240215"
    better = "lower"
    aliases = ("PT",)
    worked = """
        PrevalenceThreshold     1 0 - | docs=9        = 0.3333
        PrevalenceThreshold     1 docs=9              = 0
        PrevalenceThreshold@2   1 0 - | 1 1 1 docs=8  = 0.5
        PrevalenceThreshold     1 0 -                 = undefined
        PrevalenceThreshold     0 docs=9              = undefined
        PrevalenceThreshold     | 1 docs=9            = undefined
    """

    def of_parts(self, a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
        hits: Floats = np.sqrt(a / (a + c))
        false_alarms: Floats = np.sqrt(b / (b + d))
        return false_alarms / (hits + false_alarms)


@measure
class ThreatScore(AtCutoff):
    """The share of relevant results in all documents that are relevant or were returned.

    Jaccard's coefficient, also called critical success index. Unlike accuracy it does not count the
    many documents that are neither.
    """

    formula = r"\frac{a}{a + b + c}"
    undefined = "nothing was returned and no judged document is relevant"
    source = "Jaccard 1912, doi:10.1111/j.1469-8137.1912.tb05611.x"
    aliases = ("Jaccard", "TS", "CSI", "CriticalSuccessIndex")
    worked = """
        ThreatScore     1 0 - | 1  = 0.25
        ThreatScore     0          = 0
        ThreatScore@1   1 0 - | 1  = 0.5
        ThreatScore     | 0        = undefined
    """

    def of_parts(self, a: Floats, b: Floats, c: Floats) -> Floats:
        return a / (a + b + c)


@measure
class Utility(Confusion):
    """The worth of a result, with a price for each of the four kinds of document.

    As in filtering tasks: by default a relevant result earns 1, any other costs 1.
    """

    formula = r"w_1 a + w_2 b + w_3 c + w_4 d"
    user = "Gains or loses by each document that is returned, and by each that is kept back."
    undefined = "never; with a weight for d, where docs= is not given"
    source = "Lewis 1996, The TREC-4 Filtering Track"
    trec_eval = ("utility",)
    range = (-np.inf, np.inf)
    worked = """
        Utility                   1 0 - | 1          = -1
        Utility(w=(3,-2,-1,0))    1 0 - | 1          = -2
        Utility(w=(1,-1,0,0.5))   1 0 - | 1 docs=10  = 2
        Utility@1                 1 0 - | 1          = 1
        Utility(w=(1,-1,0,0.5))   1 0 - | 1          = undefined
        Utility                   | 1                = 0
    """

    meanings = {
        "w": "The worth of a document that is relevant and returned, only returned, only "
        "relevant, neither.",
    }

    w: tuple[float, float, float, float] = (1, -1, 0, 0)
    rel: float = 1
    k: int | None = None

    def check(self) -> None:
        super().check()
        if len(self.w) != 4:
            raise NotationError(f"{self}: w is four numbers, for a, b, c and d")

    @property
    def needs_docs(self) -> bool:
        return self.w[3] != 0

    def keeps(self, promise: Promise) -> bool:
        # A relevant result that moves up into the first k turns a b and a c into an a and a d.
        loses = promise == "swap" and self.w[0] - self.w[1] - self.w[2] + self.w[3] < 0
        return super().keeps(promise) and not (loses and self.k is not None)

    def of_parts(self, a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
        worth = self.w[0] * a + self.w[1] * b + self.w[2] * c
        # Without docs= nobody knows d, and 0 times that would not be 0.
        return worth + self.w[3] * d if self.needs_docs else worth

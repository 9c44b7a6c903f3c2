"""The confusion matrix in one number: how far what was returned and what is relevant agree.

The four counts are those of `confusion`.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.errors import NotationError
from cleverdon.measures.base import Better
from cleverdon.measures.confusion import NEEDS_SIZE, Confusion
from cleverdon.measures.registry import measure
from cleverdon.measures.sets import SetMeasure


@measure
class SetAccuracy(Confusion):
    """The share of all documents that were sorted rightly: relevant and returned, or neither.

    Little use in retrieval: where one document in a million is relevant, returning nothing at all
    is nearly perfect.
    """

    formula = r"\frac{a + d}{a + b + c + d}"
    undefined = "docs= is not given"
    shared_names = ("Accuracy",)
    worked = """
        SetAccuracy   1 0 - | 1 docs=10  = 0.7
        SetAccuracy   | 1 docs=10        = 0.9
        SetAccuracy   1 0 - | 1          = undefined
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
    undefined = f"no judged document is relevant, every document is, {NEEDS_SIZE}"
    source = "Brodersen et al. 2010, doi:10.1109/ICPR.2010.764"
    shared_names = ("Accuracy",)
    worked = """
        BalancedAccuracy   1 0 - | 1 docs=10  = 0.625
        BalancedAccuracy   | 1 docs=10        = 0.5
        BalancedAccuracy   1 0 - | 1          = undefined
        BalancedAccuracy   0 - docs=10        = undefined
    """

    def of_parts(self, a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
        return (a / (a + c) + d / (b + d)) / 2


@measure
class MCC(Confusion):
    """Matthews' correlation coefficient: between being relevant and being returned.

    1 where the two are the same, 0 where they have nothing to do with each other, -1 where just
    what is not relevant was returned. Where it is undefined it counts as 0 in averages, as in
    scikit-learn.
    """

    formula = r"\frac{ad - bc}{\sqrt{(a + b)(a + c)(b + d)(c + d)}}"
    undefined = f"all or none are relevant, all or none were returned, {NEEDS_SIZE}"
    source = "Matthews 1975, doi:10.1016/0005-2795(75)90109-9"
    range = (-1.0, 1.0)
    aliases = ("PhiCoefficient",)
    worked = """
        MCC   1 0 | 1 docs=10  = 0.375
        MCC   1 docs=2         = 1
        MCC   0 | 1 docs=2     = -1
        MCC   1 0 | 1          = undefined
        MCC   | 1 docs=10      = undefined
    """

    def of_parts(self, a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
        return (a * d - b * c) / np.sqrt((a + b) * (a + c) * (b + d) * (c + d))


@measure
class FowlkesMallows(SetMeasure):
    """The geometric mean of precision and recall of the whole result."""

    formula = r"\frac{a}{\sqrt{(a + b)(a + c)}}"
    undefined = "nothing was returned, or no judged document is relevant"
    source = "Fowlkes & Mallows 1983, doi:10.1080/01621459.1983.10478008"
    promises = frozenset({"in range", "swap"})
    worked = """
        FowlkesMallows   1 0 - - | 1 1 1  = 0.25
        FowlkesMallows   0 - | 1          = 0
        FowlkesMallows   | 1              = undefined
        FowlkesMallows   0                = undefined
    """

    def of_parts(self, a: Floats, b: Floats, c: Floats) -> Floats:
        return a / np.sqrt((a + b) * (a + c))


@measure
class Informedness(Confusion):
    """How far what is relevant is returned more often than what is not: TPR - FPR.

    Youden's J. 0 is what chance gives.
    """

    formula = r"\frac{a}{a + c} + \frac{d}{b + d} - 1"
    undefined = f"no judged document is relevant, every document is, {NEEDS_SIZE}"
    source = "Youden 1950, doi:10.1002/1097-0142(1950)3:1<32::AID-CNCR2820030106>3.0.CO;2-3"
    range = (-1.0, 1.0)
    aliases = ("YoudenJ",)
    worked = """
        Informedness   1 0 - | 1 docs=10  = 0.25
        Informedness   0 | 1 docs=2       = -1
        Informedness   1 0 - | 1          = undefined
        Informedness   0 - docs=10        = undefined
    """

    def of_parts(self, a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
        return a / (a + c) + d / (b + d) - 1


@measure
class Markedness(Confusion):
    """How far what was returned is relevant more often than what was not: PPV - FOR.

    0 is what chance gives.
    """

    formula = r"\frac{a}{a + b} + \frac{d}{c + d} - 1"
    undefined = f"nothing was returned, every document was, {NEEDS_SIZE}"
    range = (-1.0, 1.0)
    worked = """
        Markedness   1 0 | 1 docs=6  = 0.25
        Markedness   0 | 1 docs=2    = -1
        Markedness   1 0 | 1         = undefined
        Markedness   | 1 docs=10     = undefined
    """

    def of_parts(self, a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
        return a / (a + b) + d / (c + d) - 1


@measure
class PrevalenceThreshold(Confusion):
    """The share of relevant documents below which precision falls steeply, at these TPR and FPR."""

    formula = r"\frac{\sqrt{FPR}}{\sqrt{TPR} + \sqrt{FPR}}"
    undefined = (
        "no judged document is relevant, every document is, nothing was returned, " + NEEDS_SIZE
    )
    source = "Balayla 2020, doi:10.1371/journal.pone.0240215"
    better: ClassVar[Better] = "lower"
    worked = """
        PrevalenceThreshold   1 0 - | docs=9         = 0.3333
        PrevalenceThreshold   1 docs=9               = 0
        PrevalenceThreshold   1 0 -                  = undefined
        PrevalenceThreshold   0 docs=9               = undefined
        PrevalenceThreshold   | 1 docs=9             = undefined
    """

    def of_parts(self, a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
        hits: Floats = np.sqrt(a / (a + c))
        false_alarms: Floats = np.sqrt(b / (b + d))
        return false_alarms / (hits + false_alarms)


@measure
class ThreatScore(SetMeasure):
    """What was returned and is relevant, as a share of all that is either.

    Jaccard's coefficient, also called critical success index. Unlike accuracy it does not count the
    many documents that are neither.
    """

    formula = r"\frac{a}{a + b + c}"
    undefined = "nothing was returned and no judged document is relevant"
    source = "Jaccard 1912, doi:10.1111/j.1469-8137.1912.tb05611.x"
    aliases = ("Jaccard",)
    promises = frozenset({"in range", "swap"})
    worked = """
        ThreatScore   1 0 - | 1  = 0.25
        ThreatScore   0          = 0
        ThreatScore   | 0        = undefined
    """

    def of_parts(self, a: Floats, b: Floats, c: Floats) -> Floats:
        return a / (a + b + c)


@measure
class Utility(Confusion):
    """What a result is worth, when each of the four kinds of document has its price.

    As in filtering tasks: by default a relevant result earns 1, any other costs 1.
    """

    formula = r"w_1 a + w_2 b + w_3 c + w_4 d"
    user = "Gains or loses by each document that is returned, and by each that is kept back."
    undefined = "never; with a weight for d, where docs= is not given"
    source = "Lewis 1996, The TREC-4 Filtering Track"
    trec_eval = ("utility",)
    range = (-np.inf, np.inf)
    worked = """
        Utility                  1 0 - | 1           = -1
        Utility(w=(3,-2,-1,0))   1 0 - | 1           = -2
        Utility(w=(1,-1,0,0.5))  1 0 - | 1 docs=10   = 2
        Utility(w=(1,-1,0,0.5))  1 0 - | 1           = undefined
        Utility                  | 1                 = 0
    """

    w: tuple[float, float, float, float] = (1, -1, 0, 0)
    rel: float = 1

    def check(self) -> None:
        if len(self.w) != 4:
            raise NotationError(f"{self}: w is four numbers, for a, b, c and d")

    @property
    def needs_docs(self) -> bool:
        return self.w[3] != 0

    def of_parts(self, a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
        worth = self.w[0] * a + self.w[1] * b + self.w[2] * c
        # Without docs= nobody knows d, and 0 times that would not be 0.
        return worth + self.w[3] * d if self.needs_docs else worth

"""The confusion matrix: what was returned and what was not, relevant or not; and its rates.

a is returned and relevant, b returned and not relevant, c relevant and not returned, d neither. For
d one must know how many documents there are: without `docs=` the measures that need it are
undefined. What nobody judged counts as not relevant.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from cleverdon.arrays import Floats, Ints
from cleverdon.errors import InputError
from cleverdon.hits import Hits
from cleverdon.measures.base import Better
from cleverdon.measures.registry import measure
from cleverdon.measures.sets import SetMeasure

NEEDS_SIZE = "or docs= is not given"
"""How the measures that need d end their list of where they are undefined."""
POWERS = "Powers 2011, Journal of Machine Learning Technologies 2(1), 37-63"


class Confusion(SetMeasure):
    """What measures of all four counts share."""

    user = "Sorts a whole collection into what is wanted and what is not, in no order."
    source = POWERS
    promises = frozenset({"in range", "swap"})

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


@measure
class Fallout(Confusion):
    """The share of what is not relevant that was returned all the same.

    Recall says what of the wanted was returned, fallout what of the unwanted. Also known as FPR.
    """

    formula = r"\frac{b}{b + d}"
    undefined = f"every document is relevant, {NEEDS_SIZE}"
    source = "van Rijsbergen 1979, Information Retrieval, chapter 7"
    better: ClassVar[Better] = "lower"
    worked = """
        Fallout   1 0 - | 1 docs=10  = 0.25
        Fallout   1     | 1 docs=10  = 0
        Fallout   1 0 - | 1          = undefined
        Fallout   1     | 1 docs=2   = undefined
    """

    def of_parts(self, a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
        return b / (b + d)


@measure
class TPR(SetMeasure):
    """True positive rate: the share of what is relevant that was returned; recall."""

    formula = r"\frac{a}{a + c}"
    undefined = "no judged document is relevant"
    source = POWERS
    aliases = ("Sensitivity",)
    promises = frozenset({"in range", "swap", "unjudged tail"})
    worked = """
        TPR   1 0 - | 1  = 0.5
        TPR   0 -        = undefined
    """

    def of_parts(self, a: Floats, b: Floats, c: Floats) -> Floats:
        return a / (a + c)


@measure
class TNR(Confusion):
    """True negative rate: the share of what is not relevant that was kept back."""

    formula = r"\frac{d}{b + d}"
    undefined = f"every document is relevant, {NEEDS_SIZE}"
    aliases = ("Specificity",)
    worked = """
        TNR   1 0 - | 1 docs=10  = 0.75
        TNR   1 0 - | 1          = undefined
        TNR   1     | 1 docs=2   = undefined
    """

    def of_parts(self, a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
        return d / (b + d)


@measure
class PPV(SetMeasure):
    """Positive predictive value: the share of what was returned that is relevant; precision."""

    formula = r"\frac{a}{a + b}"
    undefined = "nothing was returned"
    source = POWERS
    promises = frozenset({"in range", "swap"})
    worked = """
        PPV   1 0 - - | 1  = 0.25
        PPV   | 1          = undefined
    """

    def of_parts(self, a: Floats, b: Floats, c: Floats) -> Floats:
        return a / (a + b)


@measure
class NPV(Confusion):
    """Negative predictive value: the share of what was kept back that is not relevant."""

    formula = r"\frac{d}{c + d}"
    undefined = f"every document was returned, {NEEDS_SIZE}"
    worked = """
        NPV   1 0 | 1 docs=6  = 0.75
        NPV   1 0 | 1         = undefined
        NPV   1 0 docs=2      = undefined
    """

    def of_parts(self, a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
        return d / (c + d)


@measure
class FNR(SetMeasure):
    """False negative rate: the share of what is relevant that was not returned.

    1 - TPR, the miss rate.
    """

    formula = r"\frac{c}{a + c}"
    undefined = "no judged document is relevant"
    source = POWERS
    better: ClassVar[Better] = "lower"
    promises = frozenset({"in range", "swap", "unjudged tail"})
    worked = """
        FNR   1 0 - | 1 1  = 0.6667
        FNR   0 -          = undefined
    """

    def of_parts(self, a: Floats, b: Floats, c: Floats) -> Floats:
        return c / (a + c)


@measure
class FPR(Confusion):
    """False positive rate: the share of what is not relevant that was returned all the same.

    1 - TNR. In retrieval it is called fallout.
    """

    formula = r"\frac{b}{b + d}"
    undefined = f"every document is relevant, {NEEDS_SIZE}"
    better: ClassVar[Better] = "lower"
    worked = """
        FPR   1 0 - | 1 docs=10  = 0.25
        FPR   1 0 - | 1          = undefined
        FPR   1     | 1 docs=2   = undefined
    """

    def of_parts(self, a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
        return b / (b + d)


@measure
class FDR(SetMeasure):
    """False discovery rate: the share of what was returned that is not relevant.

    1 - PPV.
    """

    formula = r"\frac{b}{a + b}"
    undefined = "nothing was returned"
    source = POWERS
    better: ClassVar[Better] = "lower"
    promises = frozenset({"in range", "swap"})
    worked = """
        FDR   1 0 - - | 1  = 0.75
        FDR   | 1          = undefined
    """

    def of_parts(self, a: Floats, b: Floats, c: Floats) -> Floats:
        return b / (a + b)


@measure
class FOR(Confusion):
    """False omission rate: the share of what was kept back that is relevant.

    1 - NPV.
    """

    formula = r"\frac{c}{c + d}"
    undefined = f"every document was returned, {NEEDS_SIZE}"
    better: ClassVar[Better] = "lower"
    worked = """
        FOR   1 0 | 1 docs=6  = 0.25
        FOR   1 0 | 1         = undefined
        FOR   1 0 docs=2      = undefined
    """

    def of_parts(self, a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
        return c / (c + d)

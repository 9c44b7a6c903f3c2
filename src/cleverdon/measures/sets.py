"""Measures of the whole result as a set, in no order."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from cleverdon._common.arrays import Floats, Ints
from cleverdon.errors import NotationError
from cleverdon.hits import Hits
from cleverdon.measures.base import Measure, Promise
from cleverdon.measures.registry import measure

_BOOK = "van Rijsbergen 1979, Information Retrieval, chapter 7"


class SetMeasure(Measure):
    """Base class: a is returned and relevant, b only returned, c only relevant."""

    user = "Looks at everything that came back, in no order."
    promises: ClassVar[frozenset[Promise]] = frozenset({"in range", "swap"})

    rel: float = 1

    def parts(self, hits: Hits) -> tuple[Floats | Ints, ...]:
        found = hits.count(hits.relevant(self.rel))
        return found, hits.returned - found, hits.judgments.relevant(self.rel) - found

    def as_found(self, hits: Hits, turned: Hits, *, downwards: bool) -> Floats:
        a, b, *others = (part[turned.query].astype(float) for part in self.parts(hits))
        return self.of_parts(a + turned.ordinal, b - turned.ordinal, *others)


@measure
class SetP(SetMeasure):
    """Precision of the whole result.

    The share of what was returned that is relevant.
    """

    formula = r"\frac{|\text{relevant} \cap \text{returned}|}{|\text{returned}|}"
    undefined = "nothing was returned"
    source = _BOOK
    trec_eval = ("set_P",)
    promises = frozenset({"in range", "swap", "gain"})
    with_cutoff = ("P", {"norm": "returned"})
    spellings = {"relative": {"True": {"class": "SetRelP"}, "False": {}}}
    worked = """
        SetP          1 0 - 2     = 0.5
        SetP(rel=2)   1 0 - 2 | 1 = 0.25
        SetP          | 1         = undefined
    """

    def of_parts(self, a: Floats, b: Floats, c: Floats) -> Floats:
        return a / (a + b)


@measure
class SetR(SetMeasure):
    """Recall of the whole result.

    The share of what is relevant that was returned.
    """

    formula = r"\frac{|\text{relevant} \cap \text{returned}|}{R}"
    user = "Needs all there is, and looks at everything that came back."
    undefined = "no judged document is relevant"
    source = _BOOK
    trec_eval = ("set_recall",)
    promises = frozenset({"in range", "swap", "unjudged tail"})
    with_cutoff = ("R", {})
    worked = """
        SetR   1 0 - | 1  = 0.5
        SetR   - -   | 1  = 0
        SetR   0 -        = undefined
    """

    def of_parts(self, a: Floats, b: Floats, c: Floats) -> Floats:
        return a / (a + c)


def f_of(precision: float, recall: float, square: float) -> float:
    """Return F of precision and recall, the latter weighed by the square of beta."""
    both = square * precision + recall
    return 0.0 if both == 0 else (1 + square) * precision * recall / both


@measure
class SetF(SetMeasure):
    """F-measure of the whole result: precision and recall in one number.

    Their harmonic mean, recall weighed beta times as much as precision. trec_eval's `set_F_x` and
    ir_measures' `SetF(beta=x)` take beta squared.
    """

    formula = r"\frac{(1 + \beta^2)\, P R}{\beta^2 P + R}"
    user = "Cares beta times as much for recall as for precision."
    undefined = "nothing was returned and (unless beta=0) no judged document is relevant"
    source = _BOOK
    trec_eval: ClassVar[tuple[str, ...]] = ("set_F",)
    shared_names: ClassVar[tuple[str, ...]] = ("FMeasure", "F-measure")
    instead_of_cutoff = "F@{k} is that of the first {k}, also where fewer came back"
    worked = """
        SetF             1 0 - - | 1  = 0.3333
        SetF(beta=2)     1 0 - - | 1  = 0.4167
        SetF(alpha=0.2)  1 0 - - | 1  = 0.4167
        SetF             0 -     | 1  = 0
        SetF             0            = 0
        SetF             | 0          = undefined
    """

    limits = ("0 <= beta <= 1e6", "0 < alpha <= 1")

    meanings = {
        "beta": "How many times as much recall weighs as precision.",
        "alpha": "The weight of precision, 1 / (1 + beta²); none means that beta holds.",
    }

    beta: float = 1
    alpha: float | None = None
    rel: float = 1

    def check(self) -> None:
        super().check()
        if self.alpha is not None and self.beta != 1:
            raise NotationError(f"{type(self).__name__} takes beta or alpha, not both")

    @property
    def square(self) -> float:
        """The square of beta, which alpha may give instead."""
        return self.beta**2 if self.alpha is None else (1 - self.alpha) / self.alpha

    def of_parts(self, a: Floats, b: Floats, c: Floats) -> Floats:
        return (1 + self.square) * a / (a + b + self.square * (a + c))

    def components(self, a: Floats, b: Floats, c: Floats) -> dict[Measure, Floats]:
        return {SetP(rel=self.rel): a / (a + b), SetR(rel=self.rel): a / (a + c)}

    def of_means(self, precision: float, recall: float) -> float:
        return f_of(precision, recall, self.square)


@measure
class SetE(SetF):
    """Van Rijsbergen's effectiveness of the whole result: what is missing from a perfect F.

    It is older than F, which turned it round so that higher is better.
    """

    formula = r"1 - \frac{(1 + \beta^2)\, P R}{\beta^2 P + R}"
    trec_eval = ()
    shared_names = ()
    instead_of_cutoff = "1 - F@{k} is that of the first {k}, also where fewer came back"
    better = "lower"
    worked = """
        SetE             1 0 - - | 1  = 0.6667
        SetE(beta=2)     1 0 - - | 1  = 0.5833
        SetE(alpha=0.5)  1 0 - - | 1  = 0.6667
        SetE             1            = 0
        SetE             0 -     | 1  = 1
        SetE             | 0          = undefined
    """

    def of_parts(self, a: Floats, b: Floats, c: Floats) -> Floats:
        return 1 - super().of_parts(a, b, c)

    def of_means(self, precision: float, recall: float) -> float:
        return 1 - super().of_means(precision, recall)


@measure
class SetRelP(SetMeasure):
    """Relative precision of the whole result: what was found of what could have been.

    A system that returns n results can find no more than n of the R relevant documents, nor more
    than R.
    """

    formula = r"\frac{|\text{relevant} \cap \text{returned}|}{\min(n, R)}"
    user = "Looks at everything that came back, and expects no more than was possible."
    undefined = "nothing was returned, or no judged document is relevant"
    source = "trec_eval"
    trec_eval = ("set_relative_P",)
    instead_of_cutoff = "RelP@{k} is that of the first {k}, also where fewer came back"
    worked = """
        SetRelP   1 0 | 1 1   = 0.5
        SetRelP   1 0 - 1     = 1
        SetRelP   0 - | 1     = 0
        SetRelP   | 1         = undefined
        SetRelP   0           = undefined
    """

    def parts(self, hits: Hits) -> tuple[Floats | Ints, ...]:
        found = hits.count(hits.relevant(self.rel))
        return found, np.minimum(hits.returned, hits.judgments.relevant(self.rel))

    def as_found(self, hits: Hits, turned: Hits, *, downwards: bool) -> Floats:
        # Each that is relevant counts among the found, and among those that could have been.
        found = hits.count(hits.relevant(self.rel))[turned.query] + turned.ordinal
        wanted = hits.judgments.relevant(self.rel)[turned.query] + turned.ordinal
        possible = np.minimum(hits.returned[turned.query], wanted)
        return self.of_parts(found.astype(float), possible.astype(float))

    def of_parts(self, found: Floats, possible: Floats) -> Floats:
        return found / possible


@measure
class SetAP(SetMeasure):
    """Precision of the whole result, times its recall.

    What is left of average precision when the order is unknown: each relevant document that was
    returned is worth the precision of the whole.
    """

    formula = r"P \cdot R"
    user = "Looks at everything that came back, in no order, and minds what is missing."
    undefined = "nothing was returned, or no judged document is relevant"
    source = "trec_eval"
    trec_eval = ("set_map",)
    instead_of_cutoff = "it is precision times recall, P@{k} and R@{k} among the first {k}"
    worked = """
        SetAP   1 0 - - | 1  = 0.125
        SetAP   1 1          = 1
        SetAP   0 -     | 1  = 0
        SetAP   | 1          = undefined
        SetAP   0            = undefined
    """

    def of_parts(self, a: Floats, b: Floats, c: Floats) -> Floats:
        # Rounded once, as trec_eval does: the product of two quotients may print otherwise.
        return a * a / ((a + b) * (a + c))

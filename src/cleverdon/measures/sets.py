"""The whole result as a set, in no order."""

from __future__ import annotations

from cleverdon.errors import NotationError
from cleverdon.hits import Floats, Hits
from cleverdon.measures.base import Measure
from cleverdon.measures.registry import measure

_BOOK = "van Rijsbergen 1979, Information Retrieval, chapter 7"


@measure
class SetP(Measure):
    """Precision of the whole result.

    The share of what was returned that is relevant.
    """

    formula = r"\frac{|\text{relevant} \cap \text{returned}|}{|\text{returned}|}"
    user = "Looks at everything that came back, in no order."
    undefined = "nothing was returned"
    source = _BOOK
    trec_eval = ("set_P",)
    promises = frozenset({"in range", "swap"})
    worked = """
        SetP          1 0 - 2     = 0.5
        SetP(rel=2)   1 0 - 2 | 1 = 0.25
        SetP          | 1         = undefined
    """

    rel: float = 1

    def score(self, hits: Hits) -> Floats:
        return hits.count(hits.relevant(self.rel)) / hits.returned


@measure
class SetR(Measure):
    """Recall of the whole result.

    The share of what is relevant that was returned.
    """

    formula = r"\frac{|\text{relevant} \cap \text{returned}|}{R}"
    user = "Needs all there is, and looks at everything that came back."
    undefined = "no judged document is relevant"
    source = _BOOK
    trec_eval = ("set_recall",)
    promises = frozenset({"in range", "swap", "unjudged tail"})
    worked = """
        SetR   1 0 - | 1  = 0.5
        SetR   - -   | 1  = 0
        SetR   0 -        = undefined
    """

    rel: float = 1

    def score(self, hits: Hits) -> Floats:
        return hits.count(hits.relevant(self.rel)) / hits.judgments.relevant(self.rel)


@measure
class SetF(Measure):
    """F-measure of the whole result: precision and recall in one number.

    Their harmonic mean, recall weighed beta times as much as precision. trec_eval's `set_F_x` and
    ir_measures' `SetF(beta=x)` take beta squared.
    """

    formula = r"\frac{(1 + \beta^2)\, P R}{\beta^2 P + R}"
    user = "Cares beta times as much for recall as for precision."
    undefined = "nothing was returned and (unless beta=0) no judged document is relevant"
    source = _BOOK
    trec_eval = ("set_F",)
    promises = frozenset({"in range", "swap"})
    worked = """
        SetF             1 0 - - | 1  = 0.3333
        SetF(beta=2)     1 0 - - | 1  = 0.4167
        SetF(alpha=0.2)  1 0 - - | 1  = 0.4167
        SetF             0 -     | 1  = 0
        SetF             0            = 0
        SetF             | 0          = undefined
    """

    beta: float = 1
    alpha: float | None = None
    rel: float = 1

    def check(self) -> None:
        if not 0 <= self.beta <= 1e6:
            raise NotationError(f"SetF(beta={self.beta}): beta is from 0 to a million")
        if self.alpha is not None and self.beta != 1:
            raise NotationError("SetF takes beta or alpha, not both")
        if self.alpha is not None and not 0 < self.alpha <= 1:
            raise NotationError(f"SetF(alpha={self.alpha}): alpha is above 0 and at most 1")

    def score(self, hits: Hits) -> Floats:
        square = self.beta**2 if self.alpha is None else (1 - self.alpha) / self.alpha
        found = hits.count(hits.relevant(self.rel))
        wanted = hits.judgments.relevant(self.rel)
        return (1 + square) * found / (hits.returned + square * wanted)

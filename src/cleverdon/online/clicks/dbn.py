"""The dynamic Bayesian network model: a click on a good document ends the search."""

from __future__ import annotations

from dataclasses import dataclass

from cleverdon.errors import OptionError
from cleverdon.online.clicks.cascading import Cascading, Counted
from cleverdon.online.clicks.model import click_model

_ESTIMATES = {
    "attraction": "alpha, for each query and document: the probability of a click once the result "
    "is examined",
    "satisfaction": "sigma, for each query and document: the probability that a click on it ends "
    "the search",
}
_SOURCE = "Chapelle & Zhang 2009, doi:10.1145/1526709.1526711"
_UNDEFINED = (
    "satisfaction with a document that was never clicked above another result: there it is what "
    "the prior says"
)


@click_model
@dataclass(frozen=True, kw_only=True)
class DBN(Cascading):
    """Dynamic Bayesian network model: a cascade that goes on until a click satisfies.

    How likely a click is to satisfy is the document's own, and so is how likely its entry in the
    list is to be clicked. Whoever is not satisfied goes on with probability gamma. A document is
    worth what it attracts times what it satisfies.
    """

    formula = (
        r"P(C_r = 1) = \alpha_{q,d_r} \prod_{i < r} \gamma (1 - \alpha_{q,d_i} \sigma_{q,d_i})"
    )
    source = _SOURCE
    undefined = _UNDEFINED
    estimates = {
        **_ESTIMATES,
        "continuation": "gamma: the probability of going on, unless satisfied",
    }
    value = "attractiveness x satisfaction"

    continuation: float | None = None
    """gamma, where it is known; estimated otherwise."""

    def __post_init__(self) -> None:
        if self.continuation is not None and not 0 < self.continuation <= 1:
            raise OptionError(
                f"continuation={self.continuation}: it is a probability above 0, or None where it "
                "is to be estimated"
            )

    @property
    def going_on(self) -> float | None:
        return self.continuation


@click_model
@dataclass(frozen=True, kw_only=True)
class SDBN(Counted):
    """Simplified DBN: as DBN, but whoever is not satisfied always goes on.

    With `estimate="formula"` parameters are counted as the authors do it, as if every last click
    had satisfied: one pass, at the price that satisfaction is overrated.
    """

    formula = r"P(C_r = 1) = \alpha_{q,d_r} \prod_{i < r} (1 - \alpha_{q,d_i} \sigma_{q,d_i})"
    source = _SOURCE
    undefined = _UNDEFINED
    estimates = _ESTIMATES
    value = "attractiveness x satisfaction"

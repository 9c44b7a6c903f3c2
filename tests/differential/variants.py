"""Every measure with its parameters turned this way and that: what the property tests run over."""

from __future__ import annotations

from cleverdon.measures import Measure, measures, parse
from cleverdon.measures.base import REQUIRED, Promise

_VARIANTS = """
    SetP SetP(rel=2) SetP(judged_only=true)
    SetR SetR(rel=0.5) SetR(judged_only=true)
    SetF SetF(beta=2) SetF(beta=0) SetF(alpha=0.2) SetF(alpha=1) SetF(beta=0.5,rel=2)
    SetF(judged_only=true)

    P@1 P@3 P@20 P(rel=2)@3 P(norm=returned)@5 P(judged_only=true)@3
    R R@1 R@3 R(rel=2)@3 R(cap=true)@3 R(cap=true) R(judged_only=true)@2
    F@1 F@5 F(beta=2)@3 F(beta=0)@3 F(beta=0.5,rel=2)@4 F(judged_only=true)@3
    Success@1 Success@5 Success(rel=3)@4 Success(judged_only=true)@1
    RR RR@2 RR(rel=2) RR(rel=0)@4 RR(judged_only=true)
    AP AP@3 AP(rel=2) AP(norm=min)@3 AP(norm=min) AP(norm=hits) AP(norm=hits,rel=2)@4
    AP(judged_only=true) AP(judged_only=true)@2
    Rprec Rprec(rel=2) Rprec(rel=0.5) Rprec(judged_only=true)
    Bpref Bpref(rel=2) Bpref(rel=0) Bpref(rel=0.25) Bpref(judged_only=true)

    DCG DCG@3 DCG(gain=exponential)@5 DCG(discount=jk) DCG(discount=jk,base=3)@6 DCG(base=10)
    DCG(gains={1:3,2:9}) DCG(gains={0:0.5,1:2})@4 DCG(judged_only=true)
    nDCG nDCG@1 nDCG@3 nDCG(gain=exponential)@5 nDCG(discount=jk) nDCG(discount=jk,base=3)@4
    nDCG(base=10)@5 nDCG(gains={1:9,2:3}) nDCG(gains={0:1,1:2,2:5,3:7})@4
    nDCG(ideal=retrieved) nDCG(ideal=retrieved)@2
    nDCG(ideal=retrieved,gain=exponential,judged_only=true)@3 nDCG(judged_only=true)
    ERR ERR@2 ERR(max=5) ERR(max=4.5)@3 ERR(judged_only=true)
    RBP RBP(p=0.5) RBP(p=0.95)@3 RBP(rel=2) RBP(gain=topic) RBP(p=0.9,rel=0)@4
    RBP(judged_only=true)
    RBPResidual RBPResidual(p=0.5)@3 RBPResidual(p=0.99) RBPResidual(judged_only=true)

    Judged Judged@3 Judged(norm=k)@5 Judged(norm=k) Judged(judged_only=true)
    NumRet NumRet(rel=1) NumRet(rel=0) NumRet(judged_only=true)
    NumRel NumRel(rel=2)
    NumRelRet NumRelRet@2 NumRelRet(rel=2) NumRelRet(judged_only=true)@2
"""

VARIANTS: tuple[Measure, ...] = tuple(map(parse, _VARIANTS.split()))


def variants_of(cls: type[Measure]) -> list[Measure]:
    """The variants of one measure; plainly with cut-offs where the list above forgot it."""
    listed = [variant for variant in VARIANTS if type(variant) is cls]
    cuts = [{cls.cut: k} for k in (1, 3, 20)] if cls.cut in cls.defaults else []
    plain = [] if REQUIRED in cls.defaults.values() else [cls()]
    return listed or plain + [cls(**cut) for cut in cuts]


def all_variants() -> list[Measure]:
    """The variants of every measure that needs no more than grades."""
    plain = [cls for cls in measures() if cls.needs is None]
    return [variant for cls in plain for variant in variants_of(cls)]


def holds_to(measure: Measure, promise: Promise) -> bool:
    """Whether a measure with these parameters is held to what its class promises."""
    if promise == "swap" and measure.parameters.get("norm") == "hits":
        # The mean over what was found falls when one more is found at the bottom of the page.
        return promise in measure.promises and "k" not in measure.parameters
    return promise in measure.promises

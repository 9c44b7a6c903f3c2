"""Every measure with different parameters, for the property tests."""

from __future__ import annotations

from cleverdon.measures.base import REQUIRED, Measure, Promise
from cleverdon.measures.notation import parse
from cleverdon.measures.registry import measures

_VARIANTS = """
    SetP SetP(rel=2) SetP(judged_only=true)
    SetR SetR(rel=0.5) SetR(judged_only=true)
    SetF SetF(beta=2) SetF(beta=0) SetF(alpha=0.2) SetF(alpha=1) SetF(beta=0.5,rel=2)
    SetF(judged_only=true)
    SetE SetE(beta=2) SetE(alpha=0.2) SetE(beta=0.5,rel=2) SetE(judged_only=true)
    SetRelP SetRelP(rel=2) SetRelP(judged_only=true) SetAP SetAP(rel=0.5) SetAP(judged_only=true)

    P@1 P@3 P@20 P(rel=2)@3 P(norm=returned)@5 P(judged_only=true)@3
    R R@1 R@3 R(rel=2)@3 R(cap=true)@3 R(cap=true) R(judged_only=true)@2
    F@1 F@5 F(beta=2)@3 F(beta=0)@3 F(beta=0.5,rel=2)@4 F(alpha=0.2)@3
    F(alpha=1)@2 F(judged_only=true)@3
    Success@1 Success@5 Success(rel=3)@4 Success(judged_only=true)@1
    RR RR@2 RR(rel=2) RR(rel=0)@4 RR(judged_only=true)
    AP AP@3 AP(rel=2) AP(norm=min)@3 AP(norm=min) AP(norm=hits) AP(norm=hits,rel=2)@4
    AP(judged_only=true) AP(judged_only=true)@2
    Rprec Rprec(rel=2) Rprec(rel=0.5) Rprec(judged_only=true)
    Bpref Bpref(rel=2) Bpref(rel=0) Bpref(rel=0.25) Bpref(judged_only=true)

    DCG DCG@3 DCG(gain=exponential)@5 DCG(discount=jk) DCG(discount=jk,base=3)@6 DCG(base=10)
    DCG(base=e)@4 DCG(discount=jk,base=e)
    DCG(gains={1:3,2:9}) DCG(gains={0:0.5,1:2})@4 DCG(judged_only=true)
    nDCG nDCG@1 nDCG@3 nDCG(gain=exponential)@5 nDCG(discount=jk) nDCG(discount=jk,base=3)@4
    nDCG(base=10)@5 nDCG(base=e)@5 nDCG(gains={1:9,2:3}) nDCG(gains={0:1,1:2,2:5,3:7})@4
    nDCG(ideal=retrieved) nDCG(ideal=retrieved)@2 nDCG(ideal=short) nDCG(ideal=short,gain=binary)@3
    nDCG(gain=binary)@4
    nDCG(ideal=retrieved,gain=exponential,judged_only=true)@3 nDCG(judged_only=true)
    ERR ERR@2 ERR(max=5) ERR(max=4.5)@3 ERR(judged_only=true)
    RBP RBP(p=0.5) RBP(p=0.95)@3 RBP(rel=2) RBP(gain=query) RBP(p=0.9,rel=0)@4
    RBP(judged_only=true)
    RBPResidual RBPResidual(p=0.5)@3 RBPResidual(p=0.99) RBPResidual(judged_only=true)

    Judged Judged@3 Judged(norm=k)@5 Judged(norm=k) Judged(judged_only=true)
    Unjudged@1 Unjudged@5 Unjudged(norm=returned)@3 Unjudged(judged_only=true)@3
    NumQ NumRet NumRet(rel=1) NumRet(rel=0) NumRet(judged_only=true)
    NumRel NumRel(rel=2)
    NumRelRet NumRelRet@2 NumRelRet(rel=2) NumRelRet(judged_only=true)@2
    NumNonrelJudgedRet NumNonrelJudgedRet(rel=2) NumNonrelJudgedRet(judged_only=true)
"""

VARIANTS: tuple[Measure, ...] = tuple(map(parse, _VARIANTS.split()))
"""Variants of the usual families, which the reference has too."""

_OTHERS = """
    binG binG(rel=2) binG(judged_only=true)
    Yaap Yaap(rel=2) Yaap(judged_only=true)
    RelString RelString@3 RelString(judged_only=true)
    G G(gains={1:3,2:9}) G(gains={0:0.5,1:2}) G(judged_only=true)
    Rndcg Rndcg(rel=2) Rndcg(gains={1:3,2:3}) Rndcg(gains={1:9,2:3}) Rndcg(judged_only=true)
    ndcg_rel ndcg_rel(gains={1:3,2:9}) ndcg_rel(gains={0:0.5,1:2}) ndcg_rel(judged_only=true)
    IPrec@0 IPrec@0.3 IPrec@1 IPrec(rel=2)@0.5 IPrec(rounding=trec_eval-9)@0.6
    IPrec(rounding=trec_eval-10)@0.25 IPrec(judged_only=true)@0.5
    IAP IAP(points=3) IAP(at=(0.2,0.5,0.8)) IAP(rel=2,rounding=trec_eval-9) IAP(judged_only=true)
    AUPRC AUPRC@3 AUPRC(rel=2) AUPRC(curve=step) AUPRC(curve=monotone) AUPRC(curve=monotone)@4
    AUPRC(judged_only=true)
    PrecAtRecall@0.01 PrecAtRecall@0.5 PrecAtRecall@1 PrecAtRecall(rel=2)@0.7
    RprecMult(m=0.2) RprecMult(m=1) RprecMult(m=1.6,rel=2) RprecMult(m=2,judged_only=true)
    infAP infAP(rel=2) infAP(judged_only=true)
    SearchLength SearchLength(q=3) SearchLength(q=2,rel=2) SearchLength(judged_only=true)
    ExpectedSearchLength ExpectedSearchLength(q=3) ExpectedSearchLength(judged_only=true)
    SearchLength(count=all,q=2) ExpectedSearchLength(q=2,count=all)
    FirstRelRank FirstRelRank@3 FirstRelRank(otherwise=after) FirstRelRank(otherwise=after,rel=2)@3
    FirstRelRank(otherwise=50)@4 FirstRelRank(judged_only=true)
    LastRelRank LastRelRank(rel=2) WSS@0.5 WSS@0.95 WSS(rel=2)@1
    AUC AUC(rel=2) AUC(judged_only=true)
    RankAccuracy RankAccuracy@3 RankAccuracy(rel=2) RankAccuracy(judged_only=true)
    LRAP LRAP(rel=2) LRAP(judged_only=true)
    CG(gain=exponential)@3 CG(gains={1:3,2:9}) CG(judged_only=true) nCG@1 nCG(gains={1:9,2:3})@4
    nERR@2 nERR(max=5) Q@3 Q(beta=0) Q(beta=10,gains={1:9,2:3}) Q(judged_only=true)
    INST INST(T=2.5,max_rel=2) INST(quantity=ETU) INST(quantity=ED,depth=5) INST(judged_only=true)
    INSQ INSQ(T=3,min_rel=1) INSQ(quantity=ETC,cost=2) INSQ(depth=4)
    BPM BPM(T=2)@4 BPM(dynamic=true) BPM(quantity=ED)@3 BPM(dynamic=true,hb=0.5,hc=2)@5
    SDCG@1 SDCG@3 SDCG(min_rel=1,max_rel=3)@5 SDCG(quantity=ETU,depth=3)@5
    NERR8 NERR8@3 NERR8(depth=2) NERR9 NERR9@3 NERR9(quantity=EC)@4
    NERR10 NERR10(p=0.5,depth=3) NERR10(quantity=ETU) NERR11 NERR11(T=0.25,quantity=ED)
    TBG TBG(halflife=2) TBG(halflife=3,quantity=ETU,cost=2) TBG(halflife=1,depth=3)
    U U(L=3) U(L=5,cost=2,quantity=ETU) U(L=7,depth=4)
    Compat Compat(p=0.5) Compat(p=0.8,depth=3) Compat(normalize=false) Compat(judged_only=true)
"""

OTHERS: tuple[Measure, ...] = tuple(map(parse, _OTHERS.split()))
"""Variants of other families, where defaults and a few cut-offs would test too little."""


def variants_of(cls: type[Measure]) -> list[Measure]:
    """Return the variants of one measure; if the lists above have none, it with some cut-offs."""
    listed = [variant for variant in (*VARIANTS, *OTHERS) if type(variant) is cls]
    cuts = [{cls.cut: k} for k in (1, 3, 20)] if cls.cut in cls.defaults else []
    plain = [] if REQUIRED in cls.defaults.values() else [cls()]
    return listed or plain + [cls(**cut) for cut in cuts]


def all_variants() -> list[Measure]:
    """Return the variants of every measure that needs only the grades of its own query."""
    plain = [cls for cls in measures() if cls.needs is None and not cls.uses_other_queries]
    return [variant for cls in plain for variant in variants_of(cls)]


def holds_to(measure: Measure, promise: Promise) -> bool:
    """Tell whether a promise of its class holds for a measure with these parameters."""
    if promise == "gain" and (measure.parameters.get("gains") or measure.judged_only):
        return False  # a gain table may decrease; a new grade enters the condensed list
    return measure.keeps(promise)

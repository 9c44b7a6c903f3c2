"""That the catalogue is whole: every measure that was promised is there by its name."""

from __future__ import annotations

import pytest

from cleverdon import parse
from cleverdon.measures.registry import measures

CATALOGUE = {
    "sets": "SetP SetR SetF SetF(alpha=0.5) SetE SetRelP SetAP",
    "the confusion matrix": "Fallout TPR TNR PPV NPV FNR FPR FDR FOR SetAccuracy BalancedAccuracy "
    "MCC FowlkesMallows Informedness Markedness PrevalenceThreshold ThreatScore "
    "Utility(w=(1,-1,0,0)) Fallout@5 Specificity@10 MCC@5",
    "ranked, binary": "P@5 P(norm=returned)@5 R@5 Recall@5 R(cap=true)@5 F(beta=2)@5 "
    "F(alpha=0.2)@5 Success@5 "
    "HitRate@5 RR@5 MRR SearchLength(q=2) ExpectedSearchLength(q=2) "
    "SearchLength(count=all) FirstRelRank FirstRelRank(otherwise=after)@5 LastRelRank WSS@0.95 "
    "AP@5 MAP "
    "AP(norm=min)@5 AP(norm=hits) IAP IAP(points=3) 11pt AUPRC AUPRC(curve=step) "
    "AUPRC(curve=monotone) IPrec@0.1 PrecAtRecall@0.1 Rprec "
    "RprecMult(m=0.4) Bpref infAP xinfAP infNDCG statAP binG G Yaap RelString Rndcg ndcg_rel "
    "Judged@5 Unjudged@5 Hole@5 RBP(p=0.8) RBPResidual NumQ NumRet NumRel NumRelRet@5 "
    "NumNonrelJudgedRet AUC RankAccuracy GMAP GBpref",
    "ranked, graded": "CG@5 nCG@5 DCG(gain=exponential)@5 DCG(gains={1:3})@5 "
    "DCG(discount=jk,base=2)@5 DCG(base=e)@5 nDCG(ideal=retrieved)@5 ERR(max=4)@5 nERR@5 "
    "Q(beta=1)@5 "
    "INST(T=2) INSQ(T=2) BPM(T=2) BPM(T=2,dynamic=true) "
    "SDCG@5 NERR8 NERR9 NERR10 NERR11 TBG U Compat(p=0.95) LRAP",
    "diversity": "alphaDCG@5 alphanDCG(alpha=0.5)@5 ERR_IA@5 nERR_IA@5 AP_IA P_IA@5 nDCG_IA@5 "
    "StRecall@5 NRBP nNRBP Dsharp_nDCG@5 RBU IntentAware(nDCG@10)",
    "propensity": "PSP@5 PSP(norm=ideal)@5 PSnDCG(A=0.6,B=2.6)@5",
    "credibility": "NLRE NGRE NWCS@5 CAM(nDCG@10) WHAM(nDCG@10) UDCG@5 UDCG(gamma=0.5)",
}


@pytest.mark.parametrize("family", CATALOGUE)
def test_every_name_is_known(family: str) -> None:
    for name in CATALOGUE[family].split():
        assert parse(name)


def test_nothing_is_left_out_of_this_list() -> None:
    listed = {type(parse(name)) for names in CATALOGUE.values() for name in names.split()}
    own = {cls for cls in measures() if cls.__module__.startswith("cleverdon.")}
    assert listed == own


@pytest.mark.parametrize("quantity", ["EU", "ETU", "EC", "ETC", "ED"])
@pytest.mark.parametrize("model", ["INST", "INSQ", "BPM", "SDCG@5", "NERR8", "NERR11", "TBG", "U"])
def test_user_models_have_all_five_quantities(model: str, quantity: str) -> None:
    name, _, cut = model.partition("@")
    written = f"{name}(quantity={quantity})" + (f"@{cut}" if cut else "")
    assert str(parse(written)).startswith(name)

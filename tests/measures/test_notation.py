"""How measures are written: names, other tools' spellings, lists, and what is said of mistakes."""

from __future__ import annotations

import re

import pytest

import cleverdon.measures
from cleverdon import parse
from cleverdon.errors import NotationError
from cleverdon.measures.base import REQUIRED, Measure
from cleverdon.measures.confusion import Utility
from cleverdon.measures.graded import nDCG
from cleverdon.measures.notation import parse_all
from cleverdon.measures.ranked import AP, P
from cleverdon.measures.registry import find, measures
from cleverdon.trec_eval.arguments import _ORDER

TREC_EVAL = {name.name for name in _ORDER}


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        # Names and aliases; letter case matters only where it tells two measures apart.
        ("nDCG@10", "nDCG@10"),
        ("NDCG@10", "nDCG@10"),
        ("ndcg@10", "nDCG@10"),
        ("MAP", "AP"),
        ("MRR@10", "RR@10"),
        ("Recall@3", "R@3"),
        ("r@3", "R@3"),
        ("Precision@3", "P@3"),
        ("HitRate@5", "Success@5"),
        ("RPrec", "Rprec"),
        ("RelP@10", "R(cap=true)@10"),
        ("relp(rel=2)@10", "R(rel=2,cap=true)@10"),
        ("RelP(cap=false)@10", "R@10"),
        # Parameters by name, in order, quoted, with blanks; defaults are not printed.
        ("nDCG(k=10)", "nDCG@10"),
        ("P(5,rel=2)", "P(rel=2)@5"),
        ("P(rel=1)@5", "P@5"),
        ("nDCG()", "nDCG"),
        (" nDCG( gain = exponential )@ 10 ", "nDCG(gain=exponential)@10"),
        ("nDCG(gain='exponential')", "nDCG(gain=exponential)"),
        ('nDCG(gain="exponential")', "nDCG(gain=exponential)"),
        ("RBP(p=.5)", "RBP(p=0.5)"),
        ("RBP(p=5e-1)", "RBP(p=0.5)"),
        ("P(rel=2.0)@5", "P(rel=2)@5"),
        ("R(cap=True)@5", "R(cap=true)@5"),
        ("ERR(max=none)", "ERR"),
        ("nDCG(gains={1: 3, 2: 9.5})@5", "nDCG(gains={1:3,2:9.5})@5"),
        ("nDCG(base=3,discount=jk)", "nDCG(discount=jk,base=3)"),
        # trec_eval's names.
        ("map", "AP"),
        ("map_cut_5", "AP@5"),
        ("ndcg", "nDCG"),
        ("ndcg_cut_10", "nDCG@10"),
        ("dcg", "DCG"),
        ("P_5", "P@5"),
        ("recall_100", "R@100"),
        ("relative_P_3", "R(cap=true)@3"),
        ("recip_rank", "RR"),
        ("success_1", "Success@1"),
        ("bpref", "Bpref"),
        ("rbp", "RBP(p=0.9,gain=query)"),
        ("rbp_resid", "RBPResidual(p=0.9)"),
        ("set_F", "SetF"),
        ("set_recall", "SetR"),
        ("num_rel_ret", "NumRelRet"),
        # The spelling of version 0.1.
        ("RBP(gain=topic)@5", "RBP(gain=query)@5"),
        # ir_measures' spelling.
        ("nDCG(dcg='exp-log2')@10", "nDCG(gain=exponential)@10"),
        ("nDCG(dcg='log2')@10", "nDCG@10"),
        ("AP(judged_only=True,rel=2)@5", "AP(rel=2,judged_only=true)@5"),
    ],
)
def test_is_read_and_printed(text: str, canonical: str) -> None:
    assert str(parse(text)) == canonical
    assert parse(text) == parse(canonical)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nDGC@10", "there is no measure 'nDGC'; did you mean 'nDCG@10'?"),
        ("xyzzy", "there is no measure 'xyzzy'"),
        ("nDCG(gian=linear)", "nDCG has no parameter 'gian'; did you mean 'gain'?"),
        ("nDCG(gain=expo)", "nDCG(gain=expo) is not known; did you mean 'exponential'?"),
        ("nDCG(gain=q)", "nDCG(gain=q) is not known; it can be 'linear', 'exponential', 'binary'"),
        ("nDCG(dcg=log3)", "nDCG(dcg=log3) is not known; did you mean 'log2'?"),
        ("nDCG(gains=3)", "nDCG(gains=3): gains is a map such as {1: 3, 2: 9}"),
        ("nDCG(gains={1:x})", "nDCG(gains={1: 'x'}): gains is a map such as {1: 3, 2: 9}"),
        ("nDCG(gains={1})", "nDCG(gains={1}): expected ':' in a map, as in {1:3,2:9}"),
        ("nDCG(gains={1:3,1:4})", "nDCG(gains={1:3,1:4}): a grade is listed twice"),
        ("nDCG(gains={1:-3})", "nDCG(gains=...): no gain is below 0"),
        ("DCG(base=1)", "DCG(base=1): expected 1 < base"),
        ("DCG(base=ten)", "DCG(base=ten): base is a number or e"),
        ("P", "P needs 'k', as in P@10; SetP is that of the whole result"),
        ("Precision", "P needs 'k', as in P@10; SetP is that of the whole result"),
        ("P@", "P@: expected a number behind '@', found 'nothing'"),
        ("P@ten", "P@ten: expected a number behind '@', found 'ten'"),
        ("P@0", "P@0: a cut-off is a whole number from 1 to 2,147,483,648"),
        ("P@1.5", "P@1.5: a cut-off is a whole number from 1 to 2,147,483,648"),
        ("ndcg_cut_0", "nDCG@0: a cut-off is a whole number from 1 to 2,147,483,648"),
        ("Rprec@5", "Rprec@5: Rprec takes no cut-off"),
        ("P(rel=abc)@5", "P(rel='abc'): rel is a number"),
        ("P(rel=true)@5", "P(rel=True): rel is a number"),
        ("P(rel=1e999)@5", "P(rel=inf): rel is a number"),
        ("R(cap=1)", "R(cap=1): cap is true or false"),
        ("P(rel=2,rel=3)@5", "P(rel=2,rel=3)@5: 'rel' is given twice"),
        ("P(5,k=4)", "P(5,k=4): 'k' is given twice"),
        ("P(k=5)@6", "P(k=5)@6: 'k' is given twice"),
        ("RBP(p=1)", "RBP(p=1): expected 0 < p < 1"),
        ("SetF(beta=-1)", "SetF(beta=-1): expected 0 <= beta <= 1e6"),
        ("SetF(alpha=0.5,beta=2)", "SetF takes beta or alpha, not both"),
        ("F(alpha=0.5,beta=2)@5", "F takes beta or alpha, not both"),
        ("SetF(alpha=0)", "SetF(alpha=0): expected 0 < alpha <= 1"),
        ("nDCG(gain=linear", "nDCG(gain=linear: ')' is missing at the end"),
        ("nDCG(gain=", "nDCG(gain=: a value is missing at the end"),
        ("nDCG(gain=linear k=3)", "nDCG(gain=linear k=3): expected ',' or ')', found 'k'"),
        ("nDCG)", "nDCG): ')' follows the end of the measure"),
        ("P@5@6", "P@5@6: '@' follows the end of the measure"),
        ("P_5,10", "P_5,10: ',' follows the end of the measure"),
        ("nDCG@10;", "nDCG@10;: ';' has no place in a measure"),
        ("", "'': expected the name of a measure, found nothing"),
        ("10", "'10': expected the name of a measure, found '10'"),
    ],
)
def test_mistakes(text: str, message: str) -> None:
    with pytest.raises(NotationError) as raised:
        parse(text)
    found = str(raised.value)
    # What the parameter means may follow, in brackets.
    assert found == message or (found.startswith(f"{message} (") and found.endswith(")"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "DCG(base=ten)",
            "DCG(base=ten): base is a number or e (base: the base of the logarithm in `discount`)",
        ),
        (
            "RBP(p=2)",
            "RBP(p=2): expected 0 < p < 1 (p: the probability that the user goes on to the next "
            "result)",
        ),
        ("P(rel=abc)@5", "P(rel='abc'): rel is a number (rel: the lowest grade that is relevant)"),
        (
            "P(norm=all)@5",
            "P(norm=all) is not known; it can be 'k', 'returned' (norm: what to divide by: k, or "
            "returned, the number of results among the first k)",
        ),
    ],
)
def test_a_bad_value_is_answered_with_what_the_parameter_means(text: str, message: str) -> None:
    with pytest.raises(NotationError) as raised:
        parse(text)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SetF@5", "SetF takes no cut-off; F@5 is that of the first 5, also where fewer came back"),
        ("SetE@5", "SetE takes no cut-off; 1 - F@5 is that of the first 5"),
        ("SetRelP@5", "SetRelP takes no cut-off; RelP@5 is that of the first 5"),
        ("SetP(relative=True)@5", "SetRelP takes no cut-off; RelP@5 is that of the first 5"),
        ("SetAP@5", "SetAP takes no cut-off; it is precision times recall, P@5 and R@5 among"),
    ],
)
def test_sets_with_a_cut_off_are_answered_with_what_comes_close(text: str, message: str) -> None:
    with pytest.raises(NotationError) as raised:
        parse(text)
    assert message in str(raised.value)


def test_a_spelling_of_another_tool_goes_with_a_cut_off() -> None:
    assert str(parse("SetP(relative=False)@5")) == "P(norm=returned)@5"
    assert str(parse("SetP(relative=True)")) == "SetRelP"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ZRR", "search logs have it: cleverdon logs metrics LOG -m ZeroResults"),
        ("abandonment", "search logs have it: cleverdon logs metrics LOG -m Abandonment"),
        ("CTR@5", "-m ImpressionCTR, or -m PageCTR, QueryCTR, SessionCTR or LinkCTR"),
    ],
)
def test_metrics_of_logs_are_no_measures(text: str, message: str) -> None:
    with pytest.raises(NotationError) as raised:
        parse(text)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("text", "candidates"),
    [
        ("Accuracy", ["Success@10", "SetAccuracy", "BalancedAccuracy", "RankAccuracy"]),
        ("accuracy@5", ["Success@5", "SetAccuracy@5", "BalancedAccuracy@5", "RankAccuracy@5"]),
        ("IntentAware(Accuracy@3)", ["Success@3", "SetAccuracy@3", "RankAccuracy@3"]),
        ("FMeasure", ["SetF", "F@10"]),
        ("f-measure@5", ["SetF", "F@5"]),
        ("ACC@5", ["Success@5", "RankAccuracy@5"]),  # DPR's accuracy, or ir_measures'
    ],
)
def test_a_name_of_several_measures_is_an_error_that_lists_them(
    text: str, candidates: list[str]
) -> None:
    with pytest.raises(NotationError, match="is the name of several measures") as raised:
        parse(text)
    for candidate in candidates:
        assert f" {candidate}: " in str(raised.value)
        assert parse(candidate)
    assert "SetE" not in str(raised.value)


def test_no_name_of_several_measures_is_that_of_one() -> None:
    known = {name.casefold() for cls in measures() for name in (cls.__name__, *cls.aliases)}
    for cls in measures():
        assert not known & {name.casefold() for name in cls.shared_names}


def test_lists() -> None:
    assert parse_all("nDCG@10, AP P_5,P@5") == (nDCG(k=10), AP(), P(k=5))  # each once
    assert parse_all(["AP nDCG(gains={1:3, 2:9})", P(k=5)]) == (
        AP(),
        nDCG(gains={1: 3, 2: 9}),
        P(k=5),
    )
    assert parse_all(AP) == parse_all([AP]) == parse_all(AP()) == (AP(),)
    for nothing in ("", [], " , "):
        with pytest.raises(NotationError, match="no measure was named"):
            parse_all(nothing)


def test_measures_are_values() -> None:
    assert nDCG(k=10) == parse("nDCG@10")
    assert nDCG(k=10) != nDCG(k=5)
    assert AP() != nDCG()
    assert len({nDCG(gains={1: 3, 2: 9}), nDCG(gains={2: 9, 1: 3})}) == 1
    assert nDCG(k=10).parameters == {"k": 10}
    measure = AP()
    with pytest.raises(AttributeError, match="AP cannot be changed; make another one"):
        measure.rel = 2  # type: ignore[misc]


def test_in_code_parameters_are_checked_as_in_text() -> None:
    with pytest.raises(NotationError, match=r"P@True: a cut-off is a whole number"):
        P(k=True)
    with pytest.raises(NotationError, match=r"AP\(rel=nan\): rel is a number"):
        AP(rel=float("nan"))
    with pytest.raises(NotationError, match=r"Utility\(w=3\): w is numbers: \(1,-1,0\)"):
        Utility(w=3)  # type: ignore[arg-type]
    with pytest.raises(NotationError, match=r"AP has no parameter 'levle'"):
        AP(levle=2)  # type: ignore[call-arg]


def test_every_name_leads_to_its_measure() -> None:
    for cls in measures():
        for name in (cls.__name__, *cls.aliases):
            assert find(name) is cls
            assert getattr(cleverdon.measures, name) is cls
        for name, preset in cls.presets.items():
            wanted = {p: value for p, value in preset.items() if value != cls.defaults[p]}
            if cls.defaults.get(cls.cut) is REQUIRED:
                measure = parse(f"{name}@5")
                wanted[cls.cut] = 5
            else:
                measure = parse(name)
            assert type(measure) is cls
            assert measure.parameters == wanted
        for template in cls.trec_eval:
            # A cut-off is a whole number; others are shares, and 1 is both.
            name = re.sub(r"{\w+}", "1", template.partition("(")[0])
            assert type(parse(name)) is cls
            assert template.partition("(")[0].partition("_{")[0] in TREC_EVAL, template


def test_an_unknown_name_in_code() -> None:
    with pytest.raises(AttributeError, match="there is no measure 'nDGC'; did you mean 'nDCG'"):
        _ = cleverdon.measures.nDGC


def test_a_measure_without_score_says_so() -> None:
    class Unfinished(Measure):
        """Nothing yet."""

    from cleverdon.measures.worked import ranking

    with pytest.raises(NotationError, match="Unfinished does not say how it is computed"):
        Unfinished()(ranking("1"))

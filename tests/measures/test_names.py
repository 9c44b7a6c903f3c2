"""The names that textbooks and other tools use: accepted, and printed as Cleverdon's own."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import ir_measures
import pytest

from cleverdon import evaluate, parse
from cleverdon.comparison.rules import parse_rule
from cleverdon.errors import NotationError
from cleverdon.measures.description import describe_measure
from cleverdon.measures.notation import parse_all, parse_asked
from cleverdon.measures.registry import measures
from cleverdon.profiles import PROFILES, find_profile


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        # Of the confusion matrix.
        ("ACC", "SetAccuracy"),
        ("BA", "BalancedAccuracy"),
        ("FM", "FowlkesMallows"),
        ("BM", "Informedness"),
        ("MK", "Markedness"),
        ("PT", "PrevalenceThreshold"),
        ("TS", "ThreatScore"),
        ("CSI", "ThreatScore"),
        ("MissRate", "FNR"),
        ("fall-out", "Fallout"),
        # F with its beta in the name: at k, or of the whole result.
        ("F1", "SetF"),
        ("F2", "SetF(beta=2)"),
        ("F2(rel=2)", "SetF(beta=2,rel=2)"),
        ("F1@5", "F@5"),
        ("f2@5", "F(beta=2)@5"),
        ("F0.5@5", "F(beta=0.5)@5"),
        ("F1_at_5", "F@5"),
        # Of toolkits and libraries.
        ("hit@5", "Success@5"),
        ("hit_rate@5", "Success@5"),
        ("R-precision", "Rprec"),
        ("recall_at_10", "R@10"),
        ("precision_at_5", "P@5"),
        ("map_at_100", "AP@100"),
        ("ndcg10", "nDCG@10"),
        ("ndcg_10", "nDCG@10"),
        ("precision.5", "P@5"),
        ("P.5", "P@5"),
        ("ndcg_cut.5", "nDCG@5"),
        ("iprec_at_recall.0.5", "IPrec@0.5"),
        # Of ir_measures.
        ("SetP(relative=True)", "SetRelP"),
        ("SetP(relative=True,rel=2)", "SetRelP(rel=2)"),
        ("SetP(relative=False)", "SetP"),
        ("SetP@5", "P(norm=returned)@5"),
        ("SetP(rel=2)@5", "P(rel=2,norm=returned)@5"),
        ("SetR@5", "R@5"),
        ("α_nDCG@5", "alphanDCG@5"),
        ("α_DCG(alpha=0.4)@5", "alphaDCG(alpha=0.4)@5"),
        ("P_IA@5", "P_IA@5"),
        # A measure whose own name ends in a number.
        ("NERR8", "NERR8"),
        ("NERR9@5", "NERR9@5"),
    ],
)
def test_is_read_and_printed(text: str, canonical: str) -> None:
    assert str(parse(text)) == canonical


@pytest.mark.parametrize("profile", PROFILES)
def test_f2_has_the_beta_of_the_textbooks_in_every_profile(profile: str) -> None:
    assert find_profile(profile).parse("F2") == (parse("SetF(beta=2)"),)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("P@1,2,3", ["P@1", "P@2", "P@3"]),
        ("P.1,2,3", ["P@1", "P@2", "P@3"]),
        ("P_5,10 AP", ["P@5", "P@10", "AP"]),
        ("AP, nDCG@5, 10, RR", ["AP", "nDCG@5", "nDCG@10", "RR"]),
        ("P(rel=2)@1,5", ["P(rel=2)@1", "P(rel=2)@5"]),
        ("precision_at_5,10", ["P@5", "P@10"]),
        ("iprec_at_recall.0,.1,0.25", ["IPrec@0", "IPrec@0.1", "IPrec@0.25"]),
    ],
)
def test_several_cutoffs(text: str, canonical: list[str]) -> None:
    assert list(map(str, parse_all(text))) == canonical


@pytest.mark.parametrize(
    ("text", "message"),
    [
        # Suggestions keep parameters and cut-off.
        ("ndgc@10", "there is no measure 'ndgc'; did you mean 'nDCG@10'?"),
        ("ndgc10", "there is no measure 'ndgc10'; did you mean 'nDCG@10'?"),
        (
            "ndgc(gain=linear)@10",
            "there is no measure 'ndgc'; did you mean 'nDCG(gain=linear)@10'?",
        ),
        ("IntentAware(ndgc@10)", "there is no measure 'ndgc'; did you mean 'nDCG@10'?"),
        ("Rprce@5", "there is no measure 'Rprce'; did you mean 'Rprec'?"),  # which has none
        ("p95", "there is no measure 'p95'; did you mean 'P@95'?"),  # perhaps a percentile
        # A number that could be a cut-off or something else is not guessed.
        ("F3", "'F3' may have a cut-off or 'beta' in it; write F@3 or F(beta=...)"),
        ("RBP80", "'RBP80' may have a cut-off or 'p' in it; write RBP@80 or RBP(p=...)"),
        ("ndcg10@5", "ndcg10@5: 'k' is given twice"),
        ("recall_at_10(k=3)", "recall_at_10(k=3): 'k' is given twice"),
        ("P_IA", "P_IA needs 'k', as in P_IA@10"),
        ("P@1,2", "P@1,2: ',' follows the end of the measure"),  # one measure is asked for
    ],
)
def test_mistakes(text: str, message: str) -> None:
    with pytest.raises(NotationError) as raised:
        parse(text)
    assert str(raised.value) == message


def test_a_number_alone_is_no_measure() -> None:
    for text in ("5,6", "AP,5"):
        with pytest.raises(NotationError, match="'5': expected the name of a measure"):
            parse_all(text)


def _values(name: str, parameter: Any) -> list[Any]:
    """Return some values that ir_measures takes, the default among them."""
    if isinstance(parameter.choices, (list, tuple)):
        return list(parameter.choices)
    examples: dict[type, list[Any]] = {
        bool: [False, True],
        int: [1, 5],
        float: [0.5],
        dict: [{0: 1, 1: 3}],
    }
    if name == "min_rel":
        return [0]
    return [5] if name == "max_rel" else examples[parameter.dtype]


def _as_ir_measures_writes() -> Iterator[Any]:
    """Return measures of ir_measures: every name, with every combination of parameters."""
    for name, registered in ir_measures.measures.registry.items():
        known = registered.SUPPORTED_PARAMS
        choices = [
            [(parameter, value) for value in _values(parameter, info)]
            + ([] if info.required else [None])
            for parameter, info in known.items()
        ]
        for chosen in product(*choices):
            yield name, registered(**dict(filter(None, chosen)))


def test_whatever_ir_measures_prints_is_understood() -> None:
    found = list(_as_ir_measures_writes())
    assert len(found) > 300
    own = {cls.__name__ for cls in measures()}
    for name, measure in found:
        if name == "P_IA" and "cutoff" not in measure.params:
            continue  # which no provider computes
        read = find_profile("ir_measures").parse(str(measure))[0]
        assert type(read).__name__ in own
        cut = measure.params.get(measure.AT_PARAM)
        assert cut is None or vars(read)[type(read).cut] == cut, measure
        for parameter in {"rel", "judged_only", "alpha", "p", "T"} & measure.params.keys():
            assert vars(read)[parameter] == measure.params[parameter], measure
        if name != "Accuracy":  # which is several measures' name, unless the tool is known
            assert type(parse(str(measure))) is type(read)


@pytest.mark.parametrize("name", ir_measures.measures.registry)
def test_names_of_ir_measures_are_known(name: str) -> None:
    naming = find_profile("ir_measures").named
    assert naming(name)[0] in measures()


def test_what_was_asked_for() -> None:
    asked = parse_asked(["hit@5 ndcg@10 P.1,2", " nDCG( gain = 'linear' )@20", "HitRate@5"])
    assert {str(measure): text for measure, text in asked.items()} == {
        "Success@5": "hit@5",
        "nDCG@10": "",
        "P@1": "P.1",
        "P@2": "P.2",
        "nDCG@20": "nDCG( gain = 'linear' )@20",
    }


def test_a_value_under_a_name_of_textbooks() -> None:
    scores = evaluate({"q": {"a": 1, "b": 1}}, {"q": {"a": 2, "c": 1}}, "F1 F1@2 hit@1 SetP@5")
    assert scores.to_dict()["run"] == {
        "SetF": 0.5,
        "F@2": 0.5,
        "Success@1": 1.0,
        "P(norm=returned)@5": 0.5,
    }


def test_the_canonical_name_is_printed_with_a_note_of_the_other() -> None:
    asked = "hit@1 recall_at_10 ndcg@10"
    scores = evaluate({"q": {"a": 1, "b": 1}}, {"q": {"a": 2, "c": 1}}, asked)
    note = "Success@1 (asked for as hit@1), R@10 (asked for as recall_at_10)"
    assert scores.render().splitlines()[-1] == note
    assert note in scores.render("markdown")
    assert scores.to_record()["about"]["asked_for"] == {
        "Success@1": "hit@1",
        "R@10": "recall_at_10",
    }
    assert "hit" not in scores.render("csv")
    assert scores.mean("run", "hit@1") == 1


def test_the_measures_of_a_profile_were_not_asked_for() -> None:
    scores = evaluate({"q": {"a": 1}}, {"q": {"a": 2}}, profile="trec_eval-9")
    assert not scores.about.asked_for
    assert "asked for" not in scores.render()


def test_explain_lists_the_other_names() -> None:
    for name in ("F", "SetF", "F2", "f1@5"):
        assert "F2 (beta=2)" in describe_measure(name)
    assert "Also called   YoudenJ, BM," in describe_measure("BM")


def test_several_measures_where_one_is_expected() -> None:
    scores = evaluate({"q": {"a": 1}}, {"q": {"a": 2}}, "P@1,2")
    for text in ("P@1,2", "P@1 P@2"):
        with pytest.raises(NotationError, match=f"one measure is expected here; '{text}' are 2"):
            scores.mean("run", text)
    with pytest.raises(NotationError, match="one measure is expected here"):
        parse_rule("P@1,2 >= 0.5", measure=find_profile("cleverdon").parse_one)

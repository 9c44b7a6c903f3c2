"""Every doubt is raised where there is reason to, and not where there is none."""

from __future__ import annotations

from collections.abc import Callable
from inspect import getdoc
from pathlib import Path

import numpy as np
import pytest

from cleverdon import evaluate
from cleverdon.comparison.differences import compare
from cleverdon.comparison.doubts import DOUBT_RULES, Doubt, find_doubts
from cleverdon.errors import OptionError
from cleverdon.scores import Scores
from tests.comparison.made import made, pair

QUERIES = [f"q{i:02}" for i in range(30)]
QRELS = {query: {"a": 1, "b": 0, "c": 1} for query in QUERIES}
GOOD = {query: {"a": 3.0, "b": 2.0, "c": 1.0} for query in QUERIES}
POOR = {query: {"b": 3.0, "a": 2.0, "c": 1.0} for query in QUERIES}
RUNS = {"poor": POOR, "good": GOOD}


def of(scores: Scores, name: str, *, test: str = "randomisation", **known: object) -> Doubt | None:
    found = find_doubts(compare(scores, test=test), **known)  # type: ignore[arg-type]
    return next((doubt for doubt in found if doubt.name == name), None)


def scored(runs=RUNS, measures="P@3", qrels=QRELS, **settings) -> Scores:
    return evaluate(qrels, runs, measures, **settings)


def test_nothing_to_doubt() -> None:
    assert find_doubts(compare(scored(measures=["AP", "P@3"]))) == []


def without(run, count: int):
    return {query: run[query] for query in QUERIES[count:]}


def strangers(run, count: int):
    """The same run, where the first queries' results are strange to the judgments."""
    return run | {query: {"x": 3.0, "y": 2.0, "z": 1.0} for query in QUERIES[:count]}


def tied(orders=("worst", "best"), runs=RUNS, measures="P@1"):
    worst, best = (scored(runs, measures, ties=order) for order in orders)
    return {"tied": (worst, best)}


def same_everywhere(but: float) -> Scores:
    """Two systems that are as far apart on every query, but for the first."""
    other = [0.5 + but] + [0.5] * 29
    return made({"base": {"AP": [0.25] * 30}, "other": {"AP": other}})


LEVEL = {query: dict.fromkeys("abc", 1.0) for query in QUERIES}

CASES: dict[str, tuple[Callable[[], Doubt | None], float, Callable[[], Doubt | None]]] = {
    "few-queries": (
        lambda: of(pair(24, 0.1), "few-queries"),
        24,
        lambda: of(pair(25, 0.1), "few-queries"),
    ),
    "no-spread": (
        lambda: of(same_everywhere(0.0), "no-spread", test="t"),
        1,
        lambda: of(same_everywhere(0.1), "no-spread", test="t"),
    ),
    "out-of-reach": (
        lambda: of(pair(5, 0.1), "out-of-reach"),
        2 / 2**5,
        lambda: of(pair(6, 0.1), "out-of-reach"),
    ),
    "seed-decides": (
        lambda: of(near_level(0.0), "seed-decides"),
        pytest.approx(0.05, abs=0.003),
        lambda: of(near_level(0.02), "seed-decides"),
    ),
    "not-of-means": (
        lambda: of(
            made({"one": {"AP": [0.5] * 40}, "two": {"AP": [0.51] * 36 + [0.0] * 4}}),
            "not-of-means",
            test="sign",
        ),
        1,
        lambda: of(pair(40, 0.1), "not-of-means"),
    ),
    "mean-rr": (
        lambda: of(scored(measures=["RR", "RR@2", "AP"]), "mean-rr"),
        2,
        lambda: of(scored(measures=["AP", "ERR@3"]), "mean-rr"),
    ),
    "measures-tried": (
        lambda: doubt_of_one_measure(["AP", "P@3", "RR", "Judged@3"]),
        3,
        lambda: doubt_of_one_measure(["AP", "Judged@3", "NumRet"]),
    ),
    "tuned-on-test": (
        lambda: of(scored(), "tuned-on-test", tuned_on=["q01", "q07", "elsewhere"]),
        2,
        lambda: of(scored(), "tuned-on-test", tuned_on=["elsewhere"]),
    ),
    "missing-queries": (
        lambda: of(scored({"poor": without(POOR, 2), "good": GOOD}), "missing-queries"),
        2,
        lambda: of(scored(), "missing-queries"),
    ),
    "undefined-queries": (
        lambda: of(
            scored(measures=["P@3", "AP"], qrels=QRELS | {"q03": {"a": 0}}), "undefined-queries"
        ),
        1,
        lambda: of(scored(measures="P@3", qrels=QRELS | {"q03": {"a": 0}}), "undefined-queries"),
    ),
    "nothing-judged": (
        lambda: of(scored({"strange": strangers({}, 30), "good": GOOD}), "nothing-judged"),
        1,
        lambda: of(scored({"strange": strangers(GOOD, 29), "good": GOOD}), "nothing-judged"),
    ),
    "unjudged-differs": (
        lambda: of(scored({"strange": strangers(GOOD, 3), "good": GOOD}), "unjudged-differs"),
        pytest.approx(0.1),
        lambda: of(scored({"strange": strangers(GOOD, 1), "good": GOOD}), "unjudged-differs"),
    ),
    "pool-bias": (
        lambda: of(scored(), "pool-bias", pooled=["good"]),
        1,
        lambda: of(scored(), "pool-bias", pooled=["good", "poor"]),
    ),
    "ties": (
        lambda: of(
            scored({"level": LEVEL, "poor": POOR}, "P@1"),
            "ties",
            **tied(runs={"level": LEVEL, "poor": GOOD}),
        ),
        1.0,
        lambda: of(scored(measures="P@1"), "ties", **tied()),
    ),
    "bounds-overlap": (
        lambda: of(
            scored({"poor": strangers(POOR, 20), "good": strangers(GOOD, 15)}, "P@1", bounds=True),
            "bounds-overlap",
        ),
        pytest.approx(15 / 30 - 20 / 30),
        lambda: of(scored(measures="P@1", bounds=True), "bounds-overlap"),
    ),
    "shallow-run": (
        lambda: of(scored(measures=["P@3", "R@10"]), "shallow-run"),
        3,
        lambda: of(scored(measures=["P@3", "AP"]), "shallow-run"),
    ),
}


def near_level(away: float) -> Scores:
    """Two systems whose p-value is near 0.05, or so much further away in mean difference."""
    z = 1.9825  # of the sum under random signs, at these 60 queries
    return pair(60, z * 0.1 / 60**0.5 + away)


def doubt_of_one_measure(measures: list[str]) -> Doubt | None:
    found = find_doubts(compare(scored(measures=measures), measures="AP"))
    return next((doubt for doubt in found if doubt.name == "measures-tried"), None)


def test_every_doubt_has_a_case() -> None:
    assert set(CASES) == set(DOUBT_RULES.all())


@pytest.mark.parametrize("name", CASES)
def test_it_is_raised_with_its_number_and_only_where_there_is_reason(name: str) -> None:
    with_reason, number, without_reason = CASES[name]
    doubt = with_reason()
    assert doubt is not None
    assert doubt.number == number
    assert doubt.reference == DOUBT_RULES.find(name).reference
    assert doubt.sentence[-1] not in ".;,"
    assert "nan" not in doubt.sentence.split()
    assert without_reason() is None


def test_each_can_be_silenced_by_name() -> None:
    found = compare(scored({"poor": without(POOR, 2), "good": GOOD}, ["RR", "P@10"]))
    raised = {doubt.name for doubt in find_doubts(found)}
    assert raised == {"missing-queries", "shallow-run", "mean-rr"}
    for name in raised:
        assert {doubt.name for doubt in find_doubts(found, silence=[name])} == raised - {name}
    assert find_doubts(found, silence=raised) == []
    with pytest.raises(OptionError, match="no doubt 'few-query'; did you mean 'few-qu"):
        find_doubts(found, silence=["few-query"])


def test_pooled_systems_are_known_ones() -> None:
    with pytest.raises(OptionError, match="pooled: there is no system 'goood'; did you mean 'good"):
        find_doubts(compare(scored()), pooled=["goood"])


def test_many_ties_are_told_where_their_orders_were_not_tried() -> None:
    doubt = of(scored({"level": LEVEL, "good": GOOD}, "P@1"), "ties")
    assert doubt is not None
    assert doubt.number == 1
    assert doubt.sentence.startswith("100% of level's results are tied")


def test_ties_that_change_no_order_are_no_doubt() -> None:
    # b and c are tied in both, and both are below rank 1.
    half = {query: {"a": 3.0, "b": 1.0, "c": 1.0} for query in QUERIES}
    runs = {"poor": POOR, "half": half}
    scores = scored(runs, "P@1")
    assert scores.about.runs["half"].tie_rate > 0.5
    assert of(scores, "ties", **tied(runs=runs)) is None


def test_of_many_cases_the_worst_is_told() -> None:
    runs = {"some": strangers(GOOD, 3), "more": strangers(GOOD, 9), "good": GOOD}
    doubt = of(scored(runs), "unjudged-differs")
    assert doubt is not None
    assert doubt.number == pytest.approx(0.3)
    assert "70% of more's are judged and 100% of good's" in doubt.sentence.replace(
        "100% of good's are judged and 70% of more's", "70% of more's are judged and 100% of good's"
    )
    assert doubt.sentence.endswith("; 2 other pairs differ as much")


def test_shares_are_looked_at_down_to_the_cutoff() -> None:
    deep = {query: {**GOOD[query], "x": 0.5, "y": 0.4} for query in QUERIES}
    assert of(scored({"deep": deep, "good": GOOD}, "P@3"), "unjudged-differs") is None
    at_5 = of(scored({"deep": deep, "good": GOOD}, "P@5"), "unjudged-differs")
    assert at_5 is not None
    assert at_5.number == pytest.approx(0.4)


def test_references_lead_somewhere_and_rules_explain_themselves() -> None:
    for rule in DOUBT_RULES.all().values():
        assert any(sign in rule.reference for sign in ("doi:10.", "arXiv:", "JMLR", "TREC", "NIST"))
        assert str(getdoc(rule)).endswith(".")
        assert rule.name == rule.name.lower().replace("_", "-")
    for side in ("Fuhr 2017", "Sakai 2020", "Moffat 2022"):
        assert side in DOUBT_RULES.find("mean-rr").reference


def test_the_guide_lists_them_all() -> None:
    page = (Path(__file__).parents[2] / "docs" / "compare.md").read_text("utf-8")
    for rule in DOUBT_RULES.all().values():
        assert f"| `{rule.name}` | {getdoc(rule)} | {rule.reference} |" in page


def test_random_scores_raise_nothing_but_what_holds() -> None:
    random = np.random.default_rng(5)
    for queries in (1, 2, 6, 40):
        values = {name: {"AP": list(random.random(queries))} for name in ("one", "two", "three")}
        names = {doubt.name for doubt in find_doubts(compare(made(values)))}
        assert ("few-queries" in names) == (queries < 25)
        assert ("out-of-reach" in names) == (3 * 2 / 2**queries > 0.05)


def test_too_few_draws_put_everything_out_of_reach() -> None:
    scores = pair(40, 0.5)
    few, enough = (compare(scores, options={"draws": draws}) for draws in (10, 19))
    (found,) = (doubt for doubt in find_doubts(few) if doubt.name == "out-of-reach")
    assert found.number == pytest.approx(1 / 11)
    assert found.sentence.startswith("no difference tested by 10 random draws can be significant")
    assert "out-of-reach" not in [doubt.name for doubt in find_doubts(enough)]
    # And where no seed can decide otherwise, none is said to.
    assert "seed-decides" not in [doubt.name for doubt in find_doubts(few)]


def test_bounds_are_of_the_queries_that_are_compared() -> None:
    # On the first queries one run has results that nobody judged, and the other none at all.
    half = without(POOR | {query: GOOD[query] for query in QUERIES[25:]}, 20)
    runs = {"half": half, "good": strangers(GOOD, 20)}
    found = scored(runs, "P@1", bounds=True, missing="skip")
    assert of(found, "bounds-overlap") is None

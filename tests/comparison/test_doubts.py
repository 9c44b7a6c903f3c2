"""Every doubt is raised where there is reason to, and not where there is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from inspect import getdoc
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from scipy import stats

from cleverdon import evaluate, repeats
from cleverdon.comparison.differences import Comparison, compare
from cleverdon.comparison.doubt_rules import DOUBT_RULES
from cleverdon.comparison.doubts import Doubt, find_doubts
from cleverdon.comparison.doubts_of_tests import _differing_share
from cleverdon.comparison.splits import hold_out, k_fold
from cleverdon.errors import OptionError
from cleverdon.scores import Scores
from tests.comparison.made import made, pair

QUERIES = [f"q{i:02}" for i in range(30)]
QRELS = {query: {"a": 1, "b": 0, "c": 1} for query in QUERIES}
GOOD = {query: {"a": 3.0, "b": 2.0, "c": 1.0} for query in QUERIES}
POOR = {query: {"b": 3.0, "a": 2.0, "c": 1.0} for query in QUERIES}
RUNS = {"poor": POOR, "good": GOOD}


def of(
    scores: Scores,
    name: str,
    *,
    test: str = "randomisation",
    correction: str | None = None,
    **known: object,
) -> Doubt | None:
    compared = compare(scores, test=test, correction=correction)
    found = find_doubts(compared, **known)  # type: ignore[arg-type]
    return next((doubt for doubt in found if doubt.name == name), None)


def scored(runs=RUNS, measures="P@3", qrels=QRELS, **settings) -> Scores:
    return evaluate(qrels, runs, measures, **settings)


def test_nothing_to_doubt() -> None:
    assert find_doubts(compare(scored(measures=["AP", "P@3"])), silence=["no-spread"]) == []


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


def thin(run, judged: int):
    """The same run, with so many judged results on each query and others below them."""
    return {
        query: {**dict(list(run[query].items())[:judged]), **{f"x{k}": -1.0 - k for k in range(9)}}
        for query in QUERIES
    }


def apart(differences, base: float = 0.5) -> Scores:
    """Two systems with these differences, query by query."""
    values = np.asarray(differences, dtype=float)
    return made({"base": {"AP": [base] * len(values)}, "other": {"AP": (base + values).tolist()}})


def tailed(tail: float, count: int = 3, n: int = 30) -> np.ndarray:
    """Small gains, and a few that are far away."""
    return np.concatenate((np.full(count, tail), np.linspace(0.05, 0.15, n - count)))


FOLDS = k_fold(QUERIES, folds=5)
LEVEL = {query: dict.fromkeys("abc", 1.0) for query in QUERIES}


def best_of(folder: str, *, chosen: bool) -> Doubt | None:
    """The doubt where a system is one of the runs of another: the best of them, or not."""
    for name, run in {"1": GOOD, "2": POOR, "3": POOR}.items():
        lines = (
            f"{q} Q0 {doc} {rank} {score} t\n"
            for q, docs in run.items()
            for rank, (doc, score) in enumerate(docs.items(), start=1)
        )
        Path(folder, name).write_text("".join(lines))
    files = [f"{folder}/{name}" for name in "123"]
    runs = {"dense": repeats(*files), "bm25": files[1]} | ({"best": files[0]} if chosen else {})
    return of(evaluate(QRELS, runs, "P@1"), "best-of-repeats")


def best_in_folder(*, chosen: bool) -> Doubt | None:
    with TemporaryDirectory() as folder:
        return best_of(folder, chosen=chosen)


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
    "few-repeats": (
        lambda: of(
            scored({"a": repeats(POOR, GOOD, GOOD), "b": repeats(POOR, GOOD)}), "few-repeats"
        ),
        2,
        lambda: of(scored({name: repeats(POOR, GOOD, GOOD) for name in "ab"}), "few-repeats"),
    ),
    "best-of-repeats": (
        lambda: best_in_folder(chosen=True),
        3,
        lambda: best_in_folder(chosen=False),
    ),
    "tuned-on-test": (
        lambda: of(scored(), "tuned-on-test", tuned_on=["q01", "q07", "elsewhere"]),
        2,
        lambda: of(scored(), "tuned-on-test", tuned_on=["elsewhere"]),
    ),
    "cross-validated": (
        lambda: of(scored(), "cross-validated", tuned_on=FOLDS),
        5,
        lambda: of(scored(), "cross-validated", tuned_on=hold_out(QUERIES, share=0.5)),
    ),
    "uncorrected": (
        lambda: of(scored(measures=["AP", "P@3"]), "uncorrected", correction="none"),
        2,
        lambda: of(scored(measures=["AP"]), "uncorrected", correction="none"),
    ),
    "thinly-judged": (
        lambda: of(scored({"one": thin(GOOD, 3), "two": thin(POOR, 3)}, "P@10"), "thinly-judged"),
        pytest.approx(0.3),
        lambda: of(scored({"one": thin(GOOD, 3), "two": POOR}, "P@6"), "thinly-judged"),
    ),
    "one-query": (
        lambda: of(apart(np.concatenate(([0.2], np.tile([0.1, -0.045], 15)))), "one-query"),
        1,
        lambda: of(apart(np.concatenate(([0.2], np.tile([0.1, -0.02], 15)))), "one-query"),
    ),
    "tiny-effect": (
        lambda: of(pair(2000, 0.005), "tiny-effect"),
        pytest.approx(0.05),
        lambda: of(pair(2000, 0.02), "tiny-effect"),
    ),
    "skewed": (
        lambda: of(apart(tailed(-0.2)), "skewed"),
        pytest.approx(stats.skew(tailed(-0.2), bias=False)),
        lambda: of(apart(tailed(0.4)), "skewed"),
    ),
    "near-zero-baseline": (
        lambda: of(near_nothing(1), "near-zero-baseline"),
        pytest.approx(0.01),
        lambda: of(near_nothing(20), "near-zero-baseline"),
    ),
    "few-differing": (
        lambda: of(apart([0.1, -0.1] * 4 + [0.0] * 22), "few-differing", margin=0.05),
        8,
        lambda: of(apart([0.1, -0.1] * 5 + [0.0] * 20), "few-differing", margin=0.05),
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


def near_nothing(found: int) -> Scores:
    """A baseline that finds anything on so many of 30 queries."""
    base = [0.3] * found + [0.0] * (30 - found)
    return made({"base": {"AP": base}, "other": {"AP": list(np.linspace(0.1, 0.6, 30))}})


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
        assert ("out-of-reach" in names) == (2 / 2**queries > 0.05)


def test_too_few_draws_put_everything_out_of_reach() -> None:
    scores = pair(40, 0.5)
    few, enough = (compare(scores, options={"draws": draws}) for draws in (10, 19))
    (found,) = (doubt for doubt in find_doubts(few) if doubt.name == "out-of-reach")
    assert found.number == pytest.approx(1 / 11)
    assert found.sentence.startswith("no difference tested by 10 random draws can be significant")
    assert "out-of-reach" not in [doubt.name for doubt in find_doubts(enough)]
    # And where no seed can decide otherwise, none is said to.
    assert "seed-decides" not in [doubt.name for doubt in find_doubts(few)]


def test_reach_is_of_each_family() -> None:
    # With 6 queries, one comparison can have 2 / 2**6 = 0.031, and of two Holm's lowest is 0.062.
    of_system = pair(6, 0.3).values[:, 0]
    names = ("AP", "RR", "P@10")
    values = {
        system: {name: list(of_system[at]) for name in names}
        for at, system in enumerate(("base", "other"))
    }
    compared = compare(made(values), correction="holm")
    assert [found.corrected for found in compared.differences] == [2 / 2**6, 4 / 2**6, 4 / 2**6]
    (found,) = (doubt for doubt in find_doubts(compared) if doubt.name == "out-of-reach")
    assert found.number == 4 / 2**6
    assert found.sentence.startswith("no difference on 6 queries by the other measures can be")
    one_family = compare(made(values), correction="holm", primary="all")
    (found,) = (doubt for doubt in find_doubts(one_family) if doubt.name == "out-of-reach")
    assert found.number == 6 / 2**6
    assert found.sentence.startswith("no difference on 6 queries can be")


def test_bounds_are_of_the_queries_that_are_compared() -> None:
    # On the first queries one run has results that nobody judged, and the other none at all.
    half = without(POOR | {query: GOOD[query] for query in QUERIES[25:]}, 20)
    runs = {"half": half, "good": strangers(GOOD, 20)}
    found = scored(runs, "P@1", bounds=True, missing="skip")
    assert of(found, "bounds-overlap") is None


def test_leaving_the_query_out_changes_the_verdict() -> None:
    """What the doubt says holds of a comparison without the query, over random differences."""
    random = np.random.default_rng(8)
    told = right = 0
    for _ in range(60):
        values = random.normal(0.45, 1, size=30)
        whole = compare(apart(values), options={"draws": 4000})
        if not whole.shows(whole.differences[0]):
            continue
        without_each = [
            compare(apart(np.delete(values, at)), options={"draws": 4000})
            for at in (values.argmax(), values.argmin())
        ]
        flips = any(not one.shows(one.differences[0]) for one in without_each)
        doubts = [doubt.name for doubt in find_doubts(whole)]
        told += 1
        right += ("one-query" in doubts) == flips
    assert told > 30
    assert right >= 0.98 * told  # what is near the level is tested again without the query


def test_systems_that_never_differ_have_no_spread() -> None:
    doubt = of(apart(np.zeros(30)), "no-spread")
    assert doubt is not None
    assert doubt.sentence.startswith("other does not differ from base on AP on any query, which")
    (found,) = compare(apart(np.zeros(30))).differences
    assert np.isnan(found.interval.low)


def test_bounds_of_shares_are_exact() -> None:
    for differing, queries in ((0, 5), (3, 20), (9, 200)):
        wanted = stats.beta.ppf(0.95, differing + 1, queries - differing)
        assert _differing_share(differing, queries) == pytest.approx(wanted, abs=1e-6)
    assert _differing_share(5, 5) == 1.0


@pytest.mark.parametrize("queries", [25, 50])
def test_skewed_differences_are_told_where_verdicts_are_false(queries: int) -> None:
    """Of mean 0 and a long tail: the test finds too much, and what is not doubted is its level."""
    random = np.random.default_rng(queries)
    times, false, undoubted, symmetric, doubted = 200, 0, 0, 0, 0
    template = apart(np.zeros(queries))

    def compared(differences: np.ndarray) -> Comparison:
        values = np.array([[np.zeros(queries)], [differences / 50]])  # within the measure's range
        return compare(replace(template, values=values), test="t")

    for _ in range(times):
        tail = random.lognormal(0, 1.5, queries) - np.exp(1.5**2 / 2)
        found = compared(tail)
        if found.shows(found.differences[0]):
            false += 1
            undoubted += "skewed" not in [doubt.name for doubt in find_doubts(found)]
        even = compared(random.normal(0.5, 1, queries))
        if even.shows(even.differences[0]):
            symmetric += 1
            doubted += "skewed" in [doubt.name for doubt in find_doubts(even)]
    assert false > 0.12 * times  # where 0.05 is promised
    assert undoubted < 0.05 * times
    assert doubted < 0.1 * symmetric


def test_a_thin_judgment_qualifies_the_verdict() -> None:
    runs = {"one": thin(GOOD, 3), "two": thin(POOR, 3)}
    found = compare(scored(runs, "P@10"))
    (doubt,) = (doubt for doubt in find_doubts(found) if doubt.name == "thinly-judged")
    assert doubt.qualifies(found.differences[0])


def test_a_single_run_beside_repeats_and_the_best_of_them(tmp_path: Path) -> None:
    found = of(scored({"a": repeats(POOR, GOOD, GOOD), "b": GOOD}), "few-repeats")
    assert found is not None
    assert found.sentence == "b has 1 run: it counts as one that does not depend on chance"
    best = best_of(str(tmp_path), chosen=True)
    assert best is not None
    assert best.serious
    assert best.about == (("best", "bm25"), ("best", "dense"))


def test_the_best_of_repeats_in_memory_is_known_by_its_values() -> None:
    second = {query: (GOOD if query < "q15" else POOR)[query] for query in QUERIES}
    third = {query: (GOOD if query < "q10" else POOR)[query] for query in QUERIES}
    runs = {"dense": repeats(POOR, second, third), "bm25": POOR}

    def doubted(**more: object) -> Doubt | None:
        return of(scored(runs | more, ["P@1", "AP"]), "best-of-repeats")

    best = doubted(best=dict(second))
    assert best is not None
    assert best.about == (("best", "bm25"), ("best", "dense"))
    # Another of the runs, and a system that is as good on other queries.
    assert doubted(other=third) is None
    turned = {query: (GOOD if query >= "q15" else POOR)[query] for query in QUERIES}
    assert doubted(other=turned) is None
    # What is perfect everywhere need not be the same run.
    runs = {"dense": repeats(POOR, GOOD, POOR), "bm25": POOR}
    assert doubted(other=dict(GOOD)) is None

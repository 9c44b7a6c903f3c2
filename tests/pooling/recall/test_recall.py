"""All methods at once, and what is decided from them."""

from __future__ import annotations

from math import isnan
from pathlib import Path

import numpy as np
import pytest

from cleverdon.errors import InputError, OptionError
from cleverdon.pooling.recall.recall import Recall, estimate_recall
from cleverdon.pooling.recall.samples import JudgedSample, SampledStratum
from tests.pooling.recall.made import grades_of, runs_of

GRADES = grades_of({"q1": "abcd", "q2": "ef"}, {"q1": "xy", "q2": "z"})
RUNS = runs_of(
    {
        "one": {"q1": "abxc", "q2": "ez"},
        "two": {"q1": "bcdy", "q2": "fe"},
        "three": {"q1": "cbad", "q2": "zf"},
    }
)


def test_estimates_hold_at_least_what_is_known() -> None:
    found = estimate_recall(GRADES, RUNS)
    assert [each.method for each in found.estimates] == ["chao"]
    for each in found.estimates:
        assert each.all.value >= found.relevant == 6
        assert sum(one.found for one in each.queries.values()) == 6
    assert found.judged == 9


def test_relevant_documents_that_no_run_has_refute_an_estimate() -> None:
    """The systems missed eight that are known, and by the estimate they missed less than one."""
    more = {**GRADES, "q1": GRADES["q1"] | dict.fromkeys("mnopqrst", 1.0)}
    found = estimate_recall(more, RUNS, docs=500, reusing=False)
    plain = estimate_recall(GRADES, RUNS, docs=500, reusing=False)
    one, before = found.estimates[0], plain.estimates[0]
    assert one.all.refuted
    assert one.queries["q1"].refuted
    assert not one.queries["q2"].refuted
    assert (one.all.found, one.all.value) == (14, before.all.value)
    assert (found.uncaught, found.unreturned) == (8, 8)
    assert found.best is None
    assert found.decision == "open"
    assert all(isnan(value) for value in one.all.recall())
    assert all(isnan(value) for run in found.runs for value in run.recall)
    assert found.needed is None


def test_a_few_known_ones_raise_the_low_end_alone() -> None:
    lists = {"one": {"q": "abcd"}, "two": {"q": "efgh"}}
    grades = grades_of({"q": "abcdefgh"})
    before = estimate_recall(grades, runs_of(lists), reusing=False).estimates[0].all
    known = {"q": grades["q"] | dict.fromkeys("stuvwxyz", 1.0)}
    found = estimate_recall(known, runs_of(lists), reusing=False)
    after = found.estimates[0].all
    assert (after.found, after.value, after.high) == (16, before.value, before.high)
    assert after.low == max(before.low, 16)
    assert found.best is not None


def test_below_the_depth_is_not_caught_and_yet_returned() -> None:
    found = estimate_recall(GRADES, RUNS, depth=1, reusing=False)
    assert found.uncaught > 0
    assert found.unreturned == 0


def test_no_more_documents_than_the_collection_has() -> None:
    apart = runs_of({"one": {"q1": "ab", "q2": "a"}, "two": {"q1": "cd", "q2": "b"}})
    grades = grades_of({"q1": "abcd", "q2": "ab"}, {"q1": "xy", "q2": "x"})
    free, held = (estimate_recall(grades, apart, docs=docs, reusing=False) for docs in (None, 7))
    for loose, tight in zip(free.estimates, held.estimates, strict=True):
        # Six and three are judged: one and four are left, and all of them may be relevant.
        assert loose.all.high > 11
        assert tight.all.high <= 11
        assert (tight.queries["q1"].high, tight.queries["q2"].high) <= (5, 6)
        assert tight.all.low <= tight.all.value <= tight.all.high


def complementary(third: str = "") -> dict[str, dict[str, dict[str, float]]]:
    """Two systems that have nothing in common, and perhaps one that has some of either."""
    lists = {"x": "abcdefgh", "z": "ijklmnop"} | ({"y": third} if third else {})
    return runs_of({name: {f"q{n}": docs for n in range(6)} for name, docs in lists.items()})


def test_systems_that_complement_each_other_bound_nothing() -> None:
    grades = grades_of({f"q{n}": "abcdefghijklmnop" for n in range(6)})
    found = estimate_recall(grades, complementary("ghij"), reusing=False)
    assert found.dependence is not None
    assert found.dependence.direction == "negative"
    assert not found.bounded
    assert found.best is not None
    assert found.best.all.recall()[2] < found.target
    assert found.decision == "open"
    # Of two systems alone it cannot be seen.
    two = estimate_recall(grades, complementary(), reusing=False)
    assert two.dependence is not None
    assert two.dependence.direction == "unknown"
    assert two.decision == "open"


def alike(target: float) -> Recall:
    """Five systems that find the easy half of a collection, one more often than another."""
    random = np.random.default_rng(3)
    chance = np.repeat([0.7, 0.2], 30)
    runs = {
        f"s{n}": {
            f"q{t}": {f"d{d}": 1.0 / (d + 1) for d in np.flatnonzero(random.random(60) < chance)}
            for t in range(20)
        }
        for n in range(4)
    }
    pooled = {
        f"q{t}": dict.fromkeys(sorted(set().union(*(run[f"q{t}"] for run in runs.values()))), 1.0)
        for t in range(20)
    }
    return estimate_recall(pooled, runs, target_recall=target, reusing=False)


def test_capture_recapture_decides_by_the_end_of_its_interval() -> None:
    found = alike(0.9)
    assert found.best is not None
    value, _, high = found.best.all.recall()
    assert value < high - 0.01
    assert found.bounded
    assert alike((value + high) / 2).decision == "open"
    assert alike(high + 0.005).decision == "go on"


def test_a_sample_of_some_queries_decides_of_these_alone() -> None:
    parts = [SampledStratum("q2", "all", 97, 0, 1.0, 97)]
    found = estimate_recall(GRADES, RUNS, sample=parts, docs=100, reusing=False)
    assert found.partial
    assert found.told == ("q2",)
    assert found.best is not None
    assert found.best.all.found == 2
    assert found.decision_as_told == "stop"
    assert found.decision == "open"
    assert found.sample_judged == 97
    whole = estimate_recall(
        {"q2": GRADES["q2"]},
        {name: {"q2": run["q2"]} for name, run in RUNS.items()},
        sample=parts,
        docs=100,
        reusing=False,
    )
    assert found.needed == whole.needed
    assert whole.decision == "stop"


def test_systems_that_are_the_same() -> None:
    twice = {**RUNS, "again": RUNS["one"]}
    assert estimate_recall(GRADES, twice, reusing=False).alike == (("one", "again"),)
    assert estimate_recall(GRADES, RUNS, reusing=False).alike == ()
    grouped = estimate_recall(GRADES, twice, groups={"one": "g", "again": "g"}, reusing=False)
    assert grouped.alike == ()


def test_intervals_have_names() -> None:
    parts = [SampledStratum(query, "all", 20, 0, 0.2, 100) for query in GRADES]
    two = {name: RUNS[name] for name in ("one", "two")}
    sample, pair, chao = estimate_recall(GRADES, two, sample=parts, reusing=False).estimates
    assert (sample.all.interval, sample.queries["q1"].interval) == ("gamma", "exact")
    assert (pair.all.interval, pair.queries["q1"].interval) == ("log-normal", "exact")
    assert chao.all.interval == "lower bound"


def test_the_order_of_runs_can_be_that_of_their_ranks(tmp_path: Path) -> None:
    rows = ["q1 Q0 a 2 9.0 x", "q1 Q0 k 1 1.0 x"]
    (tmp_path / "x.run").write_text("\n".join(rows) + "\n")
    (tmp_path / "y.run").write_text("q1 Q0 b 1 1.0 y\n")
    runs = {name: str(tmp_path / f"{name}.run") for name in "xy"}
    assert estimate_recall(GRADES, runs, depth=1, reusing=False).uncaught == 4  # all but a and b
    by_rank = estimate_recall(GRADES, runs, depth=1, order_by="rank", reusing=False)
    assert by_rank.uncaught == 5


def test_recall_of_runs_counts_all_ranks() -> None:
    found = estimate_recall(GRADES, RUNS, depth=1)
    assert [run.found for run in found.runs] == [4, 5, 5]
    best = found.best
    assert best is not None
    assert found.runs[0].recall == best.all.recall(4)


def test_a_sample_counts_most() -> None:
    parts = [SampledStratum(query, "all", 20, 0, 0.2, 100) for query in GRADES]
    found = estimate_recall(GRADES, RUNS, sample=parts, reusing=False)
    assert [each.method for each in found.estimates] == ["sample", "chao"]
    assert found.best is not None
    assert found.best.all.value == 6
    assert found.best.all.high > 6 + 15
    assert found.decision == "open"


@pytest.mark.parametrize(
    ("drawn", "relevant", "target", "decision"),
    [(1000, 0, 0.5, "stop"), (1000, 1000, 0.5, "go on"), (100, 1, 0.5, "open")],
)
def test_decisions_by_a_sample(drawn: int, relevant: int, target: float, decision: str) -> None:
    parts = [SampledStratum(query, "all", drawn, relevant, drawn / 1000, 1000) for query in GRADES]
    found = estimate_recall(GRADES, RUNS, sample=parts, target_recall=target, reusing=False)
    assert found.decision == decision


def test_capture_recapture_never_says_stop() -> None:
    same = runs_of({name: {"q1": "abcd", "q2": "ef"} for name in ("one", "two", "three")})
    found = estimate_recall(GRADES, same, target_recall=0.01)
    assert found.best is not None
    assert found.best.all.recall()[0] == 1
    assert found.decision == "open"


def test_everything_judged() -> None:
    found = estimate_recall({"q": {"a": 1, "b": 0}}, {"x": {"q": {"a": 2.0, "b": 1.0}}}, docs=2)
    assert found.complete
    assert found.decision == "stop"
    assert found.needed is None


def test_one_system_tells_nothing() -> None:
    found = estimate_recall(GRADES, {"one": RUNS["one"]})
    assert (found.estimates, found.dependence, found.reuse) == ((), None, None)
    assert found.decision == "open"
    assert isnan(found.runs[0].recall[0])


def test_nothing_relevant() -> None:
    grades = grades_of({"q": ""}, {"q": "ab"})
    found = estimate_recall(grades, runs_of({"one": {"q": "ab"}, "two": {"q": "a"}}), docs=100)
    assert found.relevant == 0
    assert found.decision == "open"


def test_a_group_is_one_system() -> None:
    found = estimate_recall(GRADES, RUNS, groups={"one": "team", "two": "team"})
    assert [each.method for each in found.estimates] == ["lincoln-petersen", "chao"]
    assert len(found.saturation.by_systems) == 2
    assert [run.system for run in found.runs] == ["one", "two", "three"]


def test_documents_of_the_sample_are_not_of_the_pool() -> None:
    merged = {query: grades | {"s1": 1.0, "s2": 0.0} for query, grades in GRADES.items()}
    parts = [SampledStratum(query, "all", 2, 1, 0.02, 100) for query in GRADES]
    sampled = {query: ["s1", "s2"] for query in GRADES}
    apart = estimate_recall(GRADES, RUNS, sample=parts, reusing=False)
    together = estimate_recall(merged, RUNS, sample=JudgedSample(parts, sampled), reusing=False)
    assert together.estimates == apart.estimates
    assert together.relevant == 6
    with pytest.raises(InputError, match="none is of a pool"):
        estimate_recall({"q1": {"s1": 1}}, RUNS, sample=JudgedSample(parts, sampled))


def test_the_sample_that_is_needed() -> None:
    loose = estimate_recall(GRADES, RUNS, docs=2000, reusing=False)
    tight = estimate_recall(GRADES, RUNS, docs=2000, half_width=0.02, reusing=False)
    assert loose.needed is not None
    assert tight.needed is not None
    assert 0 < loose.needed <= tight.needed <= 2 * 2000
    assert estimate_recall(GRADES, RUNS, reusing=False).needed is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"docs": 5}, "query 'q1' alone has 6 judged documents"),
        ({"docs": 8}, "the judgments have 9 different documents"),
        ({"half_width": 0}, "half_width=0"),
        ({"depth": 10**20}, "depth=1000000000000000000"),
        ({"target_recall": 1.5}, "target_recall=1.5"),
        ({"depth": 0}, "depth=0"),
        ({"groups": {"for": "x"}}, "a system 'for'"),
    ],
)
def test_errors(options: dict[str, object], message: str) -> None:
    with pytest.raises((OptionError, InputError), match=message):
        estimate_recall(GRADES, RUNS, **options)  # type: ignore[arg-type]


def test_a_collection_is_no_smaller_than_what_a_run_returned() -> None:
    runs = {**RUNS, "long": {"q1": {f"d{n}": 1.0 / (n + 1) for n in range(20)}}}
    with pytest.raises(OptionError, match="run 'long' returned 20 documents for a query"):
        estimate_recall(GRADES, runs, docs=19, reusing=False)
    assert estimate_recall(GRADES, runs, docs=20, reusing=False).docs == 20


def test_documents_of_the_sample_are_of_the_collection() -> None:
    with pytest.raises(OptionError, match="the judgments have 11 different documents"):
        estimate_recall(
            GRADES, RUNS, docs=10, sample=JudgedSample((), {"q1": ["s1", "s2"]}), reusing=False
        )


def test_simulated_collection_with_known_relevance() -> None:
    """Systems that miss what all find hard: the sample holds the truth, and Chao lies below it."""
    random = np.random.default_rng(12)
    docs, truth = 3000, 120
    ease = random.normal(0, 1, docs)
    runs: dict[str, dict[str, dict[str, float]]] = {f"s{n}": {} for n in range(6)}
    grades: dict[str, dict[str, float]] = {}
    parts = []
    for query in (f"q{n}" for n in range(10)):
        relevant = random.choice(docs, truth, replace=False)
        signal = np.zeros(docs)
        signal[relevant] = 1.5
        pooled: set[int] = set()
        for run in runs.values():
            scores = signal + ease + random.normal(0, 1, docs)
            top = np.argsort(-scores)[:50]
            run[query] = {f"d{d}": float(scores[d]) for d in top}
            pooled |= set(top.tolist())
        is_relevant = set(relevant.tolist())
        grades[query] = {f"d{d}": float(d in is_relevant) for d in sorted(pooled)}
        rest = np.setdiff1d(np.arange(docs), list(pooled))
        drawn = random.choice(rest, 300, replace=False)
        seen = sum(d in is_relevant for d in drawn.tolist())
        parts.append(SampledStratum(query, "all", 300, seen, 300 / len(rest), len(rest)))
    found = estimate_recall(grades, runs, sample=parts, docs=docs)
    by_sample, by_chao = found.estimates
    assert by_sample.all.low <= 10 * truth <= by_sample.all.high
    assert by_chao.all.high < 10 * truth
    assert found.dependence is not None
    assert found.dependence.direction == "positive"
    assert found.decision == "go on"

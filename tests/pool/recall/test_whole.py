"""All methods at once, and what is decided from them."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest

from cleverdon.errors import InputError, OptionError
from cleverdon.pool.recall import Part, recall
from tests.pool.recall.made import grades_of, runs_of

GRADES = grades_of({"q1": "abcd", "q2": "ef"}, {"q1": "xy", "q2": "z"})
RUNS = runs_of(
    {
        "one": {"q1": "abxc", "q2": "ez"},
        "two": {"q1": "bcdy", "q2": "fe"},
        "three": {"q1": "cbad", "q2": "zf"},
    }
)


def test_estimates_hold_at_least_what_is_known() -> None:
    found = recall(GRADES, RUNS)
    assert [each.method for each in found.estimates] == ["chao"]
    for each in found.estimates:
        assert each.all.value >= found.relevant == 6
        assert sum(one.found for one in each.topics.values()) == 6
    assert found.judged == 9


def test_relevant_documents_that_no_run_has_count_as_known() -> None:
    more = {**GRADES, "q1": GRADES["q1"] | dict.fromkeys("mnopqrst", 1.0)}
    one = recall(more, RUNS, reusing=False).estimates[0].topics["q1"]
    assert one.found == 12
    assert one.low >= 12


def test_recall_of_runs_counts_all_ranks() -> None:
    found = recall(GRADES, RUNS, depth=1)
    assert [run.found for run in found.runs] == [4, 5, 5]
    best = found.best
    assert best is not None
    assert found.runs[0].recall == best.all.recall(4)


def test_a_sample_counts_most() -> None:
    parts = [Part(topic, "all", 20, 0, 0.2, 100) for topic in GRADES]
    found = recall(GRADES, RUNS, sample=parts, reusing=False)
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
    parts = [Part(topic, "all", drawn, relevant, drawn / 1000, 1000) for topic in GRADES]
    found = recall(GRADES, RUNS, sample=parts, target=target, reusing=False)
    assert found.decision == decision


def test_capture_recapture_never_says_stop() -> None:
    same = runs_of({name: {"q1": "abcd", "q2": "ef"} for name in ("one", "two", "three")})
    found = recall(GRADES, same, target=0.01)
    assert found.best is not None
    assert found.best.all.recall()[0] == 1
    assert found.decision == "open"
    apart = runs_of({"one": {"q1": "ab", "q2": "e"}, "two": {"q1": "cd", "q2": "f"}})
    assert recall(GRADES, apart).decision == "go on"


def test_everything_judged() -> None:
    found = recall({"q": {"a": 1, "b": 0}}, {"x": {"q": {"a": 2.0, "b": 1.0}}}, docs=2)
    assert found.complete
    assert found.decision == "stop"
    assert found.needed is None


def test_one_system_tells_nothing() -> None:
    found = recall(GRADES, {"one": RUNS["one"]})
    assert (found.estimates, found.dependence, found.reuse) == ((), None, None)
    assert found.decision == "open"
    assert isnan(found.runs[0].recall[0])


def test_nothing_relevant() -> None:
    grades = grades_of({"q": ""}, {"q": "ab"})
    found = recall(grades, runs_of({"one": {"q": "ab"}, "two": {"q": "a"}}), docs=100)
    assert found.relevant == 0
    assert found.decision == "open"


def test_a_group_is_one_system() -> None:
    found = recall(GRADES, RUNS, groups={"one": "team", "two": "team"})
    assert [each.method for each in found.estimates] == ["lincoln-petersen", "chao"]
    assert len(found.saturation.by_systems) == 2
    assert [run.system for run in found.runs] == ["one", "two", "three"]


def test_documents_of_the_sample_are_not_of_the_pool() -> None:
    merged = {topic: grades | {"s1": 1.0, "s2": 0.0} for topic, grades in GRADES.items()}
    parts = [Part(topic, "all", 2, 1, 0.02, 100) for topic in GRADES]
    sampled = {topic: ["s1", "s2"] for topic in GRADES}
    apart = recall(GRADES, RUNS, sample=parts, reusing=False)
    together = recall(merged, RUNS, sample=parts, sampled=sampled, reusing=False)
    assert together.estimates == apart.estimates
    assert together.relevant == 6
    with pytest.raises(InputError, match="none is of a pool"):
        recall({"q1": {"s1": 1}}, RUNS, sample=parts, sampled=sampled)


def test_the_sample_that_is_needed() -> None:
    loose = recall(GRADES, RUNS, docs=2000, reusing=False)
    tight = recall(GRADES, RUNS, docs=2000, precision=0.02, reusing=False)
    assert loose.needed is not None
    assert tight.needed is not None
    assert 0 < loose.needed <= tight.needed <= 2 * 2000
    assert recall(GRADES, RUNS, reusing=False).needed is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"docs": 5}, "topic 'q1' alone has 6 judged documents"),
        ({"precision": 0}, "precision=0"),
        ({"target": 1.5}, "target=1.5"),
        ({"depth": 0}, "depth=0"),
        ({"groups": {"for": "x"}}, "a system 'for'"),
    ],
)
def test_errors(options: dict[str, object], message: str) -> None:
    with pytest.raises((OptionError, InputError), match=message):
        recall(GRADES, RUNS, **options)  # type: ignore[arg-type]


def test_simulated_collection_with_known_relevance() -> None:
    """Systems that miss what all find hard: the sample holds the truth, and Chao lies below it."""
    random = np.random.default_rng(12)
    docs, truth = 3000, 120
    ease = random.normal(0, 1, docs)
    runs: dict[str, dict[str, dict[str, float]]] = {f"s{n}": {} for n in range(6)}
    grades: dict[str, dict[str, float]] = {}
    parts = []
    for topic in (f"q{n}" for n in range(10)):
        relevant = random.choice(docs, truth, replace=False)
        signal = np.zeros(docs)
        signal[relevant] = 1.5
        pooled: set[int] = set()
        for run in runs.values():
            scores = signal + ease + random.normal(0, 1, docs)
            top = np.argsort(-scores)[:50]
            run[topic] = {f"d{d}": float(scores[d]) for d in top}
            pooled |= set(top.tolist())
        is_relevant = set(relevant.tolist())
        grades[topic] = {f"d{d}": float(d in is_relevant) for d in sorted(pooled)}
        rest = np.setdiff1d(np.arange(docs), list(pooled))
        drawn = random.choice(rest, 300, replace=False)
        seen = sum(d in is_relevant for d in drawn.tolist())
        parts.append(Part(topic, "all", 300, seen, 300 / len(rest), len(rest)))
    found = recall(grades, runs, sample=parts, docs=docs)
    by_sample, by_chao = found.estimates
    assert by_sample.all.low <= 10 * truth <= by_sample.all.high
    assert by_chao.all.high < 10 * truth
    assert found.dependence is not None
    assert found.dependence.direction == "positive"
    assert found.decision == "go on"

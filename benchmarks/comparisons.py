"""Comparing systems: the default procedure beside the one of version 0.1."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from statistics import median

import numpy as np

from benchmarks.calls import TEST_SYSTEMS
from benchmarks.inputs import TEST_MEASURES, TEST_TOPICS, scores_and_draws
from benchmarks.progress import say
from benchmarks.report import Fact
from cleverdon import Scores, claim, evaluate
from cleverdon.comparison import compare
from cleverdon.stats.effect_sizes import effect_sizes
from cleverdon.stats.intervals import difference_intervals
from cleverdon.stats.multiple_comparisons import holm
from cleverdon.stats.tests import p_values, round_differences

TITLE = (
    f"Comparing {TEST_SYSTEMS} systems x {TEST_MEASURES} measures x {TEST_TOPICS} topics, all pairs"
)
MOST = 1.3
"""The longest that the defaults may take, in times of those of version 0.1."""


def run_comparisons(*, rounds: int) -> list[Fact]:
    """Compare by turns by both procedures."""
    say("task compare")
    scores = _scores()
    ways: dict[str, Callable[[], object]] = {
        "randomisation, max-T, intervals of max-T (default)": lambda: compare(scores),
        "randomisation, Holm, BCa (default of 0.1)": lambda: _as_before(scores),
        "the default, with claims and doubts in text": lambda: str(claim(compare(scores))),
    }
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(rounds + 1):  # the first is a warm-up
        say(f"  round {turn} of {rounds}")
        for name, call in ways.items():
            start = time.perf_counter()
            call()
            seconds[name].append(time.perf_counter() - start)
    medians = {name: median(found[1:]) for name, found in seconds.items()}
    now, before, _ = medians.values()
    facts = [
        Fact(what=name, value=value, unit="s", rounds=rounds) for name, value in medians.items()
    ]
    return [*facts, Fact(what="default / default of 0.1", value=now / before, unit="x", most=MOST)]


def _as_before(scores: Scores) -> None:
    """Do what `compare` of version 0.1 did: test each pair, correct by Holm's, draw BCa's."""
    pairs = [
        (scores.values[one, m], scores.values[other, m])
        for one, other in combinations(range(TEST_SYSTEMS), 2)
        for m in range(TEST_MEASURES)
    ]
    differences = round_differences(np.array([ours - theirs for ours, theirs in pairs]))
    holm([found.p for found in p_values("randomisation", differences)])
    difference_intervals(pairs, ["mean"] * len(pairs), method="bca")
    for ours, theirs in pairs:
        effect_sizes(ours, theirs)


def _scores() -> Scores:
    """Make scores of drawn values: systems x measures x topics."""
    values, _ = scores_and_draws(str(TEST_SYSTEMS), "0")
    qrels = {f"q{topic}": {"a": 1} for topic in range(TEST_TOPICS)}
    runs = {f"s{system}": {query: {"a": 1.0} for query in qrels} for system in range(TEST_SYSTEMS)}
    names = [f"P@{k}" for k in range(1, TEST_MEASURES + 1)]
    return replace(evaluate(qrels, runs, names), values=np.asarray(values))

"""Tuning against a baseline: held-out values of settings that are as good as the baseline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from benchmarks.progress import say
from benchmarks.statistics.populations import equal_systems, query_names, scores_of
from benchmarks.statistics.tables import LEVEL, Column, Row, Share, Table
from cleverdon._common.arrays import Floats
from cleverdon.comparison.splits import hold_out, k_fold
from cleverdon.comparison.tuning import tune_scores
from cleverdon.stats.tests import t_test


@dataclass(frozen=True)
class Case:
    """How settings are tuned and compared with a baseline."""

    name: str
    queries: int = 50
    settings: int = 10
    folds: int = 5
    repeats: int = 1
    hold_out: float = 0.0  # the share of queries that settings are scored on; 0 for folds
    apart: bool = False  # whether the baseline is none of the settings
    better: float = 0.0  # d_z of every setting against it

    @property
    def refused(self) -> bool:
        """Whether `tune` refuses to compare so many folds with a baseline."""
        return self.folds > 10


CASES = (
    Case("50 queries, 10 settings and the baseline apart, 2 folds", folds=2, apart=True),
    Case("the same, 5 folds", apart=True),
    Case("the same, 10 folds", folds=10, apart=True),
    Case("5 folds, the baseline one of 10 settings"),
    Case("the same, 5 folds 10 times", repeats=10),
    Case("the same, 10 folds", folds=10),
    Case("the same, each query a fold, which `tune` refuses", folds=50),
    Case("20 queries, 5 settings, 5 folds, the baseline one of them", queries=20, settings=5),
    Case("100 queries, 5 folds, the baseline one of 10 settings", queries=100),
    Case("50 queries, hold-out of a fifth", hold_out=0.2),
    Case("50 queries, hold-out of a half", hold_out=0.5),
)
POWER = (
    Case("5 folds", better=0.4),
    Case("10 folds", folds=10, better=0.4),
    Case("hold-out of a fifth", hold_out=0.2, better=0.4),
    Case("hold-out of a half", hold_out=0.5, better=0.4),
)


def draw_settings(values: Floats, case: Case, random: np.random.Generator) -> Floats:
    """Draw queries, and shuffle the values of each, so that all settings are equally good."""
    count = case.settings + case.apart
    drawn = values[:, random.integers(0, values.shape[1], size=case.queries)]
    drawn = random.permuted(drawn, axis=0)[:count]
    drawn[1:] += case.better * spread(values)
    return np.asarray(drawn)


def spread(values: Floats) -> float:
    """Return the standard deviation of differences between two of the settings."""
    return float((values[1] - values[0]).std())


def run_case(
    values: Floats, case: Case, *, repetitions: int, seed: int
) -> tuple[Share, Share, Share]:
    """Return how often the plain test and the program's show a difference, and its coverage."""
    random = np.random.default_rng([seed, case.queries, case.folds, case.settings])
    plain = shown = hits = known = 0
    true = case.better * spread(values)
    for i in range(repetitions):
        drawn = draw_settings(values, case, random)
        scores = scores_of(drawn[:, None], ["AP"])
        queries = query_names(case.queries)
        if case.hold_out:
            folds = hold_out(queries, share=case.hold_out, seed=i)
        else:
            folds = k_fold(queries, folds=case.folds, repeats=case.repeats, seed=i)
        settings = [name for name in scores.systems if not (case.apart and name == "s0")]
        baseline = None if case.refused else "s0"
        found = tune_scores(scores, "AP", folds, settings=settings, baseline=baseline)
        held = np.array(list(found.held_out.values()))
        base = drawn[0, [int(query[1:]) for query in found.held_out]]
        plain += bool(np.any(held != base)) and t_test((held - base)[None])[0].p <= LEVEL
        if found.versus is None:
            continue
        shown += found.versus.p <= LEVEL
        interval = found.versus.interval
        if not isnan(interval.low):
            known += 1
            hits += interval.low <= true <= interval.high
    promise = None if case.better else LEVEL
    return (
        Share(plain, repetitions, promise),
        Share(shown, repetitions, promise),
        Share(hits, known, None if case.better else 1 - LEVEL, low_is_bad=True),
    )


def tuning_tables(
    *, repetitions: int, seed: int, cases: Sequence[Case] = CASES, queries: int = 5000
) -> Iterator[Table]:
    """Measure tests of held-out values against a baseline."""
    values = equal_systems(11, queries)
    rows, power = [], []
    for case in (*cases, *POWER):
        plain, shown, held = run_case(values, case, repetitions=repetitions, seed=seed)
        say(f"tuning: {case.name}")
        shares: dict[Column, Share] = {}
        if not case.hold_out and not case.better:
            shares["plain t test"] = plain
        if not case.refused:
            shares["`tune`"] = shown
        if case.better:
            power.append(Row((case.name,), shares))
            continue
        if not case.refused:
            shares["coverage of `tune`"] = held
        rows.append(Row((case.name,), shares, default=not case.refused))
    yield Table(
        "False alarms of held-out values against a baseline that is as good",
        ("settings",),
        tuple(rows),
        groups={"`tune` against a baseline": ["`tune`"]},
    )
    yield Table(
        "Power where all settings but the baseline are better, by d_z = 0.4",
        ("50 queries, 10 settings",),
        tuple(power),
    )

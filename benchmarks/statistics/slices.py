"""Slices of queries: one significant and the other not, and the test between slices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.progress import say
from benchmarks.statistics.populations import (
    MEASURES,
    MadeUp,
    SignedDifferences,
    fewer_draws,
    query_names,
    scores_of,
)
from benchmarks.statistics.tables import LEVEL, Column, Row, Share, Table
from cleverdon import slice_by

SIZES = (20, 50, 100, 200)


@dataclass(frozen=True)
class Scenario:
    """Two slices of n queries together.

    The effects are in standard errors of a slice of half the queries: with 2, the test of a slice
    has a power of about a half, whatever n.
    """

    name: str
    effects: tuple[float, float]
    share: float = 0.5  # of the queries, in the first slice
    spread: float = 1.0  # of the first slice's differences; the second's have 1

    @property
    def same(self) -> bool:
        return self.effects[0] == self.effects[1]


SCENARIOS = (
    Scenario("no effect in either", (0, 0)),
    Scenario("one effect in both", (2, 2)),
    Scenario("one effect in both; a quarter of queries vary twice as much", (2, 2), 0.25, 2.0),
    Scenario("an effect in one only", (2.5, 0)),
    Scenario("opposite effects", (2, -2)),
)


@dataclass
class Tally:
    """What happened in samples of one scenario."""

    samples: int = 0
    one_alone: int = 0  # p is at most the level in one slice and not in the other
    one_shown: int = 0  # likewise by corrected p-values
    differ: int = 0  # the slices are shown to differ
    doubted: int = 0  # a doubt is raised
    due: int = 0  # one is shown and the other not, and the slices are not shown to differ


def run_slices(
    source: MadeUp, scenario: Scenario, m: int, *, n: int, repetitions: int, seed: int
) -> Tally:
    """Compare two systems in two slices, again and again."""
    tally = Tally()
    random = np.random.default_rng([seed, m, n])
    of = SignedDifferences(np.abs(source.differences("symmetric")[m]))
    first = round(scenario.share * n)
    attributes = {query: "a" if i < first else "b" for i, query in enumerate(query_names(n))}
    means = [of.mean_for(effect / np.sqrt(n / 2)) for effect in scenario.effects]
    for i in range(repetitions):
        drawn = np.concatenate(
            [
                scenario.spread * of.draw(first, means[0] / scenario.spread, random),
                of.draw(n - first, means[1], random),
            ]
        )
        scores = scores_of(np.stack([np.zeros(n), drawn])[:, None], [MEASURES[m]])
        found = slice_by(scores, attributes, baseline="s0", seed=i)
        both = [part.differences[0] for part in found.slices]
        shown = sum(found.significant(one) for one in both)
        tally.samples += 1
        tally.one_alone += sum(one.p.p <= LEVEL for one in both) == 1
        tally.one_shown += shown == 1
        differ = found.interactions[0].corrected <= found.level
        tally.differ += differ
        tally.due += shown == 1 and not differ
        tally.doubted += bool(found.one_sided_slices())
    return tally


def slice_tables(
    source: MadeUp,
    *,
    repetitions: int,
    seed: int,
    sizes: Sequence[int] = SIZES,
    scenarios: Sequence[Scenario] = SCENARIOS,
) -> Iterator[Table]:
    """Measure what one significant slice says, and the test between slices."""
    alone: list[Row] = []
    between: list[Row] = []
    for scenario in scenarios:
        for m in (0, 3) if scenario.same else (0,):
            tallies: dict[Column, Tally] = {}
            for n in sizes:
                with fewer_draws():
                    tallies[n] = run_slices(
                        source, scenario, m, n=n, repetitions=repetitions, seed=seed
                    )
                say(f"slices: {scenario.name}, {MEASURES[m]}, n={n}")
            names = (scenario.name, MEASURES[m])
            if scenario.same and any(scenario.effects):
                for label, count in (
                    ("by p", "one_alone"),
                    ("by corrected p", "one_shown"),
                    ("doubt raised", "doubted"),
                ):
                    found = {n: Share(getattr(t, count), t.samples) for n, t in tallies.items()}
                    alone.append(Row((*names, label), found))
            promise = LEVEL if scenario.same else None
            found = {n: Share(t.differ, t.samples, promise) for n, t in tallies.items()}
            between.append(Row(names, found, default=scenario.same))
    yield Table(
        "Significant in one slice and not in the other, where the true effect is the same",
        ("slices", "measure", "what"),
        tuple(alone),
    )
    yield Table(
        "How often the test between slices finds that they differ: level, then power",
        ("slices", "measure"),
        tuple(between),
        summary="test between slices, one effect in both",
    )

"""Playing methods against judgments that are known: what each would have found for its cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cleverdon.arrays import Ints
from cleverdon.correlate import kendall, tau_ap
from cleverdon.data import Judgments, Run
from cleverdon.errors import InputError, check_count
from cleverdon.evaluation import evaluate
from cleverdon.pool.adaptive.base import Method, methods, parse_method
from cleverdon.pool.adaptive.judging import Judging
from cleverdon.pool.adaptive.limits import Limits
from cleverdon.pool.contributions import Contributions

BUDGETS = (10, 20, 50, 100)

Progress = Callable[[str, int, int], object]
"""Is told a method, how many documents it has judged, and of how many."""


@dataclass(frozen=True)
class Stop:
    """A method after so many judgments."""

    budget: int  # documents of each topic
    judged: int  # documents of all topics
    relevant: int
    holes: int  # of the judged, those that the judgments do not know, taken as not relevant
    kendall: float  # of the order of systems by these judgments with that by all
    tau_ap: float


@dataclass(frozen=True, eq=False)
class Played:
    """What one method did."""

    method: str
    found: Ints  # the relevant documents after each judgment
    stops: tuple[Stop, ...]


@dataclass(frozen=True, eq=False)
class Simulation:
    """What methods find for the same cost."""

    played: tuple[Played, ...]
    budgets: tuple[int, ...]  # documents of each topic
    measure: str
    systems: tuple[str, ...]
    topics: int
    pooled: int  # documents that systems returned
    relevant: int  # of these, the relevant ones
    relevant_in_all: int  # in the judgments of these topics
    seed: int
    rel: float


def simulate(
    contributions: Contributions,
    judgments: Any,
    chosen: Sequence[str | Method] | None = None,
    *,
    budgets: Sequence[int] | None = None,
    measure: str | None = None,
    seed: int = 0,
    rel: float = 1,
    progress: Progress | None = None,
) -> Simulation:
    """Let methods choose what to judge, up to each of some budgets: documents of each topic.

    All methods, unless some are named; each is played once, however often it is named. Topics
    without judgments are left out, and documents without one are not relevant. Systems are ordered
    by average precision with the same `rel`, unless a measure is named.
    """
    truth = Judgments.read(judgments)
    if not len(contributions):
        raise InputError("the runs returned nothing: there is nothing to judge")
    if len(contributions.systems) < 2:
        raise InputError(
            f"there is one run only, {contributions.systems[0]!r}: every method would judge it "
            "from the top down; give two runs at least"
        )
    topics = [topic for topic in contributions.topics if topic in truth]
    if not topics:
        raise InputError(
            "the runs and the judgments have no topic in common: the runs have "
            f"{contributions.topics[0]!r}, the judgments {truth.queries[0]!r}"
        )
    grades = {topic: truth[topic] for topic in topics}
    pooled = {topic: contributions.of(topic).docs for topic in topics}
    sizes = [len(docs) for docs in pooled.values()]
    budgets = _budgets(budgets, max(sizes))
    played = dict.fromkeys(map(parse_method, chosen or methods()))
    relevant = sum(
        grades[topic].get(doc, 0) >= rel for topic, docs in pooled.items() for doc in docs
    )
    if not relevant:
        highest = max((grade for of in grades.values() for grade in of.values()), default=0)
        raise InputError(
            "no run returned a relevant document, and no method can find one: relevant is a grade "
            f"from {rel:g} on (rel, on the command line --rel), and the highest is {highest:g}"
        )
    # Topics come in turn, so that after so many documents in all each has had its budget.
    stops = {sum(min(size, budget) for size in sizes): budget for budget in budgets}
    measure = measure or ("AP" if rel == 1 else f"AP(rel={rel:g})")
    ranked = _Order(contributions, grades, measure)
    return Simulation(
        played=tuple(
            _play(
                Judging(
                    contributions,
                    method,
                    seed=seed,
                    rel=rel,
                    topics=topics,
                    limits=Limits(budget=budgets[-1]),
                ),
                grades,
                stops,
                ranked,
                progress,
            )
            for method in played
        ),
        budgets=budgets,
        measure=measure,
        systems=contributions.systems,
        topics=len(topics),
        pooled=sum(sizes),
        relevant=relevant,
        relevant_in_all=sum(grade >= rel for of in grades.values() for grade in of.values()),
        seed=seed,
        rel=rel,
    )


def _budgets(given: Sequence[int] | None, largest: int) -> tuple[int, ...]:
    """Rising, and none of them above the first that exhausts all topics."""
    counts = [check_count("budget", budget) for budget in given or BUDGETS]
    return tuple(sorted({min(count, largest) for count in counts}))


def _play(
    judging: Judging,
    grades: Mapping[str, Mapping[str, float]],
    stops: Mapping[int, int],
    ranked: _Order,
    progress: Progress | None,
) -> Played:
    name = str(judging.method)
    found: list[int] = []
    reached: list[Stop] = []
    relevant = holes = 0
    for topic, doc in judging:
        grade = grades[topic].get(doc, -1)
        holes += grade < 0  # below 0 is pooled, and not judged
        relevant += grade >= max(judging.rel, 0)
        judging.judge(topic, doc, max(grade, 0))
        found.append(relevant)
        if len(found) in stops:
            taus = ranked.agreement(judging.grades)
            reached.append(Stop(stops[len(found)], len(found), relevant, holes, *taus))
        if progress and len(found) % 100 == 0:
            progress(name, len(found), max(stops))
    return Played(name, np.array(found, dtype=np.int64), tuple(reached))


class _Order:
    """The order of systems by some judgments, held against that by all of them."""

    def __init__(
        self, contributions: Contributions, grades: Mapping[str, Mapping[str, float]], measure: str
    ) -> None:
        self._measure = measure
        self._runs = _runs(contributions, grades)
        self._truth = self._means(grades)

    def agreement(self, grades: Mapping[str, Mapping[str, float]]) -> tuple[float, float]:
        found = self._means(grades)
        return kendall(found, self._truth), tau_ap(found, self._truth)

    def _means(self, grades: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
        # At first nothing relevant may be known, and all systems are equal.
        scores = evaluate(grades, self._runs, [self._measure], undefined="always-worst")
        return dict(zip(scores.systems, scores.means[:, 0].tolist(), strict=True))


def _runs(contributions: Contributions, topics: Mapping[str, object]) -> dict[str, Run]:
    """The systems' rankings as runs again, as far as they are known."""
    nested: list[dict[str, dict[str, float]]] = [{} for _ in contributions.systems]
    for topic in topics:
        of = contributions.of(topic)
        for found, ranking in zip(nested, of.rankings, strict=True):
            docs = ranking.tolist()
            found[topic] = {of.docs[doc]: -float(at) for at, doc in enumerate(docs)}
    return {
        name: Run.read(found, name=name)
        for name, found in zip(contributions.systems, nested, strict=True)
    }

"""Simulation of adaptive methods on known judgments: what each finds for its cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from cleverdon._common.arrays import Ints
from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon._common.text import counted
from cleverdon.data import Judgments, Run
from cleverdon.errors import InputError, check_count
from cleverdon.evaluation import evaluate
from cleverdon.pooling.adaptive.judging import AdaptiveJudging, Limits
from cleverdon.pooling.adaptive.methods import Method, known_methods, parse_method
from cleverdon.pooling.choices import BUDGETS
from cleverdon.pooling.contributions import Contributions, gather
from cleverdon.stats.correlation import kendall, tau_ap
from cleverdon.tables.numbers import format_decimal
from cleverdon.tables.result import Result, in_json
from cleverdon.tables.sections import Section, count_format
from cleverdon.tables.table import TextTable

if TYPE_CHECKING:
    from cleverdon.charts.base import Chart


@dataclass(frozen=True)
class Checkpoint:
    """The state of a method after a number of judgments."""

    budget: int  # documents of each query
    judged: int  # documents of all queries
    relevant: int
    holes: int  # of the judged, those that the judgments do not know, taken as not relevant
    kendall: float  # of the order of systems by these judgments with that by all
    tau_ap: float


@dataclass(frozen=True, eq=False)
class MethodResult:
    """The course of one method."""

    method: str
    stops: tuple[Checkpoint, ...]
    found: Ints  # the relevant documents after each judgment


@dataclass(frozen=True, eq=False)
class Simulation(Result):
    """The relevant documents that methods find for the same cost.

    Attributes:
        measure: The measure that orders systems.
        systems: The systems.
        queries: The number of queries.
        pooled: The number of documents that systems returned.
        relevant: The number of relevant ones of these.
        relevant_in_all: The number of relevant documents in the judgments of these queries.
        rel: The lowest grade that is relevant.
        seed: The seed of choices.
        played: The course of each method.
        budgets: The numbers of documents of each query.

    >>> runs = {"a": {"q": {"x": 3, "y": 2}}, "b": {"q": {"x": 2, "z": 1}}}
    >>> simulate_methods(runs, {"q": {"x": 1}}, ["depth"], budgets=[2]).played[0].found.tolist()
    [1, 1]
    """

    measure: str
    systems: tuple[str, ...]
    queries: int
    pooled: int
    relevant: int
    relevant_in_all: int
    rel: float
    seed: int
    played: tuple[MethodResult, ...] = field(metadata=in_json("methods"))
    budgets: tuple[int, ...] = field(metadata=in_json(None))

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return one table: a row for each method and budget."""
        header = ["method", "budget", "judged", "relevant", "recall", "precision", "unknown"]
        header += ["tau", "tau-AP"]
        rows = [
            [played.method, *self._checkpoint_cells(stop, exact=exact)]
            for budget in self.budgets
            for played in self.played
            for stop in played.stops
            if stop.budget == budget
        ]
        grid = TextTable(header, rows, 1, [], [] if exact else self._notes())
        return [Section("Methods", grid, titled=False)]

    def plot(self) -> Chart:
        """Draw the relevant documents that each method finds."""
        from cleverdon.pooling.plots import yield_curves  # altair is optional, and slow

        return yield_curves(self)

    def _checkpoint_cells(self, stop: Checkpoint, *, exact: bool) -> list[str]:
        recall = stop.relevant / self.relevant if self.relevant else float("nan")
        shares = (recall, stop.relevant / stop.judged)
        count = count_format(exact=exact)
        return [
            *(count(number) for number in (stop.budget, stop.judged, stop.relevant)),
            *(format_decimal(share, exact=exact) for share in shares),
            count(stop.holes),
            *(format_decimal(tau, exact=exact) for tau in (stop.kendall, stop.tau_ap)),
        ]

    def _notes(self) -> list[str]:
        return [
            f"budget: documents judged of each of {counted(self.queries, 'query')}; recall: of the "
            f"{self.relevant:,} relevant among {counted(self.pooled, 'document')} that "
            f"{counted(len(self.systems), 'run')} returned ({self.relevant_in_all:,} known in all)",
            "unknown: judged documents without a judgment in QRELS, taken as not relevant",
            f"tau, tau-AP: of the order of runs by {self.measure} and these judgments, with that "
            "by all",
        ]


@shows_progress("simulating")
def simulate_methods(
    runs: Any,
    qrels: Any,
    methods: Sequence[str | Method] | None = None,
    *,
    budgets: Sequence[int] | None = None,
    depth: int | None = None,
    measure: str | None = None,
    seed: int = 0,
    rel: float = 1,
    qrels_format: str | None = None,
    run_format: str | None = None,
    order_by: str = "score",
    progress: Progress | bool | None = None,
) -> Simulation:
    """Let adaptive methods choose what to judge, where the judgments are known.

    Queries without judgments are left out, and documents without one are not relevant.

    Args:
        runs: Two runs or more, as `evaluate` takes them, or what `gather` returned.
        qrels: The known judgments.
        methods: Methods, as "mtf" or "hedge(beta=0.2)"; by default all.
        budgets: The numbers of documents to judge of each query; by default 10, 20, 50 and 100.
        depth: The number of results of each run and query to look at; by default all.
        measure: The measure that orders systems; by default AP with the same `rel`.
        seed: The seed of choices.
        rel: The lowest grade that is relevant.
        qrels_format: The format of the judgments, if not to be guessed.
        run_format: The format of the runs, if not to be guessed.
        order_by: The order of results: by `score` or by `rank`.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        The relevant documents that each method finds for each budget, and how well the systems are
        ordered by them.

    >>> runs = {"a": {"q": {"x": 3, "y": 2, "z": 1}}, "b": {"q": {"x": 2, "w": 1}}}
    >>> found = simulate_methods(runs, {"q": {"x": 1, "y": 1}}, ["mtf"], budgets=[2, 4])
    >>> [(stop.judged, stop.relevant) for stop in found.played[0].stops]
    [(2, 1), (4, 2)]
    """
    progress = as_callback(progress)
    played = dict.fromkeys(map(parse_method, methods or known_methods()))
    truth = Judgments.read(qrels, format=qrels_format)
    contributions = gather(
        runs, depth=depth, format=run_format, order_by=order_by, progress=progress
    )
    if not len(contributions):
        raise InputError("the runs returned nothing: there is nothing to judge")
    if len(contributions.systems) < 2:
        raise InputError(
            f"there is one run only, {contributions.systems[0]!r}: every method would judge it "
            "from the top down; give two runs at least"
        )
    queries = [query for query in contributions.queries if query in truth]
    if not queries:
        raise InputError(
            "the runs and the judgments have no query in common: the runs have "
            f"{contributions.queries[0]!r}, the judgments {truth.queries[0]!r}"
        )
    grades = {query: truth[query] for query in queries}
    pooled = {query: contributions.of(query).docs for query in queries}
    sizes = [len(docs) for docs in pooled.values()]
    counts = [check_count("budget", budget) for budget in budgets or BUDGETS]
    # None is above the first that exhausts all queries.
    budgets = tuple(sorted({min(count, max(sizes)) for count in counts}))
    relevant = sum(
        grades[query].get(doc, 0) >= rel for query, docs in pooled.items() for doc in docs
    )
    if not relevant:
        highest = max((grade for of in grades.values() for grade in of.values()), default=0)
        raise InputError(
            "no run returned a relevant document, and no method can find one: relevant is a grade "
            f"from {rel:g} on (rel, on the command line --rel), and the highest is {highest:g}"
        )
    # Queries come in turn, so that after so many documents in all each has had its budget.
    stops = {sum(min(size, budget) for size in sizes): budget for budget in budgets}
    measure = measure or ("AP" if rel == 1 else f"AP(rel={rel:g})")
    ranked = _Order(contributions, grades, measure)
    return Simulation(
        played=tuple(
            _play(
                AdaptiveJudging(
                    contributions,
                    method,
                    seed=seed,
                    rel=rel,
                    queries=queries,
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
        queries=len(queries),
        pooled=sum(sizes),
        relevant=relevant,
        relevant_in_all=sum(grade >= rel for of in grades.values() for grade in of.values()),
        seed=seed,
        rel=rel,
    )


def _play(
    judging: AdaptiveJudging,
    grades: Mapping[str, Mapping[str, float]],
    stops: Mapping[int, int],
    ranked: _Order,
    progress: Progress | None,
) -> MethodResult:
    name = str(judging.method)
    found: list[int] = []
    reached: list[Checkpoint] = []
    relevant = holes = 0
    for query, doc in judging:
        grade = grades[query].get(doc, -1)
        holes += grade < 0  # below 0 is pooled, and not judged
        relevant += grade >= max(judging.rel, 0)
        judging.judge(query, doc, max(grade, 0))
        found.append(relevant)
        if len(found) in stops:
            taus = ranked.agreement(judging.grades)
            reached.append(Checkpoint(stops[len(found)], len(found), relevant, holes, *taus))
        if progress and len(found) % 100 == 0:
            progress(f"judging by {name}", len(found), max(stops))
    return MethodResult(name, tuple(reached), np.array(found, dtype=np.int64))


class _Order:
    """The order of systems by some judgments, compared with that by all of them."""

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


def _runs(contributions: Contributions, queries: Mapping[str, object]) -> dict[str, Run]:
    """Turn the systems' rankings into runs again."""
    nested: list[dict[str, dict[str, float]]] = [{} for _ in contributions.systems]
    for query in queries:
        of = contributions.of(query)
        for found, ranking in zip(nested, of.rankings, strict=True):
            docs = ranking.tolist()
            found[query] = {of.docs[doc]: -float(at) for at, doc in enumerate(docs)}
    return {
        name: Run.read(found, name=name)
        for name, found in zip(contributions.systems, nested, strict=True)
    }

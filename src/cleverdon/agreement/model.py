"""A model as a judge: agreement with people, bias by grade, and effects on an evaluation.

For the orders of systems, a majority of three errs less than one of two, and is nearer to anyone's
order. So a person is compared with the other people, and the model with as many: with the people
without each of them in turn, of which the mean is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from cleverdon._common.arrays import Floats
from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon.agreement.estimates import (
    ResampledValue,
    ResamplingUnits,
    mean_estimate,
    mean_over_pairs,
)
from cleverdon.agreement.labels import Labels, as_labels
from cleverdon.agreement.system_bias import (
    BiasLine,
    Evaluator,
    PairedScores,
    SystemBias,
    read_runs,
    system_biases,
)
from cleverdon.agreement.tables import model_sections
from cleverdon.comparison.claim_flips import Flips, flips
from cleverdon.comparison.differences import Comparison, compare
from cleverdon.comparison.samples import samples
from cleverdon.errors import InputError, OptionError, check_count, check_seed, check_within
from cleverdon.measures.base import Measure
from cleverdon.scores import Scores
from cleverdon.stats.correlation import Orders
from cleverdon.stats.intervals import Estimate, percentile_interval
from cleverdon.stats.resampling import FEWER_RESAMPLES, draw_multinomial
from cleverdon.tables.result import Result, in_json
from cleverdon.tables.sections import Section

if TYPE_CHECKING:
    from cleverdon.agreement.agreement import Agreement


@dataclass(frozen=True)
class ModelCoefficient:
    """A model's agreement with people and theirs with each other, by one coefficient."""

    coefficient: str = field(metadata=in_json(None))
    with_each: Mapping[str, Estimate]  # by person
    with_people: Estimate  # the mean of these
    among_people: Estimate | None  # the mean over pairs of people; None where there is one person
    pairs_of_people: tuple[float, float]  # the lowest and the highest; NaN where there is no pair
    difference: Estimate | None  # with people, minus among people
    verdict: str  # "less" or "more" than people agree, "not told apart" or "unknown"


@dataclass(frozen=True)
class GradeBias:
    """A model's grades where people gave one grade."""

    grade: float
    judgments: int  # by people, each on its own, that the model judged as well
    shares: tuple[float, ...]  # of them that the model gave each grade of the scale
    mean: float  # of the model's grades there
    difference: Estimate  # that minus the grade


@dataclass(frozen=True, eq=False)
class ModelAgreement(Result):
    """A model compared with people, by coefficient, by grade, and by its effect on systems.

    >>> from cleverdon.agreement import Labels, agree
    >>> ann, bob, llm = ({"q": {"a": 1, "b": 0, "c": grade}} for grade in (1, 1, 0))
    >>> labels = Labels.of({"ann": ann, "bob": bob, "llm": llm})
    >>> found = agree(labels, models=["llm"]).model_agreements["llm"]
    >>> found.grades[-1].judgments, found.grades[-1].shares
    (4, (0.5, 0.5))
    """

    model: str = field(metadata=in_json(None))
    coefficients: Mapping[str, ModelCoefficient] = field(metadata=in_json("standing"))
    grades: tuple[GradeBias, ...] = field(metadata=in_json("by_grade"))
    effects: ModelEffects | None  # on systems; None without runs
    scale: tuple[float, ...] = field(metadata=in_json(None))  # all grades
    units: ResamplingUnits = field(metadata=in_json(None))

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return tables by coefficient, by grade, by system, of orders and of claims."""
        return model_sections(self)


@shows_progress("comparing judges")
def compare_model(
    agreed: Agreement,
    model: str,
    people: Sequence[str],
    *,
    labels: Labels | None = None,
    runs: Any = None,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    progress: Progress | bool | None = None,
    **effects: Any,
) -> ModelAgreement:
    """Compare a model with people, by the resamples of their agreement.

    Args:
        agreed: The agreement of the people and the model.
        model: The model's name among the judges.
        people: Those to compare it with.
        labels: The labels by which runs are evaluated; by default those of the agreement.
        runs: Systems that are evaluated by people's judgments and by the model's.
        measures: The measures of that evaluation.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.
        effects: Other keywords of `model_effects`.

    Returns:
        Agreement by coefficient, bias by grade, and with runs the effects on systems.

    Raises:
        OptionError: There is no such judge, or nobody to compare the model with.

    >>> from cleverdon.agreement import Labels, agree
    >>> ann, bob, llm = ({"q": {"a": 1, "b": 0, "c": grade}} for grade in (1, 1, 0))
    >>> agreed = agree(Labels.of({"ann": ann, "bob": bob, "llm": llm}))
    >>> found = compare_model(agreed, "llm", ["ann", "bob"])
    >>> round(found.coefficients["kappa"].difference.value, 4)
    -0.6
    """
    progress = as_callback(progress)
    units, changed = agreed.units, None
    coefficients = model_coefficients(agreed, model, people)
    if runs:
        changed = model_effects(
            agreed.labels if labels is None else labels,
            model,
            people,
            runs,
            measures,
            confidence=units.confidence,
            resamples=units.resamples,
            seed=units.seed,
            progress=progress,
            **effects,
        )
    return ModelAgreement(
        model=model,
        coefficients={one.coefficient: one for one in coefficients},
        grades=grade_biases(agreed.labels, model, people, units),
        effects=changed,
        scale=tuple(agreed.labels.grades.tolist()),
        units=units,
    )


def model_coefficients(
    agreed: Agreement, model: str, people: Sequence[str]
) -> tuple[ModelCoefficient, ...]:
    """Compare a model's agreement with people to theirs with each other, by each coefficient."""
    agreed.labels.column(model)
    if not people:
        raise OptionError(f"there is nobody to hold {model!r} against: all judges are models")
    resampled: dict[frozenset[str], Mapping[str, ResampledValue]] = {
        frozenset((pair.first, pair.second)): of_pair
        for pair, of_pair in zip(agreed.pairs, agreed.resampled, strict=True)
    }
    found = []
    for coefficient in agreed.pair_coefficients:
        name = coefficient.name
        with_each = {person: resampled[frozenset((model, person))][name] for person in people}
        among = [resampled[frozenset(pair)][name] for pair in combinations(people, 2)]
        found.append(_model_coefficient(agreed.units, name, with_each, among))
    return tuple(found)


def _model_coefficient(
    units: ResamplingUnits,
    name: str,
    with_each: Mapping[str, ResampledValue],
    among: Sequence[ResampledValue],
) -> ModelCoefficient:
    own = mean_over_pairs(list(with_each.values()))
    values = [one.value for one in among if not np.isnan(one.value)]
    theirs = mean_over_pairs(among) if values else None
    difference, verdict = None, "unknown"
    if theirs is not None:
        difference = own.minus(theirs).estimate(units)
        low, high = difference.interval.low, difference.interval.high
        if not np.isnan(low):
            verdict = "less" if high < 0 else "more" if low > 0 else "not told apart"
    return ModelCoefficient(
        coefficient=name,
        with_each={person: one.estimate(units) for person, one in with_each.items()},
        with_people=own.estimate(units),
        among_people=None if theirs is None else theirs.estimate(units),
        pairs_of_people=(min(values, default=np.nan), max(values, default=np.nan)),
        difference=difference,
        verdict=verdict,
    )


def grade_biases(
    labels: Labels, model: str, people: Sequence[str], units: ResamplingUnits
) -> tuple[GradeBias, ...]:
    """Return a model's grades for each grade that any person gave."""
    column = labels.column(model)
    columns = [labels.column(person) for person in people]
    items, which = np.nonzero(
        labels.judged[:, columns] & labels.judged[:, [column]] & (units.unit[:, None] >= 0)
    )
    theirs = labels.level[items, np.array(columns)[which]]
    own = labels.level[items, column]
    found = []
    for place, grade in enumerate(labels.grades.tolist()):
        there = theirs == place
        if not there.any():
            continue
        times = np.bincount(own[there], minlength=len(labels.grades))
        given = labels.grades[own[there]]
        found.append(
            GradeBias(
                grade,
                int(there.sum()),
                tuple((times / times.sum()).tolist()),
                float(given.mean()),
                mean_estimate(given - grade, units.unit[items[there]], units),
            )
        )
    return tuple(found)


_DIGITS = 12
"""Averages that differ in later digits are equal: they were summed in another order."""
_BLOCK = 2_000_000
"""Pairs of systems that are held at a time."""
_CORRELATIONS: dict[str, Callable[[Orders, Orders], Floats]] = {
    "kendall": Orders.kendall,
    "tau_ap": Orders.tau_ap,
}


@dataclass(frozen=True)
class JudgeOrdering:
    """The correlation of the orders of systems by one judge and by panels of people."""

    measure: Measure = field(metadata=in_json("measure", str))
    judge: str
    is_model: bool = field(metadata=in_json("model"))
    panels: int  # number of panels; the coefficients are means over them
    queries: int
    kendall: Estimate
    tau_ap: Estimate  # the panel's order is the truth


def _judge_orderings(
    by_judge: Mapping[str, Sequence[PairedScores]],
    *,
    model: str,
    confidence: float,
    resamples: int,
    seed: int,
) -> tuple[JudgeOrdering, ...]:
    """Correlate each judge's order of systems with those of panels of people, by every measure."""
    found = []
    for judge, panels in by_judge.items():
        of_panels = [(samples(sides.others), samples(sides.judge)) for sides in panels]
        for m, first in enumerate(of_panels[0][0]):
            pairs = [(theirs[m], own[m]) for theirs, own in of_panels]
            queries = sorted(
                set.intersection(*(set(side.queries) for pair in pairs for side in pair))
            )
            merits = [tuple(side.merits_on(queries) for side in pair) for pair in pairs]
            times = np.zeros((0, len(queries)))
            if len(queries) > 1:
                times = draw_multinomial(len(queries))(np.random.default_rng(seed), resamples)
            kendall, tau_ap = _estimates(merits, times, confidence)
            counts = len(pairs), len(queries)
            found.append(
                JudgeOrdering(first.measure, judge, judge == model, *counts, kendall, tau_ap)
            )
    measures = list(dict.fromkeys(one.measure for one in found))
    return tuple(sorted(found, key=lambda one: measures.index(one.measure)))


def _estimates(
    merits: Sequence[tuple[Floats, ...]], times: Floats, confidence: float
) -> list[Estimate]:
    """Return each coefficient with its interval; `times` are how often queries are drawn."""
    queries = times.shape[1]
    nothing = {name: np.full(1, np.nan) for name in _CORRELATIONS}
    whole = _mean_correlations(merits, np.ones((1, queries))) if queries else nothing
    drawn = _mean_correlations(merits, times) if len(times) else nothing
    return [
        Estimate(float(whole[name][0]), percentile_interval(drawn[name], confidence))
        for name in _CORRELATIONS
    ]


def _mean_correlations(merits: Sequence[tuple[Floats, ...]], times: Floats) -> dict[str, Floats]:
    """Return each coefficient, averaged over panels; `times` are how often queries are drawn."""
    systems = len(merits[0][0])
    block = max(1, _BLOCK // systems**2)
    parts: dict[str, list[Floats]] = {name: [] for name in _CORRELATIONS}
    for start in range(0, len(times), block):
        some = times[start : start + block]
        orders = [
            [
                Orders(np.round(some @ side.T / some.sum(axis=1, keepdims=True), _DIGITS))
                for side in pair
            ]
            for pair in merits
        ]
        for name, way in _CORRELATIONS.items():
            parts[name].append(np.mean([way(own, theirs) for theirs, own in orders], axis=0))
    return {name: np.concatenate(values) for name, values in parts.items()}


def _claim_records(claims: Flips) -> list[dict[str, Any]]:
    return [
        {
            "system": one.before.system,
            "against": one.before.baseline,
            "measure": str(one.before.measure),
            "people": one.before.difference,
            "model": one.after.difference,
            "change": one.kind,
            "p": [one.before.corrected, one.after.corrected],
        }
        for one in claims
    ]


@dataclass(frozen=True, eq=False)
class ModelEffects:
    """The effects of a model's judgments in place of people's on scores, orders and claims."""

    model: str = field(metadata=in_json(None))
    documents: int  # that both sides judged
    method: str | None = field(metadata=in_json("people"))  # of aggregation; None of one person
    scores: tuple[Scores, Scores] = field(metadata=in_json(None))  # by people and by the model
    level: float
    confidence: float
    systems: tuple[SystemBias, ...]
    lines: tuple[BiasLine, ...]  # one for each measure: the model's expected scores
    orders: tuple[JudgeOrdering, ...]  # by measure: the model's, then each person's
    claims: Flips = field(metadata=in_json("claims", _claim_records))  # people's first

    def favoured(self) -> list[SystemBias]:
        """Return systems that gain or lose significantly, the largest effect first."""
        significant = [one for one in self.systems if one.corrected <= self.level]
        return sorted(significant, key=lambda one: -abs(one.excess))


@shows_progress("comparing judges")
def model_effects(
    labels: Any,
    model: str,
    people: Sequence[str],
    runs: Any,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    *,
    method: str = "majority",
    vote_ties: str = "lower",
    baseline: str | None = None,
    test: str = "randomisation",
    alternative: str = "two-sided",
    correction: str | None = None,
    level: float = 0.05,
    confidence: float = 0.95,
    resamples: int = FEWER_RESAMPLES,
    seed: int = 0,
    run_format: str | None = None,
    order_by: str = "score",
    progress: Progress | bool | None = None,
    **how: Any,
) -> ModelEffects:
    """Measure the effects of a model's judgments on scores, orders of systems and claims.

    Args:
        labels: The labels of several judges: files, a dict of judgments by judge, or a table with
            columns judge, query, doc and grade.
        model: The model's name among the judges.
        people: Those whose judgments it replaces.
        runs: Two systems or more.
        measures: The measures by which they are evaluated.
        method: The aggregation of several people's judgments: one of `AGGREGATION_METHODS`.
        vote_ties: The rule where no grade has most votes: one of `TIE_RULES`.
        baseline: The system that others are compared with; by default all pairs.
        test: The significance test, as in `compare`.
        alternative: The alternative hypothesis, as in `compare`.
        correction: The correction of p-values, as in `compare`.
        level: The level of significance.
        confidence: Of all intervals.
        resamples: The number of resamples for intervals of correlations.
        seed: The seed of everything random.
        run_format: The format of the runs' files; by default it is detected.
        order_by: Order runs by "score" or by "rank".
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.
        how: Other keywords of `evaluate`.

    Returns:
        Scores by both judgments, biases of systems, correlations of orders, and changed claims.

    Raises:
        InputError: The model and people have no judged document in common.
        OptionError: There is one run only, or an option does not exist.

    >>> from cleverdon.agreement import Labels
    >>> labels = Labels.of({"ann": {"q": {"a": 1, "b": 0}}, "llm": {"q": {"a": 0, "b": 1}}})
    >>> runs = {"good": {"q": {"a": 2.0, "b": 1.0}}, "poor": {"q": {"a": 1.0, "b": 2.0}}}
    >>> found = model_effects(labels, "llm", ["ann"], runs, "RR")
    >>> [(one.system, one.change) for one in found.systems]
    [('good', -0.5), ('poor', 0.5)]
    """
    progress = as_callback(progress)
    labels = as_labels(labels)
    check_within("level", level, 0, 1)
    check_within("confidence", confidence, 0, 1)
    check_count("resamples", resamples)
    check_seed(seed)
    given = read_runs(runs, format=run_format, order_by=order_by)
    if len(given) < 2:
        raise OptionError("whether a model favours a system is seen from two runs on; give another")
    total = 1 + len(people) * (3 if len(people) > 1 else 1)
    evaluator = Evaluator(labels, given, measures, method, vote_ties, seed, how, total, progress)
    sides = evaluator.sides(model, people)
    if sides is None:
        raise InputError(f"{model} and {' and '.join(people)} have no judged document in common")

    def compared(scores: Scores) -> Comparison:
        return compare(
            scores,
            baseline=baseline,
            test=test,
            alternative=alternative,
            correction=correction,
            level=level,
            seed=seed,
        )

    claims = flips(compared(sides.others), compared(sides.judge))
    alone = [evaluator.sides(model, [person]) for person in people]
    biases, lines = system_biases(
        [one for one in alone if one is not None], level=level, confidence=confidence, seed=seed
    )
    panels = {model: [sides]} if len(people) < 2 else _panels(evaluator, model, people)
    return ModelEffects(
        model=model,
        documents=sides.documents,
        method=method if len(people) > 1 else None,
        scores=(sides.others, sides.judge),
        level=level,
        confidence=confidence,
        systems=biases,
        lines=lines,
        orders=_judge_orderings(
            panels, model=model, confidence=confidence, resamples=resamples, seed=seed
        ),
        claims=claims,
    )


def _panels(
    evaluator: Evaluator, model: str, people: Sequence[str]
) -> dict[str, list[PairedScores]]:
    """Compare the model with the people without each of them, and each person with the others."""
    found: dict[str, list[PairedScores]] = {model: []}
    for person in people:
        others = [other for other in people if other != person]
        by_model = evaluator.sides(model, others)
        found[model] += [] if by_model is None else [by_model]
        own = evaluator.sides(person, others)
        if own is not None:
            found[person] = [own]
    return found

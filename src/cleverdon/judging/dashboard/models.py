"""Models and earlier judgments, compared with the people who judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from cleverdon.agreement.model import GradeBias, ModelCoefficient, grade_biases, model_coefficients
from cleverdon.errors import CleverdonError
from cleverdon.judging.dashboard import Measurement, from_estimate, not_yet, unknown
from cleverdon.judging.dashboard.agreement import (
    COEFFICIENTS,
    FEWEST,
    MOST_JUDGES,
    measure_agreement,
)
from cleverdon.judging.dashboard.facts import Facts, StandingGrade, grouped, labels_of, without_gold
from cleverdon.stats.intervals import Estimate


@dataclass(frozen=True, eq=False)
class ModelComparison:
    """A model, or earlier judgments, compared with people."""

    name: str
    kind: str  # model or earlier
    judged: int
    shared: int  # documents that a person judged as well, gold left out
    among: int = 0  # documents that two of these people judged
    people: tuple[str, ...] = ()  # who judged the most of the same documents
    scale: tuple[float, ...] = ()  # the grades that `grades` is about, in their order
    agreements: tuple[ModelCoefficient, ...] = ()
    grades: tuple[GradeBias, ...] = ()
    why: str = ""


def compare_models(facts: Facts, *, seed: int = 0) -> tuple[ModelComparison, ...]:
    """Compare every model and every set of earlier judgments with people."""
    others = grouped((row for row in facts.grades if row.kind != "person"), lambda row: row.judge)
    human = without_gold(facts.human)
    return tuple(_compare_model(own, human, seed=seed) for own in others.values())


def _compare_model(
    own: Sequence[StandingGrade], human: Sequence[StandingGrade], *, seed: int
) -> ModelComparison:
    name, kind = own[0].judge, own[0].kind
    items = {row.item for row in own}
    both = [row for row in human if row.item in items]
    shared = len({row.item for row in both})
    if shared < FEWEST:
        why = f"it needs {FEWEST} documents that people have judged too: {shared} so far"
        return ModelComparison(name, kind, len(own), shared, why=why)
    # All grades of these people, so that their own agreement is not only on what the model judged.
    met = [judge for judge, _ in Counter(row.judge for row in both).most_common(MOST_JUDGES)]
    labels = labels_of([*(row for row in human if row.judge in met), *without_gold(own)])
    try:
        agreed = measure_agreement(labels, COEFFICIENTS, seed=seed)
        return ModelComparison(
            name,
            kind,
            len(own),
            shared,
            int(labels.only(met).shared.sum()),
            tuple(met),
            tuple(agreed.labels.grades.tolist()),
            model_coefficients(agreed, name, met),
            grade_biases(agreed.labels, name, met, agreed.units),
        )
    except CleverdonError as error:
        return ModelComparison(name, kind, len(own), shared, why=not_yet(error))


@dataclass(frozen=True)
class ModelAgreementRow:
    """One coefficient of a model with people, and of people with each other."""

    coefficient: str
    with_people: Measurement
    among_people: Measurement
    difference: Measurement
    verdict: str
    """One of: less, more, not told apart, unknown."""


@dataclass(frozen=True)
class ModelGradesRow:
    """The grades of a model where people gave one grade."""

    grade: float
    judgments: int
    shares: tuple[float, ...]
    difference: Measurement


def model_agreement_rows(comparison: ModelComparison) -> list[ModelAgreementRow]:
    """Return a model's agreement with people, and people's with each other."""
    return [
        ModelAgreementRow(
            one.coefficient,
            from_estimate(one.with_people, comparison.shared),
            _or_unknown(one.among_people, comparison.among),
            _or_unknown(one.difference, min(comparison.shared, comparison.among)),
            one.verdict,
        )
        for one in comparison.agreements
    ]


def model_grades_rows(comparison: ModelComparison) -> list[ModelGradesRow]:
    """Return the grades of a model by the grades of people."""
    return [
        ModelGradesRow(
            one.grade, one.judgments, one.shares, from_estimate(one.difference, one.judgments)
        )
        for one in comparison.grades
    ]


def _or_unknown(estimate: Estimate | None, documents: int) -> Measurement:
    if estimate is None:
        return unknown("no two people judged the same documents")
    return from_estimate(estimate, documents)

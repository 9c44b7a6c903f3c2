"""How far people agree by now, by the same code as `cleverdon agree`; models beside them, apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from cleverdon.assess.watching.facts import Facts
from cleverdon.assess.watching.labels import LabelRow, labels_of
from cleverdon.judge.agreement import Agreed, Pair, agree
from cleverdon.judge.labels import Labels
from cleverdon.judge.model import OfGrade, Standing, by_grade, standings

COEFFICIENTS = ("agreement", "kappa", "fleiss", "alpha-ordinal")
OF_ALL = ("agreement", "fleiss", "alpha-ordinal")
"""Those that are of all judges at once, and not the mean over pairs."""
MEANINGS = {
    "agreement": "the share of documents on which two judges give the same grade",
    "kappa": "Cohen's, the mean over pairs: 1 is full agreement, 0 is what chance would give",
    "fleiss": "Fleiss's kappa, over all judges at once",
    "alpha-ordinal": "Krippendorff's: a grade that is far off counts more than one that is near",
}
"""What each number says, in words that stand beside it."""

RESAMPLES = 400
"""Of the bootstrap: enough for the ends of an interval, and quick enough for a page."""
MANY = 12
"""Judges up to whom every pair is looked at: of a hundred there would be thousands."""
MOST_PAIRS = MANY * (MANY - 1) // 2
FEWEST = 5
"""Documents that two have judged, below which no coefficient is worth its digits."""
TOPICS = 5
"""Topics from which on they are what a bootstrap draws: of k topics, an interval holds the truth in
1 - 2 / 2**k of cases at most."""


@dataclass(frozen=True, eq=False)
class LiveAgreement:
    """People's agreement; None where nothing can be said, and then `why` says the reason."""

    agreed: Agreed | None  # over all, and topic by topic
    shared: int  # documents that two people at least have judged
    pairs: tuple[Pair, ...] = ()  # that have documents in common, the most first
    more_pairs: int = 0  # that are not among them
    why: str = ""


@dataclass(frozen=True, eq=False)
class Beside:
    """A model, or earlier judgments, beside people: never part of people's own numbers."""

    name: str
    kind: str  # model or earlier
    judged: int
    shared: int  # documents that a person judged as well
    people: tuple[str, ...] = ()  # whom it is held against: those who judged most of the same
    scale: tuple[float, ...] = ()  # the grades that `grades` speaks of, in their order
    standings: tuple[Standing, ...] = ()
    grades: tuple[OfGrade, ...] = ()
    why: str = ""


def shared_documents(rows: Sequence[LabelRow]) -> int:
    """How many documents two at least have judged."""
    return sum(times > 1 for times in Counter(row.item for row in rows).values())


def live_agreement(rows: Sequence[LabelRow], *, seed: int = 0) -> LiveAgreement:
    """How far the judges of some rows agree: over all, by pair, by topic."""
    shared = shared_documents(rows)
    if shared < FEWEST:
        return LiveAgreement(None, shared, why=needs_shared(shared))
    labels = labels_of(rows)
    if len(labels.judges) <= MANY:
        agreed = _over_all(labels, COEFFICIENTS, seed=seed)
    else:
        agreed = _over_all(_unnamed(rows), OF_ALL, seed=seed)
    common = _in_common(labels)
    pairs = [_pair(labels.only(names), seed=seed) for names in common[:MOST_PAIRS]]
    return LiveAgreement(agreed, shared, tuple(pairs), len(common) - len(pairs))


def _pair(labels: Labels, *, seed: int) -> Pair:
    topics = len(np.unique(labels.topic[labels.shared]))
    return replace(_agree(_drawable(labels), seed=seed).pairs[0], topics=topics)


def _over_all(labels: Labels, coefficients: Sequence[str], *, seed: int) -> Agreed:
    """All judges at once, and topic by topic."""
    by_topic = _agree(labels, coefficients, per_query=True, seed=seed)
    drawable = _drawable(labels)
    if drawable is labels:
        return by_topic
    return replace(_agree(drawable, coefficients, seed=seed), topics=by_topic.topics)


def _drawable(labels: Labels) -> Labels:
    """The same labels, as of one topic where there are too few topics to draw intervals from.

    A bootstrap over two topics is as narrow as these two happen to be alike. Drawn over documents,
    the interval speaks of further documents of the same topics.
    """
    if len(np.unique(labels.topic[labels.shared])) >= TOPICS:
        return labels
    return replace(labels, topics=("",), topic=np.zeros_like(labels.topic))


def _unnamed(rows: Sequence[LabelRow]) -> Labels:
    """The same grades, by the first, second, ... judge of each document, whoever that is.

    Coefficients of all judges at once do not ask who gave a grade, and come out the same, while
    there are as many columns as a document has judges, and not as the team has.
    """
    times: Counter[int] = Counter()
    found = []
    for row in rows:
        times[row.item] += 1
        found.append((str(times[row.item]), row.topic, row.document, float(row.grade)))
    return Labels.of_rows(found)


def _in_common(labels: Labels) -> list[tuple[str, str]]:
    """Pairs of judges with documents in common, the most of them first."""
    judged = labels.judged.astype(float)
    both = np.triu(judged.T @ judged, k=1)
    order = np.argsort(-both, axis=None, kind="stable")[: np.count_nonzero(both)]
    firsts, seconds = np.unravel_index(order, both.shape)
    return [
        (labels.judges[first], labels.judges[second])
        for first, second in zip(firsts.tolist(), seconds.tolist(), strict=True)
    ]


def needs_shared(shared: int) -> str:
    """Why there is no agreement yet."""
    return f"agreement needs {FEWEST} documents that two have judged: {shared} so far"


def beside_people(facts: Facts, *, seed: int = 0) -> tuple[Beside, ...]:
    """Every model and every set of earlier judgments, each held against people."""
    rows: dict[str, list[LabelRow]] = {}
    for row in facts.labels:
        if row.kind != "person":
            rows.setdefault(row.judge, []).append(row)
    return tuple(_beside(own, facts.human, seed=seed) for own in rows.values())


def _beside(own: Sequence[LabelRow], human: Sequence[LabelRow], *, seed: int) -> Beside:
    name, kind = own[0].judge, own[0].kind
    items = {row.item for row in own}
    both = [row for row in human if row.item in items]
    shared = len({row.item for row in both})
    if shared < FEWEST:
        why = f"it needs {FEWEST} documents that people have judged too: {shared} so far"
        return Beside(name, kind, len(own), shared, why=why)
    # All grades of those who met it, so that people's own agreement is not only on what it judged.
    met = [judge for judge, _ in Counter(row.judge for row in both).most_common(MANY)]
    labels = labels_of([*(row for row in human if row.judge in met), *own])
    agreed = _agree(_drawable(labels), seed=seed)
    return Beside(
        name,
        kind,
        len(own),
        shared,
        tuple(met),
        tuple(agreed.labels.grades.tolist()),
        standings(agreed, name, met),
        by_grade(agreed.labels, name, met, agreed.units),
    )


def _agree(
    labels: Labels,
    coefficients: Sequence[str] = COEFFICIENTS,
    *,
    per_query: bool = False,
    seed: int,
) -> Agreed:
    return agree(
        labels, coefficients=coefficients, per_query=per_query, resamples=RESAMPLES, seed=seed
    )

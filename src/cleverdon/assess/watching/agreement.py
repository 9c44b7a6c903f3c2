"""How far people agree by now, by the same code as `cleverdon agree`; models beside them, apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cleverdon.assess.watching.drawing import MANY, drawn, drawn_of_many, pair_drawn
from cleverdon.assess.watching.facts import Facts
from cleverdon.assess.watching.labels import LabelRow, labels_of, without_gold
from cleverdon.assess.watching.measured import not_yet
from cleverdon.errors import CleverdonError
from cleverdon.judge.agreement import Agreed, Pair
from cleverdon.judge.labels import Labels
from cleverdon.judge.model import OfGrade, Standing, by_grade, standings

COEFFICIENTS = ("agreement", "kappa", "fleiss", "alpha-ordinal")
MEANINGS = {
    "agreement": "the share of documents on which two judges give the same grade",
    "kappa": "Cohen's, the mean over pairs: 1 is full agreement, 0 is what chance would give",
    "fleiss": "Fleiss's kappa, over all judges at once",
    "alpha-ordinal": "Krippendorff's: a grade that is far off counts more than one that is near",
}
"""What each number says, in words that stand beside it."""

MOST_PAIRS = MANY * (MANY - 1) // 2
FEWEST = 5
"""Documents that two have judged, below which no coefficient is worth its digits."""


@dataclass(frozen=True, eq=False)
class LiveAgreement:
    """People's agreement; None where nothing can be said, and then `why` says the reason."""

    agreed: Agreed | None  # over all, and topic by topic
    shared: int  # documents that two people at least have judged
    gold: int = 0  # gold documents that two have judged as well, and that are left out
    pairs: tuple[Pair, ...] = ()  # that have documents in common, the most first
    more_pairs: int = 0  # that are not among them
    why: str = ""


@dataclass(frozen=True, eq=False)
class Beside:
    """A model, or earlier judgments, beside people: never part of people's own numbers."""

    name: str
    kind: str  # model or earlier
    judged: int
    shared: int  # documents that a person judged as well, gold left out
    among: int = 0  # documents that two of these people judged
    people: tuple[str, ...] = ()  # whom it is held against: those who judged most of the same
    scale: tuple[float, ...] = ()  # the grades that `grades` speaks of, in their order
    standings: tuple[Standing, ...] = ()
    grades: tuple[OfGrade, ...] = ()
    why: str = ""


def shared_documents(rows: Sequence[LabelRow]) -> int:
    """How many documents two at least have judged."""
    return sum(times > 1 for times in Counter(row.item for row in rows).values())


def live_agreement(rows: Sequence[LabelRow], *, seed: int = 0) -> LiveAgreement:
    """How far the judges of some rows agree: over all, by pair, by topic; gold is left out."""
    kept = without_gold(rows)
    shared = shared_documents(kept)
    gold = shared_documents(rows) - shared
    if shared < FEWEST:
        return LiveAgreement(None, shared, gold, why=needs_shared(shared, gold=gold))
    labels = labels_of(kept)
    common = _in_common(labels)
    try:
        if len(labels.judges) <= MANY:
            agreed = drawn(labels, COEFFICIENTS, per_query=True, seed=seed)
        else:
            agreed = drawn_of_many(labels, per_query=True, seed=seed)
        pairs = [pair_drawn(labels, both, COEFFICIENTS, seed=seed) for both in common[:MOST_PAIRS]]
    except CleverdonError as error:
        return LiveAgreement(None, shared, gold, why=not_yet(error))
    return LiveAgreement(agreed, shared, gold, tuple(pairs), len(common) - len(pairs))


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


def needs_shared(shared: int, *, gold: int = 0) -> str:
    """Why there is no agreement yet."""
    without = ", gold left out" if gold else ""
    return f"agreement needs {FEWEST} documents that two have judged{without}: {shared} so far"


def beside_people(facts: Facts, *, seed: int = 0) -> tuple[Beside, ...]:
    """Every model and every set of earlier judgments, each held against people."""
    rows: dict[str, list[LabelRow]] = {}
    for row in facts.labels:
        if row.kind != "person":
            rows.setdefault(row.judge, []).append(row)
    human = without_gold(facts.human)
    return tuple(_beside(own, human, seed=seed) for own in rows.values())


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
    labels = labels_of([*(row for row in human if row.judge in met), *without_gold(own)])
    try:
        agreed = drawn(labels, COEFFICIENTS, seed=seed)
        return Beside(
            name,
            kind,
            len(own),
            shared,
            int(labels.only(met).shared.sum()),
            tuple(met),
            tuple(agreed.labels.grades.tolist()),
            standings(agreed, name, met),
            by_grade(agreed.labels, name, met, agreed.units),
        )
    except CleverdonError as error:
        return Beside(name, kind, len(own), shared, why=not_yet(error))

"""One judgment of several: by votes, or by how far each judge can be relied on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np

from cleverdon.arrays import Bools, Floats, Ints
from cleverdon.data import Judgments
from cleverdon.errors import InputError, check_seed, check_word
from cleverdon.judge.aggregation import votes as by_votes
from cleverdon.judge.aggregation.dawid_skene import ITERATIONS, DawidSkene, Progress, dawid_skene
from cleverdon.judge.aggregation.votes import TIES, Ties
from cleverdon.judge.labels import Labels, made_judgments

WAYS: dict[str, str] = {
    "majority": "the grade that most judges gave",
    "median": "the grade in the middle",
    "mean": "the mean of the grades, which need not be one of them",
    "dawid-skene": "the likeliest true grade, where judges err as estimated (EM)",
}
"""How one grade can be made of several."""


@dataclass(frozen=True, eq=False)
class Aggregated:
    """One grade for each document that any judge judged."""

    labels: Labels
    way: str
    items: Ints  # which items, by their place in the labels
    grades: Floats
    confidence: Floats
    """Of a majority or median, the share of judges who gave the grade; of a mean, of those within
    half a grade of it; of Dawid and Skene's, how likely the grade is the true one."""
    judges: Ints  # how many judged the item
    tied: Bools  # whether the rule for ties decided
    ties: str
    estimate: DawidSkene | None = None

    @property
    def judged_by_few(self) -> bool:
        """Whether most documents have fewer than three judges.

        What each of two judges gets wrong cannot be told from how often they differ.
        """
        return bool((self.judges < 3).mean() > 0.5)

    @property
    def judgments(self) -> Judgments:
        """The grades as judgments that runs are evaluated by."""
        return made_judgments(self.labels, self.items, self.grades, name=self.way)

    def rows(self) -> list[tuple[str, str, float, float, int]]:
        """Query, document, grade, confidence and number of judges of each document."""
        topics = [self.labels.topics[at] for at in self.labels.topic[self.items].tolist()]
        docs = self.labels.docs[self.items].tolist()
        numbers = (self.grades.tolist(), self.confidence.tolist(), self.judges.tolist())
        return list(zip(topics, docs, *numbers, strict=True))


def aggregate(
    labels: Labels,
    way: str = "majority",
    *,
    ties: str = "lower",
    smoothing: float = 0.0,
    iterations: int = ITERATIONS,
    seed: int = 0,
    progress: Progress | None = None,
) -> Aggregated:
    """One grade for each document, by one of `WAYS`; the same input gives the same grades.

    `ties`, one of `TIES`, says what becomes of a document on which no grade wins; `smoothing` and
    `iterations` are for Dawid and Skene's.

    >>> labels = Labels.of({"a": {"q": {"x": 1}}, "b": {"q": {"x": 1}}, "c": {"q": {"x": 0}}})
    >>> aggregate(labels).rows()
    [('q', 'x', 1.0, 0.6666666666666666, 3)]
    """
    check_word("way", way, WAYS)
    check_word("ties", ties, TIES)
    check_seed(seed)
    labels.check_scale()
    items = np.flatnonzero(labels.judged.any(axis=1))
    if len(items) == 0:
        raise InputError("none of these judges judged anything")
    counted = by_votes.votes(labels, items)
    estimate = None
    rule = cast(Ties, ties)
    tied = np.zeros(len(items), dtype=bool)
    if way == "mean":
        grades, confidence = by_votes.mean(counted, labels.grades)
    elif way == "dawid-skene":
        judged = labels.among(items)
        estimate = dawid_skene(
            judged, smoothing=smoothing, iterations=iterations, progress=progress
        )
        level = estimate.probability.argmax(axis=1)
        grades, confidence = labels.grades[level], estimate.probability.max(axis=1)
    else:
        count = by_votes.majority if way == "majority" else by_votes.median
        level, confidence, tied = count(counted, rule, seed=seed)
        grades = labels.grades[level]
    return Aggregated(
        labels, way, items, grades, confidence, counted.sum(axis=1), tied, ties, estimate
    )

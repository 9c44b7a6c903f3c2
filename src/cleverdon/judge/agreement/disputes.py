"""Which documents judges disagree on most; topics are told by `agree(..., per_query=True)`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cleverdon.arrays import Floats, Ints
from cleverdon.judge.labels import Labels


@dataclass(frozen=True)
class Disputed:
    """A document that judges gave different grades."""

    topic: str
    doc: str
    grades: dict[str, float]  # by judge
    apart: float  # the mean difference of two of its grades
    agreement: float  # the share of pairs of judges that gave it the same


def disputed_documents(labels: Labels, most: int) -> list[Disputed]:
    """The documents whose grades are furthest apart, the worst first; those that agree never.

    >>> labels = Labels.of({"ann": {"q": {"a": 0, "b": 1}}, "bob": {"q": {"a": 2, "b": 1}}})
    >>> disputed_documents(labels, 5)
    [Disputed(topic='q', doc='a', grades={'ann': 0.0, 'bob': 2.0}, apart=2.0, agreement=0.0)]
    """
    rows = np.flatnonzero(labels.shared)
    apart, agreement = _apart(labels, rows)
    # Where they are as far apart, more judges in dispute come first; else the order of the input.
    order = np.lexsort((np.arange(len(rows)), agreement, -apart))
    found = []
    for at in order[:most].tolist():
        if apart[at] <= 0:
            break
        item = int(rows[at])
        grades = {
            judge: float(grade)
            for judge, grade in zip(labels.judges, labels.grade[item], strict=True)
            if not np.isnan(grade)
        }
        topic = labels.topics[int(labels.topic[item])]
        found.append(
            Disputed(topic, labels.docs[item], grades, float(apart[at]), float(agreement[at]))
        )
    return found


def _apart(labels: Labels, rows: Ints) -> tuple[Floats, Floats]:
    """Of each item, the mean difference over pairs of its grades, and the share of equal pairs."""
    times = np.stack([(labels.level[rows] == k).sum(axis=1) for k in range(len(labels.grades))])
    ratings = times.sum(axis=0)
    pairs = ratings * (ratings - 1)
    far = np.abs(labels.grades[:, None] - labels.grades[None, :])
    differing = np.einsum("ki,kl,li->i", times, far, times, optimize=True)
    equal = (times * (times - 1)).sum(axis=0)
    return differing / pairs, equal / pairs

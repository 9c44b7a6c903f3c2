"""What a model says where people gave a grade: is it too kind, and to which documents?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cleverdon.judge.agreement.estimating import Estimate
from cleverdon.judge.agreement.leaning import mean_estimate
from cleverdon.judge.agreement.units import Units
from cleverdon.judge.labels import Labels


@dataclass(frozen=True)
class OfGrade:
    """What a model gave where people gave one grade."""

    grade: float
    judgments: int  # of people, each on its own, that the model judged as well
    shares: tuple[float, ...]  # of them that the model gave each grade of the scale
    mean: float  # of the model's grades there
    difference: Estimate  # that minus the grade


def by_grade(
    labels: Labels, model: str, people: Sequence[str], units: Units
) -> tuple[OfGrade, ...]:
    """A model's grades for each grade that people gave; grades that nobody gave are left out."""
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
            OfGrade(
                grade,
                int(there.sum()),
                tuple((times / times.sum()).tolist()),
                float(given.mean()),
                mean_estimate(given - grade, units.unit[items[there]], units),
            )
        )
    return tuple(found)

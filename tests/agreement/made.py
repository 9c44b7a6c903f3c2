"""Labels that tests are made of."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cleverdon.agreement.labels import Labels


def labels_of(columns: Sequence[Sequence[float | None]], *, topics: int = 1) -> Labels:
    """A column a judge, an item a place in it; None and NaN are missing."""
    return Labels.of_rows(
        (f"judge {j}", f"q{i % topics}", f"d{i:04}", float(grade))
        for j, column in enumerate(columns)
        for i, grade in enumerate(column)
        if grade is not None and not np.isnan(grade)
    )


def labels_of_table(table: Sequence[Sequence[int]]) -> Labels:
    """Two judges, of whom the first gave the row's grade and the second the column's so often."""
    cells = [(a, b) for a, row in enumerate(table) for b, n in enumerate(row) for _ in range(n)]
    return labels_of(list(zip(*cells, strict=True)))


def simulated(
    *,
    accuracies: Sequence[float],
    items: int = 600,
    topics: int = 20,
    grades: int = 3,
    missing: float = 0.0,
    seed: int = 0,
) -> tuple[Labels, np.ndarray]:
    """Judges who know the true grade so often, and guess otherwise; and the true grades."""
    random = np.random.default_rng(seed)
    truth = random.integers(0, grades, items)
    columns = []
    for accuracy in accuracies:
        guessed = random.integers(0, grades, items)
        given = np.where(random.random(items) < accuracy, truth, guessed).astype(float)
        given[random.random(items) < missing] = np.nan
        columns.append(given)
    made = labels_of(columns, topics=topics)
    order = [int(doc[1:]) for doc in made.docs]
    return made, truth[order]

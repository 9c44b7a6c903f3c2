"""Dawid and Skene's estimate: true grades and judges' errors, each from the other.

A judge is a table: of documents whose true grade is this, what share do they give that? If the true
grades were known, one could count; if the tables were known, one could weigh each judge's word by
them. Starting with the shares of votes, the two steps are taken in turn (expectation and
maximisation) until the likelihood stops rising. Dawid & Skene 1979, doi:10.2307/2346806.

The judges' errors are taken to be independent of each other, given the true grade. Judges who err
alike, as models of one family may, count for more than they should.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.errors import OptionError, check_count
from cleverdon.judge.labels import Labels, patterns

ITERATIONS = 1000
"""After so many steps it is given up: an estimate that creeps on is not to be relied on."""
TOLERANCE = 1e-9
"""How little the log-likelihood may change, as a share of it, for the estimate to have settled."""
_LEAST = 1e-300
"""What counts as never: its logarithm is finite."""


@dataclass(frozen=True, eq=False)
class DawidSkene:
    """What was estimated."""

    probability: Floats  # items x grades: how likely each is an item's true grade
    shares: Floats  # of each grade among all items
    tables: Floats  # judges x true grades x given grades: the share; NaN where nothing is known
    log_likelihoods: tuple[float, ...]  # after each step
    converged: bool

    @property
    def iterations(self) -> int:
        """How many steps were taken."""
        return len(self.log_likelihoods)

    @property
    def accuracies(self) -> Floats:
        """Of each judge: the share of documents that they grade rightly, as estimated."""
        right = np.diagonal(self.tables, axis1=1, axis2=2)
        known = ~np.isnan(right)
        weights = self.shares * known
        with np.errstate(invalid="ignore"):
            found: Floats = (np.where(known, right, 0) * weights).sum(axis=1) / weights.sum(axis=1)
        return found


Progress = Callable[[int, int], object]
"""Is told how many steps are taken, and how many there are at most."""


def dawid_skene(
    labels: Labels,
    *,
    smoothing: float = 0.0,
    iterations: int = ITERATIONS,
    progress: Progress | None = None,
) -> DawidSkene:
    """Estimate true grades and judges' errors of labels; every item has one judgment at least."""
    judges, size = len(labels.judges), len(labels.grades)
    # Items with the same grades by the same judges are one, that counts so many times.
    _, first, which, times = np.unique(
        patterns(labels.level), return_index=True, return_inverse=True, return_counts=True
    )
    level = labels.level[first]
    given = np.zeros((len(level), judges, size))
    items, columns = np.nonzero(level >= 0)
    given[items, columns, level[items, columns]] = 1
    found = estimated(
        given,
        times=times.astype(float),
        smoothing=smoothing,
        iterations=iterations,
        progress=progress,
    )
    return replace(found, probability=found.probability[which.ravel()])


def estimated(
    given: Floats,
    *,
    times: Floats | None = None,
    smoothing: float = 0.0,
    iterations: int = ITERATIONS,
    progress: Progress | None = None,
) -> DawidSkene:
    """The same of counts, items x judges x grades: how often a judge gave an item a grade.

    `times` are how many items each of them stands for. `smoothing` is added to every cell of the
    judges' tables, as if so many documents had been seen there: with few documents a judge, a cell
    that happens to be empty would rule a grade out.
    """
    if not smoothing >= 0:
        raise OptionError(f"smoothing={smoothing}: it is 0 or above")
    check_count("iterations", iterations)
    items, judges, size = given.shape
    times = np.ones(items) if times is None else times
    flat = given.reshape(items, judges * size)
    votes = given.sum(axis=1)
    probability = votes / votes.sum(axis=1, keepdims=True)
    likelihoods: list[float] = []
    converged = False
    while not converged and len(likelihoods) < iterations:
        if progress:
            progress(len(likelihoods), iterations)
        counted = probability * times[:, None]
        shares = counted.sum(axis=0) / times.sum()
        seen = (counted.T @ flat).reshape(size, judges, size) + smoothing
        whole = seen.sum(axis=2, keepdims=True)
        tables = seen / np.where(whole > 0, whole, 1)
        evidence = flat @ np.log(np.maximum(tables, _LEAST)).reshape(size, judges * size).T
        evidence += np.log(np.maximum(shares, _LEAST))
        top = evidence.max(axis=1, keepdims=True)
        weights = np.exp(evidence - top)
        total = weights.sum(axis=1, keepdims=True)
        probability = weights / total
        likelihoods.append(float(times @ (np.log(total) + top)[:, 0]))
        if len(likelihoods) > 1:
            rise = likelihoods[-1] - likelihoods[-2]
            converged = abs(rise) <= TOLERANCE * max(1.0, abs(likelihoods[-1]))
    known = np.broadcast_to(whole > 0, tables.shape)
    by_judge = np.where(known, tables, np.nan).transpose(1, 0, 2)
    return DawidSkene(probability, shares, by_judge, tuple(likelihoods), converged)

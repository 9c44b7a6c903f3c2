"""Dawid and Skene's estimate: true grades and judges' errors, each from the other.

A judge is a table: of documents whose true grade is this, what share do they give that? If the true
grades were known, one could count; if the tables were known, one could weigh each judge's word by
them. Starting with the shares of votes, the two steps are taken in turn (expectation and
maximisation) until the likelihood stops rising. Dawid & Skene 1979, doi:10.2307/2346806.

The judges' errors are taken to be independent of each other, given the true grade. Judges who err
alike, as models of one family may, count for more than they should.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.errors import OptionError
from cleverdon.judge.labels import Labels

ITERATIONS = 1000
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


def dawid_skene(
    labels: Labels, *, smoothing: float = 0.0, iterations: int = ITERATIONS
) -> DawidSkene:
    """Estimate true grades and judges' errors of labels; every item has one judgment at least."""
    judges, size = len(labels.judges), len(labels.grades)
    given = np.zeros((len(labels), judges, size))
    items, columns = np.nonzero(labels.judged)
    given[items, columns, labels.level[items, columns]] = 1
    return estimated(given, smoothing=smoothing, iterations=iterations)


def estimated(given: Floats, *, smoothing: float = 0.0, iterations: int = ITERATIONS) -> DawidSkene:
    """The same of counts, items x judges x grades: how often a judge gave an item a grade.

    `smoothing` is added to every cell of the judges' tables, as if so many documents had been seen
    there: with few documents a judge, a cell that happens to be empty would rule a grade out.
    """
    if smoothing < 0:
        raise OptionError(f"smoothing={smoothing}: it is 0 or above")
    if iterations < 1:
        raise OptionError(f"iterations={iterations}: there is at least one")
    items, judges, size = given.shape
    flat = given.reshape(items, judges * size)
    votes = given.sum(axis=1)
    probability = votes / votes.sum(axis=1, keepdims=True)
    likelihoods: list[float] = []
    converged = False
    while not converged and len(likelihoods) < iterations:
        shares = probability.mean(axis=0)
        seen = (probability.T @ flat).reshape(size, judges, size) + smoothing
        whole = seen.sum(axis=2, keepdims=True)
        tables = seen / np.where(whole > 0, whole, 1)
        evidence = flat @ np.log(np.maximum(tables, _LEAST)).reshape(size, judges * size).T
        evidence += np.log(np.maximum(shares, _LEAST))
        top = evidence.max(axis=1, keepdims=True)
        weights = np.exp(evidence - top)
        total = weights.sum(axis=1, keepdims=True)
        probability = weights / total
        likelihoods.append(float((np.log(total) + top).sum()))
        if len(likelihoods) > 1:
            rise = likelihoods[-1] - likelihoods[-2]
            converged = abs(rise) <= TOLERANCE * max(1.0, abs(likelihoods[-1]))
    known = np.broadcast_to(whole > 0, tables.shape)
    by_judge = np.where(known, tables, np.nan).transpose(1, 0, 2)
    return DawidSkene(probability, shares, by_judge, tuple(likelihoods), converged)

"""Risk: what a system loses on single queries, where another is known to do well.

A mean hides that a system gained a little on many queries and failed on a few. Risk-sensitive
aggregations count each loss 1 + alpha times.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from cleverdon.aggregate import average, worst_value
from cleverdon.arrays import Bools, Floats
from cleverdon.errors import OptionError
from cleverdon.measures.base import Measure
from cleverdon.scores import Scores


@dataclass(frozen=True)
class Risk:
    """One system's risk by one measure; more is better in all four."""

    system: str
    baseline: str
    measure: Measure
    alpha: float
    mean: float
    wins: int  # queries on which the system is above the baseline
    losses: int
    urisk: float
    """The mean of gains and losses against the baseline, losses 1 + alpha times.

    Wang, Bennett & Collins-Thompson 2012, doi:10.1145/2348283.2348385.
    """
    trisk: float
    """URisk over its standard error; NaN where no query differs from another.

    Below -2 the risk is more than chance would give, above 2 so is the gain. Dinçer, Macdonald &
    Ounis 2014, doi:10.1145/2600428.2609625.
    """
    zrisk: float
    """Gains and losses against what all systems together lead one to expect of a query.

    Not against the baseline. Dinçer, Macdonald & Ounis 2016, doi:10.1145/2911451.2911511.
    """
    georisk: float
    """The geometric mean of the mean and of the probability of ZRisk; from the same."""


def risk(
    scores: Scores, measure: str | Measure, *, baseline: str, alpha: float = 1.0
) -> list[Risk]:
    """Every system's risk by one measure, the baseline's own among them.

    Only queries on which all systems were evaluated count; an undefined value counts as the
    measure's worst.

    >>> from cleverdon import evaluate
    >>> qrels = {"q1": {"d1": 1}, "q2": {"d2": 1}}
    >>> runs = {"old": {"q1": {"d1": 1}, "q2": {"d3": 2, "d2": 1}}, "new": {"q2": {"d2": 1}}}
    >>> old, new = risk(evaluate(qrels, runs, "RR"), "RR", baseline="old", alpha=1)
    >>> new.wins, new.losses, new.urisk
    (1, 1, -0.75)
    """
    if not alpha >= 0:
        raise OptionError(f"alpha={alpha}: a loss counts 1 + alpha times, and alpha is from 0 on")
    base, m = scores.index_of(baseline, measure)
    chosen = scores.measures[m]
    if chosen.better != "higher" or chosen.range[0] < 0 or chosen.text:
        raise OptionError(f"{chosen}: risk is for measures from 0 on of which more is better")
    shared: Bools = np.asarray(scores.evaluated.all(axis=0))
    if not shared.any():
        raise OptionError("there is no query on which all systems were evaluated")
    scores.check_known(chosen, on=shared)
    values = np.nan_to_num(scores.values[:, m, shared], nan=worst_value(chosen))
    differences = values - values[base]
    z_risks = _weighed(_surprise(values), alpha).sum(axis=1)
    return [
        Risk(
            system=system,
            baseline=baseline,
            measure=chosen,
            alpha=alpha,
            mean=average(chosen, values[s]),
            wins=int((differences[s] > 0).sum()),
            losses=int((differences[s] < 0).sum()),
            urisk=float(_weighed(differences[s], alpha).mean()),
            trisk=_t_statistic(_weighed(differences[s], alpha)),
            zrisk=float(z_risks[s]),
            georisk=math.sqrt(values[s].mean() * _normal(z_risks[s] / values.shape[1])),
        )
        for s, system in enumerate(scores.systems)
    ]


def _weighed(differences: Floats, alpha: float) -> Floats:
    """Losses 1 + alpha times, gains as they are."""
    return np.where(differences < 0, (1 + alpha) * differences, differences)


def _t_statistic(values: Floats) -> float:
    """The mean over its standard error."""
    deviation = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    if deviation == 0:
        return float("nan")
    return float(values.mean()) / deviation * math.sqrt(len(values))


def _surprise(values: Floats) -> Floats:
    """By how many standard deviations each value is off, as in a chi-squared test.

    What to expect follows from how good the system and how easy the query is: the product of their
    sums, over the sum of all.
    """
    total = values.sum()
    if total == 0:
        return np.zeros_like(values)
    expected = np.outer(values.sum(axis=1), values.sum(axis=0)) / total
    # Nothing is expected where a query's, or a system's, values are all 0, and nothing was found.
    surprise: Floats = (values - expected) / np.sqrt(np.where(expected > 0, expected, 1))
    return surprise


def _normal(z: float) -> float:
    """The probability of no more than z standard deviations above the mean."""
    return math.erfc(-z / math.sqrt(2)) / 2

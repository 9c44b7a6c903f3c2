"""Gains and losses of single queries against a baseline.

A mean hides that a system gained a little on many queries and failed on a few. Risk-sensitive
aggregations count each loss 1 + alpha times.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from cleverdon._common.arrays import Bools, Floats
from cleverdon._common.text import printable
from cleverdon.errors import OptionError
from cleverdon.measures.base import Measure, worst_value
from cleverdon.scores import Scores, average
from cleverdon.stats.effect_sizes import one_sample_t, pearson_residuals
from cleverdon.tables.numbers import format_decimal
from cleverdon.tables.result_lists import RecordList
from cleverdon.tables.sections import Section
from cleverdon.tables.table import DIGITS, TextTable


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


_RISK_COLUMNS = ("mean", "wins", "losses", "urisk", "trisk", "zrisk", "georisk")


class RiskAnalysis(RecordList[Risk]):
    """The risk of each system, by one measure or several.

    Attributes:
        items: A risk for each system and measure.

    >>> from cleverdon import evaluate
    >>> scores = evaluate({"q1": {"a": 1}}, {"run": {"q1": {"a": 1.0}}}, "RR")
    >>> [one.losses for one in measure_risk(scores, baseline="run")]
    [0]
    """

    def sections(self, *, exact: bool = False, digits: int = DIGITS) -> list[Section]:
        """Return a row for each system and measure."""
        rows = []
        for one in self:
            numbers = [getattr(one, name) for name in _RISK_COLUMNS]
            cells = [
                str(number)
                if isinstance(number, int)
                else format_decimal(number, exact=exact, digits=digits)
                for number in numbers
            ]
            rows.append([printable(one.system), str(one.measure), *cells])
        note = (
            f"against {printable(self[0].baseline)}, a loss counting {1 + self[0].alpha:g} times; "
            "zrisk and georisk against all systems together"
        )
        grid = TextTable(["system", "measure", *_RISK_COLUMNS], rows, 2, [], [note])
        return [Section("risk", grid, titled=False)]


def measure_risk(
    scores: Scores,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    baseline: str,
    alpha: float = 1.0,
) -> RiskAnalysis:
    """Compute the risk of every system, the baseline included.

    Only queries on which all systems were evaluated count; an undefined value counts as the
    measure's worst.

    Args:
        scores: The systems' scores.
        measures: One measure or several, from 0 on, of which more is better; by default all.
        baseline: The system that gains and losses are against.
        alpha: A loss counts 1 + alpha times.

    Returns:
        URisk, TRisk, ZRisk and GeoRisk of each system by each measure.

    >>> from cleverdon import evaluate
    >>> qrels = {"q1": {"d1": 1}, "q2": {"d2": 1}}
    >>> runs = {"old": {"q1": {"d1": 1}, "q2": {"d3": 2, "d2": 1}}, "new": {"q2": {"d2": 1}}}
    >>> old, new = measure_risk(evaluate(qrels, runs, "RR"), "RR", baseline="old", alpha=1)
    >>> new.wins, new.losses, new.urisk
    (1, 1, -0.75)
    """
    if not alpha >= 0:
        raise OptionError(f"alpha={alpha}: a loss counts 1 + alpha times; alpha must be at least 0")
    if measures is None:
        measures = scores.measures
    wanted = [measures] if isinstance(measures, (str, Measure)) else measures
    found = [one for each in wanted for one in _risks(scores, each, baseline, alpha)]
    return RiskAnalysis(tuple(found))


def _risks(scores: Scores, measure: str | Measure, baseline: str, alpha: float) -> list[Risk]:
    base, m = scores.index_of(baseline, measure)
    chosen = scores.measures[m]
    if chosen.better != "higher" or chosen.range[0] < 0 or chosen.text:
        raise OptionError(f"{chosen}: risk needs a measure from 0 on of which more is better")
    shared: Bools = np.asarray(scores.evaluated.all(axis=0))
    if not shared.any():
        raise OptionError("there is no query on which all systems were evaluated")
    scores.check_known(chosen, on=shared)
    values = np.nan_to_num(scores.values[:, m, shared], nan=worst_value(chosen))
    differences = values - values[base]
    z_risks = _weighed(pearson_residuals(values), alpha).sum(axis=1)
    # The probability of no larger value in a normal distribution.
    likely = [math.erfc(-z / values.shape[1] / math.sqrt(2)) / 2 for z in z_risks]
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
            trisk=one_sample_t(_weighed(differences[s], alpha)),
            zrisk=float(z_risks[s]),
            georisk=math.sqrt(values[s].mean() * likely[s]),
        )
        for s, system in enumerate(scores.systems)
    ]


def _weighed(differences: Floats, alpha: float) -> Floats:
    """Count losses 1 + alpha times."""
    return np.where(differences < 0, (1 + alpha) * differences, differences)

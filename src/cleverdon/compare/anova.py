"""Two-way analysis of variance: how much of what was measured is systems, and how much topics.

Each value is taken as the sum of a mean, an effect of the system, one of the topic, and an error.
For retrieval: Tague-Sutcliffe & Blustein 1995; Banks et al. 1999, doi:10.1023/A:1009984519381.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.compare.needs import check_topics, scipy_stats
from cleverdon.compare.samples import samples
from cleverdon.errors import OptionError
from cleverdon.measures.base import Measure
from cleverdon.scores import Scores


@dataclass(frozen=True)
class Effect:
    """How much of the variance comes from one source."""

    squares: float  # the sum of squares
    freedom: int

    @property
    def mean_square(self) -> float:
        return self.squares / self.freedom


@dataclass(frozen=True)
class Variance:
    """The sums of squares of a table of systems x topics."""

    systems: Effect
    topics: Effect
    residual: Effect

    def f(self, effect: Effect) -> float:
        """The effect's mean square over the error's; NaN where there is neither."""
        if self.residual.squares:
            return effect.mean_square / self.residual.mean_square
        return np.inf if effect.squares else np.nan

    def p(self, effect: Effect) -> float:
        """How often chance alone gives such an F; 1 where all values are the same."""
        f = self.f(effect)
        if np.isnan(f):
            return 1.0
        distribution = scipy_stats("analysis of variance").f
        return float(distribution.sf(f, effect.freedom, self.residual.freedom))

    def strength(self, effect: Effect) -> float:
        """Partial omega squared: the effect's share of the variance beside error's, unbiased.

        Around 0.01 is held to be small, 0.06 medium, 0.14 large. It can fall below 0, where there
        is less than chance gives.
        """
        error = self.residual.mean_square
        cells = 1 + self.systems.freedom + self.topics.freedom + self.residual.freedom
        over = effect.squares - effect.freedom * error
        under = effect.squares + (cells - effect.freedom) * error
        return over / under if under else np.nan


@dataclass(frozen=True)
class Anova:
    """The analysis of one measure."""

    measure: Measure
    variance: Variance
    p_systems: float
    p_topics: float


def anova(
    scores: Scores,
    *,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    systems: Iterable[str] | None = None,
) -> list[Anova]:
    """Whether systems differ at all, for each measure: a look before any pair is looked at.

    A measure that is a geometric mean is analysed by its logarithms, as in `compare`.

    >>> from cleverdon import evaluate
    >>> qrels = {f"q{i}": {"a": 1} for i in range(4)}
    >>> good = {query: {"a": 3.0, "b": 1.0} for query in qrels}
    >>> poor = good | {"q1": {"b": 2.0, "a": 1.0}}
    >>> found = anova(evaluate(qrels, {"poor": poor, "good": good}, "RR"))[0]
    >>> found.variance.systems.squares, round(found.p_systems, 4)
    (0.03125, 0.391)
    """
    found = []
    for sample in samples(scores, measures=measures, systems=systems):
        variance = two_way(sample.summable)
        p_systems, p_topics = variance.p(variance.systems), variance.p(variance.topics)
        found.append(Anova(sample.measure, variance, p_systems, p_topics))
    return found


def two_way(values: Floats) -> Variance:
    """The sums of squares of values that are systems x topics."""
    topics = check_topics("analysis of variance", values)
    systems = len(values)
    if systems < 2:
        raise OptionError(f"analysis of variance needs at least 2 systems, and there is {systems}")
    of_system = values.mean(axis=1) - values.mean()
    of_topic = values.mean(axis=0) - values.mean()
    rest = values - values.mean() - of_system[:, None] - of_topic
    # Squares of nothing but rounding are nothing.
    nothing = values.size * (1e-13 * np.abs(values).max()) ** 2

    def effect(squares: float, freedom: int) -> Effect:
        return Effect(squares if squares > nothing else 0.0, freedom)

    return Variance(
        effect(float(topics * np.sum(of_system**2)), systems - 1),
        effect(float(systems * np.sum(of_topic**2)), topics - 1),
        effect(float(np.sum(rest**2)), (systems - 1) * (topics - 1)),
    )

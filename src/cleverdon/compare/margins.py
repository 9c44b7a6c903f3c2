"""Not different by more than a margin: equivalence and non-inferiority.

That a difference is not significant does not show that there is none. To show that, one says
beforehand how large a difference would matter, and tests against that.
Two one-sided tests: Schuirmann 1987, doi:10.1007/BF01068419.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.compare.multiplicity import corrected
from cleverdon.compare.pvalue import PValue
from cleverdon.compare.samples import samples
from cleverdon.compare.tests import p_values
from cleverdon.errors import OptionError, check_word, suggest
from cleverdon.measures.base import Measure
from cleverdon.scores import Scores

CLAIMS = {
    "equivalence": "the systems differ by less than the margin",
    "non-inferiority": "the system is not worse than the baseline by the margin or more",
}
"""What a small p-value speaks for."""


@dataclass(frozen=True)
class WithinMargin:
    """Whether one system is within a margin of another, by one measure."""

    system: str
    baseline: str
    measure: Measure
    claim: str
    difference: float  # of the means
    margin: float
    p: PValue
    corrected: float  # the p-value, corrected for all comparisons made at once


def equivalence(
    differences: Floats, *, margin: float, test: str = "t", seed: int = 0, **options: Any
) -> list[PValue]:
    """Whether each comparison's mean difference lies between -margin and margin.

    Both ends are tested by themselves, one-sided, and the larger p counts. `differences` are
    comparisons x topics.

    >>> round(equivalence(np.array([[0.01, -0.02, 0.02, 0.01]]), margin=0.05)[0].p, 4)
    0.0069
    """
    _check_margin(margin)
    above = p_values(test, differences + margin, alternative="greater", seed=seed, **options)
    below = p_values(test, differences - margin, alternative="less", seed=seed, **options)
    return [max(pair, key=lambda p: p.p) for pair in zip(above, below, strict=True)]


def non_inferiority(
    differences: Floats, *, margin: float, test: str = "t", seed: int = 0, **options: Any
) -> list[PValue]:
    """Whether each comparison's mean difference lies above -margin, where higher is better.

    >>> round(non_inferiority(np.array([[0.01, -0.02, 0.02, 0.01]]), margin=0.05)[0].p, 4)
    0.0039
    """
    _check_margin(margin)
    return p_values(test, differences + margin, alternative="greater", seed=seed, **options)


def within_margin(
    scores: Scores,
    *,
    baseline: str,
    margin: float,
    claim: str = "equivalence",
    measures: str | Measure | Iterable[str | Measure] | None = None,
    systems: Iterable[str] | None = None,
    test: str = "t",
    correction: str = "holm",
    seed: int = 0,
) -> tuple[WithinMargin, ...]:
    """Every other system against the baseline, by every measure or by some.

    The margin is in the units of the measures: name those it is meant for. What is worse, the
    measure says; one that has no better cannot be non-inferior.

    >>> from cleverdon import evaluate
    >>> qrels = {f"q{i}": {"a": 1} for i in range(8)}
    >>> old = {query: {"a": 2.0, "b": 1.0} for query in qrels}
    >>> new = old | {"q0": {"a": 1.0, "b": 2.0}}
    >>> scores = evaluate(qrels, {"old": old, "new": new}, "RR")
    >>> found = within_margin(scores, baseline="old", margin=0.2)[0]
    >>> found.difference, round(found.corrected, 4)
    (-0.0625, 0.0319)
    """
    check_word("claim", claim, CLAIMS)
    of = samples(scores, measures=measures, systems=systems)
    if baseline not in of[0].systems:
        raise OptionError(f"there is no system {baseline!r}{suggest(baseline, of[0].systems)}")
    tasks = [(name, sample) for name in of[0].systems if name != baseline for sample in of]
    if not tasks:
        raise OptionError(f"there is only {baseline!r}, and nothing to compare with")
    for sample in of:
        _check_mean(sample.measure)
    rows = np.array([sample.of(name) - sample.of(baseline) for name, sample in tasks])
    if claim == "equivalence":
        found = equivalence(rows, margin=margin, test=test, seed=seed)
    else:
        upwards = np.array([_direction(sample.measure) for _, sample in tasks])
        found = non_inferiority(rows * upwards[:, None], margin=margin, test=test, seed=seed)
    adjusted = corrected(correction, [p.p for p in found])
    return tuple(
        WithinMargin(name, baseline, sample.measure, claim, float(row.mean()), margin, p, q)
        for (name, sample), row, p, q in zip(tasks, rows, found, adjusted, strict=True)
    )


def _check_mean(measure: Measure) -> None:
    if measure.average != "mean":
        raise OptionError(f"{measure} is no mean over topics: it cannot be within a margin")


def _direction(measure: Measure) -> int:
    if measure.better == "neither":
        raise OptionError(
            f"neither more nor less of {measure} is better: nothing is inferior by it"
        )
    return 1 if measure.better == "higher" else -1


def _check_margin(margin: float) -> None:
    if not 0 < margin < np.inf:
        raise OptionError(f"margin={margin}: a margin is above 0")

"""Two systems on the same queries: how far apart, on how many, and could it be chance?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from cleverdon.aggregate import average, worst_value
from cleverdon.compare.multiplicity import holm
from cleverdon.compare.randomisation import PValue, randomisation_test
from cleverdon.errors import OptionError
from cleverdon.measures.base import Measure
from cleverdon.measures.notation import parse_all
from cleverdon.scores import Scores


@dataclass(frozen=True)
class Difference:
    """One system against the baseline, by one measure."""

    system: str
    baseline: str
    measure: Measure
    mean: float
    baseline_mean: float
    up: int  # queries on which the system's value is higher
    even: int
    down: int
    p: PValue  # of the randomisation test
    p_holm: float  # the same, corrected for all comparisons made at once

    @property
    def difference(self) -> float:
        return self.mean - self.baseline_mean


def compare(
    scores: Scores,
    *,
    baseline: str,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    seed: int = 0,
) -> list[Difference]:
    """Every other system against the baseline, by every measure or by some.

    Queries that only one of the two was evaluated on are left out; an undefined value counts as the
    measure's worst for both, so that no query is dropped for what one system did.
    """
    if baseline not in scores.systems:
        raise OptionError(f"there is no system {baseline!r} to compare with")
    base = scores.systems.index(baseline)
    wanted = scores.measures if measures is None else parse_all(measures)
    for measure in wanted:
        if measure not in scores.measures:
            raise OptionError(f"{measure} was not evaluated")
    found = []
    for s, system in enumerate(scores.systems):
        shared = scores.evaluated[s] & scores.evaluated[base]
        if s == base:
            continue
        if not shared.any():
            raise OptionError(f"{system} and {baseline} have no query in common")
        for measure in wanted:
            m = scores.measures.index(measure)
            ours, theirs = (
                np.nan_to_num(scores.values[i, m, shared], nan=worst_value(measure))
                for i in (s, base)
            )
            difference = ours - theirs
            p = randomisation_test(difference, seed=seed)
            means = (average(measure, ours), average(measure, theirs))
            found.append((system, measure, *means, difference, p))
    corrected = holm([p.p for *_, p in found])
    return [
        Difference(
            system=system,
            baseline=baseline,
            measure=measure,
            mean=ours,
            baseline_mean=theirs,
            up=int((difference > 0).sum()),
            even=int((difference == 0).sum()),
            down=int((difference < 0).sum()),
            p=p,
            p_holm=p_holm,
        )
        for (system, measure, ours, theirs, difference, p), p_holm in zip(
            found, corrected, strict=True
        )
    ]

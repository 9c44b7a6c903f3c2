"""Differences against a margin that would matter: equivalence and non-inferiority.

That a difference is not significant does not show that there is none. To show that it is small, say
first how large a difference would matter, and test against that: two one-sided tests, Schuirmann
1987, doi:10.1007/BF01068419.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf, nan, sqrt
from typing import Any

import numpy as np

from cleverdon._common.text import printable
from cleverdon.comparison.differences import Comparison
from cleverdon.comparison.procedures import Difference
from cleverdon.comparison.samples import check_single_runs, samples
from cleverdon.errors import OptionError, check_word, suggest
from cleverdon.measures.base import Measure
from cleverdon.score_tables import format_score
from cleverdon.scores import Scores
from cleverdon.stats.effect_sizes import standard_deviation
from cleverdon.stats.intervals import Interval, t_outside, t_quantile
from cleverdon.stats.multiple_comparisons import correct_p_values
from cleverdon.stats.tests import MARGIN_CLAIMS, PValue, margin_test
from cleverdon.tables.numbers import format_decimal
from cleverdon.tables.result import as_json
from cleverdon.tables.result_lists import RecordList
from cleverdon.tables.sections import Section
from cleverdon.tables.table import TextTable


@dataclass(frozen=True)
class MarginTest:
    """The test that one system is within a margin of another, by one measure."""

    system: str
    baseline: str
    measure: Measure
    claim: str
    difference: float  # of the means
    margin: float
    p: PValue
    corrected: float  # the p-value, corrected for all comparisons made at once


class MarginTests(RecordList[MarginTest]):
    """The tests of systems against a margin."""

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return a row for each system and measure."""
        rows = [
            [
                *(printable(name) for name in (one.system, one.baseline)),
                *(str(one.measure), one.claim),
                format_score(one.measure, one.difference, signed=not exact, exact=exact),
                f"{one.margin:g}",
                str(one.p.p if exact else one.p),
                format_decimal(one.corrected, exact=exact),
            ]
            for one in self
        ]
        header = ["system", "baseline", "measure", "claim", "difference", "margin", "p"]
        return [Section("margins", TextTable([*header, "corrected p"], rows, 4, []), titled=False)]


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
) -> MarginTests:
    """Test whether systems are within a margin of the baseline.

    The margin is in the units of the measures: name those it is meant for. What is worse, the
    measure says; one that has no better cannot be non-inferior.

    Args:
        scores: What `evaluate` returned.
        baseline: The system to compare with.
        margin: The difference that would matter, above 0.
        claim: "equivalence" or "non-inferiority".
        measures: Some of the measures; by default all.
        systems: Some of the systems; by default all.
        test: One of `TESTS`.
        correction: One of `CORRECTIONS`.
        seed: The seed of random draws.

    Returns:
        A p-value for each system and measure.

    >>> from cleverdon import evaluate
    >>> qrels = {f"q{i}": {"a": 1} for i in range(8)}
    >>> old = {query: {"a": 2.0, "b": 1.0} for query in qrels}
    >>> new = old | {"q0": {"a": 1.0, "b": 2.0}}
    >>> scores = evaluate(qrels, {"old": old, "new": new}, "RR")
    >>> found = within_margin(scores, baseline="old", margin=0.2)[0]
    >>> found.difference, round(found.corrected, 4)
    (-0.0625, 0.0319)
    """
    check_word("claim", claim, MARGIN_CLAIMS)
    of = samples(scores, measures=measures, systems=systems)
    if baseline not in of[0].systems:
        raise OptionError(f"there is no system {baseline!r}{suggest(baseline, of[0].systems)}")
    tasks = [(name, sample) for name in of[0].systems if name != baseline for sample in of]
    if not tasks:
        raise OptionError(f"there is only {baseline!r}, and nothing to compare with")
    for measure in (sample.measure for sample in of):
        if measure.average != "mean":
            raise OptionError(f"{measure} is no mean over queries: it cannot be within a margin")
        if claim == "non-inferiority" and measure.better == "neither":
            raise OptionError(
                f"neither more nor less of {measure} is better: nothing is inferior by it"
            )
    check_single_runs(
        scores, of[0].systems, what="within_margin", instead="claim(..., margin=) does"
    )
    rows = np.array([sample.of(name) - sample.of(baseline) for name, sample in tasks])
    upwards = np.array([-1 if one.measure.better == "lower" else 1 for _, one in tasks])
    found = margin_test(rows * upwards[:, None], margin=margin, claim=claim, test=test, seed=seed)
    adjusted = correct_p_values(correction, [p.p for p in found])
    return MarginTests(
        tuple(
            MarginTest(name, baseline, sample.measure, claim, float(row.mean()), margin, p, q)
            for (name, sample), row, p, q in zip(tasks, rows, found, adjusted, strict=True)
        )
    )


@dataclass(frozen=True)
class MarginClaim:
    """Whether a difference is within a margin, by one-sided t tests at its ends.

    It is exactly where the interval is: of 90% for a level of 0.05, and wider where it is adjusted
    for a family by Bonferroni's method. Schuirmann 1987, doi:10.1007/BF01068419.

    Attributes:
        margin: The difference that would matter.
        equivalent: Whether the systems are shown to differ by less.
        not_worse: Whether the system is shown not to be worse by so much; None where neither more
            nor less of the measure is better.
        equivalence_p: The p-value of the first, corrected for the family.
        not_worse_p: That of the second.
        interval: The interval, without ends where there is no spread.
    """

    margin: float
    equivalent: bool
    not_worse: bool | None
    equivalence_p: float
    not_worse_p: float | None
    interval: Interval


def claim_margin(found: Difference, comparison: Comparison, margin: float) -> MarginClaim:
    differences = comparison.differences_of(found)
    n, middle = len(differences), float(differences.mean())
    count = found.family if comparison.is_corrected else 1
    confidence = 1 - 2 * comparison.level
    better = found.measure.better
    if found.repeated is not None:
        error, freedom = found.repeated.error, found.repeated.freedom
    else:
        error, freedom = (standard_deviation(differences) / sqrt(n) if n > 1 else 0.0), n - 1
    if not error > 0:  # nothing to measure the margin by
        unknown = Interval(nan, nan, confidence)
        return MarginClaim(margin, False, None if better == "neither" else False, nan, nan, unknown)

    def p(t: float) -> float:
        tail = t_outside(abs(t), freedom) / 2
        return min(1.0, count * (tail if t > 0 else 1 - tail))

    above, below = p((middle + margin) / error), p((margin - middle) / error)
    equal = max(above, below)
    worse = {"higher": above, "lower": below}.get(better)
    reach = t_quantile(1 - 2 * comparison.level / count, freedom) * error
    return MarginClaim(
        margin,
        equal <= comparison.level,
        None if worse is None else worse <= comparison.level,
        equal,
        worse,
        Interval(middle - reach, middle + reach, confidence),
    )


def check_margin(comparison: Comparison, margin: float) -> None:
    """Refuse a margin that is none, or that a measure cannot be within."""
    if not 0 < margin < inf:
        raise OptionError(f"margin={margin:g}: a margin is a number above 0, such as 0.01")
    if comparison.level >= 0.5:
        raise OptionError(f"level={comparison.level:g}: a margin is tested at a level below 0.5")
    for sample in comparison.samples:
        if sample.measure.average != "mean":
            raise OptionError(
                f"{sample.measure} is no mean over queries: it cannot be within a margin"
            )


def margin_record(within: MarginClaim | None) -> dict[str, Any]:
    """Return what is shown of a margin as plain values; nothing where there is none."""
    if within is None:
        return {}
    plain: dict[str, Any] = as_json(
        {
            "margin": within.margin,
            "equivalent": within.equivalent,
            "not_worse": within.not_worse,
            "equivalence_p": within.equivalence_p,
            "not_worse_p": within.not_worse_p,
            "margin_low": within.interval.low,
            "margin_high": within.interval.high,
            "margin_confidence": within.interval.confidence,
        }
    )
    return plain

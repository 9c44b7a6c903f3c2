"""Claims: what the differences of a comparison allow one to say, and what they do not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from cleverdon.compare.paired import Comparison, Difference

Verdict = Literal["better", "worse", "higher", "lower", "not shown"]
"""What may be said of a system against its baseline. Higher and lower, where neither is better."""

NOT_OF_MEANS = ("sign", "wilcoxon")
"""Tests that look at signs and ranks: a small p-value may go with a mean that says the contrary."""


@dataclass(frozen=True, eq=False)
class Claim:
    """What may be said about one difference; as text, a sentence that says no more than that."""

    difference: Difference
    verdict: Verdict
    comparison: Comparison = field(repr=False)

    @property
    def shown(self) -> bool:
        """Whether the difference can be told from chance."""
        return self.verdict != "not shown"

    def __str__(self) -> str:
        from cleverdon.show.claims import sentence

        return sentence(self)


def claims(comparison: Comparison) -> list[Claim]:
    """What may be said, difference by difference.

    >>> from cleverdon import evaluate
    >>> from cleverdon.compare import compare
    >>> qrels = {f"q{i}": {"a": 1} for i in range(6)}
    >>> good = {query: {"a": 2.0, "b": 1.0} for query in qrels}
    >>> poor = {query: {"a": 1.0, "b": 2.0} for query in qrels}
    >>> scores = evaluate(qrels, {"poor": poor, "good": good}, "RR")
    >>> print(claims(compare(scores, baseline="poor"))[0])
    good beats poor on RR by 0.500 (0.500 to 1.000, +100.0%; 95% CI 0.500 to 0.500; randomisation
    p = 0.031, 1 comparison; 6 topics: 6 up, 0 even, 0 down).
    """
    return [
        Claim(found, _verdict(found, comparison), comparison) for found in comparison.differences
    ]


def _verdict(found: Difference, comparison: Comparison) -> Verdict:
    if not told_apart(found, comparison):
        return "not shown"
    higher = found.difference > 0
    if found.measure.better == "neither":
        return "higher" if higher else "lower"
    return "better" if higher == (found.measure.better == "higher") else "worse"


def told_apart(found: Difference, comparison: Comparison) -> bool:
    """Whether a difference is significant, and the test points where the means do."""
    return comparison.significant(found) and found.difference * direction(found, comparison) > 0


def direction(found: Difference, comparison: Comparison) -> float:
    """Which way the test points: above 0 is up. Tests of signs and ranks need not follow means."""
    if comparison.test not in NOT_OF_MEANS:
        return found.difference
    differences = comparison.differences_of(found)
    if comparison.test == "sign":
        return float(np.sign(differences).sum())
    size = np.abs(differences[differences != 0])
    ordered = np.sort(size)
    # The mean rank of equals: halfway between the first and the last of them.
    ranks = np.searchsorted(ordered, size, "left") + np.searchsorted(ordered, size, "right") + 1
    return float((np.sign(differences[differences != 0]) * ranks).sum())

"""Margins: claims of equivalence and of not being worse, where the truth is at the margin."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

import cleverdon
from benchmarks.progress import say
from benchmarks.statistics.populations import (
    DRAWS,
    MadeUp,
    SignedDifferences,
    fewer_draws,
    scores_of,
)
from benchmarks.statistics.tables import Column, Row, Table, alarms
from cleverdon import gate
from cleverdon._common.arrays import Floats
from cleverdon.comparison import compare, find_doubts
from cleverdon.comparison.rules import CostRuleResult, RuleResult

SIZES = (10, 20, 50, 100, 200)
MARGIN = 0.05
_Draw = Callable[[int, np.random.Generator], Floats]

_FEW = ("two queries in five differ", "one query in twenty loses 1")
CLAIMS = (
    "equivalence",
    "non-inferiority",
    "non-inferiority, not qualified by `few-differing`",
    "gate: `not significantly worse by 0.05`",
    "gate: `... with 10 differing queries`",
    "gate: `not significantly worse`, equal systems",
)


def losses(source: MadeUp) -> dict[str, _Draw]:
    """Return draws of differences whose true mean is exactly the margin's loss."""
    of = source.differences("symmetric")
    by_ap, by_precision = (SignedDifferences(np.abs(of[m])) for m in (0, 3))

    def some(share: float, inner: Callable[[int, np.random.Generator], Floats]) -> _Draw:
        def draw(n: int, random: np.random.Generator) -> Floats:
            return np.where(random.random(n) < share, inner(n, random), 0.0)

        return draw

    return {
        "AP": lambda n, random: by_ap.draw(n, -MARGIN, random),
        "P@10, a third even": lambda n, random: by_precision.draw(n, -MARGIN, random),
        "two queries in five differ": some(
            0.4, lambda n, random: by_ap.draw(n, -MARGIN / 0.4, random)
        ),
        "one query in twenty loses 1": some(0.05, lambda n, _: np.full(n, -1.0)),
    }


def count_claims(drawn: Floats, even: Floats, *, seed: int) -> dict[str, bool]:
    """Return which claims are made of differences, and the gate's verdict on even systems."""
    scores = scores_of(np.stack([np.full_like(drawn, 0.5), 0.5 + drawn])[:, None], ["AP"])
    found = compare(scores, baseline="s0", seed=seed, options={"draws": DRAWS})
    claim = cleverdon.claim(found, margin=MARGIN, doubts=find_doubts(found, margin=MARGIN))[0]
    within = claim.within
    assert within is not None
    rules = [f"AP not significantly worse by {MARGIN}"]
    rules.append(f"{rules[0]} with 10 differing queries")
    passed = [one.passed for one in _ruled(drawn, rules, seed)]
    plain = _ruled(even, ["AP not significantly worse"], seed)[0].passed
    # Equivalence is claimed falsely at either end: here at the lower one.
    qualified = "few-differing" in claim.qualified
    results = (
        within.equivalent,
        bool(within.not_worse),
        bool(within.not_worse) and not qualified,
        *passed,
        not plain,
    )
    return dict(zip(CLAIMS, results, strict=True))


def _ruled(drawn: Floats, rules: list[str], seed: int) -> Sequence[RuleResult | CostRuleResult]:
    scores = scores_of(np.stack([np.full_like(drawn, 0.5), 0.5 + drawn])[:, None], ["AP"])
    return gate(scores, rules, system="s1", baseline="s0", seed=seed).rulings


def margin_tables(
    source: MadeUp, *, repetitions: int, seed: int, sizes: Sequence[int] = SIZES
) -> Iterator[Table]:
    """Measure false claims about a margin, where the true difference is exactly the margin."""
    rows: dict[bool, list[Row]] = {True: [], False: []}  # by whether most queries differ
    for name, draw in losses(source).items():
        found: dict[str, dict[Column, int]] = {claim: {} for claim in CLAIMS}
        for n in sizes:
            random = np.random.default_rng([seed, n])
            counts = dict.fromkeys(CLAIMS, 0)
            with fewer_draws():
                for i in range(repetitions):
                    drawn = draw(n, random)
                    even = drawn * random.choice([-1.0, 1.0], size=n)
                    for claim, made in count_claims(drawn, even, seed=i).items():
                        counts[claim] += made
            for claim, count in counts.items():
                found[claim][n] = count
        say(f"margins: {name}")
        for claim in CLAIMS:
            shares = {n: alarms(count, repetitions) for n, count in found[claim].items()}
            rows[name not in _FEW].append(Row((claim, name), shares, default=True))
    for most, label in ((True, "most queries differ"), (False, "few queries differ")):
        yield Table(
            f"False claims where the true loss is the margin, {MARGIN}: {label}",
            ("claim", "differences"),
            tuple(rows[most]),
            summary=f"claims about a margin, {label}",
        )

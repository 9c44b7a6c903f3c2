"""Reasons to doubt a comparison that lie in its statistics, a function each.

A function is decorated with the doubt's name and where the reason is to be found. It looks at the
evidence and has nothing to say, or one sentence with a number: of many cases it tells the worst.
"""

from __future__ import annotations

import numpy as np

from cleverdon.compare.claims import NOT_OF_MEANS, direction
from cleverdon.compare.evidence import Evidence, Found, counted, doubt, others
from cleverdon.compare.multiplicity import WHOLE
from cleverdon.compare.sizes import deviation

FEW_TOPICS = 25


@doubt("few-topics", "Buckley & Voorhees 2000, doi:10.1145/345508.345543")
def _few_topics(evidence: Evidence) -> Found | None:
    """There are fewer than 25 topics."""
    n = len(evidence.topics)
    if n >= FEW_TOPICS:
        return None
    topics = "1 topic is" if n == 1 else f"{n} topics are"
    return Found(
        f"{topics} few, and others could turn the result round; {FEW_TOPICS} are the least "
        "that is advised, and 50 are better",
        n,
    )


@doubt("out-of-reach", "Smucker et al. 2007, doi:10.1145/1321440.1321528")
def _out_of_reach(evidence: Evidence) -> Found | None:
    """There are so few topics, or draws, that no difference could be significant, however large."""
    comparison = evidence.comparison
    drawn = [found for found in comparison.differences if found.p.draws and not found.p.exact]
    # By Holm's correction, p-values that were not drawn may all be lower, and no longer count.
    tests = len(drawn) if drawn and comparison.correction == "holm" else len(comparison.differences)
    factor = tests if comparison.correction in WHOLE else 1
    if drawn:
        draws = max(found.p.draws for found in drawn)
        lowest = min(1.0, factor / (1 + draws))
        what = f"no difference tested by {draws:,} random draw{'' if draws == 1 else 's'}"
    elif comparison.test in ("randomisation", "sign", "wilcoxon"):
        sides = 2 if comparison.alternative == "two-sided" else 1
        lowest = min(1.0, factor * sides * 0.5 ** len(evidence.topics))
        what = f"no difference on {counted(len(evidence.topics), 'topic')}"
    else:
        return None
    if lowest <= comparison.level:
        return None
    return Found(
        f"{what} can be significant, since no corrected p-value can be below {lowest:.2g}", lowest
    )


@doubt("no-spread", "Student 1908, doi:10.1093/biomet/6.1.1")
def _no_spread(evidence: Evidence) -> Found | None:
    """The test looks at the spread of differences, and one is the same on every topic."""
    comparison = evidence.comparison
    if comparison.test not in ("t", "bootstrap", "tukey"):
        return None
    same = [
        found
        for found in comparison.differences
        if found.difference and deviation(comparison.differences_of(found)) == 0
    ]
    if not same:
        return None
    return Found(
        f"{same[0].system} differs from {same[0].baseline} on {same[0].measure} by the same on "
        "every topic, which has no spread: its p-value says nothing about other topics"
        f"{others(len(same) - 1, 'other difference', 'is alike', 'are alike')}",
        len(same),
    )


@doubt("seed-decides", "Phipson & Smyth 2010, doi:10.2202/1544-6115.1585")
def _seed_decides(evidence: Evidence) -> Found | None:
    """A p-value from random draws is so near the level that another seed could decide otherwise."""
    comparison = evidence.comparison
    near = []
    for found in comparison.differences:
        p, draws = found.p.p, found.p.draws
        if found.p.exact or not draws:
            continue
        times = found.corrected / p
        error = 2 * np.sqrt(p * (1 - p) / draws) * times
        # No seed puts it below the level where even the lowest p-value is above.
        reachable = min(found.corrected, times / (1 + draws)) <= comparison.level
        if reachable and abs(found.corrected - comparison.level) < error:
            near.append(found)
    if not near:
        return None
    first = min(near, key=lambda found: abs(found.corrected - comparison.level))
    return Found(
        f"the p-value of {first.system} against {first.baseline} on {first.measure} rests on "
        f"{first.p.draws:,} random draws, and another seed could put it on the other side of "
        f"{comparison.level:g}{others(len(near) - 1, 'other', 'is as near', 'are as near')}",
        first.corrected,
    )


@doubt("not-of-means", "Urbano et al. 2019, doi:10.1145/3331184.3331259")
def _not_of_means(evidence: Evidence) -> Found | None:
    """The test is one of signs or ranks, and its p-value is not of the mean difference."""
    comparison = evidence.comparison
    if comparison.test not in NOT_OF_MEANS:
        return None
    against = sum(
        found.difference * direction(found, comparison) < 0 for found in comparison.differences
    )
    return Found(
        f"the {comparison.test} test is not of means: it points against the mean difference in "
        f"{against} of {counted(len(comparison.differences), 'comparison')}",
        against,
    )


@doubt(
    "mean-rr",
    "for: Fuhr 2017, doi:10.1145/3190580.3190586; against: Sakai 2020, "
    "doi:10.1145/3451964.3451976, and Moffat 2022, arXiv:2207.03103",
)
def _mean_rr(evidence: Evidence) -> Found | None:
    """Means of reciprocal ranks are compared."""
    compared = [sample.measure for sample in evidence.comparison.samples]
    ordinal = [measure for measure in compared if type(measure).__name__ == "RR"]
    if not ordinal:
        return None
    return Found(
        f"means of {' and '.join(map(str, ordinal))} are compared, whose scale some hold to be "
        "ordinal and without means, and others do not",
        len(ordinal),
    )


@doubt("measures-tried", "Carterette 2012, doi:10.1145/2094072.2094076")
def _measures_tried(evidence: Evidence) -> Found | None:
    """More measures were evaluated than are compared and corrected for."""
    compared = {sample.measure for sample in evidence.comparison.samples}
    tried = [
        measure
        for measure in evidence.comparison.scores.measures
        if measure not in compared and measure.better != "neither" and not measure.text
    ]
    if not tried:
        return None
    return Found(
        f"{counted(len(tried) + len(compared), 'measure')} were evaluated and {len(compared)} "
        "compared: p-values are corrected for what is compared, not for what was tried",
        len(tried) + len(compared),
    )


@doubt("tuned-on-test", "Cawley & Talbot 2010, JMLR 11, 2079-2107")
def _tuned_on_test(evidence: Evidence) -> Found | None:
    """With the topics of tuning named: some of them are compared on."""
    both = [topic for topic in evidence.topics if topic in evidence.tuned_on]
    if not both:
        return None
    return Found(
        f"{len(both)} of the {counted(len(evidence.topics), 'topic')} were used for tuning "
        f"(such as {both[0]}), and scores on them are too good",
        len(both),
    )

"""Doubts about the statistics: queries, tests, families, effects."""

from __future__ import annotations

from math import comb, isnan

import numpy as np

from cleverdon._common.arrays import Floats
from cleverdon._common.text import counted
from cleverdon.comparison.differences import RANK_TESTS, Comparison
from cleverdon.comparison.doubt_rules import DoubtRule, Evidence, Reason, doubt_rule, more_cases
from cleverdon.comparison.procedures import Difference
from cleverdon.stats.effect_sizes import standard_deviation
from cleverdon.stats.intervals import t_outside, t_quantile

_FEW_QUERIES = 25


@doubt_rule
class FewQueries(DoubtRule):
    """There are fewer than 25 queries."""

    name = "few-queries"
    reference = "Buckley & Voorhees 2000, doi:10.1145/345508.345543"

    def find(self, evidence: Evidence) -> Reason | None:
        n = len(evidence.queries)
        if n >= _FEW_QUERIES:
            return None
        queries = "1 query is" if n == 1 else f"{n} queries are"
        return Reason(
            f"{queries} few, and others could turn the result round; {_FEW_QUERIES} are the least "
            "that is advised, and 50 are better",
            n,
        )


@doubt_rule
class OutOfReach(DoubtRule):
    """With so few queries, or draws, no difference could be significant, however large."""

    name = "out-of-reach"
    reference = "Smucker et al. 2007, doi:10.1145/1321440.1321528"

    def find(self, evidence: Evidence) -> Reason | None:
        comparison, n = evidence.comparison, len(evidence.queries)
        lowest: dict[bool, float] = {}
        for family in comparison.families:
            alone = [comparison.lowest_alone(found, n) for found in family]
            lowest[comparison.is_primary(family[0])] = min(
                comparison.corrected_alike(alone, family)
            )
        none = {primary: p for primary, p in lowest.items() if p > comparison.level}
        if not none:
            return None
        drawn = [found.p.draws for found in comparison.differences if not found.p.exact]
        draws = max(drawn, default=0)
        what = f"on {counted(n, 'query')}"
        if draws and comparison.lowest_alone(comparison.differences[0], n) <= 1 / (1 + draws):
            what = f"tested by {counted(draws, 'random draw')}"
        where = ""
        if len(none) < len(lowest):
            where = f" by {comparison.primary}" if True in none else " by the other measures"
        p = min(none.values())
        return Reason(
            f"no difference {what}{where} can be significant, since no corrected p-value can be "
            f"below {p:.2g}",
            p,
        )


@doubt_rule
class NoSpread(DoubtRule):
    """All differences of a pair are the same, or there is one query: no interval can be had."""

    name = "no-spread"
    reference = "Student 1908, doi:10.1093/biomet/6.1.1"

    def find(self, evidence: Evidence) -> Reason | None:
        comparison = evidence.comparison
        if len(evidence.queries) < 2:
            return Reason("one query has no spread, and a difference on it has no interval", 1)
        same = [
            found
            for found in comparison.differences
            if standard_deviation(comparison.differences_of(found)) == 0
        ]
        if not same:
            return None
        first = max(same, key=lambda found: abs(found.difference))
        apart = "differs from" if first.difference else "does not differ from"
        by = "by the same on every" if first.difference else "on any"
        return Reason(
            f"{first.system} {apart} {first.baseline} on {first.measure} {by} query, which has no "
            "spread: there is no interval, and a p-value says little about other queries"
            f"{more_cases(len(same) - 1, 'other difference', 'is alike', 'are alike')}",
            len(same),
        )


def _shown(comparison: Comparison) -> list[Difference]:
    return [found for found in comparison.differences if comparison.shows(found)]


_MOST_RETESTS = 10
"""The number of queries that are left out in turn, to test again without them."""


@doubt_rule
class OneQuery(DoubtRule):
    """A difference is shown, and would not be without one of the queries."""

    name = "one-query"
    reference = "Broderick, Giordano & Meager 2020, arXiv:2011.14999"

    def find(self, evidence: Evidence) -> Reason | None:
        comparison, n = evidence.comparison, len(evidence.queries)
        suspects: dict[int, list[Difference]] = {}
        if n > 2 and comparison.test not in RANK_TESTS:
            for found in _shown(comparison):
                at = self._suspect(found, comparison)
                if at is not None:
                    suspects.setdefault(at, []).append(found)
        carried: dict[Difference, int] = {}
        # The weakest results first; what was suspected is tested, before anything is said of it.
        weakest = sorted(suspects, key=lambda at: -max(one.corrected for one in suspects[at]))
        for at in weakest[:_MOST_RETESTS]:
            without = comparison.without(evidence.queries[at])
            shown = {one.key for one in _shown(without)}
            carried |= {found: at for found in suspects[at] if found.key not in shown}
        if not carried:
            return None
        first = max(carried, key=lambda found: found.corrected)
        return Reason(
            f"without query {evidence.queries[carried[first]]}, {first.system} would not be shown "
            f"to differ from {first.baseline} on {first.measure}"
            f"{more_cases(len(carried) - 1, 'other difference', 'rests', 'rest')}"
            f"{' on one query as well' if len(carried) > 1 else ''}",
            len(carried),
        )

    @staticmethod
    def _suspect(found: Difference, comparison: Comparison) -> int | None:
        """Return the query without which t is smallest, if it is too small or nearly so.

        t must be as many standard errors as the interval extends to the side, with one degree of
        freedom less.
        """
        rows = comparison.differences_of(found)
        n = len(rows)
        error = float(standard_deviation(rows)) / n**0.5
        if not np.isfinite(found.reach) or error == 0 or found.measure.average != "mean":
            return None
        reach = found.reach / error
        confidence = round(1 - t_outside(reach, n - 1), 9)  # the same for a whole family
        towards = rows if rows.sum() > 0 else -rows
        # t without each of the queries, from the sums of all.
        rest = towards.sum() - towards
        squares = (towards**2).sum() - towards**2
        spread = np.sqrt(np.maximum(squares - rest**2 / (n - 1), 0) / (n - 2))
        t = rest / (n - 1) ** 0.5 / np.maximum(spread, 1e-12)
        at = int(t.argmin())
        return at if t[at] < 1.1 * t_quantile(confidence, n - 2) else None


_TINY = 0.1
"""The smallest effect, in standard deviations, that is not called tiny."""


@doubt_rule
class TinyEffect(DoubtRule):
    """A difference is shown that is below a tenth of the standard deviation of differences."""

    name = "tiny-effect"
    reference = "Sakai 2014, doi:10.1145/2641383.2641385"

    def find(self, evidence: Evidence) -> Reason | None:
        sizes = {found: found.sizes.cohens_dz for found in _shown(evidence.comparison)}
        tiny = [found for found, size in sizes.items() if abs(size) < _TINY]
        if not tiny:
            return None
        worst = min(tiny, key=lambda found: abs(sizes[found]))
        return Reason(
            f"with {counted(len(evidence.queries), 'query')} even a tiny difference is "
            f"significant: that of {worst.system} from {worst.baseline} on {worst.measure} is "
            f"{abs(sizes[worst]):.3f} standard deviations"
            f"{more_cases(len(tiny) - 1, 'other', 'is as small', 'are as small')}",
            sizes[worst],
        )


_COCHRAN = 25
"""So many queries, times the squared skewness, are enough for a mean test to keep its level."""


@doubt_rule
class Skewed(DoubtRule):
    """A difference is shown against a long tail that the test of means is off its level for."""

    name = "skewed"
    serious = True
    reference = "Cochran's rule: Sugden, Smith & Jones 2000, doi:10.1111/1467-9868.00264"

    def find(self, evidence: Evidence) -> Reason | None:
        comparison, n = evidence.comparison, len(evidence.queries)
        if n < 4 or comparison.test in RANK_TESTS:
            return None
        chance = (6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3))) ** 0.5
        least = max((n / _COCHRAN) ** 0.5, 1.645 * chance)
        shapes = {
            found: _skewness(comparison.differences_of(found)) for found in _shown(comparison)
        }
        # A tail that shows too rarely lets the mean seem far from it. On the tail's own side, the
        # test finds too little and not too much.
        against = [
            found
            for found, skew in shapes.items()
            if abs(skew) > least and skew * comparison.test_direction(found) < 0
        ]
        if not against:
            return None
        worst = max(against, key=lambda found: abs(shapes[found]))
        return Reason(
            f"the differences between {worst.system} and {worst.baseline} on {worst.measure} have "
            f"a long tail against the mean (skewness {shapes[worst]:+.1f}): with "
            f"{counted(n, 'query')}, tests of means find such differences too often"
            f"{more_cases(len(against) - 1, 'other', 'is as skewed', 'are as skewed')}",
            shapes[worst],
            {(found.system, found.baseline, str(found.measure)) for found in against},
        )


def _skewness(values: Floats) -> float:
    """Return the sample skewness without its bias, G1; 0 where there is no spread."""
    n = len(values)
    away = values - values.mean()
    squares = float((away**2).mean())
    if squares <= 1e-24:
        return 0.0
    return float((away**3).mean() / squares**1.5 * (n * (n - 1)) ** 0.5 / (n - 2))


@doubt_rule
class NearZero(DoubtRule):
    """A baseline's mean cannot be told from 0, and a difference in per cent of it is unknown."""

    name = "near-zero-baseline"
    reference = "Fieller 1954, doi:10.1111/j.2517-6161.1954.tb00159.x"

    def find(self, evidence: Evidence) -> Reason | None:
        comparison = evidence.comparison
        near = [found for found in comparison.differences if near_zero(found, comparison)]
        if not near:
            return None
        least = min(near, key=lambda found: found.baseline_mean)
        cases = len({(found.baseline, found.measure) for found in near}) - 1
        return Reason(
            f"{least.baseline}'s {least.measure} of {least.baseline_mean:.3g} cannot be told from "
            "0, so that no difference in per cent of it is known"
            f"{more_cases(cases, 'other baseline', 'is alike', 'are alike')}",
            least.baseline_mean,
        )


def near_zero(found: Difference, comparison: Comparison) -> bool:
    """Return whether an interval of the baseline's mean reaches 0: no ratio to it is known.

    The interval is of the baseline alone, or adjusted for the family as that of the ratio is.
    """
    sample = comparison.sample_of(found)
    if sample.measure.average not in ("mean", "sum") or sample.count < 2:
        return False
    if comparison.knows_ratio(found) and isnan(comparison.relative_interval(found).low):
        return True
    values = sample.of(found.baseline)
    error = standard_deviation(values) / sample.count**0.5
    reach = t_quantile(comparison.confidence, sample.count - 1) * error
    return bool(0 < values.mean() <= reach)


_FEW_DIFFERING = 10


def few_differ(differing: int, queries: int) -> bool:
    """Return whether a test against a margin rests on queries that do not differ."""
    return differing < _FEW_DIFFERING and 2 * differing <= queries


def _differing_share(differing: int, queries: int, *, level: float = 0.05) -> float:
    """Return the exact upper bound of the share of queries that differ.

    Clopper & Pearson 1934, doi:10.1093/biomet/26.4.404.

    >>> round(_differing_share(0, 5), 4), round(_differing_share(2, 50), 4)
    (0.4507, 0.1206)
    """
    if differing >= queries:
        return 1.0
    low, high = differing / queries, 1.0
    while high - low > 1e-9:
        share = (low + high) / 2
        below = sum(
            comb(queries, k) * share**k * (1 - share) ** (queries - k) for k in range(differing + 1)
        )
        low, high = (share, high) if below > level else (low, share)
    return high


def few_differing_text(differing: int, queries: int, *, level: float = 0.05) -> str:
    """Say how few queries differ, and how many might among others."""
    bound = _differing_share(differing, queries, level=level)
    return (
        f"only {differing} of {counted(queries, 'query')} differ, and among others up to "
        f"{bound:.0%} might (exact binomial bound): a test against a margin rests on those that "
        "do not"
    )


@doubt_rule
class FewDiffering(DoubtRule):
    """With a margin: fewer than 10 queries differ, and at most half of all."""

    name = "few-differing"
    serious = True
    reference = "Clopper & Pearson 1934, doi:10.1093/biomet/26.4.404"

    def find(self, evidence: Evidence) -> Reason | None:
        comparison = evidence.comparison
        if evidence.margin is None:
            return None
        few = [
            found
            for found in comparison.differences
            if few_differ(found.differing, len(evidence.queries))
        ]
        if not few:
            return None
        least = min(few, key=lambda found: found.differing)
        text = few_differing_text(least.differing, len(evidence.queries), level=comparison.level)
        return Reason(
            f"{least.system} and {least.baseline} on {least.measure}: {text}"
            f"{more_cases(len(few) - 1, 'other comparison', 'is alike', 'are alike')}",
            least.differing,
            {(found.system, found.baseline, str(found.measure)) for found in few},
        )


@doubt_rule
class SeedDecides(DoubtRule):
    """A p-value from random draws is so near the level that another seed could decide otherwise."""

    name = "seed-decides"
    reference = "Phipson & Smyth 2010, doi:10.2202/1544-6115.1585"

    def find(self, evidence: Evidence) -> Reason | None:
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
        return Reason(
            f"the p-value of {first.system} against {first.baseline} on {first.measure} rests on "
            f"{first.p.draws:,} random draws, and another seed could put it on the other side of "
            f"{comparison.level:g}"
            f"{more_cases(len(near) - 1, 'other', 'is as near', 'are as near')}",
            first.corrected,
        )


@doubt_rule
class NotOfMeans(DoubtRule):
    """The test is one of signs or ranks, and its p-value is not of the mean difference."""

    name = "not-of-means"
    reference = "Urbano et al. 2019, doi:10.1145/3331184.3331259"

    def find(self, evidence: Evidence) -> Reason | None:
        comparison = evidence.comparison
        if comparison.test not in RANK_TESTS:
            return None
        against = sum(
            found.difference * comparison.test_direction(found) < 0
            for found in comparison.differences
        )
        count = counted(len(comparison.differences), "comparison")
        where = f"; it points against the mean difference in {against} of {count}"
        return Reason(
            f"the {comparison.test} test is not of means{where if against else ''}", against
        )


@doubt_rule
class MeanRr(DoubtRule):
    """Means of reciprocal ranks are compared."""

    name = "mean-rr"
    reference = (
        "for: Fuhr 2017, doi:10.1145/3190580.3190586; against: Sakai 2020, "
        "doi:10.1145/3451964.3451976, and Moffat 2022, arXiv:2207.03103"
    )

    def find(self, evidence: Evidence) -> Reason | None:
        compared = [sample.measure for sample in evidence.comparison.samples]
        ordinal = [measure for measure in compared if type(measure).__name__ == "RR"]
        if not ordinal:
            return None
        return Reason(
            f"means of {' and '.join(map(str, ordinal))} are compared, whose scale some hold to be "
            "ordinal and without means, and others do not",
            len(ordinal),
        )


@doubt_rule
class MeasuresTried(DoubtRule):
    """More measures were evaluated than are compared and corrected for."""

    name = "measures-tried"
    reference = "Carterette 2012, doi:10.1145/2094072.2094076"

    def find(self, evidence: Evidence) -> Reason | None:
        compared = {sample.measure for sample in evidence.comparison.samples}
        tried = [
            measure
            for measure in evidence.comparison.scores.measures
            if measure not in compared and measure.better != "neither" and not measure.text
        ]
        if not tried:
            return None
        return Reason(
            f"{counted(len(tried) + len(compared), 'measure')} were evaluated and {len(compared)} "
            "compared: p-values are corrected for what is compared, not for what was tried",
            len(tried) + len(compared),
        )


@doubt_rule
class Uncorrected(DoubtRule):
    """Several comparisons are made, and p-values are not corrected for it."""

    name = "uncorrected"
    reference = "Carterette 2012, doi:10.1145/2094072.2094076"

    def find(self, evidence: Evidence) -> Reason | None:
        comparison = evidence.comparison
        count = len(comparison.differences)
        if comparison.is_corrected or count < 2:
            return None
        return Reason(
            f"{count} comparisons are made and not corrected for: of equal systems, each has a "
            f"chance of {comparison.level:g} to seem to differ, and at least one of so many is "
            "likelier to",
            count,
        )

"""Procedures: test, correction and intervals of a family of comparisons, as one.

The comparisons by the primary measure are one family, those by other measures a second. In each,
p-values and intervals are corrected for the same comparisons by the same method, so that an
interval excludes 0 where the test says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import inf, isfinite, nan, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cleverdon.comparison.samples import Sample
from cleverdon.errors import OptionError
from cleverdon.measures.base import Measure
from cleverdon.stats.effect_sizes import EffectSizes, effect_sizes, standard_deviation
from cleverdon.stats.intervals import Interval, difference_intervals, t_quantile
from cleverdon.stats.multiple_comparisons import (
    FAMILY_TESTS,
    correct_p_values,
    family_test,
    intervals_adjusted_for,
    max_t,
)
from cleverdon.stats.repeated_runs import RepeatsTest, repeats_test
from cleverdon.stats.resampling import MOST_RESAMPLES, RESAMPLES
from cleverdon.stats.tests import EXACT_UP_TO, PValue, p_values, round_differences

if TYPE_CHECKING:
    from cleverdon.comparison.differences import Comparison


@dataclass(frozen=True)
class Difference:
    """The difference between two systems by one measure.

    Attributes:
        system: The system.
        baseline: The system that it is compared with.
        measure: The measure.
        mean: The system's average.
        baseline_mean: The baseline's.
        sizes: Effect sizes.
        interval: The interval by the procedure that decides the verdict, adjusted for the whole
            family: the intervals of a family cover all true differences at once.
        unadjusted: The interval of this difference by itself.
        reach: How far the adjusted interval extends to each side, before it is cut at the range of
            the measure or at 0; NaN where there is no interval, or one that is not symmetric.
        p: The p-value.
        corrected: The p-value, corrected for the family.
        family: The number of comparisons that were corrected for together.
        stepped: True if a later step of the procedure decided, whose interval ends at 0.
        repeated: The test by queries and repeated runs; None where both systems have one run.

    >>> from cleverdon import evaluate
    >>> from cleverdon.comparison.differences import compare
    >>> runs = {"old": {"q1": {"b": 1.0}}, "new": {"q1": {"a": 1.0}}}
    >>> found = compare(evaluate({"q1": {"a": 1}}, runs, "RR")).differences[0]
    >>> found.system, found.baseline, found.difference
    ('new', 'old', 1.0)
    """

    system: str
    baseline: str
    measure: Measure
    mean: float
    baseline_mean: float
    sizes: EffectSizes
    interval: Interval
    unadjusted: Interval
    reach: float
    p: PValue
    corrected: float
    family: int
    stepped: bool = False
    repeated: RepeatsTest | None = None

    @property
    def key(self) -> tuple[str, str, Measure]:
        """The system, the baseline and the measure."""
        return self.system, self.baseline, self.measure

    @property
    def difference(self) -> float:
        return self.mean - self.baseline_mean

    @property
    def relative(self) -> float:
        """The difference as a share of the baseline's size; NaN where that is 0."""
        return self.difference / abs(self.baseline_mean) if self.baseline_mean else np.nan

    @property
    def differing(self) -> int:
        """The number of queries on which the systems differ."""
        return self.sizes.up + self.sizes.down

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval has 0 outside, or at its end where a later step put it there."""
        return self.stepped or self.interval.low > 0 or self.interval.high < 0


_Task = tuple[str, str, Sample]  # a system, the baseline, and the values of a measure
_Key = tuple[str, str, Measure]


def compare_families(setting: Comparison, known: Mapping[_Key, PValue]) -> Comparison:
    """Compare as the setting says; p-values that are known are not computed again."""
    pairs = _pairs(setting.samples[0].systems, setting.baseline)
    families = [
        [sample for sample in setting.samples if (sample.measure == setting.primary) == first]
        for first in (True, False)
    ]
    found: dict[_Key, Difference] = {}
    for family in families:
        tasks = [(system, base, sample) for system, base in pairs for sample in family]
        if tasks:
            for one in _compare_family(setting, tasks, known):
                found[one.key] = one
    return replace(
        setting,
        differences=tuple(
            found[system, base, sample.measure]
            for system, base in pairs
            for sample in setting.samples
        ),
    )


def _compare_family(
    setting: Comparison, tasks: list[_Task], known: Mapping[_Key, PValue]
) -> Iterator[Difference]:
    """Compare by one procedure: p-values, corrected ones and intervals of a whole family."""
    repeated: Sequence[RepeatsTest | None] = [None] * len(tasks)
    if any(sample.repeats for _, _, sample in tasks):
        found, alone, repeated = _by_repeats(setting, tasks)
    else:
        by = setting.test in FAMILY_TESTS
        found = _by_family_test(setting, tasks) if by else _by_pairs(setting, tasks, known)
        single = t_quantile(setting.confidence, tasks[0][2].count - 1)
        alone = _intervals(setting, tasks, [single] * len(tasks), 1)
    for at, (system, base, sample) in enumerate(tasks):
        one = Difference(
            system=system,
            baseline=base,
            measure=sample.measure,
            mean=sample.mean(system),
            baseline_mean=sample.mean(base),
            sizes=effect_sizes(sample.of(system), sample.of(base)),
            interval=found.intervals[at].interval,
            unadjusted=alone[at].interval,
            reach=found.intervals[at].reach,
            p=found.p[at],
            corrected=found.corrected[at],
            family=_family_size(setting, tasks),
            repeated=repeated[at],
        )
        yield _agreeing(one, setting) if setting.correction == "max-t" else one


def _family_size(setting: Comparison, tasks: list[_Task]) -> int:
    """Return the number of comparisons that p-values and intervals are corrected for.

    Tukey's tests correct for every pair of systems, also where few of them were asked for.
    """
    if setting.test not in FAMILY_TESTS or setting.test == "dunnett":
        return len(tasks)
    systems = len(tasks[0][2].systems)
    return systems * (systems - 1) // 2 * len({sample.measure for _, _, sample in tasks})


class _Ends(NamedTuple):
    """An interval, and how far it extends to each side before it is cut."""

    interval: Interval
    reach: float = nan


class _Procedure(NamedTuple):
    """The results of a procedure for each comparison of a family."""

    p: Sequence[PValue]
    corrected: Sequence[float]
    intervals: Sequence[_Ends]


def _by_pairs(setting: Comparison, tasks: list[_Task], known: Mapping[_Key, PValue]) -> _Procedure:
    """Test each pair by itself, correct the p-values, and adjust the intervals alike."""
    values = {sample: sample.summable for _, _, sample in tasks}
    rows = round_differences(
        np.array(
            [
                values[sample][sample.systems.index(system)]
                - values[sample][sample.systems.index(base)]
                for system, base, sample in tasks
            ]
        )
    )
    size, outside = len(tasks), 1 - setting.confidence
    how: dict[str, Any] = {"alternative": setting.alternative, "seed": setting.seed}
    keys = [(system, base, sample.measure) for system, base, sample in tasks]
    if setting.correction == "max-t":
        options = dict(setting.options)
        largest = max_t(rows, **how, **options)
        # All signs are tried where few differences are not 0, whatever the number of queries.
        few = np.flatnonzero(np.count_nonzero(rows, axis=1) <= EXACT_UP_TO).tolist()
        p = list(largest.alone)
        exact = p_values(setting.test, rows[few], **how, **options) if few else []
        for at, one in zip(few, exact, strict=True):
            p[at] = one
        corrected = [
            max(q, one.p) if size > 1 else one.p
            for q, one in zip(largest.corrected, p, strict=True)
        ]
        sides = 1 if setting.alternative == "two-sided" else 2
        reach = largest.reach(outside / sides)
        # Where so few differ that nothing can be shown, signs say little about the spread too.
        wider = t_quantile(1 - outside / size, tasks[0][2].count - 1)
        wider = max(reach, wider) if isfinite(reach) else wider
        reaches = [
            wider if 0.5 ** int(count) * 2 > outside else reach
            for count in np.count_nonzero(rows, axis=1)
        ]
        return _Procedure(p, corrected, _intervals(setting, tasks, reaches, size))
    if all(key in known for key in keys):
        p = [known[key] for key in keys]
    else:
        p = p_values(setting.test, rows, **how, **setting.options)
    corrected = correct_p_values(setting.correction, [one.p for one in p])
    count = intervals_adjusted_for(setting.correction, corrected, setting.level)
    reach = t_quantile(1 - outside / count, tasks[0][2].count - 1)
    return _Procedure(p, corrected, _intervals(setting, tasks, [reach] * size, count))


def _by_repeats(
    setting: Comparison, tasks: list[_Task]
) -> tuple[_Procedure, list[_Ends], list[RepeatsTest | None]]:
    """Test each pair by queries and repeated runs; return also intervals that are not adjusted."""
    tests = _repeats_tests(tasks)
    p = [one.p_value(setting.alternative) for one in tests]
    corrected = correct_p_values(setting.correction, [one.p for one in p])
    count = intervals_adjusted_for(setting.correction, corrected, setting.level)
    told = [one if max(one.repeats) > 1 else None for one in tests]
    adjusted, alone = (_repeats_intervals(setting, tasks, of) for of in (count, 1))
    return _Procedure(p, corrected, adjusted), alone, told


def _repeats_tests(tasks: list[_Task]) -> list[RepeatsTest]:
    return [
        repeats_test(sample.runs_of(system), sample.runs_of(base)) for system, base, sample in tasks
    ]


def _repeats_intervals(setting: Comparison, tasks: list[_Task], count: float) -> list[_Ends]:
    """Return the intervals over queries and runs, each with its share of the error."""
    found = []
    for one, (_, _, sample) in zip(_repeats_tests(tasks), tasks, strict=True):
        times = sample.count if sample.measure.average == "sum" else 1
        reach = t_quantile(1 - (1 - setting.confidence) / count, one.freedom) * one.error * times
        widest = largest_difference(sample)
        found.append(_ends(one.difference * times, reach, setting.confidence, widest=widest))
    return found


def _by_family_test(setting: Comparison, tasks: list[_Task]) -> _Procedure:
    """Test all systems at once by each measure, and correct for the measures by Bonferroni's."""
    of = {sample: None for _, _, sample in tasks}
    how: dict[str, Any] = {"alternative": setting.alternative, "seed": setting.seed}
    tested = {
        sample: family_test(setting.test, sample.summable, **how, **setting.options)
        for sample in of
    }
    p = [
        tested[sample].p[sample.systems.index(system)][sample.systems.index(base)]
        for system, base, sample in tasks
    ]
    corrected = [min(1.0, len(of) * one.p) for one in p]
    reaches = {s: found.reach((1 - setting.confidence) / len(of)) for s, found in tested.items()}
    if setting.method not in (None, "t"):
        return _Procedure(p, corrected, _intervals(setting, tasks, [nan] * len(tasks), len(tasks)))
    ends = []
    for task in tasks:
        system, base, sample = task
        if sample.measure.average not in ("mean", "sum"):  # its reach is of logarithms
            ends += _intervals(setting, [task], [nan], len(tasks))
            continue
        middle = sample.mean(system) - sample.mean(base)
        # Equal differences have no spread of their own, though those of other systems do.
        spread = standard_deviation(sample.of(system) - sample.of(base)) if sample.count > 1 else 0
        reach = reaches[sample] * (sample.count if sample.measure.average == "sum" else 1)
        widest = largest_difference(sample)
        ends.append(_ends(middle, reach if spread else nan, setting.confidence, widest=widest))
    return _Procedure(p, corrected, ends)


def _intervals(
    setting: Comparison, tasks: list[_Task], reaches: Sequence[float], count: float
) -> list[_Ends]:
    """Return the intervals of a family: so many standard errors, or by a method's own.

    By the bootstrap, each interval has the confidence that Bonferroni's correction asks for.
    """
    found: dict[int, _Ends] = {}
    for at, (system, base, sample) in enumerate(tasks):
        times = {"mean": 1, "sum": sample.count}.get(sample.measure.average)
        if setting.method in (None, "t") and times is not None:
            rows = sample.of(system) - sample.of(base)
            error = standard_deviation(rows) / sqrt(sample.count)
            middle = sample.mean(system) - sample.mean(base)
            reach = reaches[at] * error * times
            found[at] = _ends(middle, reach, setting.confidence, widest=largest_difference(sample))
    rest = [at for at in range(len(tasks)) if at not in found]
    if rest:
        chosen = [tasks[at] for at in rest]
        outside = (1 - setting.confidence) / count
        others = difference_intervals(
            [(sample.of(system), sample.of(base)) for system, base, sample in chosen],
            [sample.measure.average for _, _, sample in chosen],
            method=setting.method,
            confidence=1 - outside,
            resamples=max(RESAMPLES, min(MOST_RESAMPLES, round(50 / outside))),
            seed=setting.seed,
        )
        for at, one in zip(rest, others, strict=True):
            widest = largest_difference(tasks[at][2])
            low, high = (min(max(end, -widest), widest) for end in (one.low, one.high))
            found[at] = _Ends(replace(one, low=low, high=high, confidence=setting.confidence))
    return [found[at] for at in range(len(tasks))]


def adjust_intervals(
    comparison: Comparison, differences: Sequence[Difference], family: int
) -> tuple[Difference, ...]:
    """Return some differences of a comparison with intervals adjusted for a larger family.

    They cover all true differences of the family at once, by Bonferroni's method.
    """
    tasks = []
    for one in differences:
        sample = comparison.sample_of(one)
        tasks.append((one.system, one.baseline, sample))
    outside = (1 - comparison.confidence) / family
    if any(one.repeated is not None for one in differences):
        ends = _repeats_intervals(comparison, tasks, family)
    else:
        reach = t_quantile(1 - outside, comparison.samples[0].count - 1)
        ends = _intervals(comparison, tasks, [reach] * len(tasks), family)
    return tuple(
        replace(one, interval=interval, reach=reach, family=family)
        for one, (interval, reach) in zip(differences, ends, strict=True)
    )


def largest_difference(sample: Sample) -> float:
    """Return how far apart two averages can be: by the range of the measure."""
    times = sample.count if sample.measure.average == "sum" else 1
    return (sample.measure.range[1] - sample.measure.range[0]) * times


def _ends(middle: float, reach: float, confidence: float, *, widest: float = inf) -> _Ends:
    """Return an interval around a mean; without ends where there is no spread to measure it by."""
    if not isfinite(reach) or reach == 0:
        return _Ends(Interval(nan, nan, confidence))
    low, high = (min(max(end, -widest), widest) for end in (middle - reach, middle + reach))
    return _Ends(Interval(low, high, confidence), reach)


def _agreeing(found: Difference, setting: Comparison) -> Difference:
    """Let the interval end at 0 where a later step of the test decided.

    Strassburger & Bretz 2008, doi:10.1002/sim.3338. The first step agrees by itself.
    """
    low, high = found.interval.low, found.interval.high
    if not setting.levels_agree or not isfinite(found.reach):  # it is of another method
        return found
    if setting.significant(found) and low <= 0 <= high:
        ends = (0.0, high) if found.difference > 0 else (low, 0.0)
        interval = replace(found.interval, low=ends[0], high=ends[1])
        return replace(found, interval=interval, stepped=True)
    return found


def _pairs(systems: tuple[str, ...], baseline: str | None) -> list[tuple[str, str]]:
    if len(systems) < 2:
        there = f"there is only one system, {systems[0]!r}," if systems else "there is no system"
        raise OptionError(f"{there} and nothing to compare with")
    if baseline is None:
        return [(later, earlier) for earlier, later in combinations(systems, 2)]
    return [(system, baseline) for system in systems if system != baseline]

"""Judging noise: would the claims hold if other judges had labelled the documents?

An interval over queries counts what differs from topic to topic: topics themselves, and judges'
errors that topics do not share. Adding all of the variance between judges would count those errors
twice. What the interval lacks is noise that topics share, as of a lenient judge who judged many of
them. So judges are drawn in two ways: for all queries at once, and for each query anew. The
difference of the two variances is what topics share, and it is added to the variance over queries.
Its degrees of freedom are of judges, who are few: Satterthwaite 1946, doi:10.2307/3002019.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import inf, isfinite, isnan, nan, sqrt
from typing import Any, NamedTuple

import numpy as np

from cleverdon._common.arrays import Floats
from cleverdon._common.progress import Progress, as_callback, ignore_progress, shows_progress
from cleverdon.agreement.aggregation import AGGREGATION_METHODS, TIE_RULES
from cleverdon.agreement.estimates import TOLERANCE
from cleverdon.agreement.labels import as_labels
from cleverdon.agreement.noise_tables import noise_notes, noise_sections
from cleverdon.agreement.resampled_judgments import LabelledDocuments, ResampledAverages, Rescorer
from cleverdon.agreement.system_bias import read_runs
from cleverdon.comparison.differences import Comparison, compare
from cleverdon.comparison.procedures import Difference
from cleverdon.comparison.samples import average_intervals
from cleverdon.errors import OptionError, check_count, check_seed, check_within, check_word
from cleverdon.evaluation import score
from cleverdon.measures.base import Measure
from cleverdon.profiles import find_profile
from cleverdon.rank import rank
from cleverdon.stats.effect_sizes import standard_deviation
from cleverdon.stats.intervals import Interval, t_outside, t_quantile
from cleverdon.stats.resampling import RESCORED_RESAMPLES
from cleverdon.tables.result import Result, in_json
from cleverdon.tables.sections import Section

_NO_VARIANCE = 1e-20  # smaller ones are left by rounding


def _ends(interval: Interval) -> tuple[float, float]:
    return interval.low, interval.high


@dataclass(frozen=True)
class JudgedDifference:
    """The difference between two systems, over queries only and with judging noise.

    Attributes:
        system: The system.
        baseline: The system that it is compared with.
        measure: The measure.
        difference: The difference by the aggregated judgments.
        interval: The interval over queries, as `compare` gives it.
        with_judges: The interval over queries and judges. It is never narrower.
        shown: Whether the difference is shown over queries.
        shown_with_judges: Whether it is shown with judging noise as well.
        holds_by_query: The share of resampled judgments with the same verdict, where judges are
            drawn for each query anew.
        holds_by_judge: The same, where judges are drawn for all queries at once.
        reversed: The share of resampled judgments that show the opposite, by the worse of the two
            ways to draw.
        judges_share: The share of the variance that is due to judges; NaN where there is no
            interval.
        shift: The mean difference by resampled judgments, minus the observed one.
        flips: Why the claim flips: "noise", "reversed" or "unstable"; None where it does not.

    >>> from cleverdon.agreement import Labels
    >>> ann = {f"q{i}": {"a": 1, "b": 0} for i in range(8)}
    >>> bob = ann | {"q0": {"a": 0, "b": 0}}
    >>> runs = {"good": {q: {"a": 2, "b": 1} for q in ann}, "poor": {q: {"b": 1} for q in ann}}
    >>> found = judging_noise(Labels.of({"ann": ann, "bob": bob}), runs, "RR", baseline="poor")
    >>> found.differences[0].difference, found.differences[0].shown
    (0.875, True)
    """

    system: str
    baseline: str
    measure: Measure = field(metadata=in_json("measure", str))
    difference: float
    interval: Interval = field(metadata=in_json("over_queries", _ends))
    with_judges: Interval = field(metadata=in_json("with_judges", _ends))
    shown: bool
    shown_with_judges: bool
    holds_by_query: float
    holds_by_judge: float
    reversed: float
    judges_share: float
    shift: float
    flips: str | None

    @property
    def holds(self) -> float:
        """The share of resampled judgments with the same verdict, by the worse way to draw."""
        return min(self.holds_by_query, self.holds_by_judge)


@dataclass(frozen=True)
class JudgedMean:
    """A system's average, over queries only and with judging noise.

    Attributes:
        system: The system.
        measure: The measure.
        mean: The average by the aggregated judgments.
        interval: The interval over queries.
        with_judges: The interval over queries and judges.
        judges_share: The share of the variance that is due to judges; NaN where there is no
            interval.
        shift: The mean of the average by resampled judgments, minus the observed one.

    >>> from cleverdon.agreement import Labels
    >>> ann = {f"q{i}": {"a": 1, "b": 0} for i in range(8)}
    >>> runs = {"good": {q: {"a": 2, "b": 1} for q in ann}, "poor": {q: {"b": 1} for q in ann}}
    >>> found = judging_noise(Labels.of({"ann": ann, "bob": ann}), runs, "RR")
    >>> [(one.system, one.mean) for one in found.means]
    [('good', 1.0), ('poor', 0.0)]
    """

    system: str
    measure: Measure = field(metadata=in_json("measure", str))
    mean: float
    interval: Interval = field(metadata=in_json("over_queries", _ends))
    with_judges: Interval = field(metadata=in_json("with_judges", _ends))
    judges_share: float
    shift: float


@dataclass(frozen=True, eq=False)
class JudgingNoise(Result):
    """Differences between systems with intervals that include judging noise.

    Attributes:
        differences: A difference for each pair of systems and each measure.
        means: The average of each system by each measure.
        comparison: The comparison over queries only.
        method: The method of aggregation.
        judges: The number of judges who share documents with others.
        effective_judges: The same, fewer where some judged most.
        documents: The number of judged documents.
        single: The number of them that have one judge only.
        tolerance: The share of resampled judgments that may contradict a claim.
        resamples: The number of resampled judgments, of each way to draw judges.
        left_out: The number of them in which no query had a value.
        seed: The seed.

    >>> from cleverdon.agreement import Labels
    >>> ann = {f"q{i}": {"a": 1, "b": 0} for i in range(8)}
    >>> bob = {q: {"a": 0, "b": 1} for q in ann}
    >>> runs = {"good": {q: {"a": 2, "b": 1} for q in ann}, "poor": {q: {"b": 1} for q in ann}}
    >>> found = judging_noise(Labels.of({"ann": ann, "bob": ann, "eve": bob}), runs, "RR")
    >>> [(one.system, one.flips) for one in found.flipped()]
    [('poor', 'reversed')]
    """

    differences: tuple[JudgedDifference, ...]
    means: tuple[JudgedMean, ...]
    comparison: Comparison = field(metadata=in_json(None))
    method: str
    judges: int
    effective_judges: float
    documents: int
    single: int = field(metadata=in_json("documents_of_one_judge"))
    tolerance: float
    resamples: int
    left_out: int
    seed: int

    def flipped(self) -> list[JudgedDifference]:
        """Return the claims that flip: shown over queries, and not with judging noise."""
        return [one for one in self.differences if one.flips is not None]

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return tables of differences, of claims that flip, and of averages."""
        return noise_sections(self, exact=exact)

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as JSON can hold them."""
        compared = self.comparison
        how = {name: getattr(compared, name) for name in ("baseline", "test", "alternative")}
        how |= {name: getattr(compared, name) for name in ("correction", "level", "confidence")}
        primary = None if compared.primary is None else str(compared.primary)
        return {**super().to_dict(), **how, "primary": primary, "notes": noise_notes(self)}


@shows_progress("drawing judgments")
def judging_noise(
    labels: Any,
    runs: Any,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    *,
    aggregation: str = "majority",
    vote_ties: str = "lower",
    baseline: str | None = None,
    test: str = "randomisation",
    alternative: str = "two-sided",
    correction: str | None = None,
    primary: str | Measure | None = None,
    level: float = 0.05,
    interval: str | None = None,
    confidence: float | None = None,
    tolerance: float = TOLERANCE,
    resamples: int = RESCORED_RESAMPLES,
    seed: int = 0,
    run_format: str | None = None,
    order_by: str = "score",
    missing: str | None = None,
    undefined: str | None = None,
    no_relevant: str | None = None,
    progress: Progress | bool | None = None,
) -> JudgingNoise:
    """Compare systems with intervals that include judging noise.

    Documents of one judge keep their grade. In each resample, undefined values and queries without
    a relevant document are treated as `evaluate` treats them.

    Args:
        labels: The labels of several judges: files, a dict of judgments by judge, or a table with
            columns judge, query, doc and grade.
        runs: Two systems or more.
        measures: The measures by which they are evaluated.
        aggregation: The method that makes one grade of several: "majority", "median" or "mean".
        vote_ties: The rule where no grade has most votes: one of `TIE_RULES`.
        baseline: The system that others are compared with; by default all pairs.
        test: The significance test, as in `compare`.
        alternative: The alternative hypothesis, as in `compare`.
        correction: The correction of p-values, as in `compare`.
        primary: The measure that decides, as in `compare`.
        level: The level of significance.
        interval: The method of intervals, as in `compare`.
        confidence: The confidence of intervals; by default what goes with the level.
        tolerance: A claim flips if more than this share of resampled judgments does not show it.
        resamples: The number of resampled judgments.
        seed: The seed of everything random.
        run_format: The format of the runs' files; by default it is detected.
        order_by: Order runs by "score" or by "rank".
        missing: How queries that a run lacks are evaluated, as in `evaluate`.
        undefined: What an undefined value counts as, as in `evaluate`; "error" is about the
            observed judgments, and in resampled ones such a value counts as the worst.
        no_relevant: Whether queries without a relevant document count, as in `evaluate`.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        Differences and averages with both intervals, and the claims that flip.

    Raises:
        InputError: No document has labels of two judges.
        OptionError: There is one run only, or an option does not exist.

    >>> from cleverdon.agreement import read_labels
    >>> labels = read_labels(["examples/labels.csv"])
    >>> found = judging_noise(labels, ["examples/bm25.run", "examples/dense.run"], "nDCG@10")
    >>> one = found.differences[0]
    >>> one.system, one.shown, found.flipped()
    ('dense', False, [])
    """
    progress = as_callback(progress)
    labels = as_labels(labels)
    progress = progress or ignore_progress
    check_word("aggregation", aggregation, AGGREGATION_METHODS)
    if aggregation == "dawid-skene":
        raise OptionError(
            "aggregation='dawid-skene' would be estimated anew in each resample, which takes too "
            "long: take majority, median or mean"
        )
    check_word("vote_ties", vote_ties, TIE_RULES)
    check_within("level", level, 0, 1)
    check_within("tolerance", tolerance, 0, 1)
    check_count("resamples", resamples, least=10)
    check_seed(seed)
    tool = find_profile("cleverdon")
    wanted = _checked_measures(
        tuple(tool.parse_asked(tool.measures if measures is None else measures))
    )
    settings = tool.settings.changed(missing=missing, undefined=undefined, no_relevant=no_relevant)
    documents = LabelledDocuments.of(labels, method=aggregation, ties=vote_ties, seed=seed)
    given = read_runs(runs, format=run_format, order_by=order_by)
    if len(given) < 2:
        raise OptionError("judging noise is of differences between systems: give another run")
    elsewhere = any(measure.uses_other_queries for measure in wanted)
    ranked = [
        rank(
            documents.judgments,
            run,
            settings=settings,
            name=name,
            also=[(settings, True)] if elsewhere else (),
            progress=progress,
        )
        for name, run in given.items()
    ]
    scores = score(documents.judgments, ranked, wanted, settings=settings)
    progress("comparing systems")
    compared = compare(
        scores,
        baseline=baseline,
        test=test,
        alternative=alternative,
        correction=correction,
        primary=primary,
        level=level,
        interval=interval,
        confidence=confidence,
        seed=seed,
    )
    pairs = list(dict.fromkeys((one.system, one.baseline) for one in compared.differences))
    place = {name: at for at, name in enumerate(scores.systems)}
    judged = documents.judgments.judged
    rescorer = Rescorer(
        judged, ranked, wanted, settings, [(place[one], place[other]) for one, other in pairs]
    )
    observed = rescorer.averages(judged.grade[None])
    drawn = []
    for whole in (False, True):
        blocks = []
        done = 0
        for grades in documents.resampled(resamples, whole=whole, seed=seed):
            # Few at a time, so that progress is seen.
            for some in np.array_split(grades, max(1, len(grades) // 25)):
                blocks.append(rescorer.averages(some))
                done += len(some)
                progress("resampling judgments", done + whole * resamples, 2 * resamples)
        drawn.append(ResampledAverages.joined(blocks))
    noise = _Noise(documents, compared, observed, drawn[0], drawn[1])
    means = average_intervals(scores, confidence=compared.confidence, seed=seed)
    return JudgingNoise(
        differences=tuple(
            noise.difference(one, pairs.index((one.system, one.baseline)), m, tolerance)
            for one in compared.differences
            for m in [wanted.index(one.measure)]
        ),
        means=tuple(
            noise.mean(name, measure, place[name], m, means[name, measure])
            for m, measure in enumerate(wanted)
            for name in scores.systems
        ),
        comparison=compared,
        method=aggregation,
        judges=len(documents.judges),
        effective_judges=documents.effective_judges,
        documents=len(documents.items),
        single=int((~documents.shared).sum()),
        tolerance=tolerance,
        resamples=resamples,
        left_out=sum(int(np.isnan(one.averages).any(axis=(1, 2)).sum()) for one in drawn),
        seed=seed,
    )


def _checked_measures(measures: tuple[Measure, ...]) -> tuple[Measure, ...]:
    for measure in measures:
        if measure.needs or measure.needs_docs or measure.text:
            raise OptionError(
                f"{measure} takes more than the grades of documents, and judging noise is of "
                "grades only: take another measure"
            )
    return measures


class _Variance(NamedTuple):
    """The variance of an average that is due to judges."""

    by_topic: float  # that topics do not share: an interval over queries has it already
    shared: float  # that topics share
    shift: float


@dataclass(frozen=True, eq=False)
class _Noise:
    """Combines the intervals over queries with the variance between judges."""

    documents: LabelledDocuments
    compared: Comparison
    observed: ResampledAverages
    by_topic: ResampledAverages  # judges drawn for each query anew
    by_judge: ResampledAverages  # judges drawn for all queries at once

    @property
    def topics(self) -> int:
        return self.compared.samples[0].count

    def variance(self, column: str, at: tuple[int, int]) -> _Variance:
        """Return the variance of one of the averages or differences."""
        drawn = [getattr(one, column)[:, *at] for one in (self.by_topic, self.by_judge)]
        drawn = [values[~np.isnan(values)] for values in drawn]
        if min(map(len, drawn)) < 2:
            return _Variance(nan, nan, nan)
        correction = self.documents.correction
        alone, together = (
            float(values.var(ddof=1)) * correction if np.ptp(values) > 1e-12 else 0.0
            for values in drawn
        )
        shared = max(0.0, together - alone)
        # What topics share is in the first variance as well, divided by their number.
        shared *= self.topics / max(1, self.topics - 1)
        observed = getattr(self.observed, column)[0, *at]
        shift = float((np.concatenate(drawn) - observed).mean())
        return _Variance(alone, shared if shared > _NO_VARIANCE else 0.0, shift)

    def difference(
        self, found: Difference, pair: int, m: int, tolerance: float
    ) -> JudgedDifference:
        """Return a difference with both intervals and verdicts."""
        compared = self.compared
        noise = self.variance("differences", (pair, m))
        error, reach = self._error(found), _reach(found)
        wider = _Widening.of(found.difference, error, self.topics, noise, self.freedom)
        n = compared.samples[0].count if found.measure.average == "sum" else 1
        limit = (found.measure.range[1] - found.measure.range[0]) * n
        ends = found.interval
        if found.stepped:  # a later step put one end at 0
            ends = replace(ends, low=found.difference - reach, high=found.difference + reach)
        ends = wider.interval(ends, reach, (-limit, limit))
        shown = compared.shows(found)
        by_interval = self._decided_by_interval(found, shown)
        evidence = t_quantile(1 - found.corrected, self.topics - 1)
        if by_interval:
            kept = shown and self._excludes(ends)
        else:
            left = evidence / wider.factor if isfinite(wider.factor) else 0.0
            p = t_outside(left, wider.freedom)
            kept = shown and p <= compared.level
            if kept and found.stepped and ends.low <= 0 <= ends.high:
                up = found.difference > 0
                low, high = (0.0, ends.high) if up else (ends.low, 0.0)
                ends = replace(ends, low=low, high=high)
        if wider.factor == 1:
            ends, kept = found.interval, shown
        critical = self._critical(found, pair, m, evidence, by_interval=by_interval)
        holds, turned = zip(
            *(
                self._shares(one.errors[:, pair, m], found, critical, shown=shown)
                for one in (self.by_topic, self.by_judge)
            ),
            strict=True,
        )
        return JudgedDifference(
            system=found.system,
            baseline=found.baseline,
            measure=found.measure,
            difference=found.difference,
            interval=found.interval,
            with_judges=ends,
            shown=shown,
            shown_with_judges=kept,
            holds_by_query=holds[0],
            holds_by_judge=holds[1],
            reversed=max(turned),
            judges_share=wider.judges_share,
            shift=noise.shift,
            flips=_flip(shown, kept, max(turned), min(holds), tolerance),
        )

    def mean(self, system: str, measure: Measure, s: int, m: int, interval: Interval) -> JudgedMean:
        """Return a system's average with both intervals."""
        value = self.compared.scores.mean(system, measure)
        noise = self.variance("averages", (s, m))
        sample = next(one for one in self.compared.samples if one.measure == measure)
        reach = max(interval.high - value, value - interval.low)
        error = reach / t_quantile(interval.confidence, max(1, self.topics - 1))
        if measure.average in ("mean", "sum") and not isnan(interval.low):
            # The interval may be cut at the measure's range, on both sides.
            times = sample.count if measure.average == "sum" else 1
            error = times * float(standard_deviation(sample.of(system))) / sqrt(sample.count)
            reach = error * t_quantile(interval.confidence, sample.count - 1)
        wider = _Widening.of(value, error, self.topics, noise, self.freedom)
        limits = measure.range if measure.average != "sum" else (-inf, inf)
        ends = wider.interval(interval, reach, limits)
        return JudgedMean(system, measure, value, interval, ends, wider.judges_share, noise.shift)

    @property
    def freedom(self) -> float:
        """The degrees of freedom of the variance between judges."""
        return max(1.0, self.documents.effective_judges - 1)

    def _excludes(self, interval: Interval) -> bool:
        """Return whether an interval has 0 outside, on a side that was tested."""
        above, below = interval.low > 0, interval.high < 0
        return {"greater": above, "less": below}.get(self.compared.alternative, above or below)

    def _decided_by_interval(self, found: Difference, shown: bool) -> bool:
        """Return whether the interval over queries says what the verdict is."""
        compared = self.compared
        sides = 1 if compared.alternative == "two-sided" else 2
        same_level = abs(1 - compared.confidence - sides * compared.level) < 1e-9
        known = same_level and not found.stepped and not isnan(found.interval.low)
        return known and self._excludes(found.interval) == shown

    def _critical(
        self, found: Difference, pair: int, m: int, evidence: float, *, by_interval: bool
    ) -> float:
        """Return the number of standard errors from which on the procedure shows a difference."""
        if by_interval and isfinite(found.reach):
            return found.reach / self._error(found)
        seen = abs(float(self.observed.errors[0, pair, m]))
        needed = t_quantile(1 - self.compared.level, self.topics - 1)
        known = isfinite(seen) and seen > 0 and isfinite(evidence) and evidence > 0
        return seen * needed / evidence if known else needed

    def _shares(
        self, errors: Floats, found: Difference, critical: float, *, shown: bool
    ) -> tuple[float, float]:
        """Return in what share of resamples the verdict holds, and in what share it turns."""
        known = errors[~np.isnan(errors)]
        if len(known) == 0:
            return nan, nan
        tested = {"greater": known > 0, "less": known < 0}.get(
            self.compared.alternative, known != 0
        )
        significant = (np.abs(known) >= critical - 1e-9) & tested
        same = np.sign(known) == np.sign(found.difference)
        if not shown:
            return float(1 - significant.mean()), 0.0
        return float((significant & same).mean()), float((significant & ~same).mean())

    def _error(self, found: Difference) -> float:
        """Return the standard error of a difference; NaN where it has no interval."""
        own = found.unadjusted
        if isnan(own.low):  # no spread of its own, but Tukey's tests know that of all systems
            own = found.interval
        elif isfinite(found.reach):
            return self.compared.standard_error(found)
        half = max(own.high - found.difference, found.difference - own.low)
        return half / t_quantile(own.confidence, max(1, self.topics - 1))


def _reach(found: Difference) -> float:
    """Return how far the interval extends from the difference, before it was cut."""
    if isfinite(found.reach):
        return found.reach
    ends = found.interval
    return max(ends.high - found.difference, found.difference - ends.low)


class _Widening(NamedTuple):
    """How much wider an interval gets with the variance that topics share."""

    middle: float
    error: float  # the standard error over queries
    topics: int
    factor: float  # of the standard error; 1 where topics share no noise
    freedom: float  # of the joint variance
    judges_share: float

    @classmethod
    def of(
        cls, middle: float, error: float, topics: int, noise: _Variance, judges: float
    ) -> _Widening:
        """Combine an average's standard error over queries with the noise of judges."""
        own = max(1, topics - 1)
        if isnan(noise.shared):
            return cls(middle, nan, topics, 1.0, own, nan)
        if isnan(error):  # no spread over queries
            return cls(middle, 0.0, topics, inf if noise.shared else 1.0, own, nan)
        variance = error**2
        total = variance + noise.shared
        freedom = float(own)
        if noise.shared:
            freedom = min(own, total**2 / (variance**2 / own + noise.shared**2 / judges))
        share = (min(variance, noise.by_topic) + noise.shared) / total
        return cls(middle, error, topics, sqrt(total / variance), freedom, share)

    def interval(self, ends: Interval, reach: float, limits: tuple[float, float]) -> Interval:
        """Return the wider interval, adjusted as the given one is; never a narrower one.

        `reach` is how far that one extends, before it was cut at the limits.
        """
        if isnan(ends.low) or self.factor == 1 or not isfinite(self.factor):
            return ends
        errors = reach / self.error
        outside = t_outside(errors, self.topics - 1)
        more = max(1.0, self.factor * t_quantile(1 - outside, self.freedom) / errors)
        low = max(self.middle - reach * more, limits[0])
        high = min(self.middle + reach * more, limits[1])
        return replace(ends, low=min(low, ends.low), high=max(high, ends.high))


def _flip(shown: bool, kept: bool, reversed: float, holds: float, tolerance: float) -> str | None:
    """Return why a claim flips; None where there is none, or where it does not."""
    if not shown:
        return None
    if reversed > tolerance:
        return "reversed"
    if not kept:
        return "noise"
    return "unstable" if 1 - holds > tolerance else None

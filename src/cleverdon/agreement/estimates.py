"""Estimates of coefficients of agreement, with intervals.

The default interval is Student's, with a standard error from the jackknife: each unit is left out
once. In simulations it covers as often as it says from some 10 queries on, where the percentiles of
a bootstrap cover too rarely up to 50 (docs/statistics.md has the numbers); these are an option.

Units are queries where there are several, else documents. Documents of one query are judged by the
same idea of relevance, so taking them one by one would make the interval too narrow. Documents with
the same grades by the same judges are one unit, drawn as often as chance would draw any of them, or
left out one at a time. Where there are more units than needed, they are put into batches at random,
and batches are left out or drawn: sums of many independent units say as much about the spread of a
coefficient, and 100,000 documents take a second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from math import inf
from typing import Literal

import numpy as np

from cleverdon._common.arrays import Bools, Floats, Ints
from cleverdon.agreement.coefficients import AgreementCoefficient, Counts, count_all, count_pair
from cleverdon.agreement.labels import Labels, row_keys
from cleverdon.errors import check_count, check_seed, check_within, check_word
from cleverdon.stats.intervals import Estimate, Interval, jackknife_interval, percentile_interval
from cleverdon.stats.resampling import FEWER_RESAMPLES, draw_multinomial
from cleverdon.tables.result import in_json

_BATCHES = 1000
"""Units that are drawn at most; so many give the spread to within some 2%."""

TOLERANCE = 0.2
"""The default share of resampled judgments that may contradict a claim."""

INTERVALS = {
    "t": "Student's t, the standard error by leaving out one query (or document) at a time",
    "percentile": "bootstrap over queries (or documents), the shares as they are",
}
"""The methods for intervals of agreement; the first is the default."""

_Over = Literal["queries", "documents"]


@dataclass(frozen=True, eq=False)
class ResamplingUnits:
    """The units that are left out or drawn: the same for everything that is estimated at once."""

    over: _Over
    unit: Ints = field(metadata=in_json(None))  # of each item; -1 where it has none
    sizes: Ints = field(metadata=in_json("of", lambda sizes: int(sizes.sum())))
    alike: bool = field(metadata=in_json(None))  # members of a unit are equal, drawn one by one
    resamples: int
    confidence: float
    seed: int
    method: str = "t"  # one of `INTERVALS`

    @classmethod
    def of(
        cls,
        labels: Labels,
        *,
        confidence: float = 0.95,
        resamples: int = FEWER_RESAMPLES,
        seed: int = 0,
        method: str = "t",
    ) -> ResamplingUnits:
        """Make units of the items that at least two judges judged."""
        check_within("confidence", confidence, 0, 1)
        check_word("interval", method, INTERVALS)
        resamples, seed = check_count("resamples", resamples), check_seed(seed)
        rows = labels.shared
        queries, place = np.unique(labels.query[rows], return_inverse=True)
        over: _Over = "queries" if len(queries) > 1 else "documents"
        if over == "documents":
            _, place = np.unique(row_keys(labels.level[rows]), return_inverse=True)
        alike = over == "documents" and place.max(initial=-1) < _BATCHES
        if over == "documents" and not alike:
            place = np.arange(len(place))
        total = int(place.max(initial=-1)) + 1
        if not alike and total > _BATCHES:
            place = np.random.default_rng([seed, 0]).permutation(total)[place] % _BATCHES
        unit = np.full(len(labels), -1)
        unit[rows] = place
        if over == "queries":  # one is in one unit with all its documents, and counts once
            place = place[np.unique(labels.query[rows], return_index=True)[1]]
        return cls(over, unit, np.bincount(place), alike, resamples, confidence, seed, method)

    @property
    def count(self) -> int:
        """Return the number of units."""
        return len(self.sizes)

    @property
    def drawn_from(self) -> int:
        """Return the number of queries, or documents."""
        return int(self.sizes.sum())

    @cached_property
    def times(self) -> Floats:
        """Return how often each unit counts, as a whole or in parts: resamples x units.

        By Student's t, a resample is all but one unit, or all but one document of a unit.
        """
        if self.method == "t":
            everything: Floats = np.ones((self.count, self.count))
            return everything - np.diag(1 / self.sizes if self.alike else np.ones(self.count))
        random = np.random.default_rng([self.seed, 1])
        draw = draw_multinomial(self.sizes if self.alike else self.count)
        found: Floats = draw(random, self.resamples)
        return found / self.sizes if self.alike else found

    def interval(
        self,
        value: float,
        drawn: Floats,
        present: Bools,
        within: tuple[float, float] = (-inf, inf),
    ) -> Interval:
        """Return the interval of a value, by its resamples and the units that it rests on."""
        if self.method == "percentile":
            known = int(self.sizes[present].sum()) >= 2
            return percentile_interval(drawn, self.confidence, known=known)
        found = jackknife_interval(
            value,
            drawn[present],
            sizes=self.sizes[present] if self.alike else None,
            confidence=self.confidence,
            within=within,
        )
        return replace(found, method="t")


_BLOCK = 2_000_000
"""Numbers of resampled tables that are held at a time."""


@dataclass(frozen=True, eq=False)
class ResampledValue:
    """A value with those of all resamples."""

    value: float
    resampled: Floats
    present: Bools  # the units that it rests on
    within: tuple[float, float] = (-1.0, 1.0)

    def estimate(self, units: ResamplingUnits) -> Estimate:
        ends = units.interval(self.value, self.resampled, self.present, self.within)
        return Estimate(self.value, ends)

    def minus(self, other: ResampledValue) -> ResampledValue:
        """Return the difference to another value, resample by resample."""
        apart = self.within[1] - self.within[0]
        # Without a spread of either, there is none of the difference.
        enough = min(self.present.sum(), other.present.sum()) >= 2
        return ResampledValue(
            self.value - other.value,
            self.resampled - other.resampled,
            (self.present | other.present) & enough,
            (-apart, apart),
        )


@dataclass(frozen=True, eq=False)
class Estimator:
    """Estimates coefficients from the same labels and the same resamples."""

    labels: Labels
    units: ResamplingUnits
    coefficients: tuple[AgreementCoefficient, ...]

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Return every pair of judges, by their columns."""
        return list(combinations(range(len(self.labels.judges)), 2))

    def of_pair(self, first: int, second: int) -> dict[str, ResampledValue]:
        """Return every coefficient of two judges."""
        labels, over_queries = self.labels, self.units.over == "queries"
        by_query = [each for each in self.coefficients if each.by_query and over_queries]
        at_once = [each for each in self.coefficients if each not in by_query]
        found = self._drawn(self._count(first, second), at_once)
        if by_query:
            of_queries = count_pair(labels, first, second, labels.query, len(labels.queries))
            found |= {each.name: self._by_query(each, of_queries) for each in by_query}
        return {each.name: found[each.name] for each in self.coefficients}

    def of_all(self, of_pairs: Sequence[Mapping[str, ResampledValue]]) -> dict[str, ResampledValue]:
        """Return every coefficient of all judges; those for two are the mean over pairs."""
        of_more = [each for each in self.coefficients if not each.two_only]
        found = self._drawn(count_all(self.labels, self.units.unit, self.units.count), of_more)
        return {
            each.name: mean_over_pairs([pair[each.name] for pair in of_pairs])
            if each.two_only
            else found[each.name]
            for each in self.coefficients
        }

    def at_once(self) -> dict[str, ResampledValue]:
        """Return every coefficient of all judges on the documents of one query."""
        # The tables of all pairs are resampled together, which takes a fraction of the time.
        judged = np.any(self.labels.judged[self.labels.shared], axis=0)
        of_two = [each for each in self.coefficients if each.two_only]
        of_more = [each for each in self.coefficients if not each.two_only]
        found = self._drawn(count_all(self.labels, self.units.unit, self.units.count), of_more)
        if of_two:
            pairs = [pair for pair in self.pairs if judged[list(pair)].all()]
            counted = [self._count(*pair) for pair in pairs]
            tables = [counts.ordered for counts in counted if counts.ordered is not None]
            several = Counts.of_two(self.labels.grades, np.stack(tables, axis=1))
            found |= self._drawn(several, of_two)
        return {each.name: found[each.name] for each in self.coefficients}

    def _count(self, first: int, second: int) -> Counts:
        return count_pair(self.labels, first, second, self.units.unit, self.units.count)

    def _drawn(
        self, counts: Counts, wanted: Sequence[AgreementCoefficient]
    ) -> dict[str, ResampledValue]:
        """Resample tables, units x grades x grades; average over pairs if there is such an axis."""
        block = max(1, _BLOCK // counts.by_item[0].size)
        times, whole = self.units.times, counts.total
        present: Bools = np.any((counts.items > 0).reshape(len(counts.items), -1), axis=1)
        parts: dict[str, list[Floats]] = {each.name: [] for each in wanted}
        for start in range(0, len(times), block):
            resampled = counts.drawn(times[start : start + block])
            for each in wanted:
                parts[each.name].append(_over_pairs(each.of(resampled)))
        return {
            each.name: ResampledValue(
                float(_over_pairs(each.of(whole))[0]),
                np.concatenate(parts[each.name]),
                present,
                _range_of(each),
            )
            for each in wanted
        }

    def _by_query(self, coefficient: AgreementCoefficient, counts: Counts) -> ResampledValue:
        """Return the mean over queries that have a value, resampled by the queries' units."""
        values = coefficient.of(counts)
        defined = ~np.isnan(values)
        if not defined.any():
            nothing = np.full(len(self.units.times), np.nan)
            return ResampledValue(np.nan, nothing, np.zeros(self.units.count, dtype=bool))
        # All documents of a query are in one unit, since queries are drawn.
        unit_of_query = np.full(len(values), -1)
        known = self.units.unit >= 0
        unit_of_query[self.labels.query[known]] = self.units.unit[known]
        resampled, present = _resampled_means(values[defined], unit_of_query[defined], self.units)
        value = float(values[defined].mean())
        return ResampledValue(value, resampled, present, _range_of(coefficient))


def _range_of(coefficient: AgreementCoefficient) -> tuple[float, float]:
    """Return what a coefficient can be; below 0 only where it is corrected for chance."""
    return (-1.0 if coefficient.corrected else 0.0), 1.0


def _over_pairs(values: Floats) -> Floats:
    """Return the mean of each resample over pairs, if there are several."""
    return values if values.ndim == 1 else _mean_of_known(values.T)


def mean_over_pairs(drawn: Sequence[ResampledValue]) -> ResampledValue:
    """Return the mean over pairs that have a value, resample by resample."""
    if not drawn:
        return ResampledValue(np.nan, np.full(1, np.nan), np.zeros(1, dtype=bool))
    values = np.array([one.value for one in drawn])
    table = np.stack([one.resampled for one in drawn])
    return ResampledValue(
        float(_mean_of_known(values[:, None])[0]),
        _mean_of_known(table),
        np.any([one.present for one in drawn], axis=0),
        drawn[0].within,
    )


def _mean_of_known(table: Floats) -> Floats:
    """Return the mean of each column without NaN."""
    known = ~np.isnan(table)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(known, table, 0).sum(axis=0) / known.sum(axis=0))


def mean_estimate(values: Floats, unit: Ints, units: ResamplingUnits) -> Estimate:
    """Return the mean of some items' values, with its interval."""
    drawn, present = _resampled_means(values, unit, units)
    value = float(values.mean()) if len(values) else np.nan
    return Estimate(value, units.interval(value, drawn, present))


def _resampled_means(values: Floats, unit: Ints, units: ResamplingUnits) -> tuple[Floats, Bools]:
    """Return the mean of each resample, and which units have a value."""
    sums = np.bincount(unit, weights=values, minlength=units.count)
    sizes = np.bincount(unit, minlength=units.count).astype(float)
    with np.errstate(invalid="ignore"):
        return (units.times @ sums) / (units.times @ sizes), sizes > 0

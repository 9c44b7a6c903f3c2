"""Slices of queries: scores and comparisons by kinds of queries.

Queries are put into slices by an attribute, such as their language. Each slice has scores and
comparisons of its own, with p-values corrected over all of them: systems x measures x slices. A
reversal is the order of two systems over all queries that is not their order in most slices;
Simpson's paradox is its strict form.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from cleverdon._common.arrays import Floats
from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon._common.text import printable
from cleverdon.comparison.differences import LEVEL, Comparison, compare, primary_measure
from cleverdon.comparison.doubts import Doubt
from cleverdon.comparison.procedures import Difference, adjust_intervals
from cleverdon.comparison.samples import part_of, samples
from cleverdon.comparison.slice_tables import (
    UNKNOWN,
    slice_averages,
    slice_differences,
    slice_interactions,
    slice_notes,
    slice_rows,
)
from cleverdon.errors import InputError, OptionError, check_word
from cleverdon.formats.attributes import read_attributes
from cleverdon.measures.base import Measure
from cleverdon.scores import Scores
from cleverdon.stats.multiple_comparisons import CORRECTIONS, FAMILY_TESTS, correct_p_values
from cleverdon.stats.tests import PValue, interaction_test
from cleverdon.tables.result import Result, as_json
from cleverdon.tables.sections import Section

_SAME = 1e-9
"""Averages no further apart are equal: sums in another order differ in the last digits."""


@dataclass(frozen=True)
class Reversal:
    """The order of two systems over all queries is not their order in most slices."""

    measure: Measure
    ahead: str  # over all queries
    behind: str
    averages: tuple[float, float]  # of both, over all queries
    reversed: tuple[str, ...]  # slices in which the one behind is better
    even: tuple[str, ...]
    agreeing: tuple[str, ...]  # slices in which the one ahead is better, the largest lead first

    @property
    def paradox(self) -> bool:
        """True if the one behind is at least as good in every slice, and better in one."""
        return not self.agreeing

    def __str__(self) -> str:
        ahead, behind = self.averages
        start = (
            f"{self.ahead} beats {self.behind} on {self.measure} over all queries "
            f"({ahead:.4f} to {behind:.4f}), but {self.behind} is "
        )
        if self.paradox:
            even = f" and even in {len(self.even)}" if self.even else ""
            where = f"better in {', '.join(self.reversed)}{even}: in no slice is it worse"
            return f"{start}{where} (Simpson's paradox)"
        slices = len(self.reversed) + len(self.even) + len(self.agreeing)
        lead = f"the lead comes from {', '.join(self.agreeing)}"
        return f"{start}better in {len(self.reversed)} of {slices} slices; {lead}"


def _reversals(
    systems: tuple[str, ...],
    measures: tuple[Measure, ...],
    overall: Floats,
    by_slice: Mapping[str, Floats],
    *,
    baseline: str | None = None,
) -> tuple[Reversal, ...]:
    """Return the pairs of systems whose order is reversed in most slices: paradoxes first."""
    # The system behind is better in more than half of the slices, or in some and worse in none.
    found = []
    for m, measure in enumerate(measures):
        if measure.better == "neither":
            continue
        sign = -1 if measure.better == "lower" else 1
        for one, other in combinations(range(len(systems)), 2):
            if baseline is not None and baseline not in (systems[one], systems[other]):
                continue
            lead = sign * (overall[one, m] - overall[other, m])
            if not abs(lead) > _SAME:  # NaN is no lead either
                continue
            ahead, behind = (one, other) if lead > 0 else (other, one)
            leads = {
                name: float(sign * (averages[ahead, m] - averages[behind, m]))
                for name, averages in by_slice.items()
            }
            leads = {name: lead for name, lead in leads.items() if not np.isnan(lead)}
            against = tuple(name for name, lead in leads.items() if lead < -_SAME)
            agreeing = sorted(
                (name for name, lead in leads.items() if lead > _SAME), key=lambda n: -leads[n]
            )
            even = tuple(name for name, lead in leads.items() if abs(lead) <= _SAME)
            if against and (not agreeing or 2 * len(against) > len(leads)):
                names = systems[ahead], systems[behind]
                averages = float(overall[ahead, m]), float(overall[behind, m])
                found.append(Reversal(measure, *names, averages, against, even, tuple(agreeing)))
    return tuple(sorted(found, key=lambda reversal: not reversal.paradox))


_BINS = 4
"""The number of slices into which an attribute of numbers is cut."""
_FEW = 10
"""Slices of fewer queries are marked."""


@dataclass(frozen=True, eq=False)
class Slice:
    """The queries that have one value of the attribute, and what was found on them."""

    name: str
    scores: Scores  # of these queries alone
    averages: Floats  # systems x measures
    differences: tuple[Difference, ...]  # corrected over all slices
    few: bool  # whether there are too few queries to say much
    doubts: tuple[Doubt, ...] = ()  # those that qualify verdicts

    @property
    def queries(self) -> tuple[str, ...]:
        return tuple(self.scores.queries)

    def qualified(self, found: Difference) -> list[str]:
        """Return the names of the serious doubts about a difference."""
        return [doubt.name for doubt in self.doubts if doubt.qualifies(found)]


@dataclass(frozen=True, eq=False)
class Slices(Result):
    """Scores and comparisons of each slice, and over all queries.

    Attributes:
        attribute: The attribute of queries.
        slices: The slices.
        systems: The systems.
        measures: The measures.
        averages: Systems x measures, over all queries.
        average: The kind of average.
        cut: Whether the attribute is a number, and the slices are its quantiles.
        unknown: The number of queries that lack the attribute.
        unused: The number of queries of the table that were not evaluated.
        few: A slice of fewer queries is marked.
        families: The numbers of comparisons that p-values are corrected for: by the primary
            measure, and by the others.
        reversals: Pairs of systems in another order over all queries than in most slices.
        baseline: The baseline; None where every pair was compared.
        primary: The measure that decides; None where all measures are one family.
        test: The significance test.
        correction: The correction of p-values.
        level: The level of significance.
        confidence: The confidence of intervals, which cover all differences of the family at once.
        interactions: Tests whether a difference is not the same in all slices.
        out_of_reach: A text for each difference that cannot be significant on so few queries.
        disagreeing: A text for each difference whose interval and verdict disagree.
        why_disagree: Why they do.

    >>> from cleverdon import evaluate
    >>> scores = evaluate({"q1": {"a": 1}}, {"run": {"q1": {"a": 1.0}}}, "RR")
    >>> [part.name for part in slice_by(scores, {"q1": "en"}).slices]
    ['en']
    """

    _drawn = ("difference", "measure", "slice", "system")

    attribute: str
    slices: tuple[Slice, ...]
    systems: tuple[str, ...]
    measures: tuple[Measure, ...]
    averages: Floats
    average: str
    cut: bool
    unknown: int
    unused: int
    few: int
    families: tuple[int, ...]
    reversals: tuple[Reversal, ...]
    baseline: str | None
    primary: Measure | None
    test: str
    correction: str
    level: float
    confidence: float
    interactions: tuple[Interaction, ...] = ()
    out_of_reach: tuple[str, ...] = ()
    disagreeing: tuple[str, ...] = ()
    why_disagree: str = ""

    @property
    def queries(self) -> int:
        return sum(len(part.queries) for part in self.slices)

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return the averages by slice, then the differences; one table of both for programs."""
        if exact:
            return [Section("slices", slice_rows(self))]
        notes = slice_notes(self)
        if not self.families:
            return [Section("averages", slice_averages(self, notes), titled=False)]
        return [
            Section("averages", slice_averages(self, []), titled=False),
            Section(
                "differences",
                slice_differences(self, [] if self.interactions else notes),
                titled=False,
            ),
            *(
                [Section("interactions", slice_interactions(self, notes), titled=False)]
                if self.interactions
                else []
            ),
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return all slices as plain values."""
        names = ["attribute", "cut", "average", "queries", "unknown", "unused"]
        names += ["test", "correction", "primary", "families", "level", "confidence"]
        record = {name: getattr(self, name) for name in names}
        record |= {"averages": self._by_name(self.averages)}
        record["slices"] = [
            {
                **{name: getattr(part, name) for name in ("name", "queries", "few")},
                "averages": self._by_name(part.averages),
                "warnings": part.scores.unknowns(),
                "differences": [
                    {**self._compared(one), "qualified": part.qualified(one)}
                    for one in part.differences
                ],
            }
            for part in self.slices
        ]
        record["reversals"] = [
            asdict(one) | {"paradox": one.paradox, "text": str(one)} for one in self.reversals
        ]
        record["interactions"] = [
            {
                "system": one.system,
                "baseline": one.baseline,
                "measure": one.measure,
                "p": one.p.p,
                "corrected": one.corrected,
            }
            for one in self.interactions
        ]
        record["doubts"] = self.one_sided_slices()
        return {key: as_json(value) for key, value in record.items()}

    def _by_name(self, averages: Floats) -> dict[str, dict[Measure, float]]:
        return {
            system: dict(zip(self.measures, averages[s], strict=True))
            for s, system in enumerate(self.systems)
        }

    def _compared(self, one: Difference) -> dict[str, Any]:
        names = ("system", "baseline", "measure", "difference")
        return {name: getattr(one, name) for name in names} | {
            "interval": [one.interval.low, one.interval.high],
            "unadjusted": [one.unadjusted.low, one.unadjusted.high],
            "p": one.p.p,
            "corrected": one.corrected,
            "significant": self.significant(one),
        }

    def __getitem__(self, name: str) -> Slice:
        """Return a slice by its name."""
        return {part.name: part for part in self.slices}[name]

    def significant(self, difference: Difference) -> bool:
        """Return whether a difference in a slice is significant."""
        return difference.corrected <= self.level

    def one_sided_slices(self) -> list[str]:
        """Return a sentence for each difference that is shown in one slice and not in another.

        That alone does not show that the slices differ: where the true difference is the same, it
        happens about every other time. Gelman & Stern 2006, doi:10.1198/000313006X152649.
        """
        sentences = []
        for one in self.interactions:
            if one.corrected <= self.level:
                continue
            shown: dict[bool, list[str]] = {True: [], False: []}
            for part in self.slices:
                for found in part.differences:
                    if found.key == one.key:
                        shown[self.significant(found)].append(printable(part.name))
            if shown[True] and shown[False]:
                names = f"{printable(one.system)} and {printable(one.baseline)}"
                sentences.append(
                    f"{names} differ significantly on {one.measure} in {shown[True][0]} and not in "
                    f"{shown[False][0]}, yet these slices are not shown to differ from each other "
                    f"(p = {one.corrected:.3f}). Gelman & Stern 2006, doi:10.1198/000313006X152649"
                )
        return sentences


@dataclass(frozen=True)
class Interaction:
    """The test that a difference between two systems is the same in all slices."""

    system: str
    baseline: str
    measure: Measure
    p: PValue
    corrected: float  # over all pairs and measures

    @property
    def key(self) -> tuple[str, str, Measure]:
        return self.system, self.baseline, self.measure


@shows_progress("comparing")
def slice_by(
    scores: Scores,
    attributes: Any,
    *,
    by: str | None = None,
    baseline: str | None = None,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    systems: Iterable[str] | None = None,
    bins: int = _BINS,
    few: int = _FEW,
    average: str = "mean",
    test: str = "randomisation",
    alternative: str = "two-sided",
    correction: str | None = None,
    primary: str | Measure | None = None,
    level: float = LEVEL,
    interval: str | None = None,
    confidence: float | None = None,
    seed: int = 0,
    progress: Progress | bool | None = None,
) -> Slices:
    """Score and compare systems on each kind of query.

    The averages are what `evaluate` gives for the slice's queries. Comparisons are as in `compare`,
    of each slice by itself, and corrected over a whole family: all pairs in all slices by the
    primary measure, and those by other measures as a second family. A measure that is undefined for
    all of a slice's queries is not compared there.

    Args:
        scores: What `evaluate` returned.
        attributes: A file (see `cleverdon.formats.attributes`), or a dict from queries to dicts of
            attributes or to values. Queries that lack the attribute are in the slice "unknown".
        by: The attribute; by default the only one.
        baseline: The system to compare with; by default every pair is compared.
        measures: Some of the measures; by default all.
        systems: Some of the systems; by default all.
        bins: An attribute of more different numbers than this is cut at its quantiles into so many
            slices, equal numbers in the same one; 0 takes numbers as names.
        few: Slices of fewer queries are marked.
        average: What makes one value of all queries: "mean", "median", "geometric", "min", "max" or
            another of `Scores.aggregate`.
        test: "randomisation", "t", "wilcoxon", "sign" or "bootstrap".
        alternative: "two-sided", "greater" or "less".
        correction: "holm" (the default), "bonferroni", "benjamini-hochberg" or "none".
        primary: The measure that decides, by default the first; "all" makes one family of all.
        level: The level of significance.
        interval: "t", "bca", "percentile" or "studentised"; by default as in `compare`.
        confidence: The confidence of intervals; by default what goes with the level.
        seed: The seed of random draws.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        Averages and differences of each slice, and the reversals between slices and all queries.

    >>> from cleverdon import evaluate
    >>> qrels = {f"q{i}": {"a": 1} for i in range(4)}
    >>> old = {query: {"a": 1.0, "b": 2.0} for query in qrels}
    >>> new = old | {"q0": {"a": 1.0}, "q1": {"a": 1.0}}
    >>> scores = evaluate(qrels, {"old": old, "new": new}, "RR")
    >>> found = slice_by(scores, {"q0": "en", "q1": "en", "q2": "de"}, baseline="old")
    >>> {part.name: part.differences[0].difference for part in found.slices}
    {'en': 0.5, 'de': 0.0, 'unknown': 0.0}
    """
    progress = as_callback(progress)
    progress("comparing")
    if bins < 0 or few < 0:
        raise OptionError(f"bins={bins}, few={few}: both are whole numbers from 0 on")
    if test in FAMILY_TESTS:
        raise OptionError(f"test={test!r} corrects within one slice only, and not over all of them")
    correction = correction or next(iter(CORRECTIONS))
    check_word("correction", correction, CORRECTIONS)
    of = samples(scores, measures=measures, systems=systems)
    named, wanted = of[0].systems, tuple(sample.measure for sample in of)
    first = primary_measure(primary, of)
    shared = frozenset(of[0].queries)
    scores = part_of(scores, systems=named, measures=wanted)
    name, values = read_attributes(attributes).column(by)
    known = set(scores.queries)
    column = {query: value for query, value in values.items() if query in known}
    if not column:
        query = next(iter(values), None)
        ids = f": the table has {query!r}, the scores {scores.queries[0]!r}" if values else ""
        raise InputError(f"no evaluated query has a {name!r}{ids}")
    groups, cut = _groups(column, bins)
    lacking = [query for query in scores.queries if query not in column]
    if lacking:
        groups.setdefault(UNKNOWN, []).extend(lacking)
    parts = {group: part_of(scores, queries=members) for group, members in groups.items()}
    compared: dict[str, Comparison] = {}
    for group, part in parts.items():
        alone = len(named) == 1 and baseline is None
        common = np.array([query in shared for query in part.queries], dtype=bool)
        defined = [
            measure
            for measure in wanted
            if not any(part.is_unknown(system, measure, on=common) for system in named)
        ]
        if alone or not common.any() or not defined:
            continue
        try:
            of_slice = compare(
                part,
                measures=defined,
                baseline=baseline,
                test=test,
                alternative=alternative,
                correction="none",
                primary="all",
                level=level,
                interval=interval,
                confidence=confidence,
                seed=seed,
            )
        except OptionError as error:
            raise OptionError(f"slice {group!r}: {error}") from None
        compared[group] = of_slice
    found, families, lowest = _correct_families(compared, first, correction)
    made = tuple(
        Slice(
            name=group,
            scores=part,
            averages=part.aggregate(average),
            differences=found.get(group, ()),
            few=len(part.queries) < few,
            doubts=tuple(compared[group].serious_doubts) if group in compared else (),
        )
        for group, part in parts.items()
    )
    overall = scores.aggregate(average)
    reversed_pairs: tuple[Reversal, ...] = ()
    if average != "std":  # of a spread, none is better
        by_slice = {part.name: part.averages for part in made}
        reversed_pairs = _reversals(named, wanted, overall, by_slice, baseline=baseline)
    return Slices(
        attribute=name,
        slices=made,
        systems=named,
        measures=wanted,
        averages=overall,
        average=average,
        cut=cut,
        unknown=len(lacking),
        unused=len(values) - len(column),
        few=few,
        families=families,
        reversals=reversed_pairs,
        baseline=baseline,
        primary=first,
        test=test,
        correction=correction,
        level=level,
        confidence=next((one.confidence for one in compared.values()), 1 - level),
        interactions=_interactions(list(compared.values()), first, correction, seed),
        out_of_reach=tuple(
            _in_slice(part, one)
            for part in made
            for one in part.differences
            if one.differing and lowest[part.name, one.key] > level
        ),
        disagreeing=tuple(
            _in_slice(part, one)
            for part in made
            for one in part.differences
            if compared[part.name].disagrees(one)
        ),
        why_disagree=next((one.why_disagree() for one in compared.values()), ""),
    )


_Key = tuple[str, tuple[str, str, Measure]]
"""A slice, and a comparison in it."""


def _in_slice(part: Slice, found: Difference) -> str:
    pair = f"{printable(found.system)} and {printable(found.baseline)}"
    return f"{pair} on {found.measure} in {printable(part.name)}"


def _correct_families(
    compared: Mapping[str, Comparison], primary: Measure | None, correction: str
) -> tuple[dict[str, tuple[Difference, ...]], tuple[int, ...], dict[_Key, float]]:
    """Correct p-values and adjust intervals in each family.

    Return also the sizes of families, and the lowest p-values that so few queries can give.
    """
    found: dict[_Key, Difference] = {}
    lowest: dict[_Key, float] = {}
    sizes = []
    for first in (True, False):
        family = {
            group: [
                difference
                for difference in one.differences
                if (primary is None or difference.measure == primary) == first
            ]
            for group, one in compared.items()
        }
        size = sum(map(len, family.values()))
        if not size:
            continue
        sizes.append(size)
        p = [difference.p.p for group in family.values() for difference in group]
        corrected = iter(correct_p_values(correction, p))
        alone = {
            (group, one.key): compared[group].lowest_alone(one, one.differing)
            for group, differences in family.items()
            for one in differences
        }
        least = correct_p_values(correction, list(alone.values()))
        lowest |= dict(zip(alone, least, strict=True))
        for group, differences in family.items():
            if correction != "none" and differences:
                differences = list(adjust_intervals(compared[group], differences, size))
            for difference in differences:
                one = replace(difference, family=size, corrected=next(corrected))
                found[group, difference.key] = one
    ordered = {
        group: tuple(found[group, difference.key] for difference in one.differences)
        for group, one in compared.items()
    }
    return ordered, tuple(sizes), lowest


def _interactions(
    compared: list[Comparison], primary: Measure | None, correction: str, seed: int
) -> tuple[Interaction, ...]:
    """Test of each pair and measure whether its difference is the same in all slices."""
    rows: dict[tuple[str, str, Measure], list[Floats]] = {}
    for one in compared:
        for found in one.differences:
            key = found.key
            rows.setdefault(key, []).append(one.differences_of(found))
    tested = {
        key: interaction_test(groups, seed=seed) for key, groups in rows.items() if len(groups) > 1
    }
    adjusted: dict[tuple[str, str, Measure], float] = {}
    for first in (True, False):
        keys = [key for key in tested if (primary is None or key[2] == primary) == first]
        of_family = correct_p_values(correction, [tested[key].p for key in keys])
        adjusted |= dict(zip(keys, of_family, strict=True))
    return tuple(Interaction(*key, p, adjusted[key]) for key, p in tested.items())


def _groups(column: dict[str, str], bins: int) -> tuple[dict[str, list[str]], bool]:
    """Return the queries of each slice, and whether these are quantiles of a number."""
    numbers = [_number(value) for value in column.values()]
    numeric = bins > 0 and all(math.isfinite(number) for number in numbers)
    names = list(column.values())
    cut = numeric and len(set(names)) > bins
    if cut:
        names = _binned(np.array(numbers), bins)
    groups: dict[str, list[str]] = {}
    order = np.argsort(numbers, kind="stable") if numeric else np.arange(len(names))
    queries = list(column)
    for place in order:
        groups.setdefault(names[place], []).append(queries[place])
    return groups, cut


def _binned(numbers: Floats, bins: int) -> list[str]:
    """Name the bin of each number by its ends; a number on an edge is below it."""
    shares = np.arange(1, bins) / bins
    edges = np.quantile(numbers, shares, method="inverted_cdf")
    at = np.searchsorted(edges, numbers, side="left")
    names = {}
    for place in np.unique(at):
        inside = numbers[at == place]
        low, high = (f"{end:.15g}" for end in (inside.min(), inside.max()))
        names[place] = low if low == high else f"{low} to {high}"
    return [names[place] for place in at]


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan

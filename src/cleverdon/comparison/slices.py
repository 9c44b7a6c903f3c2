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
from cleverdon._common.text import counted, printable
from cleverdon.comparison.differences import LEVEL, Difference, compare
from cleverdon.comparison.samples import part_of, samples
from cleverdon.errors import InputError, OptionError
from cleverdon.formats.attributes import read_attributes
from cleverdon.measures.base import Measure
from cleverdon.score_tables import format_score
from cleverdon.scores import Scores
from cleverdon.stats.multiple_comparisons import CORRECTIONS, FAMILY_TESTS, correct_p_values
from cleverdon.tables.numbers import format_decimal, format_p_value
from cleverdon.tables.result import Result, as_json
from cleverdon.tables.sections import Section
from cleverdon.tables.table import Mark, TextTable

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


UNKNOWN = "unknown"
"""The slice of the queries that lack the attribute."""
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

    @property
    def queries(self) -> tuple[str, ...]:
        return tuple(self.scores.queries)


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
        family: The number of comparisons that p-values are corrected for.
        reversals: Pairs of systems in another order over all queries than in most slices.
        baseline: The baseline; None where every pair was compared.
        test: The significance test.
        correction: The correction of p-values.
        level: The level of significance.

    >>> from cleverdon import evaluate
    >>> scores = evaluate({"q1": {"a": 1}}, {"run": {"q1": {"a": 1.0}}}, "RR")
    >>> [part.name for part in compare_slices(scores, {"q1": "en"}).slices]
    ['en']
    """

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
    family: int
    reversals: tuple[Reversal, ...]
    baseline: str | None
    test: str
    correction: str
    level: float

    @property
    def queries(self) -> int:
        return sum(len(part.queries) for part in self.slices)

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return the averages by slice, then the differences; one table of both for programs."""
        if exact:
            return [Section("slices", _slice_rows(self))]
        notes = _slice_notes(self)
        if not self.family:
            return [Section("averages", _slice_averages(self, notes), titled=False)]
        return [
            Section("averages", _slice_averages(self, []), titled=False),
            Section("differences", _slice_differences(self, notes), titled=False),
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return all slices as plain values."""
        names = ["attribute", "cut", "average", "queries", "unknown", "unused"]
        names += ["test", "correction", "family", "level"]
        record = {name: getattr(self, name) for name in names}
        record |= {"averages": self._by_name(self.averages)}
        record["slices"] = [
            {
                **{name: getattr(part, name) for name in ("name", "queries", "few")},
                "averages": self._by_name(part.averages),
                "warnings": part.scores.unknowns(),
                "differences": [self._compared(one) for one in part.differences],
            }
            for part in self.slices
        ]
        record["reversals"] = [
            asdict(one) | {"paradox": one.paradox, "text": str(one)} for one in self.reversals
        ]
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


def compare_slices(
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
    level: float = LEVEL,
    seed: int = 0,
) -> Slices:
    """Score and compare systems on each kind of query.

    The averages are what `evaluate` gives for the slice's queries. Comparisons are as in `compare`,
    of each slice by itself, and corrected over the whole family: systems x measures x slices. A
    measure that is undefined for all of a slice's queries is not compared there.

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
        average: From values of queries to one, as in `Scores.aggregate`.
        test: One of `TESTS`.
        alternative: "two-sided", "greater" or "less".
        correction: One of `CORRECTIONS`; by default Holm's.
        level: The level of significance.
        seed: The seed of random draws.

    Returns:
        Averages and differences of each slice, and the reversals between slices and all queries.

    >>> from cleverdon import evaluate
    >>> qrels = {f"q{i}": {"a": 1} for i in range(4)}
    >>> old = {query: {"a": 1.0, "b": 2.0} for query in qrels}
    >>> new = old | {"q0": {"a": 1.0}, "q1": {"a": 1.0}}
    >>> scores = evaluate(qrels, {"old": old, "new": new}, "RR")
    >>> found = compare_slices(scores, {"q0": "en", "q1": "en", "q2": "de"}, baseline="old")
    >>> {part.name: part.differences[0].difference for part in found.slices}
    {'en': 0.5, 'de': 0.0, 'unknown': 0.0}
    """
    if bins < 0 or few < 0:
        raise OptionError(f"bins={bins}, few={few}: both are whole numbers from 0 on")
    if test in FAMILY_TESTS:
        raise OptionError(f"test={test!r} corrects within one slice only, and not over all of them")
    correction = correction or next(iter(CORRECTIONS))
    of = samples(scores, measures=measures, systems=systems)
    named, wanted = of[0].systems, tuple(sample.measure for sample in of)
    shared = frozenset(of[0].queries)
    scores = part_of(scores, systems=named, measures=wanted)
    name, values = read_attributes(attributes).column(by)
    known = set(scores.queries)
    column = {query: value for query, value in values.items() if query in known}
    if not column:
        first = next(iter(values), None)
        ids = f": the table has {first!r}, the scores {scores.queries[0]!r}" if values else ""
        raise InputError(f"no evaluated query has a {name!r}{ids}")
    groups, cut = _groups(column, bins)
    lacking = [query for query in scores.queries if query not in column]
    if lacking:
        groups.setdefault(UNKNOWN, []).extend(lacking)
    parts = {group: part_of(scores, queries=members) for group, members in groups.items()}
    found = {}
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
                level=level,
                seed=seed,
            )
        except OptionError as error:
            raise OptionError(f"slice {group!r}: {error}") from None
        found[group] = of_slice.differences
    every = [difference for differences in found.values() for difference in differences]
    adjusted = iter(correct_p_values(correction, [difference.p.p for difference in every]))
    made = tuple(
        Slice(
            name=group,
            scores=part,
            averages=part.aggregate(average),
            differences=tuple(
                replace(difference, corrected=next(adjusted)) for difference in found.get(group, ())
            ),
            few=len(part.queries) < few,
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
        family=len(every),
        reversals=reversed_pairs,
        baseline=baseline,
        test=test,
        correction=correction,
        level=level,
    )


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


_ALL = "(all)"
"""The name of the slice of all queries."""
_SIGNIFICANT = "*"


def _slice_averages(found: Slices, below: list[str]) -> TextTable:
    rows = []
    for name, queries, averages, _ in _with_all(found):
        for s, system in enumerate(found.systems):
            cells = [printable(name), printable(system), str(queries)]
            pairs = zip(found.measures, averages[s], strict=True)
            rows.append(cells + [format_score(measure, float(value)) for measure, value in pairs])
    header = [printable(found.attribute), "system", "queries", *map(str, found.measures)]
    return TextTable(header, rows, 2, [], below)


def _with_all(found: Slices) -> list[tuple[str, int, Floats, tuple[Difference, ...]]]:
    """Return the name, size, averages and comparisons of all queries, and of each slice."""
    of_slices = [
        (part.name, len(part.queries), part.averages, part.differences) for part in found.slices
    ]
    return [(_ALL, found.queries, found.averages, ()), *of_slices]


def _slice_differences(found: Slices, below: list[str]) -> TextTable:
    rows: list[list[str]] = []
    marks = {}
    for part in found.slices:
        for difference in part.differences:
            ends = difference.interval
            low, high = (format_decimal(end, signed=True) for end in (ends.low, ends.high))
            if found.significant(difference):
                marks[len(rows), 4] = Mark(above=_SIGNIFICANT)
            rows.append(
                [
                    printable(part.name) + (" (few)" if part.few else ""),
                    printable(difference.system),
                    printable(difference.baseline),
                    str(difference.measure),
                    format_score(difference.measure, difference.difference, signed=True),
                    "-" if math.isnan(ends.low) else f"{low} to {high}",
                    _p(difference.p.p, found.level),
                    _p(difference.corrected, found.level),
                ]
            )
    header = [printable(found.attribute), "system", "baseline", "measure", "difference"]
    return TextTable([*header, "95% interval", "p", "corrected p"], rows, 4, [], below, marks)


def _p(p: float, level: float) -> str:
    """Write a p-value without the letter, which the heading has."""
    return format_p_value(p, level=level).removeprefix("p ").removeprefix("= ")


def _slice_notes(found: Slices) -> list[str]:
    """Return the notes below the tables: the slices, the tests, reversals."""
    slices = counted(len(found.slices), "slice")
    kind = f", quantiles of {found.attribute}" if found.cut else ""
    lines = [f"{counted(found.queries, 'query')} in {slices}{kind}"]
    if found.average != "mean":
        lines[0] += f"; average={found.average}, comparisons of means"
    if found.unknown:
        lines.append(f"{counted(found.unknown, 'query')} without {found.attribute} ({UNKNOWN})")
    if found.unused:
        lines.append(f"{counted(found.unused, 'query')} of the table not evaluated (ignored)")
    small = [part.name for part in found.slices if part.few]
    if small:
        lines.append(f"few: fewer than {found.few} queries in {', '.join(map(printable, small))}")
    lines += [
        f"{printable(part.name)}: {printable(sentence)}"
        for part in found.slices
        for sentence in part.scores.unknowns()
    ]
    if found.family:
        lines.append(
            f"p of the test {found.test!r}, corrected ({found.correction}) for "
            f"{counted(found.family, 'comparison')}; {_SIGNIFICANT} at most {found.level:g}"
        )
    for reversal in found.reversals:
        lines.append(f"{'warning' if reversal.paradox else 'note'}: {reversal}")
    return lines


def _slice_rows(found: Slices) -> TextTable:
    """Return every average, a row each, with the comparisons of it: all digits, for programs."""
    header = ["slice", "queries", "system", "measure", "value"]
    header += ["baseline", "difference", "low", "high", "p", "corrected"]
    rows = []
    for name, queries, averages, differences in _with_all(found):
        for s, system in enumerate(found.systems):
            for m, measure in enumerate(found.measures):
                value = format_decimal(averages[s, m], exact=True)
                start = [name, str(queries), system, str(measure), value]
                of_this = [
                    _slice_cells(difference)
                    for difference in differences
                    if (difference.system, difference.measure) == (system, measure)
                ]
                rows += [start + cells for cells in of_this or [[""] * 6]]
    return TextTable(header, rows, 4, [])


def _slice_cells(difference: Difference) -> list[str]:
    ends = difference.interval
    numbers = (difference.difference, ends.low, ends.high, difference.p.p, difference.corrected)
    return [difference.baseline, *(format_decimal(found, exact=True) for found in numbers)]

"""Scores and comparisons by kinds of topics: who is good at what.

Topics are put into slices by an attribute, such as their language. Each slice has scores and
comparisons of its own, with p-values corrected over all of them: systems x measures x slices.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.compare.multiplicity import CORRECTIONS, corrected
from cleverdon.compare.paired import LEVEL, Difference, compare
from cleverdon.compare.part import part_of
from cleverdon.compare.reversals import Reversal, reversals
from cleverdon.compare.samples import samples
from cleverdon.compare.tests import FAMILY_TESTS
from cleverdon.errors import InputError, OptionError
from cleverdon.measures.base import Measure
from cleverdon.read.topics import read_topics
from cleverdon.scores import Scores

UNKNOWN = "unknown"
"""The slice of the topics that lack the attribute."""
BINS = 4
"""Into so many slices an attribute of numbers is cut."""
FEW = 10
"""A slice of fewer topics is marked: little can be said of it."""


@dataclass(frozen=True, eq=False)
class Slice:
    """The topics that have one value of the attribute, and what was found on them."""

    name: str
    scores: Scores  # of these topics alone
    averages: Floats  # systems x measures
    differences: tuple[Difference, ...]  # corrected over all slices
    few: bool  # whether there are too few topics to say much

    @property
    def topics(self) -> tuple[str, ...]:
        return tuple(self.scores.queries)


@dataclass(frozen=True, eq=False)
class Slices:
    """Every slice, and what was found over all of them together."""

    attribute: str
    slices: tuple[Slice, ...]
    systems: tuple[str, ...]
    measures: tuple[Measure, ...]
    averages: Floats  # systems x measures, over all topics
    average: str
    cut: bool  # whether the attribute is a number, and the slices are its quantiles
    unknown: int  # how many topics lack the attribute
    unused: int  # how many topics of the table were not evaluated
    few: int  # a slice of fewer topics is marked
    family: int  # how many comparisons the p-values are corrected for
    reversals: tuple[Reversal, ...]
    baseline: str | None
    test: str
    correction: str
    level: float

    @property
    def topics(self) -> int:
        return sum(len(part.topics) for part in self.slices)

    def __getitem__(self, name: str) -> Slice:
        """A slice by its name."""
        for part in self.slices:
            if part.name == name:
                return part
        raise KeyError(name)

    def significant(self, difference: Difference) -> bool:
        """Whether a difference in a slice can be told from chance."""
        return difference.corrected <= self.level


def slices(
    scores: Scores,
    topics: Any,
    *,
    by: str | None = None,
    baseline: str | None = None,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    systems: Iterable[str] | None = None,
    bins: int = BINS,
    few: int = FEW,
    average: str = "mean",
    test: str = "randomisation",
    alternative: str = "two-sided",
    correction: str | None = None,
    level: float = LEVEL,
    seed: int = 0,
) -> Slices:
    """Scores and comparisons for each kind of topic.

    `topics` is a file (see `cleverdon.read.topics`), or a dict from topics to dicts of attributes
    or to values; `by` names the attribute. An attribute of more than `bins` different numbers is
    cut at its quantiles into so many slices, equal numbers never apart; `bins=0` takes numbers as
    names. Topics that lack it are in the slice "unknown".

    The averages are what `evaluate` gives for the slice's topics. Comparisons are as in `compare`,
    of each slice by itself, and corrected over the whole family: systems x measures x slices. A
    measure that is undefined for all of a slice's topics is not compared there.

    >>> from cleverdon import evaluate
    >>> qrels = {f"q{i}": {"a": 1} for i in range(4)}
    >>> old = {query: {"a": 1.0, "b": 2.0} for query in qrels}
    >>> new = old | {"q0": {"a": 1.0}, "q1": {"a": 1.0}}
    >>> scores = evaluate(qrels, {"old": old, "new": new}, "RR")
    >>> found = slices(scores, {"q0": "en", "q1": "en", "q2": "de"}, baseline="old")
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
    shared = frozenset(of[0].topics)
    scores = part_of(scores, systems=named, measures=wanted)
    name, values = read_topics(topics).column(by)
    known = set(scores.queries)
    column = {topic: value for topic, value in values.items() if topic in known}
    if not column:
        first = next(iter(values), None)
        ids = f": the table has {first!r}, the scores {scores.queries[0]!r}" if values else ""
        raise InputError(f"no evaluated topic has a {name!r}{ids}")
    groups, cut = _groups(column, bins)
    lacking = [topic for topic in scores.queries if topic not in column]
    if lacking:
        groups.setdefault(UNKNOWN, []).extend(lacking)
    parts = {group: part_of(scores, topics=members) for group, members in groups.items()}
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
    adjusted = iter(corrected(correction, [difference.p.p for difference in every]))
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
        # Of a spread, none is better.
        reversals=()
        if average == "std"
        else reversals(
            named, wanted, overall, {part.name: part.averages for part in made}, baseline=baseline
        ),
        baseline=baseline,
        test=test,
        correction=correction,
        level=level,
    )


def _groups(column: dict[str, str], bins: int) -> tuple[dict[str, list[str]], bool]:
    """The topics of each slice, and whether these are quantiles of a number."""
    numbers = [_number(value) for value in column.values()]
    numeric = bins > 0 and all(math.isfinite(number) for number in numbers)
    names = list(column.values())
    cut = numeric and len(set(names)) > bins
    if cut:
        names = _binned(np.array(numbers), bins)
    groups: dict[str, list[str]] = {}
    order = np.argsort(numbers, kind="stable") if numeric else np.arange(len(names))
    topics = list(column)
    for place in order:
        groups.setdefault(names[place], []).append(topics[place])
    return groups, cut


def _binned(numbers: Floats, bins: int) -> list[str]:
    """For each number, the lowest and highest of its bin; a number on an edge is below it."""
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

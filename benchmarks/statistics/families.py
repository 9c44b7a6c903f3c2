"""Families of comparisons: false alarms, joint coverage, contradictions and power."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from benchmarks.progress import say
from benchmarks.statistics.populations import (
    DRAWS,
    FIVE_MEASURES,
    MEASURES,
    SIZES,
    SYSTEMS,
    balanced,
    covers,
    draw_by,
    drawn_options,
    population,
    scores_of,
)
from benchmarks.statistics.tables import LEVEL, Row, Share, Table, alarms
from cleverdon._common.arrays import Floats
from cleverdon.comparison import Comparison, anova, compare


@dataclass(frozen=True)
class Procedure:
    """A test and a correction, and what they are compared with."""

    test: str
    correction: str | None
    baseline: bool = False

    @property
    def names(self) -> tuple[str, str]:
        against = ", against a baseline" if self.baseline else ""
        return self.correction or self.test, f"{self.test}{against}"

    @property
    def options(self) -> dict[str, Any]:
        return drawn_options(self.test)


PROCEDURES = (
    Procedure("randomisation", "max-t"),
    Procedure("randomisation", "holm"),
    Procedure("randomisation", "bonferroni"),
    Procedure("randomisation", "benjamini-hochberg"),
    Procedure("randomisation", "none"),
    Procedure("t", "holm"),
    Procedure("tukey", None),
    Procedure("randomised-tukey", None),
    Procedure("randomisation", "max-t", baseline=True),
    Procedure("dunnett", None, baseline=True),
)


DEFAULT = PROCEDURES[0]


@dataclass
class Tally:
    """What happened in the repetitions of one procedure."""

    families: int = 0
    alarms: int = 0  # families with a false alarm where all systems are equal
    partial: int = 0  # likewise where the first half of them are
    false_share: float = 0.0  # summed: the share of false alarms among what is shown, then
    joint: int = 0  # families all of whose intervals hold the truth
    whole: int = 0  # families that have intervals
    pairs: int = 0  # comparisons with an interval
    contradictions: int = 0
    differing: int = 0  # comparisons of systems that differ
    shown: int = 0
    any_differ: int = 0  # families that the analysis of variance finds to differ, where none does


class Families(Protocol):
    """What families of systems are drawn from."""

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures, of which the first is the primary one."""

    def draw(self, n: int, random: np.random.Generator) -> tuple[Floats, Floats]:
        """Return values, systems x measures x n, and their true means, systems x measures."""


@dataclass(frozen=True)
class MadeUpFamilies:
    """Families of the six made-up systems."""

    values: Floats
    measures: tuple[str, ...] = MEASURES

    def draw(self, n: int, random: np.random.Generator) -> tuple[Floats, Floats]:
        """Draw queries."""
        values = self.values[:SYSTEMS]
        return values[:, :, random.integers(0, values.shape[2], size=n)], self._truth

    @cached_property
    def _truth(self) -> Floats:
        return np.asarray(self.values[:SYSTEMS].mean(axis=2))


def run_family(
    source: Families,
    procedure: Procedure,
    *,
    primary: str | None,
    n: int,
    repetitions: int,
    seed: int,
    with_anova: bool = False,
) -> Tally:
    """Compare systems again and again: all of them equal, then the first half of them.

    `primary` is "all" for one family of all measures, None for the first measure alone.
    """
    tally = Tally()
    random = np.random.default_rng([seed, n, primary is None])
    equal = SYSTEMS // 2
    how: dict[str, Any] = {
        "test": procedure.test,
        "correction": procedure.correction,
        "baseline": "s0" if procedure.baseline else None,
        "options": procedure.options,
        **({"primary": primary} if primary else {}),
    }
    measures = source.measures if primary else source.measures[:1]
    for i in range(repetitions):
        values, means = source.draw(n, random)
        truth = means.copy()
        truth[:equal] = means[:equal].mean(axis=0)
        none_differ, some_differ = (
            scores_of(_shuffled(values, count, random)[:, : len(measures)], measures)
            for count in (SYSTEMS, equal)
        )
        every = compare(none_differ, seed=i, **how)
        some = compare(some_differ, seed=i, **how)
        tally.families += 1
        tally.alarms += any(every.significant(one) for one in every.differences)
        if with_anova:
            tally.any_differ += anova(none_differ)[0].p_systems <= LEVEL
        _count(tally, some, truth, equal)
    return tally


def _shuffled(values: Floats, systems: int, random: np.random.Generator) -> Floats:
    """Give each query's values to the first systems in any order, so that these are equal."""
    order = np.argsort(random.random((systems, values.shape[2])), axis=0)
    found = values.copy()
    found[:systems] = np.take_along_axis(values[:systems], order[:, None, :], axis=0)
    return found


def _count(tally: Tally, found: Comparison, truth: Floats, equal: int) -> None:
    measures = [str(sample.measure) for sample in found.samples]
    false = shown = 0
    holds, known = True, False
    for one in found.differences:
        pair = [int(name[1:]) for name in (one.system, one.baseline)]
        m = measures.index(str(one.measure))
        true = float(truth[pair[0], m] - truth[pair[1], m])
        shown += found.significant(one)
        if max(pair) < equal:
            false += found.significant(one)
        else:
            tally.differing += 1
            tally.shown += found.shows(one)
        if not np.isnan(one.interval.low):
            known = True
            tally.pairs += 1
            holds &= covers(one.interval.low, one.interval.high, true)
            tally.contradictions += one.excludes_zero != found.significant(one)
    tally.partial += false > 0
    tally.false_share += false / shown if shown else 0.0
    tally.whole += known
    tally.joint += known and holds


_TITLES = {
    "alarms": "Chance of a false alarm in a family of equal systems, at the level 0.05",
    "partial": "Chance of a false alarm where three of six systems are equal",
    "joint": "Joint coverage: how often all intervals of a family hold the truth",
    "contradictions": "Contradictions of interval and verdict",
    "power": "Power: share of true differences that are shown",
}
_SUMMARIES = {
    "alarms": "`max-t`, all systems equal",
    "partial": "`max-t`, half of the systems equal",
    "joint": "all intervals of a `max-t` family at once",
}


def tally_shares(tally: Tally, *, promised: bool = True) -> dict[str, Share]:
    """Return what is reported of a tally; without a promise where nothing corrects."""
    level, coverage = (LEVEL, 1 - LEVEL) if promised else (None, None)
    return {
        "alarms": Share(tally.alarms, tally.families, level),
        "partial": Share(tally.partial, tally.families, level),
        "joint": Share(tally.joint, tally.whole, coverage, low_is_bad=True),
        "contradictions": Share(tally.contradictions, tally.pairs),
        "power": Share(tally.shown, tally.differing),
    }


def family_tables(
    source: Families,
    *,
    repetitions: int,
    seed: int,
    sizes: Sequence[int] = SIZES,
    procedures: Sequence[Procedure] = PROCEDURES,
    others: int | None = None,
) -> Iterator[Table]:
    """Measure whole families: false alarms, joint coverage, contradictions and power.

    The default has all repetitions by the primary measure and half of them by all measures; other
    procedures have `others`, by default a tenth, by the primary measure only.
    """
    header = ("correction", "test", "family")
    parts: dict[str, list[Row]] = {name: [] for name in _TITLES}
    discoveries, variances = [], []
    for procedure in procedures:
        by_default = procedure == DEFAULT
        for primary in (None, "all") if by_default else (None,):
            many = repetitions if by_default else others or repetitions // 10
            if by_default and primary:
                many = repetitions // 2
            many = max(1, many)
            tallies = {}
            for n in sizes:
                tallies[n] = run_family(
                    source,
                    procedure,
                    primary=primary,
                    n=n,
                    repetitions=many,
                    seed=seed,
                    with_anova=by_default and primary is None,
                )
                say(f"families: {' '.join(procedure.names)}, {primary or 'primary'}, n={n}")
            names = (*procedure.names, "all 4 measures" if primary else "primary measure")
            promised = procedure.correction not in ("none", "benjamini-hochberg")
            shares = {n: tally_shares(tally, promised=promised) for n, tally in tallies.items()}
            for name, rows in parts.items():
                found = {n: share[name] for n, share in shares.items()}
                rows.append(Row(names, found, default=by_default))
            if procedure.correction == "benjamini-hochberg":
                found = {n: alarms(t.false_share, t.families) for n, t in tallies.items()}
                label = "share of false alarms among what is shown"
                discoveries.append(Row((names[0], names[1], label), found))
            if by_default and primary is None:
                found = {n: alarms(t.any_differ, t.families) for n, t in tallies.items()}
                variances.append(Row(("none needed", "`anova`: do any differ?", names[-1]), found))
    parts["partial"] += discoveries
    parts["alarms"] += variances
    note = _contradiction_note(parts.pop("contradictions"))
    for name, rows in parts.items():
        yield Table(
            _TITLES[name],
            header,
            tuple(rows),
            summary=_SUMMARIES.get(name, ""),
            note=note if name == "joint" else "",
        )


def _contradiction_note(rows: Sequence[Row]) -> str:
    """Say how often intervals and verdicts contradict each other, by procedure."""
    most = {row.names: max(share.value for share in row.shares.values()) for row in rows}
    never = [" ".join(names[:2]) for names, share in most.items() if not share]
    some = [f"{' '.join(names[:2])} {share:.3f}" for names, share in most.items() if share]
    told = f"Interval and verdict never contradict each other by {', '.join(dict.fromkeys(never))}"
    return (
        f"{told}; at most in this share of comparisons by {', '.join(some)}."
        if some
        else f"{told}."
    )


# One family or a primary measure


def effect_chances(differences: Floats, effect: float) -> Floats:
    """Return the chance of each query by which the standardised mean difference is `effect`."""
    target = 0.0
    for _ in range(20):
        chances = balanced(differences, target)
        mean = float(chances @ differences)
        target = effect * float(np.sqrt(chances @ (differences - mean) ** 2))
    return chances


_CHOICES: dict[str, dict[str, Any]] = {
    "one measure, evaluated alone": {"measures": FIVE_MEASURES[0]},
    "`primary=` the measure, four others beside it": {"primary": FIVE_MEASURES[0]},
    '`primary="all"`, max-T': {"primary": "all"},
    '`primary="all"`, Holm': {"primary": "all", "correction": "holm"},
    '`primary="all"`, Bonferroni': {"primary": "all", "correction": "bonferroni"},
}


def primary_tables(
    *, repetitions: int, seed: int, sizes: Sequence[int] = SIZES, queries: int = 20_000
) -> Iterator[Table]:
    """Measure what it costs to correct for five measures that nobody chose."""
    values = population(queries, measures=len(FIVE_MEASURES))
    pair = values[[0, 3]]
    chances = effect_chances(pair[1, 0] - pair[0, 0], 0.4)
    shown: dict[str, dict[Any, Share]] = {name: {} for name in _CHOICES}
    for n in sizes:
        random = np.random.default_rng([seed, n])
        counts = dict.fromkeys(_CHOICES, 0)
        for i in range(repetitions):
            scores = scores_of(pair[:, :, draw_by(chances, (n,), random)], FIVE_MEASURES)
            for name, how in _CHOICES.items():
                found = compare(scores, seed=i, options={"draws": DRAWS}, **how)
                counts[name] += found.shows(found.differences[0])
        for name, count in counts.items():
            shown[name][n] = Share(count, repetitions)
        say(f"primary: n={n}")
    yield Table(
        "Power by AP where d_z = 0.4, two systems and five measures",
        ("family",),
        tuple(Row((name,), shares) for name, shares in shown.items()),
    )

"""Real per-topic scores: files of one column a system and one row a topic.

Nothing of such files is part of the project. A file is called COLLECTION_MEASURE.csv, as
`adhoc8_ap.csv`. As in Urbano, Lima & Hanjalic 2019, doi:10.1145/3331184.3331259, the lowest quarter
of systems and copies are left out, and a pair is drawn from a collection with the chance of its
share of systems.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.progress import say
from benchmarks.statistics.families import DEFAULT, Procedure, Tally, run_family, tally_shares
from benchmarks.statistics.populations import SYSTEMS
from benchmarks.statistics.single import AS_PRINTED, interval_tables, level_tables
from benchmarks.statistics.tables import Column, Row, Share, Table, side_by_side
from cleverdon._common.arrays import Floats
from cleverdon.stats.intervals import METHODS
from cleverdon.stats.tests import TESTS

SIZES = (10, 25, 50, 100)
NAMES = {"ap": "AP", "p10": "P@10", "rr": "RR", "ndcg20": "nDCG@20", "err20": "ERR@20"}
_COPIES = 1e-5


@dataclass(frozen=True)
class RealScores:
    """Scores by collection and measure, topics x systems, and what may be drawn from them."""

    collections: dict[str, dict[str, Floats]]
    measures: tuple[str, ...]
    nulls: tuple[str, ...] = ("random signs", "centred")
    kinds: tuple[str, ...] = ("real",)
    _kept: dict[str, list[Floats]] = field(default_factory=dict)

    def of(self, m: int) -> list[Floats]:
        """Return the scores of each collection by a measure, without weak systems and copies."""
        measure = self.measures[m]
        if measure not in self._kept:
            found = [by[measure] for by in self.collections.values() if measure in by]
            self._kept[measure] = [kept_systems(scores) for scores in found]
        return self._kept[measure]

    def null(self, name: str, m: int, shape: tuple[int, int], seed: Sequence[int]) -> Floats:
        """Draw topics of a pair for each repetition, with random signs or less the true mean."""
        random = np.random.default_rng(list(seed))
        found = np.empty(shape)
        for row, (ours, theirs) in enumerate(self._pairs(m, shape[0], random)):
            differences = ours - theirs
            if name == "centred":
                differences = differences - differences.mean()
            found[row] = differences[random.integers(0, len(differences), size=shape[1])]
        if name == "random signs":
            found *= random.choice([-1.0, 1.0], size=shape)
        return found

    def pairs(
        self, kind: str, m: int, shape: tuple[int, int], seed: Sequence[int]
    ) -> tuple[Floats, Floats, Floats]:
        """Draw topics of a pair for each repetition."""
        random = np.random.default_rng(list(seed))
        ours, theirs, truth = np.empty(shape), np.empty(shape), np.empty(shape[0])
        for row, (one, other) in enumerate(self._pairs(m, shape[0], random)):
            at = random.integers(0, len(one), size=shape[1])
            ours[row], theirs[row], truth[row] = one[at], other[at], (one - other).mean()
        return ours, theirs, truth

    def _pairs(
        self, m: int, count: int, random: np.random.Generator
    ) -> Iterator[tuple[Floats, Floats]]:
        scores = self.of(m)
        systems = np.array([of.shape[1] for of in scores])
        for at in random.choice(len(scores), size=count, p=systems / systems.sum()):
            one, other = random.choice(systems[at], size=2, replace=False)
            yield scores[at][:, one], scores[at][:, other]


@dataclass(frozen=True)
class RealFamilies:
    """Families of six systems of one collection, by all of its measures."""

    collections: Sequence[dict[str, Floats]]
    measures: tuple[str, ...]

    def draw(self, n: int, random: np.random.Generator) -> tuple[Floats, Floats]:
        """Draw a collection, six of its systems, and topics."""
        by = self.collections[int(random.integers(len(self.collections)))]
        means = by[self.measures[0]].mean(axis=0)
        strong = np.flatnonzero(means >= np.quantile(means, 0.25))
        systems = random.choice(strong, size=SYSTEMS, replace=False)
        values = np.stack([by[measure][:, systems].T for measure in self.measures], axis=1)
        return values[:, :, random.integers(0, values.shape[2], size=n)], values.mean(axis=2)


def kept_systems(scores: Floats) -> Floats:
    """Leave out the lowest quarter of systems, and those that are copies of an earlier one."""
    means = scores.mean(axis=0)
    strong = scores[:, means >= np.quantile(means, 0.25)]
    kept: list[int] = []
    for column in range(strong.shape[1]):
        away = np.abs(strong[:, kept] - strong[:, [column]]).max(axis=0, initial=0)
        if not kept or (away > _COPIES).all():
            kept.append(column)
    return np.asarray(strong[:, kept])


def read_scores(places: Sequence[Path]) -> RealScores:
    """Read files of scores, and all such files of folders."""
    files = [
        file
        for place in places
        for file in (sorted(place.glob("*.csv")) if place.is_dir() else [place])
    ]
    collections: dict[str, dict[str, Floats]] = {}
    for file in files:
        collection, _, measure = file.stem.rpartition("_")
        with file.open(newline="", encoding="utf-8") as lines:
            _, *rows = csv.reader(lines)
        values = np.array(rows, dtype=float)
        collections.setdefault(collection, {})[NAMES.get(measure, measure)] = values
    if not collections:
        raise SystemExit("--scores: there is no file COLLECTION_MEASURE.csv")
    found = {measure for by in collections.values() for measure in by}
    known = [name for name in NAMES.values() if name in found]
    return RealScores(collections, (*known, *sorted(found.difference(known))))


def describe_scores(source: RealScores) -> str:
    """Describe the differences of all pairs of systems, by measure."""
    lines = [
        "| measure | pairs | standard deviation | zeros | size of skewness, median | 9 in 10 below "
        "| above 1 | above 2 |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for m, measure in enumerate(source.measures):
        spreads, zeros, shapes = [], [], []
        for scores in source.of(m):
            for one in range(scores.shape[1] - 1):
                rows = (scores[:, one + 1 :] - scores[:, [one]]).T
                away = rows - rows.mean(axis=1, keepdims=True)
                spread = np.sqrt((away**2).mean(axis=1))
                spreads.append(spread)
                zeros.append((rows == 0).mean(axis=1))
                shapes.append(np.abs((away**3).mean(axis=1) / spread**3))
        spread, zero, shape = (np.concatenate(of) for of in (spreads, zeros, shapes))
        lines.append(
            f"| {measure} | {len(shape):,} | {np.median(spread):.3f} | {np.median(zero):.2f} "
            f"| {np.median(shape):.2f} | {np.quantile(shape, 0.9):.2f} "
            f"| {(shape > 1).mean():.3f} | {(shape > 2).mean():.3f} |"
        )
    return "\n".join(lines)


def family_groups(source: RealScores) -> dict[str, RealFamilies]:
    """Return families of the collections that have the same measures."""
    groups: dict[tuple[str, ...], list[dict[str, Floats]]] = {}
    for by in source.collections.values():
        names = tuple(name for name in source.measures if name in by)
        groups.setdefault(names, []).append(by)
    return {", ".join(names): RealFamilies(of, names) for names, of in groups.items()}


def real_tables(
    source: RealScores, *, repetitions: int, seed: int, sizes: Sequence[int] = SIZES
) -> Iterator[object]:
    """Measure tests, intervals and the default family on samples of real topics."""
    yield describe_scores(source)
    many: dict[str, Any] = {"repetitions": repetitions, "seed": seed, "sizes": sizes}
    tests = (*TESTS, "bootstrap, not studentised")  # the last is that of the paper
    levels = [
        replace(table, summary=f"`randomisation` test, real scores, {null}")
        for null, table in zip(source.nulls, level_tables(source, tests=tests, **many), strict=True)
    ]
    yield side_by_side(
        "False alarms of each test at the level 0.05, real scores",
        dict(zip(("signs", "centred"), levels, strict=True)),
    )
    yield from interval_tables(source, methods=(AS_PRINTED, *METHODS), **many)
    yield from real_family_tables(source, **many)


_HOLM = Procedure("randomisation", "holm")


def real_family_tables(
    source: RealScores, *, repetitions: int, seed: int, sizes: Sequence[int] = SIZES
) -> Iterator[Table]:
    """Measure families of six real systems, by the default and by Holm's correction."""
    rows: list[Row] = []
    labels = {
        "alarms": "false alarm, all equal",
        "partial": "false alarm, three equal",
        "joint": "joint coverage",
        "contradictions": "contradictions",
    }
    for name, families in family_groups(source).items():
        for primary, by_holm in ((None, False), ("all", False), (None, True), ("all", True)):
            tallies: dict[int, Tally] = {}
            for n in sizes:
                tallies[n] = run_family(
                    families,
                    _HOLM if by_holm else DEFAULT,
                    primary=primary,
                    n=n,
                    repetitions=repetitions,
                    seed=seed,
                )
            of = f"all of {name}" if primary else f"primary: {families.measures[0]}"
            say(f"real families: {of}")
            shares = {n: tally_shares(tally) for n, tally in tallies.items()}
            for key, label in labels.items():
                found: dict[Column, Share] = {n: share[key] for n, share in shares.items()}
                label = f"{label}, `holm`" if by_holm else label
                rows.append(Row((label, of), found, default=not by_holm))
    most = max(
        share.value
        for row in rows
        if row.names[0] == labels["contradictions"]
        for share in row.shares.values()
    )
    for keys, title, summary, note in (
        (("alarms", "partial"), "False alarms of families", "`max-t`, real scores", ""),
        (
            ("joint",),
            "Joint coverage of families",
            "all intervals of a `max-t` family at once, real scores",
            f"By `max-t`, interval and verdict contradict each other in at most {most:.3f} of "
            "comparisons.",
        ),
    ):
        known = {labels[key] for key in keys} | {f"{labels[key]}, `holm`" for key in keys}
        chosen = tuple(row for row in rows if row.names[0] in known)
        header = ("what", "family")
        yield Table(f"{title}, six real systems", header, chosen, summary=summary, note=note)

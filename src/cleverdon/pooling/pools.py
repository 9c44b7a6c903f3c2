"""Pools: the documents to judge, and which systems returned them.

Pools are made by depth or by a weight. Of a sampled pool a random part is judged, each document
with a known probability, so that what the whole pool would have given can be estimated: by infAP
and xinfAP from strata, by statAP from probabilities. Within a query the order is shuffled, so that
it tells nothing of ranks. Judges get the sheet (`Pool.sheet`): queries and documents, and no more.
Which system returned a document at which rank stays in the pool, for the analysis.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import nan
from typing import Any

import numpy as np

from cleverdon import _core
from cleverdon._common.arrays import Bools, Floats, Ints
from cleverdon._common.text import counted, printable
from cleverdon.data import POOLED, Annotations, Judgments, Nested
from cleverdon.errors import InputError, OptionError, check_seed, check_word
from cleverdon.pooling.choices import QRELS_KINDS
from cleverdon.pooling.contributions import Contributions, Contributor, QueryContributions
from cleverdon.tables.result import Result, in_json
from cleverdon.tables.sections import Section, count_format
from cleverdon.tables.table import TextTable


@dataclass(frozen=True, eq=False, repr=False)
class Pool(Result):
    """Documents to judge, query by query, in the order in which they are judged.

    Attributes:
        queries: The queries.
        starts: The position of each query's first document, and of the end.
        docs: The documents, shuffled within each query.
        drawn: The documents to judge; of a sample, a part.
        contributors: The systems that were pooled.
        row_starts: The position of each document's first contribution, and of the end.
        system: The system of each contribution.
        rank: The rank of each contribution.
        stratum: The stratum of each document; None without strata.
        probability: The probability with which each document was drawn; None if all are judged.
        how: The method and its options.
        judged: The documents that were judged before, and are not on the sheet.
        notes: Notes and warnings on the runs and judgments that it was made of.

    >>> from cleverdon.pooling import pool
    >>> runs = {"a": {"q1": {"d1": 2, "d2": 1}}, "b": {"q1": {"d3": 2, "d1": 1}}}
    >>> pool = pool(runs, depth=1)
    >>> sorted(pool.sheet()), pool.contributions(pool.docs.index("d3"))
    ([('q1', 'd1'), ('q1', 'd3')], {'b': 1})
    """

    _drawn = ("to judge", "run")

    queries: tuple[str, ...]
    starts: Ints
    docs: list[str]
    drawn: Bools
    contributors: tuple[Contributor, ...] = ()
    row_starts: Ints = field(default_factory=lambda: np.zeros(1, dtype=np.int64))
    system: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    rank: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    stratum: Ints | None = None
    probability: Floats | None = None
    how: Mapping[str, Any] = field(default_factory=dict)
    judged: Bools | None = None
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        """Count all documents, also those that were not drawn."""
        return len(self.docs)

    def __repr__(self) -> str:
        to_judge = int(self.drawn.sum())
        return f"<Pool: {to_judge:,} documents to judge for {len(self.queries):,} queries>"

    def rows(self) -> Iterator[tuple[str, int]]:
        """Yield the query and the position of each document."""
        for query, (start, stop) in zip(self.queries, pairwise(self.starts.tolist()), strict=True):
            for position in range(start, stop):
                yield query, position

    @property
    def waiting(self) -> Bools:
        """The documents that are still to be judged."""
        return self.drawn if self.judged is None else self.drawn & ~self.judged

    def sheet(self) -> Iterator[tuple[str, str]]:
        """Yield what judges see: the query and the id of each document to judge."""
        wanted = self.waiting.tolist()
        return ((query, self.docs[at]) for query, at in self.rows() if wanted[at])

    def with_judged(self, grades: Mapping[str, Mapping[str, float]]) -> Pool:
        """Return the pool with the documents marked that have a grade; one below 0 is none."""
        known = (grades.get(query, {}).get(self.docs[at], -1) >= 0 for query, at in self.rows())
        return replace(self, judged=np.fromiter(known, dtype=bool, count=len(self)))

    def contributions(self, position: int) -> dict[str, int]:
        """Return the rank by each system that returned the document at a position."""
        start, stop = self.row_starts[position : position + 2]
        rows = slice(int(start), int(stop))
        pairs = zip(self.system[rows].tolist(), self.rank[rows].tolist(), strict=True)
        return {self.contributors[system].name: rank for system, rank in pairs}

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return one table: a row for each run; of a sample of the collection, for each stratum."""
        count = count_format(exact=exact)
        numbers: Sequence[tuple[str, *tuple[int, ...]]]
        if "stratum_names" in self.how:
            header, numbers = ["stratum", "to draw from", "drawn"], self._stratum_counts()
            size = counted(self.how["docs"], "document")
            notes = [f"of a collection of {size}, for {counted(len(self.queries), 'query')}"]
        else:
            header = ["run", "in the pool", "to judge", "no other run's"]
            numbers, notes = self._run_counts(), self._notes()
        rows = [[printable(name), *map(count, row)] for name, *row in numbers]
        return [Section(f"{header[0]}s", TextTable(header, rows, 1, notes), titled=False)]

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers of documents: in all, by query and by run."""
        to_judge = self._waiting_by_query().tolist()
        return {
            "how": dict(self.how),
            "documents": len(self),
            "drawn": int(self.drawn.sum()),
            "to_judge": sum(to_judge),
            "queries": dict(zip(self.queries, to_judge, strict=True)),
            "runs": [
                {"run": name, "in_pool": found, "to_judge": judged, "alone": alone}
                for name, found, judged, alone in self._run_counts()
            ],
        }

    def _run_counts(self) -> list[tuple[str, int, int, int]]:
        """Count each system's documents: all, those to judge, and of these its own alone."""
        doc = np.repeat(np.arange(len(self)), np.diff(self.row_starts))
        waiting = self.waiting[doc]
        alone = waiting & (np.diff(self.row_starts)[doc] == 1)
        columns = (
            np.bincount(self.system[rows], minlength=len(self.contributors)).tolist()
            for rows in (slice(None), waiting, alone)
        )
        return list(zip((each.name for each in self.contributors), *columns, strict=True))

    def _stratum_counts(self) -> list[tuple[str, int, int]]:
        drawn = Counter(() if self.stratum is None else self.stratum.tolist())
        sizes: Counter[str] = Counter()
        for of_query in self.how["sizes"].values():
            sizes.update(of_query)
        names = enumerate(self.how["stratum_names"], start=1)
        return [(name, sizes[name], drawn[number]) for number, name in names]

    def _waiting_by_query(self) -> Ints:
        query = np.repeat(np.arange(len(self.queries)), np.diff(self.starts))
        return np.bincount(query[self.waiting], minlength=len(self.queries))

    def _notes(self) -> list[str]:
        to_judge = self._waiting_by_query()
        total, drawn = int(to_judge.sum()), int(self.drawn.sum())
        among = f"{counted(total, 'document')} to judge for {counted(len(self.queries), 'query')}"
        spread = f"{to_judge.min():,} to {to_judge.max():,}, {to_judge.mean():,.1f} on average"
        notes = [f"{among}: {spread}"]
        if total < drawn:
            notes.append(f"{counted(drawn - total, 'document')} judged already")
        if drawn < len(self):
            notes.append(f"drawn from a pool of {counted(len(self), 'document')}")
        if self.stratum is not None:
            sizes = Counter(self.stratum.tolist())
            taken = Counter(self.stratum[self.drawn].tolist())
            parts = (f"{taken[at]:,} of {sizes[at]:,} in stratum {at}" for at in sorted(sizes))
            notes.append(", ".join(parts))
        return notes


def pool_of(
    found: Contributions,
    chosen: Ints,
    *,
    seed: int,
    how: Mapping[str, Any],
    drawn: Bools | None = None,
    stratum: Ints | None = None,
    probability: Floats | None = None,
) -> Pool:
    """Pool the chosen documents (indices of `found`), shuffled within each query."""
    check_seed(seed)
    if len(chosen) == 0:
        raise InputError("the pool is empty: no system returned anything")
    random = np.random.default_rng(seed)
    # Keys are drawn in the order of queries and ids, so that the order of the runs does not matter.
    query = found.query_of_doc[chosen]
    order = np.lexsort((random.random(len(chosen)), query))
    place = np.full(len(found), -1)
    place[chosen[order]] = np.arange(len(chosen))
    of_row = place[found.doc]
    rows = np.flatnonzero(of_row >= 0)
    rows = rows[np.argsort(of_row[rows], kind="stable")]
    counts = np.bincount(of_row[rows], minlength=len(chosen))
    sizes = np.bincount(query, minlength=len(found.queries))
    kept = np.flatnonzero(sizes)
    return Pool(
        queries=tuple(found.queries[at] for at in kept),
        starts=np.concatenate(([0], np.cumsum(sizes[kept]))),
        docs=found.names(chosen[order]),
        drawn=np.ones(len(chosen), dtype=bool) if drawn is None else drawn[order],
        contributors=found.contributors,
        row_starts=np.concatenate(([0], np.cumsum(counts))),
        system=found.system[rows],
        rank=found.rank[rows],
        stratum=None if stratum is None else stratum[order],
        probability=None if probability is None else probability[order],
        how={**how, **({} if found.depth is None else {"depth": found.depth}), "seed": seed},
    )


def query_contributions(pool: Pool, query: str) -> QueryContributions:
    """Return the rows of a query, as `Contributions.of` does, without scores.

    >>> from cleverdon.pooling.pool_methods import depth_pool
    >>> from cleverdon.pooling.contributions import gather
    >>> found = gather({"a": {"q1": {"d1": 2, "d2": 1}}, "b": {"q1": {"d3": 2, "d1": 1}}})
    >>> [each.tolist() for each in query_contributions(depth_pool(found, k=2), "q1").rankings]
    [[0, 1], [2, 0]]
    """
    if query not in pool.queries:
        raise InputError(f"the pool has no query {query!r}")
    at = pool.queries.index(query)
    start, stop = int(pool.starts[at]), int(pool.starts[at + 1])
    docs = pool.docs[start:stop]
    order = sorted(range(len(docs)), key=lambda position: docs[position].encode())
    number = np.empty(len(docs), dtype=np.int64)
    number[order] = np.arange(len(docs))
    rows = slice(int(pool.row_starts[start]), int(pool.row_starts[stop]))
    doc = np.repeat(number, np.diff(pool.row_starts[start : stop + 1]))
    system, rank = pool.system[rows], pool.rank[rows]
    by_rank = np.lexsort((rank, system))
    found = QueryContributions(
        query,
        [docs[position] for position in order],
        system[by_rank],
        doc[by_rank],
        rank[by_rank],
        np.zeros(len(by_rank)),
        len(pool.contributors),
    )
    _check_complete(found, pool)
    return found


def _check_complete(found: QueryContributions, pool: Pool) -> None:
    """Refuse rankings with gaps: methods read them from their tops."""
    for system, ranking in enumerate(found.rankings):
        ranks = found.rank[found.system == system]
        if not np.array_equal(ranks, np.arange(1, len(ranking) + 1)):
            name = pool.contributors[system].name
            raise InputError(
                f"of query {found.query!r}, the pool lacks results of {name!r} between others: an "
                "adaptive method needs all of them, down to some rank"
            )


@dataclass(frozen=True, eq=False)
class JudgedPool(Result):
    """The judgments of a pool.

    Attributes:
        judgments: The judgments, with strata or probabilities where these are asked for.
        judged: The number of documents that were to be judged, and were.
        waiting: The number that were to be judged, and are not yet.
        not_drawn: The number of documents of the pool that were never to be judged.
        left_out: The number of judged documents that were not drawn: in an estimate they would
            stand for others.
        outside: The number of judged documents that are not of the pool; of a sample, they are left
            out as well.
        uniform: True if all documents of a query were equally likely to be drawn.
        kind: One of `QRELS_KINDS`.

    >>> pool = Pool(("q1",), np.array([0, 2]), ["d1", "d2"], np.array([True, True]))
    >>> judged_pool(pool, {"q1": {"d1": 2}}).summary
    '1 document judged, 1 still to judge'
    """

    judgments: Judgments = field(metadata=in_json(None))
    judged: int
    waiting: int
    not_drawn: int
    left_out: int
    outside: int
    uniform: bool
    kind: str = "plain"

    @property
    def summary(self) -> str:
        """The numbers of documents, in one line."""
        parts = [f"{counted(self.judged, 'document')} judged"]
        parts += [f"{number:,} {what}" for what, number in self._others() if number]
        return ", ".join(parts)

    @property
    def warnings(self) -> list[str]:
        """The reasons why estimates from the sample are wrong, or would have been."""
        found = []
        if self.left_out:
            found.append(
                f"{self.left_out:,} grades are of documents that were not drawn, and are left out: "
                "an estimate would take them for a part of the sample"
            )
        if self.waiting and self.not_drawn:
            found.append(
                "estimates from a sample need all of it judged: what is still to judge makes them "
                "wrong"
            )
        if self.kind == "plain" and not self.uniform:
            found.append(
                "infAP takes every document to be as likely in the sample as any other, and these "
                "are not: it will be too high; take --qrels-kind strata with xinfAP, or "
                "--qrels-kind sampled with statAP"
            )
        return found

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return one table: the number of documents of each kind."""
        count = count_format(exact=exact)
        numbers = [("judged", self.judged), *self._others()]
        rows = [[what, count(number)] for what, number in numbers]
        return [Section("documents", TextTable(["documents", "number"], rows, 1, []))]

    def closing(self) -> list[str]:
        """Return the warnings."""
        return self.warnings

    def _others(self) -> list[tuple[str, int]]:
        return [
            ("still to judge", self.waiting),
            ("pooled and not drawn", self.not_drawn),
            ("judged that the pool has not", self.outside),
        ]


def judged_pool(
    pool: Pool, grades: Mapping[str, Mapping[str, float]], *, kind: str | None = None
) -> JudgedPool:
    """Combine a pool and its grades to judgments; what has no grade gets -1: pooled, not judged.

    Grades of documents that a sample did not draw, of its pool or not, are left out: a sample to
    which documents were added on purpose is not random.

    Args:
        pool: The pool.
        grades: Grades by query and document, as `read_grades` returns them.
        kind: The values written with the grades: none (plain, for infAP), strata (for xinfAP) or
            probabilities (sampled, for statAP). A sample needs it, since a file does not show it.

    Returns:
        The judgments, and the numbers of documents judged and not judged.

    >>> from cleverdon.pooling import pool
    >>> pool = pool({"a": {"q1": {"d1": 2, "d2": 1}}}, depth=2)
    >>> judged_pool(pool, {"q1": {"d1": 2}}).judgments["q1"]["d2"]
    -1.0
    """
    sample = pool.probability is not None
    if kind is None and sample:
        raise OptionError(
            "the pool is a sample: name the kind of judgments to make of it, strata (for xinfAP), "
            "sampled (for statAP) or plain (for infAP)"
        )
    kind = kind or "plain"
    check_word("kind", kind, QRELS_KINDS)
    if kind == "strata" and pool.stratum is None:
        raise OptionError("the pool has no strata: it is not a stratified sample")
    if kind == "sampled" and not sample:
        raise OptionError("the pool has no probabilities: it is not a sample")
    nested: Nested = {query: {} for query in pool.queries}
    left = {query: dict(of_query) for query, of_query in grades.items()}
    judged = left_out = 0
    for (query, at), drawn in zip(pool.rows(), pool.drawn.tolist(), strict=True):
        doc = pool.docs[at]
        grade = left.get(query, {}).pop(doc, POOLED)
        judged += drawn and grade >= 0
        left_out += not drawn and grade >= 0
        nested[query][doc] = grade if drawn and grade >= 0 else POOLED
    outside = [(t, d, g) for t, rest in left.items() for d, g in rest.items() if g >= 0]
    if not judged + left_out:
        _refuse_judgments(pool, outside)
    notes = _sample_annotations(pool, kind)
    if not sample:
        for query, doc, grade in outside:
            nested.setdefault(query, {})[doc] = grade
    to_judge = int(pool.drawn.sum())
    return JudgedPool(
        Judgments(_core.Table.from_dict(nested, "grade", "unchecked"), name="pool", notes=notes),
        judged=judged,
        waiting=to_judge - judged,
        not_drawn=len(pool) - to_judge,
        left_out=left_out + (len(outside) if sample else 0),
        outside=len(outside),
        uniform=_is_uniform(pool),
        kind=kind,
    )


def _refuse_judgments(pool: Pool, outside: list[tuple[str, str, float]]) -> None:
    if not outside:
        raise InputError("there is no judgment yet: fill in the column grade of the sheet")
    query, doc, _ = outside[0]
    raise InputError(
        f"no judgment is of a document of the pool: they have {doc!r} of query {query!r}, the pool "
        f"has {pool.docs[0]!r} of query {pool.queries[0]!r}"
    )


def _sample_annotations(pool: Pool, kind: str) -> Annotations:
    nested: Nested = {query: {} for query in pool.queries}
    if kind == "strata" and pool.stratum is not None:
        strata = pool.stratum.tolist()
        for query, at in pool.rows():
            nested[query][pool.docs[at]] = strata[at]
        return Annotations(stratum=nested)
    if kind == "sampled" and pool.probability is not None:
        # What was not drawn has no probability: it stands for nothing.
        known = np.where(pool.drawn, pool.probability, nan).tolist()
        for query, at in pool.rows():
            nested[query][pool.docs[at]] = known[at]
        return Annotations(probability=nested)
    return Annotations()


def _is_uniform(pool: Pool) -> bool:
    if pool.probability is None:
        return True
    query = np.repeat(np.arange(len(pool.queries)), np.diff(pool.starts))
    first = pool.probability[pool.starts[:-1]]
    return bool(np.allclose(pool.probability, first[query]))

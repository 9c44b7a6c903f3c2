"""Candidates to judge: from a pool, a list of pairs or runs; shuffled, with gold and overlap.

Gold documents have a known grade; mixed into the queue, they show how closely people look.
"""

from __future__ import annotations

import io
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from zlib import crc32

import numpy as np

from cleverdon._common.text import counted
from cleverdon.data import Judgments
from cleverdon.errors import InputError, OptionError
from cleverdon.formats.columns import (
    choose_list_columns,
    ending_of,
    first_line,
    is_column_header,
    likely_separator,
    named_columns,
    without_separator_line,
)
from cleverdon.formats.inputs import open_source
from cleverdon.formats.mappings import id_text, is_list
from cleverdon.formats.spreadsheets import Sheet, read_table
from cleverdon.formats.streams import csv_rows, decode_text
from cleverdon.judging.contents import Item, line_of
from cleverdon.judging.scale import Scale
from cleverdon.pooling.adaptive.judging import Limits
from cleverdon.pooling.adaptive.methods import Method
from cleverdon.pooling.contributions import Contributions
from cleverdon.pooling.files import COLUMNS, read_pool
from cleverdon.pooling.pool_methods import depth_pool
from cleverdon.pooling.pools import Pool, pool_of

# The columns of query and document in a file without a header, by the number of fields.
_PLACES = {2: (0, 1), 3: (0, 1), 4: (0, 2)}


@dataclass(frozen=True)
class Candidate:
    """A document to judge for a query."""

    query: str
    document: str
    stratum: int | None = None
    probability: float | None = None


@dataclass(frozen=True)
class Adaptive:
    """An adaptive method, and when its queries end."""

    method: Method
    limits: Limits

    def to_json(self, seed: int) -> dict[str, Any]:
        """Return the record that the settings keep."""
        return {"method": str(self.method), "seed": seed, "limits": vars(self.limits)}


@dataclass(frozen=True)
class Candidates:
    """Candidates, and their origin."""

    candidates: tuple[Candidate, ...]
    how: Mapping[str, Any] = field(default_factory=dict)
    pool: Pool | None = None  # which system returned what; kept beside the database
    adaptive: Adaptive | None = None

    @property
    def queries(self) -> tuple[str, ...]:
        """The queries that have something to judge."""
        return tuple(dict.fromkeys(each.query for each in self.candidates))


def _candidates_of_pool(pool: Pool) -> Candidates:
    """Return the documents of a pool that were drawn."""
    drawn = pool.drawn.tolist()
    layers = [None] * len(pool) if pool.stratum is None else pool.stratum.tolist()
    shares = [None] * len(pool) if pool.probability is None else pool.probability.tolist()
    candidates = tuple(
        Candidate(query, pool.docs[at], layers[at], shares[at])
        for query, at in pool.rows()
        if drawn[at]
    )
    if not candidates:
        raise InputError("no document of the pool was drawn, so there is nothing to judge")
    return Candidates(candidates, pool.how, pool)


def candidates_of_runs(found: Contributions, *, depth: int, seed: int = 0) -> Candidates:
    """Return what some run has in its first `depth` results."""
    return _candidates_of_pool(depth_pool(found, k=depth, seed=seed))


def adaptive_candidates(found: Contributions, adaptive: Adaptive, *, seed: int = 0) -> Candidates:
    """Return all results of runs, from which a method chooses."""
    how = {"method": "adaptive", "adaptive": str(adaptive.method)}
    limits = {name: limit for name, limit in vars(adaptive.limits).items() if limit is not None}
    whole = pool_of(found, np.arange(len(found)), seed=seed, how={**how, **limits})
    return replace(_candidates_of_pool(whole), adaptive=adaptive)


def read_candidates(path: str | os.PathLike[str]) -> Candidates:
    """Read a pool, a sheet, qrels, or lines of query and document."""
    opened = open_source(os.fspath(path))
    head = opened.head(1 << 12).decode("utf-8-sig", "replace")
    if head.startswith(("# cleverdon pool ", "\t".join(COLUMNS))):
        return _candidates_of_pool(read_pool(path))
    pairs: Iterable[tuple[str, str]]
    sheet = read_table(opened)
    if sheet is not None and not any(is_list(cell) for row in sheet.cells for cell in row):
        pairs = _of_cells(sheet, opened.name)
    elif sheet is not None or head.lstrip().startswith("{"):
        nested = Judgments.read(opened).to_dict()
        pairs = ((query, document) for query, of_query in nested.items() for document in of_query)
    else:
        text = decode_text(opened.head(2**62), source=opened.name, line=1, encoding="utf-8-sig")
        pairs = _pairs(text, opened.name)
    candidates = tuple(Candidate(*pair) for pair in dict.fromkeys(pairs))
    if not candidates:
        raise InputError("has no documents to judge", source=opened.name)
    return Candidates(candidates, {"method": "list"})


def _pairs(text: str, source: str) -> Iterator[tuple[str, str]]:
    named, text = without_separator_line(text)
    lines = text.split("\n")
    first = first_line(text, comments=False)
    separator = named or likely_separator(first)
    rows = list(csv_rows(io.StringIO(text, newline=""), separator, source=source))
    header = [" ".join(name.split()) for name in rows[0][1]] if rows else []
    is_table = named is not None or ending_of(source) == ".csv"
    if is_table or (separator in first and is_column_header(header)):
        found = rows if named_columns().numbered else rows[1:]
        numbers, cells = [line for line, _ in found], [row for _, row in found]
        yield from _of_cells(Sheet("", header, cells, numbers), source)
        return
    for number, line in enumerate(lines, start=1):
        fields = line.split()
        if not fields or line.startswith("#"):
            continue
        if "\t" in line and fields != [cell for cell in map(str.strip, line.split("\t")) if cell]:
            raise InputError(
                "tabs and blanks are mixed: which of them separate the fields? Begin with a header "
                "such as query and document, separated by a tab, or use only blanks",
                source=source,
                line=number,
            )
        if len(fields) not in _PLACES:
            hint = "; runs are given by --runs" if len(fields) == 6 else ""
            raise InputError(
                "expected a query and a document, or a line of qrels: query, 0, document, grade; "
                f"found {counted(len(fields), 'field')}{hint}",
                source=source,
                line=number,
            )
        query, document = _PLACES[len(fields)]
        yield fields[query], fields[document]


def _of_cells(sheet: Sheet, source: str) -> Iterator[tuple[str, str]]:
    """The queries and documents of a table, which has a row for each."""
    (query, document, _), _ = choose_list_columns(
        sheet.columns,
        kind="grade",
        source=source,
        holds_lists=lambda at: False,  # grades of a pool play no part
        sample=lambda: sheet.cells[:3],
    )
    for line, cells in zip(sheet.lines, sheet.cells, strict=True):
        pair = []
        for at in (query, document):
            cell = cells[at] if at < len(cells) else None
            if cell is None or not str(cell).strip():
                message = "expected a query and a document, and one of them is missing"
                raise InputError(message, source=source, line=line or None)
            pair.append(id_text(cell, "id", "", source=source, line=line or None).strip())
        yield pair[0], pair[1]


Gold = Mapping[str, Mapping[str, int]]
"""Query to document to the grade that is known to be right."""


@dataclass(frozen=True)
class Overlap:
    """The part of the documents that two people judge: a share, or a number of each query."""

    share: float | None = None
    count: int | None = None

    def of(self, documents: int, chance: float) -> int:
        """Return how many of a query's documents; `chance` rounds fractions up or down."""
        if self.count is not None:
            return min(self.count, documents)
        return min(int((self.share or 0) * documents + chance), documents)

    def __str__(self) -> str:
        return f"{self.share:g}" if self.count is None else str(self.count)


def parse_overlap(text: str) -> Overlap:
    """Parse an overlap such as 0.1, 10% or 5."""
    given = text.strip()
    try:
        if given.isdecimal():
            return Overlap(count=int(given))
        share = float(given.removesuffix("%")) / (100 if given.endswith("%") else 1)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise OptionError(
            f"the overlap {text!r} is not known: give a share of the documents, as 0.1 or 10%, or "
            "how many of each query, as 5"
        )
    return Overlap(share=share)


def make_items(
    candidates: Iterable[Candidate],
    *,
    seed: int,
    gold: Gold,
    judges: int = 1,
    overlap: Overlap | None = None,
    adaptive: bool = False,
) -> list[Item]:
    """Return the items of all queries; with an adaptive method they have no position yet.

    Their order depends only on the seed, the query and the ids: it tells nothing about ranks or
    the order of files.
    """
    by_query: dict[str, dict[str, Candidate]] = {}
    for each in candidates:
        by_query.setdefault(each.query, {})[each.document] = each
    for query, documents in gold.items():
        for document in documents:
            by_query[query].setdefault(document, Candidate(query, document))
    plain = {
        query: [document for document in found if document not in gold.get(query, {})]
        for query, found in by_query.items()
    }
    twice = draw_overlap(plain, overlap, seed=seed) if overlap else set()
    items = []
    for query, found in by_query.items():
        known = gold.get(query, {})
        items += [
            Item(
                query,
                document,
                None if adaptive else place,
                wanted=2 if (query, document) in twice else judges,
                gold=known.get(document),
                stratum=found[document].stratum,
                probability=found[document].probability,
            )
            for place, document in enumerate(shuffled(query, found, seed=seed))
        ]
    return items


def draw_overlap(
    queries: Mapping[str, Sequence[str]], overlap: Overlap, *, seed: int
) -> set[tuple[str, str]]:
    """Draw the documents that two people judge; a larger overlap holds the smaller one."""
    drawn: set[tuple[str, str]] = set()
    for query, documents in queries.items():
        chance = float(_random(query, seed, "overlap").random())
        order = shuffled(query, documents, seed=seed, of="overlap documents")
        drawn |= {(query, document) for document in order[: overlap.of(len(order), chance)]}
    return drawn


def shuffled(query: str, documents: Collection[str], *, seed: int, of: str = "order") -> list[str]:
    """Return the documents of a query in a random order that ignores the given one."""
    ordered = sorted(documents)
    return [ordered[at] for at in _random(query, seed, of).permutation(len(ordered))]


def _random(query: str, seed: int, of: str) -> np.random.Generator:
    """Return a generator for one query and purpose, which does not depend on other queries."""
    return np.random.default_rng([seed, crc32(query.encode()), crc32(of.encode())])


def read_gold(path: str | os.PathLike[str], *, queries: tuple[str, ...], scale: Scale) -> Gold:
    """Read gold grades from qrels; refuse queries that are not judged."""
    source = os.fspath(path)
    found = Judgments.read(source).to_dict()
    unknown = sorted(set(found) - set(queries))
    if unknown:
        raise InputError(
            f"query {unknown[0]!r} is not among the queries to judge; remove its lines",
            source=source,
            line=line_of(unknown[0], next(iter(found[unknown[0]]), ""), source),
        )
    for query, of_query in found.items():
        for document, grade in of_query.items():
            if grade not in scale:
                listed = ", ".join(map(str, scale.values))
                raise InputError(
                    f"the grade {grade:g} of document {document!r}, query {query!r}, is not on the "
                    f"scale: it can be {listed}",
                    source=source,
                    line=line_of(query, document, source),
                )
    return {
        query: {document: int(grade) for document, grade in of_query.items()}
        for query, of_query in found.items()
    }

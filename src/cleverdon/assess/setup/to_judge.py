"""What is to be judged: the documents of a pool, of any list of pairs, or of what runs returned."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cleverdon.data import Judgments
from cleverdon.errors import InputError
from cleverdon.pool import Contributions, depth_pool
from cleverdon.pool.adaptive import Limits, Method
from cleverdon.pool.file import COLUMNS, read_pool
from cleverdon.pool.pooled import Pool, pooled
from cleverdon.read import open_source
from cleverdon.read.columns import DOCUMENT, QUERY, is_header, position
from cleverdon.read.unpacked import decoded
from cleverdon.show.grid import counted

_PLACES = {2: (0, 1), 3: (0, 1), 4: (0, 2)}
"""Where query and document stand in lines without a header, by how many fields they have."""


@dataclass(frozen=True)
class Candidate:
    """A document that is to be judged for a topic."""

    topic: str
    document: str
    stratum: int | None = None
    probability: float | None = None


@dataclass(frozen=True)
class Adaptive:
    """How documents are given out one after the other."""

    method: Method
    limits: Limits

    def to_json(self, seed: int) -> dict[str, Any]:
        """As the settings keep it."""
        return {"method": str(self.method), "seed": seed, "limits": vars(self.limits)}


@dataclass(frozen=True)
class ToJudge:
    """Candidates, and how they came about."""

    candidates: tuple[Candidate, ...]
    how: Mapping[str, Any] = field(default_factory=dict)
    pool: Pool | None = None  # which system returned what; kept beside the database
    adaptive: Adaptive | None = None

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics that have something to judge."""
        return tuple(dict.fromkeys(each.topic for each in self.candidates))


def of_pool(pool: Pool) -> ToJudge:
    """The documents of a pool that were drawn."""
    drawn = pool.drawn.tolist()
    layers = [None] * len(pool) if pool.stratum is None else pool.stratum.tolist()
    shares = [None] * len(pool) if pool.probability is None else pool.probability.tolist()
    candidates = tuple(
        Candidate(topic, pool.docs[at], layers[at], shares[at])
        for topic, at in pool.rows()
        if drawn[at]
    )
    if not candidates:
        raise InputError("no document of the pool was drawn, so there is nothing to judge")
    return ToJudge(candidates, pool.how, pool)


def of_runs(found: Contributions, *, depth: int, seed: int = 0) -> ToJudge:
    """Whatever some run has in its first `depth` results."""
    return of_pool(depth_pool(found, k=depth, seed=seed))


def of_runs_adaptively(found: Contributions, adaptive: Adaptive, *, seed: int = 0) -> ToJudge:
    """All that runs returned; a method chooses what of it is judged, and when."""
    how = {"method": "adaptive", "adaptive": str(adaptive.method)}
    limits = {name: limit for name, limit in vars(adaptive.limits).items() if limit is not None}
    whole = pooled(found, np.arange(len(found)), seed=seed, how={**how, **limits})
    return replace(of_pool(whole), adaptive=adaptive)


def of_file(path: str | os.PathLike[str]) -> ToJudge:
    """A pool; or any list of pairs: a judges' sheet, qrels, or queries and documents a line."""
    opened = open_source(os.fspath(path))
    head = opened.head(1 << 12).decode("utf-8-sig", "replace")
    if head.startswith(("# cleverdon pool ", "\t".join(COLUMNS))):
        return of_pool(read_pool(path))
    if _is_lines_of_json(head):
        raise InputError(
            "has JSON in lines: give qrels, or a table with the columns query and document",
            source=opened.name,
        )
    if head.lstrip().startswith(("{", "[")) or "\0" in head:
        nested = Judgments.read(opened).to_dict()
        pairs: Iterator[tuple[str, str]] = (
            (topic, document) for topic, of_topic in nested.items() for document in of_topic
        )
    else:
        text = decoded(opened.head(2**62), source=opened.name, line=1, encoding="utf-8-sig")
        pairs = _pairs(text, opened.name)
    candidates = tuple(Candidate(*pair) for pair in dict.fromkeys(pairs))
    if not candidates:
        raise InputError("has no documents to judge", source=opened.name)
    return ToJudge(candidates, {"method": "list"})


def _is_lines_of_json(head: str) -> bool:
    first, _, rest = head.strip().partition("\n")
    return first.startswith("{") and first.rstrip().endswith("}") and rest.startswith("{")


def _pairs(text: str, source: str) -> Iterator[tuple[str, str]]:
    lines = text.split("\n")
    begins = next((place for place, line in enumerate(lines) if line.strip()), 0)
    first = lines[begins].rstrip("\r")
    separator = max("\t;,", key=first.count)
    header = [name.strip().strip('"') for name in first.split(separator)]
    if separator in first and is_header(header):
        places = position(header, QUERY), position(header, DOCUMENT)
        yield from _of_table("\n".join(lines[begins:]), separator, places, source, begins)
        return
    for number, line in enumerate(lines, start=1):
        fields = line.split()
        if not fields or line.startswith("#"):
            continue
        if "\t" in line and fields != [cell for cell in map(str.strip, line.split("\t")) if cell]:
            raise InputError(
                "tabs and blanks are mixed: which of them part the fields? Begin with a line of "
                "names, as in query and document, parted by a tab, or use blanks alone",
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


def _of_table(
    text: str, separator: str, places: tuple[int | None, int | None], source: str, before: int
) -> Iterator[tuple[str, str]]:
    query, document = places
    assert query is not None, "it is a header"
    assert document is not None, "it is a header"
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    next(reader)
    for cells in reader:
        if not any(map(str.strip, cells)):
            continue
        pair = [cells[at].strip() if at < len(cells) else "" for at in (query, document)]
        if not all(pair):
            raise InputError(
                "expected a query and a document, and one of them is missing",
                source=source,
                line=before + reader.line_num,
            )
        yield pair[0], pair[1]

"""Probes: searches with expanded queries for relevant documents that the pool lacks.

A probe expands queries by the texts that were judged relevant, searches, has new documents judged,
and starts again. It searches its own documents, or an engine runs the expanded queries.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon._common.text import counted, printable
from cleverdon.data import Grades, Nested
from cleverdon.errors import InputError, OptionError, check_count
from cleverdon.formats.inputs import open_source
from cleverdon.formats.sheets import merged_sheets, write_sheet
from cleverdon.formats.streams import decode_text, name_of_stream
from cleverdon.formats.texts import Text, check_file_exists, read_texts, records_of
from cleverdon.pooling.choices import ORIGINAL, PROBE_ROUNDS, TERMS
from cleverdon.pooling.contributions import Contributions, gather
from cleverdon.pooling.files import read_pool
from cleverdon.pooling.pools import Pool
from cleverdon.pooling.query_expansion import (
    STOP_WORDS,
    BM25Index,
    ExpandedQueries,
    ExpandedQuery,
    expand_query,
    words,
)
from cleverdon.tables.numbers import format_decimal
from cleverdon.tables.result import Result, in_json
from cleverdon.tables.sections import Section, count_format
from cleverdon.tables.table import TextTable

if TYPE_CHECKING:
    from cleverdon.charts.base import Chart


def _read_rephrasings(path: str | os.PathLike[str]) -> dict[str, list[str]]:
    """Read any number of texts of each query, in the formats of queries."""
    path = os.fspath(path)
    check_file_exists(path)
    source = name_of_stream(path)
    found: dict[str, list[str]] = {}
    for query, title, text, line, _ in records_of(path, keep=lambda _: True):
        phrase = Text(title, text).line
        if not phrase:
            message = f"query {query!r} has no text here; a line is a query and a text"
            raise InputError(message, source=source, line=line or None)
        phrases = found.setdefault(query, [])
        if phrase not in phrases:
            phrases.append(phrase)
    if not found:
        raise InputError("has no rephrasings: a line each, query and text", source=source)
    return found


@dataclass(frozen=True)
class NewDocuments(Result):
    """Documents that a probe found, and nobody has judged yet.

    Attributes:
        documents: The documents of each query.
        notes: Notes and warnings on the runs that they come from.

    >>> sorted(NewDocuments({"q1": ["d1", "d2"]}).sheet())
    [('q1', 'd1'), ('q1', 'd2')]
    """

    documents: dict[str, list[str]]
    notes: tuple[str, ...] = field(default=(), metadata=in_json(None))

    def __len__(self) -> int:
        return sum(map(len, self.documents.values()))

    def sheet(self, *, seed: int = 0) -> Iterator[tuple[str, str]]:
        """Yield queries and documents for judges, shuffled so that no order tells of ranks."""
        random = np.random.default_rng(seed)
        for query in sorted(self.documents, key=str.encode):
            docs = sorted(self.documents[query], key=str.encode)
            for at in random.permutation(len(docs)).tolist():
                yield query, docs[at]

    def write_sheet(self, path: str | os.PathLike[str], *, seed: int = 0) -> str:
        """Write the sheet for judges, unless nothing is new; return a sentence about it."""
        if not len(self):
            return "nothing new was found: no sheet is written, and the probe is at its end"
        write_sheet(self.sheet(seed=seed), path)
        queries = counted(len(self.documents), "query")
        return f"{os.fspath(path)}: {counted(len(self), 'document')} to judge for {queries}"

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return one table: a row for each document."""
        rows = [[query, doc] for query, docs in self.documents.items() for doc in docs]
        return [Section("documents", TextTable(["query", "document"], rows, 2, []), titled=False)]


@dataclass(frozen=True, eq=False)
class Probe:
    """The texts of queries and documents, and how queries are expanded.

    Attributes:
        queries: The text of each query.
        documents: The texts of relevant documents at least; of all, where they are searched.
        rephrasings: Other words for queries: each is searched for as it stands, besides the
            expanded query.
        terms: The number of words of relevant documents that expand a query.
        original: The weight of the query's own words together.
        ignored: Words that expand no query.
        rel: The lowest grade that is relevant.
        index: The index of all documents; by default it is built for each search.
        notes: Warnings on texts that are missing.

    >>> probe = Probe({"q1": "bees"}, {"d1": "bees and honey", "d2": "honey", "d3": "ice"})
    >>> probe.search({"q1": {"d1": 1}}, depth=5).documents
    {'q1': ['d2']}
    """

    queries: Mapping[str, str]
    documents: Mapping[str, str]
    rephrasings: Mapping[str, Sequence[str]] = field(default_factory=dict)
    terms: int = TERMS
    original: float = ORIGINAL
    ignored: Collection[str] = STOP_WORDS
    rel: float = 1
    index: BM25Index | None = None
    notes: tuple[str, ...] = ()

    def expanded(self, query: str, judged: Mapping[str, float]) -> ExpandedQuery:
        """Return a query expanded by its relevant documents; unchanged where there are none."""
        relevant = sorted(doc for doc, grade in judged.items() if grade >= self.rel)
        return expand_query(
            self.queries[query],
            [self.documents[doc] for doc in relevant if doc in self.documents],
            terms=self.terms,
            original=self.original,
            ignored=self.ignored,
        )

    def all_expanded(self, judged: Grades) -> ExpandedQueries:
        """Expand every query that has a text."""
        return ExpandedQueries(
            {query: self.expanded(query, judged.get(query, {})) for query in self.queries}
        )

    def indexed(self, *, progress: Progress | None = None) -> Probe:
        """Return the probe with its index."""
        if self.index is not None:
            return self
        return replace(self, index=BM25Index.build(self.documents, progress=progress))

    def search(self, judged: Grades, *, depth: int) -> NewDocuments:
        """Return what the probes of each query find in their first results, and nobody judged."""
        index = self.index or BM25Index.build(self.documents)
        new: dict[str, list[str]] = {}
        for query, made in self.all_expanded(judged).queries.items():
            plain = (
                expand_query(text, (), ignored=self.ignored)
                for text in self.rephrasings.get(query, ())
            )
            found = (doc for one in (made, *plain) for doc, _ in index.search(one.weights, depth))
            known = judged.get(query, {})
            unknown = [doc for doc in dict.fromkeys(found) if doc not in known]
            if unknown:
                new[query] = unknown
        return NewDocuments(new)


def read_probe(
    judged: Grades,
    queries: Any,
    documents: Any,
    *,
    rephrasings: str | os.PathLike[str] | None = None,
    stop_words: str | os.PathLike[str] | None = None,
    common: float | None = None,
    terms: int = TERMS,
    original: float = ORIGINAL,
    rel: float = 1,
    search: bool = True,
    progress: Progress | None = None,
) -> Probe:
    """Read the texts of a probe: of the judged queries, and of documents.

    With `search` all documents are read and indexed, else only the relevant ones. The other options
    are those of `expand`; `notes` name queries and documents that have no text.
    """
    relevant = {doc for docs in judged.values() for doc, grade in docs.items() if grade >= rel}
    read = _read_named(documents, "documents", None if search else relevant, progress)
    texts = {doc: f"{text.title}\n{text.text}" for doc, text in read.items()}
    index = BM25Index.build(texts, progress=progress) if search else None
    with_text = _read_named(queries, "queries", judged.keys(), progress)
    asked = {query: with_text[query].line for query in judged if query in with_text}
    source = _file_name(queries, "queries")
    if not asked:
        named = next(iter(judged), "")
        raise InputError(f"has no judged query, such as {named!r}", source=source)
    notes = []
    if without := len(judged) - len(asked):
        notes.append(f"{source}: {counted(without, 'judged query')} without a text (left out)")
    if lost := len(relevant - texts.keys()):
        named = f"{counted(lost, 'relevant document')} without a text (expand no query)"
        notes.append(f"{_file_name(documents, 'documents')}: {named}")
    rephrased = {} if rephrasings is None else _read_rephrasings(rephrasings)
    if strange := [query for query in rephrased if query not in asked]:
        named = f"{counted(len(strange), 'query')} not probed, such as {strange[0]!r} (left out)"
        notes.append(f"{_file_name(rephrasings, 'rephrasings')}: {named}")
    ignored = STOP_WORDS if stop_words is None else _read_words(os.fspath(stop_words))
    if common is not None:
        if index is None:
            raise OptionError("common needs a search: all documents tell which words are common")
        ignored |= index.common(common)
    return Probe(
        asked,
        texts,
        rephrased,
        terms,
        original,
        ignored,
        rel=rel,
        index=index,
        notes=tuple(f"warning: {note}" for note in notes),
    )


def _read_named(
    data: Any, kind: str, wanted: Collection[str] | None, progress: Progress | None
) -> dict[str, Text]:
    if isinstance(data, (str, os.PathLike)):
        check_file_exists(os.fspath(data))
    return read_texts(data, wanted=wanted, kind=kind, progress=progress)


def _file_name(data: Any, otherwise: str) -> str:
    return os.fspath(data) if isinstance(data, (str, os.PathLike)) else otherwise


def _read_words(path: str) -> frozenset[str]:
    text = decode_text(open_source(path).head(2**62), source=path, line=1)
    found = frozenset(words(text))
    if not found:
        raise InputError("has no words", source=path)
    return found


def new_documents(
    runs: Any,
    judged: Grades,
    *,
    depth: int,
    run_format: str | None = None,
    order_by: str = "score",
    progress: Progress | None = None,
) -> NewDocuments:
    """Find what runs of expanded queries have in their first results, and nobody has judged."""
    found = gather(runs, depth=depth, format=run_format, order_by=order_by, progress=progress)
    new: dict[str, list[str]] = {}
    for part in found.each():
        known = judged.get(part.query, {})
        near = np.flatnonzero(part.best_rank <= depth).tolist()
        unknown = [part.docs[at] for at in near if part.docs[at] not in known]
        if unknown:
            new[part.query] = unknown
    notes = [
        f"warning: {printable(system)} returned no document that the judgments have; are its ids "
        "the same?"
        for system in _systems_without_judged(found, judged)
    ]
    if strange := [query for query in new if query not in judged]:
        documents = counted(sum(len(new[query]) for query in strange), "document")
        notes.append(
            f"warning: {counted(len(strange), 'query')} of the runs without any judgment, such as "
            f"{strange[0]!r} ({documents}, on the sheet too)"
        )
    return NewDocuments(new, tuple(notes))


def _systems_without_judged(found: Contributions, judged: Grades) -> list[str]:
    """Return systems with results for judged queries, and with no judged document."""
    some, known = set[int](), set[int]()
    for query in filter(judged.__contains__, found.queries):
        of_query = found.of(query)
        there = [doc in judged[query] for doc in of_query.docs]
        some.update(of_query.system.tolist())
        rows = zip(of_query.system.tolist(), of_query.doc.tolist(), strict=True)
        known.update(system for system, doc in rows if there[doc])
    return [found.systems[at] for at in sorted(some - known)]


def with_pooled(judged: Grades, pool: str | os.PathLike[str] | Pool) -> Nested:
    """Return the judgments with the documents of a pool that are to be judged, as not judged."""
    waiting: Nested = {}
    for query, doc in (pool if isinstance(pool, Pool) else read_pool(pool)).sheet():
        waiting.setdefault(query, {})[doc] = -1.0
    known = {query: dict(docs) for query, docs in judged.items()}
    return merged_sheets({"judgments": known, "pool": waiting})


@dataclass(frozen=True)
class ProbeRound:
    """The documents that were newly judged in one round, by query."""

    number: int  # from 0, which is what was judged before there was a probe
    documents: dict[str, int]
    relevant: dict[str, int]

    @property
    def judged(self) -> int:
        """The number of new documents."""
        return sum(self.documents.values())

    @property
    def found(self) -> int:
        """The number of new relevant documents."""
        return sum(self.relevant.values())

    @property
    def share(self) -> float:
        """The share of relevant ones; NaN where nothing was judged."""
        return self.found / self.judged if self.judged else float("nan")


def _running_totals(rounds: Sequence[ProbeRound]) -> Iterator[tuple[ProbeRound, int, int]]:
    """Yield each round, with the numbers of documents and of relevant ones so far."""
    documents = relevant = 0
    for one in rounds:
        documents += one.judged
        relevant += one.found
        yield one, documents, relevant


def _round_records(rounds: Sequence[ProbeRound]) -> list[dict[str, Any]]:
    return [
        {
            "round": one.number,
            "documents": one.judged,
            "relevant": one.found,
            "share": one.share,
            "all_documents": documents,
            "all_relevant": relevant,
            "queries": {
                query: {"documents": count, "relevant": one.relevant[query]}
                for query, count in one.documents.items()
            },
        }
        for one, documents, relevant in _running_totals(rounds)
    ]


@dataclass(frozen=True)
class ProbeRounds(Result):
    """The yield of rounds of judging; round 0 is what was judged before the first probe."""

    rounds: tuple[ProbeRound, ...] = field(metadata=in_json("rounds", _round_records))

    @property
    def to_find(self) -> int | None:
        """The number of relevant documents, where all of them are known."""
        return None

    def plot(self) -> Chart:
        """Draw the yield of the rounds."""
        from cleverdon.pooling.plots import probe_yield  # altair is optional, and slow

        return probe_yield(self.rounds, known=self.to_find)

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return one table: a row for each round, with recall where all relevant are known."""
        count, known = count_format(exact=exact), self.to_find
        header = ["round", "documents", "relevant", "share", "all documents", "all relevant"]
        header += [] if known is None else ["recall"]
        rows = []
        for one, documents, relevant in _running_totals(self.rounds):
            share = format_decimal(one.share, exact=exact)
            row = [str(one.number), count(one.judged), count(one.found), share]
            row += [count(documents), count(relevant)]
            if known is not None:
                row.append(format_decimal(relevant / known if known else nan, exact=exact))
            rows.append(row)
        queries = {query for one in self.rounds for query in one.documents}
        notes = [
            f"{counted(len(queries), 'query')}; documents newly judged in each round, and how many "
            "of them are relevant; round 0 is what came before the probes",
            *self._notes(),
        ]
        return [Section("rounds", TextTable(header, rows, 1, [], notes), titled=False)]

    def _notes(self) -> list[str]:
        if len(self.rounds) < 2:
            return []
        last = self.rounds[-1]
        if last.judged == 0 and self.to_find is None:
            return [f"round {last.number} is not judged yet: its sheet has no new grades"]
        if last.found == 0:
            return [
                f"round {last.number} brought nothing relevant: probes of this kind find no more; "
                "there may still be more (cleverdon recall estimates how "
                "much)"
            ]
        fruitful = sum(count > 0 for count in last.relevant.values())
        return [
            f"round {last.number} still brought relevant documents, for "
            f"{counted(fruitful, 'query')}: go on with another"
        ]


def yield_by_round(judged: Iterable[Grades], *, rel: float = 1) -> ProbeRounds:
    """Count the yield of judgments that were made one after the other, a round each.

    A document counts in the first round that has it.
    """
    seen: set[tuple[str, str]] = set()
    made = []
    for number, grades in enumerate(judged):
        documents: dict[str, int] = {}
        relevant: dict[str, int] = {}
        for query, of_query in grades.items():
            new = {
                doc: grade
                for doc, grade in of_query.items()
                if grade >= 0 and (query, doc) not in seen
            }
            seen.update((query, doc) for doc in new)
            if new:
                documents[query] = len(new)
                relevant[query] = sum(grade >= rel for grade in new.values())
        made.append(ProbeRound(number, documents, relevant))
    return ProbeRounds(tuple(made))


@dataclass(frozen=True)
class ProbeSimulation(ProbeRounds):
    """The rounds of a simulated probe."""

    known: int  # relevant documents of these queries in the judgments
    unjudged: int  # documents found that the judgments lack; they count as not relevant
    without_text: tuple[str, ...]  # judged queries that could not be probed

    @property
    def to_find(self) -> int:
        return self.known

    def _notes(self) -> list[str]:
        notes = [f"recall is of the {counted(self.known, 'relevant document')} that are known"]
        if self.unjudged:
            notes.append(
                f"{counted(self.unjudged, 'document')} found that the judgments lack (taken for "
                "not relevant)"
            )
        if self.without_text:
            named = printable(self.without_text[0])
            without = counted(len(self.without_text), "judged query")
            notes.append(f"{without} without a text (left out), such as {named}")
        return notes + super()._notes()


@shows_progress("simulating")
def simulate_probe(
    probe: Probe,
    judgments: Grades,
    *,
    depth: int,
    rounds: int = PROBE_ROUNDS,
    start: Grades | None = None,
    progress: Progress | bool | None = None,
) -> ProbeSimulation:
    """Search, judge the first results by what is known, expand, and again.

    It ends after `rounds` rounds, or once one finds nothing relevant: only relevant documents
    expand queries, so the next round would repeat the same searches. A document that the known
    judgments lack is taken for not relevant, and counted.

    Args:
        probe: The texts of queries and of all documents.
        judgments: The known judgments: grades by query and document.
        depth: The number of results of each search that are judged.
        rounds: The largest number of rounds.
        start: Round 0, what was judged before; by default the first results of the queries as they
            stand.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        The yield of each round.

    >>> documents = {"d1": "bees and honey", "d2": "honey", "d3": "ice"}
    >>> found = simulate_probe(Probe({"q": "bees"}, documents), {"q": {"d1": 1, "d2": 1}}, depth=1)
    >>> [one.found for one in found.rounds]
    [1, 0]
    """
    progress = as_callback(progress)
    check_count("rounds", rounds)
    asked = [query for query in judgments if query in probe.queries]
    if not asked:
        raise InputError(
            f"no query of the judgments, such as {next(iter(judgments), '')!r}, has a text"
        )
    texts = {query: probe.queries[query] for query in asked}
    of_asked = replace(probe, queries=texts).indexed(progress=progress)
    if start is None:
        plain = replace(of_asked, rephrasings={})
        judged = [_judged_as_known(plain.search({}, depth=depth), judgments)]
    else:
        judged = [{query: dict(start[query]) for query in asked if query in start}]
    for number in range(rounds):
        new = of_asked.search(_merged_rounds(judged), depth=depth)
        judged.append(_judged_as_known(new, judgments))
        if progress is not None:
            progress("probing", number + 1, rounds)
        if not any(grade >= probe.rel for docs in judged[-1].values() for grade in docs.values()):
            break
    known = sum(grade >= probe.rel for query in asked for grade in judgments[query].values())
    unjudged = sum(
        judgments[query].get(doc, -1) < 0
        for query, docs in _merged_rounds(judged).items()
        for doc in docs
    )
    without = tuple(query for query in judgments if query not in probe.queries)
    return ProbeSimulation(yield_by_round(judged, rel=probe.rel).rounds, known, unjudged, without)


def _merged_rounds(judged: list[dict[str, dict[str, float]]]) -> dict[str, dict[str, float]]:
    return merged_sheets({f"round {number}": grades for number, grades in enumerate(judged)})


def _judged_as_known(new: NewDocuments, judgments: Grades) -> dict[str, dict[str, float]]:
    return {
        query: {doc: max(judgments[query].get(doc, 0.0), 0.0) for doc in docs}
        for query, docs in new.documents.items()
    }

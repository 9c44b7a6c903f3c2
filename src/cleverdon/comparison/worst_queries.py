"""Which queries to look at: where one system loses most against another, and why.

For each query: which documents make the difference, and whether it may only be a matter of missing
judgments. It may where the system that is behind has unjudged results that, with the right grades,
would bring its value to the other's. Its own bounds decide that, with the other's value as it is.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan
from typing import Any

import numpy as np

from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon._common.text import counted, printable
from cleverdon.comparison.samples import samples
from cleverdon.errors import OptionError, check_count
from cleverdon.explanation.difference import DifferencePart, difference_parts
from cleverdon.explanation.traces import NOTHING, Step, query_steps
from cleverdon.formats.sheets import write_sheet
from cleverdon.formats.texts import Text, texts_of
from cleverdon.measures.base import Measure
from cleverdon.score_tables import format_score
from cleverdon.scores import Scores
from cleverdon.tables.result import Result, as_json, in_json
from cleverdon.tables.sections import Section
from cleverdon.tables.table import TextTable
from cleverdon.unknowns.bounds import bounds

_DEPTH = 10
"""The number of results that are looked at for unjudged ones, if the measure has no cut-off."""
_MOVED = 10
"""The number of documents that are kept for each query."""
_NAMED = 3
"""The number of documents that are named in the row of a query."""
_SAME = 1e-9
"""Values that differ by less are the same value, computed in two ways."""


@dataclass(frozen=True)
class MovedDocument:
    """A document that adds more to one system's value than to the other's."""

    doc: str | None = field(metadata=in_json("document"))  # None: the value before any hit
    grade: float | None  # None where nobody judged it
    ranks: tuple[int | None, int | None]  # old and new; None where it was not returned
    adds: tuple[float, float]
    title: str = ""

    @property
    def difference(self) -> float:
        return self.adds[1] - self.adds[0]

    def to_dict(self) -> dict[str, Any]:
        named = {"document": self.doc} | ({"title": self.title} if self.title else {})
        ranks, adds = as_json(self.ranks), as_json(self.adds)
        others = {"grade": self.grade, "ranks": ranks, "adds": adds}
        return {**named, **others, "difference": self.difference}


@dataclass(frozen=True)
class UnjudgedResult:
    """A result near the top of one or both systems that nobody judged."""

    query: str
    doc: str = field(metadata=in_json("document"))
    ranks: tuple[int | None, int | None]  # old and new; None where it is not at the top


@dataclass(frozen=True)
class QueryChange:
    """The change of one query's value from one system to another, and what is behind it."""

    query: str
    old: float
    new: float
    difference: float  # new less old
    moved: tuple[MovedDocument, ...]
    """The documents that make the difference, the largest first."""
    unjudged: tuple[int, int]  # of the first results of the old and the new system
    possible: tuple[float, float] | None
    """The lowest and highest value of the system that is behind, over all grades of its unjudged
    results; None where the measure has no bounds."""
    explained: bool | None
    """Whether that includes the other system's value; None where it is not known."""
    text: str = ""


@dataclass(frozen=True)
class WorstQueries(Result):
    """The queries on which one system loses, or gains, most against another.

    >>> from cleverdon import evaluate
    >>> qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    >>> runs = {"old": {"q1": {"a": 1}, "q2": {"a": 1}}, "new": {"q1": {"a": 1}, "q2": {"b": 1}}}
    >>> found = worst(evaluate(qrels, runs, "RR", keep=10), "old", "new")
    >>> [(one.query, one.difference, one.explained) for one in found.queries]
    [('q2', -1.0, True)]
    """

    _drawn = ("difference", "query")

    systems: tuple[str, str]  # old and new
    measure: Measure
    improved: bool  # whether these are the gains
    depth: int  # how many results of each system are looked at for unjudged ones
    compared: int  # queries
    worse: int
    better: int
    queries: tuple[QueryChange, ...]
    unjudged: tuple[UnjudgedResult, ...]
    """The unjudged results of these queries in the first `depth` of either system."""
    notes: tuple[str, ...] = ()

    def opening(self) -> str:
        old, new = map(printable, self.systems)
        same = self.compared - self.worse - self.better
        words = _words(self.measure)
        said = (
            f"{self.measure} of {new} is {words[0]} than that of {old} on {self.worse:,} of "
            f"{counted(self.compared, 'query')}, {words[1]} on {self.better:,}, equal on {same:,}."
        )
        explained = sum(one.explained is True for one in self.queries)
        if not self.queries or all(one.explained is None for one in self.queries):
            return said
        what = "gains" if self.improved else "losses"
        return (
            f"{said}\nUnjudged results could explain {explained:,} of the "
            f"{len(self.queries):,} {what} shown."
        )

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return the queries and the documents that moved; for programs also what to judge."""
        parts = [
            Section("queries", _query_table(self, exact=exact), titled=False),
            Section("moved", _moved_table(self, exact=exact), titled=False),
        ]
        # A long list, which people want in a file.
        return [*parts, Section("unjudged", _unjudged_table(self))] if exact else parts

    def documents(self) -> set[str]:
        """Return the ids of the documents that moved, or that nobody judged."""
        moved = {moved.doc for one in self.queries for moved in one.moved if moved.doc is not None}
        return moved | {one.doc for one in self.unjudged}

    def closing(self) -> Sequence[str]:
        if not self.unjudged:
            return self.notes
        said = (
            f"{counted(len(self.unjudged), 'unjudged result')} in the first {self.depth} of these "
            "queries: --to-judge FILE writes a list for cleverdon judge init --pool."
        )
        return (said, *self.notes)

    def write_unjudged(
        self,
        path: str | os.PathLike[str],
        *,
        queries: Mapping[str, Text] | None = None,
        documents: Mapping[str, Text] | None = None,
    ) -> None:
        """Write the unjudged results as a sheet, which `cleverdon judge init --pool` reads.

        Args:
            path: The file: separated by commas if it ends in `.csv`, otherwise by tabs.
            queries: The texts of queries, by id.
            documents: The texts of documents, by id.
        """
        rows = [(one.query, one.doc) for one in self.unjudged]
        if not rows:
            raise OptionError(
                f"there is nothing to judge: the first {self.depth} results of these queries are "
                "all judged"
            )
        write_sheet(rows, path, queries=queries, documents=documents)


@shows_progress("comparing")
def worst(
    scores: Scores,
    old: str,
    new: str,
    measure: str | Measure | None = None,
    *,
    n: int | None = 10,
    improved: bool = False,
    depth: int | None = None,
    queries: Any = None,
    documents: Any = None,
    progress: Progress | bool | None = None,
) -> WorstQueries:
    """Find the queries on which a system loses most against another, and what is behind it.

    Queries are compared as `compare` does: those on which both were evaluated, an undefined value
    counting as the worst.

    Args:
        scores: Scores of an evaluation with `keep=k`, k at least `depth`.
        old: The system to compare with.
        new: The system whose losses are listed.
        measure: The measure; by default the first.
        n: How many queries to list; None for all that lost.
        improved: List the largest gains instead.
        depth: How many results of each query are looked at for unjudged ones; by default the
            cut-off of the measure, or 10.
        queries: The texts of queries: a file, or a dict by id.
        documents: The texts of documents, likewise.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        The queries, the worst first.

    Raises:
        OptionError: The rankings were not kept, or there is no such system or measure.

    >>> from cleverdon import evaluate
    >>> qrels = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 1}}
    >>> old = {"q1": {"a": 2, "b": 1}, "q2": {"a": 2, "b": 1}}
    >>> new = {"q1": {"b": 2, "a": 1}, "q2": {"a": 2, "x": 1}}
    >>> scores = evaluate(qrels, {"old": old, "new": new}, "AP", keep=10)
    >>> for one in worst(scores, "old", "new").queries:
    ...     print(one.query, one.difference, one.moved[0].doc, one.moved[0].ranks, one.explained)
    q1 -0.5 a (1, 2) False
    q2 -0.5 b (2, None) False
    """
    progress = as_callback(progress)
    progress("comparing")
    if n is not None:
        check_count("n", n)
    if old == new:
        raise OptionError(f"{old!r} would be compared with itself")
    wanted = scores.measures[0] if measure is None else measure
    wanted = scores.measures[scores.index_of(new, wanted)[1]]
    depth = looking_depth([wanted], depth)
    (sample,) = samples(scores, measures=[wanted], systems=[old, new])
    looking = _Looking(scores, (old, new), wanted, depth)
    before, after = sample.of(old), sample.of(new)
    change = after - before
    change[np.abs(change) < NOTHING] = 0.0
    merit = -change if wanted.better == "lower" else change
    way = -1 if improved else 1
    order = np.argsort(np.round(way * merit, 12), kind="stable")
    order = order[way * merit[order] < 0][:n]
    place = {query: q for q, query in enumerate(scores.queries)}
    changes, unjudged = [], []
    for at in order.tolist():
        query = sample.queries[at]
        made, open_ = looking.change(place[query], float(before[at]), float(after[at]))
        changes.append(made)
        unjudged += open_
    left_out = len(scores.queries) - len(sample.queries)
    notes = list(looking.notes)
    if left_out:
        notes.append(f"{counted(left_out, 'query')} left out, with no value of one of the systems.")
    if sample.undefined:
        notes.append(f"{counted(sample.undefined, 'undefined value')} counted as the worst.")
    found = WorstQueries(
        systems=(old, new),
        measure=wanted,
        improved=improved,
        depth=depth,
        compared=len(sample.queries),
        worse=int((merit < 0).sum()),
        better=int((merit > 0).sum()),
        queries=tuple(changes),
        unjudged=tuple(unjudged),
        notes=tuple(notes),
    )
    return with_texts(found, queries, documents)


def looking_depth(measures: Sequence[Measure], depth: int | None = None) -> int:
    """Return how many results are looked at: as given, or the cut-off of the one measure, or 10."""
    if len(measures) != 1:
        raise OptionError(f"one measure decides which queries are worst, not {len(measures)}")
    (measure,) = measures
    cut_off = getattr(measure, "k", None) if measure.cut == "k" else None
    return check_count("depth", cut_off or _DEPTH if depth is None else depth)


def with_texts(found: WorstQueries, queries: Any = None, documents: Any = None) -> WorstQueries:
    """Return the same with the texts of queries, and the titles of documents that moved."""
    asked = texts_of(queries, lambda: {one.query for one in found.queries}, kind="queries")
    titles = texts_of(documents, found.documents, kind="documents")
    if not asked and not titles:
        return found

    def titled(moved: MovedDocument) -> MovedDocument:
        text = titles.get(moved.doc or "")
        return moved if text is None else replace(moved, title=text.line)

    changes = (
        replace(
            one,
            text=asked[one.query].line if one.query in asked else "",
            moved=tuple(map(titled, one.moved)),
        )
        for one in found.queries
    )
    return replace(found, queries=tuple(changes))


class _Looking:
    """What is known of two systems' rankings, query by query."""

    def __init__(
        self, scores: Scores, systems: tuple[str, str], measure: Measure, depth: int
    ) -> None:
        kept = scores.ranked()
        self.scores, self.systems, self.measure, self.depth = scores, systems, measure, depth
        self.judgments = kept.judgments
        self.hits = [kept.hits[system] for system in systems]
        self.top = [scores.top.get(system) for system in systems]
        self.expected = scores.about.settings.ties == "expected"
        self.column = scores.measures.index(measure)
        self.notes: dict[str, None] = {}  # in their order, each once

    def change(
        self, q: int, before: float, after: float
    ) -> tuple[QueryChange, list[UnjudgedResult]]:
        """Return the change of a query, and the unjudged results at the top."""
        query = self.scores.queries[q]
        start, stop = (int(at) for at in self.judgments.core.starts[q : q + 2])
        docs = self.judgments.core.docs(start, stop)
        traced = [self._traced(side, q, docs) for side in (0, 1)]
        parts: tuple[DifferencePart, ...] = ()
        if all(self._agrees(side, q, traced[side][0]) for side in (0, 1)):
            both = (traced[0][2], traced[1][2])
            parts = difference_parts((traced[0][1], traced[1][1]), both)
        else:
            # Some profiles rank anew for single measures, or have a value for missing queries.
            self.notes[
                "The documents of some queries are not known: the profile scores them by other "
                "rankings than those that were kept; see cleverdon explain --diff."
            ] = None
        unjudged = [self._unjudged(traced[side][2]) for side in (0, 1)]
        higher_is_behind = self.measure.better == "lower"
        behind = int((after < before) != higher_is_behind)
        possible = self._possible(behind, q)
        explained = None
        if possible is not None:
            other = (after, before)[behind]
            explained = possible[0] - NOTHING <= other <= possible[1] + NOTHING
        change = QueryChange(
            query=query,
            old=before,
            new=after,
            difference=after - before,
            moved=tuple(
                MovedDocument(part.doc, part.grade, part.ranks, part.added)
                for part in parts[:_MOVED]
            ),
            unjudged=(self._count(0, q), self._count(1, q)),
            possible=possible,
            explained=explained,
        )
        to_judge = [
            UnjudgedResult(query, doc, (unjudged[0].get(doc), unjudged[1].get(doc)))
            for doc in unjudged[0] | unjudged[1]
        ]
        to_judge.sort(key=lambda one: min(rank for rank in one.ranks if rank is not None))
        return change, to_judge

    def _traced(
        self, side: int, q: int, docs: Sequence[str]
    ) -> tuple[float, float, tuple[Step, ...]]:
        hits = self.hits[side].queries_between(q, q + 1)
        return query_steps(self.measure, hits, docs, self._ranking(side, q), expected=self.expected)

    def _ranking(self, side: int, q: int) -> list[str]:
        top = self.top[side]
        found = [] if top is None else [doc for doc, _ in top[q]]
        if len(found) < min(self.depth, int(self.hits[side].returned[q])):
            raise OptionError(
                f"only {len(found)} results of a query were kept, and {self.depth} are looked at; "
                f"evaluate(..., keep={self.depth}) keeps enough"
            )
        return found

    def _agrees(self, side: int, q: int, value: float) -> bool:
        """Tell whether a traced value is the one that was scored."""
        s = self.scores.systems.index(self.systems[side])
        scored = float(self.scores.values[s, self.column, q])
        return (isnan(value) and isnan(scored)) or abs(value - scored) < _SAME

    def _unjudged(self, steps: Sequence[Step]) -> dict[str, int]:
        """Return the unjudged results at the top, with their ranks."""
        return {
            step.doc: step.rank
            for step in steps
            if step.rank <= self.depth and (step.grade is None or step.grade < 0) and step.doc
        }

    def _count(self, side: int, q: int) -> int:
        hits = self.hits[side]
        rows = slice(*hits.starts[q : q + 2])
        judged = (hits.rank[rows] <= self.depth) & (hits.grade[rows] >= 0)
        return min(self.depth, int(hits.returned[q])) - int(judged.sum())

    def _possible(self, side: int, q: int) -> tuple[float, float] | None:
        """Return the lowest and highest value over the grades of unjudged results."""
        hits = self.hits[side].queries_between(q, q + 1)
        try:
            # The mean over orders of ties has no bounds of its own; those of all orders include it.
            found = bounds(self.measure, hits, ties=self.expected)
        except OptionError as error:
            self.notes[f"Whether unjudged results explain it is not known: {error}."] = None
            return None
        ends = float(found.lowest[0]), float(found.highest[0])
        return None if isnan(ends[0]) or isnan(ends[1]) else ends


def _words(measure: Measure) -> tuple[str, str]:
    return ("lower", "higher") if measure.better == "neither" else ("worse", "better")


def _query_table(found: WorstQueries, *, exact: bool) -> TextTable:
    names = ["old", "new"] if exact else [printable(system) for system in found.systems]
    texts = any(one.text for one in found.queries)
    header = ["query", *(["text"] if texts else []), *names, "difference"]
    header += [f"unjudged {name}" for name in names]
    header.append("explained" if exact else "unjudged explain it")
    if exact:
        header = ["measure", "old system", "new system", *header, "lowest", "highest", "moved"]
    rows = []
    for one in found.queries:
        row = [one.query if exact else printable(one.query)]
        row += [one.text if exact else printable(_short(one.text))] if texts else []
        row += [format_score(found.measure, value, exact=exact) for value in (one.old, one.new)]
        row.append(format_score(found.measure, one.difference, signed=not exact, exact=exact))
        row += [str(count) for count in one.unjudged]
        row.append({None: "" if exact else "-", True: "yes", False: "no"}[one.explained])
        if exact:
            ends = [] if one.possible is None else one.possible
            possible = [format_score(found.measure, end, exact=True) for end in ends] or ["", ""]
            row = [str(found.measure), *found.systems, *row, *possible]
            row.append(_moves(found.measure, one))
        rows.append(row)
    labels = (4 if exact else 1) + texts
    return TextTable(header, rows, labels, [], [] if exact else [_footnote(found)])


def _footnote(found: WorstQueries) -> str:
    if not found.queries:
        what = "gained" if found.improved else "lost"
        return f"No query {what}."
    return (
        f"unjudged: of the first {found.depth}. Unjudged results explain a difference if judging "
        f"them could bring {printable(found.systems[0 if found.improved else 1])} to the value of "
        f"{printable(found.systems[1 if found.improved else 0])}."
    )


_LINE = 40  # characters of a query's text


def _short(text: str) -> str:
    return text if len(text) <= _LINE else text[: _LINE - 1].rstrip() + "…"


def _moves(measure: Measure, one: QueryChange) -> str:
    """Name the documents that make most of a difference, with their ranks."""
    told = []
    for moved in one.moved[:_NAMED]:
        change = format_score(measure, moved.difference, signed=True)
        if moved.doc is None:
            told.append(f"(before any hit) {change}")
            continue
        ranks = "→".join("-" if rank is None else str(rank) for rank in moved.ranks)
        told.append(f"{printable(moved.doc)} {ranks} {change}")
    return ", ".join(told)


def _moved_table(found: WorstQueries, *, exact: bool) -> TextTable:
    names = ["old", "new"] if exact else [printable(system) for system in found.systems]
    titled = any(moved.title for one in found.queries for moved in one.moved)
    header = ["query", "document", *(["title"] if titled else []), "grade"]
    header += [f"rank {name}" for name in names] + [f"adds {name}" for name in names]
    header.append("difference")
    rows = []
    for one in found.queries:
        for moved in one.moved if exact else one.moved[:_NAMED]:
            doc = "" if moved.doc is None else moved.doc
            title = [moved.title if exact else printable(_short(moved.title))] if titled else []
            nothing = "" if exact else "-"
            row = [one.query, doc] if exact else [printable(one.query), printable(doc)]
            if not exact and moved.doc is None:
                row[1] = "(before any hit)"
            row += [*title, nothing if moved.grade is None else f"{moved.grade:g}"]
            row += [nothing if rank is None else str(rank) for rank in moved.ranks]
            row += [format_score(found.measure, added, exact=exact) for added in moved.adds]
            row.append(format_score(found.measure, moved.difference, signed=not exact, exact=exact))
            rows.append(row)
    return TextTable(header, rows, 2 + titled, [])


def _unjudged_table(found: WorstQueries) -> TextTable:
    rows = [
        [one.query, one.doc, *("" if rank is None else str(rank) for rank in one.ranks)]
        for one in found.unjudged
    ]
    return TextTable(["query", "document", "rank old", "rank new"], rows, 2, [])

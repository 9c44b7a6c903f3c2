"""Checks of all rows together: duplicates, ties, ranks against scores, unknown ids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from cleverdon._common.arrays import Bools, Floats, Ints
from cleverdon._common.text import counted
from cleverdon.checks.findings import Findings
from cleverdon.checks.scan import CheckedFile, FileRows, fields_of, quoted
from cleverdon.data import Judgments
from cleverdon.formats.lines import BEIR_QRELS, MSMARCO_RUN

T = TypeVar("T")

_MANY_TIES = 0.1  # the share of tied results that is a warning

_SHALLOW = 0.5
"""A query with less than this share of the usual number of results may have been cut short."""

_USUAL = 10  # the usual depth of a run from which on cut queries are noted

_DISTANCES = 0.9  # the share of rising scores that suggests distances


@dataclass(frozen=True, eq=False)
class GroupedRows:
    """The rows grouped by query: those of query i stand from starts[i] to starts[i + 1]."""

    rows: FileRows
    starts: Ints
    query: Ints
    doc: Ints
    value: Floats
    rank: Floats
    line: Ints

    @classmethod
    def of(cls, rows: FileRows) -> GroupedRows:
        ends = np.cumsum(np.bincount(rows.query, minlength=len(rows.queries)))
        starts = np.concatenate([[0], ends]).astype(np.int64)
        columns: tuple[Any, ...] = (rows.query, rows.doc, rows.value, rows.rank, rows.line)
        if not np.all(rows.query[1:] >= rows.query[:-1]):
            order = np.argsort(rows.query, kind="stable")
            columns = tuple(column[order] for column in columns)
        return cls(rows, starts, *columns)

    def name(self, query: int) -> str:
        return quoted(self.rows.queries[query])

    @property
    def filled(self) -> Ints:
        """The queries that have rows."""
        return np.flatnonzero(np.diff(self.starts))

    def first_line(self, query: int) -> int:
        """Return the line on which the rows of a query begin; 0 where it has none."""
        start, stop = self.starts[query : query + 2]
        return int(self.line[start]) if start < stop else 0

    def upwards(self, keys: Floats | Ints) -> tuple[Ints, Bools]:
        """Return the order that sorts each query upwards, and which rows have one before them."""
        follows = np.concatenate([[False], self.query[1:] == self.query[:-1]])
        # Most files are in order already, and seeing that is much faster than sorting.
        if np.all((keys[1:] >= keys[:-1]) | ~follows[1:]):
            return np.arange(len(keys)), follows
        # The queries are in order, so that `follows` is right for the sorted rows as well.
        return np.lexsort((keys, self.query)), follows


def check_run(
    rows: FileRows, file: CheckedFile, found: Findings, *, judgments: Judgments | None
) -> None:
    """Add what is wrong with a run as a whole."""
    grouped = GroupedRows.of(rows)
    if len(rows):
        _duplicates(grouped, file, found)
        _grades(grouped, file, found)
        _ties(grouped, found)
        _ranks(grouped, found)
        _depths(grouped, found)
        _scattered(grouped, found)
    _empty(grouped, found)
    infinite = np.flatnonzero(np.isinf(rows.value))
    if len(infinite):
        message = f"{_count(len(infinite), 'score')} infinite"
        found.add("infinite-score", message, line=int(rows.line[infinite[0]]))
    if len(rows.tags) > 1:
        some = ", ".join(quoted(tag) for tag in sorted(rows.tags)[:3])
        found.add("several-tags", f"{len(rows.tags)} different tags, among them {some}")
    if judgments is not None:
        _against(judgments, grouped, found)


def check_qrels(rows: FileRows, file: CheckedFile, found: Findings) -> None:
    """Add what is wrong with judgments as a whole."""
    grouped = GroupedRows.of(rows)
    _duplicates(grouped, file, found)
    for name, which, what in (
        ("fractional-grade", rows.value != np.floor(rows.value), "not a whole number"),
        ("negative-grade", rows.value < 0, "negative: pooled, not judged"),
    ):
        at = np.flatnonzero(which)
        if len(at):
            message = f"{_count(len(at), 'grade')} {what}"
            found.add(name, message, line=int(rows.line[at[0]]))
    best = np.full(len(rows.queries), -np.inf)
    best[grouped.filled] = np.maximum.reduceat(grouped.value, grouped.starts[grouped.filled])
    for query in _listed(np.flatnonzero(best <= 0).tolist(), "no-relevant-document", found):
        message = f"no document is relevant for query {grouped.name(query)}"
        found.add("no-relevant-document", message, line=grouped.first_line(query))
    if file.shape and file.shape.is_like(BEIR_QRELS) and len(rows) > len(rows.queries):
        order, _ = grouped.upwards(grouped.value)
        ranks = np.arange(len(rows)) - grouped.starts[grouped.query] + 1
        if np.array_equal(grouped.value[order], ranks):
            message = "the third column counts 1, 2, 3 for each query, as the ranks of a run do"
            found.add("ranks-as-grades", message)
    if len(rows.iterations) > 1:
        some = ", ".join(quoted(text) for text in sorted(rows.iterations)[:3])
        count = len(rows.iterations)
        found.add("second-column", f"the second column has {count} values, among them {some}")


_SPREAD = np.int64(0x1E3779B97F4A7C15)
"""Odd, and without a pattern: spreads the small numbers of the queries over all bits."""

_ONE_A_DOCUMENT = (
    "keep one line a document, since the second column is ignored; where it is a subtopic, leave "
    "them, and evaluate with --qrels-format subtopics"
)


def _duplicates(grouped: GroupedRows, file: CheckedFile, found: Findings) -> None:
    if file.shape is None:
        return  # a dict has none, and of tables reading has told
    # First only whether there are any: that is a third of the work, and mostly all of it.
    pairs = np.sort(grouped.doc ^ (grouped.query * _SPREAD))
    if not (pairs[1:] == pairs[:-1]).any():
        return
    order, follows = grouped.upwards(grouped.doc)
    doc = grouped.doc[order]
    again = follows & np.concatenate([[False], doc[1:] == doc[:-1]])
    if not again.any():
        return
    # Where each group of equals begins: the row that all others of it repeat.
    first = np.maximum.accumulate(np.where(again, 0, np.arange(len(order))))
    later = order[again]
    earlier = order[first[again]]
    by_line = np.argsort(grouped.line[later])
    kept = by_line if found.limit is None else by_line[: found.limit]
    lines = file.lines_at({int(line) for line in grouped.line[later[kept]]})
    for this, that in zip(later[kept], earlier[kept], strict=True):
        number, before = int(grouped.line[this]), int(grouped.line[that])
        line = lines[number].removesuffix(b"\r")
        start, end = fields_of(line, file.shape)[file.shape.doc]
        grades = ""
        if file.kind == "qrels":
            one, other = grouped.value[that], grouped.value[this]
            same = one == other
            grades = " with the same grade" if same else f" with grades {one:g} and {other:g}"
        found.add(
            "duplicate-document",
            f"document {quoted(line[start:end])} occurs twice for query "
            f"{grouped.name(int(grouped.query[this]))}{grades}, first on line {before}",
            line=number,
            column=start + 1,
            fix=_ONE_A_DOCUMENT if len(grouped.rows.iterations) > 1 else None,
        )
    found.skip("duplicate-document", len(later) - len(kept))


def _grades(grouped: GroupedRows, file: CheckedFile, found: Findings) -> None:
    """Ranks of three columns that repeat may be grades; such files are refused."""
    if file.shape is None or not file.shape.is_like(MSMARCO_RUN):
        return
    order, follows = grouped.upwards(grouped.value)
    value = grouped.value[order]
    again = order[follows & np.concatenate([[False], value[1:] == value[:-1]])]
    if len(again):
        at = again[np.argmin(grouped.line[again])]
        message = (
            f"the third column has {-grouped.value[at]:g} several times for query "
            f"{grouped.name(int(grouped.query[at]))}, as grades may, and ranks do not"
        )
        found.add("grades-as-ranks", message, line=int(grouped.line[at]))


def _ties(grouped: GroupedRows, found: Findings) -> None:
    order, follows = grouped.upwards(-grouped.value)
    value = grouped.value[order]
    tied = _shared(value, follows)
    count = int(tied.sum())
    if count:
        queries = len(np.unique(grouped.query[order[tied]]))
        share = count / len(value)
        found.add(
            "ties",
            f"{count:,} of {len(value):,} results ({share:.1%}), in {counted(queries, 'query')}, "
            "share their score with another",
            line=int(grouped.line[order[tied]].min()),
            severity="warning" if share >= _MANY_TIES else None,
        )
    with np.errstate(over="ignore"):
        single = int(_shared(value.astype(np.float32), follows).sum()) - count
    if single > 0:
        message = f"{single:,} more results would be tied in single precision"
        found.add("single-precision-ties", message)


def _shared(value: NDArray[np.floating], follows: Bools) -> Bools:
    """Mark the sorted values that equal a neighbour's of the same query."""
    equal = follows & np.concatenate([[False], value[1:] == value[:-1]])
    shared: Bools = equal | np.concatenate([equal[1:], [False]])
    return shared


def _ranks(grouped: GroupedRows, found: Findings) -> None:
    if np.isnan(grouped.rank).all():
        return
    order, follows = grouped.upwards(grouped.rank)
    rank, value = grouped.rank[order], grouped.value[order]
    below = np.concatenate([[False], rank[1:] > rank[:-1]]) & follows
    rises = below & np.concatenate([[False], value[1:] > value[:-1]])
    if rises.sum() > _DISTANCES * below.sum() > 0:
        message = "scores rise down the ranks: the first results have the lowest"
        found.add("scores-rise", message, line=int(grouped.line[order[rises]].min()))
    else:
        wrong = np.flatnonzero(rises)
        queries, first = np.unique(grouped.query[order[wrong]], return_index=True)
        for i in _listed(list(range(len(queries))), "rank-contradicts-score", found):
            at = wrong[first[i]]
            found.add(
                "rank-contradicts-score",
                f"query {grouped.name(int(queries[i]))}: rank {rank[at]:g} has a higher score "
                f"({value[at]!s}) than rank {rank[at - 1]:g} ({value[at - 1]!s})",
                line=int(grouped.line[order[at]]),
            )
    same = follows & np.concatenate([[False], rank[1:] == rank[:-1]])
    if same.any():
        queries = np.unique(grouped.query[order[same]])
        message = f"{counted(len(queries), 'query')} with the same rank for several documents"
        found.add("repeated-rank", message, line=int(grouped.line[order[same]].min()))


def _empty(grouped: GroupedRows, found: Findings) -> None:
    queries = len(grouped.rows.queries)
    empty = np.setdiff1d(np.arange(queries), grouped.filled).tolist()
    if len(empty) == queries:
        message = f"no results for any of {counted(queries, 'query')}"
        found.add("no-results", message, severity="warning", fix="is this the right file?")
        return
    for query in _listed(empty, "no-results", found):
        found.add("no-results", f"query {grouped.name(query)} has no results")


def _depths(grouped: GroupedRows, found: Findings) -> None:
    depths = np.diff(grouped.starts)
    values, counts = np.unique(depths[depths > 0], return_counts=True)
    usual = int(values[np.argmax(counts)])
    if usual < _USUAL or counts.max() * 2 < len(grouped.filled):
        return
    shallow = np.flatnonzero((depths > 0) & (depths < _SHALLOW * usual)).tolist()
    for query in _listed(shallow, "truncated-query", found):
        found.add(
            "truncated-query",
            f"query {grouped.name(query)} has {counted(int(depths[query]), 'result')}, where "
            f"{usual:,} are usual",
            line=grouped.first_line(query),
        )


def _scattered(grouped: GroupedRows, found: Findings) -> None:
    rows = grouped.rows
    begins = np.flatnonzero(np.concatenate([[True], rows.query[1:] != rows.query[:-1]]))
    if len(begins) == len(grouped.filled):
        return
    _, first = np.unique(rows.query[begins], return_index=True)
    again = np.setdiff1d(np.arange(len(begins)), first)
    queries = len(np.unique(rows.query[begins[again]]))
    at = begins[again[0]]
    found.add(
        "scattered-query",
        f"the rows of {counted(queries, 'query')} stand in more than one place; here those of "
        f"{quoted(rows.queries[rows.query[at]])} go on",
        line=int(rows.line[at]),
    )


def _against(judgments: Judgments, grouped: GroupedRows, found: Findings) -> None:
    codes = {query: code for code, query in enumerate(grouped.rows.queries)}
    judged = [codes.get(query.encode(), -1) for query in judgments.queries]
    common = {code for code in judged if code >= 0}
    if not common:
        mine, theirs = grouped.name(0), quoted(judgments.queries[0].encode())
        message = f"no query has judgments: the run has {mine}, the judgments have {theirs}"
        found.add("no-common-query", message)
        return
    missing = [query for query, code in zip(judgments.queries, judged, strict=True) if code < 0]
    for query in _listed(missing, "query-missing", found):
        found.add("query-missing", f"query {quoted(query.encode())} has judgments and is not in it")
    extra = [code for code in range(len(codes)) if code not in common]
    for code in _listed(extra, "query-not-judged", found):
        message = f"query {grouped.name(code)} has no judgments"
        found.add("query-not-judged", message, line=grouped.first_line(code))
    unknown = []
    filled = set(grouped.filled.tolist())
    for query, code in zip(judgments.queries, judged, strict=True):
        if code in filled:
            known = {hash(doc.encode()) for doc in judgments[query]}
            rows = slice(grouped.starts[code], grouped.starts[code + 1])
            if known.isdisjoint(grouped.doc[rows].tolist()):  # mostly, one of the first is known
                unknown.append(code)
    for code in _listed(sorted(unknown), "no-judged-document", found):
        message = f"no document that was returned for query {grouped.name(code)} is judged"
        found.add("no-judged-document", message, line=grouped.first_line(code))


def _listed(items: list[T], name: str, found: Findings) -> list[T]:
    """Return the items that are listed, and count the others."""
    kept = items if found.limit is None else items[: found.limit]
    found.skip(name, len(items) - len(kept))
    return kept


def _count(count: int, noun: str) -> str:
    return f"{counted(count, noun)} {'is' if count == 1 else 'are'}"

"""What a worker of Spark does: rows of whole queries in, a row for each query and system out.

Rows arrive sorted by a hash of their query, judgments and all runs together. They are cut into
blocks of whole queries, so that memory depends on the block and not on the partition. A block is
evaluated by the same code as files on one machine. What a measure needs of other queries comes
with the plan, or as rows: counts of relevance, and results that other queries judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cleverdon import _core
from cleverdon._common.arrays import Bools, Ints
from cleverdon.data import Annotations, CollectionFacts, Judgments, Nested, Run
from cleverdon.errors import CleverdonError, InputError
from cleverdon.evaluation import RankingVariants, score_run
from cleverdon.formats.annotated_qrels import read_annotated_rows
from cleverdon.measures.base import Measure
from cleverdon.profiles import find_profile
from cleverdon.rank import RankedRun, rank
from cleverdon.settings import Settings

JUDGED, SECOND, POSITIVES, ELSEWHERE, FIRST_RUN = range(5)
"""What a row is: a judgment, one of second grades, for how many queries its document is relevant, a
result whose document any query judged; or a result of a run, of which each has a number."""

_COLUMNS = ("query", "doc", "value")
_BLOCK_ROWS = 1 << 19


@dataclass(frozen=True)
class Plan:
    """Everything that workers need to know beside their rows."""

    systems: tuple[str, ...]
    kinds: tuple[str, ...]  # of each run's numbers: score or rank
    measures: tuple[Measure, ...]
    profile: str
    settings: Settings
    ways: RankingVariants
    cutoffs: tuple[int, ...]  # at which to count what is judged
    format: str | None = None  # of annotated judgments
    docs: int | None = None
    top_grade: float = 0
    top_second: float = 0
    queries: int = 0
    second: bool = False
    elsewhere: bool = False  # whether a measure asks what is judged for any query
    weights: Nested | None = None
    ordered: bool = False  # whether rows have a column that says which comes first
    rows: int = _BLOCK_ROWS  # of a block; more where one query has more

    @property
    def schema(self) -> pa.Schema:
        """The columns of the values: see `_rows_of_block`."""
        fields: list[tuple[str, pa.DataType]] = [
            ("query", pa.string()),
            ("system", pa.int32()),
            ("present", pa.bool_()),
            ("evaluated", pa.bool_()),
            *((name, pa.int64()) for name in self.counts),
            *((f"value{m}", pa.float64()) for m in range(len(self.measures))),
            *((f"parts{m}", pa.list_(pa.float64())) for m in self.with_parts),
            *((f"text{m}", pa.string()) for m in self.with_texts),
            ("error", pa.string()),
        ]
        return pa.schema(fields)

    @property
    def counts(self) -> list[str]:
        """The names of the counts of each query and system that provenance adds up."""
        at = [f"{what}_at_{k}" for k in self.cutoffs for what in ("returned", "judged")]
        return ["returned", "tied", "judged", "judgments", "pooled", *at]

    @property
    def with_texts(self) -> list[int]:
        """The measures that give texts."""
        return [m for m, measure in enumerate(self.measures) if measure.text]

    @property
    def with_parts(self) -> list[int]:
        """The measures whose micro-averages need the parts of each query."""
        return [
            m
            for m, measure in enumerate(self.measures)
            if measure.has_parts and self.ways[measure][0].ties != "expected"
        ]


def evaluate_batches(batches: Iterable[pa.RecordBatch], plan: Plan) -> Iterator[pa.RecordBatch]:
    """Evaluate the rows of a partition, which are sorted by the column `key`."""
    for block in _blocks_of_queries(batches, plan.rows):
        try:
            rows = _rows_of_block(block, plan)
        except CleverdonError as error:
            # Raised here, it would be tried again and reach the user as a hundred lines of Java.
            rows = {name: [None] for name in plan.schema.names} | {"error": [str(error)]}
        if rows:
            yield pa.RecordBatch.from_pydict(rows, schema=plan.schema)


def _blocks_of_queries(batches: Iterable[pa.RecordBatch], rows: int) -> Iterator[pa.Table]:
    """Cut sorted rows into blocks of about so many, each of whole queries."""
    held: list[pa.RecordBatch] = []
    count, wanted = 0, rows
    for batch in batches:
        held.append(batch)
        count += len(batch)
        if count < wanted:
            continue
        table = pa.Table.from_batches(held)
        keys = table.column("key").to_numpy()
        cut = int(np.searchsorted(keys, keys[-1]))  # where the last query begins
        if cut == 0:
            wanted = 2 * count  # one long query: ask again when there is far more of it
            continue
        yield table[:cut]
        held = table[cut:].combine_chunks().to_batches()
        count, wanted = count - cut, rows
    if count:
        yield pa.Table.from_batches(held)


def _rows_of_block(block: pa.Table, plan: Plan) -> dict[str, Any]:
    """Evaluate the queries of a block: the columns of a row for each query and system."""
    parts = _split(block, plan)
    judgments = _judgments(parts, plan)
    if judgments is None:
        _refuse_rows_without_query(parts, plan)
        return {}
    judged = judgments.judged
    relevant = judged.count(judged.grade > 0) > 0
    of_query = {"judgments": np.diff(judged.starts), "pooled": judged.count(judged.grade < 0)}
    queries = list(judged.queries)
    columns: dict[str, list[Any]] = {name: [] for name in plan.schema.names}
    for s, _name in enumerate(plan.systems):
        run = _rank(judgments, parts.get(FIRST_RUN + s), s, plan)
        values, kept = score_run(run, plan.measures, plan.ways, find_profile(plan.profile))
        evaluated = np.ones(len(queries), dtype=bool)
        if plan.settings.missing != "empty":
            evaluated &= run.present
        if plan.settings.no_relevant == "skip":
            evaluated &= relevant
        values[:, ~evaluated] = np.nan
        found: dict[str, Any] = _counts(run, plan)
        if s == 0:
            found |= of_query
        found |= {"present": run.present, "evaluated": evaluated}
        found |= {f"value{m}": row for m, row in enumerate(values)}
        for m in plan.with_texts:
            texts = plan.measures[m].texts(run.hits_by(plan.ways[plan.measures[m]][0]))
            found[f"text{m}"] = np.array(texts, dtype=object)
        columns["query"] += queries
        columns["system"] += [s] * len(queries)
        columns["error"] += [None] * len(queries)
        for m in plan.with_parts:
            columns[f"parts{m}"] += list(kept[plan.measures[m]].T)
        for column, array in found.items():
            columns[column].append(array)
    return {
        name: np.concatenate(filled) if filled and _is_array(filled[0], name) else filled
        for name, filled in columns.items()
    }


def _refuse_rows_without_query(parts: Mapping[int, pa.Table], plan: Plan) -> None:
    """Raise an InputError for a row without a query, which may come alone: none has judgments."""
    for s, name in enumerate(plan.systems):
        rows = parts.get(FIRST_RUN + s)
        if rows is not None:
            without = rows.filter(pc.equal(pc.coalesce(rows["query"], ""), ""))
            if len(without):
                _table(without, kind=plan.kinds[s], duplicates="unchecked", source=name)


def _is_array(first: Any, name: str) -> bool:
    return isinstance(first, np.ndarray) and not name.startswith("parts")


def _split(block: pa.Table, plan: Plan) -> dict[int, pa.Table]:
    """Return the rows of judgments and of each run; ordered, where an order is known."""
    part = block.column("part").to_numpy()
    if plan.ordered:
        rows = np.lexsort((block.column("order").to_numpy(), part))
    else:
        rows = np.argsort(part, kind="stable")
    kinds, starts = np.unique(part[rows], return_index=True)
    ends = [*starts[1:].tolist(), len(part)]
    taken = block.take(pa.array(rows))
    return {
        int(kind): taken[start:end]
        for kind, start, end in zip(kinds, starts.tolist(), ends, strict=True)
    }


def _judgments(parts: Mapping[int, pa.Table], plan: Plan) -> Judgments | None:
    rows = parts.get(JUDGED)
    if rows is None:
        return None
    twice = plan.settings.qrels_duplicates
    notes = Annotations()
    if plan.format is not None:
        found = _read_annotated(rows, format=plan.format, duplicates=twice)
        table, notes = found._table, found.notes
    else:
        table = _table(rows, kind="grade", duplicates=twice, source="judgments")
    whole = CollectionFacts(
        top_grade=plan.top_grade,
        top_second=plan.top_second,
        queries=plan.queries,
        positives=_times_relevant(parts[POSITIVES]) if POSITIVES in parts else None,
        judged_docs=_docs(parts.get(ELSEWHERE)) if plan.elsewhere else None,
    )
    notes = replace(notes, collection=whole, docs=plan.docs, positives=POSITIVES in parts)
    judgments = Judgments(table, name="judgments", notes=notes)
    if plan.second:
        judgments = _with_second(judgments, parts.get(SECOND), twice)
    weights = plan.weights
    if weights is not None:
        weights = {query: weights[query] for query in judgments.queries if query in weights}
        judgments = judgments.noting(weights=weights) if weights else judgments
    return judgments


def _with_second(judgments: Judgments, rows: pa.Table | None, duplicates: str) -> Judgments:
    if rows is not None:
        table = _table(rows, kind="grade", duplicates=duplicates, source="second judgments")
        second = Judgments(table, name="second judgments")
        if not set(second.queries).isdisjoint(judgments.queries):
            return judgments.noting(second=second)
    notes = replace(judgments.notes, second={})
    return Judgments(judgments._table, name=judgments.name, notes=notes)


def _rank(judgments: Judgments, rows: pa.Table | None, s: int, plan: Plan) -> RankedRun:
    """Rank the rows of a run; a row with neither document nor number is a query without results."""
    name, empty = plan.systems[s], []
    table = _core.Table.from_dict({}, "score", "unchecked")
    if rows is not None:
        nothing = pc.and_(pc.is_null(rows["doc"]), pc.is_null(rows["value"]))
        if pc.any(nothing).as_py():
            empty = rows.filter(nothing)["query"].to_pylist()
            rows = rows.filter(pc.invert(nothing))
        table = _table(rows, kind=plan.kinds[s], duplicates="unchecked", source=name)
    return rank(
        judgments,
        Run(table, name=name, unlisted=[query for query in empty if query]),
        settings=replace(plan.settings, order_by="score"),
        name=name,
        also=[way for way in dict.fromkeys(plan.ways.values()) if way != (plan.settings, False)],
        listed_only=find_profile(plan.profile).settings.missing == "skip",
        part=True,
    )


def _table(rows: pa.Table, *, kind: str, duplicates: str, source: str) -> _core.Table:
    try:
        return _core.Table.from_arrow(rows, _COLUMNS, kind, duplicates)
    except InputError as error:
        raise InputError(_with_query(error.message, rows), source=source) from None


def _with_query(message: str, rows: pa.Table) -> str:
    """Name the query in a message that names the row, of which Spark has no number."""
    found = re.search(r" in row (\d+)", message)
    if found is None:
        return message
    row = rows.slice(int(found[1]), 1).to_pylist()[0]
    of = f" of document {row['doc']!r}" if row["doc"] else ""
    where = f"{of} of query {row['query']!r}" if row["query"] else f"{of}, in a row without query"
    for column, means in (("doc", "the document"), ("query", "the query"), ("value", "the number")):
        message = message.replace(f'column "{column}"', means)
    return message.replace(found[0], where)


def _read_annotated(rows: pa.Table, *, format: str, duplicates: str) -> Judgments:
    """Read judgments with subtopics, strata or probabilities: see `annotated_qrels`."""
    queries, docs, grades, names = (rows.column(name).to_pylist() for name in (*_COLUMNS, "name"))
    for query, doc, grade, name in zip(queries, docs, grades, names, strict=True):
        given = {"query": query, "document": doc, "grade": grade, format: name}
        if missing := [what for what, value in given.items() if value in (None, "")]:
            message = f"a judgment of query {query!r} (document {doc!r}) has no {missing[0]}"
            raise InputError(message, source="judgments")
    listed: list[tuple[Any, ...]]
    if format == "subtopics":
        listed = list(zip(queries, names, docs, grades, strict=True))
    else:
        rest = [name.split(" ") for name in names]  # a stratum; or method and probability
        each = zip(queries, docs, grades, rest, strict=True)
        listed = [
            (query, "0", doc, *more, grade) if format == "strata" else (query, doc, grade, *more)
            for query, doc, grade, more in each
        ]
    try:
        return read_annotated_rows(listed, format=format, name="", duplicates=duplicates)
    except InputError as error:
        line = (error.line or 1) - 1
        message = error.message.partition(", first on line")[0]
        if "query" not in message:
            message += f": query {queries[line]!r}, document {docs[line]!r}"
        raise InputError(message, source="judgments") from None


def _times_relevant(rows: pa.Table) -> dict[str, int]:
    docs, times = (rows.column(name).to_pylist() for name in ("doc", "value"))
    return dict(zip(docs, map(int, times), strict=True))


def _docs(rows: pa.Table | None) -> frozenset[str]:
    return frozenset(() if rows is None else rows.column("doc").to_pylist())


def _counts(run: RankedRun, plan: Plan) -> dict[str, Ints]:
    """Count what provenance adds up. Ties are counted for a block: all stand in its first row."""
    hits = run.hits
    judged: Bools = hits.grade >= 0
    tied = np.zeros(len(hits), dtype=np.int64)
    tied[0] = run.tied
    zeros = np.zeros(len(hits), dtype=np.int64)
    found: dict[str, Ints] = {
        "returned": hits.returned,
        "tied": tied,
        "judged": hits.count(judged),
        "judgments": zeros,
        "pooled": zeros,
    }
    for k in plan.cutoffs:
        found[f"returned_at_{k}"] = np.minimum(hits.returned, k)
        found[f"judged_at_{k}"] = hits.count(judged & (hits.rank <= k))
    return found

"""Runs and judgments in memory: frozen, columnar, and independent of their source.

Judgments may say more than a grade for each document: see `Annotations`. numpy is imported when
it is needed, since every command that takes files imports this module.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Self

from cleverdon import _core
from cleverdon._common.digests import Digest, PendingDigest, pending
from cleverdon._common.extras import require
from cleverdon.errors import InputError, OptionError, check_count

if TYPE_CHECKING:
    from os import PathLike

    import pandas
    import polars
    import pyarrow

    from cleverdon._common.arrays import Floats
    from cleverdon.judgment_arrays import JudgmentArrays


Nested = dict[str, dict[str, float]]  # query to document to number
Grades = Mapping[str, Mapping[str, float]]
"""Query to document to grade; one below 0 is of a document that is pooled, and not judged."""

POOLED = -1.0  # the grade of documents that are pooled and not judged


@dataclass(frozen=True)
class CollectionFacts:
    """Facts of all judgments of a collection, which some measures need for each query.

    With them, any part of the queries can be evaluated by itself, with the values that it has among
    all. A fact that is None counts as what the judgments at hand give.
    """

    top_grade: float | None = None  # the largest grade
    top_second: float | None = None  # the largest of the second grades
    docs: int | None = None  # how many documents the collection has
    queries: int | None = None  # how many have judgments
    positives: Mapping[str, int] | None = None  # document: for how many queries it is relevant
    judged_docs: frozenset[str] | None = None  # every document that is judged for some query

    def digest(self, name: str) -> str:
        """Return a hash of the positives or the judged documents, the same in any order."""
        from hashlib import blake2b  # only for two of the facts

        known: Any = getattr(self, name)
        rows = sorted(known.items()) if isinstance(known, Mapping) else sorted(known)
        return blake2b(repr(rows).encode(), digest_size=16).hexdigest()


@dataclass(frozen=True)
class Annotations:
    """Annotations of judgments in addition to a grade for each document."""

    docs: int | None = None  # how many documents the collection has
    second: Nested | None = None  # another grade, as of credibility
    subtopics: dict[str, dict[str, dict[str, float]]] | None = None  # query, document, subtopic
    weights: Nested | None = None  # of each query's subtopics
    stratum: Nested | None = None  # from which stratum of the pool a document was drawn
    probability: Nested | None = None  # with which it was drawn
    positives: bool = False  # whether to count the queries for which each document is relevant
    top_grade: float | None = None  # the largest grade of the scale, if none of these has it
    collection: CollectionFacts | None = None  # if these judgments are a part of others

    def weighing(self, weights: Nested) -> Annotations:
        """Add weights of the subtopics; raise an error if they do not match."""
        covered = self.subtopics
        if covered is None:
            raise OptionError(
                "weights are of subtopics, and these judgments have none: qrels_format='subtopics'"
            )
        if covered.keys().isdisjoint(weights):
            raise InputError(
                f"no query of the judgments has weights: they have {next(iter(covered))!r}, the "
                f"weights have {next(iter(weights))!r}"
            )
        for query, known in weights.items():
            for name, weight in known.items():
                if weight < 0:
                    raise InputError(f"the weight of {name!r} of query {query!r} is below 0")
            for grades in covered.get(query, {}).values():
                for name, grade in grades.items():
                    if grade > 0 and name not in known:
                        raise InputError(f"subtopic {name!r} of query {query!r} has no weight")
        return replace(self, weights=weights)


class Rows:
    """Rows of (query, document, number), grouped by query: the base of runs and judgments."""

    columns: ClassVar[tuple[str, str, str]]  # the column names of tables
    kind: ClassVar[str]  # the kind of the numbers, as the core calls it
    digest = Digest()  # BLAKE3 of the file, what `b3sum` prints

    def __init__(
        self,
        table: _core.Table,
        *,
        name: str,
        source: str = "",
        digest: str | PendingDigest = "",
        unlisted: Iterable[str] = (),
    ) -> None:
        self._table = table
        known = set(table.queries) if unlisted else set()
        self._unlisted = tuple(query for query in dict.fromkeys(unlisted) if query not in known)
        """Queries without rows, which the table does not know."""
        self.name = name
        self.source = source  # the file, if it was read from one
        self.digest = digest

    def __reduce__(self) -> tuple[Any, ...]:
        facts = {"name": self.name, "source": self.source, "digest": self.digest}
        return _again, (type(self), self.to_dict(), facts)

    @classmethod
    def read(cls, data: Any, *, format: str | None = None, **options: Any) -> Self:
        """Read a file, a dict of dicts, a data frame or rows; see
        `cleverdon.formats.inputs.read_input`.
        """
        from cleverdon.formats.inputs import read_input  # which imports this module

        return read_input(cls, data, format=format, **options)

    @cached_property
    def queries(self) -> list[str]:
        """The queries, in the order of the input."""
        return [*self._table.queries, *self._unlisted]

    @property
    def empty(self) -> list[str]:
        """The queries without rows: for a run, those that found nothing."""
        spans = zip(self.queries, pairwise(self._starts), strict=True)
        return [query for query, (start, stop) in spans if start == stop]

    @cached_property
    def _starts(self) -> list[int]:
        starts: list[int] = self._table.starts.tolist()
        return starts + starts[-1:] * len(self._unlisted)

    @cached_property
    def _values(self) -> Floats:
        return self._table.values

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {query: position for position, query in enumerate(self.queries)}

    def __len__(self) -> int:
        """Return the number of rows."""
        return self._starts[-1]

    def __iter__(self) -> Iterator[str]:
        """Yield the queries."""
        return iter(self.queries)

    def __contains__(self, query: object) -> bool:
        return query in self._positions

    def __getitem__(self, query: str) -> dict[str, float]:
        """Return one query's documents and their numbers, in the order of the input."""
        position = self._positions[query]
        start, stop = self._starts[position : position + 2]
        values = self._values[start:stop].tolist()
        return dict(zip(self._table.docs(start, stop), values, strict=True))

    def __repr__(self) -> str:
        size = f"{len(self):,} rows, {len(self.queries):,} queries"
        return f"<{type(self).__name__} {self.name!r}: {size}>"

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return a dict of dicts: query to document to number."""
        return {query: self[query] for query in self.queries}

    def rows(self) -> Iterator[tuple[str, str, float]]:
        """Yield every row as (query, document, number)."""
        for query in self.queries:
            for doc, value in self[query].items():
                yield query, doc, value

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Hand the columns to any library that speaks Arrow, without one being needed here.

        Args:
            requested_schema: Ignored, as the interface allows: ids are text, values float64.
        """
        return self._table.arrow_stream(self.columns)

    def to_arrow(self) -> pyarrow.Table:
        """Return a pyarrow table."""
        table: pyarrow.Table = require("pyarrow", "to_arrow()", extra="tables").table(self)
        return table

    def to_polars(self) -> polars.DataFrame:
        """Return a polars data frame."""
        frame: polars.DataFrame = require("polars", "to_polars()").DataFrame(self)
        return frame

    def to_dataset(self) -> Any:
        """A dataset of Hugging Face's; a query without rows stands alone in one."""
        from cleverdon.formats.writers import arrow_table  # which imports this module

        return require("datasets", "to_dataset()").Dataset(arrow_table(self))

    def to_pandas(self) -> pandas.DataFrame:
        """Return a pandas data frame."""
        library = require("pandas", "to_pandas()")
        frame: pandas.DataFrame = library.DataFrame(list(self.rows()), columns=list(self.columns))
        return frame

    def write(self, path: str | PathLike[str], *, format: str | None = None) -> None:
        """Write a file; the format follows from its ending (`.json`, `.parquet`), else TREC's.

        A warning says which queries without rows are lost, where TREC's formats have no place for
        them.
        """
        from cleverdon.formats.writers import lost_queries, write_rows  # which imports this module

        write_rows(self, path, format=format)
        if lost := lost_queries(self, path, format=format):
            warnings.warn(lost, stacklevel=2)


def _again(cls: type[Rows], nested: dict[str, dict[str, float]], facts: dict[str, Any]) -> Rows:
    return cls(_core.Table.from_dict(nested, cls.kind, "unchecked"), **facts)


class Run(Rows):
    """The results of one system: for each query, documents with scores.

    >>> run = Run.read({"q1": {"d1": 0.5, "d2": 0.75}}, name="mine")
    >>> run.ranking("q1")
    [('d2', 0.75), ('d1', 0.5)]
    """

    columns = ("query_id", "doc_id", "score")
    kind = "score"

    def ranking(self, query: str) -> list[tuple[str, float]]:
        """Return one query's results in Cleverdon's order: by falling score, then falling id."""
        by_id = sorted(self[query].items(), key=lambda row: row[0].encode(), reverse=True)
        return sorted(by_id, key=lambda row: row[1], reverse=True)


class Judgments(Rows):
    """Relevance judgments: for each query, documents with grades.

    >>> Judgments.read([("q1", "d1", 2), ("q1", "d2", 0)])
    <Judgments 'judgments': 2 rows, 1 queries>
    """

    columns = ("query_id", "doc_id", "relevance")
    kind = "grade"

    def __init__(
        self, table: _core.Table, *, notes: Annotations | None = None, **facts: Any
    ) -> None:
        super().__init__(table, **facts)
        self.notes = notes or Annotations()

    def __reduce__(self) -> tuple[Any, ...]:
        again, (cls, nested, facts) = super().__reduce__()
        return again, (cls, nested, facts | {"notes": self.notes})

    def noting(
        self,
        *,
        docs: int | None = None,
        second: Judgments | None = None,
        weights: Nested | None = None,
        positives: bool = False,
        collection: CollectionFacts | None = None,
    ) -> Judgments:
        """Add the size of the collection, second grades, or weights of subtopics.

        `positives` counts for each document the queries for which it is relevant, as measures with
        propensities need it. `collection` has the facts of all judgments, if these are a part.

        A document that only the second judgments mention counts as not judged in the first, and the
        other way round. A query's subtopics count equally where no weights of them are given.

        >>> relevance = Judgments.read({"q1": {"d1": 2}})
        >>> both = relevance.noting(second=Judgments.read({"q1": {"d1": 1, "d2": 3}}))
        >>> both["q1"], both.judged.second.tolist()
        ({'d1': 2.0, 'd2': -1.0}, [1.0, 3.0])
        """
        nothing = docs is None and second is None and weights is None and collection is None
        if nothing and not positives:
            return self
        if docs is not None:
            docs = check_count("docs", docs)
        if collection is not None:
            docs = _common_size(docs or self.notes.docs, collection.docs)
        table, notes = self._table, replace(self.notes, docs=docs or self.notes.docs)
        notes = replace(notes, collection=collection or notes.collection)
        notes = replace(notes, positives=positives or notes.positives)
        if second is not None:
            nested = self.to_dict()
            if nested.keys().isdisjoint(second.queries):
                raise InputError(
                    "the second judgments have no query in common with the first: they have "
                    f"{second.queries[0]!r}, the first have {self.queries[0]!r}"
                )
            for query in nested.keys() & set(second.queries):
                nested[query] |= dict.fromkeys(second[query].keys() - nested[query].keys(), -1.0)
            notes = replace(notes, second=second.to_dict())
            table = _core.Table.from_dict(nested, self.kind, "unchecked")
        if weights is not None:
            notes = notes.weighing(weights)
        facts = {"name": self.name, "source": self.source, "digest": pending(self)}
        return Judgments(table, notes=notes, **facts)

    def facts(self, names: Iterable[str] | None = None) -> CollectionFacts:
        """Return facts of these judgments as of a whole collection; None for those not named.

        >>> Judgments.read({"q1": {"d1": 2}, "q2": {"d2": 3}}).facts(["top_grade", "queries"])
        CollectionFacts(top_grade=3.0, top_second=None, docs=None, queries=2, positives=None,
        judged_docs=None)
        """
        wanted = {one.name for one in fields(CollectionFacts)} if names is None else set(names)
        found: dict[str, Any] = {}
        if "top_grade" in wanted:
            found["top_grade"] = self.judged.top_grade
        if "top_second" in wanted and self.notes.second is not None:
            found["top_second"] = self.judged.top_second
        if "docs" in wanted:
            found["docs"] = self.notes.docs
        if "queries" in wanted:
            found["queries"] = len(self.core.queries)
        if "positives" in wanted:
            found["positives"] = self._times_relevant()
        if "judged_docs" in wanted:
            found["judged_docs"] = frozenset(self.core.docs(0, len(self)))
        return CollectionFacts(**found)

    @cached_property
    def core(self) -> _core.Judgments:
        """The judgments in the order of evaluation, with a look-up by document."""
        facts = self.notes.collection
        if facts is None or facts.judged_docs is None:
            return _core.Judgments(self._table)
        return _core.Judgments(self._table, list(facts.judged_docs))

    @cached_property
    def judged(self) -> JudgmentArrays:
        """The judgments as measures see them."""
        import numpy as np

        from cleverdon.judgment_arrays import JudgmentArrays, Subtopics  # reading needs no numpy

        grade, notes = self.core.grades, self.notes
        second = self._column(notes.second, -1)
        subtopics, rows = None, self._rows_in_order()
        if notes.subtopics is not None:
            covered, weights, queries = notes.subtopics, notes.weights, self.core.queries
            subtopics = Subtopics.noted(covered, weights, queries=queries, rows=rows)
        facts = notes.collection or CollectionFacts()
        top_second = 0.0 if second is None else float(np.max(second, initial=0))
        return JudgmentArrays(
            queries=self.core.queries,
            starts=self.core.starts,
            grade=grade,
            top_grade=_largest(
                float(np.max(grade, initial=notes.top_grade or 0)), facts.top_grade, "grade"
            ),
            docs=notes.docs,
            second=second,
            top_second=_largest(top_second, facts.top_second, "second grade"),
            subtopics=subtopics,
            stratum=self._column(notes.stratum, -1, dtype=np.int64),
            probability=self._column(notes.probability, np.nan),
            positives=self._positives() if notes.positives else None,
            all_queries=(facts.queries or len(self.core.queries)) if notes.positives else 0,
        )

    def _column(self, nested: Nested | None, otherwise: float, dtype: type = float) -> Any:
        """Return a note on documents as an array, a row for each judgment."""
        import numpy as np

        if nested is None:
            return None
        column = [nested.get(query, {}).get(doc, otherwise) for query, doc in self._rows_in_order()]
        return np.array(column, dtype=dtype)

    def _positives(self) -> Floats:
        """Return for each judgment the number of queries for which its document is relevant."""
        import numpy as np

        own = self._times_relevant()
        facts = self.notes.collection
        times = own if facts is None or facts.positives is None else facts.positives
        for doc, count in own.items():
            if times.get(doc, 0) < count:
                raise InputError(
                    f"document {doc!r} is relevant for {count} of these queries, and for "
                    f"{times.get(doc, 0)} of the collection's: are these facts of another one?"
                )
        docs = self.core.docs(0, len(self))
        return np.array([times.get(doc, 0) for doc in docs], dtype=np.float64)

    def _times_relevant(self) -> dict[str, int]:
        docs = self.core.docs(0, len(self))
        relevant = (self.core.grades > 0).tolist()
        return Counter(doc for doc, counts in zip(docs, relevant, strict=True) if counts)

    def _rows_in_order(self) -> Iterator[tuple[str, str]]:
        starts = self.core.starts.tolist()
        for query, start, stop in zip(self.core.queries, starts[:-1], starts[1:], strict=True):
            for doc in self.core.docs(start, stop):
                yield query, doc


def _largest(own: float, of_all: float | None, what: str) -> float:
    """Return the largest grade of the collection, which no grade of a part is above."""
    if of_all is None:
        return own
    if own > of_all:
        raise InputError(
            f"there is a {what} of {own:g}, and the largest of the collection is {of_all:g}: are "
            "these facts of another one?"
        )
    return of_all


def _common_size(docs: int | None, of_all: int | None) -> int | None:
    if docs is not None and of_all is not None and docs != of_all:
        raise OptionError(f"docs={docs}, and the collection has {of_all} documents")
    return of_all if docs is None else docs

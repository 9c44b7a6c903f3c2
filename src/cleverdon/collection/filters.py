"""Judgments of some queries, documents or grades; grades made into others.

What is kept keeps everything that judgments say beside grades.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from cleverdon import _core
from cleverdon._common.text import counted, printable
from cleverdon.data import Annotations, Grades, Judgments, Nested
from cleverdon.errors import InputError, OptionError, check_count, suggest
from cleverdon.formats.attributes import read_attributes

if TYPE_CHECKING:
    pass

Value = TypeVar("Value")


Regrade = Callable[[str, str, float], float]
"""Of a query, a document and its grade, the grade that it becomes."""


def select_judgments(
    judgments: Judgments, kept: Grades, *, regrade: Regrade | None = None, name: str | None = None
) -> Judgments:
    """Select the judgments of these documents, with their strata, probabilities and subtopics.

    `kept` holds the grades as they were; `regrade` gives what becomes of each. The grade of a
    document with subtopics is the largest of those, before and after. Queries of which nothing is
    kept are left out; where that is all of them, that is an error.

    >>> judgments = Judgments.read([("q1", "a", "d1", 2), ("q1", "b", "d2", 1)], format="subtopics")
    >>> some = select_judgments(judgments, {"q1": {"d2": 1}})
    >>> some.to_dict(), some.notes.subtopics
    ({'q1': {'d2': 1.0}}, {'q1': {'d2': {'b': 1.0}}})
    """
    notes = _notes(judgments.notes, kept)
    grades = {query: dict(docs) for query, docs in kept.items() if docs}
    if not grades:
        raise InputError(
            "no judgment is left: none of it was chosen", source=judgments.source or judgments.name
        )
    if regrade is not None:
        if notes.subtopics is not None:
            notes = replace(notes, subtopics=_regrade_subtopics(notes.subtopics, regrade))
        grades = _selected_grades(grades, notes, regrade)
    table = _core.Table.from_dict(grades, Judgments.kind, "unchecked")
    return Judgments(table, name=name or judgments.name, notes=notes)


def _selected_grades(grades: Nested, notes: Annotations, regrade: Regrade) -> Nested:
    """Return the new grades: of subtopics the largest, which are regraded already."""
    covered = notes.subtopics
    return {
        query: {
            doc: regrade(query, doc, grade)
            if covered is None
            else max(covered[query][doc].values())
            for doc, grade in docs.items()
        }
        for query, docs in grades.items()
    }


def _regrade_subtopics(
    covered: dict[str, dict[str, dict[str, float]]], regrade: Regrade
) -> dict[str, dict[str, dict[str, float]]]:
    return {
        query: {
            doc: {subtopic: regrade(query, doc, grade) for subtopic, grade in of_doc.items()}
            for doc, of_doc in docs.items()
        }
        for query, docs in covered.items()
    }


def _notes(notes: Annotations, kept: Grades) -> Annotations:
    return replace(
        notes,
        second=_of_kept(notes.second, kept),
        subtopics=_of_kept(notes.subtopics, kept),
        weights=notes.weights and {q: w for q, w in notes.weights.items() if kept.get(q)},
        stratum=_of_kept(notes.stratum, kept),
        probability=_of_kept(notes.probability, kept),
    )


def _of_kept(
    nested: dict[str, dict[str, Value]] | None, kept: Grades
) -> dict[str, dict[str, Value]] | None:
    if nested is None:
        return None
    found = {
        query: {doc: nested[query][doc] for doc in docs if doc in nested[query]}
        for query, docs in kept.items()
        if query in nested
    }
    return {query: docs for query, docs in found.items() if docs}


def is_sample(judgments: Judgments) -> bool:
    """Tell whether these are a sample, with strata or probabilities that estimates need."""
    return judgments.notes.stratum is not None or judgments.notes.probability is not None


_REASONS = ("query", "document", "not judged", "grade", "too few relevant")
"""The reasons to drop a judgment, in the order in which they are checked."""


_NO_LONGER_A_SAMPLE = (
    "these judgments are a sample, and judgments were dropped from it by document or grade: what "
    "infAP, xinfAP and statAP estimate from the rest is of another pool"
)


@dataclass(frozen=True, eq=False)
class FilterResult:
    """The judgments that are kept, and the reasons for dropping the others.

    >>> filter_judgments({"q1": {"a": 2, "b": 0}}, lowest=1).before
    2
    """

    judgments: Judgments
    before: int  # how many judgments there were
    queries_before: int
    dropped: dict[str, int]  # judgments, by reason
    dropped_queries: tuple[str, ...]  # of which no judgment is left
    missing: tuple[str, ...]  # queries that were named and have no judgments
    missing_docs: tuple[str, ...]  # documents that were named and that no judgment mentions
    regraded: int | None  # judgments whose grade became another; None where none was to
    unmet: tuple[float, ...]  # grades of which others were to be made, and that no judgment has
    warnings: tuple[str, ...]


def filter_judgments(
    judgments: Any,
    *,
    queries: Collection[str] | None = None,
    queries_like: str | None = None,
    docs: Collection[str] | None = None,
    docs_like: str | None = None,
    attributes: Any = None,
    by: str | None = None,
    values: Collection[str] = (),
    exclude: bool = False,
    lowest: float | None = None,
    highest: float | None = None,
    drop_unjudged: bool = False,
    grades: Mapping[float, float] | None = None,
    binary: bool = False,
    min_relevant: int = 0,
    rel: float = 1,
) -> FilterResult:
    """Keep the judgments of some queries, documents and grades; change grades.

    Queries and documents are chosen first, then grades; `grades` and `binary` come after that, and
    `min_relevant` counts what is left.

    Args:
        judgments: The judgments: a file, a dict or a data frame.
        queries: Queries to keep.
        queries_like: A regular expression that is searched for in the ids of queries.
        docs: Documents to keep.
        docs_like: A regular expression that is searched for in the ids of documents.
        attributes: Attributes of queries (see `cleverdon.formats.attributes`).
        by: The attribute that decides which other queries to keep; by default the only one.
        values: Its values for these queries.
        exclude: Drop the named queries and documents, and keep all others.
        lowest: Keep grades from this one on.
        highest: Keep grades up to this one.
        drop_unjudged: Drop documents that were pooled and not judged (grades below 0).
        grades: New grades by old ones; grades that are not named stay.
        binary: Make 1 of grades from `rel` on, and 0 of others that were judged.
        min_relevant: Drop queries with fewer relevant documents.
        rel: The lowest grade that is relevant.

    Returns:
        The judgments that are left, and how many were dropped for which reason.

    >>> qrels = {"q1": {"a": 2, "b": 0}, "q2": {"a": 1}}
    >>> filter_judgments(qrels, lowest=1, grades={2: 1}).judgments.to_dict()
    {'q1': {'a': 1.0}, 'q2': {'a': 1.0}}
    """
    given = Judgments.read(judgments)
    _check(queries, docs, lowest, highest, grades, binary)
    check_count("min_relevant", min_relevant, least=0)
    if attributes is not None:
        queries = [*(queries or ()), *_queries_with(attributes, by, values)]
    if exclude and (queries, queries_like, docs, docs_like) == (None,) * 4:
        raise OptionError("exclude=True drops what is named, and no query or document is")
    missing = () if queries is None else tuple(query for query in queries if query not in given)
    _check_known(given, queries, missing, alone=queries_like is None and not exclude)
    wants_query = _choice(queries, queries_like, exclude=exclude)
    wants_doc = _choice(docs, docs_like, exclude=exclude)
    low = float("-inf") if lowest is None else lowest
    high = float("inf") if highest is None else highest
    regrade = _regrading(grades, binary=binary, rel=rel)
    dropped = dict.fromkeys(_REASONS, 0)
    strangers = dict.fromkeys(docs or ())
    unmet = dict.fromkeys(map(float, grades or ()))
    kept: dict[str, dict[str, float]] = {}
    reached: set[float] = set()  # grades that are outside those to keep
    for query in given.queries:
        of_query = given[query]
        for doc in strangers.keys() & of_query.keys():
            del strangers[doc]
        if not wants_query(query):
            dropped["query"] += len(of_query)
            continue
        left: dict[str, float] = {}
        for doc, grade in of_query.items():
            if not wants_doc(doc):
                dropped["document"] += 1
            elif drop_unjudged and grade < 0:
                dropped["not judged"] += 1
            elif not low <= grade <= high:
                dropped["grade"] += 1
                reached.add(grade)
            else:
                left[doc] = grade
        kept[query] = left
    met = _grades_of(given, kept) if unmet else frozenset()
    if not any(kept.values()):
        raise _nothing_left(given, _stage(dropped, len(given)), lowest, highest, reached)
    made = select_judgments(given, kept, regrade=regrade)
    if min_relevant:
        few = {query for query in made.queries if _relevant(made[query], rel) < min_relevant}
        dropped["too few relevant"] = sum(len(kept[query]) for query in few)
        if len(few) == len(made.queries):
            most = max(made.queries, key=lambda query: _relevant(made[query], rel))
            raise InputError(
                f"no judgment is left: no query has {min_relevant:,} relevant documents, of "
                f"grade {rel:g} or more; {most!r} has most, {_relevant(made[most], rel):,}",
                source=given.source or given.name,
            )
        enough = {query: docs for query, docs in kept.items() if query not in few}
        made = select_judgments(given, enough, regrade=regrade)
    within = sum(dropped[reason] for reason in ("document", "not judged", "grade"))
    return FilterResult(
        judgments=made,
        before=len(given),
        queries_before=len(given.queries),
        dropped={reason: count for reason, count in dropped.items() if count},
        dropped_queries=tuple(query for query in given.queries if query not in made),
        missing=missing,
        missing_docs=tuple(strangers),
        regraded=None if regrade is None else _regraded(given, made),
        unmet=tuple(grade for grade in unmet if grade not in met),
        warnings=(_NO_LONGER_A_SAMPLE,) if within and is_sample(given) else (),
    )


def _queries_with(attributes: Any, by: str | None, values: Collection[str]) -> list[str]:
    """Return the queries whose attribute has one of the values."""
    name, column = read_attributes(attributes).column(by)
    known = dict.fromkeys(column.values())
    for value in values:
        if value not in known:
            raise OptionError(f"no query has {name} {value!r}{suggest(value, known)}")
    return [query for query, value in column.items() if value in values]


def _stage(dropped: Mapping[str, int], before: int) -> str:
    """Return the reason after which nothing was left."""
    left = before
    for reason in _REASONS:
        left -= dropped[reason]
        if not left:
            return reason
    raise AssertionError("some judgment is left")


def _nothing_left(
    given: Judgments,
    reason: str,
    lowest: float | None,
    highest: float | None,
    grades: Collection[float],
) -> InputError:
    """Name the condition that left nothing."""
    told = {
        "query": "no query with judgments is one of those to keep",
        "document": "no document that is judged for these queries is one of those to keep",
        "not judged": "all documents are pooled and not judged",
    }.get(reason)
    if told is None:
        asked = [] if lowest is None else [f"{lowest:g} or more"]
        asked += [] if highest is None else [f"{highest:g} or less"]
        ends = f"the lowest is {min(grades):g}, the highest {max(grades):g}"
        told = f"no grade is {' and '.join(asked)}; {ends}"
    return InputError(f"no judgment is left: {told}", source=given.source or given.name)


def _relevant(grades: Mapping[str, float], rel: float) -> int:
    return sum(grade >= rel for grade in grades.values())


def _grades_of(given: Judgments, kept: Mapping[str, Mapping[str, float]]) -> frozenset[float]:
    """Return all grades that are kept, of subtopics as well."""
    covered = given.notes.subtopics
    if covered is None:
        return frozenset(grade for docs in kept.values() for grade in docs.values())
    return frozenset(
        grade
        for query, docs in kept.items()
        for doc in docs
        for grade in covered[query][doc].values()
    )


def _regraded(given: Judgments, made: Judgments) -> int:
    """Count the grades that changed; of subtopics, each grade counts."""
    count = 0
    were, are = given.notes.subtopics, made.notes.subtopics
    for query in made.queries:
        if were is None or are is None:
            before = given[query]
            count += sum(before[doc] != grade for doc, grade in made[query].items())
        else:
            count += sum(
                were[query][doc][subtopic] != grade
                for doc, grades in are[query].items()
                for subtopic, grade in grades.items()
            )
    return count


def _check_known(
    given: Judgments, queries: Collection[str] | None, missing: tuple[str, ...], *, alone: bool
) -> None:
    """Require that one of the named queries has judgments."""
    if alone and queries is not None and len(missing) == len(queries):
        first = next(iter(queries), None)
        if first is None:
            raise OptionError("queries is empty: name those to keep")
        near = suggest(first, given.queries) or f"; there is {given.queries[0]!r}"
        raise InputError(
            f"no query that is named has judgments, such as {first!r}{near}",
            source=given.source or given.name,
        )


def _check(
    queries: Any,
    docs: Any,
    lowest: float | None,
    highest: float | None,
    grades: Mapping[float, float] | None,
    binary: bool,
) -> None:
    for name, ids in (("queries", queries), ("docs", docs)):
        if isinstance(ids, str):
            raise OptionError(f"{name}={ids!r}: expected several ids; write [{ids!r}] for one")
    if lowest is not None and highest is not None and lowest > highest:
        raise OptionError(f"lowest={lowest:g} is above highest={highest:g}: no grade is between")
    if grades and binary:
        raise OptionError("grades and binary both say what becomes of grades: give one of them")


def _choice(
    ids: Collection[str] | None, like: str | None, *, exclude: bool
) -> Callable[[str], bool]:
    """Return a test of ids: listed, or matched by the expression."""
    if ids is None and like is None:
        return lambda _: True
    listed = frozenset(ids or ())
    try:
        search = re.compile(like).search if like is not None else None
    except re.error as error:
        raise OptionError(f"{like!r} is no regular expression: {error}") from None
    return lambda found: (found in listed or bool(search and search(found))) != exclude


def _regrading(grades: Mapping[float, float] | None, *, binary: bool, rel: float) -> Regrade | None:
    if binary:
        return lambda query, doc, grade: grade if grade < 0 else float(grade >= rel)
    if not grades:
        return None
    table = {float(before): float(after) for before, after in grades.items()}
    return lambda query, doc, grade: table.get(grade, grade)


MOST_NAMED = 5


def filter_notes(found: FilterResult) -> Iterator[str]:
    """Write how many judgments were dropped, by reason."""
    left = found.before - len(found.judgments)
    if not left:
        yield "no judgment was dropped"
    else:
        reasons = ", ".join(f"{reason}: {count:,}" for reason, count in found.dropped.items())
        yield f"{counted(left, 'judgment')} of {found.before:,} dropped ({reasons})"
    if found.dropped_queries:
        yield count_ids(found.dropped_queries, "query", "dropped")
    if found.regraded is not None:
        yield f"{counted(found.regraded, 'grade')} became another"
    for grade in found.unmet:
        yield f"warning: no judgment that is kept has grade {grade:g}: nothing was made of it"
    if found.missing:
        yield f"warning: {count_ids(found.missing, 'query', 'named without judgments')}"
    if found.missing_docs:
        told = count_ids(found.missing_docs, "document", "named that no judgment mentions")
        yield f"warning: {told}"
    yield from (f"warning: {warning}" for warning in found.warnings)


def count_ids(ids: Sequence[str], what: str, where: str) -> str:
    """Count ids, and list the first few of them."""
    more = len(ids) - MOST_NAMED
    listed = ", ".join(map(printable, ids[:MOST_NAMED])) + (
        f" and {more:,} more" if more > 0 else ""
    )
    return f"{counted(len(ids), what)} {where}: {listed}"

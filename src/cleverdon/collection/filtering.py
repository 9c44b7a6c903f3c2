"""Judgments of some topics, documents or grades; and grades made into others."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from cleverdon.collection.parts import Regrade, part, sampled
from cleverdon.data import Judgments
from cleverdon.errors import InputError, OptionError, check_count, suggest

REASONS = ("topic", "document", "not judged", "grade", "too few relevant")
"""Why a judgment may be dropped, in the order in which that is looked at."""

_NO_LONGER_A_SAMPLE = (
    "these judgments are a sample, and judgments were dropped from it by document or grade: what "
    "infAP, xinfAP and statAP estimate from the rest is of another pool"
)


@dataclass(frozen=True, eq=False)
class Filtered:
    """What is left of judgments, and why the others are not."""

    judgments: Judgments
    before: int  # how many judgments there were
    topics_before: int
    dropped: dict[str, int]  # judgments, by reason
    dropped_topics: tuple[str, ...]  # of which no judgment is left
    missing: tuple[str, ...]  # topics that were named and have no judgments
    missing_docs: tuple[str, ...]  # documents that were named and that no judgment mentions
    regraded: int | None  # judgments whose grade became another; None where none was to
    unmet: tuple[float, ...]  # grades of which others were to be made, and that no judgment has
    warnings: tuple[str, ...]


def filtered(
    judgments: Any,
    *,
    topics: Collection[str] | None = None,
    topics_like: str | None = None,
    docs: Collection[str] | None = None,
    docs_like: str | None = None,
    exclude: bool = False,
    lowest: float | None = None,
    highest: float | None = None,
    drop_unjudged: bool = False,
    grades: Mapping[float, float] | None = None,
    binary: bool = False,
    least_relevant: int = 0,
    rel: float = 1,
) -> Filtered:
    """The judgments of these topics and documents, with grades from `lowest` to `highest`.

    `topics_like` and `docs_like` are regular expressions that are searched for in ids; with
    `exclude`, what topics and documents are named is dropped, and all else kept. `drop_unjudged`
    drops what was pooled and not judged (a grade below 0). Then `grades` says which grades become
    which; `binary` makes 1 of those from `rel` on and 0 of others that were judged. Last, topics
    with fewer than `least_relevant` documents of grade `rel` or above go.

    >>> qrels = {"q1": {"a": 2, "b": 0}, "q2": {"a": 1}}
    >>> filtered(qrels, lowest=1, grades={2: 1}).judgments.to_dict()
    {'q1': {'a': 1.0}, 'q2': {'a': 1.0}}
    """
    given = Judgments.read(judgments)
    _check(topics, docs, lowest, highest, grades, binary)
    check_count("least_relevant", least_relevant, least=0)
    if exclude and not any(chosen is not None for chosen in (topics, topics_like, docs, docs_like)):
        raise OptionError("exclude=True drops what is named, and no topic or document is")
    missing = () if topics is None else tuple(topic for topic in topics if topic not in given)
    _check_known(given, topics, missing, alone=topics_like is None and not exclude)
    wants_topic = _choice(topics, topics_like, exclude=exclude)
    wants_doc = _choice(docs, docs_like, exclude=exclude)
    low = float("-inf") if lowest is None else lowest
    high = float("inf") if highest is None else highest
    regrade = _regrading(grades, binary=binary, rel=rel)
    dropped = dict.fromkeys(REASONS, 0)
    strangers = dict.fromkeys(docs or ())
    unmet = dict.fromkeys(map(float, grades or ()))
    kept: dict[str, dict[str, float]] = {}
    reached: set[float] = set()  # grades that are outside those to keep
    for query in given.queries:
        of_query = given[query]
        for doc in strangers.keys() & of_query.keys():
            del strangers[doc]
        if not wants_topic(query):
            dropped["topic"] += len(of_query)
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
    made = part(given, kept, regrade=regrade)
    if least_relevant:
        few = {query for query in made.queries if _relevant(made[query], rel) < least_relevant}
        dropped["too few relevant"] = sum(len(kept[query]) for query in few)
        if len(few) == len(made.queries):
            most = max(made.queries, key=lambda query: _relevant(made[query], rel))
            raise InputError(
                f"no judgment is left: no query has {least_relevant:,} relevant documents, of "
                f"grade {rel:g} or more; {most!r} has most, {_relevant(made[most], rel):,}",
                source=given.source or given.name,
            )
        enough = {query: docs for query, docs in kept.items() if query not in few}
        made = part(given, enough, regrade=regrade)
    within = sum(dropped[reason] for reason in ("document", "not judged", "grade"))
    return Filtered(
        judgments=made,
        before=len(given),
        topics_before=len(given.queries),
        dropped={reason: count for reason, count in dropped.items() if count},
        dropped_topics=tuple(query for query in given.queries if query not in made),
        missing=missing,
        missing_docs=tuple(strangers),
        regraded=None if regrade is None else _regraded(given, made),
        unmet=tuple(grade for grade in unmet if grade not in met),
        warnings=(_NO_LONGER_A_SAMPLE,) if within and sampled(given) else (),
    )


def _stage(dropped: Mapping[str, int], before: int) -> str:
    """The reason after which nothing was left."""
    left = before
    for reason in REASONS:
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
    """Which condition left nothing, in words."""
    told = {
        "topic": "no query with judgments is one of those to keep",
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
    """All grades that what is kept has, of subtopics as well."""
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
    """How many grades are not what they were; of subtopics, each grade counts."""
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
    given: Judgments, topics: Collection[str] | None, missing: tuple[str, ...], *, alone: bool
) -> None:
    """Where topics are all that is named, one of them at least has judgments."""
    if alone and topics is not None and len(missing) == len(topics):
        first = next(iter(topics), None)
        if first is None:
            raise OptionError("topics is empty: name those to keep")
        near = suggest(first, given.queries) or f"; there is {given.queries[0]!r}"
        raise InputError(
            f"no query that is named has judgments, such as {first!r}{near}",
            source=given.source or given.name,
        )


def _check(
    topics: Any,
    docs: Any,
    lowest: float | None,
    highest: float | None,
    grades: Mapping[float, float] | None,
    binary: bool,
) -> None:
    for name, ids in (("topics", topics), ("docs", docs)):
        if isinstance(ids, str):
            raise OptionError(f"{name}={ids!r}: expected several ids; write [{ids!r}] for one")
    if lowest is not None and highest is not None and lowest > highest:
        raise OptionError(f"lowest={lowest:g} is above highest={highest:g}: no grade is between")
    if grades and binary:
        raise OptionError("grades and binary both say what becomes of grades: give one of them")


def _choice(
    ids: Collection[str] | None, like: str | None, *, exclude: bool
) -> Callable[[str], bool]:
    """Whether an id is wanted: one that is listed, or that the expression is found in."""
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


def parse_grades(text: str) -> dict[float, float]:
    """Which grades become which, as it is written on the command line.

    >>> parse_grades("1=0,2=1, 3=1")
    {1.0: 0.0, 2.0: 1.0, 3.0: 1.0}
    """
    found: dict[float, float] = {}
    for pair in text.split(","):
        before, equals, after = pair.partition("=")
        try:
            old, new = float(before), float(after)
        except ValueError:
            raise OptionError(
                f"expected grades such as 1=0,2=1,3=1; found {pair.strip()!r}"
            ) from None
        if not equals or found.setdefault(old, new) != new:
            raise OptionError(f"grade {old:g} becomes both {found[old]:g} and {new:g}")
    return found

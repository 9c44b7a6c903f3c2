"""A part of judgments: drawn at random, or what another pool would have had judged.

What is drawn for a topic depends on the seed, the topic's name and its documents alone: not on the
order of a file, nor on the other topics.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cleverdon.annotations import POOLED
from cleverdon.arrays import Ints
from cleverdon.collection.parts import part, sampled
from cleverdon.data import Judgments
from cleverdon.errors import OptionError, check_count, check_seed, check_within, suggest
from cleverdon.pool.contributions import gather

Progress = Callable[[str, int, int], object]

_SAMPLE = (
    "these judgments are a sample already: the strata or probabilities that were kept are those of "
    "the whole sample, not of this part"
)


@dataclass(frozen=True, eq=False)
class Subset:
    """A part of judgments, and how much of them it is."""

    judgments: Judgments
    before: int
    topics_before: int
    judged: int  # documents of the subset that keep their grade
    marked: int = 0  # documents that were not drawn, and are kept as not judged
    raised: int = 0  # topics that gave one judgment, where their share of them is none
    asked: int | None = None  # how many topics were asked for, where there are not so many
    lost: tuple[str, ...] = ()  # topics of which a pool has no judgment
    not_judged: int | None = None  # of the documents of a pool, those that judgments do not mention
    warnings: tuple[str, ...] = ()


def some_topics(
    judgments: Any, *, share: float | None = None, count: int | None = None, seed: int = 0
) -> Subset:
    """Random topics with all their judgments: a share of them, or so many.

    >>> qrels = {f"q{i}": {"a": 1} for i in range(10)}
    >>> some_topics(qrels, count=3, seed=1).judgments.queries
    ['q3', 'q4', 'q7']
    """
    given = Judgments.read(judgments)
    topics = sorted(given.queries, key=str.encode)
    wanted = _number(share, count, of=len(topics), what="topics")
    drawn = _random(seed, "").choice(len(topics), size=wanted, replace=False)
    chosen = {topics[at] for at in drawn}
    made = _subset(given, {query: given[query] for query in given.queries if query in chosen})
    return replace(made, asked=count if count is not None and count > wanted else None)


def some_judgments(
    judgments: Any,
    *,
    share: float | None = None,
    count: int | None = None,
    seed: int = 0,
    by_grade: bool = False,
    mark: bool = False,
) -> Subset:
    """Random judgments of each topic: a share of them, or so many; one at least.

    With `by_grade`, each grade gives its share, give or take one judgment. With `mark`, all others
    stay with grade -1, pooled and not judged, which is what infAP estimates from. What has such a
    grade already is not drawn, and without `mark` dropped.
    """
    given = Judgments.read(judgments)
    _number(share, count, of=1, what="judgments")  # whether they make sense, before any is drawn
    kept: dict[str, dict[str, float]] = {}
    marked: dict[str, set[str]] = {}
    raised = 0
    for query in given.queries:
        grades = given[query]
        judged = sorted((doc for doc, grade in grades.items() if grade >= 0), key=str.encode)
        random = _random(seed, query)
        size = _number(share, count, of=len(judged), what="judgments") if judged else 0
        raised += share is not None and bool(judged) and round(share * len(judged)) < size
        rows = _drawn([grades[doc] for doc in judged], size, random, by_grade=by_grade)
        chosen = {judged[row] for row in rows}
        marked[query] = grades.keys() - chosen
        kept[query] = {doc: grade for doc, grade in grades.items() if mark or doc in chosen}
    warnings = (_SAMPLE,) if sampled(given) else ()
    if not mark:
        return replace(_subset(given, kept, warnings=warnings), raised=raised)
    made = part(
        given,
        kept,
        regrade=lambda query, doc, grade: min(grade, POOLED) if doc in marked[query] else grade,
    )
    others = sum(map(len, marked.values()))
    return Subset(
        made,
        len(given),
        len(given.queries),
        judged=len(given) - others,
        marked=others,
        raised=raised,
        warnings=warnings,
    )


def pooled(
    judgments: Any,
    runs: Any,
    *,
    depth: int | None = None,
    systems: Collection[str] | None = None,
    leave_out: Collection[str] = (),
    progress: Progress | None = None,
    **reading: Any,
) -> Subset:
    """What a pool of the first `depth` results of runs would have had judged; None is all results.

    `systems` names those that contribute, `leave_out` those that do not.

    >>> run = {"q1": {"a": 3, "b": 2, "c": 1}}
    >>> pooled({"q1": {"a": 1, "c": 1}}, run, depth=2).judgments.to_dict()
    {'q1': {'a': 1.0}}
    """
    given = Judgments.read(judgments)
    found = gather(runs, depth=depth, progress=progress, **reading)
    named = found.systems if systems is None else tuple(systems)
    for name in (*named, *leave_out):
        if name not in found.systems:
            raise OptionError(f"there is no system {name!r}{suggest(name, found.systems)}")
    wanted = [
        at for at, name in enumerate(found.systems) if name in named and name not in leave_out
    ]
    if not wanted:
        raise OptionError("no system is left to make a pool of")
    kept: dict[str, dict[str, float]] = {}
    known = frozenset(found.topics)
    lacking = 0
    for query in given.queries:
        grades = given[query]
        pool: set[str] = set()
        if query in known:
            of = found.of(query)
            pool = {of.docs[doc] for doc in np.unique(of.doc[np.isin(of.system, wanted)])}
        lacking += len(pool - grades.keys())
        kept[query] = {doc: grade for doc, grade in grades.items() if doc in pool}
    warnings = (_SAMPLE,) if sampled(given) else ()
    made = _subset(given, kept, not_judged=lacking, warnings=warnings)
    return replace(made, lost=tuple(query for query in kept if not kept[query]))


def _subset(
    given: Judgments,
    kept: dict[str, dict[str, float]],
    *,
    not_judged: int | None = None,
    warnings: tuple[str, ...] = (),
) -> Subset:
    made = part(given, kept)
    return Subset(
        made,
        len(given),
        len(given.queries),
        judged=len(made),
        not_judged=not_judged,
        warnings=warnings,
    )


def _number(share: float | None, count: int | None, *, of: int, what: str) -> int:
    """How many to draw of so many."""
    if (share is None) == (count is None):
        raise OptionError(f"how many {what} to keep is either a share or a count")
    if share is not None:
        check_within("share", share, 0, 1)
        return max(round(share * of), 1)
    return min(check_count("count", count), of)


def _random(seed: int, topic: str) -> np.random.Generator:
    return np.random.default_rng([check_seed(seed), *topic.encode()])


def _drawn(grades: list[float], size: int, random: np.random.Generator, *, by_grade: bool) -> Ints:
    """The rows that are drawn."""
    order = random.permutation(len(grades))
    if not by_grade or size == 0:
        return order[:size]
    within = order[np.argsort(np.array(grades)[order], kind="stable")]
    # Evenly spaced, so that every grade gives its share, give or take one.
    spaced = ((np.arange(size) + random.random()) * len(grades) / size).astype(np.int64)
    chosen: Ints = within[spaced]
    return chosen

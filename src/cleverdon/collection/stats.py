"""A collection as a whole: its judgments, what systems make of them, and what to be wary of."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from cleverdon.collection.concerns import Concern, Files, concerns
from cleverdon.collection.coverage import DEPTH, KS, Coverage, coverage_of
from cleverdon.collection.described import Described, describe
from cleverdon.collection.difficulty import Difficulty, topic_difficulty
from cleverdon.compare.slices import UNKNOWN
from cleverdon.data import Judgments
from cleverdon.errors import OptionError
from cleverdon.evaluation import score
from cleverdon.measures.base import Measure
from cleverdon.measures.notation import parse_all
from cleverdon.pool.recall.catches import find, ranked_runs
from cleverdon.pool.recall.reuse import Reuse, reuse_of
from cleverdon.read.topics import read_topics
from cleverdon.settings import Settings

Progress = Callable[[str, int, int], object]


@dataclass(frozen=True)
class Kind:
    """The topics that have one value of an attribute."""

    value: str
    topics: int
    judged: int
    relevant: int


@dataclass(frozen=True, eq=False)
class Stats:
    """What a collection is like."""

    name: str
    described: Described
    texts: dict[str, str]  # of topics, in one line each
    not_judged: tuple[str, ...]  # topics that are described and have no judgments
    not_described: tuple[str, ...]  # judged topics of which nothing is said beside
    attribute: str | None
    kinds: tuple[Kind, ...]
    coverage: Coverage | None
    difficulty: Difficulty | None
    reuse: Reuse | None
    concerns: tuple[Concern, ...]


def stats(
    judgments: Any,
    runs: Any = None,
    *,
    topics: Any = None,
    by: str | None = None,
    texts: Mapping[str, str] | None = None,
    measure: str | Measure | None = None,
    ks: Sequence[int] = KS,
    depth: int = DEPTH,
    rel: float = 1,
    reusable: bool = True,
    qrels_format: str | None = None,
    run_format: str | None = None,
    order_by: str = "score",
    progress: Progress | None = None,
) -> Stats:
    """Describe judgments; with runs, what is judged of their results, and hard topics.

    `topics` are attributes of topics (see `cleverdon.read.topics`), of which `by` names the one to
    count by; `texts` says what topics ask. Topics are hard by the mean of `measure` over systems:
    nDCG@10 where relevant documents have several grades and `rel` is 1, else AP, which counts
    documents from `rel` on. Holes are counted above each of `ks`; who found what, the depth of the
    pool and reusability are looked at within the first `depth` results. Without `reusable`, no
    system is left out of the pool to see what it loses, which takes longest where there are many.

    >>> found = stats({"q1": {"a": 2, "b": 0}, "q2": {"c": 0}})
    >>> found.described.relevant, [concern.kind for concern in found.concerns]
    (1, ['few topics', 'no relevant documents', 'few relevant documents'])
    """
    given = Judgments.read(judgments, format=qrels_format)
    described = describe(given, rel=rel)
    attribute, column, listed = _attribute(topics, by)
    known = dict.fromkeys([*listed, *(texts or {})])
    cover = hard = lost = None
    files = Files(given.source if os.path.exists(given.source) else "QRELS")
    if runs is not None:
        # Every run is read once, and all that follows looks at what is kept of it.
        ranked = ranked_runs(
            given, runs, run_format=run_format, order_by=order_by, progress=progress
        )
        wanted = _measure(measure, described)
        scores = score(given, ranked, (wanted,), settings=Settings(order_by=order_by))
        # Where nothing is relevant, which is a concern, no topic is harder than another.
        if measure is not None or not scores.unknowns():
            hard = topic_difficulty(scores)
        cover = coverage_of(given, ranked, ks=ks, depth=depth, rel=rel)
        sources = ((run.name, run.source) for run in ranked)
        files = Files(files.qrels, tuple(sources))
        if reusable and len(ranked) > 1:
            lost = reuse_of(
                ranked,
                find(given, ranked, rel=rel, depth=cover.depth or None),
                wanted,
                progress=progress and partial(progress, "leaving systems out"),
            )
    return Stats(
        name=given.source or given.name,
        described=described,
        texts=dict(texts or {}),
        not_judged=tuple(topic for topic in known if topic not in given),
        not_described=tuple(q for q in given.queries if q not in known) if known else (),
        attribute=attribute,
        kinds=_kinds(described, column) if attribute else (),
        coverage=cover,
        difficulty=hard,
        reuse=lost,
        concerns=concerns(described, cover, files=files),
    )


def _measure(measure: str | Measure | None, described: Described) -> Measure:
    """By which topics are hard."""
    if measure is None:
        # nDCG knows no lowest grade that is relevant: only AP can follow one that was chosen.
        by_grades = described.graded and described.rel == 1
        measure = "nDCG@10" if by_grades else f"AP(rel={described.rel:.15g})"
    wanted = parse_all(measure)
    if len(wanted) > 1:
        raise OptionError("hard topics are by one measure only: name one")
    if wanted[0].better == "neither":
        raise OptionError(f"{wanted[0]} does not say which topics are hard")
    return wanted[0]


def _attribute(topics: Any, by: str | None) -> tuple[str | None, dict[str, str], list[str]]:
    """The attribute that topics are counted by, its values, and all topics of the table."""
    if topics is None:
        if by is not None:
            raise OptionError(f"by={by!r} names an attribute of topics, and none are given")
        return None, {}, []
    table = read_topics(topics)
    if by is None and len(table.names) > 1:
        return None, {}, list(table.values)
    name, column = table.column(by)
    return name, column, list(table.values)


def _kinds(described: Described, column: Mapping[str, str]) -> tuple[Kind, ...]:
    found: dict[str, list[int]] = {}
    for topic in described.topics:
        sums = found.setdefault(column.get(topic.topic, UNKNOWN), [0, 0, 0])
        for at, number in enumerate((1, topic.judged, topic.relevant)):
            sums[at] += number
    return tuple(Kind(value, *sums) for value, sums in found.items())

"""A collection as a whole: its judgments, what systems make of them, and what to be wary of."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from cleverdon.collection.concerns import Concern, Files, concerns
from cleverdon.collection.coverage import DEPTH, KS, Coverage, coverage
from cleverdon.collection.described import Described, describe
from cleverdon.collection.difficulty import Difficulty, topic_difficulty
from cleverdon.compare.slices import UNKNOWN
from cleverdon.data import Judgments
from cleverdon.errors import OptionError
from cleverdon.evaluation import evaluate, named_runs
from cleverdon.measures.base import Measure
from cleverdon.pool.recall.reuse import Reuse, reuse
from cleverdon.read.topics import read_topics

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
    progress: Progress | None = None,
) -> Stats:
    """Describe judgments; with runs, what is judged of their results, and hard topics.

    `topics` are attributes of topics (see `cleverdon.read.topics`), of which `by` names the one to
    count by; `texts` says what topics ask. Topics are hard by the mean of `measure` over systems:
    nDCG@10 where relevant documents have several grades, AP where they have one. Holes are counted
    above each of `ks`; who found what, the depth of the pool and reusability are looked at within
    the first `depth` results. Without `reusable`, no system is left out of the pool to see what it
    loses, which takes longest where there are many.

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
        named = {name or f"run {at}": run for at, (name, run) in enumerate(named_runs(runs), 1)}
        wanted = measure or ("nDCG@10" if described.graded else "AP")
        how: dict[str, Any] = {"run_format": run_format, "progress": progress}
        scores = evaluate(given, named, wanted, **how)
        if len(scores.measures) > 1:
            raise OptionError("hard topics are by one measure only: name one")
        hard = topic_difficulty(scores)
        cover = coverage(
            given, named, ks=ks, depth=depth, rel=rel, format=run_format, progress=progress
        )
        sources = ((name, about.source) for name, about in scores.about.runs.items())
        files = Files(files.qrels, tuple(sources))
        if reusable and len(named) > 1:
            lost = reuse(
                given,
                named,
                wanted,
                depth=cover.depth or None,
                rel=rel,
                run_format=run_format,
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

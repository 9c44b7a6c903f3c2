"""A part of scores: some systems, measures or topics of them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from cleverdon.measures.base import Measure
from cleverdon.scores import Scores


def part_of(
    scores: Scores,
    *,
    systems: Collection[str] | None = None,
    measures: Collection[Measure] | None = None,
    topics: Collection[str] | None = None,
) -> Scores:
    """The scores of these systems and measures, in this order, on these topics.

    Topics stand in the order of the scores; those that none of the systems was evaluated on are
    left out. What `about` says of judgments and runs remains that of the whole; texts, bounds and
    kept results are left out.

    >>> from cleverdon import evaluate
    >>> scores = evaluate({"q1": {"d1": 1}, "q2": {"d2": 1}}, {"q1": {"d1": 0.5}}, "AP RR")
    >>> part_of(scores, topics=["q1"]).to_dict()
    {'run': {'AP': 1.0, 'RR': 1.0}}
    """
    named = scores.systems if systems is None else tuple(systems)
    wanted = scores.measures if measures is None else tuple(measures)
    rows = [scores.index_of(system, scores.measures[0])[0] for system in named]
    columns = [scores.index_of(scores.systems[0], measure)[1] for measure in wanted]
    kept = scores.evaluated[rows].any(axis=0)
    if topics is not None:
        chosen = frozenset(topics)
        kept = kept & np.array([query in chosen for query in scores.queries], dtype=bool)
    at = np.flatnonzero(kept)
    return replace(
        scores,
        systems=named,
        measures=wanted,
        queries=[scores.queries[q] for q in at],
        values=scores.values[rows][:, columns][:, :, at],
        evaluated=scores.evaluated[rows][:, at],
        about=replace(scores.about, runs={name: scores.about.runs[name] for name in named}),
        top={},
        rankings=None,
        texts={},
        parts={m: found[rows][:, :, at] for m, found in scores.parts.items() if m in wanted},
        bounds={},
    )

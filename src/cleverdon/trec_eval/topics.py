"""Which topics are evaluated, and what of their results counts.

Version 10 goes through the topics of the judgments, and ends at one that the run lacks unless -c
makes it count as a single result that nobody judged. Version 9 passes over it; -c then only changes
what sums are divided by.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

import numpy as np

from cleverdon.arrays import Bools, Ints
from cleverdon.hits import Hits
from cleverdon.trec_eval.exits import CALCULATION, Stop
from cleverdon.trec_eval.formats import Qrels
from cleverdon.trec_eval.options import Options
from cleverdon.trec_eval.results import Results


@dataclass(frozen=True, eq=False)
class Topics:
    """The topics to evaluate, in bytewise order."""

    qrels: Qrels
    hits: Hits  # of all judged topics
    rows: Ints  # which of these are evaluated
    missing: Bools  # per evaluated topic: whether the run lacks it
    stop: Stop | None = None
    """Why the evaluation ends behind these topics, where it does."""

    @property
    def names(self) -> list[str]:
        """What the evaluated topics are called."""
        queries = self.hits.judgments.queries
        return [queries[row] for row in self.rows.tolist()]

    @property
    def doc_ids(self) -> list[str]:
        """The ids of all judged documents."""
        return self.qrels.judgments.core.docs(0, len(self.hits.judgments.grade))

    def until(self, place: int, stop: Stop) -> Topics:
        """Only the topics before this place, and the reason to end there."""
        return replace(self, rows=self.rows[:place], missing=self.missing[:place], stop=stop)


def topics(results: Results, options: Options, *, reads_results: bool) -> Topics:
    """The topics that can be evaluated, and the reason to end behind them.

    `reads_results` is False where nothing was asked for that looks at a topic's results.
    """
    names = results.hits.judgments.queries
    rows = np.arange(len(names)) if options.version >= 10 else np.flatnonzero(results.present)
    if options.topic is not None:
        only = os.fsencode(options.topic).decode(results.encoding, errors="replace")
        rows = rows[[names[row] == only for row in rows.tolist()]]
    reasons = _obstacles(results, options, reads_results=reads_results)
    every = Topics(results.qrels, _counted(results, options), rows, ~results.present[rows])
    for place, row in enumerate(rows.tolist() if reasons else ()):
        if row in reasons:
            return every.until(place, Stop(CALCULATION, reasons[row]))
    return every


def _obstacles(results: Results, options: Options, *, reads_results: bool) -> dict[int, str]:
    """The topics that cannot be evaluated, and why."""
    names = results.hits.judgments.queries
    reasons: dict[int, str] = {}
    if reads_results:
        place = {name: row for row, name in enumerate(names)}
        for what, repeated in (
            (options.qrels, results.qrels.repeated),
            (options.results, results.repeated),
        ):
            for topic, doc in repeated:
                reasons[place[topic]] = f"{what}: topic {topic!r} has {doc!r} twice"
    if options.version >= 10 and not options.complete:
        for row in np.flatnonzero(~results.present).tolist():
            reasons[row] = (
                f"{options.results}: lacks the judged topic {names[row]!r}; with -c, such topics "
                "count as failures"
            )
    return reasons


def _counted(results: Results, options: Options) -> Hits:
    """The results that count: as many as -M says; one of a topic that is missing but counts."""
    hits = results.hits
    if options.complete and options.version >= 10:
        hits = replace(hits, returned=np.where(results.present, hits.returned, 1))
    if options.depth is None:
        return hits
    if options.depth < 1:
        none = hits.where(np.zeros(len(hits.query), dtype=bool))
        return replace(none, returned=np.zeros_like(hits.returned))
    return hits.top(min(options.depth, 2**31))

"""A trace of one query of a run, whatever the run and the judgments were given as."""

from __future__ import annotations

import os
from itertools import pairwise
from typing import Any

import numpy as np

from cleverdon.data import Judgments, Run
from cleverdon.errors import InputError, OptionError, suggest
from cleverdon.measures.base import Measure
from cleverdon.profiles import profile as find_profile
from cleverdon.rank import Ranked, rank
from cleverdon.settings import Settings
from cleverdon.tracing.contributions import traced
from cleverdon.tracing.results import Trace

_ALL = 2**31
"""As many results as no ranking has."""


def trace(
    qrels: Any,
    run: Any,
    measure: str | Measure = "nDCG@10",
    *,
    query: str | None = None,
    **how: Any,
) -> Trace:
    """Where one query's score comes from: what each result adds, and what would gain most.

    `query` may be left out where the judgments have only one. The other keywords are those of
    `evaluate`: the choices on which tools disagree, `profile`, `docs`, `second`, `weights`,
    `qrels_format` and `run_format`. Printing the result shows it as a table.

    >>> found = trace({"q1": {"d1": 1, "d2": 2}}, {"q1": {"d1": 3, "d3": 2, "d2": 1}}, "DCG")
    >>> [(step.doc, step.added) for step in found.steps]
    [('d1', 1.0), ('d3', 0.0), ('d2', 1.0)]
    >>> best = found.moves[0]
    >>> best.doc, best.rank, best.to, round(best.change, 4)
    ('d3', 2, None, 1.2619)
    """
    return Tracer(qrels, **how).trace(run, measure, query=query)


class Tracer:
    """Judgments and choices that several traces share; a run is ranked once for all of them."""

    def __init__(
        self,
        qrels: Any,
        *,
        profile: str = "cleverdon",
        docs: int | None = None,
        second: Any = None,
        weights: Any = None,
        qrels_format: str | None = None,
        run_format: str | None = None,
        **choices: str | None,
    ) -> None:
        self.profile, self.run_format = find_profile(profile), run_format
        self.settings = self.profile.settings.changed(**choices)
        self._named = [name for name, word in choices.items() if word is not None]
        if isinstance(qrels, (str, os.PathLike)):
            qrels_format = qrels_format or self.profile.qrels_format
        duplicates = self.settings.duplicates
        judgments = Judgments.read(qrels, format=qrels_format, duplicates=duplicates)
        self.profile.check_grades(judgments.judged.top_grade)
        other = None if second is None else Judgments.read(second, duplicates=duplicates)
        shares = None if weights is None else Judgments.read(weights, weights=True).to_dict()
        self.judgments = judgments.noting(docs=docs, second=other, weights=shares)
        self._known: dict[Any, tuple[Any, Ranked]] = {}

    def trace(
        self,
        run: Any,
        measure: str | Measure = "nDCG@10",
        *,
        query: str | None = None,
        name: str | None = None,
    ) -> Trace:
        """Where the score of one query of a run comes from; `name` is the run's, if not its own."""
        found = self.profile.parse(measure)
        if len(found) != 1:
            raise OptionError(f"a trace is of one measure; {measure!r} are {len(found)}")
        (wanted,) = found
        if wanted.text:
            raise OptionError(f"{wanted} yields a text, which is no sum of what results add")
        settings = self.profile.settings_of(wanted, self.settings, self._named)
        number = self._number(None if query is None else str(query), run)
        way = (settings, wanted.looks_elsewhere)
        ranked = self._ranked(run, name, way)
        hits = ranked.hits_by(settings, elsewhere=wanted.looks_elsewhere)
        hits = hits.queries_between(number, number + 1)
        start, stop = self.judgments.core.starts[number : number + 2].tolist()
        docs = self.judgments.core.docs(start, stop)
        top = self._top(run, number, settings) if ranked.present[number] else []
        scores = [
            np.float32(score) if settings.precision == "single" else score for _, score in top
        ]
        equal = [rank for rank, (a, b) in enumerate(pairwise(scores), start=1) if a == b]
        return traced(
            wanted,
            hits,
            docs,
            [doc for doc, _ in top],
            system=ranked.name,
            tied={place for rank in equal for place in (rank, rank + 1)},
            expected=settings.ties == "expected",
        )

    def _number(self, query: str | None, run: Any) -> int:
        """Which of the evaluated queries is meant."""
        queries = list(self.judgments.core.queries)
        if query is None and len(queries) == 1:
            return 0
        if query is None:
            shown = ", ".join(queries[:10]) + (", ..." if len(queries) > 10 else "")
            raise OptionError(
                f"there are {len(queries):,} judged queries, and a trace is of one: query=..., on "
                f"the command line --query; they are {shown}"
            )
        if query in queries:
            return queries.index(query)
        if query in Run.read(run, format=self.run_format, duplicates="first"):
            raise InputError(f"query {query!r} has results, but no judgments to score them by")
        raise InputError(f"no query {query!r} has judgments{suggest(query, queries)}")

    def _ranked(self, run: Any, name: str | None, way: tuple[Settings, bool]) -> Ranked:
        """The run in one of the ways that measures want, ranked once for all that want the same."""
        key = (id(run), name, way)
        if key not in self._known:
            ranked = rank(
                self.judgments,
                run,
                settings=way[0],
                name=name,
                format=self.run_format,
                also=[way] if way[1] else (),
            )
            self._known[key] = run, ranked  # as long as the run is kept, its number is its own
        return self._known[key][1]

    def _top(self, run: Any, number: int, settings: Settings) -> list[tuple[str, float]]:
        """The results of one query with their scores, in their order."""
        key = (id(run), number, settings)
        if key not in self._known:
            query = self.judgments.core.queries[number]
            # Judgments of this query only: nothing is kept of the others.
            alone = Judgments.read({query: self.judgments[query]})
            kept = rank(alone, run, settings=settings, format=self.run_format, keep=_ALL)
            self._known[key] = run, kept
        top: list[tuple[str, float]] = self._known[key][1].top[0]
        return top

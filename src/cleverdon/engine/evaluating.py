"""Engines scored in one call: topics are put to them, and what they return is evaluated."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from cleverdon.data import Judgments, Run
from cleverdon.engine.asking import Patience
from cleverdon.engine.configured import open_engine
from cleverdon.engine.protocol import Engine
from cleverdon.engine.queries import read_queries
from cleverdon.engine.search_options import CONCURRENCY, PATIENCE, K
from cleverdon.engine.searching import SearchWarning, search
from cleverdon.errors import InputError, OptionError
from cleverdon.evaluation import evaluate
from cleverdon.measures.base import Measure
from cleverdon.profiles import profile as find_profile
from cleverdon.scores import Scores

Progress = Callable[[str, int, int], object]
"""Called with the name of an engine, how many queries are done, and of how many."""


def evaluate_engines(
    engines: Any,
    topics: Any,
    qrels: Any,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    k: int = K,
    concurrency: int = CONCURRENCY,
    patience: Patience = PATIENCE,
    failed: str = "raise",
    scores: str = "engine",
    field: str = "title",
    progress: Progress | None = None,
    profile: str = "cleverdon",
    qrels_format: str | None = None,
    **evaluating: Any,
) -> Scores:
    """Score a search engine, or several by name: ask them, and evaluate what they return.

    One engine is whatever `search` takes; several are a dict from names to engines, or a list. Only
    topics that have judgments are asked. The keywords up to `field` are those of `search`, the
    others those of `evaluate`. Queries that fail are an error; with `failed="leave out"` they are
    missing from the run, which `evaluate` takes as an empty result unless `missing` says otherwise.

    >>> documents = {"d1": "a red apple", "d2": "a green apple", "d3": "a red car"}
    >>> def retriever(query, k):
    ...     return [(id, 1.0) for id, text in documents.items() if query in text][:k]
    >>> topics, qrels = {"q1": "apple", "q2": "blue"}, {"q1": {"d1": 1}, "q2": {"d3": 1}}
    >>> evaluate_engines(retriever, topics, qrels, "P@1 R@10").to_dict()
    {'retriever': {'P@1': 0.0, 'R@10': 0.5}}
    """
    tool = find_profile(profile)
    if isinstance(qrels, (str, os.PathLike)):
        qrels_format = qrels_format or tool.qrels_format
    settings = tool.settings.changed(duplicates=evaluating.get("duplicates"))
    judgments = Judgments.read(qrels, format=qrels_format, duplicates=settings.duplicates)
    queries = read_queries(topics, field=field, judged=frozenset(judgments.queries))
    runs: dict[str, Run] = {}
    for name, engine in _named(engines).items():
        runs[name] = search(
            engine,
            queries,
            k=k,
            concurrency=concurrency,
            patience=patience,
            failed=failed,
            scores=scores,
            name=name,
            progress=_watching(progress, name),
        )
        _warn_of_other_ids(runs[name], judgments)
    return evaluate(judgments, runs, measures, profile=profile, **evaluating)


def _named(engines: Any) -> dict[str, Engine]:
    """Engines by name: as they were named, or by their own names, which must differ then."""
    # A configuration is a dict as well, and says its kind.
    if isinstance(engines, Mapping) and not isinstance(engines.get("kind"), str):
        opened = [(str(name), open_engine(engine)) for name, engine in engines.items()]
    else:
        several = engines if isinstance(engines, (list, tuple)) else [engines]
        opened = [(engine.name, engine) for engine in map(open_engine, several)]
    if not opened:
        raise InputError("there is no engine to evaluate")
    names = [name for name, _ in opened]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise OptionError(f"two engines are called {twice!r}; name them: {{'name': engine}}")
    return dict(opened)


def _warn_of_other_ids(run: Run, judgments: Judgments) -> None:
    """Where nothing that was found is judged, ids are often those of passages, or of objects."""
    if not len(run) or any(run[query].keys() & judgments[query].keys() for query in run.queries):
        return
    query = next(query for query in run.queries if run[query])
    returned, judged = next(iter(run[query])), next(iter(judgments[query]))
    warnings.warn(
        f"{run.name}: no document that was found is judged; are these the ids of the judgments? "
        f"For {query}, {returned!r:.80} was found, and {judged!r:.80} is judged",
        SearchWarning,
        stacklevel=3,
    )


def _watching(progress: Progress | None, name: str) -> Callable[[int, int], object] | None:
    return None if progress is None else lambda done, total: progress(name, done, total)

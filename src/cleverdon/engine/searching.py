"""Topics through an engine to a run."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any

from cleverdon import _core
from cleverdon.data import Run
from cleverdon.engine.answer_journal import AnswerJournal
from cleverdon.engine.asking import Answer, Patience
from cleverdon.engine.asking_all import Asked, ask_all
from cleverdon.engine.configured import open_engine
from cleverdon.engine.looping import run_async
from cleverdon.engine.ordering import ordered
from cleverdon.engine.protocol import Engine, Results
from cleverdon.engine.queries import digest_of, read_queries
from cleverdon.engine.search_options import CONCURRENCY, PATIENCE, K, SearchOptions
from cleverdon.engine.searched import Searched, SearchesFailed
from cleverdon.errors import check_word

FAILED = {
    "raise": "an error that names them, and has the answers to all others",
    "leave out": "a run without them, and a warning",
}
"""What becomes of queries that have no answer after all tries."""

Progress = Callable[[int, int], object]
"""Called with how many queries are done, and of how many."""


class SearchWarning(UserWarning):
    """What one should know before believing a run."""


def search(
    engine: Any,
    topics: Any,
    *,
    k: int = K,
    concurrency: int = CONCURRENCY,
    patience: Patience = PATIENCE,
    failed: str = "raise",
    scores: str = "engine",
    field: str = "title",
    name: str | None = None,
    progress: Progress | None = None,
) -> Run:
    """The run of an engine: its first k documents for each topic.

    The engine is a function `search(query, k)` that returns `[(doc_id, score), ...]`, sync or
    async, an object with such a method, or a name as on the command line, such as
    "sqlite:index.db" or "engine.toml". Topics are a file, or a dict of ids and words; `field` says
    what of a topic is asked (title, text, both). So many are asked at a time as `concurrency` says,
    each with `patience`: a time limit, and further tries where these may help.

    Queries that have no answer then are an error, `SearchesFailed`, or left out. A document that an
    engine returns twice for a query counts where it stood first. Runs are ordered by scores: where
    an engine's own order is another one, that is a `SearchWarning`, and `scores="rank"` keeps it.

    >>> documents = {"d1": "a red apple", "d2": "a green apple", "d3": "a red car"}
    >>> def by_words(query, k):
    ...     found = {id: len(set(query.split()) & set(documents[id].split())) for id in documents}
    ...     return sorted(found.items(), key=lambda pair: -pair[1])[:k]
    >>> search(by_words, {"q1": "green apple", "q2": "red car"}, k=2).ranking("q1")
    [('d2', 2.0), ('d1', 1.0)]
    """
    check_word("failed", failed, FAILED)
    found = searched(
        open_engine(engine),
        read_queries(topics, field=field),
        SearchOptions(k, concurrency, patience, scores, field),
        name=name,
        progress=progress,
    )
    if found.failed and (failed == "raise" or not found.answered):
        remedy = "failed='leave out' gives a run without them"
        if not found.answered:
            remedy = "there is nothing to make a run of"
        raise SearchesFailed(found, remedy=f"{remedy}, and the error's `searched` has all answers")
    for warning in found.warnings:
        warnings.warn(f"{found.run.name}: {warning}", SearchWarning, stacklevel=2)
    return found.run


def searched(
    engine: Engine,
    queries: Mapping[str, str],
    options: SearchOptions,
    *,
    name: str | None = None,
    progress: Progress | None = None,
    journal: AnswerJournal | None = None,
    check: Callable[[Results], object] | None = None,
) -> Searched:
    """Put queries, by their ids, to an engine, and say all that came of it.

    Nothing is raised for queries that failed. What a `journal` holds is not asked again, and it
    keeps what is answered. `check` looks at results as they come, and raises what ends all.
    """
    answers = dict(journal.answers) if journal else {}
    failed = dict(journal.failed) if journal else {}
    missing = {query: words for query, words in queries.items() if query not in answers}
    kept = len(answers)

    def took(query: str, answer: Answer) -> None:
        if check:
            check(answer.results or [])
        if query in failed:
            answer = _after(failed[query], answer)
        answers[query] = answer
        if journal:
            journal.add(query, answer)
        if progress:
            progress(len(answers), len(queries))

    started = perf_counter()
    if progress:
        progress(kept, len(queries))
    asked = Asked(0)
    if missing:
        asked = run_async(
            ask_all(
                engine,
                missing,
                options.k,
                concurrency=options.concurrency,
                patience=options.patience,
                took=took,
            )
        )
    seconds = perf_counter() - started
    # What failed before, and was not asked now, is as it was.
    answers = failed | answers
    in_order = {query: answers[query] for query in queries if query in answers}
    results = {
        query: answer.results for query, answer in in_order.items() if answer.results is not None
    }
    rows, order = ordered(results, options.scores)
    return Searched(
        run=Run(_core.Table.from_dict(rows, Run.kind, "error"), name=name or engine.name),
        answers=in_order,
        not_asked=tuple(query for query in asked.not_asked if query not in answers),
        order=order,
        engine={"name": engine.name, **engine.settings},
        options=options,
        at_once=asked.at_once,
        in_one=asked.in_one,
        topics=digest_of(queries),
        seconds=seconds,
        kept=kept,
        notes=tuple(journal.notes) if journal else (),
    )


def _after(earlier: Answer, answer: Answer) -> Answer:
    """The answer, with what failed in a process before counted as tries of it."""
    return replace(
        answer,
        tries=earlier.tries + answer.tries,
        failures=(*earlier.failures, *answer.failures),
    )

"""Retrieval with an engine: queries go in, a run or its scores come out."""

from __future__ import annotations

import hashlib
import os
import warnings
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, pairwise
from math import nan
from textwrap import shorten
from time import perf_counter
from types import MappingProxyType
from typing import Any, TypedDict, Unpack

import numpy as np

from cleverdon import _core
from cleverdon._common.arrays import json_number
from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon._common.text import counted
from cleverdon.data import Judgments, Run
from cleverdon.engines.client import Answer, AskSummary, Patience, ask_all, run_async
from cleverdon.engines.configuration import open_engine
from cleverdon.engines.protocol import FIELDS, SCORES, Engine, Results
from cleverdon.errors import CleverdonError, InputError, OptionError, check_count, check_word
from cleverdon.evaluation import evaluate
from cleverdon.formats.texts import Text, read_texts
from cleverdon.measures.base import Measure
from cleverdon.profiles import find_profile
from cleverdon.scores import Scores
from cleverdon.tables.numbers import format_seconds
from cleverdon.tables.result import Result
from cleverdon.tables.sections import Section, count_format
from cleverdon.tables.table import TextTable


def read_queries(
    given: Any, *, field: str = "title", judged: Container[str] | None = None
) -> dict[str, str]:
    """Return the words of (judged) queries by their ids, from a file or a dict."""
    check_word("field", field, FIELDS)
    source = os.fspath(given) if isinstance(given, (str, os.PathLike)) else ""
    texts = read_texts(given, kind="queries", wanted=judged)
    if not texts:
        lacking = "there are no queries"
        if judged is not None:
            lacking = "none of the queries is judged; are their ids those of the judgments?"
        raise InputError(lacking, source=source)
    queries = {id: _query_words(text, field) for id, text in texts.items()}
    without = next((id for id, words in queries.items() if not words), None)
    if without is not None:
        raise InputError(
            f"query {without!r} has no words to search for; give it some, or leave it out",
            source=source,
        )
    return queries


def queries_digest(queries: Mapping[str, str]) -> str:
    """Return the SHA-256 of the ids and texts of queries, in order."""
    digest = hashlib.sha256()
    for id, words in queries.items():
        digest.update(f"{id}\0{words}\0".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _query_words(text: Text, field: str) -> str:
    """Return words on one line: a line break is a new query to some engines."""
    title, rest = text.line, Text(text.text, text.title).line
    if field == "title":
        return title
    return rest if field == "text" or rest == title else f"{title} {rest}"


_REMEDY = "scores='rank' (--scores rank) keeps the engine's own order"


@dataclass(frozen=True)
class OrderProblems:
    """Properties of an engine's rankings that a run cannot represent."""

    repeated: Mapping[str, int]  # by query, how many results were documents that stood above
    rising: tuple[str, ...]  # queries with a score above that of the result before
    tied: tuple[str, ...]  # queries with equal scores that Cleverdon reads in another order

    @property
    def repeated_text(self) -> str:
        if not self.repeated:
            return ""
        total = sum(self.repeated.values())
        what = "1 result was a document" if total == 1 else f"{total:,} results were documents"
        return (
            f"{_count_queries(self.repeated)}: {what} that stood above already "
            "(chunks of one document?); the first of each is kept"
        )

    @property
    def rising_text(self) -> str:
        if not self.rising:
            return ""
        return (
            f"{_count_queries(self.rising)}: results are not in the order of their scores, by "
            f"which Cleverdon evaluates; {_REMEDY}"
        )

    @property
    def tied_text(self) -> str:
        if not self.tied:
            return ""
        return (
            f"{_count_queries(self.tied)}: equal scores, which Cleverdon reads in the order of "
            f"ids; {_REMEDY}"
        )


def rank_results(
    found: Mapping[str, Results], scores: str
) -> tuple[dict[str, dict[str, float]], OrderProblems]:
    """Return the scores of each query's documents, each once; and the problems of their order.

    >>> rows, order = rank_results({"q1": [("d1", 1.0), ("d2", 3.0), ("d1", 0.5)]}, "rank")
    >>> rows, order.rising, order.repeated
    ({'q1': {'d1': 2.0, 'd2': 1.0}}, ('q1',), {'q1': 1})
    """
    check_word("scores", scores, SCORES)
    rows: dict[str, dict[str, float]] = {}
    repeated: dict[str, int] = {}
    rising, tied = [], []
    for query, results in found.items():
        first: dict[str, float] = {}
        for doc, score in results:
            first.setdefault(doc, score)
        if len(first) < len(results):
            repeated[query] = len(results) - len(first)
        values = list(first.values())
        if any(after > before for before, after in pairwise(values)):
            rising.append(query)
        elif list(first) != sorted(first, key=lambda doc: (first[doc], doc.encode()), reverse=True):
            tied.append(query)
        if scores == "rank":
            first = {doc: float(len(first) - place) for place, doc in enumerate(first)}
        rows[query] = first
    return rows, OrderProblems(repeated, tuple(rising), tuple(tied))


def _count_queries(queries: Iterable[str]) -> str:
    first, *others = queries
    if not others:
        return f"query {first}"
    return f"{len(others) + 1:,} queries ({first}, ...)"


_FAILED = {
    "raise": "an error that names them, and has the answers to all others",
    "leave out": "a run without them, and a warning",
}
"""The ways to treat queries without an answer after all tries."""
_PATIENCE = Patience()


class SearchKeywords(TypedDict, total=False):
    """The fields of `SearchOptions` as keywords."""

    k: int
    concurrency: int
    patience: Patience
    failed: str
    scores: str
    field: str


@dataclass(frozen=True)
class SearchOptions:
    """Options of a search.

    Args:
        k: Results to ask for.
        concurrency: Queries in flight at a time.
        patience: Time limit and retries of a query.
        failed: "raise" an error for queries without an answer, or "leave out" these queries.
        scores: The scores of the run: the "engine" ones, or falling by "rank".
        field: The part of a query that is sent: title, text or both.

    >>> SearchOptions(k=10).concurrency
    8
    """

    k: int = 100
    concurrency: int = 8
    patience: Patience = _PATIENCE
    failed: str = "raise"
    scores: str = "engine"
    field: str = "title"

    def __post_init__(self) -> None:
        check_word("failed", self.failed, _FAILED)
        check_word("scores", self.scores, SCORES)
        # Numbers of numpy are whole as well, and no JSON.
        object.__setattr__(self, "k", check_count("k", self.k))
        object.__setattr__(self, "concurrency", check_count("concurrency", self.concurrency))


_NOT_ASKED = "not asked, since the engine did not answer"
_NAMED = 5  # the most queries that a message names
_ENOUGH_FOR_P99 = 100  # with fewer times, the slowest is shown instead of a percentile
_LONGEST = 300  # the most characters of a reason: errors of Python may have pages


@dataclass(frozen=True)
class SearchResult(Result):
    """A run, and how each query fared.

    >>> engine = open_engine(lambda query, k: [("d1", 2.0)])
    >>> found = run_search(engine, {"q1": "apple"}, SearchOptions())
    >>> found.total, found.failed, found.run.ranking("q1")
    (1, {}, [('d1', 2.0)])
    """

    run: Run  # of the queries that were answered
    answers: Mapping[str, Answer]  # by query, of all that were asked, in their order
    not_asked: tuple[str, ...]  # since the engine no longer answered
    order: OrderProblems  # what was found in the engine's rankings
    engine: Mapping[str, Any]  # its name and settings, without secrets
    options: SearchOptions
    in_flight: int  # how many queries were asked at a time; 0 where none was left to ask
    batched: bool  # whether they all went in one call, so that none has a time of its own
    query_digest: str
    seconds: float  # from the first question of this process to the last answer
    kept: int  # how many answers were there already, in the journal
    notes: tuple[str, ...] = ()  # what is worth knowing of the journal

    @cached_property
    def failed(self) -> dict[str, str]:
        """The queries without an answer, with the reasons."""
        failed = {
            query: str(answer.failure)
            for query, answer in self.answers.items()
            if answer.failure is not None
        }
        return failed | dict.fromkeys(self.not_asked, _NOT_ASKED)

    @cached_property
    def answered(self) -> dict[str, Answer]:
        return {query: found for query, found in self.answers.items() if found.failure is None}

    @property
    def empty(self) -> tuple[str, ...]:
        return tuple(query for query, found in self.answered.items() if not found.results)

    @property
    def retries(self) -> dict[str, int]:
        kinds = (
            failure.kind
            for found in self.answers.values()
            for failure in found.failures[: found.tries - 1]
        )
        return dict(Counter(kinds).most_common())

    def percentile(self, share: float) -> float:
        """Return the time within which a share of the queries was answered in the last try."""
        times = [found.seconds for found in self.answered.values()]
        return float(np.quantile(times, share, method="inverted_cdf")) if times else nan

    @property
    def warnings(self) -> list[str]:
        """Reasons to doubt the run, a sentence each."""
        found = [
            self.order.repeated_text,
            self.order.rising_text if self.options.scores == "engine" else "",
        ]
        if self.failed:
            found.insert(0, _failed_text(self.failed, self.total))
        if self.answered and len(self.empty) == len(self.answered):
            found.append("the engine found nothing for any query; is it the right index?")
        return [warning for warning in found if warning]

    @property
    def total(self) -> int:
        return len(self.answered) + len(self.failed)

    def sections(self, *, exact: bool = False) -> Sequence[Section]:
        count = count_format(exact=exact)
        rows = [
            [
                query,
                count(len(found.results or ())),
                repr(found.seconds) if exact else format_seconds(found.seconds),
                count(found.tries),
                self.failed.get(query, ""),
            ]
            for query, found in self.answers.items()
        ]
        rows += [[query, "0", "", "0", _NOT_ASKED] for query in self.not_asked]
        header = ["query", "results", "time", "tries", "failure"]
        return [Section("queries", TextTable(header, rows, 1, []))]

    def closing(self) -> Sequence[str]:
        counts = [
            counted(self.total, "query"),
            f"{len(self.answered):,} answered",
            f"{len(self.failed):,} failed",
            f"{len(self.empty):,} without results",
        ]
        lines = [f"{', '.join(counts)}; {counted(len(self.run), 'result')}"]
        if self.empty:
            more = len(self.empty) - _NAMED
            others = f" and {more:,} more" if more > 0 else ""
            lines.append(f"without results: {', '.join(self.empty[:_NAMED])}{others}")
        if self.kept:
            lines.append(f"{counted(self.kept, 'answer')} of these from before the last stop")
        if self.retries:
            kinds = ", ".join(f"{kind} {count:,}" for kind, count in self.retries.items())
            lines.append(f"asked again: {kinds}")
        return [*lines, self._times()] if self.answered else lines

    def _times(self) -> str:
        if self.batched:
            return f"all in one call of {format_seconds(self.seconds)}"
        slow = f"p99 {format_seconds(self.percentile(0.99))}"
        if len(self.answered) < _ENOUGH_FOR_P99:
            slow = f"the slowest {format_seconds(self.percentile(1))}"
        line = f"median {format_seconds(self.percentile(0.5))}, {slow}"
        if self.kept:  # before, there may have been more at a time, or fewer
            return line
        how = f"with {self.in_flight:,} at a time" if self.in_flight > 1 else "one by one"
        return f"{line}, while searching {how}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "system": self.run.name,
            "settings": {
                "engine": dict(self.engine),
                "k": self.options.k,
                "field": self.options.field,
                "scores": self.options.scores,
                "timeout": self.options.patience.timeout,
                "tries": self.options.patience.tries,
            },
            "query_set": {"digest": self.query_digest, "count": self.total},
            "run": {"results": len(self.run)},
            "whole": not self.failed,
            "failed": self.failed,
            "empty": list(self.empty),
            "retries": self.retries,
            "repeated": dict(self.order.repeated),
            "not_by_score": list(self.order.rising),
            "equal_scores": list(self.order.tied),
            "notes": list(self.notes),
            "seconds": {
                "median": json_number(self.percentile(0.5)),
                "p99": json_number(self.percentile(0.99)),
            },
            "last_process": {
                "answered_before": self.kept,
                "at_once": self.in_flight,
                "in_one_call": self.batched,
                "seconds": self.seconds,
            },
            "queries": {
                query: {
                    "seconds": answer.seconds,
                    "tries": answer.tries,
                    "failures": [str(failure) for failure in answer.failures],
                }
                for query, answer in self.answers.items()
            },
        }


class SearchesFailed(CleverdonError):
    """Queries that had no answer after all tries; `searched` has what the others gave."""

    def __init__(self, searched: SearchResult, *, remedy: str) -> None:
        super().__init__(f"{_failed_text(searched.failed, searched.total)}; {remedy}")
        self.searched = searched


def _failed_text(failed: Mapping[str, str], total: int) -> str:
    asked = {query: reason for query, reason in failed.items() if reason != _NOT_ASKED}
    alike: dict[str, list[str]] = {}
    for query, reason in islice(asked.items(), _NAMED):
        on_one_line = shorten(reason, _LONGEST, placeholder=" ...")
        alike.setdefault(on_one_line, []).append(query)
    parts = [f"{', '.join(queries)} ({reason})" for reason, queries in alike.items()]
    more = len(asked) - _NAMED
    parts += [f"and {more:,} more"] if more > 0 else []
    if left := len(failed) - len(asked):
        parts.append(f"and {left:,} {_NOT_ASKED}")
    return f"{len(failed):,} of {counted(total, 'query')} failed: {', '.join(parts)}"


class SearchWarning(UserWarning):
    """A reason to doubt a run."""


@shows_progress("searching")
def search(
    engine: Any,
    queries: Any,
    *,
    name: str | None = None,
    progress: Progress | bool | None = None,
    **options: Unpack[SearchKeywords],
) -> Run:
    """Send queries to an engine, and return the run.

    A document that an engine returns twice for a query counts at its first rank. Runs are ordered
    by scores; if an engine's own order differs, a `SearchWarning` says so, and `scores="rank"`
    keeps it.

    Args:
        engine: A function `search(query, k)` that returns `[(doc_id, score), ...]`, sync or async,
            an object with such a method, or a name, as "sqlite:index.db" or "engine.toml".
        queries: A file of queries (TREC topics, JSONL, TSV), or a dict of ids and texts.
        name: The run's name; by default the engine's.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.
        options: Those of `SearchOptions`: k, concurrency, patience, failed, scores, field.

    Returns:
        The first k documents of each query.

    Raises:
        SearchesFailed: Queries had no answer after all tries.

    >>> documents = {"d1": "a red apple", "d2": "a green apple", "d3": "a red car"}
    >>> def by_words(query, k):
    ...     found = {id: len(set(query.split()) & set(documents[id].split())) for id in documents}
    ...     return sorted(found.items(), key=lambda pair: -pair[1])[:k]
    >>> search(by_words, {"q1": "green apple", "q2": "red car"}, k=2).ranking("q1")
    [('d2', 2.0), ('d1', 1.0)]
    """
    progress = as_callback(progress)
    how = SearchOptions(**options)
    asked = read_queries(queries, field=how.field)
    found = run_search(open_engine(engine), asked, how, name=name, progress=progress)
    if found.failed and (how.failed == "raise" or not found.answered):
        remedy = "failed='leave out' gives a run without them"
        if not found.answered:
            remedy = "there is nothing to make a run of"
        raise SearchesFailed(found, remedy=f"{remedy}, and the error's `searched` has all answers")
    for warning in found.warnings:
        warnings.warn(f"{found.run.name}: {warning}", SearchWarning, stacklevel=2)
    return found.run


def run_search(
    engine: Engine,
    queries: Mapping[str, str],
    options: SearchOptions,
    *,
    name: str | None = None,
    progress: Progress | None = None,
    before: Mapping[str, Answer] = MappingProxyType({}),
    check: Callable[[Results], object] | None = None,
    keep: Callable[[str, Answer], object] | None = None,
) -> SearchResult:
    """Send queries to an engine, and return all that came of it; no failed query raises an error.

    Queries that were answered `before` are not sent again. `check` may raise an error about
    results, and `keep` is called with every answer.
    """
    answers = {query: found for query, found in before.items() if not found.failure}
    failed = {query: found for query, found in before.items() if found.failure}
    missing = {query: words for query, words in queries.items() if query not in answers}
    kept = len(answers)
    step = f"searching {name or engine.name}"

    def on_answer(query: str, answer: Answer) -> None:
        if check:
            check(answer.results or [])
        if query in failed:
            earlier = failed[query]
            tries, failures = earlier.tries + answer.tries, (*earlier.failures, *answer.failures)
            answer = replace(answer, tries=tries, failures=failures)
        answers[query] = answer
        if keep:
            keep(query, answer)
        if progress:
            progress(step, len(answers), len(queries))

    started = perf_counter()
    if progress:
        progress(step, kept, len(queries))
    asked = AskSummary(0)
    if missing:
        asked = run_async(
            ask_all(
                engine,
                missing,
                options.k,
                concurrency=options.concurrency,
                patience=options.patience,
                on_answer=on_answer,
            )
        )
    seconds = perf_counter() - started
    # What failed before, and was not asked now, is as it was.
    answers = failed | answers
    in_order = {query: answers[query] for query in queries if query in answers}
    results = {
        query: answer.results for query, answer in in_order.items() if answer.results is not None
    }
    rows, order = rank_results(results, options.scores)
    return SearchResult(
        run=Run(_core.Table.from_dict(rows, Run.kind, "error"), name=name or engine.name),
        answers=in_order,
        not_asked=tuple(query for query in asked.not_asked if query not in answers),
        order=order,
        engine={"name": engine.name, **engine.settings},
        options=options,
        in_flight=asked.in_flight,
        batched=asked.batched,
        query_digest=queries_digest(queries),
        seconds=seconds,
        kept=kept,
    )


@shows_progress("searching")
def evaluate_engines(
    engines: Any,
    queries: Any,
    qrels: Any,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    progress: Progress | bool | None = None,
    profile: str = "cleverdon",
    qrels_format: str | None = None,
    **options: Any,
) -> Scores:
    """Send queries to one engine or several, and evaluate the runs.

    Only queries that have judgments are sent. Queries that are left out are missing from the run,
    which `evaluate` takes as empty results unless its option `missing` says otherwise.

    Args:
        engines: An engine, as `search` takes it; a dict from names to engines; or a list.
        queries: A file of queries (TREC topics, JSONL, TSV), or a dict of ids and texts.
        qrels: Judgments: a file, or a dict.
        measures: Measures, as `evaluate` takes them.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.
        profile: The profile of the evaluation.
        qrels_format: The format of the judgments, if it cannot be guessed.
        options: Those of `SearchOptions` (k, concurrency, patience, failed, scores, field), and
            other options of `evaluate`.

    Returns:
        The scores of each engine.

    Raises:
        SearchesFailed: Queries had no answer after all tries.

    >>> documents = {"d1": "a red apple", "d2": "a green apple", "d3": "a red car"}
    >>> def retriever(query, k):
    ...     return [(id, 1.0) for id, text in documents.items() if query in text][:k]
    >>> queries, qrels = {"q1": "apple", "q2": "blue"}, {"q1": {"d1": 1}, "q2": {"d3": 1}}
    >>> evaluate_engines(retriever, queries, qrels, "P@1 R@10").to_dict()
    {'retriever': {'P@1': 0.0, 'R@10': 0.5}}
    """
    progress = as_callback(progress)
    names = SearchKeywords.__annotations__
    searching: Any = {name: options.pop(name) for name in names if name in options}
    how = SearchOptions(**searching)
    searching.pop("field", None)  # `asked` has the words of that field already
    tool = find_profile(profile)
    if isinstance(qrels, (str, os.PathLike)):
        qrels_format = qrels_format or tool.qrels_format
    settings = tool.settings.changed(duplicates=options.get("duplicates"))
    judgments = Judgments.read(qrels, format=qrels_format, duplicates=settings.qrels_duplicates)
    asked = read_queries(queries, field=how.field, judged=frozenset(judgments.queries))
    runs: dict[str, Run] = {}
    for name, engine in _engines_by_name(engines).items():
        runs[name] = search(engine, asked, name=name, progress=progress, **searching)
        _warn_if_no_id_is_judged(runs[name], judgments)
    return evaluate(judgments, runs, measures, profile=profile, **options)


def _engines_by_name(engines: Any) -> dict[str, Engine]:
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


def _warn_if_no_id_is_judged(run: Run, judgments: Judgments) -> None:
    """Warn if no result is judged: ids are then often those of passages, or of objects."""
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

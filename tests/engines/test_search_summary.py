"""What a search says when it is done."""

from __future__ import annotations

from typing import Any

from cleverdon.data import Run
from cleverdon.engines.client import Answer
from cleverdon.engines.protocol import SearchFailure
from cleverdon.engines.retrieval import OrderProblems, SearchOptions, SearchResult
from cleverdon.engines.run_file import _interruption_text, _search_summary


def searched(answers: dict[str, Answer], **changed: Any) -> SearchResult:
    rows = {query: dict(found.results or ()) for query, found in answers.items()}
    facts: dict[str, Any] = {
        "run": Run.read(rows),
        "answers": answers,
        "not_asked": (),
        "order": OrderProblems({}, (), ()),
        "engine": {},
        "options": SearchOptions(),
        "in_flight": 8,
        "batched": False,
        "query_digest": "",
        "seconds": 2.0,
        "kept": 0,
    }
    return SearchResult(**{**facts, **changed})


def times(*seconds: float) -> dict[str, Answer]:
    return {f"q{at}": Answer([("d", 1.0)], each, 1) for at, each in enumerate(seconds)}


def test_counts_times_and_what_comes_next() -> None:
    assert _search_summary(searched(times(0.001, 0.002, 0.009)), "my.run") == [
        "my.run: 3 queries, 3 answered, 0 failed, 0 without results; 3 results",
        "median 2 ms, the slowest 9 ms, while searching with 8 at a time",
        "next: cleverdon eval QRELS my.run",
    ]


def test_names_as_a_shell_takes_them() -> None:
    assert (
        _search_summary(searched(times(1)), "my own.run")[-1]
        == "next: cleverdon eval QRELS 'my own.run'"
    )


def test_many_times_have_a_percentile() -> None:
    lines = _search_summary(searched(times(*[0.001] * 199, 5.0), in_flight=1), "-")
    assert lines[1:] == ["median 1 ms, p99 1 ms, while searching one by one"]


def test_failures_retries_and_answers_from_before() -> None:
    timeout, refused = SearchFailure("timeout", "late"), SearchFailure("refused", "400")
    answers = times(0.001, 0.001) | {
        "q2": Answer([], 0.001, 3, (timeout, timeout)),
        "q3": Answer(None, 0.001, 2, (timeout, refused)),
    }
    found = searched(answers, not_asked=("q4",), kept=2, in_flight=1)
    assert _search_summary(found, "my.run")[:-1] == [
        "my.run: 5 queries, 3 answered, 2 failed, 1 without results; 2 results",
        "without results: q2",
        "2 answers of these from before the last stop",
        "asked again: timeout 3",
        "median 1 ms, the slowest 1 ms",
    ]
    assert found.failed == {
        "q3": "refused: 400",
        "q4": "not asked, since the engine did not answer",
    }


def test_one_call_has_one_time() -> None:
    assert _search_summary(searched(times(1, 1), batched=True), "-")[1] == "all in one call of 2 s"


def test_how_to_go_on() -> None:
    assert _interruption_text(3, 1000, "my.run.journal") == (
        "3 of 1,000 queries asked, and what was answered is kept in my.run.journal; the same "
        "command goes on from there"
    )
    assert _interruption_text(0, 1, None) == "0 of 1 query asked, and nothing is kept"

"""Queries through engines of all shapes to runs, with failures of every kind on the way."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cleverdon
from cleverdon.engines.client import _GIVE_UP, Patience
from cleverdon.engines.configuration import open_engine
from cleverdon.engines.protocol import _RETRYABLE, FAILURE_KINDS, Engine, Results, SearchFailure
from cleverdon.engines.retrieval import (
    SearchesFailed,
    SearchOptions,
    SearchResult,
    SearchWarning,
    run_search,
)
from cleverdon.errors import InputError, MissingExtra, OptionError

TOPICS = {f"q{number}": f"word{number}" for number in range(30)}
QUICK = Patience(timeout=5, tries=3, pause=0.0)


def plain(query: str, k: int) -> list[tuple[str, float]]:
    """Two documents of which one is named after the query."""
    return [(f"{query}-a", 2.0), ("common", 1.0)][:k]


async def later(query: str, k: int) -> list[tuple[str, float]]:
    await asyncio.sleep(0)
    return plain(query, k)


class Object:
    def search(self, query: str, k: int) -> dict[str, float]:
        return dict(plain(query, k))


class AsyncObject:
    async def search(self, query: str, k: int) -> list[tuple[str, float]]:
        return plain(query, k)


class Own(Engine):
    """An engine of somebody's own, which fails as it is told."""

    name = "own"

    def __init__(self, *failures: Exception, of: str | None = None) -> None:
        self.failures = list(failures)
        self.of = of
        self.asked: list[str] = []

    async def search(self, query: str, k: int) -> Results:
        self.asked.append(query)
        if self.failures and self.of in (None, query):
            raise self.failures.pop(0)
        return plain(query, k)


def put(engine: Any, topics: dict[str, str] = TOPICS, **how: Any) -> SearchResult:
    options = SearchOptions(**{"patience": QUICK, **how})
    return run_search(open_engine(engine), topics, options)


@pytest.mark.parametrize("engine", [plain, later, Object(), AsyncObject(), Own()])
def test_engines_of_all_shapes_give_the_same_run(engine: Any) -> None:
    run = cleverdon.search(engine, TOPICS, k=2)
    assert run.to_dict() == {
        query: {f"{words}-a": 2.0, "common": 1.0} for query, words in TOPICS.items()
    }
    assert run.queries == list(TOPICS)


def test_the_run_has_the_name_of_its_engine_or_another() -> None:
    assert cleverdon.search(plain, TOPICS).name == "plain"
    assert cleverdon.search(plain, TOPICS, name="mine").name == "mine"


def test_no_more_than_k_results() -> None:
    class Generous(Own):
        async def search(self, query: str, k: int) -> Results:
            return [(f"d{number}", -float(number)) for number in range(9)]

    assert list(cleverdon.search(Generous(), {"q": "w"}, k=3)["q"]) == ["d0", "d1", "d2"]


def test_topics_of_files_and_their_fields(tmp_path: Path) -> None:
    topics = tmp_path / "topics.trec"
    topics.write_text(
        "<top>\n<num> Number: 301\n<title> gold\n<desc> Description:\nPrices\nof gold\n</top>\n"
        "<top>\n<num> Number: 302\n<title> tin\n</top>\n"
    )
    for field, words in {
        "title": ["gold", "tin"],
        "text": ["Prices of gold", "tin"],
        "both": ["gold Prices of gold", "tin"],
    }.items():
        engine = Own()
        run = cleverdon.search(engine, topics, field=field, concurrency=1)
        assert (run.queries, engine.asked) == (["301", "302"], words)
    for name, text in {
        "topics.jsonl": '{"_id": "301", "text": "gold"}\n{"_id": "302", "text": "tin"}\n',
        "topics.tsv": "301\tgold\n302\ttin\n",
    }.items():
        (tmp_path / name).write_text(text)
        found = cleverdon.search(plain, tmp_path / name)
        assert found.to_dict() == cleverdon.search(plain, topics).to_dict()
    with pytest.raises(OptionError, match="field='titel' is not known; did you mean 'title'"):
        cleverdon.search(plain, topics, field="titel")


def test_topics_without_words_are_refused() -> None:
    with pytest.raises(InputError, match="'q2' has no words to search for"):
        cleverdon.search(plain, {"q1": "x", "q2": " "})
    with pytest.raises(InputError, match="there are no queries"):
        cleverdon.search(plain, {})


def test_so_many_at_a_time_and_never_more() -> None:
    lock, now, most = threading.Lock(), 0, 0
    together = threading.Barrier(6, timeout=10)

    def counted(query: str, k: int) -> list[tuple[str, float]]:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        together.wait()  # until six are asked at once: fewer would never get on
        with lock:
            now -= 1
        return plain(query, k)

    found = put(counted, concurrency=6)
    assert (most, found.in_flight, len(found.answered)) == (6, 6, 30)


def test_a_function_that_is_asked_one_by_one() -> None:
    asked: list[str] = []

    def one(query: str, k: int) -> list[tuple[str, float]]:
        asked.append(query)
        return plain(query, k)

    put(one, concurrency=1)
    assert asked == list(TOPICS.values())


@pytest.mark.parametrize("kind", FAILURE_KINDS)
def test_failures_of_each_kind(kind: str) -> None:
    engine = Own(*[SearchFailure(kind, "told so")] * 2, of="word7")
    found = put(engine)
    tries = Counter(engine.asked)["word7"]
    if kind in _RETRYABLE:
        assert (tries, found.failed, found.retries) == (3, {}, {kind: 2})
        assert found.answers["q7"].tries == 3
    else:
        assert (tries, found.failed, found.retries) == (1, {"q7": f"{kind}: told so"}, {})
    assert len(engine.asked) == 29 + tries


def test_a_time_limit() -> None:
    async def slow(query: str, k: int) -> list[tuple[str, float]]:
        await asyncio.sleep(0 if query != "word3" else 60)
        return plain(query, k)

    found = put(slow, patience=Patience(timeout=0.05, tries=2, pause=0))
    assert found.failed == {"q3": "timeout: no answer within 0.05 s"}
    assert found.retries == {"timeout": 1}


def test_pauses_are_those_that_the_engine_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    sleep = asyncio.sleep

    async def noted(seconds: float) -> None:
        pauses.append(seconds)
        await sleep(0)

    monkeypatch.setattr("cleverdon.engines.client.asyncio.sleep", noted)
    failures = [SearchFailure("overloaded", "503", retry_after=after) for after in (7.0, 1e6)]
    put(Own(*failures, of="word7"), patience=Patience(longest=30))
    assert pauses == [7.0, 30.0]


def test_failed_queries_are_an_error_that_has_all_others() -> None:
    engine = Own(*[SearchFailure("refused", "400")] * 2)
    with pytest.raises(SearchesFailed) as raised:
        cleverdon.search(engine, TOPICS, concurrency=1)
    assert str(raised.value) == (
        "2 of 30 queries failed: q0, q1 (refused: 400); failed='leave out' gives a "
        "run without them, and the error's `searched` has all answers"
    )
    assert len(raised.value.searched.run) == 56


def test_failed_queries_can_be_left_out() -> None:
    engine = Own(*[SearchFailure("refused", "400")] * 7)
    with pytest.warns(SearchWarning, match=r"own: 7 of 30 queries failed: .*, and 2 more"):
        run = cleverdon.search(engine, TOPICS, concurrency=1, failed="leave out")
    assert run.queries == list(TOPICS)[7:]


def test_an_engine_that_is_down_is_not_asked_for_ever() -> None:
    down: Callable[[], Own] = lambda: Own(*[SearchFailure("connection", "refused")] * 10_000)  # noqa: E731
    topics = {f"q{number}": "w" for number in range(1000)}
    engine = down()
    found = put(engine, topics, concurrency=4, patience=Patience(tries=1))
    assert _GIVE_UP <= len(engine.asked) < _GIVE_UP + 4
    assert len(found.failed) == 1000
    assert found.failed["q999"] == "not asked, since the engine did not answer"
    asked = len(engine.asked)
    assert found.warnings[0] == (
        "1,000 of 1,000 queries failed: q0, q1, q2, q3, q4 (connection: refused), "
        f"and {asked - 5} more, and {1000 - asked} not asked, since the engine did not answer"
    )
    with pytest.raises(SearchesFailed, match="there is nothing to make a run of"):
        cleverdon.search(down(), topics, failed="leave out", patience=Patience(tries=1))


def test_an_engine_that_refuses_many_and_answers_others_is_asked_on() -> None:
    engine = Own(*[SearchFailure("refused", "400")] * 25, of="bad")
    topics = {"q": "good"} | {f"q{number}": "bad" for number in range(25)} | {"z": "good"}
    found = put(engine, topics, concurrency=1)
    assert list(found.answered) == ["q", "z"]
    assert not found.not_asked


def test_errors_of_the_engine_itself_are_failures() -> None:
    def broken(query: str, k: int) -> list[tuple[str, float]]:
        if query == "word4":
            raise KeyError("vectors")
        return plain(query, k)

    for engine in (broken, Own(KeyError("vectors"), of="word4")):
        assert put(engine).failed == {"q4": "server: KeyError: 'vectors'"}
    wordy = put(Own(RuntimeError("no memory\n\n" + "dump " * 500), of="word4")).warnings[0]
    assert wordy.startswith("1 of 30 queries failed: q4 (server: RuntimeError: no memory dump dump")
    assert wordy.endswith("dump ...)")


@pytest.mark.parametrize("error", [MissingExtra("x", package="y"), OptionError("no such table")])
def test_errors_of_settings_end_all_at_once(error: Exception) -> None:
    def misset(query: str, k: int) -> list[tuple[str, float]]:
        raise error

    for engine in (misset, Own(error)):
        with pytest.raises(type(error), match=str(error)):
            cleverdon.search(engine, TOPICS)


@pytest.mark.parametrize(
    "answer",
    [
        7,
        None,
        "d1",
        {"d1"},
        ["d1", ("d2", 1.0)],
        [{"score": 1.0}],
        [("d1",)],
        [("d1", "high")],
        [("d1", float("nan"))],
        [("", 1.0)],
        [("\ud800", 1.0)],
    ],
)
def test_answers_that_are_none(answer: Any) -> None:
    class Returning(Own):
        async def search(self, query: str, k: int) -> Results:
            return answer  # type: ignore[no-any-return]

    for engine in (lambda query, k: answer, Returning()):
        assert put(engine, {"q": "w"}).failed["q"].startswith("malformed: ")


def test_documents_returned_twice_count_where_they_stood_first() -> None:
    def chunks(query: str, k: int) -> list[tuple[str, float]]:
        return [("d1", 3.0), ("d2", 2.0), ("d1", 1.0), ("d1", 0.5)]

    with pytest.warns(SearchWarning, match="2 results were documents that stood above already"):
        run = cleverdon.search(chunks, {"q": "w"})
    assert run["q"] == {"d1": 3.0, "d2": 2.0}


def test_an_order_that_is_not_that_of_scores() -> None:
    def boosted(query: str, k: int) -> list[tuple[str, float]]:
        return [("ad", 0.5), ("d1", 3.0), ("d2", 2.0)]

    with pytest.warns(SearchWarning, match=r"query q: results are not in the order of their score"):
        assert cleverdon.search(boosted, {"q": "w"}).ranking("q")[0] == ("d1", 3.0)
    kept = cleverdon.search(boosted, {"q": "w"}, scores="rank")
    assert kept.ranking("q") == [("ad", 3.0), ("d1", 2.0), ("d2", 1.0)]
    with pytest.raises(OptionError, match="scores='ranks' is not known; did you mean 'rank'"):
        cleverdon.search(boosted, {"q": "w"}, scores="ranks")


def test_equal_scores_in_another_order_than_is_read() -> None:
    found = put(lambda query, k: [("a", 1.0), ("b", 1.0)], {"q": "w"})
    assert (found.order.tied, found.order.rising, found.warnings) == (("q",), (), [])
    assert found.order.tied_text.startswith("query q: equal scores")
    assert put(lambda query, k: [("b", 1.0), ("a", 1.0)], {"q": "w"}).order.tied == ()


def test_queries_without_results() -> None:
    found = put(lambda query, k: [] if query == "word1" else plain(query, k))
    assert (found.empty, found.failed, found.warnings) == (("q1",), {}, [])
    assert found.run.queries == list(TOPICS)
    nothing = put(lambda query, k: [])
    assert nothing.warnings == ["the engine found nothing for any query; is it the right index?"]


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    cleverdon.search(plain, TOPICS, progress=lambda step, done, total: told.append((done, total)))
    assert told == [(done, 30) for done in range(31)]


@pytest.mark.parametrize("engine", [plain, later])
def test_within_a_loop_that_runs_as_in_a_notebook(engine: Any) -> None:
    async def cell() -> cleverdon.Run:
        return cleverdon.search(engine, TOPICS)

    assert asyncio.run(cell()).to_dict() == cleverdon.search(plain, TOPICS).to_dict()


def test_errors_within_a_loop_that_runs() -> None:
    async def cell() -> None:
        cleverdon.search(Own(OptionError("no such table")), TOPICS)

    with pytest.raises(OptionError, match="no such table"):
        asyncio.run(cell())


@pytest.mark.parametrize("option", ["k", "concurrency"])
def test_counts_are_counts(option: str) -> None:
    with pytest.raises(OptionError, match=f"{option}=0: expected a whole number from 1 on"):
        cleverdon.search(plain, TOPICS, **cast(Any, {option: 0}))


_IDS = st.text(min_size=1, max_size=6).filter(lambda text: text.strip() and text.isprintable())
_SCORES = st.floats(allow_nan=False, allow_infinity=False)


@given(
    st.dictionaries(_IDS.map(str.strip), st.dictionaries(_IDS, _SCORES, max_size=5), min_size=1),
    st.integers(1, 9),
)
def test_what_an_engine_returns_is_what_the_run_has(
    results: dict[str, dict[str, float]], concurrency: int
) -> None:
    topics = {query: f"{number}" for number, query in enumerate(results)}
    by_words = dict(zip(topics.values(), results.values(), strict=True))
    found = put(lambda query, k: by_words[query], topics, concurrency=concurrency, k=5)
    assert found.run.to_dict() == results
    assert list(found.run.queries) == list(results)


class Batching(Own):
    in_batches = True

    def __init__(self, *failures: Exception) -> None:
        super().__init__(*failures)
        self.calls: list[list[str]] = []

    async def search_all(self, queries: Mapping[str, str], k: int) -> dict[str, Results]:
        self.calls.append(list(queries))
        return await super().search_all(queries, k)


def test_an_engine_that_takes_all_in_one_call() -> None:
    engine = Batching()
    found = put(engine)
    assert engine.calls == [list(TOPICS)]
    assert (found.batched, found.in_flight) == (True, 30)
    assert found.run.to_dict() == cleverdon.search(plain, TOPICS).to_dict()


def test_a_call_for_all_that_forgets_some() -> None:
    class Forgetful(Batching):
        async def search_all(self, queries: Mapping[str, str], k: int) -> Any:
            self.calls.append(list(queries))
            return {"q1": [("d", 1.0)]} if len(queries) > 1 else [("q1", "d", 1.0)]

    found = put(Forgetful(), {"q1": "a", "q2": "b"})
    assert (list(found.answered), list(found.failed)) == (["q1"], ["q2"])
    assert "expected {query: results}, found [(" in put(Forgetful(), {"q1": "a"}).failed["q1"]


def test_a_call_for_all_that_fails() -> None:
    engine = Batching(SearchFailure("server", "exit code 1"))
    found = put(engine)
    assert (len(engine.calls), found.failed) == (2, {})
    lost = put(Batching(SearchFailure("malformed", "line 3")))
    assert lost.failed == dict.fromkeys(TOPICS, "malformed: line 3")
    assert put(Batching(KeyError("index"))).failed == dict.fromkeys(
        TOPICS, "server: KeyError: 'index'"
    )
    with pytest.raises(SearchesFailed, match=r"30 of 30 queries failed: q0, .*, q4 \(malformed: "):
        cleverdon.search(Batching(SearchFailure("malformed", "line 3")), TOPICS)

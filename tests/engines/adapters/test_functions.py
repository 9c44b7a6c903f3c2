from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from cleverdon.engines.adapters.python import as_engine
from cleverdon.engines.protocol import Document, Engine, Results, SearchFailure, check_results
from cleverdon.errors import OptionError


def found(engine: Engine, query: str = "q", k: int = 10) -> Results:
    async def once() -> Results:
        async with engine:
            return await engine.search(query, k)

    return asyncio.run(once())


class Index:
    """An object with a search of its own."""

    def search(self, query: str, k: int) -> dict[Any, float]:
        return {query: 2, 7: 1}


async def later(query: str, k: int) -> Results:
    await asyncio.sleep(0)
    return [(query, float(k))]


def test_functions_are_engines() -> None:
    def mine(query: str, k: int) -> Results:
        return [(query, float(k))]

    assert found(as_engine(mine), "a", 3) == [("a", 3.0)]
    assert found(as_engine(later), "a", 3) == [("a", 3.0)]
    assert found(as_engine(Index()), "a") == [("a", 2.0), ("7", 1.0)]
    assert as_engine(mine).in_process
    assert as_engine(later).in_process


def test_objects_whose_call_is_async_are_awaited() -> None:
    class Retriever:
        async def __call__(self, query: str, k: int) -> Results:
            return [(query, float(k))]

    assert found(as_engine(Retriever()), "a", 3) == [("a", 3.0)]
    with pytest.raises(SearchFailure, match="function returned a coroutine; write it as async def"):
        found(as_engine(lambda query, k: later(query, k)))


def test_what_cannot_be_called_so_is_told_at_once() -> None:
    def only_a_query(query: str) -> Results:
        return []

    with pytest.raises(OptionError, match=r"only_a_query.* cannot be called as search"):
        as_engine(only_a_query)


def test_engines_have_names() -> None:
    assert as_engine(later).name == "later"
    assert as_engine(Index()).name == "Index"
    assert as_engine(lambda query, k: []).name == "function"
    assert as_engine(later, name="mine").name == "mine"


def test_an_engine_stays_what_it_is() -> None:
    engine = as_engine(later)
    assert as_engine(engine) is engine


@pytest.mark.parametrize("given", [3, None, "text", object()])
def test_other_things_are_refused(given: object) -> None:
    with pytest.raises(OptionError, match=r"give a function search\(query, k\)"):
        as_engine(given)


def generated(query: str, k: int) -> Iterator[tuple[str, float]]:
    number = 0
    while True:  # for as long as anybody asks
        number += 1
        yield f"d{number}", -number


def test_no_more_is_taken_than_was_asked_for() -> None:
    assert found(as_engine(generated), k=2) == [("d1", -1.0), ("d2", -2.0)]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (None, "expected [(doc_id, score), ...], found None"),
        ("d1", "expected [(doc_id, score), ...], found 'd1'"),
        (
            [("d1",)],
            "a text or whole number and a number; a dict with id and score; or an id; "
            "found ('d1',)",
        ),
        ([("d1", "high")], "found ('d1', 'high')"),
        ([(Document("d", "", ""), 1.0)], "found (Document("),
        ((["1", "2"], [0.9, 0.2]), "found [0.9, 0.2]"),
        ([("d1", float("nan"))], "the score of 'd1' is nan"),
        ([("d1", float("inf"))], "the score of 'd1' is inf"),
    ],
)
def test_what_are_no_results_is_malformed(given: Any, said: str) -> None:
    with pytest.raises(SearchFailure, match="malformed") as raised:
        check_results(given, 10)
    assert said in str(raised.value)
    assert not raised.value.retryable


@pytest.mark.parametrize(
    "error", [ValueError("bad word"), KeyError(), SystemExit(3), SearchFailure("refused", "no")]
)
def test_errors_within_are_failures(error: BaseException) -> None:
    def plain(query: str, k: int) -> Results:
        raise error

    async def promised(query: str, k: int) -> Results:
        raise error

    expected = {"ValueError": "server: ValueError: bad word", "KeyError": "server: KeyError"}
    expected["SystemExit"] = "server: SystemExit: 3"
    for function in (plain, promised):
        with pytest.raises(SearchFailure) as raised:
            found(as_engine(function))
        assert str(raised.value) == expected.get(type(error).__name__, "refused: no")


def test_functions_cannot_index() -> None:
    with pytest.raises(OptionError, match="later cannot index"):
        as_engine(later).index([Document("d", "", "")])
    assert as_engine(later).size() is None
    assert as_engine(later).settings == {}

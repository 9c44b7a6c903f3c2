"""A Python function as an engine."""

from __future__ import annotations

import inspect
import os
from collections.abc import Awaitable, Callable, Iterable
from math import isfinite
from operator import index
from typing import Any

from cleverdon.engine.failures import SearchFailure, failure_of
from cleverdon.engine.protocol import Document, Engine, Results, is_id
from cleverdon.engine.threaded import ThreadedEngine
from cleverdon.errors import OptionError


def as_engine(given: Any, *, name: str | None = None) -> Engine:
    """An engine of a function `search(query, k)`, or of an object with such a method.

    The function returns `[(doc_id, score), ...]`, the best first, or a dict of them. Where it is
    not async, it is called in several threads at once. An object may have `index(documents)` and
    `size()` as well, and say the `place` of its index.

    >>> engine = as_engine(lambda query, k: [("d1", 2.0), ("d2", 1.0)][:k], name="mine")
    >>> engine.name
    'mine'
    """
    if isinstance(given, Engine):
        return given
    search = getattr(given, "search", given)
    if not callable(search):
        raise OptionError(
            f"{type(given).__name__!r} is no search engine: give a function search(query, k) that "
            "returns [(doc_id, score), ...], or an object with such a method"
        )
    called = name or getattr(given, "__name__", None) or type(given).__name__
    called = "function" if called == "<lambda>" else called
    check_call(search, called)
    if any(map(inspect.iscoroutinefunction, (search, getattr(search, "__call__", None)))):  # noqa: B004
        return _AsyncFunction(search, called, given)
    return _Function(search, called, given)


def check_call(search: Any, called: str) -> None:
    """Raise an OptionError where it cannot be called with a query and a number."""
    try:
        signature = inspect.signature(search)
    except (TypeError, ValueError):
        return  # one that does not tell
    try:
        signature.bind("query", 10)
    except TypeError:
        raise OptionError(
            f"{called}{signature} cannot be called as search(query, k); write a function that "
            "takes a query and how many results are wanted, and returns [(doc_id, score), ...]"
        ) from None


class _Indexing(Engine):
    """What an object may do beside searching."""

    _given: Any

    def index(self, documents: Iterable[Document]) -> None:
        own = getattr(self._given, "index", None)
        if callable(own):
            own(documents)
        else:
            super().index(documents)

    def size(self) -> int | None:
        own = getattr(self._given, "size", None)
        return own() if callable(own) else None

    @property
    def place(self) -> str | None:
        own = getattr(self._given, "place", None)
        return os.fspath(own) if isinstance(own, (str, os.PathLike)) else None


class _Function(_Indexing, ThreadedEngine):
    def __init__(self, search: Callable[[str, int], Any], name: str, given: Any) -> None:
        super().__init__()
        self._search, self.name, self._given = search, name, given

    def answer(self, query: str, k: int) -> Results:
        found = self._search(query, k)
        if inspect.iscoroutine(found):
            found.close()
            raise SearchFailure(
                "malformed", f"{self.name} returned a coroutine; write it as async def"
            )
        return checked(found, k)


class _AsyncFunction(_Indexing):
    in_process = True

    def __init__(self, search: Callable[[str, int], Awaitable[Any]], name: str, given: Any) -> None:
        self._search, self.name, self._given = search, name, given

    async def search(self, query: str, k: int) -> Results:
        try:
            found = await self._search(query, k)
        except (Exception, SystemExit) as error:  # a cancellation is neither
            raise failure_of(error) from error
        return checked(found, k)


def checked(found: Any, k: int) -> Results:
    """Results as they should be; a `SearchFailure` where they are something else."""
    if isinstance(found, dict):
        found = found.items()
    if not isinstance(found, Iterable) or isinstance(found, (str, bytes)):
        raise SearchFailure("malformed", f"expected [(doc_id, score), ...], found {found!r:.80}")
    results: Results = []
    for row in found:
        try:
            pair: Any = () if isinstance(row, str) else row  # "d1" would be taken apart
            given, number = pair
            # Of another object there is no telling what its id is, and its text would be no id.
            doc, score = given if isinstance(given, str) else str(index(given)), float(number)
        except (TypeError, ValueError):
            raise SearchFailure(
                "malformed",
                f"expected (doc_id, score), a text or whole number and a number, found {row!r:.80}",
            ) from None
        if not isfinite(score):
            raise SearchFailure("malformed", f"the score of {doc!r} is {number}, and no number")
        if not is_id(doc):
            raise SearchFailure("malformed", f"{doc!r} is no id of a document")
        results.append((doc, score))
        if len(results) == k:
            break
    return results

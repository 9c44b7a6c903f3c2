"""Python functions as engines, as objects or by the name of their module."""

from __future__ import annotations

import inspect
import os
import sys
import traceback
from collections.abc import Awaitable, Callable, Iterable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any, Self

from cleverdon.engines.adapters.local import ThreadedEngine
from cleverdon.engines.protocol import (
    Document,
    Engine,
    Results,
    SearchFailure,
    check_results,
    to_failure,
)
from cleverdon.errors import CleverdonError, InputError, OptionError, suggest


def as_engine(given: Any, *, name: str | None = None) -> Engine:
    """Make an engine of a function `search(query, k)`, or of an object with such a method.

    The function returns `[(doc_id, score), ...]`, the best first, or a dict of them; bare ids,
    whose order counts; or dicts such as `{"id": "d1", "score": 0.5}`. If it is not async, several
    threads call it. An object may have `index(documents)`, `size()` and `place`.

    >>> as_engine(lambda query, k: [("d1", 2.0), ("d2", 1.0)][:k], name="mine").name
    'mine'
    """
    if isinstance(given, Engine):
        return given
    search = getattr(given, "search", given)
    if not callable(search):
        raise OptionError(
            f"{type(given).__name__!r} is not a search engine: give a function search(query, k) "
            "that returns [(doc_id, score), ...], or an object with such a method"
        )
    called = name or getattr(given, "__name__", None) or type(given).__name__
    called = "function" if called == "<lambda>" else called
    _check_search_signature(search, called)
    if any(map(inspect.iscoroutinefunction, (search, getattr(search, "__call__", None)))):  # noqa: B004
        return _AsyncFunctionEngine(search, called, given)
    return _FunctionEngine(search, called, given)


def _check_search_signature(search: Any, called: str) -> None:
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


class _IndexingObject(Engine):
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


class _FunctionEngine(_IndexingObject, ThreadedEngine):
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
        return check_results(found, k)


class _AsyncFunctionEngine(_IndexingObject):
    in_process = True

    def __init__(self, search: Callable[[str, int], Awaitable[Any]], name: str, given: Any) -> None:
        self._search, self.name, self._given = search, name, given

    async def search(self, query: str, k: int) -> Results:
        try:
            found = await self._search(query, k)
        except (Exception, SystemExit) as error:  # a cancellation is neither
            raise to_failure(error) from error
        return check_results(found, k)


class Python(Engine):
    """A function by `module:function`; the current folder is searched as well.

    It is a function `search(query, k)`, sync or async; an object that has such a method, or an
    `Engine`; or a class of them, of which one is made.
    """

    def __init__(self, *, function: str, name: str | None = None) -> None:
        module, colon, path = function.partition(":")
        if not colon or not module or not path:
            raise OptionError(
                f"function={function!r}: expected MODULE:FUNCTION, as in my_module:search"
            )
        if module.endswith(".py") or "/" in module:
            raise OptionError(
                f"function={function!r}: expected the name of a module, without folders and .py; "
                "it is looked for in the current folder"
            )
        found = _find_function(_import_module(module), path)
        self._function = function
        self._engine = as_engine(found, name=name or path)
        self.name = name or self._engine.name
        self.in_process = self._engine.in_process
        self.in_batches = self._engine.in_batches

    @staticmethod
    def short(text: str) -> Mapping[str, Any]:
        """`python:MODULE:FUNCTION`."""
        return {"function": text.partition(":")[2]}

    @property
    def place(self) -> str | None:
        return self._engine.place

    @property
    def settings(self) -> Mapping[str, Any]:
        return {"kind": "python", "function": self._function, **self._engine.settings}

    def set_concurrency(self, queries: int) -> int:
        return self._engine.set_concurrency(queries)

    async def __aenter__(self) -> Self:
        await self._engine.__aenter__()
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self._engine.__aexit__(*exception)

    async def search(self, query: str, k: int) -> Results:
        return await self._engine.search(query, k)

    async def search_all(self, queries: Mapping[str, str], k: int) -> dict[str, Results]:
        return await self._engine.search_all(queries, k)

    def index(self, documents: Iterable[Document]) -> None:
        self._engine.index(documents)

    def size(self) -> int | None:
        return self._engine.size()


def _import_module(name: str) -> ModuleType:
    here = os.getcwd()
    if here not in sys.path:
        sys.path.insert(0, here)  # it stays, since a module may import its neighbours later
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise OptionError(
                f"function: there is no module {name!r}, in the current folder or installed"
            ) from None
        raise _import_failure(
            error, f"{name} needs the module {error.name!r}, which is not here"
        ) from error
    except CleverdonError:
        raise
    except (Exception, SystemExit) as error:
        said = f"{type(error).__name__}: {error}"
        raise _import_failure(error, f"{name} failed when it was imported: {said}") from error


def _find_function(module: ModuleType, path: str) -> Any:
    found: Any = module
    for part in path.split("."):
        if not hasattr(found, part):
            names = [name for name in dir(found) if not name.startswith("_")]
            near = suggest(part, names) if names else ""
            raise OptionError(f"function: {module.__name__} has no {path!r}{near}")
        found = getattr(found, part)
    if inspect.isclass(found):
        try:
            found = found()
        except CleverdonError:
            raise
        except (Exception, SystemExit) as error:
            said = f"{type(error).__name__}: {error}"
            raise _import_failure(
                error, f"a {path} cannot be made without arguments: {said}"
            ) from error
    _check_search_signature(getattr(found, "search", found), f"function: {path}")
    return found


def _import_failure(error: BaseException, message: str) -> InputError:
    frames = traceback.extract_tb(error.__traceback__)
    outside = [frame for frame in frames if "importlib" not in frame.filename]
    last = outside[-1] if len(outside) > 1 else None  # the first is here
    if isinstance(error, SyntaxError):
        return InputError(message, source=error.filename or "", line=error.lineno)
    if last is None:
        return InputError(message)
    return InputError(message, source=last.filename, line=last.lineno)

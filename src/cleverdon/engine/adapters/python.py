"""A function of a Python module, by its name."""

from __future__ import annotations

import inspect
import os
import sys
import traceback
from collections.abc import Iterable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any, Self

from cleverdon.engine.callables import as_engine, check_call
from cleverdon.engine.protocol import Document, Engine, Results
from cleverdon.errors import CleverdonError, InputError, OptionError, suggest


class Python(Engine):
    """What `module:function` names, which is looked for in the current folder as well.

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
        found = _found(_imported(module), path)
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

    def make_room(self, at_once: int) -> int:
        return self._engine.make_room(at_once)

    async def __aenter__(self) -> Self:
        await self._engine.__aenter__()
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self._engine.__aexit__(*exception)

    async def search(self, query: str, k: int) -> Results:
        return await self._engine.search(query, k)

    async def search_all(self, topics: Mapping[str, str], k: int) -> dict[str, Results]:
        return await self._engine.search_all(topics, k)

    def index(self, documents: Iterable[Document]) -> None:
        self._engine.index(documents)

    def size(self) -> int | None:
        return self._engine.size()


def _imported(name: str) -> ModuleType:
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
        raise _failed(
            error, f"{name} needs the module {error.name!r}, which is not here"
        ) from error
    except CleverdonError:
        raise
    except (Exception, SystemExit) as error:
        said = f"{type(error).__name__}: {error}"
        raise _failed(error, f"{name} failed when it was imported: {said}") from error


def _found(module: ModuleType, path: str) -> Any:
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
            raise _failed(error, f"a {path} cannot be made without arguments: {said}") from error
    check_call(getattr(found, "search", found), f"function: {path}")
    return found


def _failed(error: BaseException, message: str) -> InputError:
    """The error, with the place at which it happened."""
    frames = traceback.extract_tb(error.__traceback__)
    outside = [frame for frame in frames if "importlib" not in frame.filename]
    last = outside[-1] if len(outside) > 1 else None  # the first is here
    if isinstance(error, SyntaxError):
        return InputError(message, source=error.filename or "", line=error.lineno)
    if last is None:
        return InputError(message)
    return InputError(message, source=last.filename, line=last.lineno)

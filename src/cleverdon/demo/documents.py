"""The documents: functions, classes and methods, each with the part of its docstring to search."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import ModuleType

from cleverdon.demo.docstrings import Docstring, split_docstring

# Less than this after the summary says nothing a search could find: "Deprecated.", "See PEP 8."
_LEAST_WORDS = 8

# Functions that programs are meant to replace, and that test runners do replace: what they hold
# depends on who is asking.
_HOOKS = frozenset(
    {
        "breakpointhook",
        "displayhook",
        "excepthook",
        "formatwarning",
        "showwarning",
        "unraisablehook",
    }
)


@dataclass(frozen=True)
class Document:
    """One described thing; `summary` is held out and stands in no index."""

    id: str
    module: str
    owner: str  # the class or module it is a member of, dotted
    name: str
    summary: str
    body: str


@dataclass(frozen=True)
class _Place:
    """One name under which an object can be reached."""

    module: str
    owner: str
    name: str
    thing: object
    docstring: str
    at_home: bool  # the object says of itself that it was defined in this module

    @property
    def id(self) -> str:
        return f"{self.owner}.{self.name}"

    @property
    def renamed(self) -> bool:
        return getattr(self.thing, "__name__", self.name) != self.name


def collect_documents(modules: Iterable[tuple[str, ModuleType]]) -> tuple[Document, ...]:
    """Every documented function, class and method, once each, in the order of their ids.

    A thing with several names (`random.choice` is also `random.Random.choice`) becomes one
    document, else a search that returns the other name would count as a miss. The same goes for
    two things with one docstring (`bytes.isalpha` and `bytearray.isalpha`): no reader could tell
    them apart.
    """
    documents: dict[str, Document] = {}
    for place in _one_each(_one_each(_places(modules), by="thing"), by="docstring"):
        parts = split_docstring(place.docstring)
        if len(parts.body.split()) >= _LEAST_WORDS and parts.summary:
            documents[place.id] = _document(place, parts)
    return tuple(documents[key] for key in sorted(documents))


def _document(place: _Place, parts: Docstring) -> Document:
    return Document(
        id=place.id,
        module=place.module,
        owner=place.owner,
        name=place.name,
        summary=parts.summary,
        body=parts.body,
    )


def _one_each(places: Iterable[_Place], *, by: str) -> tuple[_Place, ...]:
    """Of the places with the same thing or docstring, the one a reader would look for it under.

    That is where it was defined, under the name it calls itself, else the shortest; `min` keeps
    the first of equals, so the order of the modules decides the rest.
    """
    groups: dict[object, list[_Place]] = {}
    for place in places:
        key = id(place.thing) if by == "thing" else place.docstring
        groups.setdefault(key, []).append(place)
    return tuple(
        min(group, key=lambda place: (not place.at_home, place.renamed, place.id.count(".")))
        for group in groups.values()
    )


def _places(modules: Iterable[tuple[str, ModuleType]]) -> Iterator[_Place]:
    for module_name, module in modules:
        for name, member in _public(module_name, module):
            if name in _HOOKS:
                continue
            at_home = getattr(member, "__module__", None) == module_name
            place = _place(module_name, module_name, name, member, at_home=at_home)
            if place is not None:
                yield place
            if isinstance(member, type):
                yield from _methods(module_name, f"{module_name}.{name}", member, at_home=at_home)


def _methods(module: str, owner: str, cls: type, *, at_home: bool) -> Iterator[_Place]:
    # vars() and not dir(): an inherited method is documented where it was written.
    for name, member in vars(cls).items():
        if not name.startswith("_") and not isinstance(member, type):
            place = _place(module, owner, name, member, at_home=at_home)
            if place is not None:
                yield place


def _place(module: str, owner: str, name: str, member: object, *, at_home: bool) -> _Place | None:
    thing = getattr(member, "__func__", member)  # what class, static and bound methods wrap
    if not (isinstance(thing, type) or inspect.isroutine(thing)):
        return None
    docstring = thing.__doc__
    if not isinstance(docstring, str) or not docstring.strip():
        return None
    return _Place(module, owner, name, thing, docstring, at_home)


def _public(module_name: str, module: ModuleType) -> Iterator[tuple[str, object]]:
    """The names a module offers: its `__all__`, else what it defines itself without underscore.

    Names in `__all__` are asked for with getattr, because some modules make them on first use
    (`concurrent.futures`), and what was used before must not change the collection.
    """
    offered = getattr(module, "__all__", None)
    if offered is not None:
        for name in offered:
            member = _member(module, name)
            if member is not None:
                yield name, member
        return
    homes = {module_name, f"_{module_name}"}  # heapq is written in Python and _heapq in C
    for name, member in vars(module).items():
        if not name.startswith("_") and getattr(member, "__module__", None) in homes:
            yield name, member


def _member(module: ModuleType, name: str) -> object | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a deprecated name still has documentation
        try:
            member: object = getattr(module, name)
        except Exception:
            return None
    return member

"""Classes of one kind, found by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Generic, TypeVar

from cleverdon.errors import CleverdonError, OptionError, suggest

T = TypeVar("T")
C = TypeVar("C", bound=type[Any])


class Registry(Generic[T]):
    """The classes of one kind, in the order of the modules that define them.

    A class registers itself by the decorator `register`. The modules with Cleverdon's own classes
    are imported when somebody first asks for a name, so that declaring a registry costs nothing.

    Args:
        kind: What the classes are, for messages: "metric".
        package: The package that holds the modules.
        modules: The modules with Cleverdon's own classes, in the order of listings.
        key: How to get a class's name; by default the name of the class itself.
        error: The exception for a name that is unknown or taken.
        hint: What to add where a name is unknown and none is near.
        order: Names in the order of listings, where that is not the order of the modules.

    >>> shapes: Registry[object] = Registry("shape")
    >>> @shapes.register
    ... class Square:
    ...     pass
    >>> shapes.find("square").__name__
    'Square'
    >>> shapes.find("sqare")
    Traceback (most recent call last):
    cleverdon.errors.OptionError: there is no shape 'sqare'; did you mean 'Square'?
    """

    def __init__(
        self,
        kind: str,
        *,
        package: str = "",
        modules: Sequence[str] = (),
        key: Callable[[Any], str] = lambda cls: cls.__name__,
        error: type[CleverdonError] = OptionError,
        hint: str = "",
        order: Sequence[str] = (),
    ) -> None:
        self.kind = kind
        self._homes = [f"{package}.{module}" for module in modules]
        self._to_load = list(self._homes)
        self._key = key
        self._error = error
        self._hint = hint
        self._order = order
        self._classes: dict[str, type[T]] = {}

    def register(self, cls: C) -> C:
        """Add a class under its name; refuse a name that another class has.

        The same class again, as when a notebook cell runs twice, replaces the first.
        """
        if cls.__module__ not in self._homes:
            self.load()  # so that nobody can take a name of Cleverdon's own
        name = self._key(cls)
        for known, other in self._classes.items():
            if known.casefold() == name.casefold() and identity(other) != identity(cls):
                raise self._error(f"there is a {self.kind} {known!r} already; choose another name")
        self._classes[name] = cls
        return cls

    def all(self) -> dict[str, type[T]]:
        """Return every class by name: Cleverdon's own first, in the order of the modules."""
        self.load()
        place = {home: at for at, home in enumerate((*self._order, *self._homes))}
        last = len(place)

        def rank(item: tuple[str, type[T]]) -> int:
            name, cls = item
            return place.get(name, place.get(cls.__module__, last))

        return dict(sorted(self._classes.items(), key=rank))

    def find(self, name: str) -> type[T]:
        """Return the class of that name; letter case does not matter."""
        folded = name.casefold()
        while True:
            for known, cls in self._classes.items():
                if known.casefold() == folded:
                    return cls
            if not self.load_next():
                raise self._error(f"there is no {self.kind} {name!r}{self._suggest(name)}")

    def load_next(self) -> bool:
        """Import the next module; return False where all are imported."""
        if not self._to_load:
            return False
        import_module(self._to_load[0])
        self._to_load.pop(0)
        return True

    def load(self) -> None:
        """Import all modules with Cleverdon's own classes."""
        while self.load_next():
            pass

    def _suggest(self, name: str) -> str:
        return suggest(name, self.all()) or self._hint


def identity(cls: type[Any]) -> tuple[str, str]:
    """Return what two definitions of the same class have in common."""
    return cls.__module__, cls.__qualname__

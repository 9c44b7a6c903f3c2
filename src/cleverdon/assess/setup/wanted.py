"""Ids that are looked for in a file, and one that stood there instead."""

from __future__ import annotations

from collections.abc import Collection


class Wanted:
    """Asked of each id of a file whether it is wanted; the first that is not is remembered."""

    def __init__(self, ids: Collection[str]) -> None:
        self._ids = frozenset(ids)
        self._other: str | None = None

    def __call__(self, id: str) -> bool:
        if id in self._ids:
            return True
        if self._other is None:
            self._other = id
        return False

    @property
    def instead(self) -> str:
        """What to say beside an id that was not found.

        >>> wanted = Wanted(["d1"])
        >>> wanted("D1"), wanted.instead
        (False, "; it has 'D1' for example")
        """
        return "" if self._other is None else f"; it has {self._other!r} for example"

"""Digests of input files (BLAKE3, as `b3sum` prints them), computed when somebody asks for them."""

from __future__ import annotations

import os
from typing import Any, overload

from cleverdon import _core
from cleverdon.errors import InputError

UNKNOWN = "unknown"
"""The digest of a file that changed after it was read, before anybody asked for its digest."""


def digest_of(source: _core.Source) -> str | PendingDigest:
    """Return the digest of a file that has been read, to be computed when it is needed.

    A pipe cannot be read again later, so that its digest is computed at once.
    """
    return source.digest() if source.stamp is None else PendingDigest(source)


class PendingDigest:
    """The digest of a file that nobody has asked for yet."""

    def __init__(self, source: _core.Source) -> None:
        self._path = os.path.abspath(source.path)  # the current folder may change
        self._stamp = source.stamp

    def compute(self) -> str:
        """Return the digest, or `UNKNOWN` if the file is not the one that was read."""
        try:
            source = _core.Source(self._path)
            if source.stamp != self._stamp:
                return UNKNOWN
            found = source.digest()
            return found if _core.Source(self._path).stamp == self._stamp else UNKNOWN
        except InputError:  # it is gone, or nobody may read it any more
            return UNKNOWN

    def __reduce__(self) -> tuple[Any, ...]:
        return str, (self.compute(),)  # another process may not have the file


class Digest:
    """An attribute, or the field of a dataclass, that computes a pending digest when it is read.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class File:
    ...     name: str
    ...     digest: Digest = Digest()
    >>> File("a.run").digest
    ''
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self._place = f"_{name}"

    @overload
    def __get__(self, instance: None, owner: type) -> str: ...
    @overload
    def __get__(self, instance: object, owner: type) -> str: ...
    def __get__(self, instance: object | None, owner: type) -> str:
        if instance is None:
            return ""  # what a dataclass takes as the default
        kept = vars(instance)
        if isinstance(kept[self._place], PendingDigest):
            kept[self._place] = kept[self._place].compute()
        found: str = kept[self._place]
        return found

    def __set__(self, instance: object, value: str | PendingDigest) -> None:
        vars(instance)[self._place] = value


def pending(record: object, field: str = "digest") -> str | PendingDigest:
    """Return the digest of a record without computing it, to hand it on.

    `dataclasses.replace` would compute it: give it the field as well.
    """
    found: str | PendingDigest = vars(record)[f"_{field}"]
    return found


def same_file(one: str, other: str) -> bool:
    """Tell whether two digests are known to be of the same contents."""
    return one == other and one not in ("", UNKNOWN)

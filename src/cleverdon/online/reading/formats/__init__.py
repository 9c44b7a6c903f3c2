"""Every kind of log that is known without a mapping file, one class and one file each.

A format's `mapping` is written as a mapping file is, and read by the same code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, ClassVar

from cleverdon.errors import InternalError, OptionError, suggest
from cleverdon.online.reading.parse import layout
from cleverdon.online.reading.spec import Layout

_FAMILIES = ("ubi", "algolia", "matomo", "snowplow", "slowlog", "canonical")
"""The modules that hold formats; the first that recognises a log reads it."""


class Format:
    """A kind of log: what it is, where that is written, and which of its columns is what."""

    name: ClassVar[str]
    about: ClassVar[str]
    """What writes such logs, in a few words."""
    source: ClassVar[str]
    """Where the format is described."""
    known_by: ClassVar[str]
    """How such a log is recognised, in words."""
    lacks: ClassVar[str]
    """What such logs do not say, in words."""
    mapping: ClassVar[Mapping[str, Any]]
    notes: ClassVar[tuple[str, ...]] = ()
    """What is assumed wherever such a log is read."""

    @classmethod
    @cache
    def layout(cls) -> Layout:
        return layout(cls.mapping, name=cls.name, source=cls.name, strict=False, notes=cls.notes)

    @classmethod
    def recognises(cls, paths: frozenset[str], lines: Sequence[str]) -> bool:
        """Whether a table with these paths is of this format; `lines` are of plain text."""
        return any(rows.known(paths) for rows in cls.layout().rows if rows.known_by)


@cache
def formats() -> dict[str, type[Format]]:
    """Every format by its name."""
    found: dict[str, type[Format]] = {}
    for family in _FAMILIES:
        module = import_module(f"{__name__}.{family}")
        for cls in vars(module).values():
            if isinstance(cls, type) and issubclass(cls, Format) and cls is not Format:
                if cls.name in found:
                    raise InternalError(f"two formats are called {cls.name!r}")
                found[cls.name] = cls
    return found


def named(name: str) -> type[Format]:
    known = formats()
    if name not in known:
        raise OptionError(f"format={name!r} (--log-format) is not known{suggest(name, known)}")
    return known[name]

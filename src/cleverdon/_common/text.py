"""Plurals, printable names and display widths of text.

Shared by tables, charts and messages of every package.
"""

from __future__ import annotations

from unicodedata import east_asian_width


def counted(number: int, what: str) -> str:
    """Write a number with its noun: `1 query`, `2 queries`."""
    plural = what.removesuffix("y") + "ies" if what.endswith("y") else what + "s"
    return f"{number:,} {what if number == 1 else plural}"


def printable(name: str) -> str:
    """Escape characters of a name that cannot be printed on one line."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in name)


def text_width(text: str) -> int:
    """Return the columns that a text takes in a terminal."""
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)

"""Parts of sentences about how many documents there are."""

from __future__ import annotations

from math import isinf

from cleverdon.pool.recall.estimates import Estimate
from cleverdon.pool.recall.recalled import Recall
from cleverdon.show.grid import counted, printable

NAMED = 5
"""Queries and systems that a sentence names; of more, how many there are."""


def odds(ratio: float) -> str:
    """Two digits, however small it is."""
    return f"{ratio:.2g}" if ratio < 10 else f"{ratio:,.0f}"


def these(found: Recall) -> str:
    """The queries that are told of, after they were named."""
    return "this one" if len(found.told) == 1 else "these"


def listed(names: tuple[str, ...], what: str) -> str:
    """How many there are, and which where these are few."""
    if len(names) > NAMED:
        return counted(len(names), what)
    return f"{counted(len(names), what)} ({', '.join(map(printable, names))})"


def are(number: float) -> str:
    """What follows a number that is printed whole: 1 is, 2 are."""
    return "is" if not isinf(number) and round(number) == 1 else "are"


def share(value: float, target: float) -> str:
    """A recall in two digits, or so many that one sees on which side of the target it is.

    >>> share(0.39, 0.9), share(0.8987, 0.9), share(0.9, 0.9)
    ('0.39', '0.899', '0.90')
    """
    digits = 2
    while digits < 12 and _side(round(value, digits), target) != _side(value, target):
        digits += 1
    return f"{value:.{digits}f}"


def _side(value: float, target: float) -> int:
    return (value > target) - (value < target)


def count(value: float) -> str:
    """A number of documents that was estimated."""
    return "any number of" if isinf(value) else f"{value:,.0f}"


def amount(value: float, what: str) -> str:
    """A small number of things on average; whole ones without decimals."""
    text = f"{value:,.0f}" if value >= 100 or value == round(value) else f"{value:.2g}"
    return f"{text} {what if text == '1' else what + 's'}" if what else text


def between(one: Estimate) -> str:
    """From where to where."""
    return f"between {count(one.low)} and {'any number' if isinf(one.high) else count(one.high)}"

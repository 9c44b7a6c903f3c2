"""Equal scores in one order, whatever an engine's own is: no run differs from the one before."""

from __future__ import annotations

from collections.abc import Callable

from cleverdon.engine.protocol import Results


def ordered(results: Results) -> Results:
    """The highest scores first; of equal ones the later id, as evaluation reads them.

    >>> ordered([("a", 1.0), ("b", 2.0), ("c", 1.0)])
    [('b', 2.0), ('c', 1.0), ('a', 1.0)]
    """
    return sorted(results, key=lambda result: (result[1], result[0]), reverse=True)


def first(k: int, fetch: Callable[[int], Results]) -> Results:
    """The first k in that order, of an engine that returns the best n in another.

    Where scores are equal on both sides of the cut, more is fetched until all of the equal ones are
    there: which of them come in must not be the engine's chance.
    """
    wanted = k + 1
    while True:
        found = fetch(wanted)
        if len(found) < wanted or found[-1][1] < found[k - 1][1]:
            return ordered(found)[:k]
        wanted *= 4

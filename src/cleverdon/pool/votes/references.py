"""Reference counts: a result is worth as much as other systems refer to it.

Wu & Crestani 2003, doi:10.1145/952532.952693. A system's result (the original) is found again in
the results of other systems (its references). In the basic kind, a system's value on a topic is the
number of references that its first k results have. In the weighted kinds, results count more the
higher they stand: the original, its references, or both. With L(s) for the first k results of
system s, and S systems, the value computed here is

    sum over d in L(s) of  w_own(s, d) * sum over t != s with d in L(t) of  w_theirs(t, d)

divided by k (S - 1), so that it lies from 0 to 1: for the basic kind it is the share of other
systems that agree, averaged over ranks. The weights w are one of `WEIGHTS`. The paper numbers its
weighted kinds; here they are named by what they weigh, and the weights are those written below.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cleverdon.arrays import Floats, Ints, summed
from cleverdon.errors import check_word
from cleverdon.pool.contributions import Contributions
from cleverdon.pool.fusion import scaled


@dataclass(frozen=True, eq=False)
class _Voted:
    """The results that vote: the first k of each system and topic, sorted by these."""

    cell: Ints  # which topic and system: topic * systems + system
    doc: Ints
    rank: Ints
    score: Floats
    depth: int


def _equal(voted: _Voted) -> Floats:
    return np.ones(len(voted.doc))


def _by_rank(voted: _Voted) -> Floats:
    weights: Floats = (voted.depth + 1 - voted.rank) / voted.depth
    return weights


def _by_score(voted: _Voted) -> Floats:
    _, lengths = np.unique(voted.cell, return_counts=True)  # of each list, as they stand
    return scaled(voted.score, lengths)


WEIGHTS: dict[str, Callable[[_Voted], Floats]] = {
    "equal": _equal,
    "rank": _by_rank,
    "score": _by_score,
}
"""What a result counts: 1; (k + 1 - rank) / k; or its score, brought from 0 (the lowest of the
list) to 1 (the highest), and 1 where all scores of the list are equal."""


def references(
    found: Contributions, *, depth: int, own: str = "equal", theirs: str = "equal"
) -> Floats:
    """Systems x topics: how much other systems refer to what a system returned.

    >>> from cleverdon.pool.contributions import gather
    >>> runs = {"a": {"q": {"x": 2, "y": 1}}, "b": {"q": {"x": 9, "z": 4}}, "c": {"q": {"z": 7}}}
    >>> references(gather(runs), depth=2).ravel().tolist()
    [0.25, 0.5, 0.25]
    """
    check_word("own", own, WEIGHTS)
    check_word("theirs", theirs, WEIGHTS)
    systems = len(found.contributors)
    rows = np.flatnonzero(found.rank <= depth)
    cell = found.topic_of_row[rows] * systems + found.system[rows]
    voted = _Voted(cell, found.doc[rows], found.rank[rows], found.score[rows], depth)
    of_references = WEIGHTS[theirs](voted)
    of_all = summed(voted.doc, of_references, len(found))
    worth = WEIGHTS[own](voted) * (of_all[voted.doc] - of_references)
    totals = summed(cell, worth, len(found.topics) * systems)
    values: Floats = totals.reshape(len(found.topics), systems).T / (depth * (systems - 1))
    return values

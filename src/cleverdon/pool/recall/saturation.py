"""How the pool fills: what was found by depth, and by number of systems.

A curve that is still rising at its end says that more is to be found there. How many documents some
of the systems find, on average over all choices of so many, has a closed form: a document that n of
S systems found is missed by s of them with the chance C(S - n, s) / C(S, s).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cleverdon.arrays import Floats, Ints
from cleverdon.errors import OptionError
from cleverdon.pool.recall.catches import Catches

_DEPTHS = (1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000)


@dataclass(frozen=True)
class Step:
    """How much a part of the pool holds: of so many ranks, or of so many systems."""

    size: int
    judged: float  # documents in it; on average, where there are several such parts
    relevant: float


@dataclass(frozen=True)
class Saturation:
    """Both curves, and their slopes at the end."""

    by_depth: tuple[Step, ...]
    by_systems: tuple[Step, ...]
    next_system: Step  # what one more system of the same kind would bring, at most
    next_ranks: Step  # what as many more ranks would bring if they were as the last ones

    @property
    def rising(self) -> float:
        """The share by which the last system raised what was found."""
        found = self.by_systems[-1].relevant
        return self.next_system.relevant / found if found else 0.0


def saturation(found: Catches) -> Saturation:
    """The curves of a pool, down to its depth.

    >>> from cleverdon.data import Judgments
    >>> from cleverdon.pool.recall.catches import find, ranked_runs
    >>> qrels = Judgments.read({"q": {"a": 1, "b": 0, "c": 1}})
    >>> runs = {"x": {"q": {"a": 2.0, "b": 1.0}}, "y": {"q": {"c": 2.0, "a": 1.0}}}
    >>> curves = saturation(find(qrels, ranked_runs(qrels, runs)))
    >>> [step.relevant for step in curves.by_depth], [step.relevant for step in curves.by_systems]
    ([2.0, 2.0], [1.5, 2.0])
    """
    if not found.systems:
        raise OptionError("without a system there is nothing that fills")
    best = np.where(found.times > 0, found.best_rank, 0)
    depths = [depth for depth in _DEPTHS if depth < found.depth] + [found.depth]
    by_depth = tuple(_down_to(found, best, depth) for depth in depths)
    systems = len(found.systems)
    curves = [expected_found(found.times[rows], systems) for rows in (best > 0, found.relevant)]
    by_systems = tuple(
        Step(size, float(judged), float(relevant))
        for size, judged, relevant in zip(range(1, systems + 1), *curves, strict=True)
    )
    once = found.times == 1
    bring = Step(1, int(once.sum()) / systems, int((once & found.relevant).sum()) / systems)
    return Saturation(by_depth, by_systems, bring, _last_ranks(found, best))


def expected_found(times: Ints, systems: int) -> Floats:
    """Of 1, 2, ... systems: how many documents are found, if each was by `times` of all.

    >>> expected_found(np.array([1, 1, 2]), 2).tolist()
    [2.0, 3.0]
    """
    by_times = np.bincount(times, minlength=systems + 1)[1:]
    often = np.arange(1, systems + 1)
    missed = np.ones(systems)  # of a document that so many systems found
    curve = np.zeros(systems)
    for size in range(systems):
        # The next system misses it too: so many of those that are left do.
        missed = missed * np.maximum(systems - often - size, 0) / (systems - size)
        curve[size] = (by_times * (1 - missed)).sum()
    return curve


def _down_to(found: Catches, best: Ints, depth: int) -> Step:
    rows = (best > 0) & (best <= depth)
    return Step(depth, float(rows.sum()), float((rows & found.relevant).sum()))


def _last_ranks(found: Catches, best: Ints) -> Step:
    """The last ten ranks, or the last half of a pool that is not twice as deep."""
    ranks = min(10, found.depth // 2)
    if not ranks:  # a pool of first results only: what a second one brings cannot be guessed
        return Step(0, 0.0, 0.0)
    whole, before = (_down_to(found, best, depth) for depth in (found.depth, found.depth - ranks))
    return Step(ranks, whole.judged - before.judged, whole.relevant - before.relevant)

"""The C/W/L framework: a measure as a model of how a user reads a ranking.

A model says how likely it is that a user reads on from one rank to the next (C). From that follow
how much of the reading falls on each rank (W) and how likely each rank is the last one read (L);
and from these five quantities, whatever the model: see `Model`. The models themselves are in
`cwl_by_rank` and `cwl_by_gain`.

A ranking has no end here: behind its last result, ranks without gain go on for ever. They are never
written out, since between two results that gain something a model's weights have a closed sum.
Such a part of the ranking is a stretch.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cleverdon import _core
from cleverdon.arrays import Floats, Ints
from cleverdon.errors import NotationError
from cleverdon.hits import Hits
from cleverdon.measures.base import Measure

Quantity = Literal["EU", "ETU", "EC", "ETC", "ED"]

_IN_ALL_MODELS = """
    With quantity=EU it is the gain of a result read, with ETU that of all that is read, with EC and
    ETC the cost of these, with ED the number of results read. Gains are grades scaled to 0 at
    `min_rel` and 1 at `max_rel`, by default the collection's largest grade. The ranking goes on for
    ever; depth=1000 cuts it as cwl-eval does.
"""


@dataclass(frozen=True, eq=False)
class Stretches:
    """Every query's ranking cut behind each result that gains something, and its rest.

    Parallel arrays, sorted by query, then rank; the last stretch of each query is its rest, which
    gains nothing and may be empty.
    """

    hits: Hits  # the results that end the stretches, one each, but for the rests
    query: Ints
    rest: Ints  # per query: which stretch is its rest
    first: Floats  # the first rank
    last: Floats  # the last one, infinite in a rest without end
    gain: Floats  # of the result at the last rank
    got: Floats  # the gain of all results above the stretch
    paid: Floats  # the cost of all results above it
    each: Floats  # the cost of each result within it

    @classmethod
    def of(cls, hits: Hits, gain: Floats, end: Floats, cost: float) -> Stretches:
        """Down to rank `end` of each query; a result costs `cost` where nothing else is known."""
        useful = (gain > 0) | (hits.spent is not None)  # what a result costs is known at rows only
        kept = useful & (hits.rank <= end[hits.query])
        hits, gain = hits.where(kept), gain[kept]
        rest = hits.starts[1:] + np.arange(len(hits))
        rows = np.arange(len(gain)) + hits.query

        def column(at_rows: NDArray[Any], at_rests: NDArray[Any] | float) -> Floats:
            merged = np.empty(len(rows) + len(rest))
            merged[rows], merged[rest] = at_rows, at_rests
            return merged

        query = column(hits.query, np.arange(len(hits))).astype(np.int64)
        last = column(hits.rank, end)
        first = _shifted(last, rest, 0) + 1
        paid, each = (first - 1) * cost, np.full(len(first), float(cost))
        if hits.spent is not None:
            # Where results between two rows have costs, only their sum is known: spread it.
            spent = column(hits.spent, 0)
            paid = _shifted(spent, rest, 0)
            each = column(((spent - paid) / (last - first + 1))[rows], cost)
        got = _shifted(column(hits.running(gain), 0), rest, 0)
        return cls(hits, query, rest, first, last, column(gain, 0), got, paid, each)

    @property
    def length(self) -> Floats:
        """How many ranks there are in each."""
        return self.last - self.first + 1

    def product_above(self, factors: Floats) -> Floats:
        """For each stretch, the product of the factors of those above it in its query."""
        ending = np.ones(len(factors), dtype=bool)
        ending[self.rest] = False
        running = np.ones(len(factors))
        running[ending] = self.hits.running(factors[ending], np.multiply)
        return _shifted(running, self.rest, 1)

    def total(self, values: Floats) -> Floats:
        """The sum of the stretches' values for each query."""
        return _core.total(self.query, np.ascontiguousarray(values), len(self.rest))


def _shifted(values: Floats, rest: Ints, start: float) -> Floats:
    """The value of the stretch above; of the first in a query, `start`."""
    shifted = np.empty(len(values))
    shifted[1:] = values[:-1]
    shifted[:1] = start
    shifted[rest[:-1] + 1] = start
    return shifted


class Model(Measure, ABC):
    """What all models of users share: the five quantities, gains and costs.

    With V_i the probability that the user reads rank i, the product of the C above it:

    - EU, expected utility: the gain of a result read, sum of V_i g_i over sum of V_i
    - ETU, expected total utility: the gain of all that is read, sum of V_i g_i
    - EC, expected cost: the cost of a result read
    - ETC, expected total cost: the cost of all that is read
    - ED, expected depth: how many results are read, sum of V_i

    A gain is a grade scaled to 0 at `min_rel` and 1 at `max_rel`, by default the largest grade of
    the collection; grades beyond count as these. A result costs `cost`, where results have no costs
    of their own. With `depth` all ranks below it are left out, and the weights rescaled: depth=1000
    gives cwl-eval's numbers. As there, ETU and ETC then leave out the users who would read on.
    """

    undefined = "never"

    quantity: Quantity = "EU"
    min_rel: float = 0
    max_rel: float | None = None
    cost: float = 1
    depth: int | None = None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.__doc__ = f"{(cls.__doc__ or '').rstrip()}\n{_IN_ALL_MODELS}"
        # A model's own parameters come first: INST(2) is INST(T=2).
        own = {name: value for name, value in cls.defaults.items() if name not in Model.defaults}
        cls.defaults = {**own, **Model.defaults}

    def check(self) -> None:
        name = type(self).__name__
        if self.min_rel < 0:
            raise NotationError(f"{name}(min_rel={self.min_rel}): no grade below 0 gains anything")
        if self.max_rel is not None and self.max_rel <= self.min_rel:
            raise NotationError(f"{name}(max_rel={self.max_rel}): max_rel is above min_rel")
        if not 1e-9 <= self.cost <= 1e9:
            raise NotationError(f"{name}(cost={self.cost}): a result costs more than nothing")
        if self.depth is not None and not 1 <= self.depth <= 2**31:
            raise NotationError(f"{name}(depth={self.depth}): a depth is a rank from 1 on")
        if self.quantity != "EU":
            vars(self).update(
                range=(0.0, np.inf),
                better="higher" if self.quantity == "ETU" else "neither",
                promises=self.promises - {"swap"},
            )

    # What a model says

    @abstractmethod
    def seen(self, stretches: Stretches, rank: Floats) -> Floats:
        """How likely this rank is read, one in each stretch; but for what `carried` says."""

    @abstractmethod
    def seen_in(self, stretches: Stretches) -> Floats:
        """The sum of `seen` over all ranks of each stretch."""

    def carried(self, stretches: Stretches) -> Floats:
        """By what the gain at the end of a stretch multiplies `seen` in all below it."""
        return np.ones(len(stretches.last))

    def horizon(self, hits: Hits) -> Floats:
        """The last rank that anyone reads, for each query."""
        return np.full(len(hits), np.inf)

    # What follows from it

    def gain_of(self, hits: Hits) -> Floats:
        """What each row is worth, from 0 to 1."""
        highest = hits.judgments.top_grade if self.max_rel is None else self.max_rel
        if highest <= self.min_rel:
            return np.zeros(len(hits.grade))
        return (np.clip(hits.grade, self.min_rel, highest) - self.min_rel) / (
            highest - self.min_rel
        )

    def working(self, hits: Hits) -> dict[str, Floats]:
        return {"gain": self.gain_of(hits)}

    def score(self, hits: Hits) -> Floats:
        own = self.horizon(hits)
        end = own if self.depth is None else np.minimum(own, self.depth)
        stretches = Stretches.of(hits, self.gain_of(hits), end, self.cost)
        above = stretches.product_above(self.carried(stretches))
        reading = above * self.seen_in(stretches)
        depth = stretches.total(reading)
        if self.quantity == "ED":
            return depth
        # Each quantity is a mean over ranks, or that times the depth; less, in a total, what those
        # have behind them who would read on below the end, and so are not among those who stopped.
        rest = stretches.rest
        if self.quantity in ("EU", "ETU"):
            at_last = above * self.seen(stretches, stretches.last)
            total = stretches.total(np.where(stretches.gain > 0, at_last * stretches.gain, 0))
            behind = stretches.got[rest]
        else:
            total = stretches.total(reading * stretches.each)
            behind = (stretches.paid + stretches.length * stretches.each)[rest]
        if self.quantity in ("EU", "EC"):
            return total / depth
        reading_on = (above * self.seen(stretches, stretches.last + 1))[rest]
        return total - np.where(own > end, reading_on * behind, 0)

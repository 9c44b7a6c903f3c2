"""What a trace is: a record for each result, for each place of the ideal, for each what-if."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from cleverdon.measures.base import Measure


@dataclass(frozen=True)
class Step:
    """One result, and what it does to the score."""

    rank: int
    doc: str  # empty where it is not known
    grade: float | None  # None where nobody judged it
    tied: bool  # whether it shares its score with another
    working: Mapping[str, float]  # the steps from the grade to what it adds; NaN is nothing to say
    added: float
    so_far: float  # the value with only the results down to this one counted


@dataclass(frozen=True)
class Ideal:
    """One place of the best order, where the measure compares with that."""

    rank: int
    doc: str
    grade: float
    gain: float
    so_far: float  # gains times weights, down to this rank


@dataclass(frozen=True)
class Move:
    """Something that could be otherwise, and how the score would change."""

    doc: str
    grade: float | None  # None where nobody judged it
    rank: int | None  # where it stands; None where it was not returned
    to: int | None  # where it would stand
    assumed: float | None  # the grade that it would have
    change: float  # of the value


@dataclass(frozen=True)
class Trace:
    """Where one query's score comes from."""

    system: str
    query: str
    measure: Measure
    value: float  # NaN where undefined
    start: float  # the value with no hit at all; 0 where that is undefined
    steps: tuple[Step, ...]
    """What `start` and these add makes the value."""
    returned: int
    total: float | None = None
    """Where the measure is a sum over a whole: the sum, of gains times weights."""
    whole: float | None = None
    """And the whole: the value is one over the other."""
    ideal: tuple[Ideal, ...] = ()
    """Where that whole is the best order's sum: this order."""
    moves: tuple[Move, ...] = ()
    """What would make the value better, the most first; none where no value is better."""
    missed: tuple[Move, ...] = ()
    """The relevant documents that were not returned, and what each would change."""

    @property
    def undefined(self) -> bool:
        """Whether the query has no value by this measure."""
        return bool(np.isnan(self.value))

    def __str__(self) -> str:
        from cleverdon.show.trace import render

        return render([self])

    def _repr_html_(self) -> str:
        from cleverdon.show.trace import render

        return render([self], "html")

"""Optimised interleaving."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np

from cleverdon.arrays import Floats, Ints
from cleverdon.errors import MissingExtra, OptionError, check_word
from cleverdon.online.interleaving.chance import Chance
from cleverdon.online.interleaving.methods import Credit, Drawn, Method, method
from cleverdon.online.interleaving.records import Record
from cleverdon.online.interleaving.team_draft import TeamDraft

CREDITS: Mapping[str, Callable[[Floats], Floats]] = {
    "inverse": lambda rank: 1 / rank,
    "linear": lambda rank: -rank,
}
"""What a ranking gets for a click on a document that it has at a rank: the more, the higher."""

LISTS = 1024
"""So many lists are weighed against each other: all there are, on a page of 10."""

Pattern = tuple[int, ...]
"""A ranking as numbers that stand for its documents."""


@method
@dataclass(frozen=True, kw_only=True)
class Optimised(Method):
    """Optimised interleaving: of all fair ways to draw a list, the one that clicks tell most by.

    A list may be shown where its documents, down to every place, are the first of A and the first
    of B. A click gives either ranking credit by the rank at which it has the document; one that it
    does not have counts as standing just below its last. A linear program finds how likely each
    list is to be drawn: such that at every place the expected credit of A and B is the same, so
    that a user who clicks at random prefers neither, and else such that the winner is as uncertain
    as can be, in bits, to users who click on place i in proportion to 1/i.

    Where there are more than `lists` lists, so many are drawn, from the seed and the two rankings.
    Where no probabilities are fair, the page is drawn by team-draft interleaving, and its record
    says so. Which of several best solutions is taken is up to the solver, so a draw is sure to be
    repeated only by the same release of scipy. Needs scipy.

    >>> docs, record = Optimised(seed=1).interleave([*"xyz"], [*"yzx"], query_id="q1")
    >>> docs
    ('x', 'y', 'z')
    >>> record.columns["credit_a"]
    (1.0, 0.5, 0.3333333333333333)
    >>> Optimised.credit(record, {"y", "z"})
    Credit(a=0.8333333333333333, b=1.5)
    """

    name = "optimised"
    formula = (
        r"\max_p \sum_L p_L\, s(L) \text{ where } "
        r"\sum_L p_L\, (c_A(L_i) - c_B(L_i)) = 0 \text{ for every } i, \quad "
        r"s(L) = (1 - w_T)\, H\!\left(\frac{w_A}{w_A + w_B}\right)"
    )
    source = (
        "Radlinski & Craswell 2013, doi:10.1145/2433396.2433429; lists drawn as in Schuth et al. "
        "2014, doi:10.1145/2661829.2661952"
    )
    columns = {"credit_a": "credit", "credit_b": "credit"}

    by: str = "inverse"
    """Of `CREDITS`."""
    lists: int = LISTS

    def __post_init__(self) -> None:
        super().__post_init__()
        check_word("by", self.by, CREDITS)
        if self.lists < 2:
            raise OptionError(f"lists={self.lists}: there are at least two to choose from")

    def draw(self, a: Sequence[str], b: Sequence[str], depth: int, chance: Chance) -> Drawn:
        docs = list(dict.fromkeys((*a, *b)))
        number = {doc: place for place, doc in enumerate(docs)}
        plan = planned(
            tuple(map(number.__getitem__, a)),
            tuple(map(number.__getitem__, b)),
            depth,
            self.by,
            self.lists,
            self.seed,
        )
        if plan is None:
            return TeamDraft(seed=self.seed).draw(a, b, depth, chance)
        chosen = plan.lists[chance.pick(plan.chances.tolist())]
        return Drawn(
            self.name,
            tuple(docs[place] for place in chosen),
            {
                "credit_a": tuple(plan.credit_a[chosen].tolist()),
                "credit_b": tuple(plan.credit_b[chosen].tolist()),
            },
        )

    @classmethod
    def fair_by_wins(cls, *, marginalised: bool = True) -> bool:
        return False  # many small credits may make up for few large ones

    @classmethod
    def credit(
        cls, record: Record, clicked: Collection[str], *, marginalised: bool = True
    ) -> Credit:
        def total(name: str) -> float:
            noted = zip(record.docs, record.columns[name], strict=True)
            return sum((float(value or 0) for doc, value in noted if doc in clicked), start=0.0)

        return Credit(total("credit_a"), total("credit_b"))


@dataclass(frozen=True, eq=False)
class Plan:
    """How likely each list of documents is to be drawn, and what each document counts for."""

    lists: Ints  # lists x places: numbers of documents
    chances: Floats  # a list each
    credit_a: Floats  # a document each
    credit_b: Floats

    @property
    def expected(self) -> Floats:
        """By how much A's expected credit for a click at each place exceeds B's."""
        found: Floats = self.chances @ (self.credit_a - self.credit_b)[self.lists]
        return found


@lru_cache(maxsize=4096)  # the same queries come again, and every pair of the same pattern
def planned(a: Pattern, b: Pattern, depth: int, by: str, lists: int, seed: int) -> Plan | None:
    """The best fair probabilities; None where no probabilities are fair.

    Documents are numbers from 0 on. Lists are drawn by the seed where there are too many.
    """
    if depth == 0:
        return Plan(np.zeros((1, 0), dtype=np.int64), np.ones(1), np.zeros(0), np.zeros(0))
    allowed = list(islice(_allowed(a, b, depth), lists + 1))
    if len(allowed) > lists:
        chance = Chance(seed, "lists", repr(a), repr(b))
        allowed = sorted({_one_allowed(a, b, depth, chance) for _ in range(lists)})
    found = np.array(allowed, dtype=np.int64)
    credit_a, credit_b = (_credit(of, len({*a, *b}), CREDITS[by]) for of in (a, b))
    difference = (credit_a - credit_b)[found]
    chances = _solved(difference, _sensitivity(difference))
    return None if chances is None else Plan(found, chances, credit_a, credit_b)


def _allowed(a: Pattern, b: Pattern, depth: int, start: Pattern = ()) -> Iterator[Pattern]:
    """Every list whose documents, down to every place, are the first of A and the first of B."""
    if len(start) == depth:
        yield start
        return
    for doc in _next(a, b, start):
        yield from _allowed(a, b, depth, (*start, doc))


def _one_allowed(a: Pattern, b: Pattern, depth: int, chance: Chance) -> Pattern:
    """One of the allowed lists: at each place a coin says whose document is next."""
    start: Pattern = ()
    while len(start) < depth:
        choices = _next(a, b, start)
        start = (*start, choices[0 if chance.coin() else -1])
    return start


def _next(a: Pattern, b: Pattern, start: Pattern) -> Pattern:
    """The documents that may come next: A's best that is left and B's, which may be the same."""
    return tuple(dict.fromkeys(next(doc for doc in of if doc not in start) for of in (a, b)))


def _credit(ranking: Pattern, docs: int, by: Callable[[Floats], Floats]) -> Floats:
    rank = np.full(docs, len(ranking) + 1.0)
    rank[list(ranking)] = np.arange(1.0, len(ranking) + 1)
    return by(rank)


def _sensitivity(difference: Floats) -> Floats:
    """How uncertain the winner is, list by list, to one click on place i in proportion to 1/i."""
    attention = 1 / np.arange(1, difference.shape[1] + 1)
    attention /= attention.sum()
    for_a, for_b = (difference > 0) @ attention, (difference < 0) @ attention
    decided = for_a + for_b
    bits = np.zeros(len(difference))
    for one in (for_a, for_b):
        share = np.divide(one, decided, out=np.ones(len(bits)), where=(decided > 0) & (one > 0))
        bits -= share * np.log2(share)
    found: Floats = decided * bits
    return found


def _solved(difference: Floats, sensitivity: Floats) -> Floats | None:
    """The probabilities that are fair at every place, and most sensitive."""
    fair = np.vstack([np.ones(len(difference)), difference.T])
    wanted = np.zeros(len(fair))
    wanted[0] = 1
    solution = _linprog()(-sensitivity, A_eq=fair, b_eq=wanted, bounds=(0, 1), method="highs")
    if solution.status == _INFEASIBLE or solution.x is None:
        return None
    chances: Floats = np.maximum(solution.x, 0)
    chances /= chances.sum()
    # Solvers have tolerances; what they leave must be no more than rounding.
    return chances if np.abs(chances @ difference).max() <= _ROUNDING else None


_INFEASIBLE = 2
"""What scipy calls the status of a program that has no solution."""
_ROUNDING = 1e-9


def _linprog() -> Any:
    try:
        from scipy.optimize import linprog  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        raise MissingExtra("optimised interleaving", package="scipy", extra="stats") from None
    return linprog

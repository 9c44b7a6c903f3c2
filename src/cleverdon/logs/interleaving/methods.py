"""Interleaving methods: balanced, team-draft, probabilistic, optimised."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from math import inf

import numpy as np

from cleverdon._common.arrays import Floats, Ints
from cleverdon._common.extras import require
from cleverdon.errors import OptionError, check_word
from cleverdon.logs.interleaving.base import (
    Chance,
    Credit,
    Docs,
    Drawn,
    Method,
    Record,
    RecordValue,
    method,
)


@method
class Balanced(Method):
    """Balanced interleaving: down to every place, about the same number of top results from both.

    A coin decides which ranking goes first; then they take turns, and a document that is already
    in the list is skipped. Let k be the better of the two ranks of the lowest clicked document:
    each ranking is credited with the clicks on its own first k.

    It is not fair to all pairs of rankings. With A = x, y, z and B = y, z, x, users who click on
    one of the three at random prefer B two times out of three: whichever goes first, y and z rank
    higher in B (Radlinski, Kurup & Joachims 2008).

    >>> docs, record = Balanced(seed=1).interleave([*"xyz"], [*"yzx"], query_id="q1")
    >>> [Balanced.credit(record, {doc}) for doc in "xyz"]
    [Credit(a=1.0, b=0.0), Credit(a=0.0, b=1.0), Credit(a=0.0, b=1.0)]
    """

    name = "balanced"
    formula = r"c_A = |\{ d \in \text{clicks} : r_A(d) \le k \}|, \quad k = \min(r_A(l), r_B(l))"
    source = "Joachims 2002, doi:10.1145/775047.775067; 2003, Evaluating Retrieval Performance"
    columns = {"rank_a": "rank", "rank_b": "rank"}
    sparse = True  # a document that only one of the rankings has
    doubt = (
        "balanced interleaving can prefer one of two rankings although users click at random, for "
        "example if one is the other with its first document moved down; team-draft interleaving "
        "does not"
    )

    def draw(self, a: Sequence[str], b: Sequence[str], depth: int, chance: Chance) -> Drawn:
        order = (a, b) if chance.coin() else (b, a)
        turns = (ranking[rank] for rank in range(depth) for ranking in order)
        docs = tuple(dict.fromkeys(turns))[:depth]
        ranks = [{doc: rank for rank, doc in enumerate(of, start=1)} for of in (a, b)]
        rank_a, rank_b = (tuple(of.get(doc) for doc in docs) for of in ranks)
        return Drawn(self.name, docs, {"rank_a": rank_a, "rank_b": rank_b})

    @classmethod
    def credit(cls, record: Record, clicked: Docs, *, marginalised: bool = True) -> Credit:
        columns = zip(record.columns["rank_a"], record.columns["rank_b"], strict=True)
        ranks = [
            tuple(inf if rank is None else float(rank) for rank in pair)
            for doc, pair in zip(record.docs, columns, strict=True)
            if doc in clicked and pair != (None, None)
        ]
        if not ranks:
            return Credit(0.0, 0.0)
        k = min(ranks[-1])
        return Credit(*(float(sum(rank <= k for rank in of)) for of in zip(*ranks, strict=True)))


@method
class TeamDraft(Method):
    """Team-draft interleaving: the rankings take turns to pick their best remaining document.

    In every round a coin decides who picks first. A click counts for the ranking that picked the
    document. At every place both rankings are equally likely to have picked, so users who click at
    random prefer neither.

    >>> docs, record = TeamDraft(seed=7).interleave(["x", "y"], ["z", "x"], query_id="q1")
    >>> docs
    ('x', 'z', 'y')
    >>> record.columns["team"]
    ('A', 'B', None)
    >>> TeamDraft.credit(record, {"z"})
    Credit(a=0.0, b=1.0)
    """

    name = "team-draft"
    formula = r"c_A = |\{ d \in \text{clicks} : d \in T_A \}|"
    source = "Radlinski, Kurup & Joachims 2008, doi:10.1145/1458082.1458092"
    columns = {"team": "team"}

    def draw(self, a: Sequence[str], b: Sequence[str], depth: int, chance: Chance) -> Drawn:
        teams: dict[str, str] = {}
        while len(teams) < depth:
            rankings = [("A", a), ("B", b)]
            for team, ranking in rankings if chance.coin() else rankings[::-1]:
                if len(teams) < depth:
                    teams[next(doc for doc in ranking if doc not in teams)] = team
        return Drawn(self.name, tuple(teams), {"team": tuple(teams.values())})

    @classmethod
    def credit(cls, record: Record, clicked: Docs, *, marginalised: bool = True) -> Credit:
        return _by_team(record, clicked)


def _by_team(record: Record, clicked: Docs) -> Credit:
    """Credit each click to the team of its document."""
    columns = zip(record.docs, record.columns["team"], strict=True)
    teams = [team for doc, team in columns if doc in clicked]
    return Credit(float(teams.count("A")), float(teams.count("B")))


_TAU = 3.0  # the decay of a document's probability with its rank, as in the paper


@method
@dataclass(frozen=True, kw_only=True)
class Probabilistic(Method):
    """Probabilistic interleaving: every place is drawn from a ranking that a coin picks.

    A ranking gives a document with a probability that decreases with its rank, so any document may
    be drawn. The same list may be drawn in many ways, and credit considers all of them: a click
    counts for both rankings, by their probabilities of giving the document. The credit of A is the
    probability that it has more of the clicks than B, over all ways to draw the list. With
    `marginalised=False` a click counts for the ranking that was drawn.

    >>> docs, record = Probabilistic(seed=2).interleave([*"xyz"], [*"yzx"], query_id="q1")
    >>> docs, record.columns["team"]
    (('x', 'y', 'z'), ('A', 'B', 'A'))
    >>> a, b = Probabilistic.credit(record, {"x"})
    >>> round(a, 3), round(b, 3)
    (0.964, 0.036)
    >>> Probabilistic.credit(record, {"x"}, marginalised=False)
    Credit(a=1.0, b=0.0)
    """

    name = "probabilistic"
    formula = (
        r"P_A(d) = \frac{r_A(d)^{-\tau}}{\sum_{d'} r_A(d')^{-\tau}}, \quad "
        r"P(A \mid d) = \frac{P_A(d)}{P_A(d) + P_B(d)}, \quad "
        r"c_A = P(n_A > n_B \mid \text{list}, \text{clicks})"
    )
    source = "Hofmann, Whiteson & de Rijke 2011, doi:10.1145/2063576.2063618"
    columns = {"team": "team", "share_a": "share"}

    tau: float = _TAU

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.tau <= 100:
            raise OptionError(f"tau={self.tau}: it is from 0 (random order) to 100 (that of ranks)")

    def draw(self, a: Sequence[str], b: Sequence[str], depth: int, chance: Chance) -> Drawn:
        # Each drawn document is removed from both rankings.
        weights = [{doc: rank**-self.tau for rank, doc in enumerate(of, start=1)} for of in (a, b)]
        teams: dict[str, RecordValue] = {}
        shares: list[RecordValue] = []
        for _ in range(depth):
            team = "A" if chance.coin() else "B"
            of = weights[0 if team == "A" else 1]
            doc = list(of)[chance.pick(list(of.values()))]
            by_a, by_b = (of.get(doc, 0.0) / sum(of.values()) for of in weights)
            for of in weights:
                of.pop(doc, None)
            teams[doc] = team
            shares.append(by_a / (by_a + by_b))
        columns = {"team": tuple(teams.values()), "share_a": tuple(shares)}
        return Drawn(self.name, tuple(teams), columns)

    @classmethod
    def fair_by_wins(cls, *, marginalised: bool = True) -> bool:
        return not marginalised

    @classmethod
    def credit(cls, record: Record, clicked: Docs, *, marginalised: bool = True) -> Credit:
        if not marginalised:
            return _by_team(record, clicked)
        shares = [
            float(share)
            for doc, share in zip(record.docs, record.columns["share_a"], strict=True)
            if doc in clicked and share is not None
        ]
        chances = _chances(shares)
        half = len(shares) / 2
        return Credit(
            sum(chance for clicks, chance in enumerate(chances) if clicks > half),
            sum(chance for clicks, chance in enumerate(chances) if clicks < half),
        )


def _chances(shares: Sequence[float]) -> list[float]:
    """Return the probabilities that A has 0, 1, 2, ... of the clicks.

    Given the list, the sources of documents are independent. So the paper's sum over all
    assignments, of which there are 2 to the number of clicks, becomes a sum over counts.
    """
    chances = [1.0]
    for share in shares:
        pairs = zip([*chances, 0.0], [0.0, *chances], strict=True)  # the click is B's, or A's
        chances = [(1 - share) * less + share * more for less, more in pairs]
    return chances


_CREDIT_FUNCTIONS: Mapping[str, Callable[[Floats], Floats]] = {
    "inverse": lambda rank: 1 / rank,
    "linear": lambda rank: -rank,
}
"""The credit of a ranking for a click on its document at a rank."""

_MOST_LISTS = 1024
"""The largest number of lists in the linear program: on a page of 10, all possible lists."""

_Pattern = tuple[int, ...]  # a ranking, with numbers in place of documents


@method
@dataclass(frozen=True, kw_only=True)
class Optimised(Method):
    """Optimised interleaving: the most sensitive of all fair ways to draw a list.

    A list may be shown if its documents, down to every place, are the first of A and the first of
    B. A click credits each ranking by its rank of the document; a document that it does not have
    counts as the one just below its last. A linear program finds the probability of each list. The
    expected credit of A and B is the same at every place, so a user who clicks at random prefers
    neither. Of all such solutions it chooses the one with the most uncertain winner, in bits, for
    users who click on place i in proportion to 1/i.

    If there are more than `lists` lists, that many are drawn, from the seed and the two rankings.
    If no probabilities are fair, the page is drawn by team-draft interleaving, and its record says
    so. If several solutions are best, the solver picks one, so a draw is repeatable only with the
    same release of scipy. Needs scipy.

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

    by: str = "inverse"  # or "linear": the credit by rank
    lists: int = _MOST_LISTS

    def __post_init__(self) -> None:
        super().__post_init__()
        check_word("by", self.by, _CREDIT_FUNCTIONS)
        if self.lists < 2:
            raise OptionError(f"lists={self.lists}: at least two lists are needed")

    def draw(self, a: Sequence[str], b: Sequence[str], depth: int, chance: Chance) -> Drawn:
        docs = list(dict.fromkeys((*a, *b)))
        number = {doc: place for place, doc in enumerate(docs)}
        patterns = [tuple(map(number.__getitem__, of)) for of in (a, b)]
        plan = _plan_lists(*patterns, depth, self.by, self.lists, self.seed)
        if plan is None:
            return TeamDraft(seed=self.seed).draw(a, b, depth, chance)
        chosen = plan.lists[chance.pick(plan.chances.tolist())]
        credits = {"credit_a": plan.credit_a, "credit_b": plan.credit_b}
        columns = {name: tuple(credit[chosen].tolist()) for name, credit in credits.items()}
        return Drawn(self.name, tuple(docs[place] for place in chosen), columns)

    @classmethod
    def fair_by_wins(cls, *, marginalised: bool = True) -> bool:
        return False  # many small credits may balance a few large ones

    @classmethod
    def credit(cls, record: Record, clicked: Docs, *, marginalised: bool = True) -> Credit:
        def total(name: str) -> float:
            noted = zip(record.docs, record.columns[name], strict=True)
            return sum((float(value or 0) for doc, value in noted if doc in clicked), start=0.0)

        return Credit(total("credit_a"), total("credit_b"))


@dataclass(frozen=True, eq=False)
class Plan:
    """The probability of each list, and the credit of each document."""

    lists: Ints  # lists x places: numbers of documents
    chances: Floats  # of each list
    credit_a: Floats  # of each document
    credit_b: Floats

    @property
    def expected(self) -> Floats:
        """A's expected credit for a click at each place, minus B's."""
        found: Floats = self.chances @ (self.credit_a - self.credit_b)[self.lists]
        return found


@lru_cache(maxsize=4096)  # queries repeat, and so do patterns of two rankings
def _plan_lists(
    a: _Pattern, b: _Pattern, depth: int, by: str, lists: int, seed: int
) -> Plan | None:
    """Return the best fair probabilities; None if no probabilities are fair."""
    if depth == 0:
        return Plan(np.zeros((1, 0), dtype=np.int64), np.ones(1), np.zeros(0), np.zeros(0))
    allowed = list(islice(_allowed(a, b, depth), lists + 1))
    if len(allowed) > lists:
        chance = Chance(seed, "lists", repr(a), repr(b))
        allowed = sorted({_one_allowed(a, b, depth, chance) for _ in range(lists)})
    found = np.array(allowed, dtype=np.int64)
    credit_a, credit_b = (_credit(of, len({*a, *b}), _CREDIT_FUNCTIONS[by]) for of in (a, b))
    difference = (credit_a - credit_b)[found]
    chances = _solved(difference, _sensitivity(difference))
    return None if chances is None else Plan(found, chances, credit_a, credit_b)


def _allowed(a: _Pattern, b: _Pattern, depth: int, start: _Pattern = ()) -> Iterator[_Pattern]:
    """Yield every list whose documents, down to every place, are the first of A and of B."""
    if len(start) == depth:
        yield start
        return
    for doc in _next(a, b, start):
        yield from _allowed(a, b, depth, (*start, doc))


def _one_allowed(a: _Pattern, b: _Pattern, depth: int, chance: Chance) -> _Pattern:
    start: _Pattern = ()
    while len(start) < depth:
        choices = _next(a, b, start)
        start = (*start, choices[0 if chance.coin() else -1])
    return start


def _next(a: _Pattern, b: _Pattern, start: _Pattern) -> _Pattern:
    """Return the best remaining documents of A and B, which may be the same."""
    return tuple(dict.fromkeys(next(doc for doc in of if doc not in start) for of in (a, b)))


def _credit(ranking: _Pattern, docs: int, by: Callable[[Floats], Floats]) -> Floats:
    rank = np.full(docs, len(ranking) + 1.0)
    rank[list(ranking)] = np.arange(1.0, len(ranking) + 1)
    return by(rank)


def _sensitivity(difference: Floats) -> Floats:
    """Return the entropy of the winner of each list, for one click on place i with weight 1/i."""
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
    """Return the probabilities that are fair at every place, and most sensitive."""
    fair = np.vstack([np.ones(len(difference)), difference.T])
    wanted = np.zeros(len(fair))
    wanted[0] = 1
    optimize = require("scipy.optimize", "optimised interleaving", extra="stats")
    solution = optimize.linprog(-sensitivity, A_eq=fair, b_eq=wanted, bounds=(0, 1), method="highs")
    if solution.status == _INFEASIBLE or solution.x is None:
        return None
    chances: Floats = np.maximum(solution.x, 0)
    chances /= chances.sum()
    # Solvers have tolerances; accept only rounding errors.
    return chances if np.abs(chances @ difference).max() <= 1e-9 else None


_INFEASIBLE = 2  # the status of scipy for a linear program without a solution

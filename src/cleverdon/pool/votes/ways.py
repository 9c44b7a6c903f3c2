"""The ways in which votes are counted, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.errors import OptionError, check_count, check_seed, check_word
from cleverdon.measures.base import Measure
from cleverdon.measures.notation import parse
from cleverdon.pool.contributions import Contributions, gather
from cleverdon.pool.votes import pseudo
from cleverdon.pool.votes.order import Votes
from cleverdon.pool.votes.references import references
from cleverdon.pool.votes.turnout import turnout

_WU = "Wu & Crestani 2003, doi:10.1145/952532.952693"
_SOBOROFF = "Soboroff, Nicholas & Cahan 2001, doi:10.1145/383952.383961"

Progress = Callable[[int, int], object]
"""Is told how much is done, and of how much."""
Counted = tuple[Floats, Floats | None]
"""Systems x topics; and trials x systems, where there are trials."""


@dataclass(frozen=True)
class Ballot:
    """How votes are counted; what a way has no use for, it passes over.

    The share of relevant documents that pools of depth 100 at TREC had was some 5 to 10 percent,
    and varied between topics by about as much.
    """

    depth: int = 100  # how many results of each system vote, or are pooled
    measure: str | Measure = "AP"  # by which pseudo-judgments are scored
    share: float = 0.06  # of a topic's pool, how much is taken for relevant
    deviation: float = 0.06  # how much that varies between topics: a standard deviation
    trials: int = 50
    seed: int = 0

    def __post_init__(self) -> None:
        check_count("depth", self.depth)
        check_count("trials", self.trials)
        check_seed(self.seed)
        if not 0 < _number(self.share) <= 1:
            raise OptionError(f"share={self.share!r}: expected a number above 0, and 1 at most")
        if not 0 <= _number(self.deviation) < np.inf:
            raise OptionError(f"deviation={self.deviation!r}: expected a number from 0 on")


def _number(value: object) -> float:
    """The value, or NaN, which is within no bounds, where it is no number."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if number else float("nan")  # type: ignore[arg-type]


@dataclass(frozen=True)
class Way:
    """A way in which votes are counted."""

    name: str
    summary: str
    source: str
    count: Callable[[Contributions, Ballot, Progress], Counted]


def votes(
    runs: Any, way: str = "references", *, progress: Progress | None = None, **options: Any
) -> Votes:
    """Rank systems by taking their results as votes on what is relevant.

    `runs` are as `gather` takes them, or what it gave; `way` is one of `WAYS`, and the options are
    the fields of `Ballot`.

    >>> runs = {
    ...     "a": {"q": {"x": 3, "y": 2, "z": 1}},
    ...     "b": {"q": {"x": 3, "z": 2, "w": 1}},
    ...     "c": {"q": {"u": 3, "v": 2, "x": 1}},
    ... }
    >>> found = votes(runs, "references", depth=3)
    >>> found.order, found.scores["a"]
    (('a', 'b', 'c'), 0.5)
    """
    check_word("way", way, WAYS)
    known = [field.name for field in fields(Ballot)]
    for option in options:
        check_word("option", option, known)
    ballot = Ballot(**options)
    found = runs if isinstance(runs, Contributions) else gather(runs)
    if found.depth is not None and found.depth < ballot.depth:
        raise OptionError(
            f"depth={ballot.depth}, but only the first {found.depth} results were gathered"
        )
    turnout(found)  # an error, where nobody votes on anybody
    counted, by_trial = WAYS[way].count(found, ballot, progress or (lambda done, total: None))
    return Votes(way, found.systems, found.topics, counted, by_trial)


def _references(
    found: Contributions, ballot: Ballot, progress: Progress, *, own: str, theirs: str
) -> Counted:
    return references(found, depth=ballot.depth, own=own, theirs=theirs), None


def _drawn(
    found: Contributions, ballot: Ballot, progress: Progress, *, duplicates: bool
) -> Counted:
    scored = pseudo.scorer(found, _measure(ballot))
    trials = pseudo.drawn(
        pseudo.DepthPool.of(found, ballot.depth),
        duplicates=duplicates,
        share=ballot.share,
        deviation=ballot.deviation,
        trials=ballot.trials,
        seed=ballot.seed,
    )
    total = np.zeros((len(found.contributors), len(found.topics)))
    by_trial = np.empty((ballot.trials, len(found.contributors)))
    for number, docs in enumerate(trials):
        values = scored(docs)
        total += values
        by_trial[number] = values.mean(axis=1)
        progress(number + 1, ballot.trials)
    return total / ballot.trials, by_trial


def _highest(found: Contributions, ballot: Ballot, progress: Progress) -> Counted:
    pool = pseudo.DepthPool.of(found, ballot.depth)
    scored = pseudo.scorer(found, _measure(ballot))
    return scored(pseudo.highest(pool, share=ballot.share)), None


def _measure(ballot: Ballot) -> Measure:
    return ballot.measure if isinstance(ballot.measure, Measure) else parse(ballot.measure)


def _counting(own: str, theirs: str) -> Callable[[Contributions, Ballot, Progress], Counted]:
    return partial(_references, own=own, theirs=theirs)


WAYS: dict[str, Way] = {
    way.name: way
    for way in (
        Way(
            "soboroff",
            "documents drawn at random from the pool are relevant",
            _SOBOROFF,
            partial(_drawn, duplicates=False),
        ),
        Way(
            "soboroff-duplicates",
            "documents drawn, where each lies as often as systems returned it, are relevant",
            _SOBOROFF,
            partial(_drawn, duplicates=True),
        ),
        Way(
            "references",
            "how many other systems returned what a system returned",
            _WU,
            _counting("equal", "equal"),
        ),
        Way(
            "references-own-rank",
            "how many other systems returned it, each result weighing by its own rank",
            _WU,
            _counting("rank", "equal"),
        ),
        Way(
            "references-their-rank",
            "how many other systems returned it, each weighing by the rank it gives",
            _WU,
            _counting("equal", "rank"),
        ),
        Way(
            "references-both-ranks",
            "how many other systems returned it, weighing by its own rank and theirs",
            _WU,
            _counting("rank", "rank"),
        ),
        Way(
            "references-both-scores",
            "how many other systems returned it, weighing by scores, its own and theirs",
            _WU,
            _counting("score", "score"),
        ),
        Way(
            "rank-position",
            "what the systems together rank highest (sum of 1 / rank) is relevant",
            "Nuray & Can 2006, Information Processing & Management 42(3)",
            _highest,
        ),
    )
}
"""Every way, by its name."""

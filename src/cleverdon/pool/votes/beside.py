"""Orders by votes beside the judged one: how alike they are, and which systems are misplaced."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil

from cleverdon.aggregate import average
from cleverdon.compare.orderings import RESAMPLES, Agreement, Comparing, agreements_with
from cleverdon.compare.samples import samples
from cleverdon.errors import OptionError
from cleverdon.measures.base import Measure
from cleverdon.pool.votes.order import Votes, ordering
from cleverdon.rankings import middle, ranking
from cleverdon.scores import Scores


@dataclass(frozen=True)
class Place:
    """Where a system stands in the two orders; tied systems share their mean rank."""

    system: str
    judged: float
    voted: float

    @property
    def lost(self) -> float:
        """How many ranks lower it stands by votes than by judgments; below 0, how many higher."""
        return self.voted - self.judged


@dataclass(frozen=True, eq=False)
class Beside:
    """An order by votes, and the judged order of the same systems on the same topics."""

    votes: Votes
    measure: Measure
    judged: dict[str, float]  # each system's average by the judgments
    places: tuple[Place, ...]  # the best by judgments first
    agreement: Agreement
    left_out: int  # topics without judgments, on which systems voted in vain

    @property
    def misplaced(self) -> list[Place]:
        """Those that stand elsewhere by votes, the furthest first."""
        moved = [place for place in self.places if place.lost]
        return sorted(moved, key=lambda place: (-abs(place.lost), place.judged, place.system))

    @property
    def best_missed(self) -> Place | None:
        """The system that is best by judgments, if votes do not see it among the first tenth.

        Of few systems, among the first three, or among the upper half if that is fewer.
        """
        best, systems = self.places[0], len(self.places)
        few = systems < 3  # two systems have the same votes, near enough
        near = max(ceil(systems / 10), min(3, ceil(systems / 2)))
        return None if few or best.voted < near + 1 else best


def beside(
    counted: Iterable[Votes],
    scores: Scores,
    *,
    measure: str | Measure | None = None,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[Beside]:
    """Each order by votes beside the order by judgments, on the topics that both have.

    `scores` are of the same systems, by `evaluate`; `measure` is the one of them that orders, if
    there are several. Intervals are a bootstrap's over topics, the same ones for votes and
    judgments. tau-AP takes the judged order for the truth.
    """
    given = list(counted)
    if not given:
        return []
    if measure is None and len(scores.measures) > 1:
        named = ", ".join(map(str, scores.measures))
        raise OptionError(f"there are several measures, {named}: say by which systems are ordered")
    systems = given[0].systems
    (sample,) = samples(scores, measures=None if measure is None else [measure], systems=systems)
    voted = set(given[0].topics)
    shared = [at for at, topic in enumerate(sample.topics) if topic in voted]
    if not shared:
        raise OptionError(
            f"no topic has both votes and judgments: runs have {given[0].topics[0]!r}, the "
            f"judgments {sample.topics[0]!r}"
        )
    topics = [sample.topics[at] for at in shared]
    on_shared = [votes.on(topics) for votes in given]
    found = agreements_with(
        (str(sample.measure), sample.merits[:, shared]),
        {votes.way: votes.values for votes in on_shared},
        systems,
        Comparing(symmetric=False, confidence=confidence, resamples=resamples, seed=seed),
    )
    judged = {system: average(sample.measure, sample.of(system)[shared]) for system in systems}
    judged_ranks = ranks(ordering(systems, sample.merits[:, shared]))
    return [
        Beside(
            votes,
            sample.measure,
            judged,
            _places(judged_ranks, ranks(votes.scores)),
            agreement,
            len(given[0].topics) - len(shared),
        )
        for votes, agreement in zip(on_shared, found, strict=True)
    ]


def ranks(scores: dict[str, float]) -> dict[str, float]:
    """Each system's rank, the highest score first; equal ones share their mean rank.

    >>> ranks({"a": 0.2, "b": 0.9, "c": 0.2})
    {'b': 1.0, 'a': 2.5, 'c': 2.5}
    """
    ordered = ranking(scores)
    return dict(zip(ordered.items, middle(ordered.first).tolist(), strict=True))


def _places(judged: dict[str, float], voted: dict[str, float]) -> tuple[Place, ...]:
    return tuple(Place(system, rank, voted[system]) for system, rank in judged.items())

"""Click models once more, in plain Python: list by list, and by going through every case.

Nothing is shared with Cleverdon's own. For models of users who go down the list, every way in which
a user may have read it is listed, with its probability; EM then only sums these up.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from math import log, prod

List = tuple[str, list[str], list[bool]]
"""A query, its documents, and which of them were clicked."""

Way = tuple[tuple[bool, bool, bool], ...]
"""For each result: whether it was examined, clicked, and satisfied."""


def ways(
    attraction: list[float], satisfaction: list[float], going_on: float
) -> Iterator[tuple[Way, float]]:
    """Every way to read a list, and how likely it is."""

    def further(at: int, so_far: Way, chance: float) -> Iterator[tuple[Way, float]]:
        if at == len(attraction):
            yield so_far, chance
            return
        a, s = attraction[at], satisfaction[at]
        for clicked, satisfied, p in (
            (False, False, 1 - a),
            (True, False, a * (1 - s)),
            (True, True, a * s),
        ):
            here = (*so_far, (True, clicked, satisfied))
            left = len(attraction) - len(here)
            stopped = (*here, *[(False, False, False)] * left)
            if satisfied or left == 0:
                yield stopped, chance * p
                continue
            yield stopped, chance * p * (1 - going_on)
            yield from further(at + 1, here, chance * p * going_on)

    yield from further(0, (), 1.0)


def clicks_in(way: Way) -> list[bool]:
    return [clicked for _, clicked, _ in way]


def chance_of(
    clicked: list[bool], attraction: list[float], satisfaction: list[float], going_on: float
) -> float:
    """How likely just these results are clicked."""
    every = ways(attraction, satisfaction, going_on)
    return sum(p for way, p in every if clicks_in(way) == clicked)


class Going:
    """A user who goes down the list; satisfaction of each pair, or of each rank."""

    def __init__(self, lists: list[List], *, by: str, going_on: float | None) -> None:
        self.lists, self.by = lists, by
        self.free = going_on is None
        self.going_on = 0.5 if going_on is None else going_on
        self.attraction: dict[tuple[str, str], float] = {}
        self.satisfaction: dict[object, float] = {}

    def start(self, attraction: float) -> None:
        self.attraction = defaultdict(lambda: attraction)
        self.satisfaction = defaultdict(lambda: 0.5)

    def key(self, query: str, doc: str, rank: int) -> object:
        return (query, doc) if self.by == "pair" else rank

    def of(self, one: List) -> tuple[list[float], list[float], float]:
        query, docs, _ = one
        return (
            [self.attraction[query, doc] for doc in docs],
            [self.satisfaction[self.key(query, doc, at)] for at, doc in enumerate(docs)],
            self.going_on,
        )

    def step(self, prior: tuple[float, float], others: tuple[float, float]) -> None:
        """One iteration of EM."""
        attracts: dict[object, list[float]] = defaultdict(lambda: list(prior))
        satisfies: dict[object, list[float]] = defaultdict(lambda: list(others))
        goes = list(others)
        for query, docs, clicked in self.lists:
            every = [
                (way, p)
                for way, p in ways(*self.of((query, docs, clicked)))
                if clicks_in(way) == clicked
            ]
            total = sum(p for _, p in every)
            for way, p in every:
                weight = p / total
                for at, (examined, click, satisfied) in enumerate(way):
                    if examined:
                        attracts[query, docs[at]][0 if click else 1] += weight
                    if at + 1 == len(docs):
                        continue  # what comes after the last result, nobody can see
                    if click:
                        key = self.key(query, docs[at], at)
                        satisfies[key][0 if satisfied else 1] += weight
                    if examined and not satisfied:
                        goes[0 if way[at + 1][0] else 1] += weight
        share = lambda pair: pair[0] / (pair[0] + pair[1])  # noqa: E731
        self.attraction.update({key: share(pair) for key, pair in attracts.items()})  # type: ignore[misc]
        self.satisfaction.update({key: share(pair) for key, pair in satisfies.items()})
        if self.free:
            self.going_on = share(goes)

    def log_likelihood(self) -> float:
        return sum(log(chance_of(one[2], *self.of(one))) for one in self.lists)

    def marginal(self, one: List) -> list[float]:
        """How likely each result is clicked, whatever else is."""
        found = [0.0] * len(one[1])
        for way, p in ways(*self.of(one)):
            for at, clicked in enumerate(clicks_in(way)):
                found[at] += p * clicked
        return found


class Browsing:
    """Examination by rank, or by rank and the rank of the last click."""

    def __init__(self, lists: list[List], *, by_last: bool, anchored: bool) -> None:
        self.lists, self.by_last, self.anchored = lists, by_last, anchored
        self.attraction: dict[tuple[str, str], float] = {}
        self.examination: dict[tuple[int, int], float] = {}

    def start(self, attraction: float) -> None:
        self.attraction = defaultdict(lambda: attraction)
        self.examination = defaultdict(lambda: 0.5)
        if self.anchored:
            self.examination[1, 0] = 1.0

    def cells(self, clicked: list[bool]) -> list[tuple[int, int]]:
        found, last = [], 0
        for rank, click in enumerate(clicked, start=1):
            found.append((rank, last if self.by_last else 0))
            last = rank if click else last
        return found

    def step(self, prior: tuple[float, float], others: tuple[float, float]) -> None:
        attracts: dict[tuple[str, str], list[float]] = defaultdict(lambda: list(prior))
        examines: dict[tuple[int, int], list[float]] = defaultdict(lambda: list(others))
        for query, docs, clicked in self.lists:
            for doc, click, cell in zip(docs, clicked, self.cells(clicked), strict=True):
                a, e = self.attraction[query, doc], self.examination[cell]
                looked = 1.0 if click else e * (1 - a) / (1 - a * e)
                examines[cell][0] += looked
                examines[cell][1] += 1 - looked
                attracts[query, doc][0 if click else 1] += looked
        self.attraction.update({key: yes / (yes + no) for key, (yes, no) in attracts.items()})
        self.examination.update({key: yes / (yes + no) for key, (yes, no) in examines.items()})
        if self.anchored:
            self.examination[1, 0] = 1.0

    def chances(self, one: List, clicked: list[bool]) -> list[float]:
        """How likely each result is clicked, given which of those above it are."""
        query, docs, _ = one
        cells = self.cells(clicked)
        return [
            self.attraction[query, doc] * self.examination[cell]
            for doc, cell in zip(docs, cells, strict=True)
        ]

    def log_likelihood(self) -> float:
        return sum(log(self.chance_of(one, one[2])) for one in self.lists)

    def chance_of(self, one: List, clicked: list[bool]) -> float:
        chances = self.chances(one, clicked)
        return prod(p if c else 1 - p for p, c in zip(chances, clicked, strict=True))

    def marginal(self, one: List) -> list[float]:
        found = [0.0] * len(one[1])
        for clicked in product([False, True], repeat=len(found)):
            p = self.chance_of(one, list(clicked))
            for at, click in enumerate(clicked):
                found[at] += p * click
        return found

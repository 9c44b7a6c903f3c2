"""Every way in which chance can go: the exact distribution of what a method draws."""

from __future__ import annotations

from collections.abc import Sequence

from cleverdon.logs.interleaving.base import Chance, Drawn, Method, Record


class Scripted(Chance):
    """Chance that follows a path of choices, and notes how likely each was."""

    def __init__(self, path: Sequence[int]) -> None:
        super().__init__(0)
        self.path = list(path)
        self.taken: list[list[float]] = []

    def _choose(self, shares: list[float]) -> int:
        if len(self.taken) == len(self.path):
            self.path.append(_possible(shares, 0)[0])
        self.taken.append(shares)
        return self.path[len(self.taken) - 1]

    def coin(self) -> bool:
        return self._choose([0.5, 0.5]) == 0

    def pick(self, weights: Sequence[float]) -> int:
        return self._choose([weight / sum(weights) for weight in weights])

    @property
    def likelihood(self) -> float:
        found = 1.0
        for choice, shares in zip(self.path, self.taken, strict=True):
            found *= shares[choice]
        return found


def _possible(shares: list[float], start: int) -> list[int]:
    return [place for place in range(start, len(shares)) if shares[place] > 0]


def distribution(
    method: Method, a: Sequence[str], b: Sequence[str], depth: int
) -> list[tuple[Drawn, float]]:
    """Whatever a method can draw, each with its probability."""
    found = []
    path: list[int] = []
    while True:
        chance = Scripted(path)
        drawn = method.draw(a, b, depth, chance)
        found.append((drawn, chance.likelihood))
        path = chance.path
        while path:
            others = _possible(chance.taken[len(path) - 1], path[-1] + 1)
            if others:
                path[-1] = others[0]
                break
            path.pop()
        if not path:
            return found


def record_of(drawn: Drawn, query_id: str = "q") -> Record:
    return Record(query_id, drawn.method, 0, drawn.docs, drawn.columns)

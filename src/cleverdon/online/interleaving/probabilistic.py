"""Probabilistic interleaving."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from cleverdon.errors import OptionError
from cleverdon.online.interleaving.chance import Chance
from cleverdon.online.interleaving.methods import Credit, Drawn, Method, method
from cleverdon.online.interleaving.records import Record, Value
from cleverdon.online.interleaving.team_draft import by_team

TAU = 3.0
"""How fast the chance of a document falls with its rank, as in the paper."""


@method
@dataclass(frozen=True, kw_only=True)
class Probabilistic(Method):
    """Probabilistic interleaving: every place is drawn, from a ranking that a coin picks.

    A ranking gives a document with a chance that falls with its rank, softly, so that any document
    may come up. The same list may come about in many ways, and credit need not rest on the one that
    did: a click counts for both rankings, by how likely each of them gave the document. What A gets
    is how likely it has more of the clicks than B, over all ways in which the list could have come
    about. With `marginalised=False` a click counts for the ranking that was drawn.

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

    tau: float = TAU

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.tau <= 100:
            raise OptionError(f"tau={self.tau}: it is from 0, any order, to 100, the ranking's own")

    def draw(self, a: Sequence[str], b: Sequence[str], depth: int, chance: Chance) -> Drawn:
        # One document after the other is taken out of both.
        weights = [{doc: rank**-self.tau for rank, doc in enumerate(of, start=1)} for of in (a, b)]
        docs: list[str] = []
        teams: list[Value] = []
        shares: list[Value] = []
        for _ in range(depth):
            team = "A" if chance.coin() else "B"
            of = weights[0 if team == "A" else 1]
            doc = list(of)[chance.pick(list(of.values()))]
            by_a, by_b = (of.get(doc, 0.0) / sum(of.values()) for of in weights)
            for of in weights:
                of.pop(doc, None)
            docs.append(doc)
            teams.append(team)
            shares.append(by_a / (by_a + by_b))
        return Drawn(self.name, tuple(docs), {"team": tuple(teams), "share_a": tuple(shares)})

    @classmethod
    def fair_by_wins(cls, *, marginalised: bool = True) -> bool:
        return not marginalised

    @classmethod
    def credit(
        cls, record: Record, clicked: Collection[str], *, marginalised: bool = True
    ) -> Credit:
        if not marginalised:
            return by_team(record, clicked)
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
    """How likely A has 0, 1, 2 and more of the clicks, each being A's with its own chance.

    Given the list, who gave a document does not depend on who gave the others. So the paper's sum
    over all assignments, of which there are 2 to the number of clicks, is one over counts.
    """
    chances = [1.0]
    for share in shares:
        without, with_it = [*chances, 0.0], [0.0, *chances]
        chances = [
            (1 - share) * less + share * more for less, more in zip(without, with_it, strict=True)
        ]
    return chances

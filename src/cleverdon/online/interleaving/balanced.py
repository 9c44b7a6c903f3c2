"""Balanced interleaving."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from cleverdon.online.interleaving.chance import Chance
from cleverdon.online.interleaving.methods import Credit, Drawn, Method, method
from cleverdon.online.interleaving.records import Record, Value


@method
class Balanced(Method):
    """Balanced interleaving: down to every place, about as many of the best of either ranking.

    A coin says once which ranking goes first; then they take turns, and a document that is there
    already is passed over. Let k be the better of the two ranks of the lowest document that was
    clicked: each ranking is credited with the clicks on its own first k.

    It is not fair to all pairs of rankings. With A = x, y, z and B = y, z, x, users who click on
    one of the three at random prefer B two times out of three: whichever goes first, y and z stand
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
        "balanced interleaving can prefer one of two rankings though users click at random, as "
        "where one of them is the other with its first document moved down; team-draft "
        "interleaving does not"
    )

    def draw(self, a: Sequence[str], b: Sequence[str], depth: int, chance: Chance) -> Drawn:
        order = (a, b) if chance.coin() else (b, a)
        turns = (ranking[rank] for rank in range(depth) for ranking in order)
        docs = tuple(dict.fromkeys(turns))[:depth]
        ranks = [{doc: rank for rank, doc in enumerate(of, start=1)} for of in (a, b)]
        rank_a, rank_b = (tuple(of.get(doc) for doc in docs) for of in ranks)
        return Drawn(self.name, docs, {"rank_a": rank_a, "rank_b": rank_b})

    @classmethod
    def credit(
        cls, record: Record, clicked: Collection[str], *, marginalised: bool = True
    ) -> Credit:
        ranks = [
            (_rank(rank_a), _rank(rank_b))
            for doc, rank_a, rank_b in zip(
                record.docs, record.columns["rank_a"], record.columns["rank_b"], strict=True
            )
            if doc in clicked and (rank_a is not None or rank_b is not None)
        ]
        if not ranks:
            return Credit(0.0, 0.0)
        k = min(ranks[-1])
        return Credit(*(float(sum(rank <= k for rank in of)) for of in zip(*ranks, strict=True)))


def _rank(noted: Value) -> float:
    return float("inf") if noted is None else float(noted)

"""Team-draft interleaving."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from cleverdon.online.interleaving.chance import Chance
from cleverdon.online.interleaving.methods import Credit, Drawn, Method, left, method
from cleverdon.online.interleaving.records import Record


@method
class TeamDraft(Method):
    """Team-draft interleaving: captains take turns to pick the best document that is left.

    In every round a coin says who picks first. A click counts for the ranking that picked the
    document. At every place either ranking is as likely to have picked, so users who click at
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
                    teams[left(ranking, teams)] = team
        return Drawn(self.name, tuple(teams), {"team": tuple(teams.values())})

    @classmethod
    def credit(
        cls, record: Record, clicked: Collection[str], *, marginalised: bool = True
    ) -> Credit:
        return by_team(record, clicked)


def by_team(record: Record, clicked: Collection[str]) -> Credit:
    """A click for the team that a document is in."""
    teams = [
        team
        for doc, team in zip(record.docs, record.columns["team"], strict=True)
        if doc in clicked
    ]
    return Credit(float(teams.count("A")), float(teams.count("B")))

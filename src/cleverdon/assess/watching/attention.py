"""Gold documents: how often each person gave them the grade that is known to be right."""

from __future__ import annotations

from dataclasses import dataclass

from cleverdon.assess.watching.facts import Facts
from cleverdon.assess.watching.measured import Measured, of_share

LIMIT = 0.7
"""The share of gold documents below which somebody is asked about: if the interval is below it."""
_NONE = "no gold document was judged yet"


@dataclass(frozen=True)
class Attention:
    """One person and the gold documents that the person judged."""

    judge: str
    documents: int
    right: Measured  # the share that got the known grade, with Wilson's interval
    side: Measured  # the share on the right side of the line between relevant and not

    @property
    def low(self) -> bool:
        """Whether even the upper end of the interval is below the limit."""
        return self.right.high is not None and self.right.high < LIMIT


def attention(facts: Facts) -> tuple[Attention, ...]:
    """Everybody who judges; nobody where the project has no gold documents."""
    gold = {item.id: item.gold for item in facts.items if item.gold is not None}
    if not gold:
        return ()
    line = facts.scale.relevant
    given: dict[str, list[tuple[int, int]]] = {judge: [] for judge in facts.people}
    for row in facts.human:
        if row.item in gold:
            given[row.judge].append((row.grade, gold[row.item]))
    return tuple(
        Attention(
            judge,
            len(pairs),
            of_share(sum(own == known for own, known in pairs), len(pairs), why=_NONE),
            of_share(
                sum((own >= line) == (known >= line) for own, known in pairs), len(pairs), why=_NONE
            ),
        )
        for judge, pairs in given.items()
    )

"""What each round of judging brought: the yield curve of a probe."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cleverdon.annotations import Grades


@dataclass(frozen=True)
class Round:
    """What was newly judged in one round, by query."""

    number: int  # from 0, which is what was judged before there was a probe
    documents: dict[str, int]
    relevant: dict[str, int]

    @property
    def judged(self) -> int:
        """New documents, over all queries."""
        return sum(self.documents.values())

    @property
    def found(self) -> int:
        """New relevant documents, over all queries."""
        return sum(self.relevant.values())

    @property
    def share(self) -> float:
        """How much of what was judged is relevant; NaN where nothing was judged."""
        return self.found / self.judged if self.judged else float("nan")


def rounds(judged: Iterable[Grades], *, rel: float = 1) -> list[Round]:
    """The yield of judgments that were made one after the other, a round each.

    A document that an earlier round has counts there only.

    >>> first, second = rounds([{"q1": {"a": 1, "b": 0}}, {"q1": {"a": 1, "c": 2}}])
    >>> second.judged, second.found, second.share
    (1, 1, 1.0)
    """
    seen: set[tuple[str, str]] = set()
    made = []
    for number, grades in enumerate(judged):
        documents: dict[str, int] = {}
        relevant: dict[str, int] = {}
        for query, of_query in grades.items():
            new = {
                doc: grade
                for doc, grade in of_query.items()
                if grade >= 0 and (query, doc) not in seen
            }
            seen.update((query, doc) for doc in new)
            if new:
                documents[query] = len(new)
                relevant[query] = sum(grade >= rel for grade in new.values())
        made.append(Round(number, documents, relevant))
    return made

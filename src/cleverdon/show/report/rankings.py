"""What each system returned for each topic, as far as a reader wants to see it.

The first results in full, and below them those that somebody judged. Ids stand in one list, and
rows point into it: each document is returned by many systems.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cleverdon.data import Judgments
from cleverdon.hits import Hits
from cleverdon.read.texts import Text
from cleverdon.scores import Scores

_BELOW = 20
"""How many judged results are shown below those that were kept."""
_WITH_TEXT = 10
"""How many results of each ranking are shown with their text, judged or not."""
_REL = 1
"""The lowest grade that counts as relevant where precision and recall are drawn."""
_NOT_RETURNED = 50
"""How many relevant documents are listed for a topic."""


@dataclass
class _Numbers:
    """Each id's place in a list that grows."""

    of: dict[str, int] = field(default_factory=dict)

    def __call__(self, name: str) -> int:
        return self.of.setdefault(name, len(self.of))


def ranking_data(scores: Scores) -> dict[str, Any]:
    """For each topic and system, rows of rank, document and grade; None is not judged.

    A topic has its relevant documents as well, the best first, so that a page can say which of
    them a system did not return; and a system the ranks of all that it found.
    """
    kept = scores.ranked()
    number = _Numbers()
    topics = []
    for q, query in enumerate(scores.queries):
        grades = kept.judgments[query]
        relevant = _relevant(grades)
        topics.append(
            {
                "judged": sum(grade >= 0 for grade in grades.values()),
                "relevant": [[number(doc), grade] for doc, grade in relevant[:_NOT_RETURNED]],
                "of": sum(grade >= _REL for _, grade in relevant),
                "systems": [
                    _of_system(scores, system, q, grades, kept.judgments, kept.hits[system], number)
                    for system in scores.systems
                ],
            }
        )
    return {"documents": list(number.of), "topics": topics}


def _relevant(grades: Mapping[str, float]) -> list[tuple[str, float]]:
    """The relevant documents, the best first."""
    relevant = [(doc, grade) for doc, grade in grades.items() if grade > 0]
    return sorted(relevant, key=lambda pair: (-pair[1], pair[0]))


def _of_system(
    scores: Scores,
    system: str,
    q: int,
    grades: Mapping[str, float],
    judgments: Judgments,
    hits: Hits,
    number: _Numbers,
) -> dict[str, Any]:
    first, last = hits.starts[q : q + 2]
    start, stop = (int(at) for at in judgments.core.starts[q : q + 2])
    names = judgments.core.docs(start, stop)
    judged = {
        int(rank): names[int(doc) - start]
        for rank, doc in zip(hits.rank[first:last], hits.doc[first:last], strict=True)
        if doc >= 0
    }
    # Ties may have been put into another order than that in which the results were kept: those that
    # somebody judged stand where they counted, and the others fill the ranks between.
    top = [doc for doc, _ in scores.top[system][q]] if system in scores.top else []
    others = iter([doc for doc in top if doc not in grades])
    rows = []
    for rank in range(1, len(top) + 1):
        doc = judged[rank] if rank in judged else next(others, None)
        if doc is not None:
            rows.append([rank, number(doc), grades.get(doc)])
    below = [rank for rank in judged if rank > len(top)]
    rows += [[rank, number(judged[rank]), grades[judged[rank]]] for rank in below[:_BELOW]]
    return {
        "rows": rows,
        "returned": int(hits.returned[q]),
        "more": max(0, len(below) - _BELOW),
        "found": [int(rank) for rank in hits.rank[first:last][hits.grade[first:last] >= _REL]],
        "missing": sum(grade > 0 for grade in grades.values())
        - int((hits.grade[first:last] > 0).sum()),
    }


def shown_documents(scores: Scores) -> set[str]:
    """The documents whose text a reader may want: relevant ones, and what stands at the top."""
    judgments = scores.ranked().judgments
    wanted = {
        doc
        for query in scores.queries
        for doc, grade in _relevant(judgments[query])[:_NOT_RETURNED]
    }
    for of_system in scores.top.values():
        wanted |= {doc for results in of_system for doc, _ in results[:_WITH_TEXT]}
    return wanted


def document_texts(
    data: Mapping[str, Any], texts: Mapping[str, Text], *, limit: int
) -> dict[str, list[str]]:
    """Titles and the beginnings of texts, by a document's place in the list of ids."""
    found = {}
    for at, name in enumerate(data["documents"]):
        if name in texts:
            text = texts[name]
            found[str(at)] = [_begin(text.title, limit), _begin(text.text, limit)]
    return found


def _begin(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"

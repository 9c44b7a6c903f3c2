"""Rankings of an engine as a run has them, where a score alone says where a document stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from cleverdon.engine.protocol import Results
from cleverdon.errors import check_word

SCORES = {
    "engine": "those of the engine",
    "rank": "falling by rank, so that the engine's own order is what is evaluated",
}
"""What stands as a document's score."""

_REMEDY = "scores='rank' (--scores rank) keeps the engine's own order"


@dataclass(frozen=True)
class Order:
    """What was found in the rankings that a run cannot hold, or holds otherwise."""

    repeated: Mapping[str, int]  # by query, how many results were documents that stood above
    rising: tuple[str, ...]  # queries with a score above that of the result before
    tied: tuple[str, ...]  # others, whose equal scores stand otherwise than Cleverdon reads them

    @property
    def repeated_text(self) -> str:
        """That documents were returned twice; empty where none was."""
        if not self.repeated:
            return ""
        total = sum(self.repeated.values())
        what = "1 result was a document" if total == 1 else f"{total:,} results were documents"
        return (
            f"{_queries(self.repeated)}: {what} that stood above already "
            "(chunks of one document?); the first of each is kept"
        )

    @property
    def rising_text(self) -> str:
        """That scores do not fall; empty where they do."""
        if not self.rising:
            return ""
        return (
            f"{_queries(self.rising)}: results are not in the order of their scores, by which "
            f"Cleverdon evaluates; {_REMEDY}"
        )

    @property
    def tied_text(self) -> str:
        """That equal scores will be read in another order; empty where none are."""
        if not self.tied:
            return ""
        return (
            f"{_queries(self.tied)}: equal scores, which Cleverdon reads in the order of ids; "
            f"{_REMEDY}"
        )


def ordered(found: Mapping[str, Results], scores: str) -> tuple[dict[str, dict[str, float]], Order]:
    """Query to document to score, each document once; and what was odd.

    >>> rows, order = ordered({"q1": [("d1", 1.0), ("d2", 3.0), ("d1", 0.5)]}, "rank")
    >>> rows, order.rising, order.repeated
    ({'q1': {'d1': 2.0, 'd2': 1.0}}, ('q1',), {'q1': 1})
    """
    check_word("scores", scores, SCORES)
    rows: dict[str, dict[str, float]] = {}
    repeated: dict[str, int] = {}
    rising, tied = [], []
    for query, results in found.items():
        first: dict[str, float] = {}
        for doc, score in results:
            first.setdefault(doc, score)
        if len(first) < len(results):
            repeated[query] = len(results) - len(first)
        values = list(first.values())
        if any(after > before for before, after in pairwise(values)):
            rising.append(query)
        elif list(first) != _as_read(first):
            tied.append(query)
        if scores == "rank":
            first = {doc: float(len(first) - place) for place, doc in enumerate(first)}
        rows[query] = first
    return rows, Order(repeated, tuple(rising), tuple(tied))


def _as_read(scores: Mapping[str, float]) -> list[str]:
    """The documents as `Run.ranking` has them."""
    return sorted(scores, key=lambda doc: (scores[doc], doc.encode()), reverse=True)


def _queries(queries: Iterable[str]) -> str:
    """How many, and the first of them."""
    first, *others = queries
    if not others:
        return f"query {first}"
    return f"{len(others) + 1:,} queries ({first}, ...)"

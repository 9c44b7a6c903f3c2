"""What judgments may say beside a grade for each document."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from cleverdon.errors import InputError, OptionError

Nested = dict[str, dict[str, float]]
"""Query to document to number."""


_LARGEST = 10**15
"""No collection has more documents; and no sum of counts overflows below."""


def collection_size(docs: Any) -> int:
    """How many documents a collection has, or an OptionError."""
    # Numbers of numpy are no `int`, and yet whole.
    whole = hasattr(docs, "__index__") and not isinstance(docs, bool)
    if not whole or not 1 <= docs <= _LARGEST:
        raise OptionError(
            f"docs={docs!r}: the size of a collection is a whole number from 1 to {_LARGEST:,}"
        )
    return int(docs)


@dataclass(frozen=True)
class Annotations:
    """What judgments may say beside a grade for each document."""

    docs: int | None = None  # how many documents the collection has
    second: Nested | None = None  # another grade, as of credibility
    subtopics: dict[str, dict[str, dict[str, float]]] | None = None  # query, document, subtopic
    weights: Nested | None = None  # of each query's subtopics
    stratum: Nested | None = None  # from which stratum of the pool a document was drawn
    probability: Nested | None = None  # with which it was drawn

    def weighing(self, weights: Nested) -> Annotations:
        """The same with weights of the subtopics; an error where they do not fit them."""
        covered = self.subtopics
        if covered is None:
            raise OptionError(
                "weights are of subtopics, and these judgments have none: qrels_format='subtopics'"
            )
        if covered.keys().isdisjoint(weights):
            raise InputError(
                f"no query of the judgments has weights: they have {next(iter(covered))!r}, the "
                f"weights have {next(iter(weights))!r}"
            )
        for query, known in weights.items():
            for name, weight in known.items():
                if weight < 0:
                    raise InputError(f"the weight of {name!r} of query {query!r} is below 0")
            for grades in covered.get(query, {}).values():
                for name, grade in grades.items():
                    if grade > 0 and name not in known:
                        raise InputError(f"subtopic {name!r} of query {query!r} has no weight")
        return replace(self, weights=weights)

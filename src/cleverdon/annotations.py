"""What judgments may say beside a grade for each document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from cleverdon.errors import InputError, OptionError

Nested = dict[str, dict[str, float]]
"""Query to document to number."""
Grades = Mapping[str, Mapping[str, float]]
"""Query to document to grade; one below 0 is of a document that is pooled, and not judged."""

POOLED = -1.0
"""The grade of what is pooled, and not judged."""


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

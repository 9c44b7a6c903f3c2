"""A probe: queries expanded by what was judged relevant, and the documents that they find anew."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from cleverdon.annotations import Grades
from cleverdon.pool.contributions import Contributions
from cleverdon.pool.expansion.rm3 import ORIGINAL, TERMS, Expanded, expanded
from cleverdon.pool.expansion.search import Index
from cleverdon.pool.expansion.words import STOP_WORDS

New = dict[str, list[str]]
"""Query to documents."""


@dataclass(frozen=True, eq=False)
class Probe:
    """The texts of queries and documents, and how queries are expanded.

    Rephrasings are other words for a query, of which it may have several: each is searched for as
    it stands, beside the expanded query.
    """

    queries: Mapping[str, str]
    documents: Mapping[str, str]  # of relevant documents at least; what has no text is passed over
    rephrasings: Mapping[str, Sequence[str]] = field(default_factory=dict)
    terms: int = TERMS
    original: float = ORIGINAL
    ignored: Collection[str] = STOP_WORDS
    rel: float = 1  # the lowest grade that is relevant

    def expanded(self, query: str, judged: Mapping[str, float]) -> Expanded:
        """A query, expanded by its relevant documents; as it is, where there are none."""
        relevant = sorted(doc for doc, grade in judged.items() if grade >= self.rel)
        return expanded(
            self.queries[query],
            [self.documents[doc] for doc in relevant if doc in self.documents],
            terms=self.terms,
            original=self.original,
            ignored=self.ignored,
        )

    def all_expanded(self, judged: Grades) -> dict[str, Expanded]:
        """Every query that has a text, expanded."""
        return {query: self.expanded(query, judged.get(query, {})) for query in self.queries}

    def search(self, index: Index, judged: Grades, *, depth: int) -> New:
        """What the probes of each query find among their first results, and nobody has judged."""
        new: New = {}
        for query, made in self.all_expanded(judged).items():
            probes = [made, *(self._as_it_stands(text) for text in self.rephrasings.get(query, ()))]
            found = (doc for probe in probes for doc, _ in index.search(probe.weights, depth))
            known = judged.get(query, {})
            unknown = [doc for doc in dict.fromkeys(found) if doc not in known]
            if unknown:
                new[query] = unknown
        return new

    def _as_it_stands(self, text: str) -> Expanded:
        return expanded(text, (), ignored=self.ignored)


def new_documents(found: Contributions, judged: Grades, *, depth: int) -> New:
    """What runs of expanded queries have among their first results, and nobody has judged.

    >>> from cleverdon.pool.contributions import gather
    >>> run = gather({"probe": {"q1": {"d1": 3, "d2": 2, "d3": 1}}})
    >>> new_documents(run, {"q1": {"d1": 1}}, depth=2)
    {'q1': ['d2']}
    """
    new: New = {}
    for part in found.each():
        known = judged.get(part.topic, {})
        near = np.flatnonzero(part.best_rank <= depth)
        docs = [part.docs[at] for at in near.tolist()]
        unknown = [doc for doc in docs if doc not in known]
        if unknown:
            new[part.topic] = unknown
    return new


def blind(new: New, *, seed: int = 0) -> Iterator[tuple[str, str]]:
    """Queries and documents for a judges' sheet, shuffled so that no order tells of ranks."""
    random = np.random.default_rng(seed)
    for query in sorted(new, key=str.encode):
        docs = sorted(new[query], key=str.encode)
        for at in random.permutation(len(docs)).tolist():
            yield query, docs[at]

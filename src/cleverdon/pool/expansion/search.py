"""A small search engine, so that a probe can run by itself where the documents' texts are given.

BM25 over words as they stand, all in memory: made for collections of up to some hundred thousand
documents, and for queries whose words have weights, which few engines inside Python know.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cleverdon.arrays import Floats, Ints
from cleverdon.errors import InputError, check_count
from cleverdon.pool.expansion.words import words

Progress = Callable[[int, int], object]


@dataclass(frozen=True, eq=False)
class Index:
    """Which words each document has, and how often: rows sorted by word, then document."""

    ids: tuple[str, ...]  # in bytewise order
    vocabulary: dict[str, int]
    starts: Ints  # where each word's rows start; one more entry than there are words
    doc: Ints
    count: Ints
    lengths: Floats  # of each document, in words
    k1: float = 0.9
    b: float = 0.4

    @classmethod
    def build(cls, texts: Mapping[str, str], *, progress: Progress | None = None) -> Index:
        """An index of documents by their ids.

        >>> index = Index.build({"d1": "bees and honey", "d2": "glaciers", "d3": "honey"})
        >>> [doc for doc, score in index.search({"honey": 1.0, "bees": 0.5}, 2)]
        ['d1', 'd3']
        """
        if not texts:
            raise InputError("there are no documents to search in")
        ids = tuple(sorted(texts, key=str.encode))
        vocabulary: dict[str, int] = {}
        word, count, sizes = array("l"), array("l"), array("l")
        lengths = np.zeros(len(ids))
        for number, id in enumerate(ids):
            found = Counter(words(texts[id]))
            word.extend(vocabulary.setdefault(term, len(vocabulary)) for term in found)
            count.extend(found.values())
            sizes.append(len(found))
            lengths[number] = found.total()
            if progress is not None and number % 1000 == 0:
                progress(number, len(ids))
        of_row = np.array(word, dtype=np.int64)
        order = np.argsort(of_row, kind="stable")
        doc = np.repeat(np.arange(len(ids)), np.array(sizes, dtype=np.int64))
        starts = np.searchsorted(of_row[order], np.arange(len(vocabulary) + 1))
        counts = np.array(count, dtype=np.int64)[order]
        return cls(ids, vocabulary, starts, doc[order], counts, lengths)

    def search(self, weights: Mapping[str, float], k: int) -> list[tuple[str, float]]:
        """The first k documents that have any of the weighted words, and their scores.

        Equal scores are ordered by falling id, as Cleverdon reads runs.
        """
        check_count("k", k)
        scores = np.zeros(len(self.ids))
        for word, weight in weights.items():
            at = self.vocabulary.get(word)
            if at is None:
                continue
            rows = slice(int(self.starts[at]), int(self.starts[at + 1]))
            doc, count = self.doc[rows], self.count[rows]
            # As in Lucene: a word that half of the documents have still counts for something.
            rarity = np.log1p((len(self.ids) - len(doc) + 0.5) / (len(doc) + 0.5))
            scores[doc] += weight * rarity * count * (self.k1 + 1) / (count + self._norm[doc])
        found = np.flatnonzero(scores > 0)
        best = found[np.lexsort((-found, -scores[found]))][:k]
        return [(self.ids[at], float(scores[at])) for at in best]

    def common(self, share: float) -> frozenset[str]:
        """The words that more than this share of the documents have."""
        spread = np.diff(self.starts) > share * len(self.ids)
        return frozenset(word for word, at in self.vocabulary.items() if spread[at])

    @cached_property
    def _norm(self) -> Floats:
        """What a count is weighed against: the more, the longer the document."""
        mean = float(self.lengths.mean()) or 1.0
        norm: Floats = self.k1 * (1 - self.b + self.b * self.lengths / mean)
        return norm

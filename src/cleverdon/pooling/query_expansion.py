"""Query expansion by relevant texts (RM3), and a BM25 index that takes weighted words.

The index is small, over plain words and in memory. It serves collections of up to some hundred
thousand documents, and queries whose words have weights, which few engines inside Python support.
"""

from __future__ import annotations

import json
import re
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cleverdon._common.arrays import Floats, Ints
from cleverdon._common.progress import Progress
from cleverdon._common.text import printable
from cleverdon.errors import InputError, OptionError, check_count
from cleverdon.pooling.choices import ORIGINAL, TERMS
from cleverdon.tables.numbers import format_decimal
from cleverdon.tables.result import Result
from cleverdon.tables.sections import Section
from cleverdon.tables.table import TextTable

_WORD = re.compile(r"[^\W_]+")

_FUNCTION_WORDS = """
    a about after all also an and any are as at be been before being between both but by can cannot
    do does done each either else for from had has have how if in into is isn it its itself may more
    most must no nor not of off on once one only or other out over own same should so some such than
    that the their them then there these they this those through to under until up upon was were
    what when where whether which while who will with within without would you your
"""
_FOR_PEOPLE = """
    again against am because could did didn doesn doing don down during few further having he her
    here hers herself him himself his i just me my myself now our ours ourselves she theirs
    themselves too very we whom why wouldn yours yourself yourselves
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
"""Words that hold sentences together."""
STOP_WORDS = FUNCTION_WORDS | frozenset(_FOR_PEOPLE.split())
"""These, and those of texts in which people speak of themselves and each other."""


def words(text: str) -> list[str]:
    """Return the words in lower case, in any script, without punctuation and underscores.

    >>> words("Größe_2: Don't")
    ['größe', '2', 'don', 't']
    """
    return _WORD.findall(text.lower())


_SHORTEST = 2
"""Letters of a word that expands: single ones are mostly what is left of "don't" and "s"."""


@dataclass(frozen=True)
class ExpandedQuery:
    """A query as weighted words, the heaviest first."""

    weights: dict[str, float]
    relevant: int  # how many relevant texts are in it; 0: the query is as it was

    @property
    def lucene(self) -> str:
        """The query for engines that are built on Lucene: `word^weight`.

        >>> ExpandedQuery({"bees": 0.75, "honey": 0.25}, 1).lucene
        'bees^0.750000 honey^0.250000'
        """
        return " ".join(f"{word}^{weight:.6f}" for word, weight in self.weights.items())


@dataclass(frozen=True)
class ExpandedQueries(Result):
    """Expanded queries, by their ids.

    >>> made = ExpandedQueries({"q1": ExpandedQuery({"bees": 0.75, "honey": 0.25}, 1)})
    >>> made.render("jsonl")
    '{"query_id": "q1", "terms": {"bees": 0.75, "honey": 0.25}, "relevant": 1}'
    """

    queries: Mapping[str, ExpandedQuery]

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return one table: a row for each query and word."""
        rows = [
            [printable(query), word, format_decimal(weight, exact=exact)]
            for query, made in self.queries.items()
            for word, weight in made.weights.items()
        ]
        grid = TextTable(["query", "word", "weight"], rows, 2, [])
        return [Section("queries", grid, titled=False)]

    def render(self, format: str = "table", **how: Any) -> str:
        """Write the queries; `lucene` and `jsonl` have a line for each."""
        if format == "lucene":
            return "\n".join(f"{query}\t{made.lucene}" for query, made in self.queries.items())
        if format == "jsonl":
            records = (
                {"query_id": query, "terms": made.weights, "relevant": made.relevant}
                for query, made in self.queries.items()
            )
            return "\n".join(json.dumps(record, ensure_ascii=False) for record in records)
        return super().render(format, **how)


def expand_query(
    query: str,
    relevant: Iterable[str],
    *,
    terms: int = TERMS,
    original: float = ORIGINAL,
    ignored: Collection[str] = STOP_WORDS,
) -> ExpandedQuery:
    """Add the `terms` likeliest words of relevant texts to a query, weighted by RM3.

    >>> found = expand_query("honey bees", ["Bees collect nectar", "nectar of flowers"], terms=2)
    >>> {word: round(weight, 3) for word, weight in found.weights.items()}
    {'nectar': 0.312, 'bees': 0.25, 'honey': 0.25, 'flowers': 0.188}
    """
    check_count("terms", terms)
    if not 0 <= original <= 1:
        raise OptionError(f"original={original!r}: the query's weight lies from 0 to 1")
    asked = words(query)
    counts = Counter([word for word in asked if word not in ignored] or asked)
    likely, texts = _relevance_model(relevant, terms, ignored)
    if not counts and not likely:
        raise InputError(f"the query {query!r} has no words")
    # Where there is only one of the two, it is all there is.
    share = 1.0 if not likely else original if counts else 0.0
    total = counts.total()
    mixed = {word: share * count / total for word, count in counts.items()}
    for word, probability in likely.items():
        mixed[word] = mixed.get(word, 0.0) + (1 - share) * probability
    kept = {word: weight for word, weight in mixed.items() if weight > 0}
    return ExpandedQuery(_heaviest_first(kept), texts if likely else 0)


def _relevance_model(
    relevant: Iterable[str], terms: int, ignored: Collection[str]
) -> tuple[dict[str, float], int]:
    """Return the likeliest words, and the number of texts that have words."""
    sums: dict[str, float] = {}
    used = 0
    for text in relevant:
        found = Counter(
            word for word in words(text) if len(word) >= _SHORTEST and word not in ignored
        )
        length = found.total()
        used += length > 0
        for word, count in found.items():
            sums[word] = sums.get(word, 0.0) + count / length
    best = dict(list(_heaviest_first(sums).items())[:terms])
    whole = sum(best.values())
    return {word: weight / whole for word, weight in best.items()}, used


def _heaviest_first(weights: dict[str, float]) -> dict[str, float]:
    """Sort by weight, and equals by name, however the weights were added up."""
    return dict(sorted(weights.items(), key=lambda item: (-round(item[1], 12), item[0])))


@dataclass(frozen=True, eq=False)
class BM25Index:
    """The words of each document with their counts: rows sorted by word, then document."""

    ids: tuple[str, ...]  # in bytewise order
    vocabulary: dict[str, int]
    starts: Ints  # where each word's rows start; one more entry than there are words
    doc: Ints
    count: Ints
    lengths: Floats  # of each document, in words
    k1: float = 0.9
    b: float = 0.4

    @classmethod
    def build(cls, texts: Mapping[str, str], *, progress: Progress | None = None) -> BM25Index:
        """Index documents by their ids.

        >>> index = BM25Index.build({"d1": "bees and honey", "d2": "glaciers", "d3": "honey"})
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
                progress("indexing", number, len(ids))
        of_row = np.array(word, dtype=np.int64)
        order = np.argsort(of_row, kind="stable")
        doc = np.repeat(np.arange(len(ids)), np.array(sizes, dtype=np.int64))
        starts = np.searchsorted(of_row[order], np.arange(len(vocabulary) + 1))
        counts = np.array(count, dtype=np.int64)[order]
        return cls(ids, vocabulary, starts, doc[order], counts, lengths)

    def search(self, weights: Mapping[str, float], k: int) -> list[tuple[str, float]]:
        """Return the first k documents with any of the words; equal scores by falling id."""
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
        """Return the words that more than this share of the documents have."""
        spread = np.diff(self.starts) > share * len(self.ids)
        return frozenset(word for word, at in self.vocabulary.items() if spread[at])

    @cached_property
    def _norm(self) -> Floats:
        """The weight against which counts are set: it grows with the length of the document."""
        mean = float(self.lengths.mean()) or 1.0
        norm: Floats = self.k1 * (1 - self.b + self.b * self.lengths / mean)
        return norm

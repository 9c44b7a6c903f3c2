"""RM3: a query's own words, mixed with those of documents that were judged relevant.

A relevance model is the distribution of words that relevant texts are drawn from (Lavrenko & Croft
2001, doi:10.1145/383952.383972); RM3 mixes it with the query (Abdul-Jaleel et al. 2004, UMass at
TREC 2004). Here documents are relevant because a judge said so, and none more than another unless
weights are given, so that

    P(w | R) = sum over relevant d of  weight(d) * tf(w, d) / |d|,   divided by the weights' sum
    weight of w = original * P(w | query) + (1 - original) * P(w | R)

where stop words are no words of d, and P(w | R) is cut to its most likely words and then brought
back to a sum of 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from cleverdon.errors import InputError, OptionError, check_count
from cleverdon.pool.expansion.words import STOP_WORDS, words

TERMS = 10
ORIGINAL = 0.5
_SHORTEST = 2
"""Letters of a word that expands: single ones are mostly what is left of "don't" and "s"."""


@dataclass(frozen=True)
class Expanded:
    """A query as weighted words, the heaviest first."""

    weights: dict[str, float]
    relevant: int  # how many relevant texts are in it; 0: the query is as it was

    @property
    def lucene(self) -> str:
        """As engines that are built on Lucene take it: `word^weight`, separated by spaces.

        >>> Expanded({"bees": 0.75, "honey": 0.25}, 1).lucene
        'bees^0.750000 honey^0.250000'
        """
        return " ".join(f"{word}^{weight:.6f}" for word, weight in self.weights.items())


def expanded(
    query: str,
    relevant: Iterable[str],
    *,
    terms: int = TERMS,
    original: float = ORIGINAL,
    weights: Sequence[float] | None = None,
    ignored: Collection[str] = STOP_WORDS,
) -> Expanded:
    """The query and the `terms` likeliest words of relevant texts, weighted by RM3.

    `original` is how much the query's own words weigh together; `weights` says how much each text
    counts. Words of a query count even where they are to be `ignored`, if it has no others.

    >>> found = expanded("honey bees", ["Bees collect nectar", "nectar of flowers"], terms=2)
    >>> {word: round(weight, 3) for word, weight in found.weights.items()}
    {'nectar': 0.312, 'bees': 0.25, 'honey': 0.25, 'flowers': 0.188}
    """
    check_count("terms", terms)
    if not 0 <= original <= 1:
        raise OptionError(f"original={original!r}: the query's weight lies from 0 to 1")
    asked = words(query)
    counts = Counter([word for word in asked if word not in ignored] or asked)
    likely, texts = _relevance_model(relevant, weights, terms, ignored)
    if not counts and not likely:
        raise InputError(f"the query {query!r} has no words")
    # Where there is only one of the two, it is all there is.
    share = 1.0 if not likely else original if counts else 0.0
    total = counts.total()
    mixed = {word: share * count / total for word, count in counts.items()}
    for word, probability in likely.items():
        mixed[word] = mixed.get(word, 0.0) + (1 - share) * probability
    kept = {word: weight for word, weight in mixed.items() if weight > 0}
    return Expanded(_heaviest_first(kept), texts if likely else 0)


def _relevance_model(
    relevant: Iterable[str],
    weights: Sequence[float] | None,
    terms: int,
    ignored: Collection[str],
) -> tuple[dict[str, float], int]:
    """The likeliest words, and of how many texts; a text without words is left out."""
    texts = list(relevant)
    counted = [1.0] * len(texts) if weights is None else list(weights)
    if len(counted) != len(texts) or any(not weight > 0 for weight in counted):
        raise OptionError(
            f"weights: {len(counted)} for {len(texts)} texts; each text has one, above 0"
        )
    sums: dict[str, float] = {}
    used = 0
    for text, weight in zip(texts, counted, strict=True):
        found = Counter(
            word for word in words(text) if len(word) >= _SHORTEST and word not in ignored
        )
        length = found.total()
        used += length > 0
        for word, count in found.items():
            sums[word] = sums.get(word, 0.0) + weight * count / length
    best = dict(list(_heaviest_first(sums).items())[:terms])
    whole = sum(best.values())
    return {word: weight / whole for word, weight in best.items()}, used


def _heaviest_first(weights: dict[str, float]) -> dict[str, float]:
    """The heaviest first, and equals by name, whatever the order in which they were added up."""
    return dict(sorted(weights.items(), key=lambda item: (-round(item[1], 12), item[0])))

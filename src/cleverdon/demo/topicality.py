"""How much of a topic two summaries share.

Only the choice of queries and the judgments use this, never a system. Words are stemmed, because
an assessor would not care that one sentence says "parse" and the other "parsing". The stemmer is
a plainer one than Porter's; judgments that stem favour `bm25-porter` all the same, as `judgments`
says.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from cleverdon.demo.words import FUNCTION_WORDS, split_camel, words

_VOWEL = re.compile(r"[aeiouy]")

# The words in which any docstring talks about any function.
_DOCSTRING_WORDS = """
    arg argument arguments call called calls class classes first function functions get gets give
    given gives instance instances item items like make makes method methods new none object objects
    otherwise parameter parameters possible python return returned returning returns second self set
    sets specified specify take takes true false two use used uses using value values
"""
_NO_TOPIC = FUNCTION_WORDS | frozenset(_DOCSTRING_WORDS.split())


def stem(word: str) -> str:
    """A word without its commonest endings: plural, past, participle, doer.

    >>> [stem(word) for word in ("entries", "parsing", "parser", "stopped", "class")]
    ['entry', 'pars', 'pars', 'stop', 'class']
    """
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed", "er", "e"):
        root = word.removesuffix(ending)
        if root != word and len(root) >= 3 and _VOWEL.search(root):
            doubled = ending != "e" and root[-1] == root[-2] and root[-1] not in "lsz"
            return root[:-1] if doubled else root
    return word


def topic_stems(text: str) -> frozenset[str]:
    """The stems of the words that say what a sentence is about.

    >>> sorted(topic_stems("Return the LogRecords of a parser."))
    ['log', 'pars', 'record']
    """
    return frozenset(
        stem(word) for word in words(split_camel(text)) if word not in _NO_TOPIC and len(word) > 1
    )


@dataclass(frozen=True)
class StemWeights:
    """How telling every stem is: the rarer among the sentences, the more it weighs (idf)."""

    weight: Mapping[str, float]

    def shared(self, one: frozenset[str], other: frozenset[str]) -> float:
        """The cosine of two sets of stems, each weighing its idf: 0 for nothing, 1 for the same."""
        norm = self._squares(one) * self._squares(other)
        return self._squares(one & other) / math.sqrt(norm) if norm else 0.0

    def _squares(self, stems: Iterable[str]) -> float:
        # Sorted, because a set's own order differs from process to process, and with it the last
        # digit of a sum.
        return sum(self.weight[stem] ** 2 for stem in sorted(stems))


def weigh_stems(sentences: Iterable[frozenset[str]]) -> StemWeights:
    """Learn how much each stem tells from all the sentences of the collection."""
    everything = tuple(sentences)
    counts = Counter(stem for sentence in everything for stem in sentence)
    return StemWeights({stem: math.log((1 + len(everything)) / n) for stem, n in counts.items()})

"""Where a text has the words of a query: by their stems, whatever their case and accents."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

_LONGEST = 64
"""Characters by which a word is compared: a line of ten megabytes may be one word."""

_LONGEST_QUERY = 10_000
_MOST_WORDS = 100
"""Characters and words of a query that are looked for: a topic may be a whole document."""

_MOST_KNOWN = 20_000
"""Words of which it is remembered whether they match: most of a text are the same few."""

_ENDINGS = ("ingly", "edly", "ings", "ies", "ing", "ed", "es", "ly", "s", "e", "y")
_SHORTEST_STEM = 3
_LONGEST_ENDING = 4
"""How much longer than a query's stem a word may be: water, watering, but not waterproofing."""

_LITTLE_WORDS = (
    "a about all an and any are as at be but by can could did do does for from had has have how i "
    "if in into is it its me my no not of on or our should so some than that the their them then "
    "there these they this those to us was we were what when where which who why will with would "
    "you your"
)
_UNTOLD = frozenset(_LITTLE_WORDS.split())
"""English words that say nothing of what is looked for."""

# Scripts that put no spaces between words: runs of one script are compared as they are.
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_KANA = "\u30a0-\u30ff"
_UNSPACED = re.compile(f"[{_HAN}]+|[{_KANA}]+")
# A letter, and whatever follows that is neither a space nor punctuation: so marks that combine
# with letters are parts of words, in all scripts.
_WORD = re.compile("[^\\W_](?:[^\\s!-/:-@\\[-`{-~\\u00a0-\\u00bf\\u2000-\\u206f\\u3000-\\u303f])*")
# Plain English needs no look at every word: a regular expression finds those that may match.
_CONTROL = re.compile("[\x00-\x08\x0e-\x1b\x7f]")
_NOTHING = re.compile("(?!)")


class Terms:
    """The words of a query, ready to be looked for."""

    def __init__(self, query: str) -> None:
        words = [found.group() for found in _WORD.finditer(query[:_LONGEST_QUERY])]
        told = [word for word in words if _folded(word) not in _UNTOLD]
        wanted = (told or words)[:_MOST_WORDS]
        self._stems = frozenset(_stem(word) for word in wanted if not _UNSPACED.search(word))
        runs = {run for word in wanted for run in _UNSPACED.findall(word)}
        unspaced = sorted(runs, key=lambda run: (-len(run), run))
        self._unspaced = re.compile("|".join(map(re.escape, unspaced))) if unspaced else None
        self._known: dict[str, bool] = {}
        beginnings = "|".join(re.escape(stem) for stem in self._stems if stem.isascii())
        self._plain = (
            re.compile(f"(?<![a-z0-9])(?:{beginnings})[a-z0-9]*", re.ASCII | re.IGNORECASE)
            if beginnings
            else _NOTHING
        )

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where the words stand in a text, from its beginning, none within another."""
        if not text.isascii() or _CONTROL.search(text):
            yield from self._among_all(text)
            return
        for found in self._plain.finditer(text):
            if self._is_one(found.group()[:_LONGEST]):
                yield found.span()

    def _among_all(self, text: str) -> Iterator[tuple[int, int]]:
        for found in _WORD.finditer(text):
            start, end = found.span()
            word = text[start : min(end, start + _LONGEST)]
            if self._unspaced is not None and _UNSPACED.search(word):
                yield from self._within(text, start, end)
            elif self._is_one(word):
                yield start, end

    def _within(self, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        assert self._unspaced is not None
        for found in self._unspaced.finditer(text, start, end):
            yield found.span()

    def _is_one(self, word: str) -> bool:
        known = self._known.get(word)
        if known is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            known = self._known[word] = self._matches(word)
        return known

    def _matches(self, word: str) -> bool:
        if _stem(word) in self._stems:
            return True
        # The stems that it may begin with are looked up: a query may have many words.
        folded = _folded(word)
        shortest = max(len(folded) - _LONGEST_ENDING, _SHORTEST_STEM + 1)
        return any(folded[:end] in self._stems for end in range(shortest, len(folded) + 1))


@lru_cache(maxsize=64)
def terms_of(query: str) -> Terms:
    """The words of a query; assessors see many documents of the same one."""
    return Terms(query)


def _folded(word: str) -> str:
    """Without case and accents; the vowel signs of other scripts stay."""
    parts = unicodedata.normalize("NFKD", word[:_LONGEST].casefold())
    return "".join(one for one in parts if not "\u0300" <= one <= "\u036f")


def _stem(word: str) -> str:
    """What is left of a word without its usual English endings.

    >>> [_stem(word) for word in ("Flows", "flowing", "cities", "City", "Été")]
    ['flow', 'flow', 'cit', 'cit', 'ete']
    """
    folded = _folded(word)
    if not folded.isascii():
        return folded
    for ending in _ENDINGS:
        if folded.endswith(ending) and len(folded) - len(ending) >= _SHORTEST_STEM:
            return folded.removesuffix(ending)
    return folded

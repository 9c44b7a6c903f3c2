"""When two texts are the same query.

It is decided in Python and not by the database: engines do not agree on what lower case is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from unicodedata import normalize

from cleverdon.errors import MissingExtra, OptionError, suggest
from cleverdon.online.settings import Settings


def folded(text: str) -> str:
    """The text without what nobody means by typing it: case, white space, forms of letters.

    >>> folded("  Straße\\t NORD"), folded("ﬁsh")
    ('strasse nord', 'fish')
    """
    if not text.isascii():
        # Folding case can bring back forms that the first pass has removed.
        text = normalize("NFKC", normalize("NFKC", text).casefold())
    return " ".join(text.casefold().split())


def normaliser(settings: Settings) -> Callable[[str], str] | None:
    """What makes texts of the same query equal; None where they are compared as they are."""
    if settings.stem is None:
        return folded if settings.fold else None
    stem = _stemmer(settings.stem)
    before = folded if settings.fold else str

    def stemmed(text: str) -> str:
        return " ".join(map(stem, before(text).split()))

    return stemmed


def changed(texts: Iterable[str], normalise: Callable[[str], str]) -> dict[str, str]:
    """The texts that are not written as they are compared, and what they are compared as."""
    pairs = ((text, normalise(text)) for text in texts)
    return {text: normal for text, normal in pairs if text != normal}


def _stemmer(language: str) -> Callable[[str], str]:
    try:
        import snowballstemmer
    except ImportError:
        raise MissingExtra("stemming", package="snowballstemmer", extra="logs") from None
    known = snowballstemmer.algorithms()
    if language not in known:
        hint = suggest(language, known) or f"; there are {', '.join(sorted(known))}"
        raise OptionError(f"there is no stemmer for {language!r}{hint}")
    stem: Callable[[str], str] = snowballstemmer.stemmer(language).stemWord
    return cache(stem)

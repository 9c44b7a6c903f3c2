"""When two texts are the same query.

It is decided in Python and not by the database: engines do not agree on what lower case is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING
from unicodedata import normalize

from cleverdon.errors import MissingExtra, OptionError, suggest
from cleverdon.online.settings import Settings

if TYPE_CHECKING:
    import pyarrow as pa


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


def changed(texts: pa.Array, normalise: Callable[[str], str]) -> dict[str, str]:
    """The texts that are not written as they are compared, and what they are compared as.

    >>> import pyarrow as pa
    >>> changed(pa.array(["Red  hat", "red hat", "ÄRGER"]), folded)
    {'Red  hat': 'red hat', 'ÄRGER': 'ärger'}
    """
    import pyarrow.compute as pc

    found: dict[str, str] = {}
    if normalise is folded:
        # Most texts are ASCII without stray blanks: all of them are folded at once, and faster.
        plain = pc.and_(
            pc.string_is_ascii(texts), pc.invert(pc.match_substring_regex(texts, _STRAY))
        )
        easy, texts = pc.filter(texts, plain), pc.filter(texts, pc.invert(plain))
        forms = pc.ascii_lower(easy)
        differs = pc.not_equal(forms, easy)
        pairs = (pc.filter(column, differs).to_pylist() for column in (easy, forms))
        found = dict(zip(*pairs, strict=True))
    rest = ((text, normalise(text)) for text in texts.to_pylist())
    return {text: form for text, form in rest if text != form} | found


_STRAY = r"^ | $|  |[\t-\r\x1c-\x1f]"
"""ASCII blanks, where Python splits a text, that are not single spaces between words."""


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

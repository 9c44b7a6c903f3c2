"""A query's words, for engines whose own syntax a text must not be read as."""

from __future__ import annotations

import re
from unicodedata import normalize

_WORD = re.compile(r"[^\W_]+")


def words(text: str) -> list[str]:
    """The words of a text in lower case, in any script, cut where most tokenizers cut.

    >>> words("Größe_2: Don't")
    ['größe', '2', 'don', 't']
    """
    # An accent that stands as a character of its own would cut the word in two.
    return _WORD.findall(normalize("NFC", text.lower()))

"""Words of texts in any language, and English ones that carry no meaning."""

from __future__ import annotations

import re

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
    """The words of a text in lower case, in any script, without punctuation and underscores.

    >>> words("Größe_2: Don't")
    ['größe', '2', 'don', 't']
    """
    return _WORD.findall(text.lower())

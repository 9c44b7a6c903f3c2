"""Words: how texts and identifiers fall apart into them, and which of them carry no meaning."""

from __future__ import annotations

import re

_WORD = re.compile(r"[a-z0-9]+")
# "OrderedDict" is Ordered and Dict, "HTTPServer" is HTTP and Server, but "IPv4" stays whole.
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")
_JOINTS = re.compile(r"[\s._]+")

_FUNCTION_WORDS = """
    a about after all also an and any are as at be been before being between both but by can cannot
    do does done each either else for from had has have how if in into is isn it its itself may more
    most must no nor not of off on once one only or other out over own same should so some such than
    that the their them then there these they this those through to under until up upon was were
    what when where whether which while who will with within without would you your
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())


def words(text: str) -> tuple[str, ...]:
    r"""The words of a text, in lower case, without punctuation.

    >>> words("Don't sort, \"just\" re-order it.")
    ('don', 't', 'sort', 'just', 're', 'order', 'it')
    """
    return tuple(_WORD.findall(text.lower()))


def name_words(name: str) -> str:
    """An identifier as a person would say it.

    >>> name_words("collections.OrderedDict.move_to_end")
    'collections Ordered Dict move to end'
    """
    return _JOINTS.sub(" ", split_camel(name)).strip()


def split_camel(text: str) -> str:
    """A text with its CamelCase words taken apart, and nothing else changed."""
    return _CAMEL.sub(" ", text)

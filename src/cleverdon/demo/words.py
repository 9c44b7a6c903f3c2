"""Words: how texts and identifiers fall apart into them, and which of them carry no meaning."""

from __future__ import annotations

import re

from cleverdon.pool.expansion.words import FUNCTION_WORDS

__all__ = ["FUNCTION_WORDS", "name_words", "split_camel", "words"]

_WORD = re.compile(r"[a-z0-9]+")
# "OrderedDict" is Ordered and Dict, "HTTPServer" is HTTP and Server, but "IPv4" stays whole.
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")
_JOINTS = re.compile(r"[\s._]+")


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

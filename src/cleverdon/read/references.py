"""Character references of HTML and its kin, as what they stand for."""

from __future__ import annotations

import re
from html import unescape

_ENDLESS = re.compile("&#[0-9]{100,};?")
"""No character has such a number, and Python reads none of some thousand digits."""


def unescaped(text: str) -> str:
    """A text with its references resolved; one that leads nowhere is the mark for that.

    >>> unescaped("Fish &amp; chips, &#8364;5"), unescaped(f"&#{'9' * 5_000};")
    ('Fish & chips, €5', '\ufffd')
    """
    try:
        return unescape(text)
    except ValueError:
        return unescape(_ENDLESS.sub("\ufffd", text))

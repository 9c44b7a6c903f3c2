"""Texts that came of the environment, and how they are shown: as they were written, `${NAME}`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

HIDDEN = "***"
"""What stands in the place of a secret."""

_SECRET_NAME = (
    r"(?:[^=&;#\s]*(?:api.?key|access.?key|tokens?|secret|password|passwd|pwd|signature|credentials?)"
    r"|(?:[^=&;#\s]*[_.-])?(?:key|auth|authorization|pass|sig))"
)
_NAMED_SECRET = re.compile(rf"([?&;]{_SECRET_NAME}=)(?!\{{)([^&;#\s]+)", re.IGNORECASE)
_USER = re.compile(r"(?<=://)[^/?#\s]*@")
_SHORTEST = 4
"""Shorter texts are in many words, and hiding them there would tell what they are."""


class FromEnvironment(str):
    """A text of a configuration in which environment variables were filled in."""

    written: str  # with the variables' names
    values: tuple[str, ...]  # what they stood for

    def __new__(cls, text: str, *, written: str, values: Iterable[str]) -> FromEnvironment:
        made = super().__new__(cls, text)
        made.written, made.values = written, tuple(values)
        return made


def shown(value: Any) -> Any:
    """The value as it may be shown: as it was written, and without passwords in URLs."""
    if isinstance(value, str):
        return masked_url(value.written if isinstance(value, FromEnvironment) else value)
    if isinstance(value, Mapping):
        return {name: _shown_by_name(name, shown(held)) for name, held in value.items()}
    if isinstance(value, (list, tuple)):
        return [shown(held) for held in value]
    return value


def _shown_by_name(name: object, value: Any) -> Any:
    """The value, unless its name says that it is secret, and no variable's name stands for it."""
    secret = isinstance(value, str) and _NAMED_SECRET.fullmatch(f"?{name}={value}")
    return HIDDEN if secret and "${" not in value else value


def masked_url(text: str) -> str:
    """The text, without what is before an @ in a URL, and without values that are called secret.

    >>> masked_url("https://ann:secret@example.org/find?q={query}&api_key=123")
    'https://***@example.org/find?q={query}&api_key=***'
    """
    if "://" not in text:
        return text
    return _NAMED_SECRET.sub(rf"\g<1>{HIDDEN}", _USER.sub(f"{HIDDEN}@", text))


def secrets_in(value: Any) -> set[str]:
    """What came of the environment, anywhere within a value."""
    if isinstance(value, FromEnvironment):
        return {held for held in value.values if len(held) >= _SHORTEST}
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return set().union(*(secrets_in(held) for held in value))
    return set()


def words_of(text: str) -> set[str]:
    """A header's value, and its words: `Bearer 123456` must not be told by halves either."""
    return {word for word in {text, *text.split()} if len(word) >= _SHORTEST}


def scrubbed(text: str, secrets: Iterable[str]) -> str:
    """The text, with every secret hidden."""
    for secret in sorted(secrets, key=len, reverse=True):  # the longest first: it may hold others
        text = text.replace(secret, HIDDEN)
    return text

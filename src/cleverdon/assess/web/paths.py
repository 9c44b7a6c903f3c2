"""Addresses of topics, whose names may hold any character."""

from __future__ import annotations

import re
from urllib.parse import quote, urlencode

_ESCAPES = {"~": "~~", "/": "~s", "%": "~p", ".": "~d"}
_ESCAPED = re.compile("~[~spd]")
_MEANING = {escape: one for one, escape in _ESCAPES.items()}


def topic_path(name: str, *rest: str, **query: object) -> str:
    """The address of a topic's page.

    Servers take `%2F` for a slash, proxies may decode an address twice, and browsers walk up at
    `..`: so what any of them would stumble over is not only quoted, but called something else.

    >>> topic_path("a/b c"), topic_path("..", "list", show="open")
    ('/topics/a~sb%20c', '/topics/~d~d/list?show=open')
    """
    dots = not name.strip(".")
    escaped = "".join(_ESCAPES.get(one, one) if dots or one != "." else one for one in name)
    path = "/".join(["/topics", quote(escaped, safe=""), *rest])
    given = {key: value for key, value in query.items() if value is not None}
    return f"{path}?{urlencode(given)}" if given else path


def topic_of(part: str) -> str:
    """The topic's name, from its part of an address.

    >>> topic_of("a~sb c")
    'a/b c'
    """
    return _ESCAPED.sub(lambda found: _MEANING[found.group()], part)

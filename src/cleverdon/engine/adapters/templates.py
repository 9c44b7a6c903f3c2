"""Requests with places for the query and for k: `{query}` and `{k}`.

Other braces stand for themselves, and a word in two pairs of them for the word in one:
`{{query}}` is the text {query}. Templates are taken apart once, so that filling them in is a join.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from json.encoder import encode_basestring_ascii
from typing import Any
from urllib.parse import quote

from cleverdon.errors import OptionError


class Place(Enum):
    """What is filled in."""

    QUERY = "query"
    K = "k"


Piece = str | Place

_PLACE = re.compile(r"\{\{(\w+)\}\}|\{(\w+)\}")
_OF_URLS = ":/?#[]@!$&'()*+,;=%~"
"""What is not to be encoded in a URL that was written by hand."""


class Template:
    """A text with places."""

    def __init__(self, pieces: Iterable[Piece], encode: Callable[[str], str]) -> None:
        self._encode = encode
        self._pieces = list(pieces)
        self.asks = Place.QUERY in self._pieces
        """Whether the query is in it."""
        self.fixed = not self.asks and Place.K not in self._pieces
        """Whether it is always the same."""
        self._around: dict[int, list[str]] = {}

    def fill(self, query: str, k: int) -> str:
        """The text for a query."""
        around = self._around.get(k)
        if around is None:  # what stands around the query, with k in it
            text = [str(k) if piece is Place.K else piece for piece in self._pieces]
            around = self._around[k] = [""]
            for piece in text:
                if isinstance(piece, str):
                    around[-1] += piece
                else:
                    around.append("")
        return self._encode(query).join(around) if len(around) > 1 else around[0]


def url_template(url: str, params: Mapping[str, Any]) -> Template:
    """A URL, and parameters that are added to it."""
    pieces = list(_pieces("url", url, lambda text: quote(text, safe=_OF_URLS)))
    before = "&" if "?" in url else "?"
    for name, values in params.items():
        for value in values if isinstance(values, (list, tuple)) else (values,):
            pieces += [before, _in_url(name), "="]
            pieces += _pieces(f"params.{name}", _plain(f"params.{name}", value), _in_url)
            before = "&"
    return Template(pieces, _in_url)


def json_template(body: Any) -> Template:
    """A structure as JSON. A text that is nothing but `{k}` becomes a number."""
    return Template(_json_pieces("body", body), _in_json)


def text_template(body: str, content_type: str) -> Template:
    """A text that is sent as it is; within JSON and forms the query is encoded as they need it."""
    if "json" in content_type:
        template = Template(_pieces("body", body), _in_json)
        _check_json(template.fill('a "query" \\', 10))
        return template
    encode = _in_url if "form-urlencoded" in content_type else str
    return Template(_pieces("body", body), encode)


def guessed_type(body: str) -> str:
    """What a text that was written for a body seems to be."""
    if body.lstrip()[:1] in ("{", "["):
        return "application/json"
    return "application/x-www-form-urlencoded" if "={query}" in body else "text/plain"


def _pieces(
    option: str, text: str, encode: Callable[[str], str] = lambda text: text
) -> Iterator[Piece]:
    at = 0
    for match in _PLACE.finditer(text):
        yield encode(text[at : match.start()])
        at = match.end()
        if match[1]:
            yield encode(f"{{{match[1]}}}")
        elif match[2] in ("query", "k"):
            yield Place(match[2])
        else:
            word = match[2]
            raise OptionError(
                f"{option}: {{{word}}} is not known; what is filled in is {{query}} and {{k}}, and "
                f"{{{{{word}}}}} stands for the text {{{word}}}"
            )
    yield encode(text[at:])


def _json_pieces(option: str, value: Any) -> Iterator[Piece]:
    if isinstance(value, str):
        if value == "{k}":
            yield Place.K
            return
        yield '"'
        yield from _pieces(option, value, _in_json)
        yield '"'
    elif isinstance(value, Mapping):
        yield "{"
        for number, (name, held) in enumerate(value.items()):
            yield f"{', ' if number else ''}{json.dumps(name)}: "
            yield from _json_pieces(f"{option}.{name}", held)
        yield "}"
    elif isinstance(value, (list, tuple)):
        yield "["
        for number, held in enumerate(value):
            yield ", " if number else ""
            yield from _json_pieces(f"{option}[{number}]", held)
        yield "]"
    else:
        try:
            yield json.dumps(value, allow_nan=False)
        except (TypeError, ValueError):
            raise OptionError(f"{option}: {value!r} cannot be written as JSON") from None


def _plain(option: str, value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (str, int, float)):
        return str(value)
    raise OptionError(f"{option}: expected a text or a number, found {value!r:.60}")


def _check_json(filled: str) -> None:
    """Whether it is JSON, or a line of JSON after the other."""
    try:
        json.loads(filled)
    except ValueError as error:
        try:
            for line in filter(str.strip, filled.splitlines()):
                json.loads(line)
        except ValueError:
            raise OptionError(
                f"body: filled in, this is not JSON ({error}): {filled!r:.120}; {{query}} belongs "
                'within quotes, "{query}", and {k} stands without them'
            ) from None


def _in_json(text: str) -> str:
    return encode_basestring_ascii(text)[1:-1]


def _in_url(text: str) -> str:
    return quote(text, safe="", errors="replace")

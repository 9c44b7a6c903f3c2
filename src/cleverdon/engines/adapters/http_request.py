"""A search as an HTTP request: templates to fill in, and JSONPaths to the results in the answer.

`{query}` and `{k}` are places in a template; other braces stand for themselves, and `{{query}}` is
the text {query}. Templates and paths are compiled once. Paths of names, indices and `[*]` are
followed here, fast, and say where they lead nowhere; from the first other step on (a filter, `..`),
jsonpath-ng follows them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from json.encoder import encode_basestring_ascii
from math import isfinite
from typing import Any
from urllib.parse import quote

from cleverdon._common.extras import importing
from cleverdon.engines.protocol import Results, SearchFailure, is_id
from cleverdon.errors import OptionError


class Placeholder(Enum):
    QUERY = "query"
    K = "k"


_TemplatePiece = str | Placeholder

_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}|\{(\w+)\}")
_URL_SAFE = ":/?#[]@!$&'()*+,;=%~"
"""Characters of a hand-written URL that are not encoded."""


class Template:
    """A text with placeholders."""

    def __init__(self, pieces: Iterable[_TemplatePiece], encode: Callable[[str], str]) -> None:
        self._encode = encode
        self._pieces = list(pieces)
        self.asks = Placeholder.QUERY in self._pieces  # True if it contains the query
        self.fixed = not self.asks and Placeholder.K not in self._pieces
        """True if it has no placeholder."""
        self._around: dict[int, list[str]] = {}

    def fill(self, query: str, k: int) -> str:
        around = self._around.get(k)
        if around is None:  # what stands around the query, with k in it
            text = [str(k) if piece is Placeholder.K else piece for piece in self._pieces]
            around = self._around[k] = [""]
            for piece in text:
                if isinstance(piece, str):
                    around[-1] += piece
                else:
                    around.append("")
        return self._encode(query).join(around) if len(around) > 1 else around[0]


def url_template(url: str, params: Mapping[str, Any]) -> Template:
    pieces = list(_template_pieces("url", url, lambda text: quote(text, safe=_URL_SAFE)))
    before = "&" if "?" in url else "?"
    for name, values in params.items():
        for value in values if isinstance(values, (list, tuple)) else (values,):
            pieces += [before, _encode_url(name), "="]
            pieces += _template_pieces(
                f"params.{name}", _parameter_text(f"params.{name}", value), _encode_url
            )
            before = "&"
    return Template(pieces, _encode_url)


def json_template(body: Any) -> Template:
    """Return the template of a structure as JSON; the text `{k}` becomes a number."""
    return Template(_json_pieces("body", body), _encode_json)


def text_template(body: str, content_type: str) -> Template:
    """Return the template of a text, in which the query is encoded for JSON or forms."""
    if "json" in content_type:
        template = Template(_template_pieces("body", body), _encode_json)
        _check_json(template.fill('a "query" \\', 10))
        return template
    encode = _encode_url if "form-urlencoded" in content_type else str
    return Template(_template_pieces("body", body), encode)


def guess_content_type(body: str) -> str:
    if body.lstrip()[:1] in ("{", "["):
        return "application/json"
    return "application/x-www-form-urlencoded" if "={query}" in body else "text/plain"


def _template_pieces(
    option: str, text: str, encode: Callable[[str], str] = lambda text: text
) -> Iterator[_TemplatePiece]:
    at = 0
    for match in _PLACEHOLDER.finditer(text):
        yield encode(text[at : match.start()])
        at = match.end()
        if match[1]:
            yield encode(f"{{{match[1]}}}")
        elif match[2] in ("query", "k"):
            yield Placeholder(match[2])
        else:
            word = match[2]
            raise OptionError(
                f"{option}: {{{word}}} is not known; what is filled in is {{query}} and {{k}}, and "
                f"{{{{{word}}}}} stands for the text {{{word}}}"
            )
    yield encode(text[at:])


def _json_pieces(option: str, value: Any) -> Iterator[_TemplatePiece]:
    if isinstance(value, str):
        if value == "{k}":
            yield Placeholder.K
            return
        yield '"'
        yield from _template_pieces(option, value, _encode_json)
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


def _parameter_text(option: str, value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (str, int, float)):
        return str(value)
    raise OptionError(f"{option}: expected a text or a number, found {value!r:.60}")


def _check_json(filled: str) -> None:
    """Raise an OptionError unless a text is JSON or JSON lines."""
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


def _encode_json(text: str) -> str:
    return encode_basestring_ascii(text)[1:-1]


def _encode_url(text: str) -> str:
    return quote(text, safe="", errors="replace")


with importing("following a JSONPath", package="jsonpath-ng", extra="engine"):
    from jsonpath_ng import jsonpath
    from jsonpath_ng.exceptions import JSONPathError
    from jsonpath_ng.ext.parser import parse

_Follow = Callable[[Any], list[Any]]  # returns the values to which a path leads


def compile_path(option: str, text: object) -> _Follow:
    """Compile a path to a function of an answer, which returns the values that it leads to.

    A path that leads nowhere is a `SearchFailure`, which says where it ended.

    >>> follow = compile_path("ids", "$.hits[*].id")
    >>> follow({"hits": [{"id": "d1"}, {"id": "d2"}]}), follow({"hits": []})
    (['d1', 'd2'], [])
    """
    if not isinstance(text, str) or not text.strip():
        raise OptionError(f"{option}={text!r}: expected a JSONPath, such as $.hits[*].id")
    try:
        parsed = _path_steps(parse(text.strip()))
    except JSONPathError as error:
        raise OptionError(
            f"{option}={text!r} is not a JSONPath: {error}; one looks like $.hits[*].id"
        ) from None
    steps = list(map(_simple_step, parsed))
    follow: _FollowStep = _follow_end
    for number, step in reversed(list(enumerate(steps))):
        before = zip(steps[:number], parsed, strict=False)
        ends = f"{text} ends at ${''.join(_step_text(one, raw) for one, raw in before)}"
        if step is None:  # jsonpath-ng has all of the rest
            follow = _follow_with_library(parsed[number:])
        elif isinstance(step, int):
            follow = _follow_item(step, follow, ends)
        elif step != _EACH:
            follow = _follow_field(step, follow, ends)
        else:
            follow = _follow_each(follow, ends)
            if number == len(steps) - 2 and isinstance(steps[-1], str) and steps[-1] != _EACH:
                follow = _follow_each_field(steps[-1], follow)

    def values(answer: Any) -> list[Any]:
        found: list[Any] = []
        follow(answer, found)
        return found

    return values


_FollowStep = Callable[[Any, list[Any]], None]
"""Follows the rest of the path from a value, and adds what it finds to a list."""
_EACH = "*"


def _follow_end(value: Any, found: list[Any]) -> None:
    found.append(value)


def _path_steps(path: Any) -> list[Any]:
    if isinstance(path, jsonpath.Root):
        return []
    if isinstance(path, jsonpath.Child):
        return [*_path_steps(path.left), *_path_steps(path.right)]
    if isinstance(path, jsonpath.Descendants):
        return [*_path_steps(path.left), jsonpath.Descendants(jsonpath.This(), path.right)]
    return [path]


def _simple_step(step: Any) -> str | int | None:
    """Return the name or the index of a step, or `_EACH`; None if it is something else."""
    # Versions of jsonpath-ng write `[*]` and `.*` in different ways, and keep indices differently.
    kind = type(step).__name__
    if kind == "Wildcard":
        return _EACH
    if isinstance(step, jsonpath.Slice):
        return _EACH if (step.start, step.end, step.step) == (None, None, None) else None
    if isinstance(step, jsonpath.Fields):
        return str(step.fields[0]) if len(step.fields) == 1 else None
    if kind == "Index":
        indices = getattr(step, "indices", None) or (step.index,)
        return int(indices[0]) if len(indices) == 1 else None
    return None


def _step_text(step: str | int | None, parsed: Any) -> str:
    if step == _EACH:
        return "[*]"
    return f"[{step}]" if isinstance(step, int) else f".{parsed}"


def _follow_field(name: str, rest: _FollowStep, ends: str) -> _FollowStep:
    def follow(value: Any, found: list[Any]) -> None:
        try:
            held = value[name]
        except (KeyError, TypeError, IndexError):
            raise SearchFailure("missing", f"{ends}: no {name!r} in {_described(value)}") from None
        rest(held, found)

    return follow


def _follow_item(index: int, rest: _FollowStep, ends: str) -> _FollowStep:
    def follow(value: Any, found: list[Any]) -> None:
        if not isinstance(value, list) or not -len(value) <= index < len(value):
            raise SearchFailure("missing", f"{ends}: no [{index}] in {_described(value)}")
        rest(value[index], found)

    return follow


def _follow_each(rest: _FollowStep, ends: str) -> _FollowStep:
    def follow(value: Any, found: list[Any]) -> None:
        if isinstance(value, dict):
            value = value.values()
        elif not isinstance(value, list):
            raise SearchFailure("missing", f"{ends}: expected a list, found {_described(value)}")
        for held in value:
            rest(held, found)

    return follow


def _follow_each_field(name: str, slowly: _FollowStep) -> _FollowStep:
    """`[*].name`, with which most paths end: all values at once, if nothing is missing."""

    def follow(value: Any, found: list[Any]) -> None:
        try:
            if type(value) is list:
                found += [held[name] for held in value]
                return
        except (KeyError, TypeError, IndexError):
            pass
        slowly(value, found)

    return follow


def _follow_with_library(steps: list[Any]) -> _FollowStep:
    path = steps[0]
    for step in steps[1:]:
        path = jsonpath.Child(path, step)

    def follow(value: Any, found: list[Any]) -> None:
        found.extend(match.value for match in path.find(value))

    return follow


def _described(value: Any) -> str:
    if isinstance(value, dict):
        names = ", ".join(repr(name) for name in list(value)[:8])
        more = f" and {len(value) - 8} more" if len(value) > 8 else ""
        return f"an object with {names}{more}" if value else "an empty object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return f"{value!r:.60}"


_LARGEST = 2**1000  # above this, numbers are no scores, and may be too large for a float


@dataclass(frozen=True)
class Request:
    """A search as it is sent, and where results are in the answer."""

    url: Template
    ids: _Follow
    scores: _Follow | None  # without them, the rank says how good a result is
    method: str = "POST"
    body: Template | None = None
    content_type: str = "application/json"

    def results(self, answer: Any, k: int) -> Results:
        ids = self.ids(answer)
        if self.scores is None:
            return [(_checked_id(found), float(k - rank)) for rank, found in enumerate(ids[:k])]
        scores = self.scores(answer)
        if len(ids) != len(scores):
            raise SearchFailure(
                "malformed", f"{len(ids)} ids and {len(scores)} scores: they do not belong together"
            )
        pairs = zip(ids[:k], scores[:k], strict=True)
        return [(_checked_id(found), _checked_score(score)) for found, score in pairs]


def _checked_id(found: Any) -> str:
    if type(found) is int:
        return str(found)
    if type(found) is str and is_id(found):
        return found
    raise SearchFailure("malformed", f"expected an id, found {found!r:.80}")


def _checked_score(found: Any) -> float:
    if type(found) is float and isfinite(found):
        return found
    if type(found) is int and abs(found) < _LARGEST:
        return float(found)
    raise SearchFailure("malformed", f"expected a number as a score, found {found!r:.80}")

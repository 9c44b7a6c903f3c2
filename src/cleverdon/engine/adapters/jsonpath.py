"""JSONPaths, compiled once and followed for every answer.

Paths of names, indices and `[*]` are followed here, fast, and say where they lead nowhere; from the
first step on that is anything else (a filter, `..`), jsonpath-ng follows them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cleverdon.engine.failures import SearchFailure
from cleverdon.errors import MissingExtra, OptionError

try:
    from jsonpath_ng import jsonpath
    from jsonpath_ng.exceptions import JSONPathError
    from jsonpath_ng.ext.parser import parse
except ImportError:
    raise MissingExtra("following a JSONPath", package="jsonpath-ng", extra="engine") from None

Follow = Callable[[Any], list[Any]]
"""What a path leads to within a value."""


def compile_path(option: str, text: object) -> Follow:
    """The values that a path leads to, as a function of an answer.

    An empty list of hits is an answer, and so an empty list here. A path that leads nowhere is
    another matter: a `SearchFailure` that says where it ended, and what is there instead.

    >>> follow = compile_path("ids", "$.hits[*].id")
    >>> follow({"hits": [{"id": "d1"}, {"id": "d2"}]}), follow({"hits": []})
    (['d1', 'd2'], [])
    >>> follow({"results": []})
    Traceback (most recent call last):
    ...
    cleverdon.engine.failures.SearchFailure: missing: $.hits[*].id ends at $: no 'hits' ...
    """
    if not isinstance(text, str) or not text.strip():
        raise OptionError(f"{option}={text!r}: expected a JSONPath, such as $.hits[*].id")
    try:
        steps = _steps(parse(text.strip()))
    except JSONPathError as error:
        raise OptionError(
            f"{option}={text!r} is no JSONPath: {error}; one looks like $.hits[*].id"
        ) from None
    follow: _Step = _end
    for number in reversed(range(len(steps))):
        step = steps[number]
        at = "$" + "".join(_written(before) for before in steps[:number])
        if _simple(step):
            follow = _simple_step(step, follow, f"{text} ends at {at}")
            if _is_each(step) and number == len(steps) - 2 and _name_of(steps[-1]):
                follow = _each_field(_name_of(steps[-1]), follow)
        else:  # jsonpath-ng has all of the rest
            follow = _library_steps(steps[number:])
    return _collected(follow)


_Step = Callable[[Any, list[Any]], None]
"""Follows the rest of the path from a value, and adds what it finds to a list."""


def _collected(follow: _Step) -> Follow:
    def values(answer: Any) -> list[Any]:
        found: list[Any] = []
        follow(answer, found)
        return found

    return values


def _end(value: Any, found: list[Any]) -> None:
    found.append(value)


def _steps(path: Any) -> list[Any]:
    """The steps of a path, in order; `$` is none."""
    if isinstance(path, jsonpath.Root):
        return []
    if isinstance(path, jsonpath.Child):
        return [*_steps(path.left), *_steps(path.right)]
    if isinstance(path, jsonpath.Descendants):
        return [*_steps(path.left), jsonpath.Descendants(jsonpath.This(), path.right)]
    return [path]


def _is_each(step: Any) -> bool:
    """Whether it is `[*]` or `.*`, which older versions of jsonpath-ng write otherwise."""
    if type(step).__name__ == "Wildcard":
        return True
    if isinstance(step, jsonpath.Slice):
        return step.start is None and step.end is None and step.step is None
    return isinstance(step, jsonpath.Fields) and tuple(step.fields) == ("*",)


def _index_of(step: Any) -> int | None:
    if type(step).__name__ != "Index":
        return None
    indices = getattr(step, "indices", None)
    if indices is None:  # of older versions of jsonpath-ng
        return int(step.index)
    return int(indices[0]) if len(indices) == 1 else None


def _name_of(step: Any) -> str:
    """The name, of a step that is one; an empty text of others."""
    one = isinstance(step, jsonpath.Fields) and len(step.fields) == 1 and not _is_each(step)
    return str(step.fields[0]) if one else ""


def _simple(step: Any) -> bool:
    return bool(_name_of(step)) or _is_each(step) or _index_of(step) is not None


def _written(step: Any) -> str:
    if _is_each(step):
        return "[*]"
    index = _index_of(step)
    return f".{step}" if index is None else f"[{index}]"


def _simple_step(step: Any, rest: _Step, ends: str) -> _Step:
    if _is_each(step):
        return _each(rest, ends)
    index = _index_of(step)
    return _field(_name_of(step), rest, ends) if index is None else _item(index, rest, ends)


def _field(name: str, rest: _Step, ends: str) -> _Step:
    def follow(value: Any, found: list[Any]) -> None:
        try:
            held = value[name]
        except (KeyError, TypeError, IndexError):
            raise SearchFailure("missing", f"{ends}: no {name!r} in {_described(value)}") from None
        rest(held, found)

    def last(value: Any, found: list[Any]) -> None:
        try:
            found.append(value[name])
        except (KeyError, TypeError, IndexError):
            raise SearchFailure("missing", f"{ends}: no {name!r} in {_described(value)}") from None

    return last if rest is _end else follow


def _item(index: int, rest: _Step, ends: str) -> _Step:
    def follow(value: Any, found: list[Any]) -> None:
        if not isinstance(value, list) or not -len(value) <= index < len(value):
            raise SearchFailure("missing", f"{ends}: no [{index}] in {_described(value)}")
        rest(value[index], found)

    return follow


def _each(rest: _Step, ends: str) -> _Step:
    def follow(value: Any, found: list[Any]) -> None:
        if isinstance(value, dict):
            value = value.values()
        elif not isinstance(value, list):
            raise SearchFailure("missing", f"{ends}: expected a list, found {_described(value)}")
        for held in value:
            rest(held, found)

    return follow


def _each_field(name: str, slowly: _Step) -> _Step:
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


def _library_steps(steps: list[Any]) -> _Step:
    path = steps[0]
    for step in steps[1:]:
        path = jsonpath.Child(path, step)

    def follow(value: Any, found: list[Any]) -> None:
        found.extend(match.value for match in path.find(value))

    return follow


def _described(value: Any) -> str:
    """What is there instead, in short."""
    if isinstance(value, dict):
        names = ", ".join(repr(name) for name in list(value)[:8])
        more = f" and {len(value) - 8} more" if len(value) > 8 else ""
        return f"an object with {names}{more}" if value else "an empty object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return f"{value!r:.60}"

"""Adapters: one module for each kind of engine, loaded when an engine of that kind is opened.

Here are the options that they share: types, short form, weights, secrets. A configuration can hold
anything, so the types of options are checked against the adapter's signature. Texts that came from
the environment are shown as they were written, `${NAME}`, and secrets as `***`.
"""

from __future__ import annotations

import dataclasses
import inspect
import os
import re
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from math import inf
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints
from urllib.parse import parse_qsl

from cleverdon.errors import OptionError, suggest

_TYPE_NAMES = {
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    Mapping: "a table",
    Sequence: "a list of texts",
    Collection: "a list of texts",
}
"""The names of types in messages."""


def check_option_types(adapter: Callable[..., Any], options: Mapping[str, Any]) -> None:
    """Raise an OptionError for a value of another type than its option has."""
    types = _option_types(adapter)
    for name, value in options.items():
        if not any(_fits(value, kind) for kind in types[name]):
            expected = dict.fromkeys(
                _TYPE_NAMES[kind] for kind in types[name] if kind in _TYPE_NAMES
            )
            # Not the value itself, which may be a password.
            raise OptionError(
                f"{name}: expected {' or '.join(expected)}, found {_type_name(value)}"
            )


def text_options(adapter: Callable[..., Any]) -> set[str]:
    """Return the options that may be texts, whose values are never read as numbers."""
    return {name for name, kinds in _option_types(adapter).items() if {str, Sequence} & {*kinds}}


def split_names(value: str | Collection[str]) -> list[str]:
    """Split a text at its commas; a list of names stays as it is."""
    names = value.split(",") if isinstance(value, str) else value
    return [name.strip() for name in names if name.strip()]


def _option_types(adapter: Callable[..., Any]) -> dict[str, tuple[Any, ...]]:
    made = adapter if dataclasses.is_dataclass(adapter) else adapter.__init__
    found = {}
    for name, hint in get_type_hints(made).items():
        parts = get_args(hint) if isinstance(hint, UnionType) else (hint,)
        found[name] = tuple(get_origin(part) or part for part in parts)
    return found


def _type_name(value: Any) -> str:
    kind = next((kind for kind in (bool, str, Mapping) if isinstance(value, kind)), type(value))
    return _TYPE_NAMES.get(kind, "a list" if isinstance(value, (list, tuple)) else kind.__name__)


def _fits(value: Any, kind: Any) -> bool:
    if kind is Any:
        return True
    if kind in (Sequence, Collection):
        return isinstance(value, str) or (
            isinstance(value, (list, tuple)) and all(isinstance(held, str) for held in value)
        )
    if kind in (int, float):
        # Numbers of numpy are none of Python's, and yet numbers; True and False are, and are none.
        whole = hasattr(value, "__index__") and not isinstance(value, bool)
        return whole or (kind is float and isinstance(value, float))
    return isinstance(value, kind) if kind in (str, bool, Mapping, os.PathLike, NoneType) else False


def parse_short_form(
    adapter: Callable[..., Any], text: str, *, place: str, example: str
) -> dict[str, Any]:
    """Parse `KIND:PLACE?option=value&table.option=value` into options."""
    kind, _, rest = text.partition(":")
    where, _, asked = rest.partition("?")
    if not where:
        raise OptionError(f"{text!r} says no {place}; expected {example}")
    options = parse_options(asked, texts=text_options(adapter))
    check_option_names(kind, options, inspect.signature(adapter).parameters)
    return {**options, place: where}


def parse_options(asked: str, *, texts: Container[str]) -> dict[str, Any]:
    """Parse the options after the question mark; `texts` are never read as numbers."""
    options: dict[str, Any] = {}
    for name, text in parse_qsl(asked, keep_blank_values=True):
        table, dot, within = name.partition(".")
        if dot and isinstance(options.setdefault(table, {}), dict):
            options[table][within] = _parse_value(text)
        else:
            options[name] = text if name in texts else _parse_value(text)
    return options


def check_option_names(kind: str, options: Iterable[str], allowed: Iterable[str]) -> None:
    """Raise an OptionError for what the kind of engine has no option for."""
    allowed = list(allowed)
    for name in options:
        if name not in allowed:
            raise OptionError(f"{kind} has no option {name!r}{suggest(name, allowed)}")


def _parse_value(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def checked_weights(weights: Any, *, most: float = inf) -> dict[str, float]:
    """Return weights by column; raise an OptionError for anything but a number."""
    if weights is None:
        return {}
    if not isinstance(weights, Mapping):
        raise OptionError(f"weights={weights!r}: expected weights by column, as {{title = 1.0}}")
    expected = "from 0 on" if most == inf else f"from 0 to {most:g}"
    for column, weight in weights.items():
        number = isinstance(weight, (int, float)) and not isinstance(weight, bool)
        if not number or not 0 <= weight <= most or weight == inf:
            raise OptionError(f"weights: expected a number {expected} for {column!r}, not {weight}")
    return {column: float(weight) for column, weight in weights.items()}


_HIDDEN_SECRET = "***"  # the text that replaces a secret

_SECRET_NAME = (
    r"(?:[^=&;#\s]*(?:api.?key|access.?key|tokens?|secret|password|passwd|pwd|signature|credentials?)"
    r"|(?:[^=&;#\s]*[_.-])?(?:key|auth|authorization|pass|sig))"
)
_NAMED_SECRET = re.compile(rf"([?&;]{_SECRET_NAME}=)(?!\{{)([^&;#\s]+)", re.IGNORECASE)
_URL_USER = re.compile(r"(?<=://)[^/?#\s]*@")
_SHORTEST_SECRET = 4
"""Shorter texts are in many words, and hiding them there would tell what they are."""


class FromEnvironment(str):
    """A text of a configuration in which environment variables were filled in."""

    written: str  # with the variables' names
    values: tuple[str, ...]  # what they stood for

    def __new__(cls, text: str, *, written: str, values: Iterable[str]) -> FromEnvironment:
        made = super().__new__(cls, text)
        made.written, made.values = written, tuple(values)
        return made


def without_secrets(value: Any) -> Any:
    """Return a value as it may be shown: as it was written, and without passwords in URLs."""
    if isinstance(value, str):
        return masked_url(value.written if isinstance(value, FromEnvironment) else value)
    if isinstance(value, Mapping):
        shown = {name: without_secrets(held) for name, held in value.items()}
        for name, held in shown.items():
            secret = isinstance(held, str) and _NAMED_SECRET.fullmatch(f"?{name}={held}")
            if secret and "${" not in held:  # a variable may be shown
                shown[name] = _HIDDEN_SECRET
        return shown
    if isinstance(value, (list, tuple)):
        return [without_secrets(held) for held in value]
    return value


def masked_url(text: str) -> str:
    """Hide user, password and values with secret names in a URL.

    >>> masked_url("https://ann:secret@example.org/find?q={query}&api_key=123")
    'https://***@example.org/find?q={query}&api_key=***'
    """
    if "://" not in text:
        return text
    return _NAMED_SECRET.sub(rf"\g<1>{_HIDDEN_SECRET}", _URL_USER.sub(f"{_HIDDEN_SECRET}@", text))


def secrets_in(value: Any) -> set[str]:
    """Find the texts from the environment, at any depth of a value."""
    if isinstance(value, FromEnvironment):
        return {held for held in value.values if len(held) >= _SHORTEST_SECRET}
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return set().union(*(secrets_in(held) for held in value))
    return set()


def secret_words(text: str) -> set[str]:
    """Return a header's value and its words: no half of `Bearer 123456` may be shown either."""
    return {word for word in {text, *text.split()} if len(word) >= _SHORTEST_SECRET}


def hide_secrets(text: str, secrets: Iterable[str]) -> str:
    for secret in sorted(secrets, key=len, reverse=True):  # the longest first: it may hold others
        text = text.replace(secret, _HIDDEN_SECRET)
    return text

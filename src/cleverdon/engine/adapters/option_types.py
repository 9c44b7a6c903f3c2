"""The types of an engine's options, as its class says them: a configuration can hold anything."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from cleverdon.errors import OptionError

_WORDS = {
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    Mapping: "a table",
    Sequence: "a list of texts",
    Collection: "a list of texts",
}
"""How types are called in messages; others are not spoken of."""


def check_types(adapter: Callable[..., Any], options: Mapping[str, Any]) -> None:
    """Raise an OptionError for a value of another type than its option has."""
    types = _types_of(adapter)
    for name, value in options.items():
        if not any(_fits(value, kind) for kind in types[name]):
            expected = dict.fromkeys(_WORDS[kind] for kind in types[name] if kind in _WORDS)
            # Not the value itself, which may be a password.
            raise OptionError(f"{name}: expected {' or '.join(expected)}, found {_called(value)}")


def texts_of(adapter: Callable[..., Any]) -> set[str]:
    """The options that may be texts, so that a number among them is one as well."""
    return {name for name, kinds in _types_of(adapter).items() if {str, Sequence} & {*kinds}}


def names_of(value: str | Collection[str]) -> list[str]:
    """Names in a list, or in a text with commas, which is how a short name has them.

    >>> names_of("title, text"), names_of(["title", "text"])
    (['title', 'text'], ['title', 'text'])
    """
    names = value.split(",") if isinstance(value, str) else value
    return [name.strip() for name in names if name.strip()]


def _types_of(adapter: Callable[..., Any]) -> dict[str, tuple[Any, ...]]:
    """The types that each option may have, without what is within them."""
    made = adapter if dataclasses.is_dataclass(adapter) else adapter.__init__
    return {name: tuple(_plain(hint)) for name, hint in get_type_hints(made).items()}


def _plain(hint: Any) -> list[Any]:
    parts = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    return [get_origin(part) or part for part in parts]


def _called(value: Any) -> str:
    kind = next((kind for kind in (bool, str, Mapping) if isinstance(value, kind)), type(value))
    return _WORDS.get(kind, "a list" if isinstance(value, (list, tuple)) else kind.__name__)


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

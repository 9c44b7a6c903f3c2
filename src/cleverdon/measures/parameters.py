"""The parameters of measures: of which types they may be, and what else is refused."""

from __future__ import annotations

from collections.abc import Mapping
from types import UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from cleverdon.errors import NotationError, suggest

if TYPE_CHECKING:
    from cleverdon.measures.base import Measure

_DEEPEST = 2**31
"""No ranking is deeper; a cut-off beyond is a slip of the keyboard."""


class _Required:
    def __repr__(self) -> str:
        return "required"


REQUIRED = _Required()
"""What stands for the default of a parameter that has none."""


def hints(cls: type[Measure]) -> dict[str, Any]:
    """The types of a class's attributes, looked up once."""
    cached: dict[str, Any] | None = vars(cls).get("_hints_cache")
    if cached is None:
        cached = get_type_hints(cls)
        cls._hints_cache = cached  # type: ignore[attr-defined]
    return cached


def checked(cls: type[Measure], name: str, value: Any) -> Any:
    """The value in the parameter's type, or a NotationError that says what is allowed."""
    from cleverdon.measures.base import Measure

    hint = hints(cls)[name]
    options = _options(hint)
    origins = [get_origin(option) for option in options]
    words = [word for word in options if isinstance(word, str)]
    if value is None and type(None) in options:
        return value
    if value is None and "none" in words:
        return "none"  # the notation's word for nothing, which is a word of this parameter's
    if name == cls.cut and hint in (int, int | None):
        whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        if whole and 1 <= value <= _DEEPEST:
            return int(value)
        raise NotationError(
            f"{cls.__name__}@{value}: a cut-off is a whole number from 1 to {_DEEPEST:,}"
        )
    if bool in options and isinstance(value, bool):
        return value
    if float in options and _is_number(value):
        return value
    if Measure in options and isinstance(value, (Measure, str)):
        return _measure(value)
    if tuple in origins:
        if isinstance(value, (tuple, list)) and value and all(map(_is_number, value)):
            return tuple(value)
        raise NotationError(f"{cls.__name__}({name}={value!r}): {name} is numbers: (1,-1,0)")
    if int in options and isinstance(value, int) and not isinstance(value, bool):
        return value
    if words:
        if value in words:
            return value
        raise NotationError(
            f"{cls.__name__}({name}={value}) is not known{suggest(str(value), words)}"
        )
    if Mapping in origins and value and _is_table(value):
        return _Frozen(value)
    wanted = "true or false" if bool in options else "a number"
    if Mapping in origins:
        wanted = "a map such as {1: 3, 2: 9}"
    if Measure in options:
        wanted = "a measure such as nDCG@10"
    raise NotationError(f"{cls.__name__}({name}={value!r}): {name} is {wanted}")


def _options(hint: Any) -> list[Any]:
    """The types and the words that a type allows: those that are joined by `|`, or just it."""
    if get_origin(hint) is Literal:
        return list(get_args(hint))
    if get_origin(hint) in (Union, UnionType):
        return [option for one in get_args(hint) for option in _options(one)]
    return [hint]


def _measure(value: Measure | str) -> Measure:
    from cleverdon.measures.notation import parse

    return parse(value) if isinstance(value, str) else value


class _Frozen(dict[Any, Any]):
    """A map that can be part of a measure's hash."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(sorted(self.items())))


def _is_number(value: Any) -> bool:
    """Whether it is a number that has a place in a formula, which neither NaN nor infinity has."""
    plain = isinstance(value, (int, float)) and not isinstance(value, bool)
    return plain and -np.inf < value < np.inf


def _is_table(value: Any) -> bool:
    """Whether it is a map from numbers to numbers."""
    return isinstance(value, Mapping) and all(_is_number(n) for pair in value.items() for n in pair)

"""Short names of local engines: a kind, a place, and perhaps options after a question mark."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Container, Iterable
from typing import Any
from urllib.parse import parse_qsl

from cleverdon.engine.adapters.option_types import texts_of
from cleverdon.errors import OptionError, suggest


def place_and_options(
    adapter: Callable[..., Any], text: str, *, place: str, example: str
) -> dict[str, Any]:
    """The options that `KIND:PLACE?option=value&table.option=value` stands for."""
    kind, _, rest = text.partition(":")
    where, _, asked = rest.partition("?")
    if not where:
        raise OptionError(f"{text!r} says no {place}; expected {example}")
    options = options_of(asked, texts=texts_of(adapter))
    check_options(kind, options, inspect.signature(adapter).parameters)
    return {**options, place: where}


def options_of(asked: str, *, texts: Container[str]) -> dict[str, Any]:
    """What stands after the question mark, as values; `texts` are no numbers, whatever they say.

    >>> options_of("table=7&weights.title=2.5&threads=8&replace=true", texts=["table"])
    {'table': '7', 'weights': {'title': 2.5}, 'threads': 8, 'replace': True}
    """
    options: dict[str, Any] = {}
    for name, text in parse_qsl(asked, keep_blank_values=True):
        table, dot, within = name.partition(".")
        if dot and isinstance(options.setdefault(table, {}), dict):
            options[table][within] = _value(text)
        else:
            options[name] = text if name in texts else _value(text)
    return options


def check_options(kind: str, options: Iterable[str], allowed: Iterable[str]) -> None:
    """Raise an OptionError for what the kind of engine has no option for."""
    allowed = list(allowed)
    for name in options:
        if name not in allowed:
            raise OptionError(f"{kind} has no option {name!r}{suggest(name, allowed)}")


def _value(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text

"""Engines by name, as the command line has them, or by a configuration file.

    engine.toml                               kind = "elasticsearch", and its options
    elasticsearch+http://localhost:9200/docs  the short form of a kind
    sqlite:index.db
    python:my_module:search

A `${NAME}` within a text stands for an environment variable, so that no password need be in the
file or on the command line. Results show such a text as it was written.
"""

from __future__ import annotations

import inspect
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cleverdon.engine.adapters import KINDS, Adapter
from cleverdon.engine.adapters.option_types import check_types
from cleverdon.engine.callables import as_engine
from cleverdon.engine.protocol import Engine
from cleverdon.engine.secrets import FromEnvironment, masked_url
from cleverdon.errors import InputError, OptionError, suggest

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SCHEME = re.compile(r"([a-z0-9]+)[:+]")


def open_engine(given: Any) -> Engine:
    """The engine that is meant: by its name, a configuration, a function, or itself.

    >>> open_engine("sqlite:index.db").name
    'sqlite'
    """
    if isinstance(given, (str, os.PathLike)):
        text = os.fspath(given)
        return _from_file(Path(text)) if text.endswith(".toml") else _from_short(text)
    if isinstance(given, Mapping):
        return _made(given, source="")
    return as_engine(given)


def _from_short(text: str) -> Engine:
    scheme = _SCHEME.match(text)
    named = scheme[1] if scheme else ""
    kind = KINDS.get("http" if named == "https" else named)
    if kind is None and scheme is None and (Path(text).exists() or "." in text):
        raise OptionError(
            f"{text!r} is no engine; a configuration is a file that ends in .toml, and an index "
            f"has its kind before it, as in sqlite:{text}"
        )
    if kind is None:
        forms = ", ".join(kind.short for kind in KINDS.values())
        near = suggest(named, KINDS) if scheme else ""
        near = near if "did you mean" in near else ""
        raise OptionError(
            f"{masked_url(text)!r} is no engine{near}; an engine is named as one of: {forms}"
        )
    adapter = kind.load()
    return _opened(adapter, adapter.short(text))


def _from_file(path: Path) -> Engine:
    source = str(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
        read = tomllib.loads(text)
    except FileNotFoundError:
        raise InputError("there is no such configuration of an engine", source=source) from None
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"line (\d+)", str(error))
        line = int(at[1]) if at else None
        raise InputError(
            f"this is not TOML: {error}; a line is NAME = VALUE, and texts stand in quotes, as in "
            'kind = "http"',
            source=source,
            line=line,
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {error}", source=source) from None
    read.setdefault("name", path.stem)
    return _made(read, source=source, text=text)


def _made(read: Mapping[str, Any], *, source: str, text: str = "") -> Engine:
    def wrong(message: str, word: str) -> InputError:
        variable = _VARIABLE.search(message)
        named = re.compile(rf"\s*(\[\s*)?[\"']?{re.escape(word)}\b")
        lines = (
            at
            for at, line in enumerate(text.splitlines(), 1)
            if (variable[0] in line if variable else named.match(line))
        )
        return InputError(message, source=source, line=next(lines, None))

    options = dict(read)
    kind = options.pop("kind", None)
    if kind is None:
        raise wrong(f'says no kind of engine; kind = "..." can be {", ".join(KINDS)}', "kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise wrong(f"kind {kind!r} is not known{suggest(str(kind), KINDS)}", "kind")
    adapter = KINDS[kind].load()
    parameters = inspect.signature(adapter).parameters
    for option in options:
        if option not in parameters:
            raise wrong(f"{kind} has no option {option!r}{suggest(option, parameters)}", option)
    for name, parameter in parameters.items():
        if parameter.default is inspect.Parameter.empty and name not in options:
            raise wrong(f"an engine of kind {kind} needs {name}: add {name} = ...", "kind")
    try:
        return _opened(adapter, options)
    except OptionError as error:
        word = re.match(r"\w+", str(error))
        raise wrong(str(error), word[0] if word else "kind") from None


def _opened(adapter: Adapter, options: Mapping[str, Any]) -> Engine:
    check_types(adapter, options)
    return adapter(**_expanded(options))


def _expanded(value: Any) -> Any:
    """The value, with what the environment says in the place of variables."""
    if isinstance(value, str):
        names = _VARIABLE.findall(value)
        if not names:
            return value
        said = {name: _said(name) for name in names}
        text = _VARIABLE.sub(lambda match: said[match[1]], value)
        return FromEnvironment(text, written=value, values=said.values())
    if isinstance(value, Mapping):
        return {name: _expanded(held) for name, held in value.items()}
    if isinstance(value, list):
        return [_expanded(held) for held in value]
    return value


def _said(name: str) -> str:
    try:
        return os.environ[name]
    except KeyError:
        raise OptionError(
            f"${{{name}}}: there is no environment variable {name}; set it first, "
            f"as by export {name}=..."
        ) from None

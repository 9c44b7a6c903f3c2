"""Engines by name, as on the command line, or by a configuration file.

    engine.toml                               kind = "elasticsearch", and its options
    elasticsearch+http://localhost:9200/docs  the short form of a kind
    sqlite:index.db
    python:my_module:search

A `${NAME}` within a text stands for an environment variable, so that no password need be in the
file or on the command line. Results show such a text as it was written. An adapter's module is
imported when an engine of its kind is opened.
"""

from __future__ import annotations

import inspect
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

from cleverdon.engines.adapters import FromEnvironment, check_option_types, masked_url
from cleverdon.engines.adapters.python import as_engine
from cleverdon.engines.protocol import Engine
from cleverdon.errors import InputError, OptionError, suggest


class _Adapter(Protocol):
    """A class of engines, whose keywords are its options; a wrong value is an `OptionError`."""

    def __call__(self, **options: Any) -> Engine: ...

    def short(self, text: str) -> Mapping[str, Any]:
        """Parse the short form into options."""


@dataclass(frozen=True)
class EngineKind:
    """A kind of engine: description, short form, and the place of its class."""

    what: str
    short: str
    home: str  # module:class, within cleverdon.engines.adapters

    def load(self) -> _Adapter:
        module, _, name = self.home.partition(":")
        return cast(_Adapter, getattr(import_module(f"cleverdon.engines.adapters.{module}"), name))


ENGINE_KINDS = {
    "http": EngineKind("any HTTP endpoint, by a configuration file", "engine.toml", "http:Http"),
    "elasticsearch": EngineKind(
        "Elasticsearch's _search",
        "elasticsearch+http://HOST:9200/INDEX",
        "elasticsearch:Elasticsearch",
    ),
    "opensearch": EngineKind(
        "OpenSearch's _search", "opensearch+http://HOST:9200/INDEX", "elasticsearch:OpenSearch"
    ),
    "solr": EngineKind(
        "Solr's select handler", "solr+http://HOST:8983/solr/COLLECTION", "solr:Solr"
    ),
    "vespa": EngineKind("Vespa's query API", "vespa+http://HOST:8080/DOCUMENT_TYPE", "vespa:Vespa"),
    "postgresql": EngineKind(
        "PostgreSQL full-text search",
        "postgresql://USER@HOST/DATABASE?table=TABLE",
        "postgresql:PostgreSQL",
    ),
    "sqlite": EngineKind("SQLite's FTS5", "sqlite:FILE", "sqlite:SQLite"),
    "tantivy": EngineKind("a tantivy index", "tantivy:FOLDER", "tantivy:Tantivy"),
    "bm25s": EngineKind("a bm25s index", "bm25s:FOLDER", "bm25s:BM25S"),
    "command": EngineKind(
        "a command that reads queries and writes TREC lines",
        "command:PROGRAM ARGUMENTS",
        "command:Command",
    ),
    "python": EngineKind(
        "a function of a Python module", "python:MODULE:FUNCTION", "python:Python"
    ),
}
"""All of them."""
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SCHEME = re.compile(r"([a-z0-9]+)[:+]")
_NAMED_ENGINE = re.compile(r"([^=:/?]+)=(.+)", flags=re.DOTALL)


def open_engine(given: Any) -> Engine:
    """Open a search engine.

    Args:
        given: "sqlite:index.db" or "engine.toml", with a name "mine=engine.toml"; a configuration
            as a dict, a function `search(query, k)`, an object with such a method, or an engine.

    Returns:
        The engine. Adapters connect when it is first used with `async with`.

    Raises:
        OptionError: No engine has this name, or an option is wrong.
        InputError: The configuration file cannot be read.

    >>> open_engine("sqlite:index.db").name
    'sqlite'
    """
    if isinstance(given, (str, os.PathLike)):
        name, text = _split_engine_name(os.fspath(given))
        opened = _from_file(Path(text)) if text.endswith(".toml") else _from_short(text)
        opened.name = name or opened.name
        return opened
    if isinstance(given, Mapping):
        return _from_options(given, source="")
    return as_engine(given)


def _split_engine_name(given: str) -> tuple[str, str]:
    """Split NAME=ENGINE; the name is empty unless an engine follows the sign.

    >>> _split_engine_name("old=sqlite:index.db")
    ('old', 'sqlite:index.db')
    """
    found = _NAMED_ENGINE.fullmatch(given)
    if found is None or os.path.exists(given):
        return "", given
    name, rest = found.groups()
    is_engine = rest.endswith(".toml") or re.split("[:+]", rest, maxsplit=1)[0] in ENGINE_KINDS
    return (name, rest) if is_engine else ("", given)


def _from_short(text: str) -> Engine:
    scheme = _SCHEME.match(text)
    named = scheme[1] if scheme else ""
    kind = ENGINE_KINDS.get("http" if named == "https" else named)
    if kind is None and scheme is None and (Path(text).exists() or "." in text):
        raise OptionError(
            f"{text!r} is not an engine; a configuration is a file that ends in .toml, and an "
            f"index has its kind before it, as in sqlite:{text}"
        )
    if kind is None:
        forms = ", ".join(kind.short for kind in ENGINE_KINDS.values())
        near = suggest(named, ENGINE_KINDS) if scheme else ""
        near = near if "did you mean" in near else ""
        raise OptionError(
            f"{masked_url(text)!r} is not an engine{near}; an engine is named as one of: {forms}"
        )
    adapter = kind.load()
    return _open_adapter(adapter, adapter.short(text))


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
    return _from_options(read, source=source, text=text)


def _from_options(read: Mapping[str, Any], *, source: str, text: str = "") -> Engine:
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
        raise wrong(
            f'says no kind of engine; kind = "..." can be {", ".join(ENGINE_KINDS)}', "kind"
        )
    if not isinstance(kind, str) or kind not in ENGINE_KINDS:
        raise wrong(f"kind {kind!r} is not known{suggest(str(kind), ENGINE_KINDS)}", "kind")
    adapter = ENGINE_KINDS[kind].load()
    parameters = inspect.signature(adapter).parameters
    for option in options:
        if option not in parameters:
            raise wrong(f"{kind} has no option {option!r}{suggest(option, parameters)}", option)
    for name, parameter in parameters.items():
        if parameter.default is inspect.Parameter.empty and name not in options:
            raise wrong(f"an engine of kind {kind} needs {name}: add {name} = ...", "kind")
    try:
        return _open_adapter(adapter, options)
    except OptionError as error:
        word = re.match(r"\w+", str(error))
        raise wrong(str(error), word[0] if word else "kind") from None


def _open_adapter(adapter: _Adapter, options: Mapping[str, Any]) -> Engine:
    check_option_types(adapter, options)
    return adapter(**_expand_variables(options))


def _expand_variables(value: Any) -> Any:
    if isinstance(value, str):
        names = _VARIABLE.findall(value)
        if not names:
            return value
        said = {name: _variable(name) for name in names}
        text = _VARIABLE.sub(lambda match: said[match[1]], value)
        return FromEnvironment(text, written=value, values=said.values())
    if isinstance(value, Mapping):
        return {name: _expand_variables(held) for name, held in value.items()}
    if isinstance(value, list):
        return [_expand_variables(held) for held in value]
    return value


def _variable(name: str) -> str:
    try:
        return os.environ[name]
    except KeyError:
        raise OptionError(
            f"${{{name}}}: there is no environment variable {name}; set it first, "
            f"as by export {name}=..."
        ) from None

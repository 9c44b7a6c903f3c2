"""The engines that Cleverdon can ask, by kind. A class is loaded when it is called for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, cast

from cleverdon.engine.protocol import Engine


class Adapter(Protocol):
    """A class of engines.

    Its constructor's options are keywords with plain values, which are what a configuration may
    say, and `name`; a value that cannot be is an `OptionError`.
    """

    def __call__(self, **options: Any) -> Engine: ...

    def short(self, text: str) -> Mapping[str, Any]:
        """The options that the short form stands for, of which `text` is all of it."""
        ...


@dataclass(frozen=True)
class Kind:
    """A kind of engine: what it is, how it is named in short, and where its class lives."""

    what: str
    short: str
    home: str  # module:class, within this package

    def load(self) -> Adapter:
        """The class."""
        module, _, name = self.home.partition(":")
        return cast(Adapter, getattr(import_module(f"cleverdon.engine.adapters.{module}"), name))


KINDS = {
    "http": Kind("any HTTP endpoint, by a configuration file", "engine.toml", "http:Http"),
    "elasticsearch": Kind(
        "Elasticsearch's _search", "elasticsearch+http://HOST:9200/INDEX", "elastic:Elasticsearch"
    ),
    "opensearch": Kind(
        "OpenSearch's _search", "opensearch+http://HOST:9200/INDEX", "elastic:OpenSearch"
    ),
    "solr": Kind("Solr's select handler", "solr+http://HOST:8983/solr/COLLECTION", "solr:Solr"),
    "vespa": Kind("Vespa's query API", "vespa+http://HOST:8080/DOCUMENT_TYPE", "vespa:Vespa"),
    "postgresql": Kind(
        "PostgreSQL full-text search",
        "postgresql://USER@HOST/DATABASE?table=TABLE",
        "postgresql:PostgreSQL",
    ),
    "sqlite": Kind("SQLite's FTS5", "sqlite:FILE", "sqlite:SQLite"),
    "tantivy": Kind("a tantivy index", "tantivy:FOLDER", "tantivy:Tantivy"),
    "bm25s": Kind("a bm25s index", "bm25s:FOLDER", "bm25s:BM25S"),
    "command": Kind(
        "a command that reads queries and writes TREC lines",
        "command:PROGRAM ARGUMENTS",
        "command:Command",
    ),
    "python": Kind("a function of a Python module", "python:MODULE:FUNCTION", "python:Python"),
}
"""All of them."""

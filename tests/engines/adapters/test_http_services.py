"""What holds for every engine over HTTP."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.engines.adapters.elasticsearch import Elasticsearch, OpenSearch
from cleverdon.engines.adapters.http import Http, HttpService, IndexedService
from cleverdon.engines.adapters.solr import Solr
from cleverdon.engines.adapters.vespa import Vespa
from cleverdon.engines.protocol import Document, SearchFailure
from cleverdon.errors import InputError
from tests.engines.servers import Asked, Reply, serve, shape

PRESETS: tuple[Callable[..., IndexedService], ...] = (Elasticsearch, OpenSearch, Solr, Vespa)
ENGINES: list[HttpService] = [made(url="http://h/docs") for made in PRESETS]
ENGINES.append(Http(url="http://h/{query}", ids="$.hits[*].id", scores="$.hits[?(@.n > 1)].n"))

ELASTIC = (
    "hits",
    "_shards",
    "_clusters",
    "total",
    "successful",
    "failures",
    "timed_out",
    "_id",
    "_score",
)
SOLR = ("response", "responseHeader", "partialResults", "docs", "id", "score")
VESPA = ("root", "children", "fields", "coverage", "full", "degraded", "errors", "relevance")
NAMES = st.sampled_from((*ELASTIC, *SOLR, *VESPA, "n"))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | st.text(max_size=3),
    lambda held: st.lists(held, max_size=3) | st.dictionaries(NAMES, held, max_size=4),
    max_leaves=20,
)


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.kind)
@given(VALUES)
def test_any_answer_is_results_or_a_failure(engine: HttpService, answer: Any) -> None:
    try:
        results = engine.read(answer, 10)
    except SearchFailure:
        return
    assert all(type(doc) is str and type(score) is float for doc, score in results)


@pytest.mark.parametrize("made", PRESETS)
def test_what_is_another_engine_is_said_so(made: Callable[..., IndexedService]) -> None:
    with serve(Reply({"tagline": "You Know, for Something Else"})) as server:
        engine = made(url=f"{server.url}/docs")
        with pytest.raises(InputError, match=f"is it {engine.kind} that is at {server.url}"):
            engine.index([Document("d", "", "")])


def test_large_batches_are_sent_whole() -> None:
    def answer(request: Asked) -> Reply:
        names = {"_count": "elasticsearch_no_index", "_bulk": "elasticsearch_bulk"}
        name = names.get(request.path.rpartition("/")[2], "elasticsearch_count")
        return Reply(shape(name), status=404 if name == "elasticsearch_no_index" else 200)

    with serve(then=answer) as server:
        Elasticsearch(url=f"{server.url}/docs").index([Document("d", "", "x" * 3_000_000)])
    assert len(server.requests[2].body) > 3_000_000


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("http://[::1]:9200/docs", "http://[::1]:9200/docs"),
        ("http://Example.ORG/docs/", "http://example.org/docs"),
        ("http://bücher.example/docs", "http://xn--bcher-kva.example/docs"),
        ("http://h/a b/docs#there", "http://h/a%20b/docs"),
    ],
)
def test_places_are_written_in_many_ways(url: str, place: str) -> None:
    request = Elasticsearch(url=url).request()
    assert request.url.fill("q", 1) == f"{place}/_search"


@pytest.mark.parametrize(
    ("module", "package"), [("aiohttp", "aiohttp"), ("jsonpath_ng", "jsonpath-ng")]
)
def test_what_is_not_installed_is_named(module: str, package: str) -> None:
    program = f"""
import sys
sys.modules[{module!r}] = None
from cleverdon.engines.configuration import open_engine
from cleverdon.errors import MissingExtra
try:
    open_engine("elasticsearch+http://h/docs")
except MissingExtra as missing:
    print(missing)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert (
        f"needs {package}, which is not installed: pip install 'cleverdon[engine]'" in done.stdout
    )


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.kind)
def test_limits_of_connections_are_room(engine: HttpService) -> None:
    assert engine.set_concurrency(64) == 64
    limited = Elasticsearch(url="http://h/docs", connections=8)
    assert (limited.set_concurrency(64), limited.set_concurrency(3)) == (8, 3)

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from cleverdon.engines.adapters.solr import Solr, _escape_query
from cleverdon.engines.configuration import open_engine
from cleverdon.engines.protocol import Document
from cleverdon.errors import InputError, OptionError
from tests.engines.adapters.http_queries import asked, failed
from tests.engines.servers import Asked, Reply, Server, serve, shape

DOCUMENTS = [Document("d1", "One", "first"), Document("d2", "Two", "second")]


def solr(server: Server, **options: Any) -> Solr:
    return Solr(url=f"{server.url}/solr/docs", **options)


def test_a_search_over_fields() -> None:
    with serve(Reply(shape("solr_search"))) as server:
        engine = open_engine(f"solr+{server.url}/solr/docs?fields=title^2,text&params.mm=2")
        assert asked(engine, "C++ (or: {!x} &q=1", 7).results == [("d17", 4.1234), ("d3", 0.75)]
    parts = urlsplit(server.requests[0].path)
    assert parts.path == "/solr/docs/select"
    assert parse_qs(parts.query) == {
        "q": ["C++ (or: {!x} &q=1"],
        "rows": ["7"],
        "fl": ["id,score"],
        "wt": ["json"],
        "defType": ["edismax"],
        "omitHeader": ["false"],
        "qf": ["title^2 text"],
        "mm": ["2"],
    }


def test_lucenes_syntax_is_no_matter_of_users() -> None:
    with serve(Reply(shape("solr_nothing"))) as server:
        assert asked(solr(server, parser="lucene"), 'a:"b" OR [c').results == []
    assert parse_qs(urlsplit(server.requests[0].path).query)["q"] == ['a\\:\\"b\\" or \\[c']
    assert _escape_query("ANDROID and OR") == "ANDROID and or"


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (Reply(shape("solr_partial")), "server: a partial answer: Limits exceeded!"),
        (Reply(shape("solr_refused"), status=400), "refused: 400: undefined field titel"),
        (
            Reply({**shape("solr_nothing"), "responseHeader": {"partialResults": True}}),
            "server: a partial answer: time was up",
        ),
        (  # with partialResults=false among the params
            Reply({**shape("solr_nothing"), "responseHeader": {"partialResults": "omitted"}}),
            "server: a partial answer: time was up",
        ),
        (Reply({"responseHeader": {"status": 0}}), "missing: $.response.docs[*].'id' ends at $"),
        (Reply([1]), "missing: $.response.docs[*].'id' ends at $"),
    ],
)
def test_what_is_no_whole_answer_fails(reply: Reply, expected: str) -> None:
    with serve(reply) as server:
        assert failed(solr(server)).startswith(expected)


def test_a_limit_that_was_asked_for_is_no_failure() -> None:
    with serve(Reply(shape("solr_enough"))) as server:
        engine = solr(server, params={"maxHitsAllowed": 1})
        assert asked(engine).results == [("d3", 1.0)]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"url": "http://h:8983"}, "url=.*ends in the name of the collection"),
        ({"parser": "simple"}, "parser='simple' is not known"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        Solr(**{"url": "http://h:8983/solr/docs", **options})


def node(held: int | None, **answers: str) -> Callable[[Asked], Reply]:
    """A node whose core holds so many documents, or is not there."""

    def answer(request: Asked) -> Reply:
        path = urlsplit(request.path).path
        if path == "/solr/docs/select" and held is None:
            return Reply(b"<html><title>Error 404 Not Found</title></html>", status=404)
        if path == "/solr/docs/select":
            found = shape("solr_nothing")
            found["response"]["numFound"] = held
            return Reply(found)
        return Reply(shape(answers.get(path.rpartition("/")[2], "solr_updated")))

    return answer


def test_documents_are_indexed() -> None:
    with serve(then=node(0)) as server:
        solr(server, id="key").index(DOCUMENTS)
    assert [request.path for request in server.requests[1:]] == [
        "/solr/docs/update",
        "/solr/docs/update?commit=true&openSearcher=true&waitSearcher=true",
    ]
    assert server.requests[1].json == [
        {"key": "d1", "title": "One", "text": "first"},
        {"key": "d2", "title": "Two", "text": "second"},
    ]


def test_documents_are_not_lost_unasked() -> None:
    with serve(then=node(7)) as server:
        with pytest.raises(OptionError, match=r"holds 7 documents already"):
            solr(server).index(DOCUMENTS)
        assert len(server.requests) == 1
        solr(server, replace=True).index(DOCUMENTS)
    assert server.requests[2].path == "/solr/docs/update?commit=true"
    assert server.requests[2].json == {"delete": {"query": "*:*"}}


def test_collections_are_made_by_users() -> None:
    with (
        serve(then=node(None)) as server,
        pytest.raises(InputError, match=r"no collection or core 'docs'.*solr create -c docs"),
    ):
        solr(server).index(DOCUMENTS)


def test_updates_that_are_refused_are_told() -> None:
    refused = Reply(shape("solr_refused"), status=400)
    with (
        serve(Reply(shape("solr_nothing")), refused) as server,
        pytest.raises(InputError, match=r"solr: .*: refused: 400: undefined field titel"),
    ):
        solr(server).index(DOCUMENTS)


def test_the_size_is_that_of_one_replica_of_all_shards() -> None:
    with serve(then=node(1, cores="solr_cores")) as server:
        assert solr(server).size() == 8429726
    with serve(then=node(1, cores="solr_cloud_cores", collections="solr_cluster")) as server:
        assert solr(server).size() == 9000


def test_shards_of_other_nodes_cannot_be_measured() -> None:
    cores = shape("solr_cloud_cores")
    del cores["status"]["docs_shard2_replica_n2"]
    with serve(Reply(cores), Reply(shape("solr_cluster"))) as server:
        assert solr(server).size() is None

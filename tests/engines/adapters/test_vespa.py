from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from cleverdon.engines.adapters import http
from cleverdon.engines.adapters.vespa import Vespa
from cleverdon.engines.configuration import open_engine
from cleverdon.engines.protocol import Document
from cleverdon.errors import InputError, OptionError
from tests.engines.adapters.http_queries import asked, failed
from tests.engines.servers import Reply, Server, serve, shape


def vespa(server: Server, **options: Any) -> Vespa:
    return Vespa(url=f"{server.url}/doc", **options)


def test_a_search_has_the_query_beside_its_yql() -> None:
    with serve(Reply(shape("vespa_search"))) as server:
        engine = open_engine(f"vespa+{server.url}/doc?ranking=bm25&params.timeout=2s")
        assert asked(engine, '"; drop', 7).results == [("d17", 0.4321), ("d3", 0.1)]
    assert server.requests[0].path == "/search/"
    assert server.requests[0].json == {
        "yql": "select documentid from doc where userQuery()",
        "query": '"; drop',
        "hits": 7,
        "timeout": "2s",
        "ranking": "bm25",
    }


def test_ids_may_be_a_field() -> None:
    with serve(Reply(shape("vespa_search"))) as server:
        assert asked(vespa(server, id="number")).results == [("17", 0.4321), ("3", 0.1)]
    assert server.requests[0].json["yql"] == "select number from doc where userQuery()"


def test_ids_that_are_none_of_documents_are_refused() -> None:
    found = shape("vespa_search")
    found["root"]["children"][0]["id"] = "index:content/0/c4ca4238a0b923820dcc509a"
    with serve(Reply(found)) as server:
        assert "name the field that has it: id = ..." in failed(vespa(server))


def test_nothing_found_is_an_answer() -> None:
    with serve(Reply(shape("vespa_nothing"))) as server:
        assert asked(vespa(server)).results == []


def test_a_limit_of_the_rank_profile_is_no_failure() -> None:
    limited = shape("vespa_degraded")
    limited["root"]["coverage"]["degraded"] |= {"match-phase": True, "timeout": False}
    with serve(Reply(limited)) as server:
        assert asked(vespa(server)).results == [("d3", 0.1)]


@pytest.mark.parametrize(
    ("answer", "status", "expected"),
    [
        ("vespa_degraded", 200, "server: a partial answer: 60% of documents (timeout)"),
        ("vespa_moving", 200, "server: a partial answer: 90% of documents (non-ideal-state)"),
        ("vespa_timed_out", 200, "server: Error in execution of chain 'content'"),
        ("vespa_timed_out", 504, "server: 504: Error in execution of chain 'content'"),
        ("vespa_no_backend", 503, "overloaded: 503: No backends in service. Try later"),
        ("vespa_refused", 400, "refused: 400: 1000 hits requested, configured limit: 400."),
        ("solr_nothing", 200, "missing: $.root.children[*].id ends at $: no 'root'"),
    ],
)
def test_what_is_no_whole_answer_fails(answer: str, status: int, expected: str) -> None:
    with serve(Reply(shape(answer), status=status)) as server:
        assert failed(vespa(server)).startswith(expected)


def test_documents_are_indexed() -> None:
    with serve(Reply(shape("vespa_nothing")), Reply(shape("vespa_put"))) as server:
        vespa(server, namespace="news", id="key").index([Document("a/1", "One", "first")])
    assert server.requests[0].json["yql"] == "select documentid from doc where true"
    assert server.requests[1].path == "/document/v1/news/doc/docid/a%2F1"
    assert server.requests[1].json == {"fields": {"title": "One", "text": "first", "key": "a/1"}}


def test_a_busy_engine_is_given_the_document_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "_PATIENCE", replace(http._PATIENCE, pause=0.01))
    busy = Reply(shape("vespa_put_busy"), 429)
    with serve(Reply(shape("vespa_nothing")), busy, busy, Reply(shape("vespa_put"))) as server:
        vespa(server).index([Document("d1", "One", "first")])
    assert len(server.requests) == 4


def test_documents_are_not_lost_unasked() -> None:
    found, done = Reply(shape("vespa_search")), Reply({"pathId": "/document/v1/doc/doc/docid"})
    with serve(found) as server:
        with pytest.raises(OptionError, match="holds 2 documents already"):
            vespa(server).index([])
        with pytest.raises(OptionError, match="cluster: "):
            vespa(server, replace=True).index([])
    more = Reply({"pathId": "/document/v1/doc/doc/docid", "continuation": "AA=="})
    with serve(found, more, done) as server:
        vespa(server, replace=True, cluster="content").index([])
    deleted = "/document/v1/doc/doc/docid?selection=true&cluster=content"
    assert [(request.method, request.path) for request in server.requests[1:]] == [
        ("DELETE", deleted),
        ("DELETE", f"{deleted}&continuation=AA%3D%3D"),
    ]


def test_documents_that_are_refused_are_told() -> None:
    with (
        serve(Reply(shape("vespa_nothing")), Reply(shape("vespa_put_refused"), 400)) as server,
        pytest.raises(InputError, match="refused: 400: No field 'text'"),
    ):
        vespa(server).index([Document("d1", "", "")])


def test_the_size_cannot_be_known() -> None:
    with serve(Reply()) as server:
        assert vespa(server).size() is None

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from cleverdon.engines.adapters import http
from cleverdon.engines.adapters.elasticsearch import Elasticsearch, OpenSearch
from cleverdon.engines.configuration import open_engine
from cleverdon.engines.protocol import Document
from cleverdon.errors import InputError, OptionError
from tests.engines.adapters.http_queries import asked, failed
from tests.engines.servers import Asked, Reply, Server, serve, shape

DOCUMENTS = [Document(f"d{number}", f"Title {number}", 'Text "ü"') for number in range(1, 4)]


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "_PATIENCE", replace(http._PATIENCE, pause=0.01))


def elastic(server: Server, **options: Any) -> Elasticsearch:
    return Elasticsearch(url=f"{server.url}/docs", **options)


def test_a_search_over_fields() -> None:
    with serve(Reply(shape("elasticsearch_search"))) as server:
        engine = elastic(server, fields=["title^2", "text"])
        found = asked(engine, 'a "query"', 7).results
    assert found == [("d17", 2.8717446), ("d3", 1.25), ("d11", 0.5753642)]
    assert server.requests[0].path == "/docs/_search"
    assert server.requests[0].json == {
        "size": 7,
        "_source": False,
        "track_total_hits": False,
        "query": {
            "multi_match": {
                "query": 'a "query"',
                "operator": "or",
                "type": "best_fields",
                "fields": ["title^2", "text"],
            }
        },
    }


def test_a_search_of_ones_own() -> None:
    body = {
        "query": {"match": {"text": "{query}"}},
        "track_total_hits": True,
        "_source": ["number"],
    }
    with serve(Reply({"hits": {"hits": [{"_source": {"number": 3}}]}})) as server:
        ids = "$.hits.hits[*]._source.number"
        engine = elastic(server, body=body, ids=ids, scores="", params={"routing": "a b"})
        assert asked(engine, "heat", 5).results == [("3", 5.0)]
    assert server.requests[0].path == "/docs/_search?routing=a%20b"
    assert server.requests[0].json == {
        "size": 5,
        "_source": ["number"],
        "track_total_hits": True,
        "query": {"match": {"text": "heat"}},
    }


def test_opensearch_is_asked_in_the_same_way() -> None:
    with serve(Reply(shape("opensearch_search"))) as server:
        engine = open_engine(f"opensearch+{server.url}/docs")
        assert asked(engine).results == [("d3", 1.3862942), ("d17", 0.2876821)]
    assert isinstance(engine, OpenSearch)
    assert engine.name == "opensearch"
    assert "fields" not in server.requests[0].json["query"]["multi_match"]


def test_nothing_found_is_an_answer() -> None:
    with serve(Reply(shape("elasticsearch_nothing"))) as server:
        assert asked(elastic(server)).results == []


@pytest.mark.parametrize(
    ("answer", "status", "expected"),
    [
        ("elasticsearch_timed_out", 200, "server: a partial answer: the search timed out"),
        (
            "elasticsearch_shard_failed",
            200,
            "server: a partial answer: 1 of 2 shards did not answer: field [text] has no norms",
        ),
        (
            "elasticsearch_unassigned",
            200,
            "server: a partial answer: 1 of 2 shards did not answer",
        ),
        (
            "elasticsearch_cluster_skipped",
            200,
            "server: a partial answer: 1 of 2 clusters did not answer",
        ),
        ("elasticsearch_no_index", 404, "refused: 404: no such index [docs]"),
        ("elasticsearch_rejected", 429, "overloaded: 429: rejected execution of TimedRunnable"),
        ("opensearch_rejected", 429, "overloaded: 429: rejected execution of coordinating"),
    ],
)
def test_what_is_no_whole_answer_fails(answer: str, status: int, expected: str) -> None:
    with serve(Reply(shape(answer), status=status)) as server:
        assert failed(elastic(server)).startswith(expected)


def test_half_an_answer_is_asked_for_again() -> None:
    half = Reply(shape("elasticsearch_timed_out"))
    with serve(half, half, Reply(shape("elasticsearch_search"))) as server:
        answer = asked(elastic(server))
    assert answer.tries == 3
    assert answer.results is not None
    assert len(answer.results) == 3


def test_keys_are_sent_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ES_KEY", "c2VjcmV0LWtleQ==")
    with serve(Reply({"error": "bad key c2VjcmV0LWtleQ=="}, status=401)) as server:
        engine = open_engine(f"elasticsearch+{server.url}/docs?api_key=${{ES_KEY}}")
        assert failed(engine) == "refused: 401: bad key ***"
    assert server.requests[0].headers["authorization"] == "ApiKey c2VjcmV0LWtleQ=="
    assert engine.settings == {"kind": "elasticsearch", "url": f"{server.url}/docs"}
    with pytest.raises(OptionError, match="api_key: and a user"):
        elastic(server, api_key="k", user="ann")
    with pytest.raises(OptionError, match=r"headers: Authorization, and a user or key"):
        elastic(server, api_key="k", headers={"Authorization": "x"})


def test_the_short_form_has_options() -> None:
    short = "elasticsearch+https://h:9200/es/docs?fields=title^2,text&operator=and&replace=true"
    assert Elasticsearch.short(short + "&password=007&params.routing=a&connections=8") == {
        "url": "https://h:9200/es/docs",
        "fields": "title^2,text",
        "operator": "and",
        "replace": True,
        "password": "007",
        "params": {"routing": "a"},
        "connections": 8,
    }
    with serve(Reply(shape("elasticsearch_nothing"))) as server:
        assert asked(open_engine(f"elasticsearch+{server.url}/docs?fields=a^2, b")).results == []
    assert server.requests[0].json["query"]["multi_match"]["fields"] == ["a^2", "b"]
    with pytest.raises(OptionError, match="elasticsearch has no option 'field'; did you mean 'fie"):
        open_engine("elasticsearch+http://h/docs?field=a")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"url": "http://h:9200"}, "url=.*expected one that ends in the name of the index"),
        ({"url": "http://h:9200/"}, "url=.*expected one that ends in the name of the index"),
        ({"url": "http://h:9200/docs?a=b"}, "url=.*without a question mark"),
        ({"operator": "nor"}, "operator='nor' is not known"),
        ({"fields": 3}, "fields: expected a list of texts, found a whole number"),
        ({"body": "x"}, "body: expected a table, found a text"),
        ({"body": {"query": {"match_all": {}}}}, "body: nothing says where the query goes"),
        ({"replace": "yes"}, "replace: expected true or false, found a text"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        Elasticsearch(**{"url": "http://h:9200/docs", **options})


def cluster(
    held: int | None, bulk: Callable[[int], Any] = lambda _: shape("elasticsearch_bulk")
) -> Callable[[Asked], Reply]:
    """A cluster whose index holds so many documents, or is not there."""
    bulks = 0

    def answer(request: Asked) -> Reply:
        nonlocal bulks
        if request.path == "/docs/_count" and held is None:
            return Reply(shape("elasticsearch_no_index"), status=404)
        if request.path == "/docs/_count":
            return Reply({**shape("elasticsearch_count"), "count": held})
        if request.path == "/docs/_bulk":
            bulks += 1
            return Reply(bulk(bulks))
        if request.path == "/docs/_segments":
            return Reply(shape("elasticsearch_segments"))
        if (request.method, request.path) == ("GET", "/docs"):
            return Reply(shape("elasticsearch_described"))
        return Reply({"acknowledged": True})

    return answer


def calls(server: Server) -> list[str]:
    return [f"{request.method} {request.path}" for request in server.requests]


def test_documents_are_indexed() -> None:
    with serve(then=cluster(None)) as server:
        elastic(server).index(DOCUMENTS)
    assert calls(server) == [
        "GET /docs/_count",
        "PUT /docs",
        "POST /docs/_bulk",
        "POST /docs/_refresh",
    ]
    properties = server.requests[1].json["mappings"]["properties"]
    assert properties == {"title": {"type": "text"}, "text": {"type": "text"}}
    lines = [json.loads(line) for line in server.requests[2].body.splitlines()]
    assert lines[:2] == [{"index": {"_id": "d1"}}, {"title": "Title 1", "text": 'Text "ü"'}]
    assert len(lines) == 6
    assert server.requests[2].headers["content-type"] == "application/x-ndjson"


def test_many_documents_go_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Elasticsearch, "batch", 10)
    documents = [Document(str(number), "", "text") for number in range(95)]
    with serve(then=cluster(0)) as server:
        elastic(server).index(iter(documents))
    bulks = [request.body for request in server.requests if request.path == "/docs/_bulk"]
    ids = [json.loads(line)["index"]["_id"] for bulk in bulks for line in bulk.splitlines()[::2]]
    assert len(bulks) == 10
    assert sorted(ids) == sorted(document.id for document in documents)


def test_an_empty_index_is_used_as_it_is() -> None:
    with serve(then=cluster(0)) as server:
        elastic(server).index(DOCUMENTS)
    assert calls(server) == ["GET /docs/_count", "POST /docs/_bulk", "POST /docs/_refresh"]


def test_documents_are_not_lost_unasked() -> None:
    with (
        serve(then=cluster(1234)) as server,
        pytest.raises(OptionError, match=r"holds 1,234 documents already.*replace = true"),
    ):
        elastic(server).index(DOCUMENTS)
    assert calls(server) == ["GET /docs/_count"]


def test_documents_that_cannot_be_counted_are_not_thought_absent() -> None:
    unknown = {"count": 0, "_shards": {"total": 2, "successful": 0, "skipped": 0, "failed": 0}}
    with (
        serve(Reply(unknown)) as server,
        pytest.raises(InputError, match=r"cannot be indexed: .*2 of 2 shards did not answer"),
    ):
        elastic(server).index(DOCUMENTS)


def test_what_is_replaced_keeps_its_settings() -> None:
    with serve(then=cluster(1234)) as server:
        elastic(server, replace=True).index(DOCUMENTS)
    assert calls(server)[1:4] == ["GET /docs", "DELETE /docs", "PUT /docs"]
    described = shape("elasticsearch_described")["docs"]
    assert server.requests[3].json == {
        **described,
        "settings": {"index": {"number_of_shards": "2", "number_of_replicas": "0"}},
    }


def test_an_index_can_be_described() -> None:
    described = {"settings": {"number_of_shards": 1}}
    with serve(then=cluster(None)) as server:
        elastic(server, create_with=described).index([])
    assert server.requests[1].json == described


def test_aliases_are_not_deleted() -> None:
    other = {"docs-7": shape("elasticsearch_described")["docs"]}
    answers = cluster(5)

    def alias(request: Asked) -> Reply:
        return Reply(other) if request.path == "/docs" else answers(request)

    with (
        serve(then=alias) as server,
        pytest.raises(InputError, match="docs is the alias of another index"),
    ):
        elastic(server, replace=True).index(DOCUMENTS)
    assert not any(call.startswith("DELETE") for call in calls(server))


def test_documents_that_are_refused_are_told() -> None:
    with (
        serve(then=cluster(None, lambda _: shape("elasticsearch_bulk_refused"))) as server,
        pytest.raises(InputError) as raised,
    ):
        elastic(server).index(DOCUMENTS)
    assert str(raised.value) == (
        "elasticsearch: the documents cannot be indexed: refused: 1 of 2 documents, the first of "
        "them d2: [1:12] failed to parse field [title] of type [date]"
    )


def test_a_busy_engine_is_given_the_batch_again() -> None:
    answers = ["elasticsearch_bulk_rejected", "elasticsearch_bulk_rejected", "elasticsearch_bulk"]
    with serve(then=cluster(None, lambda number: shape(answers[number - 1]))) as server:
        elastic(server).index(DOCUMENTS)
    assert calls(server).count("POST /docs/_bulk") == 3
    with (
        serve(then=cluster(None, lambda _: shape("elasticsearch_bulk_rejected"))) as server,
        pytest.raises(InputError, match="overloaded: 1 of 1 documents, the first of them d1"),
    ):
        elastic(server).index(DOCUMENTS)
    assert calls(server).count("POST /docs/_bulk") == http._PATIENCE.tries


def test_the_size_is_that_of_one_copy() -> None:
    with serve(then=cluster(100)) as server:
        assert elastic(server).size() == 3800 + 2100
    with serve(Reply(shape("opensearch_segments"))) as server:
        assert OpenSearch(url=f"{server.url}/docs").size() == 4100


def test_a_size_that_cannot_be_had_is_an_error() -> None:
    with (
        serve(Reply(shape("elasticsearch_no_index"), status=404)) as server,
        pytest.raises(InputError, match=r"size of the index cannot be known: refused: 404"),
    ):
        elastic(server).size()

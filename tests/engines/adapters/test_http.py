from __future__ import annotations

import asyncio
import gzip
import json
import socket
import ssl
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from aiohttp import ClientResponseError, ServerTimeoutError

from cleverdon.engines.adapters.http import (
    Http,
    _failure_of_error,
    _failure_reason,
    _parse_retry_after,
)
from cleverdon.engines.configuration import open_engine
from cleverdon.errors import OptionError
from tests.engines.adapters.http_queries import asked, failed
from tests.engines.servers import LOST, Reply, Server, serve

HITS = {"hits": [{"id": "d1", "score": 2.5}, {"id": 7, "score": 1}]}


def http(server: Server, **options: Any) -> Http:
    given = {"url": f"{server.url}/find?q={{query}}&k={{k}}", "ids": "$.hits[*].id"}
    return Http(**{**given, "scores": "$.hits[*].score", **options})


def test_a_search_is_a_request_and_its_answer() -> None:
    with serve(Reply(HITS)) as server:
        answer = asked(http(server, params={"lang": "{k} ü"}), "a&b=ç", 5)
    assert answer.results == [("d1", 2.5), ("7", 1.0)]
    assert (answer.tries, answer.failures) == (1, ())
    parts = urlsplit(server.requests[0].path)
    assert server.requests[0].method == "GET"
    assert parts.path == "/find"
    assert parse_qs(parts.query) == {"q": ["a&b=ç"], "k": ["5"], "lang": ["5 ü"]}


def test_bodies_are_posted() -> None:
    with serve(Reply(HITS)) as server:
        assert asked(
            http(server, url=server.url, body={"q": "{query}", "n": "{k}"}), '"', 3
        ).results
        assert asked(http(server, url=server.url, body="q={query}"), "a b").results
    first, second = server.requests
    assert (first.method, first.path) == ("POST", "/")
    assert first.json == {"q": '"', "n": 3}
    assert first.headers["content-type"] == "application/json"
    assert second.body == b"q=a%20b"
    assert second.headers["content-type"] == "application/x-www-form-urlencoded"


def test_without_scores_they_fall_from_rank_to_rank() -> None:
    with serve(Reply(HITS)) as server:
        assert asked(http(server, scores=""), k=10).results == [("d1", 10.0), ("7", 9.0)]
        assert asked(http(server, scores=""), k=1).results == [("d1", 1.0)]


def test_no_more_than_k_results_and_none_at_all_are_answers() -> None:
    with serve(Reply(HITS), Reply({"hits": []})) as server:
        assert asked(http(server), k=1).results == [("d1", 2.5)]
        assert asked(http(server)).results == []


def test_connections_are_kept_and_limited() -> None:
    with serve(Reply(HITS, delay=0.01)) as server:
        engine = http(server, connections=2)

        async def many() -> None:
            async with engine:
                await asyncio.gather(*(engine.search("q", 10) for _ in range(20)))

        asyncio.run(many())
        assert len(server.requests) == 20
        assert server.connections == 2


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (LOST, "connection: lost to http://127.0.0.1"),
        (Reply(HITS, sent=0.5), "connection: lost within an answer of http://127.0.0.1"),
        (Reply(b"boom", status=500), "server: 500: boom"),
        (Reply(status=502), "server: 502, without a reason"),
        (Reply({"error": "slow down"}, status=429), "overloaded: 429: slow down"),
        (Reply(b"<h1>Busy</h1> now", status=503), "overloaded: 503: Busy now"),
    ],
)
def test_what_may_pass_is_asked_again(reply: Reply, expected: str) -> None:
    with serve(reply, reply, Reply(HITS)) as server:
        answer = asked(http(server, url=server.url, body={"q": "{query}"}))
    assert answer.results == [("d1", 2.5), ("7", 1.0)]
    assert answer.tries == 3
    assert [str(failure)[: len(expected)] for failure in answer.failures] == [expected] * 2
    with serve(reply) as server:
        last = asked(http(server), tries=2)
    assert last.results is None
    assert last.tries == len(server.requests) == 2  # nobody asks again unseen, as aiohttp would
    assert str(last.failure).startswith(expected)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (Reply({"message": "no such word"}, status=400), "refused: 400: no such word"),
        (Reply({"detail": [{"title": "who?"}]}, status=401), "refused: 401: who?"),
        (Reply(b"x" * 500, status=404), f"refused: 404: {'x' * 197}..."),
        (
            Reply(status=302, headers={"Location": "http://ann:pw@elsewhere/"}),
            "refused: 302: moved to http://***@elsewhere/; give that as the url",
        ),
        (Reply(b"<html>"), "malformed: not JSON (Expecting value: line 1 column 1 (char 0)): '<ht"),
        (Reply(json.dumps(HITS).encode()[:20]), "malformed: not JSON"),
        (Reply(b"[" * 100_000), "malformed: not JSON"),
        (Reply(b"\xff\xfe\xfa"), "malformed: not JSON"),
        (
            Reply(HITS, headers={"Content-Encoding": "gzip"}),
            "malformed: the body cannot be decoded",
        ),
        (Reply(raw=b"SMTP ready\r\n\r\n"), "malformed: this is not HTTP"),
        (Reply({"results": []}), "missing: $.hits[*].id ends at $: no 'hits'"),
        (Reply({"hits": [{"id": "d1"}]}), "missing: $.hits[*].score ends at $.hits[*]"),
        (Reply([]), "missing: $.hits[*].id ends at $: no 'hits' in a list of 0"),
        (Reply({"hits": [{"id": None, "score": 1}]}), "malformed: expected an id, found None"),
        (Reply({"hits": [{"id": 1.5, "score": 1}]}), "malformed: expected an id, found 1.5"),
        (Reply({"hits": [{"id": "", "score": 1}]}), "malformed: expected an id, found ''"),
        (Reply({"hits": [{"id": "\ud800", "score": 1}]}), "malformed: expected an id, found '"),
        (Reply({"hits": [{"id": "d", "score": 10**400}]}), "malformed: expected a number as a"),
        (Reply({"hits": [{"id": "d", "score": "1"}]}), "malformed: expected a number as a score"),
        (Reply({"hits": [{"id": "d", "score": True}]}), "malformed: expected a number as a score"),
        (
            Reply(b'{"hits": [{"id": "d", "score": NaN}]}'),
            "malformed: expected a number as a score",
        ),
    ],
)
def test_what_will_not_pass_is_asked_once(reply: Reply, expected: str) -> None:
    with serve(reply, Reply(HITS)) as server:
        answer = asked(http(server))
    assert answer.results is None
    assert answer.tries == len(server.requests) == 1
    assert str(answer.failure).startswith(expected)


def test_ids_and_scores_belong_together() -> None:
    with serve(Reply({"ids": ["d1", "d2"], "scores": [1]})) as server:
        said = failed(http(server, ids="$.ids[*]", scores="$.scores[*]"))
    assert said == "malformed: 2 ids and 1 scores: they do not belong together"


def test_packed_answers_are_unpacked() -> None:
    packed = gzip.compress(json.dumps(HITS).encode())
    with serve(Reply(packed, headers={"Content-Encoding": "gzip"})) as server:
        assert asked(http(server)).results
    assert "accept-encoding" not in server.requests[0].headers


def test_nobody_at_home() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        place = f"127.0.0.1:{unused.getsockname()[1]}"
        said = failed(Http(url=f"http://ann:secret@{place}/?q={{query}}", ids="$.ids[*]"))
    assert said.startswith(f"connection: none to http://{place}: ")
    assert "refused" in said
    nowhere = failed(Http(url="http://nowhere.invalid/?q={query}", ids="$.ids[*]"))
    assert nowhere.startswith("connection: none to http://nowhere.invalid: ")


def test_answers_that_take_too_long_are_given_up() -> None:
    with serve(Reply(HITS, delay=30)) as server:
        engine = http(server)

        async def briefly() -> None:
            async with engine, asyncio.timeout(0.05):
                await engine.search("q", 10)

        with pytest.raises(TimeoutError):
            asyncio.run(briefly())
    late = _failure_of_error(ServerTimeoutError(), "http://h")
    assert str(late) == "timeout: no answer of http://h in time"


def test_other_errors_have_kinds() -> None:
    strange = ClientResponseError(None, (), message="bad line")  # type: ignore[arg-type]
    assert str(_failure_of_error(strange, "h")) == "malformed: this is not HTTP: bad line"
    full = _failure_of_error(OSError(24, "Too many open files"), "http://h")
    assert full.kind == "connection"
    assert "limit `connections`" in str(full)


@pytest.mark.parametrize(
    ("header", "expected"),
    [("2", 2.0), ("0.5", 0.5), ("soon", None), ("-3", None), ("", None), ("inf", None)],
)
def test_how_long_to_wait(header: str, expected: float | None) -> None:
    with serve(Reply(status=503, headers={"retry-after": header})) as server:
        failure = asked(http(server), tries=1).failure
    assert failure is not None
    assert failure.retry_after == expected


def test_how_long_to_wait_may_be_a_date() -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    assert 90 < (_parse_retry_after(soon) or 0) <= 100
    assert _parse_retry_after("Mon, 02 Mar 2020 09:15:30 GMT") == 0
    assert _parse_retry_after("Mon, 02 Mar 2020 09:15:30 -0000") == 0
    assert _parse_retry_after("Mon, 99 Mar 99999 09:15:30 GMT") is None


@pytest.mark.parametrize("body", [b"", b"{}", b"[]", b"null", b'{"error": {"reason": ""}}'])
def test_reasons_may_be_missing(body: bytes) -> None:
    assert _failure_reason(body) in ("", body.decode())


def test_secrets_are_told_to_the_engine_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY", "very-secret-key")
    monkeypatch.setenv("PLACE", "hidden-place")
    echo = Reply({"error": "no rights for Bearer very-secret-key at hidden-place"}, status=403)
    with serve(echo) as server:
        options = {"kind": "http", "url": f"{server.url}/${{PLACE}}?q={{query}}&token=abcdef"}
        options |= {"headers": {"Authorization": "Bearer ${KEY}"}, "ids": "$.ids[*]"}
        options |= {"params": {"api_key": "plain-key", "deep": "${KEY}"}}
        engine = open_engine(options)
        said = failed(engine)
    assert server.requests[0].headers["authorization"] == "Bearer very-secret-key"
    assert "/hidden-place?" in server.requests[0].path
    assert "api_key=plain-key&deep=very-secret-key" in server.requests[0].path
    assert said == "refused: 403: no rights for *** at ***"
    assert engine.settings == {
        "kind": "http",
        "url": f"{server.url}/${{PLACE}}?q={{query}}&token=***",
        "headers": ["Authorization"],
        "ids": "$.ids[*]",
        "params": {"api_key": "***", "deep": "${KEY}"},
    }
    assert "secret" not in repr(engine)
    assert "abcdef" not in repr(engine)


def test_users_are_known_to_the_engine_alone() -> None:
    basic = "Basic YW5uOnAvdyBA"
    with serve(Reply(HITS)) as server:
        inside = server.url.replace("//", "//ann:p%2Fw%20%40@")
        by_url = http(server, url=f"{inside}?q={{query}}")
        beside = http(server, user="ann", password="p/w @")
        assert asked(by_url).results
        assert asked(beside).results
    assert [request.headers["authorization"] for request in server.requests] == [basic, basic]
    for engine in (by_url, beside):
        shown = f"{engine!r} {dict(engine.settings)}"
        assert "p/w" not in shown
        assert "%2Fw" not in shown
    assert by_url.settings["url"] == server.url.replace("//", "//***@") + "?q={query}"
    assert beside.settings["user"] == "ann"
    with serve(Reply(b"wrong: p%2Fw%20%40, p/w @", status=401)) as server:
        assert failed(http(server, user="ann", password="p/w @")) == "refused: 401: wrong: ***, ***"


def test_an_engine_is_opened_before_it_is_searched() -> None:
    engine = Http(url="http://h/?q={query}", ids="$.ids[*]")
    with pytest.raises(OptionError, match="within `async with engine:`"):
        asyncio.run(engine.search("q", 1))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"url": "localhost:9200/?q={query}"}, "url='localhost.*expected http:// or https://"),
        ({"url": "http://h:99999/{query}"}, "url=.*Port out of range"),
        ({"url": "http://{query}/"}, "url=.*nothing can be filled in for a host"),
        ({"url": "http://h/"}, r"url: nothing says where the query goes; write \{query\}"),
        ({"url": 3}, "url: expected a text, found a whole number"),
        ({"method": "PUT"}, "method='PUT' is not known"),
        ({"headers": "X: 1"}, "headers: expected a table, found a text"),
        ({"headers": {"X": "a\nb"}}, "headers: the value of X is not a text on one line"),
        ({"headers": {"X": 1}}, "headers: the value of X is not a text on one line"),
        ({"headers": {"authorization": "x"}, "user": "ann"}, "headers: .*give one of the two"),
        ({"connections": -1}, "connections=-1: expected a whole number"),
        ({"ids": "$.["}, "ids=.*is not a JSONPath"),
        ({"scores": 5}, "scores: expected a text, found a whole number"),
        ({"params": [1]}, "params: expected a table, found a list"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionError, match=said) as raised:
        Http(**{"url": "http://h/?q={query}", "ids": "$.ids[*]", **options})
    assert "a\nb" not in str(raised.value)


def test_certificates_are_read_from_a_file(tmp_path: Path) -> None:
    engine = Http(url="https://h/?q={query}", ids="$.i[*]", ca_file=str(tmp_path / "ca.pem"))

    async def opened() -> None:
        async with engine:
            pass

    with pytest.raises(OptionError, match=r"ca_file=.*cannot be read"):
        asyncio.run(opened())
    (tmp_path / "ca.pem").write_text("nothing", encoding="ascii")
    with pytest.raises(OptionError, match=r"ca_file=.*cannot be read"):
        asyncio.run(opened())
    assert issubclass(ssl.SSLError, OSError)


def test_a_url_alone_is_no_engine() -> None:
    for text in ("http://localhost/find?q={query}", "https://localhost/find"):
        with pytest.raises(OptionError, match="does not say where the results are"):
            open_engine(text)

"""The service that other tests search is itself what it says."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from http.client import RemoteDisconnected
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from tests.engines.service import Service, found


def _ask(service: Service, query: str = "apple") -> bytes:
    with urlopen(f"{service.url}/search?q={query}&k=5", timeout=10) as answer:
        return bytes(answer.read())


def test_it_answers_what_its_index_says(service: Service, index_file: Path) -> None:
    hits = json.loads(_ask(service, "apple+honey"))["hits"]
    with closing(sqlite3.connect(index_file)) as database:
        expected = found(database, "apple honey", 5)
    assert [(hit["id"], hit["score"]) for hit in hits] == expected
    assert len(expected) == 5
    assert json.loads(_ask(service, "nowhere")) == {"hits": []}


def test_what_is_wrong_is_said(service: Service) -> None:
    for path, status in (("/", 404), ("/search", 400), ("/search?q=x&k=y", 400)):
        with pytest.raises(HTTPError) as error:
            urlopen(service.url + path, timeout=10)
        error.value.close()
        assert error.value.code == status


def test_failures_come_when_they_are_told_to(start_service: Callable[..., Service]) -> None:
    service = start_service(
        *("--fail-every", "2", "--status", "429", "--retry-after", "1"),
        *("--drop-every", "3", "--malformed-every", "5"),
    )
    whole = _ask(service)
    with pytest.raises(HTTPError) as error:
        _ask(service)
    error.value.close()
    assert (error.value.code, error.value.headers["Retry-After"]) == (429, "1")
    with pytest.raises(RemoteDisconnected):
        _ask(service)
    with pytest.raises(HTTPError) as error:
        _ask(service)
    error.value.close()
    assert _ask(service) == whole[: len(whole) // 2]
    assert service.requests == 5

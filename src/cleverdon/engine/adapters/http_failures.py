"""What goes wrong over HTTP, by the kinds of failures that searches have."""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from cleverdon.engine.adapters.http_library import aiohttp
from cleverdon.engine.failures import SearchFailure

_LONGEST = 200
"""Characters of an engine's own words that a message has."""
_TAGS = re.compile(r"<(script|style)\b.*?</\1>|<[^>]*>", re.DOTALL | re.IGNORECASE)
_OVERLOADED = (429, 503)


class StatusFailure(SearchFailure):
    """An answer that is none, by its status."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        said = reason(body)
        message = f"{status}: {said}" if said else f"{status}, without a reason"
        if 300 <= status < 400:
            place = headers.get("Location", "another place")
            message = f"{status}: moved to {place}; give that as the url"
        kind = "server" if status >= 500 else "refused"
        kind = "overloaded" if status in _OVERLOADED else kind
        wait = retry_after(headers.get("Retry-After")) if status in _OVERLOADED else None
        super().__init__(kind, message, retry_after=wait)
        self.status = status


def failure_of_error(error: Exception, where: str) -> SearchFailure:
    """Of an exception that aiohttp or the system raised."""
    if isinstance(error, TimeoutError):
        return SearchFailure("timeout", f"no answer of {where} in time")
    if isinstance(error, aiohttp.ClientPayloadError):
        # aiohttp says so as well where the connection broke off, which may go better next time.
        said = getattr(error.__cause__, "message", "") or str(error)
        if "decode" in said.lower() or "encoding: " in said.lower():
            return SearchFailure("malformed", f"the body cannot be decoded: {_short(said)}")
        return SearchFailure("connection", f"lost within an answer of {where}")
    if isinstance(error, aiohttp.ClientResponseError):
        return SearchFailure("malformed", f"this is not HTTP: {_short(error.message)}")
    if isinstance(error, aiohttp.ClientConnectorError):
        return SearchFailure("connection", f"none to {where}: {_system(error.os_error)}")
    if isinstance(error, (aiohttp.ClientConnectionError, OSError)):
        said = _system(error) if isinstance(error, OSError) else _short(str(error))
        return SearchFailure("connection", f"lost to {where}: {said}")
    return SearchFailure("server", f"{type(error).__name__}: {_short(str(error))}")


HTTP_ERRORS = (aiohttp.ClientError, OSError)
"""What a request may raise; a `TimeoutError` is an OSError too."""


def retry_after(value: str | None) -> float | None:
    """Seconds to wait, as the header says, in seconds or by a date; None where it says neither.

    >>> retry_after("120"), retry_after("soon"), retry_after(None)
    (120.0, None, None)
    """
    text = (value or "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d+)?", text):
        return float(text)
    try:
        then = parsedate_to_datetime(text)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    if then.tzinfo is None:
        then = then.replace(tzinfo=UTC)
    return max(0.0, (then - datetime.now(UTC)).total_seconds())


def reason(body: bytes) -> str:
    """Why the engine refused, in its own words, as far as they can be found.

    >>> reason(b'{"error": {"type": "index_not_found_exception", "reason": "no such index [a]"}}')
    'no such index [a]'
    """
    text = body.decode("utf-8", errors="replace")
    try:
        said = _said(json.loads(text))
    except (ValueError, RecursionError):
        said = None
    return _short(said or _TAGS.sub(" ", text))


_PLACES = ("error", "root_cause", "caused_by", "root", "errors", "reason", "msg", "message")
_MORE_PLACES = ("detail", "summary", "title", "description")


def _said(value: Any) -> str | None:
    """The first text in the places where Elasticsearch, Solr, Vespa and others put reasons."""
    if isinstance(value, str):
        return value or None
    if isinstance(value, list):
        return next((said for said in map(_said, value) if said), None)
    if not isinstance(value, dict):
        return None
    # What an engine says at last is of more use than the outermost "all shards failed".
    places = [value[name] for name in (*_PLACES, *_MORE_PLACES) if name in value]
    return next((said for said in map(_said, places) if said), None)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _system(error: OSError) -> str:
    """An error of the system, without the addresses that aiohttp adds."""
    said = error.strerror or str(error) or type(error).__name__
    if isinstance(error, ConnectionError) and error.errno:
        return os.strerror(error.errno)
    if error.errno == errno.EMFILE:
        return f"{said}: this process may open no more; limit `connections`, or raise ulimit -n"
    return _short(said)

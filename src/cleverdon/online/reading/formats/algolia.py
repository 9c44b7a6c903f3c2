"""Algolia: its search logs, and the events that are sent to Insights."""

from __future__ import annotations

from cleverdon.online.reading.formats import Format

_IN_BODY = r'"query"\s*:\s*"((?:[^"\\]|\\.)*)"'
_IN_PARAMS = r'(?:^|[?&"])query=([^&"\\]*)'


class Algolia(Format):
    """The entries of /1/logs as queries, and Insights events by queryID.

    Relied on: the Search API's "Retrieve log entries" (timestamp in RFC 3339, processing_time_ms,
    query_nb_hits, query_body, query_params, url, sha1, inner_queries with query_id, user_token and
    index_name; bodies are cut off after 1,000 characters, so that they are searched and not taken
    apart), and the Insights API's "Send events" (eventType click, view or conversion, objectIDs
    and positions side by side, queryID, userToken, timestamp in milliseconds). An entry may have
    several inner queries; each is a result page. Positions count from 1. A view is an impression.
    """

    name = "algolia"
    about = "Algolia's search logs, and events of its Insights API"
    source = "algolia.com/doc/rest-api/search/get-logs, algolia.com/doc/rest-api/insights"
    known_by = "logs have query_body and processing_time_ms, and events eventType and userToken"
    lacks = (
        "sessions; variants; how long a document was read; the query id and the user, where "
        "searches were made without clickAnalytics"
    )
    notes = (
        "of a request for several indices, time, text, results and latency are those of the "
        "whole request",
    )
    _QUERY = {
        "time": "timestamp",
        "text": [
            {"column": "query_params", "pattern": _IN_PARAMS, "decode": "url"},
            {"column": "query_body", "pattern": _IN_BODY, "decode": "json"},
            {"column": "query_body", "pattern": _IN_PARAMS, "decode": "url"},
            {"column": "url", "pattern": _IN_PARAMS, "decode": "url"},
        ],
        "page": [
            {"column": "query_params", "pattern": r"(?:^|[?&])page=(\d+)", "from": 0},
            {"column": "query_body", "pattern": r'"page"\s*:\s*(\d+)', "from": 0},
            {"column": "query_body", "pattern": r'[&"]page=(\d+)', "from": 0},
        ],
        "results": "query_nb_hits",
        "latency_ms": "processing_time_ms",
    }
    mapping = {
        "queries": [
            {
                **_QUERY,
                "query_id": ["inner_queries.query_id", {"join": ["sha1", "#"]}],
                "user": "inner_queries.user_token",
                "each": "inner_queries",
                "segments": {"index": ["inner_queries.index_name", "index"]},
                "where": {"query_nb_hits": {"present": True}},
                "known_by": ["timestamp", "query_body", "processing_time_ms", "inner_queries"],
            },
            {
                **_QUERY,
                "query_id": "sha1",
                "segments": ["index"],
                "where": {"query_nb_hits": {"present": True}, "inner_queries": {"present": False}},
                "known_by": ["timestamp", "query_body", "processing_time_ms"],
            },
        ],
        "events": [
            {
                "query_id": "queryID",
                "user": "userToken",
                "time": {"column": "timestamp", "unit": "ms"},
                "action": "eventType",
                "doc": "objectIDs",
                "position": "positions",
                "each": ["objectIDs", "positions"],
                "actions": {"view": "impression"},
                "known_by": ["eventType", "userToken", "timestamp", "objectIDs"],
            },
            {
                "query_id": "queryID",
                "user": "userToken",
                "time": {"column": "timestamp", "unit": "ms"},
                "action": "eventType",
                "where": {"objectIDs": {"present": False}},
                "actions": {"view": "view of filters", "click": "click on a filter"},
                "known_by": ["eventType", "userToken", "timestamp"],
            },
        ],
    }

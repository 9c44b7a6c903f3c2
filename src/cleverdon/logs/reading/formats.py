"""Log formats that are known without a mapping file: UBI, Algolia, Matomo, Snowplow, slow logs.

Each is one class. Its `mapping` is written as a mapping file is, and read by the same code.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, ClassVar

from cleverdon.errors import OptionError, suggest
from cleverdon.logs.log import EVENTS, QUERIES
from cleverdon.logs.reading.mapping import LINE, Layout, parse_layout


class Format:
    """A log format: its name and its mapping. The docstring names the sources of the format."""

    name: ClassVar[str]
    mapping: ClassVar[Mapping[str, Any]]
    notes: ClassVar[tuple[str, ...]] = ()  # the assumptions of the reader, in sentences

    @classmethod
    @cache
    def layout(cls) -> Layout:
        return parse_layout(
            cls.mapping, name=cls.name, source=cls.name, strict=False, notes=cls.notes
        )

    @classmethod
    def recognises(cls, paths: frozenset[str], lines: Sequence[str]) -> bool:
        """Tell whether a table with these paths is of this format; `lines` are of plain text."""
        return any(rows.known(paths) for rows in cls.layout().rows if rows.known_by)


@cache
def formats() -> dict[str, type[Format]]:
    """Return every format by its name; the first that recognises a log reads it."""
    known: tuple[type[Format], ...] = (UBI, Algolia, Matomo, Snowplow, SlowLog, Canonical)
    return {cls.name: cls for cls in known}


def find_format(name: str) -> type[Format]:
    known = formats()
    if name not in known:
        raise OptionError(f"format={name!r} (--log-format) is not known{suggest(name, known)}")
    return known[name]


def _ubi_attribute(*names: str) -> list[str]:
    return [f"query_attributes.{name}" for name in names]


_UBI_QUERY = {
    "query_id": "query_id",
    "user": ["client_id", "user_id"],
    "session": ["session_id", *_ubi_attribute("session_id")],
    "time": "timestamp",
    "page": _ubi_attribute("page", "page_number"),
    # The body of the request, in the terms of OpenSearch and Elasticsearch.
    "size": {"column": "query", "key": "size"},
    "offset": {"column": "query", "key": "from"},
    # One file may hold queries and events, with lines between them for the bulk interface of
    # OpenSearch. Events may repeat the query's text.
    "where": {name: {"present": False} for name in ("action_name", "index", "create")},
}


class UBI(Format):
    """Queries and events by the schema of UBI 1.0 to 1.3.

    Relied on: the schemas query.request and event of o19s/ubi, and for what the plugin stores
    (query_response_hit_ids, before that query_response_object_ids) its mappings in
    opensearch-project/user-behavior-insights. A query has a client_id and no session_id, so its
    session is that of its events. Latency, page and variant have no place in the schema; they are
    looked for among query_attributes under the names that are usual. `view` and `impression` both
    mean shown. A position is `position.ordinal` in 1.3 and `position.ordinal.index` before; the
    schemas' examples count from 1, and the sample data of Chorus for OpenSearch from 0. That sample
    is also what the bulk interface takes, both kinds in one file. A search page often sends several
    requests under one query_id, as for facets; `query` has the body of each.
    """

    name = "ubi"
    notes = (
        "UBI does not say how many results were found: without query_attributes.total_hits it is "
        "the number that was returned",
        "add_to_cart and purchase count as conversions",
    )
    mapping = {
        "queries": {
            **_UBI_QUERY,
            "text": "user_query",
            "results": [
                *_ubi_attribute("total_hits", "result_count", "num_results"),
                {"column": "query_response_hit_ids", "count": True},
                {"column": "query_response_object_ids", "count": True},
            ],
            "latency_ms": _ubi_attribute("latency_ms", "latency", "took_ms", "took"),
            "variant": _ubi_attribute(
                "variant", "experiment_variant", "search_config", "experiment_id"
            ),
            "segments": ["application"],
            "from_events": ["session"],
            "known_by": ["query_id", "user_query", "timestamp"],
        },
        "events": [
            {
                "event_id": "event_id",
                "query_id": "query_id",
                "user": ["client_id", "user_id"],
                "session": ["session_id", "event_attributes.session_id"],
                "time": "timestamp",
                "action": "action_name",
                "doc": ["event_attributes.object.object_id", "event_attributes.object.internal_id"],
                "position": [
                    "event_attributes.position.ordinal.index",
                    "event_attributes.position.ordinal",
                    "event_attributes.position.index",
                ],
                "actions": {
                    "view": "impression",
                    "add_to_cart": "conversion",
                    "purchase": "conversion",
                },
                "where": {"action_name": {"present": True}},
                "known_by": ["action_name", "timestamp"],
            },
            *(
                {
                    **_UBI_QUERY,
                    "table": "queries",
                    "each": shown,
                    "action": {"is": "impression"},
                    "doc": shown,
                    "position": "#",
                    "unless": "impression",
                    "known_by": ["query_id", "user_query", shown],
                }
                for shown in ("query_response_hit_ids", "query_response_object_ids")
            ),
        ],
    }


_ALGOLIA_BODY = r'"query"\s*:\s*"((?:[^"\\]|\\.)*)"'
_ALGOLIA_PARAMS = r'(?:^|[?&"])query=([^&"\\]*)'


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
    notes = (
        "of a request for several indices, time, text, results and latency are those of the "
        "whole request",
    )
    _QUERY = {
        "time": "timestamp",
        "text": [
            {"column": "query_params", "pattern": _ALGOLIA_PARAMS, "decode": "url"},
            {"column": "query_body", "pattern": _ALGOLIA_BODY, "decode": "json"},
            {"column": "query_body", "pattern": _ALGOLIA_PARAMS, "decode": "url"},
            {"column": "url", "pattern": _ALGOLIA_PARAMS, "decode": "url"},
        ],
        "page": [
            {"column": "query_params", "pattern": r"(?:^|[?&])page=(\d+)", "from": 0},
            {"column": "query_body", "pattern": r'"page"\s*:\s*(\d+)', "from": 0},
            {"column": "query_body", "pattern": r'[&"]page=(\d+)', "from": 0},
        ],
        "results": "query_nb_hits",
        "latency_ms": "processing_time_ms",
    }
    _EVENT = {
        "query_id": "queryID",
        "user": "userToken",
        "time": {"column": "timestamp", "unit": "ms"},
        "action": "eventType",
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
                **_EVENT,
                "doc": "objectIDs",
                "position": "positions",
                "each": ["objectIDs", "positions"],
                "actions": {"view": "impression"},
                "known_by": ["eventType", "userToken", "timestamp", "objectIDs"],
            },
            {
                **_EVENT,
                "where": {"objectIDs": {"present": False}},
                "actions": {"view": "view of filters", "click": "click on a filter"},
                "known_by": ["eventType", "userToken", "timestamp"],
            },
        ],
    }


class Matomo(Format):
    """Visits as Live.getLastVisitsDetails gives them, with actionDetails in each.

    Relied on: plugins/Live and plugins/Actions/VisitorDetails.php of matomo-org/matomo. A visit
    has idVisit, visitorId and userId; of its actions, each with a type and a timestamp in seconds,
    `search` has siteSearchKeyword and siteSearchCount. pageId is the id of the row in Matomo's own
    log. Searches have no id that other actions name, so that an action belongs to the last search
    before it in the visit. Pages, downloads and outlinks that were opened after a search count
    as clicks, goals and orders as conversions; timeSpent, in seconds, is how long a page was read.
    """

    name = "matomo"
    notes = (
        "every page that was opened after a search counts as a click on its results, until the "
        "next search of the visit",
    )
    _VISIT = {
        "each": "actionDetails",
        "session": "idVisit",
        "user": ["userId", "visitorId"],
        "time": {"column": "actionDetails.timestamp", "unit": "s"},
        "known_by": ["idVisit", "actionDetails"],
    }
    mapping = {
        "queries": {
            **_VISIT,
            "query_id": [
                "actionDetails.pageId",
                {"join": ["idVisit", "actionDetails.timestamp", "#"]},
            ],
            "text": "actionDetails.siteSearchKeyword",
            "results": "actionDetails.siteSearchCount",
            "segments": {
                "category": "actionDetails.siteSearchCategory",
                "device": "deviceType",
                "country": "country",
            },
            "where": {"actionDetails.type": "search"},
        },
        "events": {
            **_VISIT,
            "table": "queries",
            "event_id": "actionDetails.pageId",
            "action": "actionDetails.type",
            "doc": ["actionDetails.url", "actionDetails.orderId", "actionDetails.goalName"],
            "dwell_ms": {"column": "actionDetails.timeSpent", "unit": "s"},
            "where": {"actionDetails.type": {"not": "search"}},
            "actions": {
                "action": "click",
                "download": "click",
                "outlink": "click",
                "goal": "conversion",
                "ecommerceOrder": "conversion",
            },
            "attach": "last search",
        },
    }


_SNOWPLOW_VERSIONS = {"site_search": ("1", "1_0_0"), "link_click": ("1", "1_0_1", "1_0_0")}


def _snowplow_property(event: str, *names: str) -> list[str]:
    """Return the paths of a property of an event, in the spellings of the warehouses."""
    column = f"unstruct_event_com_snowplowanalytics_snowplow_{event}"
    return [f"{column}_{version}.{name}" for version in _SNOWPLOW_VERSIONS[event] for name in names]


class Snowplow(Format):
    """Enriched events, one table of all kinds, as the Analytics SDKs and the loaders shape them.

    Relied on: the schema iglu:com.snowplowanalytics.snowplow/site_search/jsonschema/1-0-0 (terms,
    a list; filters; totalResults; pageResults) and link_click (targetUrl), the columns of
    enriched events (event_id, event_name, derived_tstamp, collector_tstamp, domain_sessionid,
    domain_userid, user_id, page_url), and the loaders' rule for naming columns of events, with
    keys in camel case (JSON, Snowflake) or snake case (Databricks, BigQuery). Times are in UTC.
    A site_search is a result page, with its event_id as query id. Nothing names that id, so that
    a click or a page view belongs to the last search before it in the session.
    """

    name = "snowplow"
    notes = (
        "every link that was clicked after a search counts as a click on its results, until the "
        "next search of the session",
    )
    _EVENT = {
        "user": ["user_id", "domain_userid", "network_userid"],
        "session": "domain_sessionid",
        "time": [
            {"column": name, "timezone": "UTC"} for name in ("derived_tstamp", "collector_tstamp")
        ],
        "table": "events",
        "known_by": ["event_id", "event_name", "collector_tstamp"],
    }
    mapping = {
        "queries": {
            **_EVENT,
            "query_id": "event_id",
            "text": [
                {"column": path, "words": True}
                for path in _snowplow_property("site_search", "terms")
            ],
            "results": _snowplow_property("site_search", "totalResults", "total_results"),
            "segments": {"device": "dvce_type", "country": "geo_country", "app": "app_id"},
            "where": {"event_name": "site_search"},
        },
        "events": {
            **_EVENT,
            "event_id": "event_id",
            "action": "event_name",
            "doc": [*_snowplow_property("link_click", "targetUrl", "target_url"), "page_url"],
            "where": {"event_name": {"not": ["site_search", "page_ping"]}},
            "actions": {"link_click": "click", "transaction": "conversion"},
            "attach": "last search",
        },
    }


_SLOWLOG_LINE = re.compile(
    r"^\[\d{4}-\d\d-\d\d[T ][\d:,.]+\]\[\s*\w+\s*\]\[[\w.]*(?:slow|s\.s\.|i\.s\.)"
)
_SLOWLOG_QUERY = r'"query"\s*:\s*"((?:[^"\\]|\\.)*)"'
_SLOWLOG_MATCH = r'"(?:match|match_phrase|term)"\s*:\s*\{\s*"[^"]+"\s*:\s*"((?:[^"\\]|\\.)*)"'
_SLOWLOG_ESCAPED = r'\\"query\\"\s*:\s*\\"((?:[^"\\]|\\[^"])*)\\"'


class SlowLog(Format):
    """Lines that say how long a search took; they know of no user, and of nothing that came after.

    Relied on: SearchSlowLog.java and SearchRequestSlowLog.java of opensearch-project/OpenSearch
    (took_millis, total_hits, source, id, which is the header X-Opaque-Id), and Elastic's "Slow
    log settings" for JSON lines with keys such as elasticsearch.slowlog.took_millis. The text of a
    search is the first `query` of its source that is text. Searches have no id: rows are numbered.
    """

    name = "slowlog"
    notes = (
        "a slow log has a line for each shard and phase, and only for what was slow: neither its "
        "counts nor its percentiles are those of all searches",
    )
    _PREFIX = "elasticsearch.slowlog."
    mapping = {
        "queries": [
            {
                "query_id": {"number": True},
                "time": {"column": "line", "pattern": r"^\[(\d{4}-[^\]]*)\]"},
                "user": {"column": "line", "pattern": r"[ ,]id\[([^\]]*)\]"},
                "text": [
                    {"column": "line", "pattern": pattern, "decode": "json"}
                    for pattern in (_SLOWLOG_QUERY, _SLOWLOG_MATCH)
                ],
                "results": {"column": "line", "pattern": r"total_hits\[(\d+)"},
                "latency_ms": {"column": "line", "pattern": r"took_millis\[(\d+)\]"},
                "segments": {
                    "index": {"column": "line", "pattern": r"\] \[([^\]]+)\]\[\d+\] took\["},
                    "phase": {"column": "line", "pattern": r"slowlog\.(\w+)\s*\]"},
                },
                "known_by": ["line"],
            },
            *(
                {
                    "query_id": {"number": True},
                    "time": time,
                    "user": f"{prefix}id",
                    "text": [
                        {"column": f"{prefix}source", "pattern": pattern, "decode": "json"}
                        for pattern in (_SLOWLOG_QUERY, _SLOWLOG_ESCAPED, _SLOWLOG_MATCH)
                    ],
                    "results": {"column": f"{prefix}total_hits", "pattern": r"^(\d+)"},
                    "latency_ms": f"{prefix}took_millis",
                    "segments": {
                        "index": {"column": f"{prefix}message", "pattern": r"^\[([^\]]+)\]"},
                        "phase": {"column": logger, "pattern": r"slowlog\.(\w+)$"},
                    },
                    "known_by": [time, f"{prefix}took_millis", f"{prefix}source"],
                }
                for prefix, time, logger in (
                    (_PREFIX, "@timestamp", "log.logger"),
                    ("", "timestamp", "component"),
                )
            ),
        ]
    }

    @classmethod
    def recognises(cls, paths: frozenset[str], lines: Sequence[str]) -> bool:
        if paths == {LINE}:
            return any(_SLOWLOG_LINE.match(line) for line in lines)
        return super().recognises(paths, lines)


class Canonical(Format):
    """Queries and events by the names of `QUERIES` and `EVENTS`.

    Times are timestamps, ISO 8601, or numbers, best of milliseconds since 1970. Columns of queries
    that are none of these are segments.
    """

    name = "cleverdon"
    mapping = {
        "queries": {
            **{name: name for name in QUERIES},
            "segments": "others",
            "known_by": ["query_id", "time", "-action"],
        },
        "events": {**{name: name for name in EVENTS}, "known_by": ["action", "time"]},
    }

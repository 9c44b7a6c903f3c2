"""User Behavior Insights, as OpenSearch's plugin and others write it."""

from __future__ import annotations

from cleverdon.online.reading.formats import Format


def attribute(*names: str) -> list[str]:
    """The first of several names by which something is found among a query's attributes."""
    return [f"query_attributes.{name}" for name in names]


# Queries and events may stand in one file, with the lines between them that tell the bulk interface
# of OpenSearch where each belongs. Events may repeat the query's text.
_QUERY = {name: {"present": False} for name in ("action_name", "index", "create")}


# The body of the request as the search engine got it. OpenSearch and Elasticsearch call what
# makes a page so.
_REQUEST = {
    "size": {"column": "query", "key": "size"},
    "offset": {"column": "query", "key": "from"},
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
    about = "User Behavior Insights 1.0 to 1.3, as OpenSearch's plugin writes it"
    source = "github.com/o19s/ubi, schema/1.3.0; docs.opensearch.org, search-plugins/ubi/schemas"
    known_by = "queries have query_id, user_query and timestamp, and events have action_name"
    lacks = (
        "how many results there were beyond those returned; latency, page and variant, unless "
        "query_attributes has them; how long a document was read"
    )
    notes = (
        "UBI does not say how many results were found: without query_attributes.total_hits it is "
        "the number that was returned",
        "add_to_cart and purchase count as conversions",
    )
    mapping = {
        "queries": {
            "query_id": "query_id",
            "user": ["client_id", "user_id"],
            "session": ["session_id", *attribute("session_id")],
            "time": "timestamp",
            "text": "user_query",
            "page": attribute("page", "page_number"),
            **_REQUEST,
            "results": [
                *attribute("total_hits", "result_count", "num_results"),
                {"column": "query_response_hit_ids", "count": True},
                {"column": "query_response_object_ids", "count": True},
            ],
            "latency_ms": attribute("latency_ms", "latency", "took_ms", "took"),
            "variant": attribute("variant", "experiment_variant", "search_config", "experiment_id"),
            "segments": ["application"],
            "from_events": ["session"],
            "where": _QUERY,
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
                "doc": [
                    "event_attributes.object.object_id",
                    "event_attributes.object.internal_id",
                ],
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
                    "table": "queries",
                    "each": shown,
                    "query_id": "query_id",
                    "user": ["client_id", "user_id"],
                    "session": ["session_id", *attribute("session_id")],
                    "time": "timestamp",
                    "action": {"is": "impression"},
                    "page": attribute("page", "page_number"),
                    **_REQUEST,
                    "doc": shown,
                    "position": "#",
                    "unless": "impression",
                    "where": _QUERY,
                    "known_by": ["query_id", "user_query", shown],
                }
                for shown in ("query_response_hit_ids", "query_response_object_ids")
            ),
        ],
    }

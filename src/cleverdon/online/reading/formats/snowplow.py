"""Snowplow's site_search events, and what users did after them."""

from __future__ import annotations

from cleverdon.online.reading.formats import Format


def searched(*names: str) -> list[str]:
    """A property of site_search, in the spellings of the warehouses."""
    return _spelled("site_search", ("1", "1_0_0"), names)


def clicked(*names: str) -> list[str]:
    """A property of link_click, in the spellings of the warehouses."""
    return _spelled("link_click", ("1", "1_0_1", "1_0_0"), names)


def _spelled(event: str, versions: tuple[str, ...], names: tuple[str, ...]) -> list[str]:
    column = f"unstruct_event_com_snowplowanalytics_snowplow_{event}"
    return [f"{column}_{version}.{name}" for version in versions for name in names]


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
    about = "Snowplow's enriched events, with site_search"
    source = "docs.snowplow.io/docs/events/ootb-data/site-search"
    known_by = "events have event_id, event_name and collector_tstamp"
    lacks = (
        "impressions, positions, latency, page and variants; whether a link or page after a "
        "search was one of its results"
    )
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
            "text": [{"column": path, "words": True} for path in searched("terms")],
            "results": searched("totalResults", "total_results"),
            "segments": {"device": "dvce_type", "country": "geo_country", "app": "app_id"},
            "where": {"event_name": "site_search"},
        },
        "events": {
            **_EVENT,
            "event_id": "event_id",
            "action": "event_name",
            "doc": [*clicked("targetUrl", "target_url"), "page_url"],
            "where": {"event_name": {"not": ["site_search", "page_ping"]}},
            "actions": {"link_click": "click", "transaction": "conversion"},
            "attach": "last search",
        },
    }

"""Matomo's site search, from its log of visits."""

from __future__ import annotations

from cleverdon.online.reading.formats import Format

_SEARCH = "search"


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
    about = "Matomo's Live.getLastVisitsDetails, with site search"
    source = "developer.matomo.org/api-reference/reporting-api, module Live"
    known_by = "visits have idVisit and actionDetails"
    lacks = (
        "impressions, positions, latency and variants; whether a page that was opened after a "
        "search was one of its results"
    )
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
            "where": {"actionDetails.type": _SEARCH},
        },
        "events": {
            **_VISIT,
            "table": "queries",
            "event_id": "actionDetails.pageId",
            "action": "actionDetails.type",
            "doc": ["actionDetails.url", "actionDetails.orderId", "actionDetails.goalName"],
            "dwell_ms": {"column": "actionDetails.timeSpent", "unit": "s"},
            "where": {"actionDetails.type": {"not": _SEARCH}},
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

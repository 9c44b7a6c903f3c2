"""How long clicked documents were looked at, where the log does not say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ibis

from cleverdon.online.settings import Settings

if TYPE_CHECKING:
    from ibis import Table


def with_inferred_dwell(queries: Table, events: Table, settings: Settings) -> Table:
    """How long a clicked document was looked at, where the log does not say: until the next thing.

    The next click or search of the same actor; of a search that names none, on the same page.
    `is_last` where none follows before the actor was idle: then nobody knows how long it was.
    """
    actor = queries.actor.coalesce("q:" + queries.query_id)
    pages = queries.select("query_id", person=actor, at="time")
    clicks = events.filter(events.action == "click")
    acts = pages.mutate(event_id=ibis.null("string"), is_click=False).union(
        clicks.join(pages, "query_id").select(
            "query_id", "person", at=clicks.time, event_id=clicks.event_id, is_click=True
        )
    )
    following = acts.at.lead().over(group_by="person", order_by=["at", "query_id"])
    acts = acts.mutate(spent=following - acts.at)
    acts = acts.filter(acts.is_click).group_by("query_id", "at").agg(spent=acts.spent.min())
    joined = events.left_join(
        acts,
        [events.query_id == acts.query_id, events.time == acts.at, events.action == "click"],
    )
    known = acts.spent <= settings.idle_ms
    return joined.select(
        *[events[name] for name in events.columns if name != "dwell_ms"],
        dwell_ms=ibis.ifelse(known, acts.spent, None),
        is_last=~known.fill_null(False) & (events.action == "click"),
    )

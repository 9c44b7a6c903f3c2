"""Credit from a search log: its clicks are found by the ids of the queries that have records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from cleverdon.online.interleaving.credit import Click, Credits, credit_counted
from cleverdon.online.interleaving.records import Record
from cleverdon.online.log import Log


def credit_log(log: Log, records: Sequence[Record], *, marginalised: bool = True) -> Credits:
    """What the clicks in a log give to either ranking, query by query.

    Only what belongs to recorded queries leaves the place where the log lies. Users are those of
    the log's queries; where a query has none, that of its clicks.
    """
    log.need("interleaving", "events.query_id", "events.doc")
    import ibis
    import pyarrow as pa

    ids = [record.query_id for record in records]
    recorded = ibis.memtable(pa.table({"recorded": pa.array(ids, pa.string())}))
    events = log.events
    clicks = events.filter(events.action == "click", events.query_id.notnull())
    ours = clicks.semi_join(recorded, clicks.query_id == recorded.recorded)
    others = clicks.anti_join(recorded, clicks.query_id == recorded.recorded)
    counted = ours.group_by("query_id", "doc").aggregate(times=ours.count())
    outside = others.aggregate(clicks=others.count(), queries=others.query_id.nunique())
    logged = log.queries.semi_join(recorded, log.queries.query_id == recorded.recorded)
    known = dict(_rows(logged.select("query_id", "user")))
    users = {query_id: user for query_id, user in known.items() if user is not None}
    found = credit_counted(
        records,
        (Click(*row) for row in _rows(counted)),
        users={**_users_of(ours), **users},
        marginalised=marginalised,
    )
    (without_record, queries_without_record), *_ = _rows(outside)
    return replace(
        found,
        without_record=without_record,
        queries_without_record=queries_without_record,
        not_logged=len(set(ids) - known.keys()),
    )


def _users_of(clicks: Any) -> Mapping[str, str]:
    of = clicks.filter(clicks.user.notnull()).group_by("query_id").aggregate(user=clicks.user.min())
    return dict(_rows(of))


def _rows(table: Any) -> list[tuple[Any, ...]]:
    """A table's rows, brought here."""
    columns = table.to_pyarrow().to_pydict()
    return list(zip(*(columns[name] for name in table.columns), strict=True))

"""Credit of both rankings for clicks on interleaved result pages.

Clicks in a search log are matched with records by the ids of queries.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isclose
from typing import Any, Literal, NamedTuple

from cleverdon.errors import InputError
from cleverdon.logs.interleaving.base import Record, find_method
from cleverdon.logs.log import Log
from cleverdon.tables.result import in_json

_Winner = Literal["A", "B", "tie", "none"]


class QueryCredit(NamedTuple):
    """The credit of A and of B for the clicks on one result page."""

    query_id: str
    user: str | None
    a: float
    b: float
    clicks: int  # clicked documents that count

    @property
    def winner(self) -> _Winner:
        """The ranking with more credit; `none` if no click counts."""
        if not self.clicks:
            return "none"
        # The same sum in another order differs by rounding.
        if isclose(self.a, self.b, rel_tol=1e-9, abs_tol=1e-12):
            return "tie"
        return "A" if self.a > self.b else "B"


@dataclass(frozen=True)
class Credits:
    """The credit of every record, and the clicks that gave none.

    >>> from cleverdon.logs.interleaving import TeamDraft
    >>> page = TeamDraft(seed=7).interleave(["x", "y"], ["z", "x"], query_id="q1")
    >>> found = credit_clicks([page.record], [("q1", "z")])
    >>> found.counted, found.clicked, found.methods
    (1, 1, {'team-draft': 1})
    """

    queries: tuple[QueryCredit, ...] = field(metadata=in_json(None))  # in the order of the records
    methods: Mapping[str, int] = field(metadata=in_json(None))  # the records of each method
    counted: int  # clicks that count
    fair_by_wins: bool = True  # both rankings win the same number of queries by random clicks
    repeated: int = 0  # further clicks on a document of the same page, which do not count
    below: int = 0  # clicks below the interleaved documents, which do not count
    not_shown: int = 0  # clicks on documents that are not in the record
    without_doc: int = 0  # clicks on recorded pages that name no document
    without_record: int = 0  # clicks on pages without a record
    queries_without_record: int = 0  # the number of these queries
    not_logged: int | None = None  # records of queries that the log does not have

    @property
    def clicked(self) -> int:
        """The number of result pages with a click that counts."""
        return sum(query.clicks > 0 for query in self.queries)

    @property
    def users(self) -> int:
        return len({query.user for query in self.queries if query.user is not None})


def credit_clicks(
    records: Sequence[Record],
    clicks: Iterable[tuple[str, str | None]],
    *,
    users: Mapping[str, str] | None = None,
    marginalised: bool = True,
) -> Credits:
    """Credit clicks to the two rankings of interleaved pages, query by query.

    Args:
        records: The record of each page.
        clicks: The query id and the document of each click.
        users: The user of each query, if known.
        marginalised: With probabilistic interleaving, credit a click to both rankings, by their
            probabilities of giving the document; otherwise to the ranking that was drawn.

    Returns:
        The credit of each page, and counts of the clicks that gave none.

    Raises:
        InputError: Two records have the same query id.

    >>> from cleverdon.logs.interleaving.methods import TeamDraft
    >>> page = TeamDraft(seed=7).interleave(["x", "y"], ["z", "x"], query_id="q1")
    >>> found = credit_clicks([page.record], [("q1", "z"), ("q1", "z"), ("q1", "w"), ("q2", "z")])
    >>> found.queries[0]
    QueryCredit(query_id='q1', user=None, a=0.0, b=1.0, clicks=1)
    >>> found.counted, found.repeated, found.not_shown, found.without_record
    (1, 1, 1, 1)
    """
    return _credit_counted(records, Counter(clicks), users or {}, marginalised=marginalised)


def _credit_counted(
    records: Sequence[Record],
    clicks: Mapping[tuple[str, str | None], int],
    users: Mapping[str, str],
    *,
    marginalised: bool,
) -> Credits:
    clicked: dict[str, dict[str, int]] = {record.query_id: {} for record in records}
    if len(clicked) < len(records):
        twice, _ = Counter(record.query_id for record in records).most_common(1)[0]
        raise InputError(f"query {twice!r} has two records; every result page needs its own id")
    unknown: Counter[str] = Counter()
    without_doc = 0
    for (query_id, doc), times in clicks.items():
        if query_id not in clicked:
            unknown[query_id] += times
        elif doc is None:
            without_doc += times
        else:
            clicked[query_id][doc] = times
    queries = []
    tally = dict.fromkeys(("counted", "repeated", "below", "not_shown"), 0)
    for record in records:
        method = find_method(record.method)
        on = clicked[record.query_id]
        counts = method.credited(record) & on.keys()
        shown = on.keys() & set(record.docs)
        credit = method.credit(record, counts, marginalised=marginalised)
        user = users.get(record.query_id)
        queries.append(QueryCredit(record.query_id, user, *credit, len(counts)))
        tally["counted"] += len(counts)
        tally["repeated"] += sum(on[doc] - 1 for doc in counts)
        tally["below"] += sum(on[doc] for doc in shown - counts)
        tally["not_shown"] += sum(on[doc] for doc in on.keys() - shown)
    methods = dict(Counter(record.method for record in records).most_common())
    fair = [find_method(name).fair_by_wins(marginalised=marginalised) for name in methods]
    return Credits(
        tuple(queries),
        methods,
        **tally,
        fair_by_wins=all(fair),
        without_doc=without_doc,
        without_record=unknown.total(),
        queries_without_record=len(unknown),
    )


def credit_log(log: Log, records: Sequence[Record], *, marginalised: bool = True) -> Credits:
    """Credit the clicks in a log to the two rankings of interleaved pages, query by query.

    Only clicks of recorded queries leave the engine that holds the log. The user of a page is that
    of its search, or else that of its clicks.

    Args:
        log: The log.
        records: The record of each page.
        marginalised: As for `credit_clicks`.

    Returns:
        The credit of each page, and counts of the clicks that gave none.

    Raises:
        InputError: The log has no events with query ids and documents.

    >>> from cleverdon.logs.interleaving.methods import TeamDraft
    >>> from cleverdon.logs.log import log_of
    >>> page = TeamDraft(seed=7).interleave(["x", "y"], ["z", "x"], query_id="q1")
    >>> click = {"query_id": "q1", "time": 2000, "action": "click", "doc": "z"}
    >>> log = log_of([{"query_id": "q1", "time": 0, "user": "ann", "text": "hats"}], [click])
    >>> credit_log(log, [page.record]).queries
    (QueryCredit(query_id='q1', user='ann', a=0.0, b=1.0, clicks=1),)
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
    named = ours.filter(ours.user.notnull())
    users = dict(_rows(named.group_by("query_id").aggregate(user=named.user.min())))
    users |= {query_id: user for query_id, user in known.items() if user is not None}
    times = {(query_id, doc): times for query_id, doc, times in _rows(counted)}
    found = _credit_counted(records, times, users, marginalised=marginalised)
    ((without_record, queries_without_record),) = _rows(outside)
    return replace(
        found,
        without_record=without_record,
        queries_without_record=queries_without_record,
        not_logged=len(set(ids) - known.keys()),
    )


def _rows(table: Any) -> list[tuple[Any, ...]]:
    columns = table.to_pyarrow().to_pydict()
    return list(zip(*(columns[name] for name in table.columns), strict=True))

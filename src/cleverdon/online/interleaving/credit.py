"""Credit: what the clicks on interleaved result pages give to either ranking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isclose
from typing import Literal, NamedTuple

from cleverdon.errors import InputError
from cleverdon.online.interleaving.methods import find
from cleverdon.online.interleaving.records import Record

Winner = Literal["A", "B", "tie", "none"]


class QueryCredit(NamedTuple):
    """One result page: what clicks on it gave to A and to B."""

    query_id: str
    user: str | None
    a: float
    b: float
    clicks: int
    """How many documents were clicked that count for either."""

    @property
    def winner(self) -> Winner:
        """Who has more credit; `none` where no click counts."""
        if not self.clicks:
            return "none"
        # The same sum in another order differs by rounding.
        if isclose(self.a, self.b, rel_tol=1e-9, abs_tol=1e-12):
            return "tie"
        return "A" if self.a > self.b else "B"


@dataclass(frozen=True)
class Credits:
    """The credit of every record, and the clicks that gave none."""

    queries: tuple[QueryCredit, ...]
    """A record each, in the order of the records."""
    methods: Mapping[str, int]
    """How many records there are of each method."""
    counted: int
    """Clicks that count."""
    fair_by_wins: bool = True
    """Whether users who click at random let either ranking win as many queries, by every method."""
    repeated: int = 0
    """Clicks on a document that was clicked on the same page before: they count once."""
    below: int = 0
    """Clicks on documents that were shown below the interleaved ones: they count for nobody."""
    not_shown: int = 0
    """Clicks on documents that the record does not have."""
    without_doc: int = 0
    """Clicks of recorded queries that name no document."""
    without_record: int = 0
    """Clicks of queries that have no record."""
    queries_without_record: int = 0
    """How many queries those are."""
    not_logged: int | None = None
    """Records of queries that the log does not have; None where there is no list of queries."""

    @property
    def clicked(self) -> int:
        """On how many result pages a click counts."""
        return sum(query.clicks > 0 for query in self.queries)

    @property
    def users(self) -> int:
        """How many users are known."""
        return len({query.user for query in self.queries if query.user is not None})


class Click(NamedTuple):
    """Clicks on one document of one result page."""

    query_id: str
    doc: str | None
    times: int = 1


def credit_clicks(
    records: Sequence[Record],
    clicks: Iterable[tuple[str, str | None]],
    *,
    users: Mapping[str, str] | None = None,
    marginalised: bool = True,
) -> Credits:
    """What clicks, each a query's id and a document, give to either ranking, query by query.

    `users` says whose a query is. Without `marginalised`, a click on a list of probabilistic
    interleaving counts for the ranking that was drawn.

    >>> from cleverdon.online.interleaving import TeamDraft
    >>> page = TeamDraft(seed=7).interleave(["x", "y"], ["z", "x"], query_id="q1")
    >>> found = credit_clicks([page.record], [("q1", "z"), ("q1", "z"), ("q1", "w"), ("q2", "z")])
    >>> found.queries[0]
    QueryCredit(query_id='q1', user=None, a=0.0, b=1.0, clicks=1)
    >>> found.counted, found.repeated, found.not_shown, found.without_record
    (1, 1, 1, 1)
    """
    counted = (Click(query_id, doc, times) for (query_id, doc), times in Counter(clicks).items())
    return credit_counted(records, counted, users=users, marginalised=marginalised)


def credit_counted(
    records: Sequence[Record],
    clicks: Iterable[Click],
    *,
    users: Mapping[str, str] | None = None,
    marginalised: bool = True,
) -> Credits:
    """The same of clicks that are counted already: a document of a page once."""
    clicked: dict[str, dict[str, int]] = {record.query_id: {} for record in records}
    if len(clicked) < len(records):
        twice, _ = Counter(record.query_id for record in records).most_common(1)[0]
        raise InputError(f"query {twice!r} has two records; every result page needs its own id")
    unknown: Counter[str] = Counter()
    without_doc = 0
    for query_id, doc, times in clicks:
        if query_id not in clicked:
            unknown[query_id] += times
        elif doc is None:
            without_doc += times
        else:
            clicked[query_id][doc] = times
    queries = []
    tally: Counter[str] = Counter()
    for record in records:
        method = find(record.method)
        on = clicked[record.query_id]
        counts = method.credited(record) & on.keys()
        shown = on.keys() & set(record.docs)
        credit = method.credit(record, counts, marginalised=marginalised)
        user = users.get(record.query_id) if users else None
        queries.append(QueryCredit(record.query_id, user, *credit, len(counts)))
        tally["counted"] += len(counts)
        tally["repeated"] += sum(on[doc] - 1 for doc in counts)
        tally["below"] += sum(on[doc] for doc in shown - counts)
        tally["not_shown"] += sum(on[doc] for doc in on.keys() - shown)
    methods = dict(Counter(record.method for record in records).most_common())
    return Credits(
        tuple(queries),
        methods,
        counted=tally["counted"],
        fair_by_wins=all(find(name).fair_by_wins(marginalised=marginalised) for name in methods),
        repeated=tally["repeated"],
        below=tally["below"],
        not_shown=tally["not_shown"],
        without_doc=without_doc,
        without_record=unknown.total(),
        queries_without_record=len(unknown),
    )

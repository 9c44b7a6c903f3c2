"""Requests that share a query id: one search, of which some requests are only a part.

A search page often sends several requests for one search: one for the results, some for facets,
one more for each further page, and any of them again where the first answer failed. All of them
have the query id of the search. The request that asked for results and got them is the search; a
further page is a row of its own, as it is in logs that give each page an id. A request for another
text, or by another user, belongs to no search that is known: ids are used again then.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cleverdon.online.reading.canonical import PROBLEM, SIZE

if TYPE_CHECKING:
    import ibis

FACETS = "facet requests, which ask for no results (size 0)"
RETRIED = "requests without results that were sent again"
REPEATED = "repeated requests with the same number of results"
CHANGED = "repeated requests with another number of results, as by a filter"
FURTHER = "further pages under the query id of their search"
OTHER_TEXT = "another text under the query id of an earlier search"
OTHER_USER = "another user under the query id of an earlier search"
REUSED = (OTHER_TEXT, OTHER_USER)

MERGED = "_merged"
"""Why a request is no row of its own; of a further page, that it is one."""
ID = "_id"
"""The query id that requests shared, of a page that has got an id of its own."""


@dataclass(frozen=True)
class _Order:
    """Windows over the good requests of each query id."""

    table: ibis.Table
    ties: tuple[str, ...]

    def number(self, by: list[str], first: list[str]) -> Any:
        """The place of each row among those that agree in `by`, from 0."""
        import ibis

        order = [self.table[name] for name in (*first, "time", *self.ties)]
        group = [self.table[name] for name in ("query_id", *by)]
        return ibis.row_number().over(ibis.window(group_by=group, order_by=order))

    def of_first(self, by: list[str], place: str, value: Any) -> Any:
        """What the row in the first place has, for all that agree in `by`."""
        import ibis

        group = [self.table[name] for name in ("query_id", *by)]
        first = (self.table[place] == 0).ifelse(value, None)
        return first.max().over(ibis.window(group_by=group))


def merged(table: ibis.Table, ties: tuple[str, ...]) -> ibis.Table:
    """The table with `MERGED` for requests that are a part of another row's search.

    `PROBLEM` says so where an id is used for another search. Further pages get an id of their own,
    and keep the one that they shared in `ID`. `ties` are the columns that decide which of two
    requests comes first where all else is equal, so that every engine chooses the same.
    """
    import ibis

    facets = (table[SIZE] == 0).fill_null(False) if SIZE in table.columns else ibis.literal(False)
    rows = table.mutate(
        _good=table[PROBLEM].isnull(),
        _facets=facets.ifelse(1, 0),
        _text=table.text.strip().lower(),
        _who=table.user.coalesce(table.client),
        _number=table.page.fill_null(1),
        _answer=ibis.cases((table.results > 0, 0), (table.results == 0, 1), else_=2),
    )
    # Who asked for what is said by the first request that asked for results.
    rows = rows.mutate(_nameless=rows["_text"].isnull().ifelse(1, 0))
    rows = rows.mutate(_lead=_Order(rows, ties).number(["_good"], ["_facets", "_nameless"]))
    order = _Order(rows, ties)
    rows = rows.mutate(
        _lead_text=order.of_first(["_good"], "_lead", rows["_text"]),
        _lead_who=order.of_first(["_good"], "_lead", rows["_who"]),
        _lead_facets=order.of_first(["_good"], "_lead", rows["_facets"]),
    )
    # What is null in either row says nothing.
    rows = rows.mutate(
        _text_differs=(rows["_text"] != rows["_lead_text"]).fill_null(False),
        _who_differs=(rows["_who"] != rows["_lead_who"]).fill_null(False),
    )
    rows = rows.mutate(_other=rows["_text_differs"] | rows["_who_differs"])
    alike = ["_good", "_other", "_facets", "_number"]
    rows = rows.mutate(_place=_Order(rows, ties).number(alike, ["_answer"]))
    order = _Order(rows, ties)
    rows = rows.mutate(
        _best_time=order.of_first(alike, "_place", rows.time),
        _best_answer=order.of_first(alike, "_place", rows["_answer"]),
        _best_results=order.of_first(alike, "_place", rows.results),
    )
    # A search of which only requests for facets are known is the first of them.
    facets = (rows["_facets"] == 1) & ((rows["_lead_facets"] == 0) | (rows["_lead"] > 0))
    asked_again = (rows["_answer"] > rows["_best_answer"]) & (rows.time <= rows["_best_time"])
    later = rows["_place"] > 0
    merging = ibis.cases(
        (~rows["_good"], ibis.null("string")),
        (facets, FACETS),
        (rows["_other"], ibis.null("string")),
        (later & asked_again, RETRIED),
        (later & rows.results.identical_to(rows["_best_results"]), REPEATED),
        (later, CHANGED),
        else_=ibis.null("string"),
    )
    reused = rows["_good"] & rows["_other"] & ~facets
    rows = rows.mutate(
        **{
            MERGED: merging,
            PROBLEM: ibis.cases(
                (reused & rows["_text_differs"], OTHER_TEXT),
                (reused, OTHER_USER),
                else_=rows[PROBLEM],
            ),
        }
    )
    return _with_pages(rows, ties).drop(*_HELPERS)


_HELPERS = (
    *("_good", "_facets", "_text", "_who", "_number", "_answer", "_nameless", "_lead"),
    *("_lead_text", "_lead_who", "_lead_facets", "_text_differs", "_who_differs", "_other"),
    *("_place", "_best_time", "_best_answer", "_best_results", "_kept", "_turn"),
)


def _with_pages(rows: ibis.Table, ties: tuple[str, ...]) -> ibis.Table:
    """The rows with an id for each further page: of what is kept, all but the first page."""
    rows = rows.mutate(_kept=rows[PROBLEM].isnull() & rows[MERGED].isnull())
    rows = rows.mutate(_turn=_Order(rows, ties).number(["_kept"], ["_number"]))
    further = rows["_kept"] & (rows["_turn"] > 0)
    own = rows.query_id + "#" + rows["_number"].cast("string")
    return rows.mutate(
        query_id=further.ifelse(own, rows.query_id),
        **{ID: rows.query_id, MERGED: further.ifelse(FURTHER, rows[MERGED])},
    )

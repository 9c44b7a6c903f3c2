"""Rows that cannot be used: counted, shown, and set aside."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cleverdon.online.log import Aside
from cleverdon.online.reading.assemble import ORIGIN, Rough
from cleverdon.online.reading.canonical import LACKS_ZONE, PROBLEM
from cleverdon.online.reading.tables import FILE, RAW, Source

if TYPE_CHECKING:
    import ibis

DUPLICATE = "a query_id that an earlier row has"
EXAMPLES = 3
"""How many rows are shown of each kind that was set aside."""
HIDDEN = (PROBLEM, LACKS_ZONE, RAW, FILE, ORIGIN)


def set_aside(
    rough: Rough, sources: Sequence[Source]
) -> tuple[ibis.Table, tuple[Aside, ...], bool]:
    """The good rows, what was set aside, and whether any time had no zone."""
    table = rough.table
    good = table[PROBLEM].isnull()
    wanted: dict[str, Any] = {
        "good": good.sum(),
        "rows": table.count(),
        "zoneless": table[LACKS_ZONE].any(),
    }
    if rough.kind == "queries":
        wanted["distinct"] = table.query_id.nunique(where=good)
    (counts,) = table.aggregate(**wanted).to_pyarrow().to_pylist()
    some = counts["good"] or 0
    if rough.kind == "queries" and counts["distinct"] < some:
        table = _with_duplicates(table)
        some = counts["distinct"]
    found = _rejected(rough.kind, sources)
    if some < counts["rows"]:
        found += _shown(rough, table, sources)
        table = table.filter(table[PROBLEM].isnull())
    kept = table.drop(*(name for name in HIDDEN if name in table.columns))
    return kept, tuple(found), bool(counts["zoneless"])


def _with_duplicates(table: ibis.Table) -> ibis.Table:
    """The table with all but the earliest row of each query id marked."""
    import ibis

    others = [name for name in table.columns if name not in (*HIDDEN, "query_id", "time")]
    order = [table.time, *(table[name] for name in others)]
    # Rows that are set aside already must not stand before one that is not.
    within = ibis.window(group_by=[table.query_id, table[PROBLEM].isnull()], order_by=order)
    later = table[PROBLEM].isnull() & (ibis.row_number().over(within) > 0)
    return table.mutate(**{PROBLEM: later.ifelse(DUPLICATE, table[PROBLEM])})


def _rejected(kind: str, sources: Sequence[Source]) -> list[Aside]:
    """What sources could not even give as rows; of tables of no known role, it is with queries."""
    return [
        Aside(kind, reason, count, tuple(examples[:EXAMPLES]))
        for source in sources
        if (source.role or "queries") == kind
        for reason, count, examples in source.rejected()
    ]


def _shown(rough: Rough, table: ibis.Table, sources: Sequence[Source]) -> list[Aside]:
    bad = table.filter(table[PROBLEM].notnull())
    counts = bad.group_by(PROBLEM).aggregate(n=bad.count()).order_by(PROBLEM)
    return [
        Aside(rough.kind, row[PROBLEM], row["n"], _examples(rough, bad, row[PROBLEM], sources))
        for row in counts.to_pyarrow().to_pylist()
    ]


def _examples(
    rough: Rough, bad: ibis.Table, reason: str, sources: Sequence[Source]
) -> tuple[str, ...]:
    some = _some(bad, reason)
    if reason == DUPLICATE and rough.whole is not rough.table:
        # That they are duplicates was seen only after their text was forgotten.
        ids = [row["query_id"] for row in some]
        whole = rough.whole.filter(rough.whole.query_id.isin(ids))
        some = _some(_with_duplicates(whole), reason)
    found: list[str] = []
    for number in sorted({row[ORIGIN] for row in some}):
        own = [row for row in some if row[ORIGIN] == number]
        found += sources[number].located([(row[FILE], row[RAW] or _text(row)) for row in own])
    return tuple(found)


def _some(bad: ibis.Table, reason: str) -> list[dict[str, Any]]:
    found = bad.filter(bad[PROBLEM] == reason).limit(EXAMPLES).to_pyarrow().to_pylist()
    return list(found)


def _text(row: dict[str, Any]) -> str:
    """A row of a table as text: what it has, without what it has not."""
    told = {name: value for name, value in row.items() if value is not None}
    return json.dumps({name: told[name] for name in told if name not in HIDDEN}, default=str)

"""Rows and values that cannot be used: counted, shown, and set aside or read as unknown."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cleverdon.online.log import Aside
from cleverdon.online.reading.assemble import ORIGIN, Rough
from cleverdon.online.reading.canonical import LACKS_ZONE, ODD, PROBLEM
from cleverdon.online.reading.tables import FILE, RAW, Source

if TYPE_CHECKING:
    import ibis

DUPLICATE = "a query_id that an earlier row has"
EXAMPLES = 3
"""How many rows are shown of each kind that was set aside."""
HIDDEN = (PROBLEM, LACKS_ZONE, RAW, FILE, ORIGIN)


@dataclass(frozen=True)
class Sorted:
    """The good rows, and what is to be said of the others."""

    table: ibis.Table
    aside: tuple[Aside, ...]
    rows: int
    """How many there were, those set aside included."""
    zoneless: bool
    """Whether a good row's time had no zone."""


def set_aside(rough: Rough, sources: Sequence[Source]) -> Sorted:
    """The good rows, without values that cannot be, and an account of all others."""
    table = rough.table
    good = table[PROBLEM].isnull()
    wanted: dict[str, Any] = {
        "good": good.sum(),
        "rows": table.count(),
        "zoneless": table[LACKS_ZONE].any(where=good),
    }
    odd = [name for name in table.columns if name.startswith(ODD)]
    wanted |= {name: table[name].notnull().sum(where=good) for name in odd}
    if rough.kind == "queries":
        wanted["distinct"] = table.query_id.nunique(where=good)
    (counts,) = table.aggregate(**wanted).to_pyarrow().to_pylist()
    some = counts["good"] or 0
    if rough.kind == "queries" and counts["distinct"] < some:
        table = _with_duplicates(table)
        some = counts["distinct"]
    found = _rejected(rough.kind, sources)
    rows = counts["rows"] + sum(aside.count for aside in found)
    if some < counts["rows"]:
        found += _shown(rough, table, sources, PROBLEM)
        table = table.filter(table[PROBLEM].isnull())
    unknown: dict[str, Any] = {}
    for name in odd:
        if counts[name]:
            found += _shown(rough, table, sources, name)
            column = name.removeprefix(ODD)
            unknown[column] = table[name].isnull().ifelse(table[column], None)
    kept = table.mutate(**unknown).drop(*(name for name in table.columns if _hidden(name)))
    return Sorted(kept, tuple(found), rows, bool(counts["zoneless"]))


def _hidden(name: str) -> bool:
    return name in HIDDEN or name.startswith(ODD)


def _with_duplicates(table: ibis.Table) -> ibis.Table:
    """The table with all but the earliest row of each query id marked."""
    import ibis

    others = [
        name for name in table.columns if not _hidden(name) and name not in ("query_id", "time")
    ]
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


def _shown(rough: Rough, table: ibis.Table, sources: Sequence[Source], why: str) -> list[Aside]:
    """Rows by what the column `why` says is wrong with them; only a problem sets them aside."""
    counts = table.group_by(why).aggregate(n=table.count()).order_by(why)
    return [
        Aside(
            rough.kind,
            row[why],
            row["n"],
            _examples(rough, table.filter(table[why] == row[why]), row[why], sources),
            kept=why != PROBLEM,
        )
        for row in counts.to_pyarrow().to_pylist()
        if row[why] is not None
    ]


def _examples(
    rough: Rough, bad: ibis.Table, reason: str, sources: Sequence[Source]
) -> tuple[str, ...]:
    some = _some(bad)
    if reason == DUPLICATE and rough.whole is not rough.table:
        # That they are duplicates was seen only after their text was forgotten.
        ids = [row["query_id"] for row in some]
        whole = _with_duplicates(rough.whole.filter(rough.whole.query_id.isin(ids)))
        some = _some(whole.filter(whole[PROBLEM] == reason))
    found: list[str] = []
    for number in sorted({row[ORIGIN] for row in some}):
        own = [row for row in some if row[ORIGIN] == number]
        found += sources[number].located([(row[FILE], row[RAW] or _text(row)) for row in own])
    return tuple(found)


def _some(bad: ibis.Table) -> list[dict[str, Any]]:
    return list(bad.limit(EXAMPLES).to_pyarrow().to_pylist())


def _text(row: dict[str, Any]) -> str:
    """A row of a table as text: what it has, without what it has not."""
    told = {name: value for name, value in row.items() if value is not None and not _hidden(name)}
    return json.dumps(told, default=str)

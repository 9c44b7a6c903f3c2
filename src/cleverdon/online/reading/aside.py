"""Rows and values that cannot be used: counted, shown, and set aside or read as unknown."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cleverdon.online.log import Aside
from cleverdon.online.reading.assemble import ORIGIN, Rough
from cleverdon.online.reading.canonical import LACKS_ZONE, ODD, PROBLEM, SIZE
from cleverdon.online.reading.merging import FURTHER, ID, MERGED, REUSED, merged
from cleverdon.online.reading.tables import FILE, RAW, Source

if TYPE_CHECKING:
    import ibis

EXAMPLES = 3
"""How many rows are shown of each kind that was set aside."""
MOST_ALIKE = 1_000
"""How many requests of the same ids and times are looked through for an example's own text."""
HIDDEN = (PROBLEM, LACKS_ZONE, RAW, FILE, ORIGIN, SIZE, MERGED)


@dataclass(frozen=True)
class Sorted:
    """The good rows, and what is to be said of the others."""

    table: ibis.Table
    aside: tuple[Aside, ...]
    merged: tuple[Aside, ...]
    """Requests that are a part of another row's search, and further pages, which are kept."""
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
    shared = rough.kind == "queries" and counts["distinct"] < some
    if shared:
        # Kept, since every query of the log would do it again.
        table = merged(table, _ties(table)).cache()
    found = _rejected(rough.kind, sources)
    rows = counts["rows"] + sum(aside.count for aside in found)
    if shared or some < counts["rows"]:
        found += _shown(rough, table, sources, PROBLEM)
        table = table.filter(table[PROBLEM].isnull())
    joined: list[Aside] = []
    if shared:
        joined = _shown(rough, table, sources, MERGED)
        table = table.filter(table[MERGED].isnull() | (table[MERGED] == FURTHER))
        if not any(one.reason == FURTHER for one in joined):
            table = table.drop(ID)
    unknown: dict[str, Any] = {}
    for name in odd:
        if counts[name]:
            found += _shown(rough, table, sources, name)
            column = name.removeprefix(ODD)
            unknown[column] = table[name].isnull().ifelse(table[column], None)
    kept = table.mutate(**unknown).drop(*(name for name in table.columns if _hidden(name)))
    return Sorted(kept, tuple(found), tuple(joined), rows, bool(counts["zoneless"]))


def _hidden(name: str) -> bool:
    return name in HIDDEN or name.startswith(ODD)


def _ties(table: ibis.Table) -> tuple[str, ...]:
    """The columns by which requests of the same time are put in order."""
    return tuple(
        name for name in table.columns if not _hidden(name) and name not in ("query_id", "time")
    )


def _rejected(kind: str, sources: Sequence[Source]) -> list[Aside]:
    """What sources could not even give as rows; of tables of no known role, it is with queries."""
    return [
        Aside(kind, reason, count, tuple(examples[:EXAMPLES]))
        for source in sources
        if (source.role or "queries") == kind
        for reason, count, examples in source.rejected()
    ]


def _shown(rough: Rough, table: ibis.Table, sources: Sequence[Source], why: str) -> list[Aside]:
    """Rows by what the column `why` says of them; all but problems and merged rows are kept."""
    counts = table.group_by(why).aggregate(n=table.count()).order_by(why)
    found = [row for row in counts.to_pyarrow().to_pylist() if row[why] is not None]
    some = {row[why]: _some(table.filter(table[why] == row[why])) for row in found}
    if rough.whole is not rough.table:
        late = [
            row for rows in some.values() for row in rows if why == MERGED or row[why] in REUSED
        ]
        _add_text(rough.whole, late)
    return [
        Aside(
            rough.kind,
            row[why],
            row["n"],
            _examples(some[row[why]], sources),
            kept=why not in (PROBLEM, MERGED) or row[why] == FURTHER,
        )
        for row in found
    ]


def _add_text(whole: ibis.Table, rows: list[dict[str, Any]]) -> None:
    """Rows with their own text: that they share an id was seen only after it was forgotten."""
    if not rows:
        return
    ids, times = ({row[name] for row in rows} for name in (ID, "time"))
    asked = whole.filter(whole.query_id.isin(ids), whole.time.isin(times))
    names = ("time", *_ties(whole))
    texts: dict[tuple[Any, ...], list[str]] = {}
    for found in asked.limit(MOST_ALIKE).to_pyarrow().to_pylist():
        key = (found["query_id"], *(found[name] for name in names))
        texts.setdefault(key, []).append(found[RAW])
    for row in rows:
        alike = texts.get((row[ID], *(row[name] for name in names)))
        if alike:
            row[RAW] = alike.pop(0) if len(alike) > 1 else alike[0]


def _examples(some: list[dict[str, Any]], sources: Sequence[Source]) -> tuple[str, ...]:
    found: list[str] = []
    for number in sorted({row[ORIGIN] for row in some}):
        own = [row for row in some if row[ORIGIN] == number]
        found += sources[number].located([(row[FILE], row[RAW] or _text(row)) for row in own])
    return tuple(found)


def _some(bad: ibis.Table) -> list[dict[str, Any]]:
    return list(bad.limit(EXAMPLES).to_pyarrow().to_pylist())


def _text(row: dict[str, Any]) -> str:
    """A row of a table as text: what it has, without what it has not."""
    there = {name: value for name, value in row.items() if value is not None and name != ID}
    told = {name: value for name, value in there.items() if not _hidden(name)}
    return json.dumps(told, default=str)

"""How often each query was asked, and how often it failed; counted where the log lies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cleverdon.online.log import Log
from cleverdon.online.portable import row_number, whole
from cleverdon.online.settings import Settings
from cleverdon.online.stages import Progress, Stages, staged

if TYPE_CHECKING:
    from ibis import Table

FAILURES: Mapping[str, str] = {
    "zero_results": "nothing was found",
    "abandoned": "something was found, and nothing clicked, copied or converted",
    "reformulated": "no sign of success, and another query followed in the session",
}
"""How a query can fail. One that was abandoned may be reformulated as well, and fails once."""

_NEEDS: Mapping[str, tuple[str, ...]] = {
    "zero_results": ("queries.results",),
    "abandoned": ("events.action",),
    "reformulated": ("events.action",),
}
_SIGNS = {"dwell": "long_clicks", "copy": "copies", "conversion": "conversions"}
"""In which column of `Stages.queries` a sign of success is counted."""

_MILLION = 1_000_000


@dataclass(frozen=True)
class Totals:
    """What all queries of a log come to."""

    asked: int
    """Queries with a text."""
    texts: int
    """How many of them are different."""
    without_text: int
    """Queries of which the log does not say what was searched for, or that were empty."""
    failing: int | None
    """None where the log has nothing that tells."""
    failures: Mapping[str, int]
    """By the kinds of `FAILURES` that the log can tell; a query may be in two."""


@dataclass(frozen=True, eq=False)
class Traffic:
    """A row for each text of a log, as an Ibis table, and their totals."""

    stages: Stages
    lines: Table
    """text, asked, users, failing, a column for each kind of failure, and frequent (0 or 1)."""
    totals: Totals
    unknown: Mapping[str, tuple[str, ...]]
    """Kinds of failure that the log cannot tell, and the columns that it would need."""

    @property
    def kinds(self) -> list[str]:
        """The kinds of failure that the log can tell."""
        return [kind for kind in FAILURES if kind not in self.unknown]


def traffic(
    log: Log | Stages, settings: Settings | None = None, *, progress: Progress | None = None
) -> Traffic:
    """How often each query of a log was asked, by how many users, and how often it failed."""
    source = log.log if isinstance(log, Stages) else log
    source.need("which queries were asked", "queries.text")
    stages = log if isinstance(log, Stages) else staged(log, settings, progress=progress)
    unknown = _unknown(stages)
    asked = stages.asked
    kinds = [kind for kind in FAILURES if kind not in unknown]
    if kinds:
        asked = asked.mutate(**{kind: _FAILED[kind](asked, stages.settings) for kind in kinds})
        asked = asked.mutate(failing=_any(asked, kinds))
    counts = ["failing", *kinds] if kinds else []
    lines = _lines(asked, counts, stages.settings).cache()
    (everything,) = asked.agg(asked=asked.count()).to_pyarrow().to_pylist()
    return Traffic(stages, lines, _totals(lines, counts, everything["asked"]), unknown)


def signs_of_success(queries: Table, settings: Settings) -> Any:
    """How many signs of success each query has, of those that count."""
    return sum(queries[_SIGNS[sign]] for sign in settings.success)


def _unknown(stages: Stages) -> dict[str, tuple[str, ...]]:
    found = {}
    for kind, needs in _NEEDS.items():
        lacks = [column for column in needs if not stages.log.has(column)]
        if kind == "reformulated" and not stages.knows_persons:
            lacks.append("queries.user")
        if lacks:
            found[kind] = tuple(lacks)
    return found


def _found_nothing(asked: Table, settings: Settings) -> Any:
    return whole(asked.found == 0)


def _abandoned(asked: Table, settings: Settings) -> Any:
    idle = (asked.clicks == 0) & (asked.copies == 0) & (asked.conversions == 0)
    return whole(idle & ((asked.found > 0) | asked.found.isnull()))


def _reformulated(asked: Table, settings: Settings) -> Any:
    last = asked.query_number.max().over(group_by=["person", "session_number"])
    return whole((signs_of_success(asked, settings) == 0) & (asked.query_number < last))


_FAILED = {
    "zero_results": _found_nothing,
    "abandoned": _abandoned,
    "reformulated": _reformulated,
}


def _any(asked: Table, kinds: list[str]) -> Any:
    import ibis

    return ibis.greatest(*(asked[kind] for kind in kinds)) if len(kinds) > 1 else asked[kinds[0]]


def _lines(asked: Table, counts: list[str], settings: Settings) -> Table:
    """A row a text; `frequent` are those of the head, as in HeadTorsoTail."""
    import ibis

    asked = asked.filter(asked.text.notnull(), asked.text != "")
    lines = asked.group_by("text").agg(
        asked=asked.count(),
        users=asked.cluster.nunique(),
        **{name: asked[name].sum() for name in counts},
    )
    place = row_number(order_by=[ibis.desc("asked"), "text"])
    texts = lines.count().over(ibis.window())
    return lines.mutate(frequent=whole(place * _MILLION < texts * round(settings.head * _MILLION)))


def _totals(lines: Table, counts: list[str], everything: int) -> Totals:
    sums = {name: lines[name].sum().fill_null(0) for name in ("asked", *counts)}
    (row,) = lines.agg(texts=lines.count(), **sums).to_pyarrow().to_pylist()
    return Totals(
        asked=row["asked"],
        texts=row["texts"],
        without_text=everything - row["asked"],
        failing=row.get("failing"),
        failures={kind: row[kind] for kind in counts[1:]},
    )

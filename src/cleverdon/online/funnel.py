"""The funnel: of all sessions, how many found something, clicked on something, and went well."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cleverdon.online.portable import whole

if TYPE_CHECKING:
    from ibis import Table

    from cleverdon.online.stages import Stages


@dataclass(frozen=True)
class Step:
    """How many sessions came so far."""

    name: str
    count: int


@dataclass(frozen=True)
class Funnel:
    """Steps, none of which has more sessions than the one before."""

    group: str | None
    """The value that was split by; None for all sessions, and for those without a value."""
    steps: tuple[Step, ...]

    def share(self, at: int) -> float | None:
        """Of all sessions, how many came to a step; None where there are none."""
        whole = self.steps[0].count
        return self.steps[at].count / whole if whole else None

    def passed(self, at: int) -> float | None:
        """Of those that came to the step before, how many came to this one."""
        before = self.steps[at - 1].count if at else 0
        return self.steps[at].count / before if before else None


STEPS = {
    "all": "sessions",
    "found": "with results",
    "clicked": "with a click",
    "success": "a success",
}
"""The steps and what they are called. A step that the log cannot tell of is left out.

A session has results unless the log says of all its searches that they found nothing; what was
clicked was found, whatever the log says. Clicks and success are as in SessionCTR and Success.
"""


def funnel(stages: Stages, *, by: str | None = None) -> tuple[Funnel, ...]:
    """The funnel of all sessions; or with `by`, of each value of a column they are split by."""
    stages.log.need("a funnel", *([] if stages.knows_persons else ["queries.user"]))
    rows = funnel_query(stages, by=by).to_pyarrow().to_pylist()
    if by is not None:
        rows.sort(key=lambda row: (row[by] is None, row[by] or ""))
    return tuple(
        Funnel(
            row[by] if by else None,
            tuple(Step(STEPS[name], row[name] or 0) for name in STEPS if name in row),
        )
        for row in rows
    )


def funnel_query(stages: Stages, *, by: str | None = None) -> Table:
    """What is asked of the engine: a row a group, a column a step."""
    sessions = stages.sessions
    columns: dict[str, Any] = {"all": whole(sessions.queries > 0)}
    if stages.log.has("queries.results"):
        sessions = _with_found(stages)
        columns = {"all": whole(sessions.queries > 0), "found": sessions.found}
    if stages.log.has("events.action"):
        clicked = sessions.clicks > 0
        columns["clicked"] = whole(clicked)
        columns["success"] = whole(clicked & (sessions.signals > 0))
    rows = sessions.select(*([by] if by else []), **columns)
    return rows.agg(by=[by] if by else [], **{name: rows[name].sum() for name in columns})


def _with_found(stages: Stages) -> Table:
    """The sessions, with 1 where something may have been found."""
    queries = stages.queries
    may = queries.found.isnull() | (queries.found > 0) | (queries.clicks > 0)
    rows = queries.select("person", "session_number", found=whole(may))
    found = rows.group_by("person", "session_number").agg(found=rows.found.max())
    return stages.sessions.join(found, ["person", "session_number"])

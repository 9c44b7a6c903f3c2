"""The report of agreement: what `cleverdon agree` says, of the project's assessors.

Its numbers are those of the dashboard and of the datasheet: gold is left out, and intervals are
drawn by the same rule.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from sqlalchemy import Connection

from cleverdon.assess.exporting.judges import chosen_rows
from cleverdon.assess.exporting.kinds import REPORTS
from cleverdon.assess.exporting.sheet import as_html, part_of
from cleverdon.assess.watching.agreement import shared_documents
from cleverdon.assess.watching.drawing import report_drawn
from cleverdon.assess.watching.labels import labels_of, without_gold
from cleverdon.errors import InputError
from cleverdon.judge.agreement import disputed_documents
from cleverdon.show.agree import agreement_parts, render
from cleverdon.show.grid import Grid
from cleverdon.show.sections import Section

_DISPUTED = 50
"""Documents in dispute that are shown, the worst first."""


def agreement_report(
    connection: Connection,
    format: str,
    *,
    title: str,
    others: Collection[str] = (),
    called: Mapping[str, str] | None = None,
    seed: int = 0,
) -> str:
    """Agreement over all, by pair and by topic, with intervals; confusion, leanings, disputes.

    `others` are models and earlier judgments that are shown beside people; people's own agreement
    is never computed with them. `called` are other names for people.
    """
    every = chosen_rows(connection, others=others)
    rows = without_gold(every)
    human = [row for row in rows if row.kind == "person"]
    both = shared_documents([row for row in every if row.kind == "person"])
    gold = both - shared_documents(human)
    named = {row.judge: (called or {}).get(row.judge, row.judge) for row in human}
    if len(named) < 2:
        without = ", gold documents left out" if gold else ""
        raise InputError(
            f"agreement needs two people who judged the same documents, and {len(named)} "
            f"did{without}: assign documents to several (cleverdon judge assign --overlap)"
        )
    own, labels = (
        labels_of(replace(row, judge=named.get(row.judge, row.judge)) for row in each)
        for each in (human, rows)
    )
    models = [judge for judge in labels.judges if judge not in own.judges]
    agreed = report_drawn(own, seed=seed)
    shown = {
        "pairs": report_drawn(labels, seed=seed) if models else agreed,
        "models": models,
        "confusion": format != "csv",
        "disputed": disputed_documents(labels, _DISPUTED) if format != "csv" else [],
    }
    left_out = [_left_out(gold)] if gold else []
    if format != "html":
        shown |= {"more": left_out, "records": {"gold_left_out": gold}}
        return render(agreed, REPORTS[format], **shown) + "\n"  # type: ignore[arg-type]
    parts = [*agreement_parts(agreed, **shown), *left_out]  # type: ignore[arg-type]
    return as_html(f"Agreement: {title}", [part_of(each) for each in parts])


def _left_out(gold: int) -> Section:
    why = "somebody chose them, to check attention"
    grid = Grid(["which", "documents", "why"], [["gold", f"{gold:,}", why]], 1, [])
    return Section("Left out of agreement", grid)

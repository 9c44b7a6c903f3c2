"""The report of agreement: what `cleverdon agree` says, of the project's assessors."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from sqlalchemy import Connection

from cleverdon.assess.exporting.judges import chosen_rows
from cleverdon.assess.exporting.sheet import as_html, part_of
from cleverdon.assess.watching.labels import labels_of
from cleverdon.errors import InputError
from cleverdon.judge.agreement import agree, disputed_documents
from cleverdon.show.agree import agreement_parts, render

FORMATS = {"txt": "table", "md": "markdown", "html": "html", "json": "json", "csv": "csv"}
"""The formats by the endings of files, and what they are called elsewhere."""

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
    rows = chosen_rows(connection, others=others)
    people = list(dict.fromkeys(row.judge for row in rows if row.kind == "person"))
    if len(people) < 2:
        raise InputError(
            f"agreement needs two people who judged the same documents, and {len(people)} did: "
            "assign documents to several (cleverdon judge assign --overlap)"
        )
    named = {name: (called or {}).get(name, name) for name in people}
    labels = labels_of(replace(row, judge=named.get(row.judge, row.judge)) for row in rows)
    models = [judge for judge in labels.judges if judge not in named.values()]
    agreed = agree(labels.only(list(named.values())), per_query=True, seed=seed)
    pairs = agree(labels, seed=seed) if models else agreed
    shown = {
        "pairs": pairs,
        "models": models,
        "confusion": format != "csv",
        "disputed": disputed_documents(labels, _DISPUTED) if format != "csv" else [],
    }
    if format != "html":
        return render(agreed, FORMATS[format], **shown) + "\n"  # type: ignore[arg-type]
    parts = agreement_parts(agreed, **shown)  # type: ignore[arg-type]
    return as_html(f"Agreement: {title}", [part_of(each) for each in parts])

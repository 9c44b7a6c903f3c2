"""From a run and judgments to Hits: one ranking, for every measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np

from cleverdon import _core
from cleverdon.data import Judgments, Run
from cleverdon.errors import InputError
from cleverdon.hits import Bools, Hits
from cleverdon.read import Text, open_input
from cleverdon.read.mapping import has_lists
from cleverdon.settings import Settings


@dataclass(frozen=True, eq=False)
class Ranked:
    """One run, ranked and joined with the judgments."""

    name: str
    hits: Hits
    present: Bools  # which of the judged queries the run has
    source: str
    digest: str
    results: int  # of judged queries
    tied: int  # results that share their score with another
    extra: int  # queries of the run without judgments
    extra_names: tuple[str, ...]  # the first few of them
    top: list[list[tuple[str, float]]]  # per judged query, the first results that were to be kept


def rank(
    judgments: Judgments,
    run: Any,
    *,
    settings: Settings = Settings(),  # noqa: B008 (frozen)
    name: str | None = None,
    format: str | None = None,
    keep: int = 0,
    progress: Callable[[int, int], object] | None = None,
) -> Ranked:
    """Rank a run, and keep what the judgments mention.

    A text file is streamed and a dict of dicts is walked in place; neither is ever copied whole.
    """
    order = _core.Order(
        ties=settings.ties if settings.ties in ("ascending", "input") else "descending",
        single=settings.precision == "single",
        duplicates=settings.duplicates,
        keep=keep,
    )
    source, digest = "", ""
    joined = None
    if isinstance(run, Mapping) and settings.order_by == "score" and not has_lists(run):
        nested = run if isinstance(run, dict) else dict(run)
        joined = judgments.core.join_dict(nested, order)
        name = name or "run"
    if joined is None:
        opened = open_input(
            Run,
            run,
            format=format,
            name=name,
            duplicates="unchecked",
            order_by=settings.order_by,
        )
        name = name or opened.name
        if isinstance(opened, Text):
            joined = judgments.core.join_text(opened.source, opened.layout, order, progress)
            source, digest = opened.source.name, opened.source.digest()
        else:
            source, digest = opened.source, opened.digest
            joined = _join_table(judgments, opened, order)
    _check_common_queries(judgments, joined, name=source or str(name))
    hits = Hits(
        query=joined.query,
        rank=joined.rank,
        grade=judgments.judged.grade[joined.doc],
        doc=joined.doc,
        tied_from=joined.tied_from,
        tied_to=joined.tied_to,
        returned=joined.returned,
        judgments=judgments.judged,
    )
    if settings.ties in ("best", "worst"):
        hits = hits.tied(cast(Literal["best", "worst"], settings.ties))
    return Ranked(
        name=str(name),
        hits=hits,
        present=joined.present,
        source=source,
        digest=digest,
        results=joined.rows,
        tied=joined.tied,
        extra=joined.extra,
        extra_names=tuple(joined.extra_names),
        top=joined.top,
    )


def _join_table(judgments: Judgments, run: Run, order: _core.Order) -> _core.Joined:
    try:
        return judgments.core.join_table(run._table, order)
    except InputError as error:
        raise InputError(error.message, source=run.source or run.name) from None


def _check_common_queries(judgments: Judgments, joined: _core.Joined, *, name: str) -> None:
    if np.any(joined.present):
        return
    if not joined.extra:
        raise InputError("has no rows", source=name)
    raise InputError(
        f"no query of it has judgments: it has {joined.extra_names[0]!r}, the judgments have "
        f"{judgments.queries[0]!r}; are these the right files, in the right order?",
        source=name,
    )

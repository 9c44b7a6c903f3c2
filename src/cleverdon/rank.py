"""Ranking: a run and judgments to Hits, once for all measures."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, Protocol, cast

import numpy as np

from cleverdon import _core
from cleverdon._common.arrays import Bools, Ints
from cleverdon._common.digests import PendingDigest, digest_of, pending
from cleverdon._common.progress import Progress
from cleverdon.data import Judgments, Run
from cleverdon.errors import InputError, OptionError
from cleverdon.formats.inputs import open_input, run_name
from cleverdon.formats.lines import Lines, with_format_hint
from cleverdon.formats.mappings import holds_dicts
from cleverdon.hits import Hits
from cleverdon.judgment_arrays import NOT_JUDGED, JudgmentArrays
from cleverdon.settings import Settings

_EMPTY = ("is empty", "has no rows")
"""What is wrong with inputs that a part of a collection may have."""
NAMED = 5  # so many of a run's queries without judgments are named


class _JoinedArrays(Protocol):
    """What a join gives: the columns of `Hits`, without the grades."""

    @property
    def query(self) -> Ints: ...
    @property
    def rank(self) -> Ints: ...
    @property
    def doc(self) -> Ints: ...
    @property
    def tied_from(self) -> Ints: ...
    @property
    def tied_to(self) -> Ints: ...
    @property
    def returned(self) -> Ints: ...


@dataclass(frozen=True, eq=False)
class RankedRun:
    """One run, ranked and joined with the judgments."""

    name: str
    hits: Hits
    present: Bools  # which of the judged queries the run has
    source: str
    digest: str | PendingDigest
    results: int  # of judged queries
    tied: int  # results that share their score with another
    extra: int  # queries of the run without judgments
    extra_names: tuple[str, ...]  # the first few of them
    top: list[list[tuple[str, float]]]  # per judged query, the first results that were to be kept
    others: dict[tuple[Settings, bool], Hits] = field(default_factory=dict)
    """The run ranked in other ways, by settings and by `uses_other_queries`."""

    def hits_by(self, settings: Settings, *, elsewhere: bool = False) -> Hits:
        """Return the hits in one of the ways in which the run was ranked."""
        if elsewhere and (settings, elsewhere) not in self.others:
            raise OptionError(f"{self.name} was ranked without what other queries judged")
        return self.others.get((settings, elsewhere), self.hits)


def rank(
    judgments: Judgments,
    run: Any,
    *,
    settings: Settings = Settings(),  # noqa: B008 (frozen)
    name: str | None = None,
    format: str | None = None,
    keep: int = 0,
    also: Iterable[tuple[Settings, bool]] = (),
    listed_only: bool = False,
    part: bool = False,
    progress: Progress | None = None,
) -> RankedRun:
    """Rank a run, and keep what the judgments mention.

    A text file is streamed and a dict of dicts is walked in place; neither is ever copied whole.
    `also` names other ways in which to rank it as well, for measures that ask for them: settings,
    and whether to keep results that only other queries' judgments mention. `listed_only` leaves out
    queries without results that only the search record next to the file lists, as other tools do.
    `part` says that the judgments are of some queries of a collection: the run may have none of
    them.
    """
    source = ""
    digest: str | PendingDigest = ""
    unlisted: tuple[str, ...] = ()
    join: Callable[[_core.Order], _core.Joined | None]
    joined = None
    order = _order(settings, keep=keep)
    if isinstance(run, Mapping) and settings.order_by == "score" and holds_dicts(run):
        nested = run if isinstance(run, dict) else dict(run)
        join = partial(judgments.core.join_dict, nested)
        joined = join(order)
        name = name or "run"
    if joined is None:
        how = {"format": format, "name": name, "order_by": settings.order_by}
        try:
            opened = open_input(Run, run, duplicates="unchecked", **how)  # type: ignore[arg-type]
        except InputError as error:
            if not part or error.message not in _EMPTY:
                raise
            source = os.fspath(run) if isinstance(run, (str, os.PathLike)) else ""
            opened = Run(_no_rows(), name=name or run_name(source or "run"), source=source)
        name = name or opened.name
        if isinstance(opened, Lines):
            text, layout = opened.source, opened.layout
            report = None if progress is None else partial(progress, f"reading {name}")
            try:
                joined = judgments.core.join_text(text, layout, order, report)
            except InputError as error:
                if not part or error.message not in _EMPTY:
                    raise with_format_hint(error, opened) from None
                joined = judgments.core.join_table(_no_rows(), order)
            join = partial(judgments.core.join_text, text, layout)
            source, digest, unlisted = text.name, digest_of(text), opened.unlisted
        else:
            source, digest, unlisted = opened.source, pending(opened), opened._unlisted
            join = partial(_join_table, judgments, opened)
            joined = _join_table(judgments, opened, order)
    present, extra, extra_names = joined.present, joined.extra, joined.extra_names
    if unlisted and not listed_only:
        present = present | np.isin(judgments.core.queries, unlisted)
        not_judged = [query for query in unlisted if query not in judgments]
        extra, extra_names = extra + len(not_judged), extra_names + not_judged
    if not (part or np.any(present)):
        raise nothing_in_common(judgments.queries[0], extra_names, source=source, name=str(name))
    others = {}
    for way, elsewhere in also:
        same = not elsewhere and core_order(way) == core_order(settings)
        again = joined if same else join(_order(way, elsewhere=elsewhere))
        if again is not None:
            others[way, elsewhere] = ranked_hits(judgments, again, way)
    return RankedRun(
        name=str(name),
        hits=ranked_hits(judgments, joined, settings),
        present=present,
        source=source,
        digest=digest,
        results=joined.rows,
        tied=joined.tied,
        extra=extra,
        extra_names=tuple(extra_names[:NAMED]),
        top=joined.top,
        others=others,
    )


def _no_rows() -> _core.Table:
    return _core.Table.from_dict({}, Run.kind, "unchecked")


def core_order(settings: Settings) -> tuple[str, bool, str]:
    """Return the part that matters to the core of the settings on which measures differ."""
    ties = settings.ties if settings.ties in ("ascending", "input") else "descending"
    return ties, settings.precision == "single", settings.duplicates


def _order(settings: Settings, *, keep: int = 0, elsewhere: bool = False) -> _core.Order:
    ties, single, duplicates = core_order(settings)
    return _core.Order(
        ties=ties,
        single=single,
        duplicates=duplicates,
        keep=keep,
        drop_own=settings.own_document == "drop",
        elsewhere=elsewhere,
    )


def as_hits(judged: JudgmentArrays, joined: _JoinedArrays) -> Hits:
    """Convert the core's join, or that of another engine, to Hits."""
    return Hits(
        query=joined.query,
        rank=joined.rank,
        grade=np.where(joined.doc >= 0, judged.grade[joined.doc], NOT_JUDGED),
        doc=joined.doc,
        tied_from=joined.tied_from,
        tied_to=joined.tied_to,
        returned=joined.returned,
        judgments=judged,
    )


def ranked_hits(judgments: Judgments, joined: _JoinedArrays, settings: Settings) -> Hits:
    """Convert a join to Hits, with the settings that change them afterwards."""
    hits = as_hits(judgments.judged, joined)
    if settings.unreturned == "drop":
        hits = hits.without_unreturned()
    if settings.ties in ("best", "worst"):
        return hits.tied(cast(Literal["best", "worst"], settings.ties))
    return hits


def _join_table(judgments: Judgments, run: Run, order: _core.Order) -> _core.Joined:
    try:
        return judgments.core.join_table(run._table, order)
    except InputError as error:
        raise InputError(error.message, source=run.source or run.name) from None


def nothing_in_common(
    judged: str, queries: Sequence[str], *, source: str = "", name: str
) -> InputError:
    """Return the error of a run without judged queries: one judged query, and some of the run."""
    if not queries:
        return InputError("has no rows", source=source or name)
    ask = (
        "are these the right files, in the right order?"
        if source
        else "a run is {query: {document: score}}, and several are {name: run}"
    )
    return InputError(
        f"no query of it has judgments: it has {queries[0]!r}, the judgments have {judged!r}; "
        f"{ask}",
        source=source or name,
    )

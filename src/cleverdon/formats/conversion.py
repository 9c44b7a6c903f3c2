"""Conversion of runs and judgments into another format."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from cleverdon import _core
from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon.data import Judgments, Rows, Run
from cleverdon.errors import OptionError
from cleverdon.formats.detection import (
    ANNOTATED,
    BOOKS,
    OF_JUDGMENTS,
    detect_format,
    guess_kind,
)
from cleverdon.formats.inputs import head_of, open_source
from cleverdon.formats.typed import TypedRanking, looks_typed, together
from cleverdon.formats.writers import fractional_grades, lost_queries, write_rows
from cleverdon.tables.result import Result
from cleverdon.tables.sections import Section, count_format
from cleverdon.tables.table import TextTable


class KindError(OptionError):
    """It is unclear whether a file is a run, or an option does not fit what it is."""


@dataclass(frozen=True)
class Conversion(Result):
    """What was written, and what the new file does not keep.

    >>> Conversion("run", rows=20, queries=2, notes=())
    kind  rows  queries
    ────  ────  ───────
    run     20        2
    """

    kind: Literal["run", "qrels"]
    rows: int
    queries: int
    notes: tuple[str, ...]  # the size of the new file, unless it is standard output; warnings

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return one table, of one row."""
        count = count_format(exact=exact)
        row = [self.kind, count(self.rows), count(self.queries)]
        grid = TextTable(["kind", "rows", "queries"], [row], 1, [])
        return [Section("Conversion", grid, titled=False)]

    def closing(self) -> tuple[str, ...]:
        return self.notes


@shows_progress("converting")
def convert(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    kind: Literal["run", "qrels"] | None = None,
    source_format: str | None = None,
    target_format: str | None = None,
    tag: str | None = None,
    order_by: str | None = None,
    duplicates: str = "error",
    progress: Progress | bool | None = None,
) -> Conversion:
    """Write a run or judgments in another format.

    Args:
        source: The file to read; "-" is standard input. Or a typed ranking, as "R N | R".
        target: The file to write; "-" is standard output.
        kind: "run" or "qrels"; by default guessed from the number of fields, or for a typed ranking
            from the name of the target.
        source_format: The format of the source, if it should not be guessed: "trec", "msmarco",
            "beir", "csv", "tsv", "json", "jsonl", "xlsx", "parquet", "arrow" or another of the
            guide to reading.
        target_format: The format of the target; by default it follows from its name.
        tag: The name of a run; by default its tag, and without one the name of the source.
        order_by: "score", or "rank" to order a run by its rank column.
        duplicates: A document that occurs twice for one query is an "error"; or take the "first",
            or the "best" of both.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        The size of the new file, and what it does not keep.

    Raises:
        KindError: The source could be a run or judgments, or `tag` or `order_by` is given for
            judgments.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "in.run").write_text("q1 Q0 d1 1 2.5 me" + chr(10))
    >>> convert(folder / "in.run", folder / "out.json").kind
    'run'
    """
    progress = as_callback(progress)
    source, target = os.fspath(source), os.fspath(target)
    if source != "-" and looks_typed(source):
        (typed,) = together([source])
        return _write_typed(typed, target, kind=kind, format=target_format, tag=tag)
    opened = open_source(source)
    judged = source_format in (*ANNOTATED, *BOOKS, *OF_JUDGMENTS) or target_format in ANNOTATED
    notes: list[str] = []
    rows: Rows
    reading: dict[str, Any] = {"duplicates": duplicates, "progress": progress}
    if not judged and (kind or _guessed(opened, source)) == "run":
        kind, order = "run", order_by or "score"
        found, notes = _examine_tags(opened, by_rank=order == "rank", tag=tag, progress=progress)
        rows = Run.read(opened, format=source_format, name=found, order_by=order, **reading)
    else:
        for option, value in (("--tag", tag), ("--order-by", order_by)):
            if value is not None:
                raise KindError(f"{option} goes with a run, and these are judgments")
        # `kind` says that the third column has grades, not ranks.
        graded = kind is not None and source_format is None
        if graded and detect_format(head_of(opened), kind="grade", source=source) == "beir":
            source_format = "beir"
        kind, rows = "qrels", Judgments.read(opened, format=source_format, **reading)
    write_rows(rows, target, format=target_format)
    notes += _size(rows, target)
    if source_format in ANNOTATED and target_format not in ANNOTATED:
        notes.append(f"{target}: only grades were written; --to {source_format} keeps all")
    notes += _warnings(rows, target, target_format)
    return Conversion(kind, len(rows), len(rows.queries), tuple(notes))


def _write_typed(
    typed: TypedRanking, target: str, *, kind: str | None, format: str | None, tag: str | None
) -> Conversion:
    """Write the run or the judgments of a typed ranking."""
    if kind is None:
        name = os.path.basename(target).lower()
        kind = "qrels" if "qrels" in name else "run" if ".run" in name else None
    if kind is None:
        raise KindError(
            f"a typed ranking is a run and its judgments, and {target} could hold either: say "
            "--kind run or qrels"
        )
    if kind == "qrels" and tag is not None:
        raise KindError("--tag goes with a run, and these are judgments")
    rows: Rows = typed.rankings.judgments if kind == "qrels" else typed.run
    if kind == "run" and tag is not None:
        rows = Run.read(typed.run.to_dict(), name=tag)
    write_rows(rows, target, format=format)
    notes = [*_size(rows, target), *_warnings(rows, target, format)]
    if kind == "run" and typed.rankings.tied:
        notes.append("warning: results with equal scores are written by their ids, not as typed")
    return Conversion(
        "qrels" if kind == "qrels" else "run", len(rows), len(rows.queries), tuple(notes)
    )


def _size(rows: Rows, target: str) -> Iterator[str]:
    if target != "-":
        what = "results" if isinstance(rows, Run) else "judgments"
        yield f"{target}: {len(rows):,} {what} of {len(rows.queries):,} queries"


def _warnings(rows: Rows, target: str, format: str | None) -> Iterator[str]:
    if isinstance(rows, Judgments):
        yield from fractional_grades(rows, target, format)
    if lost := lost_queries(rows, target, format=format):
        yield f"warning: {lost}"


def _guessed(opened: _core.Source, source: str) -> str:
    found = guess_kind(source, opened, head_of(opened))
    if found is None:
        raise KindError(f"is {source} a run, or are they judgments? say --kind run or qrels")
    return found


def _examine_tags(
    opened: _core.Source, *, by_rank: bool, tag: str | None, progress: Progress | None
) -> tuple[str | None, list[str]]:
    """Return the run's name, and warnings of what the new file will not keep."""
    # The linter is built on this package.
    from cleverdon.checks.linter import check

    found = check(opened, kind="run", limit=1, progress=progress)
    notes = []
    contradictions = {"rank-contradicts-score", "scores-rise"}
    if not by_rank and any(one.name in contradictions for one in found.findings):
        notes.append(
            f"warning: {opened.name}: ranks contradict scores; the scores decide, and ranks are "
            "written anew; --order-by rank keeps the order of the ranks"
        )
    if len(found.tags) > 1 and tag is None:
        notes.append(
            f"warning: {opened.name}: {len(found.tags)} different tags, of which none is kept; "
            "--tag TAG names one"
        )
    return tag or (found.tags[0] if len(found.tags) == 1 else None), notes

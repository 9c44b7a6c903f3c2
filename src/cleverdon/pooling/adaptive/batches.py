"""Batches of adaptive judging: judgments come back, the next documents go out."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

from cleverdon._common.files import journal_exists
from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon._common.text import counted
from cleverdon.data import Grades, Judgments, Nested
from cleverdon.errors import InputError, UsageError
from cleverdon.formats.inputs import open_source
from cleverdon.formats.sheets import (
    COLUMNS,
    CUT_MESSAGE,
    check_sheet_ids,
    has_header,
    is_journal,
    judgments_of,
    merged_sheets,
    read_sheet,
)
from cleverdon.pooling.adaptive.journal import (
    JournalStart,
    begin_journal,
    read_start,
    restart_advice,
    resume_journal,
    run_file,
)
from cleverdon.pooling.adaptive.judging import AdaptiveJudging, Judgment, Limits, Tally
from cleverdon.pooling.choices import ADAPTIVE_METHOD, BATCH_SIZE
from cleverdon.pooling.contributions import Contributions, gather
from cleverdon.tables.result import Result
from cleverdon.tables.sections import Section
from cleverdon.tables.table import TextTable


@dataclass(frozen=True, eq=False)
class Batch(Result):
    """The next documents to judge, and the progress of judging.

    Attributes:
        documents: Queries and documents, in the order in which judges see them.
        method: The method that chose them.
        tally: The progress; None where judgments were only written out.
        summary: The progress, notes and warnings in sentences.

    >>> runs = {"a": {"q1": {"d1": 2, "d2": 1}}, "b": {"q1": {"d3": 2, "d1": 1}}}
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> print(next_batch(Path(mkdtemp()) / "journal.jsonl", runs, count=1))
    query  document
    ─────  ────────
    q1     d1
    """

    documents: list[tuple[str, str]]
    method: str
    tally: Tally | None
    summary: tuple[str, ...]

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return one table: a row for each document."""
        rows = [[query, doc] for query, doc in self.documents]
        return [Section("documents", TextTable(["query", "document"], rows, 2, []), titled=False)]


@shows_progress("pooling")
def next_batch(
    journal: str | os.PathLike[str],
    runs: Any = None,
    *,
    count: int = BATCH_SIZE,
    judged: Sequence[str | os.PathLike[str]] = (),
    write_qrels: str | os.PathLike[str] | None = None,
    limits: Mapping[str, int | None] | None = None,
    method: str | None = None,
    queries: Sequence[str] | None = None,
    depth: int | None = None,
    rel: float | None = None,
    seed: int | None = None,
    qrels_format: str | None = None,
    run_format: str | None = None,
    order_by: str | None = None,
    progress: Progress | bool | None = None,
) -> Batch:
    """Take judgments, and give the next documents to judge.

    The journal keeps what was given and judged. Where there is none yet, judging begins, and runs
    are needed; otherwise it goes on with the runs that the journal names. Documents that were given
    and not judged come first. `method`, `queries`, `depth`, `rel`, `seed`, `run_format` and
    `order_by` are decided at the beginning.

    Args:
        journal: The file of the journal.
        runs: The runs, as `evaluate` takes them.
        count: The number of documents to give; 0 only takes judgments.
        judged: Sheets that were filled in, any judgments, or other journals.
        write_qrels: Write all judgments so far to this file. With `count=0` and nothing to take,
            the runs need not be there.
        limits: New values of the fields of `Limits`: budget, total, patience, target.
        method: The method, as "mtf" (the default) or "hedge(beta=0.2)".
        queries: The queries to judge; by default all.
        depth: The number of results of each run and query to look at; by default all.
        rel: The lowest grade that is relevant, by default 1.
        seed: The seed of choices, by default 0.
        qrels_format: The format of `judged`, if not to be guessed.
        run_format: The format of the runs, if not to be guessed.
        order_by: The order of results: by `score` (the default) or by `rank`.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        The documents. `write_sheet` writes them for judges.

    Raises:
        UsageError: If there is no journal and no run, or options differ from those with which the
            journal began.
        InputError: If judgments contradict each other or belong to other runs, or if writing would
            overwrite somebody's work.

    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> folder = Path(mkdtemp())
    >>> runs = {"a": {"q1": {"d1": 2, "d2": 1}}, "b": {"q1": {"d3": 2, "d1": 1}}}
    >>> next_batch(folder / "j.jsonl", runs, count=1).documents
    [('q1', 'd1')]
    >>> _ = (folder / "sheet.tsv").write_text("query_id\\tdoc_id\\tgrade\\nq1\\td1\\t1\\n")
    >>> next_batch(folder / "j.jsonl", runs, judged=[folder / "sheet.tsv"]).tally.relevant
    1
    """
    progress = as_callback(progress)
    journal = os.fspath(journal)
    sheets = [os.fspath(sheet) for sheet in judged]
    notes: list[str] = []
    start = read_start(journal) if journal_exists(journal) else None
    if start is None:
        _check_beginning(journal, runs, notes)
    else:
        _check_same_start(
            journal,
            start,
            queries=tuple(dict.fromkeys(queries)) if queries else None,
            depth=depth,
            rel=rel,
            seed=seed,
            run_format=run_format,
            order_by=order_by,
        )
    changed_limits = {name: value for name, value in (limits or {}).items() if value is not None}
    before = judgments_of(journal) if start and write_qrels else []
    if start and write_qrels and not (count or sheets or changed_limits):
        _check_qrels(os.fspath(write_qrels), before)
        written = _write_qrels(read_sheet(journal, notes=notes), os.fspath(write_qrels))
        return Batch([], str(start.method), None, (written, *_noted(notes)))
    read = {sheet: read_sheet(sheet, format=qrels_format, notes=notes) for sheet in sheets}
    together = merged_sheets(read)  # an error where they contradict each other
    if write_qrels:
        _check_qrels(os.fspath(write_qrels), before + _graded(together))  # before anything is kept
    going: AbstractContextManager[AdaptiveJudging]
    if start:
        going = resume_journal(journal, runs, method=method, notes=notes, progress=progress)
    else:
        order_by = order_by or "score"
        found = gather(runs, depth=depth, format=run_format, order_by=order_by, progress=progress)
        for at, query in enumerate(found.queries):  # before a journal begins that cannot go on
            if not queries or query in queries:
                check_sheet_ids((query, *found.ids(at)))
        _check_queries(read, found)
        going = begin_journal(
            journal,
            found,
            method or ADAPTIVE_METHOD,
            seed=seed or 0,
            rel=1.0 if rel is None else rel,
            queries=queries or None,
            limits=Limits(**changed_limits),
            format=run_format,
            order_by=order_by,
        )
    with _advise_restart(journal, sheets), going as judging:
        _check_queries(read, judging.contributions)
        judging.limit(**changed_limits)
        changed = sum(
            judging.grades.get(query, {}).get(doc, grade) != grade
            for query, doc, grade in _graded(together)
        )
        for sheet, grades in read.items():
            notes += _take_sheet(judging, sheet, grades)
        summary = [_write_qrels(judging.grades, os.fspath(write_qrels))] if write_qrels else []
        documents = judging.next(count)
        tally = judging.tally
    summary += _noted(notes)
    if changed:
        verb = "it was" if changed == 1 else "they were"
        summary.append(f"{journal}: {counted(changed, 'grade')} changed since {verb} judged before")
    summary.append(f"{journal}: {judging.method}; {tally.text}")
    if count and not documents:
        summary.append(f"{journal}: {tally.over_text}")
    return Batch(documents, str(judging.method), tally, tuple(summary))


def _noted(notes: Sequence[str]) -> list[str]:
    return [f"cleverdon: note: {note}" for note in notes]


def journal_runs(journal: str | os.PathLike[str]) -> list[str]:
    """Return the files of the runs that a journal names, as far as they are there."""
    if not journal_exists(journal):
        return []
    return [file for each in read_start(journal).systems if (file := run_file(each, journal))]


def _check_beginning(journal: str, runs: Any, notes: list[str]) -> None:
    """Require runs; note that a journal that was cut within its first line is replaced."""
    content = b""
    if os.path.exists(journal):
        with open(journal, "rb") as file:
            content = file.read(100)
    if is_journal(content):
        if not runs:
            raise InputError(f"{CUT_MESSAGE} To begin again, give RUNS", source=journal, line=1)
        notes.append(f"{journal}: it was cut within its first line, and begins anew")
    elif not runs:
        found = f"{journal} is not a journal" if content else f"there is no {journal}"
        raise UsageError(f"{found} to go on from; to begin, give RUNS")


def _check_same_start(journal: str, start: JournalStart, **given: Any) -> None:
    for name, value in given.items():
        had = getattr(start, name)
        if value is None or value == had:  # also where the first call is repeated
            continue
        began = f"without {name}" if had is None else f"with {name}={_as_given(had)}"
        raise UsageError(
            f"{journal} exists, and began {began}: {name} can only be chosen at the beginning; "
            "leave it out, or name another journal"
        )


def _as_given(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def _check_queries(judged: Mapping[str, Grades], found: Contributions) -> None:
    """Refuse judgments of other queries: they would stay in the journal for good."""
    known = set(found.queries)
    for sheet, grades in judged.items():
        queries = list(dict.fromkeys(query for query, _, _ in _graded(grades)))
        if queries and known.isdisjoint(queries):
            raise InputError(
                f"no run has any of its queries, such as {queries[0]!r} (the runs have such as "
                f"{found.queries[0]!r}): is it of another collection? Nothing is taken from it",
                source=sheet,
            )


def _graded(grades: Grades) -> list[Judgment]:
    """Leave out documents that were pooled and not judged, which have a grade below 0."""
    return [
        (query, doc, grade)
        for query, docs in grades.items()
        for doc, grade in docs.items()
        if grade >= 0
    ]


def _check_qrels(path: str, judgments: list[Judgment]) -> None:
    """Refuse to write nothing, or to overwrite judgments that the journal does not have."""
    if not judgments:
        raise InputError("nothing is judged yet, so there are no qrels to write", source=path)
    if not os.path.isfile(path) or not os.path.getsize(path):
        return
    try:
        head = open_source(path).head(1 << 12)
        what = "journal" if is_journal(head) else "judges' sheet" if _is_sheet(head) else ""
        there: Nested = {} if what else read_sheet(path)
    except InputError:
        message = "exists, and contains something other than judgments: name another file"
        raise InputError(message, source=path) from None
    if what:
        message = f"is a {what}, which qrels would overwrite: name another file"
        raise InputError(message, source=path)
    alone = len(set(_graded(there)).difference(judgments))
    if alone:
        raise InputError(
            f"has {counted(alone, 'judgment')} that the journal has not, or with another grade, "
            "and would be overwritten; name another file, or hand this one in first, by --judged",
            source=path,
        )


def _is_sheet(head: bytes) -> bool:
    """Tell sheets from qrels with a header, which name the column of grades differently."""
    lines = head.replace(b"\0", b"").strip().splitlines()  # without what UTF-16 has between
    return has_header(head) and COLUMNS[2].encode() in lines[0].lower()


def _write_qrels(grades: Grades, path: str) -> str:
    Judgments.read(grades).write(path)
    name, total = "qrels" if path == "-" else path, sum(map(len, grades.values()))
    return f"{name}: {counted(total, 'judgment')} of {counted(len(grades), 'query')}"


@contextmanager
def _advise_restart(journal: str, sheets: Sequence[str]) -> Iterator[None]:
    """Add the sheets to the advice to begin another journal."""
    try:
        yield
    except InputError as error:
        advice = restart_advice(journal)
        if not sheets or advice not in error.message:
            raise
        message = error.message.replace(advice, restart_advice(journal, *sheets))
        raise InputError(message, source=error.source, line=error.line) from None


def _take_sheet(judging: AdaptiveJudging, sheet: str, grades: Grades) -> list[str]:
    """Take the judgments of a sheet; return what is odd about them."""
    before = judging.tally
    judged = _graded(grades)
    new = judging.judge_all(judged)
    elsewhere = judging.tally.elsewhere - before.elsewhere
    if not judged:
        return [f"{sheet}: no document has a grade yet"]
    if new and elsewhere == new:
        return [f"{sheet}: no run returned any of these documents; is it of another collection?"]
    return []

"""A run file made by an engine, with its journal, its record and a summary.

The run appears when it is complete. Until then FILE.journal keeps the answers, so that a search
that was stopped, or in which some queries failed, continues where it was. It has lines of JSON,
only ever appended: the first identifies engine and queries, each other one is an answer or a
failure. A thread writes and syncs them a few times a second, so that an engine may answer thousands
of queries a second. FILE.search.json records how the run was made.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from json import dumps
from math import isfinite
from pathlib import Path
from queue import Empty, SimpleQueue
from shlex import quote
from threading import Event, Thread
from typing import Any, Unpack

from cleverdon import __version__
from cleverdon._common.files import Journal, open_journal, sync_folder, write_file
from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon._common.text import counted, printable
from cleverdon.engines.client import Answer
from cleverdon.engines.configuration import open_engine
from cleverdon.engines.protocol import Engine, SearchFailure
from cleverdon.engines.retrieval import (
    SearchesFailed,
    SearchKeywords,
    SearchOptions,
    SearchResult,
    queries_digest,
    read_queries,
    run_search,
)
from cleverdon.errors import CleverdonError, InputError
from cleverdon.formats.inputs import open_source, search_record_path
from cleverdon.formats.writers import (
    check_ids,
    format_of,
    lost_queries,
    preserving_format,
    write_rows,
)

_FORMAT = "cleverdon search 1"
_IDENTITY_KEY = "unsaid"  # under which name the digest of what an engine does not say is kept
_START = f'{{"format": "{_FORMAT}"'.encode()
_WRITE_INTERVAL = 0.1  # seconds between two times of writing, at least: syncing a disk is slow
_START_FRESH = "begin anew with --fresh (fresh=True in Python)"


class _AnswerJournal:
    """The answers of earlier processes, and a writer for new ones."""

    def __init__(self, journal: Journal, before: Mapping[str, Answer]) -> None:
        self.before = before  # the answers and failures of earlier processes
        self.notes = journal.notes
        self._has_answers = any(found.failure is None for found in before.values())
        self._journal = journal
        self._waiting: SimpleQueue[dict[str, Any]] = SimpleQueue()
        self._over = Event()
        self._problem: CleverdonError | None = None
        self._removed = False
        self._thread = Thread(target=self._write, name="cleverdon-journal", daemon=True)
        self._thread.start()

    @property
    def path(self) -> str:
        return self._journal.path

    def add(self, query: str, answer: Answer) -> None:
        """Keep an answer; it is on the disk a moment later."""
        if self._problem is not None:  # the disk is full: what is asked now would be lost
            raise self._problem
        self._has_answers = self._has_answers or answer.failure is None
        self._waiting.put(_entry(query, answer))

    def close(self) -> None:
        """Write what is waiting; remove a file without an answer."""
        self._over.set()
        self._thread.join()
        if not self._has_answers:
            self.remove()
        if self._problem is not None and not self._removed:
            raise self._problem

    def remove(self) -> None:
        self._removed = True
        try:
            Path(self.path).unlink(missing_ok=True)
        except PermissionError:  # Windows removes no file that is open; an empty one is as good
            self._journal.file.truncate(0)

    def _write(self) -> None:
        last = False
        while not last and self._problem is None:
            last = self._over.wait(_WRITE_INTERVAL)  # seen before the queue is emptied
            entries = []
            try:
                while True:
                    entries.append(self._waiting.get_nowait())
            except Empty:
                pass
            try:
                if entries:
                    self._journal.add(entries)
            except CleverdonError as error:
                self._problem = error


@contextmanager
def _open_answer_journal(
    path: str | os.PathLike[str], about: Mapping[str, Any], *, fresh: bool = False
) -> Iterator[_AnswerJournal]:
    """Open the journal, and lock it; answers to another search are an error, unless `fresh`."""
    path = os.fspath(path)
    start = json.loads(json.dumps({"format": _FORMAT, **about}, default=str))
    with open_journal(path, "a+") as journal:
        *lines, torn = journal.content().split(b"\n")
        _check_ours(lines[0] if lines else torn, path)
        before: dict[str, Answer] = {}
        if not fresh:
            before = dict(_parsed(line, path, at) for at, line in enumerate(lines[1:], start=2))
        answers = sum(answer.failure is None for answer in before.values())
        if answers:
            _check_same(start, lines[0], path, answers=answers)
            if torn:
                journal.cut(torn, line=len(lines) + 1)
        else:
            before = {}
            journal.file.truncate(0)
            journal.add([start])
            sync_folder(path)
        kept = _AnswerJournal(journal, before)
        try:
            yield kept
        finally:
            kept.close()


def _entry(query: str, answer: Answer) -> dict[str, Any]:
    return {
        "query": query,
        "results": answer.results,
        "seconds": answer.seconds,
        "tries": answer.tries,
        "failures": [[failure.kind, failure.message] for failure in answer.failures],
    }


def _parsed(line: bytes, path: str, number: int) -> tuple[str, Answer]:
    try:
        entry = json.loads(line.decode("utf-8", "surrogatepass"))
        failures = tuple(SearchFailure(kind, said) for kind, said in entry["failures"])
        results = entry["results"]
        if results is not None:
            results = [(str(doc), float(score)) for doc, score in results]
        answer = Answer(results, float(entry["seconds"]), int(entry["tries"]), failures)
        query = entry["query"]
    except (ValueError, KeyError, TypeError):
        raise _damaged(path, number) from None
    readable = isinstance(query, str) and (results is not None or bool(failures))
    if not readable or not all(isfinite(score) for _, score in results or ()):
        raise _damaged(path, number)
    return query, answer


def _damaged(path: str, number: int) -> InputError:
    return InputError(f"the journal is damaged here; {_START_FRESH}", source=path, line=number)


def _check_ours(first: bytes, path: str) -> None:
    if not first.startswith(_START) and not _START.startswith(first):
        raise InputError(
            f"exists, and is not a journal of this version ({_FORMAT!r}); move it away, or write "
            "the run to another file",
            source=path,
        )


def _check_same(start: Mapping[str, Any], first: bytes, path: str, *, answers: int) -> None:
    try:
        before = json.loads(first)
    except ValueError:
        raise _damaged(path, 1) from None
    now, then = _flat(start), _flat(before)
    changed = [name for name in {**then, **now} if now.get(name) != then.get(name)]
    if not changed:
        return
    name = changed[0]
    if name == "queries":
        what = "is for other queries"
    elif name == f"engine.{_IDENTITY_KEY}":
        what = "was begun with other arguments of the engine"
    else:
        what = f"was begun with {name} {then.get(name)!r}, and now it is {now.get(name)!r}"
    dropped = "1 answer" if answers == 1 else f"{answers:,} answers"
    raise InputError(f"{what}; do as before, or {_START_FRESH}, which drops {dropped}", source=path)


def _flat(record: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in record.items():
        nested = _flat(value, f"{before}{name}.") if isinstance(value, dict) else None
        found |= {f"{before}{name}": value} if nested is None else nested
    return found


_STREAMS = ("/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/")
"""Names of what a process has open, which may be files elsewhere."""


def _has_companion_files(path: str) -> bool:
    if path == "-" or path.startswith(_STREAMS):
        return False
    return os.path.isfile(path) or not os.path.exists(path)


def _journal_path(path: str) -> str:
    return f"{path}.journal"


@shows_progress("searching")
def search_to_file(
    engine: Any,
    queries: Any,
    path: str | os.PathLike[str],
    *,
    name: str | None = None,
    fresh: bool = False,
    progress: Progress | bool | None = None,
    notify: Callable[[str], object] | None = None,
    **options: Unpack[SearchKeywords],
) -> SearchResult:
    """Search, and write a run file with a record next to it.

    The same call again, after a stop or where queries failed, asks only for what is missing.
    Standard output (`-`), a pipe or a device gets a run, and no other file is written.

    Args:
        engine: An engine, as `search` takes it.
        queries: A file of queries (TREC topics, JSONL, TSV), or a dict of ids and texts.
        path: The run file; its name decides the format.
        name: The run's name; by default the engine's.
        fresh: Drop the answers of an earlier, unfinished search.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.
        notify: Called with a line when the search is interrupted.
        options: Those of `SearchOptions`: k, concurrency, patience, failed, scores, field.

    Returns:
        The run, and how each query fared.

    Raises:
        SearchesFailed: Queries had no answer after all tries.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "mine.run")
    ...     found = search_to_file(lambda query, k: [("d1", 2.0)], {"q1": "apple"}, path)
    ...     sorted(os.listdir(folder)), found.total
    (['mine.run', 'mine.run.search.json'], 1)
    """
    progress = as_callback(progress)
    path = os.fspath(path)
    how = SearchOptions(**options)
    opened, texts = open_engine(engine), read_queries(queries, field=how.field)
    check_ids(path, queries=texts)
    done: int | None = None

    def report(step: str, answered: float = 0, total: float = 0) -> None:
        nonlocal done
        done = int(answered)
        if progress:
            progress(step, answered, total)

    def answered(journal: _AnswerJournal | None) -> SearchResult:
        found = run_search(
            opened,
            texts,
            how,
            name=name,
            progress=report,
            before=journal.before if journal else {},
            check=lambda results: check_ids(path, docs=[doc for doc, _ in results]),
            keep=journal.add if journal else None,
        )
        _check_answered(found, failed=how.failed)
        format = preserving_format(found.run, path)
        write_rows(found.run, path, format=format)
        notes = tuple(journal.notes) if journal else ()
        if format != format_of(path):
            notes += (
                "ids have blanks, which TREC's format cannot hold: the run is written as CSV",
            )
        return replace(found, notes=notes) if notes else found

    journal_file = _journal_path(path) if _has_companion_files(path) else None
    try:
        if journal_file is None:
            return answered(None)
        about = _search_identity(opened, k=how.k, field=how.field, queries=queries_digest(texts))
        with _open_answer_journal(journal_file, about, fresh=fresh) as journal:
            found = answered(journal)
            record = dumps(_search_record(found, path, queries), indent=1, ensure_ascii=False)
            write_file(search_record_path(path), f"{record}\n".encode())
            journal.remove()
        return found
    except KeyboardInterrupt:
        if notify and done is not None:
            kept = journal_file is not None and Path(journal_file).exists()
            notify(_interruption_text(done, len(texts), journal_file if kept else None))
        raise


def _search_identity(engine: Engine, **asked: Any) -> dict[str, Any]:
    described = {"name": engine.name, **engine.settings}
    if engine.identity:
        secret = engine.identity.encode("utf-8", "replace")
        described[_IDENTITY_KEY] = hashlib.sha256(secret).hexdigest()
    return {"version": __version__, "engine": described, **asked}


def _check_answered(found: SearchResult, *, failed: str) -> None:
    if not found.failed or (failed == "leave out" and found.answered):
        return
    remedy = "there is nothing to write; fix that, and run it again"
    if found.answered:
        remedy = (
            "nothing is written yet; run it again to ask only for those; failed='leave out' "
            "(--allow-failed) writes a run without them"
        )
    raise SearchesFailed(found, remedy=remedy)


def _search_record(found: SearchResult, path: str, queries: Any) -> dict[str, Any]:
    is_file = isinstance(queries, (str, os.PathLike))
    record = found.to_dict()
    head = {
        "kind": "cleverdon search",
        "version": 1,
        "system": record["system"],
        "settings": record["settings"],
        "versions": {"cleverdon": __version__, "python": platform.python_version()},
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    files = {
        "query_set": {"file": os.fspath(queries) if is_file else None, **record["query_set"]},
        "run": {"file": Path(path).name, "digest": open_source(path).digest(), **record["run"]},
    }
    return head | record | files


def search_messages(found: SearchResult, path: str) -> list[str]:
    """Return the notes, warnings and summary of a search, a line each."""
    has_files = _has_companion_files(path)
    lines = [f"cleverdon: note: {note}" for note in found.notes]
    lines += [f"cleverdon: warning: {warning}" for warning in found.warnings]
    if found.options.scores == "engine" and found.order.tied:
        lines.append(f"cleverdon: note: {found.order.tied_text}")
    if not has_files and (
        lost := lost_queries(found.run, path, format=preserving_format(found.run, path))
    ):
        lines.append(f"cleverdon: warning: {lost}")
    return lines + _search_summary(found, path if has_files else "-")


def _search_summary(found: SearchResult, path: str) -> list[str]:
    counts, *others = found.closing()
    if path == "-":
        return [f"run: {counts}", *others]
    shown = printable(path)
    return [f"{shown}: {counts}", *others, f"next: cleverdon eval QRELS {quote(shown)}"]


def _interruption_text(done: int, total: int, journal: str | None) -> str:
    asked = f"{done:,} of {counted(total, 'query')} asked"
    if journal is None:
        return f"{asked}, and nothing is kept"
    return (
        f"{asked}, and what was answered is kept in {printable(journal)}; the same command goes on "
        "from there"
    )

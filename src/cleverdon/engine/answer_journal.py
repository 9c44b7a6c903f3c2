"""A file of the answers so far, from which searching goes on after any stop.

Lines of JSON, only ever added to. The first says what is asked of which engine; each later one is
the answer to a query, or that there was none. They are written and synced a few times a second, by
a thread of its own, so that an engine may answer thousands of queries a second.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any

from cleverdon.engine.asking import Answer
from cleverdon.engine.failures import SearchFailure
from cleverdon.errors import CleverdonError, InputError
from cleverdon.read.journal_file import Journal, opened, sync_folder

FORMAT = "cleverdon search 1"
UNSAID = "unsaid"
"""Under which name the digest of what an engine does not say is kept."""
_START = f'{{"format": "{FORMAT}"'.encode()
_BETWEEN = 0.1
"""Seconds between two times of writing, at least: syncing a disk is slow."""
_ANEW = "begin anew with --fresh (fresh=True in Python)"


class AnswerJournal:
    """The answers that are kept, and those to be kept."""

    def __init__(self, journal: Journal, before: Mapping[str, Answer]) -> None:
        self.answers = {query: found for query, found in before.items() if not found.failure}
        """What was answered before."""
        self.failed = {query: found for query, found in before.items() if found.failure}
        """What was asked before, and had no answer."""
        self.notes = journal.notes
        self._of_use = bool(self.answers)
        self._journal = journal
        self._waiting: SimpleQueue[dict[str, Any]] = SimpleQueue()
        self._over = Event()
        self._problem: CleverdonError | None = None
        self._removed = False
        self._thread = Thread(target=self._write, name="cleverdon-journal", daemon=True)
        self._thread.start()

    @property
    def path(self) -> str:
        """The file."""
        return self._journal.path

    def add(self, query: str, answer: Answer) -> None:
        """Keep an answer; it is on the disk a moment later."""
        if self._problem is not None:  # the disk is full: what is asked now would be lost
            raise self._problem
        self._of_use = self._of_use or answer.failure is None
        self._waiting.put(_entry(query, answer))

    def close(self) -> None:
        """Write what is waiting; raises where that cannot be done, and is still of use.

        A file without an answer is removed: nobody wants to go on from it.
        """
        self._over.set()
        self._thread.join()
        if not self._of_use:
            self.remove()
        if self._problem is not None and not self._removed:
            raise self._problem

    def remove(self) -> None:
        """Remove the file: all of it is in the run now."""
        self._removed = True
        try:
            Path(self.path).unlink(missing_ok=True)
        except PermissionError:  # Windows removes no file that is open; an empty one is as good
            self._journal.file.truncate(0)

    def _write(self) -> None:
        last = False
        while not last and self._problem is None:
            last = self._over.wait(_BETWEEN)  # seen before the queue is emptied
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
def answers_kept(
    path: str | os.PathLike[str], about: Mapping[str, Any], *, fresh: bool = False
) -> Iterator[AnswerJournal]:
    """The journal, locked until this ends: a new one, or the one that is there.

    `about` says what is asked of which engine. A journal with answers about something else is an
    error, unless all is to begin afresh.
    """
    path = os.fspath(path)
    start = json.loads(json.dumps({"format": FORMAT, **about}, default=str))
    with opened(path, "a+") as journal:
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
        kept = AnswerJournal(journal, before)
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
    return InputError(f"the journal is damaged here; {_ANEW}", source=path, line=number)


def _check_ours(first: bytes, path: str) -> None:
    """Nothing of others is written over: only a journal, or what a killed process left of one."""
    if not first.startswith(_START) and not _START.startswith(first):
        raise InputError(
            f"is there, and is no journal of this version ({FORMAT!r}); move it away, or write the "
            "run to another file",
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
    if name == "topics":
        what = "is of other topics"
    elif name == f"engine.{UNSAID}":
        what = "was begun with other arguments of the engine"
    else:
        what = f"was begun with {name} {then.get(name)!r}, and now it is {now.get(name)!r}"
    dropped = "1 answer" if answers == 1 else f"{answers:,} answers"
    raise InputError(f"{what}; do as before, or {_ANEW}, which drops {dropped}", source=path)


def _flat(record: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Nested settings by their names: `engine.url`."""
    found: dict[str, Any] = {}
    for name, value in record.items():
        nested = _flat(value, f"{before}{name}.") if isinstance(value, dict) else None
        found |= {f"{before}{name}": value} if nested is None else nested
    return found

"""The process that indexes, so that what it takes is not mixed with what measures it.

Started with `python -m`. It reads from standard input which engine to use and which file to read,
and writes to standard output, a line of JSON at a time, how far it has come and what it took. No
numpy here: its memory is measured.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from time import monotonic, perf_counter, thread_time
from typing import Any, TextIO

from cleverdon.engines.configuration import open_engine
from cleverdon.engines.protocol import Document
from cleverdon.engines.resources import spent
from cleverdon.errors import CleverdonError

_REPORT_INTERVAL = 0.1  # seconds between two lines about how far it has come
_TRIAL = 100
_EMPTY_DOCUMENT = Document("", "", "")


def read_documents(path: str) -> Iterator[Document]:
    with open(path, "rb") as file:
        for line in file:
            yield Document(**json.loads(line))


class _DocumentFeed:
    """Documents that are counted, and timed while they are read, on their way to an engine."""

    def __init__(self, documents: Iterable[Document], say: TextIO | None = None) -> None:
        self._documents, self._say = iter(documents), say
        self._next = monotonic() + _REPORT_INTERVAL
        self.taken = 0
        self.wall = 0.0
        self.cpu = 0.0

    def __iter__(self) -> Iterator[Document]:
        return self

    def __next__(self) -> Document:
        wall, cpu = perf_counter(), thread_time()
        try:
            document = next(self._documents)
            self.taken += 1
            if self._say is not None and monotonic() >= self._next:
                _report(self._say, taken=self.taken)
                self._next = monotonic() + _REPORT_INTERVAL
            return document
        finally:
            self.cpu += thread_time() - cpu
            self.wall += perf_counter() - wall


def _timing_cost(documents: int) -> float:

    def once() -> float:
        trial = _DocumentFeed([_EMPTY_DOCUMENT] * _TRIAL)
        began = perf_counter()
        for _ in trial:
            pass
        return perf_counter() - began

    return min(once() for _ in range(10)) / _TRIAL * documents


def main() -> int:
    """Build the index, and wait to be let go, so that the last look finds everything in place."""
    # What an engine prints is no report: it goes where errors go.
    report = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    job = json.loads(sys.stdin.readline())
    try:
        engine = open_engine(job["engine"])
        feed = _DocumentFeed(read_documents(job["input"]), report)
        before = spent()
        _report(report, begun=asdict(before) | {"memory": _resident_memory()})
        began, here = perf_counter(), thread_time()
        engine.index(feed)
        wall, here, after = perf_counter() - began, thread_time() - here, spent()
        _report(
            report,
            done={
                "wall": wall,
                "reading": feed.wall,
                "reading_cpu": feed.cpu,
                "cpu": asdict(after - before),
                "elsewhere": max(0.0, (after - before).total - here),  # other threads, children
                "taken": feed.taken,
                "size": engine.size(),
                "timing": _timing_cost(feed.taken),
            },
        )
        sys.stdin.readline()
        return 0
    except CleverdonError as error:
        _report(report, failed=str(error))
    except MemoryError:
        _report(report, failed="out of memory")
    except Exception as error:
        said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        _report(report, failed=said)
    return 1


def _resident_memory() -> int | None:
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return None


def _report(report: TextIO, **what: Any) -> None:
    print(json.dumps(what), file=report, flush=True)


if __name__ == "__main__":
    sys.exit(main())

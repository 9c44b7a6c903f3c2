"""The worker process that computes the dashboard's state, and the cache of its results.

Python runs one thread at a time: a computation of a second within the server would delay every
judgment of that second. The worker reads a line for each request and answers by a pickled record.
It ends when its input does. With a hundred assessors something changes every moment, so a result is
shown for ten times as long as it took.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Lock
from weakref import finalize

from cleverdon.judging.dashboard.facts import state_of
from cleverdon.judging.dashboard.state import DashboardComputation, ProjectState
from cleverdon.judging.project import Project, open_project

_SHARE = 0.1  # of the time that computing the dashboard may take
_QUICK = 0.3  # seconds up to which the server computes by itself: a process takes one to start
_SMALL = 5_000  # judgments and documents that take no longer, before a first measurement


class DashboardCache:
    """The last state of a project, computed again when something has changed."""

    def __init__(
        self, project: Project, *, share: float = _SHARE, quick: float = _QUICK, small: int = _SMALL
    ) -> None:
        self._project = project
        self._computation = DashboardComputation(project)
        self._worker = _DashboardWorker(project.folder)
        self._share = share
        self._quick = quick
        self._small = small
        self._lock = Lock()  # of who computes
        self._state: tuple[int, ...] = ()
        self._known: ProjectState | None = None
        self._took = 0.0
        self._fresh_until = 0.0

    def now(self) -> ProjectState:
        """Return the state of the project as it is, or was a moment ago."""
        known = self._known
        if not self._lock.acquire(blocking=known is None):
            # Another thread computes. Waiting would block a thread that those who judge need.
            assert known is not None
            return known
        try:
            return self._renewed()
        finally:
            self._lock.release()

    def _renewed(self) -> ProjectState:
        if self._known is not None and time.monotonic() < self._fresh_until:
            return self._known
        began = time.monotonic()
        with self._project.database.reading() as connection:
            state = state_of(connection)
        if self._known is None or state != self._state:
            known = self._known
            is_quick = sum(state) <= self._small if known is None else self._took <= self._quick
            found = None if is_quick else self._worker.compute()
            self._known = found or self._computation.compute()
            self._state = state
            self._took = time.monotonic() - began
            self._fresh_until = time.monotonic() + self._took * (1 / self._share - 1)
        return self._known


class _DashboardWorker:
    """Computes the state in another process."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    def compute(self) -> ProjectState | None:
        """Return the state; None where the process failed, and the next call starts one."""
        try:
            if self._process is None:
                self._process = self._started()
            stdin, stdout = self._process.stdin, self._process.stdout
            assert stdin is not None
            assert stdout is not None
            stdin.write(b"\n")
            stdin.flush()
            found: ProjectState = pickle.load(stdout)
            return found
        except (OSError, EOFError, pickle.UnpicklingError):
            if self._process is not None:
                _end(self._process)
            self._process = None
            return None

    def _started(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            # -P: do not import modules from the folder in which the server was started.
            [sys.executable, "-P", "-m", __name__, str(self._folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # the server tries again by itself, and reports errors
        )
        finalize(self, _end, process)
        return process


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.returncode is None:
        process.kill()  # it only reads
        process.communicate()


def main(folder: str) -> None:
    """Answer each line until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is the server's
    if hasattr(os, "nice"):
        os.nice(10)
    with open_project(folder) as project:
        computation = DashboardComputation(project)
        for _ in sys.stdin.buffer:
            pickle.dump(computation.compute(), sys.stdout.buffer)
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(sys.argv[1])

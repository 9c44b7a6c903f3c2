"""A progress bar on standard error, for work that takes longer than a moment."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, Timer

_PATIENCE = 0.5
"""Seconds of silence that nobody minds; what ends sooner shows no bar."""

Update = Callable[[int, int], None]


@contextmanager
def bar(label: str) -> Iterator[Update]:
    """Show how far `label` has come: call what this gives with how much is done, and of how much.

    Where it is never called, the bar only says that work goes on. Only on a terminal: a log file
    has no use for a bar. Within another one it is that one, under another label: so a command can
    have one from its start, and several short steps are not silent for long.
    """
    global _running
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    if _running is not None:
        with _running.labelled(label) as update:
            yield update
        return
    _running = _Running(label)
    try:
        yield _running.update
    finally:
        _running.end()
        _running = None


def say(line: str) -> None:
    """A line on standard error, above the bar where one is shown."""
    if _running is None or not _running.say(line):
        print(line, file=sys.stderr)


class _Running:
    """A bar that shows itself once its work has taken longer than a moment."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._lock = Lock()
        self._over = False
        self._show: _Bar | None = None
        # A clock of its own: what is one call of numpy cannot be asked how long it has taken.
        self._timer = Timer(_PATIENCE, self._start)
        self._timer.daemon = True
        self._timer.start()

    def _start(self) -> None:
        with self._lock:
            if not self._over:
                self._show = _Bar(self._label)

    @contextmanager
    def labelled(self, label: str) -> Iterator[Update]:
        """The same bar for a part of the work."""
        before = self._relabel(label)
        try:
            yield self.update
        finally:
            self._relabel(before)

    def _relabel(self, label: str) -> str:
        with self._lock:
            before, self._label = self._label, label
            if self._show is not None:
                self._show.relabel(label)
        return before

    def update(self, done: int, total: int) -> None:
        if self._show is not None:
            self._show.update(done, total)

    def say(self, line: str) -> bool:
        """Whether the line could be said: it can where the bar is shown."""
        with self._lock:
            if self._show is not None:
                self._show.say(line)
            return self._show is not None

    def end(self) -> None:
        self._timer.cancel()
        with self._lock:
            self._over = True
            if self._show is not None:
                self._show.close()


_running: _Running | None = None


class _Bar:
    """rich's bar, imported only once there is something to show."""

    def __init__(self, label: str) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            TaskProgressColumn,
            TextColumn,
            TimeRemainingColumn,
        )

        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._progress.add_task(label, total=None)
        self._progress.start()

    def update(self, done: int, total: int) -> None:
        self._progress.update(self._task, completed=done, total=total or None)

    def say(self, line: str) -> None:
        self._progress.console.print(line, markup=False, highlight=False, soft_wrap=True)

    def relabel(self, label: str) -> None:
        self._progress.update(self._task, description=label, completed=0, total=None)

    def close(self) -> None:
        self._progress.stop()

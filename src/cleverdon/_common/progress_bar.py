"""A progress bar on standard error, for work that takes longer than a moment."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, Timer

from cleverdon._common.progress import Progress, ignore_progress

_PATIENCE = 0.5
"""Seconds of silence that nobody minds; what ends sooner shows no bar."""


@contextmanager
def bar(step: str) -> Iterator[Progress]:
    """Show a progress bar on the terminal; yield the callback that updates it.

    The bar shows the step that the callback was last called with, at first `step`. If it is never
    called, the bar only shows that work goes on. Nothing is shown where standard error is not a
    terminal. A bar within another one is that one, with another step: so a command can have one
    from its start, and several short steps are not silent for long.
    """
    global _running
    if not sys.stderr.isatty():
        yield ignore_progress
        return
    if _running is not None:
        with _running.nested(step) as update:
            yield update
        return
    _running = _Running(step)
    try:
        yield _running.update
    finally:
        _running.end()
        _running = None


def say(line: str) -> None:
    """Write a line to standard error, above the bar where one is shown."""
    if _running is None or not _running.say(line):
        print(line, file=sys.stderr)


class _Running:
    """A bar that shows itself once its work has taken longer than a moment."""

    def __init__(self, step: str) -> None:
        self._step = step
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
                self._show = _Bar(self._step)

    @contextmanager
    def nested(self, step: str) -> Iterator[Progress]:
        """Yield the same bar for a part of the work."""
        before = self._step
        self._relabel(step)
        try:
            yield self.update
        finally:
            self._relabel(before)

    def _relabel(self, step: str) -> None:
        with self._lock:
            self._step = step
            if self._show is not None:
                self._show.relabel(step)

    def update(self, step: str, done: float = 0, total: float = 0) -> None:
        if step != self._step:
            self._relabel(step)
        if self._show is not None:
            self._show.update(done, total)

    def say(self, line: str) -> bool:
        """Write a line, if the bar is shown; tell whether it is."""
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

    def __init__(self, step: str) -> None:
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
        self._task = self._progress.add_task(step, total=None)
        self._progress.start()

    def update(self, done: float, total: float) -> None:
        self._progress.update(self._task, completed=done, total=total or None)

    def say(self, line: str) -> None:
        self._progress.console.print(line, markup=False, highlight=False, soft_wrap=True)

    def relabel(self, step: str) -> None:
        self._progress.update(self._task, description=step, completed=0, total=None)

    def close(self) -> None:
        self._progress.stop()

"""A progress bar on standard error, for work that takes longer than a moment."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, Timer

_PATIENCE = 0.7
"""Seconds of silence that nobody minds; what ends sooner shows no bar."""


@contextmanager
def bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """Show how far `label` has come: call what this gives with how much is done, and of how much.

    Where it is never called, the bar only says that work goes on. Only on a terminal: a log file
    has no use for a bar.
    """
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    lock = Lock()
    over = False
    show: _Bar | None = None

    def start() -> None:
        nonlocal show
        with lock:
            if not over:
                show = _Bar(label)

    def update(done: int, total: int) -> None:
        if show is not None:
            show.update(done, total)

    # A clock of its own: what is a single call of numpy cannot be asked how long it has taken.
    timer = Timer(_PATIENCE, start)
    timer.daemon = True
    timer.start()
    try:
        yield update
    finally:
        timer.cancel()
        with lock:
            over = True
            if show is not None:
                show.close()


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

    def close(self) -> None:
        self._progress.stop()

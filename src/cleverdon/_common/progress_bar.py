"""A progress bar in a terminal or a notebook, for work that takes longer than a moment."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import copy_context
from threading import Event, Lock, Thread, Timer
from typing import TextIO

from cleverdon._common.progress import Progress, ignore_progress, in_notebook

_PATIENCE = 1.0
"""Seconds of silence that nobody minds; what ends sooner shows no bar."""

_INTERVAL = 0.1
"""Seconds from one drawing of the bar to the next."""

_LENGTH = 30
"""Characters of the bar itself."""


@contextmanager
def bar(step: str, *, anywhere: bool = False) -> Iterator[Progress]:
    """Show a progress bar on the terminal or in the notebook; yield the callback that updates it.

    The bar shows the step that the callback was last called with, at first `step`. If it is never
    called, the bar only shows that work goes on. Nothing is shown where standard error is not a
    terminal, unless it is asked for `anywhere`. A bar within another one is that one, with another
    step: so a command can have one from its start, and several short steps are not silent for long.
    """
    global _running
    if not (anywhere or sys.stderr.isatty() or in_notebook()):
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


def is_running() -> bool:
    """Tell whether a bar is, or soon will be, shown."""
    return _running is not None


def say(line: str) -> None:
    """Write a line to standard error, above the bar where one is shown."""
    if _running is None or not _running.say(line):
        print(line, file=sys.stderr, flush=True)


class _Running:
    """A bar that shows itself once its work has taken longer than a moment."""

    def __init__(self, step: str) -> None:
        self._step = step
        self._lock = Lock()
        self._over = False
        self._show: _Bar | None = None
        # A clock of its own: what is one call of numpy cannot be asked how long it has taken.
        # In the caller's context, by which a notebook knows the cell that an output belongs to.
        self._timer = Timer(_PATIENCE, copy_context().run, [self._start])
        self._timer.daemon = True
        self._timer.start()

    def _start(self) -> None:
        with self._lock:
            if not self._over:
                self._show = _NotebookBar(self._step) if in_notebook() else _Bar(self._step)

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
    """A line on standard error, drawn again several times a second and removed at the end.

    Our own, since rich, which has a good one, brings 15 MB with it.
    """

    def __init__(self, step: str) -> None:
        self._stream = sys.stderr
        self._step, self._done, self._total = step, 0.0, 0.0
        self._began = time.monotonic()
        self._width = 0
        self._lock = Lock()
        self._over = Event()
        self._thread = Thread(target=copy_context().run, args=[self._keep_drawing], daemon=True)
        self._thread.start()

    def _keep_drawing(self) -> None:
        while not self._over.wait(_INTERVAL):
            with self._lock:
                passed = time.monotonic() - self._began
                columns = _columns(self._stream)
                self._replace(_line(self._step, self._done, self._total, passed, columns))

    def _replace(self, line: str) -> None:
        """Write a line over the last one; blanks remove what is left of that."""
        blanks = " " * (self._width - len(line))
        self._stream.write(f"\r{_encodable(line, self._stream.encoding)}{blanks}\r")
        self._stream.flush()
        self._width = len(line)

    def update(self, done: float, total: float) -> None:
        self._done, self._total = done, total

    def say(self, line: str) -> None:
        with self._lock:
            self._replace("")
            print(line, file=self._stream)

    def relabel(self, step: str) -> None:
        with self._lock:
            self._step, self._done, self._total = step, 0.0, 0.0
            self._began = time.monotonic()

    def close(self) -> None:
        self._over.set()
        self._thread.join()
        self._replace("")


class _NotebookBar(_Bar):
    """An output of the cell, drawn again and emptied at the end. It takes no widgets."""

    def __init__(self, step: str) -> None:
        from IPython.display import display

        self._output = display(  # type: ignore[no-untyped-call]
            {"text/plain": ""}, raw=True, display_id=True
        )
        super().__init__(step)

    def _replace(self, line: str) -> None:
        self._output.update({"text/plain": line}, raw=True)

    def say(self, line: str) -> None:
        print(line, file=self._stream)


def _line(step: str, done: float, total: float, passed: float, columns: int) -> str:
    """Return what the bar shows after `passed` seconds: step, bar, share, seconds that are left.

    Where the total is not known, a part of the bar moves, and the seconds are those that passed.
    """
    if total > 0:
        share = min(max(done / total, 0.0), 1.0)
        full = round(share * _LENGTH)
        bar = "━" * full + "─" * (_LENGTH - full)
        left = _duration(passed / share - passed) if share > 0 else "-:--:--"
        said = f"{bar} {share:4.0%} {left}"
    else:
        at = int(passed / _INTERVAL) % _LENGTH
        bar = "─" * _LENGTH
        said = f"{bar[:at]}━{bar[at + 1 :]}      {_duration(passed)}"
    room = columns - len(said) - 2
    return f"{step if len(step) <= room else step[: max(room, 0)]} {said}"[: max(columns - 1, 0)]


def _duration(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"


def _columns(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def _encodable(line: str, encoding: str | None) -> str:
    """Return the line in plain characters if the terminal has no others."""
    try:
        line.encode(encoding or "ascii")
        return line
    except UnicodeEncodeError:
        return line.translate({ord("━"): "#", ord("─"): "-"}).encode("ascii", "replace").decode()

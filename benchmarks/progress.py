"""Progress messages on stderr, so that stdout has only the tables."""

from __future__ import annotations

import sys
import time

_began = time.perf_counter()


def say(text: str) -> None:
    """Print one line with the seconds since the start.

    Lines instead of a progress bar: the output of a long benchmark is often kept in a log.
    """
    print(f"[{time.perf_counter() - _began:7.1f} s] {text}", file=sys.stderr, flush=True)


class Sometimes:
    """Prints the progress of long work, at most once in `every` seconds."""

    def __init__(self, *, every: float = 1.0) -> None:
        self._every = every
        self._said_at = time.perf_counter()

    def say(self, text: str) -> None:
        now = time.perf_counter()
        if now - self._said_at >= self._every:
            self._said_at = now
            say(text)

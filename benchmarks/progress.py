"""What goes on, to stderr, so that stdout holds nothing but the tables."""

from __future__ import annotations

import sys
import time

_began = time.perf_counter()


def say(text: str) -> None:
    """Print one line with the seconds since the start.

    Whole lines rather than a redrawn bar: the output of a long benchmark is often kept in a log.
    """
    print(f"[{time.perf_counter() - _began:7.1f} s] {text}", file=sys.stderr, flush=True)


class Sometimes:
    """Says where a long piece of work stands, unless something was said a moment ago."""

    def __init__(self, *, every: float = 1.0) -> None:
        self._every = every
        self._said_at = time.perf_counter()

    def say(self, text: str) -> None:
        now = time.perf_counter()
        if now - self._said_at >= self._every:
            self._said_at = now
            say(text)

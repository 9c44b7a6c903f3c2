"""Looking again and again while something else goes on."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread
from time import perf_counter, thread_time
from typing import Self

INTERVAL = 0.02
"""Seconds between two looks, unless looking itself takes long."""

_SHARE = 0.1
"""Looking takes no more than this share of one core: what is measured should not notice."""


class Sampler:
    """Calls a function over and over in a thread, until it is left."""

    def __init__(self, look: Callable[[], None], *, interval: float = INTERVAL) -> None:
        self._look, self._interval = look, interval
        self._stop = Event()
        self._thread = Thread(target=self._work, name="cleverdon-sampler", daemon=True)
        self._error: BaseException | None = None
        self._last: float | None = None
        self.samples = 0
        self.longest = 0.0
        """The longest time between two looks: nothing that lasted longer was missed."""

    def __enter__(self) -> Self:
        self._once()
        self._thread.start()
        return self

    def __exit__(self, kind: object, *rest: object) -> None:
        self._stop.set()
        self._thread.join()
        if kind is None:
            if self._error is not None:
                raise self._error
            self._once()

    def _work(self) -> None:
        pause = self._interval
        try:
            while not self._stop.wait(pause):
                pause = max(self._interval, self._once() * (1 / _SHARE - 1))
        except BaseException as error:  # told to whoever waits for this
            self._error = error

    def _once(self) -> float:
        """What one look took of the processor: on a busy machine it may last far longer."""
        began, busy = perf_counter(), thread_time()
        if self._last is not None:
            self.longest = max(self.longest, began - self._last)
        self._last = began
        self._look()
        self.samples += 1
        return thread_time() - busy

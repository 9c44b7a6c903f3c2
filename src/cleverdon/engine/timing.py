"""An event loop whose timers are exact to some 0.1 ms.

Linux's epoll counts time-outs in whole milliseconds, and asyncio rounds them up: every request of a
load would be sent half a millisecond late, which is as long as some engines take to answer.
"""

from __future__ import annotations

import asyncio
import selectors
import sys
from select import select

_MOST = 1024
"""Files from this number on cannot be waited for with `select`."""


def exact_loop() -> asyncio.AbstractEventLoop:
    """A new event loop, with exact timers where the system's own are not."""
    if sys.platform == "linux" and issubclass(selectors.DefaultSelector, selectors.EpollSelector):
        return asyncio.SelectorEventLoop(_Exact())
    return asyncio.new_event_loop()


if sys.platform == "linux":

    class _Exact(selectors.EpollSelector):
        """Waits for epoll with `select`, whose time-outs are in microseconds, and then asks it."""

        def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
            if timeout is not None and timeout > 0 and self.fileno() < _MOST:
                select([self], [], [], timeout)
                timeout = 0
            return super().select(timeout)

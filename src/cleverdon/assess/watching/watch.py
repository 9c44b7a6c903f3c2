"""Watching a project that changes: computed when it is looked at, and kept while nothing changes.

With a hundred assessors something changes every moment. So what was computed is shown for ten times
as long as it took to compute, whoever comes meanwhile gets what is known, and what takes long is
computed in a process of its own.
"""

from __future__ import annotations

import time
from threading import Lock

from cleverdon.assess.project import Project
from cleverdon.assess.watching.apart import Apart, Here
from cleverdon.assess.watching.facts import state_of
from cleverdon.assess.watching.watched import Watched

_SHARE = 0.1
"""Of the time, how much watching may take."""
_QUICK = 0.3
"""Seconds up to which the server computes by itself; another process takes a second to start."""
_SMALL = 5_000
"""Judgments and documents that surely take no longer, while it is not known how long it takes."""


class Watch:
    """What watching tells of a project, remembered."""

    def __init__(
        self,
        project: Project,
        *,
        share: float = _SHARE,
        quick: float = _QUICK,
        small: int = _SMALL,
    ) -> None:
        self._project = project
        self._here = Here(project)
        self._apart = Apart(project.folder)
        self._share = share
        self._quick = quick
        self._small = small
        self._lock = Lock()  # of who computes
        self._state: tuple[int, ...] = ()
        self._known: Watched | None = None
        self._took = 0.0
        self._fresh_until = 0.0

    def now(self) -> Watched:
        """The state of the project as it is, or was a moment ago."""
        known = self._known
        if not self._lock.acquire(blocking=known is None):
            # Somebody computes. Who would wait keeps a thread, and those who judge need it.
            assert known is not None
            return known
        try:
            return self._renewed()
        finally:
            self._lock.release()

    def _renewed(self) -> Watched:
        if self._known is not None and time.monotonic() < self._fresh_until:
            return self._known
        began = time.monotonic()
        with self._project.database.reading() as connection:
            state = state_of(connection)
        if self._known is None or state != self._state:
            known = self._known
            is_quick = sum(state) <= self._small if known is None else self._took <= self._quick
            found = None if is_quick else self._apart.watched()
            self._known = found or self._here.watched()
            self._state = state
            self._took = time.monotonic() - began
            self._fresh_until = time.monotonic() + self._took * (1 / self._share - 1)
        return self._known

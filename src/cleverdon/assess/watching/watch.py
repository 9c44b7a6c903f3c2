"""Watching a project that changes: computed when it is looked at, and kept while nothing changes.

With a hundred assessors something changes every moment. So what was computed is shown for ten times
as long as it took to compute, and watching never takes more than a tenth of the server's time.
"""

from __future__ import annotations

import time
from threading import Lock

from cleverdon.assess.project import Project
from cleverdon.assess.watching.beyond import Systems
from cleverdon.assess.watching.facts import read_facts, state_of
from cleverdon.assess.watching.watched import Watched, watched

_SHARE = 0.1
"""Of the time, how much watching may take."""


class Watch:
    """What watching tells of a project, remembered."""

    def __init__(self, project: Project, *, share: float = _SHARE) -> None:
        self._project = project
        self._systems = Systems(project.folder)
        self._share = share
        self._lock = Lock()  # one computes, and who comes meanwhile waits for the same
        self._state: tuple[int, ...] = ()
        self._known: Watched | None = None
        self._fresh_until = 0.0

    def now(self) -> Watched:
        """The state of the project as it is, or was a moment ago."""
        with self._lock:
            if self._known is not None and time.monotonic() < self._fresh_until:
                return self._known
            began = time.monotonic()
            with self._project.database.reading() as connection:
                state = state_of(connection)
                if self._known is not None and state == self._state:
                    return self._known
                facts = read_facts(connection, self._project.scale)
            self._known = watched(facts, self._systems)
            self._state = state
            ended = time.monotonic()
            self._fresh_until = ended + (ended - began) * (1 / self._share - 1)
            return self._known

"""How far each person has come with a topic, remembered between judgments.

To count a topic of ten thousand documents takes longer than to record a judgment. So what was
counted is kept for a while, and each judgment moves it on.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock

from cleverdon.assess import clock
from cleverdon.assess.judging.queue import progress
from cleverdon.assess.project import Project

_LASTS = 120.0
"""Seconds after which it is counted anew: others judge, and documents are given out."""

_MOST = 10_000
"""Counts that are remembered."""


@dataclass(frozen=True)
class Progress:
    """How far one person has come with one topic."""

    total: int
    done: int

    @property
    def left(self) -> int:
        """How many are still to come."""
        return max(self.total - self.done, 0)


class Tally:
    """The counts of a project, which one process serves."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._counts: dict[tuple[int, int], tuple[float, Progress]] = {}
        self._lock = Lock()

    def after(self, person: int, topic: int, change: int) -> Progress:
        """How far a person has come after a judgment that is written.

        `change` is 1 where an item is done that was not before, -1 where that was taken back.
        """
        now = clock.now()
        with self._lock:
            counted, known = self._counts.get((person, topic), (-_LASTS, None))
            if known is not None and now - counted < _LASTS:
                done = known.done + change
                moved = Progress(max(known.total, done), done)  # others may have left some
                self._counts[person, topic] = counted, moved
                return moved
        with self._project.database.reading() as connection:
            found = progress(connection, person, topic=topic)
        fresh = Progress(found[0].total, found[0].done) if found else Progress(0, 0)
        with self._lock:
            if len(self._counts) >= _MOST:
                self._counts.clear()
            self._counts[person, topic] = now, fresh
        return fresh

"""The type of progress callbacks: one for the whole project."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Receives the current step of some work, and how much of it is done."""

    def __call__(self, step: str, done: float = 0, total: float = 0, /) -> object:
        """Report `done` of `total` for `step`; a total of 0 means that it is unknown."""


def ignore_progress(step: str, done: float = 0, total: float = 0, /) -> None:
    """Do nothing: the callback where nobody follows the progress."""

"""The file of a database while it is open: that it is still the one that the folder holds.

SQLite goes on writing to a file that was deleted or replaced, and nobody would ever see that again.
"""

from __future__ import annotations

import os

from sqlalchemy import Engine, event

from cleverdon.errors import CleverdonError


class StoreFailure(CleverdonError):
    """The database could not be read or written: nothing of what was asked has happened.

    The message may name the database's host, user and path. It is for the log and the command line.
    `public` names none of these: the web app shows it to people who are signed in.
    """

    def __init__(self, message: str, *, public: str = "") -> None:
        super().__init__(message)
        self.public = public


class OpenFile:
    """A file by its path, and which one that was when it was first opened."""

    def __init__(self, engine: Engine, path: str) -> None:
        self._path = path
        self._opened: tuple[int, int] | None = None
        # Before a further connection too: it would make an empty file in the place of a lost one.
        event.listen(engine, "do_connect", lambda *_: self.check())
        event.listen(engine, "connect", lambda *_: self._remember())

    def check(self) -> None:
        """Raise if it was moved, deleted or replaced."""
        if self._opened is None:
            return
        try:
            found = self._identity()
        except OSError:
            raise StoreFailure(
                f"{self._path} is gone, while it was in use: put it back, or restore a backup and "
                "start the server again",
                public="the database is gone",
            ) from None
        if found != self._opened:
            raise StoreFailure(
                f"{self._path} was replaced while it was in use: start the server again",
                public="the database was replaced while it was in use",
            )

    def _remember(self) -> None:
        if self._opened is None:
            self._opened = self._identity()

    def _identity(self) -> tuple[int, int]:
        facts = os.stat(self._path)
        return facts.st_dev, facts.st_ino

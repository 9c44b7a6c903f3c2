"""One process at a time: a file that the operating system unlocks when its process ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from cleverdon.errors import InputError

_FILE = "serving.lock"


def only_server(folder: Path) -> AbstractContextManager[None]:
    """Hold the project, or say that another server does.

    Two servers would lose no judgment, since the database has one writer at a time. But each
    would feed adaptive pools and limit sign-in by what it saw itself. Commands may run beside a
    server.
    """
    return locked(folder / _FILE, "is served already, by another process: end that one first")


@contextmanager
def locked(file: Path, otherwise: str) -> Iterator[None]:
    """Hold a file; where another process does, an InputError says `otherwise` of its folder."""
    with open(file, "a") as opened:
        try:
            _hold(opened.fileno())
        except OSError:
            raise InputError(otherwise, source=str(file.parent)) from None
        yield


if sys.platform == "win32":
    import msvcrt

    def _hold(file: int) -> None:
        os.lseek(file, 0, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _hold(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

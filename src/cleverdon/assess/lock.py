"""One server for a project: a file that the operating system unlocks when its process ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cleverdon.errors import InputError

_FILE = "serving.lock"


@contextmanager
def only_server(folder: Path) -> Iterator[None]:
    """Hold the project, or say that another server does.

    Two servers would lose no judgment, since the database has one writer at a time. But each
    would count progress, feed adaptive pools and limit sign-in by what it saw itself. Commands may
    run beside a server.
    """
    with open(folder / _FILE, "a") as file:
        try:
            _hold(file.fileno())
        except OSError:
            raise InputError(
                "is served already, by another process: end that one first", source=str(folder)
            ) from None
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

"""A file to which lines of JSON are added: by one process at a time, and synced to the disk."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import Any

from cleverdon.errors import InputError


class Journal:
    """The file, open and locked for as long as the work goes on."""

    def __init__(self, path: str, file: FileIO) -> None:
        self.path, self.file = path, file
        self.notes: list[str] = []
        """What was found on opening that is worth knowing."""

    def add(self, entries: list[dict[str, Any]]) -> None:
        """Write lines, and return when they are on the disk."""
        lines = "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)
        rest = lines.encode("utf-8", "surrogatepass")
        before = self.file.seek(0, os.SEEK_END)
        try:
            while rest:
                rest = rest[self.file.write(rest) or 0 :]
            os.fsync(self.file.fileno())
        except OSError as error:
            with suppress(OSError):
                self.file.truncate(before)  # no torn line, should somebody go on
            message = f"cannot be written: {error.strerror or error}"
            raise InputError(message, source=self.path) from None

    def content(self) -> bytes:
        """All that is in it."""
        self.file.seek(0)
        return self.file.readall()

    def cut(self, torn: bytes, *, line: int) -> None:
        """Take the torn line off the end."""
        self.file.truncate(self.file.seek(0, os.SEEK_END) - len(torn))
        self.notes.append(
            f"{self.path}:{line}: the last line was cut short when the work was stopped, and "
            "is left out; nothing else is lost"
        )

    def close(self) -> None:
        """Give the file free for others."""
        self.file.close()


def exists(path: str | os.PathLike[str]) -> bool:
    """Whether there is something to go on from: a file with a whole first line."""
    try:
        with open(path, "rb") as file:
            return file.readline().endswith(b"\n")
    except FileNotFoundError:
        return False
    except OSError as error:
        raise unreadable(os.fspath(path), error) from None


@contextmanager
def opened(path: str, mode: str) -> Iterator[Journal]:
    """The file, locked until this ends."""
    try:
        # Without a buffer: what is written is with the system, or there is an error.
        file = FileIO(path, mode)
    except OSError as error:
        raise unreadable(path, error) from None
    journal = Journal(path, file)
    try:
        _lock(file, path)
        _check_named(file, path)
        yield journal
    finally:
        journal.close()


def _lock(file: FileIO, path: str) -> None:
    """Keep other processes out; the system lifts the lock when this one ends, however it ends."""
    try:
        if os.name == "nt":
            import msvcrt

            file.seek(0, os.SEEK_END)
            at = file.tell()
            file.seek(1 << 40)  # behind all that is written, so that reading is still allowed
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
            file.seek(at)
        else:
            import fcntl

            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:
        return  # a system without locks
    except (BlockingIOError, PermissionError):
        raise _taken(path) from None
    except OSError:
        return  # a file system without them


def _check_named(file: FileIO, path: str) -> None:
    """The one who held the lock may have removed the file: what is written then would be lost."""
    try:
        same = os.path.samestat(os.fstat(file.fileno()), os.stat(path))
    except OSError:
        same = False
    if not same:
        raise _taken(path)


def _taken(path: str) -> InputError:
    return InputError(
        "another process is at work with this file; wait until it is done, or end it", source=path
    )


def sync_folder(path: str) -> None:
    """See to it that the name of a new file or folder is on the disk as well."""
    with suppress(OSError):  # not all systems can
        folder = os.open(Path(path).resolve().parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def unreadable(path: str, error: OSError) -> InputError:
    return InputError(f"cannot be opened: {error.strerror or error}", source=path)

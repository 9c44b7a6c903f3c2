"""Disk that is taken while an index is made: its peak, and what stays.

A file counts with its length, or with what the disk holds of it where that is less, as of a file
with holes; blocks that are only partly used are not rounded up, so that the same index has the same
size on every disk. Files with several names count once. Files that are open and have no name any
more, as temporary files often are, are found through the processes that hold them (Linux only).
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Container, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from stat import S_ISDIR, S_ISREG

Held = dict[tuple[int, int], int]
"""Bytes by device and number of the file."""

_COMPANIONS = ("", "-wal", "-shm", "-journal")
"""How the names of an index's files end: its own, and those that SQLite puts beside it."""
_NO_DISK = ("/memfd:", "/dev/shm/", "/dev/zero", "/SYSV", "/anon_hugepage")


class DiskUse:
    """The disk that an index, temporary files and watched folders take."""

    def __init__(
        self,
        *,
        index: str | None,
        temporary: Sequence[str],
        watched: Sequence[str] = (),
        pids: Callable[[], Iterable[int]] = tuple,
    ) -> None:
        self._index, self._temporary, self._watched = index, temporary, watched
        self._pids = pids
        self._before = self._now()
        self._rest = sum(size_of(place) for place in watched)
        self._last = 0
        self.peak = 0
        """The most that was seen, beyond what was there at the start."""
        self.largest_rise = 0
        """The most that came between two looks: as much may have come and gone unseen."""

    @property
    def sees_index(self) -> bool:
        """Whether the index is among what is looked at, as far as is known."""
        return self._index is not None or bool(self._watched)

    def look(self) -> None:
        """See what there is now, and keep the most."""
        now = self._now() - self._before
        self.largest_rise = max(self.largest_rise, now - self._last)
        self.peak = max(self.peak, now)
        self._last = now

    def index(self) -> int:
        """What the index takes now."""
        return sum(self._of_index().values())

    def kept(self) -> int:
        """What stays: the index, and what watched folders have more than at the start."""
        index = self._of_index()
        held = dict(index)
        for place in self._watched:
            held |= files_at(place)
        rest = sum(held.values()) - sum(index.values())
        return sum(index.values()) + max(0, rest - self._rest)

    def _of_index(self) -> Held:
        held: Held = {}
        for end in _COMPANIONS if self._index is not None else ():
            held |= files_at(f"{self._index}{end}")
        return held

    def _now(self) -> int:
        held, pids = self._of_index(), set(self._pids())
        begun = unfinished(self._index, pids) if self._index is not None else ()
        for place in (*begun, *self._temporary, *self._watched):
            held |= files_at(place)
        for pid in pids:
            held |= _nameless(pid)
        return sum(held.values())


def size_of(path: str) -> int:
    """The bytes of a file, or of all files of a folder; 0 where there is nothing."""
    return sum(files_at(path).values())


def files_at(path: str) -> Held:
    """A file, or all files of a folder and of those within it; links are not followed."""
    held: Held = {}
    with suppress(OSError):  # gone since it was listed
        found = os.lstat(path)
        if S_ISDIR(found.st_mode):
            with os.scandir(path) as entries:
                for entry in entries:
                    held |= files_at(entry.path)
        elif S_ISREG(found.st_mode):
            held[found.st_dev, found.st_ino] = _bytes(found)
    return held


def unfinished(index: str, pids: Container[int]) -> list[str]:
    """What stands beside an index until it is whole: .index.db.1234, if 1234 is the process.

    Others may build the same index at once, or have built one whose name begins alike.
    """
    place = Path(index)
    begun = re.compile(rf"\.{re.escape(place.name)}\.(\d+)(?!\d)")
    try:
        found = [(name, begun.match(name)) for name in os.listdir(place.parent)]
    except OSError:
        return []
    return [str(place.parent / name) for name, of in found if of and int(of[1]) in pids]


def discard(path: str) -> None:
    """Take away a file or a folder, where there is one."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            os.unlink(path)


def _bytes(found: os.stat_result) -> int:
    blocks = getattr(found, "st_blocks", None)
    return found.st_size if blocks is None else min(found.st_size, blocks * 512)


def _nameless(pid: int) -> Held:
    """The files that a process holds open, and that have no name any more."""
    held: Held = {}
    with suppress(OSError):
        for number in os.listdir(f"/proc/{pid}/fd"):
            link = f"/proc/{pid}/fd/{number}"
            with suppress(OSError):
                name = os.readlink(link)
                if name.endswith(" (deleted)") and not name.startswith(_NO_DISK):
                    found = os.stat(link)
                    if S_ISREG(found.st_mode):
                        held[found.st_dev, found.st_ino] = _bytes(found)
    return held

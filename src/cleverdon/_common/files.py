"""Durable files: atomic replacement, and journals to which lines are appended.

A file that is written appears when it is complete: until then, and after an error, what was
there before stays. A journal takes lines of JSON from one process at a time, and every line is
synced to the disk.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from io import FileIO
from pathlib import Path, PurePath
from typing import Any, BinaryIO, cast

from cleverdon._common.extras import require
from cleverdon.errors import InputError

PACKED = (".gz", ".bz2", ".xz", ".zst")  # the endings of compressed files


@contextmanager
def replacing(path: str) -> Iterator[BinaryIO]:
    """Open a file that replaces `path` once everything is written."""
    if path == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    given = Path(path)
    if given.exists() and not given.is_file() and not given.is_dir():
        with given.open("wb") as device:  # a pipe or a device stays what it is
            yield device
        return
    target = given.resolve()  # behind a link, the file that it leads to
    # In the same folder, since only there the exchange is one step.
    temporary = target.with_name(f".{secrets.token_hex(6)}.cleverdon")
    try:
        with temporary.open("xb") as file:
            if target.exists():  # now, so that nobody reads what is private while it is written
                shutil.copymode(target, temporary)
            yield file
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_file(path: str, content: bytes) -> None:
    """Write a file that appears when it is complete; what was there before stays until then.

    It is compressed where the name's ending asks for it, as `.gz` does.
    """
    with open_output(path) as out:
        out.write(content)


@contextmanager
def open_output(path: str) -> Iterator[BinaryIO]:
    """Open a file as `write_file` does, for content that comes piece by piece."""
    try:
        with replacing(path) as file, _packing(path, file) as out:
            yield out
    except BrokenPipeError:
        raise
    except OSError as error:
        message = f"cannot be written: {error.strerror or error}"
        raise InputError(message, source=path) from None


def _packing(path: str, file: BinaryIO) -> AbstractContextManager[BinaryIO]:
    """Return the compressor that writes into `file`, chosen by the suffix of `path`."""
    ending = PurePath(path.casefold()).suffix
    packer: Any
    if ending == ".gz":
        import gzip

        # Neither name nor time, so that the same data give the same file.
        packer = gzip.GzipFile(filename="", fileobj=file, mode="wb", compresslevel=6, mtime=0)
    elif ending == ".bz2":
        import bz2

        packer = bz2.BZ2File(file, "wb")
    elif ending == ".xz":
        import lzma

        packer = lzma.LZMAFile(file, "wb")  # noqa: SIM115 (the caller closes it)
    elif ending == ".zst":
        zstandard = require("zstandard", f"writing {path}")
        packer = zstandard.ZstdCompressor().stream_writer(file, closefd=False)
    else:
        return nullcontext(file)
    return cast(AbstractContextManager[BinaryIO], packer)


class Journal:
    """The file, open and locked for as long as the work goes on."""

    def __init__(self, path: str, file: FileIO) -> None:
        self.path, self.file = path, file
        self.notes: list[str] = []  # remarks on the content, made on opening

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
        """Release the file for others."""
        self.file.close()


def journal_exists(path: str | os.PathLike[str]) -> bool:
    """Tell whether a journal can be continued: a file with a whole first line."""
    try:
        with open(path, "rb") as file:
            return file.readline().endswith(b"\n")
    except FileNotFoundError:
        return False
    except OSError as error:
        raise unreadable_error(os.fspath(path), error) from None


@contextmanager
def open_journal(path: str, mode: str) -> Iterator[Journal]:
    """Open a journal, locked until this ends."""
    try:
        # Without a buffer: what is written is with the system, or there is an error.
        file = FileIO(path, mode)
    except OSError as error:
        raise unreadable_error(path, error) from None
    journal = Journal(path, file)
    try:
        _lock(file, path)
        _check_named(file, path)
        yield journal
    finally:
        journal.close()


def _lock(file: FileIO, path: str) -> None:
    """Keep other processes out; the system lifts the lock when this one ends."""
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
    """Refuse a file that the last holder of the lock removed: what is written would be lost."""
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
    """Make sure that the name of a new file or folder is on the disk, too."""
    with suppress(OSError):  # not all systems can
        folder = os.open(Path(path).resolve().parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def unreadable_error(path: str, error: OSError) -> InputError:
    return InputError(f"cannot be opened: {error.strerror or error}", source=path)

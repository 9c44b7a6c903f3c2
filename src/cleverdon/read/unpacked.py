"""Files as streams of bytes, unpacked on the way, where Python reads them and not the core.

The core reads runs and judgments in many threads. Texts are only looked through for a few ids, and
what Python has for that is fast enough.
"""

from __future__ import annotations

import io
import lzma
import os
import shutil
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from tempfile import NamedTemporaryFile
from typing import Any, cast

from cleverdon import _core
from cleverdon.errors import InputError

Progress = Callable[[int, int], object]

_BLOCK = 1 << 20
_PACKINGS = {
    "gzip": b"\x1f\x8b",
    "zstd": b"\x28\xb5\x2f\xfd",
    "bzip2": b"BZh",
    "xz": b"\xfd7zXZ\x00",
}
"""How packed files begin."""


@contextmanager
def unpacked(path: str, *, progress: Progress | None = None) -> Iterator[io.BufferedReader]:
    """A file, or standard input for `-`, as a stream of its unpacked bytes.

    `progress` is told how many bytes of the file have been read, and of how many (0 for a pipe).
    """
    with open(0 if path == "-" else path, "rb", buffering=0, closefd=path != "-") as file:
        raw = _Counted(file, progress or (lambda done, total: None))
        stream: io.BufferedReader = io.BufferedReader(cast(io.RawIOBase, raw), _BLOCK)
        head = stream.peek(6)
        packing = next((name for name, mark in _PACKINGS.items() if head.startswith(mark)), None)
        if packing is None:
            yield stream
            return
        try:
            yield io.BufferedReader(_unpacking(packing, stream), _BLOCK)
        except (EOFError, zlib.error, lzma.LZMAError, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise  # the disk's complaint, and not the packer's
            raise InputError(
                f"is damaged or cut short: it cannot be unpacked as {packing} ({error})",
                source=name_of_stream(path),
            ) from None


def _unpacking(packing: str, packed: io.BufferedReader) -> Any:
    """Several archives one after the other are one text, in every packing."""
    if packing == "zstd":
        try:
            return _Zstd(packed, import_module("zstandard"))
        except ImportError:
            return _by_the_core(packed)
    library = {"gzip": "gzip", "bzip2": "bz2", "xz": "lzma"}[packing]
    return import_module(library).open(packed)


def name_of_stream(path: str) -> str:
    """What messages call it."""
    return "standard input" if path == "-" else path


def decoded(text: bytes, *, source: str, line: int, encoding: str = "utf-8") -> str:
    """Text of which the first byte stands at the start of a line."""
    try:
        return text.decode(encoding)
    except UnicodeDecodeError as error:
        before = text[: error.start]
        message = (
            f"the byte 0x{text[error.start]:02x} is not {error.encoding.upper()}; "
            "convert the file first, for example with iconv"
        )
        column = error.start - before.rfind(b"\n")
        line += before.count(b"\n")
        raise InputError(message, source=source, line=line, column=column) from None


def decoded_lines(lines: Iterable[bytes], *, source: str) -> Iterator[str]:
    """Lines as text, their ends kept."""
    return (decoded(text, source=source, line=line) for line, text in enumerate(lines, start=1))


class _Zstd(io.RawIOBase):
    """Frames of zstd, unpacked by zstandard, whose own reader takes a cut file for a whole one."""

    def __init__(self, packed: io.BufferedReader, library: Any) -> None:
        self._packed, self._library = packed, library
        self._frame, self._ready = library.ZstdDecompressor().decompressobj(), b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            packed = self._frame.unused_data or self._packed.read(1 << 16)
            if not packed:
                if self._frame.eof:
                    return 0
                raise EOFError("the last frame does not end")
            if self._frame.eof:
                self._frame = self._library.ZstdDecompressor().decompressobj()
            try:
                self._ready = self._frame.decompress(packed)
            except self._library.ZstdError as error:
                raise EOFError(str(error)) from None
        count = min(len(buffer), len(self._ready))
        buffer[:count], self._ready = self._ready[:count], self._ready[count:]
        return count


def _by_the_core(packed: io.BufferedReader) -> io.BytesIO:
    """Python has no zstd of its own before 3.14; the core has, but unpacks a file at once."""
    with NamedTemporaryFile() as copy:
        shutil.copyfileobj(packed, copy)
        copy.flush()
        return io.BytesIO(_core.Source(copy.name).head(2**62))


class _Counted(io.RawIOBase):
    """A file that tells how far it has been read."""

    def __init__(self, file: io.RawIOBase, progress: Progress) -> None:
        self._file, self._progress = file, progress
        self._done, self._total = 0, os.fstat(file.fileno()).st_size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        count: int | None = self._file.readinto(buffer)
        self._done += count or 0
        self._progress(self._done, self._total)
        return count

"""Compressed files as streams of bytes, where Python reads them and not the core.

The core reads runs and judgments in many threads. Texts are only looked through for a few ids,
and what Python has for that is fast enough.
"""

from __future__ import annotations

import csv
import io
import lzma
import os
import shutil
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from tempfile import NamedTemporaryFile
from typing import Any, cast

from cleverdon import _core
from cleverdon._common.progress import Progress, ignore_progress
from cleverdon.errors import InputError

_BLOCK = 1 << 20
_PACKINGS = {
    "gzip": b"\x1f\x8b",
    "zstd": b"\x28\xb5\x2f\xfd",
    "bzip2": b"BZh",
    "xz": b"\xfd7zXZ\x00",
}
"""The first bytes of packed files."""


@contextmanager
def open_unpacked(path: str, *, progress: Progress | None = None) -> Iterator[io.BufferedReader]:
    """Open a file, or standard input for `-`, as a stream of its unpacked bytes.

    `progress` receives how many bytes of the file have been read, and of how many (0 for a pipe).
    """
    with open(0 if path == "-" else path, "rb", buffering=0, closefd=path != "-") as file:
        raw = _Counted(file, path, progress or ignore_progress)
        stream: io.BufferedReader = io.BufferedReader(cast(io.RawIOBase, raw), _BLOCK)
        head = stream.peek(6)
        packing = next((name for name, mark in _PACKINGS.items() if head.startswith(mark)), None)
        if packing is None:
            yield _as_utf8(stream, path)
            return
        try:
            yield _as_utf8(io.BufferedReader(_unpacking(packing, stream), _BLOCK), path)
        except (EOFError, zlib.error, lzma.LZMAError, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise  # the disk's complaint, and not the packer's
            raise InputError(
                f"is damaged or cut short: it cannot be unpacked as {packing} ({error})",
                source=name_of_stream(path),
            ) from None


def _as_utf8(stream: io.BufferedReader, path: str) -> io.BufferedReader:
    """The same text in UTF-8 where it is in UTF-16, as Excel and Windows save it."""
    head = stream.peek(4)[:4]
    if not head.startswith((b"\xff\xfe", b"\xfe\xff")) or head == b"\xff\xfe\0\0":
        return stream
    try:
        text = stream.read().decode("utf-16")
    except UnicodeDecodeError as error:
        message = f"is not valid UTF-16: byte {error.start + 1} begins no character"
        raise InputError(message, source=name_of_stream(path)) from None
    return io.BufferedReader(io.BytesIO(text.encode()), _BLOCK)


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
    """Return the name of a stream for messages."""
    return "standard input" if path == "-" else path


def decode_text(text: bytes, *, source: str, line: int, encoding: str = "utf-8") -> str:
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


def decode_lines(lines: Iterable[bytes], *, source: str) -> Iterator[str]:
    """Decode lines, and keep their ends."""
    return (decode_text(text, source=source, line=line) for line, text in enumerate(lines, start=1))


def stripped_lines(path: str, *, progress: Progress | None = None) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file that are not blank, with their numbers."""
    source = name_of_stream(path)
    with open_unpacked(path, progress=progress) as stream:
        for number, line in enumerate(stream, start=1):
            encoding = "utf-8-sig" if number == 1 else "utf-8"
            text = decode_text(line, source=source, line=number, encoding=encoding).strip()
            if text:
                yield number, text


def csv_rows(
    lines: Iterable[str], separator: str, *, source: str
) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that hold something, each with the line on which it begins."""
    reader = csv.reader(lines, delimiter=separator)
    before = 0
    try:
        for cells in reader:
            # A quoted cell may hold line breaks: a row begins behind the end of the last.
            line, before = before + 1, reader.line_num
            if any(map(str.strip, cells)):
                yield line, cells
    except csv.Error as error:
        message = f"cannot be read as columns: {error}; is a quote not closed?"
        raise InputError(message, source=source, line=reader.line_num) from None


class _Zstd(io.RawIOBase):
    """Frames of zstd; zstandard's own reader takes a cut file for a whole one."""

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
    with NamedTemporaryFile() as copy:
        shutil.copyfileobj(packed, copy)
        copy.flush()
        return io.BytesIO(_core.Source(copy.name).head(2**62))


class _Counted(io.RawIOBase):
    def __init__(self, file: io.RawIOBase, path: str, progress: Progress) -> None:
        self._file, self._progress = file, progress
        self._step = f"reading {name_of_stream(path)}"
        self._done, self._total = 0, os.fstat(file.fileno()).st_size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        count: int | None = self._file.readinto(buffer)
        self._done += count or 0
        self._progress(self._step, self._done, self._total)
        return count

"""Text files, packed by gzip or not, as Python reads them: to look at a few of their lines."""

from __future__ import annotations

import gzip
from io import TextIOWrapper
from pathlib import Path
from typing import IO, TextIO, cast


def opened(file: Path) -> TextIO:
    """The file's text; what is not UTF-8 in it is replaced, since it is only looked at."""
    return TextIOWrapper(_bytes(file), encoding="utf-8-sig", errors="replace", newline="\n")


_LOOKED_AT = 4096
_CONTROLS = bytes({*range(32), 127} - set(b"\t\n\v\f\r\x1b\x1f"))
_MOST_CONTROLS = 0.05


def is_blank(file: Path) -> bool:
    """Whether there is nothing but white space in the file."""
    with _bytes(file) as content:
        return not any(block.strip() for block in iter(lambda: content.read(_LOOKED_AT), b""))


def is_text(file: Path) -> bool:
    """Whether the file looks like text, by how many of its first bytes are control characters."""
    with _bytes(file) as content:
        start = content.read(_LOOKED_AT)
    return len(start) - len(start.translate(None, _CONTROLS)) <= _MOST_CONTROLS * len(start)


def _bytes(file: Path) -> IO[bytes]:
    return cast(IO[bytes], gzip.open(file)) if file.suffix == ".gz" else file.open("rb")


def ending(file: Path) -> str:
    """How the file's name ends, `.gz` aside."""
    name = file.name.removesuffix(".gz")
    return Path(name).suffix.lower()

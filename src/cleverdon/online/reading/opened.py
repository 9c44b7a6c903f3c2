"""Text files, packed by gzip or not, as Python reads them: to look at a few of their lines."""

from __future__ import annotations

import gzip
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO


def opened(file: Path) -> TextIO:
    """The file's text; what is not UTF-8 in it is replaced, since it is only looked at."""
    if file.suffix == ".gz":
        packed = gzip.GzipFile(file)
        return TextIOWrapper(packed, encoding="utf-8-sig", errors="replace", newline="\n")
    return file.open(encoding="utf-8-sig", errors="replace", newline="\n")


def ending(file: Path) -> str:
    """How the file's name ends, `.gz` aside."""
    name = file.name.removesuffix(".gz")
    return Path(name).suffix.lower()

"""The file to be checked: opened, understood as far as possible, and ready to be gone through."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from cleverdon import _core
from cleverdon.errors import InputError
from cleverdon.read import head_of, open_source
from cleverdon.read.detect import detect
from cleverdon.read.guess import guess_kind
from cleverdon.read.lines import Shape, shape_of

CHUNK = 1 << 17
"""The text that is looked at in one go: what its fields take up still fits into a core's cache."""

Progress = Callable[[int, int], object]


@dataclass(frozen=True)
class File:
    """A file, opened."""

    path: str
    source: _core.Source
    head: bytes
    kind: Literal["run", "qrels"]
    format: str
    shape: Shape | None
    """How its lines are laid out; None where it is not text."""
    problem: InputError | None = None
    """Why nothing in it can be found, if so."""

    @property
    def name(self) -> str:
        return self.source.name

    def chunks(self, progress: Progress | None = None) -> Iterator[bytes]:
        """The text in pieces of whole lines."""
        for text, done, total in self._pieces():
            yield text
            if progress is not None:
                progress(done, total)

    def lines_at(self, numbers: set[int]) -> dict[int, bytes]:
        """The lines with these numbers, found by going through the file once more."""
        found: dict[int, bytes] = {}
        before = 0
        for text in self.chunks():
            count = text.count(b"\n")
            wanted = [number for number in numbers if before < number <= before + count + 1]
            if wanted:
                lines = text.split(b"\n")
                found.update((number, lines[number - before - 1]) for number in wanted)
            before += count
        return found

    def _pieces(self) -> Iterator[tuple[bytes, int, int]]:
        if not self._is_plain():
            # What is packed, or comes through a pipe, is read by the core, and held.
            text = self.source.head(2**62)
            start = 0
            while start < len(text):
                end = text.find(b"\n", start + CHUNK) + 1 or len(text)
                yield text[start:end], end, len(text)
                start = end
            return
        total = self.source.size
        with Path(self.path).open("rb") as file:
            begun = b""
            while piece := file.read(CHUNK):
                end = piece.rfind(b"\n") + 1
                if end:
                    yield begun + piece[:end], file.tell(), total
                    begun = piece[end:]
                else:
                    begun += piece
            if begun:
                yield begun, total, total

    def _is_plain(self) -> bool:
        if self.path == "-" or not Path(self.path).is_file():
            return False
        with Path(self.path).open("rb") as file:
            return file.read(max(len(self.head), 1)) == self.head  # an archive may hold nothing


def open_file(given: str | _core.Source, *, kind: Literal["run", "qrels"] | None) -> File:
    """Open a file, unless it is open, and see what it is."""
    source = open_source(given) if isinstance(given, str) else given
    path = source.path
    try:
        head = head_of(source)
    except InputError as error:  # a damaged archive
        return File(path, source, b"?", kind or "run", "trec", None, error)
    kind = kind or guess_kind(path, source, head) or "run"
    value = "score" if kind == "run" else "grade"
    text = head.decode("utf-8", errors="replace").lstrip("\ufeff")
    format, shape = "trec", None
    try:
        format = detect(head, kind=value, source=source.name)
        if format not in ("json", "parquet", "arrow"):
            shape = shape_of(format, kind=value, head=text, source=source.name)
    except InputError as error:
        return File(path, source, head, kind, format, None, error)
    return File(path, source, head, kind, format, shape)

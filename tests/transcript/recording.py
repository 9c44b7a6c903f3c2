"""The format of a recording: sections of text, each line after a bar.

A section has a heading and a content. A long content is replaced by two digests, one of the text
and one of its numbers, so that the numbers can be compared when words differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

LONGEST = 40_000
"""The most characters of a content that is not replaced by a digest."""

NUMBER = re.compile(r"\d+(?:[.,]\d+)*(?:[eE][+-]?\d+)?")
_NO_NEWLINE = "\\ no newline at the end"


@dataclass(frozen=True)
class Section:
    """A part of a recording: a command or request, an exit code, a stream, a file."""

    heading: str
    content: str = ""

    def text(self) -> str:
        """Return the text in the recording."""
        return "".join(f"{line}\n" for line in (self.heading, *self._lines()))

    def _lines(self) -> Iterable[str]:
        if not self.content:
            return
        lines = self.content.split("\n")
        ended = lines[-1] == ""
        yield from (f"|{line}" for line in (lines[:-1] if ended else lines))
        if not ended:
            yield _NO_NEWLINE


def shortened(heading: str, content: str) -> Section:
    """Create a section of this content, or of its digest if it is long."""
    if len(content) <= LONGEST:
        return Section(heading, content)
    found = numbers(content)
    lines = (
        f"{len(content)} characters in {content.count(chr(10))} lines: {digest(content)}",
        f"{len(found)} numbers: {digest(' '.join(found))}",
    )
    return Section(f"{heading}, digest", "".join(f"{line}\n" for line in lines))


def numbers(text: str) -> list[str]:
    """Return the numbers of a text in order."""
    return NUMBER.findall(text)


def digest(content: str | bytes) -> str:
    """Compute a short digest."""
    return sha256(content.encode() if isinstance(content, str) else content).hexdigest()[:32]


def parse(text: str) -> list[Section]:
    """Parse the sections of a recording."""
    sections: list[tuple[str, list[str]]] = []
    for line in text.split("\n")[:-1]:
        if line.startswith("|"):
            sections[-1][1].append(line[1:] + "\n")
        elif line == _NO_NEWLINE:
            sections[-1][1][-1] = sections[-1][1][-1][:-1]
        else:
            sections.append((line, []))
    return [Section(heading, "".join(lines)) for heading, lines in sections]

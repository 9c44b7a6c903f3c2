"""What a recording looks like: sections of text, each line of them behind a bar.

A section has a heading and a content. Contents that are long are kept as a digest, with another
one of their numbers alone, so that they can be compared where words differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

LONGEST = 40_000
"""Characters of a content that is kept as it is."""

NUMBER = re.compile(r"\d+(?:[.,]\d+)*(?:[eE][+-]?\d+)?")
_NO_NEWLINE = "\\ no newline at the end"


@dataclass(frozen=True)
class Section:
    """A part of a recording: what was asked, an exit code, a stream, a file."""

    heading: str
    content: str = ""

    def text(self) -> str:
        """As it is recorded."""
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
    """A section of this content, or of its digest where it is long."""
    if len(content) <= LONGEST:
        return Section(heading, content)
    found = numbers(content)
    lines = (
        f"{len(content)} characters in {content.count(chr(10))} lines: {digest(content)}",
        f"{len(found)} numbers: {digest(' '.join(found))}",
    )
    return Section(f"{heading}, digest", "".join(f"{line}\n" for line in lines))


def numbers(text: str) -> list[str]:
    """The numbers of a text in their order."""
    return NUMBER.findall(text)


def digest(content: str | bytes) -> str:
    """A digest that is long enough."""
    return sha256(content.encode() if isinstance(content, str) else content).hexdigest()[:32]


def parse(text: str) -> list[Section]:
    """The sections of a recording."""
    sections: list[tuple[str, list[str]]] = []
    for line in text.split("\n")[:-1]:
        if line.startswith("|"):
            sections[-1][1].append(line[1:] + "\n")
        elif line == _NO_NEWLINE:
            sections[-1][1][-1] = sections[-1][1][-1][:-1]
        else:
            sections.append((line, []))
    return [Section(heading, "".join(lines)) for heading, lines in sections]

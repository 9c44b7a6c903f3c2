"""Where a judgment stands in a file, looked for only once something is wrong with it."""

from __future__ import annotations

from cleverdon.read import open_source


def line_of(topic: str, document: str, source: str) -> int | None:
    """The first line that names both; None where lines do not tell."""
    wanted = topic.encode(), document.encode()
    for number, line in enumerate(open_source(source).head(2**62).split(b"\n"), start=1):
        if all(text in line for text in wanted):
            fields = line.replace(b",", b" ").replace(b'"', b" ").split()
            if all(text in fields for text in wanted):
                return number
    return None

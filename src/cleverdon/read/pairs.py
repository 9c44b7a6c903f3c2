"""Tables of two columns: which group a system is of, from which stratum a document is."""

from __future__ import annotations

import os
from collections.abc import Sequence

from cleverdon.errors import InputError
from cleverdon.read.ids import check_there
from cleverdon.read.unpacked import Progress, decoded, name_of_stream, unpacked


def read_pairs(
    path: str | os.PathLike[str],
    names: tuple[str, str],
    *,
    headings: Sequence[str] = (),
    progress: Progress | None = None,
) -> dict[str, str]:
    """The second column by the first: by tabs, commas or white space, packed or not.

    `names` say what the columns are, for messages; a first line, comments aside, that begins with
    the first of them, or with one of `headings`, is a header.
    """
    path = os.fspath(path)
    check_there(path)
    source = name_of_stream(path)
    found: dict[str, str] = {}
    read = False  # whether a line of the table was
    with unpacked(path, progress=progress) as stream:
        for number, line in enumerate(stream, start=1):
            text = decoded(
                line, source=source, line=number, encoding="utf-8-sig" if number == 1 else "utf-8"
            ).strip()
            if not text or text.startswith("#"):
                continue
            separator = next((mark for mark in "\t," if mark in text), None)
            cells = [cell.strip().strip('"') for cell in text.split(separator)]
            if len(cells) != 2 or not all(cells):
                raise InputError(
                    f"expected {' and '.join(names)}, separated by a tab, a comma or a space; "
                    f"found {text[:60]!r}",
                    source=source,
                    line=number,
                )
            first, second = cells
            header, read = not read and first.casefold() in (names[0], *headings), True
            if header:
                continue
            if found.setdefault(first, second) != second:
                raise InputError(
                    f"{names[0]} {first!r} has the {names[1]} {second!r}, and {found[first]!r} "
                    "above",
                    source=source,
                    line=number,
                )
    if not found:
        raise InputError("is empty", source=source)
    return found

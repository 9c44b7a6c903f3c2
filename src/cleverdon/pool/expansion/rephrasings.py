"""Other words for queries, written by hand: a file with a line for each, query and text."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator

from cleverdon.errors import InputError
from cleverdon.read.records import IDS, known
from cleverdon.read.unpacked import decoded, unpacked


def read_rephrasings(path: str | os.PathLike[str]) -> dict[str, list[str]]:
    """The texts of each query: columns by tabs, or by commas where the name ends in `.csv`.

    A query may have any number of lines. A header is passed over.
    """
    path = os.fspath(path)
    try:
        with unpacked(path) as stream:
            text = decoded(stream.read(), source=path, line=1, encoding="utf-8-sig")
    except FileNotFoundError:
        raise InputError("there is no such file", source=path) from None
    separated = path.casefold().endswith(".csv")
    found: dict[str, list[str]] = {}
    for line, cells in _by_commas(text, path) if separated else _by_tabs(text):
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != 2 or not all(cell.strip() for cell in cells):
            raise InputError(
                f"expected a query and a text, separated by a {'comma' if separated else 'tab'}; "
                f"found {len(cells)} columns",
                source=path,
                line=line,
            )
        query, phrase = (cell.strip() for cell in cells)
        if not found and known([query], IDS):
            continue  # the header
        phrases = found.setdefault(query, [])
        if phrase not in phrases:
            phrases.append(phrase)
    if not found:
        raise InputError("has no rephrasings: a line each, query and text", source=path)
    return found


def _by_tabs(text: str) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(text.splitlines(), start=1):
        yield number, line.split("\t")


def _by_commas(text: str, source: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        for cells in reader:
            yield reader.line_num, cells
    except csv.Error as error:
        message = f"cannot be read as columns: {error}; is a quote not closed?"
        raise InputError(message, source=source, line=reader.line_num) from None

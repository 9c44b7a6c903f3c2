"""Whether a file is a run or judgments, seen from its first lines."""

from __future__ import annotations

import re
from typing import Literal

from cleverdon import _core
from cleverdon.errors import InputError
from cleverdon.read.columns import GRADE, RANK, SCORE, position, split_columns
from cleverdon.read.detect import detect, first_line

Kind = Literal["run", "qrels"]


def guess_kind(path: str, source: _core.Source, head: bytes) -> Kind | None:
    """Whether a file is a run or judgments; None where it could be either."""
    try:
        format = detect(head, kind="score", source=source.name)
    except InputError:
        return "qrels"  # no run has so many fields
    text = head.decode("utf-8", errors="replace").lstrip("\ufeff")
    if format == "json":
        return _of_json(text)
    if format in ("parquet", "arrow"):
        from cleverdon.read.table import names_in_file

        return _of_names(names_in_file(path, source, format=format))
    if format in ("csv", "tsv"):
        header = first_line(text, comments=False)
        return _of_names(split_columns(header, separator="," if format == "csv" else "\t"))
    return _of_lines(text)


def _of_json(text: str) -> Kind:
    """Grades are whole numbers, and scores hardly ever are."""
    numbers = re.findall(r":\s*(-?[\d.][\d.eE+-]*)", text)
    return "qrels" if all(re.fullmatch(r"-?\d+", number) for number in numbers) else "run"


def _of_names(names: list[str]) -> Kind | None:
    own = [name for name in GRADE if name not in SCORE]
    if position(names, own) is not None:
        return "qrels"
    # BEIR's judgments call the grade a score, and the documents the corpus.
    if position(names, ("corpus-id",)) is not None and position(names, RANK) is None:
        return "qrels"
    return "run" if position(names, (*SCORE, *RANK)) is not None else None


def _of_lines(text: str) -> Kind | None:
    width = len(first_line(text, comments=True).split())
    if width < 3:
        return None
    if width != 3:
        return "qrels" if width == 4 else "run"
    # MS MARCO's runs count 1, 2, 3 down a query; BEIR's judgments without a header do not.
    rows = [line.split() for line in text.split("\n") if not line.startswith("#")]
    last = [row[2] for row in rows if len(row) == 3 and row[0] == next(r for r in rows if r)[0]]
    counted = [str(rank) for rank in range(1, len(last) + 1)]
    return "run" if len(last) > 1 and last == counted else "qrels"

"""Whether a file is a run or judgments, seen from its first lines."""

from __future__ import annotations

import re
from typing import Literal

from cleverdon import _core
from cleverdon.errors import InputError
from cleverdon.read.columns import GRADE, RANK, SCORE, position, split_columns
from cleverdon.read.detect import HEAD, detect, first_line

Kind = Literal["run", "qrels"]

_FIELD = re.compile(r"[^ \t\r]+")
_WHOLE = re.compile(r"[+-]?[0-9]{1,300}(?:\.0*)?")


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


def _of_json(text: str) -> Kind | None:
    """Grades are whole numbers, and scores hardly ever are."""
    numbers = re.findall(r":\s*(-?[\d.][\d.eE+-]*)", text)
    if not numbers:
        return "run" if re.search(r":\s*\[", text) else None
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
    by_query = _third_fields(text)
    ranked = [
        sorted(numbers) == sorted(str(rank + 1) for rank in range(len(numbers)))
        for numbers in by_query
    ]
    return "run" if all(ranked) and any(len(numbers) > 1 for numbers in by_query) else "qrels"


def _third_fields(text: str) -> list[list[str]]:
    """The third of three fields, query by query."""
    found: dict[str, list[str]] = {}
    lines = text.split("\n")
    if len(text.encode()) >= HEAD:
        lines.pop()  # it may be cut
    for line in lines:
        fields = _FIELD.findall(line)
        if len(fields) == 3 and not line.startswith("#"):
            found.setdefault(fields[0], []).append(fields[2])
    return list(found.values())


def counts_grades(text: str) -> bool:
    """Whether a file that begins so, of three columns, has grades rather than ranks."""
    for numbers in _third_fields(text):
        ranks = [float(number) for number in numbers if _WHOLE.fullmatch(number)]
        if len(set(ranks)) < len(ranks):
            return True
    return False


def counts_ranks(table: _core.Table) -> bool:
    """Whether the numbers of every query count from 1 on, as ranks do, in whatever order."""
    import numpy as np  # only here: reading runs must start fast

    starts, values = table.starts, table.values
    sizes = np.diff(starts)
    if np.max(sizes, initial=0) < 2:
        return False
    query = np.repeat(np.arange(len(sizes)), sizes)
    ranks = np.arange(len(values)) - starts[query] + 1
    return bool(np.array_equal(values[np.lexsort((values, query))], ranks))

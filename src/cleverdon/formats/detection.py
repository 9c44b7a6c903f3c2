"""Detection of a file's format, columns and kind from its first lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from cleverdon import _core
from cleverdon.errors import InputError

QUERY = ("query_id", "qid", "q_id", "query-id", "queryid", "query", "topic_id", "topic")
DOCUMENT = (
    *("doc_id", "docno", "docid", "did", "d_id", "doc-id", "document_id", "document", "doc"),
    *("corpus-id", "corpus_id", "pid", "passage_id"),
)
_SCORE = ("score", "sim", "similarity")
RANK = ("rank", "position")
GRADE = ("relevance", "label", "grade", "rel", "judgment", "judgement", "qrel", "score")
"""BEIR calls the grade a score, so that name comes last."""


def split_columns(line: str, *, separator: str) -> list[str]:
    """Split the fields of a line of columns.

    >>> split_columns('"Doe, J.", d1 ,0.5', separator=",")
    ['Doe, J.', 'd1', '0.5']
    """
    text = line.encode()
    return [
        text[start:end].decode() for start, end in field_spans(text, separator=separator.encode())
    ]


def field_spans(line: bytes, *, separator: bytes) -> list[tuple[int, int]]:
    """Find the fields of a line by the core's rule: see `delimited` in `layout.rs`.

    Quotes around a field are not part of it, and the separator may stand between them.
    """
    found = []
    at = 0
    while at <= len(line):
        closing = -1
        if line.startswith(b'"', at):
            closing = line.find(b'"' + separator, at + 1)
            if closing < 0 and line.endswith(b'"') and len(line) > at + 1:
                closing = len(line) - 1
        if closing >= 0:
            found.append((at + 1, closing))
            at = closing + 2
            continue
        end = line.find(separator, at)
        end = len(line) if end < 0 else end
        start = end - len(line[at:end].lstrip(b" "))
        found.append((start, start + len(line[start:end].rstrip(b" "))))
        at = end + 1
    return found


def is_column_header(fields: Sequence[str]) -> bool:
    """Tell whether fields are column names: a query and a document are among them."""
    names = {_folded(field) for field in fields}
    return bool(names & set(QUERY)) and bool(names & set(DOCUMENT))


def choose_columns(
    names: Sequence[str], *, kind: str, source: str
) -> tuple[tuple[int, int, int], str]:
    """Choose the positions of query, document and number, and what the number is.

    A run without scores may have ranks instead.
    """
    folded = [_folded(name) for name in names]
    wanted = [("query", QUERY), ("document", DOCUMENT)]
    if kind == "grade":
        wanted.append(("grade", GRADE))
    elif kind == "rank" or not set(folded) & set(_SCORE):
        kind = "rank" if kind == "rank" or set(folded) & set(RANK) else kind
        wanted.append((kind, RANK if kind == "rank" else _SCORE))
    else:
        wanted.append((kind, _SCORE))
    positions = []
    for what, known in wanted:
        found = column_position(names, known)
        if found is None:
            raise InputError(
                f"no column for the {what}: expected one of {', '.join(known)}; "
                f"found {', '.join(map(str, names)) or 'none'}",
                source=source,
            )
        if [_folded(name) for name in names].count(_folded(names[found])) > 1:
            message = f"two columns are called {names[found]!r}; rename or drop one"
            raise InputError(message, source=source)
        positions.append(found)
    return (positions[0], positions[1], positions[2]), kind


def column_position(names: Sequence[str], known: Sequence[str]) -> int | None:
    """Find the first of the known names among a table's names."""
    folded = [_folded(name) for name in names]
    return next((folded.index(name) for name in known if name in folded), None)


def _folded(name: str) -> str:
    return str(name).strip().strip('"').casefold()


FORMATS = {
    "trec": "TREC text: query Q0 document rank score tag, or query iteration document grade",
    "msmarco": "MS MARCO: query document rank, or query 0 document grade",
    "beir": "BEIR's judgments: query, document, grade, by tabs, with or without a header",
    "csv": "columns separated by commas, under a header",
    "tsv": "columns separated by tabs, under a header",
    "json": 'a dict of dicts: {"query": {"document": 1.5}}',
    "parquet": "Parquet, by the names of its columns",
    "arrow": "Arrow IPC (Feather), by the names of its columns",
}
"""The formats that can be named, each with what it looks like."""

ANNOTATED = {
    "subtopics": "judgments of subtopics: query subtopic document grade",
    "strata": "judgments of a stratified sample: query iteration document stratum grade",
    "sampled": "judgments of a sample: query document grade method probability",
}
"""The formats of judgments that are never guessed, each with what it looks like."""

PARQUET, ARROW, ARROW_STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"
"""The first bytes of files in these formats."""

HEAD = 1 << 16  # bytes to read of a file; more where they are not a whole line


def first_line(text: str, *, comments: bool) -> str:
    """Return the first line that is not blank, nor, where there may be such, a comment."""
    # Not `splitlines`, which also cuts at characters that may stand in an id.
    lines = (line.rstrip("\r") for line in text.split("\n") if line.strip(" \t\r"))
    return next((line for line in lines if not (comments and line.startswith("#"))), "")


def detect_format(head: bytes, *, kind: str, source: str) -> str:
    """Detect the format by the start of a file; TREC's where nothing speaks for another."""
    if head.startswith(PARQUET):
        return "parquet"
    if head.startswith((ARROW, ARROW_STREAM)):
        return "arrow"
    if head.startswith(b"PK\x03\x04"):
        raise InputError("is a zip archive; unpack it first", source=source)
    text = head.decode("utf-8", errors="replace").lstrip("\ufeff")
    if text.lstrip().startswith("{"):
        return "json"
    header = first_line(text, comments=False)
    for format, separator in (("tsv", "\t"), ("csv", ",")):
        if is_column_header(split_columns(header, separator=separator)):
            return format
    fields = len(re.findall(r"[^ \t]+", first_line(text, comments=True)))
    if fields == 3:
        return "beir" if kind == "grade" else "msmarco"
    if kind == "grade" and fields >= 6:
        raise InputError(_EXCHANGED.format(found="a run", fields=fields), source=source)
    if kind != "grade" and fields == 4:
        raise InputError(_EXCHANGED.format(found="judgments", fields=fields), source=source)
    return "trec"


_EXCHANGED = "looks like {found} ({fields} fields a line); are judgments and run exchanged?"

_Kind = Literal["run", "qrels"]

_FIELD = re.compile(r"[^ \t\r]+")
_WHOLE = re.compile(r"[+-]?[0-9]{1,300}(?:\.0*)?")


def guess_kind(path: str, source: _core.Source, head: bytes) -> _Kind | None:
    """Guess whether a file is a run or judgments; None where it could be either."""
    try:
        format = detect_format(head, kind="score", source=source.name)
    except InputError:
        return "qrels"  # no run has so many fields
    text = head.decode("utf-8", errors="replace").lstrip("\ufeff")
    if format == "json":
        return _of_json(text)
    if format in ("parquet", "arrow"):
        from cleverdon.formats.arrow import names_in_file  # which imports this module

        return _of_names(names_in_file(path, source, format=format))
    if format in ("csv", "tsv"):
        header = first_line(text, comments=False)
        return _of_names(split_columns(header, separator="," if format == "csv" else "\t"))
    return _of_lines(text)


def _of_json(text: str) -> _Kind | None:
    """Guess by the numbers: grades are whole, and scores hardly ever are."""
    numbers = re.findall(r":\s*(-?[\d.][\d.eE+-]*)", text)
    if not numbers:
        return "run" if re.search(r":\s*\[", text) else None
    return "qrels" if all(re.fullmatch(r"-?\d+", number) for number in numbers) else "run"


def _of_names(names: list[str]) -> _Kind | None:
    own = [name for name in GRADE if name not in _SCORE]
    if column_position(names, own) is not None:
        return "qrels"
    # BEIR's judgments call the grade a score, and the documents the corpus.
    if column_position(names, ("corpus-id",)) is not None and column_position(names, RANK) is None:
        return "qrels"
    return "run" if column_position(names, (*_SCORE, *RANK)) is not None else None


def _of_lines(text: str) -> _Kind | None:
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
    """Tell whether the third of three columns holds grades rather than ranks."""
    for numbers in _third_fields(text):
        ranks = [float(number) for number in numbers if _WHOLE.fullmatch(number)]
        if len(set(ranks)) < len(ranks):
            return True
    return False


def counts_ranks(table: _core.Table) -> bool:
    """Tell whether the numbers of every query count from 1, as ranks do, in any order."""
    import numpy as np  # only here: reading runs must start fast

    starts, values = table.starts, table.values
    sizes = np.diff(starts)
    if np.max(sizes, initial=0) < 2:
        return False
    query = np.repeat(np.arange(len(sizes)), sizes)
    ranks = np.arange(len(values)) - starts[query] + 1
    return bool(np.array_equal(values[np.lexsort((values, query))], ranks))

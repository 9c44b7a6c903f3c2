"""Detection of a file's format, columns and kind from its first lines."""

from __future__ import annotations

import re
from typing import Literal

from cleverdon import _core
from cleverdon.errors import InputError
from cleverdon.formats import ARROW, ARROW_STREAM, PARQUET
from cleverdon.formats.columns import (
    FLOAT,
    GRADE,
    HEAD,
    RANK,
    SCORE,
    TSV,
    column_position,
    ending_of,
    first_line,
    has_own_documents,
    header_separator,
    is_book,
    likely_separator,
    named_columns,
    split_columns,
    split_line,
    splits_at_tabs,
    without_separator_line,
)

FORMATS = {
    "trec": "TREC text: query Q0 document rank score tag, or query iteration document grade",
    "msmarco": "MS MARCO: query document rank, or query 0 document grade",
    "beir": "BEIR's judgments: query, document, grade, by tabs, with or without a header",
    "csv": "columns separated by commas, semicolons or |, under a header",
    "tsv": "columns separated by tabs, under a header",
    "json": 'a dict of dicts: {"query": {"document": 1.5}}; or a list of objects',
    "json_list": 'a list of objects: [{"query_id": "q1", "doc_id": "d1", "score": 1.5}]',
    "jsonl": "an object a line, by the names of its fields",
    "xlsx": "Excel, by the names of its columns; a sheet as book.xlsx#Sheet1",
    "parquet": "Parquet, by the names of its columns",
    "arrow": "Arrow IPC (Feather), by the names of its columns",
    "dataset": "a folder of Hugging Face's datasets, by the names of its columns",
    "quepid": 'Quepid\'s ratings: {"queries": [{"query": ..., "ratings": {"document": 3}}]}',
    "quepid_csv": "Quepid's ratings as CSV, under its names of columns: query,docid,rating",
    "opensearch": 'OpenSearch: {"judgmentRatings": [{"query": ..., "ratings": [...]}]}',
    "rank_eval": "a request of Elasticsearch's and OpenSearch's ranking evaluation API",
    "ltr": "judgments of learning to rank: grade qid:query # document",
}
"""The formats that can be named, each with what it looks like."""

ANNOTATED = {
    "subtopics": "judgments of subtopics: query subtopic document grade",
    "strata": "judgments of a stratified sample: query iteration document stratum grade",
    "sampled": "judgments of a sample: query document grade method probability",
}
"""The formats of judgments that are never guessed, each with what it looks like."""

BOOKS = {
    f"quepid_{rule}": f"a book of Quepid's, with several judges, of whose grades {meaning} counts"
    for rule, meaning in (
        ("majority", "the one that most gave, and of several the lowest,"),
        ("median", "the middle one, or the lower of two,"),
        ("mean", "the mean"),
    )
}
"""The formats of judgments by several judges, which say how their grades become one."""

_ZIP, _OLD_EXCEL = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
"""The first bytes of files in these formats."""

OF_JUDGMENTS = ("beir", "quepid", "quepid_csv", "opensearch", "rank_eval", "ltr")
"""The formats that only judgments have."""


def detect_format(head: bytes, *, kind: str, source: str) -> str:
    """The format of a file that starts like this; TREC's where nothing speaks for another.

    `source` is its name: files called .csv and .tsv are read as such.
    """
    if head.startswith(PARQUET):
        return "parquet"
    if head.startswith((ARROW, ARROW_STREAM)):
        return "arrow"
    if is_workbook(head, source):
        return "xlsx"
    if head.startswith(_ZIP):
        raise InputError("is a zip archive; unpack it first", source=source)
    ending = ending_of(source)
    text = head.decode("utf-8", errors="replace").lstrip("\ufeff")
    separator, text = without_separator_line(text)
    if separator is not None:
        return "tsv" if separator == "\t" else "csv"
    if ending == ".csv":
        return "csv"
    start = text.lstrip()[:1]
    if ending in (".jsonl", ".ndjson") or (start == "{" and _has_objects_by_line(text)):
        return "jsonl"
    if start == "{" or (start == "[" and ending != ".tsv"):
        return "json"
    header = first_line(text, comments=False)
    separator = header_separator(header)
    if separator is not None:
        return "tsv" if separator == "\t" else "csv"
    first = first_line(text, comments=True)
    if (
        ending in TSV
        and "\t" in header
        and not _is_data(header.split("\t"))
        and not _is_data(first.split("\t"))
    ):
        return "tsv"  # with a header that is not understood: say so, and not what TREC expects
    if " qid:" in first and re.match(_LTR, first):
        return "ltr"
    fields = len(split_line(first, splits_at_tabs(text, kind=kind, source=source)))
    if fields == 3:
        return "beir" if kind == "grade" else "msmarco"
    if kind == "grade" and fields >= 6:
        raise InputError(_EXCHANGED.format(found="a run", fields=fields), source=source)
    if kind != "grade" and fields == 4:
        raise InputError(_EXCHANGED.format(found="judgments", fields=fields), source=source)
    return "trec"


def is_workbook(head: bytes, name: str) -> bool:
    """Tell whether a file is one of Excel's or LibreOffice's."""
    if head.startswith(_OLD_EXCEL):
        return True
    known = ending_of(name) in (".xlsx", ".xlsm", ".xlsb", ".ods")
    parts = (b"[Content_Types].xml", b"xl/", b"application/vnd.oasis.opendocument.spreadsheet")
    return head.startswith(_ZIP) and (known or any(part in head for part in parts))


def is_json_lines(head: bytes, name: str) -> bool:
    """Tell whether a file is JSON Lines: by its name, or by its first two lines."""
    text = head.decode("utf-8", errors="replace").lstrip("\ufeff")
    begins = text.lstrip().startswith("{")
    return begins and (ending_of(name) in (".jsonl", ".ndjson") or _has_objects_by_line(text))


def _is_data(fields: list[str]) -> bool:
    """Tell whether fields are a row, and no header: three or more, one a number."""
    return len(fields) >= 3 and any(re.fullmatch(FLOAT, field.strip()) for field in fields[2:])


def _has_objects_by_line(text: str) -> bool:
    """Tell whether each line is an object: the first is closed, and another one follows."""
    first, _, rest = text.lstrip().partition("\n")
    return first.rstrip().endswith("}") and rest.lstrip().startswith("{")


# Expressions that TREC's formats do not need are not compiled for them.
_LTR = r"[+-]?[\d.]+ qid:\S+"
_EXCHANGED = "looks like {found} ({fields} fields a line); are judgments and run exchanged?"

_Kind = Literal["run", "qrels"]

_WHOLE = r"[+-]?[0-9]{1,300}(?:\.0*)?"


def guess_kind(path: str, source: _core.Source, head: bytes) -> _Kind | None:
    """Guess whether a file is a run or judgments; None where it could be either."""
    try:
        format = detect_format(head, kind="score", source=source.name)
    except InputError:
        return "qrels"  # no run has so many fields
    text = head.decode("utf-8", errors="replace").lstrip("\ufeff")
    if format == "ltr":
        return "qrels"
    if format in ("json", "jsonl"):
        return _of_json(text)
    if format in ("parquet", "arrow", "xlsx"):
        from cleverdon.formats.inputs import names_of_columns  # which imports this module

        return _of_names(names_of_columns(path, source, format=format))
    if format in ("csv", "tsv"):
        separator, text = without_separator_line(text)
        header = first_line(text, comments=False)
        separator = separator or ("\t" if format == "tsv" else likely_separator(header))
        return _of_names(split_columns(header, separator=separator))
    return _of_lines(text, tabs=splits_at_tabs(text, kind="score", source=source.name))


_RATINGS = r'"(judgmentRatings|ratings|relevant_documents|query_doc_pairs)"\s*:'


def _of_json(text: str) -> _Kind | None:
    """Grades are whole numbers, and scores hardly ever are."""
    if re.search(_RATINGS, text):
        return "qrels"
    if text.lstrip().startswith("[") or _has_objects_by_line(text):
        fields = re.findall(r'"([^"]+)"\s*:', text.partition("}")[0])
        if (found := _of_names(fields)) is not None:
            return found
    numbers = re.findall(r":\s*(-?[\d.][\d.eE+-]*)", text)
    if not numbers:
        return "run" if re.search(r":\s*\[", text) else None
    return "qrels" if all(re.fullmatch(r"-?\d+", number) for number in numbers) else "run"


def _of_names(names: list[str]) -> _Kind | None:
    named = named_columns().names
    if is_book(names):
        return "qrels"
    gold, retrieved = (
        any(role in named for role in roles)
        for roles in (("grade", "gold"), ("score", "rank", "retrieved"))
    )
    if gold != retrieved:
        return "qrels" if gold else "run"
    own = [name for name in GRADE if name not in SCORE]
    if column_position(names, own) is not None:
        return "qrels"
    # BEIR's judgments call the grade a score, and the documents the corpus.
    if column_position(names, ("corpus-id",)) is not None and column_position(names, RANK) is None:
        return "qrels"
    if column_position(names, (*SCORE, *RANK)) is not None:
        return "run"
    gold, retrieved = (has_own_documents(names, kind=kind) for kind in ("grade", "score"))
    return None if gold == retrieved else "qrels" if gold else "run"


def _of_lines(text: str, *, tabs: bool) -> _Kind | None:
    width = len(split_line(first_line(text, comments=True), tabs))
    if width < 3:
        return None
    if width != 3:
        return "qrels" if width == 4 else "run"
    # MS MARCO's runs count 1, 2, 3 down a query; BEIR's judgments without a header do not.
    by_query = _third_fields(text, tabs=tabs)
    ranked = [
        sorted(numbers) == sorted(str(rank + 1) for rank in range(len(numbers)))
        for numbers in by_query
    ]
    return "run" if all(ranked) and any(len(numbers) > 1 for numbers in by_query) else "qrels"


def _third_fields(text: str, *, tabs: bool) -> list[list[str]]:
    found: dict[str, list[str]] = {}
    lines = text.split("\n")
    if len(text.encode()) >= HEAD:
        lines.pop()  # it may be cut
    for line in lines:
        fields = split_line(line.rstrip("\r"), tabs)
        if len(fields) == 3 and not line.startswith("#"):
            found.setdefault(fields[0], []).append(fields[2])
    return list(found.values())


def counts_grades(text: str, *, tabs: bool = False) -> bool:
    """Tell whether the third of three columns holds grades rather than ranks."""
    for numbers in _third_fields(text, tabs=tabs):
        ranks = [float(number) for number in numbers if re.fullmatch(_WHOLE, number)]
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

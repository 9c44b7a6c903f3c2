"""Which format a file is in, seen from its first lines."""

from __future__ import annotations

import re

from cleverdon.errors import InputError
from cleverdon.read.columns import is_header, split_columns

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
    "subtopics": "judgments of subtopics: topic subtopic document grade",
    "strata": "judgments of a stratified sample: topic iteration document stratum grade",
    "sampled": "judgments of a sample: topic document grade method probability",
}
"""The formats of judgments that are never guessed, each with what it looks like."""

PARQUET, ARROW, ARROW_STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"
"""How files of these formats begin."""


HEAD = 1 << 16
"""So many bytes of a file are looked at, and more where they are not a whole line."""


def first_line(text: str, *, comments: bool) -> str:
    """The first line that is not blank, nor, where there may be such, a comment."""
    # Not `splitlines`, which also cuts at characters that may stand in an id.
    lines = (line.rstrip("\r") for line in text.split("\n") if line.strip(" \t\r"))
    return next((line for line in lines if not (comments and line.startswith("#"))), "")


def detect(head: bytes, *, kind: str, source: str) -> str:
    """The format of a file that starts like this; TREC's where nothing speaks for another."""
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
        if is_header(split_columns(header, separator=separator)):
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

"""Imports: judgments that were made elsewhere, by people or by models; their kinds and limits.

Importing this package loads no database: the command line's help needs the kinds. Read LARGEST and
MOST_ROWS as `imports.LARGEST`: the worker process and tests set them.
"""

from __future__ import annotations

from dataclasses import dataclass

IMPORT_KINDS = {
    "earlier": "of people who have no account here",
    "model": "of a model, or of a click model: one more judge, never one of the people",
    "person": "of somebody who has an account, made elsewhere",
}
"""The kinds of judges."""

IMPORT_FORMS = {
    "qrels": "TREC's, and all other formats of judgments that Cleverdon reads",
    "quepid": "what Quepid exports: ratings, cases, books",
    "label-studio": "what Label Studio exports: JSON, JSON-MIN, CSV",
}
"""The formats of files; they are recognised by their content."""

LARGEST = 500_000_000  # bytes of an import, packed or unpacked
MOST_ROWS = 5_000_000  # of a Parquet or Arrow file: packed rows can take almost no bytes


@dataclass(frozen=True)
class FileJudgment:
    """A grade in a file."""

    query: str
    document: str
    grade: str  # a number, or the name of a grade
    judge: str = ""  # where the file says who judged
    line: int | None = None
    note: str = ""
    seconds: float | None = None  # for which the document was looked at
    said_at: float | None = None


@dataclass(frozen=True)
class FileContent:
    form: str  # the kind of the file, in words
    rows: tuple[FileJudgment, ...]
    ungraded: int = 0  # documents that the file names without a grade
    by_title: bool = False  # whether queries may be named by their titles
    cautions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fields:
    """The names of fields, where they are not to be guessed."""

    query: str = ""
    document: str = ""
    grade: str = ""

"""Reading a file of judgments, whatever wrote it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from cleverdon.assess.importing import kinds, label_studio, quepid
from cleverdon.assess.importing.kinds import FORMS
from cleverdon.assess.importing.rows import Content, Fields, Row
from cleverdon.assess.importing.unzipping import too_large
from cleverdon.errors import InputError, check_word
from cleverdon.judge.reading import read_rows
from cleverdon.read import head_of, open_source
from cleverdon.read.columns import split_columns
from cleverdon.read.detect import ARROW, ARROW_STREAM, PARQUET, first_line
from cleverdon.read.unpacked import decoded

_NOBODY = "\0"
"""Stands for the judge where a file names none; no name can be that."""


def read_judgments(
    path: str, *, form: str | None = None, assessors: bool = False, fields: Fields | None = None
) -> Content:
    """All judgments of a file; with `assessors`, the second column of TREC's is who judged."""
    if form is not None:
        check_word("form", form, FORMS)
    source = open_source(path)
    head = head_of(source)
    if not head.strip():
        raise InputError("is empty", source=source.name)
    content = source.head(kinds.LARGEST + 1)
    if len(content) > kinds.LARGEST:
        raise too_large(path)
    if not assessors and form != "qrels" and not head.startswith((PARQUET, ARROW, ARROW_STREAM)):
        text = decoded(content, source=source.name, line=1, encoding="utf-8-sig")
        found = _of_tools(text, fields or Fields(), source.name)
        if found is not None:
            return found
    if head.startswith((PARQUET, ARROW, ARROW_STREAM)):
        _check_table(content, path)
    if form not in (None, "qrels"):
        raise InputError(f"is nothing that {form} exports, as far as can be seen", source=path)
    return _of_qrels(path, assessors=assessors)


def _check_table(content: bytes, path: str) -> None:
    """Raise an InputError where a Parquet or Arrow file unpacks to more than can be held.

    Parquet says how much it holds, but it can lie, and a batch of Arrow is unpacked as a whole.
    What gets past this is bounded by the memory of the process (process.py).
    """
    try:
        import pyarrow
        import pyarrow.ipc
        import pyarrow.parquet
    except ImportError:
        return  # polars may be there to read it
    rows = size = 0
    try:
        opened = pyarrow.BufferReader(content)
        if content.startswith(PARQUET):
            about = pyarrow.parquet.ParquetFile(opened).metadata
            groups = [about.row_group(number) for number in range(about.num_row_groups)]
            batches = ((group.num_rows, group.total_byte_size) for group in groups)
        else:
            batches = ((batch.num_rows, batch.nbytes) for batch in _batches(opened, content))
        for more_rows, more_bytes in batches:
            rows, size = rows + more_rows, size + more_bytes
            if size > kinds.LARGEST:
                raise too_large(path)
            if rows > kinds.MOST_ROWS:
                raise InputError(
                    f"has more than {kinds.MOST_ROWS:,} rows: bring it in parts", source=path
                )
    except MemoryError:
        raise
    except (pyarrow.ArrowException, OSError):
        return  # whoever reads it next says what is wrong


def _batches(opened: Any, content: bytes) -> Iterator[Any]:
    import pyarrow.ipc

    if content.startswith(ARROW_STREAM):
        yield from pyarrow.ipc.open_stream(opened)
        return
    reader = pyarrow.ipc.open_file(opened)
    for number in range(reader.num_record_batches):
        yield reader.get_batch(number)


def _of_tools(text: str, fields: Fields, source: str) -> Content | None:
    """What a file of another tool says; None where it is none."""
    if text.lstrip().startswith(("{", "[")):
        try:
            content: Any = json.loads(text)
        except (ValueError, RecursionError):
            return None  # lines of JSON, or broken: whoever reads it next says which
        if label_studio.is_export(content):
            return label_studio.of_json(content, fields, source=source)
        if quepid.is_export(content):
            return quepid.of_json(content, source=source)
        if isinstance(content, list):
            raise InputError(
                "is a list that neither Quepid nor Label Studio exports: expected tasks with data "
                "and annotations, or records with annotation_id and annotator",
                source=source,
            )
        return None
    first = first_line(text, comments=False)
    if quepid.is_learning(first):
        return quepid.of_lines(text, source=source)
    for separator in ("\t", ","):
        names = split_columns(first, separator=separator)
        if label_studio.is_header(names):
            return label_studio.of_table(text, fields, separator=separator, source=source)
        if quepid.is_ratings_header(names) or (separator == "," and quepid.is_book_header(names)):
            return quepid.of_table(text, separator=separator, source=source)
    return None


def _of_qrels(path: str, *, assessors: bool) -> Content:
    found = [
        Row(topic, document, f"{grade:.17g}", "" if judge == _NOBODY else judge)
        for judge, topic, document, grade in read_rows({_NOBODY: path}, assessors=assessors)
    ]
    # Below 0 is pooled, and not judged.
    graded = tuple(row for row in found if float(row.grade) >= 0)
    return Content("qrels", graded, len(found) - len(graded))

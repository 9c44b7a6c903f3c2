"""All assessors' grades in one file that says whose each is, in the format of the file's ending.

It reads back: tables by their column of judges, TREC's lines by `cleverdon agree --assessors`.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence

from cleverdon.data import Judgments
from cleverdon.errors import InputError, MissingExtra, OptionError
from cleverdon.judge.labels import Row
from cleverdon.judge.reading import JUDGE
from cleverdon.read.write import format_of, refuse_ids, write_file

_COLUMNS = (JUDGE[0], *Judgments.columns)
_EACH = "a file each, as 'qrels.{}.json'"
_FORMULA = re.compile(r"=|[+@-](?![\w.-]*$)").match


def check_holds_judges(path: str) -> None:
    """Raise an OptionError where the format that this name asks for does not say who judged."""
    if format_of(path) == "json":
        raise OptionError(
            "JSON has no place for who judged: write .txt, .csv or .parquet, the judgments of one "
            f"assessor, or {_EACH}"
        )


def refuse_formulas(texts: Iterable[str], path: str) -> None:
    """Raise an InputError where a spreadsheet that opens this CSV or TSV would compute a text.

    Ids are read back, so they are refused rather than changed. What spreadsheets take for a number
    or a name, such as `-x1`, is harmless and allowed.
    """
    if format_of(path) not in ("csv", "tsv"):
        return
    if found := next(filter(_FORMULA, texts), None):
        raise InputError(
            f"{found!r} is a formula to spreadsheets: write .txt, .parquet or .arrow, which they "
            "do not compute",
            source=path,
        )


def without_formulas(table: str) -> str:
    """A table of CSV for people, its formulas made text by an apostrophe, as spreadsheets do."""
    text = io.StringIO(newline="")
    rows = csv.reader(io.StringIO(table, newline=""))
    csv.writer(text, lineterminator="\n").writerows(
        [f"'{cell}" if _FORMULA(cell) else cell for cell in row] for row in rows
    )
    return text.getvalue()


def write_together(rows: Sequence[Row], path: str) -> str:
    """Write rows of who judged, topic, document and grade; gives where the file says who judged."""
    format = format_of(path)
    if format == "trec":
        write_file(path, "".join(_lines(rows)).encode())
        return "the second column"
    # Readers of tables drop blanks around what is in a cell.
    ids = [id for _, *pair, _ in rows for id in pair]
    refuse_formulas((text for *texts, _ in rows for text in texts), path)
    refuse_ids(r"[\r\n\0]|^\s|\s$", ids, "", remedy=f"write {_EACH}")
    content = _separated(rows, format) if format in ("csv", "tsv") else _table(rows, format)
    write_file(path, content)
    return f"the column {_COLUMNS[0]!r}"


def _lines(rows: Sequence[Row]) -> Iterator[str]:
    """Lines of TREC's format, in which names have no blanks."""
    short = {judge: "_".join(judge.split()) for judge, *_ in rows}
    if len(set(short.values())) < len(short):
        raise InputError(
            "two assessors' names are the same without blanks: write .csv or .parquet, "
            "pseudonyms, or a file each"
        )
    remedy = f"write .csv or .parquet, or {_EACH}"
    for judge, topic, doc, grade in rows:
        refuse_ids(r"[\s\0]|^[#\ufeff]", [topic], "", remedy=remedy)
        refuse_ids(r"[\s\0]", [doc], "", remedy=remedy)
        yield f"{topic} {short[judge]} {doc} {grade:g}\n"


def _separated(rows: Sequence[Row], format: str) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter="," if format == "csv" else "\t", lineterminator="\n")
    writer.writerow(_COLUMNS)
    writer.writerows((judge, topic, doc, f"{grade:g}") for judge, topic, doc, grade in rows)
    return text.getvalue().encode()


def _table(rows: Sequence[Row], format: str) -> bytes:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra(f"writing {format} files", package="pyarrow", extra="tables") from None
    table = pyarrow.table(dict(zip(_COLUMNS, map(list, zip(*rows, strict=True)), strict=True)))
    file = io.BytesIO()
    if format == "parquet":
        pyarrow.parquet.write_table(table, file)
    else:
        with pyarrow.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    return file.getvalue()

"""Text files with a row a line: TREC's formats, MS MARCO's, BEIR's, columns under a header.

Nothing is read here. `Lines` are a file that has been opened and understood; the core either
reads it whole, into a `Run` or `Judgments`, or streams it straight into Hits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import product

from cleverdon import _core
from cleverdon.errors import InputError, OptionError
from cleverdon.formats.columns import (
    RANK,
    NamedColumns,
    choose_columns,
    column_position,
    document_columns,
    first_line,
    hint_for_duplicates,
    is_column_header,
    is_quepid_detailed,
    is_quepid_table,
    likely_separator,
    misplaced_header,
    named_columns,
    split_columns,
    splits_at_tabs,
    without_separator_line,
)


@dataclass(frozen=True)
class Lines:
    """A text file, opened, and how its lines are laid out."""

    source: _core.Source
    layout: _core.Layout
    name: str
    unlisted: tuple[str, ...] = ()
    """Queries of a run that found nothing, and therefore have no line in the file."""
    may_be_ranks: bool = False
    """True if the grades may be ranks: three columns, no header, and no format was named."""
    shape: LineShape | None = None
    is_run: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The names that a header gives its columns."""
        return self.shape.names if self.shape is not None and self.shape.header else ()


@dataclass(frozen=True, kw_only=True)
class LineShape:
    """The layout of a line. Positions count from 0."""

    names: tuple[str, ...]  # the names of the fields of a line
    query: int
    doc: int
    value: int
    kind: str  # the kind of the value: score, rank or grade
    rank: int | None = None
    """Used only by `check`: the rank next to a score, the tag, the second column of qrels."""
    tag: int | None = None
    iteration: int | None = None
    more: bool = False  # further fields are allowed, and ignored
    separator: str | None = None  # None: any run of blanks and tabs
    header: int = 0  # lines above the rows: the names of columns, and Excel's `sep=;`
    quepid: bool = False  # rows may lack their grade
    alone: bool = False  # rows may end behind the query
    comments: bool = True
    decimal: str | None = None  # the decimal sign, where it may be a comma and is known

    @property
    def text(self) -> str:
        """The fields of a line, for messages."""
        return (" " if self.separator is None else ", ").join(self.names)

    def is_like(self, other: LineShape) -> bool:
        """Tell whether the fields are the same, whatever separates them."""
        return replace(self, separator=other.separator) == other

    def layout(self) -> _core.Layout:
        """Return the layout for the core."""
        width = len(self.names)
        return _core.Layout(
            query=self.query,
            doc=self.doc,
            value=self.value,
            kind=self.kind,
            least=width,
            most=None if self.more else width,
            shape=self.text,
            separator=self.separator,
            header=self.header,
            alone=self.alone,
            comments=self.comments,
            decimal=self.decimal,
        )


TREC_RUN = LineShape(
    names=("query", "Q0", "document", "rank", "score", "tag"),
    query=0,
    doc=2,
    value=4,
    kind="score",
    rank=3,
    tag=5,
    more=True,
)
"""TREC run; what follows the tag is ignored."""

TREC_QRELS = LineShape(
    names=("query", "iteration", "document", "grade"),
    query=0,
    doc=2,
    value=3,
    kind="grade",
    iteration=1,
)
"""TREC qrels; the second column is ignored."""

MSMARCO_RUN = LineShape(names=("query", "document", "rank"), query=0, doc=1, value=2, kind="rank")

BEIR_QRELS = LineShape(names=("query", "document", "grade"), query=0, doc=1, value=2, kind="grade")
"""BEIR qrels without their header."""


def line_shape(format: str, *, kind: str, head: str, source: str) -> LineShape:
    """Return the shape of lines of a text format, for runs (score or rank) or judgments (grade)."""
    if format == "beir" and kind != "grade":
        raise OptionError("format='beir' is one of judgments; runs have none of their own")
    if format not in ("trec", "msmarco"):
        named, below = without_separator_line(head)
        header = first_line(below, comments=False)
        separator = named or ("\t" if format in ("beir", "tsv") else likely_separator(header))
        if format != "beir" or is_column_header(split_columns(header, separator=separator)):
            shape = _under_header(below, separator=separator, kind=kind, source=source)
            return shape if named is None else replace(shape, header=shape.header + 1)
    shape = _without_names(format, kind=kind)
    tabs = splits_at_tabs(head, kind=kind, source=source)
    return replace(shape, separator="\t") if tabs else shape


def _without_names(format: str, *, kind: str) -> LineShape:
    if format == "beir":
        return BEIR_QRELS
    if format == "trec" and kind == "rank":
        return replace(TREC_RUN, value=TREC_RUN.names.index("rank"), kind=kind)
    if format in ("trec", "msmarco") and kind == "grade":
        return TREC_QRELS
    if format == "trec":
        return TREC_RUN
    return MSMARCO_RUN


def _first_records(text: str, *, separator: str, count: int = 4) -> list[list[str]]:
    """The first rows of columns, quoted line breaks included; fewer where they are not whole."""
    import csv  # only here: TREC's formats need none
    import io

    found: list[list[str]] = []
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        for cells in reader:
            if any(map(str.strip, cells)):
                found.append([" ".join(cell.split()) for cell in cells])
            if len(found) == count:
                break
    except csv.Error:  # said by the core, with its place
        pass
    return found


def with_format_hint(error: InputError, text: Lines) -> InputError:
    """Add a hint to an error if other judges or systems, or a format never guessed, may be why."""
    first = re.search(r"first on line (\d+)$", error.message)
    if first is not None and text.columns:
        message = error.message + hint_for_duplicates(text.columns)
        return InputError(message, source=error.source, line=error.line, column=error.column)
    if text.columns or text.is_run:
        return error
    if error.line is None or (first is None and not error.message.endswith("more than 4 fields")):
        return error
    lines = text.source.head(2**62).split(b"\n")
    found = lines[error.line - 1].split()
    if first is None:
        # A line like those before it but for a field too many is a slip.
        before = [line for line in lines[: error.line - 1] if line.strip() and line[:1] != b"#"]
        may_be = len(found) == len(TREC_QRELS.names) + 1 and not before
        hint = "where the pool was sampled, the format is 'strata' or 'sampled'"
    else:
        other = lines[int(first[1]) - 1].split()
        wanted = len(TREC_QRELS.names)
        may_be = len(found) == len(other) == wanted and found[1] != other[1]
        hint = "where the second field is a subtopic, the format is 'subtopics'"
    if not may_be:
        return error
    return InputError(
        f"{error.message}; {hint}", source=error.source, line=error.line, column=error.column
    )


def _under_header(head: str, *, separator: str, kind: str, source: str) -> LineShape:
    """Return the columns that a header names; only three of them matter."""
    records = _first_records(head, separator=separator)
    header = first_line(head, comments=False)
    # A quote that opens in the header's last line may not be closed in what was read.
    names = records[0] if records else split_columns(header, separator=separator)
    named = named_columns()
    if named.numbered:
        return _without_header(named, names, separator=separator, kind=kind, source=source)
    if not is_column_header(names):
        below = (line.rstrip("\r") for line in head.split("\n")[1:11])
        rows = [split_columns(line, separator=likely_separator(line)) for line in below]
        misplaced_header(rows, source=source)
    if any(re.fullmatch(_NUMBER, name) for name in names) and not is_column_header(names):
        raise InputError(_no_header(names, kind), source=source, line=1)
    for row, listed in product(records[1:], document_columns(names, kind=kind)):
        if len(row) > listed and re.fullmatch(_LIST, row[listed]):
            message = (
                f"the column {names[listed]!r} has lists, and a cell of CSV holds none; write JSON "
                "Lines or Parquet, or a row for each document"
            )
            raise InputError(message, source=source)
    (query, doc, value), kind = choose_columns(
        names, kind=kind, source=source, sample=lambda: records[1:]
    )
    decimal = _decimal_sign(head, value, source=source) if separator == ";" else None
    return LineShape(
        names=tuple(names),
        query=query,
        doc=doc,
        value=value,
        kind=kind,
        rank=column_position(names, RANK) if kind == "score" else None,
        separator=separator,
        header=1,
        quepid=is_quepid_table(names),
        alone=is_quepid_detailed(names),
        comments=False,
        decimal=decimal,
    )


def _decimal_sign(head: str, value: int, *, source: str) -> str | None:
    """The decimal sign of the numbers that are looked at; None where they have none.

    Raises:
        InputError: Some have a comma and others a point, which may be one of thousands.
    """
    import csv  # only here: TREC's formats need none
    import io

    found: dict[str, tuple[int, str]] = {}
    reader = csv.reader(io.StringIO(head, newline=""), delimiter=";")
    try:
        for cells in reader:
            number = re.fullmatch(r"\s*[+-]?\d*([.,])\d+\s*", cells[value] if cells[value:] else "")
            if number is not None:
                found.setdefault(number[1], (reader.line_num, number[0].strip()))
    except csv.Error:  # said by the core, with its place
        pass
    if len(found) < 2:
        return next(iter(found), None)
    (line, one), (other_line, other) = found.values()
    message = (
        f"is the decimal sign a comma or a point? There is {one} on line {line}, and {other} here; "
        "write all numbers alike"
    )
    raise InputError(message, source=source, line=other_line)


# Compiled where they are needed.
_LIST = r"\[(\s*|['\"].*|\d+\s*,.*)\]"
_NUMBER = r"[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?"


def _without_header(
    named: NamedColumns, first: list[str], *, separator: str, kind: str, source: str
) -> LineShape:
    """Return the columns that the user has numbered, as `--columns query=1,doc=2,grade=3`."""
    numbers = [str(place) for place in range(1, len(first) + 1)]
    if kind != "grade":
        kind = "rank" if "rank" in named.names and "score" not in named.names else kind
    places = [named.position(role, numbers, kind) for role in ("query", "document", kind)]
    lacking = [role for role, at in zip(("query", "doc", kind), places, strict=True) if at is None]
    if lacking:
        asked = ",".join(f"{role}=N" for role in lacking)
        message = f"which of its {len(first)} columns has the {lacking[0]}? Add --columns {asked}"
        raise InputError(message, source=source)
    query, doc, value = (at for at in places if at is not None)
    return LineShape(
        names=tuple(f"column {number}" for number in numbers),
        query=query,
        doc=doc,
        value=value,
        kind=kind,
        separator=separator,
        header=0 if re.fullmatch(_NUMBER, first[value]) else 1,
        comments=False,
    )


def _no_header(first: list[str], kind: str) -> str:
    role = "grade" if kind == "grade" else kind
    return (
        f"the first line names no columns: {', '.join(map(repr, first))}. Which columns have the "
        f"query, the document and the {role}? Answer with --columns query=1,doc=2,{role}=3, in "
        f"Python columns={{'query': 1, 'doc': 2, '{role}': 3}}; or add a header"
    )

"""Writing runs and judgments, in every format that is read.

What was written reads back as the same data. MS MARCO's runs alone keep only the order: they have
ranks and no scores.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path, PurePath
from typing import Any, BinaryIO, NamedTuple, cast

import numpy as np

from cleverdon.data import Judgments, Rows, Run
from cleverdon.errors import InputError, MissingExtra, OptionError, check_word
from cleverdon.read.detect import ANNOTATED, FORMATS

ENDINGS = {
    ".json": "json",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".csv": "csv",
    ".tsv": "tsv",
}
"""The format that a file's ending stands for; every other ending is TREC's."""

PACKED = (".gz", ".bz2", ".xz", ".zst")
"""The endings that compress."""


def write(rows: Rows, path: str | os.PathLike[str], *, format: str | None = None) -> None:
    """Write a run or judgments to a file, or to standard output for `-`.

    The format follows from the name's ending, unless `format` names it; `.gz`, `.bz2`, `.xz` and
    `.zst` behind that compress. What judgments say beside grades is written where `format` names
    one of `subtopics`, `strata` and `sampled`, and nowhere else. Runs are written in the order in
    which they are evaluated. The file appears when it is complete: until then, and after an error,
    what was there before stays.
    """
    path = os.fspath(path)
    format = format or format_of(path)
    check_word("format", format, FORMATS | ANNOTATED)
    if format == "beir" and isinstance(rows, Run):
        raise OptionError("format='beir' is one of judgments; runs have none of their own")
    try:
        with replacing(path) as file, _packing(path, file) as out:
            if format in ("parquet", "arrow"):
                _write_table(rows, out, format=format)
            else:
                for line in _lines(rows, path, format=format):
                    out.write(line.encode())  # zstandard's writer has no writelines
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"cannot be written: {reason}", source=path) from None


def lost_queries(
    rows: Rows, path: str | os.PathLike[str], *, format: str | None = None
) -> str | None:
    """Say which queries such a file cannot hold, since they have no rows; None where none is."""
    empty = rows.empty
    if not empty or (format or format_of(os.fspath(path))) == "json":
        return None
    named = ", ".join(empty[:3]) + (", ..." if len(empty) > 3 else "")
    without = "results" if isinstance(rows, Run) else "judgments"
    count = "1 query" if len(empty) == 1 else f"{len(empty):,} queries"
    return (
        f"{os.fspath(path)}: {count} without {without} ({named}) cannot be written in this format; "
        "JSON keeps them"
    )


def _lines(rows: Rows, path: str, *, format: str) -> Iterator[str]:
    if format in ANNOTATED:
        from cleverdon.read.write_annotated import annotated_lines

        return annotated_lines(rows, path, format=format)
    return _LINES[format](rows, path)


def format_of(path: str) -> str:
    """The format that a file's name asks for.

    >>> format_of("qrels.CSV.gz"), format_of("bm25.run")
    ('csv', 'trec')
    """
    name = PurePath(path.casefold())
    if name.suffix in PACKED:
        name = name.with_suffix("")
    return ENDINGS.get(name.suffix, "trec")


def fractional_grades(judgments: Judgments, path: str, format: str | None = None) -> list[str]:
    """A warning where a TREC file gets grades that are not whole numbers; else no line.

    Cleverdon reads any number back; trec_eval reads the digits before the point and ignores the
    rest.
    """
    if (format or format_of(path)) not in ("trec", *ANNOTATED):
        return []
    grades = np.asarray(judgments.core.grades)
    broken = grades[grades != np.trunc(grades)]
    if not len(broken):
        return []
    return [
        f"warning: {len(broken):,} of {len(grades):,} grades are not whole numbers, such as "
        f"{broken[0]:.4g}: trec_eval reads that as {np.trunc(broken[0]):g}; write whole grades "
        "where trec_eval is to read them"
    ]


@contextmanager
def replacing(path: str) -> Iterator[BinaryIO]:
    """A file that takes the place of `path` once everything is written."""
    if path == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    given = Path(path)
    if given.exists() and not given.is_file() and not given.is_dir():
        with given.open("wb") as device:  # a pipe or a device stays what it is
            yield device
        return
    target = given.resolve()  # behind a link, the file that it leads to
    # In the same folder, since only there the exchange is one step.
    temporary = target.with_name(f".{secrets.token_hex(6)}.cleverdon")
    try:
        with temporary.open("xb") as file:
            if target.exists():  # now, so that nobody reads what is private while it is written
                shutil.copymode(target, temporary)
            yield file
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_file(path: str, content: bytes) -> None:
    """Write a file that appears when it is complete; what was there before stays until then.

    It is compressed where the name's ending asks for it, as `.gz` does.
    """
    try:
        with replacing(path) as file, _packing(path, file) as out:
            out.write(content)
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"cannot be written: {reason}", source=path) from None


def _packing(path: str, file: BinaryIO) -> AbstractContextManager[BinaryIO]:
    """What compresses into `file`, as the ending of `path` asks for it."""
    ending = PurePath(path.casefold()).suffix
    packer: Any
    if ending == ".gz":
        import gzip

        # Neither name nor time, so that the same data give the same file.
        packer = gzip.GzipFile(filename="", fileobj=file, mode="wb", compresslevel=6, mtime=0)
    elif ending == ".bz2":
        import bz2

        packer = bz2.BZ2File(file, "wb")
    elif ending == ".xz":
        import lzma

        packer = lzma.LZMAFile(file, "wb")  # noqa: SIM115 (the caller closes it)
    elif ending == ".zst":
        try:
            import zstandard  # type: ignore[import-not-found, unused-ignore]
        except ImportError:
            raise MissingExtra(f"writing {path}", package="zstandard") from None
        packer = zstandard.ZstdCompressor().stream_writer(file, closefd=False)
    else:
        return nullcontext(file)
    return cast(AbstractContextManager[BinaryIO], packer)


def _ordered(rows: Rows) -> Iterator[tuple[str, list[tuple[str, float]]]]:
    """Every query with its documents: of a run in ranking order, of judgments as they came."""
    for query in rows.queries:
        yield query, rows.ranking(query) if isinstance(rows, Run) else list(rows[query].items())


def number_text(rows: Rows, value: float) -> str:
    """The shortest text that reads back as the same number; whole grades without a point."""
    if isinstance(rows, Judgments) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return repr(value)


class _Forbidden(NamedTuple):
    """What ids must not hold in a format."""

    queries: str
    docs: str


# A line that starts so would be read as a comment, or as a file with a byte order mark.
_BLANKS = _Forbidden(queries=r"[\s\0]|^[#\ufeff]", docs=r"[\s\0]")
_QUOTED = _Forbidden(queries=r'[\n\r\0"]', docs=r'[\n\r\0"]')
_FORBIDDEN = {"trec": _BLANKS, "msmarco": _BLANKS, "csv": _QUOTED, "tsv": _QUOTED, "beir": _QUOTED}


def check_ids(path: str, *, queries: Iterable[str] = (), docs: Iterable[str] = ()) -> None:
    """Raise the InputError that writing such a run to `path` would end with."""
    forbidden = _FORBIDDEN.get(format_of(path))
    if forbidden is not None:
        refuse_ids(forbidden.queries, list(queries), path)
        refuse_ids(forbidden.docs, list(docs), path)


def _blank_separated(rows: Rows, path: str) -> Iterator[tuple[str, str, int, str]]:
    """Every row as query, document, rank and number, for formats without quotes."""
    for query, ranked in _ordered(rows):
        refuse_ids(_BLANKS.queries, [query], path)
        refuse_ids(_BLANKS.docs, [doc for doc, _ in ranked], path)
        for rank, (doc, value) in enumerate(ranked, start=1):
            yield query, doc, rank, number_text(rows, value)


def _trec(rows: Rows, path: str) -> Iterator[str]:
    tag = "_".join(rows.name.split()) or "run"
    is_run = isinstance(rows, Run)
    for query, doc, rank, number in _blank_separated(rows, path):
        if is_run:
            yield f"{query} Q0 {doc} {rank} {number} {tag}\n"
        else:
            yield f"{query} 0 {doc} {number}\n"


def _msmarco(rows: Rows, path: str) -> Iterator[str]:
    is_run = isinstance(rows, Run)
    for query, doc, rank, number in _blank_separated(rows, path):
        yield f"{query}\t{doc}\t{rank}\n" if is_run else f"{query}\t0\t{doc}\t{number}\n"


def _columns(rows: Rows, path: str, *, separator: str, names: Iterable[str] = ()) -> Iterator[str]:
    """Columns under a header; a run's ranks beside its scores."""
    query_id, doc_id, number = names or rows.columns
    is_run = isinstance(rows, Run)
    yield separator.join([query_id, doc_id, *(["rank"] if is_run else []), number]) + "\n"
    for query, ranked in _ordered(rows):
        cells = _cells([query, *(doc for doc, _ in ranked)], path, separator=separator)
        for rank, (doc, (_, value)) in enumerate(zip(cells[1:], ranked, strict=True), start=1):
            numbers = [str(rank)] if is_run else []
            yield separator.join([cells[0], doc, *numbers, number_text(rows, value)]) + "\n"


def _cells(ids: list[str], path: str, *, separator: str) -> list[str]:
    """Ids as they stand in a column, in quotes where they must."""
    refuse_ids(_QUOTED.docs, ids, path)
    quotable = re.compile(f"{separator}|^ | $").search
    return [f'"{text}"' if quotable(text) else text for text in ids]


def _csv(rows: Rows, path: str) -> Iterator[str]:
    return _columns(rows, path, separator=",")


def _tsv(rows: Rows, path: str) -> Iterator[str]:
    return _columns(rows, path, separator="\t")


def _beir(rows: Rows, path: str) -> Iterator[str]:
    return _columns(rows, path, separator="\t", names=("query-id", "corpus-id", "score"))


def _json(rows: Rows, path: str) -> Iterator[str]:
    """A line a query, so that the file can be looked at and compared by lines."""
    mark = "{\n"
    for query, ranked in _ordered(rows):
        pairs = (f"{_quoted(doc)}: {_json_number(rows, value)}" for doc, value in ranked)
        yield f"{mark}{_quoted(query)}: {{{', '.join(pairs)}}}"
        mark = ",\n"
    yield "\n}\n"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _json_number(rows: Rows, value: float) -> str:
    # JSON itself has no infinity; this is the spelling that Python and JavaScript share.
    text = number_text(rows, value)
    return text.replace("inf", "Infinity")


_LINES: dict[str, Callable[[Rows, str], Iterator[str]]] = {
    "trec": _trec,
    "msmarco": _msmarco,
    "beir": _beir,
    "csv": _csv,
    "tsv": _tsv,
    "json": _json,
}


_HOLDS_ANY = "rename the ids, or write .json or .parquet, which hold any text"


def refuse_ids(forbidden: str, ids: list[str], path: str, *, remedy: str = _HOLDS_ANY) -> None:
    """Raise an InputError for the first id that cannot be written in this format."""
    search = re.compile(forbidden).search
    if not any(map(search, ids)):
        return
    found, match = next((text, match) for text in ids if (match := search(text)))
    what = "white space" if match[0].isspace() else f"the character {match[0]!r}"
    where = "starts with" if match.start() == 0 else "holds"
    raise InputError(
        f"the id {found!r} {where} {what}, which would not be read back in this format; {remedy}",
        source=path,
    )


def _write_table(rows: Rows, out: BinaryIO, *, format: str) -> None:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra(f"writing {format} files", package="pyarrow", extra="tables") from None
    queries: list[str] = []
    docs: list[str] = []
    ranks: list[int] = []
    values: list[float] = []
    for query, ranked in _ordered(rows):
        queries.extend([query] * len(ranked))
        docs.extend(doc for doc, _ in ranked)
        ranks.extend(range(1, len(ranked) + 1))
        values.extend(value for _, value in ranked)
    query_id, doc_id, number = rows.columns
    columns: dict[str, Any] = {query_id: queries, doc_id: docs}
    if isinstance(rows, Run):
        columns["rank"] = ranks
    table = pyarrow.table(columns | {number: values})
    if format == "parquet":
        pyarrow.parquet.write_table(table, out)
        return
    with pyarrow.ipc.new_file(out, table.schema) as file:
        file.write_table(table)

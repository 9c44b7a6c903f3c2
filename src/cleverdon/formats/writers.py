"""Writing runs and judgments, in every format that is read.

What was written reads back as the same data. MS MARCO's runs alone keep only the order: they
have ranks and no scores.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path, PurePath
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from cleverdon._common.extras import require
from cleverdon._common.files import PACKED, open_output
from cleverdon._common.text import counted
from cleverdon.data import Judgments, Rows, Run
from cleverdon.errors import InputError, OptionError, check_word
from cleverdon.formats.detection import ANNOTATED, FORMATS, OF_JUDGMENTS

_ENDINGS = {
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".xlsx": "xlsx",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".csv": "csv",
    ".tsv": "tsv",
}
"""The format that a file's ending stands for; every other ending is TREC's."""


def write_rows(rows: Rows, path: str | os.PathLike[str], *, format: str | None = None) -> None:
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
    if format in OF_JUDGMENTS and isinstance(rows, Run):
        raise OptionError(f"format={format!r} is one of judgments; runs have none of their own")
    if format == "dataset":
        _write_dataset(rows, path)
        return
    with open_output(path) as out:
        if format in ("parquet", "arrow"):
            _write_table(rows, out, format=format)
        elif format == "xlsx":
            from cleverdon.formats.spreadsheets import write_sheet_file  # only for such files

            sheet = "run" if isinstance(rows, Run) else "judgments"
            write_sheet_file(_header(rows), _cells_of(rows), out, sheet=sheet, path=path)
        else:
            for line in _lines(rows, path, format=format):
                out.write(line.encode())  # zstandard's writer has no writelines


_NAMES = {
    "beir": ("query-id", "corpus-id", "score"),
    "quepid_csv": ("query", "docid", "rating"),
}
"""The names of columns of formats that have their own."""

_LOSING = ("trec", "msmarco", "beir", "ltr", *ANNOTATED)
"""The formats that have no place for a query without rows."""


def lost_queries(
    rows: Rows, path: str | os.PathLike[str], *, format: str | None = None
) -> str | None:
    """Say which queries such a file cannot hold, since they have no rows; None where none is."""
    empty = rows.empty
    if not empty or (format or format_of(os.fspath(path))) not in _LOSING:
        return None
    named = ", ".join(empty[:3]) + (", ..." if len(empty) > 3 else "")
    without = "results" if isinstance(rows, Run) else "judgments"
    lost = f"{counted(len(empty), 'query')} without {without} ({named})"
    return f"{os.fspath(path)}: {lost} cannot be written in this format; JSON and CSV keep them"


def _lines(rows: Rows, path: str, *, format: str) -> Iterator[str]:
    if format in ANNOTATED:
        from cleverdon.formats.annotated_qrels import annotated_lines  # only for such files

        return annotated_lines(rows, path, format=format)
    if format in ("quepid", "opensearch", "rank_eval", "ltr"):
        from cleverdon.formats.ratings import rating_lines  # only for such files

        if format == "ltr":
            for query, ranked in _ordered(rows):
                refuse_ids(_BLANKS.queries, [query], path)
                refuse_ids(_BLANKS.docs, [doc for doc, _ in ranked], path)
        rated = ((query, dict(ranked)) for query, ranked in _ordered(rows))
        return rating_lines(rated, rows.name, format=format)
    return _LINES[format](rows, path)


def format_of(path: str) -> str:
    """Return the format that a file's name asks for.

    >>> format_of("qrels.CSV.gz"), format_of("bm25.run")
    ('csv', 'trec')
    """
    name = PurePath(path.casefold())
    if name.suffix in PACKED:
        name = name.with_suffix("")
    return _ENDINGS.get(name.suffix, "trec")


def fractional_grades(judgments: Judgments, path: str, format: str | None = None) -> list[str]:
    """Return a warning where a TREC file gets grades that are not whole numbers; else no line.

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


def _ordered(rows: Rows) -> Iterator[tuple[str, list[tuple[str, float]]]]:
    """Yield every query with its documents: a run's in ranking order, judgments as they came."""
    for query in rows.queries:
        yield query, rows.ranking(query) if isinstance(rows, Run) else list(rows[query].items())


def number_text(rows: Rows, value: float) -> str:
    """Return the shortest text that reads back as the same number; whole grades without a point."""
    if isinstance(rows, Judgments) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return repr(value)


class _Forbidden(NamedTuple):
    queries: str
    docs: str


# A line that starts so would be read as a comment, or as a file with a byte order mark.
_BLANKS = _Forbidden(queries=r"[\s\0]|^[#\ufeff]", docs=r"[\s\0]")
_UNQUOTED = _Forbidden(queries=r'[\n\r\0"]', docs=r'[\n\r\0"]')
_QUOTED = _Forbidden(queries=r"\0", docs=r"\0")
_TABBED = _Forbidden(queries=r"[\n\r\0]", docs=r"[\n\r\0]")
_FORBIDDEN = {
    "trec": _BLANKS,
    "msmarco": _BLANKS,
    "ltr": _BLANKS,
    "csv": _QUOTED,
    "tsv": _TABBED,
    "beir": _UNQUOTED,
}


def preserving_format(rows: Rows, path: str) -> str:
    """The format that a file's name asks for, or CSV where TREC's would not keep the ids."""
    format = format_of(path)
    if format != "trec":
        return format
    try:
        for query, ranked in _ordered(rows):
            refuse_ids(_BLANKS.queries, [query], path)
            refuse_ids(_BLANKS.docs, [doc for doc, _ in ranked], path)
    except InputError:
        return "csv"
    return format


def check_ids(path: str, *, queries: Iterable[str] = (), docs: Iterable[str] = ()) -> None:
    """Raise the InputError that writing such a run to `path` would end with.

    Ids that TREC's format cannot hold are written as CSV: see `preserving_format`.
    """
    format = format_of(path)
    forbidden = _FORBIDDEN.get("csv" if format == "trec" else format)
    if forbidden is not None:
        refuse_ids(forbidden.queries, list(queries), path)
        refuse_ids(forbidden.docs, list(docs), path)


def _blank_separated(rows: Rows, path: str) -> Iterator[tuple[str, str, int, str]]:
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


def _columns(rows: Rows, path: str, *, separator: str, format: str = "") -> Iterator[str]:
    is_run = isinstance(rows, Run)
    header = _NAMES.get(format) or _header(rows)
    yield separator.join(header) + "\n"
    for query, ranked in _ordered(rows):
        if not ranked and format not in _LOSING:
            alone = _cells([query], path, separator)[0]
            yield f"{alone}{separator * (len(header) - 1)}\n"
        cells = _cells(
            [query, *(doc for doc, _ in ranked)], path, separator, bare=format in _LOSING
        )
        for rank, (doc, (_, value)) in enumerate(zip(cells[1:], ranked, strict=True), start=1):
            numbers = [str(rank)] if is_run else []
            yield separator.join([cells[0], doc, *numbers, number_text(rows, value)]) + "\n"


def _cells(ids: list[str], path: str, separator: str, *, bare: bool = False) -> list[str]:
    """Ids as cells, in quotes where needed; `bare` is for tools that know no doubled quotes."""
    forbidden = _UNQUOTED if bare else _FORBIDDEN["csv" if separator == "," else "tsv"]
    refuse_ids(forbidden.docs, ids, path)
    quotable = re.compile(f'[{separator}"\\r\\n]|^ | $').search
    return ['"' + text.replace('"', '""') + '"' if quotable(text) else text for text in ids]


def _header(rows: Rows) -> list[str]:
    """The names of the columns of a table; a run has ranks as well."""
    query_id, doc_id, number = rows.columns
    return [query_id, doc_id, *(["rank"] if isinstance(rows, Run) else []), number]


def _cells_of(rows: Rows) -> Iterator[list[Any]]:
    """The rows of a table; a query without rows stands alone in one."""
    is_run = isinstance(rows, Run)
    for query, ranked in _ordered(rows):
        if not ranked:
            yield [query, None, *([None] if is_run else []), None]
        for rank, (doc, value) in enumerate(ranked, start=1):
            yield [query, doc, *([rank] if is_run else []), value]


def _json_lines(rows: Rows, path: str) -> Iterator[str]:
    """Write an object for each row; a query without rows has no document."""
    names = [_quoted(name) for name in _header(rows)]
    for query, doc, *ranks, value in _cells_of(rows):
        cells = [_quoted(query)]
        if doc is not None:
            number = number_text(rows, value).replace("inf", "Infinity")
            cells += [_quoted(doc), *map(str, ranks), number]
        pairs = zip(names, cells, strict=False)
        yield f"{{{', '.join(f'{name}: {cell}' for name, cell in pairs)}}}\n"


def _json_list(rows: Rows, path: str) -> Iterator[str]:
    """Write the same objects as one list."""
    mark = "[\n"
    for line in _json_lines(rows, path):
        yield mark + line.removesuffix("\n")
        mark = ",\n"
    yield "\n]\n"


def _json(rows: Rows, path: str) -> Iterator[str]:
    """Write a line for each query, so that files can be compared by lines."""
    mark = "{\n"
    for query, ranked in _ordered(rows):
        # JSON itself has no infinity; this is the spelling that Python and JavaScript share.
        numbers = [number_text(rows, value).replace("inf", "Infinity") for _, value in ranked]
        pairs = (f"{_quoted(doc)}: {n}" for (doc, _), n in zip(ranked, numbers, strict=True))
        yield f"{mark}{_quoted(query)}: {{{', '.join(pairs)}}}"
        mark = ",\n"
    yield "\n}\n"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


_LINES: dict[str, Callable[[Rows, str], Iterator[str]]] = {
    "trec": _trec,
    "msmarco": _msmarco,
    "beir": partial(_columns, separator="\t", format="beir"),
    "csv": partial(_columns, separator=","),
    "quepid_csv": partial(_columns, separator=",", format="quepid_csv"),
    "tsv": partial(_columns, separator="\t"),
    "json": _json,
    "json_list": _json_list,
    "jsonl": _json_lines,
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
    pyarrow = require("pyarrow", f"writing {format} files", extra="tables")
    require("pyarrow.parquet", f"writing {format} files", extra="tables")
    table = arrow_table(rows)
    if format == "parquet":
        pyarrow.parquet.write_table(table, out)
        return
    with pyarrow.ipc.new_file(out, table.schema) as file:
        file.write_table(table)


def arrow_table(rows: Rows) -> Any:
    """A pyarrow table of all rows; a query without any has a row without a document."""
    pyarrow = require("pyarrow", "Arrow tables", extra="tables")
    names = _header(rows)
    types = [pyarrow.string(), pyarrow.string(), pyarrow.int64(), pyarrow.float64()]
    if len(names) == 3:
        del types[2]
    columns: list[list[Any]] = [[] for _ in names]
    for cells in _cells_of(rows):
        for column, cell in zip(columns, cells, strict=True):
            column.append(cell)
    arrays = [pyarrow.array(cells, type) for cells, type in zip(columns, types, strict=True)]
    return pyarrow.table(dict(zip(names, arrays, strict=True)))


def _write_dataset(rows: Rows, path: str) -> None:
    """Write a folder as `Dataset.save_to_disk` does, for `load_from_disk`."""
    pyarrow = require("pyarrow", "writing datasets", extra="tables")
    require("pyarrow.ipc", "writing datasets", extra="tables")
    if path == "-":
        raise OptionError("a dataset is a folder, and cannot be written to standard output")
    table = arrow_table(rows)
    features = {
        field.name: {
            "dtype": {"double": "float64"}.get(str(field.type), str(field.type)),
            "_type": "Value",
        }
        for field in table.schema
    }
    file = "data-00000-of-00001.arrow"
    state: dict[str, Any] = {
        "_data_files": [{"filename": file}],
        "_fingerprint": f"{abs(hash((rows.name, len(rows)))):016x}"[:16],
        "_format_columns": None,
        "_format_kwargs": {},
        "_format_type": None,
        "_output_all_columns": False,
        "_split": None,
    }
    info = {"citation": "", "description": "", "features": features, "homepage": "", "license": ""}
    folder = Path(path)
    if folder.exists() and not folder.is_dir():
        raise InputError("is a file, and a dataset is a folder", source=path)
    folder.mkdir(parents=True, exist_ok=True)
    marked = {b"huggingface": json.dumps({"info": {"features": features}}).encode()}
    table = table.replace_schema_metadata(marked)
    with (
        open_output(str(folder / file)) as out,
        pyarrow.ipc.new_stream(out, table.schema) as stream,
    ):
        stream.write_table(table)
    for name, content in (("dataset_info.json", info), ("state.json", state)):
        with open_output(str(folder / name)) as out:
            out.write(json.dumps(content, indent=2).encode())

"""Arrow tables, and Parquet and Arrow files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cleverdon import _core
from cleverdon._common.extras import importing, require
from cleverdon.errors import InputError
from cleverdon.formats.detection import ARROW, ARROW_STREAM, PARQUET, choose_columns


def from_arrow(table: Any, *, kind: str, duplicates: str, source: str = "") -> _core.Table:
    """Read rows of a polars, pandas, pyarrow, duckdb or other table, by its column names."""
    names = _names(table)
    (query, doc, value), kind = choose_columns(names, kind=kind, source=source or _described(table))
    columns = (names[query], names[doc], names[value])
    try:
        if _has_objects(table, columns):
            queries, docs = (table[name].to_numpy(dtype=object, copy=True) for name in columns[:2])
            values = table[columns[2]].to_numpy(dtype="float64", copy=True)  # in one piece
            return _core.Table.from_columns(queries, docs, values, kind, duplicates)
        # pandas hands its columns over through pyarrow.
        with importing("reading a pandas data frame", package="pyarrow", extra="tables"):
            return _core.Table.from_arrow(table, columns, kind, duplicates)
    except InputError as error:
        raise InputError(error.message, source=source or _described(table)) from None
    except (TypeError, ValueError) as error:
        # Arrow's own complaint, as of a damaged file: the first line says it.
        message = f"cannot be read: {str(error).partition(chr(10))[0]}"
        raise InputError(message, source=source or _described(table)) from None


def _has_objects(table: Any, columns: tuple[str, str, str]) -> bool:
    """Tell whether a pandas frame holds ids as objects, which pyarrow converts slowly."""
    if type(table).__module__.partition(".")[0] != "pandas" or not table.columns.is_unique:
        return False
    *ids, values = (table[name].dtype for name in columns)
    return values.kind in "iuf" and "object" in map(str, ids)


def from_file(
    path: str, source: _core.Source, *, format: str, kind: str, duplicates: str
) -> _core.Table:
    """Read rows of a Parquet or Arrow file."""
    table = load_table(_file(path, source), format=format, name=source.name)
    return from_arrow(table, kind=kind, duplicates=duplicates, source=source.name)


def names_in_file(path: str, source: _core.Source, *, format: str) -> list[str]:
    """Return the names of the columns of a Parquet or Arrow file."""
    return _names(load_table(_file(path, source), format=format, name=source.name))


def _file(path: str, source: _core.Source) -> str | bytes:
    """Return the path of a file that can be mapped, or the bytes of a pipe or packed file."""
    return path if is_uncompressed(path) else source.head(2**62)


def is_uncompressed(path: str) -> bool:
    if path == "-" or not Path(path).is_file():
        return False
    with Path(path).open("rb") as file:
        return file.read(4) in (PARQUET, ARROW[:4], ARROW_STREAM)


def load_table(file: str | bytes, *, format: str, name: str) -> Any:
    try:
        import pyarrow
    except ImportError:
        return _load_by_polars(file, format=format, name=name)
    try:
        opened = pyarrow.memory_map(file) if isinstance(file, str) else pyarrow.BufferReader(file)
        table = _read(opened, format=format)
        # Damaged offsets would otherwise be followed out of the file by whoever reads the columns.
        table.validate(full=True)
        _names(table)
    except MemoryError:  # one of Arrow's own errors as well
        raise
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(f"is not a readable {format} file: {error}", source=name) from None
    return table


def _read(opened: Any, *, format: str) -> Any:
    import pyarrow.ipc
    import pyarrow.parquet

    if format == "parquet":
        return pyarrow.parquet.read_table(opened)
    is_stream = opened.read(4) == ARROW_STREAM
    opened.seek(0)
    reader = pyarrow.ipc.open_stream(opened) if is_stream else pyarrow.ipc.open_file(opened)
    return reader.read_all()


def _load_by_polars(file: str | bytes, *, format: str, name: str) -> Any:
    polars = require("polars", f"reading {format} files", package="pyarrow", extra="tables")
    try:
        return polars.read_parquet(file) if format == "parquet" else polars.read_ipc(file)
    except (polars.exceptions.PolarsError, OSError) as error:
        raise InputError(f"is not a readable {format} file: {error}", source=name) from None


def _names(table: Any) -> list[str]:
    columns = getattr(table, "columns", None)
    # In pandas, polars and duckdb they are the names, in pyarrow the data.
    if columns is not None and all(isinstance(name, (str, int)) for name in columns):
        return [str(name) for name in columns]
    schema = getattr(table, "schema", None)
    names = getattr(schema, "names", None)
    if callable(names):
        names = names()
    if names is None:
        raise InputError(
            "the table does not tell the names of its columns", source=_described(table)
        )
    return [str(name) for name in names]


def _described(table: Any) -> str:
    return f"{type(table).__module__.partition('.')[0]} {type(table).__name__}"

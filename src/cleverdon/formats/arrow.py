"""Arrow tables, and Parquet and Arrow files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cleverdon import _core
from cleverdon._common.extras import importing, require
from cleverdon.errors import InputError
from cleverdon.formats import ARROW, ARROW_STREAM, PARQUET
from cleverdon.formats.columns import (
    choose_columns,
    document_columns,
    grade_column,
    has_query_column,
    query_index,
)


def from_arrow(
    table: Any, *, kind: str, duplicates: str, source: str = ""
) -> tuple[_core.Table, list[str]]:
    """Rows of a polars, pandas, pyarrow, duckdb or other table, and queries that have none.

    Columns are found by their names. One of them may hold lists of documents, and the index of a
    pandas frame may be the query.
    """
    from cleverdon.formats.mappings import (  # only for tables in memory
        empty_lists,
        from_mapping,
        from_records,
    )

    source = source or _described(table)
    if _is_pandas(table) and type(table).__name__ == "Series":
        if table.index.nlevels == 1:
            try:
                docs = _by_query(table)
                return from_mapping(docs, kind=kind, duplicates=duplicates), empty_lists(docs)
            except InputError as error:
                raise InputError(error.message, source=source) from None
        table = _as_frame(table, kind=kind, source=source)
    table = _with_index(as_arrow(table, source))
    names = _names(table)
    if kind == "grade":
        _check_labels(table, names, source=source)
    if any(_needs_records(table, names[doc]) for doc in document_columns(names, kind=kind)):
        records = _records(table)
        return from_records(records, kind=kind, duplicates=duplicates, source=source)
    (query, doc, value), kind = choose_columns(
        names, kind=kind, source=source, sample=lambda: _first_rows(table, names)
    )
    columns = (names[query], names[doc], names[value])
    try:
        if _has_objects(table, columns):
            queries, docs = (table[name].to_numpy(dtype=object, copy=True) for name in columns[:2])
            values = table[columns[2]].to_numpy(dtype="float64", copy=True)  # in one piece
            return _core.Table.from_columns(queries, docs, values, kind, duplicates), []
        # pandas hands its columns over through pyarrow.
        with importing("reading a pandas data frame", package="pyarrow", extra="tables"):
            return _core.Table.from_arrow(table, columns, kind, duplicates), []
    except InputError as error:
        raise InputError(error.message, source=source) from None
    except (TypeError, ValueError) as error:
        # Arrow's own complaint, as of a damaged file: the first line says it.
        message = f"cannot be read: {str(error).partition(chr(10))[0]}"
        raise InputError(message, source=source) from None


def as_arrow(table: Any, source: str) -> Any:
    """A dataset of Hugging Face's as an Arrow table; any other table as it is."""
    if type(table).__module__.partition(".")[0] != "datasets":
        return table
    if hasattr(table, "keys"):  # a DatasetDict
        splits = list(table.keys())
        if len(splits) != 1:
            message = f"which split is meant: {', '.join(splits)}? Give dataset[{splits[0]!r}]"
            raise InputError(message, source=source or _described(table))
        table = table[splits[0]]
    if not hasattr(table, "with_format") or not hasattr(table, "__len__"):
        raise InputError(
            "a streamed dataset cannot be read as a table; load it without streaming=True, or give "
            "its rows: list(dataset)",
            source=source or _described(table),
        )
    return table.with_format("arrow")[:]


def _by_query(series: Any) -> dict[Any, Any]:
    """The documents of each query, of a pandas series whose index is the query."""
    if not series.index.is_unique:
        twice = series.index[series.index.duplicated()][0]
        raise InputError(f"query {str(twice)!r} occurs twice in the index; collect its documents")
    return dict(zip(series.index.tolist(), series.tolist(), strict=True))


def _as_frame(series: Any, *, kind: str, source: str) -> Any:
    """A pandas series of numbers, whose index has queries and documents, as a frame."""
    levels = list(series.index.names)
    if len(levels) != 2:
        message = f"expected an index of queries and documents, found {len(levels)} levels"
        raise InputError(message, source=source)
    if levels == [None, None]:
        levels = ["query_id", "doc_id"]
    return series.rename(kind).rename_axis(levels).reset_index()


def _with_index(table: Any) -> Any:
    """A pandas frame whose query is its index, with that as a column."""
    if not _is_pandas(table):
        return table
    index, columns = table.index, _names(table)
    levels = [str(name) for name in index.names if name is not None]
    if has_query_column(columns):
        if set(levels) & set(columns) or not query_index(columns, levels):
            return table
        return table.reset_index()
    if type(index).__name__ == "RangeIndex" and index.name is None:
        return table
    unnamed = index.nlevels == 1 and not levels
    if not unnamed and not has_query_column(levels) and len(levels) != 1:
        return table
    return table.reset_index(names="query_id" if index.nlevels == 1 else None)


def _check_labels(table: Any, names: list[str], *, source: str) -> None:
    """Refuse codes of labels as grades: a dataset of Hugging Face's knows their names."""
    value = grade_column(names)
    known = getattr(getattr(table, "schema", None), "metadata", None) or {}
    if value is None or b"huggingface" not in known:
        return
    import json  # only for datasets

    try:
        feature = json.loads(known[b"huggingface"])["info"]["features"][names[value]]
        labels = feature.get("feature", feature).get("names")
        given = [str(label) for label in labels or ()]
    except (ValueError, KeyError, TypeError, AttributeError):
        return
    if given == [str(code) for code in range(len(given))]:
        return
    listed = ", ".join(f"{code} is {label!r}" for code, label in enumerate(given))
    grades = ", ".join(f"{code}: GRADE" for code in range(len(given)))
    column = names[value]
    raise InputError(
        f"column {column!r} holds codes of labels and no grades: {listed}. Give each its grade: "
        f"dataset.map(lambda row: {{'grade': {{{grades}}}[row[{column!r}]]}}, "
        f"remove_columns={column!r})",
        source=source,
    )


def _is_pandas(table: Any) -> bool:
    return type(table).__module__.partition(".")[0] == "pandas"


def _needs_records(table: Any, doc: str) -> bool:
    """Tell whether documents are lists, or are missing where a query has none."""
    from cleverdon.formats.mappings import is_list  # only for tables in memory

    column = _column(table, doc)
    if column is None or len(column) == 0:
        return False
    nulls = getattr(column, "null_count", None)
    count = nulls() if callable(nulls) else nulls
    if count is None:
        count = int(column.isna().sum())
    if count:
        return True
    first = column[0]
    return is_list(first.as_py() if hasattr(first, "as_py") else first)


def _column(table: Any, name: str) -> Any:
    if _is_pandas(table):
        return table[name].reset_index(drop=True) if table.columns.is_unique else None
    if hasattr(table, "get_column"):  # polars
        return table.get_column(name) if hasattr(table, "height") else None
    if hasattr(table, "column_names"):  # pyarrow
        return table.column(name) if table.column_names.count(name) == 1 else None
    return None


def _records(table: Any) -> list[dict[str, Any]]:
    if _is_pandas(table):
        found: list[dict[str, Any]] = table.to_dict("records")
        return found
    return list(table.to_dicts() if hasattr(table, "to_dicts") else table.to_pylist())


def _first_rows(table: Any, names: list[str]) -> list[list[Any]]:
    """The first rows, for messages; none where the table is of a library that is not known."""
    if not (_is_pandas(table) or hasattr(table, "to_dicts") or hasattr(table, "to_pylist")):
        return []
    if not hasattr(table, "head") and not hasattr(table, "slice"):
        return []
    top = table.head(3) if hasattr(table, "head") else table.slice(0, 3)
    return [[row.get(name) for name in names] for row in _records(top)]


def _has_objects(table: Any, columns: tuple[str, str, str]) -> bool:
    """Tell whether a pandas frame holds ids as objects, which pyarrow converts slowly."""
    if not _is_pandas(table) or not table.columns.is_unique:
        return False
    *ids, values = (table[name].dtype for name in columns)
    return values.kind in "biuf" and "object" in map(str, ids)


def from_file(
    path: str, source: _core.Source, *, format: str, kind: str, duplicates: str
) -> tuple[_core.Table, list[str]]:
    """Rows of a Parquet or Arrow file, and queries that have none."""
    table = _whole(path, source, format=format)
    return from_arrow(table, kind=kind, duplicates=duplicates, source=source.name)


def records_of_file(path: str, source: _core.Source, *, format: str) -> list[dict[str, Any]]:
    """The rows of a Parquet or Arrow file as dicts."""
    return _records(_whole(path, source, format=format))


def _whole(path: str, source: _core.Source, *, format: str) -> Any:
    table = load_table(_file(path, source), format=format, name=source.name)
    return _with_shards(table, path, source.name) if format == "arrow" else table


def _with_shards(table: Any, path: str, name: str) -> Any:
    """The table with those of a dataset's other files, where it is the first of several."""
    state = Path(path).with_name("state.json")
    if path == "-" or not state.is_file():
        return table
    import json  # only for datasets

    import pyarrow

    try:
        files = [each["filename"] for each in json.loads(state.read_bytes())["_data_files"]]
    except (ValueError, KeyError, TypeError):
        return table
    if len(files) < 2 or files[0] != Path(path).name:
        return table
    others = [str(state.with_name(file)) for file in files[1:]]
    parts = [load_table(other, format="arrow", name=other) for other in others]
    return pyarrow.concat_tables([table, *parts])


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

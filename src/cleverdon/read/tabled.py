"""Texts in tables: anything that speaks Arrow, and Parquet and Arrow files, batch by batch."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from cleverdon.errors import InputError, MissingExtra
from cleverdon.read.delimited import places_of
from cleverdon.read.records import FURTHER, Keep, Record, Records, id_of, plain
from cleverdon.read.table import load


def from_table(table: Any, *, source: str, keep: Keep) -> Records:
    """Records of a polars, pandas, pyarrow, duckdb or other table, by the names of its columns."""
    pyarrow = _pyarrow()
    reader = pyarrow.RecordBatchReader.from_stream(table)
    return _from_batches(reader.schema.names, reader, source=source, keep=keep)


def from_table_file(file: str | bytes, *, format: str, source: str, keep: Keep) -> Records:
    """Records of a Parquet or Arrow file: its path, or its bytes where it comes through a pipe."""
    if format == "arrow":
        # It is mapped, so that only what is looked at comes into memory.
        yield from from_table(load(file, format=format, name=source), source=source, keep=keep)
        return
    pyarrow, parquet = _pyarrow(), _pyarrow("parquet")

    try:
        opened = pyarrow.memory_map(file) if isinstance(file, str) else pyarrow.BufferReader(file)
        table = parquet.ParquetFile(opened)
        names = table.schema_arrow.names
        columns = [names[at] for at in places_of(names, source=source) if at is not None]
        columns += [name for name in _further(names) if name not in columns]
        batches = table.iter_batches(columns=columns)
        yield from _from_batches(columns, batches, source=source, keep=keep)
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"is not a readable {format} file: {error}", source=source) from None


def _from_batches(names: list[str], batches: Iterable[Any], *, source: str, keep: Keep) -> Records:
    id, title, text = places_of(names, source=source)
    further = {name: names.index(name) for name in _further(names)}
    for batch in batches:
        batch.validate(full=True)  # damaged offsets lead out of the file
        for row, value in enumerate(batch.column(id).to_pylist()):
            found = id_of(value, source=source)
            if keep(found):
                cells = [
                    "" if at is None else batch.column(at)[row].as_py() for at in (title, text)
                ]
                fields = {name: batch.column(at)[row].as_py() for name, at in further.items()}
                yield Record(found, plain(cells[0]), plain(cells[1]), 0, fields)


def _further(names: list[str]) -> list[str]:
    return [name for name in names if name.strip().casefold() in FURTHER]


def _pyarrow(part: str = "") -> Any:
    try:
        return import_module("pyarrow" + (part and f".{part}"))
    except ImportError:
        raise MissingExtra("reading texts of tables", package="pyarrow", extra="tables") from None

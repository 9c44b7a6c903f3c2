"""Small tables that are made here, and are needed where the log lies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import ibis


def uploaded(connection: Any, columns: Mapping[str, Sequence[Any]]) -> ibis.Table:
    """A table of these columns on the connection's engine."""
    import ibis
    import pyarrow as pa

    table = pa.table(dict(columns))
    if connection.name != "pyspark":
        return ibis.memtable(table)
    # Ibis does not bring its own tables along when it caches on Spark. Rows, and not a data frame
    # of pandas, in which a null would become NaN.
    name = ibis.util.gen_name("cleverdon")
    kinds = ", ".join(
        f"{field.name} {'bigint' if pa.types.is_integer(field.type) else _kind(field.type)}"
        for field in table.schema
    )
    rows = [tuple(row.values()) for row in table.to_pylist()]
    connection._session.createDataFrame(rows, schema=kinds).createOrReplaceTempView(name)
    return connection.table(name)


def _kind(kind: Any) -> str:
    import pyarrow as pa

    return "double" if pa.types.is_floating(kind) else "string"

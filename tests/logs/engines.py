"""The engines that the same metrics are run on, and how a small log gets there."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cleverdon.logs.log import EVENTS, QUERIES, Log, conform
from tests.postgres import DATABASE, USER, server

_TYPES = {"string": pa.string(), "int64": pa.int64(), "float64": pa.float64()}


def as_log(
    connection: Any,
    folder: Path,
    queries: list[dict[str, Any]],
    events: list[dict[str, Any]],
    *,
    segments: tuple[str, ...] = (),
) -> Log:
    """The records as a log on that engine, which reads them from Parquet."""
    tables = []
    for name, records, columns in (("queries", queries, QUERIES), ("events", events, EVENTS)):
        kinds = {**columns, **(dict.fromkeys(segments, "string") if name == "queries" else {})}
        schema = pa.schema([(column, _TYPES[kind]) for column, kind in kinds.items()])
        rows = [{column: record.get(column) for column in kinds} for record in records]
        path = folder / f"{name}.parquet"
        pq.write_table(pa.Table.from_pylist(rows, schema=schema), path)
        if connection.name in ("duckdb", "pyspark"):
            raw = connection.read_parquet(str(path))
        else:
            raw = connection.create_table(ibis.util.gen_name(name), pq.read_table(path), temp=True)
        tables.append(conform(raw, kinds))
    return Log(tables[0], tables[1], segments=segments)


_SPARK = {
    "spark.sql.session.timeZone": "UTC",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # Tables are tiny: to compile a query would take far longer than to run it.
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


@contextmanager
def spark() -> Iterator[Any]:
    """A real Spark on this machine; the zone is UTC, as it has to be for every log."""
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java 17, and there is no java on the path")
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").appName("cleverdon")
    for name, value in _SPARK.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    try:
        session.sparkContext.setLogLevel("ERROR")
        yield ibis.pyspark.connect(session)
    finally:
        session.stop()


@contextmanager
def postgres() -> Iterator[Any]:
    """A real PostgreSQL, reached by a socket."""
    with server() as host:
        connection = ibis.postgres.connect(host=str(host), user=USER, database=DATABASE)
        yield connection
        connection.disconnect()

"""Expressions, small tables and scripts that work on every SQL engine.

Loads Ibis only when something is called: the command line imports this module through `bots`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import ibis
    from ibis import Table

    from cleverdon.logs.session_tables import SessionTables


def zero_or_one(condition: Any) -> Any:
    """Return 1 where a condition holds, and 0 where it does not or is null."""
    import ibis

    # Not by a cast: PostgreSQL cannot cast a boolean to every integer type.
    return ibis.ifelse(condition, 1, 0)


def row_number(**window: Any) -> Any:
    """Number the rows of a window from 0, as a 64-bit number."""
    import ibis

    # Spark numbers rows in 32 bits, so that products overflow. Ibis takes them for 64 bits and
    # leaves out a cast to int64; the cast to float64, exact below 2**53, forces it.
    return ibis.row_number().over(**window).cast("float64").cast("int64")


def quotient(above: Any, below: Any) -> Any:
    # Some engines divide whole numbers without a remainder.
    return above.cast("float64") / below.cast("float64")


_PERMILLE = 1000
"""Percentiles differ by at least a thousandth, so ranks can be compared as whole numbers."""


def percentile_label(percentile: float) -> str:
    return f"p{percentile:g}"


def percentiles(
    table: Table, value: Any, which: Sequence[float], *, by: Sequence[Any] = ()
) -> Table:
    """Return percentiles by nearest rank for each group, and `n`, the values that are not null."""
    import ibis

    # By counting, because engines interpolate, approximate or round ranks differently.
    names = [column.get_name() for column in by]
    values = table.select(*by, value=value)
    values = values.filter(values.value.notnull())
    upwards = ibis.window(group_by=names, order_by="value", preceding=None, following=0)
    together = ibis.window(group_by=names)
    if names:
        # Groups are small: to put them in order is faster than to count equal values first.
        place = row_number(group_by=names, order_by="value")
        ranked = values.mutate(n=1, below=place + 1, all=values.count().over(together))
    else:
        counts = values.group_by("value").agg(n=values.count())
        ranked = counts.mutate(
            below=counts.n.sum().over(upwards), all=counts.n.sum().over(together)
        )
    found = {
        percentile_label(percentile): ranked.value.min(
            where=ranked.below * (100 * _PERMILLE) >= ranked["all"] * round(percentile * _PERMILLE)
        )
        for percentile in which
    }
    return ranked.agg(by=names, n=ranked.n.sum(), **found)


def upload(connection: Any, columns: Mapping[str, Sequence[Any]]) -> ibis.Table:
    import ibis
    import pyarrow as pa

    table = pa.table(dict(columns))
    if connection.name != "pyspark":
        return ibis.memtable(table)
    # Ibis does not upload its in-memory tables when it caches on Spark. Rows, not a pandas data
    # frame, in which a null would become NaN.
    name = ibis.util.gen_name("cleverdon")

    def kind(of: Any) -> str:
        if pa.types.is_integer(of):
            return "bigint"
        return "double" if pa.types.is_floating(of) else "string"

    kinds = ", ".join(f"{field.name} {kind(field.type)}" for field in table.schema)
    rows = [tuple(row.values()) for row in table.to_pylist()]
    connection._session.createDataFrame(rows, schema=kinds).createOrReplaceTempView(name)
    return connection.table(name)


def engine_function(name: str, kinds: Sequence[Any], result: str) -> Any:
    """Return a function of the engine's own, of one or two values."""
    import ibis

    def of_one(value: Any) -> Any: ...

    def of_two(first: Any, second: Any) -> Any: ...

    stub = of_one if len(kinds) == 1 else of_two
    return ibis.udf.scalar.builtin(stub, name=name, signature=(tuple(kinds), result))


def has_zone(stamp: Any, backend: str) -> bool:
    """Tell whether timestamps are instants, and not local times."""
    if backend != "pyspark":
        return bool(stamp.type().timezone is not None)
    # Ibis has one type for both of Spark's.
    kind = engine_function("typeof", [stamp.type()], "string")(stamp)
    found = kind.name("kind").as_table().limit(1).to_pyarrow()["kind"].to_pylist()
    return bool(found != ["timestamp_ntz"])


_IBIS_NAME = r"ibis_(?:\w+_)?(cached|memtable|[a-z]+)_[a-z0-9]{26}"
_GENERATED_NAME = re.compile(rf"(?:[\"`]\w+[\"`]\.)*([\"`]){_IBIS_NAME}\1|\b{_IBIS_NAME}\b")


def sql_script(tables: SessionTables, asked: Mapping[str, Table]) -> dict[str, str]:
    """Write queries as SQL of the engine by purpose: those that make tables come first."""
    import ibis

    texts = {name: ibis.to_sql(table) for name, table in asked.items()}
    known = {made: name for name, made in tables.kept_as.items()}
    sources = _source_views(tables.log.backend, " ".join(texts.values()))

    def renamed(found: re.Match[str]) -> str:
        quote, name = found[1] or "", found[0].rpartition(".")[2].strip('"`')
        kind = found[2] or found[3]
        short = {"memtable": "forms"}.get(kind, kind)
        return f"{quote}{known.setdefault(name, f'{short}_{len(known) + 1}')}{quote}"

    def of(name: str, text: str) -> str:
        made = f"CREATE TEMP TABLE {name} AS\n" if name in tables.kept_as else ""
        return made + _GENERATED_NAME.sub(renamed, text)

    readable = {name: of(name, text) for name, text in {**sources, **texts}.items()}
    forms = [name for name in known.values() if name.startswith("forms_")]
    more = {
        f"texts that are compared in another form ({name})": _QUERY_FORMS.format(name)
        for name in forms
    }
    return {**more, **readable}


def script_text(queries: Mapping[str, str]) -> str:
    return "\n".join(f"-- {name}\n{text};\n" for name, text in queries.items())


_QUERY_FORMS = """\
-- Filled by Python, which decides what is the same query; empty, texts are compared as written.
CREATE TEMP TABLE {} (text VARCHAR, form VARCHAR)"""


def _source_views(backend: Any, text: str) -> dict[str, str]:
    if backend.name != "duckdb":
        return {}
    views = backend.raw_sql("SELECT view_name, sql FROM duckdb_views() WHERE NOT internal")
    found = [sql for name, sql in views.fetchall() if sql and name in text]
    found.sort(key=lambda sql: sql.partition(" AS ")[2])  # their names differ each time
    return {
        f"files ({number})": sql.rstrip().removesuffix(";")
        for number, sql in enumerate(found, start=1)
    }

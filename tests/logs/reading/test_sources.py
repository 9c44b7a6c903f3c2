"""The same log from every kind of file, from folders and from databases."""

from __future__ import annotations

import csv
import gzip
import json
import sys
from datetime import UTC, datetime, timedelta

import duckdb
import ibis
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleverdon.errors import InputError, MissingExtra, OptionError
from cleverdon.logs.compute import measure_log
from cleverdon.logs.reading.locations import _connect, _without_secrets
from cleverdon.logs.reading.reader import read_log
from tests.logs.reading.rows import AT, rows, written

ASKED = [
    {"query_id": "a", "time": AT, "text": "x", "results": 3, "user": "u", "country": "fr"},
    {"query_id": "b", "time": AT + 1000, "text": "y", "results": 0, "user": "u", "country": "es"},
]
DONE = [{"query_id": "a", "time": AT + 500, "action": "click", "doc": "d", "position": 2}]


def jsonl(records):
    return [json.dumps(record) for record in records]


def check(log):
    assert rows(log.queries) == ASKED
    assert rows(log.events) == DONE
    assert log.segments == ("country",)
    assert log.has("queries.user", "events.doc")
    assert not log.has("queries.variant")


def test_folder_of_part_files(tmp_path):
    written(tmp_path / "queries-1.jsonl", *jsonl(ASKED[:1]))
    with gzip.open(tmp_path / "queries-2.jsonl.gz", "wt") as out:
        out.write(jsonl(ASKED[1:])[0])
    (tmp_path / "events").mkdir()
    pq.write_table(pa.Table.from_pylist(DONE), tmp_path / "events" / "part-0.parquet")
    written(tmp_path / "README.md", "not a log")
    check(read_log(tmp_path))


def test_files_whose_names_say_nothing(tmp_path):
    one = written(tmp_path / "one.json", json.dumps(ASKED))
    two = written(tmp_path / "two.tsv", "\t".join(DONE[0]), "\t".join(map(str, DONE[0].values())))
    check(read_log(one, two))
    check(read_log(str(two), one))


@pytest.mark.parametrize("form", ["lists", "pandas", "polars", "pyarrow"])
def test_tables_in_memory(form):
    """They are read as files are: times in any form, segments, formats by their columns."""
    make = {
        "lists": lambda records: records,
        "pandas": pd.DataFrame,
        "polars": pl.DataFrame,
        "pyarrow": pa.Table.from_pylist,
    }[form]
    check(read_log(make(ASKED), make(DONE)))
    hour = datetime.fromtimestamp(AT / 1000, UTC)
    timed = [{**row, "time": hour + timedelta(milliseconds=row["time"] - AT)} for row in ASKED]
    check(read_log(make(timed), make(DONE)))
    ubi = [{"query_id": "a", "timestamp": hour, "user_query": "x", "client_id": "u"}]
    assert rows(read_log(make(ubi)).queries)[0]["text"] == "x"
    mapped = {"queries": {"query_id": "id", "time": "at", "text": "words"}}
    assert (
        len(rows(read_log(make([{"id": 1, "at": AT, "words": "x"}]), mapping=mapped).queries)) == 1
    )


def test_tables_in_memory_that_cannot_be_read():
    log = read_log([{"query_id": "a", "time": 0, "text": "x"}], [])
    assert [(one.reason, one.count) for one in log.aside] == [("an impossible time", 1)]
    with pytest.raises(InputError, match=r"no search; .* not be used: an impossible time \(1\)"):
        measure_log(log)
    for tables, problem in (
        ([[{"id": "q1", "query": "x"}]], "format of this log is not known .columns: id, query"),
        ([[]], "the table of queries is empty"),
        ([[{"query_id": 1}, {"query_id": "b"}]], "'query_id' has values of several types"),
        ([[{"query_id": "a", "time": AT}], 5], "'int' cannot be read as a log: give files, or"),
        ([ASKED, DONE, DONE], "found 3"),
    ):
        with pytest.raises((InputError, OptionError), match=problem):
            read_log(*tables)
    with pytest.raises(OptionError, match="name the tables of a database: leave them out"):
        read_log(ASKED, queries="searches")


def test_semicolons(tmp_path):
    lines = [";".join(ASKED[0]), *(";".join(map(str, row.values())) for row in ASKED)]
    log = read_log(written(tmp_path / "queries.csv", *lines))
    assert rows(log.queries) == ASKED


@pytest.fixture
def database(tmp_path):
    file = tmp_path / "log.duckdb"
    with duckdb.connect(str(file)) as connection:
        for name, table in (("queries", ASKED), ("events", DONE)):
            arrow = pa.Table.from_pylist(table)  # noqa: F841 - DuckDB sees it by its name
            connection.execute(f"CREATE TABLE {name} AS SELECT * FROM arrow")
            connection.execute(f"CREATE TABLE {name}_2 AS SELECT * FROM arrow")
    return file


def test_duckdb_file(database):
    check(read_log(database))
    check(read_log(database, queries="queries_2", events="events_2"))
    check(read_log(f"duckdb://{database}", queries="main.queries_2", events="events_2"))


def test_connection_that_is_there(database):
    connection = ibis.duckdb.connect(str(database), read_only=True)
    log = read_log(connection=connection)
    check(log)
    assert log.source == "duckdb tables"
    assert log.backend is connection


def test_one_table_of_a_database(database):
    log = read_log(database, queries="queries_2")
    assert rows(log.queries) == ASKED
    assert rows(log.events) == []


def test_a_table_that_does_not_exist(database):
    with pytest.raises(InputError, match=r"no table 'querys'; did you mean 'queries'\?"):
        read_log(database, queries="querys")
    with pytest.raises(InputError, match=r"no table 'main.evnts'; did you mean 'events'\?"):
        read_log(database, queries="queries", events="main.evnts")
    with pytest.raises(InputError, match=r"no table 'nowhere.queries'$"):
        read_log(database, queries="nowhere.queries")


def test_tables_have_to_be_named_where_none_is_called_so(tmp_path):
    file = tmp_path / "x.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute("CREATE TABLE searches (a INT)")
    with pytest.raises(InputError, match="there are: searches"):
        read_log(file)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgres://me:secret@host:5432/logs?sslkey=secret", "postgres://host:5432/logs"),
        ("postgres://me:se/cret@host/logs", "postgres://host/logs"),
        ("clickhouse://me:secret@host", "clickhouse://host"),
        ("bigquery://project/dataset?credentials=secret", "bigquery://project/dataset"),
        ("duckdb:///tmp/x.duckdb", "duckdb:///tmp/x.duckdb"),
        ("duckdb:///home/me@work/x.duckdb?read_only=True", "duckdb:///home/me@work/x.duckdb"),
    ],
)
def test_secrets_are_not_in_names(url, shown):
    assert _without_secrets(url) == shown


@pytest.mark.parametrize(
    "failure",
    [
        RuntimeError("cannot reach postgres://me:s3cr%40t@host/db"),
        RuntimeError("password authentication failed for user me with s3cr@t"),
        RuntimeError("connection string: host=host password=s3cr@t dbname=db"),
    ],
)
def test_secrets_are_not_in_errors(monkeypatch, failure):
    def fail(url):
        raise failure

    monkeypatch.setattr(ibis, "connect", fail)
    with pytest.raises(InputError) as error:
        _connect("postgres://me:s3cr%40t@host/db?token=t0ken")
    told = str(error.value)
    assert told.startswith("postgres://host/db: cannot connect: ")
    assert not any(secret in told for secret in ("s3cr", "t0ken"))
    assert error.value.__cause__ is None
    assert error.value.__suppress_context__


@pytest.mark.parametrize(
    ("url", "message", "told"),
    [
        ("postgres://u:secret@host/db", "Connection refused: is it running?", None),
        ("postgres://u:s@host/db", "no password supplied", None),
        ("postgres://u:s@host/db", "at postgres://u:s@host/db", "at postgres://***@host/db"),
        ("postgres://u@host/db?sslmode=require", "the server requires TLS", None),
        ("trino://host/db?auth_token=t0k3n", "bad t0k3n", "bad ***"),
        (
            "duckdb://md:x?motherduck_token=abc",
            "motherduck_token=abc is bad",
            "motherduck_token=*** is bad",
        ),
    ],
)
def test_only_secrets_are_taken_out_of_errors(monkeypatch, url, message, told):
    def fail(url):
        raise RuntimeError(message)

    monkeypatch.setattr(ibis, "connect", fail)
    with pytest.raises(InputError) as error:
        _connect(url)
    assert str(error.value).endswith(f"cannot connect: {told or message}")


def test_paths_of_files_are_no_secrets(tmp_path):
    folder = tmp_path / "a:b@c"
    folder.mkdir()
    file = folder / "q.parquet"
    file.write_bytes(b"PAR1 and no more")
    with pytest.raises(InputError) as error:
        read_log(file)
    assert "***" not in str(error.value)


def test_a_missing_driver_is_one_line(monkeypatch):
    def fail(url):
        raise ModuleNotFoundError("No module named 'psycopg'", name="psycopg")

    monkeypatch.setattr(ibis, "connect", fail)
    with pytest.raises(MissingExtra) as error:
        _connect("postgres://me:secret@host/db")
    assert str(error.value) == (
        "connecting to postgres://host/db needs psycopg, which is not installed: "
        "pip install psycopg"
    )


def test_a_missing_extra_is_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "ibis", None)
    with pytest.raises(MissingExtra, match=r"pip install 'cleverdon\[logs\]'"):
        read_log("x")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([], "no log was given"),
        (["nowhere.jsonl"], "there is no such file or folder"),
        (["duckdb://a", "duckdb://b"], "give a connection string and no other source"),
    ],
)
def test_what_cannot_be_a_log(given, told):
    with pytest.raises((InputError, OptionError), match=told):
        read_log(*given)


def test_an_empty_folder(tmp_path):
    with pytest.raises(InputError, match="no files to read"):
        read_log(tmp_path)


def test_tables_of_files(tmp_path):
    file = written(tmp_path / "q.jsonl", *jsonl(ASKED))
    with pytest.raises(OptionError, match="files have none"):
        read_log(file, queries="q")


WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=["C", "Z"], exclude_characters='"\\'),
    min_size=1,
    max_size=6,
)
RECORDS = st.lists(
    st.fixed_dictionaries(
        {"query_id": WORDS, "time": st.integers(2**40 - 9, 2**41) | st.integers(0, 2**62)},
        optional={
            "user": WORDS,
            "text": WORDS | st.just('say "hello, world"; a\\b'),
            "page": st.integers(1, 9),
            "results": st.integers(-1, 10**6),
            "latency_ms": st.floats(0, 1e6).map(lambda value: round(value, 3)),
            "device": WORDS,
        },
    ),
    min_size=1,
    max_size=60,
)


@settings(max_examples=4)  # with many rows each: most of the time goes into the queries' text
@given(RECORDS)
def test_every_kind_of_file_gives_the_same_log(tmp_path_factory, records):
    folder = tmp_path_factory.mktemp("log")
    names = ["query_id", "time", "user", "text", "page", "results", "latency_ms", "device"]
    written(folder / "q.jsonl", *jsonl(records))
    full = [{name: record.get(name) for name in names} for record in records]
    kinds = {"time": pa.int64(), "page": pa.int64(), "results": pa.int64()}
    kinds |= {"latency_ms": pa.float64()}
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in names])
    pq.write_table(pa.Table.from_pylist(full, schema=schema), folder / "q.parquet")
    with (folder / "q.csv").open("w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(full)
    logs = [read_log(folder / f"q.{kind}") for kind in ("jsonl", "parquet", "csv")]
    read = [
        (
            rows(log.queries),
            {one.reason: one.count for one in log.aside},
            {name for name in log.lacks if name.startswith("queries")},
        )
        for log in logs
    ]
    assert read[0] == read[1] == read[2]

"""Evaluation in SQL engines has the bits of one in memory, and refuses what it cannot order."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
import pytest
from ibis.expr import operations as ops

from cleverdon import Measure, Scores, collection_facts, evaluate, parse
from cleverdon.errors import InputError, OptionError
from cleverdon.profiles import PROFILES
from cleverdon.scale.sql import Table, _without_secrets
from tests import postgres
from tests.commands import run_here
from tests.differential.collections import DOCUMENTS, WIDE_SCORES
from tests.test_merging import COMPOSED, EVERY, NEEDS, Nested, bits, made, needs, of_need

_FEW = "nDCG@10 AP(rel=2) ERR RBP P@5 Hole@3 RelString PSP@3 Bpref RR"
FEW = list(map(parse, _FEW.split()))
SETTINGS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "ascending": {"ties": "ascending", "keep": 3, "missing": "skip"},
    "input": {"ties": "input", "undefined": "skip", "keep": 2},
    "worst": {"ties": "worst", "no_relevant": "skip"},
    "single": {"precision": "single", "own_document": "drop", "keep": 4},
    "drop": {"unreturned": "drop", "ties": "best"},
    "best": {"duplicates": "best"},
}


class Case:
    """Judgments, and a run as a dict and as columns, with all that makes orders differ."""

    def __init__(self, seed: int) -> None:
        chance = random.Random(seed)
        docs = [*DOCUMENTS, *(f"d{number}" for number in range(20)), "q1", "q3"]
        self.collection = made(seed)
        self.qrels: Nested = {}
        for query in self.collection.grades:
            judged = chance.sample(docs, chance.randint(1, 12))
            self.qrels[query] = {doc: chance.choice([-1, 0, 1, 1, 2, 3]) for doc in judged}
        self.run: Nested = {}
        for query in [*self.qrels, "extra 2", "extra 1", "日"]:
            if query == "q0" or chance.random() < 0.8:
                found = chance.sample(docs, chance.randint(1, 15))
                self.run[query] = {
                    doc: chance.choice([*WIDE_SCORES, 1e-50, 7e-46, 16777217.0]) for doc in found
                }
        self.run["q2"] = {"q2": 1.0}  # nothing is left where a query's own document is dropped

    @property
    def columns(self) -> pa.Table:
        return columns_of(self.run)


def columns_of(run: Nested, value: str = "score") -> pa.Table:
    rows = [(query, doc, number) for query, found in run.items() for doc, number in found.items()]
    queries, docs, numbers = zip(*rows, strict=True)
    return pa.table(
        {
            "query_id": queries,
            "doc_id": docs,
            value: pa.array(numbers, pa.float64()),
            "input_order": range(len(rows)),
        }
    )


def assert_same(found: Scores, expected: Scores) -> None:
    assert found.queries == expected.queries
    for m, measure in enumerate(expected.measures):
        assert np.array_equal(bits(found.values[:, m]), bits(expected.values[:, m])), measure
    assert np.array_equal(found.evaluated, expected.evaluated)
    assert np.array_equal(bits(found.means), bits(expected.means))
    assert (found.texts, found.top) == (expected.texts, expected.top)
    for system, run in expected.about.runs.items():
        there = vars(found.about.runs[system]) | {"source": "", "digest": ""}
        here = vars(run) | {"source": "", "digest": ""}
        there["extra_names"], here["extra_names"] = (
            sorted(names["extra_names"]) for names in (there, here)
        )
        assert there == here


@pytest.fixture(scope="module")
def duckdb() -> Iterator[Any]:
    connection = ibis.duckdb.connect()
    yield connection
    connection.disconnect()


def in_duckdb(connection: Any, columns: pa.Table, name: str = "run") -> Any:
    return connection.create_table(name, columns, overwrite=True)


# DuckDB


@pytest.mark.parametrize("name", SETTINGS)
def test_every_measure_by_all_settings(name: str, duckdb: Any) -> None:
    case, changes = Case(len(name)), SETTINGS[name]
    wanted = [*of_need(None), *of_need("positives")]
    expected = evaluate(case.qrels, {"run": case.run}, wanted, docs=500, **changes)
    run = in_duckdb(duckdb, case.columns)
    assert_same(evaluate(case.qrels, {"run": run}, wanted, docs=500, **changes), expected)


@pytest.mark.parametrize("need", [need for need in NEEDS if need not in (None, "positives")])
def test_measures_of_more_than_grades(need: str, duckdb: Any) -> None:
    whole, wanted = made(3), of_need(need)
    second = {"second": whole.second} if need == "second" else {}
    judgments, given = whole.judgments(need), {q: d for q, d in whole.runs["bm25"].items() if d}
    expected = evaluate(judgments, {"bm25": given}, wanted, **second)
    run = in_duckdb(duckdb, columns_of(given))
    assert_same(evaluate(judgments, {"bm25": run}, wanted, **second), expected)


def test_expected_values_over_ties(duckdb: Any) -> None:
    case = Case(5)
    wanted = "nDCG@5 AP P@3 RR ERR@4"
    expected = evaluate(case.qrels, {"run": case.run}, wanted, ties="expected")
    run = in_duckdb(duckdb, case.columns)
    assert_same(evaluate(case.qrels, {"run": run}, wanted, ties="expected"), expected)


@pytest.mark.parametrize("name", PROFILES)
def test_profiles(name: str, duckdb: Any) -> None:
    profile, case = PROFILES[name], Case(7)
    subtopics = profile.qrels_format == "subtopics"
    ranks = profile.settings.order_by == "rank"
    judgments: Any = case.collection.judgments("subtopics") if subtopics else case.qrels
    given = {query: docs for query, docs in case.run.items() if docs}
    if ranks:
        given = {
            query: {doc: float(rank) for rank, doc in enumerate(docs, start=1)}
            for query, docs in given.items()
        }
    columns = columns_of(given, "rank" if ranks else "score")
    expected = evaluate(judgments, {"run": columns}, profile=name)
    run = in_duckdb(duckdb, columns)
    assert_same(evaluate(judgments, {"run": run}, profile=name), expected)


@pytest.mark.parametrize("duplicates", ["first", "best", "keep", "once"])
@pytest.mark.parametrize("ties", ["descending", "input"])
def test_duplicates(duplicates: str, ties: str, duckdb: Any) -> None:
    case, chance = Case(9), random.Random(1)
    rows = case.columns.to_pylist()
    rows += [{**row, "score": chance.choice([-9.0, 0.5, 2000.0])} for row in rows[::3]]
    rows = [{**row, "input_order": at} for at, row in enumerate(rows)]
    columns = pa.Table.from_pylist(rows)
    how: dict[str, Any] = {"duplicates": duplicates, "ties": ties, "keep": 3}
    wanted = [m for m in FEW if not m.uses_other_queries] + [parse("Hole@5")]
    expected = evaluate(case.qrels, {"run": columns}, wanted, **how)
    run = in_duckdb(duckdb, columns)
    assert_same(evaluate(case.qrels, {"run": run}, wanted, **how), expected)


def test_judgments_in_the_engine_and_parts(duckdb: Any) -> None:
    case = Case(2)
    expected = evaluate(case.qrels, {"run": case.run}, FEW)
    qrels = in_duckdb(duckdb, columns_of(case.qrels, "relevance"), "qrels")
    run = in_duckdb(duckdb, case.columns)
    assert_same(evaluate(qrels, run, FEW), expected)
    facts = collection_facts(case.qrels, FEW)
    halves = [sorted(case.qrels)[at::2] for at in range(2)]
    parts = [
        evaluate({q: case.qrels[q] for q in half}, {"run": run}, FEW, collection=facts)
        for half in halves
    ]
    merged = Scores.merge(parts)
    assert np.array_equal(bits(merged.values), bits(expected.values))


def test_several_runs_and_ids_that_are_numbers(duckdb: Any) -> None:
    qrels = {"1": {"10": 1, "2": 2}, "2": {"3": 1}}
    runs = {"old": {"1": {"10": 1.0, "9": 1.0}}, "new": {"1": {"2": 1}, "2": {"3": 2, "4": 2}}}
    expected = evaluate(qrels, runs, "AP P@1")
    tables = []
    for name, run in runs.items():
        rows = [(int(q), int(d), float(s)) for q, docs in run.items() for d, s in docs.items()]
        queries, docs, scores = zip(*rows, strict=True)
        columns = pa.table({"qid": queries, "docid": docs, "score": pa.array(scores, pa.float32())})
        tables.append(in_duckdb(duckdb, columns, name))
    found = evaluate(qrels, tables, "AP P@1")
    assert found.systems == ("old", "new")
    assert np.array_equal(bits(found.values), bits(expected.values))
    mixed = evaluate(qrels, {"old": tables[0], "new": runs["new"]}, "AP P@1")
    assert np.array_equal(bits(mixed.values), bits(expected.values))


def test_bounds_and_columns_by_name(duckdb: Any) -> None:
    case = Case(4)
    columns = case.columns.rename_columns(["Frage", "Treffer", "Zahl", "input_order"])
    run = in_duckdb(duckdb, columns)
    names = {"query": "Frage", "doc": "Treffer", "score": "Zahl"}
    expected = evaluate(case.qrels, {"run": case.run}, "P@5 AP", bounds=True)
    found = evaluate(case.qrels, {"run": run}, "P@5 AP", bounds=True, columns=names)
    assert found.to_record()["bounds"] == expected.to_record()["bounds"]


# Addresses


def test_addresses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case(6)
    monkeypatch.chdir(tmp_path)
    connection = ibis.duckdb.connect("x.db")
    connection.create_table("qrels", columns_of(case.qrels, "relevance"))
    connection.create_table("bm25", case.columns)
    connection.to_parquet(connection.table("bm25"), "dense.parquet")
    connection.disconnect()
    expected = evaluate(case.qrels, {"bm25": case.run}, FEW)
    found = evaluate("duckdb:///x.db#qrels", "duckdb:///x.db#bm25", FEW)
    assert_same(found, expected)
    assert found.about.qrels == "duckdb:///x.db#qrels"
    assert found.about.runs["bm25"].source == "duckdb:///x.db#bm25"
    absolute = f"duckdb:///{tmp_path}/x.db"
    found = evaluate(f"{absolute}#qrels", [f"{absolute}#bm25"], FEW)
    assert_same(found, expected)
    parquet = f"duckdb://?memory_limit=1GB#{tmp_path}/dense.parquet"
    shown = run_here(
        ["eval", "duckdb:///x.db#qrels", "duckdb:///x.db#bm25", parquet, "-m", "RR", "-f", "csv"],
        tmp_path,
    )
    value = repr(float(expected.mean("bm25", "RR")))
    assert shown.stdout == f"system,RR\nbm25,{value}\ndense,{value}\n"


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ("duckdb:///x.db#bm52", "duckdb:///x.db: there is no table 'bm52'; did you mean 'bm25'?"),
        ("duckdb:///none.db#bm25", "duckdb:///none.db: IO Error: Cannot open database"),
        ("duckdb://#none.parquet", "duckdb://: IO Error: No files found"),
        ("mysqlx://me:secret@host/db#run", "mysqlx://host/db: "),
    ],
)
def test_wrong_addresses(
    run: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    connection = ibis.duckdb.connect("x.db")
    connection.create_table("bm25", Case(1).columns)
    connection.disconnect()
    with pytest.raises(InputError) as raised:
        evaluate({"q1": {"a": 1}}, run, "AP")
    assert str(raised.value).startswith(message)
    assert "secret" not in str(raised.value)
    assert "\n" not in str(raised.value)


def test_addresses_have_no_secrets_in_messages() -> None:
    assert _without_secrets("postgres://me:p@ss@host/db?sslkey=x") == "postgres://host/db"


# Refusals


def rows(**changes: Any) -> pa.Table:
    columns = {
        "query_id": pa.array(["q1", "q1", "q2"]),
        "doc_id": pa.array(["a", "b", "a"]),
        "score": pa.array([1.0, 2.0, 3.0]),
    }
    return pa.table(columns | changes)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            rows(score=pa.array([1.0, None, 3.0])),
            "run: document 'b' of query 'q1' has no score: it is NULL or NaN",
        ),
        (
            rows(score=pa.array([1.0, 2.0, math.nan])),
            "run: document 'a' of query 'q2' has no score: it is NULL or NaN",
        ),
        (
            rows(doc_id=pa.array(["a", None, "b"])),
            "run: query 'q1' has a row without a document (NULL)",
        ),
        (rows(query_id=pa.array(["q1", None, "q2"])), "run: a row has no query (NULL)"),
        (
            rows(doc_id=pa.array(["b", "b", "b"])),
            "run: document 'b' occurs twice for query 'q1'; duplicates='best' keeps the one with "
            "the higher score",
        ),
        (
            rows(doc_id=pa.array([1.5, 2.5, 3.5])),
            "run: column 'doc_id' is of type float64; ids are text or whole numbers",
        ),
        (
            rows(score=pa.array(["1", "2", "3"])),
            "run: column 'score' is of type string; a score is a number",
        ),
        (
            rows(query_id=pa.array(["x", "y", "z"])),
            "run: no query of it has judgments: it has 'x', the judgments have 'q1'; are these the "
            "right tables, in the right order?",
        ),
        (
            rows().slice(0, 0),
            "run: no query of it has judgments: it has no rows; the judgments have 'q1'; are these "
            "the right tables, in the right order?",
        ),
    ],
)
def test_wrong_rows(columns: pa.Table, message: str, duckdb: Any) -> None:
    run = in_duckdb(duckdb, columns)
    with pytest.raises(InputError) as raised:
        evaluate({"q1": {"a": 1}, "q2": {"a": 1}}, run, "AP")
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("grade", "message"),
    [
        (
            pa.array([1.0, math.nan, 0.0]),
            "the grade for document 'b' of query 'q1' is not a number that can be ordered",
        ),
        (
            pa.array([1.0, None, 0.0]),
            "column \"relevance\" is empty (null) for document 'b' of query 'q1'",
        ),
        (pa.array(["a", "b", "c"]), 'column "relevance" holds Utf8, which is not a number'),
    ],
)
def test_bad_grades(grade: Any, message: str, duckdb: Any) -> None:
    columns = rows().rename_columns(["query_id", "doc_id", "relevance"])
    qrels = in_duckdb(duckdb, columns.set_column(2, "relevance", grade), "qrels")
    with pytest.raises(InputError) as raised:
        evaluate(qrels, in_duckdb(duckdb, rows()), "AP")
    assert str(raised.value) == f"qrels: {message}"


def test_judgments_that_occur_twice(duckdb: Any) -> None:
    columns = rows(doc_id=pa.array(["b", "b", "b"])).rename_columns(["query", "doc", "grade"])
    with pytest.raises(InputError, match="document 'b' occurs twice for query 'q1'"):
        evaluate(in_duckdb(duckdb, columns, "qrels"), in_duckdb(duckdb, rows()), "AP")


def test_the_order_of_the_input_needs_a_column(duckdb: Any) -> None:
    run = in_duckdb(duckdb, rows())
    for how in ({"ties": "input"}, {"duplicates": "first"}):
        with pytest.raises(OptionError, match="needs the order of the input, and a table has none"):
            evaluate({"q1": {"a": 1}}, run, "AP", **how)


def test_another_collation_is_refused() -> None:
    connection = ibis.duckdb.connect()
    connection.raw_sql("SET default_collation = 'nocase'")
    run = in_duckdb(connection, rows())
    with pytest.raises(InputError, match="run: sorts text by a collation, and not by its bytes"):
        evaluate({"q1": {"a": 1}}, run, "AP")


def test_an_engine_whose_order_is_unknown_is_refused() -> None:
    connection = ibis.polars.connect()
    run = connection.create_table("run", rows())
    with pytest.raises(InputError, match="is a table of polars, whose order of ids is not known"):
        evaluate({"q1": {"a": 1}}, run, "AP")


# Other engines


@pytest.fixture(scope="module")
def server() -> Iterator[Path]:
    with postgres.server() as host:
        yield host


@pytest.mark.parametrize("name", SETTINGS)
def test_postgresql(name: str, server: Path) -> None:
    case, changes = Case(11), SETTINGS[name]
    expected = evaluate(case.qrels, {"run": case.run}, FEW, **changes)
    url = postgres.empty_database(server)
    connection = ibis.connect(url)
    # A collation that sorts as people do, and not by bytes.
    connection.raw_sql(
        'CREATE TABLE run (query_id text, doc_id text COLLATE "und-x-icu", '
        "score double precision, input_order bigint)"
    ).close()
    connection.insert("run", case.columns)
    found = evaluate(case.qrels, {"run": connection.table("run")}, FEW, **changes)
    assert_same(found, expected)
    if not changes:
        there = evaluate(case.qrels, f"{url}#run", FEW)
        assert np.array_equal(bits(there.values), bits(expected.values))
        wrong = connection.create_table("wrong", rows(score=pa.array([1.0, math.nan, 2.0])))
        with pytest.raises(InputError, match="document 'b' of query 'q1' has no score"):
            evaluate({"q1": {"a": 1}}, wrong, "AP")
    connection.disconnect()


class Chdb:
    """ClickHouse within this process, with what evaluation asks of a connection of Ibis."""

    name = "clickhouse"

    def __init__(self) -> None:
        session = pytest.importorskip("chdb.session", reason="chdb, ClickHouse itself, is missing")
        self.session = session.Session()
        self.session.query("SET join_use_nulls = 1")  # as Ibis sets it
        self.tables: set[str] = set()

    def add(self, name: str, columns: pa.Table) -> None:
        if name not in self.tables:
            self.session.query(f'DROP TABLE IF EXISTS "{name}"')
            globals()["_held"] = columns  # where chdb looks for it
            self.session.query(
                f'CREATE TABLE "{name}" ENGINE = Memory AS SELECT * FROM Python(_held)'
            )
            self.tables.add(name)

    def to_pyarrow(self, expression: Any) -> pa.Table:
        for table in expression.op().find(ops.InMemoryTable):
            self.add(table.name, table.data.to_pyarrow(table.schema))
        return self.session.query(str(ibis.to_sql(expression, dialect="clickhouse")), "ArrowTable")


@pytest.mark.parametrize("name", SETTINGS)
def test_clickhouse(name: str) -> None:
    case, changes = Case(12), SETTINGS[name]
    expected = evaluate(case.qrels, {"run": case.run}, FEW, **changes)
    engine = Chdb()
    engine.add("run", case.columns)
    rows = ibis.table(ibis.memtable(case.columns).schema(), name="run")
    found = evaluate(case.qrels, {"run": Table(rows, "run", backend=engine)}, FEW, **changes)
    assert_same(found, expected)


class Compiled:
    """DuckDB, which notes that others can compile what it is asked."""

    def __init__(self, connection: Any, name: str) -> None:
        self.connection = connection
        self.name = name
        self.compiled: list[str] = []

    def to_pyarrow(self, expression: Any) -> pa.Table:
        self.compiled.append(str(ibis.to_sql(expression, dialect=self.name)))
        return self.connection.to_pyarrow(expression)


@pytest.mark.parametrize("engine", ["bigquery", "snowflake", "trino"])
def test_other_engines_by_compilation(engine: str, duckdb: Any) -> None:
    case = Case(13)
    for changes in SETTINGS.values():
        expected = evaluate(case.qrels, {"run": case.run}, FEW, **changes)
        backend = Compiled(duckdb, engine)
        run = Table(in_duckdb(duckdb, case.columns), "run", backend=backend)
        assert_same(evaluate(case.qrels, {"run": run}, FEW, **changes), expected)
        assert any("ROW_NUMBER()" in text for text in backend.compiled)


def test_the_measures_are_all() -> None:
    assert {needs(measure) for measure in EVERY} == set(NEEDS)
    assert COMPOSED
    assert all(isinstance(measure, Measure) for measure in FEW)

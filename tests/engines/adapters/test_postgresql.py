from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.engines.adapters.postgresql import PostgreSQL
from cleverdon.engines.configuration import open_engine
from cleverdon.engines.protocol import Document, Results, SearchFailure
from cleverdon.errors import CleverdonError, InputError, MissingExtra, OptionError
from tests.engines.adapters.local_searches import found
from tests.postgres import DATABASE, USER, server

_ARRAY = "'{1,1,1,1}'::real[]"


@pytest.fixture(scope="module")
def host() -> Iterator[str]:
    with server() as host:
        yield f"host={host} user={USER} dbname={DATABASE} password=s3cret"


@pytest.fixture(scope="module")
def filled(host: str, documents: tuple[Document, ...]) -> str:
    """A connection to where the documents are indexed."""
    PostgreSQL(connection=host).index(documents)
    return host


@pytest.fixture
def database(host: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(host, autocommit=True) as connection:
        yield connection


def directly(host: str, tsquery: str, *, rank: str = f"ts_rank({_ARRAY}", k: int = 10) -> Results:
    """What PostgreSQL itself says, of a vector that it computes anew."""
    vector = (
        "(setweight(to_tsvector('english', title), 'A')"
        " || setweight(to_tsvector('english', text), 'B'))"
    )
    sql = f"""
        SELECT id, {rank}, {vector}, q)::float8 AS score FROM documents, {tsquery} AS q
        WHERE {vector} @@ q ORDER BY score DESC, id COLLATE "C" DESC LIMIT {k}
    """
    with psycopg.connect(host) as connection:
        return connection.execute(sql.encode()).fetchall()


def test_it_ranks_as_postgresql_does(filled: str, topics: dict[str, str]) -> None:
    answers = found(PostgreSQL(connection=filled), *topics.values(), k=20)
    for query, results in zip(topics.values(), answers, strict=True):
        tsquery = f"to_tsquery('english', '{query.replace(' ', ' | ')}')"
        assert results == directly(filled, tsquery, k=20)
        assert len(results) == 20


@pytest.mark.parametrize(
    ("operator", "tsquery"),
    [
        ("and", "plainto_tsquery('english', 'apples and figs')"),
        ("phrase", "phraseto_tsquery('english', 'apples and figs')"),
        ("websearch", "websearch_to_tsquery('english', 'apples and figs')"),
    ],
)
def test_operators(filled: str, operator: str, tsquery: str) -> None:
    engine = PostgreSQL(connection=filled, operator=operator)
    assert found(engine, "apples and figs", k=300) == [directly(filled, tsquery, k=300)]


def test_rank_functions_weights_and_vectors_made_on_the_way(filled: str) -> None:
    tsquery = "to_tsquery('english', 'tea | mint')"
    array = "'{1,1,0.25,0.5}'::real[]"
    weights = {"title": 0.5, "text": 0.25}
    expected = directly(filled, tsquery, rank=f"ts_rank_cd({array}")
    for vector in ("vector", ""):
        engine = PostgreSQL(connection=filled, rank="ts_rank_cd", weights=weights, vector=vector)
        assert found(engine, "tea mint") == [expected]


def test_without_words_there_is_nothing_to_find(filled: str) -> None:
    assert found(PostgreSQL(connection=filled), "", "the of", "?!", "zzz") == [[], [], [], []]


@given(text=st.text(st.characters(), max_size=30))
def test_no_text_is_a_syntax_error(filled: str, text: str) -> None:
    engine = PostgreSQL(connection=filled, threads=1)
    found(engine, text, f"apple ' & | ! <-> :* \\ {text}", f"http://x.y/a?b=1&c=2 {text}")


def test_urls_and_hyphens_are_optional_words_as_well(host: str) -> None:
    engine = PostgreSQL(connection=host, table="addresses")
    engine.index([Document("d1", "", "see http://x.org/a?b=1&c=2"), Document("d2", "", "wi-fi")])
    answers = found(engine, "none http://x.org/a?b=1&c=2", "none wi-fi", "none wi")
    assert [[id for id, _ in results] for results in answers] == [["d1"], ["d2"], ["d2"]]


def test_equal_scores_come_in_falling_order_of_ids(host: str) -> None:
    engine = PostgreSQL(connection=host, table="same")
    engine.index(Document(id, "", "equal words") for id in ("b", "B", "a", "é", "z"))
    assert [id for id, _ in found(engine, "equal", k=4)[0]] == ["é", "z", "b", "a"]


def test_indexing(host: str, database: psycopg.Connection[Any]) -> None:
    engine = PostgreSQL(connection=host, table="small.Documents", id="Key")
    assert engine.size() is None
    database.execute("CREATE SCHEMA small")
    for text in ("first", "second"):  # what it made itself, it may replace
        engine.index([Document("d'1", "a\0b", text), Document("d\t2", "", "")])
        assert [id for id, _ in found(engine, text)[0]] == ["d'1"]
    size = database.execute("SELECT pg_total_relation_size('small.\"Documents\"')").fetchone()
    assert (engine.size(),) == size
    names = database.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'small'")
    assert names.fetchall() == [("Documents",)]
    kinds = database.execute("SELECT indexdef FROM pg_indexes WHERE schemaname = 'small'")
    assert sum("USING gin" in kind for (kind,) in kinds) == 1


def test_a_table_of_others_is_kept(host: str, database: psycopg.Connection[Any]) -> None:
    database.execute("CREATE TABLE mine (id text, title text, text text)")
    engine = PostgreSQL(connection=host, table="mine")
    with pytest.raises(InputError, match="mine: cleverdon did not make this table; give another"):
        engine.index([])
    assert found(PostgreSQL(connection=host, table="mine", vector=""), "apple") == [[]]
    PostgreSQL(connection=host, table="mine", replace=True).index([Document("d1", "", "x")])
    database.execute("INSERT INTO mine (id, title, text) VALUES ('d2', '', 'added')")
    with pytest.raises(InputError, match="its rows have changed since"):
        engine.index([])
    assert database.execute("SELECT count(*) FROM mine").fetchone() == (2,)


def test_an_index_that_fails_midway_leaves_the_old_one(host: str) -> None:
    engine = PostgreSQL(connection=host, table="twice")
    engine.index([Document("d1", "", "old")])
    with pytest.raises(InputError, match=r"twice: cannot be indexed: duplicate.*\(d1\) already"):
        engine.index([Document("d1", "", "new"), Document("d1", "", "new")])
    with pytest.raises(InputError, match="too long"):
        engine.index([Document("d1", "", " ".join(f"w{n}" for n in range(200_000)))])
    assert [len(results) for results in found(engine, "old", "new")] == [1, 0]


def test_a_lost_connection_is_a_failure_and_then_another_one(
    filled: str, database: psycopg.Connection[Any]
) -> None:
    engine = PostgreSQL(connection=filled, threads=1)

    async def ask() -> tuple[Results, Results]:
        async with engine:
            before = await engine.search("apple", 3)
            database.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE application_name = 'cleverdon'"
            )
            with pytest.raises(SearchFailure) as failure:
                await engine.search("apple", 3)
            assert failure.value.kind == "connection"
            assert failure.value.retryable
            return before, await engine.search("apple", 3)

    before, after = asyncio.run(ask())
    assert before == after != []


def test_a_search_that_takes_too_long(filled: str, database: psycopg.Connection[Any]) -> None:
    database.execute(
        "CREATE VIEW slow AS SELECT id, title || pg_sleep(0.1)::text AS title, text FROM documents"
    )
    engine = PostgreSQL(connection=filled, table="slow", vector="", timeout=0.2, threads=1)

    with pytest.raises(SearchFailure) as failure:
        found(engine, "apple")
    assert failure.value.kind == "timeout"


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"table": "nowhere"}, "refused", "does not exist; cleverdon index makes one"),
        ({"id": "nothing"}, "refused", 'column "nothing" does not exist'),
        ({"configuration": "klingon"}, "refused", "text search configuration"),
        ({"table": 'x"; DROP TABLE documents; --'}, "refused", "does not exist"),
    ],
)
def test_what_is_not_there(filled: str, options: dict[str, Any], kind: str, message: str) -> None:
    with pytest.raises(SearchFailure, match=message) as failure:
        found(PostgreSQL(connection=filled, **options), "apple")
    assert failure.value.kind == kind


def test_no_server_and_no_such_user(host: str, tmp_path: Path) -> None:
    nobody = PostgreSQL(connection=host.replace(f"user={USER}", "user=nobody"))
    nowhere = PostgreSQL(connection=f"postgresql://me:s3cret@/db?host={tmp_path}")
    for engine, message in ((nobody, 'role "nobody" does not exist'), (nowhere, "No such file")):
        for call in (engine.size, partial(found, engine, "x"), partial(engine.index, [])):
            with pytest.raises(SearchFailure, match=message) as failure:
                call()
            assert failure.value.kind == "connection"
            assert "s3cret" not in str(failure.value)


def test_no_password_is_ever_shown() -> None:
    engine = open_engine("postgresql://me:s3cret@host:5433/db?table=t&sslpassword=s3cret")
    assert engine.settings["connection"] == {
        "host": "host",
        "port": "5433",
        "dbname": "db",
        "user": "me",
    }
    assert "s3cret" not in str(engine.settings)
    with pytest.raises(OptionError, match="connection: PostgreSQL cannot read it") as error:
        PostgreSQL(connection="host s3cret")
    assert "s3cret" not in str(error.value)


def test_the_short_form(host: str, filled: str) -> None:
    place = host.split()[0].removeprefix("host=")
    url = f"postgresql:///{DATABASE}?host={place}&user={USER}"
    engine = open_engine(f"{url}&table=documents&operator=and&weights.title=0.5&columns=title,text")
    assert engine.settings["weights"]["A"] == 0.5
    both = found(engine, "apple fig"), found(PostgreSQL(connection=host, operator="and"), "fig")
    assert all(results for (results,) in both)
    with pytest.raises(OptionError, match="no option 'operatr'; did you mean 'operator'"):
        open_engine(f"{url}&operatr=and")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rank": "bm25"}, "rank='bm25' is not known; it can be 'ts_rank', 'ts_rank_cd'"),
        ({"operator": "xor"}, "operator='xor' is not known"),
        ({"columns": []}, "expected one to 4 columns"),
        ({"weights": {"titel": 1}}, "there is no column 'titel'; did you mean 'title'"),
        ({"weights": {"title": 2}}, "expected a number from 0 to 1 for 'title', not 2"),
        ({"weights": 1}, "expected weights by column"),
        ({"timeout": 0}, "timeout=0"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        PostgreSQL(connection="", **options)


def test_indexing_makes_its_own_columns() -> None:
    with pytest.raises(OptionError, match="indexing makes the columns title and text"):
        PostgreSQL(connection="", columns=["body"]).index([])


def test_without_psycopg(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    for name in [
        name for name in sys.modules if name.startswith("cleverdon.engines.adapters.post")
    ]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(MissingExtra, match=r"pip install 'psycopg\[binary\]'"):
        open_engine("postgresql://localhost/db")
    assert issubclass(MissingExtra, CleverdonError)

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.engines.adapters.sqlite import SQLite, _match_expression
from cleverdon.engines.configuration import open_engine
from cleverdon.engines.protocol import Document, Results
from cleverdon.errors import CleverdonError, InputError, OptionError
from tests.engines.adapters.local_searches import check_that_half_an_index_leaves_the_old_one, found


def directly(path: Path, match: str, *, weights: str = "1, 1, 1", k: int = 10) -> Results:
    """What SQLite itself says."""
    sql = (
        f"SELECT id, -bm25(documents, {weights}) AS score FROM documents WHERE documents MATCH ?"
        " ORDER BY score DESC, id DESC LIMIT ?"
    )
    with closing(sqlite3.connect(path)) as database:
        return database.execute(sql, (match, k)).fetchall()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "index.db"


def test_it_ranks_as_sqlite_does(index_file: Path, topics: dict[str, str]) -> None:
    for k in (1, 7, 1000):
        answers = found(SQLite(file=index_file), *topics.values(), k=k)
        for query, results in zip(topics.values(), answers, strict=True):
            assert results == directly(index_file, query.replace(" ", " OR "), k=k)


def test_weights_and_operators(index_file: Path) -> None:
    heavier = SQLite(file=index_file, weights={"title": 5.0, "text": 0.5})
    expected = directly(index_file, "apple OR fig", weights="1, 5, 0.5")
    assert found(heavier, "apple fig") == [expected]
    every = SQLite(file=index_file, operator="and", ignored=["the"])
    answers = found(every, "apple the fig", "the", "", k=300)
    assert answers == [directly(index_file, "apple AND fig", k=300), [], []]
    assert 0 < len(answers[0]) < len(found(SQLite(file=index_file), "apple fig", k=300)[0])


def test_equal_scores_come_in_falling_order_of_ids_wherever_the_cut_is(file: Path) -> None:
    engine = SQLite(file=file)
    engine.index(Document(f"d{number:02}", "", "same words") for number in range(50))
    for k in (1, 3, 49, 50, 60):
        (results,) = found(engine, "same", k=k)
        assert [id for id, _ in results] == [f"d{number:02}" for number in range(49, -1, -1)][:k]
        assert len({score for _, score in results}) == 1


def test_what_index_makes(file: Path, documents: tuple[Document, ...], index_file: Path) -> None:
    engine = SQLite(file=file)
    assert engine.size() is None
    engine.index(iter(documents))
    assert found(engine, "mint tea") == [directly(index_file, "mint OR tea")]
    assert engine.size() == file.stat().st_size > 0
    assert [path.name for path in file.parent.iterdir()] == ["index.db"]
    engine.index(documents[:10])
    assert {id for id, _ in found(engine, "mint tea", k=300)[0]} <= {d.id for d in documents[:10]}


def test_stems_where_they_are_asked_for(file: Path) -> None:
    SQLite(file=file, tokenizer="porter unicode61").index([Document("d1", "", "it opened")])
    assert [id for id, _ in found(SQLite(file=file), "opening")[0]] == ["d1"]
    with pytest.raises(InputError, match="indexed with the tokenizer 'porter unicode61'"):
        found(SQLite(file=file, tokenizer="trigram"), "opening")


def test_an_index_that_fails_midway_leaves_the_old_one(file: Path) -> None:
    check_that_half_an_index_leaves_the_old_one(SQLite(file=file))
    assert [path.name for path in file.parent.iterdir()] == ["index.db"]


def test_a_database_of_others_is_never_replaced(index_file: Path, file: Path) -> None:
    before = index_file.read_bytes()
    with pytest.raises(InputError, match="did not make this database"):
        SQLite(file=index_file).index([])
    assert index_file.read_bytes() == before
    file.write_text("my diary\n" * 1000)
    with pytest.raises(InputError, match="SQLite cannot read it"):
        SQLite(file=file).index([])
    assert file.read_text().startswith("my diary")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"table": "document"}, "no FTS5 table 'document'; did you mean 'documents'"),
        ({"table": "documents_data"}, "no FTS5 table 'documents_data'"),
        ({"id": "ids"}, "id: 'documents' has no column 'ids'; did you mean 'id'"),
        ({"weights": {"titel": 2}}, "weights: 'documents' has no column 'titel'; did you mean"),
    ],
)
def test_what_the_table_does_not_have(
    index_file: Path, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(CleverdonError, match=message):
        found(SQLite(file=index_file, **options), "apple")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"operator": "xor"}, "operator='xor' is not known"),
        ({"threads": 0}, "threads=0"),
        ({"weights": 2}, "weights=2: expected weights by column"),
        ({"weights": {"title": "much"}}, "expected a number from 0 on for 'title', not much"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        SQLite(file="index.db", **options)


def test_a_tokenizer_that_is_none(file: Path) -> None:
    with pytest.raises(OptionError, match=r"tokenizer='porterr'.*it has unicode61"):
        SQLite(file=file, tokenizer="porterr").index([])
    assert list(file.parent.iterdir()) == []


def test_no_such_file_says_how_to_make_it(file: Path) -> None:
    with pytest.raises(InputError, match=r"cleverdon index sqlite:.*index\.db"):
        found(SQLite(file=file), "apple")
    assert not file.exists()


def test_a_place_that_cannot_be_written(file: Path) -> None:
    file.write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        SQLite(file=file / "below").index([])


def test_rows_without_ids(file: Path) -> None:
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("CREATE VIRTUAL TABLE documents USING fts5(id, text, content='')")
        database.execute("INSERT INTO documents(rowid, id, text) VALUES (7, 'd', 'apple')")
    assert found(SQLite(file=file, id="rowid"), "apple")[0][0][0] == "7"
    with pytest.raises(CleverdonError, match="missing: the row 7 has no id; id=rowid"):
        found(SQLite(file=file), "apple")


@given(text=st.text(max_size=40))
def test_no_text_is_a_syntax_error(index_file: Path, text: str) -> None:
    for operator in ("or", "and"):
        found(SQLite(file=index_file, operator=operator, threads=1), text, f'apple "{text}')


def test_a_query_as_long_as_a_book(index_file: Path) -> None:
    query = " ".join(f"w{number}" for number in range(5000)) + " apple"
    assert len(found(SQLite(file=index_file), query)[0]) == 10


def test_words_in_any_script_and_either_form_of_an_accent(file: Path) -> None:
    engine = SQLite(file=file)
    engine.index([Document("d1", "", "une poignée de noix"), Document("d2", "", "日本 料理")])
    answers = found(engine, "poigne\u0301e", "POIGNÉE", "料理")
    assert [[id for id, _ in results] for results in answers] == [["d1"], ["d1"], ["d2"]]


def test_the_short_form(index_file: Path) -> None:
    engine = open_engine(f"sqlite:{index_file}?operator=and&weights.title=5&threads=2")
    assert engine.settings["weights"] == {"title": 5.0}
    assert found(engine, "apple fig") == [
        directly(index_file, "apple AND fig", weights="1, 5, 1", k=10)
    ]
    with pytest.raises(OptionError, match="no option 'operatr'; did you mean 'operator'"):
        open_engine("sqlite:index.db?operatr=and")
    with pytest.raises(OptionError, match="says no file; expected sqlite:FILE"):
        open_engine("sqlite:")


@pytest.mark.parametrize("operator", ["or", "and"])
@pytest.mark.parametrize("tokenizer", ["unicode61", "porter unicode61"])
def test_how_columns_are_split_makes_no_difference(
    file: Path, tokenizer: str, operator: str
) -> None:
    """The demo's systems: three columns in their own index are the two of this one."""
    bodies = ("lids on jars", "opening a jar, slowly; the jar", "jars", "lids on jars", "weigh it")
    rows = [(f"jar{n % 2}", "m", body) for n, body in reversed(list(enumerate(bodies)))]
    ids = [f"m.n{n}" for n in reversed(range(len(bodies)))]
    engine = SQLite(file=file, tokenizer=tokenizer, operator=operator, weights={"title": 5.0})
    engine.index(
        Document(id, name, f"{path}\n{body}")
        for id, (name, path, body) in zip(ids, rows, strict=True)
    )
    queries = ("open the jars", "a lid", "jar0 jar1", "on m", "lids jars", "nothing")
    answers = found(engine, *queries, k=100)
    assert any(answers)
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(f"CREATE VIRTUAL TABLE d USING fts5(a, b, c, tokenize='{tokenizer}')")
        database.executemany("INSERT INTO d VALUES (?, ?, ?)", rows)
        for query, results in zip(queries, answers, strict=True):
            expected = database.execute(
                "SELECT rowid, -bm25(d, 5, 1, 1) AS score FROM d WHERE d MATCH ?"
                " ORDER BY score DESC, rowid",
                (query.replace(" ", f" {operator.upper()} "),),
            )
            assert results == [(ids[row - 1], score) for row, score in expected]


def test_a_python_without_sqlite_is_told_so(
    monkeypatch: pytest.MonkeyPatch, index_file: Path
) -> None:
    monkeypatch.setitem(sys.modules, "sqlite3", None)
    with pytest.raises(CleverdonError, match="searching needs SQLite's FTS5"):
        found(SQLite(file=index_file), "apple")


def test_an_sqlite_without_fts5_is_told_so(
    monkeypatch: pytest.MonkeyPatch, index_file: Path
) -> None:
    class WithoutFTS5(sqlite3.Connection):
        def execute(self, *_: object) -> sqlite3.Cursor:
            message = "no such module: fts5"
            raise sqlite3.OperationalError(message)

    monkeypatch.setattr(sqlite3, "connect", WithoutFTS5)
    for call in (lambda: found(SQLite(file=index_file), "x"), lambda: SQLite(file="x").index([])):
        with pytest.raises(CleverdonError, match="no such module: fts5"):
            call()


def test_operators_and_punctuation_are_words_or_nothing() -> None:
    assert _match_expression('Jar AND "lid" -(x*)') == '"jar" OR "and" OR "lid" OR "x"'
    assert _match_expression("?!") == ""

"""`cleverdon judge init` and `assign`, as people run them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import func, inspect, select

from cleverdon.cli import cleverdon
from cleverdon.data import Run
from cleverdon.errors import CleverdonError
from cleverdon.formats.inputs import PROJECT_FILE, open_source
from cleverdon.judging.backup import restore_project, write_backup
from cleverdon.judging.errors import DatabaseFailure
from cleverdon.judging.people.accounts import add_person
from cleverdon.judging.project import POOL, _file_lock, open_project, server_lock
from cleverdon.judging.queue import Feeder, take_next
from cleverdon.judging.store import schema
from cleverdon.judging.store.database import Database
from cleverdon.logs.bridge.traffic import (
    Candidate,
    JudgingCandidates,
    _make_query_id,
    write_queries,
)
from cleverdon.pooling.files import read_pool

QUERIES = ("red shoes", "blue\thats", 'a "quoted" one')
RUNS = {
    name: {
        _make_query_id(query): {f"d{(place * step) % 9}": -place for place in range(5)}
        for query in QUERIES
    }
    for name, step in (("a", 1), ("b", 2))
}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Heavy queries of a log, as `cleverdon logs bridge` writes them, and what engines found."""
    monkeypatch.chdir(tmp_path)
    candidates = tuple(
        Candidate(_make_query_id(query), query, 9, 5, 1, {}, 1.0, ()) for query in QUERIES
    )
    write_queries(JudgingCandidates(candidates, 0.1, 5, 3, 27, 0, 0), "next.tsv")
    for name, found in RUNS.items():
        Run.read(found, name=name).write(f"{name}.run")
    lines = [json.dumps({"id": f"d{number}", "text": f"about {number}"}) for number in range(9)]
    Path("docs.jsonl").write_text("\n".join(lines) + "\n")
    return tmp_path


def _full(*_: Any) -> None:
    raise OSError(28, "No space left on device")


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(cleverdon, ["judge", *arguments])


def _init(*arguments: str, folder: str = "judging") -> Result:
    common = ("--queries", "next.tsv", "--docs", "docs.jsonl")
    return _run("init", folder, *common, *arguments)


def _refused(result: Result, folder: str = "judging") -> str:
    assert result.exit_code
    assert not Path(folder).exists(), "nothing is left behind"
    return str(result.exception) if isinstance(result.exception, CleverdonError) else result.output


def test_from_a_log_to_a_queue(files: Path) -> None:
    result = _init("--runs", "a.run", "b.run", "--depth", "3", "--assessors", "ann, bob")
    assert result.exit_code == 0, result.output
    assert "queries     3" in result.output
    assert "cleverdon judge people judging --link ann --link bob" in result.output
    with open_project("judging") as project, project.database.writing() as connection:
        found = connection.execute(select(schema.queries).order_by(schema.queries.c.position)).all()
        assert [query.title for query in found] == ["red shoes", "blue hats", 'a "quoted" one']
        assert [query.name for query in found] == [_make_query_id(query) for query in QUERIES]
        assert take_next(connection, 1)
        pool = read_pool(project.folder / POOL)
        count = connection.execute(select(func.count()).select_from(schema.items)).scalar()
        assert count == len(pool)
        assert pool.how["k"] == 3
    again = _init("--runs", "a.run")
    assert "is a project already" in str(again.exception)
    assert "3 queries" not in _run("assign", "judging", "--list").output


def test_everything_at_once(files: Path) -> None:
    query = _make_query_id(QUERIES[0])
    Path("gold.qrels").write_text(f"{query} 0 d8 2\n{query} 0 extra 0\n")
    Path("how.txt").write_text("Read all of it.\n")
    pooling = ["pool", "make", "a.run", "b.run", "-k", "4", "-o", "pool.tsv"]
    assert CliRunner().invoke(cleverdon, pooling).exit_code == 0
    result = _init(
        *("--pool", "pool.tsv", "--gold", "gold.qrels", "--guidelines", "how.txt"),
        *("--overlap", "0.5", "--scale", "0..2", "--seed", "3", "--assessors", "ann"),
        *("--title", " Shoes &\x07 hats\udcff"),
    )
    assert result.exit_code == 0, result.output
    assert "judging: Shoes & hats?," in result.output
    assert "3 queries with too few people for what several are to judge" in result.output
    assert "no text of 1 of 8 documents to judge ('extra')" in result.output
    assert "gold        2" in result.output
    with open_project("judging") as project:
        assert project.setting("guidelines") == "Read all of it."
        assert project.setting("seed") == 3
        made_of = project.setting("made_of")
        assert (made_of["queries"], made_of["docs"]) == ("next.tsv", ["docs.jsonl"])
        digest = open_source("docs.jsonl").digest()
        assert made_of["BLAKE3"]["docs"] == [digest]
        assert made_of["BLAKE3"].keys() == {"queries", "docs", "gold", "pool"}
        assert (project.folder / POOL).read_bytes() == Path("pool.tsv").read_bytes()
        assert project.folder.stat().st_mode & 0o077 == 0, "others see nothing of it"


def _open_to_others(folder: Path) -> list[str]:
    everything = [folder, *folder.iterdir()]
    return [each.name for each in everything if each.stat().st_mode & 0o077]


def test_a_folder_that_is_there_becomes_its_owners_alone(files: Path) -> None:
    """Also while it is in use: then SQLite has further files beside the database."""
    folder, old = Path("judging"), os.umask(0o022)
    try:
        folder.mkdir(mode=0o755)
        result = _init("--runs", "a.run", "b.run", "--adaptive", "mtf")
        assert result.exit_code == 0, result.output
        with (
            open_project(folder) as project,
            server_lock(project),
            project.database.reading() as connection,
            project.database.writing() as writing,
        ):
            add_person(writing, "zoe", "viewer")
            connection.execute(select(schema.people)).all()
            names = {file.name for file in folder.iterdir()}
            assert {"judgments.db", "judgments.db-wal", POOL, "serving.lock"} <= names
            assert _open_to_others(folder) == []
            write_backup(project.database, folder, "judging.zip")
        Path("again").mkdir(mode=0o755)
        restore_project("judging.zip", "again")
        assert (Path("again") / POOL).exists()
        assert _open_to_others(Path("again")) == []
    finally:
        os.umask(old)


def test_files_are_private_in_a_folder_that_cannot_be_closed(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    folder = Path("judging")
    folder.mkdir(mode=0o755)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "chmod", refuse)
        assert _init("--runs", "a.run").exit_code == 0
    assert _open_to_others(folder) == ["judging"]


def test_a_folder_keeps_its_mode_where_nothing_is_made(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path("judging")
    folder.mkdir()
    folder.chmod(0o755)
    monkeypatch.setattr("cleverdon.judging.creation.write_pool", _full)
    assert _init("--runs", "a.run").exit_code
    assert (list(folder.iterdir()), folder.stat().st_mode & 0o777) == ([], 0o755)


def test_adaptively(files: Path) -> None:
    result = _init("--runs", "a.run", "b.run", "--adaptive", "max-mean")
    assert result.exit_code == 0, result.output
    assert "to judge    as max-mean gives them, out of 21\n" in result.output
    with open_project("judging") as project, project.database.reading() as connection:
        placed = schema.items.c.position.is_not(None)
        count = select(schema.items.c.query_id, func.count()).where(placed)
        counts = connection.execute(count.group_by(schema.items.c.query_id)).all()
        assert [tuple(row) for row in counts] == [(1, 3), (2, 3), (3, 3)]
        assert project.setting("adaptive")["method"] == "max-mean"
    two = _init("--runs", "a.run", "--adaptive", "mtf", "--budget", "2", folder="two")
    assert "out of 15; a query ends after 2\n" in two.output
    assert "3 queries ended" in _run("status", "two").output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "give --pool or --runs"),
        (("--pool", "next.tsv", "--runs", "a.run"), "--pool and --runs do not go together"),
        (("--pool", "next.tsv", "b.run"), "RUN goes with --runs"),
        (("--runs", "a.run", "--budget", "3"), "--budget goes with --adaptive"),
        (("--pool", "next.tsv", "--depth", "3"), "--depth goes with --runs"),
        (("--runs", "a.run", "--overlap", "0.1", "--judges", "2"), "leave out the judges"),
        (("--runs", "a.run", "--adaptive", "mft"), "there is no method 'mft'"),
        (("--runs", "a.run", "--adaptive", ""), "'' is not a method"),
        (("--runs", "a.run", "--scale", "3..1"), "the scale '3..1' is not known"),
        (("--runs", "a.run", "--docs", "next.tsv"), ""),
        (("--runs", "none.run"), "none.run"),
        (("--runs", "a.run", "--gold", "a.run"), ""),
        (("--runs", "a.run", "--database", "mysql://x"), "the database 'mysql://x' is not known"),
        (("--runs", "a.run", "--database", "sqlite:///x.db"), "a project has its own"),
        (("--runs", "a.run", "--assessors", "ann\x07"), "a name has 1 to 100 characters"),
    ],
)
def test_what_cannot_be_is_refused(files: Path, arguments: tuple[str, ...], said: str) -> None:
    Path("docs.jsonl").write_text('{"id": "d0", "text": "x"}\n')
    if said:
        assert said in _refused(_init(*arguments))
    else:
        Path("docs.jsonl").write_text('{"id": "other", "text": "x"}\n')
        _refused(_init(*arguments))


def test_a_failure_in_the_middle_leaves_an_empty_folder_empty(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("judging").mkdir()
    monkeypatch.setattr("cleverdon.judging.creation.write_pool", _full)
    assert _init("--runs", "a.run").exit_code
    assert list(Path("judging").iterdir()) == []


def test_what_was_killed_in_the_middle_is_made_anew(files: Path) -> None:
    folder, lock = Path("judging"), Path("judging/being-made.lock")
    assert _init("--runs", "a.run").exit_code == 0
    assert not lock.exists()
    (folder / PROJECT_FILE).unlink()
    assert "is not empty" in str(_init("--runs", "a.run").exception), "it may hold judgments"
    lock.touch()
    assert _init("--runs", "a.run").exit_code == 0, "nobody can have judged before the mark"
    lock.touch()
    assert "a project already" in str(_init("--runs", "a.run").exception), "all of it was made"
    (folder / "judgments.db").write_bytes(b"")
    with pytest.raises(DatabaseFailure, match="is empty; restore it from a backup"):
        open_project(folder)
    assert _init("--runs", "a.run").exit_code == 0, "marked, but nothing was written yet"
    (folder / PROJECT_FILE).unlink()
    with _file_lock(lock, "is held"):
        assert "by another process" in str(_init("--runs", "a.run").exception)
    (folder / "mine.txt").touch()
    assert "is not empty" in str(_init("--runs", "a.run").exception), "what is not ours stays"


def test_in_postgresql_it_is_all_or_nothing(
    files: Path, empty_postgresql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = ("--runs", "a.run", "--database", empty_postgresql)
    with monkeypatch.context() as broken:
        broken.setattr("cleverdon.judging.creation.write_pool", _full)
        _refused(_init(*given))
    database = Database(empty_postgresql)
    assert inspect(database.engine).get_table_names() == []
    database.close()
    made = _init(*given, "--adaptive", "mtf", "--assessors", "ann")
    assert made.exit_code == 0, made.output
    with open_project("judging") as project, project.database.writing() as connection:
        assert len(take_next(connection, 1, n=6, feeder=Feeder(project))) == 6
    assert "holds a project already" in _refused(_init(*given, folder="other"), "other")


def test_assigning(files: Path) -> None:
    _init("--runs", "a.run", "b.run")
    query = _make_query_id(QUERIES[0])
    assert "add some by" in str(_run("assign", "judging").exception)
    _run("people", "judging", "--add", "ann", "--add", "bob")
    by_hand = _run("assign", "judging", "--query", query, "--person", "bob")
    assert "nobody has 2 queries" in by_hand.output
    dealt = json.loads(_run("assign", "judging", "--overlap", "2", "-f", "json").output)
    assert dealt["uncovered"] == dealt["short"] == []
    assert {each["queries"] for each in dealt["people"]} == {3}
    taken = _run("assign", "judging", "--query", query, "--person", "bob", "--remove")
    assert f"nobody has 1 query: {query}" in taken.output
    assert "goes with --query" in _run("assign", "judging", "--remove").output
    assert "--query goes with --person" in _run("assign", "judging", "--query", query).output

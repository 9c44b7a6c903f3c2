"""A backup is one state of a project, whole, and gives the same project in either database."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from threading import Event, Thread
from zipfile import ZipFile

import pytest
from sqlalchemy import func, select

from cleverdon.data import Judgments
from cleverdon.errors import InputError
from cleverdon.judging.backup import (
    _MANIFEST,
    Manifest,
    _check_backup,
    _table_path,
    restore_project,
    write_backup,
)
from cleverdon.judging.exports.files import ExportRequest, write_export
from cleverdon.judging.people.accounts import COMMAND_LINE, add_person
from cleverdon.judging.project import POOL, Project, open_project
from cleverdon.judging.store.schema import events, items, people, visits
from tests.commands import run_here
from tests.judging.judged_projects import give, judged_project
from tests.judging.projects import made_project, signed_in

EXPORTS = {
    "published": "txt",
    "dawid-skene": "parquet",
    "assessor": "txt",
    "history": "jsonl",
    "agreement": "json",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    with judged_project(tmp_path_factory.mktemp("backup") / "project") as made:
        (made.folder / POOL).write_text("a file that is carried along\n")
        signed_in(made, "ann")
        with made.database.writing() as connection:
            connection.execute(items.update().where(items.c.id == 20).values(added=True))
        yield made


@pytest.fixture(scope="module")
def archive(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("archive") / "project.zip"
    write_backup(project.database, project.folder, path)
    return path


def made_of(manifest: Manifest) -> dict[str, object]:
    """All but what differs by right: the log has a line of the restoring."""
    held = {name: each for name, each in manifest.tables.items() if name != "audit"}
    return {**held, **manifest.files, "title": manifest.title, "form": manifest.form}


def history(project: Project, path: Path) -> str:
    write_export(project, ExportRequest("history"), str(path), actor=COMMAND_LINE)
    return path.read_text()


def test_a_restored_project_is_the_same(project: Project, archive: Path, tmp_path: Path) -> None:
    assert archive.stat().st_mode & 0o077 == 0, "it holds what is left of passwords"
    first = restore_project(str(archive), tmp_path / "again")
    with open_project(tmp_path / "again") as again:
        second = write_backup(again.database, again.folder, tmp_path / "second.zip")
        assert made_of(second) == made_of(first)
        for what, ending in EXPORTS.items():
            files = [tmp_path / f"{number}-{what}.{ending}" for number in range(2)]
            for each, file in zip((project, again), files, strict=True):
                write_export(each, ExportRequest(what), str(file), actor=COMMAND_LINE)
            assert files[0].read_bytes() == files[1].read_bytes(), what
        with again.database.reading() as connection:
            assert connection.execute(select(func.count()).select_from(visits)).scalar() == 0
            added = connection.execute(select(items.c.id).where(items.c.added)).scalars()
            assert list(added) == [20]
        give(again, {"ann": {("t2", "d1"): 1}})


def test_to_postgresql_and_back(
    project: Project, archive: Path, tmp_path: Path, empty_postgresql: str
) -> None:
    first = restore_project(str(archive), tmp_path / "there", database=empty_postgresql)
    with open_project(tmp_path / "there") as there:
        second = write_backup(there.database, there.folder, tmp_path / "second.zip")
        assert history(there, tmp_path / "a.jsonl") == history(project, tmp_path / "b.jsonl")
        assert Judgments.read(there.folder).digest == Judgments.read(project.folder).digest
        give(there, {"ann": {("t2", "d1"): 1}})
        with there.database.writing() as connection:
            add_person(connection, "new", "viewer")
            numbers = connection.execute(select(func.max(people.c.id))).scalar_one()
            assert numbers == first.tables["people"].rows + 1, "numbers go on"
        moved = write_backup(there.database, there.folder, tmp_path / "moved.zip")
    with pytest.raises(InputError, match="holds a project already"):
        restore_project(str(archive), tmp_path / "twice", database=empty_postgresql)
    assert not (tmp_path / "twice").exists()
    assert made_of(second) == made_of(first)
    restore_project(str(tmp_path / "moved.zip"), tmp_path / "back")
    with open_project(tmp_path / "back") as back:
        third = write_backup(back.database, back.folder, tmp_path / "third.zip")
    assert made_of(third) == made_of(moved)


def test_a_backup_while_others_write_is_one_state(tmp_path: Path) -> None:
    with made_project(tmp_path / "p", queries=4, documents=50) as project:
        enough, given = Event(), 0

        def write() -> None:
            nonlocal given
            while not enough.is_set():
                query, document = f"t{given // 50 % 4 + 1}", f"d{given % 50 + 1}"
                give(project, {"ann": {(query, document): given % 4}})
                given += 1

        writer = Thread(target=write)
        writer.start()
        try:
            sizes = []
            for number in range(3):
                path = tmp_path / f"{number}.zip"
                made = write_backup(project.database, project.folder, path)
                with ZipFile(path) as archive:
                    last = {
                        row["event_id"]
                        for row in map(json.loads, archive.open("tables/judgments.jsonl"))
                    }
                    newest: dict[tuple[int, int], int] = {}
                    for row in map(json.loads, archive.open("tables/events.jsonl")):
                        newest[row["item_id"], row["person_id"]] = row["id"]
                assert last == set(newest.values()), "what stands is the last that was said"
                sizes.append(made.tables["events"].rows)
        finally:
            enough.set()
            writer.join()
    assert sizes == sorted(sizes)
    assert sizes[-1] > sizes[0], "others did write"


def test_a_damaged_backup_makes_nothing(archive: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.zip"

    def rewritten(change: dict[str, bytes | None]) -> None:
        with ZipFile(archive) as given, ZipFile(bad, "w") as out:
            for name in given.namelist():
                content = change.get(name, given.read(name))
                if content is not None:
                    out.writestr(name, content)

    def with_rows(name: str, more: bytes | dict[str, object]) -> dict[str, bytes | None]:
        line = more if isinstance(more, bytes) else json.dumps(more).encode()
        return told_of(name, tables[name] + line + b"\n")

    def changed(name: str, old: bytes, new: bytes) -> dict[str, bytes | None]:
        assert old in tables[name]
        return told_of(name, tables[name].replace(old, new))

    def told_of(name: str, content: bytes) -> dict[str, bytes | None]:
        """The manifest says the same."""
        held = {"rows": content.count(b"\n"), "sha256": sha256(content).hexdigest()}
        said = manifest | {"tables": manifest["tables"] | {name: held}}
        return {_MANIFEST: json.dumps(said).encode(), _table_path(name): content}

    with ZipFile(archive) as given:
        manifest = json.loads(given.read(_MANIFEST))
        tables = {name: given.read(_table_path(name)) for name in manifest["tables"]}
    rows = tables["events"]
    query = json.loads(tables["queries"].splitlines()[0]) | {"id": 9, "name": "t9"}
    cases: list[tuple[dict[str, bytes | None], str]] = [
        ({"tables/events.jsonl": rows[: rows.index(b"\n") + 1]}, "is not what was backed up"),
        ({"tables/events.jsonl": rows.replace(b'"grade": 2', b'"grade": 3')}, "not what was"),
        ({"tables/people.jsonl": None}, "take another copy"),
        ({_MANIFEST: b"{}"}, "is not a backup"),
        ({_MANIFEST: json.dumps(manifest | {"version": 9}).encode()}, "this version reads 1"),
        ({_MANIFEST: json.dumps(manifest | {"form": "9999"}).encode()}, "a newer Cleverdon"),
        (
            {_MANIFEST: json.dumps(manifest | {"files": {"../x": {}}}).encode()},
            "is not a backup",
        ),
    ]
    cases += [
        ({_MANIFEST: b"[" * 200_000}, "is not a backup"),
        *(
            (with_rows(name, more), f"its table {name} does not fit: line {at} {said}")
            for name, more, at, said in (
                ("people", b'{"a":' * 200_000, 6 + 1, "is nested too deeply"),
                ("people", b"[1, 2]", 6 + 1, "has other columns than id, name"),
                ("queries", b'{"id": 9}', 2 + 1, "has other columns"),
            )
        ),
        (with_rows("queries", query | {"title": {}}), "its table queries does not fit"),
        (with_rows("queries", query | {"position": 10**30}), "its table queries does not fit"),
        (
            changed("settings", b"#6b7280", b"red}*{display:none}a{"),
            "its scale does not fit: the colour 'red",
        ),
        (changed("settings", b'"scale"', b'"sale"'), "its scale does not fit"),
    ]
    for change, said in cases:
        rewritten(change)
        with pytest.raises(Exception, match=said):
            restore_project(str(bad), tmp_path / "new")
        assert not (tmp_path / "new").exists()
    bad.write_bytes(archive.read_bytes()[:-200])
    with pytest.raises(InputError, match="damaged"):
        _check_backup(str(bad))
    for place, value in ((6, 1), (8, 99)):  # encrypted; packed in a way that nobody knows
        content = bytearray(archive.read_bytes())
        for mark, further in ((b"PK\x01\x02", 2), (b"PK\x03\x04", 0)):
            at = -1
            while (at := content.find(mark, at + 1)) >= 0:
                content[at + place + further] |= value
        bad.write_bytes(content)
        with pytest.raises(InputError, match="damaged, or no backup"):
            _check_backup(str(bad))
    bad.write_text("no zip")
    with pytest.raises(InputError, match="damaged, or no backup"):
        _check_backup(str(bad))


def test_a_backup_that_cannot_be_written_leaves_the_old_one(
    project: Project, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "kept.zip"
    shutil.copy(archive, kept)
    before = kept.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(InputError, match="cannot be written: No space left on device"):
        write_backup(project.database, project.folder, kept)
    assert kept.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["kept.zip"]


def test_in_a_shell(tmp_path: Path) -> None:
    with made_project(tmp_path / "p") as project:
        give(project, {"ann": {("t1", "d1"): 1}})
    done = run_here(["judge", "backup", "p", "-o", "p.zip"], tmp_path)
    assert done.stdout == "p.zip: Tests, 1 event; read back, and whole\n", done.stderr
    inside = run_here(["judge", "backup", "p", "-o", "p/p.zip"], tmp_path)
    assert "is lost with it" in inside.stderr
    done = run_here(["judge", "restore", "p.zip", "q"], tmp_path)
    assert done.stdout.startswith("q: Tests, as it was at 2"), done.stderr
    again = run_here(["judge", "restore", "p.zip", "q"], tmp_path)
    assert again.returncode == 1
    assert "is a project already" in again.stderr
    with open_project(tmp_path / "q") as restored, restored.database.reading() as connection:
        assert connection.execute(select(func.count()).select_from(events)).scalar() == 1
        assert connection.execute(select(func.count()).select_from(items)).scalar() == 12

"""A project: a folder that says where its database is, and the settings that the database holds."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from sqlalchemy import URL, select

from cleverdon.assess.scale import Scale
from cleverdon.assess.store import Database, StoreFailure, schema
from cleverdon.assess.store.migrating import check_form, check_known, current, migrate, newest
from cleverdon.errors import InputError
from cleverdon.read.judging_folder import MARK, is_project

__all__ = ["MARK", "POOL", "Project", "is_project", "open_project", "read_project"]

KIND = "cleverdon judge project"
"""What the mark says."""
DATABASE = "judgments.db"
T = TypeVar("T")
POOL = "pool.tsv"
"""Where each document came from; in the folder and not in the database, out of assessors' reach."""


@dataclass(frozen=True)
class Project:
    """An open project."""

    folder: Path
    database: Database

    def setting(self, name: str, default: Any = None) -> Any:
        """A setting of the project as it stands now."""
        with self.database.reading() as connection:
            wanted = select(schema.settings.c.value).where(schema.settings.c.name == name)
            found = connection.execute(wanted).first()
        return default if found is None else found.value

    @cached_property
    def scale(self) -> Scale:
        """The scale; it does not change once people judge by it."""
        return Scale.from_json(self.setting("scale"))

    @cached_property
    def guidelines(self) -> str:
        """What assessors are told beside the guidelines of single grades; may be empty."""
        return str(self.setting("guidelines", ""))

    @cached_property
    def title(self) -> str:
        """What the project is called."""
        return str(self.setting("title", self.folder.resolve().name))

    @cached_property
    def key(self) -> str:
        """By which browsers tell it from another project that is served at the same address."""
        made = f"{self.setting('created_at')} {self.title}"
        return hashlib.sha256(made.encode()).hexdigest()[:12]

    def close(self) -> None:
        """Close its database."""
        self.database.close()

    def __enter__(self) -> Project:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_project(folder: str | os.PathLike[str]) -> Project:
    """A project that is there, brought to the form that this version knows."""
    project = marked_project(folder)
    try:
        _bring_up(project)
    except BaseException:
        project.close()
        raise
    return project


def marked_project(folder: str | os.PathLike[str]) -> Project:
    """A project by its mark, as it is."""
    where = Path(folder)
    return Project(where, Database(_marked_url(where) or file_of(where)))


def _bring_up(project: Project) -> None:
    """Bring a project to the newest form; there is a backup in its folder before anything changes.

    Where that fails, the form is what it was.
    """
    with project.database.reading() as connection:
        form = current(connection)
    if form == newest():
        return
    if form is None:
        raise StoreFailure(f"{project.database.name} is empty; restore it from a backup")
    check_known(form, what=project.database.name)
    from cleverdon.assess.backup.writing import write_backup

    kept = project.folder / f"before-{newest()}.zip"
    write_backup(project.database, project.folder, kept)
    try:
        migrate(project.database)
    except StoreFailure as error:
        raise StoreFailure(
            f"{error}; its form is still {form!r}, and {kept} is a backup of it"
        ) from error


def read_project(folder: str | os.PathLike[str], read: Callable[[Project], T]) -> T:
    """What `read` finds in a project that is there; nothing of it is changed, nor brought up.

    A database that nobody has open is read as a file that does not change: SQLite would leave two
    more files beside it otherwise. If somebody opens it meanwhile, it is read once more.
    """
    where = Path(folder)
    url = _marked_url(where)
    if url is not None:
        return _read(where, url, read)
    file = where.resolve() / DATABASE
    before = _state(file)
    if not _journal(file).exists():
        try:
            found = _read(where, file_of(where, immutable=True), read)
        except StoreFailure:
            if _state(file) == before:
                raise
        else:
            if _state(file) == before:
                return found
    return _read(where, file_of(where, immutable=False), read)


def _read(where: Path, url: str | URL, read: Callable[[Project], T]) -> T:
    with Project(where, Database(url)) as project:
        check_form(project.database)
        return read(project)


def _journal(file: Path) -> Path:
    """What SQLite writes while a database is open."""
    return file.with_name(f"{file.name}-wal")


def _state(file: Path) -> tuple[int, int, bool]:
    """What differs once somebody has written to a database, or is about to."""
    facts = file.stat()
    return facts.st_mtime_ns, facts.st_size, _journal(file).exists()


def _marked_url(where: Path) -> str | None:
    """The URL of the database that the mark names; None where it is the file in the folder."""
    path = where / MARK
    if not path.is_file():
        raise InputError(
            f"is no project (it has no {MARK}); make one by `cleverdon judge init`",
            source=str(where),
        )
    try:
        mark = json.loads(path.read_text(encoding="utf-8"))
        if mark["kind"] != KIND:
            raise ValueError(mark["kind"])
    except (ValueError, KeyError, TypeError):
        raise InputError(
            "does not say what it is of; restore it from a backup", source=str(path)
        ) from None
    url: str | None = mark.get("database")
    if url is None and not (where / DATABASE).is_file():
        raise InputError("is missing; restore it from a backup", source=str(where / DATABASE))
    return url


def file_of(folder: Path, *, immutable: bool | None = None) -> URL:
    """The URL of the file in a folder; for reading alone where it is said whether it may change."""
    path = str(folder.resolve() / DATABASE)
    if immutable is None:
        return URL.create("sqlite", database=path)
    options = {"mode": "ro", "uri": "true", **({"immutable": "1"} if immutable else {})}
    return URL.create("sqlite", database=f"file:{quote(path)}", query=options)

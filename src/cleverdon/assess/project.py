"""A project: a folder that says where its database is, and the settings that the database holds."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sqlalchemy import URL, select

from cleverdon.assess.scale import Scale
from cleverdon.assess.store import Database, schema
from cleverdon.assess.store.migrating import migrate
from cleverdon.errors import InputError

MARK = "cleverdon-judge.json"
"""The file by which a folder is known as a project."""

_KIND = "cleverdon judge project"
_DATABASE = "judgments.db"
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
    def title(self) -> str:
        """What the project is called."""
        return str(self.setting("title", self.folder.resolve().name))

    def close(self) -> None:
        """Close its database."""
        self.database.close()

    def __enter__(self) -> Project:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def is_project(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a project's folder."""
    return os.path.isfile(os.path.join(path, MARK))


def begin_project(folder: str | os.PathLike[str], *, database: str | None = None) -> Project:
    """A new project with empty tables; the mark is written last, by whoever fills it (`finish`)."""
    where = Path(folder)
    if is_project(where):
        raise InputError("is a project already; name another folder", source=str(where))
    if where.exists() and (not where.is_dir() or any(where.iterdir())):
        raise InputError("is there, and is not empty; name a new folder", source=str(where))
    where.mkdir(parents=True, exist_ok=True)
    opened = Project(where, Database(database or _file(where)))
    before, _ = migrate(opened.database)
    if before is not None:
        raise InputError(
            "holds a project already; name another database", source=opened.database.name
        )
    return opened


def finish_project(project: Project) -> None:
    """Write the mark: from now on the folder is a project."""
    mark: dict[str, Any] = {"kind": _KIND, "version": 1}
    if not project.database.is_sqlite:
        mark["database"] = project.database.url.render_as_string(hide_password=False)
    path = project.folder / MARK
    path.touch(mode=0o600)  # the URL may hold a password
    path.write_text(json.dumps(mark, indent=2) + "\n", encoding="utf-8")


def open_project(folder: str | os.PathLike[str]) -> Project:
    """A project that is there, brought to the form that this version knows."""
    where = Path(folder)
    path = where / MARK
    if not path.is_file():
        raise InputError(
            f"is no project (it has no {MARK}); make one by `cleverdon judge init`",
            source=str(where),
        )
    try:
        mark = json.loads(path.read_text(encoding="utf-8"))
        if mark["kind"] != _KIND:
            raise ValueError(mark["kind"])
    except (ValueError, KeyError, TypeError):
        raise InputError(
            "does not say what it is of; restore it from a backup", source=str(path)
        ) from None
    url = mark.get("database") or _file(where)
    if "database" not in mark and not (where / _DATABASE).is_file():
        raise InputError("is missing; restore it from a backup", source=str(where / _DATABASE))
    project = Project(where, Database(url))
    migrate(project.database)
    return project


def _file(folder: Path) -> URL:
    return URL.create("sqlite", database=str(folder.resolve() / _DATABASE))

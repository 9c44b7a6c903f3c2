"""The form of a backup: a zip archive of plain lines, the same of either database.

    manifest.json          what it is of, its form, how many rows each table has, and digests
    tables/topics.jsonl    a line a row, by the names of the columns, in the order of the keys
    files/pool.tsv         what lies in the project's folder beside the database

Whatever opens a door is left out: sign-in links, who is signed in, tokens, and which documents were
on somebody's screen. Passwords are in it, as the digests that argon2 makes. Who restores a backup
signs in anew, and makes tokens anew: one that was revoked since must not work again.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass
from typing import Any
from zipfile import BadZipFile, ZipFile

from cleverdon.assess.project import POOL
from cleverdon.errors import InputError

KIND = "cleverdon judge backup"
VERSION = 1
MANIFEST = "manifest.json"
FILES = (POOL,)
LEFT_OUT = ("alembic_version", "leases", "links", "tokens", "visits")


@dataclass(frozen=True)
class Held:
    """A table or a file in a backup."""

    rows: int  # lines
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """What a backup says of itself."""

    title: str
    form: str  # of the database
    made_at: str
    cleverdon: str
    tables: dict[str, Held]
    files: dict[str, Held]

    def to_json(self) -> str:
        """As it stands in the archive."""
        whole = {"kind": KIND, "version": VERSION, **asdict(self)}
        return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"

    @property
    def parts(self) -> dict[str, Held]:
        """Everything by its name in the archive."""
        return {
            **{table_path(name): held for name, held in self.tables.items()},
            **{file_path(name): held for name, held in self.files.items()},
        }


def table_path(name: str) -> str:
    """Where the rows of a table are."""
    return f"tables/{name}.jsonl"


def file_path(name: str) -> str:
    """Where a file of the folder is."""
    return f"files/{name}"


def read_manifest(archive: ZipFile, *, source: str) -> Manifest:
    """What a backup says of itself; an InputError where it is none."""
    try:
        found: dict[str, Any] = json.loads(archive.read(MANIFEST))
        if found.pop("kind") != KIND:
            raise ValueError(KIND)
        version = found.pop("version")
        tables, files = (
            {name: Held(**held) for name, held in found.pop(part).items()}
            for part in ("tables", "files")
        )
        manifest = Manifest(**found, tables=tables, files=files)
        if not files.keys() <= set(FILES):  # a name could lead out of the folder
            raise ValueError(files)
    except (KeyError, ValueError, TypeError, AttributeError, RecursionError, BadZipFile):
        raise InputError("is no backup of a judging project", source=source) from None
    if version != VERSION:
        raise InputError(
            f"is a backup of form {version!r}, and this version reads {VERSION}: pip install "
            "--upgrade cleverdon",
            source=source,
        )
    return manifest


def rows_of(archive: ZipFile, name: str, columns: Collection[str]) -> Iterator[dict[str, Any]]:
    """The rows of a table; a ValueError where a line is none that has these columns."""
    with archive.open(table_path(name)) as lines:
        for number, line in enumerate(lines, start=1):
            try:
                row = json.loads(line)
            except RecursionError:
                raise ValueError(f"line {number} is nested too deeply") from None
            if not isinstance(row, dict) or row.keys() != set(columns):
                raise ValueError(f"line {number} has other columns than {', '.join(columns)}")
            yield row

"""Texts as files of judgments that come into a project, and what stands after it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from cleverdon.assess.importing.importing import Imported, Importing, import_file
from cleverdon.assess.importing.rows import Fields
from cleverdon.assess.people.auditing import COMMAND_LINE
from cleverdon.assess.project import Project
from cleverdon.assess.watching.labels import label_rows

Bring = Callable[..., Imported]
"""`brought` into a project that is thrown away."""


def brought(
    project: Project,
    folder: Path,
    content: str | bytes,
    file: str = "old.qrels",
    fields: Fields | None = None,
    **how: Any,
) -> Imported:
    """Import a text, or what else a file may hold."""
    path = folder / file
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return import_file(project, str(path), Importing(**how), actor=COMMAND_LINE, fields=fields)


def standing(project: Project, *kinds: str) -> dict[tuple[str, str, str], int]:
    with project.database.reading() as connection:
        rows = label_rows(connection, kinds or ("earlier",))
        return {(row.judge, row.topic, row.document): row.grade for row in rows}

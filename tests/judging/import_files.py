"""Texts as files of judgments that come into a project, and what stands after it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from cleverdon.judging.dashboard.facts import standing_grades
from cleverdon.judging.imports import Fields
from cleverdon.judging.imports.importer import ImportResult, ImportSettings, import_file
from cleverdon.judging.people.accounts import COMMAND_LINE
from cleverdon.judging.project import Project

Bring = Callable[..., ImportResult]
"""`brought` into a project that is thrown away."""


def brought(
    project: Project,
    folder: Path,
    content: str | bytes,
    file: str = "old.qrels",
    fields: Fields | None = None,
    **how: Any,
) -> ImportResult:
    """Import a text, or what else a file may hold."""
    path = folder / file
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return import_file(project, str(path), ImportSettings(**how), actor=COMMAND_LINE, fields=fields)


def standing(project: Project, *kinds: str) -> dict[tuple[str, str, str], int]:
    with project.database.reading() as connection:
        rows = standing_grades(connection, kinds or ("earlier",))
        return {(row.judge, row.query, row.document): row.grade for row in rows}

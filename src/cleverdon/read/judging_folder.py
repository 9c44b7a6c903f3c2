"""Judgments that lie in the folder of a judging project (`cleverdon judge`).

The folder is known by a file of its own, so that looking for it costs next to nothing where none of
the judging app's libraries are installed. Folders of other kinds are not read here.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from cleverdon.errors import MissingExtra

if TYPE_CHECKING:
    from cleverdon.data import Judgments

MARK = "cleverdon-judge.json"
"""The file by which a folder is known as a project."""


def is_project(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a project's folder."""
    return os.path.isfile(os.path.join(path, MARK))


def from_project(path: str, *, format: str | None, name: str | None) -> Judgments:
    """The judgments of a project as it would publish them: see `assess.exporting.folder`."""
    try:
        from cleverdon.assess.exporting.folder import read_folder
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("cleverdon"):
            raise
        raise MissingExtra(
            f"reading the project {path}", package=error.name or "sqlalchemy", extra="web"
        ) from None
    return read_folder(path, format=format, name=name)

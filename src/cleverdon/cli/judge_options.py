"""What the commands of the judging app share: its libraries, and the project's folder."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

import click

from cleverdon.errors import MissingExtra

if TYPE_CHECKING:
    from cleverdon.assess.project import Project

_PACKAGES = {
    "sqlalchemy": "sqlalchemy",
    "alembic": "alembic",
    "argon2": "argon2-cffi",
    "fastapi": "fastapi",
    "jinja2": "jinja2",
    "python_multipart": "python-multipart",
    "uvicorn": "uvicorn",
}
"""What the extra `web` brings: the module, and the package that has it."""

folder = click.argument("folder", metavar="DIR", type=click.Path())
"""The project's folder."""


def needs_web() -> None:
    """Say which library is missing, before anything of `cleverdon.assess` is imported."""
    for module, package in _PACKAGES.items():
        if find_spec(module) is None:
            raise MissingExtra("the judging app", package=package, extra="web")


def opened(folder: str) -> Project:
    """The project of a folder; close it, or use it in a `with`."""
    needs_web()
    from cleverdon.assess.project import open_project

    return open_project(folder)


def ended_text(project: Project) -> str:
    """Of an adaptive pool: which topics have ended, and why; empty where none has."""
    from cleverdon.assess.judging.feeding import Feeder

    with project.database.reading() as connection:
        found = Feeder(project).endings(connection)
    reasons = dict.fromkeys(found.values())
    named = {why: [name for name in found if found[name] == why] for why in reasons}
    return "\n".join(
        f"ended ({why}): {', '.join(names[:10])}{', ...' if len(names) > 10 else ''}"
        for why, names in named.items()
    )

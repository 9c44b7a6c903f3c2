"""What the commands of the judging app share: its libraries, and the project's folder."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

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


class _Url(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """The address of a host, without a path."""

    name = "URL"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            parts = urlsplit(value)
            host = parts.hostname if parts.port != 0 else None
        except ValueError:  # a port that is no number, a host in half a bracket
            host = None
        rest = parts.path.strip("/") + parts.query + parts.fragment if host else ""
        if not host or rest or parts.scheme not in ("http", "https") or "@" in value:
            self.fail(
                f"{value}: expected http://HOST or https://HOST; the app has a host of its own",
                param,
                ctx,
            )
        return value


URL = _Url()
"""The type of the option --url."""

folder = click.argument("folder", metavar="DIR", type=click.Path())
"""The project's folder."""


def needs_web() -> None:
    """Say which library is missing, before anything of `cleverdon.assess` is imported."""
    for module, package in _PACKAGES.items():
        if not _is_there(module):
            raise MissingExtra("the judging app", package=package, extra="web")


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):  # something keeps it from being imported
        return False


def opened(folder: str) -> Project:
    """The project of a folder; close it, or use it in a `with`."""
    needs_web()
    from cleverdon.assess.project import open_project

    return open_project(folder)

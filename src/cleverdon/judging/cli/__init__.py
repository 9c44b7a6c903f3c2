"""cleverdon judge: the group of commands, and what they share.

Importing it loads neither SQLAlchemy nor numpy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from cleverdon._common.extras import check_installed
from cleverdon.cli import Commands
from cleverdon.cli.declarations import Options, argument

if TYPE_CHECKING:
    from cleverdon.judging.project import Project


_PROJECT, _FILES = "judging.cli.project", "judging.cli.files"
_COMMANDS = {
    "init": (_PROJECT, "Create a project: queries, documents, what to judge, a scale."),
    "serve": (_PROJECT, "Serve a project's web app, and print the address and a sign-in link."),
    "people": (
        _PROJECT,
        "List people, add them, change roles; make sign-in links, passwords, tokens.",
    ),
    "assign": (_PROJECT, "Assign queries to people; let two people judge some documents."),
    "status": (_PROJECT, "Print progress, agreement, estimated recall, and what is left."),
    "import": (_FILES, "Add judgments made elsewhere: qrels, Quepid, Label Studio, a model's."),
    "export": (_FILES, "Write qrels, the history, a report of agreement, or a datasheet."),
    "backup": (_FILES, "Copy a project into one file, while it is in use."),
    "restore": (_FILES, "Create a project from a backup."),
}


@click.command(cls=Commands, commands=_COMMANDS)
def judge_command() -> None:
    """Have people judge documents in a web app, from a pool to published qrels.

    \b
    Examples:
      cleverdon judge init judging --queries topics.tsv --pool pool.tsv --documents docs.jsonl
      cleverdon judge serve judging
      cleverdon judge people judging --add Ann --role assessor
      cleverdon judge assign judging --overlap 0.1
      cleverdon judge export judging -o qrels.txt
      cleverdon eval judging bm25.run
    """


_MODULES = ("sqlalchemy", "alembic", "argon2", "fastapi", "jinja2", "python_multipart", "uvicorn")
"""The modules of the extra `web`."""


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

folder = argument(click.Path(), metavar="DIR")
"""The project's folder."""


def keywords(given: Options, *without: str) -> dict[str, Any]:
    """Return the options as keyword arguments of the function that has them under these names."""
    return {name: value for name, value in vars(given).items() if name not in without}


def require_web() -> None:
    """Raise MissingExtra for the first library of the extra `web` that is not installed."""
    check_installed(_MODULES, "the judging app", extra="web")


def open_folder(folder: str) -> Project:
    """Return the project of a folder; close it, or use it in a `with`."""
    require_web()
    from cleverdon.judging.project import open_project

    return open_project(folder)

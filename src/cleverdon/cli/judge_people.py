"""cleverdon judge people: who has an account in a project, from the command line."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from cleverdon.assess.people.rights import RIGHTS
from cleverdon.cli import judge_options, options

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from cleverdon.assess.people.accounts import Person
    from cleverdon.assess.project import Project


_URL = "http://127.0.0.1:8000"
"""Where `judge serve` serves by default."""


def _of(flag: str, help: str) -> options.Decorator[Any]:
    """An option that takes names."""
    name = flag.removeprefix("--")
    return click.option(flag, name, multiple=True, metavar="NAME", help=f"{help}; again for more.")


@click.command()
@judge_options.folder
@_of("--add", "Make an account and a sign-in link")
@_of("--change", "Give a person the role that --role says")
@click.option(
    "--role",
    type=click.Choice(list(RIGHTS)),
    help="With --add or --change: what they may do.  [default: assessor]",
)
@_of("--link", "Make a new sign-in link; the one before it ends")
@_of("--deactivate", "Let a person in no longer; their judgments stay")
@_of("--reactivate", "Let a person in again")
@click.option(
    "--password", metavar="NAME", help="Set a person's password: it is asked for, or read."
)
@click.option("--token", metavar="NAME", help="Make a token, by which a program acts as a person.")
@click.option(
    "--days",
    type=options.Count(1, 3650),
    help="With --token: how long it lasts.  [default: 365]",
)
@click.option(
    "--url",
    type=judge_options.URL,
    help="The address of the app, for links.  [default: that of the server that runs, or ran last, "
    f"in DIR; {_URL} before the first]",
)
@options.formats("How to print it.", ("table", "json"))
def command(
    folder: str,
    add: tuple[str, ...],
    change: tuple[str, ...],
    role: str | None,
    link: tuple[str, ...],
    deactivate: tuple[str, ...],
    reactivate: tuple[str, ...],
    password: str | None,
    token: str | None,
    days: int | None,
    url: str | None,
    format_: str,
) -> None:
    """List who has an account in the project in DIR, and change it. A server may run meanwhile.

    Sign-in links and tokens are printed this once: only a digest of them is stored.

    \b
    Examples:
      cleverdon judge people judging
      cleverdon judge people judging --add Ann --add Bob --url https://judge.example.org
      cleverdon judge people judging --change Ann --role administrator
      cleverdon judge people judging --link Bob
      cleverdon judge people judging --token Ann --days 30 -f json
    """
    if role and not (add or change):
        raise click.UsageError("--role goes with --add or --change")
    if change and not role:
        raise click.UsageError("--change needs --role: which role it is to be")
    if days and not token:
        raise click.UsageError("--days goes with --token")
    with judge_options.opened(folder) as project:
        from cleverdon.assess.people import managing
        from cleverdon.assess.people.accounts import all_people
        from cleverdon.assess.people.auditing import COMMAND_LINE as BY
        from cleverdon.assess.people.entering import set_password

        stored = _new_password(project, password) if password else None
        keys: dict[str, str] = {}
        made = ""
        with project.database.writing() as connection:
            for name in add:
                person, key = managing.add(connection, BY, name, role or "assessor")
                keys[person.name] = key
            for person in _named(connection, (password,) if password else ()):
                set_password(connection, person.id, stored)
                BY.note(connection, "changed the password", person.name)
            for person in _named(connection, change):
                managing.change_role(connection, BY, person.id, role or "assessor")
            for person in _named(connection, reactivate):
                managing.set_active(connection, BY, person.id, active=True)
            for person in _named(connection, link):
                _, keys[person.name] = managing.renew_link(connection, BY, person.id)
            for person in _named(connection, (token,) if token else ()):
                name = "made at the command line"
                _, made = managing.make_token(connection, BY, person.id, name, days=days or 365)
            for person in _named(connection, deactivate):
                managing.set_active(connection, BY, person.id, active=False)
            people = all_people(connection)
        from cleverdon.assess.lock import served_address

        address = url or served_address(project.folder) or _URL
    click.echo(_printed(people, keys, made, address, format_))


def _named(connection: Connection, names: tuple[str, ...]) -> list[Person]:
    from cleverdon.assess.people.accounts import person_named

    return [person_named(connection, name) for name in names]


def _new_password(project: Project, name: str) -> str:
    """What is to be stored: asked for before anything is written, as it takes people a while."""
    from cleverdon.assess.people import passwords

    with project.database.reading() as connection:
        (person,) = _named(connection, (name,))
    if sys.stdin.isatty():
        asked = f"New password of {person.name}"
        given = click.prompt(asked, hide_input=True, confirmation_prompt=True)
    else:
        given = sys.stdin.readline().rstrip("\r\n")
    return passwords.hashed(given, name=person.name)


def _printed(people: list[Person], keys: dict[str, str], token: str, url: str, format: str) -> str:
    import json

    from cleverdon.assess.web.origin import sign_in_link
    from cleverdon.show.grid import Grid, laid_out, printable

    links = {name: sign_in_link(url, key) for name, key in keys.items()}
    if format == "json":
        listed = [vars(person) for person in people]
        said = {"people": listed, "links": links, "token": token or None}
        return json.dumps(said, indent=1, ensure_ascii=False)
    grid = Grid(
        header=["name", "role", "account", "password"],
        rows=[
            [
                printable(person.name),
                person.role,
                "active" if person.active else "deactivated",
                "yes" if person.has_password else "no",
            ]
            for person in people
        ],
        labels=4,
        notes=[],
    )
    lines = [laid_out(grid, "table") if people else "nobody has an account yet: --add NAME"]
    lines += [f"{printable(name)} signs in at {link}" for name, link in links.items()]
    return "\n".join([*lines, *([f"the token: {token}"] if token else [])])

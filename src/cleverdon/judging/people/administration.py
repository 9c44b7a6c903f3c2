"""Administration of accounts, with a line in the audit log; pages, API and commands share it.

Whoever can write to the project's folder adds the first administrator.
"""

from __future__ import annotations

import getpass
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection, delete, exists, select, update

from cleverdon._common.text import printable
from cleverdon.judging.errors import Conflict
from cleverdon.judging.people import accounts, sessions
from cleverdon.judging.people.accounts import (
    COMMAND_LINE,
    SIGNED_IN,
    Actor,
    Person,
    all_people,
    confusable_form,
    person_by_id,
    person_named,
)
from cleverdon.judging.people.sessions import (
    Token,
    end_session,
    end_sessions,
    hash_password,
    new_link,
    set_password,
    sign_in_link,
)
from cleverdon.judging.project import Project, served_address
from cleverdon.judging.store.schema import audit, leases, links, people, tokens, visits
from cleverdon.tables.result import Result
from cleverdon.tables.sections import Section
from cleverdon.tables.table import TextTable

_DEFAULT_URL = "http://127.0.0.1:8000"  # of `judge serve`


def add_account(connection: Connection, by: Actor, name: str, role: str) -> tuple[Person, str]:
    """Add an account and return it with the key of its sign-in link."""
    person = accounts.add_person(connection, name, role)
    by.note(connection, "added a person", f"{person.name}, {role}")
    return person, new_link(connection, person.id)


def change_role(connection: Connection, by: Actor, person: int, role: str) -> Person:
    """Give a person another role; judgments and assignments stay."""
    accounts.check_role(role)
    before = person_by_id(connection, person)
    if role != "administrator":
        _keep_one_administrator(connection, before)
    connection.execute(update(people).where(people.c.id == person).values(role=role))
    by.note(connection, "changed a role", f"{before.name}, {role}")
    return replace(before, role=role)


def set_active(connection: Connection, by: Actor, person: int, *, active: bool) -> Person:
    """Deactivate or reactivate an account.

    A deactivated person loses links, sessions, tokens and leases; password and judgments stay.
    """
    before = person_by_id(connection, person)
    if not active:
        _keep_one_administrator(connection, before)
        for table in (visits, links, tokens, leases):
            connection.execute(delete(table).where(table.c.person_id == person))
    connection.execute(update(people).where(people.c.id == person).values(active=active))
    by.note(connection, "reactivated" if active else "deactivated", before.name)
    return replace(before, active=active)


def _keep_one_administrator(connection: Connection, leaving: Person) -> None:
    """Refuse to lose the last administrator; one transaction writes at a time."""
    administrators = [
        one for one in all_people(connection) if one.active and one.role == "administrator"
    ]
    if administrators == [leaving]:
        raise Conflict(
            f"{leaving.name} is the only administrator: make somebody else one first, or nobody "
            "could let people in"
        )


def renew_link(
    connection: Connection, by: Actor, person: int, *, forget_password: bool = False
) -> tuple[Person, str]:
    """Make a new sign-in link, which ends the old one; optionally drop password and sessions."""
    found = person_by_id(connection, person)
    if not found.active:
        raise Conflict(f"{found.name} is deactivated: reactivate the account first")
    if forget_password:
        set_password(connection, person, None)
        by.note(connection, "took a password away", found.name)
    by.note(connection, "made a sign-in link", found.name)
    return person_by_id(connection, person), new_link(connection, person)


def make_token(
    connection: Connection, by: Actor, person: int, name: str, *, days: int | None
) -> tuple[Token, str]:
    """Make a token of a person and return it with its key."""
    made, key = sessions.new_token(connection, person, name, days=days)
    owner = person_by_id(connection, person).name
    by.note(connection, "made a token", f"{made.name}, of {owner}")
    return made, key


def revoke_token(connection: Connection, by: Actor, person: int, token: int) -> None:
    ended = sessions.revoke_token(connection, person, token)
    owner = person_by_id(connection, person).name
    by.note(connection, "revoked a token", f"{ended.name}, of {owner}")


def end_session_of(
    connection: Connection, by: Actor, person: int, *, visit: str, everywhere: bool = False
) -> None:
    """End one session; or, with `everywhere`, all sessions of a person and the sign-in link."""
    if everywhere:
        end_sessions(connection, person)
    else:
        end_session(connection, visit)
    by.note(connection, "signed out", "everywhere" if everywhere else "")


def first_administrator(
    connection: Connection, name: str | None = None
) -> tuple[Person, str] | None:
    """Return the first administrator and a new link's key; None once one has signed in.

    If there is no administrator yet, one is added, with the given name or that of the system's
    user.
    """
    known = {person.name: person for person in all_people(connection)}
    names = [one.name for one in known.values() if one.role == "administrator" and one.active]
    signed_in = exists().where(audit.c.action == SIGNED_IN, audit.c.actor.in_(names))
    if connection.execute(select(signed_in)).scalar():
        return None
    if names and (name is None or name in names):
        return renew_link(connection, COMMAND_LINE, known[name or names[0]].id)
    if name in known:
        raise Conflict(
            f"{name} has an account, and is not an administrator: change the role by "
            f"`cleverdon judge people DIR --change {name} --role administrator`"
        )
    return add_account(connection, COMMAND_LINE, name or _free_name(known), "administrator")


def _free_name(taken: Iterable[str]) -> str:
    """Return the user of this system, or a name that nobody has yet."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError, ImportError):  # there are systems without users
        user = "admin"
    known = {confusable_form(name) for name in taken}
    names = (user, "admin", *(f"admin{number}" for number in range(2, len(known) + 3)))
    return next(each for each in names if confusable_form(each) not in known)


@dataclass(frozen=True)
class AccountList(Result):
    """The accounts of a project, with the sign-in links and the token that were just made.

    Attributes:
        people: All accounts, by name.
        links: New sign-in links by the names of their owners; they are not stored.
        token: The new token, which is not stored either.

    >>> from cleverdon.judging import example_project
    >>> with example_project() as project:
    ...     print(manage_people(project))
    name  role      account  password
    ────  ────────  ───────  ────────
    ann   assessor  active   no
    bob   assessor  active   no
    """

    people: tuple[Person, ...]
    links: Mapping[str, str]  # by name
    token: str | None = None

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return one table, a row for each account."""
        rows = [
            [
                printable(person.name),
                person.role,
                "active" if person.active else "deactivated",
                "yes" if person.has_password else "no",
            ]
            for person in self.people
        ]
        header = ["name", "role", "account", "password"]
        return [Section("People", TextTable(header, rows, len(header), []), titled=False)]

    def closing(self) -> list[str]:
        """Return the links and the token, which are not stored and cannot be printed again."""
        lines = [] if self.people else ["nobody has an account yet: --add NAME"]
        lines += [f"{printable(name)} signs in at {link}" for name, link in self.links.items()]
        return [*lines, *([f"the token: {self.token}"] if self.token else [])]


def manage_people(
    project: Project,
    *,
    add: Sequence[str] = (),
    change: Sequence[str] = (),
    role: str | None = None,
    link: Sequence[str] = (),
    deactivate: Sequence[str] = (),
    reactivate: Sequence[str] = (),
    passwords: Mapping[str, str] | None = None,
    token: str | None = None,
    valid_days: int = 365,
    url: str | None = None,
) -> AccountList:
    """Change accounts in one transaction, and list all of them.

    Args:
        project: The project; a server may run meanwhile.
        add: Names of people who get an account and a sign-in link.
        change: Names of people who get the role.
        role: The role of those who are added (by default assessor) or changed.
        link: Names of people who get a new sign-in link; the one before it ends.
        deactivate: Names of people who can sign in no longer; their judgments stay.
        reactivate: Names of people who can sign in again.
        passwords: New passwords by name.
        token: The name of a person who gets a token for a program.
        valid_days: How many days the token lasts.
        url: The address of the app, for the links; by default that of the last server.

    Returns:
        All accounts, the new sign-in links by name, and the new token.

    Raises:
        NotFound: Nobody has that name.
        Conflict: The name is taken, or no administrator would be left.
        Invalid: A name, role or password is not allowed.

    >>> from cleverdon.judging import example_project
    >>> with example_project() as project:
    ...     found = manage_people(project, add=["Eve"], role="administrator")
    >>> [person.name for person in found.people], list(found.links)
    (['ann', 'bob', 'Eve'], ['Eve'])
    """
    by = COMMAND_LINE
    # Hashing takes a while: do it before the transaction, for which all who judge wait.
    with project.database.reading() as connection:
        hashes = {
            name: hash_password(password, name=person_named(connection, name).name)
            for name, password in (passwords or {}).items()
        }
    keys: dict[str, str] = {}
    made = None
    with project.database.writing() as connection:

        def named(names: Iterable[str]) -> list[Person]:
            return [person_named(connection, name) for name in names]

        for name in add:
            person, key = add_account(connection, by, name, role or "assessor")
            keys[person.name] = key
        for person, stored in zip(named(hashes), hashes.values(), strict=True):
            set_password(connection, person.id, stored)
            by.note(connection, "changed the password", person.name)
        for person in named(change):
            change_role(connection, by, person.id, role or "assessor")
        for person in named(reactivate):
            set_active(connection, by, person.id, active=True)
        for person in named(link):
            _, keys[person.name] = renew_link(connection, by, person.id)
        for person in named([token] if token else []):
            _, made = make_token(
                connection, by, person.id, "made at the command line", days=valid_days
            )
        for person in named(deactivate):
            set_active(connection, by, person.id, active=False)
        everybody = all_people(connection)
    address = url or served_address(project.folder) or _DEFAULT_URL
    links = {name: sign_in_link(address, key) for name, key in keys.items()}
    return AccountList(tuple(everybody), links, made)

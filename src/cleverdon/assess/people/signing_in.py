"""Sign-in links and who is signed in: a key that is shown once, and a digest that is stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, Table, bindparam, delete, insert, literal, null, select

from cleverdon.assess import clock
from cleverdon.assess.people.keys import digest, new_key
from cleverdon.assess.store.schema import links, people, tokens, visits

DAY = 86_400.0
LINK_LASTS = 30 * DAY
VISIT_LASTS = 30 * DAY


@dataclass(frozen=True)
class Known:
    """Whose key it is."""

    person: int
    name: str
    role: str
    token: str = ""  # what it is called, where the key is a token
    used_at: float | None = None  # when a token was last used, as far as it was noted


def new_link(connection: Connection, person: int) -> str:
    """A new personal link's key; the one before it stops working."""
    connection.execute(delete(links).where(links.c.person_id == person))
    return _opened(connection, links, person, LINK_LASTS)


def new_visit(connection: Connection, person: int) -> str:
    """The key for the cookie of somebody who signs in."""
    connection.execute(delete(visits).where(visits.c.expires_at <= clock.now()))
    return _opened(connection, visits, person, VISIT_LASTS)


def end_visit(connection: Connection, key: str) -> None:
    """Sign out."""
    connection.execute(delete(visits).where(visits.c.digest == digest(key)))


def end_all(connection: Connection, person: int, *, but: str = "", keep_link: bool = False) -> None:
    """Sign a person out everywhere, but where the cookie holds the key `but`.

    The link ends too, unless `keep_link`: somebody else may have it.
    """
    if not keep_link:
        connection.execute(delete(links).where(links.c.person_id == person))
    connection.execute(
        delete(visits).where(visits.c.person_id == person, visits.c.digest != digest(but))
    )


def of_link(connection: Connection, key: str) -> Known | None:
    """Whose sign-in link it is, if it still holds."""
    return _known(connection, links, key)


def of_visit(connection: Connection, key: str) -> Known | None:
    """Whose cookie it is."""
    return _known(connection, visits, key)


def of_token(connection: Connection, key: str) -> Known | None:
    """Whose token it is."""
    return _known(connection, tokens, key)


def _opened(connection: Connection, table: Table, person: int, lasts: float) -> str:
    key, now = new_key(), clock.now()
    row = {"digest": digest(key), "person_id": person, "created_at": now}
    connection.execute(insert(table).values(**row, expires_at=now + lasts))
    return key


def _whose(table: Table) -> Select[Any]:
    is_token = table is tokens
    token = (tokens.c.name if is_token else literal("")).label("token")
    used_at = (tokens.c.used_at if is_token else null()).label("used_at")
    return (
        select(people.c.id, people.c.name, people.c.role, table.c.expires_at, token, used_at)
        .join(table, table.c.person_id == people.c.id)
        .where(table.c.digest == bindparam("key_digest"), people.c.active)
    )


# Built once: each request asks.
_WHOSE = {table.name: _whose(table) for table in (links, visits, tokens)}


def _known(connection: Connection, table: Table, key: str) -> Known | None:
    found = connection.execute(_WHOSE[table.name], {"key_digest": digest(key)}).first()
    if found is None or (found.expires_at is not None and found.expires_at <= clock.now()):
        return None
    return Known(found.id, found.name, found.role, found.token, found.used_at)

"""Tokens for programs: each acts as the person who made it, until it ends or is revoked."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, insert, select, update

from cleverdon.assess import clock
from cleverdon.assess.people.accounts import check_name
from cleverdon.assess.people.keys import digest, new_key
from cleverdon.assess.people.signing_in import DAY
from cleverdon.assess.refusals import Conflict, Invalid, NotThere
from cleverdon.assess.store.schema import tokens

MOST = 50
"""Tokens of one person."""

LONGEST_DAYS = 3650

_PREFIX = "cleverdon_"
"""So that whoever finds one in a file knows what it is."""

_USE_NOTED = 3600.0
"""Seconds for which a use is not noted again: reading must not cost a write each time."""


@dataclass(frozen=True)
class Token:
    """What is known of a token: all but the token."""

    id: int
    name: str
    created_at: float
    expires_at: float | None
    used_at: float | None


def tokens_of(connection: Connection, person: int) -> list[Token]:
    """A person's tokens, the newest last; those that ended are listed until they are revoked."""
    rows = connection.execute(
        select(tokens).where(tokens.c.person_id == person).order_by(tokens.c.id)
    )
    return [Token(row.id, row.name, row.created_at, row.expires_at, row.used_at) for row in rows]


def new_token(
    connection: Connection, person: int, name: str, *, days: int | None
) -> tuple[Token, str]:
    """A new token, and its key, which is not to be had again; without `days` it does not end."""
    name = check_name(name)
    if days is not None and not 1 <= days <= LONGEST_DAYS:
        raise Invalid(f"a token lasts 1 to {LONGEST_DAYS:,} days, or has no end")
    count = select(func.count()).where(tokens.c.person_id == person)
    if connection.execute(count).scalar_one() >= MOST:
        raise Conflict(f"there are {MOST} tokens already: revoke one that is not needed")
    key, now = _PREFIX + new_key(), clock.now()
    expires_at = None if days is None else now + days * DAY
    row = {"person_id": person, "name": name, "created_at": now, "expires_at": expires_at}
    added = connection.execute(insert(tokens).values(**row, digest=digest(key)))
    assert added.inserted_primary_key is not None
    return Token(added.inserted_primary_key.id, name, now, expires_at, None), key


def revoke_token(connection: Connection, person: int, token: int) -> Token:
    """End one of a person's tokens, and say which it was."""
    found = next((one for one in tokens_of(connection, person) if one.id == token), None)
    if found is None:
        raise NotThere(f"you have no token {token}")
    connection.execute(delete(tokens).where(tokens.c.id == token))
    return found


def use_is_news(used_at: float | None) -> bool:
    """Whether a use of a token is worth writing down."""
    return used_at is None or used_at + _USE_NOTED < clock.now()


def note_use(connection: Connection, key: str) -> None:
    """Write down that a token was used now."""
    connection.execute(
        update(tokens).where(tokens.c.digest == digest(key)).values(used_at=clock.now())
    )

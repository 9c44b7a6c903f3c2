"""Signing in: sign-in links, passwords, sessions and tokens.

Links, sessions and tokens are random keys, shown once and stored as digests. A token lets a program
act as the person who made it, until it expires or is revoked.

Passwords are hashed by argon2, and verified in the same time whether or not there is one. Verifying
takes a while on purpose, so it is done between two transactions: no judgment waits for it.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import unicodedata
from dataclasses import dataclass
from functools import cache
from threading import BoundedSemaphore
from typing import Any

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import (
    Connection,
    Select,
    Table,
    bindparam,
    delete,
    func,
    insert,
    literal,
    null,
    select,
    update,
)

from cleverdon.judging import clock
from cleverdon.judging.errors import Conflict, Forbidden, Invalid, NotFound
from cleverdon.judging.people.accounts import (
    SIGNED_IN,
    Actor,
    check_name,
    store_password,
    stored_password,
    write_audit_line,
)
from cleverdon.judging.store.database import Database
from cleverdon.judging.store.schema import links, people, tokens, visits


def new_key() -> str:
    """Return a random key of 256 bits, fit for an address."""
    return secrets.token_urlsafe(32)


def _key_digest(key: str) -> str:
    """Return the digest of a key that is stored; a random key needs no slow digest."""
    return hashlib.sha256(key.encode()).hexdigest()


def _new_device_key(stored_password: str) -> str:
    """Return a key that recognises a device on which somebody has signed in."""
    # It is signed with the stored password: nothing more is stored, and a new password voids it.
    key = new_key()
    return f"{key}.{_signature(key, stored_password)}"


def _is_device_key(key: str, stored_password: str) -> bool:
    """Tell whether `_new_device_key` made a key with this password."""
    made, _, signature = key.partition(".")
    return hmac.compare_digest(signature.encode(), _signature(made, stored_password).encode())


def _signature(key: str, stored_password: str) -> str:
    signed = f"cleverdon device {key}".encode("utf-8", "surrogatepass")
    return hmac.new(stored_password.encode(), signed, hashlib.sha256).hexdigest()


DAY = 86_400.0
LINK_LASTS = 30 * DAY
SESSION_LASTS = 30 * DAY


@dataclass(frozen=True)
class KeyOwner:
    """The person to whom a key belongs."""

    person: int
    name: str
    role: str
    token: str = ""  # what it is called, where the key is a token
    used_at: float | None = None  # when a token was last used, as far as it was noted


def new_link(connection: Connection, person: int) -> str:
    """Make a new sign-in link and return its key; the one before it stops working."""
    connection.execute(delete(links).where(links.c.person_id == person))
    return _new_row(connection, links, person, LINK_LASTS)


def sign_in_link(url: str, key: str) -> str:
    """Return the address of a sign-in link of the app at `url`.

    >>> sign_in_link("https://judge.example.org/", "abc")
    'https://judge.example.org/sign-in/abc'
    """
    return f"{url.rstrip('/')}/sign-in/{key}"


def _new_session(connection: Connection, person: int) -> str:
    """Start a session and return the key for its cookie."""
    connection.execute(delete(visits).where(visits.c.expires_at <= clock.now()))
    return _new_row(connection, visits, person, SESSION_LASTS)


def end_session(connection: Connection, key: str) -> None:
    """Sign out."""
    connection.execute(delete(visits).where(visits.c.digest == _key_digest(key)))


def end_sessions(
    connection: Connection, person: int, *, but: str = "", keep_link: bool = False
) -> None:
    """End all sessions of a person but the one with the key `but`, and by default the link."""
    if not keep_link:  # somebody else may have it
        connection.execute(delete(links).where(links.c.person_id == person))
    connection.execute(
        delete(visits).where(visits.c.person_id == person, visits.c.digest != _key_digest(but))
    )


def owner_of_link(connection: Connection, key: str) -> KeyOwner | None:
    """Return the owner of a sign-in link that has not expired."""
    return _owner(connection, links, key)


def owner_of_session(connection: Connection, key: str) -> KeyOwner | None:
    return _owner(connection, visits, key)


def owner_of_token(connection: Connection, key: str) -> KeyOwner | None:
    return _owner(connection, tokens, key)


def _new_row(connection: Connection, table: Table, person: int, lasts: float) -> str:
    key, now = new_key(), clock.now()
    row = {"digest": _key_digest(key), "person_id": person, "created_at": now}
    connection.execute(insert(table).values(**row, expires_at=now + lasts))
    return key


def _owner_query(table: Table) -> Select[Any]:
    is_token = table is tokens
    token = (tokens.c.name if is_token else literal("")).label("token")
    used_at = (tokens.c.used_at if is_token else null()).label("used_at")
    return (
        select(people.c.id, people.c.name, people.c.role, table.c.expires_at, token, used_at)
        .join(table, table.c.person_id == people.c.id)
        .where(table.c.digest == bindparam("key_digest"), people.c.active)
    )


# Built once: each request asks.
_OWNER_QUERIES = {table.name: _owner_query(table) for table in (links, visits, tokens)}


def _owner(connection: Connection, table: Table, key: str) -> KeyOwner | None:
    found = connection.execute(_OWNER_QUERIES[table.name], {"key_digest": _key_digest(key)}).first()
    if found is None or (found.expires_at is not None and found.expires_at <= clock.now()):
        return None
    return KeyOwner(found.id, found.name, found.role, found.token, found.used_at)


_MOST_TOKENS = 50  # of one person
LONGEST_DAYS = 3650
_PREFIX = "cleverdon_"  # so that whoever finds one in a file knows what it is
_USE_NOTED = 3600.0  # seconds until a use is noted again: reading must not cost a write each time


@dataclass(frozen=True)
class Token:
    """The facts about a token, without its key."""

    id: int
    name: str
    created_at: float
    expires_at: float | None
    used_at: float | None


def tokens_of(connection: Connection, person: int) -> list[Token]:
    """Return a person's tokens, the newest last, with expired ones."""
    rows = connection.execute(
        select(tokens).where(tokens.c.person_id == person).order_by(tokens.c.id)
    )
    return [Token(row.id, row.name, row.created_at, row.expires_at, row.used_at) for row in rows]


def new_token(
    connection: Connection, person: int, name: str, *, days: int | None
) -> tuple[Token, str]:
    """Make a token and return it with its key; without `days` it does not expire."""
    name = check_name(name)
    if days is not None and not 1 <= days <= LONGEST_DAYS:
        raise Invalid(f"a token lasts 1 to {LONGEST_DAYS:,} days, or has no end")
    count = select(func.count()).where(tokens.c.person_id == person)
    if connection.execute(count).scalar_one() >= _MOST_TOKENS:
        raise Conflict(f"there are {_MOST_TOKENS} tokens already: revoke one that is not needed")
    key, now = _PREFIX + new_key(), clock.now()
    expires_at = None if days is None else now + days * DAY
    row = {"person_id": person, "name": name, "created_at": now, "expires_at": expires_at}
    added = connection.execute(insert(tokens).values(**row, digest=_key_digest(key)))
    assert added.inserted_primary_key is not None
    return Token(added.inserted_primary_key.id, name, now, expires_at, None), key


def revoke_token(connection: Connection, person: int, token: int) -> Token:
    """End one of a person's tokens, and say which it was."""
    found = next((one for one in tokens_of(connection, person) if one.id == token), None)
    if found is None:
        raise NotFound(f"you have no token {token}")
    connection.execute(delete(tokens).where(tokens.c.id == token))
    return found


def is_use_worth_noting(used_at: float | None) -> bool:
    """Tell whether a use of a token is to be written down."""
    return used_at is None or used_at + _USE_NOTED < clock.now()


def note_token_use(connection: Connection, key: str) -> None:
    """Write down that a token was used now."""
    connection.execute(
        update(tokens).where(tokens.c.digest == _key_digest(key)).values(used_at=clock.now())
    )


SHORTEST_PASSWORD, LONGEST_PASSWORD = 10, 200
HASHES_AT_ONCE = 2  # each takes 64 MB: a crowd of strangers must not fill the memory
_ARGON2 = PasswordHasher()  # argon2id, with what RFC 9106 recommends where memory is scarce
_HASHING = BoundedSemaphore(HASHES_AT_ONCE)


def check_new_password(password: str, *, name: str = "") -> None:
    """Refuse a password that is too short, too long, or the `name` of the person."""
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise Invalid(f"a password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters")
    if name and password.casefold() == name.casefold():
        raise Invalid("a password must not be the name")


def hash_password(password: str, *, name: str = "") -> str:
    """Return the hash of a new password of the person `name`."""
    check_new_password(password, name=name)
    with _HASHING:
        return _ARGON2.hash(_normalized(password))


def _verify_password(stored: str | None, password: str) -> bool:
    """Tell whether it is the password; without a stored one this takes the same time."""
    given = _normalized(password[: LONGEST_PASSWORD + 1])
    with _HASHING:
        try:
            right = _ARGON2.verify(stored or _dummy_hash(), given)
        except (VerificationError, InvalidHashError):
            return False
    return right and stored is not None


def _needs_rehash(stored: str) -> bool:
    """Tell whether it was hashed with other parameters than are used now."""
    return _ARGON2.check_needs_rehash(stored)


def _normalized(password: str) -> bytes:
    """Return the same bytes from every keyboard: accents may be characters of their own."""
    return unicodedata.normalize("NFC", password).encode("utf-8", "surrogatepass")


@cache
def _dummy_hash() -> str:
    return _ARGON2.hash(new_key())


def sign_in_by_password(
    database: Database, name: str, password: str, *, address: str
) -> str | None:
    """Start a session and return its key; None where name and password do not match."""
    with database.reading() as connection:
        found = _active_account(connection, name)
    stored = found.password if found else None
    right = _verify_password(stored, password)
    renewed = hash_password(password) if right and stored and _needs_rehash(stored) else None
    with database.writing() as connection:
        # The account may have been deactivated meanwhile, or have got another password.
        if found is not None and right and _active_account(connection, name) == found:
            if renewed:
                store_password(connection, found.id, renewed)
            write_audit_line(connection, found.name, SIGNED_IN, "by password", address=address)
            return _new_session(connection, found.id)
        # An unknown name is written down too, since writing takes a while; but not what was typed:
        # people type passwords into the wrong field.
        actor, about = (found.name, "wrong password") if found else ("", "unknown name")
        write_audit_line(connection, actor, "could not sign in", about, address=address)
        return None


def sign_in_by_link(database: Database, key: str, *, address: str) -> str | None:
    """Start a session and return its key; None where the link is not valid."""
    with database.writing() as connection:
        known = owner_of_link(connection, key)
        if known is None:
            return None
        write_audit_line(connection, known.name, SIGNED_IN, "by link", address=address)
        return _new_session(connection, known.person)


def change_password(
    database: Database,
    person: int,
    *,
    by: Actor,
    old: str,
    new: str,
    visit: str,
    keep_link: bool = False,
) -> None:
    """Change a person's password, who must know the old one if there is one.

    The person's other sessions end, and so does the sign-in link unless `keep_link`.
    """
    with database.reading() as connection:
        before = stored_password(connection, person)
    if before is not None and not _verify_password(before, old):
        with database.writing() as connection:
            by.note(connection, "could not change the password", "wrong password")
        raise Forbidden("the old password is another one")
    stored = hash_password(new, name=by.name)
    with database.writing() as connection:
        if stored_password(connection, person) != before:
            raise Forbidden("the password was changed meanwhile")
        set_password(connection, person, stored, but=visit, keep_link=keep_link)
        by.note(connection, "changed the password", by.name)


def set_password(
    connection: Connection,
    person: int,
    stored: str | None,
    *,
    but: str = "",
    keep_link: bool = False,
) -> None:
    """Store a new password, or none, and end all sessions but `but`, and the link."""
    store_password(connection, person, stored)
    end_sessions(connection, person, but=but, keep_link=keep_link)


def is_known_device(database: Database, name: str, device: str) -> bool:
    """Tell whether the person has signed in on the device that has this key."""
    with database.reading() as connection:
        found = _active_account(connection, name)
    return bool(found and found.password and _is_device_key(device, found.password))


def device_key(database: Database, visit: str) -> str | None:
    """Return a key for the device of a session; None for somebody without a password."""
    with database.reading() as connection:
        known = owner_of_session(connection, visit)
        stored = None if known is None else stored_password(connection, known.person)
    return None if stored is None else _new_device_key(stored)


def note_rate_limit(database: Database, what: str, address: str, name: str) -> None:
    """Note in the log that passwords failed too often; `what` is the kind of counter."""
    action = "is slowed down" if what in ("address", "name") else "is held off"
    with database.writing() as connection:
        if what == "address":
            actor, about = "", "too many failures from this address"
        elif _active_account(connection, name) is not None:
            actor, about = name, "too many failures with this name"
        else:  # it is not written down: it may be a password
            actor, about = "", "too many failures with an unknown name"
        if what == "pair":
            about += " from this address"
        write_audit_line(connection, actor, action, about, address=address)


def _active_account(connection: Connection, name: str) -> Any:
    if not name.isprintable():
        return None  # PostgreSQL would not take it for a text
    return connection.execute(
        select(people.c.id, people.c.name, people.c.password).where(
            people.c.name == name, people.c.kind == "person", people.c.active
        )
    ).first()

"""Passwords: kept by argon2, and compared in the same time whether or not there is one."""

from __future__ import annotations

import unicodedata
from functools import cache
from threading import BoundedSemaphore

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from cleverdon.assess.people.keys import new_key
from cleverdon.assess.refusals import Invalid

SHORTEST, LONGEST = 10, 200

_ARGON2 = PasswordHasher()  # argon2id, with what RFC 9106 recommends where memory is scarce

AT_ONCE = 2
"""Each takes 64 MB while it is compared: a crowd of strangers must not fill the memory."""

_TURNS = BoundedSemaphore(AT_ONCE)


def check_new(password: str, *, name: str = "") -> None:
    """Whether a password can be one; `name` is whose it would be."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise Invalid(f"a password has {SHORTEST} to {LONGEST} characters")
    if name and password.casefold() == name.casefold():
        raise Invalid("a password is not one's name")


def hashed(password: str, *, name: str = "") -> str:
    """What is stored of a new password; `name` is whose it is."""
    check_new(password, name=name)
    with _TURNS:
        return _ARGON2.hash(_composed(password))


def is_right(stored: str | None, password: str) -> bool:
    """Whether it is the password; where none is stored it takes as long to say no."""
    with _TURNS:
        try:
            right = _ARGON2.verify(stored or _nobodys(), _composed(password[: LONGEST + 1]))
        except (VerificationError, InvalidHashError):
            return False
    return right and stored is not None


def is_outdated(stored: str) -> bool:
    """Whether it was hashed with other parameters than are used now."""
    return _ARGON2.check_needs_rehash(stored)


def _composed(password: str) -> bytes:
    """The same bytes from whichever keyboard: an accent may come as a character of its own."""
    return unicodedata.normalize("NFC", password).encode("utf-8", "surrogatepass")


@cache
def _nobodys() -> str:
    return _ARGON2.hash(new_key())

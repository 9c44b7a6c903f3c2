"""Keys that open something: made at random, shown once, and stored as digests alone."""

from __future__ import annotations

import hashlib
import hmac
import secrets


def new_key() -> str:
    """A key that nobody guesses: 256 bits, fit for an address."""
    return secrets.token_urlsafe(32)


def digest(key: str) -> str:
    """What is stored of a key. It holds so much chance that a slow digest would add nothing."""
    return hashlib.sha256(key.encode()).hexdigest()


def csrf_of(key: str) -> str:
    """The word that forms must repeat: made of the cookie's key, so nothing more is stored."""
    return hmac.new(key.encode(), b"cleverdon csrf", hashlib.sha256).hexdigest()

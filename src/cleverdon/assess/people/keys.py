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


def new_device_key(stored_password: str) -> str:
    """A key that tells a device on which somebody has signed in.

    It is signed with what is stored of the person's password. So nothing more is stored, and a new
    password makes it void.
    """
    key = new_key()
    return f"{key}.{_signature(key, stored_password)}"


def is_device_key(key: str, stored_password: str) -> bool:
    """Whether `new_device_key` made a key, of this very password."""
    made, _, signature = key.partition(".")
    return hmac.compare_digest(signature.encode(), _signature(made, stored_password).encode())


def _signature(key: str, stored_password: str) -> str:
    signed = f"cleverdon device {key}".encode("utf-8", "surrogatepass")
    return hmac.new(stored_password.encode(), signed, hashlib.sha256).hexdigest()


def csrf_of(key: str) -> str:
    """The word that forms must repeat: made of the cookie's key, so nothing more is stored."""
    return hmac.new(key.encode(), b"cleverdon csrf", hashlib.sha256).hexdigest()

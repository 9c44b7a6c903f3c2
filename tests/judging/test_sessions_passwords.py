"""Passwords are kept by argon2, bounded, and renewed when its parameters change."""

from __future__ import annotations

import pytest
from argon2 import PasswordHasher

from cleverdon.judging.errors import Invalid
from cleverdon.judging.people import sessions

QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


def test_parameters_are_those_of_rfc_9106() -> None:
    assert sessions.hash_password("0123456789").startswith("$argon2id$v=19$m=65536,t=3,p=4$")


def test_a_password_is_known_by_what_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_ARGON2", QUICK)
    stored = sessions.hash_password("grün und blau", name="ann")
    assert stored.startswith("$argon2id$")
    assert "blau" not in stored
    assert sessions._verify_password(stored, "grün und blau")
    assert sessions._verify_password(stored, "gru\u0308n und blau"), (
        "an accent of its own is the same"
    )
    assert not sessions._verify_password(stored, "grün und rot")
    assert not sessions._verify_password(None, "grün und blau")
    assert not sessions._verify_password("no hash at all", "grün und blau")
    assert not sessions._needs_rehash(stored)


def test_what_was_kept_with_less_care_is_outdated() -> None:
    quick = QUICK.hash("0123456789")
    assert sessions._verify_password(quick, "0123456789")
    assert sessions._needs_rehash(quick)


@pytest.mark.parametrize("password", ["", "123456789", "x" * 201, "Christopher"])
def test_what_is_no_password(password: str) -> None:
    with pytest.raises(Invalid, match="a password"):
        sessions.hash_password(password, name="christopher")

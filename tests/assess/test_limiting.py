"""Trying again and again ends, for an address and for a name, and is forgotten after a while."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.assess import clock
from cleverdon.assess.web import limiting
from cleverdon.assess.web.limiting import BY_ADDRESS, BY_NAME, WINDOW, Attempts, TooOften


def fail(attempts: Attempts, *, address: str = "192.0.2.1", name: str | None = None) -> None:
    with attempts.trying(address=address, name=name):
        pass


def test_a_name_can_be_tried_so_often_from_wherever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "ticks", lambda: 1000.0)
    attempts = Attempts()
    for number in range(BY_NAME):
        fail(attempts, address=f"192.0.2.{number}", name="ann")
    with pytest.raises(TooOften, match="wait 5 minutes") as refused:
        fail(attempts, address="198.51.100.1", name="ann")
    assert refused.value.seconds == WINDOW
    fail(attempts, address="198.51.100.1", name="bob")
    fail(attempts, address="198.51.100.1")
    monkeypatch.setattr(clock, "ticks", lambda: 1000.0 + WINDOW)
    fail(attempts, address="198.51.100.1", name="ann")


def test_an_address_can_try_so_often_whatever_the_name() -> None:
    attempts = Attempts()
    for number in range(BY_ADDRESS):
        fail(attempts, address=f"2001:db8::{number:x}", name=f"name {number}")
    with pytest.raises(TooOften):
        fail(attempts, address="2001:db8::ffff", name="yet another")
    fail(attempts, address="2001:db8:0:1::1", name="yet another")


def test_what_was_right_does_not_count_and_an_error_does() -> None:
    attempts = Attempts()
    for _ in range(BY_NAME * 2):
        with attempts.trying(address="192.0.2.1", name="ann") as attempt:
            attempt.right = True
    assert not attempts.counts
    with pytest.raises(ZeroDivisionError), attempts.trying(address="192.0.2.1", name="ann"):
        raise ZeroDivisionError
    assert {count for _, count in attempts.counts.values()} == {1}


def test_what_is_held_off_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "ticks", lambda: 1000.0)
    told: list[tuple[str, str, str]] = []
    attempts = Attempts(lambda *what: told.append(what))
    for _ in range(BY_NAME - 1):
        fail(attempts, name="ann")
    with attempts.trying(address="192.0.2.1", name="ann") as attempt:
        attempt.right = True
    assert told == [], "the last one was right"
    fail(attempts, name="ann")
    for _ in range(2):
        with pytest.raises(TooOften):
            fail(attempts, name="ann")
    for number in range(BY_ADDRESS - BY_NAME):
        fail(attempts, name=f"name {number}")
    assert told == [("name", "192.0.2.1", "ann"), ("address", "192.0.2.1", "name 19")]
    monkeypatch.setattr(clock, "ticks", lambda: 1000.0 + WINDOW)
    for _ in range(BY_NAME):
        fail(attempts, name="ann")
    assert told[2:] == [("name", "192.0.2.1", "ann")]


@given(st.lists(st.text(max_size=3), max_size=40))
def test_memory_is_bounded(names: list[str]) -> None:
    attempts = Attempts()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limiting, "_MOST", 7)
        for number, name in enumerate(names):
            with suppress(TooOften):
                fail(attempts, address=str(number), name=name)
    assert len(attempts.counts) <= 7

"""Wrong passwords: a name waits at one address, and many failures only slow attempts down."""

from __future__ import annotations

from contextlib import suppress
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.assess import clock
from cleverdon.assess.web import limiting
from cleverdon.assess.web.limiting import (
    LONGEST_WAIT,
    MANY,
    PACE,
    TRIES,
    WINDOW,
    Attempts,
    TooOften,
)

HERE, THERE = "192.0.2.1", "198.51.100.1"


@pytest.fixture(autouse=True)
def _still(monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, 0)


def at(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    monkeypatch.setattr(clock, "ticks", lambda: 1000.0 + seconds)


def fail(attempts: Attempts, *, address: str = HERE, name: str = "ann", device: str = "") -> None:
    with attempts.trying(address=address, name=name, device=device):
        pass


def turn(attempts: Attempts, *, address: str = HERE, name: str = "ann", device: str = "") -> float:
    return attempts.turn(address=address, name=name, device=device)


def test_a_name_waits_at_the_address_that_failed_and_nowhere_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    attempts = Attempts()
    for _ in range(TRIES):
        assert turn(attempts) == 0
        fail(attempts)
    for refused in (fail, turn):
        with pytest.raises(TooOften, match="wait 5 minutes and try again, or sign in by") as error:
            refused(attempts)
        assert error.value.seconds == WINDOW
    assert turn(attempts, address=THERE) == 0, "the right person is elsewhere"
    fail(attempts, address=THERE)
    assert turn(attempts, name="bob") == 0, "somebody else at the same address"
    fail(attempts, name="bob")
    at(monkeypatch, WINDOW)
    fail(attempts)


def test_a_known_device_is_counted_by_itself() -> None:
    attempts = Attempts()
    for number in range(MANY + 20):
        with suppress(TooOften):
            fail(attempts)
        fail(attempts, address=f"2001:db8:0:{number:x}::1")
    with pytest.raises(TooOften):
        turn(attempts)
    turn(attempts, address=THERE)
    assert turn(attempts, address=THERE) == PACE, "the name is tried from everywhere"
    for _ in range(TRIES):
        assert turn(attempts, device="mine") == 0
        fail(attempts, device="mine")
    with pytest.raises(TooOften):  # it is as any other by now
        fail(attempts, device="mine")
    assert turn(attempts, device="another") == 0


@pytest.mark.parametrize("same", ["name", "address"])
def test_many_failures_slow_down_and_lock_nobody_out(
    monkeypatch: pytest.MonkeyPatch, same: str
) -> None:
    attempts = Attempts()

    def who(number: int) -> dict[str, str]:
        if same == "name":
            return {"address": f"2001:db8:0:{number:x}::1", "name": "ann"}
        return {"address": f"2001:db8::{number:x}", "name": f"name {number}"}

    for number in range(MANY):
        assert attempts.turn(**who(number)) == 0
        fail(attempts, **who(number))
    places = int(LONGEST_WAIT / PACE) + 1
    waits = [attempts.turn(**who(MANY + number)) for number in range(places)]
    assert waits == [PACE * place for place in range(places)], "one after the other"
    with pytest.raises(TooOften, match="wait 2 s and") as error:
        attempts.turn(**who(MANY + places))
    assert error.value.seconds == PACE, "not for minutes"
    at(monkeypatch, PACE)
    assert attempts.turn(**who(MANY + places)) == LONGEST_WAIT
    at(monkeypatch, 10 * LONGEST_WAIT)
    assert attempts.turn(**who(MANY + places)) == 0, "nobody else tries any more"
    assert len(attempts.turns) == 1
    other = {"address": THERE, "name": "bob"}
    assert [attempts.turn(**other) for _ in range(3)] == [0, 0, 0]
    at(monkeypatch, WINDOW)
    assert [attempts.turn(**who(number)) for number in range(3)] == [0, 0, 0]


def test_many_at_once_are_no_way_around() -> None:
    attempts, right = Attempts(), []

    def guess() -> None:
        with suppress(TooOften), attempts.trying(address=HERE, name="ann"):
            right.append(True)

    threads = [Thread(target=guess) for _ in range(3 * TRIES)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(right) == TRIES


def test_what_was_right_does_not_count_and_an_error_does() -> None:
    attempts = Attempts()
    for _ in range(TRIES * 2):
        with attempts.trying(address=HERE, name="ann") as attempt:
            attempt.right = True
    assert not attempts.counts
    with pytest.raises(ZeroDivisionError), attempts.trying(address=HERE, name="ann"):
        raise ZeroDivisionError
    assert {count for _, count in attempts.counts.values()} == {1}


def test_who_changes_a_password_is_counted_apart() -> None:
    attempts = Attempts()
    for _ in range(TRIES):
        fail(attempts)
    for _ in range(TRIES):
        with attempts.changing(address=HERE, name="ann"):
            pass
    with pytest.raises(TooOften), attempts.changing(address=HERE, name="ann"):
        pass
    with attempts.changing(address=THERE, name="ann"):
        pass


def test_what_reaches_a_bound_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, str, str]] = []
    attempts = Attempts(lambda *what: told.append(what))
    for _ in range(TRIES - 1):
        fail(attempts)
    with attempts.trying(address=HERE, name="ann") as attempt:
        attempt.right = True
    assert told == [], "the last one was right"
    fail(attempts)
    for _ in range(2):
        with pytest.raises(TooOften):
            fail(attempts)
    for number in range(MANY):
        fail(attempts, name=f"name {number}")
    last = f"name {MANY - TRIES - 1}"
    assert told == [("pair", HERE, "ann"), ("address", HERE, last)]
    at(monkeypatch, WINDOW)
    for _ in range(TRIES):
        fail(attempts)
    assert told[2:] == [("pair", HERE, "ann")]


@given(st.lists(st.text(max_size=3), max_size=40))
def test_memory_is_bounded(names: list[str]) -> None:
    attempts = Attempts()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limiting, "_MOST", 7)
        for number, name in enumerate(names):
            with suppress(TooOften):
                fail(attempts, address=str(number), name=name)
    assert len(attempts.counts) <= 7

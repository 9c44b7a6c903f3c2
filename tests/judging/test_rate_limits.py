"""Wrong passwords: a name waits at one address, and many failures only slow attempts down."""

from __future__ import annotations

from contextlib import suppress
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.judging import clock
from cleverdon.judging.web import rate_limits
from cleverdon.judging.web.rate_limits import (
    _MAX_FAILURES,
    _MAX_WAIT,
    _THROTTLE_AFTER,
    _THROTTLE_INTERVAL,
    _WINDOW,
    AttemptLimiter,
    TooManyAttempts,
)

HERE, THERE = "192.0.2.1", "198.51.100.1"


@pytest.fixture(autouse=True)
def _still(monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, 0)


def at(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    monkeypatch.setattr(clock, "ticks", lambda: 1000.0 + seconds)


def fail(
    attempts: AttemptLimiter, *, address: str = HERE, name: str = "ann", device: str = ""
) -> None:
    with attempts.sign_in_attempt(address=address, name=name, device=device):
        pass


def turn(
    attempts: AttemptLimiter, *, address: str = HERE, name: str = "ann", device: str = ""
) -> float:
    return attempts.reserve_slot(address=address, name=name, device=device)


def test_a_name_waits_at_the_address_that_failed_and_nowhere_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    attempts = AttemptLimiter()
    for _ in range(_MAX_FAILURES):
        assert turn(attempts) == 0
        fail(attempts)
    for refused in (fail, turn):
        with pytest.raises(
            TooManyAttempts, match="wait 5 minutes and try again, or sign in by"
        ) as error:
            refused(attempts)
        assert error.value.seconds == _WINDOW
    assert turn(attempts, address=THERE) == 0, "the right person is elsewhere"
    fail(attempts, address=THERE)
    assert turn(attempts, name="bob") == 0, "somebody else at the same address"
    fail(attempts, name="bob")
    at(monkeypatch, _WINDOW)
    fail(attempts)


def test_a_known_device_is_counted_by_itself() -> None:
    attempts = AttemptLimiter()
    for number in range(_THROTTLE_AFTER + 20):
        with suppress(TooManyAttempts):
            fail(attempts)
        fail(attempts, address=f"2001:db8:0:{number:x}::1")
    with pytest.raises(TooManyAttempts):
        turn(attempts)
    turn(attempts, address=THERE)
    assert turn(attempts, address=THERE) == _THROTTLE_INTERVAL, "the name is tried from everywhere"
    for _ in range(_MAX_FAILURES):
        assert turn(attempts, device="mine") == 0
        fail(attempts, device="mine")
    with pytest.raises(TooManyAttempts):  # it is as any other by now
        fail(attempts, device="mine")
    assert turn(attempts, device="another") == 0


@pytest.mark.parametrize("same", ["name", "address"])
def test_many_failures_slow_down_and_lock_nobody_out(
    monkeypatch: pytest.MonkeyPatch, same: str
) -> None:
    attempts = AttemptLimiter()

    def who(number: int) -> dict[str, str]:
        if same == "name":
            return {"address": f"2001:db8:0:{number:x}::1", "name": "ann"}
        return {"address": f"2001:db8::{number:x}", "name": f"name {number}"}

    for number in range(_THROTTLE_AFTER):
        assert attempts.reserve_slot(**who(number)) == 0
        fail(attempts, **who(number))
    places = int(_MAX_WAIT / _THROTTLE_INTERVAL) + 1
    waits = [attempts.reserve_slot(**who(_THROTTLE_AFTER + number)) for number in range(places)]
    assert waits == [_THROTTLE_INTERVAL * place for place in range(places)], "one after the other"
    with pytest.raises(TooManyAttempts, match="wait 2 s and") as error:
        attempts.reserve_slot(**who(_THROTTLE_AFTER + places))
    assert error.value.seconds == _THROTTLE_INTERVAL, "not for minutes"
    at(monkeypatch, _THROTTLE_INTERVAL)
    assert attempts.reserve_slot(**who(_THROTTLE_AFTER + places)) == _MAX_WAIT
    at(monkeypatch, 10 * _MAX_WAIT)
    assert attempts.reserve_slot(**who(_THROTTLE_AFTER + places)) == 0, "nobody else tries any more"
    assert len(attempts.next_slots) == 1
    other = {"address": THERE, "name": "bob"}
    assert [attempts.reserve_slot(**other) for _ in range(3)] == [0, 0, 0]
    at(monkeypatch, _WINDOW)
    assert [attempts.reserve_slot(**who(number)) for number in range(3)] == [0, 0, 0]


def test_many_at_once_are_no_way_around() -> None:
    attempts, right = AttemptLimiter(), []

    def guess() -> None:
        with suppress(TooManyAttempts), attempts.sign_in_attempt(address=HERE, name="ann"):
            right.append(True)

    threads = [Thread(target=guess) for _ in range(3 * _MAX_FAILURES)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(right) == _MAX_FAILURES


def test_what_was_right_does_not_count_and_an_error_does() -> None:
    attempts = AttemptLimiter()
    for _ in range(_MAX_FAILURES * 2):
        with attempts.sign_in_attempt(address=HERE, name="ann") as attempt:
            attempt.succeeded = True
    assert not attempts.counts
    with pytest.raises(ZeroDivisionError), attempts.sign_in_attempt(address=HERE, name="ann"):
        raise ZeroDivisionError
    assert {count for _, count in attempts.counts.values()} == {1}


def test_who_changes_a_password_is_counted_apart() -> None:
    attempts = AttemptLimiter()
    for _ in range(_MAX_FAILURES):
        fail(attempts)
    for _ in range(_MAX_FAILURES):
        with attempts.password_change(address=HERE, name="ann"):
            pass
    with pytest.raises(TooManyAttempts), attempts.password_change(address=HERE, name="ann"):
        pass
    with attempts.password_change(address=THERE, name="ann"):
        pass


def test_what_reaches_a_bound_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, str, str]] = []
    attempts = AttemptLimiter(lambda *what: told.append(what))
    for _ in range(_MAX_FAILURES - 1):
        fail(attempts)
    with attempts.sign_in_attempt(address=HERE, name="ann") as attempt:
        attempt.succeeded = True
    assert told == [], "the last one was right"
    fail(attempts)
    for _ in range(2):
        with pytest.raises(TooManyAttempts):
            fail(attempts)
    for number in range(_THROTTLE_AFTER):
        fail(attempts, name=f"name {number}")
    last = f"name {_THROTTLE_AFTER - _MAX_FAILURES - 1}"
    assert told == [("pair", HERE, "ann"), ("address", HERE, last)]
    at(monkeypatch, _WINDOW)
    for _ in range(_MAX_FAILURES):
        fail(attempts)
    assert told[2:] == [("pair", HERE, "ann")]


@given(st.lists(st.text(max_size=3), max_size=40))
def test_memory_is_bounded(names: list[str]) -> None:
    attempts = AttemptLimiter()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rate_limits, "_MAX_KEYS", 7)
        for number, name in enumerate(names):
            with suppress(TooManyAttempts):
                fail(attempts, address=str(number), name=name)
    assert len(attempts.counts) <= 7
